/* The beginning of the report: a headline, and one or two sentences below it. */
#include <math.h>
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/core/device_name.h"
#include "analysis/gpu/gaps.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/shared/integrity.h"
#include "analysis/core/say.h"
#include "analysis/core/terms.h"
#include "analysis/step/step_ledger.h"
#include "analysis/step/step_tables.h"
#include "analysis/core/vendor.h"
#include "analysis/gpu/gpu_tables.h"
#include "analysis/shared/shared_tables.h"
#include "analysis/findings/rule_ids.h"
#include "analysis/memory/memory_parts.h"
#include "analysis/roofline/plan_tables.h"
#include "analysis/roofline/roofline.h"
#include "base/text.h"

/* --- sentences ---------------------------------------------------------------------------- */

/* Return the subject of a finding with a small first letter, for use inside a sentence. */
static const char *inside(struct jr_arena *arena, const char *subject)
{
	char *text = jr_arena_strdup(arena, subject);
	/* Words in capitals stay: "GPU", not "gPU". */
	if (text[0] >= 'A' && text[0] <= 'Z' && ((text[1] >= 'a' && text[1] <= 'z') || text[1] == ' '))
		text[0] = (char)(text[0] - 'A' + 'a');
	return text;
}

/* Return "Biggest opportunity: “fusion.3” (model.py:84), up to 66.1 ms (52 %)". All of it comes
 * from the first finding, so it cannot contradict the finding. */
static const char *opportunity(struct jr_arena *arena, const struct jr_finding *f, double of_ns)
{
	const char *subject = inside(arena, f->subject ? f->subject : f->title);
	const char *what = f->of_constant_input ? "Biggest opportunity, with this constant input:"
										   : "Biggest opportunity:";
	if (f->recoverable_ns == JR_NULL_I64)
		return jr_arena_printf(arena, "First finding: %s", inside(arena, f->title));
	double all_ns = (double)f->recoverable_ns / (double)(f->n_gpus ? f->n_gpus : 1);
	if (f->times)
		return jr_arena_printf(arena, "%s %s, up to %s %s", what, subject,
			jr_say_brief(arena, all_ns), f->n_gpus > 1 ? "per device" : "in all");
	double ns = f->step_recoverable_ns == JR_NULL_I64 ? all_ns : (double)f->step_recoverable_ns;
	if (f->predicted && jr_finding_has_range(f)) {
		char range[JR_NUM_MAX];
		jr_num_time_range(range, (double)f->step_least_ns, ns, jr_num_time_brief);
		return jr_arena_printf(arena, "%s %s, %s (up to %s)", what, subject, range,
			jr_say_percent(arena, jr_ratio(ns, of_ns)));
	}
	if (f->since_ns && f->since_ns != f->step_recoverable_ns)
		return jr_arena_printf(arena,
			"%s %s, up to %s per step since then (%s on average, %s)", what, subject,
			jr_say_brief(arena, (double)f->since_ns), jr_say_brief(arena, ns),
			jr_say_percent(arena, jr_ratio(ns, of_ns)));
	return jr_arena_printf(arena, "%s %s, up to %s%s (%s)", what, subject,
		jr_say_brief(arena, ns), f->n_gpus > 1 ? " per " JR_GPU : "",
		jr_say_percent(arena, jr_ratio(ns, of_ns)));
}

#define NAME_BYTES 60

static const char *program_name(struct jr_pass_context *ctx, uint32_t program)
{
	const char *name = jr_str(ctx->profile, ctx->profile->programs[program].name);
	size_t n = strlen(name);
	return n <= NAME_BYTES ? name
						   : jr_arena_printf(ctx->arena, "%.*s…",
								 (int)jr_text_prefix(name, n, NAME_BYTES), name);
}

#define CYCLE_NAMES 3 /* maximum number of names in a sentence */
#define EACH_STEP 0.5 /* executions per step from which a program is part of the cycle */

