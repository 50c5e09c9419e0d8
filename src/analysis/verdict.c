/* What leads the report: a headline, and a sentence below it. */
#include <string.h>

#include "analysis/columns.h"
#include "analysis/step_ledger.h"
#include "analysis/vendor.h"
#include "base/text.h"

/* --- sentences ---------------------------------------------------------------------------- */

static const char *time_text(struct jr_arena *arena, double ns)
{
	char text[JR_NUM_MAX];
	jr_num_time(text, ns);
	return jr_arena_strdup(arena, text);
}

static const char *percent_text(struct jr_arena *arena, double frac)
{
	char text[JR_NUM_MAX];
	jr_num_significant(text, frac * 100, 3);
	return jr_arena_printf(arena, "%s %%", text);
}

/* The first of those that time can be won by: of a step, or of all that was profiled. */
static const struct jr_finding *best_finding(const struct jr_results *r, bool of_step)
{
	const struct jr_finding *best = NULL;
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct jr_finding *f = &r->findings[i];
		int64_t ns = of_step ? f->step_recoverable_ns : f->recoverable_ns;
		if (ns != JR_NULL_I64 && !f->part_of && (!best || jr_finding_before(f, best)))
			best = f;
	}
	return best;
}

/* The title, its first letter small, to stand inside of a sentence. */
static const char *inside(struct jr_arena *arena, const char *title)
{
	char *text = jr_arena_strdup(arena, title);
	/* Words in capitals stay: "GPU" is no "gPU". */
	if (text[0] >= 'A' && text[0] <= 'Z' && ((text[1] >= 'a' && text[1] <= 'z') || text[1] == ' '))
		text[0] = (char)(text[0] - 'A' + 'a');
	return text;
}

/* ", with one pause of 3.905 ms ahead of execution 9": idle time that few steps have. "" where none
 * has, and where the finding that follows tells of it. */
