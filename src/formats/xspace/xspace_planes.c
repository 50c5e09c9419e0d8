/* All of an XSpace except the events of its lines: the planes and their facts. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/text.h"
#include "formats/timeline_build.h"
#include "formats/xspace/xspace_parts.h"

#define MOST_MESSAGES 4096 /* errors and warnings together; equal ones are merged */

/* --- the file --------------------------------------------------------------------------------- */

/* Return the number before " events dropped", as in "Detected GPU events dropped on HOST: ... 17
 * events dropped because ..."; 0 if there is none. */
static uint64_t dropped_in(const char *text)
{
	static const char words[] = " events dropped";
	uint64_t n = 0, unit = 1;
	const char *at = strstr(text, words);
	while (at && (at == text || !jr_is_digit(at[-1])))
		at = strstr(at + 1, words);
	for (; at && at > text && jr_is_digit(at[-1]) && unit < UINT64_C(1) << 60; at--) {
		n += (uint64_t)(at[-1] - '0') * unit;
		unit *= 10;
	}
	return n;
}

static void add_message(
	struct jr_xreading *r, struct jr_map *known, int severity, struct jr_bytes bytes)
{
	struct jr_timeline *rows = &r->x->rows;
	uint32_t text = jr_xspace_text(r, bytes);
	r->x->n_dropped += dropped_in(jr_intern_str(&rows->strings, text));
	uint32_t row = jr_map_get(known, jr_key2((uint32_t)severity, text));
	if (row != JR_NONE) {
		rows->messages[row].count++;
		return;
	}
	if (rows->n_messages == MOST_MESSAGES) {
		rows->n_rows_left_out++;
		return;
	}
	if (!rows->messages)
		rows->messages = JR_ARENA_N(&rows->arena, struct jr_timeline_message, MOST_MESSAGES);
	jr_map_put(known, jr_key2((uint32_t)severity, text), (uint32_t)rows->n_messages);
	rows->messages[rows->n_messages++] =
		(struct jr_timeline_message){.count = 1, .severity = severity, .text = text};
}

enum { SPACE_PLANE = 1, SPACE_ERROR = 2, SPACE_WARNING = 3, SPACE_HOST = 4 };

static enum jr_status top_field(struct jr_xreading *r, const struct jr_wire_field *f,
	struct jr_map *known, struct jr_error *err)
{
	if (f->type != JR_WIRE_BYTES)
		return JR_OK;
	switch (f->number) {
	case SPACE_PLANE: return jr_xspace_index_plane(r, f->bytes, err);
	case SPACE_ERROR:
		r->x->has_errors = true;
		add_message(r, known, JR_TIMELINE_ERROR, f->bytes);
		return JR_OK;
	case SPACE_WARNING:
		r->x->has_warnings = true;
		add_message(r, known, JR_TIMELINE_WARNING, f->bytes);
		return JR_OK;
	case SPACE_HOST:
		if (!r->x->hostname)
			r->x->hostname = jr_xspace_text(r, f->bytes);
		return JR_OK;
	default: return JR_OK;
	}
}

/* A file that ends within a plane is read up to that plane: the names of a plane follow its events,
 * so the events of a cut plane have no names. */
enum jr_status jr_xspace_read_top(struct jr_xreading *r, struct jr_error *err)
{
	struct jr_wire wire = jr_wire_of(r->in, r->in.data);
	struct jr_map known = {0};
	enum jr_status status = JR_OK;
	while (status == JR_OK && jr_wire_more(&wire)) {
		struct jr_wire_field f;
		struct jr_reader ahead = wire.reader;
		struct jr_error why = {0};
		status = jr_wire_next(&wire, &f, &why);
		if (status == JR_OK) {
			status = top_field(r, &f, &known, err);
		} else if (r->planes.n && jr_wire_is_cut(ahead)) {
			r->x->n_cut_bytes = jr_reader_left(&ahead);
			r->x->rows.is_cut = true;
			status = JR_OK;
			break;
		} else if (err) {
			*err = why;
		}
	}
	jr_map_done(&known);
	r->x->n_planes = r->planes.n;
	return status;
}

/* --- facts of a plane ------------------------------------------------------------------------- */

