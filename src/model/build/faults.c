/* Rows with impossible times: missing, or far from the times of all other rows. */
#include "model/build/faults.h"

#include <assert.h>
#include <string.h>

#define HOUR_NS INT64_C(3600000000000)
#define SECOND_NS INT64_C(1000000000)
#define MOST_APART_NS (INT64_C(1) << 49) /* 6.5 days: half the longest allowed export */
#define N_BINS 4096
#define MOST_ROUNDS 8 /* each halves the timeline at least, or ends the search */

/* --- leaving rows out ------------------------------------------------------------------------- */

struct column {
	void *values;
	size_t size;
};

#define COLUMN(field)                                                                              \
	{                                                                                              \
		(field), sizeof(*(field))                                                                  \
	}
#define MOST_COLUMNS 16

struct table {
	size_t *n;
	int64_t *start_ns, *end_ns; /* end JR_TIMELINE_OPEN: the range is open */
	struct column columns[MOST_COLUMNS];
	size_t n_columns;
	bool of_gpu;
};

static void move_row(const struct table *t, size_t to, size_t from)
{
	for (size_t k = 0; to != from && k < t->n_columns; k++) {
		char *values = t->columns[k].values;
		size_t size = t->columns[k].size;
		memcpy(values + to * size, values + from * size, size);
	}
}

enum { GPU, CALLS, NVTX, N_TABLES };

static void list_tables(
	struct jr_timeline *s, const struct jr_beside *beside, struct table tables[N_TABLES])
{
	struct jr_timeline_gpu *g = &s->gpu;
	struct jr_timeline_calls *c = &s->calls;
	struct jr_timeline_nvtx *r = &s->nvtx;
	tables[GPU] = (struct table){&g->n, g->start_ns, g->end_ns,
		{COLUMN(g->start_ns), COLUMN(g->end_ns), COLUMN(g->bytes), COLUMN(g->config),
			COLUMN(g->process), COLUMN(g->device), COLUMN(g->stream), COLUMN(g->correlation),
			COLUMN(g->name), COLUMN(g->kind)},
		10, true};
	if (g->graph)
		tables[GPU].columns[tables[GPU].n_columns++] = (struct column)COLUMN(g->graph);
	for (size_t k = 0; beside && k < beside->n; k++)
		tables[GPU].columns[tables[GPU].n_columns++] =
			(struct column){beside->columns[k], sizeof(*beside->columns[k])};
	tables[CALLS] = (struct table){&c->n, c->start_ns, c->end_ns,
		{COLUMN(c->start_ns), COLUMN(c->end_ns), COLUMN(c->thread), COLUMN(c->correlation),
			COLUMN(c->name)},
		5, false};
	tables[NVTX] = (struct table){&r->n, r->start_ns, r->end_ns,
		{COLUMN(r->start_ns), COLUMN(r->end_ns), COLUMN(r->thread), COLUMN(r->text),
			COLUMN(r->scope), COLUMN(r->kind)},
		6, false};
	if (r->ending)
		tables[NVTX].columns[tables[NVTX].n_columns++] = (struct column)COLUMN(r->ending);
	if (r->end_thread)
		tables[NVTX].columns[tables[NVTX].n_columns++] = (struct column)COLUMN(r->end_thread);
}

/* --- rows without times ----------------------------------------------------------------------- */

/* The profiler writes 0 for a time that it did not collect. An operation may begin at time 0 of the
 * clock, but it cannot last from there past one that began more than a second later. Kernels of
 * zero length do not exist. */
static void leave_out_timeless(struct jr_timeline *s, const struct table *t)
{
	int64_t first_ns = INT64_MAX;
	size_t n = 0, n_odd = 0;
	for (size_t i = 0; i < *t->n; i++) {
		n_odd += t->start_ns[i] == 0 || t->start_ns[i] == t->end_ns[i];
		if (t->start_ns[i] != 0 && t->start_ns[i] < first_ns)
			first_ns = t->start_ns[i];
	}
	if (n_odd == 0)
		return;
	for (size_t i = 0; i < *t->n; i++) {
		bool no_length = t->start_ns[i] == t->end_ns[i];
		if (no_length && (t->start_ns[i] == 0 || s->gpu.kind[i] == JR_TIMELINE_KERNEL))
			continue;
		if (t->start_ns[i] == 0 && first_ns > SECOND_NS && t->end_ns[i] >= first_ns)
			continue;
		move_row(t, n++, i);
	}
	s->n_timeless += *t->n - n;
	*t->n = n;
}

/* --- rows far from all others ----------------------------------------------------------------- */

struct bin {
	uint64_t n, n_other; /* rows that begin in it; calls and ranges among them */
	bool far;
};

struct bins {
	int64_t first_ns, last_ns, width_ns;
	int64_t far_ns; /* largest distance of a dropped row from the kept ones */
	struct bin items[N_BINS];
};

static size_t bin_of(const struct bins *b, int64_t t_ns)
{
	return (size_t)((t_ns - b->first_ns) / b->width_ns);
}

static bool fill_bins(struct bins *b, const struct table *tables)
{
	b->first_ns = INT64_MAX;
	b->last_ns = INT64_MIN;
	memset(b->items, 0, sizeof(b->items));
	for (size_t k = 0; k < N_TABLES; k++)
		for (size_t i = 0; i < *tables[k].n; i++) {
			int64_t start = tables[k].start_ns[i];
			b->first_ns = start < b->first_ns ? start : b->first_ns;
			b->last_ns = start > b->last_ns ? start : b->last_ns;
		}
	/* times are below 2^62, so the difference fits */
	if (b->first_ns > b->last_ns || b->last_ns - b->first_ns <= HOUR_NS)
		return false;
	b->width_ns = (b->last_ns - b->first_ns) / N_BINS + 1;
	for (size_t k = 0; k < N_TABLES; k++)
		for (size_t i = 0; i < *tables[k].n; i++) {
			struct bin *bin = &b->items[bin_of(b, tables[k].start_ns[i])];
			bin->n++;
			bin->n_other += !tables[k].of_gpu;
		}
	return true;
}

