/* Rules about compilation and memory. */
#include <stdlib.h>
#include <string.h>

#include "analysis/compile_stats.h"
#include "analysis/findings.h"
#include "analysis/program_memory.h"

/* --- compilation while training ------------------------------------------------------------- */

/* When the steps of a process began and ended on its devices, other programs left out: what is
 * compiled while those run ahead of the first step is no recompilation. */
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
	size_t n, n_again; /* n_again: programs of that name were compiled before */
	double sum_ns, longest_ns;
	uint32_t longest; /* row of compiles */
	double *idle_ns;  /* [n_devices] of a step: no module ran while its process compiled */
};

/* Name of the program that a range compiles; 0 where that is not known. */
static uint32_t program_name(const struct jr_profile *p, uint32_t row)
{
	int64_t number = p->compiles.program_number[row];
	for (size_t i = 0; number >= 0 && i < p->n_programs; i++)
		if (p->programs[i].number == (uint64_t)number)
			return p->programs[i].name;
	return 0;
}

/* Programs of one name are of one function. */
static bool compiled_before(const struct jr_profile *p, uint32_t row)
{
	const struct jr_compiles *t = &p->compiles;
	uint32_t name = program_name(p, row);
	for (uint32_t i = row; name && i-- > 0 && t->process[i] == t->process[row];)
		if (t->parent[i] == JR_NONE && program_name(p, i) == name)
			return true;
	return false;
}

/* Gaps between modules while that range ran. */
static void add_idle(struct jr_check *c, const struct jr_module_gaps *gaps, uint32_t row,
	struct recompilation *r)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_compiles *t = &p->compiles;
	int64_t begin = t->start_ns[row], end = begin + t->dur_ns[row];
	for (size_t i = 0; i < gaps->n; i++) {
		const struct jr_module_gap *gap = &gaps->items[i];
		int64_t from = gap->begin_ns > begin ? gap->begin_ns : begin;
		int64_t to = gap->end_ns < end ? gap->end_ns : end;
		if (p->devices[gap->device].process == t->process[row] && to > from)
			r->idle_ns[gap->device] +=
				(double)(to - from) / c->ctx->windows->devices[gap->device].n_periods;
	}
}

static struct recompilation find_recompilation(struct jr_check *c, const struct span *spans)
{
	const struct jr_compiles *t = &c->ctx->profile->compiles;
	struct jr_module_gaps gaps = jr_check_gaps(c);
	struct recompilation r = {.longest = JR_NONE,
		.idle_ns = JR_ARENA_N(c->ctx->scratch, double, c->ctx->profile->n_devices + 1)};
	for (uint32_t i = 0; i < t->n; i++) {
		const struct span *span = &spans[t->process[i]];
		if (t->parent[i] != JR_NONE || !span->seen || t->start_ns[i] < span->first_ns ||
			t->start_ns[i] >= span->last_ns)
			continue;
		r.n++;
		r.n_again += compiled_before(c->ctx->profile, i);
		r.sum_ns += (double)t->dur_ns[i];
		add_idle(c, &gaps, i, &r);
		if (r.longest == JR_NONE || (double)t->dur_ns[i] > r.longest_ns) {
			r.longest = i;
			r.longest_ns = (double)t->dur_ns[i];
		}
	}
	return r;
}

/* Name of what was compiled: the program of that number, else the range itself. */
static const char *compiled_name(struct jr_check *c, uint32_t row)
{
	const struct jr_profile *p = c->ctx->profile;
	uint32_t name = program_name(p, row);
	return jr_check_name(c, jr_str(p, name ? name : p->compiles.name[row]));
}

#define KEEP_PROGRAMS {JR_FLAG_COMPILATION_CACHE, "DIR", NULL, NULL}

