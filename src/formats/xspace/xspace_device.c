/* GPU lines: operations, stream by stream. */
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "formats/timeline_build.h"
#include "formats/xspace/xspace_parts.h"

/* --- GPU: lines ------------------------------------------------------------------------------- */

/* Viewers and TensorFlow add lines with separate ids that repeat the kernels of others. Newer ones
 * add a set per stream: "XLA Ops - from #13". */
bool jr_xspace_is_derived(const struct jr_xline *line)
{
	static const char *const names[] = {"Steps", "XLA Modules", "XLA Ops", "Framework Ops",
		"Framework Name Scope", "TensorFlow Ops", "TensorFlow Name Scope", "Launch Stats",
		"Source code", "_counters_"};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++) {
		size_t n = strlen(names[i]);
		if (!jr_xspace_begins_with(line->name, names[i]))
			continue;
		struct jr_bytes rest = {line->name.data + n, line->name.size - n};
		if (rest.size == 0 || jr_xspace_begins_with(rest, " - from #"))
			return true;
	}
	/* Stream numbers are small; the numbers of such lines begin at 0xdeadbeef, and were signed. */
	return (uint32_t)line->id >= UINT32_C(0xdeadbeef) &&
		   (line->id <= UINT32_MAX && line->id >= INT32_MIN);
}

/* --- GPU: names ------------------------------------------------------------------------------- */

/* Return the end of the plain name: its template or call arguments begin there. */
static size_t end_of_name(const char *s, size_t n)
{
	static const char unnamed[] = "(anonymous namespace)";
	size_t at = 0;
	while (at < n && s[at] != '<' && s[at] != '(' && s[at] != '[') {
		at++;
		if (at < n && s[at] == '(' && n - at >= sizeof(unnamed) - 1 &&
			memcmp(s + at, unnamed, sizeof(unnamed) - 1) == 0)
			at += sizeof(unnamed) - 1;
	}
	return at;
}

/* Return the str of a kernel's name without return type, namespaces, template and call arguments.
 */
static uint32_t brief_name(struct jr_xreading *r, struct jr_bytes name)
{
	const char *s = name.size ? (const char *)name.data : "";
	size_t n = name.size, begin = 0;
	if (n > 3 && memcmp(s + n - 3, ".kd", 3) == 0) /* AMD: the kernel descriptor's suffix */
		n -= 3;
	size_t end = end_of_name(s, n);
	while (end && s[end - 1] == ' ')
		end--;
	for (size_t i = 0; i < end; i++) /* return type and namespaces */
		if (s[i] == ' ' || s[i] == ':')
			begin = i + 1;
	if (begin >= end)
		return jr_xspace_text(r, jr_bytes_of(s, n));
	return jr_xspace_text(r, jr_bytes_of(s + begin, end - begin));
}

/* --- GPU: details ----------------------------------------------------------------------------- */

/* Profilers write about 200 bytes. Many events may refer to one text, so the end of a longer one is
 * not searched for each of them. */
#define DETAILS_MAX 1024

/* Return the value of "KEY:VALUE" among words separated by blanks or line breaks; empty if
 * absent. */
static struct jr_bytes detail(struct jr_bytes text, const char *key)
{
	size_t n = strlen(key), at = 0;
	if (text.size > DETAILS_MAX)
		text.size = DETAILS_MAX;
	while (at < text.size) {
		size_t end = at;
		while (end < text.size && text.data[end] != ' ' && text.data[end] != '\n')
			end++;
		if (end - at > n && text.data[at + n] == ':' && memcmp(text.data + at, key, n) == 0)
			return (struct jr_bytes){text.data + at + n + 1, end - at - n - 1};
		at = end + 1;
	}
	return (struct jr_bytes){0};
}

static uint32_t small_number(struct jr_bytes text, uint32_t most)
{
	int64_t value;
	if (!text.size || !jr_parse_i64((const char *)text.data, text.size, &value) || value < 0 ||
		value > most)
		return JR_NONE;
	return (uint32_t)value;
}

/* Parse "x,y,z". */
static void three_numbers(struct jr_bytes text, uint32_t out[3])
{
	for (int i = 0; i < 3; i++) {
		size_t n = 0;
		while (n < text.size && text.data[n] != ',')
			n++;
		out[i] = small_number((struct jr_bytes){text.data, n}, INT32_MAX);
		if (n < text.size)
			n++;
		if (n) /* bytes of an absent detail are NULL */
			text = (struct jr_bytes){text.data + n, text.size - n};
	}
}

#define MOST_REGISTERS 1024 /* a thread has 255 or 512; old AMD drivers write invalid numbers */

