/* Names that are shortened and still differ. */
#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "base/text.h"
#include "report/core/labels.h"

static void check(const char *const *names, size_t n, size_t width, const char *const *want)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	const char **labels = JR_ARENA_N(&arena, const char *, n);
	jr_labels_fit(names, n, width, &arena, labels);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(labels[i], want[i]);
}

static UNIT(test_kernels)
{
	static const char *const names[] = {
		"sm80_gemm_f32f32_f32f32_tilesize64x256x8_stage3_warpsize1x4x1_align_a4",
		"sm80_gemm_f32f32_f32f32_tilesize128x128x8_stage3_warpsize1x4x1_align_a4", "reduce_kernel"};
	static const char *const want[] = {"sm80_gemm…tilesize64x256x8_stage3_wa…",
		"sm80_gemm…tilesize128x128x8_stage3_w…", "reduce_kernel"};
	check(names, 3, 37, want);
}

static UNIT(test_common_beginning)
{
	static const char *const names[] = {"void at::native::elementwise<MulFunctor<float>>(int, T2)",
		"void at::native::reduce<MeanOps<float>>(T3)", "void at::native::gather(char *)"};
	static const char *const want[] = {"…elementwis…ctor<float>>(int, T2)",
		"…reduce<MeanOps<float>>(T3)", "void at::native::gather(char *)"};
	check(names, 3, 33, want);
	assert_int_equal(jr_labels_prefix(names, 3), strlen("void at::native::"));
	assert_int_equal(jr_labels_prefix(names, 1), 0);
	static const char *const same[] = {"void at::native::f", NULL, "void at::native::f"};
	assert_int_equal(jr_labels_prefix(same, 3), 0);
}

/* A folder is left out, with its end; the name of a file is not. */
static UNIT(test_files)
{
	static const char *const lines[] = {"/opt/train/models/layers.py:35",
		"/opt/train/models/layers.py:42", "/opt/train/models/layers.py:7"};
	assert_int_equal(jr_labels_prefix(lines, 3), strlen("/opt/train"));
	static const char *const ops[] = {"jit(f)/jit(main)/mlp/dot", "jit(f)/jit(main)/attention/dot"};
	assert_int_equal(jr_labels_prefix(ops, 2), strlen("jit(f)/jit(main)"));
}

/* The primitive of an op_name is never left out, its parameters first. */
static UNIT(test_op_names)
{
	static const char *const names[] = {
		"jit(train_step)/transpose(jvp(forward))/decoder/layers/mlp/wo/dot_general[a=1]",
		"jit(train_step)/jvp(forward)/decoder/layers/mlp/wo/dot_general[a=1]",
		"jit(init)/decoder/layers/mlp/wo/dot_general[a=1]"};
	static const char *const want[] = {"…train_step)/transpose(jvp(…/dot_general",
		"…train_step)/jvp(forward)/d…/dot_general", "…init)/decoder/layers/mlp/wo/dot_general"};
	check(names, 3, 40, want);
}

/* Two differences far apart: no short part tells all names apart, so they stay whole. */
static UNIT(test_two_differences)
{
	static const char *const names[] = {
		"gemm<float, a, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, c, yyyyyyyyyyyyyyy>",
		"gemm<float, a, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, d, yyyyyyyyyyyyyyy>",
		"gemm<float, b, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, c, yyyyyyyyyyyyyyy>",
		"gemm<float, b, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, d, yyyyyyyyyyyyyyy>",
		"reduce"};
	check(names, 5, 24, names);
}

/* Names of few letters in all widths: different names have different labels, equal names equal
 * ones; a label fits unless it is the whole name. */
static UNIT(test_all_widths)
{
	enum { N = 60, LONGEST = 70 };
	static char rooms[N][LONGEST + 1];
	const char *names[N];
	unsigned seed = 1;
	for (size_t i = 0; i < N; i++) {
		for (size_t k = 0; k < LONGEST; k++) {
			seed = seed * 1103515245 + 12345;
			rooms[i][k] = k < 20 || seed >> 28 > 1 ? "ab_:/"[k % 5] : "cdµ< "[seed >> 16 & 1];
		}
		names[i] = i % 7 ? rooms[i] : rooms[i / 2];
	}
	for (size_t width = 1; width < LONGEST + 4; width++) {
		JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
		const char *labels[N];
		jr_labels_fit(names, N, width, &arena, labels);
		for (size_t i = 0; i < N; i++) {
			assert_true(jr_text_width(labels[i], strlen(labels[i])) <= width ||
						strcmp(labels[i], names[i]) == 0);
			for (size_t k = 0; k < i; k++)
				assert_int_equal(
					strcmp(labels[i], labels[k]) == 0, strcmp(names[i], names[k]) == 0);
		}
	}
}

/* Of different sources with the same file and line, the shortest folders that differ are shown. */
static UNIT(test_sources)
{
	static const struct {
		const char *name, *want;
	} rows[] = {{"/opt/a/models/layers.py:84", "models/layers.py:84"},
		{"/opt/a/nets/layers.py:84", "nets/layers.py:84"}, {"/opt/a/layers.py:85", "layers.py:85"},
		{"/x/one/common/util.py:7", "one/common/util.py:7"}, {NULL, NULL},
		{"/x/two/common/util.py:7", "two/common/util.py:7"},
		{"/x/one/common/util.py:7", "one/common/util.py:7"}, {"/util.py:9", "/util.py:9"},
		{"util.py:9", "util.py:9"}, {"/usr/lib/same.py:1", "same.py:1"},
		{"/usr/lib/same.py:1", "same.py:1"}, {"", ""}, {"/", "/"}};
	enum { N = sizeof(rows) / sizeof(rows[0]) };
	const char *names[N];
	size_t starts[N];
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	for (size_t turn = 0; turn < N; turn++) { /* in any order */
		for (size_t i = 0; i < N; i++)
			names[i] = rows[(i + turn) % N].name;
		jr_labels_sources(names, N, &arena, starts);
		for (size_t i = 0; i < N; i++)
			if (names[i])
				assert_string_equal(names[i] + starts[i], rows[(i + turn) % N].want);
	}
}
