#include "compare/judge/cause.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/core/device_name.h"
#include "base/order.h"
#include "base/sort.h"
#include "compare/core/compare_columns.h"

/* All times are in the direction of the change: positive times add to it. */
struct finding_cause {
	const struct jr_comparison *c;
	int sign;
	double waiting, compute, change; /* ns */
	double excess;                   /* sum over all compute, see excess_ns() */
	struct jr_change_cause best;
	double most; /* time of the best cause */
};

static double own_ns(const struct finding_cause *f, const struct jr_contribution *item)
{
	return f->sign * (double)(item->ns[JR_NEW] - item->ns[JR_BASE]);
}

static double part_ns(const struct finding_cause *f, enum jr_step_part part)
{
	const int64_t *ns = f->c->explanation.part_ns[part];
	return f->sign * (double)(ns[JR_NEW] - ns[JR_BASE]);
}

static void offer(
	struct finding_cause *f, const char *name, double ns, const struct jr_contribution *item)
{
	if (!(ns > f->most))
		return;
	f->most = ns;
	f->best = (struct jr_change_cause){name, f->sign * llround(ns), item};
}

/* --- names of devices --- */

static size_t straggler_row(const struct jr_run *run, int64_t device)
{
	for (size_t i = 0; i < jr_run_rows(run, JR_RUN_STRAGGLERS); i++)
		if (jr_run_i64(run, JR_RUN_STRAGGLERS, JR_STRAGGLER_DEVICE, i) == device)
			return i;
	return SIZE_MAX;
}

#define LATER 0.25 /* share of a lag by which it must be larger than in the other run */

/* Whether a device is late in this run, and not or less in the other. A line of a history has only
 * devices that are late. */
static bool is_newly_late(const struct finding_cause *f, int side, size_t row)
{
	const struct jr_run *run = f->c->runs[side], *other = f->c->runs[!side];
	if (!jr_run_text(run, JR_RUN_STRAGGLERS, JR_STRAGGLER_LATE, row))
		return false;
	size_t before =
		straggler_row(other, jr_run_i64(run, JR_RUN_STRAGGLERS, JR_STRAGGLER_DEVICE, row));
	if (before == SIZE_MAX || !jr_run_text(other, JR_RUN_STRAGGLERS, JR_STRAGGLER_LATE, before))
		return true;
	double lag_ns = jr_run_f64(run, JR_RUN_STRAGGLERS, JR_STRAGGLER_LAG, row);
	return lag_ns - jr_run_f64(other, JR_RUN_STRAGGLERS, JR_STRAGGLER_LAG, before) > LATER * lag_ns;
}

struct seat {
	const char *host;
	int64_t device;
	size_t row;
};

JR_ORDER(compare_seats, struct seat, JR_TEXT_UP(host) JR_UP(device))

/* Return "local device 3 of each host" if exactly these `n` devices are newly late; NULL. */
static const char *place_text(const struct finding_cause *f, int side, size_t n)
{
	const struct jr_run *run = f->c->runs[side];
	size_t n_rows = jr_run_rows(run, JR_RUN_STRAGGLERS), n_at[2] = {0}, place = 0, found = SIZE_MAX;
	if (n < 2 || n_rows != jr_run_rows(run, JR_RUN_DEVICES))
		return NULL;
	struct seat *seats = JR_ARENA_N(f->c->arena, struct seat, n_rows);
	for (size_t i = 0; i < n_rows; i++) {
		seats[i] = (struct seat){jr_run_text(run, JR_RUN_STRAGGLERS, JR_STRAGGLER_HOST, i),
			jr_run_i64(run, JR_RUN_STRAGGLERS, JR_STRAGGLER_DEVICE, i), i};
		if (!seats[i].host)
			return NULL;
	}
	qsort(seats, n_rows, sizeof(*seats), compare_seats);
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < n_rows; i++) {
			place = i && strcmp(seats[i].host, seats[i - 1].host) == 0 ? place + 1 : 0;
			bool late = is_newly_late(f, side, seats[i].row);
			if (late && found == SIZE_MAX)
				found = place;
			n_at[pass] += place == found && (pass == 1 || late);
		}
	}
	return n_at[0] == n && n_at[1] == n
			   ? jr_arena_printf(f->c->arena, "local device %zu of each host", found)
			   : NULL;
}

