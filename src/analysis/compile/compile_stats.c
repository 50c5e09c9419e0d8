#include "analysis/compile/compile_stats.h"
#include "analysis/compile/compile_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/core/stacks.h"
#include "base/cleanup.h"
#include "base/order.h"

/* A range with children on other threads. Its workers share [first start, last end]. */
struct launcher {
	uint32_t row;
	int64_t first_ns, last_ns;
	int64_t own_children_ns; /* children on its own thread */
	int64_t parallel_ns;
	double weight; /* sum of the workers' self times */
};

struct launchers {
	struct launcher *items;
	size_t n;
	uint32_t *of_row; /* [rows] index of items, or JR_NONE */
};

static bool is_worker_top(const struct jr_compiles *t, size_t row)
{
	return t->parent[row] != JR_NONE && t->tid[row] != t->tid[t->parent[row]];
}

static struct launchers find_launchers(const struct jr_compiles *t, struct jr_arena *arena)
{
	struct launchers found = {.of_row = JR_ARENA_N(arena, uint32_t, t->n)};
	memset(found.of_row, 0xFF, t->n * sizeof(*found.of_row));
	for (size_t i = 0; i < t->n; i++)
		if (is_worker_top(t, i) && found.of_row[t->parent[i]] == JR_NONE)
			found.of_row[t->parent[i]] = (uint32_t)found.n++;
	found.items = JR_ARENA_N(arena, struct launcher, found.n);
	for (size_t i = 0; i < found.n; i++)
		found.items[i] = (struct launcher){.first_ns = INT64_MAX, .last_ns = INT64_MIN};
	for (size_t i = 0; i < t->n; i++) {
		if (t->parent[i] == JR_NONE || found.of_row[t->parent[i]] == JR_NONE)
			continue;
		struct launcher *launcher = &found.items[found.of_row[t->parent[i]]];
		int64_t start_ns = t->start_ns[i], end_ns = start_ns + t->dur_ns[i];
		launcher->row = t->parent[i];
		if (!is_worker_top(t, i)) {
			launcher->own_children_ns += t->dur_ns[i];
			continue;
		}
		launcher->first_ns = start_ns < launcher->first_ns ? start_ns : launcher->first_ns;
		launcher->last_ns = end_ns > launcher->last_ns ? end_ns : launcher->last_ns;
	}
	return found;
}

/*
 * The parallel length is the time from the workers' first start to their last end. It is limited to
 * the time that the launcher's own children leave. So the launcher's self time is never negative,
 * and the parts still add up to its length.
 */
static void divide_launchers(
	const struct jr_compiles *t, struct launchers *launchers, struct jr_compile_stats *stats)
{
	for (size_t i = 0; i < launchers->n; i++) {
		struct launcher *launcher = &launchers->items[i];
		int64_t dur_ns = t->dur_ns[launcher->row];
		int64_t left_ns = dur_ns - launcher->own_children_ns;
		if (left_ns < 0)
			left_ns = 0;
		launcher->parallel_ns = launcher->last_ns - launcher->first_ns;
		if (launcher->parallel_ns > left_ns)
			launcher->parallel_ns = left_ns;
		stats->self_ns[launcher->row] = (double)(left_ns - launcher->parallel_ns);
		stats->child_ns[launcher->row] = (double)(dur_ns - left_ns + launcher->parallel_ns);
	}
}

/*
 * Scale the workers' times to the parallel length of their launcher. If a launcher is itself a
 * worker of another, its weight there includes its own parallel region. No reader produces this
 * case, but nothing rules it out.
 */
static void share_parallel(const struct jr_compiles *t, struct launchers *launchers,
	struct jr_compile_stats *stats, double *scale, struct jr_arena *arena)
{
	uint32_t *region = JR_ARENA_N(arena, uint32_t, t->n); /* launcher that a row is a worker of */
	for (size_t i = 0; i < t->n; i++) {
		uint32_t parent = t->parent[i];
		region[i] = parent == JR_NONE     ? JR_NONE
					: is_worker_top(t, i) ? launchers->of_row[parent]
										  : region[parent];
		if (region[i] == JR_NONE)
			continue;
		uint32_t own = launchers->of_row[i];
		launchers->items[region[i]].weight +=
			stats->self_ns[i] + (own == JR_NONE ? 0 : (double)launchers->items[own].parallel_ns);
	}
	for (size_t i = 0; i < launchers->n; i++) {
		struct launcher *launcher = &launchers->items[i];
		if (launcher->weight > 0)
			continue;
		/* The workers did nothing, so the launcher keeps the time. */
		stats->self_ns[launcher->row] += (double)launcher->parallel_ns;
		stats->child_ns[launcher->row] -= (double)launcher->parallel_ns;
		launcher->parallel_ns = 0;
	}
	for (size_t i = 0; i < t->n; i++) { /* parents first */
		scale[i] = 1;
		if (region[i] == JR_NONE)
			continue;
		const struct launcher *launcher = &launchers->items[region[i]];
		scale[i] = launcher->weight > 0
					   ? scale[launcher->row] * (double)launcher->parallel_ns / launcher->weight
					   : 0;
		stats->self_ns[i] *= scale[i];
		stats->child_ns[i] *= scale[i];
	}
}