/* Return "A step is a range “train” of the program, in which jit_grad runs 8 times and jit_apply
 * once. ": means over steps of the main devices. */
static const char *numbered_step(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_steady *st = ctx->steady;
	size_t *runs = JR_ARENA_N(ctx->scratch, size_t, p->n_programs + 1), n_begins = 0, n = 0;
	const char *last = NULL; /* held back until the next one is known */
	for (size_t i = 0; i < p->modules.n; i++) {
		if (!p->modules.steady[i] || !ctx->windows->devices[p->modules.device[i]].main)
			continue;
		runs[p->modules.program[i]]++;
		n_begins += ctx->windows->begins[i] != JR_NONE;
	}
	const char *text = jr_arena_printf(ctx->arena, "A step is a range %s of the program",
		jr_quoted(jr_str(p, p->leading_steps.name), ctx->arena));
	for (size_t i = 0; i < st->n_ranking && n < CYCLE_NAMES; i++) {
		double each = jr_ratio((double)runs[st->ranking[i]], (double)n_begins);
		if (each < EACH_STEP)
			continue;
		char count[JR_NUM_MAX];
		if (each == rint(each))
			jr_num_grouped_i64(count, llround(each));
		else
			jr_num_significant(count, each, 3);
		if (last)
			text = jr_arena_printf(ctx->arena, "%s%s%s", text, n > 1 ? ", " : ", in which ", last);
		last = jr_arena_printf(ctx->arena, "%s %s%s", program_name(ctx, st->ranking[i]),
			n ? "" : "runs ",
			each == 1 ? "once" : jr_arena_printf(ctx->arena, "%s times", count));
		n++;
	}
	return jr_arena_printf(ctx->arena, "%s%s%s. ", text,
		n > 1	? " and "
		: n == 1 ? ", in which "
				 : "",
		last ? last : "");
}

/* Return "A step is a cycle of jit_generator and jit_critic. "; "" if a step is a single
 * program. */
static const char *cycle(struct jr_pass_context *ctx)
{
	const struct jr_program *programs = ctx->profile->programs;
	if (ctx->windows->numbered)
		return numbered_step(ctx);
	uint32_t *of_step = JR_ARENA_N(ctx->scratch, uint32_t, ctx->steady->n_top + 1);
	size_t n_all = jr_step_programs(ctx, of_step), n = 1, n_same = 1;
	for (size_t i = 1; i < n_all; i++)
		n_same += programs[of_step[i]].name == programs[of_step[0]].name;
	const char *text = program_name(ctx, of_step[0]);
	if (n_same > 1)
		text = jr_arena_printf(ctx->arena, "%zu programs %s", n_same, text);
	for (size_t i = 1; i < n_all; i++)
		if (programs[of_step[i]].name != programs[of_step[0]].name && ++n <= CYCLE_NAMES)
			text = jr_arena_printf(
				ctx->arena, "%s and %s", text, program_name(ctx, of_step[i]));
	if (n > CYCLE_NAMES)
		text = jr_arena_printf(ctx->arena, "%s and %zu more", text, n - CYCLE_NAMES);
	return n_all > 1 ? jr_arena_printf(ctx->arena, "A step is a cycle of %s. ", text) : "";
}

/* Return the step time, as the beginning of a headline. */
static const char *pace(struct jr_pass_context *ctx, const struct jr_table *step)
{
	const struct jr_step_windows *w = ctx->windows;
	if (w->n_devices == 0)
		return jr_arena_printf(ctx->arena, "%s for the one steady step that was " JR_PROFILED,
			jr_say_time(ctx->arena, jr_step_parts_ns(step)));
	return jr_arena_printf(ctx->arena, "%s per step%s",
		jr_say_time(ctx->arena, jr_step_period_ns(w)),
		jr_step_periods_uneven(w) ? " (median)" : "");
}