/* Return "device 10 on “node019”", or what all late devices have in common: "“node019”". */
static const char *device_text(const struct finding_cause *f, int side, int64_t device)
{
	const struct jr_run *run = f->c->runs[side];
	struct jr_arena *arena = f->c->arena;
	size_t row = straggler_row(run, device);
	size_t n_late = 0, n_new = 0, n_late_on_host = 0, n_new_on_host = 0;
	const char *host =
		row == SIZE_MAX ? NULL : jr_run_text(run, JR_RUN_STRAGGLERS, JR_STRAGGLER_HOST, row);
	const char *name = jr_arena_printf(arena, host ? "device %" PRId64 " on %s" : "device %" PRId64,
		device, host ? jr_quoted(host, arena) : "");
	for (size_t i = 0; host && i < jr_run_rows(run, JR_RUN_STRAGGLERS); i++) {
		const char *other = jr_run_text(run, JR_RUN_STRAGGLERS, JR_STRAGGLER_HOST, i);
		bool late = jr_run_text(run, JR_RUN_STRAGGLERS, JR_STRAGGLER_LATE, i);
		bool fresh = is_newly_late(f, side, i), here = other && strcmp(other, host) == 0;
		n_late += late;
		n_new += fresh;
		n_late_on_host += late && here;
		n_new_on_host += fresh && here;
	}
	bool is_new = row != SIZE_MAX && is_newly_late(f, side, row);
	if ((n_late_on_host > 1 && n_late_on_host == n_late) ||
		(is_new && n_new_on_host > 1 && n_new_on_host == n_new))
		return jr_quoted(host, arena);
	const char *place = is_new ? place_text(f, side, n_new) : NULL;
	if (place || !is_new || n_new < 2)
		return place ? place : name;
	return jr_arena_printf(arena, "%s and %zu other%s", name, n_new - 1, n_new == 2 ? "" : "s");
}

/* Return the newly late device with the largest lag, if that can explain the waiting; JR_NULL_I64:
 * none. */
static int64_t newly_late(const struct finding_cause *f, int side)
{
	const struct jr_run *run = f->c->runs[side];
	size_t most = SIZE_MAX;
	double most_ns = f->waiting / 2;
	for (size_t i = 0; i < jr_run_rows(run, JR_RUN_STRAGGLERS); i++) {
		double ns = jr_run_f64(run, JR_RUN_STRAGGLERS, JR_STRAGGLER_LAG, i);
		if (!(ns > most_ns) || !is_newly_late(f, side, i))
			continue;
		most = i;
		most_ns = ns;
	}
	return most == SIZE_MAX ? JR_NULL_I64
							: jr_run_i64(run, JR_RUN_STRAGGLERS, JR_STRAGGLER_DEVICE, most);
}

/* --- a late device ---------------------------------------------------------------------------- */

/* Time of a group of thunks, each on the device where it takes longest. */
static double most_ns(const struct jr_run *run, const struct jr_thunk_match *t, int side)
{
	double sum = 0;
	for (size_t i = 0; i < t->n[side]; i++) {
		double ns = jr_run_f64(run, JR_RUN_THUNKS, JR_THUNK_STEP_MOST, t->rows[side][i]);
		sum += isnan(ns) ? 0 : ns;
	}
	return sum;
}

/* Change of a kernel on its slowest device, less its average change. */
static double excess_ns(const struct finding_cause *f, const struct jr_contribution *item)
{
	const struct jr_comparison *c = f->c;
	if (c->runs[JR_NEW]->steps.by_execution || item->part != JR_PART_COMPUTE || !item->thunk)
		return 0;
	double most = f->sign * (most_ns(c->runs[JR_NEW], item->thunk, JR_NEW) -
								most_ns(c->runs[JR_BASE], item->thunk, JR_BASE));
	return fmax(0, most - own_ns(f, item));
}

/* Time that a kernel adds: its own time, and its share of the waiting for the slowest device. */
static double late_ns(const struct finding_cause *f, const struct jr_contribution *item)
{
	double excess = excess_ns(f, item), own = own_ns(f, item);
	if (!(excess > 0))
		return own;
	return own + fmin(excess, fmax(f->waiting, 0) * excess / f->excess);
}

/* "dot.3", or "dot.3 on device 2" if waiting for that device is most of the time it adds. */
static const char *thunk_name(
	const struct finding_cause *f, const struct jr_contribution *item, double late)
{
	const struct jr_comparison *c = f->c;
	const char *name = jr_compare_thunk_name(c, item->thunk);
	int side = f->sign > 0 && item->thunk->n[JR_NEW] ? JR_NEW : JR_BASE;
	if (!item->thunk->n[side] || late < 1.25 * own_ns(f, item))
		return name;
	int64_t device =
		jr_run_i64(c->runs[side], JR_RUN_THUNKS, JR_THUNK_STEP_DEVICE, item->thunk->rows[side][0]);
	return device == JR_NULL_I64
			   ? name
			   : jr_arena_printf(c->arena, "%s on %s", name, device_text(f, side, device));
}

