#include <math.h>
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/core/say.h"
#include "analysis/compile/compile_by_module.h"
#include "analysis/compile/compile_stats.h"
#include "analysis/core/pass.h"
#include "analysis/compile/compile_tables.h"

#define SHOWN_SHARE 0.99
#define SHOWN_MODULES 40
#define SHOWN_LIBRARIES 10

JR_COLUMNS_OF(entry_columns, JR_COMPILATION_COLUMNS);

static const struct jr_table_spec phases_spec = {JR_TABLE_SPEC("compilation_phases",
	JR_AT_IN(compilation, phases), "Phases of compilation",
	"All passes and pass pipelines are one phase; by self time, up to 99 % of it", entry_columns)};

static const struct jr_table_spec ranges_spec = {
	JR_TABLE_SPEC("compilation_ranges", "compilation.ranges", "Ranges of compilation",
		"Each pass on its own; by self time, up to 99 % of it", entry_columns),
	.looked_up = true};

#define LIBRARY_COLUMNS(X, T)                                                                      \
	X(T, name, "Call", "Range of another domain, with its domain", TEXT, NONE,                     \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, within, "Within", "XLA range whose self time includes this time", TEXT, NONE,             \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, count, "Count", "Number of such ranges", I64, COUNT)                                      \
	X(T, self_ms, "Time", "Self time of these ranges, part of the time of the surrounding range",  \
		F64, NS, JR_COL_BAR)                                                                       \
	X(T, loads, "Loads a library",                                                                 \
		"The call creates a library handle, which loads the library the first time, once "         \
		"per process and device",                                                                  \
		BOOL, NONE)
JR_TABLE(libraries_spec, LIBRARY, LIBRARY_COLUMNS, "compilation_libraries", "compilation.libraries",
	"Libraries within compilation",
	"One row per call and surrounding range, by time. The other tables contain only ranges of XLA",
	.looked_up = true);

#define MODULE_COLUMNS(X, T)                                                                       \
	X(T, name, "Compilation", "Name of the XlaCompile range", TEXT, NONE,                          \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, profile, "Profile", "Process that compiled", TEXT, NONE, JR_COL_KEY | JR_COL_DATA_ONLY)   \
	X(T, occurrence, "Occurrence", "0, 1, … among the compilations of that name in the profile",   \
		I64, COUNT, JR_COL_KEY | JR_COL_DATA_ONLY)                                                 \
	X(T, total_s, "Time", "Self times of all ranges below it on its thread, autotuning included",  \
		I64, S, JR_COL_BAR)                                                                        \
	X(T, largest_phase, "Largest phase",                                                           \
		"Phase with the most self time on its thread; if worker threads compile, this "            \
		"phase may be waiting for them",                                                           \
		TEXT, NONE, JR_COL_RENDERED_ONLY | JR_COL_CODE)                                            \
	X(T, phases, "Phases", "Its phases by self time", ROWS, NONE, JR_COL_DATA_ONLY)
JR_TABLE(modules_spec, MODULE, MODULE_COLUMNS, "compilation_modules", "compilation.modules",
	"Compilation by module", "One row per compilation, in order of time", .looked_up = true);

#define PHASE_COLUMNS(X, T)                                                                        \
	X(T, name, "Phase", "Name up to its attributes; all passes are one phase", TEXT, NONE,         \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, self_ms, "Self time", "Time outside the ranges below", I64, NS)                           \
	X(T, percent, "Share", "Share of the time of the module", F64, PERCENT)
JR_TABLE(module_phases_spec, PHASE, PHASE_COLUMNS, "compilation_module_phases", NULL,
	"Phases of a compilation", "By self time", .data_only = true);

static struct jr_table *entry_table(struct jr_arena *arena, const struct jr_table_spec *spec,
	const struct jr_compile_entry *entries, size_t n, double total_ns)
{
	struct jr_table *table = jr_table_new(arena, spec, n);
	for (size_t i = 0; i < n; i++) {
		table->cells[JR_COMPILATION_name].text[i] = entries[i].name;
		table->cells[JR_COMPILATION_range].text[i] = jr_compile_label(entries[i].name);
		table->cells[JR_COMPILATION_self_ms].f64[i] = entries[i].self_ns;
		table->cells[JR_COMPILATION_child_ms].f64[i] = entries[i].child_ns;
		if (total_ns > 0)
			table->cells[JR_COMPILATION_percent].f64[i] = entries[i].self_ns / total_ns;
	}
	table->n_rendered = jr_compile_entries_until(entries, n, total_ns, SHOWN_SHARE);
	return table;
}

