/* Limits of the times of a job: sums beyond int64 are refused. */
#include "nsys_build.h"
#include "pass_case.h"

#include <unistd.h>

#include "base/limits.h"
#include "model/inputs/load.h"

/* --- rows of archives ------------------------------------------------------------------------- */

#define MOST JR_TIME_MAX_NS

static void expect_rows(const struct job_row *rows, size_t n, const char *message)
{
	const struct job_process process = {.rows = rows,
		.n_rows = n,
		.pid = 1,
		.launchers = eight_launchers,
		.n_launchers = 2};
	struct job job;
	struct jr_error err = {.message = ""};
	job_init(&job, NULL);
	job_add(&job, &process);
	enum jr_status status = jr_build_finish(&job.build, &err);
	assert_string_equal(err.message, message);
	assert_int_equal(status, *message ? JR_EFORMAT : JR_OK);
	job_done(&job);
}

#define EXPECT_ROWS(rows, message) expect_rows(rows, JR_COUNT_OF(rows), message)

/* Modules overlap as projected ones do: each device is observed only briefly. */
static UNIT(test_modules)
{
	const struct job_row rows[] = {RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, MOST, 100),
		RANGE_ON(2, 0, MODULE("7", "jit_f"), 0, MOST, 100),
		RANGE_ON(3, 0, MODULE("7", "jit_f"), 0, MOST, 100)};
	expect_rows(rows, 2, "");
	EXPECT_ROWS(rows, "'': times of module executions add up to more than fits in 64 bits");
}

/* Short modules with distant thunks: their idle time is what overflows. */
static UNIT(test_modules_with_thunks_far_away)
{
	const struct job_row rows[] = {RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, 1, 100),
		RANGE_ON(2, 1, THUNK("a.1"), MOST - 1, MOST, 100),
		RANGE_ON(3, 0, MODULE("7", "jit_f"), 1, 2, 100),
		RANGE_ON(4, 3, THUNK("a.1"), MOST - 1, MOST, 100),
		RANGE_ON(5, 0, MODULE("7", "jit_f"), 2, 3, 100),
		RANGE_ON(6, 5, THUNK("a.1"), MOST - 1, MOST, 100)};
	expect_rows(rows, 4, "");
	EXPECT_ROWS(rows, "'': times of module executions add up to more than fits in 64 bits");
}

static UNIT(test_thunks)
{
	const struct job_row rows[] = {RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, MOST, 100),
		RANGE_ON(2, 1, THUNK("a.1"), 0, MOST, 100), RANGE_ON(3, 1, THUNK("b.1"), 0, MOST, 100),
		RANGE_ON(4, 1, THUNK("c.1"), 0, MOST, 100)};
	expect_rows(rows, 3, "");
	EXPECT_ROWS(rows, "'': durations of thunks add up to more than fits in 64 bits");
}

static UNIT(test_devices)
{
	const struct job_row rows[] = {RANGE_ON(1, 0, MODULE("7", "jit_f"), -MOST, 5 - MOST, 100),
		RANGE_ON(2, 0, MODULE("7", "jit_f"), MOST - 5, MOST, 100),
		RANGE_ON(3, 0, MODULE("7", "jit_f"), -MOST, 5 - MOST, 101),
		RANGE_ON(4, 0, MODULE("7", "jit_f"), MOST - 5, MOST, 101)};
	expect_rows(rows, 2, "");
	EXPECT_ROWS(rows,
		"'': observed times of the devices add up to more than fits in 64 bits");
}

/* --- exports, each of which is valid ---------------------------------------------------------- */

/* One row after another, 6,000 times the longest duration, or the largest copy, that an export
 * allows: 6.8e18 ns or bytes. */
#define OFTEN "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000) "
#define LONG "1125899906842624" /* 2^50 */

static void write_export(char *path, const char *sql)
{
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	sqlite3 *db = nsys_open(path);
	nsys_sql(db, NSYS_TABLES);
	nsys_sql(db, sql);
	sqlite3_close(db);
}

/* Make it another recording. */
static void other_texts(const char *path)
{
	sqlite3 *db = NULL;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	nsys_sql(db, "INSERT INTO StringIds VALUES (999, 'other')");
	sqlite3_close(db);
}

/* Check the ending of the message; its beginning has a name from mkstemp(). */
static void expect_twice(const char *sql, const char *ending)
{
	char one[] = "/tmp/jr-times-XXXXXX", two[] = "/tmp/jr-times-XXXXXX";
	write_export(one, sql);
	write_export(two, sql);
	other_texts(two);
	const char *paths[] = {one, two};
	for (size_t n = 1; n <= 2; n++) {
		struct jr_profile profile;
		struct jr_error err = {.message = ""};
		struct jr_options options = jr_options_default();
		options.n_threads = 1;
		jr_profile_init(&profile, &options);
		enum jr_status status = jr_load(paths, n, NULL, &profile, &err);
		if (n == 1 && status != JR_OK)
			fail_msg("one alone: %s", err.message);
		if (n == 2) {
			const char *got = strstr(err.message, "', ... together: ");
			assert_int_equal(status, JR_EFORMAT);
			assert_true(strncmp(err.message, "the 2 inputs 'jr-times-", 23) == 0);
			assert_non_null(got);
			assert_string_equal(got + strlen("', ... together: "), ending);
		}
		jr_profile_done(&profile);
	}
	(void)unlink(one);
	(void)unlink(two);
}

static UNIT(test_exports)
{
	expect_twice(OFTEN "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 0, " LONG
		", 0, 7, i, NULL, NULL, NULL, NULL FROM n",
		"durations of GPU operations add up to more than fits in 64 bits");
	expect_twice(OFTEN "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 0, " LONG ", 1, i, 1 "
		"FROM n", "durations of CUDA calls add up to more than fits in 64 bits");
	expect_twice(OFTEN
		", e(t) AS (VALUES (0), (" LONG " / 2), (" LONG " / 2), (" LONG " - 1)) "
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT t, t + 1, i % 4096, 7, i, NULL, NULL, NULL, "
		"NULL FROM n, e",
		"observed times of the devices add up to more than fits in 64 bits");
	expect_twice(OFTEN
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY SELECT i, i + 1, 0, 7, i, NULL, " LONG ", 1 FROM n",
		"bytes of copies add up to more than fits in 64 bits");
	expect_twice("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 1, 1, 1, 1);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, syncType);" OFTEN
		"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SELECT 0, " LONG ", 3 FROM n",
		"synchronization times add up to more than fits in 64 bits");
}
