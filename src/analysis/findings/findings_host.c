/* Rules about compilation and memory. */
#include <math.h>
#include <string.h>

#include "analysis/findings/advice.h"
#include "analysis/compile/compile_stats.h"
#include "analysis/shared/variants.h"
#include "analysis/core/terms.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define RECOMPILED_CALLS_SUBJECT "%s is recompiled %s"
#define RECOMPILED_CALLS_TITLE ": %s each, %s of the time between calls"
#define RECOMPILED_CALLS_WHY                                                                       \
	JR_OF_JAX("Each call passes something new to jax.jit: a different shape, dtype, static "       \
	"argument or sharding, or a new function object.")
#define RECOMPILED_CALLS_ACTION                                                                    \
	JR_OF_JAX("Pad inputs to a few shapes, call jax.jit once outside the loop%s.%s")
#define RECOMPILED_CALLS_EVIDENCE                                                                  \
	"%s calls of %s program%s on one device; executions take %s of the time between calls."

#define RECOMPILATION_SUBJECT "Recompilation after the steps began"
#define RECOMPILATION_TITLE " takes %s in total (%s; %s had been compiled before)"
#define RECOMPILATION_WHY                                                                          \
	JR_OF_JAX("The step loop passes something new to jax.jit: a different shape, dtype, static "   \
	"argument or sharding, or a new function object.")
#define RECOMPILATION_ACTION                                                                       \
	JR_OF_JAX("Pad to fixed shapes, call jax.jit once outside the loop%s.%s")
#define RECOMPILATION_EVIDENCE "The longest is %s, %s%s.%s"
#define RECOMPILATION_EVIDENCE_IDLE "; no module ran for %s of that time, over all devices"
#define RECOMPILATION_EVIDENCE_BUSY "; modules ran during all of it"

#define RECOMPILATION_ACTION_SEE " To see what is new, set "
#define COMPILATION_SUBJECT "Compilation after the steps began"
#define COMPILATION_TITLE                                                                          \
	" takes %s in total (%s; none of these functions had been compiled before)"
#define COMPILATION_WHY                                                                            \
	"A function was called for the first time while steps ran, so they waited for its "            \
	"compilation. " JR_OF_JAX("This happens once.")
#define COMPILATION_ACTION                                                                         \
	JR_OF_JAX("Call or compile the function before the loop if this matters: "                     \
	"jax.jit(f).lower(...).compile().")

#define COMPILE_TIME_TITLE " spends %s in %s"
#define COMPILE_TIME_WHY_AUTOTUNING "Autotuning measures kernels on the " JR_GPU "."
#define COMPILE_TIME_ACTION_AUTOTUNING "Cache its results across runs: "
#define COMPILE_TIME_EVIDENCE                                                                      \
	"This self time is %s of compilation, which waits for it and takes %s%s."
#define COMPILE_TIME_EVIDENCE_LOADING "; it excludes %s of library loading within it"

#define LIBRARY_LOADING_SUBJECT "Loading libraries during compilation"
#define LIBRARY_LOADING_TITLE " takes %s"
#define LIBRARY_LOADING_WHY                                                                        \
	JR_ON_GPU("A process loads libraries (" JR_LIBRARIES ") and initializes the " JR_GPU " when "  \
	"a compilation first needs them. This happens once per process and device, not per program. "  \
	"A cache of programs or autotuning results only moves it to the first step.")
#define LIBRARY_LOADING_ACTION                                                                     \
	"If the libraries are on a network disk, copy them to a local one. Otherwise this is a cost "  \
	"that each process has once."
#define LIBRARY_LOADING_EVIDENCE_ALL "This is %s of compilation, which takes %s. %s"
#define LIBRARY_LOADING_EVIDENCE                                                                   \
	"The call with the most time is %s, %s, within %s; the tables count it as self time of that "  \
	"phase. "
#define LIBRARY_LOADING_EVIDENCE_FIRST                                                             \
	"%s%s is self time of the first compilation, outside any phase."

/* --- compilation during training ------------------------------------------------------------ */

/* Start and end of a process's steps on its devices, without other programs: compilations before
 * the first step are not recompilations, even if other programs run. */
