/* Describe a profile by sections like those of passes: inputs, devices, options, provenance,
 * warm-up, counts. report/README.md lists the keys. */
#include <math.h>
#include <string.h>

#include "analysis/shared/columns.h"
#include "base/cleanup.h"
#include "model/sources/input_kind.h"
#include "report/core/doc.h"
#include "analysis/core/terms.h"
#include "report/document/document_tables.h"

/* Whether a pass has made the item already, with more detail. */
static bool has_path(const struct jr_results *r, const char *path)
{
	size_t n = strlen(path);
	for (size_t s = 0; s < r->n_sections; s++) {
		for (size_t i = 0; i < r->sections[s].n; i++) {
			const struct jr_result_item *item = &r->sections[s].items[i];
			const char *key = item->kind == JR_RESULT_SCALAR  ? item->as.scalar->key
							  : item->kind == JR_RESULT_TABLE ? item->as.table->spec->json
															  : NULL;
			if (key && strncmp(key, path, n) == 0 && (key[n] == '\0' || key[n] == '.'))
				return true;
		}
	}
	return false;
}

/* NULL for a missing text, as tables expect. */
static const char *text_or_null(const struct jr_profile *p, uint32_t id)
{
	return id && id != JR_NONE ? jr_str(p, id) : NULL;
}

static int64_t number_or_null(uint32_t v)
{
	return v == JR_NONE ? JR_NULL_I64 : v;
}

static int64_t size_or_null(uint64_t v)
{
	return v && v <= INT64_MAX ? (int64_t)v : JR_NULL_I64;
}

/* --- inputs --------------------------------------------------------------------------------- */

JR_TABLE_OF(input_spec, JR_INPUTS_COLUMNS, "inputs", JR_AT(inputs), "Inputs",
	"Per file or folder that was read");

static const struct jr_column_spec profile_name_columns[] = {
	{"", NULL, NULL, JR_TEXT, JR_UNIT_NONE, 0}, /* no key: a list of plain values */
};
static const struct jr_table_spec profile_name_spec = {
	JR_TABLE_SPEC("profiles", NULL, NULL, "names of its profiles", profile_name_columns)};

static void fill_input(
	struct jr_table *t, size_t row, const struct jr_profile *p, struct jr_arena *arena)
{
	const struct jr_input *in = &p->inputs[row];
	t->cells[JR_INPUTS_name].text[row] = in->name;
	t->cells[JR_INPUTS_kind].text[row] = in->kind->label;
	t->cells[JR_INPUTS_sha256].text[row] = in->sha256[0] ? in->sha256 : NULL;
	t->cells[JR_INPUTS_bytes].i64[row] = size_or_null(in->size_bytes);
	size_t n = 0;
	for (size_t i = 0; i < p->n_processes; i++) {
		const struct jr_process *process = &p->processes[i];
		if (process->input != row)
			continue;
		if (!n++) {
			if (process->layout)
				t->cells[JR_INPUTS_layout_trace].text[row] =
					jr_arena_strndup(arena, &process->layout, 1);
			if (process->xla)
				t->cells[JR_INPUTS_layout_xla].i64[row] = process->xla;
		}
	}
	struct jr_table *names = jr_table_new(arena, &profile_name_spec, n);
	n = 0;
	for (size_t i = 0; i < p->n_processes; i++)
		if (p->processes[i].input == row)
			names->cells[0].text[n++] = jr_str(p, p->processes[i].name);
	t->cells[JR_INPUTS_profiles].rows[row] = names;
}

static void add_inputs(struct jr_section *s, const struct jr_profile *p, struct jr_arena *arena)
{
	struct jr_table *t = jr_table_new(arena, &input_spec, p->n_inputs);
	for (size_t i = 0; i < p->n_inputs; i++)
		fill_input(t, i, p, arena);
	if (t->n_rows > JR_DEVICES_IN_FULL) /* checksums of hundreds of ranks are for machines */
		t->n_rendered = JR_DEVICES_IN_FULL;
	jr_section_table(s, arena, t);
}

/* --- devices -------------------------------------------------------------------------------- */

JR_TABLE_OF(device_spec, JR_DEVICES_COLUMNS, "devices", JR_AT(devices), "Devices",
	"Per " JR_GPU " that was " JR_PROFILED);

