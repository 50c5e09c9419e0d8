/* Rows of an export's tables: a database and a folder of Parquet files return the same cells, and
 * a damaged file is reported at the row where it is met. */
#include "in_folder.h"
#include "nsys_build.h"

#include "formats/archive/archive.h"
#include "formats/nsys/nsys_tables.h"
#include "tests/generator/pqtdir.h"

#define FOLDER "x_pqtdir"
#define AGAIN ". Export again: nsys export --type parquetdir --force-overwrite true out.nsys-rep"

static const char *const columns[] = {"a", "b", "c", "d", "gridX", "none"};
#define N_COLUMNS JR_COUNT_OF(columns)

/* Write the tables of these statements to FOLDER. */
static void make_folder(const char *sql, const struct jr_pq_put_options *options)
{
	struct gen_archive archive = {0};
	struct jr_error err = {.message = ""};
	sqlite3 *db = nsys_open(":memory:");
	nsys_sql(db, sql);
	jr_remove_tree(FOLDER);
	if (gen_pack_tables(db, options, &archive, &err) != JR_OK ||
		gen_archive_write(&archive, FOLDER, true, &err) != JR_OK)
		fail_msg("%s", err.message);
	gen_archive_done(&archive);
	sqlite3_close(db);
}

static void put_row(struct jr_buf *out, const struct jr_nsys_scan *scan)
{
	for (int i = 0; i < (int)N_COLUMNS; i++) {
		enum jr_nsys_type type = jr_nsys_type(scan, i);
		struct jr_bytes text =
			type == JR_NSYS_TEXT ? jr_nsys_text(scan, i) : jr_bytes_of("", 0);
		if (type == JR_NSYS_NULL)
			jr_buf_printf(out, "%s ", jr_nsys_is_null(scan, i) ? "-" : "?");
		else if (type == JR_NSYS_TEXT)
			jr_buf_printf(out, "'%.*s' ", (int)text.size, (const char *)text.data);
		else
			jr_buf_printf(out, "%s%lld/%u ", type == JR_NSYS_REAL ? "r" : "",
				(long long)jr_nsys_i64(scan, i), jr_nsys_u32(scan, i));
	}
	jr_buf_puts(out, "; ");
}

static void put_tables(void *context, const char *name)
{
	jr_buf_printf(context, "%s ", name);
}

/* Return the first rows of table t, their number, and the error or the list of tables. */
static char *rows_of(const struct jr_nsys_file *file, size_t n_must, size_t n_shown)
{
	struct jr_buf out = {0};
	struct jr_error err = {.message = ""};
	struct jr_nsys_tables tables = {0};
	struct jr_nsys_scan scan = {0};
	jr_buf_puts(&out, "");
	enum jr_status status = jr_nsys_tables_open(file, &tables, &err);
	if (status == JR_OK)
		status = jr_nsys_scan_begin(&tables, "t", columns, N_COLUMNS, n_must, &scan, &err);
	while (status == JR_OK && jr_nsys_scan_next(&scan))
		if (scan.n_rows <= n_shown)
			put_row(&out, &scan);
	if (status == JR_OK) {
		jr_buf_printf(&out, "found %d has %x rows %llu ", scan.found, scan.has,
			(unsigned long long)scan.n_rows);
		status = jr_nsys_scan_stopped(&scan, &err);
	}
	jr_nsys_scan_end(&scan);
	if (status == JR_OK) {
		jr_buf_printf(&out, "counted %llu: ", (unsigned long long)jr_nsys_count_rows(&tables, "t"));
		status = jr_nsys_each_table(&tables, put_tables, &out, &err);
	}
	jr_nsys_tables_close(&tables);
	jr_buf_puts(&out, status == JR_OK ? "ok" : err.message);
	return out.data;
}

static char *folder_rows(size_t n_must, size_t n_shown, const struct jr_limits *limits)
{
	struct jr_error err = {.message = ""};
	struct jr_nsys_file file = {.limits = limits};
	if (jr_archive_open(FOLDER, limits, &file.folder, &err) != JR_OK)
		fail_msg("%s", err.message);
	char *got = rows_of(&file, n_must, n_shown);
	jr_archive_close(file.folder);
	return got;
}

static void expect_folder(size_t n_must, const char *expected)
{
	struct jr_limits limits = jr_limits_default();
	char *got = folder_rows(n_must, 4, &limits);
	assert_string_equal(got, expected);
	free(got);
}

/* Check both ways of storing the same tables. */
static void expect_both(const char *sql, const struct jr_pq_put_options *options, size_t n_must,
	const char *expected)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_bytes bytes = nsys_bytes(sql);
	struct jr_nsys_file file = {.memory = bytes, .size_bytes = bytes.size, .limits = &limits};
	char *got = rows_of(&file, n_must, 4);
	assert_string_equal(got, expected);
	free(got);
	nsys_free(bytes);
	make_folder(sql, options);
	expect_folder(n_must, expected);
}

