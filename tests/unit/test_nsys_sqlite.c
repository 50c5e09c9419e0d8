/* Rows of Nsight exports: columns by name, missing tables, and rows that break the rules. */
#include "nsys_build.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "in_folder.h"

#define STRINGS                                                                                    \
	"INSERT INTO StringIds (id, value) VALUES (0, ''), (1, 'gemm'), (2, 'gemm(float*)'), "         \
	"(3, 'call');"

/* --- columns and tables ---------------------------------------------------------------------- */

/* The same rows, in the columns of three versions and in an order that no version has. */
static UNIT(columns_are_found_by_name)
{
	static const char *const schemas[] = {
		/* 2.9: texts in their rows */
		"CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);" STRINGS
		"CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER, "
		"category INTEGER, color INTEGER, text TEXT, globalTid INTEGER, endGlobalTid INTEGER, "
		"textId INTEGER, domainId INTEGER, uint64Value INTEGER);"
		"INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES "
		"(1, NULL, 75, 'TSL', " NSYS_TID(9, 9) ", 1), (5, 9, 59, 'step', " NSYS_TID(9, 10) ", 1);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, "
		"globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (6, 7, 0, " NSYS_TID(9, 10) ", 4, 3, 0);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
		"contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
		"demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER, gridX INTEGER, "
		"gridY INTEGER, gridZ INTEGER);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
		"(8, 20, 1, 1, 7, 4, " NSYS_PID(9) ", 2, 1, 32, 64, 1, 1);",
		/* 3.24: texts by id, more columns */
		"CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);" STRINGS
		"INSERT INTO StringIds VALUES (7, 'step'), (8, 'TSL');"
		"CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, "
		"globalTid INTEGER, textId INTEGER, domainId INTEGER, jsonText TEXT, binaryData TEXT);"
		"INSERT INTO NVTX_EVENTS (start, end, eventType, textId, globalTid, domainId) VALUES "
		"(5, 9, 59, 7, " NSYS_TID(9, 10) ", 1), (1, NULL, 75, 8, " NSYS_TID(9, 9) ", 1);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, "
		"globalTid INTEGER, correlationId INTEGER, nameId INTEGER, callchainId INTEGER);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (6, 7, 0, " NSYS_TID(9, 10) ", 4, 3, 0);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
		"contextId INTEGER, greenContextId INTEGER, streamId INTEGER, correlationId INTEGER, "
		"globalPid INTEGER, demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER, "
		"gridX INTEGER, graphNodeId INTEGER);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
		"(8, 20, 1, 1, NULL, 7, 4, " NSYS_PID(9) ", 2, 1, 32, 64, NULL);",
		/* any order of columns, keys instead of row ids */
		"CREATE TABLE StringIds (value TEXT, id INTEGER);" STRINGS
		"CREATE TABLE NVTX_EVENTS (domainId, globalTid, text, eventType, end, start, "
		"PRIMARY KEY (start, globalTid)) WITHOUT ROWID;"
		"INSERT INTO NVTX_EVENTS VALUES (1, " NSYS_TID(9, 9) ", 'TSL', 75, NULL, 1), "
		"(1, " NSYS_TID(9, 10) ", 'step', 59, 9, 5);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (nameId, correlationId, globalTid, end, start);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (3, 4, " NSYS_TID(9, 10) ", 7, 6);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (gridX, registersPerThread, shortName, "
		"demangledName, globalPid, correlationId, streamId, deviceId, end, start);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
		"(64, 32, 1, 2, " NSYS_PID(9) ", 4, 7, 1, 20, 8);",
	};
	for (size_t i = 0; i < JR_COUNT_OF(schemas); i++)
		nsys_expect(schemas[i],
			"range 5..9 9/10 [TSL|] step\n"
			"call 6..7 9/10 id 4 call\n"
			"kernel 8..20 device 1 stream 7 id 4 process 9 gemm(float*) (gemm) grid 64 "
			"registers 32\n");
}