struct span {
	bool seen;
	int64_t first_ns, last_ns;
};

static size_t count_processes(const struct jr_profile *p)
{
	size_t n = p->n_processes;
	for (size_t d = 0; d < p->n_devices; d++)
		n = p->devices[d].process >= n ? p->devices[d].process + 1u : n;
	for (size_t i = 0; i < p->compiles.n; i++)
		n = p->compiles.process[i] >= n ? p->compiles.process[i] + 1u : n;
	return n;
}

static struct span *process_spans(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_modules *m = &p->modules;
	struct span *spans = JR_ARENA_N(c->ctx->scratch, struct span, count_processes(p) + 1);
	for (size_t i = 0; i < m->n; i++) {
		if (!m->steady[i] || m->program[i] != c->step)
			continue;
		struct span *span = &spans[p->devices[m->device[i]].process];
		int64_t end_ns = m->start_ns[i] + m->dur_ns[i];
		if (!span->seen || m->start_ns[i] < span->first_ns)
			span->first_ns = m->start_ns[i];
		if (!span->seen || end_ns > span->last_ns)
			span->last_ns = end_ns;
		span->seen = true;
	}
	return spans;
}

struct recompilation {
	size_t n, n_again; /* n_again: programs of the same name had been compiled before */
	size_t times;      /* in the process with the most: processes compile in parallel */
	double sum_ns, longest_ns;
	uint32_t longest; /* row of compiles */
	double *idle_ns;  /* [n_devices] idle time while its process compiled: total */
	double *step_idle_ns; /* [n_devices] the same within typical step windows */
};

/* Return the name of the program that a range compiles; 0 if not known. */
static uint32_t program_name(const struct jr_profile *p, uint32_t row)
{
	int64_t number = p->compiles.program_number[row];
	for (size_t i = 0; number >= 0 && i < p->n_programs; i++)
		if (p->programs[i].number == (uint64_t)number)
			return p->programs[i].name;
	return 0;
}

/* Programs of the same name belong to the same function. */
static bool compiled_before(const struct jr_profile *p, uint32_t row)
{
	const struct jr_compiles *t = &p->compiles;
	uint32_t name = program_name(p, row);
	for (uint32_t i = row; name && i-- > 0 && t->process[i] == t->process[row];)
		if (t->parent[i] == JR_NONE && program_name(p, i) == name)
			return true;
	return false;
}

/* Add the gaps between modules during that range. */
static void add_idle(
	struct jr_check *c, const struct jr_module_gaps *gaps, uint32_t row, double *idle_ns)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_compiles *t = &p->compiles;
	int64_t begin = t->start_ns[row], end = begin + t->dur_ns[row];
	for (size_t i = 0; i < gaps->n; i++) {
		const struct jr_module_gap *gap = &gaps->items[i];
		int64_t from = gap->begin_ns > begin ? gap->begin_ns : begin;
		int64_t to = gap->end_ns < end ? gap->end_ns : end;
		if (p->devices[gap->device].process == jr_profile_process(p, t->process[row]) && to > from)
			idle_ns[gap->device] += (double)(to - from);
	}
}

static struct recompilation find_recompilation(struct jr_check *c, const struct span *spans)
{
	const struct jr_compiles *t = &c->ctx->profile->compiles;
	struct jr_module_gaps gaps = jr_check_gaps(c, c->ctx->windows);
	struct jr_module_gaps step_gaps = jr_check_gaps(c, c->ctx->typical);
	size_t n_devices = c->ctx->profile->n_devices;
	struct recompilation r = {.longest = JR_NONE,
		.idle_ns = JR_ARENA_N(c->ctx->scratch, double, n_devices + 1),
		.step_idle_ns = JR_ARENA_N(c->ctx->scratch, double, n_devices + 1)};
	size_t *times = JR_ARENA_N(c->ctx->scratch, size_t, count_processes(c->ctx->profile) + 1);
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t process = jr_profile_process(c->ctx->profile, t->process[i]);
		const struct span *span = &spans[process];
		if (t->parent[i] != JR_NONE || !span->seen || t->start_ns[i] < span->first_ns ||
			t->start_ns[i] >= span->last_ns)
			continue;
		r.n++;
		if (++times[process] > r.times)
			r.times = times[process];
		r.n_again += compiled_before(c->ctx->profile, i);
		r.sum_ns += (double)t->dur_ns[i];
		add_idle(c, &gaps, i, r.idle_ns);
		add_idle(c, &step_gaps, i, r.step_idle_ns);
		if (r.longest == JR_NONE || (double)t->dur_ns[i] > r.longest_ns) {
			r.longest = i;
			r.longest_ns = (double)t->dur_ns[i];
		}
	}
	return r;
}

