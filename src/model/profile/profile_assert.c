/* Assertions of the invariants in profile.h. They hold for every profile, regardless of its inputs.
 */
#include <assert.h>
#include <string.h>

#include "model/profile/profile.h"

static bool is_text(const struct jr_profile *p, uint32_t id)
{
	return id < p->strings.n;
}

static bool is_row_or_none(uint32_t row, size_t n)
{
	return row < n || row == JR_NONE;
}

static void assert_devices(const struct jr_profile *p)
{
	for (size_t i = 0; i < p->n_processes; i++) {
		assert(p->processes[i].input < p->n_inputs && is_text(p, p->processes[i].name));
		assert(p->processes[i].first_session <= i);
	}
	for (size_t i = 0; i < p->n_devices; i++) {
		const struct jr_device *d = &p->devices[i];
		assert(d->process < p->n_processes && is_text(p, d->gpu_name));
		assert(i == 0 || p->devices[i - 1].global < d->global);
	}
	for (size_t i = 0; i < p->n_programs; i++)
		assert(is_text(p, p->programs[i].name) && is_text(p, p->programs[i].fingerprint));
}

static void assert_ops(const struct jr_profile *p)
{
	for (size_t i = 0; i < p->n_frames; i++) {
		const struct jr_stack_frame *f = &p->frames[i];
		assert(is_text(p, f->text) && is_text(p, f->file) && is_text(p, f->function));
		assert(f->parent == JR_NONE ? f->depth == 0
									: f->parent < i && f->depth == p->frames[f->parent].depth + 1);
	}
	for (size_t i = 0; i < p->n_origins; i++)
		assert(is_row_or_none(p->origins[i].frame, p->n_frames));
	for (size_t i = 0; i < p->n_ops; i++) {
		const struct jr_op *op = &p->ops[i];
		assert(op->program < p->n_programs && is_text(p, op->name) && is_text(p, op->opcode));
		assert(is_text(p, op->op_name) && is_text(p, op->source_file));
		assert(is_text(p, op->collective));
		assert(i == 0 || p->ops[i - 1].program <= op->program);
		assert((uint64_t)op->first_origin + op->n_origins <= p->n_origins);
		assert(op->largest_buffer_bytes <= op->message_bytes);
		assert(!(op->communication && op->own_copy));
		assert((op->planned > 0) == p->planned && op->planned <= INT64_MAX);
		assert(op->instruction == JR_NONE || p->programs[op->program].hlo);
	}
}

static void assert_live(const struct jr_profile *p)
{
	const struct jr_live_objects *t = &p->live;
	int64_t objects = 0, bytes = 0;
	for (size_t i = 0; i < t->n; i++) {
		assert(t->kind[i] <= JR_LIVE_OTHER && is_text(p, t->kind_name[i]));
		assert(is_row_or_none(t->process[i], p->n_processes) && is_text(p, t->device[i]));
		assert(is_row_or_none(t->frame[i], p->n_frames));
		assert(t->count[i] >= 0 && t->count[i] <= JR_LIVE_MAX - objects && t->bytes[i] >= -1);
		objects += t->count[i];
		if (t->bytes[i] < 0)
			continue;
		assert(t->bytes[i] <= JR_LIVE_MAX - bytes);
		bytes += t->bytes[i];
	}
}

static void assert_modules(const struct jr_profile *p)
{
	const struct jr_modules *m = &p->modules;
	size_t n_thunks = 0;
	for (size_t i = 0; i < m->n; i++) {
		assert(m->program[i] < p->n_programs && m->device[i] < p->n_devices);
		assert(m->dur_ns[i] >= 0 && m->steady[i] <= 1);
		assert(is_row_or_none(m->step[i], p->leading_steps.n_steps));
		assert(i == 0 || m->device[i - 1] < m->device[i] ||
			   (m->device[i - 1] == m->device[i] && m->start_ns[i - 1] <= m->start_ns[i]));
		n_thunks += m->n_thunks[i];
	}
	assert(n_thunks == p->thunks.n);
}

