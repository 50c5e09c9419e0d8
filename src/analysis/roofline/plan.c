/* What XLA will run, from its programs alone; analysis/README.md, section 14.9. */
#include <math.h>

#include "analysis/core/say.h"
#include "analysis/cost/work_kind.h"
#include "analysis/roofline/plan_tables.h"
#include "analysis/roofline/roofline_tables.h"
#include "analysis/shared/columns.h"

#define SHOWN_ROWS 20

/* --- the executions that a plan stands for ---------------------------------------------------- */

/* One execution of each program on one device, with nothing measured. */
static struct jr_steady *expected(const struct jr_profile *p, struct jr_arena *arena)
{
	struct jr_steady *st = JR_ARENA_NEW(arena, struct jr_steady);
	st->programs = JR_ARENA_N(arena, struct jr_program_steady, p->n_programs + 1);
	st->ops = JR_ARENA_N(arena, struct jr_op_steady, p->n_ops + 1);
	st->devices = JR_ARENA_N(arena, struct jr_device_steady, p->n_devices + 1);
	st->ranking = JR_ARENA_N(arena, uint32_t, p->n_programs + 1);
	for (uint32_t i = 0; i < p->n_programs; i++) {
		if (!p->programs[i].hlo)
			continue;
		st->programs[i] = (struct jr_program_steady){.executions = 1, .top = true};
		st->ranking[st->n_ranking++] = i;
	}
	st->n_top = st->n_ranking;
	for (size_t d = 0; d < p->n_devices; d++)
		st->devices[d].seen = true;
	for (size_t i = 0; i < p->n_ops; i++)
		st->ops[i].count = (int64_t)p->ops[i].planned;
	return st;
}

/* --- sums ------------------------------------------------------------------------------------- */

/* Work of several instructions of a program, per execution of the program; saturated. */
struct sum {
	const char *name;
	uint32_t program, group_size; /* of collectives */
	uint64_t message_bytes;
	uint64_t n, flops, bytes, network_bytes, roof_ps;
	bool flops_known, bytes_known, network_known, has_roof; /* of any of them */
};

static void add(uint64_t *sum, uint64_t each, uint64_t n)
{
	*sum = jr_sat_add(*sum, jr_mul_div(each, n, 1));
}

static void add_op(struct sum *to, const struct jr_pass_context *ctx,
	const struct jr_roofline_op *o, const struct jr_cost *cost)
{
	uint64_t n = (uint64_t)ctx->steady->ops[o->op].count;
	add(&to->n, 1, n);
	to->flops_known |= cost->flops_known;
	to->bytes_known |= cost->bytes_known;
	to->network_known |= cost->collective && cost->network_known;
	to->has_roof |= o->has_roof;
	add(&to->flops, cost->flops_known ? jr_cost_flops(cost) : 0, n);
	add(&to->bytes, cost->bytes_known ? jr_cost_bytes(cost) : 0, n);
	add(&to->network_bytes, cost->collective && cost->network_known ? cost->network_bytes : 0, n);
	add(&to->roof_ps, o->has_roof ? o->roof_ps : 0, n);
}

/* Sums of instructions that share a key. */
struct sums {
	size_t n;
	struct sum *items;
	struct jr_map rows;
};

static struct sum *sum_of(struct sums *sums, uint64_t key)
{
	uint32_t row = jr_map_get(&sums->rows, key);
	if (row == JR_NONE) {
		row = (uint32_t)sums->n++;
		jr_map_put(&sums->rows, key, row);
	}
	return &sums->items[row];
}

static struct sums new_sums(const struct jr_pass_context *ctx)
{
	return (struct sums){.items = JR_ARENA_N(ctx->scratch, struct sum,
							 ctx->roofline->n + ctx->profile->n_programs + 1)};
}

/* By roofline time, then by FLOPs: without peaks no time is known. */
static struct jr_rank_key *ranked(const struct jr_pass_context *ctx, struct sums *sums)
{
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, sums->n + 1);
	for (size_t i = 0; i < sums->n; i++) {
		const struct sum *s = &sums->items[i];
		keys[i] =
			(struct jr_rank_key){ctx->roofline->peaks.known ? (double)s->roof_ps : (double)s->flops,
				s->name, s->program, (uint32_t)i};
	}
	jr_rank_sort(keys, sums->n);
	jr_map_done(&sums->rows);
	return keys;
}

