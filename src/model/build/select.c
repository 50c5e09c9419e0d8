/* Reducing a profile to the devices, steps, time, host ranges and programs that were asked for
 * (analysis/README.md, section 18). */
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/order.h"
#include "base/sort.h"
#include "model/build/build.h"
#include "model/build/select.h"

/* --- words ------------------------------------------------------------------------------------ */

static const char *input_name(const struct jr_profile *p, struct jr_arena *arena)
{
	if (p->n_inputs == 1)
		return jr_arena_printf(arena, "'%.200s'", p->inputs[0].name);
	return jr_arena_printf(arena, "'%.200s' and %zu more", p->inputs[0].name, p->n_inputs - 1);
}

/* --- devices ---------------------------------------------------------------------------------- */

static bool is_listed(const struct jr_selection *want, uint32_t number)
{
	for (size_t i = 0; i < want->n_devices; i++)
		if (number >= want->devices[i].from && number <= want->devices[i].to)
			return true;
	return false;
}

/* Find a number of the list that no device has: in [*number, INT64_MAX) if it returns true. */
static bool is_absent(const struct jr_selecting *s, const int64_t *numbers, int64_t *number)
{
	size_t n = s->p->n_devices, at = 0;
	for (size_t i = 0; i < s->want->n_devices; i++) {
		*number = s->want->devices[i].from;
		for (; at < n && numbers[at] <= s->want->devices[i].to; at++)
			if (numbers[at] >= *number) {
				if (numbers[at] != *number)
					return true;
				(*number)++;
			}
		if (*number <= s->want->devices[i].to)
			return true;
	}
	return false;
}

/* A process is selected with its devices; all of its sessions count, and so does one that has no
 * device. */
static void select_processes(struct jr_selecting *s)
{
	const struct jr_profile *p = s->p;
	uint8_t *has_device = JR_ARENA_N(s->scratch, uint8_t, p->n_processes + 1);
	memset(s->processes, 0, p->n_processes);
	for (size_t d = 0; d < p->n_devices; d++) {
		uint32_t process = p->processes[p->devices[d].process].first_session;
		has_device[process] = 1;
		s->processes[process] |= s->devices[d];
	}
	for (size_t i = 0; i < p->n_processes; i++) {
		uint32_t first = p->processes[i].first_session;
		s->processes[i] = s->processes[first] || !has_device[first];
	}
}

static enum jr_status select_devices(struct jr_selecting *s, struct jr_error *err)
{
	const struct jr_profile *p = s->p;
	int64_t *numbers = JR_ARENA_N(s->scratch, int64_t, p->n_devices + 1), absent;
	size_t n = 0;
	for (size_t d = 0; d < p->n_devices; d++)
		numbers[d] = p->devices[d].global;
	if (is_absent(s, numbers, &absent)) {
		JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
		jr_buf_printf(&text, "--devices %.100s: %s has no device %" PRId64 ". ",
			s->want->devices_text, s->input, absent);
		jr_buf_puts(&text, p->n_devices == 0   ? "It has no devices"
						   : p->n_devices == 1 ? "Its only device is "
											   : "Its devices are ");
		jr_select_put_numbers(&text, numbers, p->n_devices);
		(void)jr_fail(err, JR_EUSAGE, "%s.", text.data);
		return JR_EUSAGE;
	}
	for (size_t d = 0; d < p->n_devices; d++)
		if ((s->devices[d] = is_listed(s->want, p->devices[d].global)))
			numbers[n++] = p->devices[d].global;
	select_processes(s);
	jr_buf_puts(&s->text, n == 1 ? "device " : "devices ");
	jr_select_put_numbers(&s->text, numbers, n);
	jr_buf_printf(&s->text, " of %zu", p->n_devices);
	return JR_OK;
}

/* --- time ------------------------------------------------------------------------------------- */