static struct jr_table *library_table(const struct jr_compile_stats *stats, struct jr_arena *arena)
{
	struct jr_table *table = jr_table_new(arena, &libraries_spec, stats->n_libraries);
	for (size_t i = 0; i < stats->n_libraries; i++) {
		const struct jr_compile_library *library = &stats->libraries[i];
		table->cells[LIBRARY_name].text[i] = library->name;
		table->cells[LIBRARY_within].text[i] = library->within;
		table->cells[LIBRARY_count].i64[i] = (int64_t)library->n;
		table->cells[LIBRARY_self_ms].f64[i] = library->self_ns;
		table->cells[LIBRARY_loads].boolean[i] = library->loads;
	}
	if (table->n_rendered > SHOWN_LIBRARIES)
		table->n_rendered = SHOWN_LIBRARIES;
	return table;
}

static struct jr_table *module_phases(
	const struct jr_profile *p, struct jr_arena *arena, const struct jr_compile_module *module)
{
	struct jr_table *table = jr_table_new(arena, &module_phases_spec, module->n_phases);
	for (uint32_t i = 0; i < module->n_phases; i++) {
		const struct jr_compile_phase *phase = &p->compile_phases[module->first_phase + i];
		table->cells[PHASE_name].text[i] = jr_str(p, phase->name);
		table->cells[PHASE_self_ms].i64[i] = phase->self_ns;
		if (module->total_ns > 0)
			table->cells[PHASE_percent].f64[i] = (double)phase->self_ns / (double)module->total_ns;
	}
	return table;
}

/* Count occurrences of a name: a function that is compiled again reuses its range name. */
static int64_t next_occurrence(struct jr_map *seen, uint64_t key)
{
	uint32_t n = jr_map_get(seen, key);
	n = n == JR_NONE ? 0 : n;
	jr_map_put(seen, key, n + 1);
	return n;
}

/* For several processes, the page shows one row per module, and the data has one row per
 * compilation. */
static const struct jr_table_spec *modules_spec_of(
	const struct jr_profile *p, struct jr_arena *arena)
{
	if (p->n_processes < 2)
		return &modules_spec;
	struct jr_table_spec *spec = JR_ARENA_NEW(arena, struct jr_table_spec);
	*spec = modules_spec;
	spec->data_only = true;
	return spec;
}

static struct jr_table *module_table(const struct jr_profile *p, struct jr_arena *arena)
{
	JR_CLEANUP(jr_map_done) struct jr_map seen = {0};
	struct jr_table *table = jr_table_new(arena, modules_spec_of(p, arena), p->n_compile_modules);
	for (size_t i = 0; i < p->n_compile_modules; i++) {
		const struct jr_compile_module *module = &p->compile_modules[i];
		table->cells[MODULE_name].text[i] = jr_str(p, module->name);
		table->cells[MODULE_profile].text[i] =
			module->process < p->n_processes ? jr_str(p, p->processes[module->process].name) : NULL;
		table->cells[MODULE_occurrence].i64[i] =
			next_occurrence(&seen, jr_key2(module->process, module->name));
		table->cells[MODULE_total_s].i64[i] = module->total_ns;
		if (module->n_phases)
			table->cells[MODULE_largest_phase].text[i] =
				jr_str(p, p->compile_phases[module->first_phase].name);
		table->cells[MODULE_phases].rows[i] = module_phases(p, arena, module);
	}
	if (table->n_rendered > SHOWN_MODULES)
		table->n_rendered = SHOWN_MODULES;
	return table;
}

/* The headline is the longest process, because processes compile in parallel. Shares in the tables
 * refer to the sum. */