static int64_t known(bool is, uint64_t v)
{
	return is && v <= INT64_MAX ? (int64_t)v : JR_NULL_I64;
}

static double known_ns(bool is, uint64_t ps)
{
	return is ? jr_ns_of_ps(ps) : NAN;
}

/* --- programs --------------------------------------------------------------------------------- */

JR_TABLE_OF(programs_spec, JR_PLAN_PROGRAMS_COLUMNS, "plan_programs", JR_AT_IN(plan, programs),
	"Programs", "One row per program, for one execution on one device; by roofline time");

/* Roofline time of a program: kernels one after the other, collectives at the same time. */
static uint64_t roof_of(const struct jr_roofline_sum *sum)
{
	return sum->roof_ps > sum->network_ps ? sum->roof_ps : sum->network_ps;
}

/* Put the programs in order: the first one is what the plan is about. */
static void rank_programs(const struct jr_profile *p, struct jr_steady *st,
	const struct jr_roofline *r, const struct sum *works, struct jr_arena *scratch)
{
	struct jr_rank_key *keys = JR_ARENA_N(scratch, struct jr_rank_key, st->n_ranking + 1);
	for (size_t i = 0; i < st->n_ranking; i++) {
		uint32_t program = st->ranking[i];
		keys[i] = (struct jr_rank_key){
			r->peaks.known ? (double)roof_of(&r->programs[program]) : (double)works[program].flops,
			jr_str(p, p->programs[program].name), program, program};
	}
	jr_rank_sort(keys, st->n_ranking);
	for (size_t i = 0; i < st->n_ranking; i++)
		st->ranking[i] = keys[i].row;
}

/* [n_programs] the work of each program. */
static struct sum *program_works(const struct jr_pass_context *ctx)
{
	const struct jr_roofline *r = ctx->roofline;
	struct sum *works = JR_ARENA_N(ctx->scratch, struct sum, ctx->profile->n_programs + 1);
	for (size_t i = 0; i < r->n; i++)
		add_op(&works[ctx->profile->ops[r->ops[i].op].program], ctx, &r->ops[i],
			&r->costs[r->ops[i].op]);
	return works;
}

static struct jr_table *programs_table(const struct jr_pass_context *ctx, const struct sum *works)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_steady *st = ctx->steady;
	struct jr_table *t = jr_table_new(ctx->arena, &programs_spec, st->n_ranking);
	union jr_cells *c = t->cells;
	for (size_t row = 0; row < st->n_ranking; row++) {
		uint32_t program = st->ranking[row];
		const struct jr_roofline_sum *sum = &ctx->roofline->programs[program];
		const struct sum *work = &works[program];
		c[JR_PLAN_PROGRAMS_program_id].text[row] = jr_program_id(p, program, ctx->arena);
		c[JR_PLAN_PROGRAMS_name].text[row] = jr_str(p, p->programs[program].name);
		c[JR_PLAN_PROGRAMS_roof_ms].f64[row] = known_ns(work->has_roof, roof_of(sum));
		c[JR_PLAN_PROGRAMS_roof_network_ms].f64[row] =
			known_ns(work->has_roof && sum->n_no_link == 0, sum->network_ps);
		c[JR_PLAN_PROGRAMS_flops].i64[row] = known(work->flops_known, work->flops);
		c[JR_PLAN_PROGRAMS_tflop].f64[row] =
			work->flops_known && work->flops < UINT64_MAX ? 1e-12 * (double)work->flops : NAN;
		c[JR_PLAN_PROGRAMS_bytes].i64[row] = known(work->bytes_known, work->bytes);
		c[JR_PLAN_PROGRAMS_network_bytes].i64[row] = known(true, work->network_bytes);
		c[JR_PLAN_PROGRAMS_remat_flops].i64[row] = known(work->flops_known, sum->remat_flops);
		c[JR_PLAN_PROGRAMS_launches].i64[row] = known(true, work->n);
		c[JR_PLAN_PROGRAMS_not_counted].i64[row] = (int64_t)sum->n_unknown;
	}
	if (t->n_rendered > SHOWN_ROWS)
		t->n_rendered = SHOWN_ROWS;
	return t;
}

