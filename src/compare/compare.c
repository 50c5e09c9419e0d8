#include "compare/core/compare_rows.h"

#include <inttypes.h>
#include <string.h>

#define JR_COMPARE_PASS(name) extern const struct jr_compare_pass jr_compare_##name;
#include "compare/compare_passes.def"
#undef JR_COMPARE_PASS

static const struct jr_compare_pass *const passes[] = {
#define JR_COMPARE_PASS(name) &jr_compare_##name,
#include "compare/compare_passes.def"
#undef JR_COMPARE_PASS
};

/* Set the new run's step to the match of the base's step. Without steps in the base it stays. */
static void take_step_of_base(struct jr_comparison *c, struct jr_run *fresh)
{
	size_t base = c->runs[JR_BASE]->steps.row;
	for (size_t i = 0; base != SIZE_MAX && i < c->match.n_programs; i++)
		if (c->match.programs[i].row[JR_BASE] == base &&
			c->match.programs[i].row[JR_NEW] != fresh->steps.row)
			jr_run_set_step(fresh, c->match.programs[i].row[JR_NEW], c->arena);
}

/* Use periods if both runs have them; else executions are the steps of both. */
static void choose_sample(struct jr_comparison *c, struct jr_run *fresh)
{
	struct jr_run *base = JR_ARENA_NEW(c->arena, struct jr_run);
	*base = *c->runs[JR_BASE];
	c->runs[JR_BASE] = base;
	if ((!base->steps.periods.n || !fresh->steps.periods.n) &&
		(base->steps.executions.n || fresh->steps.executions.n))
		base->steps.by_execution = fresh->steps.by_execution = true;
	c->kinds = jr_run_match_kinds((struct jr_run *const[]){base, fresh}, c->arena);
}

/* Compute changes once for the table and all gates: resampling some of them takes a while. */
static void compare_metrics(struct jr_comparison *c)
{
	size_t n = 0;
	while (jr_metrics[n].name)
		n++;
	struct jr_metric_change *changes = JR_ARENA_N(c->arena, struct jr_metric_change, n);
	for (size_t i = 0; i < n; i++)
		changes[i] = jr_metric_compare(
			&jr_metrics[i], c->runs[JR_BASE], c->runs[JR_NEW], &c->judgement.change);
	c->changes = changes;
}

static void check_gates(struct jr_comparison *c, const struct jr_gates *gates)
{
	struct jr_run plain = *c->runs[JR_NEW]; /* a limit on a value is about what its report has */
	plain.steps.typical.n = plain.steps.typical_executions.n = 0;
	c->n_gates = gates->list.n;
	c->gates = JR_ARENA_N(c->arena, struct jr_gate_result, c->n_gates + 1);
	for (size_t i = 0; i < c->n_gates; i++) {
		const struct jr_gate *gate = &gates->list.items[i];
		struct jr_metric_change of_program;
		const struct jr_metric_change *change = &of_program;
		if (gate->metric->program)
			of_program = jr_metric_compare(gate->metric, c->runs[JR_BASE], c->runs[JR_NEW], NULL);
		else
			change = &c->changes[gate->metric - jr_metrics];
		c->gates[i] = jr_gate_check(gate, &plain, change, &c->judgement);
	}
}

enum jr_gate_outcome jr_gates_outcome(const struct jr_gate_result *gates, size_t n)
{
	enum jr_gate_outcome worst = JR_GATE_PASS;
	for (size_t i = 0; i < n; i++)
		if (gates[i].outcome == JR_GATE_FAIL || worst == JR_GATE_PASS)
			worst = gates[i].outcome;
	return worst;
}

static bool any_module(const struct jr_comparison *c)
{
	return jr_run_rows(c->runs[JR_BASE], JR_RUN_MODULES) ||
		   jr_run_rows(c->runs[JR_NEW], JR_RUN_MODULES);
}

static void run_passes(const struct jr_comparison *c, struct jr_results *results)
{
	results->sections = JR_ARENA_N(c->arena, struct jr_section, JR_COUNT_OF(passes));
	for (size_t i = 0; i < JR_COUNT_OF(passes); i++) {
		struct jr_section *section = &results->sections[results->n_sections];
		section->pass = &passes[i]->about;
		if (passes[i]->rows)
			(void)jr_compare_put(c, passes[i]->rows, NULL, section);
		else
			passes[i]->run(c, section);
		/* if neither run has a module, the same reason would repeat in many sections */
		section->aside = section->unavailable && !any_module(c);
		/* a section that was not requested or does not apply is left out */
		results->n_sections += section->n || section->unavailable;
	}
}

void jr_compare_judge(const struct jr_run *base, struct jr_run *fresh, double tolerance,
	struct jr_draws *kept, struct jr_arena *arena, struct jr_comparison *out)
{
	*out = (struct jr_comparison){.runs = {base, fresh}, .tolerance = tolerance, .arena = arena};
	out->match = jr_match_runs(out->runs, arena);
	take_step_of_base(out, fresh);
	choose_sample(out, fresh);
	out->explanation = jr_explain(out->runs, &out->match, arena);
	out->planned = jr_planned_of(out->runs, arena);
	out->judgement = jr_judge(out->runs, &out->explanation, &out->planned, tolerance, kept, arena);
}