/* One row for each of the tables NSYS_TABLES. */
#define ROWS                                                                                       \
	STRINGS                                                                                        \
	"INSERT INTO NVTX_EVENTS VALUES (5, 9, 59, NULL, 'step', " NSYS_TID(9, 10) ", NULL, NULL);"    \
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (6, 7, " NSYS_TID(9, 10) ", 4, 3);"            \
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (8, 20, 1, 7, 4, " NSYS_PID(9) ", 2, 1, NULL);" \
	"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (30, 31, 1, 7, 5, " NSYS_PID(9) ", 64, 1);"

static const char *const row_texts[] = {"range 5..9 9/10 [|] step\n",
	"call 6..7 9/10 id 4 call\n",
	"kernel 8..20 device 1 stream 7 id 4 process 9 gemm(float*) (gemm) grid -1 registers -1\n",
	"copy 30..31 device 1 stream 7 id 5 process 9 bytes 64 kind 1\n"};

/* Each table may be absent, and so may all but one. */
static UNIT(tables_may_be_absent)
{
	static const char *const tables[] = {"NVTX_EVENTS", "CUPTI_ACTIVITY_KIND_RUNTIME",
		"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY"};
	for (unsigned absent = 0; absent < 15; absent++) {
		struct jr_buf sql = {0}, expected = {0};
		jr_buf_puts(&sql, NSYS_TABLES ROWS);
		for (unsigned i = 0; i < 4; i++) {
			if (absent & 1u << i)
				jr_buf_printf(&sql, "DROP TABLE %s;", tables[i]);
			else
				jr_buf_puts(&expected, row_texts[i]);
		}
		nsys_expect(sql.data, expected.data);
		jr_buf_done(&sql);
		jr_buf_done(&expected);
	}
	nsys_expect("CREATE TABLE albums (id INTEGER, title TEXT)",
		"ENOTFOUND: an SQLite database, but not an Nsight Systems export: it has none of its "
		"tables");
	/* one table without rows is enough to recognize the file */
	for (unsigned i = 0; i < 4; i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf sql = {0};
		jr_buf_puts(&sql, NSYS_TABLES);
		for (unsigned k = 0; k < 4; k++)
			if (k != i)
				jr_buf_printf(&sql, "DROP TABLE %s;", tables[k]);
		nsys_expect(sql.data, "");
	}
	nsys_expect("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
				"INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.24.0')", "");
}

/* Rows without a name stay unnamed, but their times count. */
static UNIT(texts_may_be_absent)
{
	nsys_expect(NSYS_TABLES ROWS "DROP TABLE StringIds;",
		"range 5..9 9/10 [|] step\n"
		"call 6..7 9/10 id 4 \n"
		"kernel 8..20 device 1 stream 7 id 4 process 9  () grid -1 registers -1\n"
		"copy 30..31 device 1 stream 7 id 5 process 9 bytes 64 kind 1\n");
	nsys_expect(NSYS_TABLES ROWS "DELETE FROM StringIds WHERE id = 2; "
								 "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET nameId = -1; "
								 "DELETE FROM CUPTI_ACTIVITY_KIND_MEMCPY;",
		"range 5..9 9/10 [|] step\n"
		"call 6..7 9/10 id 4 \n"
		"kernel 8..20 device 1 stream 7 id 4 process 9 gemm (gemm) grid -1 registers -1\n");
}

/* Null is not an id, even if there is a text with id 0. */
static UNIT(nulls_are_no_ids)
{
	nsys_expect(
		"CREATE TABLE StringIds (id, value); INSERT INTO StringIds VALUES (0, 'wrong'), (1, 'k');"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, 4, NULL);"
		"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, demangledName, shortName);"
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (3, 4, NULL, 1), (5, 6, NULL, NULL);",
		"call 1..2 0/0 id 4 \n"
		"kernel 3..4 device -1 stream -1 id -1 process -1 k (k) grid -1 registers -1\n"
		"kernel 5..6 device -1 stream -1 id -1 process -1  () grid -1 registers -1\n");
}

#define AGAIN ". Export the .nsys-rep file again, with the nsys that recorded it"

