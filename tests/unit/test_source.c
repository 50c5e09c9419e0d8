/* Which members of an archive belong to one of its processes, and which programs the process
 * ran. */
#include "parquet_table_build.h"
#include "zip_maker.h"

#include "base/cleanup.h"
#include "model/kinds/archives.h"

static const char *const members[] = {"dump/a", "dump/a.b", "dump/a/r1", "dump/a/r2", "dump/a/r20",
	"dump/a/r3/r2", "dump/a0", "dump/b/r2", "dump/c/r1", "else"};

static struct jr_archive *open_members(struct jr_buf *zip)
{
	struct zip_maker m = zip_begin();
	for (size_t i = 0; i < JR_COUNT_OF(members); i++)
		zip_add_text(&m, members[i], "x");
	*zip = zip_end(&m);
	return zip_archive(zip);
}

static UNIT(behind_a_beginning)
{
	struct jr_buf zip;
	struct jr_archive *archive = open_members(&zip);
	assert_int_equal(jr_archive_behind(archive, 0, 6), 7);  /* dump/a */
	assert_int_equal(jr_archive_behind(archive, 2, 7), 6);  /* dump/a/ */
	assert_int_equal(jr_archive_behind(archive, 4, 7), 6);  /* ... from within */
	assert_int_equal(jr_archive_behind(archive, 0, 5), 9);  /* dump/ */
	assert_int_equal(jr_archive_behind(archive, 0, 0), 10);
	assert_int_equal(jr_archive_behind(archive, 9, 4), 10);
	jr_archive_close(archive);
	jr_buf_done(&zip);
}

static UNIT(members_of_a_process)
{
	static const struct {
		const char *part;
		const char *expected;
	} cases[] = {{"r2", "dump/a dump/a.b dump/a/r2 dump/a0 dump/b/r2 "},
		{"r20", "dump/a dump/a.b dump/a/r20 dump/a0 "},
		{"r3", "dump/a dump/a.b dump/a0 "}, {NULL, "dump/a dump/a.b dump/a0 "}};
	struct jr_buf zip;
	struct jr_archive *archive = open_members(&zip);
	for (size_t k = 0; k < JR_COUNT_OF(cases); k++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf got = {0};
		size_t n_looks = 0;
		for (size_t i = 0, next; i < 9; i = next, n_looks++) {
			size_t found = jr_source_member_of(archive, i, 5, cases[k].part, &next);
			if (found != SIZE_MAX)
				jr_buf_printf(&got, "%s ", jr_archive_at(archive, found)->name);
		}
		assert_string_equal(got.data, cases[k].expected);
		assert_int_equal(n_looks, 6); /* one look per file and one per folder of any size */
	}
	jr_archive_close(archive);
	jr_buf_done(&zip);
}

/* --- programs --------------------------------------------------------------------------------- */

/* Make an archive whose trace has one range per text. */
static struct jr_buf zip_of_trace(struct jr_arena *a, const char *const *texts, size_t n)
{
	static const char *const columns[] = {"Start", "End", "Range ID", "Parent ID", "PID", "TID"};
	struct table_build t = table_begin(a, n);
	table_texts(&t, "Text", texts);
	for (size_t c = 0; c < JR_COUNT_OF(columns); c++) {
		int64_t *values = JR_ARENA_N(a, int64_t, n);
		for (size_t i = 0; i < n; i++)
			values[i] = c == 3 ? NO_VALUE : 100 * (int64_t)i + (int64_t)c;
		table_numbers(&t, columns[c], values);
	}
	JR_CLEANUP(jr_buf_done) struct jr_buf file = table_file(&t);
	struct zip_maker m = zip_begin();
	zip_add_bytes(&m, JR_MEMBER_TRACE, file.data, file.size, ZIP_CM_STORE);
	zip_add_text(&m, "dump/module_0000.jit_zero.sm_9.0_gpu_after_optimizations.hlo.pb", "x");
	zip_add_text(&m, "dump/module_4294967296.jit_far.sm_9.0_gpu_after_optimizations.hlo.pb", "x");
	return zip_end(&m);
}

/* Every program number counts, including 0 and those beyond 32 bits; it identifies the dump. */
static UNIT(programs_of_a_trace)
{
	static const char *const texts[] = {
		"TSL:XlaModule:#hlo_module=jit_far,program_id=4294967296#",
		"TSL:XlaModule:#hlo_module=jit_step,program_id=7#",
		"TSL:XlaModule:#hlo_module=jit_zero,program_id=0#",
		"TSL:XlaModule:#hlo_module=jit_most,program_id=4294967295#",
		"TSL:XlaModule:#hlo_module=jit_tuned#", "TSL:Thunk:#hlo_op=a.1#"};
	JR_CLEANUP(jr_arena_done) struct jr_arena arena;
	jr_arena_init(&arena, 0);
	JR_CLEANUP(jr_buf_done) struct jr_buf zip = zip_of_trace(&arena, texts, JR_COUNT_OF(texts));
	struct jr_archive *archive = zip_archive(&zip);
	struct jr_limits limits = jr_limits_default();
	struct jr_source source;
	jr_source_init(&source, 0, "x.zip", NULL, archive, &limits);
	jr_source_read_trace(&source);
	if (!source.has_trace)
		fail_msg("%s", source.trace_error.message);
	JR_CLEANUP(jr_buf_done) struct jr_buf got = {0};
	for (size_t i = 0; i < source.n_programs; i++)
		jr_buf_printf(&got, "%lld %s%s, ", (long long)source.programs[i].number,
			source.programs[i].module, source.programs[i].member == SIZE_MAX ? "" : " (dump)");
	assert_string_equal(got.data,
		"0 jit_zero (dump), 7 jit_step, 4294967295 jit_most, 4294967296 jit_far (dump), ");
	jr_source_done(&source);
	jr_archive_close(archive);
}
