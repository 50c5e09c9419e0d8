/* Ranges of an export by streams. One merged pass over ranges and calls finds nesting and launches;
 * one pass over GPU work computes the projection. */
#include <stdlib.h>

#include "base/order.h"
#include "base/sort.h"
#include "model/export/export_ranges.h"
#include "model/export/nesting.h"

/* Calls by correlation id, in pages of 64, because ids count up. */
#define PAGE 64
struct page {
	struct launch {
		uint32_t place;  /* innermost range around the call; JR_NONE */
		uint32_t thread; /* 1 + thread of the stream; 0: no such call */
	} calls[PAGE];
};
/* Flag in launch.thread: an operation of this launch was seen. */
#define COUNTED (UINT32_C(1) << 31)

/* Limit per thread of non-nesting ranges that may still contain a call. With more, the export is
 * read into memory. */
#define MOST_WATCHED 4096

struct lane {
	struct jr_nesting nesting;
	JR_VEC(struct jr_open_range) watched;
};

struct streaming {
	struct jr_export_ranges *r;
	struct jr_nsys_stream *stream;
	uint64_t most_open;
	JR_VEC(struct lane) lanes; /* by thread of the stream */
	JR_VEC(uint32_t) parent;
	JR_VEC(struct jr_export_children) parents;
	struct jr_map process_rows; /* pid of threads -> number */
	size_t n_processes;
	JR_VEC(struct page) pages;
	struct jr_map page_rows; /* (process, correlation / PAGE) -> page */
	struct jr_export_seen seen;
	uint64_t n_events;
	bool fits, assumes_process;
};

static void see_times(struct streaming *s, int64_t start_ns, int64_t end_ns)
{
	struct jr_export *x = &s->r->x;
	if (s->n_events++ == 0 || start_ns < x->first_ns)
		x->first_ns = start_ns;
	if (s->n_events == 1 || end_ns > x->last_ns)
		x->last_ns = end_ns;
}

static struct lane *lane_of(struct streaming *s, uint32_t thread)
{
	while (s->lanes.n <= thread)
		*jr_vec_add(&s->lanes) = (struct lane){0};
	return &s->lanes.items[thread];
}

static uint64_t process_of(int64_t thread)
{
	return (uint64_t)thread & ~UINT64_C(0xFFFFFF);
}

/* --- ranges and calls ------------------------------------------------------------------------- */

static void watch(struct streaming *s, struct lane *lane, const struct jr_open_range *range)
{
	if (lane->watched.n == MOST_WATCHED)
		s->fits = false;
	else
		*jr_vec_add(&lane->watched) = *range;
}

static void add_child(
	struct streaming *s, struct jr_open_range *above, const struct jr_nsys_range *child)
{
	if (above->slot == 0) {
		*jr_vec_add(&s->parents) = (struct jr_export_children){.place = above->row};
		above->slot = (uint32_t)s->parents.n;
	}
	struct jr_export_children *sums = &s->parents.items[above->slot - 1];
	sums->n++;
	sums->dur_ns += child->end_ns - child->start_ns;
}

static void take_range(struct streaming *s, const struct jr_nsys_range *range)
{
	struct lane *lane = lane_of(s, range->thread);
	const struct jr_open_range open = {
		.row = (uint32_t)s->parent.n, .start_ns = range->start_ns, .end_ns = range->end_ns};
	struct jr_open_range *above = NULL;
	if (range->end_ns == JR_TIMELINE_OPEN || s->parent.n >= JR_SEVERAL - 1) {
		s->fits = false; /* its end is not known yet, or too many ranges */
		return;
	}
	see_times(s, range->start_ns, range->end_ns);
	if (range->kind == JR_TIMELINE_MARK)
		return;
	uint32_t up = JR_NONE;
	if (range->kind == JR_TIMELINE_PUSH_POP)
		up = jr_nesting_enter(&lane->nesting, &open, s->most_open, &above);
	else
		watch(s, lane, &open);
	*jr_vec_add(&s->parent) = up;
	if (above)
		add_child(s, above, range);
	for (size_t i = 0; i < lane->nesting.left.n; i++)
		watch(s, lane, &lane->nesting.left.items[i]);
	lane->nesting.left.n = 0;
}

/* A call in a non-nesting range also counts for that range, but not for the ranges above it. */
static bool is_watched(struct lane *lane, const struct jr_nsys_call *call)
{
	size_t kept = 0;
	bool lies_in_one = false;
	for (size_t i = 0; i < lane->watched.n; i++) {
		const struct jr_open_range *w = &lane->watched.items[i];
		lies_in_one |= w->start_ns <= call->start_ns && w->end_ns >= call->end_ns;
		if (w->end_ns >= call->start_ns)
			lane->watched.items[kept++] = *w;
	}
	lane->watched.n = kept;
	return lies_in_one;
}

