/* Shared functions of rules: whether a rule fires, and its potential saving. */
#include "analysis/findings/findings.h"

#include <string.h>

#include "analysis/shared/step_window.h"
#include "base/vec.h"

size_t jr_check_devices(const struct jr_check *c)
{
	size_t n = 0;
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		n += c->devices[d].wall_ns > 0;
	return n;
}

/* Return the mean over devices that take steps. */
static double mean_of_devices(const struct jr_check *c, const double *ns)
{
	double sum_ns = 0;
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		sum_ns += ns[d];
	return jr_ratio(sum_ns, (double)jr_check_devices(c));
}

void jr_check_claim_once(struct jr_check *c, double total_ns, size_t times, double named_ns)
{
	c->claim_ns = NULL;
	c->change = NULL;
	c->claim_op = JR_NONE;
	c->named_ns = named_ns;
	c->finding.times = times;
	c->finding.n_gpus = jr_check_devices(c);
	c->finding.step_recoverable_ns = c->finding.step_without_ns = JR_NULL_I64;
	double all_ns = fmax(total_ns, 0) * (double)c->finding.n_gpus;
	c->finding.recoverable_ns = all_ns < 0x1p63 ? llround(all_ns) : INT64_MAX;
}

void jr_check_disclaim(struct jr_check *c)
{
	c->claim_ns = NULL;
	c->claim_share = NULL;
	c->change = NULL;
	c->finding.recoverable_ns = c->finding.step_recoverable_ns = JR_NULL_I64;
	c->finding.step_without_ns = JR_NULL_I64;
}

bool jr_check_fires(struct jr_check *c, double value)
{
	const struct jr_rule *rule = c->rule;
	c->value = value;
	if (isnan(value) || (rule->below ? value >= rule->threshold : value < rule->threshold))
		return false;
	c->fired = true;
	c->finding.severity =
		!isnan(rule->serious) && value >= rule->serious ? JR_WARNING : rule->severity;
	return true;
}

bool jr_check_fires_for(struct jr_check *c, double step_ns)
{
	return jr_check_fires(c, jr_ratio(step_ns * c->n_steps, c->wall_ns));
}

void jr_check_recoverable(struct jr_check *c, double ns, double most_ns)
{
	double won = ns < 0 ? 0 : ns > most_ns ? most_ns : ns;
	c->finding.n_gpus = c->n_gpus;
	c->finding.recoverable_ns = won < 0x1p63 ? llround(won) : INT64_MAX;
}

/* Return the largest need of any device, without the claims if there are any. The step takes as
 * long. */
static double without_claims(const struct jr_check *c, const double *claim_ns)
{
	double most_ns = 0;
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++) {
		const struct jr_device_step *device = &c->devices[d];
		double need_ns = device->wall_ns - device->part_ns[JR_PART_WAITING];
		most_ns = fmax(most_ns, claim_ns ? need_ns - claim_ns[d] : need_ns);
	}
	return most_ns;
}

double jr_check_could_win(const struct jr_check *c, const double *claim_ns)
{
	double need_ns = without_claims(c, NULL), step_ns = c->wall_ns / c->n_steps;
	double won_ns = fmax(need_ns - without_claims(c, claim_ns), 0);
	/* Devices that do not wait for each other have separate steps. The mean step is then shorter
	 * than the need of the slowest device, and the saving is scaled in proportion. If they wait,
	 * their walls differ by less than a percent. */
	return fmin(need_ns > step_ns * 1.01 ? won_ns * (step_ns / need_ns) : won_ns, step_ns);
}

void jr_check_promise(struct jr_check *c, double won_ns)
{
	c->finding.step_recoverable_ns = llround(won_ns);
	c->finding.step_without_ns =
		llround(c->wall_ns / c->n_steps) - c->finding.step_recoverable_ns;
	c->finding.recoverable_ns = llround(won_ns * c->n_steps);
}

double jr_check_lost_by_turns(const struct jr_check *c)
{
	return fmax(c->wall_ns / c->n_steps - without_claims(c, NULL), 0);
}

void jr_check_claim_turns(struct jr_check *c)
{
	c->claims_turns = true;
	jr_check_promise(c, jr_check_lost_by_turns(c));
}