/* --- kinds of work and source lines of the first program -------------------------------------- */

#define KIND_COLUMNS(X, T)                                                                         \
	X(T, kind, "Kind of work", "kind of work of an instruction", TEXT, NONE, JR_COL_KEY)           \
	JR_PLAN_WORK_COLUMNS(X, T)
JR_TABLE(kinds_spec, K, KIND_COLUMNS, "plan_kinds", "plan.kinds", "Kinds of work",
	"One row per kind of work of the program with the longest roofline time; by roofline time");

JR_TABLE_OF(lines_spec, JR_PLAN_LINES_COLUMNS, "plan_lines", JR_AT_IN(plan, lines),
	"Source lines by roofline time",
	"One row per source line of the program with the longest roofline time; by roofline time");

/* One function fills both tables. */
_Static_assert(
	(int)K_kind == (int)JR_PLAN_LINES_source && (int)K_launches == (int)JR_PLAN_LINES_launches,
	"one place in both tables");

static void fill_work(struct jr_table *t, size_t row, const struct sum *s)
{
	union jr_cells *c = t->cells;
	c[JR_PLAN_LINES_launches].i64[row] = known(true, s->n);
	c[JR_PLAN_LINES_roof_ms].f64[row] = known_ns(s->has_roof, s->roof_ps);
	c[JR_PLAN_LINES_flops].i64[row] = known(s->flops_known, s->flops);
	c[JR_PLAN_LINES_gflop].f64[row] =
		s->flops_known && s->flops < UINT64_MAX ? 1e-9 * (double)s->flops : NAN;
	c[JR_PLAN_LINES_bytes].i64[row] = known(s->bytes_known, s->bytes);
}

static struct jr_table *work_table(
	const struct jr_pass_context *ctx, const struct jr_table_spec *spec, struct sums *sums)
{
	struct jr_rank_key *keys = ranked(ctx, sums);
	struct jr_table *t = jr_table_new(ctx->arena, spec, sums->n);
	for (size_t row = 0; row < sums->n; row++) {
		t->cells[K_kind].text[row] = keys[row].name;
		fill_work(t, row, &sums->items[keys[row].row]);
	}
	if (t->n_rendered > SHOWN_ROWS)
		t->n_rendered = SHOWN_ROWS;
	return t;
}

static void add_kinds(struct jr_pass_context *ctx, struct jr_section *out, uint32_t program)
{
	const struct jr_roofline *r = ctx->roofline;
	struct sums sums = new_sums(ctx);
	for (size_t i = 0; i < r->n; i++) {
		const struct jr_op *op = &ctx->profile->ops[r->ops[i].op];
		if (op->program != program)
			continue;
		enum jr_work_kind kind = jr_work_kind(ctx->kinds, op);
		struct sum *sum = sum_of(&sums, kind);
		sum->name = jr_work_kind_name(kind);
		add_op(sum, ctx, &r->ops[i], &r->costs[r->ops[i].op]);
	}
	struct jr_table *table = work_table(ctx, &kinds_spec, &sums);
	struct jr_chart chart = {.name = "plan_kinds",
		.title = "Roofline time by kind of work",
		.caption = "one execution of the program with the longest roofline time, one bar per kind",
		.kind = JR_CHART_BARS,
		.table = table,
		.x = JR_KEY(K, kind),
		.y = JR_KEY(K, roof_ms)};
	if (r->peaks.known && table->n_rows)
		jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, table);
}

