/*
 * input_kind.h - what a kind of input is: one struct, filled by one file of model/kinds.
 * Layer: model.  How to add a kind: src/README.md.
 *
 * Nobody asks which kind an input is: who treats some otherwise than others asks for a capability
 * below. So a new kind rebuilds itself and the list of all (kinds/kinds.c).
 */
#ifndef JR_MODEL_INPUT_KIND_H
#define JR_MODEL_INPUT_KIND_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/limits.h"

struct jr_opening;
struct jr_host_listener;

/* The beginning of an input, by which its kind is told. */
struct jr_input_head {
	struct jr_bytes bytes; /* at most 64 KiB; empty of what is no regular file */
	uint64_t size_bytes;   /* of the whole file */
	bool folder;
	const struct jr_limits *limits;
};

struct jr_input_ops {
	const char *label;       /* in report.json (inputs[].kind) */
	const char *noun;        /* in messages: "an archive" */
	const char *help;        /* in the man page: what writes such inputs; NULL: not listed */
	const char *suffixes[4]; /* that names of such files end with, the usual one first; NULL */
	const char *within; /* what of it is looked for in folders and zips, in messages; NULL: it is
						 * named by itself */

	/* Capabilities. */
	bool archive;      /* has members, which `jaxreport combine` can merge */
	bool nsys_export;  /* `jaxreport record --from` makes an archive of it */
	bool by_name;      /* a damaged file may begin as nothing known: then its name decides */
	bool has_company;  /* files in the folder that it lies in are read, too */
	bool unpack_first; /* one that lies in a folder or zip without a profile is what was meant */
	const struct jr_input_ops *combined; /* what it is where it holds several processes; NULL */

	/** Bits of the head that prove it to be of this kind, 0: it is not. NULL: no file is; an opener
	 * finds it out. The kind with most bits has it, among equals the first one in inputs.def. */
	int (*probe)(const struct jr_input_head *head);
	/** Add its sources to opening->sources. On failure the input is left out of the report, for the
	 * reason in `err`, which names it; JR_EUSAGE ends the run. */
	enum jr_status (*open)(struct jr_opening *opening, struct jr_error *err);
	/** The same of a member of opening->archive. NULL: none are looked for there. */
	void (*open_member)(struct jr_opening *opening, size_t member);
	/** Its compile ranges alone, for `jaxreport summary`. JR_ENOTFOUND: it has none. NULL: no
	 * input of the kind has. */
	enum jr_status (*read_host)(
		const char *path, const struct jr_host_listener *to, struct jr_error *err);
};

/** Bytes of the ending that a file's name of `size` bytes has, as files of the kind do: the longest
 * that something is ahead of. 0: none. */
size_t jr_input_ending(const struct jr_input_ops *kind, const char *name, size_t size);
/** Whether a name ends, behind something, as files of a kind do. */
bool jr_input_named(const char *name, const struct jr_input_ops *kind);
/** The longest of n endings that a name has; a NULL ends the list, too. */
size_t jr_input_longest(const char *name, size_t size, const char *const *endings, size_t n);
/** Whether the head begins so. */
bool jr_input_begins(const struct jr_input_head *head, const void *magic, size_t n);

#endif