static const char *pauses(struct jr_pass_context *ctx, const struct jr_finding *best)
{
	const struct jr_step_windows *w = ctx->windows;
	if (best && strcmp(best->id, "idle-between-modules") == 0)
		return "";
	const struct jr_step_period *longest = NULL;
	size_t n = 0;
	for (size_t i = 0; i < w->n_periods; i++) {
		const struct jr_step_period *period = &w->periods[i];
		if (!jr_step_period_paused(w, period))
			continue;
		n++;
		if (!longest || period->idle_ns > longest->idle_ns)
			longest = period;
	}
	if (!longest)
		return "";
	const char *time = time_text(ctx->arena, longest->idle_ns);
	return n == 1 ? jr_arena_printf(ctx->arena, ", with one pause of %s ahead of execution %u",
						time, longest->execution)
				  : jr_arena_printf(ctx->arena,
						", with %zu pauses, the longest of %s ahead of execution %u", n, time,
						longest->execution);
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

#define EACH_STEP 0.5 /* executions a step from which on a program is one of its cycle */

/* "A step is a cycle of jit_generator and jit_critic. ": all top modules that run about as often as
 * the program of the steps, on its devices. By their steady time; "" where it is one alone. */
static const char *cycle(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_steady *st = ctx->steady;
	uint32_t step = st->ranking[0];
	size_t *runs = JR_ARENA_N(ctx->scratch, size_t, p->n_programs + 1);
	for (size_t i = 0; i < p->modules.n; i++)
		if (p->modules.steady[i] && ctx->windows->devices[p->modules.device[i]].program == step)
			runs[p->modules.program[i]]++;
	const char *text = program_name(ctx, step);
	size_t n = 1;
	for (size_t i = 1; i < st->n_top; i++) {
		if ((double)runs[st->ranking[i]] < EACH_STEP * (double)runs[step])
			continue;
		text = jr_arena_printf(
			ctx->arena, "%s and %s", text, program_name(ctx, st->ranking[i]));
		n++;
	}
	return n > 1 ? jr_arena_printf(ctx->arena, "A step is a cycle of %s. ", text) : "";
}

/* How often a step comes, as the begin of a headline. */
static const char *pace(struct jr_pass_context *ctx, const struct jr_table *step)
{
	const struct jr_step_windows *w = ctx->windows;
	if (w->n_devices == 0)
		return jr_arena_printf(ctx->arena, "%s for the one steady step that was profiled",
			time_text(ctx->arena, jr_step_parts_ns(step)));
	bool uneven = jr_step_periods_uneven(w);
	return jr_arena_printf(ctx->arena, "%s a step%s",
		time_text(ctx->arena, uneven ? w->median_ns : w->mean_ns), uneven ? " in the median" : "");
}

/* What the sentence rests on, where that is all that there is; "" otherwise. */
static const char *reservation(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_program *program = &p->programs[ctx->steady->ranking[0]];
	if (!program->fell_back)
		return "";
	size_t n = ctx->steps->programs[ctx->steady->ranking[0]].n;
	return jr_arena_printf(ctx->arena,
		n == 1 ? "The only execution of %s may be warm-up; it counts here all the same. "
			   : "Every execution of %s may be warm-up; all %zu of them count here. ",
		jr_str(p, program->name), n);
}

#define EXHAUSTED 0.9 /* of a step computes, and no finding is about what it computes */

/* Where nearly all of a step computes there is little for a better schedule to win. */
static bool schedule_is_exhausted(const struct jr_table *step, const struct jr_finding *best)
{
	double compute = jr_ratio(jr_step_part_ns(step, JR_STEP_COMPUTE), jr_step_parts_ns(step));
	return compute >= EXHAUSTED && (!best || best->cause != JR_CAUSE_COMPUTE);
}

static double number_of(const struct jr_results *r, const char *key)
{
	const struct jr_scalar *s = jr_results_scalar(r, key);
	return s && s->type == JR_F64 ? s->value.f64 : NAN;
}

/* ", at 22.6 % of the matrix peak (these kernels at the hardware's limits: 86.27 ms)": how good the
 * computing is, where that is known. The roof of a part of the thunks, which has a note, is none of
 * the step. */
static const char *efficiency(struct jr_pass_context *ctx)
{
	const struct jr_scalar *roof = jr_results_scalar(ctx->results, "roofline.step.roof_ms");
	double hfu = number_of(ctx->results, "roofline.step.hfu");
	bool all = number_of(ctx->results, "roofline.not_counted.active_percent") == 0;
	if (!(hfu > 0))
		return "";
	const char *text = jr_arena_printf(ctx->arena, ", at %s%s of the matrix peak",
		all ? "" : "least ", percent_text(ctx->arena, hfu));
	return roof && !roof->hidden && !roof->note && roof->value.f64 > 0
			   ? jr_arena_printf(ctx->arena,
					 "%s (these kernels at the hardware's limits: %s)", text,
					 time_text(ctx->arena, roof->value.f64))
			   : text;
}

static const char *headline(
	struct jr_pass_context *ctx, const struct jr_table *step, const struct jr_finding *best)
{
	if (!best)
		return jr_arena_printf(
			ctx->arena, "%s; no rule found anything worth winning", pace(ctx, step));
	return jr_arena_printf(ctx->arena, "%s; most to win: %s, up to %s", pace(ctx, step),
		best->subject, time_text(ctx->arena, (double)best->step_recoverable_ns));
}

static const char *lede(
	struct jr_pass_context *ctx, const struct jr_table *step, const struct jr_finding *best)
{
	const struct jr_step_windows *w = ctx->windows;
	struct jr_arena *arena = ctx->arena;
	bool uneven = w->n_devices > 0 && jr_step_periods_uneven(w);
	const char *compute = percent_text(
		arena, jr_ratio(jr_step_part_ns(step, JR_STEP_COMPUTE), jr_step_parts_ns(step)));
	const char *average = uneven ? jr_arena_printf(arena, "On average a step takes %s%s. ",
									   time_text(arena, w->mean_ns), pauses(ctx, best))
								 : "";
	const char *rest =
		best ? jr_arena_printf(arena, " Without what is most to win, a step would take %s.",
				   time_text(arena, (double)best->step_without_ns))
			 : "";
	return jr_arena_printf(arena, "%s%s%s%s of %s is computing%s%s.%s", reservation(ctx),
		cycle(ctx), average, compute, uneven ? "the time" : "a step", efficiency(ctx),
		schedule_is_exhausted(step, best)
			? ": the schedule is nearly exhausted, what is left is the efficiency of kernels"
			: "",
		rest);
}

static double sum_of(const struct jr_table *table, const char *column)
{
	double sum = 0;
	for (size_t row = 0; row < table->n_rows; row++)
		sum += (double)table->cells[jr_table_column(table, column)].i64[row];
	return sum;
}

/* ": computing 2.3 %, copying alone 97 %": what busy devices did, down to 1 % of their walls. */
static const char *deeds(struct jr_pass_context *ctx, const struct jr_table *ledger)
{
	static const struct {
		const char *column, *deed;
	} shares[] = {{"compute_ms", "computing"}, {"exposed_communication_ms", "in NCCL alone"},
		{"exposed_copy_ms", "copying alone"}};
	const char *text = "";
	double wall = sum_of(ledger, "wall_ms");
	for (size_t i = 0; i < JR_COUNT_OF(shares); i++) {
		double share = jr_ratio(sum_of(ledger, shares[i].column), wall);
		if (i == 0 || share >= 0.01)
			text = jr_arena_printf(ctx->arena, "%s%s %s %s", text, i ? "," : ":", shares[i].deed,
				percent_text(ctx->arena, share));
	}
	return text;
}

#define SMALL_KERNEL 0.1 /* of the time of the GPUs: other things matter more than any kernel */

/* Of programs that are not of XLA. False where nothing is known of GPUs. */
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
			"No kernel was profiled, only copies and memsets, %s: the capture may have missed the "
			"work",
			time_text(ctx->arena, sum_of(ledger, "wall_ms") - sum_of(ledger, "idle_ms")));
		return true;
	}
	if (isnan(busy->value.f64)) {
		out->headline = jr_arena_printf(ctx->arena,
			"Only %zu operation%s of the GPU%s %s recorded, %s in all: too little to judge",
			ctx->profile->gpu_ops.n, ctx->profile->gpu_ops.n == 1 ? "" : "s",
			ledger->n_rows == 1 ? "" : "s", ctx->profile->gpu_ops.n == 1 ? "was" : "were",
			time_text(ctx->arena, sum_of(ledger, "wall_ms") - sum_of(ledger, "idle_ms")));
		return true;
	}
	out->headline = jr_arena_printf(ctx->arena, "%s busy %s of %s%s%s",
		ledger->n_rows == 1 ? "The GPU was" : "The GPUs were",
		percent_text(ctx->arena, busy->value.f64),
		time_text(ctx->arena, (double)wall->value.i64 / (double)ledger->n_rows),
		ledger->n_rows == 1 ? "" : jr_arena_printf(ctx->arena, " on each of %zu", ledger->n_rows),
		deeds(ctx, ledger));
	if (!kernels || kernels->n_rows == 0)
		return true;
	double kernel_ns = (double)kernels->cells[jr_table_column(kernels, "sum_ms")].i64[0];
	const struct jr_finding *first = best_finding(ctx->results, false);
	if (first && kernel_ns < SMALL_KERNEL * (double)wall->value.i64)
		out->lede = jr_arena_printf(ctx->arena, "Above all, %s.", inside(ctx->arena, first->title));
	else
		out->lede = jr_arena_printf(ctx->arena, "The kernel that took most time, %s, had %s%s.",
			kernels->cells[jr_table_column(kernels, "short_name")].text[0],
			time_text(ctx->arena, kernel_ns / (double)ledger->n_rows),
			ledger->n_rows == 1 ? " of it" : " a GPU");
	return true;
}

