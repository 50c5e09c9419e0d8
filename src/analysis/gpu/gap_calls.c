/* Idle time by call: the calls of the launching thread while a device waited for it. */
#include "analysis/core/vendor.h"
#include "analysis/gpu/gaps.h"
#include "analysis/gpu/gpu_tables.h"
#include "analysis/shared/columns.h"
#include "base/order.h"
#include "base/sort.h"

#define N_SHOWN 20

/* These stand for a call's name. They are macros because an enumerator is an int, which is too
 * small for either. */
#define NO_CALL JR_NONE
#define LAUNCHING (JR_NONE - 1)

JR_COLUMNS_OF(columns, JR_GAP_CALLS_COLUMNS);
static const struct jr_table_spec spec = {JR_TABLE_SPEC("gap_calls", "gaps.calls", "Idle by call",
	"One row per cause and call; by time. The rows of a cause add up exactly to its gaps",
	columns)};
static const struct jr_table_spec first_spec = {
	JR_TABLE_SPEC("gap_first_use", "gaps.first_use", "Idle at first use",
		"The same for gaps in which code was loaded, or that precede the first run of a "
		"kernel, are 200 µs or longer and four times as long as later gaps before that "
		"kernel",
		columns)};

static struct jr_gap_call *row_of(
	struct jr_gap_calls *calls, enum jr_gap_cause cause, uint32_t name)
{
	if (calls->sums.n && calls->sums.items[calls->last].cause == cause &&
		calls->sums.items[calls->last].name == name)
		return &calls->sums.items[calls->last];
	uint64_t key = jr_key2((uint32_t)cause, name);
	uint32_t row = jr_map_add(&calls->rows, key, (uint32_t)calls->sums.n);
	if (row == calls->sums.n)
		*jr_vec_add(&calls->sums) = (struct jr_gap_call){.cause = cause, .name = name};
	calls->last = row;
	return &calls->sums.items[row];
}

static void count_gap(
	struct jr_gap_calls *calls, enum jr_gap_cause cause, uint32_t name, int64_t gap_ns)
{
	struct jr_gap_call *row = row_of(calls, cause, name);
	row->count++;
	row->gaps_ns += gap_ns;
	if (gap_ns >= JR_GAP_LONG_NS) {
		row->n_long++;
		row->long_ns += gap_ns;
	}
}

static void add_time(struct jr_gap_calls *calls, enum jr_gap_cause cause, uint32_t name, int64_t ns)
{
	if (ns)
		row_of(calls, cause, name)->sum_ns += ns;
}

void jr_gap_calls_add(
	struct jr_gap_calls *calls, const struct jr_profile *p, const struct jr_gap *gap)
{
	if (gap->cause == JR_GAP_UNKNOWN)
		return;
	const struct jr_api_calls *t = &p->api_calls;
	uint32_t call = p->gpu_ops.call[gap->after];
	if (gap->cause != JR_GAP_HOST) {
		count_gap(calls, gap->cause, t->name[call], gap->dur_ns);
		add_time(calls, gap->cause, t->name[call], gap->dur_ns);
		return;
	}
	/* If the clocks show that the operation began before its launch, the gap ends first. */
	int64_t end_ns = gap->start_ns + gap->dur_ns;
	int64_t to_ns = t->start_ns[call] < end_ns ? t->start_ns[call] : end_ns;
	*jr_vec_add(&calls->late) =
		(struct jr_gap_late){t->thread[call], gap->start_ns, to_ns, gap->dur_ns};
	add_time(calls, JR_GAP_HOST, LAUNCHING, end_ns - to_ns);
}

/* --- lateness of a thread --------------------------------------------------------------------- */

/* The start (+1) or the end (-1) of an interval in which a thread was late. */
struct edge {
	uint32_t thread;
	int32_t step;
	int64_t at_ns;
};

JR_ORDER(compare_edges, struct edge, JR_UP(thread) JR_UP(at_ns))

/* The edges of all threads, and the position of a walk over the edges of one thread. If several
 * devices wait for a thread, it counts as late for each of them. */
struct lateness {
	struct edge *edges;
	size_t n, next;
	uint32_t thread;
	int64_t depth, at_ns, sum_ns;
};

