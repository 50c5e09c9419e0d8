/* Fuzz target: host ranges to compile table, statistics, stack tree and text. The last byte selects
 * whether the autotuner's detail is kept. */
#include <math.h>
#include <stdlib.h>

#include "analysis/compile/compile_stats.h"
#include "analysis/compile/compile_summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-3;
}

static void check_table(const struct jr_compiles *t)
{
	for (size_t i = 0; i < t->n; i++) {
		check(t->parent[i] == JR_NONE || t->parent[i] < i);
		check(t->self_ns[i] >= 0 && t->child_ns[i] >= 0);
		check(t->self_ns[i] + t->child_ns[i] == t->dur_ns[i]);
	}
}

static void check_results(const struct jr_profile *p)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	const struct jr_compile_stats *stats = jr_compile_stats_compute(p, &arena);
	double by_name = 0, by_phase = 0;
	for (size_t i = 0; i < stats->n_ranges; i++)
		by_name += stats->ranges[i].self_ns;
	for (size_t i = 0; i < stats->n_phases; i++)
		by_phase += stats->phases[i].self_ns;
	for (size_t i = 0; i < p->compiles.n; i++)
		check(stats->self_ns[i] >= 0 && isfinite(stats->self_ns[i]));
	check(near(by_name, stats->total_ns) && near(by_phase, stats->total_ns));
	check(near(jr_compile_tree(p, stats, &arena)->total, stats->total_ns));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_options options = jr_options_default();
	options.limits.depth = 50;
	options.autotuning_detail = size && data[size - 1] & 1;
	struct jr_profile profile;
	struct jr_host_ranges ranges;
	struct jr_error err = {0};
	jr_profile_init(&profile, &options);
	if (jr_host_ranges_read_csv(jr_bytes_of(data, size), &options.limits, &ranges, &err) == JR_OK) {
		struct jr_buf text = {0};
		check(jr_compile_add(&profile, 0, &ranges, &err) == JR_OK);
		jr_compile_summary_text(&ranges, options.autotuning_detail, &text);
		jr_buf_done(&text);
		jr_host_ranges_done(&ranges);
		check_table(&profile.compiles);
		check_results(&profile);
	} else {
		check(err.message[0]);
	}
	jr_profile_done(&profile);
	return 0;
}