/* Return a sentence if all executions may be warm-up; "" otherwise. */
static const char *reservation(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_program *program = &p->programs[ctx->steady->ranking[0]];
	if (!program->fell_back)
		return "";
	size_t n = ctx->steps->programs[ctx->steady->ranking[0]].n;
	return jr_arena_printf(ctx->arena,
		n == 1 ? "The only execution of %s may be warm-up, but it is counted here. "
			   : "Every execution of %s may be warm-up, but all %zu of them are counted here. ",
		jr_str(p, program->name), n);
}

#define EXHAUSTED 0.9 /* compute share from which a schedule can save little */

/* If nearly all of a step is compute, a better schedule can save little, unless the first finding
 * has a different cause, or is about kernels that are fast enough in other steps. */
static bool schedule_is_exhausted(double compute, const struct jr_finding *first)
{
	return compute >= EXHAUSTED &&
		   (!first || (first->cause == JR_CAUSE_COMPUTE &&
						  strcmp(first->id, jr_rule_id(JR_RULE_uneven_steps)) != 0));
}

/* Return what can still improve a step that is all compute. Kernels shorter than a launch cannot
 * become faster; there can only be fewer of them. */
static const char *left_to_win(struct jr_pass_context *ctx)
{
	const struct jr_steady *st = ctx->steady;
	int64_t count = 0;
	for (size_t i = 0; i < ctx->profile->n_ops; i++)
		if (st->programs[ctx->profile->ops[i].program].top)
			count += st->ops[i].count;
	double mean_ns = jr_ratio((double)st->thunks_active_ns, (double)count);
	return mean_ns < JR_LAUNCH_NS
		? jr_arena_printf(ctx->arena,
			  "kernels are short (%s on average), so each of them needs more work",
			  jr_say_brief(ctx->arena, mean_ns))
		: "faster kernels are needed";
}

static double number_of(const struct jr_results *r, const char *key)
{
	const struct jr_scalar *s = jr_results_scalar(r, key);
	return s && s->type == JR_F64 ? s->value.f64 : NAN;
}

/* Return ", at 16.8 % of peak matrix throughput; at the roofline, these kernels would take
 * 35.0 ms": this rates the kernels. The tile of HFU rates the step. */
static const char *efficiency(struct jr_pass_context *ctx)
{
	double computing = number_of(ctx->results, "roofline.step.hfu_computing");
	bool all = number_of(ctx->results, "roofline.not_counted.active_percent") == 0;
	if (!(computing > 0))
		return "";
	/* A roofline time with a note covers only some of the thunks, so it is not the step's. */
	const struct jr_scalar *roof = jr_results_scalar(ctx->results, "roofline.step.roof_ms");
	bool roofed = roof && !roof->hidden && !roof->note && roof->value.f64 > 0;
	return jr_arena_printf(ctx->arena,
		", at %s%s of peak matrix throughput%s%s", jr_say_percent(ctx->arena, computing),
		all ? "" : " or more", roofed ? "; at the roofline, these kernels would take " : "",
		roofed ? jr_say_brief(ctx->arena, roof->value.f64) : "");
}

/* Whether rules about idle time abstained, because rows of the profile are lost. */
static bool lost_rows(const struct jr_pass_context *ctx)
{
	for (size_t i = 0; i < ctx->results->n_findings; i++)
		if (strcmp(ctx->results->findings[i].id, jr_rule_id(JR_RULE_lost_rows)) == 0)
			return true;
	return false;
}

static const char *headline(
	struct jr_pass_context *ctx, const struct jr_table *step, const struct jr_finding *first)
{
	if (!first)
		return jr_arena_printf(ctx->arena, "%s. %s", pace(ctx, step),
			lost_rows(ctx) ? "Rows are missing, so idle time was not judged; no other rule found "
							 "anything that would make it faster"
						   : "No rule found anything that would make it faster");
	double of_ns = jr_step_parts_ns(step);
	return jr_arena_printf(
		ctx->arena, "%s. %s", pace(ctx, step), opportunity(ctx->arena, first, of_ns));
}