static UNIT(columns_that_must_be_there)
{
	nsys_expect("CREATE TABLE NVTX_EVENTS (start INTEGER, eventType INTEGER)",
		"EUNSUPPORTED: table NVTX_EVENTS has no column 'end'" AGAIN);
	nsys_expect("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (end INTEGER, globalTid INTEGER)",
		"EUNSUPPORTED: table CUPTI_ACTIVITY_KIND_RUNTIME has no column 'start'" AGAIN);
	nsys_expect("CREATE TABLE StringIds (id INTEGER)",
		"EUNSUPPORTED: table StringIds has no column 'value'" AGAIN);
	/* names are compared exactly: SQL would find this one */
	nsys_expect("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (START INTEGER, END INTEGER)",
		"EUNSUPPORTED: table CUPTI_ACTIVITY_KIND_KERNEL has no column 'start'" AGAIN);
	/* all others may be absent */
	nsys_expect("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end);"
				"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2)",
		"kernel 1..2 device -1 stream -1 id -1 process -1  () grid -1 registers -1\n");
}

/* --- rows that break the rules --------------------------------------------------------------- */

#define CALL(start, end)                                                                           \
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" start ", " end ", "                         \
	NSYS_TID(9, 10) ", 4, 3);"
#define LOOSE                                                                                      \
	"CREATE TABLE StringIds (id, value);" STRINGS                                                  \
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);"

static UNIT(times_of_other_types)
{
	nsys_expect(LOOSE CALL("NULL", "1") CALL("1", "NULL") CALL("'1'", "2") CALL("1.5", "2")
					CALL("1", "x'02'") CALL("3", "2") CALL("3", "3"),
		"call 3..3 9/10 id 4 call\nbad rows 6\n");
	/* an open range has no end, a call must have one; a mark needs none */
	nsys_expect(NSYS_TABLES
		"INSERT INTO NVTX_EVENTS VALUES (5, NULL, 59, NULL, 'a', 1, NULL, NULL), "
		"(6, NULL, 34, NULL, 'b', 1, NULL, NULL), (7, 'x', 59, NULL, 'c', 1, NULL, NULL), "
		"(8, 7, 60, NULL, 'd', 1, NULL, NULL), (8, 7, 34, NULL, 'e', 1, NULL, NULL)",
		"range 5.. 0/1 [|] a\nmark 6..6 0/1 [|] b\nbad rows 3\n");
}

static UNIT(times_out_of_range)
{
	nsys_expect(LOOSE CALL("-5", "-2") CALL("-4611686018427387903", "-4611686018427387903")
					CALL("-4611686018427387904", "0") CALL("0", "4611686018427387904")
						CALL("4611686018427387903", "4611686018427387903"),
		"call -5..-2 9/10 id 4 call\n"
		"call -4611686018427387903..-4611686018427387903 9/10 id 4 call\n"
		"call 4611686018427387903..4611686018427387903 9/10 id 4 call\nbad rows 2\n");
	nsys_expect(LOOSE CALL("0", "4611686018427387903") CALL("0", "4611686018427387903")
					CALL("0", "4611686018427387903"),
		"EFORMAT: table CUPTI_ACTIVITY_KIND_RUNTIME: durations add up to more than fits in 64 "
		"bits");
}

static UNIT(ids_out_of_range)
{
	nsys_expect(NSYS_TABLES
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, -1, 4294967295, 4294967296, NULL, "
		"99, -99, NULL), (3, 4, 'x', 4294967294, NULL, 5, 2, 1, NULL);" STRINGS,
		"kernel 1..2 device -1 stream -1 id -1 process -1  () grid -1 registers -1\n"
		"kernel 3..4 device 0 stream -2 id -1 process 0 gemm(float*) (gemm) grid -1 "
		"registers -1\n");
	nsys_expect(NSYS_TABLES
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 2, 0, 0, 0, 0, -1, 1)",
		"bad rows 1\n");
	nsys_expect(NSYS_TABLES
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 2, 0, 0, 0, 0, 9223372036854775807, 1), "
		"(1, 2, 0, 0, 0, 0, 1, 1)",
		"copy 1..2 device 0 stream 0 id 0 process 0 bytes 1 kind 1\nbad rows 1\n");
}

/* Ids of texts that are far apart, below 0, or repeated (where no key forbids it): the last one
 * counts. */