/* Of many devices, show those that the table of stragglers shows. */
static void choose_devices(
	struct jr_table *t, const struct jr_results *results, struct jr_arena *arena)
{
	const struct jr_table *from = jr_results_table(results, "stragglers");
	size_t device = from ? jr_table_column(from, JR_KEY(JR_DEVICES, device)) : SIZE_MAX, n = 0;
	if (!from || !from->chosen)
		return;
	uint32_t *chosen = JR_ARENA_N(arena, uint32_t, from->n_rendered + 1);
	for (uint32_t row = 0; row < t->n_rows; row++)
		for (size_t i = 0; i < from->n_rendered && n < from->n_rendered; i++)
			if (from->cells[device].i64[from->chosen[i]] == t->cells[JR_DEVICES_device].i64[row]) {
				chosen[n++] = row;
				break;
			}
	t->chosen = chosen;
	t->n_rendered = n;
}

static void add_devices(struct jr_section *s, const struct jr_profile *p,
	const struct jr_results *results, struct jr_arena *arena)
{
	struct jr_table *t = jr_table_new(arena, &device_spec, p->n_devices);
	for (size_t i = 0; i < p->n_devices; i++) {
		const struct jr_device *d = &p->devices[i];
		const struct jr_process *process =
			d->process < p->n_processes ? &p->processes[d->process] : NULL;
		t->cells[JR_DEVICES_device].i64[i] = number_or_null(d->global);
		t->cells[JR_DEVICES_local].i64[i] = number_or_null(d->local);
		t->cells[JR_DEVICES_process].i64[i] = number_or_null(d->process_number);
		t->cells[JR_DEVICES_slice].i64[i] = number_or_null(d->slice);
		t->cells[JR_DEVICES_profile].text[i] = process ? text_or_null(p, process->name) : NULL;
		t->cells[JR_DEVICES_hostname].text[i] = process ? text_or_null(p, process->hostname) : NULL;
		t->cells[JR_DEVICES_gpu_name].text[i] = text_or_null(p, d->gpu_name);
		t->cells[JR_DEVICES_memory_bandwidth_bytes_s].i64[i] =
			size_or_null(d->memory_bandwidth_bytes_s);
		t->cells[JR_DEVICES_memory_bandwidth].i64[i] = size_or_null(d->memory_bandwidth_bytes_s);
		t->cells[JR_DEVICES_sm_count].i64[i] = size_or_null(d->sm_count);
		t->cells[JR_DEVICES_clock_hz].i64[i] = size_or_null(d->clock_hz);
		t->cells[JR_DEVICES_memory_bytes].i64[i] = size_or_null(d->memory_bytes);
		if (d->compute_capability)
			t->cells[JR_DEVICES_compute_capability].text[i] = jr_arena_printf(
				arena, "%u.%u", d->compute_capability / 10, d->compute_capability % 10);
		if (d->gpu_name || d->compute_capability || d->sm_count)
			t->cells[JR_DEVICES_described_by].text[i] = p->planned && p->options.device ? "option"
														: d->of_target                  ? "compiler"
																	   : "profiler";
	}
	choose_devices(t, results, arena);
	jr_section_table(s, arena, t);
}

/* --- options and counts: for machines ------------------------------------------------------- */

static struct jr_scalar *add_text(struct jr_section *s, struct jr_arena *arena, const char *key,
	const char *title, const char *help, const char *text)
{
	struct jr_scalar scalar = jr_scalar_text(key, title, help, text);
	return jr_section_scalar(s, arena, &scalar);
}

static const char *warmup_name(const struct jr_options *o, struct jr_arena *arena)
{
	switch (o->warmup) {
	case JR_WARMUP_AUTO: return "auto";
	case JR_WARMUP_FIRST: return "first";
	case JR_WARMUP_NONE: return "none";
	case JR_WARMUP_COUNT: break;
	}
	return jr_arena_printf(arena, "%u", o->warmup_count);
}

