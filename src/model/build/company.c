#include "model/build/company.h"

#include <inttypes.h>
#include <string.h>

/* Return the earlier member of this key, or JR_NONE, and remember the first one. */
static uint32_t first_of(struct jr_map *map, uint64_t key, size_t member)
{
	uint32_t before = jr_map_get(map, key);
	if (before == JR_NONE)
		jr_map_put(map, key, (uint32_t)member);
	return before;
}

static void count(struct jr_misfit *m, size_t a, size_t b)
{
	if (m->n++ == 0)
		*m = (struct jr_misfit){1, a, b};
}

static bool other_program(const struct jr_company *c, size_t a, size_t b)
{
	const struct jr_member *x = &c->members[a], *y = &c->members[b];
	return !c->has(c->context, a, y->program) && !c->has(c->context, b, x->program);
}

/* Containers may number their processes alike, but not their GPUs, and XLA numbers its processes.
 * Equal numbers, other programs and other kinds of GPUs are reported as such. */
static bool may_be_one(const struct jr_company *c, size_t before, size_t member)
{
	const struct jr_member *a = &c->members[before], *b = &c->members[member];
	return a->process != b->process && a->input != b->input &&
		   (!a->uuid || !b->uuid || a->uuid == b->uuid) &&
		   (!a->gpu || !b->gpu || strcmp(a->gpu, b->gpu) == 0) &&
		   (a->number == JR_NONE || b->number == JR_NONE) &&
		   !(a->program && b->program && other_program(c, before, member));
}

void jr_company_check(const struct jr_company *c, struct jr_misfit out[JR_N_MISFITS])
{
	struct jr_map traces = {0}, numbers = {0}, inputs = {0}, pids = {0};
	size_t program = SIZE_MAX, gpu = SIZE_MAX; /* the first members that have one */
	memset(out, 0, JR_N_MISFITS * sizeof(*out));
	for (size_t i = 0; i < c->n; i++) {
		const struct jr_member *m = &c->members[i];
		uint32_t before = m->trace ? first_of(&traces, m->trace, i) : JR_NONE;
		if (before != JR_NONE) {
			count(&out[JR_MISFIT_TRACE], before, i);
			continue;
		}
		before = m->number == JR_NONE ? JR_NONE : first_of(&numbers, m->number, i);
		if (before != JR_NONE && c->members[before].process != m->process)
			count(&out[JR_MISFIT_NUMBER], before, i);
		before = m->pid ? first_of(&pids, m->pid, i) : JR_NONE;
		if (before != JR_NONE && may_be_one(c, before, i))
			count(&out[JR_MISFIT_PROCESS], before, i);
		bool is_first = first_of(&inputs, m->input, i) == JR_NONE;
		if (m->program && program == SIZE_MAX)
			program = i;
		else if (m->program && is_first && other_program(c, program, i))
			count(&out[JR_MISFIT_PROGRAM], program, i);
		if (m->gpu && gpu == SIZE_MAX)
			gpu = i;
		else if (m->gpu && strcmp(c->members[gpu].gpu, m->gpu) != 0)
			count(&out[JR_MISFIT_GPU], gpu, i);
	}
	jr_map_done(&traces);
	jr_map_done(&numbers);
	jr_map_done(&inputs);
	jr_map_done(&pids);
}

const char *jr_company_more(size_t n, struct jr_arena *arena)
{
	return n > 1 ? jr_arena_printf(arena, " (and %zu more like it)", n - 1) : "";
}

const char *jr_company_warning(const struct jr_company *c, enum jr_misfit_kind kind,
	const struct jr_misfit *m, struct jr_arena *arena)
{
	if (!m->n)
		return NULL;
	const struct jr_member *a = &c->members[m->a], *b = &c->members[m->b];
	const char *more = jr_company_more(m->n, arena);
	switch (kind) {
	case JR_MISFIT_TRACE:
		return jr_arena_printf(arena,
			"'%s' and '%s' contain the same trace%s. Check that no profile is given twice",
			a->label, b->label, more);
	case JR_MISFIT_NUMBER:
		return jr_arena_printf(arena,
			"'%s' and '%s' both come from process %" PRIu32 "%s. Check that they belong to one run",
			a->label, b->label, b->number, more);
	case JR_MISFIT_PROCESS:
		return jr_arena_printf(arena,
			"'%s' and '%s' come from one process of one host%s, so its work may count twice. Check "
			"that they are not two forms of one profile",
			a->label, b->label, more);
	case JR_MISFIT_PROGRAM:
		return jr_arena_printf(arena,
			"'%s' mostly runs '%s', '%s' mostly runs '%s', and neither %s the program of the "
			"other%s. Check that they belong to one job",
			a->label, a->program, b->label, b->program, c->having, more);
	case JR_MISFIT_GPU:
		return jr_arena_printf(arena,
			"'%s' ran on '%s', '%s' on '%s'%s. Check that they belong to one job", a->label, a->gpu,
			b->label, b->gpu, more);
	case JR_N_MISFITS: break;
	}
	return NULL;
}