static struct lateness sort_edges(const struct jr_gap_calls *calls, struct jr_arena *scratch)
{
	struct lateness l = {.n = 2 * calls->late.n};
	l.edges = JR_ARENA_N(scratch, struct edge, l.n + 1);
	for (size_t i = 0; i < calls->late.n; i++) {
		const struct jr_gap_late *late = &calls->late.items[i];
		l.edges[2 * i] = (struct edge){late->thread, 1, late->from_ns};
		l.edges[2 * i + 1] = (struct edge){late->thread, -1, late->to_ns};
	}
	jr_sort(l.edges, l.n, sizeof(*l.edges), compare_edges);
	return l;
}

static void begin_thread(struct lateness *l, uint32_t thread)
{
	while (l->next < l->n && l->edges[l->next].thread < thread)
		l->next++;
	l->thread = thread;
	l->depth = l->sum_ns = 0;
	l->at_ns = INT64_MIN / 2;
}

/* Return how late the thread was up to `ns`, which must not decrease. */
static int64_t late_until(struct lateness *l, int64_t ns)
{
	for (; l->next < l->n && l->edges[l->next].thread == l->thread; l->next++) {
		const struct edge *edge = &l->edges[l->next];
		if (edge->at_ns > ns)
			break;
		l->sum_ns += l->depth ? l->depth * (edge->at_ns - l->at_ns) : 0;
		l->at_ns = edge->at_ns;
		l->depth += edge->step;
	}
	l->sum_ns += l->depth ? l->depth * (ns - l->at_ns) : 0;
	l->at_ns = ns;
	return l->sum_ns;
}

/* Return true if the thread is not late before `ns`, nor at that time. */
static bool in_time_until(const struct lateness *l, int64_t ns)
{
	return l->depth == 0 && (l->next == l->n || l->edges[l->next].thread != l->thread ||
								l->edges[l->next].at_ns > ns);
}

/* --- calls of late threads -------------------------------------------------------------------- */

JR_ORDER_COLUMNS(
	compare_calls, struct jr_api_calls, JR_UP_AT(thread) JR_UP_AT(start_ns) JR_DOWN_AT(dur_ns))

uint32_t *jr_gap_sort_calls(const struct jr_api_calls *t, struct jr_arena *scratch)
{
	uint32_t *order = JR_ARENA_N(scratch, uint32_t, t->n + 1);
	for (uint32_t i = 0; i < t->n; i++)
		order[i] = i;
	jr_sort_with(order, t->n, sizeof(*order), compare_calls, (void *)(uintptr_t)t);
	return order;
}

JR_ORDER(compare_late, struct jr_gap_late, JR_UP(thread) JR_UP(from_ns))

/* Return true if the next gap to count begins before `ns` on this thread, or on an earlier one. */
static bool begins_before(
	const struct jr_gap_calls *calls, size_t next, uint32_t thread, int64_t ns)
{
	if (next == calls->late.n)
		return false;
	const struct jr_gap_late *late = &calls->late.items[next];
	return late->thread < thread || (late->thread == thread && late->from_ns < ns);
}

/* Count the gaps that begin before `ns` on this thread, or on an earlier one, for this call. */
static size_t count_late(
	struct jr_gap_calls *calls, size_t next, uint32_t thread, int64_t ns, uint32_t name)
{
	for (; begins_before(calls, next, thread, ns); next++)
		count_gap(calls, JR_GAP_HOST, name, calls->late.items[next].gap_ns);
	return next;
}

