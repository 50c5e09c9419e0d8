/* Device memory profiles: the reader over hand-made bytes, and the sums of their pass. Damage in
 * many places: tests/live-memory. */
#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "analysis/core/pass.h"
#include "base/cleanup.h"
#include "formats/pprof/pprof.h"
#include "model/build/build.h"

/* --- files ------------------------------------------------------------------------------------ */

static void put_number(struct jr_buf *out, unsigned field, uint64_t value)
{
	jr_buf_putc(out, (char)(field << 3));
	for (; value > 127; value >>= 7)
		jr_buf_putc(out, (char)(value | 128));
	jr_buf_putc(out, (char)value);
}

/* Append `part` as a field, and empty it. */
static void put_part(struct jr_buf *out, unsigned field, struct jr_buf *part)
{
	jr_buf_putc(out, (char)(field << 3 | 2));
	assert_true(part->size < 128);
	jr_buf_putc(out, (char)part->size);
	jr_buf_add(out, part->data ? part->data : "", part->size);
	jr_buf_done(part);
}

static const char *const texts[] = {"", "allocations", "count", "space", "bytes", "kind", "buffer",
	"device", "cuda:0", "executable", "/home/u/train.py", "step",
	"/usr/lib/python3.12/site-packages/jax/_src/array.py", "put", "cuda:1"};
enum { BUFFER = 6, CUDA_0 = 8, EXECUTABLE, TRAIN, STEP, ARRAY, PUT, CUDA_1 };

static void put_pair(struct jr_buf *out, unsigned field, uint64_t first, uint64_t second)
{
	struct jr_buf part = {0};
	put_number(&part, 1, first);
	put_number(&part, 2, second);
	put_part(out, field, &part);
}

struct sample {
	int kind, device;   /* texts */
	uint64_t places[3]; /* locations, innermost first; 0 ends them */
	int64_t count, bytes;
};

static void put_sample(struct jr_buf *out, const struct sample *s)
{
	struct jr_buf part = {0};
	for (size_t i = 0; i < 3 && s->places[i]; i++)
		put_number(&part, 1, s->places[i]);
	put_number(&part, 2, (uint64_t)s->count);
	put_number(&part, 2, (uint64_t)s->bytes);
	put_pair(&part, 3, 5, (uint64_t)s->kind);
	if (s->device)
		put_pair(&part, 3, 7, (uint64_t)s->device);
	put_part(out, 2, &part);
}

/* Locations 1: train.py:3 in step, 2: array.py:9 in put, 3: train.py:4 in step. */
static void put_places(struct jr_buf *out)
{
	static const int lines[] = {3, 9, 4};
	for (uint64_t id = 1; id <= 3; id++) {
		struct jr_buf part = {0};
		put_number(&part, 1, id);
		put_pair(&part, 4, id == 2 ? 2 : 1, (uint64_t)lines[id - 1]);
		put_part(out, 4, &part);
	}
	for (uint64_t id = 1; id <= 2; id++) {
		struct jr_buf part = {0};
		put_number(&part, 1, id);
		put_number(&part, 2, id == 1 ? STEP : PUT);
		put_number(&part, 4, id == 1 ? TRAIN : ARRAY);
		put_part(out, 5, &part);
	}
}

static void put_file(struct jr_buf *out, const struct sample *samples, size_t n)
{
	put_pair(out, 1, 1, 2);
	put_pair(out, 1, 3, 4);
	for (size_t i = 0; i < n; i++)
		put_sample(out, &samples[i]);
	put_places(out);
	for (size_t i = 0; i < JR_COUNT_OF(texts); i++) {
		struct jr_buf part = {0};
		jr_buf_puts(&part, texts[i]);
		put_part(out, 6, &part);
	}
}

/* --- the reader ------------------------------------------------------------------------------- */

static const struct sample four[] = {{BUFFER, CUDA_0, {2, 1}, 2, 100},
	{BUFFER, CUDA_1, {2, 3}, 1, 40}, {BUFFER, CUDA_0, {1}, 3, -1},
	{EXECUTABLE, 0, {2, 1}, 1, 7}};

static UNIT(everything_is_resolved)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {0};
	struct jr_pprof p;
	put_file(&file, four, 4);
	assert_true(jr_pprof_begins(jr_buf_view(&file), &limits));
	assert_int_equal(jr_pprof_read(jr_buf_view(&file), &limits, &p, &err), JR_OK);
	assert_int_equal(p.n_samples, 4);
	assert_int_equal(p.stopped.status, JR_OK);
	assert_int_equal(p.n_lost + p.n_bad, 0);
	assert_string_equal(jr_intern_str(&p.strings, p.samples[1].device), "cuda:1");
	assert_int_equal(p.samples[2].bytes, -1);
	assert_int_equal(p.samples[3].device, 0);
	const struct jr_pprof_location *innermost = &p.locations[p.stacked[p.samples[0].first_stacked]];
	assert_string_equal(
		jr_intern_str(&p.strings, p.lines[innermost->first_line].file), texts[ARRAY]);
	assert_int_equal(p.lines[innermost->first_line].line, 9);
	jr_pprof_done(&p);
}

