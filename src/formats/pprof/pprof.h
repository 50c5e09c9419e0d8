/*
 * pprof.h - device memory profiles of jax.profiler: pprof profiles whose samples are bytes.
 * Layer: formats.  Format: formats/README.md, section 11.  Thread use: free.
 *
 * All references are resolved: rows refer to rows, and a reference to nothing is JR_NONE or text 0.
 */
#ifndef JR_FORMATS_PPROF_H
#define JR_FORMATS_PPROF_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/limits.h"

/* A line of a location. Texts are ids of jr_pprof.strings; 0 = not stated. */
struct jr_pprof_line {
	uint32_t function, file;
	int32_t line; /* 0 = not stated */
};

/* A call site: several lines if calls are inlined there, innermost first. */
struct jr_pprof_location {
	uint32_t first_line, n_lines;
};

/* Objects that were allocated by one stack. */
struct jr_pprof_sample {
	uint32_t kind, device; /* texts of the labels "kind" and "device"; 0 = no such label */
	size_t first_stacked;  /* its stack in jr_pprof.stacked, innermost first */
	uint32_t n_stacked;
	int64_t count; /* number of objects, >= 0 */
	int64_t bytes; /* of all of them, as stated; < 0: not known to the writer */
};

struct jr_pprof {
	struct jr_intern strings; /* clean */
	size_t n_samples, n_stacked, n_locations, n_lines;
	struct jr_pprof_sample *samples; /* in file order */
	uint32_t *stacked;               /* rows of locations; JR_NONE = the file does not have it */
	struct jr_pprof_location *locations;
	struct jr_pprof_line *lines;
	uint64_t n_lost;         /* references to texts, functions and locations that do not exist */
	bool lost_labels;        /* some of them in labels, so kinds or devices are missing */
	uint64_t n_bad;          /* samples and parts of stacks that are damaged, left out */
	struct jr_error stopped; /* why the file was not read to its end; status JR_OK = it was */
	struct jr_arena arena;
};

/** Return true if the bytes begin like a pprof profile, plain or compressed with gzip. */
bool jr_pprof_begins(struct jr_bytes head, const struct jr_limits *limits);

/**
 * Read a profile, plain or compressed with gzip. Damage in the middle or a cut end leaves out what
 * follows (`stopped`), if the texts that say what the numbers are were read before.
 *
 * @param out  set only on JR_OK; release it with jr_pprof_done()
 * @return JR_EFORMAT damaged; JR_EUNSUPPORTED another kind of pprof profile, without bytes;
 *         JR_ELIMIT rows, text or memory. O(bytes)
 */
enum jr_status jr_pprof_read(struct jr_bytes in, const struct jr_limits *limits,
	struct jr_pprof *out, struct jr_error *err) JR_MUST_CHECK;
/** NULL-safe. */
void jr_pprof_done(struct jr_pprof *pprof);

#endif