static UNIT(ids_of_texts)
{
	nsys_expect("CREATE TABLE StringIds (id INTEGER, value TEXT);"
				"INSERT INTO StringIds VALUES (-7, 'a'), (4611686018427387904, 'b'), (3, 'c'), "
				"(3, 'd'), (4, NULL), (5, 'tab' || char(9) || char(10) || 'x' || char(27));"
				"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, nameId);"
				"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 1, -7), "
				"(2, 2, 4611686018427387904), (3, 3, 3), (4, 4, 4), (5, 5, 5), (6, 6, NULL)",
		"call 1..1 0/0 id -1 a\ncall 2..2 0/0 id -1 b\ncall 3..3 0/0 id -1 c\n"
		"call 4..4 0/0 id -1 \ncall 5..5 0/0 id -1 "
		"tab\xe2\x90\x89\xe2\x90\x8ax\xe2\x90\x9b\ncall 6..6 0/0 id -1 \n");
}

/* --- NVTX ------------------------------------------------------------------------------------ */

/* Numbers of domains belong to a process, numbers of categories to a domain. */
static UNIT(domains_and_categories)
{
	nsys_expect(NSYS_TABLES
		"INSERT INTO NVTX_EVENTS (start, end, eventType, category, text, globalTid, domainId) "
		"VALUES "
		"(1, 2, 59, 1, 'a', " NSYS_TID(9, 1) ", 1), (2, 3, 59, 1, 'b', " NSYS_TID(9, 1) ", 2),"
		"(3, 4, 59, 1, 'c', " NSYS_TID(9, 1) ", NULL), (4, 5, 59, 1, 'd', " NSYS_TID(8, 1) ", 1),"
		"(5, 6, 60, 2, 'e', " NSYS_TID(9, 1) ", 1), (6, 6, 34, NULL, 'f', " NSYS_TID(9, 1) ", 1),"
		"(7, 8, 59, 0, 'g', " NSYS_TID(9, 1) ", 0), (8, 9, 59, -3, 'h', " NSYS_TID(9, 1) ", 5),"
		"(0, NULL, 75, NULL, 'one', " NSYS_TID(9, 1) ", 1),"
		"(0, NULL, 75, NULL, 'two', " NSYS_TID(9, 1) ", 2),"
		"(0, NULL, 75, NULL, 'other', " NSYS_TID(8, 1) ", 1),"
		"(0, NULL, 75, NULL, 'nothing', " NSYS_TID(9, 1) ", 0),"
		"(0, NULL, 33, 1, 'red', " NSYS_TID(9, 1) ", 1),"
		"(0, NULL, 33, 1, 'blue', " NSYS_TID(9, 1) ", 2),"
		"(0, NULL, 64, 1, 'plain', " NSYS_TID(9, 1) ", NULL),"
		"(0, NULL, 33, 0, 'nothing', " NSYS_TID(9, 1) ", 1),"
		"(0, NULL, 33, 77, 'unused', " NSYS_TID(9, 1) ", 7)",
		"range 1..2 9/1 [one|red] a\nrange 2..3 9/1 [two|blue] b\nrange 3..4 9/1 [|plain] c\n"
		"range 4..5 8/1 [other|] d\nstart/end 5..6 9/1 [one|] e\nmark 6..6 9/1 [one|] f\n"
		"range 7..8 9/1 [|] g\nrange 8..9 9/1 [|] h\n");
}

/* Events of unknown kinds are skipped; events of nvtxt files count like the others. */
static UNIT(kinds_of_events)
{
	nsys_expect(NSYS_TABLES
		"INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) VALUES "
		"(1, 2, 59, 'a', 1), (1, 2, 60, 'b', 1), (1, 2, 34, 'c', 1),"
		"(1, 2, 70, 'd', 1), (1, 2, 71, 'e', 1), (1, 2, 65, 'f', 1),"
		"(1, 2, 0, 'g', 1), (1, 2, -59, 'h', 1), (1, 2, 9999, 'i', 1)",
		"range 1..2 0/1 [|] a\nstart/end 1..2 0/1 [|] b\nmark 1..1 0/1 [|] c\n"
		"range 1..2 0/1 [|] d\nstart/end 1..2 0/1 [|] e\nmark 1..1 0/1 [|] f\n");
}

static size_t up_to_comma(const char *text, size_t n)
{
	const char *comma = memchr(text, ',', n);
	return comma ? (size_t)(comma - text) : n;
}