static uint32_t first_of(struct jr_bytes text, const char *const *keys, size_t n, uint32_t most)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t value = small_number(detail(text, keys[i]), most);
		if (value != JR_NONE)
			return value;
	}
	return JR_NONE;
}

static struct jr_timeline_config parse_config(struct jr_bytes text)
{
	static const char *const registers[] = {"regs", "registers_per_thread"};
	static const char *const fixed[] = {"static_shared", "group_mem", "static_shared_memory_usage"};
	static const char *const dynamic[] = {"dynamic_shared", "shm", "dynamic_shared_memory_usage"};
	struct jr_timeline_config c = {
		.registers = first_of(text, registers, JR_COUNT_OF(registers), MOST_REGISTERS),
		.static_shared_bytes = first_of(text, fixed, JR_COUNT_OF(fixed), INT32_MAX),
		.dynamic_shared_bytes = first_of(text, dynamic, JR_COUNT_OF(dynamic), INT32_MAX)};
	if (c.registers == 0)
		c.registers = JR_NONE;
	if (c.registers == JR_NONE && detail(text, "regs").size) /* then all of them are invalid */
		c.static_shared_bytes = c.dynamic_shared_bytes = JR_NONE;
	three_numbers(detail(text, "grid"), c.grid);
	three_numbers(detail(text, "block"), c.block);
	return c;
}

static uint32_t config_row(struct jr_xreading *r, const struct jr_timeline_config *config)
{
	uint64_t hash = jr_hash(config, sizeof(*config), jr_hash_seed());
	for (;; hash++) {
		uint32_t row = jr_map_get(&r->config_rows, hash);
		if (row == JR_NONE) {
			row = (uint32_t)r->configs.n;
			jr_map_put(&r->config_rows, hash, row);
			*jr_vec_add(&r->configs) = *config;
			return row;
		}
		if (memcmp(&r->configs.items[row], config, sizeof(*config)) == 0)
			return row;
	}
}

/* Return the row of configs; details that several events refer to are parsed once. */
static uint32_t config_of(
	struct jr_xreading *r, struct jr_xplane *plane, const struct jr_xstats *stats)
{
	if (!jr_xstats_has(stats, JR_XSTAT_KERNEL_DETAILS))
		return 0;
	const struct jr_xstat *stat = &stats->of[JR_XSTAT_KERNEL_DETAILS];
	uint32_t meta =
		stat->field == JR_XSTAT_FIELD_REF ? jr_xid_row(&plane->stat_rows, stat->value) : JR_NONE;
	if (meta != JR_NONE && plane->stat_metas.items[meta].config)
		return plane->stat_metas.items[meta].config - 1;
	struct jr_timeline_config config = parse_config(jr_xspace_stat_bytes(plane, stat));
	uint32_t row = config_row(r, &config);
	if (meta != JR_NONE)
		plane->stat_metas.items[meta].config = row + 1;
	return row;
}

/* Return 1 + CUDA's number of a kind of memory (ENUM_CUDA_MEM_KIND); 0 = not stated. */
static uint32_t memory_kind(struct jr_bytes text)
{
	static const char *const names[] = {
		"pageable", "pinned", "device", "array", "managed", "device_static", "managed_static"};
	for (uint32_t i = 0; i < JR_COUNT_OF(names); i++)
		if (strlen(names[i]) == text.size && memcmp(names[i], text.data, text.size) == 0)
			return i + 1;
	return 0;
}

/* Return CUDA's number of a copy's direction (CUpti_ActivityMemcpyKind) by its name. */
static uint32_t copy_kind(struct jr_bytes name)
{
	static const struct {
		const char *name;
		uint32_t kind;
	} kinds[] = {{"MemcpyH2D", 1}, {"MemcpyD2H", 2}, {"MemcpyD2D", 8}, {"MemcpyP2P", 10},
		{"CopyHostToDevice", 1}, {"CopyDeviceToHost", 2}, {"CopyDeviceToDevice", 8}};
	for (size_t i = 0; i < JR_COUNT_OF(kinds); i++)
		if (jr_xspace_begins_with(name, kinds[i].name))
			return kinds[i].kind;
	return 0;
}

static int64_t bytes_in(struct jr_bytes text, const char *key)
{
	struct jr_bytes value = detail(text, key);
	int64_t bytes;
	return value.size && jr_parse_i64((const char *)value.data, value.size, &bytes) && bytes > 0 &&
				   bytes <= JR_MOST_BYTES
			   ? bytes
			   : 0;
}

/* --- GPU: events ------------------------------------------------------------------------------ */

enum { UNSEEN, KERNEL, COPY, SET, RUNS_GRAPH }; /* jr_xevent_meta.sort, by name */

