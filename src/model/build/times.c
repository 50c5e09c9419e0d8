/* The time origin of a job, and the check that all sums over times fit int64. */
#include "model/build/build.h"

#include <stddef.h>

/* A sum that passes compute without overflow checks. It is checked here, over all inputs together.
 */
struct sum {
	const struct jr_profile *p;
	const char *what;
	int64_t total;
};

static enum jr_status add(struct sum *sum, int64_t more, struct jr_error *err)
{
	if (!__builtin_add_overflow(sum->total, more, &sum->total))
		return JR_OK;
	const struct jr_profile *p = sum->p;
	const char *first = p->n_inputs ? p->inputs[0].name : "";
	if (p->n_inputs > 1)
		return jr_fail(err, JR_EFORMAT,
			"the %zu inputs '%s', ... together: %s add up to more than fits in 64 bits",
			p->n_inputs, first, sum->what);
	return jr_fail(
		err, JR_EFORMAT, "'%s': %s add up to more than fits in 64 bits", first, sum->what);
}

static enum jr_status add_column(const struct jr_profile *p, const char *what,
	const int64_t *values, size_t n, struct jr_error *err)
{
	struct sum sum = {p, what, 0};
	for (size_t i = 0; i < n; i++)
		JR_TRY(add(&sum, values[i], err));
	return JR_OK;
}

static enum jr_status add_thunks(const struct jr_profile *p, struct jr_error *err)
{
	struct sum sum = {p, "durations of thunks", 0};
	for (size_t i = 0; i < p->thunks.n; i++)
		JR_TRY(add(&sum, jr_thunk_dur_ns(p, i), err));
	return JR_OK;
}

static enum jr_status add_profiler(const struct jr_profile *p, const char *what,
	const struct jr_profiler_sum *sums, size_t n, struct jr_error *err)
{
	struct sum sum = {p, what, 0};
	for (size_t i = 0; i < n; i++)
		JR_TRY(add(&sum, sums[i].total_ns, err));
	return JR_OK;
}

/* First start and last end. */
struct span {
	int64_t first_ns, last_ns;
};

static const struct span no_span = {INT64_MAX, INT64_MIN};

static void widen(struct span *span, int64_t start_ns, int64_t dur_ns)
{
	if (start_ns < span->first_ns)
		span->first_ns = start_ns;
	if (start_ns + dur_ns > span->last_ns)
		span->last_ns = start_ns + dur_ns;
}

static int64_t length_of(const struct span *span)
{
	return span->last_ns > span->first_ns ? span->last_ns - span->first_ns : 0;
}

/* Check modules with their thunks, which may begin or end outside of the module. Thunks are sorted
 * by module. Projected modules overlap, so their sum may exceed the observed time of the devices by
 * far. spans: of the devices, widened. */
static enum jr_status add_modules(
	const struct jr_profile *p, struct span *spans, struct jr_error *err)
{
	const struct jr_modules *m = &p->modules;
	const struct jr_thunks *t = &p->thunks;
	struct sum sum = {p, "times of module executions", 0};
	size_t thunk = 0;
	for (size_t i = 0; i < m->n; i++) {
		struct span span = no_span, *device = &spans[m->device[i]];
		widen(&span, m->start_ns[i], m->dur_ns[i]);
		for (; thunk < t->n && jr_thunk_module(p, thunk) == i; thunk++)
			widen(&span, jr_thunk_start_ns(p, thunk), jr_thunk_dur_ns(p, thunk));
		JR_TRY(add(&sum, length_of(&span), err));
		device->first_ns = span.first_ns < device->first_ns ? span.first_ns : device->first_ns;
		device->last_ns = span.last_ns > device->last_ns ? span.last_ns : device->last_ns;
	}
	return JR_OK;
}

/* Find the origin, and check the sum over devices of the time from their first start to their last
 * end. */
static enum jr_status add_devices(
	struct jr_profile *p, struct jr_arena *scratch, struct jr_error *err)
{
	const struct jr_gpu_ops *ops = &p->gpu_ops;
	struct sum sum = {p, "observed times of the devices", 0};
	struct span *spans = JR_ARENA_N(scratch, struct span, p->n_devices + 1), all = no_span;
	for (size_t d = 0; d < p->n_devices; d++)
		spans[d] = no_span;
	JR_TRY(add_modules(p, spans, err));
	for (size_t d = 0; d < p->n_devices; d++)
		widen(&all, spans[d].first_ns, 0);
	for (size_t i = 0; i < ops->n; i++) {
		widen(&spans[ops->device[i]], ops->start_ns[i], ops->dur_ns[i]);
		if (!p->modules.n)
			widen(&all, ops->start_ns[i], 0);
	}
	p->origin_ns = all.first_ns == INT64_MAX ? 0 : all.first_ns;
	for (size_t d = 0; d < p->n_devices; d++)
		JR_TRY(add(&sum, length_of(&spans[d]), err));
	return JR_OK;
}

enum jr_status jr_times_finish(struct jr_profile *p, struct jr_arena *scratch, struct jr_error *err)
{
	JR_TRY(add_devices(p, scratch, err));
	JR_TRY(add_thunks(p, err));
	JR_TRY(add_column(p, "durations of GPU operations", p->gpu_ops.dur_ns, p->gpu_ops.n, err));
	JR_TRY(add_column(p, "durations of CUDA calls", p->api_calls.dur_ns, p->api_calls.n, err));
	JR_TRY(add_column(p, "durations of compile ranges", p->compiles.dur_ns, p->compiles.n, err));
	JR_TRY(add_column(p, "bytes of copies", p->gpu_ops.bytes, p->gpu_ops.n, err));
	JR_TRY(add_profiler(p, "synchronization times", p->waits, p->n_waits, err));
	return add_profiler(p, "overheads of the profiler", p->overheads, p->n_overheads, err);
}
