/* Versions, flags, options and GPUs side by side; lists of XLA flags are split. */
#include <inttypes.h>
#include <string.h>

#include "base/vec.h"
#include "compare/core/compare_rows.h"
#include "compare/sections/verdict_words.h"

#define SETTINGS(X, T)                                                                             \
	X(T, kind, "Kind", "type of setting", TEXT, NONE, JR_COL_KEY)                                  \
	X(T, name, "Name", "name of the setting; each flag in XLA_FLAGS is listed separately", TEXT,   \
		NONE, JR_COL_KEY | JR_COL_CODE)                                                            \
	X(T, base, "Base", "value in the base", TEXT, NONE, JR_COL_CODE)                               \
	X(T, new, "New", "value in the new run", TEXT, NONE, JR_COL_CODE)                              \
	X(T, changed, "Changed", "whether the values differ", BOOL, NONE, JR_COL_DATA_ONLY)
JR_COMPARE_COLUMNS(SETTINGS)

static const struct jr_table_spec spec = {
	JR_TABLE_SPEC("environment", "environment", "Environment",
		"Per setting, differences first; only the data contains the others", SETTINGS_columns),
	.rest = "the same in both runs"};

struct setting {
	const char *kind, *name, *value;
};

struct list {
	JR_VEC(struct setting) items;
	JR_VEC(const char *) keys; /* of the settings: kind and name */
};

static void add(const struct jr_comparison *c, struct list *l, const char *kind, const char *name,
	const char *value)
{
	*jr_vec_add(&l->items) = (struct setting){kind, name, value};
	*jr_vec_add(&l->keys) = jr_arena_printf(c->arena, "%s\x01%s", kind, name);
}

/* "--xla_a=1 --xla_b" -> two settings. If a name repeats, XLA uses the last one; all are listed. */
static void add_flag_list(const struct jr_comparison *c, struct list *l, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, " \t");
		if (n) {
			char *word = jr_arena_strndup(c->arena, text, n);
			char *equals = strchr(word, '=');
			if (equals)
				*equals = '\0';
			add(c, l, "XLA flag", word, equals ? equals + 1 : "set");
		}
		text += n + (text[n] != '\0');
	}
}

static void add_settings(const struct jr_comparison *c, struct list *l, const char *kind,
	const struct jr_run_settings *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!s->items[i].value)
			continue;
		if (strcmp(s->items[i].name, "XLA_FLAGS") == 0)
			add_flag_list(c, l, s->items[i].value);
		else
			add(c, l, kind, s->items[i].name, s->items[i].value);
	}
}

/* "4 × NVIDIA A100": models in the order of their first device. */
static void add_devices(const struct jr_comparison *c, struct list *l, const struct jr_run *run)
{
	size_t n = jr_run_rows(run, JR_RUN_DEVICES);
	add(c, l, "device", "number of devices", jr_arena_printf(c->arena, "%zu", n));
	for (size_t i = 0; i < n; i++) {
		const char *gpu = jr_run_text(run, JR_RUN_DEVICES, JR_DEVICE_GPU, i);
		const char *last = i ? jr_run_text(run, JR_RUN_DEVICES, JR_DEVICE_GPU, i - 1) : NULL;
		if (gpu && (!last || strcmp(gpu, last) != 0))
			add(c, l, "device", "model", gpu);
	}
	if (!n)
		return;
	int64_t memory = jr_run_i64(run, JR_RUN_DEVICES, JR_DEVICE_MEMORY, 0);
	int64_t clock = jr_run_i64(run, JR_RUN_DEVICES, JR_DEVICE_CLOCK, 0);
	if (memory != JR_NULL_I64)
		add(c, l, "device", "memory in bytes", jr_arena_printf(c->arena, "%" PRId64, memory));
	if (clock != JR_NULL_I64)
		add(c, l, "device", "clock in Hz", jr_arena_printf(c->arena, "%" PRId64, clock));
}

static void add_inputs(const struct jr_comparison *c, struct list *l, const struct jr_run *run)
{
	for (size_t i = 0; i < jr_run_rows(run, JR_RUN_INPUTS); i++) {
		const char *name = jr_run_text(run, JR_RUN_INPUTS, JR_INPUT_NAME, i);
		const char *sum = jr_run_text(run, JR_RUN_INPUTS, JR_INPUT_SHA256, i);
		add(c, l, "input", jr_arena_printf(c->arena, "file %zu", i), name ? name : "unnamed");
		if (sum)
			add(c, l, "input", jr_arena_printf(c->arena, "SHA-256 of file %zu", i), sum);
	}
}

static void collect(const struct jr_comparison *c, struct list *l, const struct jr_run *run)
{
	*l = (struct list){0};
	add_inputs(c, l, run);
	add_devices(c, l, run);
	add_settings(c, l, "version", &run->versions);
	add_settings(c, l, "environment", &run->flags);
	add_settings(c, l, "option", &run->options);
	if (run->version)
		add(c, l, "version", "jaxreport", run->version);
}

