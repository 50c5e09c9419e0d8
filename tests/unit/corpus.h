/*
 * corpus.h - real files outside the repository (../shared/data): tests that need them are visibly
 * skipped if they are missing.
 */
#ifndef JR_TESTS_CORPUS_H
#define JR_TESTS_CORPUS_H

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "base/file.h"
#include "base/vec.h"

#define CORPUS "../shared/data/"

/* The test itself must call it, because skip() leaves the test. */
#define CORPUS_OR_SKIP(folder)                                                                     \
	do {                                                                                           \
		if (access(CORPUS folder, R_OK) != 0) {                                                    \
			print_message("no " CORPUS folder "\n");                                               \
			skip();                                                                                \
		}                                                                                          \
	} while (0)

/* Call fn(path, file name, context) for each regular file of a folder; return their number. */
static inline size_t corpus_each(const char *folder,
	void (*fn)(const char *path, const char *name, void *context), void *context)
{
	size_t n = 0;
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));) {
		char path[4096];
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		fn(path, e->d_name, context);
		n++;
	}
	if (d)
		closedir(d);
	return n;
}

static inline bool has_prefix(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

static inline bool has_suffix(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);
	return n >= m && strcmp(s + n - m, suffix) == 0;
}

#endif
