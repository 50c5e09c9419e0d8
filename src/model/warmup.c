#include "model/build.h"

#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* First row of build->numbers, which are sorted so, at or behind (process, number). */
static size_t first_number(const struct jr_build *build, uint32_t process, int64_t number)
{
	size_t lo = 0, hi = build->numbers.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct jr_program_number *at = &build->numbers.items[mid];
		if (at->process < process || (at->process == process && at->number < number))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Programs whose compilation was profiled: a row of the compile table carries the number that the
 * program has in that process. */
static void find_compiled(struct jr_profile *p, const struct jr_build *build)
{
	int64_t last_number = -1;
	uint32_t last_process = JR_NONE;
	for (size_t i = 0; i < p->compiles.n; i++) {
		int64_t number = p->compiles.program_number[i];
		uint32_t process = p->compiles.process[i];
		if (number < 0 || (number == last_number && process == last_process))
			continue;
		last_number = number;
		last_process = process;
		for (size_t k = first_number(build, process, number); k < build->numbers.n; k++) {
			const struct jr_program_number *at = &build->numbers.items[k];
			if (at->process != process || at->number != number)
				break;
			p->programs[at->program].compiled = true;
		}
	}
}

static uint32_t skipped(const struct jr_profile *p, const struct jr_program *program)
{
	switch (p->options.warmup) {
	case JR_WARMUP_NONE:
		return 0;
	case JR_WARMUP_COUNT:
		return p->options.warmup_count;
	case JR_WARMUP_FIRST:
		return program->compiled;
	case JR_WARMUP_AUTO:
		break;
	}
	return (uint32_t)program->compiled + p->any_communication;
}

static bool any_set(const uint8_t *flags, size_t n)
{
	return n && memchr(flags, 1, n);
}

static void warn_of_fall_backs(struct jr_profile *p)
{
	const struct {
		bool fell_back;
		const char *name;
	} frames[] = {{p->modules_fell_back, "modules"}, {p->thunks_fell_back, "thunks"},
		{p->communications_fell_back, "communication"}};
	struct jr_buf names = {0};
	for (size_t i = 0; i < JR_COUNT_OF(frames); i++)
		if (frames[i].fell_back)
			jr_buf_printf(&names, "%s%s", names.size ? ", " : "", frames[i].name);
	if (names.size)
		jr_profile_warn(p,
			"no steady execution in: %s; all of its executions are shown, initialisation included "
			"(profile more steps, or choose --warmup)",
			names.data);
	jr_buf_done(&names);
}

/* Analyses.md section 2. A whole frame without a steady row is steady altogether. */
void jr_warmup_mark(struct jr_build *build)
{
	struct jr_profile *p = build->profile;
	struct jr_thunks *t = &p->thunks;
	struct jr_modules *m = &p->modules;
	find_compiled(p, build);
	size_t n_communication = 0, n_steady_communication = 0;
	for (size_t i = 0; i < t->n; i++)
		n_communication += jr_thunk_op(p, i)->communication;
	p->any_communication = n_communication > 0;
	for (size_t k = 0; k < p->n_programs; k++)
		p->programs[k].warmup = skipped(p, &p->programs[k]);
	for (size_t i = 0; i < m->n; i++)
		m->steady[i] = m->program_execution[i] >= p->programs[m->program[i]].warmup;
	for (size_t i = 0; i < t->n; i++) {
		t->steady[i] = m->steady[t->module[i]];
		n_steady_communication += t->steady[i] && jr_thunk_op(p, i)->communication;
	}
	p->communications_fell_back = n_communication && !n_steady_communication;
	if (m->n && !any_set(m->steady, m->n)) {
		memset(m->steady, 1, m->n);
		p->modules_fell_back = true;
	}
	if (t->n && !any_set(t->steady, t->n)) {
		memset(t->steady, 1, t->n);
		p->thunks_fell_back = true;
	}
	warn_of_fall_backs(p);
}
