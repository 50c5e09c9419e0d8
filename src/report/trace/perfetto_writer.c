/* trace.pftrace: protobuf packets for ui.perfetto.dev, compressed. Field numbers are those of
 * perfetto's public protos (protos/perfetto/trace). Each track is a packet sequence of its own, so
 * that its clock counts on from packet to packet and its packets need not name it. Arguments of a
 * thunk are given with its first slice only. */
#include <math.h>
#include <string.h>

#include "report/core/deflate.h"
#include "report/core/formats.h"
#include "report/trace/tracks.h"

enum { /* Trace */
	TRACE_PACKET = 1
};
enum { /* TracePacket */
	PACKET_CLOCKS = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_COMPRESSED = 50,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60
};
enum { FLAGS_CLEARED = 1, FLAGS_NEEDS_STATE = 2 };
enum { CLOCK_BOOTTIME = 6, CLOCK_OF_SEQUENCE = 64 };
enum { EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_NAME = 10, EVENT_VALUE = 30, EVENT_FLOW = 47 };
enum { EVENT_TRACK = 11 };
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { EVENT_NAME_TEXT = 23 };

/* --- the wire format -------------------------------------------------------------------------- */

static void put_number(struct jr_buf *out, uint32_t field, uint64_t v)
{
	jr_buf_varint(out, (uint64_t)field << 3);
	jr_buf_varint(out, v);
}

static void put_fixed64(struct jr_buf *out, uint32_t field, uint64_t v)
{
	jr_buf_varint(out, (uint64_t)field << 3 | 1);
	for (int i = 0; i < 8; i++)
		jr_buf_putc(out, (char)(v >> (8 * i)));
}

static void put_double(struct jr_buf *out, uint32_t field, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof(bits));
	put_fixed64(out, field, bits);
}

static void put_bytes(struct jr_buf *out, uint32_t field, const void *bytes, size_t n)
{
	jr_buf_varint(out, (uint64_t)field << 3 | 2);
	jr_buf_varint(out, n);
	jr_buf_add(out, bytes, n);
}

static void put_text(struct jr_buf *out, uint32_t field, const char *text)
{
	put_bytes(out, field, text, strlen(text));
}

/* Append a message that was built in `message`, and empty it. */
static void put_message(struct jr_buf *out, uint32_t field, struct jr_buf *message)
{
	put_bytes(out, field, message->size ? message->data : "", message->size);
	message->size = 0;
}

/* --- packets ---------------------------------------------------------------------------------- */

struct perfetto {
	struct jr_buf out; /* packets */
	struct jr_buf packet, event, inner, most_inner;
	const struct jr_trace *trace;
	uint32_t sequence;
	int64_t at_ns;   /* of the last packet of the sequence */
	uint32_t *known; /* [n_names] sequence that knows the name */
	uint8_t *told;   /* [n_ops] 1 = its arguments are written */
};

static void end_packet(struct perfetto *f)
{
	put_number(&f->packet, PACKET_SEQUENCE, f->sequence);
	put_message(&f->out, TRACE_PACKET, &f->packet);
}

static uint64_t group_uuid(uint32_t group)
{
	return (uint64_t)group + 1;
}

/* A device or host. Viewers group tracks by process. */
static void put_group(struct perfetto *f, uint32_t group)
{
	f->sequence = 1;
	put_number(&f->event, 1, group + 1);
	put_text(&f->event, 6, f->trace->groups[group].name);
	put_number(&f->inner, 1, group_uuid(group));
	put_message(&f->inner, 3, &f->event);
	put_number(&f->inner, 11, 3); /* children in the order that they state */
	put_message(&f->packet, PACKET_TRACK, &f->inner);
	end_packet(f);
}

