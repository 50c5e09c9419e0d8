/* Removing rows that are not selected from the tables of the profile. */
#include <string.h>

#include "model/build/build.h"
#include "model/build/select.h"

/* Number the rows that are kept; JR_NONE for the others. */
static uint32_t *places(struct jr_arena *arena, const uint8_t *keep, size_t n)
{
	uint32_t *place = JR_ARENA_N(arena, uint32_t, n + 1);
	uint32_t next = 0;
	for (size_t i = 0; i < n; i++)
		place[i] = keep[i] ? next++ : JR_NONE;
	return place;
}

/* Keep rows of a column, in place; returns their number. */
static size_t squeeze(void *column, size_t size, const uint32_t *place, size_t n)
{
	char *at = column;
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (place[i] != JR_NONE) {
			if (kept != i)
				memcpy(at + kept * size, at + i * size, size);
			kept++;
		}
	return kept;
}

#define SQUEEZE(column, place, n) squeeze(column, sizeof(*(column)), place, n)

static void remap(uint32_t *rows, size_t n, const uint32_t *place)
{
	for (size_t i = 0; i < n; i++)
		if (rows[i] != JR_NONE)
			rows[i] = place[rows[i]];
}

/* New row numbers of all tables. */
struct moves {
	struct jr_selecting *s;
	uint32_t *devices, *processes, *programs, *ops, *modules, *thunks, *gpu_ops, *calls, *ranges;
};

/* --- what is kept ----------------------------------------------------------------------------- */

static uint8_t *not_left_out(struct jr_arena *arena, const uint8_t *out, size_t n)
{
	uint8_t *keep = JR_ARENA_N(arena, uint8_t, n + 1);
	for (size_t i = 0; i < n; i++)
		keep[i] = !out[i];
	return keep;
}

static uint32_t process_of(const struct jr_profile *p, uint32_t thread)
{
	return thread < p->n_host_threads ? p->host_thread_process[thread] : 0;
}

static bool keeps_host(const struct jr_selecting *s, uint32_t thread, int64_t t_ns)
{
	uint32_t process = process_of(s->p, thread);
	return process < s->p->n_processes && s->processes[process] &&
		   jr_selects_host_time(s, process, t_ns) && jr_selects_in_range(s, thread, t_ns);
}

/* Calls that launched something follow it; all others belong to the time in which they start. A
 * program has no others. */
static uint8_t *kept_calls(const struct jr_selecting *s)
{
	const struct jr_profile *p = s->p;
	const struct jr_api_calls *c = &p->api_calls;
	enum { LAUNCHED_NOTHING, LAUNCHED_OTHERS, LAUNCHED_SELECTED };
	uint8_t *keep = JR_ARENA_N(s->scratch, uint8_t, c->n + 1);
	for (size_t i = 0; i < p->gpu_ops.n; i++)
		if (p->gpu_ops.call[i] != JR_NONE) {
			uint8_t *call = &keep[p->gpu_ops.call[i]];
			*call = !s->ops[i] ? LAUNCHED_SELECTED : *call ? *call : LAUNCHED_OTHERS;
		}
	for (size_t i = 0; i < c->n; i++)
		keep[i] =
			keep[i] == LAUNCHED_SELECTED || (keep[i] == LAUNCHED_NOTHING && !s->want->program &&
												keeps_host(s, c->thread[i], c->start_ns[i]));
	return keep;
}

static uint8_t *kept_ranges(const struct jr_selecting *s)
{
	const struct jr_nvtx_ranges *r = &s->p->nvtx_ranges;
	uint8_t *keep = JR_ARENA_N(s->scratch, uint8_t, r->n + 1);
	for (size_t i = 0; i < r->n; i++)
		keep[i] = !s->emptied[i] && (!s->want->program || r->n_ops[i]) &&
				  keeps_host(s, r->thread[i], r->start_ns[i]);
	return keep;
}

