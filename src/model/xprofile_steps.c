/* Steps that the program numbered, and the executions whose launch lies in them. */
#include <string.h>

#include "base/cleanup.h"
#include "base/sort.h"
#include "model/xprofile.h"

/* Executions in the order of their launches, and where each goes. */
struct launched {
	int64_t launch_ns;
	uint32_t execution;
	uint32_t step; /* row of the file's steps; JR_NONE = in none */
};

/* Of two that begin together the longer one first, so that what is innermost comes last. */
static int compare_steps(const void *a, const void *b)
{
	const struct jr_xspace_step *x = a, *y = b;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static int compare_launches(const void *a, const void *b)
{
	const struct launched *x = a, *y = b;
	if (x->launch_ns != y->launch_ns)
		return x->launch_ns < y->launch_ns ? -1 : 1;
	return (x->execution > y->execution) - (x->execution < y->execution);
}

/* By step, then device; those of no step last. */
static int compare_places(const void *a, const void *b, void *context)
{
	const struct launched *x = a, *y = b;
	const struct jr_xexecution *e = context;
	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	uint32_t d = e[x->execution].device, f = e[y->execution].device;
	return (d > f) - (d < f);
}

/* Executions whose launch is in the file; their number. */
static size_t list_launched(const struct jr_xprofile *x, struct launched *out)
{
	size_t n = 0;
	for (uint32_t i = 0; i < x->n_executions; i++)
		if (x->executions[i].launch_ns != INT64_MAX)
			out[n++] = (struct launched){x->executions[i].launch_ns, i, JR_NONE};
	jr_sort(out, n, sizeof(*out), compare_launches);
	return n;
}

/* Each goes to the step around its launch that began last. A step on top of the stack that is over
 * is over for all later launches; one below it may be, too, and is looked at when it is on top. */
static void find_steps(
	const struct jr_xspace *x, struct launched *launched, size_t n, struct jr_arena *scratch)
{
	uint32_t *stack = JR_ARENA_N(scratch, uint32_t, x->n_steps + 1);
	size_t depth = 0;
	uint32_t next = 0;
	for (size_t i = 0; i < n; i++) {
		int64_t t_ns = launched[i].launch_ns;
		while (next < x->n_steps && x->steps[next].start_ns <= t_ns)
			stack[depth++] = next++;
		while (depth && x->steps[stack[depth - 1]].end_ns < t_ns)
			depth--;
		launched[i].step = depth ? stack[depth - 1] : JR_NONE;
	}
}

/* Rows with room for so many more; twice as much each time, for there is a call a file. */
static void *longer(
	struct jr_arena *arena, void *rows, size_t n, size_t n_more, size_t *room, size_t size)
{
	if (n + n_more <= *room)
		return rows;
	*room = n + n_more > 2 * *room ? n + n_more : 2 * *room;
	void *all = jr_arena_alloc(arena, *room * size);
	if (n)
		memcpy(all, rows, n * size);
	return all;
}

/* `at`: the first that is not of an earlier step; moved past those of this one. */
static void add_spans(const struct jr_xprofile *x, const struct launched *launched, size_t n,
	size_t *at, uint32_t number, struct jr_profile *p, struct jr_numbered_step *step)
{
	uint32_t device = JR_NONE;
	for (; *at < n && launched[*at].step == number; (*at)++) {
		const struct jr_xexecution *e = &x->executions[launched[*at].execution];
		if (step->n_spans == 0 || e->device != device) {
			p->step_spans[p->n_step_spans++] =
				(struct jr_step_span){.start_ns = e->start_ns, .end_ns = e->end_ns};
			step->n_spans++;
			device = e->device;
		}
		struct jr_step_span *span = &p->step_spans[p->n_step_spans - 1];
		span->start_ns = e->start_ns < span->start_ns ? e->start_ns : span->start_ns;
		span->end_ns = e->end_ns > span->end_ns ? e->end_ns : span->end_ns;
		span->n_executions++;
	}
}

void jr_xprofile_hand_over_steps(const struct jr_xprofile *x, struct jr_profile *p)
{
	const struct jr_xspace *file = &x->file;
	const struct jr_intern *strings = &x->export.rows.strings;
	if (file->n_steps == 0)
		return;
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	jr_sort(file->steps, file->n_steps, sizeof(*file->steps), compare_steps);
	struct launched *launched = JR_ARENA_N(&scratch, struct launched, x->n_executions + 1);
	size_t n = list_launched(x, launched), at = 0;
	find_steps(file, launched, n, &scratch);
	jr_sort_with(launched, n, sizeof(*launched), compare_places, x->executions);
	p->numbered_steps = longer(&p->arena, p->numbered_steps, p->n_numbered_steps, file->n_steps,
		&p->numbered_steps_room, sizeof(*p->numbered_steps));
	p->step_spans = longer(
		&p->arena, p->step_spans, p->n_step_spans, n, &p->step_spans_room, sizeof(*p->step_spans));
	for (uint32_t i = 0; i < file->n_steps; i++) {
		const struct jr_xspace_step *s = &file->steps[i];
		struct jr_numbered_step step = {.process = (uint32_t)p->n_processes - 1,
			.name = jr_intern_puts(&p->strings, jr_intern_str(strings, s->name)),
			.thread = s->thread,
			.number = s->number,
			.start_ns = s->start_ns,
			.end_ns = s->end_ns,
			.first_span = p->n_step_spans,
			.any_launch = n > 0};
		add_spans(x, launched, n, &at, i, p, &step);
		p->numbered_steps[p->n_numbered_steps++] = step;
	}
	jr_arena_done(&scratch);
}