/* Begin a sequence whose packets belong to one track. */
static void begin_track(struct perfetto *f, uint32_t group, const char *name, uint32_t rank,
	const struct jr_trace_counter *counter)
{
	uint64_t uuid = (uint64_t)f->trace->n_groups + 1 + rank;
	f->sequence = rank + 2;
	f->at_ns = 0;
	put_number(&f->inner, 1, uuid);
	put_text(&f->inner, 2, name);
	put_number(&f->inner, 5, group_uuid(group));
	put_number(&f->inner, 12, rank);
	if (counter) {
		put_number(&f->event, 3, counter->bytes ? 3 : 2);
		put_message(&f->inner, 8, &f->event);
	}
	put_message(&f->packet, PACKET_TRACK, &f->inner);
	/* clock 64: each timestamp is the time since the packet before it */
	put_number(&f->event, 1, CLOCK_BOOTTIME);
	put_number(&f->event, 2, 0);
	put_message(&f->inner, 1, &f->event);
	put_number(&f->event, 1, CLOCK_OF_SEQUENCE);
	put_number(&f->event, 2, 0);
	put_number(&f->event, 3, 1);
	put_message(&f->inner, 1, &f->event);
	put_number(&f->inner, 2, CLOCK_BOOTTIME);
	put_message(&f->packet, PACKET_CLOCKS, &f->inner);
	put_number(&f->event, EVENT_TRACK, uuid);
	put_message(&f->inner, 11, &f->event);
	put_number(&f->inner, 58, CLOCK_OF_SEQUENCE);
	put_message(&f->packet, PACKET_DEFAULTS, &f->inner);
	put_number(&f->packet, PACKET_FLAGS, FLAGS_CLEARED);
	end_packet(f);
}

static void put_time(struct perfetto *f, int64_t t_ns)
{
	put_number(&f->packet, PACKET_TIMESTAMP, (uint64_t)(t_ns - f->at_ns));
	f->at_ns = t_ns;
}

static void end_event(struct perfetto *f)
{
	put_message(&f->packet, PACKET_EVENT, &f->event);
	put_number(&f->packet, PACKET_FLAGS, FLAGS_NEEDS_STATE);
	end_packet(f);
}

static void annotate(
	struct perfetto *f, const char *name, const char *text, int64_t number, double v)
{
	if (!text && number == JR_NULL_I64 && isnan(v))
		return;
	put_text(&f->most_inner, 10, name);
	if (text)
		put_text(&f->most_inner, 6, text);
	else if (number != JR_NULL_I64)
		put_number(&f->most_inner, 4, (uint64_t)number);
	else
		put_double(&f->most_inner, 5, v);
	put_message(&f->event, EVENT_ANNOTATION, &f->most_inner);
}

static void put_arguments(struct perfetto *f, const struct jr_trace_op *op)
{
	annotate(f, "opcode", op->opcode, JR_NULL_I64, NAN);
	annotate(f, "op_name", op->op_name, JR_NULL_I64, NAN);
	annotate(f, "source", op->source, JR_NULL_I64, NAN);
	annotate(f, "shape", op->shape, JR_NULL_I64, NAN);
	annotate(f, "flops", NULL, op->flops, NAN);
	annotate(f, "bytes", NULL, op->bytes, NAN);
	annotate(f, "roofline_percent", NULL, JR_NULL_I64, 100 * op->of_roofline);
}

static void put_begin(struct perfetto *f, const struct jr_trace_slice *s)
{
	put_time(f, s->start_ns);
	if (f->known[s->name] != f->sequence) {
		put_number(&f->most_inner, 1, s->name + 1);
		put_text(&f->most_inner, 2, f->trace->names[s->name]);
		put_message(&f->inner, 2, &f->most_inner);
		put_message(&f->packet, PACKET_INTERNED, &f->inner);
		f->known[s->name] = f->sequence;
	}
	put_number(&f->event, EVENT_TYPE, TYPE_BEGIN);
	put_number(&f->event, EVENT_NAME, s->name + 1);
	if (s->flow)
		put_fixed64(&f->event, EVENT_FLOW, s->flow);
	if (s->op != JR_NONE && !f->told[s->op]) {
		put_arguments(f, &f->trace->ops[s->op]);
		f->told[s->op] = 1;
	}
	end_event(f);
}