/* Mark the first top range of each process if it has self time. Compiler calls other than
 * XlaCompile are not marked, because they have other self time. */
static void mark_library_loading(const struct jr_profile *p, struct jr_compile_stats *stats)
{
	const struct jr_compiles *t = &p->compiles;
	for (size_t i = 0; i < t->n; i++)
		if (t->parent[i] == JR_NONE && (i == 0 || t->process[i] != t->process[i - 1]))
			stats->library_loading[i] =
				stats->self_ns[i] > 0 && strncmp(jr_str(p, t->name[i]), "XlaCompile", 10) == 0;
}

/* --- libraries -------------------------------------------------------------------------------- */

const char *jr_compile_label(const char *name)
{
	return strcmp(name, JR_COMPILE_LIBRARY_LOADING) == 0 ? JR_COMPILE_LIBRARY_LOADING_TEXT : name;
}

/* True for calls that create a library handle, and load the library on first use. */
static bool loads_library(const char *name)
{
	static const char *const calls[] = {"cublasCreate", "cublasCreate_v2", "cublasLtCreate",
		"cudnnCreate", "cusolverDnCreate", "cusparseCreate", "cufftCreate"};
	const char *colon = strchr(name, ':');
	const char *call = colon ? colon + 1 : name;
	for (size_t i = 0; i < JR_COUNT_OF(calls); i++)
		if (strcmp(call, calls[i]) == 0)
			return true;
	return false;
}

JR_ORDER(compare_libraries, struct jr_compile_library,
	JR_DOWN(self_ns) JR_TEXT_UP(name) JR_TEXT_UP(within))

/* Add up by name and by name of the enclosing range. row_loading_ns: per row, the time of calls
 * that load libraries. */
static void sum_libraries(const struct jr_profile *p, struct jr_compile_stats *stats,
	const double *scale, double *row_loading_ns, struct jr_arena *arena)
{
	const struct jr_compiles *t = &p->compiles;
	struct jr_map rows = {0};
	stats->libraries = JR_ARENA_N(arena, struct jr_compile_library, p->n_compile_foreign + 1);
	for (size_t i = 0; i < p->n_compile_foreign; i++) {
		const struct jr_compile_foreign *f = &p->compile_foreign[i];
		double ns = fmin((double)f->self_ns * scale[f->row], stats->self_ns[f->row]);
		uint64_t key = jr_key2(f->name, t->name[f->row]);
		uint32_t at = jr_map_get(&rows, key);
		if (at == JR_NONE) {
			at = (uint32_t)stats->n_libraries++;
			jr_map_put(&rows, key, at);
			const char *name = jr_str(p, f->name);
			stats->libraries[at] = (struct jr_compile_library){
				name, jr_str(p, t->name[f->row]), 0, 0, loads_library(name)};
		}
		stats->libraries[at].n += f->n;
		stats->libraries[at].self_ns += ns;
		if (stats->libraries[at].loads && !stats->library_loading[f->row])
			row_loading_ns[f->row] += ns;
	}
	jr_map_done(&rows);
	qsort(stats->libraries, stats->n_libraries, sizeof(*stats->libraries), compare_libraries);
	for (size_t i = 0; i < t->n; i++) {
		row_loading_ns[i] = fmin(row_loading_ns[i], stats->self_ns[i]);
		stats->loading_ns += stats->library_loading[i] ? stats->self_ns[i] : row_loading_ns[i];
	}
}

/* Sums by name. Rows that are not scaled are whole nanoseconds and are summed exactly. */
struct sums {
	struct jr_intern names;
	int64_t *exact_self_ns, *exact_child_ns;
	double *shared_self_ns, *shared_child_ns;
};

