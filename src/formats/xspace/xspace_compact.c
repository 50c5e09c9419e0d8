#include "formats/xspace/xspace_compact.h"

#include "formats/compact/compact_columns.h"
#include "formats/hlo/hlo.h"
#include "formats/hlo/hlo_reduce.h"
#include "formats/timeline_compact.h"
#include "formats/xspace/xspace_parts.h"

#define STRINGS JR_BOUND_STRINGS
#define THREADS JR_BOUND_THREADS
#define PROCESSES JR_BOUND_PROCESSES
#define OTHER JR_BOUND_OTHER /* the table read before */

/* --- tables ----------------------------------------------------------------------------------- */

#define T struct jr_xspace
static const struct jr_compact_column facts_columns[] = {ROW(hostname, STRINGS),
	NUMBER(start_unix_ns), SIZE(n_planes), SIZE(n_gpus_seen), SIZE(n_derived), SIZE(n_dropped),
	SIZE(n_cut_bytes), FLAG(has_warnings), FLAG(has_errors)};
static ROWS_TABLE(facts, "the XSpace", facts_columns);

static const struct jr_compact_column parents_columns[] = {ROW_ARRAY(scope_parent, OTHER)};
static ARRAYS_TABLE(parents, "the scopes", parents_columns);

static const struct jr_compact_column scopes_columns[] = {ROW_ARRAY(scope, OTHER)};
static ARRAYS_TABLE(scopes, "the scopes of operations", scopes_columns);

static const struct jr_compact_column beside_columns[] = {ROW_ARRAY(label, OTHER),
	ARRAY(graph, PLAIN, ANY, 0, false), ARRAY(graph_node, PLAIN, ANY, 0, false)};
static ARRAYS_TABLE(beside, "the labels of operations", beside_columns);
#undef T

#define T struct jr_said
static const struct jr_compact_column said_columns[] = {ROW(text, STRINGS), ROW(category, STRINGS),
	ROW(op_name, STRINGS), ROW(source, STRINGS), ROW(stack, STRINGS), NUMBER(flops), NUMBER(bytes),
	NUMBER(read_bytes), NUMBER(written_bytes)};
static ROWS_TABLE(said, "the annotations", said_columns);
#undef T

#define T struct jr_xspace_label
static const struct jr_compact_column labels_columns[] = {
	ROW(module, STRINGS), ROW(op, STRINGS), NUMBER(program), ROW(said, OTHER)};
static ROWS_TABLE(labels, "the labels", labels_columns);
#undef T

/* Their HLO follows the table. */
#define T struct jr_xspace_program
static const struct jr_compact_column programs_columns[] = {
	FIELD(id, STEP, ANY, 0), ROW(name, STRINGS)};
static ROWS_TABLE(programs, "the programs", programs_columns);
#undef T

#define T struct jr_xspace_run
static const struct jr_compact_column runs_columns[] = {
	START_AND_END, NUMBER(device), ROW(label, OTHER)};
static ROWS_TABLE(runs, "the executions", runs_columns);
#undef T

#define T struct jr_xspace_lane_event
static const struct jr_compact_column lane_events_columns[] = {START_AND_END, NUMBER(bytes),
	NUMBER(slack_ns), NUMBER(stall_ns), NUMBER(device), ROW(core, STRINGS), ROW(line, STRINGS),
	ROW(name, STRINGS), ROW(label, STRINGS)};
static ROWS_TABLE(lane_events, "the events of other lines", lane_events_columns);
#undef T

#define T struct jr_xspace_step
static const struct jr_compact_column steps_columns[] = {
	START_AND_END, FIELD(number, STEP, ANY, 0), ROW(name, STRINGS), ROW(thread, THREADS)};
static ROWS_TABLE(steps, "the steps", steps_columns);
#undef T

#define T struct jr_xspace_memory
static const struct jr_compact_column memory_columns[] = {FIELD(t_ns, STEP, TIME, 0),
	SIZE(in_use_bytes), SIZE(peak_bytes), ROW(allocator, STRINGS), FLAG(gave_back)};
static ROWS_TABLE(memory, "the samples of memory", memory_columns);
#undef T

/* --- writing ---------------------------------------------------------------------------------- */

