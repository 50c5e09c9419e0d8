/* All test files in one program, which runs the test that it is called by: build/unit/test_sort
 * is a link to build/unit/all. */
#include <stdio.h>
#include <string.h>

/* Generated: the main() of each test file; ends with NULL. */
extern const struct {
	const char *name;
	int (*main)(void);
} jr_units[];

int main(int argc, char **argv)
{
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "";
	for (size_t i = 0; jr_units[i].name; i++)
		if (strcmp(jr_units[i].name, name) == 0)
			return jr_units[i].main();
	fprintf(stderr, "'%s' is the name of no test file\n", name);
	return 2;
}
