#include "base/order.h"
#include "model/build/build.h"

#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"

/* Return the first row of build->numbers (sorted) that is not before (process, number). */
static size_t first_number(const struct jr_build *build, uint32_t process, int64_t number)
{
	size_t lo = 0, hi = build->numbers.n;
	JR_SEARCH(lo, hi, mid,
		build->numbers.items[mid].process < process ||
			(build->numbers.items[mid].process == process &&
				build->numbers.items[mid].number < number));
	return lo;
}

/* Find programs whose compilation was profiled: a compile row of a process carries the program's
 * number in that process. */
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
	case JR_WARMUP_NONE: return 0;
	case JR_WARMUP_COUNT: return p->options.warmup_count;
	case JR_WARMUP_FIRST: return program->compiled;
	case JR_WARMUP_AUTO: break;
	}
	return (uint32_t)program->compiled + p->any_communication;
}

static bool any_set(const uint8_t *flags, size_t n)
{
	return n && memchr(flags, 1, n);
}

/* What to do for more steady executions. */
static const char *for_more(const struct jr_profile *p)
{
	return p->selected.any ? "Select or profile more steps, or use --warmup"
						   : "Profile more steps, or use --warmup";
}

static void warn_of_fall_backs(struct jr_profile *p)
{
	const struct {
		bool fell_back;
		const char *name;
	} frames[] = {{p->modules_fell_back, "modules"}, {p->thunks_fell_back, "thunks"},
		{p->communications_fell_back, "communication"}};
	JR_CLEANUP(jr_buf_done) struct jr_buf names = {0};
	for (size_t k = 0; k < p->n_programs && !p->modules_fell_back; k++)
		if (p->programs[k].fell_back)
			jr_profile_warn(p,
				"every execution of %s is warm-up by the warm-up rule; all of them are shown as "
				"steady, because the other programs take less time. %s",
				jr_str(p, p->programs[k].name), for_more(p));
	for (size_t i = 0; i < JR_COUNT_OF(frames); i++)
		if (frames[i].fell_back)
			jr_buf_printf(&names, "%s%s", names.size ? ", " : "", frames[i].name);
	if (names.size)
		jr_profile_warn(p,
			"no steady execution of %s; all of its executions are shown, including warm-up. %s",
			names.data, for_more(p));
}

/* --- programs without remaining executions ------------------------------------------------------
 */

static void keep_all_programs(struct jr_profile *p)
{
	memset(p->modules.steady, 1, p->modules.n);
	for (size_t i = 0; i < p->modules.n; i++)
		p->programs[p->modules.program[i]].fell_back = true;
}

struct all_executions {
	int64_t sum_ns;
	uint32_t most; /* on one device */
	bool steady;   /* any execution is steady */
};

/* A program that runs once is usually not a step. It is the main program only if all steady work is
 * far smaller. */
#define FAR_HEAVIER 10

/* By the rule, all executions of the main program may be warm-up: two steps were profiled, or
 * --warmup exceeds their number. A helper program would then appear as the steps. So a program
 * without steady executions keeps all of its executions if it takes more time than every steady
 * program with its warm-up. */
static void keep_main_program(struct jr_profile *p)
{
	struct jr_modules *m = &p->modules;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct all_executions *all = JR_ARENA_N(&scratch, struct all_executions, p->n_programs + 1);
	int64_t heaviest_ns = 0;
	for (size_t i = 0; i < m->n; i++) {
		struct all_executions *own = &all[m->program[i]];
		own->sum_ns += m->dur_ns[i];
		own->steady |= m->steady[i];
		if (m->program_execution[i] >= own->most)
			own->most = m->program_execution[i] + 1;
	}
	for (size_t k = 0; k < p->n_programs; k++)
		if (all[k].steady && all[k].sum_ns > heaviest_ns)
			heaviest_ns = all[k].sum_ns;
	for (size_t k = 0; k < p->n_programs; k++) {
		int64_t least = all[k].most > 1 ? 1 : FAR_HEAVIER;
		p->programs[k].fell_back |=
			all[k].most > 0 && !all[k].steady && all[k].sum_ns / least > heaviest_ns;
	}
	for (size_t i = 0; i < m->n; i++)
		m->steady[i] |= p->programs[m->program[i]].fell_back;
}

static void fall_back(struct jr_profile *p)
{
	const struct jr_modules *m = &p->modules;
	bool none = m->n && !any_set(m->steady, m->n);
	p->modules_fell_back |= none;
	if (none)
		keep_all_programs(p);
	else
		keep_main_program(p);
}

/* --- leading steps ---------------------------------------------------------------------------- */

#define LEAST_STEPS 2 /* minimum number of remaining steps */

/* A step that contains warm-up is not steady on any device. Work launched outside of all steps is
 * not steady either. If too few steps would remain, nothing changes. */
static void keep_whole_steps(struct jr_profile *p)
{
	struct jr_modules *m = &p->modules;
	size_t n_steps = p->leading_steps.n_steps, n_left = 0;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	enum { UNSEEN, WHOLE, WARM_UP };
	uint8_t *state = JR_ARENA_N(&scratch, uint8_t, n_steps + 1);
	for (size_t i = 0; i < m->n; i++) {
		if (m->step[i] == JR_NONE)
			continue;
		uint8_t *at = &state[m->step[i]];
		n_left += *at == UNSEEN;
		if (!m->steady[i]) {
			n_left -= *at != WARM_UP;
			*at = WARM_UP;
		} else if (*at == UNSEEN) {
			*at = WHOLE;
		}
	}
	for (size_t i = 0; i < m->n && n_left >= LEAST_STEPS; i++)
		m->steady[i] &= m->step[i] != JR_NONE && state[m->step[i]] == WHOLE;
}

/* --- thunks ----------------------------------------------------------------------------------- */

static void mark_thunks(struct jr_profile *p)
{
	const struct jr_thunks *t = &p->thunks;
	size_t n_communication = 0, n_steady = 0, n_steady_communication = 0;
	for (size_t i = 0; i < t->n; i++) {
		bool communication = jr_thunk_op(p, i)->communication;
		bool steady = p->modules.steady[jr_thunk_module(p, i)];
		n_communication += communication;
		n_steady += steady;
		n_steady_communication += steady && communication;
	}
	p->communications_fell_back =
		n_communication && (p->modules_fell_back || !n_steady_communication);
	p->thunks_fell_back = t->n && (p->modules_fell_back || !n_steady);
}

/* analysis/README.md, section 2. A frame without a steady row becomes steady as a whole, and so
 * does the main program. */
void jr_warmup_mark(struct jr_build *build)
{
	struct jr_profile *p = build->profile;
	struct jr_modules *m = &p->modules;
	find_compiled(p, build);
	p->any_communication = false;
	for (size_t i = 0; i < p->thunks.n; i++)
		p->any_communication |= jr_thunk_op(p, i)->communication;
	for (size_t k = 0; k < p->n_programs; k++)
		p->programs[k].warmup = skipped(p, &p->programs[k]);
	for (size_t i = 0; i < m->n; i++)
		m->steady[i] = m->program_execution[i] >= p->programs[m->program[i]].warmup;
	fall_back(p);
	if (p->leading_steps.n_steps)
		keep_whole_steps(p);
	mark_thunks(p);
}

void jr_warmup_settle(struct jr_profile *p)
{
	if (p->selected.any) {
		fall_back(p);
		mark_thunks(p);
	}
	warn_of_fall_backs(p);
}
