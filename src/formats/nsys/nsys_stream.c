#include "formats/nsys/nsys_stream.h"

#include <stdlib.h>
#include <string.h>

#include "formats/nsys/nsys_parts.h"

/* Number of rows that are sorted at a time. Rows further out of order are not supported. Neither
 * are tables with most rows out of order, since each moves the rows after it. */
#define WINDOW ((size_t)4096)
#define MOST_MOVED_A_ROW 64

struct item {
	int64_t start_ns, end_ns;
	int64_t outer_ns; /* end_ns of a range: with equal starts, the largest comes first */
	uint64_t row;
	uint32_t thread, a, b; /* range: text, scope; call: correlation */
	uint8_t kind;
};

/* The next rows of a table, sorted. */
struct window {
	struct item *items; /* [2 * WINDOW] */
	size_t first, n;
	size_t at, n_piece; /* position in the current piece and its rows */
	uint64_t n_rows, n_moved;
	struct item last; /* the last one that was taken */
	bool any_left, ended;
};

struct jr_nsys_stream {
	struct jr_nsys_file file;
	struct jr_nsys_options options;
	struct jr_nsys_reading reading;
	struct jr_timeline own, *nsys; /* `nsys` is `own` until it is joined */
	struct jr_nsys_pull *pull_nvtx, *pull_calls, *pull_spans;
	struct window ranges, calls;
	size_t span;
	struct jr_nsys_ids threads;
	bool is_joined;
};

static bool is_before(const struct item *a, const struct item *b)
{
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns;
	if (a->outer_ns != b->outer_ns)
		return a->outer_ns > b->outer_ns;
	return a->row < b->row;
}

static enum jr_status insert(struct window *w, const struct item *item, struct jr_error *err)
{
	bool late = w->any_left && is_before(item, &w->last);
	size_t place = w->n;
	while (place && is_before(item, &w->items[w->first + place - 1]))
		place--;
	w->n_moved += w->n - place;
	if (late || w->n_moved > MOST_MOVED_A_ROW * (w->n_rows + WINDOW))
		return jr_fail(err, JR_EUNSUPPORTED, "its rows are not in time order");
	struct item *to = &w->items[w->first + place];
	memmove(to + 1, to, (w->n - place) * sizeof(*to));
	*to = *item;
	w->n++;
	return JR_OK;
}

/* Take the first row of the window, which must be filled before. */
static struct item take(struct window *w)
{
	w->last = w->items[w->first++];
	w->any_left = true;
	w->n--;
	if (w->first == WINDOW) { /* the second half moves to the front, which makes room again */
		memmove(w->items, w->items + WINDOW, w->n * sizeof(*w->items));
		w->first = 0;
	}
	return w->last;
}

static void window_rewind(struct window *w)
{
	struct item *items = w->items ? w->items : jr_calloc(2 * WINDOW, sizeof(*items));
	*w = (struct window){.items = items};
}

/* --- thread numbers --------------------------------------------------------------------------- */

static uint32_t thread_of(struct jr_nsys_stream *s, const struct jr_nsys_ids *part, uint32_t row)
{
	return jr_nsys_id_row(&s->threads, part->list.items[row]);
}

int64_t jr_nsys_stream_thread(const struct jr_nsys_stream *s, uint32_t thread)
{
	return s->threads.list.items[thread];
}

/* --- the three tables ------------------------------------------------------------------------- */

/* Read the next piece of the table into *n rows; none: the table has ended. */
static enum jr_status refill(
	struct window *w, struct jr_nsys_pull *from, const size_t *n, struct jr_error *err)
{
	JR_TRY(jr_nsys_pull_rows(from, err));
	w->at = 0;
	w->n_piece = *n;
	w->ended = *n == 0;
	return JR_OK;
}

static enum jr_status fill_ranges(struct jr_nsys_stream *s, struct jr_error *err)
{
	struct window *w = &s->ranges;
	struct jr_nsys_nvtx_part *p = &s->reading.nvtx;
	const struct jr_timeline_nvtx *t = &p->rows;
	while (w->n < WINDOW && !w->ended) {
		if (w->at == w->n_piece) {
			JR_TRY(refill(w, s->pull_nvtx, &t->n, err));
			continue;
		}
		size_t i = w->at++;
		const struct item item = {.start_ns = t->start_ns[i],
			.end_ns = t->end_ns[i],
			.outer_ns = t->end_ns[i],
			.row = w->n_rows++,
			.thread = thread_of(s, &p->part.ids, t->thread[i]),
			.a = t->text[i],
			.b = t->scope[i],
			.kind = t->kind[i]};
		JR_TRY(insert(w, &item, err));
	}
	return JR_OK;
}

enum jr_status jr_nsys_next_range(
	struct jr_nsys_stream *s, struct jr_nsys_range *out, bool *any, struct jr_error *err)
{
	JR_TRY(fill_ranges(s, err));
	*any = s->ranges.n > 0;
	if (!*any)
		return JR_OK;
	const struct item item = take(&s->ranges);
	*out = (struct jr_nsys_range){.start_ns = item.start_ns,
		.end_ns = item.end_ns,
		.row = item.row,
		.thread = item.thread,
		.text = s->is_joined ? jr_nsys_joined_text(s->nsys, &s->reading, item.a) : 0,
		.scope = item.b,
		.kind = item.kind};
	return JR_OK;
}

