#include "analysis/shared/steady.h"

#include <stdlib.h>
#include <string.h>

struct ranking_context {
	const struct jr_profile *profile;
	const struct jr_steady *steady;
};

static int compare_programs(const void *a, const void *b, void *arg)
{
	const struct ranking_context *ctx = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct jr_program_steady *s = ctx->steady->programs;
	if (s[x].sum_ns != s[y].sum_ns)
		return s[x].sum_ns > s[y].sum_ns ? -1 : 1;
	const struct jr_program *programs = ctx->profile->programs;
	int by_name =
		strcmp(jr_str(ctx->profile, programs[x].name), jr_str(ctx->profile, programs[y].name));
	return by_name ? by_name : (x > y) - (x < y);
}

/* Rank programs by descending time. Top modules are the first ones until their sum reaches the
 * fraction of all module time. */
static void rank(const struct jr_profile *p, struct jr_steady *st)
{
	for (uint32_t i = 0; i < p->n_programs; i++)
		if (st->programs[i].executions)
			st->ranking[st->n_ranking++] = i;
	struct ranking_context ctx = {p, st};
	if (st->n_ranking)
		qsort_r(st->ranking, st->n_ranking, sizeof(*st->ranking), compare_programs, &ctx);
	double enough = p->options.top_modules * (double)st->all_modules_ns;
	int64_t sum_ns = 0;
	while (st->n_top < st->n_ranking && (st->n_top == 0 || (double)sum_ns < enough)) {
		struct jr_program_steady *program = &st->programs[st->ranking[st->n_top++]];
		program->top = true;
		sum_ns += program->sum_ns;
	}
}

static void add_modules(const struct jr_profile *p, struct jr_steady *st)
{
	const struct jr_modules *m = &p->modules;
	for (size_t i = 0; i < m->n; i++) {
		st->n_devices_ran += i == 0 || m->device[i] != m->device[i - 1]; /* by device */
		if (!m->steady[i])
			continue;
		struct jr_program_steady *program = &st->programs[m->program[i]];
		program->executions++;
		program->sum_ns += m->dur_ns[i];
		jr_stats_add(&program->dur_ns, (double)m->dur_ns[i]);
		jr_stats_add(&program->thunks, m->n_thunks[i]);
		st->all_modules_ns += m->dur_ns[i];
	}
}

static void add_wall(const struct jr_profile *p, struct jr_steady *st)
{
	const struct jr_modules *m = &p->modules;
	for (size_t i = 0; i < m->n; i++) {
		if (!m->steady[i] || !st->programs[m->program[i]].top)
			continue;
		struct jr_device_steady *device = &st->devices[m->device[i]];
		int64_t end_ns = m->start_ns[i] + m->dur_ns[i];
		if (!device->seen || m->start_ns[i] < device->first_ns)
			device->first_ns = m->start_ns[i];
		if (!device->seen || end_ns > device->last_ns)
			device->last_ns = end_ns;
		device->seen = true;
		st->modules_active_ns += m->dur_ns[i];
	}
	for (size_t d = 0; d < p->n_devices; d++)
		if (st->devices[d].seen)
			st->modules_wall_ns +=
				st->devices[d].last_ns - st->devices[d].first_ns -
				jr_left_out_ns(&p->selected, d, st->devices[d].first_ns, st->devices[d].last_ns);
}

static void add_thunks(const struct jr_profile *p, struct jr_steady *st)
{
	const struct jr_thunks *t = &p->thunks;
	for (size_t i = 0; i < t->n; i++) {
		if (!jr_thunk_steady(p, i))
			continue;
		struct jr_op_steady *op = &st->ops[t->op[i]];
		int64_t active_ns = jr_thunk_active_ns(p, i);
		op->count++;
		op->active_ns += active_ns;
		op->dur_ns += jr_thunk_dur_ns(p, i);
		op->hidden_ns += jr_thunk_dur_ns(p, i) - active_ns;
		jr_stats_add(&op->active, (double)active_ns);
		if (!st->programs[jr_thunk_op(p, i)->program].top)
			continue;
		st->thunks_active_ns += active_ns;
		if (jr_thunk_op(p, i)->communication) {
			st->exposed_ns += active_ns;
			st->hidden_ns += jr_thunk_dur_ns(p, i) - active_ns;
		}
	}
}

struct jr_steady *jr_steady_compute(const struct jr_profile *profile, struct jr_arena *arena)
{
	struct jr_steady *st = JR_ARENA_NEW(arena, struct jr_steady);
	st->programs = JR_ARENA_N(arena, struct jr_program_steady, profile->n_programs + 1);
	st->ops = JR_ARENA_N(arena, struct jr_op_steady, profile->n_ops + 1);
	st->devices = JR_ARENA_N(arena, struct jr_device_steady, profile->n_devices + 1);
	st->ranking = JR_ARENA_N(arena, uint32_t, profile->n_programs + 1);
	add_modules(profile, st);
	rank(profile, st);
	add_wall(profile, st);
	add_thunks(profile, st);
	return st;
}