static void add_lines(struct jr_pass_context *ctx, struct jr_section *out, uint32_t program)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_roofline *r = ctx->roofline;
	struct sums sums = new_sums(ctx);
	for (size_t i = 0; i < r->n; i++) {
		const struct jr_op *op = &p->ops[r->ops[i].op];
		if (op->program != program || !op->source_file || op->source_line <= 0)
			continue;
		struct sum *sum = sum_of(&sums, jr_key2(op->source_file, (uint32_t)op->source_line));
		if (!sum->name)
			sum->name =
				jr_arena_printf(ctx->arena, "%s:%d", jr_str(p, op->source_file), op->source_line);
		add_op(sum, ctx, &r->ops[i], &r->costs[r->ops[i].op]);
	}
	jr_section_table(out, ctx->arena, work_table(ctx, &lines_spec, &sums));
}

/* --- collectives ------------------------------------------------------------------------------ */

#define COLLECTIVE_COLUMNS(X, T)                                                                   \
	X(T, program_id, "Program", "program id", TEXT, NONE, JR_COL_KEY)                              \
	X(T, collective, "Collective", "kind of communication", TEXT, NONE, JR_COL_KEY)                \
	X(T, message_bytes, "Message",                                                                 \
		"bytes of all operands; for reduce-scatter, divided by the group size", I64, BYTES,        \
		JR_COL_KEY)                                                                                \
	X(T, group_size, "Group", "number of devices that take part", I64, COUNT, JR_COL_KEY)          \
	X(T, launches, "Launches", "how often one execution of the program runs them", I64, COUNT)     \
	X(T, network_bytes, "Sent", "bytes that a device sends in all of them", I64, BYTES)            \
	X(T, roof_ms, "At link speed", "time of all of them at the peak rate of the links", F64, NS,   \
		JR_COL_BAR)
JR_TABLE(collectives_spec, W, COLLECTIVE_COLUMNS, "plan_collectives", "plan.collectives",
	"Collectives", "One row per program, kind, message and group size; by time at link speed");

static void add_collectives(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_roofline *r = ctx->roofline;
	struct sums sums = new_sums(ctx);
	for (size_t i = 0; i < r->n; i++) {
		const struct jr_op *op = &p->ops[r->ops[i].op];
		uint64_t parts[] = {op->program, op->collective, op->message_bytes, op->group_size};
		if (!op->communication)
			continue;
		struct sum *sum = sum_of(&sums, jr_hash(parts, sizeof(parts), 0));
		sum->name = jr_str(p, op->collective);
		sum->program = op->program;
		sum->message_bytes = op->message_bytes;
		sum->group_size = op->group_size;
		add_op(sum, ctx, &r->ops[i], &r->costs[r->ops[i].op]);
	}
	struct jr_rank_key *keys = ranked(ctx, &sums);
	struct jr_table *t = jr_table_new(ctx->arena, &collectives_spec, sums.n);
	for (size_t row = 0; row < sums.n; row++) {
		const struct sum *s = &sums.items[keys[row].row];
		t->cells[W_program_id].text[row] = jr_program_id(p, s->program, ctx->arena);
		t->cells[W_collective].text[row] = s->name;
		t->cells[W_message_bytes].i64[row] = known(s->message_bytes > 0, s->message_bytes);
		t->cells[W_group_size].i64[row] = known(s->group_size > 0, s->group_size);
		t->cells[W_launches].i64[row] = known(true, s->n);
		t->cells[W_network_bytes].i64[row] = known(s->network_known, s->network_bytes);
		t->cells[W_roof_ms].f64[row] = known_ns(s->has_roof, s->roof_ps);
	}
	if (t->n_rendered > SHOWN_ROWS)
		t->n_rendered = SHOWN_ROWS;
	if (sums.n)
		jr_section_table(out, ctx->arena, t);
}

/* --- instructions ----------------------------------------------------------------------------- */

JR_TABLE_OF(instructions_spec, JR_PLAN_INSTRUCTIONS_COLUMNS, "plan_instructions",
	JR_AT_IN(plan, instructions), "Instructions",
	"One row per instruction that a program launches; by roofline time");