static enum jr_status fill_calls(struct jr_nsys_stream *s, struct jr_error *err)
{
	struct window *w = &s->calls;
	struct jr_nsys_calls_part *p = &s->reading.calls;
	const struct jr_timeline_calls *t = &p->rows;
	while (w->n < WINDOW && !w->ended) {
		if (w->at == w->n_piece) {
			JR_TRY(refill(w, s->pull_calls, &t->n, err));
			continue;
		}
		size_t i = w->at++;
		const struct item item = {.start_ns = t->start_ns[i],
			.end_ns = t->end_ns[i],
			.row = w->n_rows++,
			.thread = thread_of(s, &p->part.ids, t->thread[i]),
			.a = t->correlation[i]};
		JR_TRY(insert(w, &item, err));
	}
	return JR_OK;
}

enum jr_status jr_nsys_next_call(
	struct jr_nsys_stream *s, struct jr_nsys_call *out, bool *any, struct jr_error *err)
{
	JR_TRY(fill_calls(s, err));
	*any = s->calls.n > 0;
	if (!*any)
		return JR_OK;
	const struct item item = take(&s->calls);
	*out = (struct jr_nsys_call){.start_ns = item.start_ns,
		.end_ns = item.end_ns,
		.row = item.row,
		.thread = item.thread,
		.correlation = item.a};
	return JR_OK;
}

enum jr_status jr_nsys_next_span(
	struct jr_nsys_stream *s, struct jr_nsys_span *out, bool *any, struct jr_error *err)
{
	struct jr_nsys_gpu_part *p = &s->reading.gpu;
	const struct jr_timeline_gpu *t = &p->rows;
	if (!s->pull_spans)
		JR_TRY(jr_nsys_pull_spans(p, &s->pull_spans, err));
	if (s->span == t->n) {
		JR_TRY(jr_nsys_pull_rows(s->pull_spans, err));
		s->span = 0;
	}
	*any = t->n > 0;
	if (!*any)
		return JR_OK;
	size_t i = s->span++;
	*out = (struct jr_nsys_span){.start_ns = t->start_ns[i],
		.end_ns = t->end_ns[i],
		.process = t->process[i] == JR_NONE ? -1 : p->part.ids.list.items[t->process[i]],
		.device = t->device[i],
		.correlation = t->correlation[i]};
	return JR_OK;
}

/* --- entry points ----------------------------------------------------------------------------- */

enum jr_status jr_nsys_stream_rewind(struct jr_nsys_stream *s, struct jr_error *err)
{
	jr_nsys_pull_done(&s->pull_nvtx);
	jr_nsys_pull_done(&s->pull_calls);
	window_rewind(&s->ranges);
	window_rewind(&s->calls);
	/* these sums were checked against their bounds in the first pass */
	s->reading.nvtx.part.total_ns = s->reading.calls.part.total_ns = 0;
	s->reading.nvtx.thread_names.n = 0;
	JR_TRY(jr_nsys_pull_nvtx(&s->reading.nvtx, &s->pull_nvtx, err));
	return s->is_joined ? JR_OK : jr_nsys_pull_calls(&s->reading.calls, &s->pull_calls, err);
}

enum jr_status jr_nsys_stream_open(const char *path, const struct jr_limits *limits,
	const struct jr_nsys_options *options, struct jr_nsys_stream **out, struct jr_error *err)
{
	struct jr_nsys_stream *s = jr_calloc(1, sizeof(*s));
	s->options = *options;
	s->nsys = &s->own;
	enum jr_status status = jr_nsys_export_at(path, limits, &s->file, err);
	if (status != JR_OK) {
		free(s);
		return status;
	}
	jr_nsys_reading_begin(&s->reading, &s->file, &s->options, &s->own);
	status = jr_nsys_read_small_tables(&s->own, &s->reading, err);
	if (status == JR_OK)
		status = jr_nsys_stream_rewind(s, err);
	if (status == JR_OK)
		*out = s;
	else
		jr_nsys_stream_done(&s);
	return status;
}

enum jr_status jr_nsys_stream_join(
	struct jr_nsys_stream *s, struct jr_timeline *out, struct jr_error *err)
{
	jr_nsys_pull_done(&s->pull_calls);
	jr_nsys_pull_done(&s->pull_spans);
	jr_nsys_name_domains(&s->reading.nvtx);
	*out = s->own;
	s->own = (struct jr_timeline){0};
	s->nsys = out;
	s->is_joined = true;
	return jr_nsys_join(out, &s->reading, err);
}

void jr_nsys_stream_done(struct jr_nsys_stream **stream)
{
	struct jr_nsys_stream *s = *stream;
	if (!s)
		return;
	jr_nsys_pull_done(&s->pull_nvtx);
	jr_nsys_pull_done(&s->pull_calls);
	jr_nsys_pull_done(&s->pull_spans);
	jr_nsys_reading_done(&s->reading);
	if (!s->is_joined)
		jr_timeline_done(&s->own);
	jr_nsys_ids_done(&s->threads);
	free(s->ranges.items);
	free(s->calls.items);
	free(s);
	*stream = NULL;
}
