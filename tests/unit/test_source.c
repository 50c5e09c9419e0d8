/* Which members of an archive are those of one of its processes. */
#include "zip_maker.h"

#include "base/cleanup.h"
#include "model/source.h"

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

static void behind_a_beginning(void **state)
{
	(void)state;
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

static void members_of_a_process(void **state)
{
	(void)state;
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
		assert_int_equal(n_looks, 6); /* one a file and one a folder, however full that is */
	}
	jr_archive_close(archive);
	jr_buf_done(&zip);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(behind_a_beginning),
		cmocka_unit_test(members_of_a_process),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