/* Return the next finding with a saving per step: a warning about devices that others wait for, or
 * any that is not of constant input. NULL: none. */
static const struct jr_finding *next_of(
	struct jr_pass_context *ctx, const struct jr_finding *first, bool waiting)
{
	const struct jr_finding *next = NULL;
	for (size_t i = 0; i < ctx->results->n_findings; i++) {
		const struct jr_finding *f = &ctx->results->findings[i];
		bool fits = waiting ? f->cause == JR_CAUSE_WAITING && f->severity == JR_WARNING
							: !f->of_constant_input;
		if (fits && f != first && jr_finding_leads(f) && f->subject &&
			f->step_recoverable_ns != JR_NULL_I64 && (!next || jr_finding_before(f, next)))
			next = f;
	}
	return next;
}

/* Return "; the next opportunity is unfused attention, up to 9.74 ms", for a first finding that may
 * not exist with real data; "" if there is no other one. */
static const char *next_text(struct jr_pass_context *ctx, const struct jr_finding *first)
{
	const struct jr_finding *next = next_of(ctx, first, false);
	return next ? jr_arena_printf(ctx->arena, "; the next opportunity is %s, up to %s",
					  inside(ctx->arena, next->subject),
					  jr_say_brief(ctx->arena, (double)next->step_recoverable_ns))
				: "";
}

/* Return sentences: where the time goes, the step time after the fix, and which device is slow, a
 * fault of its own that another opportunity must not hide. */
static const char *lede(
	struct jr_pass_context *ctx, const struct jr_table *step, const struct jr_finding *first)
{
	struct jr_arena *arena = ctx->arena;
	double compute = jr_ratio(jr_step_part_ns(step, JR_STEP_COMPUTE), jr_step_parts_ns(step));
	const char *rest = "";
	if (first && first->of_constant_input)
		rest = jr_arena_printf(arena,
			" All indices of the top kernel are equal, so profile with real data first%s.",
			next_text(ctx, first));
	else if (schedule_is_exhausted(compute, first))
		rest = jr_arena_printf(
			arena, " A better schedule can save little; %s.", left_to_win(ctx));
	else if (first && first->step_without_ns > 0)
		rest = jr_arena_printf(arena,
			" Fixing the biggest opportunity would cut the step to %s%s%s.",
			first->predicted && first->step_least_ns < first->step_recoverable_ns ? "at least "
																				  : "",
			jr_say_brief(arena, (double)first->step_without_ns),
			first->predicted ? "" : " if nothing else delays it");
	const struct jr_finding *late = first ? next_of(ctx, first, true) : NULL;
	if (late)
		rest = jr_arena_printf(arena, "%s Also, %s.", rest, inside(arena, late->title));
	bool unassigned = ctx->integrity->count[JR_FAULT_UNASSIGNED];
	if (unassigned && !(compute > 0))
		return jr_arena_printf(arena, "%s%sHow much of the step is compute is unknown.%s",
			reservation(ctx), cycle(ctx), rest);
	return jr_arena_printf(arena, "%s%sCompute takes %s%s of the step%s.%s", reservation(ctx),
		cycle(ctx), jr_say_percent(arena, compute), unassigned ? " or more" : "", efficiency(ctx),
		rest);
}

static double sum_of(const struct jr_table *table, const char *column)
{
	double sum = 0;
	for (size_t row = 0; row < table->n_rows; row++)
		sum += (double)table->cells[jr_table_column(table, column)].i64[row];
	return sum;
}