/* Offer the compute of one device that the others wait for. */
static void offer_device(struct finding_cause *f)
{
	const struct jr_run *const *runs = f->c->runs;
	int side = f->sign > 0 ? JR_NEW : JR_BASE;
	if (runs[JR_NEW]->steps.by_execution || !(f->waiting > 0) ||
		!jr_run_rows(runs[JR_BASE], JR_RUN_STEP_LEDGER) ||
		!jr_run_rows(runs[JR_NEW], JR_RUN_STEP_LEDGER))
		return;
	double most =
		f->sign * (jr_run_f64(runs[JR_NEW], JR_RUN_STEP_LEDGER, JR_STEP_MOST_COMPUTE, 0) -
					  jr_run_f64(runs[JR_BASE], JR_RUN_STEP_LEDGER, JR_STEP_MOST_COMPUTE, 0));
	int64_t device = jr_run_i64(runs[side], JR_RUN_STEP_LEDGER, JR_STEP_MOST_DEVICE, 0);
	/* if all devices take longer, by turns or always, no single device is the cause */
	if (device != JR_NULL_I64 && most - f->compute > most / 4)
		offer(f, jr_arena_printf(f->c->arena, "compute on %s", device_text(f, side, device)),
			fmin(most, f->compute + f->waiting), NULL);
}

/* --- several contributions -------------------------------------------------------------------- */

/* Change of the executions of a matched program per execution of the step's program: new - base. */
static double more_executions(const struct finding_cause *f, size_t program)
{
	double per_step[2] = {0};
	for (int side = 0; side < 2; side++) {
		const struct jr_run *run = f->c->runs[side];
		size_t row = f->c->match.programs[program].row[side];
		double n = (double)jr_run_sum(run, JR_RUN_MODULES, JR_MODULE_EXECUTIONS, run->steps.row);
		if (row != SIZE_MAX && n > 0)
			per_step[side] = (double)jr_run_sum(run, JR_RUN_MODULES, JR_MODULE_EXECUTIONS, row) / n;
	}
	return f->sign * (per_step[JR_NEW] - per_step[JR_BASE]);
}

#define LEAST_MORE 0.5 /* executions per step: a program that runs occasionally does not count */

/* Offer a program that runs more often during the step: its time is its run time and the gaps
 * around it.
 */
static void offer_programs(struct finding_cause *f)
{
	const struct jr_comparison *c = f->c;
	size_t program = SIZE_MAX;
	double most = LEAST_MORE;
	for (size_t i = 0; i < c->match.n_programs; i++) {
		double more = more_executions(f, i);
		if (more > most) {
			most = more;
			program = i;
		}
	}
	if (program == SIZE_MAX || c->runs[JR_NEW]->steps.by_execution)
		return;
	double ns = part_ns(f, JR_PART_OTHER_PROGRAMS) + fmax(0, part_ns(f, JR_PART_BETWEEN));
	for (size_t i = 0; i < c->explanation.n; i++) {
		const struct jr_contribution *item = &c->explanation.items[i];
		if (item->thunk && item->thunk->program == program)
			ns += own_ns(f, item);
	}
	offer(f,
		jr_arena_printf(c->arena, "%s executions of %s", f->sign > 0 ? "more" : "fewer",
			jr_compare_program_text(c, program, JR_MODULE_NAME)),
		ns, NULL);
}

struct group {
	const char *opcode; /* NULL: not known */
	size_t n;
	double ns;
};

static int compare_opcodes(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	return !x->opcode || !y->opcode ? (x->opcode != NULL) - (y->opcode != NULL)
									: strcmp(x->opcode, y->opcode);
}

#define SEVERAL 3 /* if there are fewer, the name of the first one is better */

#define LEAST_SHARE 0.01 /* of the change: a smaller part does not count */

/* Offer the operations that only one run has. */
static void offer_new(struct finding_cause *f)
{
	const struct jr_explanation *e = &f->c->explanation;
	int without = f->sign > 0 ? JR_BASE : JR_NEW;
	double sum = 0;
	size_t n = 0;
	for (size_t i = 0; i < e->n; i++) {
		const struct jr_contribution *item = &e->items[i];
		if (!item->thunk || item->thunk->n[without])
			continue;
		sum += own_ns(f, item);
		n++;
	}
	if (n > 1)
		offer(f,
			jr_arena_printf(f->c->arena, "%zu %s operations", n, f->sign > 0 ? "new" : "removed"),
			sum, NULL);
}

/* Offer the operations of one kind: the heaviest opcode of the part if it takes most of it, else
 * all. */