static void put_end(struct perfetto *f, int64_t t_ns)
{
	put_time(f, t_ns);
	put_number(&f->event, EVENT_TYPE, TYPE_END);
	end_event(f);
}

/* Slices of a track nest: those that end before one begins are closed first. */
static void put_track(struct perfetto *f, const struct jr_trace_track *track, uint32_t rank)
{
	JR_VEC(int64_t) ends = {0};
	begin_track(f, track->group, track->name, rank, NULL);
	for (size_t i = track->first; i < track->first + track->n; i++) {
		const struct jr_trace_slice *s = &f->trace->slices[i];
		while (ends.n > s->depth)
			put_end(f, ends.items[--ends.n]);
		put_begin(f, s);
		*jr_vec_add(&ends) = s->start_ns + s->dur_ns;
	}
	while (ends.n)
		put_end(f, ends.items[--ends.n]);
	jr_vec_done(&ends);
}

static void put_counter(struct perfetto *f, const struct jr_trace_counter *c, uint32_t rank)
{
	begin_track(f, c->group, c->name, rank, c);
	for (size_t i = c->first; i < c->first + c->n; i++) {
		put_time(f, f->trace->points[i].t_ns);
		put_number(&f->event, EVENT_TYPE, TYPE_COUNTER);
		put_number(&f->event, EVENT_VALUE, (uint64_t)f->trace->points[i].value);
		end_event(f);
	}
}

/* A sentence at time 0, on a track of its own. */
static void put_note(struct perfetto *f, const char *text, uint32_t rank)
{
	begin_track(f, 0, "Note", rank, NULL);
	put_time(f, 0);
	put_number(&f->event, EVENT_TYPE, TYPE_INSTANT);
	put_text(&f->event, EVENT_NAME_TEXT, text);
	end_event(f);
}

/* Compress whole packets, a few MB at a time, so that viewers need not hold all of them. */
static void compress(struct perfetto *f, struct jr_buf *file)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf small = {0};
	jr_deflate(&small, jr_buf_view(&f->out));
	put_message(&f->inner, PACKET_COMPRESSED, &small);
	put_message(file, TRACE_PACKET, &f->inner);
	f->out.size = 0;
}

#define PIECE (UINT64_C(4) << 20)

enum jr_status jr_write_perfetto(const struct jr_report_job *job, struct jr_error *err)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	struct perfetto f = {.trace = jr_trace_build(job->profile, job->results, NULL, &arena)};
	const struct jr_trace *t = f.trace;
	const char *left_out = jr_trace_left_out(t, &arena);
	uint32_t rank = 0;
	f.known = JR_ARENA_N(&arena, uint32_t, t->n_names + 1);
	f.told = JR_ARENA_N(&arena, uint8_t, job->profile->n_ops + 1);
	uint8_t *used = JR_ARENA_N(&arena, uint8_t, t->n_groups + 1);
	for (size_t k = 0; k < t->n_tracks; k++)
		used[t->tracks[k].group] = 1;
	for (size_t k = 0; k < t->n_counters; k++)
		used[t->counters[k].group] = 1;
	for (uint32_t group = 0; group < t->n_groups; group++)
		if (used[group])
			put_group(&f, group);
	for (size_t k = 0; k < t->n_tracks; k++) {
		put_track(&f, &t->tracks[k], rank++);
		if (f.out.size > PIECE)
			compress(&f, &file);
	}
	for (size_t k = 0; k < t->n_counters; k++)
		put_counter(&f, &t->counters[k], rank++);
	if (left_out)
		put_note(&f, left_out, rank);
	compress(&f, &file);
	enum jr_status status = jr_outdir_write(job->out, "trace.pftrace", jr_buf_view(&file), err);
	jr_buf_done(&f.out);
	jr_buf_done(&f.packet);
	jr_buf_done(&f.event);
	jr_buf_done(&f.inner);
	jr_buf_done(&f.most_inner);
	return status;
}
