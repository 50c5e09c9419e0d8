/* Host lines: launches, reports of allocators, steps, and all other events as ranges. */

#include "base/num.h"
#include "formats/timeline_build.h"
#include "formats/xspace/xspace_parts.h"

enum { UNSEEN, RANGE, GIVES, TAKES_BACK }; /* jr_xevent_meta.sort */

static uint8_t sort_of(struct jr_xevent_meta *meta)
{
	if (meta->sort == UNSEEN)
		meta->sort = jr_xspace_begins_with(meta->name, "MemoryAllocation")     ? GIVES
					 : jr_xspace_begins_with(meta->name, "MemoryDeallocation") ? TAKES_BACK
																			   : RANGE;
	return meta->sort;
}

static void add_call(struct jr_xreading *r, struct jr_xplane *plane, uint32_t thread,
	const struct jr_xevent *event, const struct jr_xstats *stats)
{
	int64_t id = jr_xspace_stat_i64(plane, &stats->of[JR_XSTAT_CORRELATION]);
	jr_timeline_put_call(&r->x->rows.calls, thread, event->start_ns, event->end_ns,
		id > 0 && id < JR_NONE ? (uint32_t)id : JR_NONE,
		jr_xspace_event_text(r, plane, event->meta));
}

static void add_range(
	struct jr_xreading *r, struct jr_xplane *plane, uint32_t thread, const struct jr_xevent *event)
{
	jr_timeline_put_range(&r->x->rows.nvtx, thread, event->start_ns, event->end_ns,
		jr_xspace_event_text(r, plane, event->meta));
}

/* Return -1 if the event states no size, or one that no memory has. */
static int64_t bytes_of(
	const struct jr_xplane *plane, const struct jr_xstats *stats, enum jr_xspace_stat stat)
{
	int64_t value = jr_xstats_has(stats, stat) ? jr_xspace_stat_i64(plane, &stats->of[stat]) : -1;
	return value <= JR_MOST_BYTES ? value : -1;
}

/* Return the name of an allocator. TPU allocators have no name: use the device's number. 0 =
 * neither is stated. */
static uint32_t allocator_of(
	struct jr_xreading *r, struct jr_xplane *plane, const struct jr_xstats *stats)
{
	char number[JR_NUM_MAX];
	if (jr_xstats_has(stats, JR_XSTAT_ALLOCATOR))
		return jr_xspace_stat_text(r, plane, &stats->of[JR_XSTAT_ALLOCATOR]);
	if (!jr_xstats_has(stats, JR_XSTAT_DEVICE_INDEX))
		return 0;
	jr_num_i64(number, jr_xspace_stat_i64(plane, &stats->of[JR_XSTAT_DEVICE_INDEX]));
	return jr_intern_puts(&r->x->rows.strings, number);
}

/* Further steps are left out; their ranges are kept. */
#define MOST_STEPS (1 << 20)

static void add_step(struct jr_xreading *r, struct jr_xplane *plane, uint32_t thread,
	const struct jr_xevent *event, const struct jr_xstats *stats)
{
	if (r->steps.n == MOST_STEPS) {
		r->x->rows.n_rows_left_out++;
		return;
	}
	*jr_vec_add(&r->steps) = (struct jr_xspace_step){.start_ns = event->start_ns,
		.end_ns = event->end_ns,
		.number = jr_xspace_stat_i64(plane, &stats->of[JR_XSTAT_STEP]),
		.name = jr_xspace_event_text(r, plane, event->meta),
		.thread = thread};
}

/* Further samples are left out: no chart or table needs more. A program allocates a few times per
 * step. */
#define MOST_MEMORY (1 << 20)

static void add_memory(struct jr_xreading *r, struct jr_xplane *plane,
	const struct jr_xevent *event, const struct jr_xstats *stats, bool gave_back)
{
	uint32_t allocator = allocator_of(r, plane, stats);
	if (!allocator)
		return;
	if (r->memory.n == MOST_MEMORY) {
		r->x->rows.n_rows_left_out++;
		return;
	}
	int64_t in_use_bytes = bytes_of(plane, stats, JR_XSTAT_ALLOCATED);
	int64_t peak_bytes = bytes_of(plane, stats, JR_XSTAT_PEAK);
	if (in_use_bytes < 0) {
		r->x->rows.n_bad_rows++;
		return;
	}
	*jr_vec_add(&r->memory) = (struct jr_xspace_memory){.t_ns = event->start_ns,
		.in_use_bytes = (uint64_t)in_use_bytes,
		.peak_bytes = peak_bytes > 0 ? (uint64_t)peak_bytes : 0,
		.allocator = allocator,
		.gave_back = gave_back};
}

static enum jr_status read_line(
	struct jr_xreading *r, struct jr_xplane *plane, struct jr_xline *line, struct jr_error *err)
{
	uint32_t thread = jr_xspace_thread(r->x, line->id);
	struct jr_xstats stats;
	for (;;) {
		struct jr_xevent event;
		bool more;
		JR_TRY(jr_xspace_next(r, plane, line, &event, &stats, &more, err));
		if (!more)
			return JR_OK;
		if (jr_xstats_has(&stats, JR_XSTAT_CORRELATION)) {
			add_call(r, plane, thread, &event, &stats);
			continue;
		}
		uint8_t sort = sort_of(&plane->event_metas.items[event.meta]);
		if (sort != RANGE) {
			add_memory(r, plane, &event, &stats, sort == TAKES_BACK);
			continue;
		}
		add_range(r, plane, thread, &event);
		if (jr_xstats_has(&stats, JR_XSTAT_STEP))
			add_step(r, plane, thread, &event, &stats);
	}
}

enum jr_status jr_xspace_read_host(
	struct jr_xreading *r, struct jr_xplane *plane, struct jr_error *err)
{
	for (size_t i = 0; i < plane->lines.n; i++) {
		struct jr_xline *line = &plane->lines.items[i];
		JR_TRY(jr_xspace_line(r, line, err));
		JR_TRY(read_line(r, plane, line, err));
	}
	return JR_OK;
}