JR_ORDER(compare_entries, struct jr_compile_entry, JR_DOWN(self_ns) JR_TEXT_UP(name))

/* "XlaPass:#name=dce#", "XlaPassPipeline:#...#" -> "XlaPass". Parts of a parallel backend lose
 * their suffix. */
static const char *phase_name(const char *name, size_t n, size_t *phase_len)
{
	static const char split[] = ":#module=split_module#";
	size_t split_len = sizeof(split) - 1;
	*phase_len = n;
	if (n > split_len && memcmp(name + n - split_len, split, split_len) == 0)
		*phase_len = n - split_len;
	if (strncmp(name, "XlaPass:#", 9) == 0 || strncmp(name, "XlaPassPipeline:#", 17) == 0)
		*phase_len = strlen("XlaPass");
	return name;
}

static uint32_t *names_of_rows(const struct jr_profile *p, const struct jr_compile_stats *stats,
	bool phases, struct jr_intern *names, struct jr_arena *arena)
{
	const struct jr_compiles *t = &p->compiles;
	uint32_t *of_string = JR_ARENA_N(arena, uint32_t, p->strings.n);
	uint32_t *of_row = JR_ARENA_N(arena, uint32_t, t->n);
	memset(of_string, 0xFF, p->strings.n * sizeof(*of_string));
	for (size_t i = 0; i < t->n; i++) {
		uint32_t id = t->name[i];
		if (of_string[id] == JR_NONE) {
			const char *name = jr_str(p, id);
			size_t len = jr_intern_len(&p->strings, id);
			if (phases)
				name = phase_name(name, len, &len);
			of_string[id] = jr_intern_put(names, name, len);
		}
		of_row[i] = of_string[id];
	}
	for (size_t i = 0; i < t->n; i++)
		if (stats->library_loading[i])
			(void)jr_intern_puts(names, JR_COMPILE_LIBRARY_LOADING);
	return of_row;
}

static struct jr_compile_entry *sum_by_name(const struct jr_profile *p,
	const struct jr_compile_stats *stats, const double *scale, const double *row_loading_ns,
	bool phases, size_t *n_entries, struct jr_arena *arena, struct jr_arena *scratch)
{
	const struct jr_compiles *t = &p->compiles;
	struct sums sums;
	jr_intern_init(&sums.names);
	uint32_t *of_row = names_of_rows(p, stats, phases, &sums.names, scratch);
	uint32_t library =
		jr_intern_find(&sums.names, JR_COMPILE_LIBRARY_LOADING, strlen(JR_COMPILE_LIBRARY_LOADING));
	size_t n = sums.names.n;
	sums.exact_self_ns = JR_ARENA_N(scratch, int64_t, n);
	sums.exact_child_ns = JR_ARENA_N(scratch, int64_t, n);
	sums.shared_self_ns = JR_ARENA_N(scratch, double, n);
	sums.shared_child_ns = JR_ARENA_N(scratch, double, n);
	double *loading_ns = JR_ARENA_N(scratch, double, n);
	uint8_t *used = JR_ARENA_N(scratch, uint8_t, n);
	for (size_t i = 0; i < t->n; i++) {
		uint32_t self_name = stats->library_loading[i] ? library : of_row[i];
		used[self_name] = used[of_row[i]] = 1;
		loading_ns[self_name] += row_loading_ns[i];
		if (scale[i] == 1) {
			sums.exact_self_ns[self_name] += (int64_t)stats->self_ns[i];
			sums.exact_child_ns[of_row[i]] += (int64_t)stats->child_ns[i];
		} else {
			sums.shared_self_ns[self_name] += stats->self_ns[i];
			sums.shared_child_ns[of_row[i]] += stats->child_ns[i];
		}
	}
	struct jr_compile_entry *entries = JR_ARENA_N(arena, struct jr_compile_entry, n);
	*n_entries = 0;
	for (uint32_t id = 0; id < n; id++)
		if (used[id])
			entries[(*n_entries)++] = (struct jr_compile_entry){
				.name = jr_arena_strndup(
					arena, jr_intern_str(&sums.names, id), jr_intern_len(&sums.names, id)),
				.self_ns = (double)sums.exact_self_ns[id] + sums.shared_self_ns[id],
				.child_ns = (double)sums.exact_child_ns[id] + sums.shared_child_ns[id],
				.loading_ns = loading_ns[id],
			};
	qsort(entries, *n_entries, sizeof(*entries), compare_entries);
	jr_intern_done(&sums.names);
	return entries;
}

