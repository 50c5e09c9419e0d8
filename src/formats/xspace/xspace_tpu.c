/* TPU lines: modules and instructions, and the facts that their events state. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "formats/xspace/xspace_parts.h"

enum { NOT_SEEN, SEEN }; /* jr_xevent_meta.sort: its label is known */

/* Return the instruction's name from "%fusion.1 = f32[...] fusion(...)". */
static struct jr_bytes instruction_of(const struct jr_xevent_meta *meta)
{
	struct jr_bytes name = meta->display.size ? meta->display : meta->name;
	if (name.size && name.data[0] == '%')
		name = (struct jr_bytes){name.data + 1, name.size - 1};
	for (size_t i = 0; i < name.size; i++)
		if (name.data[i] == ' ')
			return (struct jr_bytes){name.data, i};
	return name;
}

/* Return a statistic of the event, else of its metadata; NULL if neither has it. */
static const struct jr_xstat *either(
	const struct jr_xstats *event, const struct jr_xstats *meta, enum jr_xspace_stat stat)
{
	return jr_xstats_has(event, stat)  ? &event->of[stat]
		   : jr_xstats_has(meta, stat) ? &meta->of[stat]
									   : NULL;
}

/* FLOPs or bytes of one execution of an instruction: no device computes that in minutes. */
#define MOST_STATED (INT64_C(1) << 60)

/* Sum the bytes that an execution reads and writes in the device's main memory. Messages have an
 * operation (1 read, 2 write), a memory (1 main) and bytes. If damaged, the fields keep their
 * values. */
static void take_breakdown(struct jr_bytes bytes, struct jr_said *said)
{
	int64_t moved[3] = {0};
	struct jr_wire wire = jr_wire_of(bytes, bytes.data);
	while (jr_wire_more(&wire)) {
		struct jr_wire_field f, g;
		if (!jr_wire_take(&wire, &f) || f.number != 1 || f.type != JR_WIRE_BYTES)
			return;
		struct jr_wire inner = jr_wire_of(f.bytes, f.bytes.data);
		uint64_t numbers[4] = {0};
		while (jr_wire_more(&inner)) {
			if (!jr_wire_take(&inner, &g) || g.number > 3 || g.type != JR_WIRE_VARINT)
				return;
			numbers[g.number] = g.value;
		}
		if (numbers[2] == 1 && numbers[1] < JR_COUNT_OF(moved) &&
			(numbers[3] >= (uint64_t)MOST_STATED ||
				__builtin_add_overflow(moved[numbers[1]], (int64_t)numbers[3], &moved[numbers[1]])))
			return;
	}
	said->read_bytes = moved[1];
	said->written_bytes = moved[2];
}

static uint32_t text_of(struct jr_xreading *r, struct jr_xplane *plane, const struct jr_xstat *stat)
{
	return stat ? jr_xspace_stat_text(r, plane, stat) : 0;
}

/* Return -1 for what is not stated, and for numbers that no instruction can have. */
static int64_t number_of(const struct jr_xplane *plane, const struct jr_xstat *stat)
{
	int64_t value = -1;
	double real;
	if (!stat)
		return -1;
	struct jr_bytes text = jr_xspace_stat_bytes(plane, stat);
	if (stat->field == JR_XSTAT_FIELD_DOUBLE) {
		memcpy(&real, &stat->value, sizeof(real));
		value = real >= 0 && real < (double)MOST_STATED ? (int64_t)real : -1;
	} else if (!text.size || jr_parse_i64((const char *)text.data, text.size, &value))
		value = jr_xspace_stat_i64(plane, stat);
	return value < 0 || value >= MOST_STATED ? -1 : value;
}

/* Return the row of said for the facts in an event and its metadata; 0: none. XSpace files state
 * them in the metadata, Chrome traces in each event. */
static uint32_t said_of(struct jr_xreading *r, struct jr_xplane *plane, struct jr_bytes name,
	const struct jr_xstats *event, const struct jr_xstats *meta)
{
	const struct jr_xstat *flops = either(event, meta, JR_XSTAT_FLOPS);
	const struct jr_xstat *moved = either(event, meta, JR_XSTAT_BREAKDOWN);
	struct jr_said said = {.category = text_of(r, plane, either(event, meta, JR_XSTAT_CATEGORY)),
		.op_name = text_of(r, plane, either(event, meta, JR_XSTAT_TF_OP)),
		.source = text_of(r, plane, either(event, meta, JR_XSTAT_SOURCE)),
		.stack = text_of(r, plane, either(event, meta, JR_XSTAT_STACK)),
		.flops = number_of(plane, flops ? flops : either(event, meta, JR_XSTAT_FLOPS_OLD)),
		.bytes = number_of(plane, either(event, meta, JR_XSTAT_BYTES)),
		.read_bytes = -1,
		.written_bytes = -1};
	if (moved && moved->field == JR_XSTAT_FIELD_BYTES)
		take_breakdown(moved->bytes, &said);
	bool is_text = name.size && memchr(name.data, '=', name.size);
	if (!is_text && !said.category && !said.op_name && !said.source && !said.stack &&
		said.flops < 0 && said.bytes < 0)
		return 0;
	said.text = is_text ? jr_xspace_text(r, name) : 0;
	return jr_xspace_said_row(r, &said);
}