static void fill_instruction(struct jr_pass_context *ctx, struct jr_table *t, size_t row,
	const struct jr_roofline_op *o, const char *const *ids)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_op *op = &p->ops[o->op];
	const struct jr_cost *cost = &ctx->roofline->costs[o->op];
	struct sum all = {0};
	union jr_cells *c = t->cells;
	add_op(&all, ctx, o, cost);
	c[JR_PLAN_INSTRUCTIONS_program_id].text[row] = ids[op->program];
	c[JR_PLAN_INSTRUCTIONS_name].text[row] = jr_str(p, op->name);
	c[JR_PLAN_INSTRUCTIONS_kind].text[row] = cost->kind;
	c[JR_PLAN_INSTRUCTIONS_op_name].text[row] = op->op_name ? jr_str(p, op->op_name) : NULL;
	c[JR_PLAN_INSTRUCTIONS_bound].text[row] = o->has_roof ? jr_bound_name(o->bound) : NULL;
	c[JR_PLAN_INSTRUCTIONS_roof_ms].f64[row] = known_ns(o->has_roof, all.roof_ps);
	c[JR_PLAN_INSTRUCTIONS_launches].i64[row] = known(true, all.n);
	c[JR_PLAN_INSTRUCTIONS_flops].i64[row] = known(cost->flops_known, jr_cost_flops(cost));
	c[JR_PLAN_INSTRUCTIONS_gflop].f64[row] =
		cost->flops_known ? 1e-9 * (double)jr_cost_flops(cost) : NAN;
	c[JR_PLAN_INSTRUCTIONS_bytes].i64[row] = known(cost->bytes_known, jr_cost_bytes(cost));
	c[JR_PLAN_INSTRUCTIONS_network_bytes].i64[row] =
		known(cost->collective && cost->network_known, cost->network_bytes);
	if (op->source_file && op->source_line > 0)
		c[JR_PLAN_INSTRUCTIONS_source].text[row] =
			jr_arena_printf(ctx->arena, "%s:%d", jr_str(p, op->source_file), op->source_line);
}

static void add_instructions(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_roofline *r = ctx->roofline;
	const char **ids = jr_program_ids(p, ctx->arena);
	struct sums sums = new_sums(ctx);
	for (size_t i = 0; i < r->n; i++) {
		struct sum *sum = sum_of(&sums, i);
		sum->name = jr_str(p, p->ops[r->ops[i].op].name);
		sum->program = p->ops[r->ops[i].op].program;
		add_op(sum, ctx, &r->ops[i], &r->costs[r->ops[i].op]);
	}
	struct jr_rank_key *keys = ranked(ctx, &sums);
	struct jr_table *t = jr_table_new(ctx->arena, &instructions_spec, r->n);
	for (size_t row = 0; row < r->n; row++)
		fill_instruction(ctx, t, row, &r->ops[keys[row].row], ids);
	if (t->n_rendered > SHOWN_ROWS)
		t->n_rendered = SHOWN_ROWS;
	jr_section_table(out, ctx->arena, t);
}

/* --- words and tiles -------------------------------------------------------------------------- */

static void add_tiles(struct jr_pass_context *ctx, struct jr_section *out, const struct jr_table *t)
{
	const char *in = jr_arena_printf(ctx->arena, "in %s", t->cells[JR_PLAN_PROGRAMS_name].text[0]);
	struct jr_scalar roof = jr_scalar_ns("plan.roof_ms", "Roofline time",
		"lower bound of one execution of the program with the longest roofline time; nothing was "
		"measured",
		t->cells[JR_PLAN_PROGRAMS_roof_ms].f64[0]);
	roof.note = jr_arena_printf(ctx->arena, "lower bound, %s", in);
	struct jr_scalar tflop = jr_scalar_f64("plan.tflop", "TFLOP",
		"10^12 matrix and vector FLOPs of one execution of that program", JR_UNIT_NONE,
		t->cells[JR_PLAN_PROGRAMS_tflop].f64[0]);
	struct jr_scalar bytes = jr_scalar_f64("plan.bytes", "Memory traffic",
		"bytes that one execution of that program has to read from and write to device memory",
		JR_UNIT_BYTES, jr_table_number(t, JR_PLAN_PROGRAMS_bytes, 0));
	struct jr_scalar sent = jr_scalar_f64("plan.network_bytes", "Sent in collectives",
		"bytes that a device sends in collectives of one execution of that program", JR_UNIT_BYTES,
		jr_table_number(t, JR_PLAN_PROGRAMS_network_bytes, 0));
	struct jr_scalar *all[] = {&roof, &tflop, &bytes, &sent};
	for (size_t i = 0; i < JR_COUNT_OF(all); i++) {
		all[i]->tile = all[i]->value.f64 > 0;
		all[i]->hidden = !all[i]->tile;
		all[i]->note = all[i]->note ? all[i]->note : in;
		(void)jr_section_scalar(out, ctx->arena, all[i]);
	}
}

