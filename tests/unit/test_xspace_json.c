/* Traces for Chrome as jax.profiler writes them: times to the picosecond, members in any order,
 * and parts that are missing, damaged, or from another program. */
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "unit.h"

#include "base/cleanup.h"
#include "formats/xspace/xspace.h"
#include "formats/xspace/xspace_json.h"

#define GPU                                                                                        \
	"{\"ph\":\"M\",\"pid\":4,\"name\":\"process_name\",\"args\":{\"name\":\"/device:GPU:3\"}},"
#define HOST                                                                                       \
	"{\"ph\":\"M\",\"pid\":701,\"name\":\"process_name\",\"args\":{\"name\":\"/host:CPU\"}},"
#define BEGIN "{\"displayTimeUnit\":\"ns\",\"metadata\":{\"highres-ticks\":true},\"traceEvents\":["
#define END "{}]}"
#define KERNEL                                                                                     \
	"{\"args\":{\"hlo_op\":\"a::fusion.1\",\"hlo_module\":\"jit_f\",\"correlation_id\":\"7\","     \
	"\"op_name\":\"jit(f)/a;b\",\"source_file\":\"m.py\",\"source_line\":\"5\","                   \
	"\"scope_range_id\":\"9\",\"cuda_graph_node_id\":\"2\",\"unknown\":[1,{\"name\":\"x\"}],"      \
	"\"kernel_details\":\"regs:32 static_shared:64 dynamic_shared:0 grid:2,3,4 block:128,1,1\"},"  \
	"\"dur\":2.0019999999999998,\"ts\":1234567.8910000001,\"name\":\"gemm<\\u0061>(int)\","        \
	"\"tid\":13,\"pid\":4,\"ph\":\"X\"},"
#define COPY                                                                                       \
	"{\"ph\":\"X\",\"pid\":4,\"tid\":13,\"ts\":1e3,\"dur\":25e-1,\"name\":\"MemcpyD2H\",\"args\":" \
	"{\"memcpy_details\":\"kind_src:device kind_dst:pinned size:64 dest:0 async:1\"}},"
#define LAUNCH                                                                                     \
	"{\"ph\":\"X\",\"pid\":701,\"tid\":4294967295,\"ts\":0,\"dur\":1,\"name\":\"gemm\",\"args\":"  \
	"{\"correlation_id\":\"7\"}},"
#define MARK                                                                                       \
	"{\"ph\":\"X\",\"pid\":701,\"tid\":1,\"ts\":5.0004989999999996,\"dur\":9.9999999999999995e-"   \
	"07,"                                                                                          \
	"\"name\":\"short\",\"args\":{\"long_name\":\"of replica: short\",\"step_num\":\"12\"}},"
#define STREAM                                                                                     \
	"{\"ph\":\"M\",\"pid\":4,\"tid\":5,\"name\":\"thread_name\",\"args\":{\"name\":\"XLA Ops\"}}," \
	"{\"ph\":\"X\",\"pid\":4,\"tid\":5,\"ts\":1,\"dur\":1,\"name\":\"fusion.1\"},"

static const struct jr_limits limits = {
#define JR_LIMIT(field, option, value, what) .field = (value),
	JR_LIMITS
#undef JR_LIMIT
};

static enum jr_status read_both(
	struct jr_bytes in, struct jr_xspace_json *json, struct jr_xspace *x, struct jr_error *err)
{
	JR_TRY(jr_xspace_json_read(in, &limits, json, err));
	enum jr_status status = jr_xspace_read(jr_buf_view(&json->xspace), &limits, x, err);
	jr_xspace_json_done(json);
	return status;
}

static struct jr_xspace read_text(const char *text, struct jr_xspace_json *json)
{
	struct jr_xspace x;
	struct jr_error err = {.message = ""};
	struct jr_bytes in = jr_bytes_of(text, strlen(text));
	assert_true(jr_xspace_json_begins(in, &limits));
	if (read_both(in, json, &x, &err) != JR_OK)
		fail_msg("%s", err.message);
	return x;
}

static const char *str(const struct jr_xspace *x, uint32_t id)
{
	return jr_intern_str(&x->rows.strings, id);
}

