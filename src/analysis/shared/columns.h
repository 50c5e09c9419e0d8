/*
 * columns.h - helpers that passes share to fill tables.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_COLUMNS_H
#define JR_ANALYSIS_COLUMNS_H

#include <math.h>

#include "analysis/shared/instances.h"
#include "analysis/core/pass.h"
#include "analysis/shared/steady.h"
#include "analysis/shared/step_time.h"
#include "analysis/shared/step_window.h"
#include "base/cleanup.h"

/** Return the id of a program, "40". It is text in every format because it is a name, not an
 * amount. */
const char *jr_program_id(const struct jr_profile *p, uint32_t program, struct jr_arena *arena);
/** Return "jit_decode", or "jit_decode (program 23)" if other programs have the same name; in
 * `arena` or the profile. O(programs) */
const char *jr_program_words(const struct jr_profile *p, uint32_t program, struct jr_arena *arena);
/** Return one text per program, shared by all rows. [n_programs] */
const char **jr_program_ids(const struct jr_profile *p, struct jr_arena *arena);

/** Return the text of an id; NULL (null in reports) for "". */
static inline const char *jr_text_or_null(const struct jr_profile *p, uint32_t id)
{
	return id ? jr_str(p, id) : NULL;
}

/** Return a / b; NaN if b is 0. */
static inline double jr_ratio(double a, double b)
{
	return b != 0 ? a / b : NAN;
}

/** Count the executions of XLA modules that hosts started, even if no GPU worked for them. They are
 * NVTX ranges in exports, else ranges of push/pop traces. O(ranges) */
uint64_t jr_host_executions(const struct jr_profile *p);

/** Return true if a host range starts an execution of a module.
 * @param known  cache by name, initially empty; release it with jr_map_done() */
bool jr_range_executes(const struct jr_profile *p, struct jr_map *known, size_t range);

/* Sort keys for "descending value, then name, then program id", the order of all tables. */
struct jr_rank_key {
	double value;
	const char *name;
	uint32_t program; /* row of the program, which follows the program number */
	uint32_t row;
};
/** Sort keys[n]; unknown values (NaN) come last. */
void jr_rank_sort(struct jr_rank_key *keys, size_t n);

/** Merge the sums of all inputs into one row per name, sorted by time, then by name. In `arena`. */
struct jr_profiler_sum *jr_join_profiler_sums(const struct jr_profile *p,
	const struct jr_profiler_sum *sums, size_t n, struct jr_arena *arena, size_t *n_joined);

/* With more devices than this, tables and charts for people show only three devices, ranked by
 * their cost for the others. JSON and CSV contain all. */
#define JR_DEVICES_IN_FULL 16

/** Return the shortest category of an op for people and for compare: communication, gemm,
 * convolution, attention, fusion, copy, or the opcode; NULL if unknown. Static or interned text. */
const char *jr_op_category(const struct jr_profile *p, const struct jr_op *op);

/** Make a number; struct jr_scalar has further fields that may be set. */
static inline struct jr_scalar jr_scalar_f64(
	const char *key, const char *title, const char *help, enum jr_unit unit, double v)
{
	return (struct jr_scalar){.key = key,
		.title = title,
		.help = help,
		.unit = unit,
		.type = JR_F64,
		.value.f64 = v,
		.plus_minus = NAN,
		.n = JR_NULL_I64};
}

static inline struct jr_scalar jr_scalar_text(
	const char *key, const char *title, const char *help, const char *text)
{
	struct jr_scalar s = jr_scalar_f64(key, title, help, JR_UNIT_NONE, 0);
	s.type = JR_TEXT;
	s.value.text = text;
	return s;
}

static inline struct jr_scalar jr_scalar_ns(
	const char *key, const char *title, const char *help, double ns)
{
	return jr_scalar_f64(key, title, help, JR_UNIT_NS, ns);
}

static inline struct jr_scalar jr_scalar_ns_i64(
	const char *key, const char *title, const char *help, int64_t ns)
{
	struct jr_scalar s = jr_scalar_ns(key, title, help, 0);
	s.type = JR_I64;
	s.value.i64 = ns;
	return s;
}

#endif
