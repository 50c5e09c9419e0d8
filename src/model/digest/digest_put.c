/* Writing the parts of a digest. */
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/text.h"
#include "formats/archive/xz.h"
#include "model/digest/rank_tables.h"

void jr_digest_put_begin(struct jr_buf *out)
{
	jr_buf_printf(out, "%s%d\n", JR_DIGEST_BEGIN, JR_DIGEST_VERSION);
}

static void put_u64(struct jr_buf *out, uint64_t value)
{
	for (unsigned shift = 0; shift < 64; shift += 8)
		jr_buf_putc(out, (char)(value >> shift));
}

void jr_digest_put_part(struct jr_bytes part, struct jr_bytes bits, struct jr_buf *out)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf packed = {0};
	jr_xz_encode(part, &packed);
	if (bits.size)
		jr_xz_store(bits, &packed);
	put_u64(out, packed.size);
	jr_buf_add(out, packed.data, packed.size);
}

void jr_digest_put_head(
	const struct jr_digest_head *head, const struct jr_profile *p, struct jr_buf *out)
{
	jr_compact_text(out, head->kind);
	jr_buf_varint(out, head->size_bytes);
	jr_buf_varint(out, head->n_ranks);
	for (size_t i = 0; i < head->n_ranks; i++)
		jr_compact_text(out, head->names[i]);
	jr_buf_varint(out, p->n_guesses);
	for (size_t i = 0; i < p->n_guesses; i++) {
		jr_compact_text(out, p->guesses[i].id);
		jr_buf_varint(out, p->guesses[i].count);
		jr_compact_text(out, p->guesses[i].detail);
	}
	jr_buf_varint(out, p->n_unread);
	for (size_t i = 0; i < p->n_unread; i++) {
		jr_compact_text(out, jr_str(p, p->unread[i].name));
		jr_buf_varint(out, p->unread[i].kind);
		jr_buf_varint(out, p->unread[i].n);
	}
	jr_buf_varint(out, head->n_texts);
	for (size_t i = 0; i < head->n_texts; i++) {
		jr_compact_text(out, head->texts[i].name);
		jr_buf_varint(out, head->texts[i].state);
	}
}

static void put_error(struct jr_buf *out, const struct jr_error *error)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf clean = {0};
	const char *message = error->status == JR_OK ? "" : error->message;
	jr_text_clean(&clean, message, strlen(message));
	jr_buf_varint(out, error->status);
	jr_compact_bytes(out, jr_buf_view(&clean));
}

/* "" stands for NULL. */
static void put_words(struct jr_buf *out, const char *text)
{
	jr_compact_text(out, text ? text : "");
}

/* --- values that no report uses ----------------------------------------------------------------
 */

static bool is_execution(const struct jr_trace *t, size_t row)
{
	return t->names[t->name[row]].kind == JR_RANGE_MODULE;
}

/* Return a copy in which each range but an execution has the value of the execution before it. */
static int64_t *of_executions(
	const struct jr_trace *t, const int64_t *values, struct jr_arena *arena)
{
	int64_t *out = JR_ARENA_N(arena, int64_t, t->n + 1), last = 0;
	for (size_t i = 0; i < t->n; i++)
		out[i] = last = is_execution(t, i) ? values[i] : last;
	return out;
}

/* A range and its place by start. */
struct placed {
	int64_t start_ns, range_id;
};

JR_ORDER(compare_placed, struct placed, JR_UP(start_ns))

/* Whether ranges other than executions that start together are in the order of their ids. */
static bool are_in_order(const struct jr_trace *t, struct jr_arena *scratch)
{
	struct placed *rows = JR_ARENA_N(scratch, struct placed, t->n + 1);
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++)
		if (!is_execution(t, i))
			rows[n++] = (struct placed){t->start_ns[i], t->range_id[i]};
	jr_sort(rows, n, sizeof(*rows), compare_placed);
	for (size_t i = 1; i < n; i++)
		if (rows[i].start_ns == rows[i - 1].start_ns && rows[i].range_id <= rows[i - 1].range_id)
			return false;
	return true;
}

/* Replace what only matters for executions, and ids that only put ranges in order. */
static void keep_used(struct jr_trace *t, struct jr_arena *scratch)
{
	if (t->launch_ns)
		t->launch_ns = of_executions(t, t->launch_ns, scratch);
	if (t->n_gpu_ops)
		t->n_gpu_ops = of_executions(t, t->n_gpu_ops, scratch);
	if (!are_in_order(t, scratch))
		return;
	int64_t *ids = JR_ARENA_N(scratch, int64_t, t->n + 1);
	for (size_t i = 0; i < t->n; i++)
		ids[i] = is_execution(t, i) ? t->range_id[i] : (int64_t)i;
	t->range_id = ids;
}

/* ------------------------------------------------------------------------------------------------
 */

static void put_trace(struct jr_buf *out, struct jr_buf *bits, const struct jr_trace *trace)
{
	struct jr_trace used = *trace;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	keep_used(&used, &scratch);
	jr_compact_table(out, NULL, &jr_compact_trace, trace, 1);
	jr_compact_strings(out, &trace->strings);
	jr_compact_table(out, NULL, &jr_compact_trace_names, trace->names, trace->n_names);
	jr_compact_table(out, bits, &jr_compact_trace_rows, &used, trace->n);
}

static void put_metadata(struct jr_buf *out, const struct jr_metadata *metadata)
{
	jr_compact_strings(out, &metadata->strings);
	jr_compact_table(out, NULL, &jr_compact_metadata, metadata, 1);
	jr_compact_table(out, NULL, &jr_compact_launchers, metadata->launchers, metadata->n_launchers);
	jr_compact_table(out, NULL, &jr_compact_gpus, metadata->gpus, metadata->n_gpus);
	jr_compact_table(out, NULL, &jr_compact_settings, metadata->settings, metadata->n_settings);
}

static void put_host(struct jr_buf *out, struct jr_buf *bits, const struct jr_host_ranges *host)
{
	jr_compact_table(out, NULL, &jr_compact_host, host, 1);
	jr_compact_strings(out, &host->strings);
	jr_compact_table(out, bits, &jr_compact_host_rows, host, host->n);
}

void jr_digest_put_rank(const struct jr_digest_rank *rank, const struct jr_trace *trace,
	const struct jr_metadata *metadata, const struct jr_host_ranges *host, struct jr_buf *out,
	struct jr_buf *bits)
{
	size_t n_before = bits->size;
	jr_compact_table(out, NULL, &jr_compact_rank, rank, 1);
	put_words(out, rank->no_compilation);
	put_words(out, rank->no_dumps);
	put_words(out, rank->nothing);
	put_error(out, &rank->trace_error);
	put_error(out, &rank->metadata_error);
	put_error(out, &rank->host_error);
	put_metadata(out, metadata);
	if (rank->has_trace)
		put_trace(out, bits, trace);
	if (rank->has_host)
		put_host(out, bits, host);
	jr_compact_table(out, NULL, &jr_compact_rank_programs, rank->programs, rank->n_programs);
	for (size_t i = 0; i < rank->n_programs; i++) {
		put_error(out, &rank->programs[i].error);
		jr_compact_bytes(out, rank->programs[i].hlo);
	}
	jr_compact_bytes(out, rank->rows);
	put_u64(bits, bits->size - n_before);
}