/* Find the launch of a correlation id; adds it if `make`. NULL: not found. */
static struct launch *launch_of(
	struct streaming *s, uint32_t process, uint32_t correlation, bool make)
{
	uint64_t key = jr_key2(process, correlation / PAGE);
	uint32_t row = jr_map_get(&s->page_rows, key);
	if (row == JR_NONE) {
		if (!make)
			return NULL;
		row = (uint32_t)s->pages.n;
		*jr_vec_add(&s->pages) = (struct page){0};
		jr_map_put(&s->page_rows, key, row);
	}
	return &s->pages.items[row].calls[correlation % PAGE];
}

/* If two calls share an id, the one begun first is the outer one. */
static void take_call(struct streaming *s, const struct jr_nsys_call *call)
{
	struct lane *lane = lane_of(s, call->thread);
	see_times(s, call->start_ns, call->end_ns);
	if (is_watched(lane, call) || call->thread >= COUNTED - 1)
		s->fits = false;
	uint64_t id = process_of(jr_nsys_stream_thread(s->stream, call->thread));
	uint32_t process = jr_map_get(&s->process_rows, id);
	if (process == JR_NONE) {
		process = (uint32_t)s->n_processes++;
		jr_map_put(&s->process_rows, id, process);
	}
	uint32_t place = jr_nesting_find(&lane->nesting, call->start_ns, call->end_ns);
	if (call->correlation == JR_NONE)
		return;
	struct launch *launch = launch_of(s, process, call->correlation, true);
	if (launch->thread == 0)
		*launch = (struct launch){place, call->thread + 1};
}

/* Rows that are too far out of order are not a failure: the export is read into memory. */
static enum jr_status or_out_of_order(struct streaming *s, enum jr_status status)
{
	if (status != JR_EUNSUPPORTED)
		return status;
	s->fits = false;
	return JR_OK;
}

/* Ranges come before calls with the same start. */
static enum jr_status nest(struct streaming *s, struct jr_error *err)
{
	struct jr_nsys_range range;
	struct jr_nsys_call call;
	bool any_range, any_call;
	JR_TRY(jr_nsys_next_range(s->stream, &range, &any_range, err));
	JR_TRY(jr_nsys_next_call(s->stream, &call, &any_call, err));
	while (s->fits && (any_range || any_call)) {
		if (any_range && (!any_call || range.start_ns <= call.start_ns)) {
			take_range(s, &range);
			JR_TRY(jr_nsys_next_range(s->stream, &range, &any_range, err));
		} else {
			take_call(s, &call);
			JR_TRY(jr_nsys_next_call(s->stream, &call, &any_call, err));
		}
	}
	return JR_OK;
}

/* --- GPU work --------------------------------------------------------------------------------- */

static void widen(
	struct jr_export_ranges *r, uint32_t place, int64_t start_ns, int64_t end_ns, uint32_t n_calls)
{
	bool any = r->gpu_end_ns[place] > INT64_MIN;
	if (!any || start_ns < r->gpu_start_ns[place])
		r->gpu_start_ns[place] = start_ns;
	if (!any || end_ns > r->gpu_end_ns[place])
		r->gpu_end_ns[place] = end_ns;
	r->n_calls[place] += n_calls;
}

/* Exports of a single process may omit the process of an operation. */
static uint32_t process_of_span(struct streaming *s, const struct jr_nsys_span *span)
{
	if (span->process != -1)
		return jr_map_get(&s->process_rows, (uint64_t)span->process);
	s->assumes_process = true;
	return s->n_processes == 1 ? 0 : JR_NONE;
}

static enum jr_status take_span(
	struct streaming *s, const struct jr_nsys_span *span, struct jr_error *err)
{
	see_times(s, span->start_ns, span->end_ns);
	JR_TRY(jr_export_see_device(&s->seen, span->device, JR_NONE, err));
	uint32_t process = process_of_span(s, span);
	if (process == JR_NONE || span->correlation == JR_NONE)
		return JR_OK;
	struct launch *launch = launch_of(s, process, span->correlation, false);
	if (!launch || launch->thread == 0)
		return JR_OK;
	jr_export_see_use(&s->seen, (launch->thread & ~COUNTED) - 1, span->device);
	if (launch->place == JR_NONE)
		return JR_OK;
	widen(s->r, launch->place, span->start_ns, span->end_ns, !(launch->thread & COUNTED));
	launch->thread |= COUNTED;
	return JR_OK;
}

