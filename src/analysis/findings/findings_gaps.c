/* Sums of the gaps on GPUs, by cause, from the tables of the section about gaps. */
#include "analysis/findings/findings_gaps.h"

#include <string.h>

#include "analysis/core/terms.h"
#include "analysis/core/vendor.h"
#include "analysis/gpu/gpu_tables.h"
#include "analysis/shared/gpu_time.h"

int64_t jr_idle_i64(const struct jr_table *t, const char *key, size_t row)
{
	return t->cells[jr_table_column(t, key)].i64[row];
}

/* True for calls that allocate or free device memory or pinned host memory. */
static bool allocates(const char *call)
{
	static const char *const words[] = {"Malloc", "Alloc", "Free", "HostRegister", "MemCreate",
		"MemMap", "MemUnmap", "MemRelease", "HostUnregister"};
	for (size_t i = 0; i < JR_COUNT_OF(words); i++)
		if (strstr(call, words[i]))
			return true;
	return false;
}

/* Return the row of gap_first_use with the same cause and call as a row of gap_calls; SIZE_MAX:
 * none. */
static size_t first_use_row(const struct jr_table *calls, size_t row, const struct jr_table *first)
{
	for (size_t i = 0; first && i < first->n_rows; i++)
		if (strcmp(jr_table_text(first, JR_KEY(JR_GAP_CALLS, cause), i),
				jr_table_text(calls, JR_KEY(JR_GAP_CALLS, cause), row)) == 0 &&
			strcmp(jr_table_text(first, JR_KEY(JR_GAP_CALLS, call), i),
				jr_table_text(calls, JR_KEY(JR_GAP_CALLS, call), row)) == 0)
			return i;
	return SIZE_MAX;
}

/* Row of gap_calls minus gaps of first use, which another finding reports. */
struct net {
	const struct jr_table *calls, *first;
	size_t row, first_row;
};

static int64_t net_i64(const struct net *net, const char *key)
{
	int64_t taken =
		net->first_row == SIZE_MAX ? 0 : jr_idle_i64(net->first, key, net->first_row);
	return jr_idle_i64(net->calls, key, net->row) - taken;
}

static void add_call(struct jr_idle_cause *cause, const struct net *net, const char *no_call)
{
	const char *call = jr_table_text(net->calls, JR_KEY(JR_GAP_CALLS, call), net->row);
	int64_t ns = net_i64(net, JR_KEY(JR_GAP_CALLS, sum_ms)),
			gaps_ns = net_i64(net, JR_KEY(JR_GAP_CALLS, gaps_ms));
	int64_t long_ns = net_i64(net, JR_KEY(JR_GAP_CALLS, long_ms)),
			count = net_i64(net, JR_KEY(JR_GAP_CALLS, count));
	cause->count += count;
	cause->sum_ns += ns;
	cause->long_ns += long_ns;
	if (strcmp(call, no_call) == 0) {
		cause->outside_ns = ns;
		return;
	}
	if (strcmp(call, JR_GAP_LAUNCHING) == 0) {
		cause->launching_ns = ns;
		return;
	}
	if (!cause->call || ns > cause->call_ns) {
		cause->call = call;
		cause->call_ns = ns;
		cause->call_count = count;
	}
	cause->allocating_ns += allocates(call) ? ns : 0;
	if (!jr_call_waits(call))
		return;
	cause->waited_ns += ns;
	cause->waiting_ns += gaps_ns;
	cause->short_waiting_ns += gaps_ns - long_ns;
	cause->waiting_count += count;
	if (gaps_ns > cause->waits_ns) {
		cause->waits = call;
		cause->waits_ns = gaps_ns;
	}
}

/* Add up the idle time at the first use of code, over all devices and causes. */
struct jr_idle_cause jr_idle_first_use(struct jr_check *c)
{
	const struct jr_table *first = jr_results_table(c->ctx->results, "gap_first_use");
	struct jr_idle_cause sum = {0};
	for (size_t row = 0; first && row < first->n_rows; row++) {
		const char *call = jr_table_text(first, JR_KEY(JR_GAP_CALLS, call), row);
		int64_t ns = jr_idle_i64(first, JR_KEY(JR_GAP_CALLS, sum_ms), row);
		sum.count += jr_idle_i64(first, JR_KEY(JR_GAP_CALLS, count), row);
		sum.sum_ns += ns;
		sum.launching_ns += strcmp(call, JR_GAP_LAUNCHING) == 0 ||
									strcmp(jr_table_text(first, JR_KEY(JR_GAP_CALLS, cause), row),
										jr_gap_causes[JR_GAP_LAUNCH]) == 0
								? ns
								: 0;
		if (jr_call_loads(call) && ns > sum.call_ns) {
			sum.call = call;
			sum.call_ns = ns;
		}
	}
	return sum;
}

