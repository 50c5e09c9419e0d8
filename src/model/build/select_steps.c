/* Selecting steps: the time of each device and host that belongs to them. */
#include <math.h>
#include <string.h>

#include "base/order.h"
#include "base/sort.h"
#include "model/build/select.h"

/* The start of a step on a device, or on the host of a process. */
struct begin {
	uint32_t owner; /* row of devices or of processes */
	uint32_t key;   /* leading step, or number of the execution */
	int64_t at_ns;
};

struct steps {
	struct jr_selecting *s;
	bool numbered;    /* by the program; else executions of `program` are the steps */
	uint32_t program; /* JR_NONE: none */
	size_t n_keys;
	double *aligned_ns; /* [n_keys] first start over all devices; INFINITY = none */
	size_t n_begins, n_own;
	struct begin *begins; /* of all devices, in their order, then by start */
};

JR_ORDER(compare_keys, struct begin, JR_UP(owner) JR_UP(key) JR_UP(at_ns))
JR_ORDER(compare_times, struct begin, JR_UP(owner) JR_UP(at_ns) JR_UP(key))

/* Return the program whose executions are the steps: the one with the most steady time, as ranked
 * by steady.h; JR_NONE if there is none. */
static uint32_t step_program(const struct jr_profile *p)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	int64_t *sum_ns = JR_ARENA_N(&scratch, int64_t, p->n_programs + 1);
	uint32_t best = JR_NONE;
	for (size_t k = 0; k < p->n_programs; k++)
		sum_ns[k] = -1; /* did not run */
	for (size_t i = 0; i < p->modules.n; i++)
		if (p->modules.steady[i]) {
			int64_t *sum = &sum_ns[p->modules.program[i]];
			*sum = (*sum < 0 ? 0 : *sum) + p->modules.dur_ns[i];
		}
	for (uint32_t k = 0; k < p->n_programs; k++)
		if (sum_ns[k] >= 0 &&
			(best == JR_NONE || sum_ns[k] > sum_ns[best] ||
				(sum_ns[k] == sum_ns[best] &&
					strcmp(jr_str(p, p->programs[k].name), jr_str(p, p->programs[best].name)) < 0)))
			best = k;
	return best;
}

static int64_t number_of(const struct steps *t, uint32_t key)
{
	return t->numbered ? t->s->p->leading_steps.numbers[key] : (int64_t)key;
}

static bool wanted(const struct steps *t, uint32_t key)
{
	int64_t number = number_of(t, key);
	return number >= t->s->want->steps.from && number <= t->s->want->steps.to;
}

/* --- starts of steps -------------------------------------------------------------------------- */

/* As step_window.c: an execution of an earlier step than the current one begins none. */
static void begin_with_modules(struct steps *t)
{
	const struct jr_modules *m = &t->s->p->modules;
	uint32_t last = JR_NONE;
	for (size_t i = 0; i < m->n; i++) {
		if (i == 0 || m->device[i] != m->device[i - 1])
			last = JR_NONE;
		uint32_t key = t->numbered                   ? m->step[i]
					   : m->program[i] == t->program ? m->program_execution[i]
													 : JR_NONE;
		if (key == JR_NONE || (t->numbered && last != JR_NONE && key <= last))
			continue;
		last = key;
		t->begins[t->n_begins++] = (struct begin){m->device[i], key, m->start_ns[i]};
	}
}

/* Copies begin no step, because they may run before it. */
static void begin_with_ops(struct steps *t)
{
	const struct jr_profile *p = t->s->p;
	const struct jr_gpu_ops *g = &p->gpu_ops;
	size_t n = 0, kept = 0;
	for (size_t i = 0; i < g->n; i++) {
		bool kernel = g->kind[i] == JR_GPU_KERNEL || g->kind[i] == JR_GPU_GRAPH;
		uint32_t key = kernel ? jr_leading_step_of_op(p, &p->leading_steps, i) : JR_NONE;
		if (key != JR_NONE)
			t->begins[n++] = (struct begin){g->device[i], key, g->start_ns[i]};
	}
	jr_sort(t->begins, n, sizeof(*t->begins), compare_keys);
	for (size_t i = 0; i < n; i++) {
		const struct begin *last = kept ? &t->begins[kept - 1] : NULL;
		if (!last || last->owner != t->begins[i].owner ||
			(last->key != t->begins[i].key && last->at_ns < t->begins[i].at_ns))
			t->begins[kept++] = t->begins[i];
	}
	t->n_begins = kept;
}