static void add_options(struct jr_section *s, const struct jr_profile *p, struct jr_arena *arena)
{
	const struct jr_options *o = &p->options;
	add_text(s, arena, "options.warmup", NULL, "warm-up rule: auto, first, none or a number",
		warmup_name(o, arena))
		->hidden = true;
	struct jr_scalar top = jr_scalar_f64("options.top_modules", NULL,
		"share of total module time that the top modules cover", JR_UNIT_NONE, o->top_modules);
	struct jr_scalar detail = {.key = "options.autotuning_detail",
		.help = "whether ranges inside the autotuner's ranges were kept",
		.type = JR_BOOL,
		.value.boolean = o->autotuning_detail,
		.hidden = true};
	struct jr_scalar align = {.key = "options.align",
		.help = "whether the clocks of devices were aligned",
		.type = JR_BOOL,
		.value.boolean = !o->no_align,
		.hidden = true};
	top.hidden = true;
	jr_section_scalar(s, arena, &top);
	jr_section_scalar(s, arena, &detail);
	jr_section_scalar(s, arena, &align);
}

/* The options of a selection as given, and what they left. */
static void add_selection(struct jr_section *s, const struct jr_profile *p, struct jr_arena *arena)
{
	const struct jr_selection *given = &p->options.selection;
	const struct {
		const char *key, *help, *text;
	} rows[] = {
		{"selection.devices", "--devices as given", given->devices_text},
		{"selection.steps", "--steps as given", given->steps_text},
		{"selection.time", "--time as given", given->time_text},
		{"selection.range", "--range as given", given->range},
		{"selection.program", "--program as given", given->program},
		{"selection.text", "what was selected, and how much of the whole", p->selected.text},
	};
	for (size_t i = 0; i < JR_COUNT_OF(rows); i++)
		add_text(s, arena, rows[i].key, NULL, rows[i].help, rows[i].text)->hidden = true;
}

static void add_count(
	struct jr_section *s, struct jr_arena *arena, const char *key, const char *help, int64_t value)
{
	struct jr_scalar scalar = {.key = key,
		.help = help,
		.type = JR_I64,
		.unit = JR_UNIT_COUNT,
		.value.i64 = value,
		.plus_minus = NAN,
		.hidden = true};
	jr_section_scalar(s, arena, &scalar);
}

static void add_counts(struct jr_section *s, const struct jr_profile *p, struct jr_arena *arena)
{
	int64_t thunks[2] = {0}, communications[2] = {0}, modules[2] = {0};
	for (size_t i = 0; i < p->thunks.n; i++) {
		thunks[jr_thunk_steady(p, i) != 0]++;
		if (jr_thunk_op(p, i)->communication)
			communications[jr_communication_steady(p, i)]++;
	}
	for (size_t i = 0; i < p->modules.n; i++)
		modules[p->modules.steady[i] != 0]++;
	add_count(s, arena, "counts.thunk.init", "warm-up executions of thunks", thunks[0]);
	add_count(s, arena, "counts.thunk.steady", "steady executions of thunks", thunks[1]);
	add_count(s, arena, "counts.module.init", "warm-up executions of modules", modules[0]);
	add_count(s, arena, "counts.module.steady", "steady executions of modules", modules[1]);
	add_count(s, arena, "counts.communication.init", "warm-up executions of communication thunks",
		communications[0]);
	add_count(s, arena, "counts.communication.steady", "steady executions of communication thunks",
		communications[1]);
}

/* --- warm-up -------------------------------------------------------------------------------- */

#define WARMUP_COLUMNS(X, T)                                                                       \
	X(T, program_id, "Program", "number of the program in the first profile that contains it",     \
		TEXT, NONE, JR_COL_KEY)                                                                    \
	X(T, name, "Name", "module name of the program", TEXT, NONE, JR_COL_CODE)                      \
	X(T, executions, "Executions", "executions in the " JR_PROFILE_WORD ", over all devices", I64, \
		COUNT)                                                                                     \
	X(T, dropped, "Dropped", "executions left out as warm-up", I64, COUNT)                         \
	X(T, reason, "Why", "why executions of this program are warm-up, or why none is", TEXT, NONE)
JR_TABLE(warmup_spec, WARM, WARMUP_COLUMNS, "warmup", "warmup.programs",
	"Executions left out as warm-up", "Per program, by number", .looked_up = true);