static uint8_t *kept_thunks(const struct jr_selecting *s)
{
	const struct jr_thunks *t = &s->p->thunks;
	uint8_t *keep = JR_ARENA_N(s->scratch, uint8_t, t->n + 1);
	for (size_t i = 0; i < t->n; i++)
		keep[i] = !s->modules[jr_thunk_module(s->p, i)];
	return keep;
}

/* Programs and ops without a selected execution go, as if they had never run. */
static uint8_t *kept_programs(const struct jr_selecting *s)
{
	const struct jr_modules *m = &s->p->modules;
	uint8_t *keep = JR_ARENA_N(s->scratch, uint8_t, s->p->n_programs + 1);
	for (size_t i = 0; i < m->n; i++)
		keep[m->program[i]] |= !s->modules[i];
	return keep;
}

static uint8_t *kept_ops(const struct jr_selecting *s, const uint8_t *thunks)
{
	const struct jr_thunks *t = &s->p->thunks;
	uint8_t *keep = JR_ARENA_N(s->scratch, uint8_t, s->p->n_ops + 1);
	for (size_t i = 0; i < t->n; i++)
		keep[t->op[i]] |= thunks[i];
	return keep;
}

static void find_moves(struct moves *m)
{
	struct jr_selecting *s = m->s;
	const struct jr_profile *p = s->p;
	struct jr_arena *arena = s->scratch;
	uint8_t *thunks = kept_thunks(s);
	m->devices = places(arena, s->devices, p->n_devices);
	m->processes = places(arena, s->processes, p->n_processes);
	m->programs = places(arena, kept_programs(s), p->n_programs);
	m->ops = places(arena, kept_ops(s, thunks), p->n_ops);
	m->modules = places(arena, not_left_out(arena, s->modules, p->modules.n), p->modules.n);
	m->thunks = places(arena, thunks, p->thunks.n);
	m->gpu_ops = places(arena, not_left_out(arena, s->ops, p->gpu_ops.n), p->gpu_ops.n);
	m->calls = places(arena, kept_calls(s), p->api_calls.n);
	m->ranges = places(arena, kept_ranges(s), p->nvtx_ranges.n);
}

/* --- executions ------------------------------------------------------------------------------- */

static void move_modules(const struct moves *v)
{
	struct jr_modules *m = &v->s->p->modules;
	size_t n = SQUEEZE(m->program, v->modules, m->n);
	SQUEEZE(m->program_execution, v->modules, m->n);
	SQUEEZE(m->device, v->modules, m->n);
	SQUEEZE(m->start_ns, v->modules, m->n);
	SQUEEZE(m->dur_ns, v->modules, m->n);
	SQUEEZE(m->n_thunks, v->modules, m->n);
	SQUEEZE(m->launch_ns, v->modules, m->n);
	SQUEEZE(m->step, v->modules, m->n);
	SQUEEZE(m->steady, v->modules, m->n);
	m->n = n;
	remap(m->program, n, v->programs);
	remap(m->device, n, v->devices);
}

/* Rows keep their order, so the hidden times only move toward the beginning. */
static void move_communication(const struct moves *v)
{
	struct jr_thunks *t = &v->s->p->thunks;
	struct jr_row_set kept = jr_row_set_new(t->n, &v->s->p->arena);
	for (size_t i = 0; i < t->n; i++) {
		uint32_t at = jr_row_set_find(&t->communication, i);
		if (at == JR_NONE || v->thunks[i] == JR_NONE)
			continue;
		t->hidden_ns[kept.n] = t->hidden_ns[at];
		jr_row_set_add(&kept, v->thunks[i]);
	}
	t->communication = kept;
}

static void move_thunks(const struct moves *v)
{
	struct jr_thunks *t = &v->s->p->thunks;
	move_communication(v);
	size_t n = SQUEEZE(t->op, v->thunks, t->n);
	SQUEEZE(t->repeat, v->thunks, t->n);
	SQUEEZE(t->since, v->thunks, t->n);
	SQUEEZE(t->dur, v->thunks, t->n);
	if (v->s->p->selected.n_elsewhere)
		SQUEEZE(v->s->p->selected.thunk_elsewhere, v->thunks, t->n);
	t->n = n;
	remap(t->op, n, v->ops);
}