static void align_begins(struct steps *t)
{
	const struct jr_profile *p = t->s->p;
	for (size_t i = 0; i < t->n_begins; i++)
		if (t->begins[i].key >= t->n_keys)
			t->n_keys = (size_t)t->begins[i].key + 1;
	t->aligned_ns = JR_ARENA_N(t->s->scratch, double, t->n_keys + 1);
	for (size_t k = 0; k < t->n_keys; k++)
		t->aligned_ns[k] = INFINITY;
	for (size_t i = 0; i < t->n_begins; i++) {
		const struct begin *b = &t->begins[i];
		t->aligned_ns[b->key] = fmin(t->aligned_ns[b->key], jr_aligned_ns(p, b->at_ns, b->owner));
	}
}

/* --- windows ---------------------------------------------------------------------------------- */

/* A step lasts until the next one begins, the last one to the end. `begins` by time. */
static struct jr_spans spans_of(const struct steps *t, const struct begin *begins, size_t n)
{
	struct jr_spans out = {.items = JR_ARENA_N(t->s->scratch, struct jr_span, n + 1)};
	for (size_t i = 0; i < n; i++) {
		int64_t end_ns = i + 1 < n ? begins[i + 1].at_ns : INT64_MAX;
		struct jr_span *last = out.n ? &out.items[out.n - 1] : NULL;
		if (!wanted(t, begins[i].key))
			continue;
		if (last && last->end_ns == begins[i].at_ns)
			last->end_ns = end_ns;
		else
			out.items[out.n++] = (struct jr_span){begins[i].at_ns, end_ns};
	}
	return out;
}

/* For a device or host without steps of its own: those of all devices. `device` JR_NONE: the common
 * clock. */
static struct jr_spans spans_of_all(const struct steps *t, uint32_t device)
{
	const struct jr_profile *p = t->s->p;
	double correction_ns = device == JR_NONE ? 0 : p->devices[device].correction_ns;
	struct begin *begins = JR_ARENA_N(t->s->scratch, struct begin, t->n_keys + 1);
	size_t n = 0;
	for (uint32_t k = 0; k < t->n_keys; k++)
		if (!isinf(t->aligned_ns[k]))
			begins[n++] = (struct begin){
				0, k, p->origin_ns + (int64_t)ceil(t->aligned_ns[k] + correction_ns)};
	jr_sort(begins, n, sizeof(*begins), compare_times);
	return spans_of(t, begins, n);
}

/* Set the windows of owners that have steps of their own. `begins` by owner, then time. */
static void set_own(const struct steps *t, const struct begin *begins, size_t n,
	struct jr_spans *windows, uint8_t *done)
{
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && begins[end].owner == begins[i].owner; end++)
			;
		windows[begins[i].owner] = spans_of(t, begins + i, end - i);
		done[begins[i].owner] = 1;
	}
}

static void set_devices(struct steps *t)
{
	const struct jr_profile *p = t->s->p;
	uint8_t *done = JR_ARENA_N(t->s->scratch, uint8_t, p->n_devices + 1);
	t->s->steps.devices = JR_ARENA_N(t->s->scratch, struct jr_spans, p->n_devices + 1);
	set_own(t, t->begins, t->n_begins, t->s->steps.devices, done);
	for (uint32_t d = 0; d < p->n_devices; d++)
		if (!done[d])
			t->s->steps.devices[d] = spans_of_all(t, d);
}

/* On a host, a numbered step begins with its range, any other with the first launch of its
 * execution, or with the execution if that is not known. */
static size_t begin_on_hosts(const struct steps *t, struct begin *out)
{
	const struct jr_profile *p = t->s->p;
	const struct jr_leading_steps *l = &p->leading_steps;
	const struct jr_modules *m = &p->modules;
	size_t n = 0, kept = 0;
	for (size_t i = 0; i < l->n && t->numbered; i++)
		out[n++] = (struct begin){p->processes[l->items[i].process].first_session, l->items[i].step,
			l->items[i].start_ns};
	for (size_t i = 0; i < m->n && !t->numbered; i++)
		if (m->program[i] == t->program)
			out[n++] = (struct begin){p->processes[p->devices[m->device[i]].process].first_session,
				m->program_execution[i],
				m->launch_ns[i] == INT64_MAX ? m->start_ns[i] : m->launch_ns[i]};
	jr_sort(out, n, sizeof(*out), compare_keys);
	for (size_t i = 0; i < n; i++)
		if (!kept || out[kept - 1].owner != out[i].owner || out[kept - 1].key != out[i].key)
			out[kept++] = out[i];
	jr_sort(out, kept, sizeof(*out), compare_times);
	return kept;
}