static uint8_t sort_of_name(struct jr_xevent_meta *meta)
{
	if (meta->sort == UNSEEN)
		meta->sort = copy_kind(meta->name) || jr_xspace_begins_with(meta->name, "Memcpy") ? COPY
					 : jr_xspace_begins_with(meta->name, "Memset")                        ? SET
																						  : KERNEL;
	return meta->sort;
}

static uint8_t sort_of(struct jr_xevent_meta *meta, const struct jr_xstats *stats)
{
	bool kernel = jr_xstats_has(stats, JR_XSTAT_KERNEL_DETAILS);
	return jr_xstats_has(stats, JR_XSTAT_COPY_DETAILS)            ? COPY
		   : jr_xstats_has(stats, JR_XSTAT_SET_DETAILS)           ? SET
		   : !kernel && jr_xstats_has(stats, JR_XSTAT_GRAPH_EXEC) ? RUNS_GRAPH
		   : kernel                                               ? KERNEL
																  : sort_of_name(meta);
}

/* Return the last part: some versions write "outer::inner". */
static uint32_t last_part(struct jr_xreading *r, uint32_t text)
{
	const char *s = jr_intern_str(&r->x->rows.strings, text), *at = s, *colon;
	while ((colon = strstr(at, "::")) != NULL)
		at = colon + 2;
	return at == s ? text : jr_intern_puts(&r->x->rows.strings, at);
}

/* Return the str of an instruction's name, determined once for all events that refer to it by
 * `meta`. */
static uint32_t op_text(
	struct jr_xreading *r, struct jr_xplane *plane, const struct jr_xstat *op, uint32_t meta)
{
	if (meta == JR_NONE)
		return last_part(r, jr_xspace_stat_text(r, plane, op));
	struct jr_xstat_meta *m = &plane->stat_metas.items[meta];
	if (m->last_part == JR_NONE)
		m->last_part = last_part(r, jr_xspace_stat_text(r, plane, op));
	return m->last_part;
}

/* Return the row of labels. An instruction that is referred to usually has the same label as last
 * time. */
static uint32_t label_of(
	struct jr_xreading *r, struct jr_xplane *plane, const struct jr_xstats *stats)
{
	if (!jr_xstats_has(stats, JR_XSTAT_HLO_MODULE))
		return 0;
	const struct jr_xstat *op = &stats->of[JR_XSTAT_HLO_OP];
	uint32_t module = jr_xspace_stat_text(r, plane, &stats->of[JR_XSTAT_HLO_MODULE]);
	int64_t program = jr_xstats_has(stats, JR_XSTAT_PROGRAM)
						  ? jr_xspace_stat_i64(plane, &stats->of[JR_XSTAT_PROGRAM])
						  : -1;
	uint32_t meta = jr_xstats_has(stats, JR_XSTAT_HLO_OP) && op->field == JR_XSTAT_FIELD_REF
						? jr_xid_row(&plane->stat_rows, op->value)
						: JR_NONE;
	uint32_t last = meta == JR_NONE ? 0 : plane->stat_metas.items[meta].label;
	if (last && r->labels.items[last].module == module && r->labels.items[last].program == program)
		return last;
	uint32_t name = jr_xstats_has(stats, JR_XSTAT_HLO_OP) ? op_text(r, plane, op, meta) : 0;
	uint32_t said = module && name ? jr_xspace_annotation(r, plane, name, stats) : 0;
	uint32_t label = module ? jr_xspace_label_row(r, module, name, program, said) : 0;
	if (meta != JR_NONE)
		plane->stat_metas.items[meta].label = label;
	return label;
}

static void add_kernel(struct jr_xreading *r, struct jr_xplane *plane, size_t i,
	const struct jr_xevent *event, const struct jr_xstats *stats)
{
	struct jr_timeline_gpu *g = &r->x->rows.gpu;
	uint32_t name = jr_xspace_event_text(r, plane, event->meta);
	g->kind[i] = JR_TIMELINE_KERNEL;
	g->name[i] = name;
	g->config[i] = config_of(r, plane, stats);
	struct jr_xevent_meta *meta = &plane->event_metas.items[event->meta];
	if (meta->brief)
		return;
	meta->brief = true;
	if (jr_map_get(&r->brief_of, name) == JR_NONE)
		jr_map_put(&r->brief_of, name, brief_name(r, meta->name));
}