static const char *warmup_reason(const struct jr_profile *p, const struct jr_program *program,
	int64_t dropped, struct jr_arena *arena)
{
	const struct jr_options *o = &p->options;
	bool communication =
		o->warmup == JR_WARMUP_AUTO && (p->any_communication || p->selected.any_communication);
	if (p->modules_fell_back)
		return "nothing is dropped, because the rule would leave no execution of any program";
	if (p->selected.any && dropped == 0 && !program->fell_back)
		return "the selection contains none of its warm-up executions";
	if (program->fell_back)
		return "nothing is dropped, because the rule would leave none of its executions and no "
			   "other program takes as much time";
	switch (o->warmup) {
	case JR_WARMUP_NONE: return "nothing is dropped";
	case JR_WARMUP_COUNT:
		return jr_arena_printf(arena, "the first %u on each device", o->warmup_count);
	case JR_WARMUP_AUTO:
	case JR_WARMUP_FIRST: break;
	}
	if (program->compiled && communication)
		return "its compilation was profiled, and communication is set up on first use";
	if (program->compiled)
		return "its compilation was profiled";
	return communication ? "communication is set up on first use"
						 : "neither its compilation nor its setup was profiled";
}

static const char *warmup_rule_text(const struct jr_options *o)
{
	switch (o->warmup) {
	case JR_WARMUP_AUTO:
		return "The first execution of a program is warm-up if its compilation was profiled. If "
			   "any communication was profiled, one more execution of every program is warm-up.";
	case JR_WARMUP_FIRST:
		return "The first execution of a program is warm-up if its compilation was profiled.";
	case JR_WARMUP_NONE: return "Every execution counts as steady state.";
	case JR_WARMUP_COUNT: break;
	}
	return "The requested number of first executions of each program on each device is warm-up.";
}

static void add_warmup(struct jr_section *s, const struct jr_profile *p, struct jr_arena *arena)
{
	if (p->n_programs == 0 && p->tells & JR_TELLS_GPU_OPS) /* a program without XLA */
		return;
	struct jr_table *t = jr_table_new(arena, &warmup_spec, p->n_programs);
	int64_t *executions = t->cells[WARM_executions].i64, *dropped = t->cells[WARM_dropped].i64;
	for (size_t i = 0; i < p->n_programs; i++) {
		t->cells[WARM_program_id].text[i] = jr_arena_printf(arena, "%u", p->programs[i].number);
		t->cells[WARM_name].text[i] = jr_str(p, p->programs[i].name);
		executions[i] = dropped[i] = 0;
	}
	for (size_t i = 0; i < p->modules.n; i++) {
		executions[p->modules.program[i]]++;
		dropped[p->modules.program[i]] += !p->modules.steady[i];
	}
	for (size_t i = 0; i < p->n_programs; i++)
		t->cells[WARM_reason].text[i] = warmup_reason(p, &p->programs[i], dropped[i], arena);
	add_text(
		s, arena, "warmup.rule", NULL, "same as options.warmup", warmup_name(&p->options, arena))
		->hidden = true;
	if (p->n_programs)
		jr_section_text(s, arena, "Rule “%s”: %s", warmup_name(&p->options, arena),
			warmup_rule_text(&p->options));
	jr_section_table(s, arena, t);
}

/* --- provenance ----------------------------------------------------------------------------- */

#define DIFFERENCE_COLUMNS(X, T)                                                                   \
	X(T, name, "Setting", "name of the setting", TEXT, NONE, JR_COL_KEY | JR_COL_CODE)             \
	X(T, profile, "Profile", "profile with a different value", TEXT, NONE, JR_COL_CODE)            \
	X(T, value, "Value", "value in that profile", TEXT, NONE, JR_COL_CODE)
JR_TABLE(difference_spec, DIFF, DIFFERENCE_COLUMNS, "setting_differences", "provenance.differences",
	"Settings that differ between processes",
	"Per setting of a process that differs from the first process with this setting",
	.data_only = true);