/* A text is cut wherever it is stored; names of domains are kept whole. */
static UNIT(texts_are_shortened)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_bytes bytes = nsys_bytes(NSYS_TABLES
		"INSERT INTO StringIds VALUES (0, ''), (1, 'mul, seq 1'), (2, 'my, domain');"
		"INSERT INTO NVTX_EVENTS (start, end, eventType, text, textId, globalTid, domainId) VALUES "
		"(1, 2, 59, 'mul, seq 2', NULL, 1, 1), (1, 2, 59, NULL, 1, 1, 1),"
		"(0, NULL, 75, NULL, 2, 1, 1)");
	char *got = nsys_dump_with(bytes, NULL, &limits, up_to_comma);
	assert_string_equal(
		got, "range 1..2 0/1 [my, domain|] mul\nrange 1..2 0/1 [my, domain|] mul\n");
	free(got);
	nsys_free(bytes);
}

/* --- limits ---------------------------------------------------------------------------------- */

static struct jr_timeline read_default(const char *sql)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_nsys_options options = {.n_threads = 1};
	struct jr_timeline x;
	struct jr_error err = {.message = ""};
	struct jr_bytes bytes = nsys_bytes(sql);
	if (jr_nsys_read_memory(bytes, &limits, &options, &x, &err) != JR_OK)
		fail_msg("%s", err.message);
	nsys_free(bytes);
	return x;
}

static void check_sums(const struct jr_timeline *x, const struct jr_timeline_sum *sums, size_t n)
{
	uint64_t count = 0;
	int64_t total_ns = 0;
	assert_int_equal(n, 64);
	for (size_t i = 0; i < n; i++) {
		count += sums[i].count;
		total_ns += sums[i].total_ns;
		assert_int_equal(strcmp(nsys_str(x, sums[i].name), "other") == 0, i == 63);
	}
	assert_int_equal(count, 70);
	assert_int_equal(total_ns, 70 * 71 / 2);
	assert_int_equal(sums[63].count, 70 - 63);
	assert_int_equal(sums[63].max_ns, 70);
}

/* Beyond the number of kinds that are kept apart, no row is lost or counted as another kind. */
static UNIT(kinds_beyond_all_bounds)
{
	struct jr_timeline x =
		read_default("CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, syncType);"
					 "CREATE TABLE PROFILER_OVERHEAD (start, end, nameId);"
					 "CREATE TABLE StringIds (id, value);"
					 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 70) "
					 "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SELECT 5, 5 + i, i FROM n;"
					 "INSERT INTO PROFILER_OVERHEAD SELECT start, end, syncType "
					 "FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;"
					 "INSERT INTO StringIds SELECT syncType, 'kind ' || syncType "
					 "FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;");
	check_sums(&x, x.waits, x.n_waits);
	check_sums(&x, x.overheads, x.n_overheads);
	jr_timeline_done(&x);
}

/* An overhead without both times does not count, not even with length 0. */
static UNIT(overheads_without_times)
{
	struct jr_timeline x = read_default(
		"CREATE TABLE PROFILER_OVERHEAD (start, end, nameId);"
		"CREATE TABLE StringIds (id, value); INSERT INTO StringIds VALUES (1, 'a'), (2, 'b');"
		"INSERT INTO PROFILER_OVERHEAD VALUES (NULL, 7, 1), (7, NULL, 1), (9, 8, 1), (1.5, 3, 1), "
		"(7, 9, 2);"
		"CREATE TABLE NVTX_EVENTS (start, end, eventType);");
	assert_int_equal(x.n_overheads, 1);
	assert_string_equal(nsys_str(&x, x.overheads[0].name), "b");
	assert_int_equal(x.overheads[0].total_ns, 2);
	assert_int_equal(x.n_bad_rows, 4);
	jr_timeline_done(&x);
}