static struct jr_answer without_steps(struct jr_pass_context *ctx)
{
	struct jr_answer out = {0};
	for (size_t i = 0; i < ctx->results->n_findings; i++)
		if (strcmp(ctx->results->findings[i].id, "no-kernels") == 0)
			return (struct jr_answer){
				jr_arena_printf(ctx->arena, "%s: what the GPU did is not known",
					ctx->results->findings[i].title),
				NULL};
	if (of_gpus(ctx, &out))
		return out;
	const struct jr_scalar *total = jr_results_scalar(ctx->results, "compilation.process_ms");
	out.headline = jr_host_executions(ctx->profile) ? "No GPU work of a module was profiled"
				   : total                          ? "No module execution was profiled"
						   : "No module execution and no compilation was profiled";
	if (total)
		out.headline = jr_arena_printf(ctx->arena, "%s; compilation took %s", out.headline,
			time_text(ctx->arena, total->value.f64));
	return out;
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_table *step = jr_results_table(ctx->results, "step_ledger");
	struct jr_answer answer;
	if (step) {
		const struct jr_finding *best = best_finding(ctx->results, true);
		answer = (struct jr_answer){headline(ctx, step, best), lede(ctx, step, best)};
	} else {
		answer = without_steps(ctx);
	}
	enum jr_vendor vendor = jr_vendor_of(ctx->profile);
	answer.headline = jr_vendor_words(vendor, answer.headline, true, ctx->arena);
	answer.lede = jr_vendor_words(vendor, answer.lede, true, ctx->arena);
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
