/* trace.json: JSON of the Trace Event Format, for chrome://tracing and other viewers. Times are µs;
 * three decimals keep each ns. Arguments of a thunk are given with its first slice only. */
#include <math.h>

#include "base/cleanup.h"
#include "report/core/formats.h"
#include "report/data/json.h"
#include "report/trace/tracks.h"

struct chrome {
	struct jr_buf out;
	const struct jr_trace *trace;
	uint8_t *told;  /* [n_ops] of the profile: 1 = its arguments are written */
	uint8_t *begun; /* [flows]: 1 = the arrow has begun */
};

static void put_us(struct jr_buf *out, int64_t ns)
{
	jr_buf_printf(out, "%lld.%03d", (long long)(ns / 1000), (int)(ns % 1000));
}

static void put_name(struct chrome *c, const char *kind, uint32_t pid, size_t tid, const char *name)
{
	jr_buf_printf(&c->out,
		",\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%zu,\"name\":\"%s\",\"args\":{\"name\":", pid, tid,
		kind);
	jr_json_text(&c->out, name);
	jr_buf_puts(&c->out, "}}");
}

static void put_text(struct jr_buf *out, const char *key, const char *text)
{
	if (!text)
		return;
	jr_buf_printf(out, "%s\"%s\":", out->data[out->size - 1] == '{' ? "" : ",", key);
	jr_json_text(out, text);
}

static void put_number(struct jr_buf *out, const char *key, double v, double scale)
{
	char text[JR_NUM_MAX];
	if (isnan(v))
		return;
	jr_num_significant(text, v * scale, 6);
	jr_buf_printf(out, "%s\"%s\":%s", out->data[out->size - 1] == '{' ? "" : ",", key, text);
}

static void put_int(struct jr_buf *out, const char *key, int64_t v)
{
	if (v != JR_NULL_I64)
		jr_buf_printf(
			out, "%s\"%s\":%lld", out->data[out->size - 1] == '{' ? "" : ",", key, (long long)v);
}

static void put_arguments(struct jr_buf *out, const struct jr_trace_op *op)
{
	jr_buf_puts(out, ",\"args\":{");
	put_text(out, "opcode", op->opcode);
	put_text(out, "op_name", op->op_name);
	put_text(out, "source", op->source);
	put_text(out, "shape", op->shape);
	put_int(out, "flops", op->flops);
	put_int(out, "bytes", op->bytes);
	put_number(out, "roofline_percent", op->of_roofline, 100);
	jr_buf_putc(out, '}');
}

/* An arrow from slice to slice: begun by the first one in the file, continued by the others. */
static void put_flow(struct chrome *c, const struct jr_trace_slice *s, uint32_t pid, size_t tid)
{
	jr_buf_printf(&c->out,
		",\n{\"ph\":\"%s\",\"bp\":\"e\",\"cat\":\"flow\",\"name\":\"flow\",\"id\":%u,"
		"\"pid\":%u,\"tid\":%zu,\"ts\":",
		c->begun[s->flow] ? "t" : "s", s->flow, pid, tid);
	put_us(&c->out, s->start_ns);
	jr_buf_putc(&c->out, '}');
	c->begun[s->flow] = 1;
}

static void put_slice(struct chrome *c, const struct jr_trace_slice *s, uint32_t pid, size_t tid)
{
	jr_buf_printf(&c->out, ",\n{\"ph\":\"X\",\"pid\":%u,\"tid\":%zu,\"ts\":", pid, tid);
	put_us(&c->out, s->start_ns);
	jr_buf_puts(&c->out, ",\"dur\":");
	put_us(&c->out, s->dur_ns);
	jr_buf_puts(&c->out, ",\"name\":");
	jr_json_text(&c->out, c->trace->names[s->name]);
	if (s->op != JR_NONE && !c->told[s->op]) {
		put_arguments(&c->out, &c->trace->ops[s->op]);
		c->told[s->op] = 1;
	}
	jr_buf_putc(&c->out, '}');
	if (s->flow)
		put_flow(c, s, pid, tid);
}

static void put_counter(struct chrome *c, const struct jr_trace_counter *counter)
{
	for (size_t i = counter->first; i < counter->first + counter->n; i++) {
		jr_buf_printf(&c->out, ",\n{\"ph\":\"C\",\"pid\":%u,\"ts\":", counter->group + 1);
		put_us(&c->out, c->trace->points[i].t_ns);
		jr_buf_puts(&c->out, ",\"name\":");
		jr_json_text(&c->out, counter->name);
		jr_buf_printf(&c->out, ",\"args\":{\"%s\":%lld}}", counter->bytes ? "bytes" : "count",
			(long long)c->trace->points[i].value);
	}
}

enum jr_status jr_write_chrome(const struct jr_report_job *job, struct jr_error *err)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct chrome c = {.trace = jr_trace_build(job->profile, job->results, NULL, &arena)};
	const struct jr_trace *t = c.trace;
	const char *left_out = jr_trace_left_out(t, &arena);
	c.told = JR_ARENA_N(&arena, uint8_t, job->profile->n_ops + 1);
	c.begun = JR_ARENA_N(&arena, uint8_t, t->n_flows + 1);
	jr_buf_puts(&c.out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{");
	put_text(&c.out, "title", job->doc->title);
	put_text(&c.out, "left_out", left_out);
	/* without an event the list would begin with a comma */
	jr_buf_puts(
		&c.out, "},\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":0,\"name\":\"trace\",\"args\":{}}");
	for (size_t k = 0; k < t->n_tracks; k++) {
		const struct jr_trace_track *track = &t->tracks[k];
		if (k == 0 || track->group != t->tracks[k - 1].group)
			put_name(&c, "process_name", track->group + 1, 0, t->groups[track->group].name);
		put_name(&c, "thread_name", track->group + 1, k + 1, track->name);
		for (size_t i = track->first; i < track->first + track->n; i++)
			put_slice(&c, &t->slices[i], track->group + 1, k + 1);
	}
	for (size_t i = 0; i < t->n_counters; i++)
		put_counter(&c, &t->counters[i]);
	jr_buf_puts(&c.out, "\n]}\n");
	enum jr_status status = jr_outdir_write(job->out, "trace.json", jr_buf_view(&c.out), err);
	jr_buf_done(&c.out);
	return status;
}