void jr_check_claim(struct jr_check *c, double *claim_ns, enum jr_ledger_part part)
{
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		claim_ns[d] = fmax(fmin(claim_ns[d], c->devices[d].part_ns[part]), 0);
	c->claim_ns = claim_ns;
	c->claim_part = part;
	c->claims_part = false;
	c->claim_op = JR_NONE;
	c->claim_share = NULL;
	c->claim_programs = NULL;
	c->named_ns = mean_of_devices(c, claim_ns);
	jr_check_promise(c, jr_check_could_win(c, claim_ns));
}

void jr_check_claim_each(struct jr_check *c, double ns, enum jr_ledger_part part)
{
	double *claim_ns = JR_ARENA_N(c->ctx->scratch, double, c->ctx->profile->n_devices + 1);
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++)
		claim_ns[d] = ns;
	jr_check_claim(c, claim_ns, part);
}

void jr_check_claim_part(struct jr_check *c, enum jr_ledger_part part)
{
	jr_check_claim_each(c, INFINITY, part);
	c->claims_part = true;
}

bool jr_check_in_window(const struct jr_check *c, size_t thunk)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_step_window *w = &c->ctx->typical->devices[jr_thunk_device(p, thunk)];
	int64_t start_ns = jr_thunk_start_ns(p, thunk);
	return w->program != JR_NONE && jr_steady_top_thunk(p, c->ctx->steady, thunk) &&
		   (w->n_periods <= 0 || (start_ns >= w->begin_ns && start_ns < w->end_ns));
}

/* Add up the active time of each op on each device within its window. Rows of a device follow each
 * other. */
void jr_check_add_windows(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_modules *m = &p->modules;
	struct jr_arena *arena = c->ctx->arena;
	/* 1 + index into the list */
	size_t *place = JR_ARENA_N(c->ctx->scratch, size_t, p->n_ops + 1);
	JR_VEC(struct jr_window_op) all = {0};
	size_t *first = JR_ARENA_N(arena, size_t, p->n_devices + 2), i = 0, k = 0;
	for (uint32_t d = 0; d < p->n_devices; d++) {
		first[d] = all.n;
		for (; k < m->n && m->device[k] == d; k++)
			for (size_t end = i + m->n_thunks[k]; i < end; i++) {
				uint32_t op = p->thunks.op[i];
				if (!jr_check_in_window(c, i))
					continue;
				if (place[op] <= first[d]) {
					*jr_vec_add(&all) = (struct jr_window_op){.op = op};
					place[op] = all.n;
				}
				all.items[place[op] - 1].active_ns += jr_thunk_active_ns(p, i);
				all.items[place[op] - 1].count++;
			}
	}
	first[p->n_devices] = all.n;
	c->windows.first = first;
	c->windows.ops = JR_ARENA_N(arena, struct jr_window_op, all.n + 1);
	if (all.n)
		memcpy(c->windows.ops, all.items, all.n * sizeof(*all.items));
	jr_vec_done(&all);
}

/* Return the share that an op loses in the windows. `share` is that of all its executions, of which
 * the rest is the same in each; an op that is faster in the median step loses less there. */
static double share_in_windows(
	const struct jr_check *c, const double *share, const struct jr_window_op *w)
{
	const struct jr_op_steady *all = &c->ctx->steady->ops[w->op];
	if (c->ctx->typical == c->ctx->windows || share[w->op] >= 1)
		return share[w->op];
	double mean_ns = jr_ratio((double)all->active_ns, (double)all->count) * (double)w->count;
	return fmax(1 - (1 - share[w->op]) * jr_ratio(mean_ns, (double)w->active_ns), 0);
}

double jr_check_claim_shares(struct jr_check *c, const double *share)
{
	const struct jr_profile *p = c->ctx->profile;
	double *claim_ns = JR_ARENA_N(c->ctx->scratch, double, p->n_devices + 1), sum_ns = 0;
	for (size_t d = 0; d < p->n_devices; d++)
		for (size_t i = c->windows.first[d]; i < c->windows.first[d + 1]; i++)
			if (share[c->windows.ops[i].op] > 0)
				claim_ns[d] +=
					share_in_windows(c, share, &c->windows.ops[i]) *
					(double)c->windows.ops[i].active_ns;
	for (size_t d = 0; d < p->n_devices; d++)
		claim_ns[d] /= jr_check_periods_of(c, d);
	/* Windows leave the last step out, but tables of kernels include it: texts use the tables. */
	for (size_t i = 0; i < p->n_ops; i++)
		if (share[i] > 0 && c->ctx->steady->programs[p->ops[i].program].top)
			sum_ns += share[i] * (double)c->ctx->steady->ops[i].active_ns;
	jr_check_claim(c, claim_ns, JR_PART_COMPUTE);
	c->claim_share = share;
	c->named_ns = c->shares_ns = sum_ns / c->n_steps;
	return c->named_ns;
}