/* Ops share their columns of groups, so each is converted once. */
static void move_groups(const struct moves *v)
{
	struct jr_profile *p = v->s->p;
	struct jr_map rows = {0}; /* old column -> row of `made` */
	const uint32_t **made = JR_ARENA_N(v->s->scratch, const uint32_t *, p->n_ops + 1);
	uint32_t n_made = 0;
	for (size_t i = 0; i < p->n_ops; i++) {
		const uint32_t *old = p->ops[i].device_group;
		if (!old)
			continue;
		uint32_t row = jr_map_get(&rows, (uint64_t)(uintptr_t)old);
		if (row == JR_NONE) {
			uint32_t *column = JR_ARENA_N(&p->arena, uint32_t, p->n_devices + 1);
			memcpy(column, old, p->n_devices * sizeof(*column));
			SQUEEZE(column, v->devices, p->n_devices);
			jr_map_put(&rows, (uint64_t)(uintptr_t)old, row = n_made);
			made[n_made++] = column;
		}
		p->ops[i].device_group = made[row];
	}
	jr_map_done(&rows);
}

static void move_ops(const struct moves *v)
{
	struct jr_profile *p = v->s->p;
	p->n_ops = SQUEEZE(p->ops, v->ops, p->n_ops);
	for (size_t i = 0; i < p->n_ops; i++)
		p->ops[i].program = v->programs[p->ops[i].program];
	move_groups(v);
}

/* --- exports ---------------------------------------------------------------------------------- */

static void move_gpu_ops(const struct moves *v)
{
	struct jr_gpu_ops *g = &v->s->p->gpu_ops;
	size_t n = SQUEEZE(g->kind, v->gpu_ops, g->n);
	SQUEEZE(g->name, v->gpu_ops, g->n);
	SQUEEZE(g->brief, v->gpu_ops, g->n);
	SQUEEZE(g->device, v->gpu_ops, g->n);
	SQUEEZE(g->stream, v->gpu_ops, g->n);
	SQUEEZE(g->start_ns, v->gpu_ops, g->n);
	SQUEEZE(g->dur_ns, v->gpu_ops, g->n);
	SQUEEZE(g->bytes, v->gpu_ops, g->n);
	SQUEEZE(g->config, v->gpu_ops, g->n);
	SQUEEZE(g->call, v->gpu_ops, g->n);
	SQUEEZE(g->range, v->gpu_ops, g->n);
	g->n = n;
	remap(g->device, n, v->devices);
	remap(g->call, n, v->calls);
	remap(g->range, n, v->ranges);
}

static void move_calls(const struct moves *v)
{
	struct jr_api_calls *c = &v->s->p->api_calls;
	size_t n = SQUEEZE(c->name, v->calls, c->n);
	SQUEEZE(c->thread, v->calls, c->n);
	SQUEEZE(c->start_ns, v->calls, c->n);
	SQUEEZE(c->dur_ns, v->calls, c->n);
	c->n = n;
}

static void move_ranges(const struct moves *v)
{
	struct jr_profile *p = v->s->p;
	struct jr_nvtx_ranges *r = &p->nvtx_ranges;
	size_t n = SQUEEZE(r->kind, v->ranges, r->n);
	SQUEEZE(r->whole, v->ranges, r->n);
	SQUEEZE(r->name, v->ranges, r->n);
	SQUEEZE(r->scope, v->ranges, r->n);
	if (r->end_thread != r->thread)
		SQUEEZE(r->end_thread, v->ranges, r->n);
	SQUEEZE(r->thread, v->ranges, r->n);
	SQUEEZE(r->start_ns, v->ranges, r->n);
	SQUEEZE(r->dur_ns, v->ranges, r->n);
	SQUEEZE(r->n_ops, v->ranges, r->n);
	SQUEEZE(r->gpu_start_ns, v->ranges, r->n);
	SQUEEZE(r->gpu_dur_ns, v->ranges, r->n);
	SQUEEZE(r->device, v->ranges, r->n);
	r->n = n;
	for (size_t i = 0; i < n; i++)
		if (r->n_ops[i] && r->device[i] < JR_FIRST_DEVICE_SET)
			r->device[i] = v->devices[r->device[i]];
	for (size_t i = 0; i < p->n_device_sets; i++) {
		struct jr_device_set *set = &p->device_sets[i];
		size_t kept = 0;
		for (size_t k = 0; k < set->n; k++)
			if (v->devices[set->devices[k]] != JR_NONE)
				set->devices[kept++] = v->devices[set->devices[k]];
		set->n = kept;
	}
	remap(p->host_thread_process, p->n_host_threads, v->processes);
}

