#include "analysis/compile/compile_by_module.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/core/statistics.h"
#include "analysis/core/keys.h"

#define COLUMNS(X, T)                                                                              \
	X(T, module, "Module", "module of the XlaCompile range; if it has none, the range", TEXT,      \
		NONE, JR_COL_KEY | JR_COL_CODE)                                                            \
	X(T, count, "Compilations", "compilations in all processes", I64, COUNT)                       \
	X(T, median_s, "Median",                                                                       \
		"median over compilations; each is the sum of the self times below it on its thread, "     \
		"including autotuning",                                                                    \
		F64, S)                                                                                    \
	X(T, most_s, "Slowest", "the same for the slowest compilation", I64, S, JR_COL_BAR)            \
	X(T, most_profile, "Slowest in", "process that compiled it", TEXT, NONE, JR_COL_CODE)          \
	X(T, largest_phase, "Its largest phase", "phase with the most self time", TEXT, NONE,          \
		JR_COL_CODE)
JR_TABLE(spec, COL, COLUMNS, "compilation_by_module", NULL, "Compilation by module",
	"One row per module, by its slowest compilation; report.json has every compilation");

struct group {
	const char *name;
	size_t n, first; /* index of its first time in times_ns */
	uint32_t most;   /* row of compile_modules of its slowest compilation */
};

/* Return "jit_train_step" from "TSL:XlaCompile:#module=jit_train_step,program_id=9#", because the
 * number differs between processes. Any other name is returned unchanged. */
static struct jr_bytes module_of(const char *name)
{
	static const char before[] = "#module=", after[] = ",program_id=";
	const char *begin = strstr(name, before);
	if (!begin)
		return jr_bytes_of(name, strlen(name));
	begin += sizeof(before) - 1;
	size_t n = strlen(begin);
	n -= n && begin[n - 1] == '#';
	for (const char *at = begin; (at = strstr(at, after)); at++)
		n = (size_t)(at - begin); /* the last match: a module's name may contain anything */
	return n ? jr_bytes_of(begin, n) : jr_bytes_of(name, strlen(name));
}

static int compare_groups(const void *a, const void *b, void *arg)
{
	const struct group *x = a, *y = b;
	const struct jr_compile_module *modules = arg;
	int64_t x_ns = modules[x->most].total_ns, y_ns = modules[y->most].total_ns;
	return x_ns != y_ns ? (x_ns < y_ns) - (x_ns > y_ns) : strcmp(x->name, y->name);
}

static void fill_row(struct jr_table *table, size_t row, const struct jr_profile *p,
	const struct group *group, double *times_ns)
{
	const struct jr_compile_module *most = &p->compile_modules[group->most];
	union jr_cells *c = table->cells;
	jr_sort_doubles(times_ns, group->n);
	c[COL_module].text[row] = group->name;
	c[COL_count].i64[row] = (int64_t)group->n;
	c[COL_median_s].f64[row] = jr_quantile(times_ns, group->n, 0.5);
	c[COL_most_s].i64[row] = most->total_ns;
	if (most->process < p->n_processes)
		c[COL_most_profile].text[row] = jr_str(p, p->processes[most->process].name);
	if (most->n_phases)
		c[COL_largest_phase].text[row] = jr_str(p, p->compile_phases[most->first_phase].name);
}

struct jr_table *jr_compile_by_module(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	size_t n = p->n_compile_modules;
	struct jr_intern names;
	struct group *groups = JR_ARENA_N(ctx->scratch, struct group, n + 1);
	uint32_t *of_row = JR_ARENA_N(ctx->scratch, uint32_t, n + 1);
	double *times_ns = JR_ARENA_N(ctx->scratch, double, n + 1);
	jr_intern_init(&names);
	uint32_t first_id = names.n, n_groups = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct jr_bytes name = module_of(jr_str(p, p->compile_modules[i].name));
		of_row[i] = jr_intern_put(&names, (const char *)name.data, name.size) - first_id;
		struct group *group = &groups[of_row[i]];
		if (of_row[i] == n_groups) {
			n_groups++;
			group->name = jr_arena_strndup(ctx->arena, (const char *)name.data, name.size);
			group->most = i;
		}
		if (p->compile_modules[i].total_ns > p->compile_modules[group->most].total_ns)
			group->most = i;
		group->n++;
	}
	jr_intern_done(&names);
	for (uint32_t g = 1; g < n_groups; g++)
		groups[g].first = groups[g - 1].first + groups[g - 1].n;
	size_t *next = JR_ARENA_N(ctx->scratch, size_t, n_groups + 1);
	for (uint32_t g = 0; g < n_groups; g++)
		next[g] = groups[g].first;
	for (uint32_t i = 0; i < n; i++)
		times_ns[next[of_row[i]]++] = (double)p->compile_modules[i].total_ns;
	if (n_groups)
		qsort_r(groups, n_groups, sizeof(*groups), compare_groups, p->compile_modules);
	struct jr_table *table = jr_table_new(ctx->arena, &spec, n_groups);
	for (uint32_t g = 0; g < n_groups; g++)
		fill_row(table, g, p, &groups[g], times_ns + groups[g].first);
	return table;
}
