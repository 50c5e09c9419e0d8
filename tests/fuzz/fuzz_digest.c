/* Any bytes as the content of a digest's head ('H' first) or of a rank in it: rejected, or tables
 * whose every reference can be followed, and compile ranges that a profile takes. Two copies are
 * written with the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "formats/timeline_compact.h"
#include "model/digest/digests.h"
#include "model/export/export.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_error(enum jr_status status, const struct jr_error *err)
{
	require(status == err->status && err->message[0] && !strchr(err->message, '\n'));
}

static void check_head(struct jr_bytes head, const struct jr_limits *limits)
{
	struct jr_digest digest = {.n_parts = 3};
	struct jr_error err = {0};
	jr_arena_init(&digest.arena, limits->memory_bytes);
	enum jr_status status = jr_digest_read_head(head, limits, &digest, &err);
	if (status != JR_OK) {
		check_error(status, &err);
	} else {
		require(digest.n_ranks + digest.n_texts == 2 && digest.n_ranks > 0);
		for (size_t i = 0; i < digest.n_guesses; i++)
			require(jr_text_is_clean(digest.guesses[i].detail, strlen(digest.guesses[i].detail)));
		for (size_t i = 0; i < digest.n_texts; i++)
			require(jr_digest_find_text(&digest, digest.texts[i].name) == &digest.texts[i]);
	}
	jr_arena_done(&digest.arena);
}

static void check_trace(const struct jr_trace *t, uint64_t max_depth)
{
	for (size_t i = 0; i < t->n_names; i++)
		require(t->names[i].text < t->strings.n && t->names[i].op < t->strings.n);
	for (size_t i = 0; i < t->n; i++) {
		uint64_t depth = 0;
		require(t->name[i] < t->n_names && t->end_ns[i] >= t->start_ns[i]);
		for (uint32_t up = t->parent[i]; up != JR_NONE; up = t->parent[up])
			require(up < t->n && ++depth <= max_depth);
	}
	require(t->n_unreadable >= t->n_recovered);
}

static void check_host(const struct jr_host_ranges *host, const struct jr_limits *limits)
{
	struct jr_options options = jr_options_default();
	struct jr_profile profile;
	struct jr_error err = {0};
	options.limits = *limits;
	jr_profile_init(&profile, &options);
	profile.processes = JR_ARENA_N(&profile.arena, struct jr_process, 1);
	profile.n_processes = 1;
	require(jr_compile_add(&profile, 0, host, &err) == JR_OK || err.status == JR_ELIMIT);
	jr_profile_done(&profile);
}

static void check_same(const struct jr_digest_rank *rank, const struct jr_trace *trace,
	const struct jr_metadata *metadata, const struct jr_host_ranges *host)
{
	struct jr_buf once = {0}, twice = {0}, bits[2] = {{0}};
	jr_digest_put_rank(rank, trace, metadata, host, &once, &bits[0]);
	jr_digest_put_rank(rank, trace, metadata, host, &twice, &bits[1]);
	require(jr_bytes_eq(jr_buf_view(&once), jr_buf_view(&twice)));
	require(jr_bytes_eq(jr_buf_view(&bits[0]), jr_buf_view(&bits[1])));
	jr_buf_done(&once);
	jr_buf_done(&twice);
	jr_buf_done(&bits[0]);
	jr_buf_done(&bits[1]);
}

/* Rows of an export, from which launches and a trace can be made. */
static void check_rows(struct jr_bytes content, const struct jr_limits *limits)
{
	struct jr_expanding in = {.in = jr_reader_of(content), .limits = limits};
	struct jr_timeline rows;
	struct jr_export export;
	struct jr_trace trace;
	struct jr_error err = {0};
	enum jr_status status = jr_timeline_expand(&in, &rows, &err);
	if (status != JR_OK) {
		check_error(status, &err);
		jr_timeline_done(&rows);
		return;
	}
	if (jr_export_of_read(&rows, limits, 1, &export, &err) != JR_OK)
		return;
	if (jr_export_trace(&export, 0, limits, &trace, &err) == JR_OK) {
		check_trace(&trace, trace.n);
		jr_trace_done(&trace);
	}
	jr_export_done(&export);
}

static void check_rank(struct jr_bytes content, const struct jr_limits *limits)
{
	struct jr_digest_rank rank = {0};
	struct jr_trace trace = {0};
	struct jr_metadata metadata;
	struct jr_host_ranges host = {0};
	struct jr_arena arena;
	struct jr_error err = {0};
	jr_arena_init(&arena, limits->memory_bytes);
	jr_metadata_init(&metadata);
	jr_buf_add(&rank.bytes, content.data, content.size);
	enum jr_status status =
		jr_digest_expand_rank(limits, &arena, &rank, &trace, &metadata, &host, &err);
	if (status != JR_OK) {
		check_error(status, &err);
	} else {
		if (rank.has_trace)
			check_trace(&trace, limits->depth);
		if (rank.has_host)
			check_host(&host, limits);
		check_same(&rank, &trace, &metadata, &host);
		check_rows(rank.rows, limits);
	}
	jr_trace_done(&trace);
	jr_metadata_done(&metadata);
	jr_host_ranges_done(&host);
	jr_digest_rank_done(&rank);
	jr_arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_limits limits = jr_limits_default();
	limits.rows = 100000;
	limits.depth = 20;
	limits.string_bytes = 4096;
	limits.memory_bytes = UINT64_C(64) << 20;
	if (size && data[0] == 'H')
		check_head(jr_bytes_of(data + 1, size - 1), &limits);
	else if (size)
		check_rank(jr_bytes_of(data + 1, size - 1), &limits);
	return 0;
}