/* --- hosts ------------------------------------------------------------------------------------ */

/* Compilation is kept as a whole, by process: it belongs to no step. */
static void move_compiles(const struct moves *v)
{
	struct jr_profile *p = v->s->p;
	struct jr_compiles *c = &p->compiles;
	uint8_t *keep = JR_ARENA_N(v->s->scratch, uint8_t, c->n + 1);
	size_t n_kept = 0;
	for (size_t i = 0; i < c->n; i++)
		keep[i] = v->s->processes[c->process[i]];
	uint32_t *place = places(v->s->scratch, keep, c->n);
	for (size_t i = 0; i < p->n_compile_foreign; i++)
		if (place[p->compile_foreign[i].row] != JR_NONE) {
			p->compile_foreign[n_kept] = p->compile_foreign[i];
			p->compile_foreign[n_kept++].row = place[p->compile_foreign[i].row];
		}
	p->n_compile_foreign = n_kept;
	size_t n = SQUEEZE(c->process, place, c->n);
	SQUEEZE(c->range_id, place, c->n);
	SQUEEZE(c->name, place, c->n);
	SQUEEZE(c->tid, place, c->n);
	SQUEEZE(c->start_ns, place, c->n);
	SQUEEZE(c->dur_ns, place, c->n);
	SQUEEZE(c->child_ns, place, c->n);
	SQUEEZE(c->self_ns, place, c->n);
	SQUEEZE(c->parent, place, c->n);
	SQUEEZE(c->program_number, place, c->n);
	SQUEEZE(c->grafted, place, c->n);
	c->n = n;
	remap(c->parent, n, place);
	remap(c->process, n, v->processes);
	p->has_compiles = n > 0;
	n_kept = 0;
	for (size_t i = 0; i < p->n_compile_modules; i++)
		if (v->processes[p->compile_modules[i].process] != JR_NONE) {
			p->compile_modules[n_kept] = p->compile_modules[i];
			p->compile_modules[n_kept].process = v->processes[p->compile_modules[i].process];
			n_kept++;
		}
	p->n_compile_modules = n_kept;
}

static void move_allocators(const struct moves *v)
{
	struct jr_allocator_events *e = &v->s->p->allocator_events;
	uint8_t *keep = JR_ARENA_N(v->s->scratch, uint8_t, e->n + 1);
	for (size_t i = 0; i < e->n; i++)
		keep[i] =
			v->s->processes[e->process[i]] && jr_selects_host_time(v->s, e->process[i], e->t_ns[i]);
	uint32_t *place = places(v->s->scratch, keep, e->n);
	size_t n = SQUEEZE(e->process, place, e->n);
	SQUEEZE(e->allocator, place, e->n);
	SQUEEZE(e->t_ns, place, e->n);
	SQUEEZE(e->in_use_bytes, place, e->n);
	SQUEEZE(e->peak_bytes, place, e->n);
	SQUEEZE(e->gave_back, place, e->n);
	e->n = n;
	remap(e->process, n, v->processes);
}

/* Of which executions a span consists is no longer known, so it goes if a part of them may be left
 * out. */
