/* Activity of TPUs besides their instructions, as recorded in the trace. */
#include <math.h>

#include "analysis/shared/columns.h"
#include "analysis/core/keys.h"

#define COLUMNS(X, T)                                                                              \
	X(T, core, "Core",                                                                             \
		"TPU: the TensorCore, for lines next to its instructions; otherwise the name in the "      \
		"trace",                                                                                   \
		TEXT, NONE, JR_COL_KEY)                                                                    \
	X(T, line, "Line",                                                                             \
		"name in the trace; transfers: send and receive instructions, each from its send to the "  \
		"end of its recv-done",                                                                    \
		TEXT, NONE, JR_COL_KEY)                                                                    \
	X(T, name, "Event", "name of the event; for a Pallas kernel, the stage", TEXT, NONE,           \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, of, "Of",                                                                                 \
		"instruction or transfer recorded with the event, otherwise the enclosing instruction",    \
		TEXT, NONE, JR_COL_KEY | JR_COL_CODE)                                                      \
	X(T, profile, "Profile", "profile of the process", TEXT, NONE,                                 \
		JR_COL_KEY | JR_COL_CODE | JR_COL_DATA_ONLY)                                               \
	X(T, count, "Count", "number of events, over all devices of the process", I64, COUNT)          \
	X(T, sum_ms, "Time", "sum of durations; such lines run at the same time", I64, NS, JR_COL_BAR) \
	X(T, mean_ms, "Mean", "mean duration", F64, NS)                                                \
	X(T, max_ms, "Longest", "longest duration", I64, NS)                                           \
	X(T, share, "Share of instruction",                                                            \
		"time / time of all executions of the enclosing instruction", F64, FRAC)                   \
	X(T, bytes, "Bytes", "bytes recorded with the events", I64, BYTES)                             \
	X(T, slack_ms, "Slack",                                                                        \
		"slack recorded with the events; for transfers, from the end of the send to the start "    \
		"of the recv-done",                                                                        \
		I64, NS)                                                                                   \
	X(T, stall_ms, "Stall",                                                                        \
		"stall recorded with the events; for transfers, the time in send, send-done, and "         \
		"recv-done",                                                                               \
		I64, NS)
JR_TABLE(spec, COL, COLUMNS, "lanes", "lanes", "Other lines of TPUs",
	"Per line, event and instruction, by time");

static void fill_row(struct jr_table *table, size_t row, const struct jr_profile *p,
	const struct jr_device_line *lane)
{
	union jr_cells *c = table->cells;
	c[COL_core].text[row] = jr_str(p, lane->core);
	c[COL_line].text[row] = jr_str(p, lane->line);
	c[COL_name].text[row] = jr_str(p, lane->name);
	c[COL_of].text[row] = lane->of ? jr_str(p, lane->of) : NULL;
	c[COL_profile].text[row] = jr_str(p, p->processes[lane->process].name);
	c[COL_count].i64[row] = lane->n;
	c[COL_sum_ms].i64[row] = lane->total_ns;
	c[COL_mean_ms].f64[row] = jr_ratio((double)lane->total_ns, (double)lane->n);
	c[COL_max_ms].i64[row] = lane->max_ns;
	c[COL_share].f64[row] = lane->of_ns ? (double)lane->total_ns / (double)lane->of_ns : NAN;
	c[COL_bytes].i64[row] = lane->bytes < 0 ? JR_NULL_I64 : lane->bytes;
	c[COL_slack_ms].i64[row] = lane->slack_ns < 0 ? JR_NULL_I64 : lane->slack_ns;
	c[COL_stall_ms].i64[row] = lane->stall_ns < 0 ? JR_NULL_I64 : lane->stall_ns;
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, p->n_device_lines + 1);
	for (uint32_t i = 0; i < p->n_device_lines; i++)
		keys[i] = (struct jr_rank_key){
			(double)p->device_lines[i].total_ns, jr_str(p, p->device_lines[i].name), i, i};
	jr_rank_sort(keys, p->n_device_lines);
	struct jr_table *table = jr_table_new(ctx->arena, &spec, p->n_device_lines);
	for (size_t row = 0; row < p->n_device_lines; row++)
		fill_row(table, row, p, &p->device_lines[keys[row].row]);
	jr_section_table(out, ctx->arena, table);
}

const struct jr_pass jr_pass_lanes = {
	.name = "lanes",
	.title = "Stages, SparseCores, and transfers",
	.summary = "TPU activity besides the instructions above, as recorded in the trace",
	.needs = JR_NEEDS_LANES,
	.group = JR_GROUP_GPU,
	.run = run,
};