/* Return ": 2.31 % compute, 97.0 % exposed copies": what devices do, from 1 % of their walls on. */
static const char *deeds(struct jr_pass_context *ctx, const struct jr_table *ledger)
{
	const struct {
		const char *column, *deed;
	} shares[] = {{JR_KEY(JR_GPU_LEDGER, compute_ms), jr_gpu_compute_words(ctx->profile)},
		{JR_KEY(JR_GPU_LEDGER, exposed_communication_ms), "exposed communication"},
		{JR_KEY(JR_GPU_LEDGER, exposed_copy_ms), "exposed copies"}};
	const char *text = "";
	for (size_t i = 0; i < JR_COUNT_OF(shares); i++) {
		double share = jr_ratio(
			sum_of(ledger, shares[i].column), sum_of(ledger, JR_KEY(JR_GPU_LEDGER, wall_ms)));
		text = i && share < 0.01 ? text
								 : jr_arena_printf(ctx->arena, "%s%s %s %s", text, i ? "," : ":",
									   jr_say_percent(ctx->arena, share), shares[i].deed);
	}
	return text;
}

#define SAME_BUSY 0.01 /* largest difference of shares that are said of all devices */

/* Return "The GPU was busy 34.0 % of 1.097 s". "Both" and "all" are said of devices that are alike;
 * for others, the mean comes with its range: "The 3 GPUs were busy 4.82 % of 207.7 ms on average
 * (0.251 % to 12.6 % of 13.45 ms to 490.5 ms)". */
static const char *busy_text(
	struct jr_pass_context *ctx, const struct jr_table *ledger, double busy, double wall_ns)
{
	struct jr_arena *arena = ctx->arena;
	size_t n = ledger->n_rows;
	const char *mean = jr_arena_printf(arena, "busy %s of %s", jr_say_percent(arena, busy),
		jr_say_time(arena, wall_ns));
	if (n == 1)
		return jr_arena_printf(arena, "The " JR_GPU " was %s", mean);
	double least = INFINITY, most = 0;
	int64_t shortest_ns = INT64_MAX, longest_ns = 0;
	for (size_t row = 0; row < n; row++) {
		int64_t ns = ledger->cells[JR_GPU_LEDGER_wall_ms].i64[row];
		double own = jr_ratio(
			(double)(ns - ledger->cells[JR_GPU_LEDGER_idle_ms].i64[row]), (double)ns);
		least = fmin(least, own), most = fmax(most, own);
		shortest_ns = ns < shortest_ns ? ns : shortest_ns;
		longest_ns = ns > longest_ns ? ns : longest_ns;
	}
	bool equal = jr_say_equal_walls(ledger);
	if (equal && most - least < SAME_BUSY)
		return n == 2 ? jr_arena_printf(arena, "Both " JR_GPU "s were %s", mean)
					  : jr_arena_printf(arena, "All %zu " JR_GPU "s were %s", n, mean);
	const char *of = equal ? ""
						   : jr_arena_printf(arena, " of %s to %s",
								 jr_say_time(arena, (double)shortest_ns),
								 jr_say_time(arena, (double)longest_ns));
	return jr_arena_printf(arena, "The %zu " JR_GPU "s were %s on average (%s to %s%s)", n, mean,
		jr_say_percent(arena, least), jr_say_percent(arena, most), of);
}

/* Return the finding of a rule, NULL: it found nothing. */
static const struct jr_finding *finding_of(
	const struct jr_pass_context *ctx, enum jr_rule_name rule)
{
	for (size_t i = 0; i < ctx->results->n_findings; i++)
		if (strcmp(ctx->results->findings[i].id, jr_rule_id(rule)) == 0)
			return &ctx->results->findings[i];
	return NULL;
}