static bool ran(const struct jr_xspace *x, int64_t id)
{
	for (size_t i = 0; i < x->n_labels; i++)
		if (x->labels[i].program == id)
			return true;
	return false;
}

/* HLO that cannot be decoded stays as it is, so that a report gives the same reason. */
static void put_hlo(
	struct jr_buf *out, const struct jr_xspace_program *program, const struct jr_limits *limits)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf small = {0};
	struct jr_hlo hlo;
	bool decoded =
		program->proto.size && jr_hlo_decode(program->proto, limits, &hlo, NULL) == JR_OK;
	if (decoded)
		jr_hlo_done(&hlo);
	if (decoded && jr_hlo_reduce(program->proto, &small, NULL) == JR_OK)
		jr_compact_bytes(out, jr_buf_view(&small));
	else
		jr_compact_bytes(out, program->proto);
}

static void put_programs(
	struct jr_buf *out, const struct jr_xspace *x, const struct jr_limits *limits)
{
	static const struct jr_xspace_program none;
	jr_compact_table(out, NULL, &programs, x->programs, x->n_programs);
	for (size_t i = 0; i < x->n_programs; i++)
		put_hlo(out, ran(x, x->programs[i].id) ? &x->programs[i] : &none, limits);
}

void jr_xspace_put(struct jr_buf *out, const struct jr_xspace *x, const struct jr_limits *limits)
{
	jr_timeline_put(out, &x->rows);
	jr_compact_table(out, NULL, &facts, x, 1);
	jr_compact_table(out, NULL, &jr_compact_pairs, x->about, x->n_about);
	jr_compact_table(out, NULL, &parents, x, x->n_scopes);
	jr_compact_table(out, NULL, &scopes, x, x->rows.gpu.n);
	jr_compact_table(out, NULL, &said, x->said, x->n_said);
	jr_compact_table(out, NULL, &labels, x->labels, x->n_labels);
	jr_compact_table(out, NULL, &beside, x, x->rows.gpu.n);
	jr_compact_table(out, NULL, &runs, x->modules, x->n_modules);
	jr_compact_table(out, NULL, &runs, x->ops, x->n_ops);
	jr_compact_table(out, NULL, &lane_events, x->lane_events, x->n_lane_events);
	jr_compact_table(out, NULL, &steps, x->steps, x->n_steps);
	jr_compact_table(out, NULL, &memory, x->memory, x->n_memory);
	put_programs(out, x, limits);
}

/* --- reading ---------------------------------------------------------------------------------- */

static enum jr_status damaged(struct jr_error *err, const char *what)
{
	return jr_fail(err, JR_EFORMAT, "the digest is damaged: %s", what);
}

/* Rows in structs, as jr_timeline_expand() checks columns. */
#define CHECK_TIMES(rows, n, table)                                                                \
	for (size_t i = 0, total = 0; i < (n); i++) {                                                  \
		int64_t ns = (rows)[i].end_ns - (rows)[i].start_ns;                                        \
		if (ns < 0 || (total += (size_t)ns) > INT64_MAX)                                           \
			return jr_fail(err, JR_EFORMAT,                                                        \
				"the digest is damaged: row %zu of %s ends before it starts, or too late", i,      \
				(table).name);                                                                     \
	}

/* Add an amount that is -1 if it is not stated. */
static bool add_stated(int64_t *total, int64_t amount)
{
	return amount >= -1 && (amount < 0 || !__builtin_add_overflow(*total, amount, total));
}

static enum jr_status check_lanes(const struct jr_xspace *x, struct jr_error *err)
{
	int64_t bytes = 0, slack_ns = 0, stall_ns = 0;
	for (size_t i = 0; i < x->n_lane_events; i++) {
		const struct jr_xspace_lane_event *lane = &x->lane_events[i];
		if (!add_stated(&bytes, lane->bytes) || !add_stated(&slack_ns, lane->slack_ns) ||
			!add_stated(&stall_ns, lane->stall_ns))
			return damaged(err, "amounts of events are below 0, or too large");
	}
	CHECK_TIMES(x->lane_events, x->n_lane_events, lane_events)
	return JR_OK;
}

