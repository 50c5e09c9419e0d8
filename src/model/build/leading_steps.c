/* Choosing the numbered steps by which executions and operations are counted. */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"
#include "model/build/step_rows.h"

#define LEAST_STEPS 3
#define COVERED 0.5 /* minimum fraction of the work that the steps launch */
#define SEVERAL 1.5 /* runs of the heaviest program per step; below, these runs are the steps */
#define MOST_NAMES 64

/* The steps of one name while they are checked. */
struct trial {
	const struct jr_profile *p;
	struct jr_arena *scratch;
	struct jr_leading_steps steps;
};

/* --- numbering -------------------------------------------------------------------------------- */

/* A step across processes: its number, and how often the numbers had restarted. */
struct key {
	uint64_t round;
	int64_t number;
	uint32_t item; /* row of the trial's items */
};

JR_ORDER(compare_keys, struct key, JR_UP(round) JR_UP(number) JR_UP(item))

JR_ORDER_ROWS(
	compare_threads, struct jr_numbered_step, JR_UP(process) JR_UP(thread) JR_UP(start_ns))

/* Collect the steps of the name, in order of threads if `by_thread`; false if two steps of a
 * process, or else of a thread, overlap. */
static bool take_items(
	struct trial *t, uint32_t name, size_t n_named, struct key *keys, bool by_thread)
{
	const struct jr_profile *p = t->p;
	struct jr_leading_steps *s = &t->steps;
	uint32_t *rows = JR_ARENA_N(t->scratch, uint32_t, n_named + 1);
	uint64_t round = 0;
	size_t n = 0;
	for (uint32_t i = 0; i < p->n_numbered_steps; i++)
		if (p->numbered_steps[i].name == name)
			rows[n++] = i;
	if (by_thread)
		qsort_r(rows, n, sizeof(*rows), compare_threads, p->numbered_steps);
	for (s->n = 0; s->n < n; s->n++) {
		const struct jr_numbered_step *step = &p->numbered_steps[rows[s->n]];
		uint32_t thread = by_thread ? step->thread : 0;
		const struct jr_leading_step *before = s->n ? &s->items[s->n - 1] : NULL;
		if (before && before->process == step->process && before->thread == thread) {
			if (step->start_ns < before->end_ns)
				return false;
			round += step->number <= keys[s->n - 1].number;
		} else {
			round = 0;
		}
		keys[s->n] = (struct key){round, step->number, (uint32_t)s->n};
		s->items[s->n] = (struct jr_leading_step){.process = step->process,
			.thread = thread,
			.start_ns = step->start_ns,
			.end_ns = step->end_ns};
	}
	return s->n > 0;
}

static bool same_thread(const struct jr_leading_step *a, const struct jr_leading_step *b)
{
	return a->process == b->process && a->thread == b->thread;
}

#define MOST_THREADS 64 /* with steps of their own in a process */

/* Merge equal keys into one step; false if processes or threads share less than half of the steps.
 */
static bool number_items(struct trial *t, struct key *keys)
{
	struct jr_leading_steps *s = &t->steps;
	size_t n_threads = 0, n_common = 0, own = 0;
	for (size_t i = 0; i < s->n; i++) {
		bool first = i == 0 || !same_thread(&s->items[i], &s->items[i - 1]);
		own = i && s->items[i].process == s->items[i - 1].process ? own + first : 1;
		n_threads += first;
		if (own > MOST_THREADS)
			return false;
	}
	jr_sort(keys, s->n, sizeof(*keys), compare_keys);
	for (size_t i = 0, end; i < s->n; i = end) {
		for (end = i;
			 end < s->n && keys[end].round == keys[i].round && keys[end].number == keys[i].number;
			 end++)
			s->items[keys[end].item].step = (uint32_t)s->n_steps;
		n_common += end - i == n_threads;
		s->numbers[s->n_steps++] = keys[i].number;
	}
	return n_common >= LEAST_STEPS && 2 * n_common >= s->n_steps;
}

/* --- work in the steps ------------------------------------------------------------------------ */

/* The last item of a thread that begins by then; NULL: none. */
static const struct jr_leading_step *begun_by(
	const struct jr_leading_steps *s, uint32_t process, uint32_t thread, int64_t t_ns)
{
	size_t lo = 0, hi = s->n;
	/* find the first that begins later */
	JR_SEARCH(lo, hi, mid,
		s->items[mid].process < process ||
			(s->items[mid].process == process &&
				(s->items[mid].thread < thread ||
					(s->items[mid].thread == thread && s->items[mid].start_ns <= t_ns))));
	return lo && s->items[lo - 1].process == process ? &s->items[lo - 1] : NULL;
}