/* Set the answer for programs without XLA. Return false if no GPU data exists. */
static bool of_gpus(struct jr_pass_context *ctx, struct jr_answer *out)
{
	const struct jr_scalar *busy = jr_results_scalar(ctx->results, "gpu.busy_fraction");
	const struct jr_scalar *wall = jr_results_scalar(ctx->results, "gpu.wall_ms");
	const struct jr_table *kernels = jr_results_table(ctx->results, "kernels");
	const struct jr_table *ledger = jr_results_table(ctx->results, "gpu_ledger");
	if (!busy || !wall || !ledger)
		return false;
	out->lede = NULL;
	const struct jr_scalar *kernel_time = jr_results_scalar(ctx->results, "gpu.kernel_ms");
	if (kernel_time && kernel_time->value.i64 == 0) {
		out->headline = jr_arena_printf(ctx->arena,
			"No kernel was " JR_PROFILED ", only copies and memsets, %s"
			JR_OF_ALL(": the capture may have missed the work"),
			jr_say_time(ctx->arena, sum_of(ledger, JR_KEY(JR_GPU_LEDGER, wall_ms)) -
										sum_of(ledger, JR_KEY(JR_GPU_LEDGER, idle_ms))));
		return true;
	}
	const struct jr_finding *few = finding_of(ctx, JR_RULE_few_operations);
	if (few) {
		out->headline = few->title;
		return true;
	}
	double wall_ns = (double)wall->value.i64 / (double)ledger->n_rows;
	out->headline = jr_arena_printf(ctx->arena, "%s%s%s",
		ctx->windows->n_devices ? jr_arena_printf(ctx->arena, "%s. ", pace(ctx, NULL)) : "",
		busy_text(ctx, ledger, busy->value.f64, wall_ns), deeds(ctx, ledger));
	const struct jr_finding *first = jr_first_finding(ctx->results);
	if (first)
		out->headline = jr_arena_printf(ctx->arena, "%s. %s", out->headline,
			opportunity(ctx->arena, first, wall_ns));
	const char *steps = ctx->windows->n_devices ? numbered_step(ctx) : "";
	if (!kernels || kernels->n_rows == 0) {
		out->lede = *steps ? steps : NULL;
		return true;
	}
	double kernel_ns = (double)kernels->cells[JR_KERNELS_sum_ms].i64[0];
	/* Many kernels can share a short name. */
	const char *applies = kernels->cells[JR_KERNELS_applies].text[0];
	out->lede = jr_arena_printf(ctx->arena, "%s%s%sThe kernel with the most time is %s%s%s%s: "
		"%s%s.",
		steps, !first ? "" : first->measured ? first->measured : first->title,
		first ? ". " : "",
		kernels->cells[JR_KERNELS_short_name].text[0], applies ? "<" : "", applies ? applies : "",
		applies ? ">" : "", jr_say_brief(ctx->arena, kernel_ns / (double)ledger->n_rows),
		ledger->n_rows == 1 ? "" : " per " JR_GPU);
	return true;
}

/* Return "jit_decode ran 120 times in 4 variants: median 60 µs, 90 % within 120 µs, …": times per
 * execution, for programs without recurring steps. A percentile that reads like the longest is
 * left out. */
static const char *of_variants(struct jr_pass_context *ctx)
{
	const struct jr_table *t = jr_results_table(ctx->results, "variants");
	if (!ctx->windows->irregular || !t || t->n_rows < 2)
		return NULL;
	static const char *const keys[] = {JR_KEY(JR_VARIANTS, median_ms), JR_KEY(JR_VARIANTS, p90_ms),
		JR_KEY(JR_VARIANTS, p99_ms), JR_KEY(JR_VARIANTS, max_ms)};
	const char *times[JR_COUNT_OF(keys)];
	for (size_t i = 0; i < JR_COUNT_OF(keys); i++)
		times[i] = jr_say_brief(
			ctx->arena, (double)t->cells[jr_table_column(t, keys[i])].i64[0]);
	const char *gpus = ctx->steady->n_devices_ran == 1
						   ? ""
						   : jr_arena_printf(ctx->arena, " on %zu " JR_GPU "s together",
								 ctx->steady->n_devices_ran);
	const char *ran = jr_arena_printf(ctx->arena, "%s ran %s times%s in %zu variants",
		program_name(ctx, ctx->steady->ranking[0]),
		jr_count_text(ctx->arena, t->cells[JR_VARIANTS_executions].i64[0]), gpus, t->n_rows - 1);
	if (strcmp(times[0], times[3]) == 0)
		return jr_arena_printf(ctx->arena, "%s, %s each", ran, times[0]);
	static const char *const titles[] = {": median ", ", 90 % within ", ", 99 % within "};
	const char *text = ran;
	for (size_t i = 0; i < JR_COUNT_OF(titles); i++)
		if (strcmp(times[i], times[3]) != 0 && (i == 0 || strcmp(times[i], times[i - 1]) != 0))
			text = jr_arena_printf(ctx->arena, "%s%s%s", text, titles[i], times[i]);
	return jr_arena_printf(ctx->arena, "%s, longest %s", text, times[3]);
}