static enum jr_status stats_of_plane(const struct jr_xreading *r, const struct jr_xplane *plane,
	struct jr_xstats *stats, struct jr_error *err)
{
	struct jr_wire wire = jr_wire_of(plane->stats, r->in.data);
	stats->seen = 0;
	for (bool more = true; more;) {
		struct jr_bytes message;
		JR_TRY(jr_xspace_next_stat(r, &wire, &message, &more, err));
		if (more)
			JR_TRY(jr_xspace_stat_of(r, plane, message, stats, err));
	}
	return JR_OK;
}

static int64_t number_of(
	const struct jr_xplane *plane, const struct jr_xstats *stats, enum jr_xspace_stat stat)
{
	return jr_xstats_has(stats, stat) ? jr_xspace_stat_i64(plane, &stats->of[stat]) : 0;
}

/* Return a rate that is stated as a float of some unit; 0 = not stated, or higher than any
 * device. */
static uint64_t rate_of(const struct jr_xplane *plane, const struct jr_xstats *stats,
	enum jr_xspace_stat stat, double unit)
{
	const struct jr_xstat *s = &stats->of[stat];
	double value = (double)number_of(plane, stats, stat);
	if (jr_xstats_has(stats, stat) && s->field == JR_XSTAT_FIELD_DOUBLE)
		memcpy(&value, &s->value, sizeof(value));
	return value > 0 && value < 1e6 ? (uint64_t)(value * unit) : 0;
}

static uint64_t positive(int64_t value)
{
	return value > 0 ? (uint64_t)value : 0;
}

static uint32_t text_of(struct jr_xreading *r, struct jr_xplane *plane,
	const struct jr_xstats *stats, enum jr_xspace_stat stat)
{
	return jr_xstats_has(stats, stat) ? jr_xspace_stat_text(r, plane, &stats->of[stat]) : 0;
}

/* Name a GPU in a file without names: "Nvidia" and 9.0 give "NVIDIA GPU (compute capability
 * 9.0)". */
static uint32_t unnamed_gpu(struct jr_xreading *r, const char *vendor, int64_t major, int64_t minor)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	bool nvidia = strcmp(vendor, "Nvidia") == 0;
	if (!*vendor && major <= 0)
		return 0;
	jr_buf_printf(&name, "%s%sGPU", nvidia ? "NVIDIA" : vendor, *vendor ? " " : "");
	if (major > 0 && major < 1000 && minor >= 0 && minor < 1000)
		jr_buf_printf(&name, " (%s %" PRId64 ".%" PRId64 ")",
			nvidia ? "compute capability" : "architecture", major, minor);
	return jr_xspace_text(r, jr_buf_view(&name));
}

/* Read the facts of a device. AMD files state half the memory bandwidth (MI300X: 2662 of 5325
 * GB/s), so it is ignored. */
static enum jr_status describe(
	struct jr_xreading *r, struct jr_xplane *plane, uint32_t number, struct jr_error *err)
{
	struct jr_xstats s;
	JR_TRY(stats_of_plane(r, plane, &s, err));
	struct jr_timeline *rows = &r->x->rows;
	const char *vendor = jr_intern_str(&rows->strings, text_of(r, plane, &s, JR_XSTAT_VENDOR));
	bool amd = strcmp(vendor, "AMD") == 0;
	struct jr_timeline_gpu_info gpu = {.id = number,
		.cuda_device = number,
		.name = text_of(r, plane, &s, JR_XSTAT_GPU_NAME),
		.memory_bandwidth_bytes_s = amd ? 0 : positive(number_of(plane, &s, JR_XSTAT_BANDWIDTH)),
		.sm_count = positive(number_of(plane, &s, JR_XSTAT_CORES)),
		.memory_bytes = positive(number_of(plane, &s, JR_XSTAT_MEMORY)),
		.compute_major = number_of(plane, &s, JR_XSTAT_MAJOR),
		.compute_minor = number_of(plane, &s, JR_XSTAT_MINOR)};
	int64_t clock_khz = number_of(plane, &s, JR_XSTAT_CLOCK);
	if (clock_khz > 0 && clock_khz < INT64_C(1) << 32)
		gpu.clock_hz = (uint64_t)clock_khz * 1000;
	if (!gpu.name)
		gpu.name = text_of(r, plane, &s, JR_XSTAT_TPU_NAME);
	if (!gpu.name && jr_xspace_begins_with(plane->name, "/device:TPU:"))
		gpu.name = jr_xspace_text(r, jr_bytes_of("TPU", 3));
	if (!gpu.name)
		gpu.name = unnamed_gpu(r, vendor, gpu.compute_major, gpu.compute_minor);
	if (amd) /* gfx94x is not a CUDA compute capability */
		gpu.compute_major = 0;
	uint64_t hbm_bytes_s = rate_of(plane, &s, JR_XSTAT_HBM_GB_S, 1e9);
	if (hbm_bytes_s)
		gpu.memory_bandwidth_bytes_s = hbm_bytes_s;
	gpu.matrix_flop_s = rate_of(plane, &s, JR_XSTAT_TFLOPS, 1e12);
	int64_t pid = number_of(plane, &s, JR_XSTAT_PID);
	if (pid > 0)
		rows->processes[0].pid = pid;
	*jr_vec_add(&r->gpus) = gpu;
	return JR_OK;
}