/* Warnings and errors, each once with its count and its first time. */
static UNIT(messages_once_each)
{
	struct jr_timeline x = read_default(
		"CREATE TABLE NVTX_EVENTS (start, end, eventType);"
		"CREATE TABLE DIAGNOSTIC_EVENT (timestamp, source, severity, text);"
		"INSERT INTO DIAGNOSTIC_EVENT VALUES (9, 1, 2, 'a'), (8, 1, 1, 'said'), (7, 1, 2, 'a'), "
		"(8, 2, 2, 'a'), (5, 1, 3, 'a'), (6, 1, 0, 'unknown'), (6, 7, 3, 'b'), (11, 1, 2, 'a')");
	static const struct jr_timeline_message expected[] = {
		{5, 1, 3, 0, 0}, {6, 1, 3, 0, 0}, {7, 3, 2, 0, 0}, {8, 1, 2, 0, 0}};
	static const char *const texts[] = {"injection: a", ": b", "injection: a", "daemon: a"};
	assert_int_equal(x.n_messages, JR_COUNT_OF(expected));
	for (size_t i = 0; i < JR_COUNT_OF(expected); i++) {
		const struct jr_timeline_message *m = &x.messages[i];
		char text[64];
		snprintf(text, sizeof(text), "%s: %s", nsys_str(&x, m->source), nsys_str(&x, m->text));
		assert_string_equal(text, texts[i]);
		assert_int_equal(m->t_ns, expected[i].t_ns);
		assert_int_equal(m->count, expected[i].count);
		assert_int_equal(m->severity, expected[i].severity);
	}
	jr_timeline_done(&x);
}

/* Messages that are not kept are counted. */
static UNIT(messages_beyond_all_bounds)
{
	struct jr_timeline x = read_default(
		"CREATE TABLE NVTX_EVENTS (start, end, eventType);"
		"CREATE TABLE DIAGNOSTIC_EVENT (timestamp, source, severity, text);"
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4100) "
		"INSERT INTO DIAGNOSTIC_EVENT SELECT i, 1, 2, 'text ' || i FROM n;");
	assert_int_equal(x.n_messages, 4096);
	assert_int_equal(x.n_rows_left_out, 4);
	jr_timeline_done(&x);
}

/* Rows that are summed up take no memory, and do not count as GPU operations. */
static UNIT(rows_that_are_summed_up)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_nsys_options options = {.n_threads = 1};
	struct jr_timeline x;
	struct jr_error err = {.message = ""};
	struct jr_bytes bytes = nsys_bytes(
		"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, syncType);"
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) "
		"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION SELECT i, i + 2, 3 FROM n;");
	limits.memory_bytes = 1 << 20;
	if (jr_nsys_read_memory(bytes, &limits, &options, &x, &err) != JR_OK)
		fail_msg("%s", err.message);
	assert_int_equal(x.n_waits, 1);
	assert_int_equal(x.waits[0].count, 50000);
	assert_int_equal(x.waits[0].total_ns, 100000);
	assert_int_equal(x.gpu.n, 0);
	assert_false(x.has_gpu);
	jr_timeline_done(&x);
	nsys_free(bytes);
}

static UNIT(limits_hold)
{
	struct jr_limits limits = jr_limits_default();
	limits.rows = 2;
	nsys_expect_with(LOOSE "DELETE FROM StringIds;" CALL("1", "2") CALL("3", "4"), &limits,
		"call 1..2 9/10 id 4 \ncall 3..4 9/10 id 4 \n");
	nsys_expect_with(LOOSE "DELETE FROM StringIds;" CALL("1", "2") CALL("3", "4") CALL("5", "6"),
		&limits, "ELIMIT: table CUPTI_ACTIVITY_KIND_RUNTIME: more than 2 rows (--max-rows)");
	limits = jr_limits_default();
	limits.string_bytes = 3;
	nsys_expect_with(LOOSE "UPDATE StringIds SET value = 'abcdef' WHERE id = 3;" CALL("1", "2"),
		&limits, "call 1..2 9/10 id 4 abc… [6 bytes, 2ec6fce81ee01e68]\nlong texts 3\n");
	nsys_expect_with("CREATE TABLE NVTX_EVENTS (start, end, eventType, text);"
					 "INSERT INTO NVTX_EVENTS VALUES (5, 9, 59, 'abcdef'), (6, 7, 59, 'abc');",
		&limits,
		"range 5..9 0/0 [|] abc… [6 bytes, 2ec6fce81ee01e68]\nrange 6..7 0/0 [|] abc\nlong texts "
		"1\n");
	limits = jr_limits_default();
	limits.memory_bytes = 16;
	struct jr_bytes bytes = nsys_bytes(NSYS_TABLES ROWS);
	char *got = nsys_dump_with(bytes, NULL, &limits, NULL);
	assert_true(strncmp(got, "ELIMIT: ", 8) == 0);
	free(got);
	nsys_free(bytes);
}