static void assert_thunks(const struct jr_profile *p)
{
	const struct jr_thunks *t = &p->thunks;
	const struct jr_modules *m = &p->modules;
	for (size_t i = 0; i < t->n; i++) {
		uint32_t module = jr_thunk_module(p, i);
		assert(t->op[i] < p->n_ops && module < m->n);
		assert(i == 0 || jr_thunk_module(p, i - 1) < module ||
			   (jr_thunk_module(p, i - 1) == module &&
				   jr_thunk_start_ns(p, i - 1) <= jr_thunk_start_ns(p, i)));
		int64_t hidden_ns = jr_thunk_hidden_ns(p, i);
		assert(hidden_ns >= 0 && hidden_ns <= jr_thunk_dur_ns(p, i));
		assert(
			(jr_row_set_find(&t->communication, i) != JR_NONE) == p->ops[t->op[i]].communication);
		assert(jr_thunk_repeat(p, i) < m->n_thunks[module]);
	}
}

static void assert_compiles(const struct jr_profile *p)
{
	const struct jr_compiles *c = &p->compiles;
	for (size_t i = 0; i < c->n; i++) {
		assert(c->process[i] < p->n_processes && is_text(p, c->name[i]));
		assert(c->dur_ns[i] >= 0 && c->child_ns[i] >= 0 && c->self_ns[i] >= 0);
		assert(c->self_ns[i] + c->child_ns[i] == c->dur_ns[i] && c->grafted[i] <= 1);
		assert(c->parent[i] < i || c->parent[i] == JR_NONE);
		assert(i == 0 || c->process[i - 1] <= c->process[i]);
	}
	int64_t folded_ns = 0;
	for (size_t i = 0; i < p->n_compile_foreign; i++) {
		const struct jr_compile_foreign *f = &p->compile_foreign[i];
		bool same = i && f[-1].row == f->row;
		assert(f->row < c->n && is_text(p, f->name) && f->n && f->self_ns > 0);
		assert(i == 0 || f[-1].row <= f->row);
		folded_ns = same ? folded_ns + f->self_ns : f->self_ns;
		assert(folded_ns <= c->self_ns[f->row]);
	}
	for (size_t i = 0; i < p->n_compile_modules; i++) {
		const struct jr_compile_module *m = &p->compile_modules[i];
		const struct jr_compile_phase *phases = p->compile_phases + m->first_phase;
		int64_t total_ns = 0;
		assert(m->process < p->n_processes && is_text(p, m->name));
		assert((uint64_t)m->first_phase + m->n_phases <= p->n_compile_phases);
		for (size_t k = 0; k < m->n_phases; total_ns += phases[k++].self_ns)
			assert(k == 0 || phases[k - 1].self_ns >= phases[k].self_ns);
		assert(total_ns == m->total_ns);
	}
}

static void assert_exports(const struct jr_profile *p)
{
	const struct jr_gpu_ops *g = &p->gpu_ops;
	for (size_t i = 0; i < g->n; i++) {
		assert(g->kind[i] <= JR_GPU_GRAPH && is_text(p, g->name[i]) && is_text(p, g->brief[i]));
		assert(g->device[i] < p->n_devices && g->dur_ns[i] >= 0);
		assert(g->kind[i] != JR_GPU_KERNEL || is_row_or_none(g->config[i], p->n_kernel_configs));
		assert(is_row_or_none(g->call[i], p->api_calls.n));
		assert(is_row_or_none(g->range[i], p->nvtx_ranges.n));
	}
	for (size_t i = 0; i < p->api_calls.n; i++)
		assert(is_text(p, p->api_calls.name[i]) && p->api_calls.dur_ns[i] >= 0);
	const struct jr_nvtx_ranges *r = &p->nvtx_ranges;
	for (size_t i = 0; i < r->n; i++) {
		assert(r->kind[i] <= JR_NVTX_MARK && is_text(p, r->name[i]) && r->dur_ns[i] >= 0);
		assert(r->scope[i] < p->n_nvtx_scopes);
		if (r->n_ops[i] == 0)
			continue;
		assert(
			r->device[i] < JR_FIRST_DEVICE_SET
				? r->device[i] < p->n_devices
				: r->device[i] - JR_FIRST_DEVICE_SET < p->n_device_sets || r->device[i] == JR_NONE);
		assert(r->gpu_dur_ns[i] >= 0);
	}
	for (size_t i = 0; i < p->n_device_sets; i++)
		for (size_t k = 0; k < p->device_sets[i].n; k++)
			assert(p->device_sets[i].devices[k] < p->n_devices);
}