void jr_check_recompilation(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	struct jr_arena *arena = c->ctx->arena;
	/* Where nothing is steady, programs are compiled as they first run. */
	if (p->compiles.n == 0 || c->step == JR_NONE || p->programs[c->step].fell_back)
		return;
	struct recompilation r = find_recompilation(c, process_spans(c));
	if (!jr_check_fires(c, (double)r.n))
		return;
	/* Compiling holds up the dispatch of what comes next. */
	double idle_ns = 0;
	for (size_t d = 0; d < p->n_devices; d++) {
		c->explained_ns[d] += r.idle_ns[d];
		idle_ns += r.idle_ns[d] * c->ctx->windows->devices[d].n_periods;
	}
	jr_check_claim(c, r.idle_ns, JR_PART_IDLE_BETWEEN);
	if (r.n_again == 0)
		c->finding.severity = JR_NOTICE;
	c->finding.title =
		r.n_again ? jr_arena_printf(arena,
						"%zu compilation%s after the steps had begun, %s in all, %zu of functions "
						"that were "
						"compiled before",
						r.n, r.n == 1 ? "" : "s", jr_check_time(c, r.sum_ns), r.n_again)
				  : jr_arena_printf(arena,
						"%zu program%s first compiled after the steps had begun, %s in all", r.n,
						r.n == 1 ? " was" : "s were", jr_check_time(c, r.sum_ns));
	c->finding.detail = r.n_again
		? jr_arena_printf(arena,
			  "Something new reaches jax.jit in the training loop: another shape, dtype, static "
			  "argument or sharding, or a function made anew each time.%s Pad to fixed shapes, jit "
			  "once outside of the loop%s.",
			  JR_ADVISE(c, " To see which: ", ".",
				  {JR_FLAG_EXPLAIN_CACHE_MISSES, "1", NULL, NULL},
				  {JR_FLAG_LOG_COMPILES, "1", NULL, NULL}),
			  JR_ADVISE(c, ", and keep compiled programs with ", "", KEEP_PROGRAMS))
		: "A function was called for the first time while steps ran, so that they waited for its "
		  "compilation. That comes once; where it matters call it ahead of the loop, or compile it "
		  "there: jax.jit(f).lower(...).compile().";
	c->finding.evidence = jr_arena_printf(arena, "The longest is %s, %s%s.",
		compiled_name(c, r.longest), jr_check_time(c, r.longest_ns),
		idle_ns > 0
			? jr_arena_printf(arena, "; no module ran for %s of that time, all devices together",
				  jr_check_time(c, idle_ns))
			: "; modules ran all the while");
}

/* --- what compilation spends its time on ---------------------------------------------------- */

#define LONG_NS 5e9

static const char *compile_advice(struct jr_check *c, const char *name)
{
	const char *keep = JR_ADVISE(c, ", and keep compiled programs with ", "", KEEP_PROGRAMS);
	if (strstr(name, "utotun") || strstr(name, "algorithm-picker") ||
		strstr(name, "fusion-autotuner"))
		return jr_arena_printf(c->ctx->arena, "Autotuning measures kernels on the GPU.%s",
			JR_ADVISE(c, " Keep what it finds from run to run: ", ".",
				{JR_FLAG_AUTOTUNE_CACHE, "DIR", NULL, NULL},
				{JR_FLAG_COMPILATION_CACHE, "DIR", NULL, " (whole programs)"}));
	if (strstr(name, "Asm") || strstr(name, "Llvm"))
		return jr_arena_printf(c->ctx->arena,
			"Code generation grows with the number of distinct kernels: loop over layers with "
			"jax.lax.scan%s.", keep);
	return jr_arena_printf(c->ctx->arena,
		"Passes grow with the size of the program: loop over layers with jax.lax.scan instead of "
		"unrolling them%s.", keep);
}

/* "13.04 s", "64.1 s to 69.4 s a process, 4 of them side by side". */
static const char *compile_time_text(struct jr_check *c, const struct jr_compile_stats *stats)
{
	const char *longest = jr_check_time(c, stats->longest_process_ns);
	if (stats->n_processes == 1)
		return longest;
	const char *shortest = jr_check_time(c, stats->shortest_process_ns);
	return jr_arena_printf(c->ctx->arena, "%s%s%s a process, %zu of them side by side",
		strcmp(shortest, longest) == 0 ? "" : shortest,
		strcmp(shortest, longest) == 0 ? "" : " to ", longest, stats->n_processes);
}

/* The range with most own time that is not the loading of libraries: by name, of all processes. */
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

/* Processes compile side by side: what one of them takes delays the first step. */
static const char *of_process(struct jr_check *c, const struct jr_compile_stats *stats, double ns)
{
	return jr_arena_printf(c->ctx->arena, "%s%s",
		jr_check_time(c, ns / (double)stats->n_processes),
		stats->n_processes > 1 ? " a process, on average" : "");
}