#define LEAST_TAIL 2.0       /* 99th percentile as a multiple of the median */
#define LEAST_EXECUTIONS 100 /* for which a 99th percentile is not the longest execution */

/* Return a sentence about the program whose slowest executions are furthest from its median; "":
 * none is far. Variants of a function are compared, because they differ in their work. */
static const char *of_tail(struct jr_pass_context *ctx)
{
	const struct jr_table *t = jr_results_table(ctx->results, "latency");
	double most = LEAST_TAIL;
	const char *text = "";
	for (size_t row = 0; t && row < t->n_rows; row++) {
		double p50 = jr_table_number(t, JR_LATENCY_p50_ms, row);
		double p99 = jr_table_number(t, JR_LATENCY_p99_ms, row), ratio = jr_ratio(p99, p50);
		const char *id = jr_table_text(t, JR_KEY(JR_LATENCY, program_id), row);
		if (!*id || ratio <= most || t->cells[JR_LATENCY_count].i64[row] < LEAST_EXECUTIONS)
			continue;
		most = ratio;
		text = jr_arena_printf(ctx->arena,
			"The slowest 1 %% of executions of %s (program %s) take at least %s; its median is "
			"%s. ",
			jr_table_text(t, JR_KEY(JR_LATENCY, name), row), id, jr_say_brief(ctx->arena, p99),
			jr_say_brief(ctx->arena, p50));
	}
	return text;
}

/* Use the same text as the headline, unless there is a finding, which comes first. */
static void lead_with_variants(struct jr_pass_context *ctx, struct jr_answer *out)
{
	const char *text = of_variants(ctx);
	if (!text)
		return;
	const struct jr_finding *first = jr_first_finding(ctx->results);
	const struct jr_scalar *busy = jr_results_scalar(ctx->results, "gpu.busy_fraction");
	const char *rest =
		busy && !isnan(busy->value.f64)
			? jr_arena_printf(ctx->arena, "%s busy %s of the " JR_PROFILE_WORD ". ",
				  ctx->steady->n_devices_ran == 1 ? "The " JR_GPU " was" : "The " JR_GPU "s were",
				  jr_say_percent(ctx->arena, busy->value.f64))
			: "";
	out->headline = first ? first->title : text;
	out->lede = jr_arena_printf(ctx->arena,
		"%s%s%s%sThe variants run in no fixed order, so times are per execution, not per step.",
		first ? text : "", first ? ". " : "", of_tail(ctx), rest);
}

/* For dumps of programs: what the first one needs at least. */
static struct jr_answer of_plan(struct jr_pass_context *ctx, const struct jr_table *t)
{
	const struct jr_roofline *r = ctx->roofline;
	double roof_ns = t->cells[JR_PLAN_PROGRAMS_roof_ms].f64[0];
	const char *name = program_name(ctx, ctx->steady->ranking[0]);
	struct jr_answer out = {.lede = jr_plan_lede(ctx, t)};
	if (isnan(roof_ns))
		out.headline = jr_arena_printf(ctx->arena,
			"The roofline time of %s is not known (nothing was measured)", name);
	else
		out.headline = jr_arena_printf(ctx->arena,
			"At the roofline one execution of %s takes at least %s on %s (lower bound from the "
			"program, nothing was measured)",
			name, jr_say_brief(ctx->arena, roof_ns),
			jr_str(ctx->profile, ctx->profile->devices[r->device].gpu_name));
	return out;
}