/* --- special contents of databases ----------------------------------------------------------- */

static UNIT(nothing_is_run)
{
	/* a view is refused, and so is a computed column */
	nsys_expect(LOOSE CALL("1", "2") "ALTER TABLE CUPTI_ACTIVITY_KIND_RUNTIME RENAME TO hidden;"
									 "CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS SELECT * FROM "
									 "hidden;"
									 "CREATE TABLE META_DATA_EXPORT (name, value);"
									 "INSERT INTO META_DATA_EXPORT VALUES ('a', 'b')",
		"EUNSUPPORTED: table CUPTI_ACTIVITY_KIND_RUNTIME is a view or a virtual table, which is "
		"not supported. Export the .nsys-rep file again, or copy the rows into a table");
	nsys_expect("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, "
				"end INTEGER GENERATED ALWAYS AS (start + 1))",
		"EUNSUPPORTED: table CUPTI_ACTIVITY_KIND_RUNTIME: column 'end' is computed from others, "
		"which is not supported. Export the .nsys-rep file again, or copy the rows into a table");
	/* an index made to reorder rows is not followed */
	nsys_expect(LOOSE CALL("5", "6") CALL("1", "2")
					"CREATE INDEX i ON CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, "
					"correlationId, nameId)",
		"call 5..6 9/10 id 4 call\ncall 1..2 9/10 id 4 call\n");
}

static UNIT(damaged_files)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_bytes whole = nsys_bytes(NSYS_TABLES ROWS);
	assert_true(jr_nsys_is_sqlite(whole));
	assert_false(jr_nsys_is_sqlite(jr_bytes_of(whole.data, 15)));
	for (size_t n = 0; n < whole.size; n += n < 200 ? 1 : 97) {
		unsigned char *cut = malloc(n ? n : 1);
		assert_non_null(cut);
		memcpy(cut, whole.data, n);
		char *got = nsys_dump_with(jr_bytes_of(cut, n), NULL, &limits, NULL);
		if (strncmp(got, "E", 1) != 0)
			fail_msg("cut to %zu of %zu bytes: %s", n, whole.size, got);
		free(got);
		free(cut);
	}
	nsys_free(whole);
}

/* --- files ----------------------------------------------------------------------------------- */

/* The contents of a write-ahead log next to the file count; an empty log changes nothing. */
static UNIT_IN_FOLDER(log_beside_the_file)
{
	sqlite3 *db = nsys_open("a.sqlite");
	nsys_sql(db, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;" LOOSE CALL("1", "2")
				 "PRAGMA wal_checkpoint(TRUNCATE);");
	nsys_expect_path("a.sqlite", "call 1..2 9/10 id 4 call\n");
	nsys_sql(db, CALL("3", "4"));
	assert_int_equal(access("a.sqlite-wal", F_OK), 0);
	nsys_expect_path("a.sqlite", "call 1..2 9/10 id 4 call\ncall 3..4 9/10 id 4 call\n");
	sqlite3_close(db);
	nsys_expect_path("a.sqlite", "call 1..2 9/10 id 4 call\ncall 3..4 9/10 id 4 call\n");
}

static void copy_file(const char *from, const char *to)
{
	FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
	assert_true(in && out);
	for (int c; (c = fgetc(in)) != EOF;)
		assert_int_equal(fputc(c, out), c);
	assert_int_equal(fclose(in) | fclose(out), 0);
}

static uint64_t size_of(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 ? (uint64_t)st.st_size : UINT64_MAX;
}

/* A copy of a file and its log: the index of the log is created only in memory. An existing
 * index is not touched. */
static UNIT_IN_FOLDER(log_alone)
{
	static const char rows[] = "call 1..2 9/10 id 4 call\ncall 3..4 9/10 id 4 call\n";
	sqlite3 *db = nsys_open("a.sqlite");
	nsys_sql(db, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;" LOOSE CALL("1", "2")
				 "PRAGMA wal_checkpoint(TRUNCATE);");
	nsys_sql(db, CALL("3", "4"));
	copy_file("a.sqlite", "c.sqlite");
	copy_file("a.sqlite-wal", "c.sqlite-wal");
	uint64_t log_bytes = size_of("c.sqlite-wal");
	nsys_expect_path("c.sqlite", rows);
	assert_int_equal(size_of("c.sqlite-wal"), log_bytes);
	assert_int_not_equal(access("c.sqlite-shm", F_OK), 0);
	fclose(fopen("c.sqlite-shm", "wb"));
	nsys_expect_path("c.sqlite", rows);
	assert_int_equal(size_of("c.sqlite-shm"), 0);
	sqlite3_close(db);
}