void jr_check_compile_time(struct jr_check *c)
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
	c->finding.title = jr_arena_printf(arena, "Compilation takes %s, %s of it in one place: %s",
		compile_time_text(c, stats), jr_check_percent(c, c->value),
		jr_check_name(c, longest.name));
	c->finding.detail = compile_advice(c, longest.name);
	c->finding.evidence = jr_arena_printf(arena,
		"%s of self time%s; what is compiled waits for it.", of_process(c, stats, longest.self_ns),
		longest.loading_ns > 0
			? jr_arena_printf(arena, ", but for %s in which libraries were loaded within",
				  of_process(c, stats, longest.loading_ns))
			: "");
}

/* " 5.777 s in “cuBLAS:cublasCreate_v2” within “XlaPass:…”, 355.9 ms …": what loads, by time. */
static const char *loading_text(struct jr_check *c, const struct jr_compile_stats *stats)
{
	struct jr_arena *arena = c->ctx->arena;
	const char *text = "";
	for (size_t i = 0; i < stats->n_libraries; i++) {
		const struct jr_compile_library *library = &stats->libraries[i];
		if (!library->loads)
			continue;
		text = jr_arena_printf(arena,
			"The call with most is %s, %s, within %s, and counts as own time of that in the "
			"tables. ",
			jr_check_name(c, library->name), of_process(c, stats, library->self_ns),
			jr_check_name(c, library->within));
		break;
	}
	for (size_t i = 0; i < stats->n_ranges; i++)
		if (strcmp(stats->ranges[i].name, JR_COMPILE_LIBRARY_LOADING) == 0 &&
			stats->ranges[i].self_ns > 0)
			text = jr_arena_printf(arena,
				"%s%s is own time of the first compilation, outside of any phase.", text,
				of_process(c, stats, stats->ranges[i].self_ns));
	return text;
}

void jr_check_library_loading(struct jr_check *c)
{
	const struct jr_compile_stats *stats =
		jr_compile_stats_compute(c->ctx->profile, c->ctx->scratch);
	struct jr_arena *arena = c->ctx->arena;
	if (stats->n_ranges == 0)
		return;
	double frac = jr_ratio(stats->loading_ns, stats->total_ns);
	if (!jr_check_fires(c, stats->longest_process_ns >= LONG_NS ? frac : 0))
		return;
	c->finding.title = jr_arena_printf(arena,
		"Compilation takes %s, %s of it loading libraries: %s", compile_time_text(c, stats),
		jr_check_percent(c, c->value), of_process(c, stats, stats->loading_ns));
	c->finding.detail =
		"A process loads libraries (CUDA, cuBLAS, cuDNN) and sets the GPU up when it first "
		"compiles what needs them, whatever that is: it comes once a process and device, not with "
		"each program, and a cache of programs or of autotuning at most moves it to the first "
		"step. Read the libraries from a local disk rather than over a network.";
	c->finding.evidence = loading_text(c, stats);
}

/* --- memory --------------------------------------------------------------------------------- */

/* The program that Peak memory is of, out of the section's table. */
struct memory_use {
	const char *name; /* NULL: nothing is known */
	double allocated_bytes, donated_bytes, part_bytes[JR_N_MEMORY_PARTS];
	const struct jr_table *live; /* buffers at its peak */
};

static struct memory_use largest_use(const struct jr_check *c)
{
	const struct jr_table *t = jr_results_table(c->ctx->results, "program_memory");
	struct memory_use use = {0};
	for (size_t row = 0; t && row < t->n_rows && !use.name; row++) { /* by size */
		use.allocated_bytes = jr_table_number(t, jr_table_column(t, "allocated_bytes"), row);
		if (isnan(use.allocated_bytes) || t->cells[jr_table_column(t, "ran")].boolean[row] != 1)
			continue;
		use.name = jr_table_text(t, "name", row);
		use.donated_bytes = jr_table_number(t, jr_table_column(t, "donated_bytes"), row);
		for (size_t k = 0; k < JR_N_MEMORY_PARTS; k++)
			use.part_bytes[k] =
				jr_table_number(t, jr_table_column(t, jr_memory_part_keys[k]), row);
		use.live = t->cells[jr_table_column(t, "live_at_peak")].rows[row];
	}
	return use;
}

/* Of the devices that ran anything the one with least; 0: not known. */
static uint64_t device_memory(const struct jr_profile *p)
{
	uint64_t memory = 0;
	for (size_t i = 0; i < p->modules.n; i++) {
		uint64_t own = p->devices[p->modules.device[i]].memory_bytes;
		memory = own && (!memory || own < memory) ? own : memory;
	}
	return memory;
}