static UNIT(every_cut_is_bounded)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	struct jr_limits limits = jr_limits_default();
	size_t n_reported = 0;
	put_file(&file, four, 4);
	for (size_t n = 0; n < file.size; n++) {
		struct jr_error err = {0};
		struct jr_pprof p;
		if (jr_pprof_read(jr_bytes_of(file.data, n), &limits, &p, &err) != JR_OK) {
			assert_true(err.message[0]);
			continue;
		}
		n_reported++;
		assert_true(p.stopped.status != JR_OK || p.n_lost > 0 || n > file.size - 10);
		jr_pprof_done(&p);
	}
	assert_true(n_reported > 20);
}

static UNIT(limits_hold)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {0};
	struct jr_pprof p;
	put_file(&file, four, 4);
	limits.rows = 10;
	assert_int_equal(jr_pprof_read(jr_buf_view(&file), &limits, &p, &err), JR_ELIMIT);
	assert_non_null(strstr(err.message, "--max-rows"));
}

/* --- the pass --------------------------------------------------------------------------------- */

struct live_run {
	struct jr_profile profile;
	struct jr_build build;
	struct jr_arena arena;
	struct jr_results results;
};

static void live_run(struct live_run *run, const struct sample *samples, size_t n)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	struct jr_options options = jr_options_default();
	struct jr_error err = {0};
	struct jr_pprof p;
	put_file(&file, samples, n);
	assert_int_equal(jr_pprof_read(jr_buf_view(&file), &options.limits, &p, &err), JR_OK);
	*run = (struct live_run){.build.profile = &run->profile};
	jr_profile_init(&run->profile, &options);
	assert_int_equal(jr_live_add(&run->build, &p, JR_NONE, NULL, &err), JR_OK);
	jr_live_freeze(&run->build);
	jr_pprof_done(&p);
	jr_arena_init(&run->arena, 0);
	jr_passes_run(&run->profile, &run->arena, &run->results);
}

static void live_done(struct live_run *run)
{
	jr_arena_done(&run->arena);
	jr_build_done(&run->build);
	jr_profile_done(&run->profile);
}

/* "SOURCE BYTES/OBJECTS/UNKNOWN" of each row. */
static void check_rows(
	const struct live_run *run, const char *name, const char *key, const char *rows)
{
	const struct jr_table *t = jr_results_table(&run->results, name);
	assert_non_null(t);
	JR_CLEANUP(jr_buf_done) struct jr_buf got = {0};
	for (size_t i = 0; i < t->n_rows; i++) {
		int64_t bytes = t->cells[jr_table_column(t, "bytes")].i64[i];
		jr_buf_printf(&got, "%s%s ", i ? ", " : "", jr_table_text(t, key, i));
		if (bytes == JR_NULL_I64)
			jr_buf_puts(&got, "null");
		else
			jr_buf_printf(&got, "%lld", (long long)bytes);
		jr_buf_printf(&got, "/%lld/%lld",
			(long long)t->cells[jr_table_column(t, "objects")].i64[i],
			(long long)t->cells[jr_table_column(t, "unknown")].i64[i]);
	}
	assert_string_equal(got.data ? got.data : "", rows);
}

static void check_four(const struct live_run *run)
{
	check_rows(run, "live_devices", "device", "cuda:0 100/5/3, cuda:1 40/1/0");
	check_rows(run, "live_lines", "source",
		"/home/u/train.py:3 100/5/3, /home/u/train.py:4 40/1/0");
	check_rows(run, "live_kinds", "kind", "buffer 140/6/3, executable 7/1/0");
	check_rows(run, "live_executables", "source", "/home/u/train.py:3 7/1/0");
	const struct jr_tree *tree = jr_results_tree(&run->results, "live_memory");
	assert_true(tree->bytes && tree->total == 140);
}

static UNIT(sums_leave_out_what_is_unknown)
{
	struct live_run run;
	live_run(&run, four, 4);
	check_four(&run);
	assert_non_null(strstr(
		jr_results_answer(&run.results)->headline, "At least 140 B live on 2 devices"));
	live_done(&run);
}

static UNIT(order_changes_nothing)
{
	struct sample turned[4];
	for (size_t i = 0; i < 4; i++)
		turned[i] = four[3 - i];
	struct live_run run;
	live_run(&run, turned, 4);
	check_four(&run);
	live_done(&run);
}

static UNIT(nothing_known_is_null)
{
	struct live_run run;
	live_run(&run, &four[2], 1);
	check_rows(&run, "live_lines", "source", "/home/u/train.py:3 null/3/3");
	assert_int_equal(
		jr_results_scalar(&run.results, "live_memory.live_bytes")->value.i64, JR_NULL_I64);
	live_done(&run);
}

static UNIT(no_object_is_no_section)
{
	struct live_run run;
	live_run(&run, four, 0);
	assert_null(jr_results_table(&run.results, "live_lines"));
	assert_non_null(jr_results_answer(&run.results)->headline);
	live_done(&run);
}

/* Numbers that no device can have are in no sum, and no sum overflows. */
static UNIT(impossible_numbers)
{
	static const struct sample large[] = {{BUFFER, CUDA_0, {1}, 1, INT64_MAX},
		{BUFFER, CUDA_0, {1}, INT64_MAX, 5}, {BUFFER, CUDA_0, {1}, 1, INT64_MIN},
		{BUFFER, CUDA_0, {1}, 1, 9}};
	struct live_run run;
	live_run(&run, large, 4);
	check_rows(&run, "live_lines", "source", "/home/u/train.py:3 9/3/2");
	assert_true(run.profile.live.is_partial);
	live_done(&run);
}