static void assert_steps(const struct jr_profile *p)
{
	const struct jr_numbered_step *s = p->numbered_steps;
	for (size_t i = 0; i < p->n_numbered_steps; i++) {
		assert(s[i].process < p->n_processes && is_text(p, s[i].name));
		assert(s[i].start_ns <= s[i].end_ns && s[i].first_span + s[i].n_spans <= p->n_step_spans);
		assert(i == 0 || s[i - 1].process < s[i].process ||
			   (s[i - 1].process == s[i].process && s[i - 1].start_ns <= s[i].start_ns));
	}
	const struct jr_leading_steps *l = &p->leading_steps;
	for (size_t i = 0; i < l->n; i++) {
		const struct jr_leading_step *step = &l->items[i];
		assert(step->process < p->n_processes && step->step < l->n_steps);
		assert(i == 0 || step[-1].process < step->process ||
			   (step[-1].process == step->process &&
				   (step[-1].thread < step->thread ||
					   (step[-1].thread == step->thread && step[-1].end_ns <= step->start_ns))));
	}
	const struct jr_allocator_events *e = &p->allocator_events;
	for (size_t i = 0; i < e->n; i++) {
		assert(e->process[i] < p->n_processes && is_text(p, e->allocator[i]));
		assert(i == 0 || e->process[i - 1] <= e->process[i]);
		assert(i == 0 || e->process[i - 1] != e->process[i] ||
			   e->allocator[i - 1] != e->allocator[i] || e->t_ns[i - 1] <= e->t_ns[i]);
	}
	for (size_t i = 0; i < p->n_device_lines; i++)
		assert(p->device_lines[i].process < p->n_processes && p->device_lines[i].n > 0);
}

static void assert_lists(const struct jr_profile *p)
{
	for (size_t i = 0; i < p->n_faults; i++) {
		const struct jr_fault *f = &p->faults[i];
		assert(f->kind < JR_N_FAULTS && f->input < p->n_inputs);
		assert(is_row_or_none(f->process, p->n_processes));
		assert(is_row_or_none(f->device, p->n_devices) && f->begin_ns <= f->end_ns);
		assert(i == 0 || f[-1].input <= f->input);
	}
	for (size_t i = 0; i < p->n_doubts; i++) {
		const struct jr_doubted *d = &p->doubts[i];
		assert(d->device < p->n_devices && d->begin_ns <= d->end_ns);
	}
	for (size_t i = 0; i < p->n_captures; i++)
		assert(p->captures[i].input < p->n_inputs);
	for (size_t i = 1; i < p->n_guesses; i++)
		assert(strcmp(p->guesses[i - 1].id, p->guesses[i].id) < 0);
	for (size_t i = 0; i < p->n_settings; i++) {
		assert(p->settings[i].process < p->n_processes);
		assert(i == 0 || p->settings[i - 1].process <= p->settings[i].process);
	}
	for (size_t i = 0; i < p->n_source_texts; i++)
		assert(p->source_texts[i].missing || p->source_texts[i].text);
}

void jr_profile_assert(const struct jr_profile *p)
{
	assert_devices(p);
	assert_ops(p);
	assert_live(p);
	assert_modules(p);
	assert_thunks(p);
	assert_compiles(p);
	assert_exports(p);
	assert_steps(p);
	assert_lists(p);
}
