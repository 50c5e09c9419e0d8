/*
 * replay_main.c - run a fuzz target over files, for compilers without a fuzzer.
 * usage: PROGRAM FILE|FOLDER...   Folders are read recursively. Prints how many inputs ran.
 */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* nftw() passes no context to its callback. */
static size_t n_run;
static size_t n_failed;

static int run_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	if (type != FTW_F)
		return 0;
	struct jr_file_map map;
	struct jr_error err;
	if (jr_file_map(path, &map, &err) != JR_OK) {
		fprintf(stderr, "%s\n", err.message);
		n_failed++;
		return 0;
	}
	/* A copy of exactly its size, so that ASan and valgrind detect a read past its end. */
	uint8_t *copy = malloc(map.bytes.size ? map.bytes.size : 1);
	if (!copy)
		jr_oom();
	if (map.bytes.size)
		memcpy(copy, map.bytes.data, map.bytes.size);
	(void)LLVMFuzzerTestOneInput(copy, map.bytes.size);
	free(copy);
	jr_file_unmap(&map);
	n_run++;
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (nftw(argv[i], run_file, 16, FTW_PHYS) != 0) {
			perror(argv[i]);
			n_failed++;
		}
	printf("%zu inputs\n", n_run);
	return n_failed || n_run == 0;
}
