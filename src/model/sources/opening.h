/*
 * opening.h - the arguments for opening an input, or for reading its compile ranges.
 * Layer: model, private to loading.
 */
#ifndef JR_MODEL_OPENING_H
#define JR_MODEL_OPENING_H

#include "base/vec.h"
#include "model/profile/profile.h"
#include "model/sources/input_kind.h"
#include "model/sources/source.h"

struct jr_source_list {
	JR_VEC(struct jr_source) list;
};

/* An input while it is opened. */
struct jr_opening {
	struct jr_profile *profile;
	struct jr_input *input; /* the opener sets size_bytes, and kind if it differs */
	uint32_t row;           /* row of profile->inputs */
	/* all kinds, until NULL: for an input that states the kind of what it was made from */
	const struct jr_input_ops *const *kinds;
	const char *path;  /* file to read */
	const char *named; /* the file that the user named: the same, or the original */
	const char *stem;  /* its name without suffix: the name of its process */
	const struct jr_limits *limits;
	struct jr_arena *arena;         /* for data of sources; outlives them */
	struct jr_source_list *sources; /* jr_opening_source() adds one */
	struct jr_archive **archive;    /* NULL at first; closed after all sources are done */
	struct jr_export *export;       /* empty at first; freed after all sources are done */
	struct jr_digest *digest;       /* empty at first; closed after all sources are done */
	bool keeps_rows;                /* a digest is made: sources keep what put_rows() needs */
	/* Progress callback for long work: bytes still to read, and bytes read. */
	void (*progress)(void *context, const char *stage, uint64_t more_bytes, uint64_t done_bytes);
	/* For kinds with reads_at_open: begin the checksum of the file, on a further thread. NULL = it
	 * is not needed. */
	void (*begin_checksum)(const struct jr_opening *opening);
	void *context;
};

/** Add an uninitialized source; the caller must initialize it immediately. */
struct jr_source *jr_opening_source(struct jr_opening *opening);
/** Return the size of the file that the user named; 0: it is a folder, or was deleted. */
uint64_t jr_opening_file_bytes(const struct jr_opening *opening);
/** Return JR_EUSAGE if --run was given, because the input has no runs. */
enum jr_status jr_opening_no_runs(const struct jr_opening *opening, struct jr_error *err)
	JR_MUST_CHECK;

/* Callback for the ranges of one process, which are released afterwards. `profile`: name of its
 * files in a combined archive; NULL for other inputs. */
typedef void (*jr_host_ranges_fn)(
	void *context, const char *profile, const struct jr_host_ranges *ranges);

/* A listener for the compile ranges of an input. */
struct jr_host_listener {
	const struct jr_limits *limits;
	jr_host_ranges_fn tell;
	void *context;
	/* hint for an archive without ranges: load.h */
	void (*hint)(const struct jr_archive *archive, struct jr_buf *out);
	const struct jr_input_ops *const *kinds; /* as in struct jr_opening */
};

/** Pass ranges to the listener and release them. */
void jr_host_tell(
	const struct jr_host_listener *to, const char *profile, struct jr_host_ranges *ranges);
/** Read a push/pop trace and pass its ranges to the listener. @return as jr_host_ranges_read() */
enum jr_status jr_host_tell_bytes(const struct jr_host_listener *to, const char *profile,
	struct jr_bytes bytes, struct jr_error *err) JR_MUST_CHECK;
/** Read a push/pop trace file like jr_host_tell_bytes(). */
enum jr_status jr_host_tell_file(
	const char *path, const struct jr_host_listener *to, struct jr_error *err) JR_MUST_CHECK;

#endif
