/* All test files in one program, which runs the tests of the file that it is called by:
 * build/unit/test_sort is a link to build/unit/all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static struct unit *units;

void unit_list(struct unit *unit)
{
	unit->next = units;
	units = unit;
}

/* Linked in this order, so that tests run as they stand in their file. */
static int by_line(const void *a, const void *b)
{
	const struct unit *const *l = a, *const *r = b;
	return ((*l)->line > (*r)->line) - ((*l)->line < (*r)->line);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

int main(int argc, char **argv)
{
	const char *name = last_part(argc > 0 ? argv[0] : "");
	size_t length = strlen(name), n = 0, most = 0;
	for (const struct unit *u = units; u; u = u->next)
		most++;
	struct unit **listed = calloc(most + 1, sizeof(*listed));
	struct CMUnitTest *tests = calloc(most + 1, sizeof(*tests));
	CMFixtureFunction set_up = NULL, tear_down = NULL;
	if (!listed || !tests)
		abort();
	for (struct unit *u = units; u; u = u->next)
		if (strncmp(last_part(u->file), name, length) == 0 &&
			strcmp(last_part(u->file) + length, ".c") == 0)
			listed[n++] = u;
	qsort(listed, n, sizeof(*listed), by_line);
	most = 0;
	for (size_t i = 0; i < n; i++)
		if (listed[i]->test.test_func)
			tests[most++] = listed[i]->test;
		else {
			set_up = listed[i]->test.setup_func;
			tear_down = listed[i]->test.teardown_func;
		}
	if (most == 0)
		fprintf(stderr, "'%s' is the name of no test file\n", name);
	int failed = most ? _cmocka_run_group_tests(name, tests, most, set_up, tear_down) : 2;
	free(listed);
	free(tests);
	return failed;
}