static enum jr_status check_said(const struct jr_xspace *x, struct jr_error *err)
{
	for (size_t i = 0; i < x->n_said; i++)
		if (x->said[i].flops < -1 || x->said[i].bytes < -1 || x->said[i].read_bytes < -1 ||
			x->said[i].written_bytes < -1)
			return damaged(err, "work of an instruction is below 0");
	return x->n_said ? JR_OK : damaged(err, "it has no annotations");
}

static enum jr_status expand_runs(
	struct jr_expanding *in, struct jr_xspace_run **rows, size_t *n, struct jr_error *err)
{
	JR_TRY(jr_expand_table(in, &runs, rows, n, err));
	CHECK_TIMES(*rows, *n, runs)
	return JR_OK;
}

/* Read columns beside the GPU operations. */
static enum jr_status expand_beside(struct jr_expanding *in, const struct jr_compact_table *table,
	struct jr_xspace *x, struct jr_error *err)
{
	size_t n;
	struct jr_arena *arena = in->arena;
	in->arena = &x->placing;
	JR_TRY(jr_expand_table(in, table, x, &n, err));
	in->arena = arena;
	return n == x->rows.gpu.n ? JR_OK : damaged(err, "not every GPU operation has a label");
}

static enum jr_status expand_scopes(
	struct jr_expanding *in, struct jr_xspace *x, struct jr_error *err)
{
	struct jr_reader peek = in->in;
	uint64_t n = 0;
	(void)jr_reader_varint(&peek, &n);
	in->bounds[OTHER] = n;
	JR_TRY(jr_expand_table(in, &parents, x, &x->n_scopes, err));
	if (x->n_scopes == 0 || x->scope_parent[0] != 0)
		return damaged(err, "its scopes have no root");
	jr_xspace_cut_cycles(x->scope_parent, x->n_scopes);
	return expand_beside(in, &scopes, x, err);
}

static enum jr_status expand_labels(
	struct jr_expanding *in, struct jr_xspace *x, struct jr_error *err)
{
	JR_TRY(jr_expand_table(in, &said, &x->said, &x->n_said, err));
	JR_TRY(check_said(x, err));
	in->bounds[OTHER] = x->n_said;
	JR_TRY(jr_expand_table(in, &labels, &x->labels, &x->n_labels, err));
	in->bounds[OTHER] = x->n_labels;
	if (x->n_labels == 0)
		return damaged(err, "it has no labels");
	return expand_beside(in, &beside, x, err);
}

static enum jr_status expand_programs(
	struct jr_expanding *in, struct jr_xspace *x, struct jr_error *err)
{
	JR_TRY(jr_expand_table(in, &programs, &x->programs, &x->n_programs, err));
	for (size_t i = 0; i < x->n_programs; i++) {
		JR_TRY(jr_expand_bytes(in, &x->programs[i].proto, err));
		if (i && x->programs[i - 1].id >= x->programs[i].id)
			return damaged(err, "its programs are not in order");
	}
	return JR_OK;
}

enum jr_status jr_xspace_expand(struct jr_expanding *in, struct jr_xspace *x, struct jr_error *err)
{
	*x = (struct jr_xspace){0};
	JR_TRY(jr_timeline_expand(in, &x->rows, err));
	if (x->rows.n_processes == 0)
		return damaged(err, "it has no process");
	jr_arena_init(&x->placing, x->rows.arena.limit_bytes);
	in->arena = &x->rows.arena;
	JR_TRY(jr_expand_row(in, &facts, x, err));
	JR_TRY(jr_expand_table(in, &jr_compact_pairs, &x->about, &x->n_about, err));
	JR_TRY(expand_scopes(in, x, err));
	JR_TRY(expand_labels(in, x, err));
	JR_TRY(expand_runs(in, &x->modules, &x->n_modules, err));
	JR_TRY(expand_runs(in, &x->ops, &x->n_ops, err));
	JR_TRY(jr_expand_table(in, &lane_events, &x->lane_events, &x->n_lane_events, err));
	JR_TRY(check_lanes(x, err));
	JR_TRY(jr_expand_table(in, &steps, &x->steps, &x->n_steps, err));
	CHECK_TIMES(x->steps, x->n_steps, steps)
	JR_TRY(jr_expand_table(in, &memory, &x->memory, &x->n_memory, err));
	return expand_programs(in, x, err);
}