/* Return the name of the compiled program, or else of the range itself. */
static const char *compiled_name(struct jr_check *c, uint32_t row)
{
	const struct jr_profile *p = c->ctx->profile;
	uint32_t name = program_name(p, row);
	return jr_check_name(c, jr_str(p, name ? name : p->compiles.name[row]));
}

/* Flag that keeps compiled programs between calls. */
#define KEEP_PROGRAMS {JR_FLAG_COMPILATION_CACHE, "DIR", NULL, NULL}
/* Return a sentence about the flags that print why a program is compiled again; "": none. */
static const char *see_what_is_new(struct jr_check *c)
{
	return JR_ADVISE(c, RECOMPILATION_ACTION_SEE, ".",
		{JR_FLAG_EXPLAIN_CACHE_MISSES, "1", NULL, NULL}, {JR_FLAG_LOG_COMPILES, "1", NULL, NULL});
}

void jr_rule_recompiled_calls(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	struct jr_compiled_calls r = jr_compiled_calls_find(p, c->ctx->steady, c->ctx->scratch);
	if (r.n_calls < 3 || p->compiles.n == 0)
		return;
	if (!jr_check_fires(c, r.name ? jr_ratio(r.compile_ns, r.wall_ns) : 0))
		return;
	if (c->step != JR_NONE) { /* devices wait for it within steps: mark that time as reported */
		struct recompilation all = find_recompilation(c, process_spans(c));
		for (size_t d = 0; d < p->n_devices; d++)
			c->explained_ns[d] += all.step_idle_ns[d] / jr_check_periods_of(c, d);
	}
	c->finding.times = r.n_between;
	c->finding.n_gpus = c->ctx->steady->n_devices_ran;
	double all_ns = r.compile_ns * (double)c->finding.n_gpus;
	c->finding.recoverable_ns = all_ns < 0x1p63 ? llround(all_ns) : INT64_MAX;
	const char *often = r.n_between + 1 == r.n_calls
		? "at every call"
		: jr_arena_printf(arena, "at %s of %s calls", jr_check_count(c, r.n_between),
			  jr_check_count(c, r.n_calls - 1));
	jr_check_title(c,
		jr_arena_printf(
			arena, RECOMPILED_CALLS_SUBJECT, jr_check_name(c, jr_str(p, r.name)), often),
		RECOMPILED_CALLS_TITLE,
		jr_check_time(c, r.compile_ns / (double)r.n_between), jr_check_percent(c, c->value));
	jr_check_why(c, RECOMPILED_CALLS_WHY);
	jr_check_do(c, RECOMPILED_CALLS_ACTION,
		JR_ADVISE(c, ", and cache compiled programs with ", "", KEEP_PROGRAMS),
		see_what_is_new(c));
	jr_check_evidence(c, RECOMPILED_CALLS_EVIDENCE,
		jr_check_count(c, r.n_calls), jr_check_count(c, r.n_programs),
		r.n_programs == 1 ? "" : "s", jr_check_percent(c, jr_ratio(r.run_ns, r.wall_ns)));
}

