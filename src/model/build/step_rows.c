/* Numbered steps of programs, and the device work launched in them. */
#include <string.h>

#include "base/order.h"
#include "base/sort.h"
#include "model/build/step_rows.h"

/* --- rows of one process ---------------------------------------------------------------------- */

/* For equal starts, the longer step comes first, so the innermost comes last. */
JR_ORDER(compare_steps, struct jr_numbered_step,
	JR_UP(start_ns) JR_DOWN(end_ns) JR_UP(number) JR_UP(thread) JR_UP(name))

JR_ORDER(compare_launches, struct jr_launched, JR_UP(launch_ns) JR_UP(start_ns) JR_UP(end_ns))

/* By step, then device; launches outside steps come last. */
JR_ORDER(compare_places, struct jr_launched, JR_UP(step) JR_UP(device))

#define MOST_AROUND 64 /* steps around a launch that are looked at */

/* Assign each launch to the latest-begun step around it, of its own thread if there is one. A
 * finished step on top of the stack is finished for all later launches. Steps below the top may be
 * finished, too; they are checked when they are on top. */
static void find_steps(
	const struct jr_numbered_step *steps, size_t n_steps, struct jr_launched *launched, size_t n)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	uint32_t *stack = JR_ARENA_N(&scratch, uint32_t, n_steps + 1);
	size_t depth = 0;
	uint32_t next = 0;
	for (size_t i = 0; i < n; i++) {
		int64_t t_ns = launched[i].launch_ns;
		while (next < n_steps && steps[next].start_ns <= t_ns)
			stack[depth++] = next++;
		while (depth && steps[stack[depth - 1]].end_ns < t_ns)
			depth--;
		launched[i].step = depth ? stack[depth - 1] : JR_NONE;
		for (size_t k = depth; k-- > 0 && depth - k <= MOST_AROUND;)
			if (steps[stack[k]].thread == launched[i].thread && steps[stack[k]].end_ns >= t_ns) {
				launched[i].step = stack[k];
				break;
			}
	}
}

/* Grow rows to hold n_more further ones. The room doubles, because each process calls this once. */
static void *longer(
	struct jr_arena *arena, void *rows, size_t n, size_t n_more, size_t *room, size_t size)
{
	if (n + n_more <= *room)
		return rows;
	*room = n + n_more > 2 * *room ? n + n_more : 2 * *room;
	return jr_arena_copy(arena, rows, n, *room - n, size);
}

/* `at`: first launch that does not belong to an earlier step; moved past the launches of this step.
 */
static void add_spans(const struct jr_launched *launched, size_t n, size_t *at, uint32_t number,
	struct jr_profile *p, struct jr_numbered_step *step)
{
	uint32_t device = JR_NONE;
	for (; *at < n && launched[*at].step == number; (*at)++) {
		const struct jr_launched *l = &launched[*at];
		if (step->n_spans == 0 || l->device != device) {
			p->step_spans[p->n_step_spans++] =
				(struct jr_step_span){l->device, l->start_ns, l->end_ns, 0};
			step->n_spans++;
			device = l->device;
		}
		struct jr_step_span *span = &p->step_spans[p->n_step_spans - 1];
		span->start_ns = l->start_ns < span->start_ns ? l->start_ns : span->start_ns;
		span->end_ns = l->end_ns > span->end_ns ? l->end_ns : span->end_ns;
		span->n_executions++;
	}
}

/* Add the steps of one process, and the work of each device that was launched in them. Sorts both
 * arrays. Of steps, the process, name, thread, number, start and end are set. */
static void add_steps(struct jr_profile *p, struct jr_numbered_step *steps, size_t n_steps,
	struct jr_launched *launched, size_t n)
{
	size_t at = 0;
	jr_sort(steps, n_steps, sizeof(*steps), compare_steps);
	jr_sort(launched, n, sizeof(*launched), compare_launches);
	find_steps(steps, n_steps, launched, n);
	jr_sort(launched, n, sizeof(*launched), compare_places);
	p->numbered_steps = longer(&p->arena, p->numbered_steps, p->n_numbered_steps, n_steps,
		&p->numbered_steps_room, sizeof(*p->numbered_steps));
	p->step_spans = longer(
		&p->arena, p->step_spans, p->n_step_spans, n, &p->step_spans_room, sizeof(*p->step_spans));
	for (uint32_t i = 0; i < n_steps; i++) {
		struct jr_numbered_step step = steps[i];
		step.first_span = p->n_step_spans;
		step.any_launch = n > 0;
		add_spans(launched, n, &at, i, p, &step);
		p->numbered_steps[p->n_numbered_steps++] = step;
	}
}

/* --- steps of jax.profiler traces ------------------------------------------------------------- */