static struct jr_answer without_steps(struct jr_pass_context *ctx)
{
	struct jr_answer out = {0};
	const struct jr_finding *none = finding_of(ctx, JR_RULE_no_kernels);
	if (none)
		return (struct jr_answer){
			jr_arena_printf(ctx->arena, "%s: what the " JR_GPU " did is unknown", none->title),
			NULL};
	if (of_gpus(ctx, &out))
		return out;
	if (ctx->profile->api_calls.n && ctx->profile->gpu_ops.n == 0) {
		out.headline = jr_arena_printf(ctx->arena,
			"%s call%s of " JR_CUDA " and no " JR_GPU " operation %s recorded: what the " JR_GPU
			" did is unknown",
			jr_count_text(ctx->arena, (int64_t)ctx->profile->api_calls.n),
			ctx->profile->api_calls.n == 1 ? "" : "s",
			ctx->profile->api_calls.n == 1 ? "was" : "were");
		return out;
	}
	const struct jr_scalar *total = jr_results_scalar(ctx->results, "compilation.process_ms");
	const struct jr_profile *p = ctx->profile;
	out.headline = p->on_cpu && p->n_devices == 0 && p->n_gpus_seen == 0
					   ? "XLA used the CPU: only host ranges were " JR_PROFILED
				   : jr_host_executions(ctx->profile)
					   ? "No " JR_GPU_WORK " of a module was " JR_PROFILED
				   : total                          ? "No module execution was " JR_PROFILED
						   : "No module execution and no compilation was " JR_PROFILED;
	if (total)
		out.headline = jr_arena_printf(ctx->arena, "%s; compilation took %s", out.headline,
			jr_say_time(ctx->arena, total->value.f64));
	return out;
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_table *step = jr_step_shown(ctx->results);
	struct jr_answer answer;
	const struct jr_table *plan = jr_results_table(ctx->results, "plan_programs");
	if (plan) {
		answer = of_plan(ctx, plan);
	} else if (step) {
		const struct jr_finding *first = jr_first_finding(ctx->results);
		answer = (struct jr_answer){headline(ctx, step, first), lede(ctx, step, first)};
	} else if (!jr_live_answer(ctx, &answer)) {
		answer = without_steps(ctx);
		lead_with_variants(ctx, &answer);
	}
	const char *mark = jr_integrity_mark(ctx->integrity, ctx->profile, ctx->arena);
	double hfu = number_of(ctx->results, "roofline.step.hfu");
	if (!mark && jr_say_above_all(hfu))
		mark = "matrix throughput is above the peak";
	if (mark)
		answer.headline = jr_arena_printf(ctx->arena, "%s (in doubt: %s)", answer.headline, mark);
	struct jr_words words = jr_words_of(ctx->profile);
	answer.headline = jr_vendor_words(words, answer.headline, ctx->arena);
	answer.lede = jr_vendor_words(words, answer.lede, ctx->arena);
	struct jr_scalar scalar = {.key = "verdict",
		.title = "Verdict",
		.help = "the report in two sentences",
		.type = JR_TEXT,
		.value.text = jr_answer_text(ctx->arena, &answer),
		.plus_minus = NAN,
		.n = JR_NULL_I64,
		.hidden = true};
	(void)jr_section_scalar(out, ctx->arena, &scalar);
	jr_section_answer(out, ctx->arena, &answer);
}

const struct jr_pass jr_pass_verdict = {
	.name = "verdict",
	.title = "Verdict",
	.summary = "The report in two sentences",
	.needs = JR_NEEDS_NOTHING,
	.any_program = true,
	.leads = true,
	.run = run,
};
