/* What ran beside the instructions of TPUs, as the trace states it. */
#include <math.h>

#include "analysis/shared/columns.h"

enum { CORE, LINE, NAME, OF, PROFILE, COUNT, SUM, MEAN, MOST, SHARE, BYTES, SLACK, STALL };

static const struct jr_column_spec columns[] = {
	{"core", "Core",
		"TPU: the TensorCore, by lines beside its instructions; else as the trace names it",
		JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
	{"line", "Line",
		"as the trace names it; transfers: sends and receives among the instructions, each from "
		"its send to the end of its recv-done",
		JR_TEXT, JR_UNIT_NONE, JR_COL_KEY},
	{"name", "Event", "its name: of a Pallas kernel the stage", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY | JR_COL_CODE},
	{"of", "Of", "instruction or transfer that it states, else instruction that it lies in",
		JR_TEXT, JR_UNIT_NONE, JR_COL_KEY | JR_COL_CODE},
	{"profile", "Profile", "of the process", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY | JR_COL_CODE | JR_COL_DATA_ONLY},
	{"count", "Count", "events, over all devices of the process", JR_I64, JR_UNIT_COUNT, 0},
	{"sum_ms", "Time", "sum of their durations; such lines run at the same time", JR_I64,
		JR_UNIT_NS, JR_COL_BAR},
	{"mean_ms", "Mean", "duration", JR_F64, JR_UNIT_NS, 0},
	{"max_ms", "Longest", "duration", JR_I64, JR_UNIT_NS, 0},
	{"share", "Of the instruction",
		"time / that of all executions of the instruction that it lies in", JR_F64, JR_UNIT_FRAC,
		0},
	{"bytes", "Bytes", "that the events state", JR_I64, JR_UNIT_BYTES, 0},
	{"slack_ms", "Slack",
		"that the events state; of transfers from the end of the send to the start of the "
		"recv-done",
		JR_I64, JR_UNIT_NS, 0},
	{"stall_ms", "Stall",
		"that the events state; of transfers the time in send, send-done, and recv-done", JR_I64,
		JR_UNIT_NS, 0},
};
static const struct jr_table_spec spec = {JR_TABLE_SPEC("lanes", "lanes", "Other lines of TPUs",
	"Per line, event and instruction, by time", columns)};

static void fill_row(struct jr_table *table, size_t row, const struct jr_profile *p,
	const struct jr_device_line *lane)
{
	union jr_cells *c = table->cells;
	const int64_t stated[] = {lane->bytes, lane->slack_ns, lane->stall_ns};
	c[CORE].text[row] = jr_str(p, lane->core);
	c[LINE].text[row] = jr_str(p, lane->line);
	c[NAME].text[row] = jr_str(p, lane->name);
	c[OF].text[row] = lane->of ? jr_str(p, lane->of) : NULL;
	c[PROFILE].text[row] = jr_str(p, p->processes[lane->process].name);
	c[COUNT].i64[row] = lane->n;
	c[SUM].i64[row] = lane->total_ns;
	c[MEAN].f64[row] = jr_ratio((double)lane->total_ns, (double)lane->n);
	c[MOST].i64[row] = lane->max_ns;
	c[SHARE].f64[row] = lane->of_ns ? (double)lane->total_ns / (double)lane->of_ns : NAN;
	for (size_t i = 0; i < JR_COUNT_OF(stated); i++)
		c[BYTES + i].i64[row] = stated[i] < 0 ? JR_NULL_I64 : stated[i];
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
	.summary = "What TPUs did besides the instructions above, as the trace states it",
	.needs = JR_NEEDS_LANES,
	.group = JR_GROUP_GPU,
	.run = run,
};