/* Return the row of labels of a kind of event, determined once; `text` of the metadata keeps it. */
static enum jr_status label_of_meta(struct jr_xreading *r, struct jr_xplane *plane, uint32_t row,
	const struct jr_xstats *event, bool is_module, uint32_t *label, struct jr_error *err)
{
	struct jr_xevent_meta *meta = &plane->event_metas.items[row];
	if (meta->sort == NOT_SEEN) {
		struct jr_xstats stats = {0};
		int64_t program = -1;
		JR_TRY(jr_xspace_stats_of(r, plane, meta->message, 5, &stats, err));
		if (jr_xstats_has(&stats, JR_XSTAT_PROGRAM))
			program = jr_xspace_stat_i64(plane, &stats.of[JR_XSTAT_PROGRAM]);
		uint32_t module = is_module ? jr_xspace_split_name(r, meta->name, &program) : 0;
		uint32_t op = is_module ? 0 : jr_xspace_text(r, instruction_of(meta));
		uint32_t said = is_module ? 0 : said_of(r, plane, meta->name, event, &stats);
		meta->text = jr_xspace_label_row(r, module, op, program, said);
		meta->sort = SEEN;
	}
	*label = meta->text;
	return JR_OK;
}

static bool is_line(const struct jr_xline *line, const char *name)
{
	return line->name.size == strlen(name) && jr_xspace_begins_with(line->name, name);
}

/* --- other lines ------------------------------------------------------------------------------ */

bool jr_xspace_is_lanes(struct jr_bytes name, uint32_t *number, struct jr_bytes *core)
{
	static const char tpu[] = "/device:TPU:", custom[] = "/device:CUSTOM:";
	*number = JR_NONE;
	*core = name;
	if (jr_xspace_begins_with(name, custom)) {
		*core = jr_bytes_of(name.data + sizeof(custom) - 1, name.size - (sizeof(custom) - 1));
		return true;
	}
	const uint8_t *blank =
		jr_xspace_begins_with(name, tpu) ? memchr(name.data, ' ', name.size) : NULL;
	if (!blank)
		return jr_xspace_begins_with(name, "#Chip");
	const char *digits = (const char *)name.data + sizeof(tpu) - 1;
	size_t n = (size_t)((const char *)blank - digits);
	int64_t value;
	*core = jr_bytes_of(blank + 1, name.size - (size_t)(blank + 1 - name.data));
	if (!jr_parse_i64(digits, n, &value) || value < 0 || value > 65535)
		return false;
	*number = (uint32_t)value;
	return true;
}

/* Exclude lines of viewers, which repeat others, and of counters, whose events are values. */
static bool is_lane(const struct jr_xline *line)
{
	static const char *const others[] = {"Steps", "Framework Ops", "Framework Name Scope",
		"TensorFlow Ops", "TensorFlow Name Scope", "Launch Stats", "Source code", "_counters_"};
	for (size_t i = 0; i < JR_COUNT_OF(others); i++)
		if (is_line(line, others[i]))
			return false;
	return true;
}

/* Return a time from an integer or a fraction; -1: not stated, or longer than any profile. */
static int64_t time_of(const struct jr_xplane *plane, const struct jr_xstats *stats,
	enum jr_xspace_stat stat, double unit_ns)
{
	const struct jr_xstat *s = &stats->of[stat];
	if (!jr_xstats_has(stats, stat))
		return -1;
	double value = (double)jr_xspace_stat_i64(plane, s);
	if (s->field == JR_XSTAT_FIELD_DOUBLE)
		memcpy(&value, &s->value, sizeof(value));
	value *= unit_ns;
	return value >= 0 && value < 0x1p50 ? (int64_t)value : -1;
}