/* The step around a time on a thread; if the thread is not known (JR_NONE) or has no steps, the
 * latest-begun one around it. */
static uint32_t step_at(
	const struct jr_leading_steps *s, uint32_t process, uint32_t thread, int64_t t_ns)
{
	const struct jr_leading_step *at = begun_by(s, process, thread, INT64_MAX), *best = NULL;
	if (at && at->thread == thread) {
		at = begun_by(s, process, thread, t_ns);
		return at && at->thread == thread && t_ns <= at->end_ns ? at->step : JR_NONE;
	}
	at = begun_by(s, process, JR_NONE, t_ns);
	while (at) {
		uint32_t own = at->thread;
		at = begun_by(s, process, own, t_ns);
		if (at && at->thread == own && t_ns <= at->end_ns &&
			(!best || at->start_ns > best->start_ns))
			best = at;
		at = own ? begun_by(s, process, own - 1, INT64_MAX) : NULL;
	}
	return best ? best->step : JR_NONE;
}

uint32_t jr_leading_step_of_op(
	const struct jr_profile *p, const struct jr_leading_steps *steps, size_t row)
{
	uint32_t call = p->gpu_ops.call[row];
	return call == JR_NONE ? JR_NONE
						   : step_at(steps, p->devices[p->gpu_ops.device[row]].process,
								 p->api_calls.thread[call], p->api_calls.start_ns[call]);
}

static uint32_t step_of_module(const struct trial *t, size_t row)
{
	const struct jr_modules *m = &t->p->modules;
	return m->launch_ns[row] == INT64_MAX
			   ? JR_NONE
			   : step_at(
					 &t->steps, t->p->devices[m->device[row]].process, JR_NONE, m->launch_ns[row]);
}

/* Return the fraction of execution time (without executions: of operation time) launched inside a
 * step. */
static double covered(const struct trial *t)
{
	const struct jr_profile *p = t->p;
	double in_ns = 0, all_ns = 0;
	for (size_t i = 0; i < p->modules.n; i++) {
		all_ns += (double)p->modules.dur_ns[i];
		in_ns += step_of_module(t, i) != JR_NONE ? (double)p->modules.dur_ns[i] : 0;
	}
	for (size_t i = 0; i < p->gpu_ops.n && p->modules.n == 0; i++) {
		uint32_t step = jr_leading_step_of_op(p, &t->steps, i);
		all_ns += (double)p->gpu_ops.dur_ns[i];
		in_ns += step != JR_NONE ? (double)p->gpu_ops.dur_ns[i] : 0;
	}
	return all_ns > 0 ? in_ns / all_ns : 0;
}

static uint32_t heaviest_program(const struct trial *t)
{
	const struct jr_profile *p = t->p;
	int64_t *sum_ns = JR_ARENA_N(t->scratch, int64_t, p->n_programs + 1);
	uint32_t best = 0;
	for (size_t i = 0; i < p->modules.n; i++)
		sum_ns[p->modules.program[i]] += p->modules.dur_ns[i];
	for (uint32_t k = 0; k < p->n_programs; k++)
		if (sum_ns[k] > sum_ns[best])
			best = k;
	return best;
}

/* Return how often a step runs the heaviest program, over all devices. Counts from the first to the
 * last step of each device, because a launch may fall into the following step. */
static double executions_of_step(const struct trial *t)
{
	const struct jr_profile *p = t->p;
	const struct jr_modules *m = &p->modules;
	uint32_t program = heaviest_program(t);
	uint32_t *first = JR_ARENA_N(t->scratch, uint32_t, p->n_devices + 1);
	uint32_t *behind = JR_ARENA_N(t->scratch, uint32_t, p->n_devices + 1);
	double n = 0, n_steps = 0;
	for (size_t i = 0; i < m->n; i++) {
		uint32_t step = m->program[i] == program ? step_of_module(t, i) : JR_NONE;
		uint32_t d = m->device[i];
		if (step == JR_NONE)
			continue;
		n++;
		first[d] = behind[d] == 0 || step < first[d] ? step : first[d];
		behind[d] = step + 1 > behind[d] ? step + 1 : behind[d];
	}
	for (size_t d = 0; d < p->n_devices; d++)
		n_steps += behind[d] - first[d];
	return n_steps > 0 ? n / n_steps : 0;
}