/* Return the number of a whole device, "/device:GPU:3"; UINT32_MAX if it is not one. */
static uint32_t device_number(struct jr_bytes name, const char *prefix)
{
	size_t n = strlen(prefix);
	int64_t number;
	if (!jr_xspace_begins_with(name, prefix) ||
		!jr_parse_i64((const char *)name.data + n, name.size - n, &number) || number < 0 ||
		number > 65535)
		return UINT32_MAX;
	return (uint32_t)number;
}

static enum jr_status read_session(
	struct jr_xreading *r, struct jr_xplane *plane, struct jr_error *err)
{
	struct jr_xstats s;
	JR_TRY(stats_of_plane(r, plane, &s, err));
	int64_t start = number_of(plane, &s, JR_XSTAT_START), length;
	r->x->start_unix_ns = start > 0 ? start : 0;
	if (start > 0 && !__builtin_sub_overflow(number_of(plane, &s, JR_XSTAT_STOP), start, &length) &&
		length > 0 && length < INT64_C(1) << 50)
		r->x->rows.session_ns = length;
	return JR_OK;
}

/* --- scopes ----------------------------------------------------------------------------------- */

/* Statistics without a name: the id is a scope, the value its parent. */
static enum jr_status read_scopes(
	struct jr_xreading *r, struct jr_xplane *plane, struct jr_error *err)
{
	struct jr_wire wire = jr_wire_of(plane->stats, r->in.data);
	for (bool more = true; more;) {
		struct jr_bytes message;
		struct jr_xstat stat;
		uint64_t child, parent;
		JR_TRY(jr_xspace_next_stat(r, &wire, &message, &more, err));
		if (!more)
			break;
		if (!jr_xspace_any_stat(r, message, &child, &stat))
			return jr_xspace_damaged(r, &wire, err);
		parent = stat.field == JR_XSTAT_FIELD_DOUBLE ? 0 : stat.value;
		uint32_t meta = jr_xid_row(&plane->stat_rows, child);
		bool named = meta != JR_NONE && plane->stat_metas.items[meta].name.size > 0;
		if (named || child == 0 || parent == 0)
			continue;
		uint32_t row = jr_xspace_scope_row(r, child), above = jr_xspace_scope_row(r, parent);
		r->scope_parents.items[row] = above;
	}
	return JR_OK;
}

void jr_xspace_cut_cycles(uint32_t *parents, size_t n)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	enum { UNSEEN, ON_THIS_WALK, DONE };
	uint8_t *state = JR_ARENA_N(&scratch, uint8_t, n + 1);
	for (uint32_t i = 1; i < n; i++) {
		for (uint32_t at = i; at != 0 && state[at] == UNSEEN; at = parents[at]) {
			state[at] = ON_THIS_WALK;
			if (state[parents[at]] == ON_THIS_WALK)
				parents[at] = 0;
		}
		for (uint32_t at = i; state[at] == ON_THIS_WALK; at = parents[at])
			state[at] = DONE;
	}
}

