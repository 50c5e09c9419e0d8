/* Modules, analysis/README.md, sections 4.1, 6.2 (wait) and 6.5 (start skew). */
#include <inttypes.h>

#include "analysis/shared/columns.h"
#include "analysis/shared/variants.h"
#include "analysis/attribution/attribution_tables.h"
#include "analysis/core/terms.h"
#include "base/order.h"
#include "base/sort.h"

#define SHORTEST_WHOLE_NS 10000 /* shares of shorter times are not reported */

JR_TABLE_OF(spec, JR_MODULES_COLUMNS, "modules", JR_AT(modules), "Modules",
	"One row per program (one compilation of a jitted function) with steady executions; by "
	"total time");

/* Wait of each (program, execution): the sum over its instances, which are consecutive. */
static void add_waits(const struct jr_pass_context *ctx, struct jr_stats *waits)
{
	const struct jr_instances *in = ctx->instances;
	const struct jr_profile *p = ctx->profile;
	for (size_t i = 0; i < in->n;) {
		uint32_t program = p->ops[in->items[i].op].program;
		uint32_t execution = in->items[i].program_execution;
		int64_t sum_ns = 0;
		for (; i < in->n && in->items[i].program_execution == execution &&
			   p->ops[in->items[i].op].program == program;
			 i++)
			sum_ns += in->items[i].module_wait_ns;
		jr_stats_add(&waits[program], (double)sum_ns);
	}
}

struct start {
	uint32_t program, execution;
	double start_ns;
};

JR_ORDER(compare_starts, struct start, JR_UP(program) JR_UP(execution))

/* skew_ns[program] = mean over executions of latest minus earliest start; NaN if no execution was
 * recorded on several devices. */
static void add_skews(const struct jr_pass_context *ctx, double *skew_ns)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_modules *m = &p->modules;
	struct start *starts = JR_ARENA_N(ctx->scratch, struct start, m->n + 1);
	struct jr_stats *spreads = JR_ARENA_N(ctx->scratch, struct jr_stats, p->n_programs + 1);
	size_t n = 0;
	for (size_t i = 0; i < m->n; i++)
		if (m->steady[i])
			starts[n++] = (struct start){m->program[i], m->program_execution[i],
				jr_aligned_ns(p, m->start_ns[i], m->device[i])};
	jr_sort(starts, n, sizeof(*starts), compare_starts);
	for (size_t i = 0; i < n;) {
		double low = INFINITY, high = -INFINITY;
		size_t begin = i;
		for (; i < n && compare_starts(&starts[begin], &starts[i]) == 0; i++) {
			low = fmin(low, starts[i].start_ns);
			high = fmax(high, starts[i].start_ns);
		}
		if (i - begin > 1)
			jr_stats_add(&spreads[starts[begin].program], high - low);
	}
	for (size_t k = 0; k < p->n_programs; k++)
		skew_ns[k] = jr_stats_mean(&spreads[k]);
}

/* NaN if the whole is too short for a meaningful share, or if the part exceeds it. Waits of several
 * devices can add up to more than the time of one device. */
static double share_of(double part_ns, double whole_ns)
{
	double share = whole_ns >= SHORTEST_WHOLE_NS ? part_ns / whole_ns : NAN;
	return share <= 1 ? share : NAN;
}

static void fill_steps(struct jr_pass_context *ctx, struct jr_table *table, size_t row, uint32_t k)
{
	const struct jr_program_steps *steps = &ctx->steps->programs[k];
	const struct jr_hlo *hlo = ctx->profile->programs[k].hlo;
	union jr_cells *c = table->cells;
	if (hlo)
		c[JR_MODULES_structure].text[row] =
			jr_arena_printf(ctx->arena, "%016" PRIx64, hlo->structure_hash);
	c[JR_MODULES_steps].i64[row] = (int64_t)steps->n;
	c[JR_MODULES_execution_median_ms].i64[row] = steps->median_ns;
	c[JR_MODULES_execution_sum_ms].i64[row] = steps->sum_ns;
	c[JR_MODULES_execution_idle_ms].i64[row] = steps->idle_ns;
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_steady *st = ctx->steady;
	struct jr_table *table = jr_table_new(ctx->arena, &spec, st->n_ranking);
	struct jr_stats *waits = JR_ARENA_N(ctx->scratch, struct jr_stats, p->n_programs + 1);
	double *skew_ns = JR_ARENA_N(ctx->scratch, double, p->n_programs + 1);
	add_waits(ctx, waits);
	add_skews(ctx, skew_ns);
	union jr_cells *c = table->cells;
	for (size_t row = 0; row < st->n_ranking; row++) {
		uint32_t k = st->ranking[row];
		const struct jr_program_steady *s = &st->programs[k];
		c[JR_MODULES_program_id].text[row] = jr_program_id(p, k, ctx->arena);
		c[JR_MODULES_name].text[row] = jr_str(p, p->programs[k].name);
		c[JR_MODULES_executions].i64[row] = s->executions;
		c[JR_MODULES_thunks_mean].f64[row] = jr_stats_mean(&s->thunks);
		c[JR_MODULES_thunks_std].f64[row] = jr_stats_std(&s->thunks);
		c[JR_MODULES_sum_ms].i64[row] = s->sum_ns;
		c[JR_MODULES_mean_ms].f64[row] = (double)s->sum_ns / (double)s->executions;
		c[JR_MODULES_std_ms].f64[row] = jr_stats_std(&s->dur_ns);
		c[JR_MODULES_percent].f64[row] = jr_ratio((double)s->sum_ns, (double)st->all_modules_ns);
		c[JR_MODULES_wait_mean_ms].f64[row] = jr_stats_mean(&waits[k]);
		c[JR_MODULES_wait_std_ms].f64[row] = jr_stats_std(&waits[k]);
		const struct jr_program_steps *steps = &ctx->steps->programs[k];
		c[JR_MODULES_wait_percent].f64[row] =
			share_of(jr_stats_mean(&waits[k]), jr_ratio((double)steps->sum_ns, (double)steps->n));
		c[JR_MODULES_start_skew_ms].f64[row] = skew_ns[k];
		c[JR_MODULES_start_skew_percent].f64[row] =
			share_of(skew_ns[k], c[JR_MODULES_mean_ms].f64[row]);
		c[JR_MODULES_top].boolean[row] = s->top;
		c[JR_MODULES_fingerprint].text[row] = jr_text_or_null(p, p->programs[k].fingerprint);
		fill_steps(ctx, table, row, k);
	}
	jr_variants_add(ctx, out);
	jr_section_table(out, ctx->arena, table);
}

const struct jr_pass jr_pass_modules = {
	.name = "modules",
	.title = "Modules",
	.summary = "Jitted functions that ran: executions, " JR_GPU " time, share and waiting time",
	.needs = JR_NEEDS_MODULES,
	.group = JR_GROUP_GPU,
	.run = run,
};
