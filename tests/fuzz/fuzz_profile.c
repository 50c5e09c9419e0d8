/*
 * Fuzz target: a profile.sqlite as one side of a comparison. A valid run is compared with itself,
 * and nothing changes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare/core/compare.h"
#include "formats/nsys/sqlite_rows.h"
#include "model/profile/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static enum jr_status read_run(struct jr_run *run, struct jr_bytes bytes,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_error *err)
{
	struct jr_sqlite *db = NULL;
	enum jr_status status = jr_sqlite_open_memory(bytes, limits, &db, err);
	if (status == JR_OK)
		status = jr_run_of_database(run, db, limits, arena, err);
	jr_sqlite_close(&db);
	return status;
}

static void check_run(const struct jr_run *run, const struct jr_limits *limits)
{
	for (size_t t = 0; t < JR_RUN_N_TABLES; t++) {
		const struct jr_table *table = run->tables[t];
		require(table->n_rows <= limits->rows);
		for (size_t c = 0; c < table->spec->n_columns; c++)
			for (size_t i = 0; table->spec->columns[c].type == JR_TEXT && i < table->n_rows; i++) {
				const char *text = table->cells[c].text[i];
				require(!text || jr_text_is_clean(text, strlen(text)));
			}
	}
	for (enum jr_run_tree tree = 0; tree < JR_RUN_N_TREES; tree++)
		for (size_t i = 0; i < run->stacks[tree].n; i++)
			require(run->stacks[tree].items[i].self_ns >= 0);
}

static void compare(const struct jr_run *base, struct jr_run *fresh, struct jr_arena *arena)
{
	const struct jr_gates none = {0};
	struct jr_comparison comparison;
	struct jr_results results;
	jr_compare_runs(base, fresh, 0.01, &none, arena, &comparison, &results);
	for (size_t s = 0; s < results.n_sections; s++)
		for (size_t i = 0; i < results.sections[s].n; i++) {
			if (results.sections[s].items[i].kind != JR_RESULT_TREE)
				continue;
			const struct jr_tree *tree = results.sections[s].items[i].as.tree;
			require(tree->total == tree->base_total);
			for (size_t k = 0; k < tree->n; k++)
				require(tree->self_ns[k] == tree->base_self_ns[k]);
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_limits limits = jr_limits_default();
	limits.rows = 100000;
	limits.depth = 60;
	limits.memory_bytes = 64 << 20;
	struct jr_bytes bytes = jr_bytes_of(data, size);
	struct jr_arena arena;
	struct jr_run base, fresh;
	struct jr_error err = {0};
	jr_arena_init(&arena, 0);
	if (read_run(&base, bytes, &limits, &arena, &err) != JR_OK) {
		require(err.message[0] && !strchr(err.message, '\n'));
	} else {
		require(read_run(&fresh, bytes, &limits, &arena, &err) == JR_OK);
		check_run(&base, &limits);
		compare(&base, &fresh, &arena);
	}
	jr_arena_done(&arena);
	return 0;
}
