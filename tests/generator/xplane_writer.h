/*
 * xplane_writer.h - planes of an XSpace (formats/README.md, section 8): events are added in any
 * order and written by line and time; names are written once, after the lines that use them.
 */
#ifndef GEN_XPLANE_WRITER_H
#define GEN_XPLANE_WRITER_H

#include <stdio.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/vec.h"

struct gen_xline {
	int64_t id;
	const char *name; /* borrowed */
};

struct gen_xevent {
	int64_t start_ns, end_ns;
	uint64_t stats; /* offset into event_stats */
	uint32_t stats_size, meta, line, number;
};

/* Zero-initialize, gen_xplane_init(), gen_xplane_done(). Texts are borrowed until written. */
struct gen_xplane {
	int64_t id;
	const char *name;
	struct jr_intern names, stat_names; /* id = key of the metadata; never 0 */
	JR_VEC(struct gen_xline) lines;
	JR_VEC(struct gen_xevent) events;
	struct jr_buf event_stats, stats, programs;
};

void gen_xplane_init(struct gen_xplane *plane, int64_t id, const char *name);
void gen_xplane_done(struct gen_xplane *plane);
/** Add a line; return its number. */
uint32_t gen_xplane_line(struct gen_xplane *plane, int64_t id, const char *name);
/** Add an event; the next statistics belong to it. */
void gen_xplane_event(struct gen_xplane *plane, uint32_t line, struct jr_bytes name,
	int64_t start_ns, int64_t end_ns);
/** Add a program: metadata of an event that never occurs, with its HLO. */
void gen_xplane_program(
	struct gen_xplane *plane, int64_t id, struct jr_bytes name, struct jr_bytes proto);

/* Statistics of the last event, or of the plane. */
enum gen_xstat_of { GEN_XSTAT_EVENT, GEN_XSTAT_PLANE };
void gen_xstat_u64(
	struct gen_xplane *plane, enum gen_xstat_of of, const char *name, uint64_t value);
void gen_xstat_i64(struct gen_xplane *plane, enum gen_xstat_of of, const char *name, int64_t value);
void gen_xstat_f64(struct gen_xplane *plane, enum gen_xstat_of of, const char *name, double value);
void gen_xstat_text(
	struct gen_xplane *plane, enum gen_xstat_of of, const char *name, struct jr_bytes value);
/** Add a text that is stored once in the plane and referred to. */
void gen_xstat_ref(
	struct gen_xplane *plane, enum gen_xstat_of of, const char *name, struct jr_bytes value);
/** Add a statistic of the plane whose key has no name. */
void gen_xstat_unnamed(struct gen_xplane *plane, uint64_t key, int64_t value);

/** Append it as field 1 of an XSpace. */
void gen_xplane_write(struct gen_xplane *plane, FILE *file);
/** Append a text of an XSpace: 2 error, 3 warning, 4 name of a host. */
void gen_xspace_text(FILE *file, uint32_t field, struct jr_bytes text);

#endif