/* Distribute the time of late threads over their calls, outer calls first. */
static void add_late(struct jr_gap_calls *calls, const uint32_t *order, struct jr_pass_context *ctx)
{
	const struct jr_api_calls *t = &ctx->profile->api_calls;
	struct lateness l = sort_edges(calls, ctx->scratch);
	int64_t all_ns = 0, within_ns = 0;
	size_t next = 0;
	jr_sort(calls->late.items, calls->late.n, sizeof(*calls->late.items), compare_late);
	for (size_t i = 0; i < t->n;) {
		uint32_t thread = t->thread[order[i]];
		int64_t reach_ns = INT64_MIN / 2;
		begin_thread(&l, thread);
		for (; i < t->n && t->thread[order[i]] == thread; i++) {
			uint32_t row = order[i];
			int64_t from_ns = t->start_ns[row], to_ns = from_ns + t->dur_ns[row];
			from_ns = from_ns > reach_ns ? from_ns : reach_ns;
			if (to_ns <= from_ns)
				continue;
			reach_ns = to_ns;
			if (in_time_until(&l, to_ns) && !begins_before(calls, next, thread, to_ns))
				continue;
			next = count_late(calls, next, thread, from_ns, NO_CALL);
			next = count_late(calls, next, thread, to_ns, t->name[row]);
			int64_t before_ns = late_until(&l, from_ns), ns = late_until(&l, to_ns) - before_ns;
			add_time(calls, JR_GAP_HOST, t->name[row], ns);
			within_ns += ns;
		}
	}
	(void)count_late(calls, next, UINT32_MAX, INT64_MAX, NO_CALL);
	for (size_t i = 0; i < calls->late.n; i++)
		all_ns += calls->late.items[i].to_ns - calls->late.items[i].from_ns;
	add_time(calls, JR_GAP_HOST, NO_CALL, all_ns - within_ns);
}

/* --- table ------------------------------------------------------------------------------------ */

static void fill_row(struct jr_table *table, size_t row, const struct jr_pass_context *ctx,
	const struct jr_gap_call *sum)
{
	const struct jr_profile *p = ctx->profile;
	union jr_cells *c = table->cells;
	c[JR_GAP_CALLS_cause].text[row] = jr_gap_causes[sum->cause];
	c[JR_GAP_CALLS_call].text[row] =
		sum->name == NO_CALL     ? jr_vendor_words(jr_words_of(p), JR_GAP_NO_CALL, ctx->arena)
		: sum->name == LAUNCHING ? JR_GAP_LAUNCHING
								 : jr_str(p, sum->name);
	c[JR_GAP_CALLS_count].i64[row] = sum->count;
	c[JR_GAP_CALLS_gaps_ms].i64[row] = sum->gaps_ns;
	c[JR_GAP_CALLS_sum_ms].i64[row] = sum->sum_ns;
	c[JR_GAP_CALLS_long_count].i64[row] = sum->n_long;
	c[JR_GAP_CALLS_long_ms].i64[row] = sum->long_ns;
}

static void sort_rows(struct jr_table *table, struct jr_pass_context *ctx)
{
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, table->n_rows + 1);
	uint32_t *order = JR_ARENA_N(ctx->scratch, uint32_t, table->n_rows + 1);
	int64_t total_ns = 0;
	for (size_t row = 0; row < table->n_rows; row++)
		total_ns += table->cells[JR_GAP_CALLS_sum_ms].i64[row];
	for (uint32_t row = 0; row < table->n_rows; row++) {
		int64_t ns = table->cells[JR_GAP_CALLS_sum_ms].i64[row];
		table->cells[JR_GAP_CALLS_percent].f64[row] = jr_ratio((double)ns, (double)total_ns);
		const char *name = jr_arena_printf(ctx->scratch, "%s %s",
			table->cells[JR_GAP_CALLS_call].text[row], table->cells[JR_GAP_CALLS_cause].text[row]);
		keys[row] = (struct jr_rank_key){(double)ns, name, 0, row};
	}
	jr_rank_sort(keys, table->n_rows);
	for (size_t row = 0; row < table->n_rows; row++)
		order[row] = keys[row].row;
	jr_table_permute(table, order, ctx->scratch);
}

struct jr_table *jr_gap_calls_table(
	struct jr_gap_calls *calls, const uint32_t *order, bool first_use, struct jr_pass_context *ctx)
{
	if (calls->late.n)
		add_late(calls, order, ctx);
	size_t n = calls->sums.n;
	struct jr_table *table = jr_table_new(ctx->arena, first_use ? &first_spec : &spec, n);
	for (size_t row = 0; row < n; row++)
		fill_row(table, row, ctx, &calls->sums.items[row]);
	table->n_rendered = n < N_SHOWN ? n : N_SHOWN;
	sort_rows(table, ctx);
	return table;
}

void jr_gap_calls_done(struct jr_gap_calls *calls)
{
	jr_vec_done(&calls->late);
	jr_vec_done(&calls->sums);
	jr_map_done(&calls->rows);
}

const char *const jr_gap_causes[JR_N_GAP_CAUSES] = {
	"host-bound", "launch-bound", "device-bound", "unknown"};