static UNIT(rows_of_a_gpu)
{
	struct jr_xspace_json json;
	struct jr_xspace x = read_text(BEGIN GPU KERNEL COPY STREAM END, &json);
	const struct jr_timeline_gpu *g = &x.rows.gpu;
	assert_int_equal(json.n_events, 3);
	assert_int_equal(json.n_bad, 0);
	assert_true(json.has_details);
	assert_false(json.capped);
	assert_int_equal(x.n_derived, 1); /* line "XLA Ops" */
	assert_int_equal(g->n, 2);
	assert_int_equal(g->device[0], 3);
	assert_int_equal(g->stream[0], 13);
	assert_int_equal(g->start_ns[0], 1234567891);
	assert_int_equal(g->end_ns[0], 1234569893);
	assert_int_equal(g->correlation[0], 7);
	assert_string_equal(str(&x, g->name[0]), "gemm<a>(int)");
	assert_string_equal(str(&x, x.rows.short_name[g->name[0]]), "gemm");
	assert_int_equal(x.rows.configs[g->config[0]].registers, 32);
	assert_int_equal(x.rows.configs[g->config[0]].grid[2], 4);
	assert_string_equal(str(&x, x.labels[x.label[0]].module), "jit_f");
	assert_string_equal(str(&x, x.labels[x.label[0]].op), "fusion.1");
	assert_int_equal(x.labels[x.label[0]].program, -1);
	const struct jr_said *said = &x.said[x.labels[x.label[0]].said];
	assert_string_equal(str(&x, said->op_name), "jit(f)/a,b:");
	assert_string_equal(str(&x, said->source), "m.py:5");
	assert_int_equal(x.scope[0], 0); /* the file does not say how scopes are nested */
	assert_int_equal(x.graph_node[0], 3);
	assert_int_equal(g->kind[1], JR_TIMELINE_MEMCPY);
	assert_int_equal(g->start_ns[1], 1000000);
	assert_int_equal(g->end_ns[1], 1002500);
	assert_int_equal(g->bytes[1], 64);
	assert_int_equal(x.rows.configs[0].grid[0], JR_NONE); /* kernels that do not state it */
	jr_xspace_done(&x);
}

static UNIT(rows_of_the_host)
{
	struct jr_xspace_json json;
	/* the name of a process may come last */
	struct jr_xspace x = read_text(BEGIN LAUNCH MARK HOST END, &json);
	assert_int_equal(x.rows.calls.n, 1);
	assert_int_equal(x.rows.calls.correlation[0], 7);
	assert_int_equal(x.rows.threads[x.rows.calls.thread[0]].tid, UINT32_MAX);
	assert_int_equal(x.rows.calls.end_ns[0], 1000);
	assert_int_equal(x.rows.nvtx.n, 1);
	/* the writer gives 1 ps to events of zero length: 499 ps and 500 ps round to the same
	 * nanosecond */
	assert_int_equal(x.rows.nvtx.start_ns[0], 5000);
	assert_int_equal(x.rows.nvtx.end_ns[0], 5000);
	assert_int_equal(x.rows.nvtx.kind[0], JR_TIMELINE_MARK);
	assert_string_equal(str(&x, x.rows.nvtx.text[0]), "of replica: short");
	assert_int_equal(x.n_steps, 1);
	assert_int_equal(x.steps[0].number, 12);
	assert_false(json.has_details);
	jr_xspace_done(&x);
}

/* Events without process, thread or time are counted; other phases and elements are skipped. */
static UNIT(bad_events)
{
	struct jr_xspace_json json;
	struct jr_xspace x = read_text(BEGIN GPU
		"{\"ph\":\"X\"},{\"ph\":\"X\",\"pid\":4,\"tid\":-1,\"ts\":1,\"dur\":1},"
		"{\"ph\":\"X\",\"pid\":4,\"tid\":1,\"ts\":\"1\",\"dur\":1},"
		"{\"ph\":\"X\",\"pid\":4,\"tid\":1,\"ts\":1,\"dur\":-1},"
		"{\"ph\":\"X\",\"pid\":4,\"tid\":1,\"ts\":1e18,\"dur\":1},"
		"{\"ph\":\"X\",\"pid\":4,\"tid\":1,\"ts\":1e99999999999999999999,\"dur\":1},"
		"{\"ph\":\"X\",\"pid\":4,\"tid\":1,\"ts\":9223372036854.7758079,\"dur\":1},"
		"{\"ph\":\"X\",\"pid\":4,\"tid\":1,\"ts\":-9223372036854.775808,\"dur\":1},"
		"{\"ph\":\"X\",\"pid\":4.5,\"tid\":1,\"ts\":1,\"dur\":1},"
		"{\"ph\":\"s\",\"pid\":4,\"tid\":1,\"ts\":1},7,[{}],null,"
		"{\"ph\":\"X\",\"pid\":4,\"tid\":1,\"ts\":-1.5,\"dur\":1e0,\"name\":\"k\"}," END,
		&json);
	assert_int_equal(json.n_events, 10);
	assert_int_equal(json.n_bad, 9);
	assert_int_equal(x.rows.gpu.n, 1);
	assert_int_equal(x.rows.gpu.start_ns[0], -1500);
	jr_xspace_done(&x);
}