/* Consecutive bins with empty gaps of less than an hour. */
struct cluster {
	size_t first, last;
	uint64_t n, n_other;
};

static bool next_cluster(const struct bins *b, size_t *at, struct cluster *out)
{
	size_t most_empty = (size_t)(HOUR_NS / b->width_ns), empty = 0, i = *at;
	while (i < N_BINS && b->items[i].n == 0)
		i++;
	*out = (struct cluster){.first = i, .last = i};
	for (; i < N_BINS && empty <= most_empty; i++) {
		empty = b->items[i].n ? 0 : empty + 1;
		out->n += b->items[i].n;
		out->n_other += b->items[i].n_other;
		if (b->items[i].n)
			out->last = i;
	}
	*at = out->last + 1;
	return out->n > 0;
}

static int64_t apart_ns(const struct bins *b, const struct cluster *x, const struct cluster *y)
{
	size_t empty = x->first > y->last   ? x->first - y->last - 1
				   : y->first > x->last ? y->first - x->last - 1
										: 0;
	return (int64_t)empty * b->width_ns;
}

/* Mark clusters far from the one with most rows. GPU work begins soon after the host launches it,
 * so operations without nearby calls and ranges count as far at smaller distances. */
static bool mark_far(struct bins *b, bool any_other)
{
	struct cluster most = {0}, c;
	bool any = false;
	for (size_t at = 0; next_cluster(b, &at, &c);)
		if (c.n > most.n)
			most = c;
	for (size_t at = 0; next_cluster(b, &at, &c);) {
		int64_t apart = apart_ns(b, &c, &most);
		if (c.first == most.first ||
			(apart <= MOST_APART_NS && !(any_other && c.n_other == 0 && apart > HOUR_NS)))
			continue;
		for (size_t i = c.first; i <= c.last; i++)
			b->items[i].far = true;
		b->far_ns = apart > b->far_ns ? apart : b->far_ns;
		any = true;
	}
	return any;
}

static size_t leave_out_far(const struct bins *b, const struct table *t)
{
	size_t n = 0, all = *t->n;
	assert(all == 0 || t->start_ns);
	for (size_t i = 0; i < all; i++)
		if (!b->items[bin_of(b, t->start_ns[i])].far)
			move_row(t, n++, i);
	*t->n = n;
	return all - n;
}

/* Drop rows that begin among the others and end far after all of them. */
static size_t leave_out_endless(struct bins *b, const struct table *t)
{
	size_t n = 0, all = *t->n;
	for (size_t i = 0; i < all; i++) {
		/* times are below 2^62 in absolute value */
		int64_t apart = t->end_ns[i] == JR_TIMELINE_OPEN ? 0 : t->end_ns[i] - b->last_ns;
		if (apart <= 2 * MOST_APART_NS)
			move_row(t, n++, i);
		else if (apart > b->far_ns)
			b->far_ns = apart;
	}
	*t->n = n;
	return all - n;
}

static void leave_out_all_far(struct jr_timeline *s, const struct table *tables, bool any_other)
{
	struct bins *b = jr_calloc(1, sizeof(*b));
	for (int round = 0; round < MOST_ROUNDS && fill_bins(b, tables); round++) {
		if (!mark_far(b, any_other))
			break;
		for (size_t k = 0; k < N_TABLES; k++)
			s->n_far += leave_out_far(b, &tables[k]);
	}
	for (size_t k = 0; k < N_TABLES; k++)
		s->n_far += leave_out_endless(b, &tables[k]);
	s->far_ns = b->far_ns > s->far_ns ? b->far_ns : s->far_ns;
	free(b);
}

void jr_faults_leave_out(struct jr_timeline *s, const struct jr_beside *beside)
{
	struct table tables[N_TABLES];
	list_tables(s, beside, tables);
	leave_out_timeless(s, &tables[GPU]);
	leave_out_all_far(s, tables, s->calls.n + s->nvtx.n > 0);
}

void jr_faults_leave_out_runs(struct jr_timeline *s, struct jr_xspace_run *runs, size_t *n)
{
	int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
	for (size_t i = 0; i < *n; i++) {
		first_ns = runs[i].start_ns < first_ns ? runs[i].start_ns : first_ns;
		last_ns = runs[i].end_ns > last_ns ? runs[i].end_ns : last_ns;
	}
	if (*n == 0 || last_ns - first_ns <= HOUR_NS) {
		s->n_runs += *n;
		return;
	}
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	size_t none = 0;
	int64_t *start_ns = JR_ARENA_N(&scratch, int64_t, *n);
	int64_t *end_ns = JR_ARENA_N(&scratch, int64_t, *n);
	uint32_t *row = JR_ARENA_N(&scratch, uint32_t, *n);
	for (size_t i = 0; i < *n; i++) {
		start_ns[i] = runs[i].start_ns;
		end_ns[i] = runs[i].end_ns;
		row[i] = (uint32_t)i;
	}
	struct table tables[N_TABLES] = {
		{n, start_ns, end_ns, {COLUMN(start_ns), COLUMN(end_ns), COLUMN(row)}, 3, true},
		{.n = &none}, {.n = &none}};
	leave_out_all_far(s, tables, false);
	for (size_t i = 0; i < *n; i++)
		runs[i] = runs[row[i]];
	s->n_runs += *n;
}