static enum jr_status add_moved(struct jr_xreading *r, struct jr_xplane *plane, size_t i,
	uint8_t sort, const struct jr_xevent *event, const struct jr_xstats *stats,
	struct jr_error *err)
{
	struct jr_timeline_gpu *g = &r->x->rows.gpu;
	g->kind[i] = sort == COPY ? JR_TIMELINE_MEMCPY : JR_TIMELINE_MEMSET;
	enum jr_xspace_stat which = sort == COPY ? JR_XSTAT_COPY_DETAILS : JR_XSTAT_SET_DETAILS;
	struct jr_bytes text = jr_xstats_has(stats, which)
							   ? jr_xspace_stat_bytes(plane, &stats->of[which])
							   : (struct jr_bytes){0};
	g->bytes[i] = bytes_in(text, sort == COPY ? "size" : "num_bytes");
	if (__builtin_add_overflow(r->total_bytes, g->bytes[i], &r->total_bytes))
		return jr_fail(err, JR_EFORMAT, "sizes of copies add up to more than fits in int64");
	if (sort == COPY)
		g->config[i] = copy_kind(plane->event_metas.items[event->meta].name) |
					   memory_kind(detail(text, "kind_src")) << 8 |
					   memory_kind(detail(text, "kind_dst")) << 16;
	return JR_OK;
}

static enum jr_status add_op(struct jr_xreading *r, struct jr_xplane *plane, uint32_t device,
	uint32_t stream, const struct jr_xevent *event, const struct jr_xstats *stats,
	struct jr_error *err)
{
	struct jr_xspace *x = r->x;
	int64_t id = jr_xstats_has(stats, JR_XSTAT_CORRELATION)
					 ? jr_xspace_stat_i64(plane, &stats->of[JR_XSTAT_CORRELATION])
					 : -1;
	size_t i = jr_timeline_put_op(&x->rows.gpu, device, stream, event->start_ns, event->end_ns,
		id > 0 && id < JR_NONE ? (uint32_t)id : JR_NONE);
	x->label[i] = label_of(r, plane, stats);
	if (jr_xstats_has(stats, JR_XSTAT_SCOPE) &&
		jr_xspace_stat_i64(plane, &stats->of[JR_XSTAT_SCOPE]) > 0)
		x->scope[i] =
			jr_xspace_scope_row(r, (uint64_t)jr_xspace_stat_i64(plane, &stats->of[JR_XSTAT_SCOPE]));
	if (jr_xstats_has(stats, JR_XSTAT_GRAPH_NODE)) {
		uint64_t node = (uint64_t)jr_xspace_stat_i64(plane, &stats->of[JR_XSTAT_GRAPH_NODE]);
		x->graph[i] = (uint32_t)(node >> 32);
		x->graph_node[i] = (uint32_t)node + 1;
	}
	uint8_t sort = sort_of(&plane->event_metas.items[event->meta], stats);
	if (sort == COPY || sort == SET)
		return add_moved(r, plane, i, sort, event, stats, err);
	if (sort == RUNS_GRAPH)
		x->rows.gpu.kind[i] = JR_TIMELINE_GRAPH;
	else
		add_kernel(r, plane, i, event, stats);
	return JR_OK;
}

static void add_overhead(
	struct jr_xreading *r, struct jr_xplane *plane, const struct jr_xevent *event)
{
	enum { MOST = 64 };
	struct jr_timeline *rows = &r->x->rows;
	uint32_t name = jr_xspace_event_text(r, plane, event->meta);
	size_t i = 0;
	if (!rows->overheads)
		rows->overheads = JR_ARENA_N(&rows->arena, struct jr_timeline_sum, MOST);
	while (i < rows->n_overheads && rows->overheads[i].name != name)
		i++;
	if (i == MOST) {
		rows->n_rows_left_out++;
		return;
	}
	rows->n_overheads += i == rows->n_overheads;
	struct jr_timeline_sum *sum = &rows->overheads[i];
	int64_t dur_ns = event->end_ns - event->start_ns;
	sum->name = name;
	sum->count++;
	sum->total_ns += dur_ns; /* the sum of all durations of the file fits */
	sum->max_ns = dur_ns > sum->max_ns ? dur_ns : sum->max_ns;
}

enum jr_status jr_xspace_read_gpu(
	struct jr_xreading *r, struct jr_xplane *plane, uint32_t number, struct jr_error *err)
{
	struct jr_xstats stats;
	for (size_t i = 0; i < plane->lines.n; i++) {
		struct jr_xline *line = &plane->lines.items[i];
		JR_TRY(jr_xspace_line(r, line, err));
		if (jr_xspace_is_derived(line))
			continue;
		bool overhead = jr_xspace_begins_with(line->name, "CUPTI overhead");
		for (bool more = true; more;) {
			struct jr_xevent event;
			JR_TRY(jr_xspace_next(r, plane, line, &event, &stats, &more, err));
			if (more && overhead)
				add_overhead(r, plane, &event);
			else if (more)
				JR_TRY(add_op(r, plane, number, (uint32_t)line->id, &event, &stats, err));
		}
	}
	return JR_OK;
}