#define PART(phase, ts, name)                                                                      \
	"{\"ph\":\"" phase "\",\"pid\":\"4\",\"tid\":\"13\",\"ts\":" ts ",\"name\":\"" name "\"},"

/* B and E enclose each other; an E without B and a B without E are left out. An array alone is a
 * trace, too, and so are processes and threads in quotes. */
static UNIT(events_in_two_parts)
{
	struct jr_xspace_json json;
	struct jr_xspace x;
	struct jr_error err = {.message = ""};
	static const char text[] =
		"[" GPU PART("E", "1", "lost") PART("B", "2", "a") PART("B", "3", "b") PART("E", "4", "")
			PART("E", "7", "") PART("B", "8", "open") PART("B", "-9e12", "") PART("E", "9e12", "")
				PART("B", "10", "c") PART("E", "9", "") "{}]";
	assert_int_equal(read_both(jr_bytes_of(text, sizeof(text) - 1), &json, &x, &err), JR_OK);
	const struct jr_timeline_gpu *g = &x.rows.gpu;
	assert_int_equal(json.n_events, 6);
	assert_int_equal(json.n_bad, 4);
	assert_int_equal(g->n, 2);
	assert_string_equal(str(&x, g->name[0]), "b");
	assert_int_equal(g->start_ns[0], 3000);
	assert_int_equal(g->end_ns[0], 4000);
	assert_string_equal(str(&x, g->name[1]), "a");
	assert_int_equal(g->start_ns[1], 2000);
	assert_int_equal(g->end_ns[1], 7000);
	jr_xspace_done(&x);
}

/* Events that are written twice, next to each other or later, count once; marks may repeat. A byte
 * order mark is no part of the text. */
static UNIT(repeated_events)
{
	static const char *const texts[] = {
		"\xEF\xBB\xBF" BEGIN GPU HOST KERNEL KERNEL COPY COPY MARK MARK LAUNCH LAUNCH END,
		BEGIN GPU HOST KERNEL COPY LAUNCH MARK MARK COPY LAUNCH KERNEL END};
	for (size_t i = 0; i < JR_COUNT_OF(texts); i++) {
		struct jr_xspace_json json;
		struct jr_xspace x = read_text(texts[i], &json);
		assert_int_equal(json.n_events, 8);
		assert_int_equal(json.n_repeated, 3);
		assert_int_equal(x.rows.gpu.n, 2);
		assert_int_equal(x.rows.calls.n, 1);
		assert_int_equal(x.rows.nvtx.n, 2);
		jr_xspace_done(&x);
	}
}

static struct jr_buf packed(const char *text, size_t n)
{
	struct jr_buf out = {0};
	z_stream z = {0};
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	jr_buf_reserve(&out, deflateBound(&z, n) + 64);
	z.next_in = (Bytef *)(uintptr_t)text;
	z.avail_in = (uInt)n;
	z.next_out = (Bytef *)out.data;
	z.avail_out = (uInt)(deflateBound(&z, n) + 64);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	out.size = z.total_out;
	deflateEnd(&z);
	return out;
}

static void refuse(struct jr_bytes in, const char *message)
{
	struct jr_xspace_json json;
	struct jr_error err = {.message = ""};
	assert_int_equal(jr_xspace_json_read(in, &limits, &json, &err), JR_EFORMAT);
	if (message)
		assert_string_equal(err.message, message);
}

/* Read a file that is cut; return the number of complete events, 0 before the first. */
static uint64_t read_cut(struct jr_bytes in, const char *message)
{
	struct jr_xspace_json json;
	struct jr_error err = {.message = ""};
	enum jr_status status = jr_xspace_json_read(in, &limits, &json, &err);
	if (status != JR_OK) {
		assert_int_equal(status, JR_EFORMAT);
		if (message)
			assert_string_equal(err.message, message);
		return 0;
	}
	uint64_t n = json.n_events;
	assert_true(json.is_cut);
	jr_xspace_json_done(&json);
	return n;
}

