/* The writers, over results that hold every kind of item and hostile text everywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_report.h"

#define FOLDER "build/unit-report"

static void write_all(struct fake *f, const char *folder)
{
	const struct jr_report_format *chosen[16];
	size_t n = 0;
	struct jr_error err;
	struct jr_outdir out;
	for (const struct jr_report_format *row = jr_report_formats; row->name; row++)
		if (row->by_default)
			chosen[n++] = row;
	assert_int_equal(jr_outdir_begin(&out, folder, true, &err), JR_OK);
	assert_int_equal(jr_report_write(&f->profile, &f->results, chosen, n, &out, &err), JR_OK);
	assert_int_equal(jr_outdir_commit(&out, &err), JR_OK);
}

static void test_write(void **state)
{
	(void)state;
	struct fake f;
	fake_init(&f, 2600, 1900);
	struct timespec a, b;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
	write_all(&f, FOLDER);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
	fprintf(stderr, "%.1f ms\n",
		(double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) / 1e6);
	fake_done(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_write)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