#define VALUES_COLUMNS(X, T)                                                                       \
	X(T, name, "Setting", "name of the setting", TEXT, NONE, JR_COL_KEY | JR_COL_CODE)             \
	X(T, values, "Values", "number of different values", I64, COUNT)                               \
	X(T, processes, "Processes", "number of processes that have the setting", I64, COUNT)          \
	X(T, which, "Which", "the first values, and the number of processes with each", TEXT, NONE,    \
		JR_COL_CODE)
JR_TABLE(values_spec, VALUES, VALUES_COLUMNS, "setting_values", NULL,
	"Settings that differ between processes",
	"Per setting; the data lists the value of each process");

struct version {
	const char *key, *title, *help;
	size_t offset; /* offset of the string id in struct jr_process */
};

static const struct version versions[] = {
	{"driver", "NVIDIA driver", "version of the kernel driver",
		offsetof(struct jr_process, driver)},
	{"cuda", JR_CUDA, "newest version that the driver supports", offsetof(struct jr_process, cuda)},
	{"nsys", "Nsight Systems",
		"version of the profiler that recorded the profile; for old exports, the version "
		"that exported it",
		offsetof(struct jr_process, nsys)},
	{"host_cpu", "Host CPU", "model of the host's processor", offsetof(struct jr_process, cpu)},
	{"os", "Operating system", "operating system of the host", offsetof(struct jr_process, os)},
	{"hostname", "Host", "name of the host", offsetof(struct jr_process, hostname)},
};

static uint32_t version_of(const struct jr_process *process, const struct version *v)
{
	uint32_t id;
	memcpy(&id, (const char *)process + v->offset, sizeof(id));
	return id;
}

/* The first setting with that name in an earlier row, or JR_NONE. A linear search is enough,
 * because settings are few. */
static size_t first_of_name(const struct jr_profile *p, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (p->settings[i].name == p->settings[row].name)
			return i;
	return row;
}

#define SHOWN_VALUES 3

/* "one each: 0, 1, 2 and 197 more"; else "8 (in 199), 4 (in 1)". Values in the order of processes.
 */
static void fill_values(struct jr_table *t, size_t row, const struct jr_profile *p, uint32_t name,
	struct jr_arena *arena)
{
	JR_CLEANUP(jr_map_done) struct jr_map counts = {0};
	JR_CLEANUP(jr_buf_done) struct jr_buf which = {0};
	size_t n = 0, n_values = 0, n_said = 0;
	for (size_t i = 0; i < p->n_settings; i++) {
		if (p->settings[i].name != name)
			continue;
		uint32_t had = jr_map_get(&counts, p->settings[i].value);
		n++;
		n_values += had == JR_NONE;
		jr_map_put(&counts, p->settings[i].value, had == JR_NONE ? 1 : had + 1);
	}
	bool each = n == n_values;
	for (size_t i = 0; i < p->n_settings && n_said < SHOWN_VALUES; i++) {
		uint32_t count = jr_map_get(&counts, p->settings[i].value);
		if (p->settings[i].name != name || count == 0)
			continue;
		jr_buf_puts(&which, n_said++ ? ", " : each ? "one each: " : "");
		jr_buf_puts(&which, jr_str(p, p->settings[i].value));
		if (!each)
			jr_buf_printf(&which, " (in %u)", count);
		jr_map_put(&counts, p->settings[i].value, 0); /* listed already */
	}
	if (n_said < n_values)
		jr_buf_printf(&which, " and %zu more", n_values - n_said);
	t->cells[VALUES_name].text[row] = jr_str(p, name);
	t->cells[VALUES_values].i64[row] = (int64_t)n_values;
	t->cells[VALUES_processes].i64[row] = (int64_t)n;
	t->cells[VALUES_which].text[row] = jr_arena_strndup(arena, which.data, which.size);
}