static UNIT(beginnings_are_read_as_far_as_they_go)
{
	static const char text[] = BEGIN HOST LAUNCH GPU KERNEL COPY END;
	uint64_t n_before = 0;
	for (size_t n = 0; n + 1 < sizeof(text); n++) {
		uint64_t n_events = read_cut(jr_bytes_of(text, n), NULL);
		assert_in_range(n_events, n_before, n_before + 1);
		n_before = n_events;
	}
	assert_int_equal(n_before, 3);
	struct jr_buf gz = packed(text, sizeof(text) - 1);
	struct jr_xspace_json json;
	struct jr_error err = {.message = ""};
	struct jr_bytes all = jr_buf_view(&gz);
	assert_true(jr_xspace_json_begins(all, &limits));
	assert_int_equal(jr_xspace_json_read(all, &limits, &json, &err), JR_OK);
	assert_int_equal(json.n_events, 3);
	assert_false(json.is_cut);
	jr_xspace_json_done(&json);
	for (size_t n = 0; n < gz.size; n++)
		n_before = read_cut(jr_bytes_of(gz.data, n), n > 3 ? "gzip: cut short" : NULL);
	assert_int_equal(n_before, 3);
	gz.data[gz.size - 6] ^= 1; /* its checksum */
	refuse(jr_buf_view(&gz), NULL);
	jr_buf_done(&gz);
}

static void refuse_text(const char *text, const char *message)
{
	refuse(jr_bytes_of(text, strlen(text)), message);
}

static UNIT(others_are_refused)
{
	static const char other[] = "a Chrome trace from another program: no process has a name of "
								"jax.profiler (/device:GPU:0, /host:CPU). Use a "
								"trace that jax.profiler wrote";
	static const char none[] = "a Chrome trace without events";
	refuse_text("7", "JSON, but not a Chrome trace: it is not an object or an array");
	refuse_text("[]", none);
	refuse_text("{\"a\":[]}", "JSON, but not a Chrome trace: it has no traceEvents");
	refuse_text("{\"traceEvents\":7}", "JSON, but not a Chrome trace: it has no traceEvents");
	refuse_text("{\"traceEvents\":[]}", none);
	refuse_text(BEGIN HOST "{\"ph\":\"b\",\"pid\":701,\"tid\":1,\"ts\":1,\"id\":1},"
						   "{\"ph\":\"C\",\"pid\":701,\"tid\":1,\"ts\":1}," END,
		"none of its 2 events has a duration on a thread. Supported are events of the phases X, B "
		"and E");
	refuse_text("{\"traceEvents\":[{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":"
				"{\"name\":\"python\"}}]}",
		other);
	refuse_text("{\"traceEvents\":[]} x", "JSON: extra data after the value at offset 19");
	static const char torch[] = "{\"schemaVersion\":1,\"traceEvents\":[]}";
	assert_false(jr_xspace_json_begins(jr_bytes_of(torch, sizeof(torch) - 1), &limits));
}

static UNIT(limits_hold)
{
	static const char text[] = BEGIN GPU KERNEL COPY END;
	struct jr_bytes in = jr_bytes_of(text, sizeof(text) - 1);
	struct jr_xspace_json json;
	struct jr_error err = {.message = ""};
	struct jr_limits few = limits;
	few.rows = 1;
	assert_int_equal(jr_xspace_json_read(in, &few, &json, &err), JR_ELIMIT);
	assert_string_equal(err.message, "more than 1 events (--max-rows)");
	few = limits;
	few.memory_bytes = 100;
	assert_int_equal(jr_xspace_json_read(in, &few, &json, &err), JR_ELIMIT);
	assert_string_equal(err.message, "needs more than 100 bytes (--max-memory)");
	few = limits;
	few.depth = 5;
	assert_int_equal(jr_xspace_json_read(in, &few, &json, &err), JR_ELIMIT);
	static const char parts[] = BEGIN GPU PART("B", "1", "a") PART("B", "2", "b") END;
	few.depth = 1;
	assert_int_equal(
		jr_xspace_json_read(jr_bytes_of(parts, sizeof(parts) - 1), &few, &json, &err), JR_ELIMIT);
	few = limits;
	few.entry_bytes = 1000;
	char *blanks = calloc(1, 5000);
	memset(blanks, ' ', 5000);
	struct jr_buf gz = packed(blanks, 5000);
	assert_int_equal(jr_xspace_json_read(jr_buf_view(&gz), &few, &json, &err), JR_ELIMIT);
	assert_string_equal(
		err.message, "gzip: more than 1000 bytes unpacked (--max-entry-bytes, --max-ratio)");
	jr_buf_done(&gz);
	free(blanks);
}

/* As many events as the writer keeps: nothing more is known than that some were left out. */
static UNIT(as_many_as_are_written)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_puts(&text, BEGIN GPU);
	for (int i = 0; i < 1000000; i++)
		jr_buf_puts(&text, "{\"ph\":\"X\"},");
	jr_buf_puts(&text, END);
	struct jr_xspace_json json;
	struct jr_error err = {.message = ""};
	assert_int_equal(jr_xspace_json_read(jr_buf_view(&text), &limits, &json, &err), JR_OK);
	assert_true(json.capped);
	assert_int_equal(json.n_bad, 1000000);
	jr_xspace_json_done(&json);
}