void jr_rule_recompilation(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	/* Without a steady state, programs are compiled when they first run. */
	if (p->compiles.n == 0 || c->step == JR_NONE || p->programs[c->step].fell_back)
		return;
	/* recompiled-calls reports more details. */
	if (jr_compiled_calls_find(p, c->ctx->steady, c->ctx->scratch).name)
		return;
	struct recompilation r = find_recompilation(c, process_spans(c));
	if (!jr_check_fires(c, (double)r.n))
		return;
	/* Compilation delays the dispatch of later work. */
	double idle_ns = 0;
	for (size_t d = 0; d < p->n_devices; d++) {
		c->explained_ns[d] += r.step_idle_ns[d] / jr_check_periods_of(c, (size_t)d);
		idle_ns += r.idle_ns[d];
	}
	*c->explained_once_ns += jr_ratio(idle_ns, (double)c->ctx->windows->n_devices);
	/* The other devices wait for the one with the longest pause. */
	size_t longest = jr_check_largest(r.idle_ns, p->n_devices);
	jr_check_claim_once(c, longest == SIZE_MAX ? 0 : r.idle_ns[longest], r.times, r.sum_ns);
	if (r.n_again == 0)
		c->finding.severity = JR_NOTICE;
	const char *times = r.n == 1 ? "once"
		: r.times == 1			 ? "once, in several processes"
								 : jr_arena_printf(arena, "%s times", jr_check_count(c, r.n));
	if (r.n_again)
		jr_check_title(c, RECOMPILATION_SUBJECT, RECOMPILATION_TITLE,
			jr_check_time(c, r.sum_ns), times,
			r.n_again == r.n ? "each function"
							 : jr_arena_printf(arena, "%s of the functions",
								   jr_check_count(c, r.n_again)));
	else
		jr_check_title(c, COMPILATION_SUBJECT,
			COMPILATION_TITLE, jr_check_time(c, r.sum_ns), times);
	if (r.n_again) {
		jr_check_why(c, RECOMPILATION_WHY);
		jr_check_do(c, RECOMPILATION_ACTION,
			JR_ADVISE(c, ", and cache compiled programs with ", "", KEEP_PROGRAMS),
			see_what_is_new(c));
	} else {
		jr_check_why(c, COMPILATION_WHY);
		jr_check_do(c, COMPILATION_ACTION);
	}
	jr_check_evidence(c, RECOMPILATION_EVIDENCE,
		compiled_name(c, r.longest), jr_check_time(c, r.longest_ns),
		idle_ns > 0
			? jr_arena_printf(arena, RECOMPILATION_EVIDENCE_IDLE, jr_check_time(c, idle_ns))
			: RECOMPILATION_EVIDENCE_BUSY, jr_check_pays_back(c));
}

/* --- largest parts of compilation ----------------------------------------------------------- */

#define LONG_NS 5e9

static void add_compile_advice(struct jr_check *c, const char *name)
{
	if (strstr(name, "utotun") || strstr(name, "algorithm-picker") ||
		strstr(name, "fusion-autotuner")) {
		jr_check_why(c, COMPILE_TIME_WHY_AUTOTUNING);
		jr_check_do(c, "%s",
			JR_ADVISE(c, COMPILE_TIME_ACTION_AUTOTUNING, ".",
				{JR_FLAG_AUTOTUNE_CACHE, "DIR", NULL, NULL},
				{JR_FLAG_COMPILATION_CACHE, "DIR", NULL, " (whole programs)"}));
		return;
	}
	const char *keep = JR_ADVISE(c, "", "", KEEP_PROGRAMS);
	const struct jr_about about = {.op = JR_NONE,
		.found = strstr(name, "Asm") || strstr(name, "Llvm") ? 1 : 2,
		.word = *keep ? keep : NULL};
	jr_advise(c, JR_ADVICE_COMPILE, &about);
}

/* Return "13.04 s" or "64.1 s to 69.4 s per process, 4 of them side by side". */
static const char *compile_time_text(struct jr_check *c, const struct jr_compile_stats *stats)
{
	const char *longest = jr_check_time(c, stats->longest_process_ns);
	if (stats->n_processes == 1)
		return longest;
	const char *shortest = jr_check_time(c, stats->shortest_process_ns);
	return jr_arena_printf(c->ctx->arena, "%s%s%s per process, %zu processes in parallel",
		strcmp(shortest, longest) == 0 ? "" : shortest,
		strcmp(shortest, longest) == 0 ? "" : " to ", longest, stats->n_processes);
}

/* Return the range with the most self time, without the loading of libraries: by name, over all
 * processes. */