/* --- programs --------------------------------------------------------------------------------- */

JR_ORDER(compare_programs, struct jr_xspace_program, JR_UP(id) JR_UP(proto.data))

/* Read versions as text, of any type. */
static enum jr_status take_about(
	struct jr_xreading *r, struct jr_xplane *plane, struct jr_error *err)
{
	struct jr_xspace *x = r->x;
	struct jr_wire wire = jr_wire_of(plane->stats, r->in.data);
	x->about = JR_ARENA_N(&x->rows.arena, struct jr_timeline_pair, plane->n_stats + 1);
	for (bool more = true; more;) {
		struct jr_bytes message;
		struct jr_xstat stat;
		uint64_t id;
		JR_TRY(jr_xspace_next_stat(r, &wire, &message, &more, err));
		if (!more || !jr_xspace_any_stat(r, message, &id, &stat))
			continue;
		uint32_t meta = jr_xid_row(&plane->stat_rows, id);
		if (meta == JR_NONE)
			continue;
		char number[JR_NUM_MAX] = "";
		uint32_t value = jr_xspace_stat_text(r, plane, &stat);
		if (stat.field == JR_XSTAT_FIELD_UNSIGNED || stat.field == JR_XSTAT_FIELD_SIGNED) {
			jr_num_i64(number, (int64_t)stat.value);
			value = jr_intern_puts(&x->rows.strings, number);
		}
		x->about[x->n_about++] =
			(struct jr_timeline_pair){jr_xspace_text(r, plane->stat_metas.items[meta].name), value};
	}
	return JR_OK;
}

static enum jr_status read_metadata(
	struct jr_xreading *r, struct jr_xplane *plane, struct jr_error *err)
{
	for (size_t i = 1; i < plane->event_metas.n; i++) {
		const struct jr_xevent_meta *meta = &plane->event_metas.items[i];
		struct jr_xstats s = {0};
		JR_TRY(jr_xspace_stats_of(r, plane, meta->message, 5, &s, err));
		enum jr_xspace_stat proto =
			jr_xstats_has(&s, JR_XSTAT_HLO_PROTO) ? JR_XSTAT_HLO_PROTO : JR_XSTAT_HLO_PROTO_OLD;
		if (!jr_xstats_has(&s, proto)) /* another kind */
			continue;
		struct jr_xspace_program program = {.id = (int64_t)plane->event_ids.items[i],
			.proto = jr_xspace_stat_bytes(plane, &s.of[proto])};
		program.name = jr_xspace_split_name(r, meta->name, &program.id);
		if (jr_xstats_has(&s, JR_XSTAT_PROGRAM))
			program.id = number_of(plane, &s, JR_XSTAT_PROGRAM);
		*jr_vec_add(&r->programs) = program;
	}
	return r->x->about ? JR_OK : take_about(r, plane, err);
}

/* --- room and order --------------------------------------------------------------------------- */

static bool is_host(struct jr_bytes name)
{
	static const char *const names[] = {"/host:CPU", "/host:CUPTI", "/host:ROCTRACER",
		"/host:python-tracer", "/host:TPU-runtime", "/host:NVTX-CUPTI"};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++)
		if (strlen(names[i]) == name.size && memcmp(names[i], name.data, name.size) == 0)
			return true;
	return false;
}

enum sort { OTHER, GPU, TPU, LANES, HOST, METADATA, SCOPES, SESSION };

static enum sort sort_of(const struct jr_xplane *plane, uint32_t *number)
{
	struct jr_bytes name = plane->name;
	if ((*number = device_number(name, "/device:GPU:")) != UINT32_MAX)
		return plane->again ? OTHER : GPU;
	if ((*number = device_number(name, "/device:TPU:")) != UINT32_MAX)
		return plane->again ? OTHER : TPU;
	struct jr_bytes core;
	uint32_t of;
	return jr_xspace_is_lanes(name, &of, &core)            ? LANES
		   : is_host(name)                                 ? HOST
		   : jr_xspace_begins_with(name, "/host:metadata") ? METADATA
		   : jr_xspace_begins_with(name, "/host:__ScopeR") ? SCOPES
		   : jr_xspace_begins_with(name, "Task Env")       ? SESSION
														   : OTHER;
}