static enum jr_status project(struct streaming *s, struct jr_error *err)
{
	struct jr_export_ranges *r = s->r;
	uint64_t n = (uint64_t)s->parent.n + 1;
	JR_TRY_ARRAY(r->n_calls, &r->arena, n, err);
	JR_TRY_ARRAY(r->gpu_start_ns, &r->arena, n, err);
	JR_TRY_ARRAY(r->gpu_end_ns, &r->arena, n, err);
	for (size_t i = 0; i < s->parent.n; i++)
		r->gpu_end_ns[i] = INT64_MIN;
	for (;;) {
		struct jr_nsys_span span;
		bool any;
		JR_TRY(jr_nsys_next_span(s->stream, &span, &any, err));
		if (!any)
			break;
		JR_TRY(take_span(s, &span, err));
	}
	for (size_t i = s->parent.n; i-- > 0;) /* parents come before children */
		if (s->parent.items[i] != JR_NONE && r->n_calls[i])
			widen(r, s->parent.items[i], r->gpu_start_ns[i], r->gpu_end_ns[i], r->n_calls[i]);
	return JR_OK;
}

/* --- reading ---------------------------------------------------------------------------------- */

JR_ORDER(compare_ids, struct jr_timeline_thread, JR_UP(id))

/* Convert thread and device numbers of the stream to rows. */
static void take_uses(struct streaming *s)
{
	struct jr_export *x = &s->r->x;
	jr_export_take_devices(x, &s->seen);
	for (size_t i = 0; i < s->seen.uses.n; i++) {
		struct jr_export_use *use = &s->seen.uses.items[i];
		const struct jr_timeline_thread key = {.id = jr_nsys_stream_thread(s->stream, use->thread)};
		const struct jr_timeline_thread *row =
			bsearch(&key, x->rows.threads, x->rows.n_threads, sizeof(key), compare_ids);
		use->thread = (uint32_t)(row - x->rows.threads);
		use->device = jr_map_get(&s->seen.device_rows, use->device);
	}
	jr_export_take_uses(x, &s->seen);
}

JR_ORDER(compare_places, struct jr_export_children, JR_UP(place))

static enum jr_status finish(struct streaming *s, struct jr_error *err)
{
	struct jr_export_ranges *r = s->r;
	struct jr_export *x = &r->x;
	JR_TRY(jr_nsys_stream_join(s->stream, &x->rows, err));
	JR_TRY(jr_export_check_rows(&x->rows, s->n_events, err));
	JR_TRY(jr_export_check_span(x, err));
	if (s->assumes_process && x->rows.n_processes > 1)
		s->fits = false;
	take_uses(s);
	size_t n_parts = x->n_parts = x->rows.n_processes ? x->rows.n_processes : 1;
	x->parts = JR_ARENA_N(&x->arena, uint32_t, n_parts + 1);
	for (uint32_t i = 0; i < n_parts; i++)
		x->parts[i] = x->rows.n_processes ? i : JR_NONE;
	JR_TRY(jr_export_check_parts(x, err));
	jr_sort(s->parents.items, s->parents.n, sizeof(*s->parents.items), compare_places);
	r->n = s->parent.n;
	r->parent = s->parent.items;
	r->parents = s->parents.items;
	r->n_parents = s->parents.n;
	r->stream = s->stream;
	s->parent.items = NULL;
	s->parents.items = NULL;
	s->stream = NULL;
	jr_export_ranges_add_up(r);
	return JR_OK;
}

static void streaming_done(struct streaming *s)
{
	for (size_t i = 0; i < s->lanes.n; i++) {
		jr_nesting_done(&s->lanes.items[i].nesting);
		jr_vec_done(&s->lanes.items[i].watched);
	}
	jr_vec_done(&s->lanes);
	jr_vec_done(&s->parent);
	jr_vec_done(&s->parents);
	jr_map_done(&s->process_rows);
	jr_vec_done(&s->pages);
	jr_map_done(&s->page_rows);
	jr_export_seen_done(&s->seen);
	jr_nsys_stream_done(&s->stream);
}

enum jr_status jr_export_ranges_stream(const char *path, const struct jr_limits *limits,
	struct jr_export_ranges *out, bool *fits, struct jr_error *err)
{
	struct streaming s = {.r = out, .most_open = jr_export_most_open(limits), .fits = true};
	const struct jr_nsys_options options = {.n_threads = 1, .shorten = jr_export_shorten};
	*out = (struct jr_export_ranges){0};
	jr_arena_init(&out->arena, limits->memory_bytes);
	jr_arena_init(&out->x.arena, limits->memory_bytes);
	enum jr_status status = jr_nsys_stream_open(path, limits, &options, &s.stream, err);
	if (status == JR_OK)
		status = or_out_of_order(&s, nest(&s, err));
	if (status == JR_OK && s.fits)
		status = project(&s, err);
	if (status == JR_OK && s.fits)
		status = finish(&s, err);
	*fits = s.fits;
	streaming_done(&s);
	if (status != JR_OK || !s.fits)
		jr_export_ranges_done(out);
	return status;
}