static const char *bytes_text(struct jr_check *c, double bytes)
{
	char text[JR_NUM_MAX];
	jr_num_bytes(text, bytes);
	return jr_arena_strdup(c->ctx->arena, text);
}

#define DONATION_FRAC 0.05 /* of the whole, from which on it is worth a sentence */

static const char *memory_advice(struct jr_check *c, const struct memory_use *use)
{
	static const char *const advice[JR_N_MEMORY_PARTS] = {
		[JR_MEMORY_PARAMETERS] =
			"The largest part is arguments, such as weights and optimizer state: shard them over "
			"more devices, keep them in a lower precision, or offload those that a step needs once "
			"to the host's memory (memory_kind='pinned_host').",
		[JR_MEMORY_OUTPUTS] =
			"The largest part is results: return less, and shard what is returned "
			"(out_shardings).",
		[JR_MEMORY_CONSTANTS] =
			"The largest part is constants, arrays that the function closes over: pass them as "
			"arguments, which can be sharded and are held once for all programs.",
		[JR_MEMORY_TEMPORARIES] =
			"The largest part is intermediate results: recompute them (jax.checkpoint with a "
			"policy), offload them (jax.checkpoint_policies.save_and_offload_only_these_names), or "
			"take a batch in several smaller ones.",
	};
	const double *part = use->part_bytes;
	size_t largest = jr_check_largest(part, JR_N_MEMORY_PARTS);
	double kept = part[JR_MEMORY_PARAMETERS] - use->donated_bytes;
	double shared = kept < part[JR_MEMORY_OUTPUTS] ? kept : part[JR_MEMORY_OUTPUTS];
	const char *donation = "";
	if (shared >= DONATION_FRAC * use->allocated_bytes)
		donation = jr_arena_printf(c->ctx->arena,
			" Outputs of %s have memory of their own beside arguments of %s that are not donated: "
			"where one replaces the other, jax.jit(donate_argnums=...) lets them share it.",
			bytes_text(c, part[JR_MEMORY_OUTPUTS]), bytes_text(c, kept));
	return jr_arena_printf(c->ctx->arena,
		"JAX takes 75 %% of the memory by default (%s); beyond that a step fails or XLA begins to "
		"recompute. %s%s",
		jr_flag_name(JR_FLAG_MEMORY_FRACTION, c->ctx->arena), advice[largest], donation);
}

static const char *memory_evidence(struct jr_check *c, const struct memory_use *use)
{
	struct jr_buf text = {0};
	const struct jr_table *live = use->live;
	jr_buf_printf(&text, "XLA sets it aside for %s:", jr_check_name(c, use->name));
	for (size_t k = 0; k < JR_N_MEMORY_PARTS; k++)
		jr_buf_printf(&text, "%s %s %s", k ? "," : "", jr_memory_part_name(k),
			bytes_text(c, use->part_bytes[k]));
	jr_buf_putc(&text, '.');
	if (live && live->n_rows) {
		const char *name = jr_table_text(live, "instruction", 0);
		const char *class = jr_table_text(live, "class", 0);
		jr_buf_printf(&text, " Of %s buffer%s alive at its peak the largest is %s (%s), %s.",
			jr_check_count(c, live->n_rows), live->n_rows == 1 ? "" : "s",
			*name ? jr_check_name(c, name) : "unnamed", class,
			bytes_text(c, jr_table_number(live, jr_table_column(live, "bytes"), 0)));
	}
	const char *copy = jr_arena_strndup(c->ctx->arena, text.data, text.size);
	jr_buf_done(&text);
	return copy;
}

void jr_check_memory(struct jr_check *c)
{
	uint64_t memory = device_memory(c->ctx->profile);
	struct memory_use use = largest_use(c);
	if (!use.name || !memory)
		return;
	if (!jr_check_fires(c, use.allocated_bytes / (double)memory))
		return;
	c->finding.title = jr_arena_printf(c->ctx->arena,
		"Peak memory is %s of the device's: %s of %s", jr_check_percent(c, c->value),
		bytes_text(c, use.allocated_bytes), bytes_text(c, (double)memory));
	c->finding.detail = memory_advice(c, &use);
	c->finding.evidence = memory_evidence(c, &use);
}