/* Two planes with the number of one device do not show which of them a row belongs to: together,
 * they would be a device that does everything twice, or runs two programs at once. Only the first
 * is read. */
static void mark_repeated(struct jr_xreading *r)
{
	JR_CLEANUP(jr_map_done) struct jr_map seen = {0};
	for (uint32_t i = 0; i < r->planes.n; i++) {
		struct jr_xplane *plane = &r->planes.items[i];
		uint32_t number;
		enum sort sort = sort_of(plane, &number);
		plane->again = (sort == GPU || sort == TPU) && jr_map_add(&seen, number, i) != i;
	}
}

JR_ORDER(compare_threads, struct jr_timeline_thread, JR_UP(id))

/* Lines with the same id are one thread, in any plane. */
static enum jr_status list_threads(struct jr_xreading *r, size_t n_lines, struct jr_error *err)
{
	struct jr_timeline *rows = &r->x->rows;
	JR_TRY_ARRAY(rows->threads, &rows->arena, n_lines + 1, err);
	size_t n = 0;
	uint32_t number;
	for (size_t i = 0; i < r->planes.n; i++) {
		struct jr_xplane *plane = &r->planes.items[i];
		for (size_t k = 0; sort_of(plane, &number) == HOST && k < plane->lines.n; k++) {
			struct jr_xline *line = &plane->lines.items[k];
			JR_TRY(jr_xspace_line(r, line, err));
			r->range_room += line->n_events;
			rows->threads[n++] = (struct jr_timeline_thread){.id = line->id, .tid = line->id};
		}
	}
	jr_sort(rows->threads, n, sizeof(*rows->threads), compare_threads);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || rows->threads[i].id != rows->threads[i - 1].id)
			rows->threads[rows->n_threads++] = rows->threads[i];
	return JR_OK;
}

static enum jr_status count_gpu(struct jr_xreading *r, size_t *n_lines, struct jr_error *err)
{
	uint32_t number;
	for (size_t i = 0; i < r->planes.n; i++) {
		struct jr_xplane *plane = &r->planes.items[i];
		enum sort sort = sort_of(plane, &number);
		*n_lines += sort == HOST ? plane->lines.n : 0;
		for (size_t k = 0; sort == GPU && k < plane->lines.n; k++) {
			struct jr_xline *line = &plane->lines.items[k];
			JR_TRY(jr_xspace_line(r, line, err));
			if (jr_xspace_is_derived(line))
				r->x->n_derived += line->n_events;
			else
				r->gpu_room += line->n_events;
		}
	}
	return JR_OK;
}

/* Allocate a column of n rows; NULL: not enough memory. */
#define COLUMN(arena, slot, n) (*(slot) = jr_arena_array((arena), (n) + 1, sizeof(**(slot)), err))

static enum jr_status make_room(struct jr_xreading *r, struct jr_error *err)
{
	struct jr_xspace *x = r->x;
	struct jr_arena *arena = &x->placing;
	if (r->gpu_room > r->limits->rows || r->range_room > r->limits->rows)
		return jr_fail(
			err, JR_ELIMIT, "more than %" PRIu64 " events (--max-rows)", r->limits->rows);
	size_t n = r->gpu_room;
	JR_TRY(jr_timeline_room_gpu(&x->rows, n, err));
	JR_TRY(jr_timeline_room_calls(&x->rows, r->range_room, err));
	JR_TRY(jr_timeline_room_nvtx(&x->rows, r->range_room, err));
	bool room = COLUMN(arena, &x->label, n) && COLUMN(arena, &x->scope, n) &&
				COLUMN(arena, &x->graph, n) && COLUMN(arena, &x->graph_node, n);
	return room ? JR_OK : JR_ELIMIT;
}

static enum jr_status leave_plane(
	struct jr_xreading *r, struct jr_xplane *plane, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	jr_buf_add(&name, plane->name.data, plane->name.size);
	if (plane->again)
		jr_buf_puts(&name, " (an earlier plane has its number)");
	else if (!plane->name.size)
		jr_buf_puts(&name, "(no name)");
	for (size_t i = 0; i < plane->lines.n; i++)
		JR_TRY(jr_xspace_leave_unread(r, jr_buf_view(&name), &plane->lines.items[i], err));
	return JR_OK;
}