/* True if a separate finding reports first use; other findings then exclude it. */
static bool first_use_told(struct jr_check *c, const struct jr_idle_cause *first)
{
	return jr_ratio((double)first->sum_ns, c->wall_ns) >= c->rule->threshold;
}

struct jr_idle_cause jr_idle_cause_of(struct jr_check *c, enum jr_gap_cause which)
{
	const struct jr_table *calls = jr_results_table(c->ctx->results, "gap_calls");
	const struct jr_table *first = jr_results_table(c->ctx->results, "gap_first_use");
	const char *no_call =
		jr_vendor_words(jr_words_of(c->ctx->profile), JR_GAP_NO_CALL, c->ctx->scratch);
	struct jr_idle_cause cause = {.name = jr_gap_causes[which]}, first_use = jr_idle_first_use(c);
	cause.but_first_use = first_use.count && first_use_told(c, &first_use);
	for (size_t row = 0; calls && row < calls->n_rows; row++) {
		if (strcmp(jr_table_text(calls, JR_KEY(JR_GAP_CALLS, cause), row), cause.name) != 0)
			continue;
		struct net net = {calls, first, row,
			cause.but_first_use ? first_use_row(calls, row, first) : SIZE_MAX};
		add_call(&cause, &net, no_call);
	}
	return cause;
}

/* Return "1,339 gaps of 22.28 µs on average; the longest, 2.559 ms, ends at “gemm” on device 0".
 * The table is sorted by length. */
const char *jr_idle_gaps_text(struct jr_check *c, const struct jr_idle_cause *cause)
{
	const struct jr_table *t = jr_results_table(c->ctx->results, "gap_largest");
	struct jr_arena *arena = c->ctx->arena;
	const char *text = cause->count == 1 ? "1 gap"
		: jr_arena_printf(arena, "%s gaps%s, %s each on average",
			  jr_check_count(c, (size_t)cause->count), c->n_gpus > 1 ? " over all " JR_GPU "s" : "",
			  jr_check_time(c, (double)cause->sum_ns / (double)cause->count));
	for (size_t row = 0; t && row < t->n_rows; row++) {
		if (strcmp(jr_table_text(t, JR_KEY(JR_GAP_LARGEST, cause), row), cause->name) != 0)
			continue;
		if (cause->but_first_use && t->cells[JR_GAP_LARGEST_first_use].boolean[row] == 1)
			continue;
		const char *range = t->cells[JR_GAP_LARGEST_range].text[row];
		return jr_arena_printf(arena, "%s; the longest, %s, ends at %s%s%s on device %s", text,
			jr_check_time(c, (double)jr_idle_i64(t, JR_KEY(JR_GAP_LARGEST, dur_ms), row)),
			jr_check_name(c, jr_table_text(t, JR_KEY(JR_GAP_LARGEST, after), row)),
			range && *range ? ", launched in " : "",
			range && *range ? jr_check_name(c, range) : "",
			jr_check_count(c, (size_t)jr_idle_i64(t, JR_KEY(JR_GAP_LARGEST, device), row)));
	}
	return text;
}

/* Return true if the rule has a finding. Its potential saving is limited to the idle time. */
bool jr_idle_fires(struct jr_check *c, const struct jr_idle_cause *cause)
{
	if (!jr_check_fires(c, jr_ratio((double)cause->sum_ns, c->wall_ns)) || !cause->count)
		return false;
	jr_check_recoverable(c, (double)cause->sum_ns, c->part_ns[JR_PART_IDLE_BETWEEN]);
	return true;
}

const char *jr_idle_gpus(const struct jr_check *c, const char *one, const char *several)
{
	return c->ctx->profile->n_devices == 1 ? one : several;
}