static enum jr_status add_lane_event(struct jr_xreading *r, struct jr_xplane *plane,
	const struct jr_xevent *event, const struct jr_xstats *stats, struct jr_xspace_lane_event *lane,
	struct jr_error *err)
{
	const struct jr_xstat *moved = either(stats, stats, JR_XSTAT_PAYLOAD);
	int64_t stall_ns = time_of(plane, stats, JR_XSTAT_STALL_US, 1e3);
	int64_t lasted_ns = time_of(plane, stats, JR_XSTAT_DURATION_US, 1e3);
	lane->start_ns = event->start_ns;
	lane->end_ns = event->end_ns;
	if (lane->start_ns == lane->end_ns && lasted_ns > 0 && /* noted at its end */
		!__builtin_sub_overflow(lane->end_ns, lasted_ns, &lane->start_ns))
		JR_TRY(jr_xspace_add_time(r, lane->start_ns, lane->end_ns, err));
	struct jr_xevent_meta *meta = &plane->event_metas.items[event->meta];
	if (!meta->instruction)
		meta->instruction = jr_xspace_text(r, instruction_of(meta));
	lane->name = meta->instruction;
	lane->label = text_of(r, plane, either(stats, stats, JR_XSTAT_DCN_LABEL));
	if (!lane->label)
		lane->label = text_of(r, plane, either(stats, stats, JR_XSTAT_HLO_OP));
	lane->bytes = number_of(plane, moved ? moved : either(stats, stats, JR_XSTAT_TRANSFERRED));
	if (lane->bytes > JR_MOST_BYTES)
		lane->bytes = -1;
	lane->slack_ns = time_of(plane, stats, JR_XSTAT_SLACK_US, 1e3);
	lane->stall_ns = stall_ns < 0 ? time_of(plane, stats, JR_XSTAT_DMA_STALL_PS, 1e-3) : stall_ns;
	int64_t sums[] = {lane->slack_ns, lane->stall_ns};
	for (size_t i = 0; i < JR_COUNT_OF(sums); i++)
		if (sums[i] > 0)
			JR_TRY(jr_xspace_add_time(r, 0, sums[i], err));
	if (lane->bytes > 0 && __builtin_add_overflow(r->total_bytes, lane->bytes, &r->total_bytes))
		return jr_fail(err, JR_EFORMAT, "sizes of transfers add up to more than fits in int64");
	if (r->lane_events.n >= r->limits->rows)
		return jr_fail(
			err, JR_ELIMIT, "more than %" PRIu64 " events (--max-rows)", r->limits->rows);
	*jr_vec_add(&r->lane_events) = *lane;
	return JR_OK;
}

static enum jr_status read_lane(struct jr_xreading *r, struct jr_xplane *plane,
	struct jr_xline *line, uint32_t number, struct jr_bytes core, struct jr_error *err)
{
	struct jr_xspace_lane_event lane = {.device = number};
	struct jr_xstats stats;
	JR_TRY(jr_xspace_line(r, line, err));
	if (!is_lane(line))
		return jr_xspace_leave_unread(r, line->name, line, err);
	lane.core = jr_xspace_text(r, core);
	lane.line = jr_xspace_text(r, line->name);
	for (bool more = true; more;) {
		struct jr_xevent event;
		JR_TRY(jr_xspace_next(r, plane, line, &event, &stats, &more, err));
		if (more)
			JR_TRY(add_lane_event(r, plane, &event, &stats, &lane, err));
	}
	return JR_OK;
}

enum jr_status jr_xspace_read_lanes(struct jr_xreading *r, struct jr_xplane *plane, uint32_t number,
	struct jr_bytes core, struct jr_error *err)
{
	for (size_t i = 0; i < plane->lines.n; i++)
		JR_TRY(read_lane(r, plane, &plane->lines.items[i], number, core, err));
	return JR_OK;
}

enum jr_status jr_xspace_read_tpu(
	struct jr_xreading *r, struct jr_xplane *plane, uint32_t number, struct jr_error *err)
{
	struct jr_xstats stats;
	for (size_t i = 0; i < plane->lines.n; i++) {
		struct jr_xline *line = &plane->lines.items[i];
		JR_TRY(jr_xspace_line(r, line, err));
		bool modules = is_line(line, "XLA Modules"), ops = is_line(line, "XLA Ops");
		if (!modules && !ops)
			JR_TRY(read_lane(r, plane, line, number, jr_bytes_of("TPU", 3), err));
		for (bool more = modules || ops; more;) {
			struct jr_xevent event;
			struct jr_xspace_run run = {.device = number};
			JR_TRY(jr_xspace_next(r, plane, line, &event, &stats, &more, err));
			if (!more)
				break;
			JR_TRY(label_of_meta(r, plane, event.meta, &stats, modules, &run.label, err));
			run.start_ns = event.start_ns;
			run.end_ns = event.end_ns;
			if (modules)
				*jr_vec_add(&r->modules) = run;
			else
				*jr_vec_add(&r->ops) = run;
		}
	}
	return JR_OK;
}