static void set_processes(struct steps *t)
{
	const struct jr_profile *p = t->s->p;
	size_t room = t->numbered ? p->leading_steps.n : p->modules.n;
	struct begin *begins = JR_ARENA_N(t->s->scratch, struct begin, room + 1);
	uint8_t *done = JR_ARENA_N(t->s->scratch, uint8_t, p->n_processes + 1);
	uint32_t *device_of = JR_ARENA_N(t->s->scratch, uint32_t, p->n_processes + 1);
	struct jr_spans *windows = JR_ARENA_N(t->s->scratch, struct jr_spans, p->n_processes + 1);
	t->s->steps.processes = windows;
	size_t n = begin_on_hosts(t, begins);
	set_own(t, begins, n, windows, done);
	memset(device_of, 0xFF, p->n_processes * sizeof(*device_of));
	for (uint32_t d = (uint32_t)p->n_devices; d-- > 0;)
		device_of[p->devices[d].process] = d;
	for (size_t i = 0; i < p->n_processes; i++)
		if (!done[i])
			windows[i] = spans_of_all(t, device_of[i]);
}

/* --- words ------------------------------------------------------------------------------------ */

/* Append "of jit_step" if executions are the steps. */
static void put_kind(const struct steps *t, struct jr_buf *out)
{
	if (!t->numbered)
		jr_buf_printf(out, " of %s", jr_str(t->s->p, t->s->p->programs[t->program].name));
}

static enum jr_status none_of_these(
	const struct steps *t, const int64_t *numbers, size_t n, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_printf(&text, "--steps %s: %s does not have these steps. It has %s ",
		t->s->want->steps_text, t->s->input, n == 1 ? "step" : "steps");
	jr_select_put_numbers(&text, numbers, n);
	put_kind(t, &text);
	(void)jr_fail(err, JR_EUSAGE, "%s.", text.data);
	return JR_EUSAGE;
}

JR_ORDER_OF_VALUES(compare_numbers, int64_t)

/* Append "steps 10 to 20 (11 of 40)". */
static enum jr_status describe(struct steps *t, struct jr_error *err)
{
	int64_t *all = JR_ARENA_N(t->s->scratch, int64_t, t->n_keys + 1);
	int64_t *selected = JR_ARENA_N(t->s->scratch, int64_t, t->n_keys + 1);
	size_t n = 0, n_selected = 0, n_all, n_of;
	for (uint32_t k = 0; k < t->n_keys; k++) {
		if (isinf(t->aligned_ns[k]))
			continue;
		all[n++] = number_of(t, k);
		if (wanted(t, k))
			selected[n_selected++] = number_of(t, k);
	}
	n_all = n;
	n_of = n_selected;
	jr_sort(all, n, sizeof(*all), compare_numbers);
	jr_sort(selected, n_selected, sizeof(*selected), compare_numbers);
	if (n_selected == 0)
		return none_of_these(t, all, n, err);
	struct jr_buf *out = &t->s->text;
	jr_buf_printf(out, "%s%s ", out->size ? ", " : "", n_selected == 1 ? "step" : "steps");
	jr_select_put_numbers(out, selected, n_selected);
	put_kind(t, out);
	jr_buf_printf(out, " (%zu of %zu)", n_of, n_all);
	return JR_OK;
}

enum jr_status jr_select_steps(struct jr_selecting *s, struct jr_error *err)
{
	const struct jr_profile *p = s->p;
	struct steps t = {.s = s,
		.numbered = p->leading_steps.n_steps > 0,
		.program = step_program(p),
		.begins =
			JR_ARENA_N(s->scratch, struct begin, (p->modules.n ? p->modules.n : p->gpu_ops.n) + 1)};
	if (!t.numbered && t.program == JR_NONE)
		return jr_fail(err, JR_EUSAGE,
			"--steps: %s does not contain steps: no execution of an XLA module, and no numbered "
			"steps that follow one another and launch its work. Use --time or --range.",
			s->input);
	if (p->modules.n)
		begin_with_modules(&t);
	else
		begin_with_ops(&t);
	align_begins(&t);
	JR_TRY(describe(&t, err));
	set_devices(&t);
	set_processes(&t);
	return JR_OK;
}