static void tell(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_roofline *r = ctx->roofline;
	jr_section_text(out, ctx->arena,
		"This is a plan: all numbers come from the compiled programs, and nothing was measured. "
		"Roofline times are lower bounds. The measured time of an execution is longer.");
	if (!r->peaks.known) {
		const char *name = r->device == JR_NONE ? "" : jr_str(p, p->devices[r->device].gpu_name);
		jr_section_text(out, ctx->arena,
			*name ? "Roofline times are not known, because the device table does not contain %s."
				  : "Roofline times are not known, because the dump does not say which device XLA "
					"compiled for%s. Name it with --device.",
			name);
	}
	if (r->all.n_unknown)
		jr_section_text(out, ctx->arena,
			"FLOPs or bytes of %zu instruction%s are not known. Sums are lower bounds.",
			(size_t)r->all.n_unknown, r->all.n_unknown == 1 ? "" : "s");
	if (r->peaks.known && r->all.n_no_link)
		jr_section_text(out, ctx->arena,
			"The time of %zu collective%s at link speed is not known, because the group is on "
			"several hosts, the links are not in the device table, or the amount sent depends on "
			"the data.",
			(size_t)r->all.n_no_link, r->all.n_no_link == 1 ? "" : "s");
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	struct jr_steady *st = expected(ctx->profile, ctx->arena);
	ctx->steady = st;
	ctx->roofline = jr_roofline_compute(ctx, ctx->arena);
	const struct sum *works = program_works(ctx);
	rank_programs(ctx->profile, st, ctx->roofline, works, ctx->scratch);
	struct jr_table *programs = programs_table(ctx, works);
	tell(ctx, out);
	add_tiles(ctx, out, programs);
	jr_section_table(out, ctx->arena, programs);
	add_kinds(ctx, out, st->ranking[0]);
	add_lines(ctx, out, st->ranking[0]);
	add_collectives(ctx, out);
	add_instructions(ctx, out);
	jr_section_table(out, ctx->arena, jr_roofline_device_table(ctx, ctx->roofline));
	jr_section_table(out, ctx->arena, jr_roofline_programs_table(ctx, ctx->roofline));
}

const struct jr_pass jr_pass_plan = {
	.name = "plan",
	.title = "Plan",
	.summary = "FLOPs, bytes and the roofline time of what XLA will run",
	.needs = JR_NEEDS_PLAN,
	.group = JR_GROUP_STEP,
	.run = run,
};

const char *jr_plan_lede(struct jr_pass_context *ctx, const struct jr_table *t)
{
	struct jr_arena *arena = ctx->arena;
	const struct jr_scalar *peak = jr_results_scalar(ctx->results, "totals.peak_memory_bytes");
	double network = jr_table_number(t, JR_PLAN_PROGRAMS_network_bytes, 0);
	double tflop = t->cells[JR_PLAN_PROGRAMS_tflop].f64[0];
	if (isnan(tflop))
		return NULL;
	const char *sent = network > 0 ? jr_arena_printf(arena, "; its collectives send %s per device",
										 jr_bytes_text(arena, network))
								   : "";
	return jr_arena_printf(arena, "One execution computes %s TFLOP and moves %s%s.%s",
		jr_digits_text(arena, tflop, 3),
		jr_bytes_text(arena, jr_table_number(t, JR_PLAN_PROGRAMS_bytes, 0)), sent,
		peak && peak->value.i64 > 0
			? jr_arena_printf(arena, " XLA allocates %s for %s.",
				  jr_bytes_text(arena, (double)peak->value.i64), peak->note + 3)
			: "");
}
