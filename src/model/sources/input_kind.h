/*
 * input_kind.h - the description of a kind of input: one struct, filled by one file of model/kinds.
 * Layer: model.  How to add a kind: src/README.md.
 *
 * No code compares kinds: special treatment depends on the capabilities below. A new kind therefore
 * recompiles only itself and the list of kinds (kinds/kinds.c).
 */
#ifndef JR_MODEL_INPUT_KIND_H
#define JR_MODEL_INPUT_KIND_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"

struct jr_digest;
struct jr_opening;
struct jr_host_listener;

/* How a digest of an input of a kind is read (model/digest/digests.h). */
struct jr_digested_ops {
	/** Add the sources of opening->digest, which is open. As jr_input_ops.open. */
	enum jr_status (*open)(struct jr_opening *opening, struct jr_error *err);
	/** Read only the compile ranges of one of its ranks. JR_ENOTFOUND: it has none. */
	enum jr_status (*read_host)(const struct jr_digest *digest, size_t rank,
		const struct jr_host_listener *to, struct jr_error *err);
};

/* The beginning of an input, from which its kind is determined. */
struct jr_input_head {
	struct jr_bytes bytes; /* at most 64 KiB; empty if not a regular file */
	uint64_t size_bytes;   /* size of the whole file */
	bool folder;
	const struct jr_limits *limits;
};

struct jr_input_ops {
	const char *label;       /* in report.json (inputs[].kind) */
	const char *noun;        /* in messages: "an archive" */
	const char *help;        /* in the man page: the writer of such inputs; NULL: not listed */
	const char *suffixes[4]; /* suffixes of such files, the usual one first; NULL-terminated */
	const char *within;      /* message: what folders and zips are searched for; NULL: nothing */

	/* Capabilities. */
	bool archive;       /* has members that `jaxreport combine` can merge */
	bool nsys_export;   /* `jaxreport record --from` can make an archive from it */
	bool by_name;       /* the name decides if the first bytes (of a damaged file) match no kind */
	bool has_company;   /* other files in its folder are read, too */
	bool reads_at_open; /* open() reads it whole, and begins its checksum */
	bool unpack_first;  /* one inside a folder or zip without a profile should be used instead */
	bool lists_unread;  /* its reader lists what it does not read: unread members are not listed */
	const void *own;    /* for the code of the kind only; NULL */
	const struct jr_input_ops *combined;    /* kind of an input with several processes; NULL */
	const struct jr_digested_ops *digested; /* NULL: inputs of this kind have no digest */

	/** Return the number of bits of the head that prove this kind, 0: another kind. The kind with
	 * most bits wins; for equal bits the first in inputs.def. NULL: only an opener detects this
	 * kind. */
	int (*probe)(const struct jr_input_head *head);
	/** Add its sources to opening->sources. On failure the report leaves the input out, with the
	 * reason in `err`, which includes its name. JR_EUSAGE ends the run. */
	enum jr_status (*open)(struct jr_opening *opening, struct jr_error *err);
	/** Add the source of a member of opening->archive. NULL: archives are not searched for this
	 * kind. */
	void (*open_member)(struct jr_opening *opening, size_t member);
	/** Read only its compile ranges, for `jaxreport summary`. JR_ENOTFOUND: it has none. NULL:
	 * inputs of this kind have none. */
	enum jr_status (*read_host)(
		const char *path, const struct jr_host_listener *to, struct jr_error *err);
};

/** Return the length of the kind's longest suffix that a file name of `size` bytes has after a
 * non-empty stem; 0: none. */
size_t jr_input_ending(const struct jr_input_ops *kind, const char *name, size_t size);
/** Return whether a name has a suffix of the kind after a non-empty stem. */
bool jr_input_named(const char *name, const struct jr_input_ops *kind);
/** Return the length of the longest of n suffixes that a name has. NULL also ends the list. */
size_t jr_input_longest(const char *name, size_t size, const char *const *endings, size_t n);
/** Return whether the head begins with `magic`. */
bool jr_input_begins(const struct jr_input_head *head, const void *magic, size_t n);

#endif