static void fill(const struct list lists[2], const struct jr_row_pair *pairs, size_t n_pairs,
	struct jr_table *table)
{
	static const struct setting none = {0};
	union jr_cells *cells = table->cells;
	size_t row = 0;
	for (int changed = 1; changed >= 0; changed--) {
		for (size_t i = 0; i < n_pairs; i++) {
			const struct setting *s[2];
			for (int side = 0; side < 2; side++)
				s[side] = pairs[i].row[side] == SIZE_MAX
							  ? &none
							  : &lists[side].items.items[pairs[i].row[side]];
			const char *base = s[JR_BASE]->value, *fresh = s[JR_NEW]->value;
			if ((!base || !fresh || strcmp(base, fresh) != 0) != (changed == 1))
				continue;
			const struct setting *known = s[base ? JR_BASE : JR_NEW];
			cells[SETTINGS_kind].text[row] = known->kind;
			cells[SETTINGS_name].text[row] = known->name;
			cells[SETTINGS_base].text[row] = base;
			cells[SETTINGS_new].text[row] = fresh;
			cells[SETTINGS_changed].boolean[row++] = changed == 1;
		}
		if (changed)
			table->n_rendered = row;
	}
}

/* Collect the settings of both runs, and pair them. */
static const struct jr_row_pair *pair_settings(
	const struct jr_comparison *c, struct list lists[2], size_t *n_pairs)
{
	size_t n[2];
	const char *const *keys[2];
	for (int side = 0; side < 2; side++) {
		collect(c, &lists[side], c->runs[side]);
		n[side] = lists[side].keys.n;
		keys[side] = lists[side].keys.items;
	}
	return jr_match_rows(keys, n, c->arena, n_pairs);
}

static void release(struct list lists[2])
{
	for (int side = 0; side < 2; side++) {
		jr_vec_done(&lists[side].items);
		jr_vec_done(&lists[side].keys);
	}
}

static void run(const struct jr_comparison *c, struct jr_section *out)
{
	struct list lists[2];
	size_t n_pairs;
	const struct jr_row_pair *pairs = pair_settings(c, lists, &n_pairs);
	struct jr_table *table = jr_table_new(c->arena, &spec, n_pairs);
	fill(lists, pairs, n_pairs, table);
	if (!table->n_rendered)
		jr_section_text(
			out, c->arena, "Inputs, devices, versions, flags and options are the same.");
	jr_section_table(out, c->arena, table);
	release(lists);
}

/* --- settings that may explain a change ------------------------------------------------------- */

#define MOST_NAMED 3
#define MOST_CHARS 32 /* of a value */

/* Kinds of settings that can change a step, the most likely first. */
static const char *const telling[] = {"XLA flag", "version", "environment"};

/* Settings that differ from job to job, and say only where a process ran. */
static const char *const placing[] = {"SLURM_", "CUDA_VISIBLE_DEVICES", "jaxreport"};

static bool is_telling(const struct setting *s, size_t kind)
{
	if (strcmp(s->kind, telling[kind]) != 0)
		return false;
	for (size_t i = 0; i < JR_COUNT_OF(placing); i++)
		if (strncmp(s->name, placing[i], strlen(placing[i])) == 0)
			return false;
	return true;
}

/* Different kinds of inputs state a version in different forms, or not at all. */
static bool alike_inputs(const struct jr_comparison *c)
{
	const char *kinds[2];
	for (int side = 0; side < 2; side++) {
		if (!jr_run_rows(c->runs[side], JR_RUN_INPUTS) || !c->runs[side]->flags.n)
			return false;
		kinds[side] = jr_run_text(c->runs[side], JR_RUN_INPUTS, JR_INPUT_KIND, 0);
	}
	return kinds[0] && kinds[1] && strcmp(kinds[0], kinds[1]) == 0;
}

static const char *value_text(const struct jr_comparison *c, const struct setting *s)
{
	return s ? jr_arena_printf(
				   c->arena, strlen(s->value) > MOST_CHARS ? "%.*s…" : "%.*s", MOST_CHARS, s->value)
			 : "not set";
}

const char *jr_compare_settings_note(const struct jr_comparison *c)
{
	struct list lists[2];
	size_t n_pairs = 0, n = 0;
	const char *text = "";
	if (!alike_inputs(c))
		return NULL;
	const struct jr_row_pair *pairs = pair_settings(c, lists, &n_pairs);
	for (size_t kind = 0; kind < JR_COUNT_OF(telling); kind++)
		for (size_t i = 0; i < n_pairs; i++) {
			const struct setting *s[2];
			for (int side = 0; side < 2; side++)
				s[side] = pairs[i].row[side] == SIZE_MAX
							  ? NULL
							  : &lists[side].items.items[pairs[i].row[side]];
			const struct setting *base = s[JR_BASE], *fresh = s[JR_NEW];
			if (!is_telling(base ? base : fresh, kind) ||
				(base && fresh && strcmp(base->value, fresh->value) == 0) || n++ >= MOST_NAMED)
				continue;
			text = jr_arena_printf(c->arena, "%s%s %s (%s → %s)", text, n > 1 ? "," : "",
				(base ? base : fresh)->name, value_text(c, base), value_text(c, fresh));
		}
	release(lists);
	if (!n)
		return NULL;
	return jr_arena_printf(c->arena, "The runs also differ in %s%s.", text + 1,
		n > MOST_NAMED ? jr_arena_printf(c->arena, " and %zu more setting%s", n - MOST_NAMED,
							 n == MOST_NAMED + 1 ? "" : "s")
					   : "");
}

const struct jr_compare_pass jr_compare_environment = {
	.about = {.name = "environment",
		.title = "Environment",
		.group = JR_GROUP_ABOUT,
		.summary = "Differences in inputs, GPUs, versions, flags and options"},
	.run = run,
};