/* People see one row per setting, machines one row per value. */
static void add_differences(
	struct jr_section *s, const struct jr_profile *p, struct jr_arena *arena)
{
	struct jr_map names = {0};
	size_t n = 0, n_names = 0;
	for (size_t i = 0; i < p->n_settings; i++) {
		if (p->settings[first_of_name(p, i)].value == p->settings[i].value)
			continue;
		n++;
		n_names += jr_map_get(&names, p->settings[i].name) == JR_NONE;
		jr_map_put(&names, p->settings[i].name, 0);
	}
	if (n) {
		struct jr_table *values = jr_table_new(arena, &values_spec, n_names);
		n_names = 0;
		for (size_t i = 0; i < p->n_settings; i++)
			if (first_of_name(p, i) == i && jr_map_get(&names, p->settings[i].name) != JR_NONE)
				fill_values(values, n_names++, p, p->settings[i].name, arena);
		jr_section_table(s, arena, values);
	}
	jr_map_done(&names);
	if (!n)
		return;
	struct jr_table *t = jr_table_new(arena, &difference_spec, n);
	n = 0;
	for (size_t i = 0; i < p->n_settings; i++) {
		const struct jr_setting *setting = &p->settings[i];
		if (p->settings[first_of_name(p, i)].value == setting->value)
			continue;
		t->cells[DIFF_name].text[n] = jr_str(p, setting->name);
		if (setting->process < p->n_processes)
			t->cells[DIFF_profile].text[n] = jr_str(p, p->processes[setting->process].name);
		t->cells[DIFF_value].text[n++] = jr_str(p, setting->value);
	}
	jr_section_table(s, arena, t);
}

/* The value of the first process is shown. If others differ, note how many processes have it. */
static void note_others(
	struct jr_scalar *scalar, size_t n_same, size_t n_all, struct jr_arena *arena)
{
	char same[JR_NUM_MAX], all[JR_NUM_MAX];
	if (n_same == n_all)
		return;
	jr_num_grouped_i64(same, (int64_t)n_same);
	jr_num_grouped_i64(all, (int64_t)n_all);
	scalar->note = jr_arena_printf(arena, "in %s of %s processes", same, all);
}

static void add_version(struct jr_section *s, const struct jr_profile *p, const struct version *v,
	struct jr_arena *arena)
{
	uint32_t first = version_of(&p->processes[0], v);
	const char *text = text_or_null(p, first);
	const char *key = jr_arena_printf(arena, "provenance.%s", v->key);
	struct jr_scalar *scalar = add_text(s, arena, key, v->title, v->help, text);
	size_t n_same = 0;
	for (size_t i = 0; i < p->n_processes; i++)
		n_same += version_of(&p->processes[i], v) == first;
	note_others(scalar, n_same, p->n_processes, arena);
	scalar->hidden = !text;
}

static void add_setting(
	struct jr_section *s, const struct jr_profile *p, size_t row, struct jr_arena *arena)
{
	const struct jr_setting *first = &p->settings[row];
	const char *name = jr_str(p, first->name);
	size_t n_same = 0, n = 0;
	for (size_t i = row; i < p->n_settings; i++) {
		n += p->settings[i].name == first->name;
		n_same += p->settings[i].name == first->name && p->settings[i].value == first->value;
	}
	note_others(add_text(s, arena, jr_arena_printf(arena, "provenance.flags.%s", name), name, NULL,
					jr_str(p, first->value)),
		n_same, n, arena);
}

static void add_provenance(struct jr_section *s, const struct jr_profile *p, struct jr_arena *arena)
{
	for (size_t v = 0; v < JR_COUNT_OF(versions) && p->n_processes; v++)
		add_version(s, p, &versions[v], arena);
	for (size_t i = 0; i < p->n_settings; i++)
		if (first_of_name(p, i) == i)
			add_setting(s, p, i, arena);
	add_differences(s, p, arena);
}

void jr_doc_about(const struct jr_profile *p, const struct jr_results *r, struct jr_arena *arena,
	struct jr_section *overview, struct jr_section *provenance, struct jr_section *notes)
{
	if (!p->n_inputs)
		return; /* results without a profile describe themselves */
	if (!has_path(r, JR_AT(inputs)))
		add_inputs(overview, p, arena);
	if (!has_path(r, "options"))
		add_options(overview, p, arena);
	if (p->selected.any)
		add_selection(overview, p, arena);
	if (!has_path(r, JR_AT(devices)))
		add_devices(overview, p, r, arena);
	if (!has_path(r, "provenance"))
		add_provenance(provenance, p, arena);
	if (!has_path(r, "warmup"))
		add_warmup(notes, p, arena);
	if (!has_path(r, "counts"))
		add_counts(overview, p, arena);
}
