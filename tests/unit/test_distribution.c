/* Classes of durations: where they begin, what they contain, and their names. */
#include <stdio.h>

#include "unit.h"

#include "analysis/core/distribution.h"

static void check_class(int64_t ns, const char *expected)
{
	char text[48];
	jr_time_class_text(jr_time_class(ns), text);
	assert_string_equal(text, expected);
}

static UNIT(test_names)
{
	check_class(0, "1–2 ns");
	check_class(1, "1–2 ns");
	check_class(2, "2–5 ns");
	check_class(999, "500–1000 ns");
	check_class(1000, "1–2 µs");
	check_class(999999999, "500–1000 ms");
	check_class(9999999999999, "5000–10000 s");
	/* there is no class after the last */
	check_class(10000000000000, "≥ 10000 s");
	check_class(20000000000001, "≥ 10000 s");
	check_class(INT64_MAX, "≥ 10000 s");
}

static UNIT(test_edges)
{
	for (size_t i = 0; i < JR_TIME_CLASSES; i++) {
		assert_int_equal(jr_time_class(jr_time_class_edge(i)), i);
		if (i)
			assert_int_equal(jr_time_class(jr_time_class_edge(i) - 1), i - 1);
	}
}