static void offer_operations(struct finding_cause *f, enum jr_step_part part, bool any_kind)
{
	const struct jr_comparison *c = f->c;
	const struct jr_explanation *e = &c->explanation;
	struct group *groups = JR_ARENA_N(c->arena, struct group, e->n + 1);
	struct group all = {0}, best = {0};
	size_t n = 0;
	for (size_t i = 0; i < e->n; i++) {
		double ns = own_ns(f, &e->items[i]);
		if (e->items[i].part != part || !e->items[i].thunk)
			continue;
		all.ns += ns;
		all.n += ns > LEAST_SHARE * f->change;
		if (ns > LEAST_SHARE * f->change)
			groups[n++] =
				(struct group){jr_compare_thunk_text(c, e->items[i].thunk, JR_THUNK_OPCODE), 1, ns};
	}
	jr_sort(groups, n, sizeof(*groups), compare_opcodes);
	for (size_t i = 0, end; i < n; i = end) {
		struct group sum = {groups[i].opcode, 0, 0};
		for (end = i; end < n && compare_opcodes(&groups[end], &groups[i]) == 0; end++) {
			sum.n++;
			sum.ns += groups[end].ns;
		}
		if (sum.opcode && sum.ns > best.ns)
			best = sum;
	}
	if (best.n >= SEVERAL && best.ns > 0.9 * all.ns)
		offer(f, jr_arena_printf(c->arena, "%zu %s operations", best.n, best.opcode),
			fmin(best.ns, all.ns), NULL);
	else if (all.n >= SEVERAL && any_kind)
		offer(f, jr_arena_printf(c->arena, "%s in %zu operations", jr_step_part_name(part), all.n),
			all.ns, NULL);
}

/* --- entry point ------------------------------------------------------------------------------ */

static void offer_items(struct finding_cause *f)
{
	const struct jr_explanation *e = &f->c->explanation;
	for (size_t i = 0; i < e->n; i++) {
		const struct jr_contribution *item = &e->items[i];
		double ns = item->thunk ? late_ns(f, item) : own_ns(f, item);
		if (item->part == JR_PART_SPREAD || item->part == JR_PART_WAITING || !(ns > f->most))
			continue;
		offer(f, item->thunk ? thunk_name(f, item, ns) : jr_step_part_name(item->part), ns, item);
	}
}

/* Offer devices that take longer by turns and wait for each other. */
static void offer_uneven(struct finding_cause *f)
{
	double sum = f->compute + f->waiting;
	if (f->compute > sum / 10 && f->waiting > sum / 10)
		offer(f, "compute and waiting for other devices", sum, NULL);
}

/* Offer waiting only if it is over twice the best cause found, because its own cause is unknown. If
 * a device is newly late, the others wait for it. */
static void offer_waiting(struct finding_cause *f)
{
	int side = f->sign > 0 ? JR_NEW : JR_BASE;
	int64_t device = newly_late(f, side);
	const char *name = device == JR_NULL_I64 ? jr_step_part_name(JR_PART_WAITING)
											 : jr_arena_printf(f->c->arena, "waiting for %s",
												   device_text(f, side, device));
	const struct jr_explanation *e = &f->c->explanation;
	for (size_t i = 0; i < e->n; i++)
		if (e->items[i].part == JR_PART_WAITING && f->most < own_ns(f, &e->items[i]) / 2)
			offer(f, name, own_ns(f, &e->items[i]), &e->items[i]);
}

static bool explains_most(const struct finding_cause *f)
{
	return f->most >= f->change / 2;
}

/* A few late steps move only the mean, so they do not explain a change of the median. */
static bool is_spread(const struct finding_cause *f)
{
	return part_ns(f, JR_PART_SPREAD) > fmax(fmax(f->most, f->waiting), f->compute);
}

struct jr_change_cause jr_change_cause_find(const struct jr_comparison *c)
{
	static const enum jr_step_part of_thunks[] = {
		JR_PART_COMPUTE, JR_PART_COMMUNICATION, JR_PART_TRANSFER, JR_PART_COPY};
	const struct jr_explanation *e = &c->explanation;
	int64_t change = e->unavailable ? 0 : e->step_ns[JR_NEW] - e->step_ns[JR_BASE];
	struct finding_cause f = {.c = c, .sign = change > 0 ? 1 : -1, .change = fabs((double)change)};
	if (!change)
		return f.best;
	f.waiting = part_ns(&f, JR_PART_WAITING);
	f.compute = part_ns(&f, JR_PART_COMPUTE);
	for (size_t i = 0; i < e->n; i++)
		f.excess += excess_ns(&f, &e->items[i]);
	offer_items(&f);
	if (is_spread(&f))
		return (struct jr_change_cause){0};
	offer_programs(&f);
	/* one name that explains most is better than a list that explains a little more */
	if (explains_most(&f))
		return f.best;
	offer_device(&f);
	for (size_t i = 0; i < JR_COUNT_OF(of_thunks); i++)
		offer_operations(&f, of_thunks[i], false);
	offer_new(&f);
	if (explains_most(&f))
		return f.best;
	for (size_t i = 0; i < JR_COUNT_OF(of_thunks); i++)
		offer_operations(&f, of_thunks[i], true);
	offer_uneven(&f);
	offer_waiting(&f);
	return f.best;
}