static struct jr_spans span_of(const struct jr_selecting *s, double correction_ns)
{
	int64_t zero_ns = s->p->origin_ns + (int64_t)ceil(s->zero_ns + correction_ns);
	struct jr_span *span = JR_ARENA_NEW(s->scratch, struct jr_span);
	*span = (struct jr_span){s->want->from_ns == INT64_MIN ? INT64_MIN : zero_ns + s->want->from_ns,
		s->want->to_ns == INT64_MAX ? INT64_MAX : zero_ns + s->want->to_ns};
	return (struct jr_spans){.n = 1, .items = span};
}

static void put_time(struct jr_buf *out, int64_t ns)
{
	char text[JR_NUM_MAX];
	jr_num_time(text, (double)ns);
	jr_buf_puts(out, text);
}

/* A host has the clock of its first device. */
static void select_time(struct jr_selecting *s)
{
	const struct jr_profile *p = s->p;
	s->time.devices = JR_ARENA_N(s->scratch, struct jr_spans, p->n_devices + 1);
	s->time.processes = JR_ARENA_N(s->scratch, struct jr_spans, p->n_processes + 1);
	for (size_t i = 0; i < p->n_processes; i++)
		s->time.processes[i] = span_of(s, 0);
	for (size_t d = p->n_devices; d-- > 0;) {
		s->time.devices[d] = span_of(s, p->devices[d].correction_ns);
		s->time.processes[p->devices[d].process] = s->time.devices[d];
	}
	struct jr_buf *out = &s->text;
	jr_buf_puts(out, out->size ? ", " : "");
	if (s->want->from_ns != INT64_MIN) {
		jr_buf_puts(out, "from ");
		put_time(out, s->want->from_ns);
	}
	if (s->want->to_ns != INT64_MAX) {
		jr_buf_puts(out, s->want->from_ns != INT64_MIN ? " to " : "before ");
		put_time(out, s->want->to_ns);
	}
	if (s->want->to_ns == INT64_MAX)
		jr_buf_puts(out, " to the end");
}

/* --- programs --------------------------------------------------------------------------------- */

#define MOST_PROGRAMS 8

/* List the programs that ran, most time first. */
static enum jr_status no_program(const struct jr_selecting *s, struct jr_error *err)
{
	const struct jr_profile *p = s->p;
	int64_t *sum_ns = JR_ARENA_N(s->scratch, int64_t, p->n_programs + 1);
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	for (size_t i = 0; i < p->modules.n; i++)
		sum_ns[p->modules.program[i]] += p->modules.dur_ns[i] + 1;
	for (size_t n = 0; n < MOST_PROGRAMS; n++) {
		size_t best = 0;
		for (size_t k = 1; k < p->n_programs; k++)
			best = sum_ns[k] > sum_ns[best] ? k : best;
		if (p->n_programs == 0 || sum_ns[best] == 0)
			break;
		sum_ns[best] = 0;
		jr_buf_printf(&text, "%s%.60s", n ? ", " : "", jr_str(p, p->programs[best].name));
	}
	(void)jr_fail(err, JR_EUSAGE, "--program '%s': no program of %s has this name. %s%s.",
		s->want->program, s->input, text.size ? "Programs with the most time: " : "It has none",
		text.size ? text.data : "");
	return JR_EUSAGE;
}