void jr_xprofile_hand_over_steps(const struct jr_xprofile *x, struct jr_profile *p)
{
	const struct jr_xspace *file = &x->file;
	const struct jr_intern *strings = &x->export.rows.strings;
	if (file->n_steps == 0)
		return;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct jr_numbered_step *steps =
		JR_ARENA_N(&scratch, struct jr_numbered_step, file->n_steps + 1);
	struct jr_launched *launched = JR_ARENA_N(&scratch, struct jr_launched, x->n_executions + 1);
	size_t n = 0;
	for (size_t i = 0; i < file->n_steps; i++) {
		const struct jr_xspace_step *s = &file->steps[i];
		steps[i] = (struct jr_numbered_step){.process = (uint32_t)p->n_processes - 1,
			.name = jr_intern_puts(&p->strings, jr_intern_str(strings, s->name)),
			.thread = s->thread,
			.number = s->number,
			.start_ns = s->start_ns,
			.end_ns = s->end_ns};
	}
	for (size_t i = 0; i < x->n_executions; i++) {
		const struct jr_xexecution *e = &x->executions[i];
		if (e->launch_ns != INT64_MAX && e->device < x->export.n_devices)
			launched[n++] = (struct jr_launched){e->launch_ns, e->start_ns, e->end_ns, JR_NONE,
				x->export.devices[e->device].row, JR_NONE};
	}
	add_steps(p, steps, file->n_steps, launched, n);
}

/* --- steps of exports: by range name ---------------------------------------------------------- */

/* Limit of steps, far above a readable number. */
#define MOST_STEPS (1 << 20)

/* A range text and its parsed name. */
struct known_name {
	int64_t number;
	uint32_t name; /* str of the profile: the text without its number; 0 = not a step */
	bool looked_at;
};

static struct known_name look_at(const char *text, size_t n, struct jr_profile *p)
{
	struct known_name out = {.looked_at = true};
	size_t n_name;
	if (!jr_step_name_parse(text, n, &out.number, &n_name))
		return out;
	out.name =
		n_name ? jr_intern_put(&p->strings, text, n_name) : jr_intern_puts(&p->strings, "step");
	return out;
}

/* Find the steps of all processes, in any order. */
static size_t find_named(
	const struct jr_export *x, struct jr_profile *p, struct jr_numbered_step *steps, size_t room)
{
	const struct jr_timeline *s = &x->rows;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct known_name *known = JR_ARENA_N(&scratch, struct known_name, s->strings.n + 1);
	size_t n = 0;
	for (size_t i = 0; i < s->nvtx.n; i++) {
		uint32_t text = s->nvtx.text[i];
		if (s->nvtx.kind[i] == JR_TIMELINE_MARK)
			continue;
		if (!known[text].looked_at)
			known[text] =
				look_at(jr_intern_str(&s->strings, text), jr_intern_len(&s->strings, text), p);
		if (!known[text].name || n == MOST_STEPS)
			continue;
		if (n < room)
			steps[n] = (struct jr_numbered_step){.process = s->threads[s->nvtx.thread[i]].process,
				.name = known[text].name,
				.thread = s->nvtx.thread[i],
				.number = known[text].number,
				.start_ns = s->nvtx.start_ns[i],
				.end_ns = s->nvtx.end_ns[i]};
		n++;
	}
	return n;
}

/* Sort operations with a known launch by the process of the launching thread (a counting sort).
 * Process p has [first[p], first[p + 1]). */
static void find_launched(const struct jr_export *x, struct jr_launched *launched, size_t *first)
{
	const struct jr_timeline *s = &x->rows;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < s->gpu.n; i++) {
			uint32_t call = x->launch[i];
			if (call == JR_NONE)
				continue;
			size_t *at = &first[s->threads[s->calls.thread[call]].process + (pass ? 1 : 2)];
			if (pass)
				launched[*at] = (struct jr_launched){s->calls.start_ns[call], s->gpu.start_ns[i],
					s->gpu.end_ns[i], s->calls.thread[call], x->devices[s->gpu.device[i]].row,
					JR_NONE};
			(*at)++;
		}
		for (size_t k = 0; !pass && k < s->n_processes; k++)
			first[k + 2] += first[k + 1];
	}
}

JR_ORDER(compare_processes, struct jr_numbered_step, JR_UP(process))

void jr_export_hand_over_steps(const struct jr_export *x, struct jr_profile *p)
{
	/* step annotations take precedence over names */
	bool annotated =
		p->n_numbered_steps &&
		p->numbered_steps[p->n_numbered_steps - 1].process + x->n_parts >= p->n_processes;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	size_t n = annotated ? 0 : find_named(x, p, NULL, 0);
	if (n == 0)
		return;
	struct jr_numbered_step *all = JR_ARENA_N(&scratch, struct jr_numbered_step, n + 1);
	struct jr_launched *launched = JR_ARENA_N(&scratch, struct jr_launched, x->rows.gpu.n + 1);
	size_t *first = JR_ARENA_N(&scratch, size_t, x->rows.n_processes + 3);
	n = find_named(x, p, all, n);
	jr_sort(all, n, sizeof(*all), compare_processes);
	find_launched(x, launched, first);
	uint32_t part = 0;
	for (size_t i = 0, end; i < n; i = end) {
		uint32_t process = all[i].process;
		while (part + 1 < x->n_parts && x->parts[part] < process)
			part++;
		for (end = i; end < n && all[end].process == process; end++)
			;
		for (size_t k = i; k < end; k++)
			all[k].process = (uint32_t)(p->n_processes - x->n_parts) + part;
		add_steps(
			p, all + i, end - i, launched + first[process], first[process + 1] - first[process]);
	}
	p->tells |= JR_TELLS_STEPS;
}
