/*
 * in_folder.h - tests that work in a new folder below /tmp, which is removed at their end.
 * Test code; static functions only.
 */
#ifndef JR_TESTS_IN_FOLDER_H
#define JR_TESTS_IN_FOLDER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "base/file.h"

struct place {
	char *folder, *before;
};

static inline int enter_folder(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	if (!p || !(p->before = getcwd(NULL, 0)) || !(p->folder = strdup("/tmp/jaxreport-test-XXXXXX")))
		return -1;
	*state = p;
	return mkdtemp(p->folder) ? chdir(p->folder) : -1;
}

static inline int leave_folder(void **state)
{
	struct place *p = *state;
	int rc = chdir(p->before);
	jr_remove_tree(p->folder);
	bool left = access(p->folder, F_OK) == 0;
	free(p->folder);
	free(p->before);
	free(p);
	return left ? -1 : rc;
}

#define UNIT_IN_FOLDER(name) UNIT_WITH(name, enter_folder, leave_folder)

static inline void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

#endif