static enum jr_status read_plane(
	struct jr_xreading *r, struct jr_xplane *plane, struct jr_error *err)
{
	uint32_t number;
	struct jr_bytes core;
	switch (sort_of(plane, &number)) {
	case GPU:
		r->x->n_gpus_seen++;
		JR_TRY(describe(r, plane, number, err));
		return jr_xspace_read_gpu(r, plane, number, err);
	case TPU:
		JR_TRY(describe(r, plane, number, err));
		return jr_xspace_read_tpu(r, plane, number, err);
	case LANES:
		(void)jr_xspace_is_lanes(plane->name, &number, &core);
		return jr_xspace_read_lanes(r, plane, number, core, err);
	case HOST: return jr_xspace_read_host(r, plane, err);
	case METADATA: return read_metadata(r, plane, err);
	case SCOPES: return read_scopes(r, plane, err);
	case SESSION: return read_session(r, plane, err);
	case OTHER: return leave_plane(r, plane, err);
	}
	return JR_OK;
}

/* Sort the programs of all planes by id and keep the first of each. */
static void sort_programs(struct jr_xreading *r)
{
	struct jr_xspace_program *all = r->programs.items;
	jr_sort(all, r->programs.n, sizeof(*all), compare_programs);
	size_t distinct = 0;
	for (size_t i = 0; i < r->programs.n; i++)
		if (i == 0 || all[i].id != all[i - 1].id)
			all[distinct++] = all[i];
	r->programs.n = distinct;
}

#define KEEP(to, vec) ((to) = JR_ARENA_COPY(arena, (vec).items, (vec).n, 1), (vec).n)

static void keep_all(struct jr_xreading *r)
{
	struct jr_xspace *x = r->x;
	struct jr_arena *arena = &x->rows.arena;
	x->rows.n_gpus = KEEP(x->rows.gpus, r->gpus);
	x->rows.n_configs = KEEP(x->rows.configs, r->configs);
	x->n_labels = KEEP(x->labels, r->labels);
	x->n_said = KEEP(x->said, r->said);
	x->n_modules = KEEP(x->modules, r->modules);
	x->n_ops = KEEP(x->ops, r->ops);
	x->n_lane_events = KEEP(x->lane_events, r->lane_events);
	sort_programs(r);
	x->n_programs = KEEP(x->programs, r->programs);
	x->n_steps = KEEP(x->steps, r->steps);
	x->n_memory = KEEP(x->memory, r->memory);
	x->n_scopes = KEEP(x->scope_parent, r->scope_parents);
	jr_xspace_cut_cycles(x->scope_parent, x->n_scopes);
	jr_timeline_name_kernels(&x->rows, &r->brief_of);
}

enum jr_status jr_xspace_read_planes(struct jr_xreading *r, struct jr_error *err)
{
	struct jr_timeline *rows = &r->x->rows;
	rows->processes = JR_ARENA_N(&rows->arena, struct jr_timeline_process, 1);
	rows->n_processes = 1;
	rows->scopes = JR_ARENA_N(&rows->arena, struct jr_timeline_scope, 1);
	rows->n_scopes = 1;
	rows->has_nvtx = rows->has_calls = rows->has_gpu = true;
	*jr_vec_add(&r->labels) = (struct jr_xspace_label){.program = -1};
	*jr_vec_add(&r->said) = (struct jr_said){0};
	*jr_vec_add(&r->scope_parents) = 0;
	*jr_vec_add(&r->configs) = jr_timeline_no_config();
	size_t n_lines = 0;
	mark_repeated(r);
	JR_TRY(count_gpu(r, &n_lines, err));
	JR_TRY(list_threads(r, n_lines, err));
	JR_TRY(make_room(r, err));
	for (size_t i = 0; i < r->planes.n; i++)
		JR_TRY(read_plane(r, &r->planes.items[i], err));
	keep_all(r);
	return JR_OK;
}