static enum jr_status select_programs(struct jr_selecting *s, struct jr_error *err)
{
	const struct jr_profile *p = s->p;
	uint8_t *ran = JR_ARENA_N(s->scratch, uint8_t, p->n_programs + 1);
	size_t n = 0, n_ran = 0;
	for (size_t i = 0; i < p->modules.n; i++)
		ran[p->modules.program[i]] = 1;
	for (size_t k = 0; k < p->n_programs; k++) {
		s->programs[k] = fnmatch(s->want->program, jr_str(p, p->programs[k].name), 0) == 0;
		n += s->programs[k] && ran[k];
		n_ran += ran[k];
	}
	if (n == 0)
		return no_program(s, err);
	jr_buf_printf(&s->text, "%sprograms “%s” (%zu of %zu)", s->text.size ? ", " : "",
		s->want->program, n, n_ran);
	return JR_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Return when an execution was launched, in a matching range or not. */
static bool launched_in_range(const struct jr_selecting *s, size_t module)
{
	const struct jr_profile *p = s->p;
	uint32_t process = p->processes[p->devices[p->modules.device[module]].process].first_session;
	int64_t launch_ns = p->modules.launch_ns[module];
	return launch_ns != INT64_MAX && jr_spans_contain(&s->range_processes[process], launch_ns);
}

static void mark_modules(struct jr_selecting *s)
{
	const struct jr_profile *p = s->p;
	const struct jr_modules *m = &p->modules;
	for (size_t i = 0; i < m->n; i++) {
		uint32_t d = m->device[i];
		int64_t t_ns = m->start_ns[i];
		s->modules[i] =
			(uint8_t)((s->devices[d] ? 0 : JR_BY_DEVICES) |
					  (!s->steps.devices || jr_spans_contain(&s->steps.devices[d], t_ns)
							  ? 0
							  : JR_BY_STEPS) |
					  (!s->time.devices || jr_spans_contain(&s->time.devices[d], t_ns)
							  ? 0
							  : JR_BY_TIME) |
					  (!s->range_processes || launched_in_range(s, i) ? 0 : JR_BY_RANGE) |
					  (s->programs[m->program[i]] ? 0 : JR_BY_PROGRAM));
	}
}

JR_ORDER_COLUMNS(compare_ops, struct jr_gpu_ops, JR_UP_AT(device) JR_UP_AT(start_ns))

/* Find the execution that each operation starts in: of several, the one that began last. Finished
 * executions are taken from the stack when they are on top. */
static void place_ops(struct jr_selecting *s)
{
	const struct jr_profile *p = s->p;
	const struct jr_gpu_ops *g = &p->gpu_ops;
	const struct jr_modules *m = &p->modules;
	uint32_t *order = JR_ARENA_N(s->scratch, uint32_t, g->n + 1);
	uint32_t *stack = JR_ARENA_N(s->scratch, uint32_t, m->n + 1);
	size_t depth = 0, next = 0;
	s->within = JR_ARENA_N(s->scratch, uint32_t, g->n + 1);
	for (uint32_t i = 0; i < g->n; i++)
		order[i] = i;
	jr_sort_with(order, g->n, sizeof(*order), compare_ops, (void *)(uintptr_t)g);
	for (size_t k = 0; k < g->n; k++) {
		uint32_t i = order[k], d = g->device[i];
		int64_t t_ns = g->start_ns[i];
		if (k == 0 || d != g->device[order[k - 1]])
			depth = 0;
		while (next < m->n && m->device[next] < d)
			next++;
		while (next < m->n && m->device[next] == d && m->start_ns[next] <= t_ns)
			stack[depth++] = (uint32_t)next++;
		while (depth && m->start_ns[stack[depth - 1]] + m->dur_ns[stack[depth - 1]] <= t_ns)
			depth--;
		s->within[i] = depth ? stack[depth - 1] : JR_NONE;
	}
}

static bool op_in_range(const struct jr_selecting *s, size_t row)
{
	const struct jr_profile *p = s->p;
	uint32_t call = p->gpu_ops.call[row], within = s->within[row];
	if (within != JR_NONE && p->modules.launch_ns[within] != INT64_MAX)
		return !(s->modules[within] & JR_BY_RANGE);
	return call != JR_NONE &&
		   jr_selects_in_range(s, p->api_calls.thread[call], p->api_calls.start_ns[call]);
}

static void mark_ops(struct jr_selecting *s)
{
	const struct jr_profile *p = s->p;
	const struct jr_gpu_ops *g = &p->gpu_ops;
	if (s->want->program || s->range_processes)
		place_ops(s);
	for (size_t i = 0; i < g->n; i++) {
		uint32_t d = g->device[i];
		bool of_program = !s->want->program ||
						  (s->within[i] != JR_NONE && !(s->modules[s->within[i]] & JR_BY_PROGRAM));
		s->ops[i] = (uint8_t)((s->devices[d] ? 0 : JR_BY_DEVICES) |
							  (jr_selects_device_time(s, d, g->start_ns[i]) ? 0 : JR_BY_TIME) |
							  (!s->range_processes || op_in_range(s, i) ? 0 : JR_BY_RANGE) |
							  (of_program ? 0 : JR_BY_PROGRAM));
	}
}

/* --- what is left ----------------------------------------------------------------------------- */

static size_t count_kept(const uint8_t *out, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		kept += !out[i];
	return kept;
}

/* Say which option leaves nothing, or that they do so together. */
static enum jr_status nothing_left(const struct jr_selecting *s, struct jr_error *err)
{
	static const struct {
		enum jr_criterion criterion;
		const char *option, *what;
	} options[] = {{JR_BY_DEVICES, "--devices", "ran on these devices"},
		{JR_BY_STEPS, "--steps", "started in these steps"},
		{JR_BY_TIME, "--time", "started in this time"},
		{JR_BY_RANGE, "--range", "is known to be launched in these ranges"},
		{JR_BY_PROGRAM, "--program", "belongs to these programs"}};
	const struct jr_profile *p = s->p;
	bool by_modules = p->modules.n > 0;
	const uint8_t *out = by_modules ? s->modules : s->ops;
	size_t n = by_modules ? p->modules.n : p->gpu_ops.n;
	const char *rows = by_modules ? "execution of a module" : "GPU operation";
	const int64_t *start_ns = by_modules ? p->modules.start_ns : p->gpu_ops.start_ns;
	const uint32_t *device = by_modules ? p->modules.device : p->gpu_ops.device;
	double last_ns = 0;
	for (size_t i = 0; i < n; i++)
		last_ns = fmax(last_ns, jr_aligned_ns(p, start_ns[i], device[i]) - s->zero_ns);
	for (size_t k = 0; k < JR_COUNT_OF(options); k++) {
		size_t n_left = 0;
		for (size_t i = 0; i < n; i++)
			n_left += !(out[i] & options[k].criterion);
		if (n_left)
			continue;
		char last[JR_NUM_MAX];
		jr_num_time(last, last_ns);
		return jr_fail(err, JR_EUSAGE, "%s: no %s of %s %s%s%s.", options[k].option, rows, s->input,
			options[k].what, options[k].criterion == JR_BY_TIME ? "; the last one starts at " : "",
			options[k].criterion == JR_BY_TIME ? last : "");
	}
	return jr_fail(err, JR_EUSAGE,
		"the selection is empty: each option selects something in %s, but together they select "
		"nothing (%s). Leave one out.",
		s->input, s->text.data);
}

/* Work of each device, selected or not. */
struct work {
	struct jr_spans *spans; /* [n_devices] */
};

static struct work new_work(const struct jr_profile *p, const size_t *n, struct jr_arena *arena)
{
	struct work w = {JR_ARENA_N(arena, struct jr_spans, p->n_devices + 1)};
	for (size_t d = 0; d < p->n_devices; d++)
		w.spans[d].items = JR_ARENA_N(arena, struct jr_span, n[d] + 1);
	return w;
}

static void add_work(struct work *w, uint32_t device, int64_t start_ns, int64_t dur_ns)
{
	struct jr_spans *own = &w->spans[device];
	if (dur_ns > 0)
		own->items[own->n++] = (struct jr_span){start_ns, start_ns + dur_ns};
}

/* Return what of `a` is not in `b`. */
static struct jr_spans without(
	const struct jr_spans *a, const struct jr_spans *b, struct jr_arena *arena)
{
	struct jr_spans out = {.items = JR_ARENA_N(arena, struct jr_span, a->n + b->n + 1)};
	size_t k = 0;
	for (size_t i = 0; i < a->n; i++) {
		int64_t at_ns = a->items[i].start_ns, end_ns = a->items[i].end_ns;
		while (k < b->n && b->items[k].end_ns <= at_ns)
			k++;
		for (size_t j = k; j < b->n && b->items[j].start_ns < end_ns; j++) {
			if (b->items[j].start_ns > at_ns)
				out.items[out.n++] = (struct jr_span){at_ns, b->items[j].start_ns};
			at_ns = b->items[j].end_ns;
		}
		if (at_ns < end_ns)
			out.items[out.n++] = (struct jr_span){at_ns, end_ns};
	}
	jr_spans_unite_sorted(&out, arena);
	return out;
}

/* Remember when selected devices ran only something else: this time is not idle. */
static void keep_left_out(struct jr_selecting *s)
{
	struct jr_profile *p = s->p;
	const struct jr_modules *m = &p->modules;
	const struct jr_thunks *t = &p->thunks;
	const struct jr_gpu_ops *g = &p->gpu_ops;
	size_t *n = JR_ARENA_N(s->scratch, size_t, p->n_devices + 1);
	for (size_t i = 0; i < m->n; i++)
		n[m->device[i]]++;
	for (size_t i = 0; i < t->n; i++)
		n[jr_thunk_device(p, i)]++;
	for (size_t i = 0; i < g->n; i++)
		n[g->device[i]]++;
	struct work work[2] = {new_work(p, n, s->scratch), new_work(p, n, s->scratch)};
	for (size_t i = 0; i < m->n; i++)
		add_work(&work[s->modules[i] != 0], m->device[i], m->start_ns[i], m->dur_ns[i]);
	for (size_t i = 0; i < t->n; i++)
		add_work(&work[s->modules[jr_thunk_module(p, i)] != 0], jr_thunk_device(p, i),
			jr_thunk_start_ns(p, i), jr_thunk_dur_ns(p, i));
	for (size_t i = 0; i < g->n; i++)
		add_work(&work[s->ops[i] != 0], g->device[i], g->start_ns[i], g->dur_ns[i]);
	p->selected.left_out = JR_ARENA_N(&p->arena, struct jr_spans, p->n_devices + 1);
	for (size_t d = 0; d < p->n_devices; d++) {
		jr_spans_unite(&work[0].spans[d], s->scratch);
		jr_spans_unite(&work[1].spans[d], s->scratch);
		p->selected.left_out[d] = without(&work[1].spans[d], &work[0].spans[d], &p->arena);
	}
}

/* Tables that are sums over the whole profile cannot be reduced. */
static void drop_sums(struct jr_profile *p)
{
	jr_profile_guess(p, "lines-left-out", p->n_device_lines,
		"other lines of TPUs are left out, because their events are added up over the whole "
		"profile");
	p->n_device_lines = 0;
	p->tells &= ~(unsigned)JR_TELLS_LANES;
}

static void describe(struct jr_selecting *s)
{
	struct jr_profile *p = s->p;
	size_t n = p->modules.n ? p->modules.n : p->gpu_ops.n;
	size_t kept = p->modules.n ? count_kept(s->modules, n) : count_kept(s->ops, n);
	char some[JR_NUM_MAX], all[JR_NUM_MAX];
	jr_num_grouped_i64(some, (int64_t)kept);
	jr_num_grouped_i64(all, (int64_t)n);
	jr_buf_printf(&s->text, "; %s of %s %s", some, all,
		p->modules.n ? "module executions" : "GPU operations");
	struct jr_selected *out = &p->selected;
	*out = (struct jr_selected){.any = true,
		.text = jr_arena_strdup(&p->arena, s->text.data),
		.zero_ns = s->zero_ns,
		.n_devices = p->n_devices,
		.n_modules = p->modules.n,
		.n_thunks = p->thunks.n,
		.n_gpu_ops = p->gpu_ops.n,
		.n_calls = p->api_calls.n,
		.any_communication = p->any_communication};
	for (size_t i = 0; i < p->gpu_ops.n; i++)
		out->any_kernel |=
			p->gpu_ops.kind[i] == JR_GPU_KERNEL || p->gpu_ops.kind[i] == JR_GPU_GRAPH;
}

/* Say what a part cannot show. */
static void tell(const struct jr_selecting *s)
{
	struct jr_profile *p = s->p;
	jr_profile_guess(p, "selection", p->selected.n_modules ? p->modules.n : p->gpu_ops.n,
		jr_arena_printf(&p->arena,
			"only a part of the profile is in this report (%s). Warm-up, hidden time and clock "
			"alignment were determined from the whole profile, and compilation is that of the "
			"processes as a whole%s",
			p->selected.text,
			p->selected.n_elsewhere
				? ". Waiting in collectives for devices that were not selected counts as waiting, "
				  "but no device is charged with it, and steps are not replayed"
				: ""));
}

/* Mark the rows, and remove all others. */
static enum jr_status reduce(struct jr_selecting *s, struct jr_error *err)
{
	struct jr_profile *p = s->p;
	s->zero_ns = jr_profile_zero_ns(p);
	if (s->want->n_devices)
		JR_TRY(select_devices(s, err));
	if (s->want->by_steps)
		JR_TRY(jr_select_steps(s, err));
	if (s->want->by_time)
		select_time(s);
	if (s->want->range)
		JR_TRY(jr_select_ranges(s, err));
	if (s->want->program)
		JR_TRY(select_programs(s, err));
	mark_modules(s);
	mark_ops(s);
	if (count_kept(s->modules, p->modules.n) + count_kept(s->ops, p->gpu_ops.n) == 0)
		return nothing_left(s, err);
	describe(s);
	keep_left_out(s);
	jr_select_elsewhere(s);
	jr_select_project(s);
	jr_select_rows(s);
	drop_sums(p);
	p->any_communication = false;
	for (size_t i = 0; i < p->thunks.n; i++)
		p->any_communication |= jr_thunk_op(p, i)->communication;
	tell(s);
	return JR_OK;
}

enum jr_status jr_profile_select(struct jr_profile *p, struct jr_error *err)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	if (!jr_selection_given(&p->options.selection))
		return JR_OK;
	const char *only = p->planned                                    ? "compiled programs"
					   : p->live.n && !p->modules.n && !p->gpu_ops.n ? "live memory"
																	 : NULL;
	if (only)
		return jr_fail(err, JR_EUSAGE,
			"'%s' contains only %s, of which no part can be selected. Leave out --devices, "
			"--steps, --time, --range and --program.",
			p->inputs[0].name, only);
	struct jr_selecting s = {.p = p,
		.want = &p->options.selection,
		.scratch = &scratch,
		.input = input_name(p, &scratch),
		.devices = JR_ARENA_N(&scratch, uint8_t, p->n_devices + 1),
		.processes = JR_ARENA_N(&scratch, uint8_t, p->n_processes + 1),
		.programs = JR_ARENA_N(&scratch, uint8_t, p->n_programs + 1),
		.modules = JR_ARENA_N(&scratch, uint8_t, p->modules.n + 1),
		.ops = JR_ARENA_N(&scratch, uint8_t, p->gpu_ops.n + 1)};
	memset(s.devices, 1, p->n_devices);
	memset(s.processes, 1, p->n_processes);
	memset(s.programs, 1, p->n_programs);
	enum jr_status status = reduce(&s, err);
	jr_buf_done(&s.text);
	return status;
}