static struct jr_compile_entry longest_entry(const struct jr_compile_stats *stats)
{
	struct jr_compile_entry longest = {0};
	for (size_t i = 0; i < stats->n_ranges; i++) {
		struct jr_compile_entry entry = stats->ranges[i];
		entry.self_ns -= entry.loading_ns;
		if (strcmp(entry.name, JR_COMPILE_LIBRARY_LOADING) != 0 &&
			(!longest.name || entry.self_ns > longest.self_ns))
			longest = entry;
	}
	return longest;
}

/* Return the mean per process. Processes compile in parallel, so the time of one process delays the
 * first step. */
static const char *of_process(struct jr_check *c, const struct jr_compile_stats *stats, double ns)
{
	return jr_arena_printf(c->ctx->arena, "%s%s",
		jr_check_time(c, ns / (double)stats->n_processes),
		stats->n_processes > 1 ? " per process on average" : "");
}

void jr_rule_compile_time(struct jr_check *c)
{
	const struct jr_compile_stats *stats =
		jr_compile_stats_compute(c->ctx->profile, c->ctx->scratch);
	struct jr_arena *arena = c->ctx->arena;
	struct jr_compile_entry longest = longest_entry(stats);
	if (stats->n_ranges == 0)
		return;
	double frac = longest.name ? jr_ratio(longest.self_ns, stats->total_ns) : 0;
	if (!jr_check_fires(c, stats->longest_process_ns >= LONG_NS ? frac : 0) || !longest.name)
		return;
	jr_check_title(c, "Compilation", COMPILE_TIME_TITLE,
		of_process(c, stats, longest.self_ns), jr_check_name(c, longest.name));
	add_compile_advice(c, longest.name);
	jr_check_evidence(c, COMPILE_TIME_EVIDENCE, jr_check_percent(c, c->value),
		compile_time_text(c, stats),
		longest.loading_ns > 0
			? jr_arena_printf(arena, COMPILE_TIME_EVIDENCE_LOADING,
				  of_process(c, stats, longest.loading_ns))
			: "");
}

/* Describe the loading of libraries: the call with the most time, and the first compilation's own
 * time. */
static const char *loading_text(struct jr_check *c, const struct jr_compile_stats *stats)
{
	struct jr_arena *arena = c->ctx->arena;
	const char *text = "";
	for (size_t i = 0; i < stats->n_libraries; i++) {
		const struct jr_compile_library *library = &stats->libraries[i];
		if (!library->loads)
			continue;
		text = jr_arena_printf(arena, LIBRARY_LOADING_EVIDENCE,
			jr_check_name(c, library->name), of_process(c, stats, library->self_ns),
			jr_check_name(c, library->within));
		break;
	}
	for (size_t i = 0; i < stats->n_ranges; i++)
		if (strcmp(stats->ranges[i].name, JR_COMPILE_LIBRARY_LOADING) == 0 &&
			stats->ranges[i].self_ns > 0)
			text = jr_arena_printf(arena, LIBRARY_LOADING_EVIDENCE_FIRST, text,
				of_process(c, stats, stats->ranges[i].self_ns));
	return text;
}

void jr_rule_library_loading(struct jr_check *c)
{
	const struct jr_compile_stats *stats =
		jr_compile_stats_compute(c->ctx->profile, c->ctx->scratch);
	if (stats->n_ranges == 0)
		return;
	double frac = jr_ratio(stats->loading_ns, stats->total_ns);
	if (!jr_check_fires(c, stats->longest_process_ns >= LONG_NS ? frac : 0))
		return;
	jr_check_title(c, LIBRARY_LOADING_SUBJECT,
		LIBRARY_LOADING_TITLE, of_process(c, stats, stats->loading_ns));
	jr_check_why(c, LIBRARY_LOADING_WHY);
	jr_check_do(c, LIBRARY_LOADING_ACTION);
	jr_check_evidence(c, LIBRARY_LOADING_EVIDENCE_ALL,
		jr_check_percent(c, c->value), compile_time_text(c, stats), loading_text(c, stats));
}

/* --- memory --------------------------------------------------------------------------------- */