static void add_total(
	struct jr_pass_context *ctx, struct jr_section *out, const struct jr_compile_stats *stats)
{
	const struct jr_compiles *t = &ctx->profile->compiles;
	bool several = stats->n_processes > 1;
	struct jr_scalar process = jr_scalar_ns("compilation.process_ms", "Compilation",
		"wall time in XlaCompile ranges, added up over compiling threads; for the slowest "
		"process, because processes compile in parallel",
		stats->longest_process_ns);
	process.tile = true;
	if (several) {
		process.note = jr_arena_printf(ctx->arena, "longest of %s processes; the shortest takes %s",
			jr_count_text(ctx->arena, (int64_t)stats->n_processes),
			jr_time_text(ctx->arena, stats->shortest_process_ns));
	}
	struct jr_scalar total = jr_scalar_ns("compilation.total_ms", "Compilation of all processes",
		"wall time in XlaCompile ranges, added up over compiling threads and processes; the "
		"shares below refer to it",
		stats->total_ns);
	total.hidden = !several;
	total.n = 0;
	for (size_t i = 0; i < t->n; i++)
		total.n += t->parent[i] == JR_NONE;
	if (!several)
		process.n = total.n;
	struct jr_scalar loading = jr_scalar_ns("compilation.loading_ms",
		several ? "Library loading, all processes" : "Library loading",
		"part of the compilation of all processes: self time of the first compilation per "
		"process, and calls that create library handles in later ones (table Libraries "
		"within compilation); unknown for traces of jax.profiler",
		ctx->profile->by_jax_profiler ? NAN : stats->loading_ns);
	(void)jr_section_scalar(out, ctx->arena, &process);
	(void)jr_section_scalar(out, ctx->arena, &total);
	(void)jr_section_scalar(out, ctx->arena, &loading);
}

static bool any_autotuning(const struct jr_profile *p)
{
	for (size_t i = 0; i < p->compiles.n; i++)
		if (strncmp(jr_str(p, p->compiles.name[i]), "XlaAutotuner", 12) == 0)
			return true;
	return false;
}

static void explain(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_compiles *t = &ctx->profile->compiles;
	size_t workers = 0;
	for (size_t i = 0; i < t->n; i++)
		workers += t->grafted[i];
	if (workers)
		jr_section_text(out, ctx->arena,
			"%s range%s of worker threads ran inside compilations. A parallel region counts "
			"with its wall time, which is split in proportion to the self times of its "
			"workers.",
			jr_count_text(ctx->arena, (int64_t)workers), workers == 1 ? "" : "s");
	if (!ctx->profile->options.autotuning_detail && any_autotuning(ctx->profile))
		jr_section_text(out, ctx->arena,
			"Everything inside the autotuner's ranges counts as autotuning; --autotuning-detail "
			"breaks it down.");
}

static void add_tree(
	struct jr_pass_context *ctx, struct jr_section *out, const struct jr_compile_stats *stats)
{
	struct jr_tree *tree = jr_compile_tree(ctx->profile, stats, ctx->arena);
	tree->name = "compilation";
	tree->title = "Compilation";
	tree->caption =
		"Self time along the stack of host ranges below XlaCompile. Parallel regions count with "
		"their wall time. " JR_COMPILE_LIBRARY_LOADING
		" is the self time of a process's first compilation, which loads libraries";
	jr_section_tree(out, ctx->arena, tree);
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_compile_stats *stats = jr_compile_stats_compute(ctx->profile, ctx->arena);
	add_total(ctx, out, stats);
	explain(ctx, out);
	struct jr_table *phases =
		entry_table(ctx->arena, &phases_spec, stats->phases, stats->n_phases, stats->total_ns);
	struct jr_chart chart = {
		.name = "compilation_phases",
		.title = "Phases of compilation",
		.caption = "Self time by phase; the phases add up to the wall time of compilation",
		.kind = JR_CHART_BARS,
		.table = phases,
		.x = JR_KEY(JR_COMPILATION, range),
		.y = JR_KEY(JR_COMPILATION, self_ms),
	};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, phases);
	jr_section_table(out, ctx->arena,
		entry_table(ctx->arena, &ranges_spec, stats->ranges, stats->n_ranges, stats->total_ns));
	if (stats->n_libraries)
		jr_section_table(out, ctx->arena, library_table(stats, ctx->arena));
	if (ctx->profile->n_processes > 1)
		jr_section_table(out, ctx->arena, jr_compile_by_module(ctx));
	jr_section_table(out, ctx->arena, module_table(ctx->profile, ctx->arena));
	add_tree(ctx, out, stats);
}

const struct jr_pass jr_pass_compilation = {
	.name = "compilation",
	.title = "Compilation",
	.summary = "Host time of XLA compilation by phase",
	.needs = JR_NEEDS_COMPILES,
	.group = JR_GROUP_COMPILE,
	.run = run,
};