static void move_steps(const struct moves *v)
{
	struct jr_selecting *s = v->s;
	struct jr_profile *p = s->p;
	size_t n = 0, n_spans = 0;
	bool whole = !s->want->program && !s->range_processes;
	struct jr_step_span *spans = JR_ARENA_N(&p->arena, struct jr_step_span, p->n_step_spans + 1);
	for (size_t i = 0; i < p->n_numbered_steps; i++) {
		struct jr_numbered_step step = p->numbered_steps[i];
		size_t first = n_spans;
		uint32_t process = p->processes[step.process].first_session;
		if (!s->processes[step.process] || !jr_selects_host_time(s, process, step.start_ns) ||
			(s->range_processes && !jr_spans_contain(&s->range_processes[process], step.start_ns)))
			continue;
		for (size_t k = 0; k < step.n_spans; k++) {
			struct jr_step_span span = p->step_spans[step.first_span + k];
			if (!whole || v->devices[span.device] == JR_NONE)
				continue;
			span.device = v->devices[span.device];
			spans[n_spans++] = span;
		}
		step.first_span = first;
		step.n_spans = (uint32_t)(n_spans - first);
		step.any_launch &= whole;
		step.process = v->processes[step.process];
		p->numbered_steps[n++] = step;
	}
	p->n_numbered_steps = n;
	p->step_spans = spans;
	p->n_step_spans = p->step_spans_room = n_spans;
	struct jr_leading_steps *l = &p->leading_steps;
	n = 0;
	for (size_t i = 0; i < l->n; i++)
		if (v->processes[l->items[i].process] != JR_NONE) {
			l->items[n] = l->items[i];
			l->items[n].process = v->processes[l->items[i].process];
			n++;
		}
	l->n = n;
}

/* --- processes and devices -------------------------------------------------------------------- */

/* Faults are counted over the whole profile, because the records that were checked are. */
static void move_faults(const struct moves *v)
{
	struct jr_profile *p = v->s->p;
	size_t n = 0;
	for (size_t i = 0; i < p->n_faults; i++) {
		struct jr_fault *f = &p->faults[i];
		f->process = f->process == JR_NONE ? JR_NONE : v->processes[f->process];
		f->device = f->device == JR_NONE ? JR_NONE : v->devices[f->device];
	}
	for (size_t i = 0; i < p->n_doubts; i++)
		if (v->devices[p->doubts[i].device] != JR_NONE) {
			p->doubts[n] = p->doubts[i];
			p->doubts[n].device = v->devices[p->doubts[i].device];
			n++;
		}
	p->n_doubts = n;
}

static void move_processes(const struct moves *v)
{
	struct jr_profile *p = v->s->p;
	size_t n = 0;
	for (size_t i = 0; i < p->n_settings; i++)
		if (v->processes[p->settings[i].process] != JR_NONE) {
			p->settings[n] = p->settings[i];
			p->settings[n].process = v->processes[p->settings[i].process];
			n++;
		}
	p->n_settings = n;
	p->n_processes = SQUEEZE(p->processes, v->processes, p->n_processes);
	for (size_t i = 0; i < p->n_processes; i++)
		p->processes[i].first_session = v->processes[p->processes[i].first_session];
}

static void move_devices(const struct moves *v)
{
	struct jr_profile *p = v->s->p;
	SQUEEZE(p->selected.left_out, v->devices, p->n_devices);
	p->n_devices = SQUEEZE(p->devices, v->devices, p->n_devices);
	for (size_t i = 0; i < p->n_devices; i++)
		p->devices[i].process = v->processes[p->devices[i].process];
}

void jr_select_rows(struct jr_selecting *s)
{
	struct jr_profile *p = s->p;
	struct moves v = {.s = s};
	find_moves(&v);
	move_thunks(&v);
	move_modules(&v);
	jr_thunks_place(p);
	move_ops(&v);
	move_gpu_ops(&v);
	move_calls(&v);
	move_ranges(&v);
	move_compiles(&v);
	move_allocators(&v);
	move_steps(&v);
	move_faults(&v);
	move_processes(&v);
	move_devices(&v);
	p->n_programs = SQUEEZE(p->programs, v.programs, p->n_programs);
}
