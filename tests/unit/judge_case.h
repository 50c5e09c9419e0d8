/*
 * judge_case.h - two runs of given step times, judged.
 * Test code; static functions only.
 */
#ifndef JR_TESTS_JUDGE_CASE_H
#define JR_TESTS_JUDGE_CASE_H

#include "run_build.h"

#include "compare/core/compare.h"

struct judged {
	struct jr_arena arena;
	struct jr_run runs[2];
	struct jr_comparison c;
	struct jr_judgement j;
};

static inline void judge_as(struct judged *out, const struct built_run *base,
	const struct built_run *fresh, double tolerance, struct jr_draws *kept)
{
	jr_arena_init(&out->arena, 0);
	out->runs[0] = build_run(base, &out->arena);
	out->runs[1] = build_run(fresh, &out->arena);
	jr_compare_judge(&out->runs[0], &out->runs[1], tolerance, kept, &out->arena, &out->c);
	out->j = out->c.judgement;
}

static inline struct built_run run_of(
	const struct built_module *module, const char *gpu, size_t n_devices)
{
	return (struct built_run){gpu, n_devices, "1", module, 1, NULL, 0};
}

/* Judge the same program on the same GPU: only the times differ. */
static inline void judge_times(struct judged *out, const int64_t *base, size_t n_base,
	const int64_t *fresh, size_t n_fresh, double tolerance, struct jr_draws *kept)
{
	const struct built_module a = {"1", "step", "f", "s", 0, base, n_base};
	const struct built_module b = {"1", "step", "f", "s", 0, fresh, n_fresh};
	const struct built_run runs[] = {run_of(&a, "G", 1), run_of(&b, "G", 1)};
	judge_as(out, &runs[0], &runs[1], tolerance, kept);
}

static inline void judge_steps(
	struct judged *out, const int64_t *base, size_t n_base, const int64_t *fresh, size_t n_fresh)
{
	judge_times(out, base, n_base, fresh, n_fresh, JR_TOLERANCE, NULL);
}

#endif