/* A writer with exclusive use of a log keeps no index next to it, only a lock. */
static UNIT_IN_FOLDER(log_of_somebody_else)
{
	sqlite3 *db = nsys_open("a.sqlite");
	nsys_sql(db, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;" LOOSE CALL("1", "2"));
	copy_file("a.sqlite", "c.sqlite");
	copy_file("a.sqlite-wal", "c.sqlite-wal");
	sqlite3_close(db);
	pid_t child = fork();
	if (child == 0) {
		nsys_sql(db = nsys_open("c.sqlite"),
			"PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;" CALL("3", "4"));
		fclose(fopen("a.sqlite-journal", "wb")); /* tells the parent that it has the lock */
		for (;;)
			pause();
	}
	while (access("a.sqlite-journal", F_OK) != 0)
		usleep(1000);
	nsys_expect_path(
		"c.sqlite", "EIO: the database is locked. Wait until it is completely written");
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	nsys_expect_path("c.sqlite", "call 1..2 9/10 id 4 call\n");
}

/* A journal of an unfinished change: the contents of the file cannot be trusted. SQLite would
 * have to write to the file to undo the change, but it is opened for reading only. */
static UNIT_IN_FOLDER(journal_beside_the_file)
{
	sqlite3 *db = nsys_open("a.sqlite");
	nsys_sql(db, "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1;" LOOSE CALL("1", "2"));
	nsys_sql(db, "BEGIN EXCLUSIVE; PRAGMA cache_spill = 1;" CALL("3", "4"));
	struct jr_limits limits = jr_limits_default();
	char *got = nsys_dump_with((struct jr_bytes){0}, "a.sqlite", &limits, NULL);
	assert_string_equal(got, "EIO: the database is locked. Wait until it is completely written");
	free(got);
	/* the state after a writer is killed that had begun to write to the file itself */
	nsys_sql(db, "CREATE TABLE large AS WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
				 "FROM r LIMIT 20000) SELECT i, hex(i) FROM r");
	copy_file("a.sqlite", "c.sqlite");
	copy_file("a.sqlite-journal", "c.sqlite-journal");
	uint64_t journal_bytes = size_of("c.sqlite-journal");
	got = nsys_dump_with((struct jr_bytes){0}, "c.sqlite", &limits, NULL);
	assert_non_null(strstr(got, "EFORMAT: it was cut off while it was written, and its journal "
								"still exists. Export again: nsys export --type sqlite"));
	free(got);
	assert_int_equal(size_of("c.sqlite-journal"), journal_bytes);
	nsys_sql(db, "COMMIT");
	sqlite3_close(db);
	nsys_expect_path("a.sqlite", "call 1..2 9/10 id 4 call\ncall 3..4 9/10 id 4 call\n");
}

/* Some writers keep the journal of a finished change, and write zeros to its head. */
static UNIT_IN_FOLDER(journal_of_what_is_finished)
{
	sqlite3 *db = nsys_open("a.sqlite");
	nsys_sql(db, "PRAGMA journal_mode = PERSIST;" LOOSE CALL("1", "2"));
	sqlite3_close(db);
	assert_true(size_of("a.sqlite-journal") > 0 && size_of("a.sqlite-journal") != UINT64_MAX);
	nsys_expect_path("a.sqlite", "call 1..2 9/10 id 4 call\n");
}

static UNIT_IN_FOLDER(names_of_files)
{
	sqlite3 *db = nsys_open("b ?#%.sqlite");
	nsys_sql(db, LOOSE CALL("1", "2"));
	sqlite3_close(db);
	nsys_expect_path("b ?#%.sqlite", "call 1..2 9/10 id 4 call\n");
	nsys_expect_path("absent", "EIO: absent: does not exist");
	nsys_expect_path(".", "EUNSUPPORTED: '.' is not a regular file");
}
