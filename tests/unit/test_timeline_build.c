/* Timelines built row by row: threads are sorted, rows without times are left out. */
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "formats/timeline_build.h"

static uint32_t text(struct jr_timeline_builder *b, const char *s)
{
	return jr_timeline_text(b, s, strlen(s));
}

/* Threads are added out of order; more rows than the first columns have room for. */
static UNIT(test_order)
{
	enum { N = 200 };
	struct jr_limits limits = jr_limits_default();
	struct jr_timeline_builder b;
	jr_timeline_build(&b, &limits);
	uint32_t threads[] = {jr_timeline_add_thread(&b, 9, 2), jr_timeline_add_thread(&b, 4, 7),
		jr_timeline_add_thread(&b, 9, 1)};
	assert_int_equal(jr_timeline_add_thread(&b, 4, 7), threads[1]);
	uint32_t name = text(&b, "void kernel<float>()"), brief = text(&b, "kernel");
	for (int64_t i = 0; i < N; i++) {
		uint32_t thread = threads[i % 3], id = (uint32_t)i;
		struct jr_timeline_op op = {.start_ns = i,
			.end_ns = i + 5,
			.thread = thread,
			.correlation = id,
			.name = name,
			.short_name = brief};
		assert_int_equal(jr_timeline_add_op(&b, &op, NULL), JR_OK);
		assert_int_equal(jr_timeline_add_call(&b, thread, i, i + 1, id, name, NULL), JR_OK);
		assert_int_equal(jr_timeline_add_range(&b, thread, i, i + i % 2, name, NULL), JR_OK);
	}
	struct jr_timeline t;
	jr_timeline_finish(&b, &t);
	jr_timeline_assert(&t);
	assert_int_equal(t.n_threads, 3);
	assert_int_equal(t.n_processes, 2);
	assert_int_equal(t.gpu.n, N);
	static const struct {
		int64_t pid, tid;
	} expected[] = {{9, 2}, {4, 7}, {9, 1}};
	for (size_t i = 0; i < N; i++) {
		const struct jr_timeline_thread *thread = &t.threads[t.calls.thread[i]];
		assert_int_equal(thread->tid, expected[i % 3].tid);
		assert_int_equal(t.processes[thread->process].pid, expected[i % 3].pid);
		assert_int_equal(t.gpu.process[i], thread->process);
		assert_int_equal(t.nvtx.thread[i], t.calls.thread[i]);
		assert_int_equal(t.nvtx.kind[i], i % 2 ? JR_TIMELINE_PUSH_POP : JR_TIMELINE_MARK);
		assert_int_equal(t.gpu.start_ns[i], (int64_t)i);
		assert_string_equal(jr_intern_str(&t.strings, t.short_name[t.gpu.name[i]]), "kernel");
	}
	jr_timeline_done(&t);
}

static UNIT(test_refused)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_timeline_builder b;
	struct jr_error err = {0};
	limits.rows = 3;
	jr_timeline_build(&b, &limits);
	uint32_t thread = jr_timeline_add_thread(&b, 1, 1);
	assert_int_equal(jr_timeline_add_range(&b, thread, 5, 4, 0, &err), JR_OK);
	assert_int_equal(jr_timeline_add_range(&b, thread, INT64_MIN, 4, 0, &err), JR_OK);
	assert_int_equal(jr_timeline_add_range(&b, thread, 0, INT64_MAX, 0, &err), JR_OK);
	assert_int_equal(b.timeline.nvtx.n, 0);
	assert_int_equal(b.timeline.n_bad_rows, 3);
	assert_int_equal(
		jr_timeline_add_range(&b, thread, -JR_TIME_MAX_NS, JR_TIME_MAX_NS, 0, &err), JR_OK);
	assert_int_equal(jr_timeline_add_call(&b, thread, 0, 2, 1, 0, &err), JR_EFORMAT);
	assert_int_equal(jr_timeline_add_range(&b, thread, 1, 1, 0, &err), JR_OK);
	assert_int_equal(jr_timeline_add_range(&b, thread, 1, 1, 0, &err), JR_OK);
	assert_int_equal(jr_timeline_add_range(&b, thread, 1, 1, 0, &err), JR_ELIMIT);
	jr_timeline_abandon(&b);
	jr_timeline_build(&b, &limits); /* empty */
	struct jr_timeline t;
	jr_timeline_finish(&b, &t);
	jr_timeline_assert(&t);
	jr_timeline_done(&t);
}