#define T "CREATE TABLE t (b INTEGER, a INTEGER, c TEXT, d REAL, gridX INTEGER, x INTEGER);"

static UNIT(cells_of_all_types)
{
	static const struct jr_pq_put_options forms[] = {
		{.page_version = 1}, {.page_version = 2, .rows_per_group = 1, .no_checksum = true}};
	for (size_t i = 0; i < JR_COUNT_OF(forms); i++)
		expect_both(T "INSERT INTO t VALUES (1, -9223372036854775808, 'text', 2.5, 7, 0), "
					  "(4294967294, 0, '', -1e300, NULL, 0), (NULL, NULL, NULL, NULL, -1, 0), "
					  "(4294967295, 9223372036854775807, 'text', 1e300, 0, 0);"
					  "CREATE TABLE u (a INTEGER); INSERT INTO u VALUES (1)",
			&forms[i], 2,
			"-9223372036854775808/4294967295 1/1 'text' r2/2 7/7 - ; "
			"0/0 4294967294/4294967294 '' r-9223372036854775808/4294967295 - - ; "
			"- - - - -1/4294967295 - ; "
			"9223372036854775807/4294967295 4294967295/4294967295 'text' "
			"r9223372036854775807/4294967295 0/0 - ; "
			"found 1 has 1f rows 4 counted 4: t u ok");
}

static UNIT(tables_and_columns_that_are_absent)
{
	static const struct jr_pq_put_options plain = {.page_version = 1};
	expect_both("CREATE TABLE s (a INTEGER); INSERT INTO s VALUES (1)", &plain, 2,
		"found 0 has 0 rows 0 counted 0: s ok");
	expect_both("CREATE TABLE t (c TEXT); INSERT INTO t VALUES ('x')", &plain, 0,
		"- - 'x' - - - ; found 1 has 4 rows 1 counted 1: t ok");
	expect_both("CREATE TABLE t (a INTEGER, c TEXT); INSERT INTO t VALUES (1, 'x')", &plain, 2,
		"table t has no column 'b'. Export the .nsys-rep file again, with the nsys that "
		"recorded it");
}

#define MANY                                                                                       \
	T "INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 40000) " \
	  "SELECT i, i * 3, 'n' || (i % 100), i / 2.0, i % 7, 0 FROM r"

/* More rows than one block has; the sums show that each row is read once. */
static UNIT(rows_of_several_blocks)
{
	struct jr_limits limits = jr_limits_default();
	static const struct jr_pq_put_options groups[] = {
		{.page_version = 1}, {.page_version = 1, .rows_per_group = 100000}};
	for (size_t i = 0; i < JR_COUNT_OF(groups); i++) {
		make_folder(MANY, &groups[i]);
		struct jr_nsys_file file = {.limits = &limits};
		struct jr_nsys_tables tables;
		struct jr_nsys_scan scan;
		struct jr_error err = {.message = ""};
		assert_int_equal(jr_archive_open(FOLDER, &limits, &file.folder, &err), JR_OK);
		assert_int_equal(jr_nsys_tables_open(&file, &tables, &err), JR_OK);
		assert_int_equal(
			jr_nsys_scan_begin(&tables, "t", columns, N_COLUMNS, 2, &scan, &err), JR_OK);
		int64_t row = 0;
		for (; jr_nsys_scan_next(&scan); row++) {
			char text[32];
			snprintf(text, sizeof(text), "n%d", (int)((row + 1) % 100));
			assert_int_equal(jr_nsys_i64(&scan, 0), 3 * (row + 1));
			assert_int_equal(jr_nsys_i64(&scan, 4), (row + 1) % 7);
			assert_int_equal(jr_nsys_text(&scan, 2).size, strlen(text));
			assert_memory_equal(jr_nsys_text(&scan, 2).data, text, strlen(text));
		}
		assert_int_equal(row, 40000);
		assert_int_equal(scan.hint, 40000);
		assert_int_equal(jr_nsys_scan_stopped(&scan, &err), JR_OK);
		assert_false(jr_nsys_scan_next(&scan));
		jr_nsys_scan_end(&scan);
		jr_nsys_tables_close(&tables);
		jr_archive_close(file.folder);
	}
}

/* Overwrite or cut the file of a table. */
static void damage(const char *path, long at, const char *bytes, long cut_to)
{
	FILE *f = fopen(path, "r+b");
	assert_non_null(f);
	assert_int_equal(fseek(f, at, SEEK_SET), 0);
	assert_int_equal(fwrite(bytes, 1, strlen(bytes), f), strlen(bytes));
	assert_int_equal(fclose(f), 0);
	if (cut_to)
		assert_int_equal(truncate(path, cut_to), 0);
}