double jr_check_typical_share(const struct jr_check *c)
{
	if (c->ctx->typical == c->ctx->windows || !c->claim_ns || !c->claim_share ||
		!(c->shares_ns > 0))
		return 1;
	return fmin(mean_of_devices(c, c->claim_ns) / c->shares_ns, 1);
}

double jr_check_claim_ops(struct jr_check *c, const uint8_t *ops)
{
	size_t n = c->ctx->profile->n_ops;
	double *share = JR_ARENA_N(c->ctx->scratch, double, n + 1);
	for (size_t i = 0; i < n; i++)
		share[i] = ops[i];
	return jr_check_claim_shares(c, share);
}

double jr_check_claim_op(struct jr_check *c, uint32_t op)
{
	uint8_t *ops = JR_ARENA_N(c->ctx->scratch, uint8_t, c->ctx->profile->n_ops + 1);
	ops[op] = 1;
	double step_ns = jr_check_claim_ops(c, ops);
	c->claim_op = op;
	return step_ns;
}

bool jr_check_rows_lost(const struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	return jr_ratio((double)p->n_rows_lost, (double)p->n_rows) >= c->rule->threshold;
}

double jr_check_periods_of(const struct jr_check *c, size_t device)
{
	return fmax(c->ctx->typical->devices[device].n_periods, 1);
}

double jr_check_steps_of(const struct jr_check *c, size_t device)
{
	double n = c->ctx->windows->devices[device].n_periods;
	return n > 0 ? n + 1 : 1; /* steady executions: one more than periods */
}

bool jr_check_command_buffers_off(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	const char *kinds = jr_flag_value(p, JR_FLAG_COMMAND_BUFFER, c->ctx->scratch);
	const char *level = jr_flag_value(p, JR_FLAG_GRAPH_LEVEL, c->ctx->scratch);
	return p->graphs_off || (kinds && !*kinds) || (level && strcmp(level, "0") == 0);
}

double jr_check_step_ns(const struct jr_check *c)
{
	return c->n_steps > 0 ? c->wall_ns / c->n_steps : NAN;
}

size_t jr_check_largest(const double *values, size_t n)
{
	size_t best = n ? 0 : SIZE_MAX;
	for (size_t i = 1; i < n; i++)
		if (values[i] > values[best])
			best = i;
	return best;
}

/* Rows are sorted by (device, start). The device is covered up to `reach`. The last gap of a window
 * ends at the module that begins where the window ends. */
struct jr_module_gaps jr_check_gaps(const struct jr_check *c, const struct jr_step_windows *windows)
{
	const struct jr_modules *m = &c->ctx->profile->modules;
	struct jr_module_gaps gaps = {
		.items = JR_ARENA_N(c->ctx->scratch, struct jr_module_gap, m->n + 1)};
	int64_t reach = 0;
	for (uint32_t i = 0; i < m->n; i++) {
		const struct jr_step_window *w = &windows->devices[m->device[i]];
		if (i == 0 || m->device[i] != m->device[i - 1])
			reach = w->begin_ns;
		int64_t start = m->start_ns[i], end = start + m->dur_ns[i];
		if (w->n_periods <= 0 || end <= w->begin_ns || start > w->end_ns)
			continue;
		if (start > reach)
			gaps.items[gaps.n++] = (struct jr_module_gap){reach, start, m->device[i], i};
		reach = end > reach ? end : reach;
	}
	return gaps;
}

bool jr_check_is_top(const struct jr_check *c, const struct jr_op *op)
{
	return c->ctx->steady->programs[op->program].top;
}

bool jr_check_ran(const struct jr_check *c, size_t op)
{
	return c->ctx->steady->ops[op].count && jr_check_is_top(c, &c->ctx->profile->ops[op]);
}
