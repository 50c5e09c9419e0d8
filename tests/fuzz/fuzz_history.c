/* Any bytes as a store of runs: invalid lines are left out and reported; lines that are read have a
 * trend, and their text is clean. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare/history/history.h"
#include "compare/history/trend.h"
#include "model/profile/profile.h"
#include "report/core/report.h"
#include "report/text/text_layout.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_trend(const struct jr_history *history, struct jr_arena *arena)
{
	const struct jr_metric *metric = jr_metric_find("step.median", strlen("step.median"));
	const struct jr_trend_request wanted = {
		.store = "a.jsonl", .metrics = &metric, .n_metrics = 1, .chosen = true, .tolerance = 0.01};
	struct jr_options options = jr_options_default();
	struct jr_profile notes;
	struct jr_results results;
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_profile_init(&notes, &options);
	jr_trend_results(history, &wanted, arena, &results);
	jr_report_text(&notes, &results, &jr_text_plain, &text);
	for (size_t at = 0; at < text.size;) {
		const char *newline = memchr(text.data + at, '\n', text.size - at);
		size_t n = newline ? (size_t)(newline - (text.data + at)) : text.size - at;
		require(jr_text_is_clean(text.data + at, n));
		at += n + 1;
	}
	jr_profile_done(&notes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_limits limits = jr_limits_default();
	limits.depth = 60;
	limits.string_bytes = 10000;
	limits.memory_bytes = 64 << 20;
	struct jr_arena arena;
	struct jr_history history;
	struct jr_error err = {0};
	jr_arena_init(&arena, 0);
	if (jr_history_read(
			jr_bytes_of(data, size), 20, NULL, &limits, &arena, &history, &err) == JR_OK) {
		require(history.n > 0 && history.n <= 20 && history.n_lines >= history.n);
		for (size_t i = 0; i < history.n; i++)
			require(history.items[i].line >= 1 && history.items[i].line <= history.n_lines);
		for (size_t i = 0; i < history.n_bad && i < JR_HISTORY_PROBLEMS; i++)
			require(history.problems[i][0] && !strchr(history.problems[i], '\n'));
		check_trend(&history, &arena);
	} else {
		require(err.message[0] && !strchr(err.message, '\n'));
	}
	jr_arena_done(&arena);
	return 0;
}