/* --- the sessions of a report ----------------------------------------------------------------- */

/* The programs that an input runs, by name. */
struct input_programs {
	struct jr_map names; /* str -> 0 */
	uint32_t most;       /* str of the program with most time; 0 = none runs */
};

static void list_programs(
	struct jr_build *build, struct input_programs *of, struct jr_arena *scratch)
{
	const struct jr_profile *p = build->profile;
	double *sum_ns = JR_ARENA_N(scratch, double, build->programs.n + 1);
	for (size_t k = 0, end; k < build->sessions.n; k = end) {
		uint32_t input = p->processes[build->sessions.items[k].process].input;
		double best_ns = -1;
		memset(sum_ns, 0, build->programs.n * sizeof(*sum_ns));
		for (end = k; end < build->sessions.n &&
					  p->processes[build->sessions.items[end].process].input == input;
			 end++)
			for (size_t i = build->sessions.items[end].begin.modules;
				 i < build->sessions.items[end].end.modules; i++) {
				const struct jr_module_row *row = &build->modules.items[i];
				sum_ns[row->program] += (double)row->dur_ns;
				jr_map_put(&of[input].names, build->programs.items[row->program].name, 0);
				if (sum_ns[row->program] > best_ns) {
					best_ns = sum_ns[row->program];
					of[input].most = build->programs.items[row->program].name;
				}
			}
	}
}

struct sessions {
	const struct jr_build *build;
	const struct input_programs *of; /* [inputs] */
};

static bool runs(const void *context, size_t member, const char *program)
{
	const struct sessions *s = context;
	const struct jr_profile *p = s->build->profile;
	uint32_t input = p->processes[s->build->sessions.items[member].process].input;
	uint32_t name = jr_intern_find(&p->strings, program, strlen(program));
	return jr_map_get(&s->of[input].names, name) != JR_NONE;
}

/* Set the first measured GPU of each session. Devices are in the order of processes. */
static void find_gpus(const struct jr_build *build, struct jr_member *members)
{
	size_t k = 0;
	for (size_t i = 0; i < build->devices.n; i++) {
		const struct jr_device *d = &build->devices.items[i];
		while (k + 1 < build->sessions.n && build->sessions.items[k + 1].process <= d->process)
			k++;
		if (k >= build->sessions.n)
			continue;
		if (d->gpu_name && !d->of_target && !members[k].gpu)
			members[k].gpu = jr_str(build->profile, d->gpu_name);
		if (!members[k].uuid)
			members[k].uuid = d->uuid;
	}
}

static void list_members(
	const struct sessions *s, struct jr_member *members, const struct jr_profile *p)
{
	for (size_t i = 0; i < s->build->sessions.n; i++) {
		const struct jr_session *session = &s->build->sessions.items[i];
		const struct jr_process *row = &p->processes[session->process];
		uint32_t most = s->of[row->input].most;
		members[i] = (struct jr_member){
			.label = session->label ? session->label : p->inputs[row->input].name,
			.input = row->input,
			.process = row->first_session,
			.number = session->number,
			.pid = row->hostname && row->pid >= 0 ? jr_key2(row->hostname, (uint32_t)row->pid) : 0,
			.program = most ? jr_str(p, most) : NULL};
	}
	find_gpus(s->build, members);
}

static struct jr_other_jobs other_jobs(
	const struct sessions *s, const struct jr_member *members, const struct jr_misfit *m)
{
	struct jr_other_jobs out = {.n = m->n};
	const size_t pair[2] = {m->a, m->b};
	for (size_t i = 0; m->n && i < 2; i++) {
		out.input[i] = members[pair[i]].input;
		out.program[i] = s->of[out.input[i]].most;
	}
	return out;
}

void jr_company_tell(struct jr_build *build)
{
	struct jr_profile *p = build->profile;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct input_programs *of = JR_ARENA_N(&scratch, struct input_programs, p->n_inputs + 1);
	list_programs(build, of, &scratch);
	const struct sessions s = {build, of};
	struct jr_member *members = JR_ARENA_N(&scratch, struct jr_member, build->sessions.n + 1);
	list_members(&s, members, p);
	const struct jr_company company = {members, build->sessions.n, runs, &s, "runs"};
	struct jr_misfit misfits[JR_N_MISFITS];
	jr_company_check(&company, misfits);
	for (enum jr_misfit_kind i = 0; i < JR_N_MISFITS; i++) {
		const char *text = jr_company_warning(&company, i, &misfits[i], &scratch);
		if (text)
			jr_profile_warn(p, "%s", text);
	}
	p->other_jobs = other_jobs(&s, members, &misfits[JR_MISFIT_PROGRAM]);
	for (size_t i = 0; i < p->n_inputs; i++)
		jr_map_done(&of[i].names);
}