static UNIT(damaged_files)
{
	static const struct jr_pq_put_options plain = {.page_version = 1};
	struct jr_limits limits = jr_limits_default();
	make_folder(MANY, &plain);
	damage(FOLDER "/t.parquet", 0, "", 5000);
	expect_folder(0, "table t: no 'PAR1' at offset 4996: the Parquet file is cut off" AGAIN);
	damage(FOLDER "/t.parquet", 0, "x", 0);
	expect_folder(0, "table t: not a Parquet file: no 'PAR1' at offset 0" AGAIN);
	/* damaged in the second block: the rows before it were read */
	make_folder(MANY, &plain);
	damage(FOLDER "/t.parquet", 700000, "damage damage damage damage", 0);
	char *got = folder_rows(0, 0, &limits);
	assert_non_null(strstr(got, "has 1f rows 1"));
	assert_non_null(strstr(got, " table t: column "));
	free(got);
	limits.rows = 39999;
	make_folder(MANY, &plain);
	got = folder_rows(0, 0, &limits);
	assert_string_equal(
		got, "table t: Parquet file of 40000 rows, limit 39999 (--max-rows)");
	free(got);
}

/* Columns of equal values are short: a file may state any number of rows. */
static UNIT(more_rows_than_bytes)
{
	static const struct jr_pq_put_options plain = {.page_version = 1, .rows_per_group = 100000};
	make_folder("CREATE TABLE t (a INTEGER); INSERT INTO t WITH RECURSIVE r(i) AS (SELECT 1 UNION "
				"ALL SELECT i + 1 FROM r LIMIT 40000) SELECT 5 FROM r",
		&plain);
	struct jr_limits limits = jr_limits_default();
	char *got = folder_rows(0, 0, &limits);
	assert_non_null(strstr(got, "table t: it states 40000 rows, more than its "));
	free(got);
}

/* --- a whole export --------------------------------------------------------------------------- */

static void read_export(enum jr_status expected, struct jr_timeline *out, struct jr_error *err)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_nsys_options options = {.n_threads = 2};
	struct jr_archive *folder;
	assert_int_equal(jr_archive_open(FOLDER, &limits, &folder, err), JR_OK);
	assert_int_equal(jr_nsys_read_folder(folder, &limits, &options, out, err), expected);
	jr_archive_close(folder);
}

/* A table that only describes is left out alone; without a table of events there is no report. */
static UNIT(damaged_tables_of_an_export)
{
	static const struct jr_pq_put_options plain = {.page_version = 1};
	static const char sql[] = NSYS_TABLES
		"CREATE TABLE PROCESSES (globalPid INTEGER, name TEXT);"
		"INSERT INTO PROCESSES VALUES (" NSYS_PID(5) ", 'python3');"
		"INSERT INTO StringIds VALUES (1, 'range'), (2, 'cudaLaunchKernel');"
		"INSERT INTO NVTX_EVENTS VALUES (1, 9, 59, NULL, NULL, " NSYS_TID(5, 6) ", 1, NULL);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (2, 3, " NSYS_TID(5, 6) ", 1, 2);";
	struct jr_timeline x;
	struct jr_error err = {.message = ""};
	make_folder(sql, &plain);
	read_export(JR_OK, &x, &err);
	assert_int_equal(x.n_damaged, 0);
	assert_string_equal(nsys_str(&x, x.processes[0].name), "python3");
	jr_timeline_done(&x);
	damage(FOLDER "/PROCESSES.parquet", 0, "x", 0);
	read_export(JR_OK, &x, &err);
	assert_int_equal(x.n_damaged, 1);
	assert_string_equal(nsys_str(&x, x.damaged[0]),
		"table PROCESSES: not a Parquet file: no 'PAR1' at offset 0" AGAIN);
	assert_int_equal(x.processes[0].name, 0);
	assert_int_equal(x.nvtx.n, 1);
	assert_string_equal(nsys_str(&x, x.calls.name[0]), "cudaLaunchKernel");
	jr_timeline_done(&x);
	damage(FOLDER "/NVTX_EVENTS.parquet", 0, "x", 0);
	read_export(JR_EFORMAT, &x, &err);
	assert_string_equal(
		err.message, "table NVTX_EVENTS: not a Parquet file: no 'PAR1' at offset 0" AGAIN);
	make_folder("CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1)", &plain);
	read_export(JR_ENOTFOUND, &x, &err);
	assert_string_equal(
		err.message, "contains no table with rows of an Nsight Systems export");
}

static UNIT(names_of_tables)
{
	assert_int_equal(jr_nsys_table_name("StringIds.parquet"), 9);
	assert_int_equal(jr_nsys_table_name(".parquet"), 0);
	assert_int_equal(jr_nsys_table_name("a/b.parquet"), 0);
	assert_int_equal(jr_nsys_table_name("b.parquet.zst"), 0);
}

UNIT_GROUP(enter_folder, leave_folder)
