#include "analysis/cost/ahead.h"

#include "base/cleanup.h"
#include "base/task.h"

struct jr_ahead {
	const struct jr_profile *profile;
	const struct jr_steady *steady;
	struct jr_arena *arena, own; /* of the caller; of the thread */
	struct jr_cost *costs;
	struct jr_scores **scores; /* [n_programs] NULL: not computed yet */
	struct jr_task_beside *beside;
};

static void add_scores(struct jr_ahead *a, size_t program, struct jr_arena *arena)
{
	a->scores[program] = JR_ARENA_NEW(arena, struct jr_scores);
	*a->scores[program] = jr_scores_of(a->profile->programs[program].hlo, arena);
}

static void compute(void *context)
{
	struct jr_ahead *a = context;
	a->costs = jr_costs_compute(a->profile, &a->own);
	for (size_t i = 0; i < a->profile->n_programs; i++)
		if (a->profile->programs[i].hlo && a->steady->programs[i].top)
			add_scores(a, i, &a->own);
}

struct jr_ahead *jr_ahead_start(
	const struct jr_profile *profile, const struct jr_steady *steady, struct jr_arena *arena)
{
	struct jr_ahead *a = JR_ARENA_NEW(arena, struct jr_ahead);
	*a = (struct jr_ahead){.profile = profile,
		.steady = steady,
		.arena = arena,
		.scores = JR_ARENA_N(arena, struct jr_scores *, profile->n_programs + 1)};
	jr_arena_init(&a->own, 0);
	if (profile->thunks.n)
		a->beside = jr_task_start(compute, a);
	return a;
}

void jr_ahead_wait(struct jr_ahead *a)
{
	jr_task_join(JR_TAKE(a->beside));
	jr_arena_take(a->arena, &a->own);
}

const struct jr_cost *jr_ahead_costs(struct jr_ahead *a)
{
	jr_ahead_wait(a);
	if (!a->costs)
		a->costs = jr_costs_compute(a->profile, a->arena);
	return a->costs;
}

const struct jr_scores *jr_ahead_scores(struct jr_ahead *a, uint32_t program)
{
	jr_ahead_wait(a);
	if (!a->scores[program])
		add_scores(a, program, a->arena);
	return a->scores[program];
}
