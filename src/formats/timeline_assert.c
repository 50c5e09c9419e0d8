/* Assert the properties that every timeline has, from any kind of file (timeline_build.h). */
#include <assert.h>

#include "formats/timeline_build.h"

static void assert_times(const int64_t *start_ns, const int64_t *end_ns, size_t n, bool may_be_open)
{
	for (size_t i = 0; i < n; i++) {
		assert(start_ns[i] >= -JR_TIME_MAX_NS && start_ns[i] <= end_ns[i]);
		assert(end_ns[i] <= JR_TIME_MAX_NS || (may_be_open && end_ns[i] == JR_TIMELINE_OPEN));
	}
}

/* Check row numbers that refer to another table; JR_NONE is valid if `may_be_none`. */
static void assert_rows(const uint32_t *rows, size_t n, size_t n_of, bool may_be_none)
{
	for (size_t i = 0; i < n; i++)
		assert(rows[i] < n_of || (may_be_none && rows[i] == JR_NONE));
}

void jr_timeline_assert(const struct jr_timeline *t)
{
	const struct jr_timeline_gpu *g = &t->gpu;
	assert(t->strings.n && t->short_name && t->n_scopes);
	for (size_t i = 0; i < t->n_threads; i++) {
		assert(i == 0 || t->threads[i - 1].id < t->threads[i].id);
		assert(t->threads[i].process < t->n_processes);
	}
	for (size_t i = 1; i < t->n_processes; i++)
		assert(t->processes[i - 1].id < t->processes[i].id);
	assert_rows(t->short_name, t->strings.n, t->strings.n, false);
	assert_times(g->start_ns, g->end_ns, g->n, false);
	assert_rows(g->process, g->n, t->n_processes, true);
	assert_rows(g->name, g->n, t->strings.n, false);
	for (size_t i = 0; i < g->n; i++)
		assert(g->kind[i] != JR_TIMELINE_KERNEL || g->config[i] < t->n_configs);
	assert_times(t->calls.start_ns, t->calls.end_ns, t->calls.n, false);
	assert_rows(t->calls.thread, t->calls.n, t->n_threads, false);
	assert_rows(t->calls.name, t->calls.n, t->strings.n, false);
	assert_times(t->nvtx.start_ns, t->nvtx.end_ns, t->nvtx.n, true);
	assert_rows(t->nvtx.thread, t->nvtx.n, t->n_threads, false);
	assert_rows(t->nvtx.text, t->nvtx.n, t->strings.n, false);
	assert_rows(t->nvtx.scope, t->nvtx.n, t->n_scopes, false);
}
