/* Collectives by kind and message size: bandwidth and waiting. */
#include <inttypes.h>

#include "compare/core/compare_rows.h"

static const char *kind_and_size(const struct jr_compare_row *r, int side)
{
	const struct jr_run *run = r->c->runs[side];
	const char *name = jr_run_text(run, JR_RUN_COLLECTIVES, JR_COLLECTIVE_NAME, r->row[side]);
	return jr_arena_printf(r->c->arena, "%s %" PRId64, name ? name : "",
		jr_run_i64(run, JR_RUN_COLLECTIVES, JR_COLLECTIVE_BYTES, r->row[side]));
}

#define COLLECTIVES(X, T)                                                                          \
	X(T, collective, "Collective", "kind of communication", TEXT, NONE, JR_COL_KEY,                \
		JR_ONE(JR_COLLECTIVE_NAME))                                                                \
	X(T, message_bytes, "Message",                                                                 \
		"bytes of all operands; for a reduce-scatter divided by the group size", I64, BYTES,       \
		JR_COL_KEY, JR_ONE(JR_COLLECTIVE_BYTES))                                                   \
	X(T, group_size, "Group",                                                                      \
		"number of participating devices, in the new run or else in the base", I64, COUNT, 0,      \
		JR_ONE(JR_COLLECTIVE_GROUP))                                                               \
	JR_BASE_AND_NEW(X, T, instances, "Instances", "number of steady instances", I64, COUNT, 0,     \
		JR_COLUMN(JR_COLLECTIVE_INSTANCES))                                                        \
	JR_CHANGE_OF_BOTH(X, T, gbps, "mean bus bandwidth of the fastest device", F64, BYTES_S,        \
		JR_COLUMN(JR_COLLECTIVE_BUS))                                                              \
	X(T, base_wait_ms, "Wait, base", "mean over instances", F64, NS, JR_COL_LIKE,                  \
		.how = JR_FILL_DIFFERENCE, JR_COLUMN(JR_COLLECTIVE_WAIT))                                  \
	X(T, new_wait_ms, "Wait, new", "mean over instances", F64, NS, JR_COL_LIKE, JR_OWN)            \
	X(T, change_wait_ms, "Change of wait", "new - base", F64, NS, JR_COL_CHANGE | JR_COL_LIKE,     \
		JR_OWN)
JR_COMPARE_COLUMNS(COLLECTIVES)
JR_COMPARE_FILLS(COLLECTIVES)

static const struct jr_compare_rows collectives = {
	.spec = {JR_TABLE_SPEC("collectives", "collectives", "Collectives by message size",
		"Per kind and message size; in the order of the base, then new ones", COLLECTIVES_columns)},
	.fills = COLLECTIVES_fills,
	.table = JR_RUN_COLLECTIVES,
	.key_of = kind_and_size,
};

#define OVERLAP(X, T)                                                                              \
	X(T, collective, "Collective", "kind of communication; all: every kind together", TEXT, NONE,  \
		JR_COL_KEY, JR_ONE(JR_OVERLAP_NAME))                                                       \
	X(T, base_fraction, "Base", "share overlapped with compute, in the base", F64, FRAC, 0,        \
		.how = JR_FILL_DIFFERENCE, JR_COLUMN(JR_OVERLAP_FRACTION))                                 \
	X(T, new_fraction, "New", "share overlapped with compute, in the new run", F64, FRAC, 0,       \
		JR_OWN)                                                                                    \
	X(T, change_fraction, "Change", "new - base", F64, FRAC, JR_COL_CHANGE, JR_OWN)
JR_COMPARE_COLUMNS(OVERLAP)
JR_COMPARE_FILLS(OVERLAP)

static const struct jr_compare_rows overlap = {
	.spec = {JR_TABLE_SPEC(
		"overlap", "overlap", "Hidden communication", "Per kind of collective", OVERLAP_columns)},
	.fills = OVERLAP_fills,
	.table = JR_RUN_OVERLAP,
	.key = JR_OVERLAP_NAME,
};

/* If neither run communicates, the section is left out. */
static void run(const struct jr_comparison *c, struct jr_section *out)
{
	if (jr_compare_put(c, &collectives, NULL, out))
		(void)jr_compare_put(c, &overlap, NULL, out);
}

const struct jr_compare_pass jr_compare_collectives = {
	.about = {.name = "collectives",
		.title = "Collectives",
		.group = JR_GROUP_DEVICES,
		.summary = "Communication: bandwidth by message size, waiting, and overlap with compute"},
	.run = run,
};