static double sum_rows(
	const struct jr_compile_stats *stats, const double *scale, size_t first, size_t last)
{
	int64_t exact_ns = 0;
	double shared_ns = 0;
	for (size_t i = first; i < last; i++) {
		if (scale[i] == 1)
			exact_ns += (int64_t)stats->self_ns[i];
		else
			shared_ns += stats->self_ns[i];
	}
	return (double)exact_ns + shared_ns;
}

/* Rows must be sorted by process. */
static void sum_processes(
	const struct jr_compiles *t, struct jr_compile_stats *stats, const double *scale)
{
	for (size_t i = 0, end; i < t->n; i = end) {
		for (end = i; end < t->n && t->process[end] == t->process[i]; end++)
			;
		double ns = sum_rows(stats, scale, i, end);
		if (stats->n_processes++ == 0)
			stats->longest_process_ns = stats->shortest_process_ns = ns;
		stats->longest_process_ns = fmax(stats->longest_process_ns, ns);
		stats->shortest_process_ns = fmin(stats->shortest_process_ns, ns);
	}
}

struct jr_compile_stats *jr_compile_stats_compute(
	const struct jr_profile *profile, struct jr_arena *arena)
{
	const struct jr_compiles *t = &profile->compiles;
	struct jr_compile_stats *stats = JR_ARENA_NEW(arena, struct jr_compile_stats);
	stats->self_ns = JR_ARENA_N(arena, double, t->n);
	stats->child_ns = JR_ARENA_N(arena, double, t->n);
	stats->library_loading = JR_ARENA_N(arena, uint8_t, t->n);
	for (size_t i = 0; i < t->n; i++) {
		stats->self_ns[i] = (double)t->self_ns[i];
		stats->child_ns[i] = (double)t->child_ns[i];
	}
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	double *scale = JR_ARENA_N(&scratch, double, t->n);
	struct launchers launchers = find_launchers(t, &scratch);
	divide_launchers(t, &launchers, stats);
	share_parallel(t, &launchers, stats, scale, &scratch);
	mark_library_loading(profile, stats);
	double *row_loading_ns = JR_ARENA_N(&scratch, double, t->n + 1);
	sum_libraries(profile, stats, scale, row_loading_ns, arena);
	stats->ranges = sum_by_name(
		profile, stats, scale, row_loading_ns, false, &stats->n_ranges, arena, &scratch);
	stats->phases =
		sum_by_name(profile, stats, scale, row_loading_ns, true, &stats->n_phases, arena, &scratch);
	stats->total_ns = sum_rows(stats, scale, 0, t->n);
	sum_processes(t, stats, scale);
	return stats;
}

size_t jr_compile_entries_until(
	const struct jr_compile_entry *entries, size_t n, double total_ns, double fraction)
{
	double sum_ns = 0;
	for (size_t i = 0; i < n; i++) {
		sum_ns += entries[i].self_ns;
		if (sum_ns >= fraction * total_ns)
			return i + 1;
	}
	return n;
}

static uint32_t node_of(struct jr_stacks *stacks, uint32_t parent, const char *text, size_t n)
{
	return jr_stacks_child(
		stacks, parent, text, n, parent == JR_NONE ? JR_FRAME_ROOT : JR_FRAME_XLA);
}

struct jr_tree *jr_compile_tree(
	const struct jr_profile *profile, const struct jr_compile_stats *stats, struct jr_arena *arena)
{
	static const char library[] = JR_COMPILE_LIBRARY_LOADING;
	const struct jr_compiles *t = &profile->compiles;
	struct jr_arena scratch;
	struct jr_stacks stacks;
	jr_arena_init(&scratch, 0);
	jr_stacks_init(&stacks);
	uint32_t *node = JR_ARENA_N(&scratch, uint32_t, t->n + 1);
	for (size_t i = 0; i < t->n; i++) {
		uint32_t parent = t->parent[i] == JR_NONE ? JR_NONE : node[t->parent[i]];
		node[i] = node_of(&stacks, parent, jr_str(profile, t->name[i]),
			jr_intern_len(&profile->strings, t->name[i]));
		uint32_t at = node[i];
		if (stats->library_loading[i])
			at = node_of(&stacks, at, library, sizeof(library) - 1);
		jr_stacks_add(&stacks, at, stats->self_ns[i]);
	}
	struct jr_tree *tree = jr_stacks_tree(&stacks, arena);
	jr_stacks_done(&stacks);
	jr_arena_done(&scratch);
	return tree;
}