/* Whether a character separates words of a name. */
static bool separates(char c)
{
	return c == '_' || c == '-' || c == '.' || c == ' ' || c == '/';
}

/* "pax_4proc: proc0 → proc1" for pax_4proc_proc0.zip and pax_4proc_proc1.zip: common beginnings and
 * ends of both names are shown once. */
static const char *title_of(const char *base, const char *fresh, struct jr_arena *arena)
{
	size_t n[2] = {strlen(base), strlen(fresh)}, same = 0, begin = 0, end = 0;
	if (strcmp(base, fresh) == 0)
		return jr_arena_printf(arena, "%s: base → new", base);
	for (; base[same] && base[same] == fresh[same]; same++)
		begin = separates(base[same]) ? same + 1 : begin;
	size_t most = (n[0] < n[1] ? n[0] : n[1]) - begin;
	for (size_t i = 1; i < most && base[n[0] - i] == fresh[n[1] - i]; i++)
		end = base[n[0] - i] == '.' ? i : end;
	size_t common = begin;
	while (common && separates(base[common - 1]))
		common--;
	if (!common || !most)
		return jr_arena_printf(arena, "%s → %s", base, fresh);
	return jr_arena_printf(arena, "%.*s: %.*s → %.*s", (int)common, base, (int)(n[0] - end - begin),
		base + begin, (int)(n[1] - end - begin), fresh + begin);
}

/* Sample sizes. */
static const char *sizes_of(const struct jr_comparison *c)
{
	const int64_t *n = c->judgement.n_steps;
	const char *what = jr_run_step_word(c->runs[JR_NEW]);
	if (c->judgement.plan)
		return "plans: compiled programs, nothing was measured";
	if (c->judgement.live)
		return "device memory profiles: what is in device memory, no step was measured";
	return n[JR_BASE] || n[JR_NEW]
			   ? jr_arena_printf(c->arena,
					 "%" PRId64 " steady %s%s in the base, %" PRId64 " in the new run", n[JR_BASE],
					 what, n[JR_BASE] == 1 ? "" : "s", n[JR_NEW])
			   : "no steady step in either";
}

struct range {
	int64_t first, last; /* numbers of devices; no devices: first > last */
};

static struct range devices_of(const struct jr_run *run)
{
	struct range range = {INT64_MAX, INT64_MIN};
	for (size_t i = 0; i < jr_run_rows(run, JR_RUN_DEVICES); i++) {
		int64_t number = jr_run_i64(run, JR_RUN_DEVICES, JR_DEVICE_NUMBER, i);
		if (number == JR_NULL_I64)
			continue;
		range.first = number < range.first ? number : range.first;
		range.last = number > range.last ? number : range.last;
	}
	return range;
}

static const char *devices_text(struct range range, struct jr_arena *arena)
{
	return range.first == range.last
			   ? jr_arena_printf(arena, "device %" PRId64, range.first)
			   : jr_arena_printf(arena, "devices %" PRId64 " to %" PRId64, range.first, range.last);
}

/* Parts of profiles are named, because they are not the whole runs. So are devices of other
 * numbers, because processes of one job have these. */
static const char *subtitle_of(const struct jr_comparison *c)
{
	const char *text = sizes_of(c);
	static const char *const sides[] = {[JR_BASE] = "the base", [JR_NEW] = "the new run"};
	struct range base = devices_of(c->runs[JR_BASE]), fresh = devices_of(c->runs[JR_NEW]);
	bool known = base.first <= base.last && fresh.first <= fresh.last;
	if (known && (base.last < fresh.first || fresh.last < base.first))
		text = jr_arena_printf(c->arena,
			"%s. The base has %s, the new run %s: they may be processes of one job", text,
			devices_text(base, c->arena), devices_text(fresh, c->arena));
	for (int side = 0; side < 2; side++)
		if (c->runs[side]->selection)
			text = jr_arena_printf(
				c->arena, "%s. Selected in %s: %s", text, sides[side], c->runs[side]->selection);
	return text;
}

void jr_compare_runs(const struct jr_run *base, struct jr_run *fresh, double tolerance,
	const struct jr_gates *gates, struct jr_arena *arena, struct jr_comparison *out,
	struct jr_results *results)
{
	*results = (struct jr_results){.arena = arena, .schema = JR_COMPARE_SCHEMA};
	jr_compare_judge(base, fresh, tolerance, NULL, arena, out);
	compare_metrics(out);
	check_gates(out, gates);
	results->title = title_of(base->name, fresh->name, arena);
	results->subtitle = subtitle_of(out);
	results->headline = jr_compare_headline(out);
	run_passes(out, results);
	if (JR_CHECKED)
		jr_results_assert(results);
}

void jr_results_lead(
	struct jr_results *results, const struct jr_section *section, struct jr_arena *arena)
{
	struct jr_section *grown = JR_ARENA_N(arena, struct jr_section, results->n_sections + 1);
	grown[0] = *section;
	jr_copy(grown + 1, results->sections, results->n_sections * sizeof(*grown));
	results->sections = grown;
	results->n_sections++;
}