/* --- all names -------------------------------------------------------------------------------- */

/* Check a name that `n` steps have. Returns false if they do not lead; sets *apart if the launches
 * are outside of the steps. */
static bool try_name(struct trial *t, uint32_t name, size_t n, bool *apart)
{
	const struct jr_profile *p = t->p;
	struct key *keys = JR_ARENA_N(t->scratch, struct key, n + 1);
	t->steps = (struct jr_leading_steps){.name = name,
		.items = JR_ARENA_N(t->scratch, struct jr_leading_step, n + 1),
		.numbers = JR_ARENA_N(t->scratch, int64_t, n + 1)};
	if ((!take_items(t, name, n, keys, false) && !take_items(t, name, n, keys, true)) ||
		!number_items(t, keys))
		return false;
	if (covered(t) < COVERED) {
		*apart = true;
		return false;
	}
	/* If each step runs the program once, its executions define the steps, warm-up included. */
	return p->modules.n == 0 || executions_of_step(t) >= SEVERAL;
}

/* Programs that launch asynchronously may do so after their numbered step has ended. */
static void tell_apart(struct jr_profile *p, const struct trial *t)
{
	if (p->modules.n + p->gpu_ops.n)
		jr_profile_guess(p, "steps-apart", t->steps.n,
			"numbered steps contain the launches of less than half of the device time, so steps "
			"are not counted by them");
}

/* --- steps without work ----------------------------------------------------------------------- */

#define MOST_NAMED 5

/* Report steps that launched nothing, if launches are known. Steps around other steps are excluded.
 */
static void tell_empty(struct jr_profile *p)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	uint64_t n = 0;
	jr_buf_printf(&text, "for some numbered steps no GPU operation is recorded (");
	for (size_t i = 0; i < p->n_numbered_steps; i++) {
		const struct jr_numbered_step *s = &p->numbered_steps[i];
		bool around =
			i + 1 < p->n_numbered_steps && s[1].process == s->process && s[1].start_ns < s->end_ns;
		if (!s->any_launch || s->n_spans || around)
			continue;
		if (n++ < MOST_NAMED)
			jr_buf_printf(&text, "%s%s %" PRId64, n > 1 ? ", " : "", jr_str(p, s->name), s->number);
	}
	jr_buf_printf(&text, n > MOST_NAMED ? ", …): " : "): ");
	jr_buf_printf(&text, "their records may be missing, and their device time is unknown");
	jr_profile_guess(p, "steps-without-work", n, jr_arena_strdup(&p->arena, text.data));
}

void jr_steps_lead(struct jr_profile *p, struct jr_arena *scratch)
{
	uint32_t names[MOST_NAMES];
	size_t counts[MOST_NAMES] = {0}, n_names = 0;
	for (size_t i = 0; i < p->n_numbered_steps; i++) {
		size_t k = 0;
		while (k < n_names && names[k] != p->numbered_steps[i].name)
			k++;
		if (k == MOST_NAMES)
			continue;
		if (k == n_names)
			names[n_names++] = p->numbered_steps[i].name;
		counts[k]++;
	}
	memset(p->modules.step, 0xFF, p->modules.n * sizeof(*p->modules.step));
	struct trial best = {0}, elsewhere = {0};
	for (size_t k = 0; k < n_names; k++) {
		struct trial t = {.p = p, .scratch = scratch};
		/* prefer outer steps, which are fewer, over nested ones */
		bool apart = false, leads = try_name(&t, names[k], counts[k], &apart);
		if (leads && (!best.steps.n || t.steps.n_steps < best.steps.n_steps))
			best = t;
		if (apart && !elsewhere.steps.n)
			elsewhere = t;
	}
	tell_empty(p);
	if (!best.steps.n) {
		if (elsewhere.steps.n)
			tell_apart(p, &elsewhere);
		return;
	}
	struct jr_leading_steps *s = &p->leading_steps;
	*s = best.steps;
	s->items = JR_ARENA_N(&p->arena, struct jr_leading_step, s->n + 1);
	s->numbers = JR_ARENA_N(&p->arena, int64_t, s->n_steps + 1);
	memcpy(s->items, best.steps.items, s->n * sizeof(*s->items));
	memcpy(s->numbers, best.steps.numbers, s->n_steps * sizeof(*s->numbers));
	for (size_t i = 0; i < p->modules.n; i++)
		p->modules.step[i] = step_of_module(&best, i);
}
