/*
 * Fuzz target: a report.json as one side of a comparison. Valid JSON is walked completely; a valid
 * run is compared with itself and written, in the format that the input's size selects.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare/core/compare.h"
#include "formats/text/json_parse.h"
#include "model/profile/profile.h"
#include "report/core/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_value(const struct jr_json *v)
{
	uint32_t n = 0;
	int64_t integer;
	switch (v->kind) {
	case JR_JSON_STRING:
		require(jr_text_is_clean(v->text, strlen(v->text)));
		require(isnan(jr_json_double(v)) && !jr_json_integer(v, 6, &integer));
		break;
	case JR_JSON_NUMBER:
		(void)jr_json_double(v);
		if (jr_json_integer(v, 0, &integer))
			require(integer != INT64_MIN);
		(void)jr_json_integer(v, 6, &integer);
		(void)jr_json_integer(v, 9, &integer);
		break;
	default:
		for (const struct jr_json *m = v->first; m; m = m->next) {
			require(v->kind == JR_JSON_ARRAY ? m->key == NULL : m->key != NULL);
			check_value(m);
			n++;
		}
		require(n == v->n);
		break;
	}
}

static void check_text(struct jr_bytes text, const struct jr_limits *limits)
{
	struct jr_json_doc doc;
	struct jr_error err = {0};
	if (jr_json_parse(text, limits, &doc, &err) == JR_OK)
		check_value(doc.root);
	else
		require(err.message[0] && !strchr(err.message, '\n') && !doc.root);
	jr_json_done(&doc);
}

static void compare(const struct jr_run *base, struct jr_run *fresh, size_t which,
	const struct jr_options *options, struct jr_arena *arena)
{
	const struct jr_gates none = {0};
	struct jr_comparison comparison;
	struct jr_results results;
	struct jr_profile notes;
	struct jr_outdir out;
	struct jr_error err = {0};
	size_t n = 0;
	while (jr_report_formats[n].name)
		n++;
	const struct jr_report_format *chosen = &jr_report_formats[which % n];
	jr_compare_runs(base, fresh, 0.01, &none, arena, &comparison, &results);
	char folder[] = "/tmp/fuzz-json-XXXXXX";
	require(mkdtemp(folder) != NULL);
	jr_profile_init(&notes, options);
	require(jr_outdir_begin(&out, folder, true, &err) == JR_OK);
	require(jr_report_write(&notes, &results, &chosen, 1, &out, &err) == JR_OK);
	jr_outdir_abandon(&out);
	jr_profile_done(&notes);
	jr_remove_tree(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_options options = jr_options_default();
	options.n_threads = 1;
	options.limits.depth = 60;
	options.limits.string_bytes = 10000;
	options.limits.memory_bytes = 64 << 20;
	struct jr_bytes text = jr_bytes_of(data, size);
	check_text(text, &options.limits);
	struct jr_arena arena;
	struct jr_run base, fresh;
	struct jr_error err = {0};
	jr_arena_init(&arena, 0);
	if (jr_run_of_json(&base, text, NULL, &options.limits, &arena, &err) != JR_OK)
		require(err.message[0] && !strchr(err.message, '\n'));
	else if (jr_run_of_json(&fresh, text, NULL, &options.limits, &arena, &err) == JR_OK)
		compare(&base, &fresh, size, &options, &arena);
	else
		abort();
	jr_arena_done(&arena);
	return 0;
}
