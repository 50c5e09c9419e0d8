/*
 * replay_main.c - run one fuzz target over kept inputs, without a fuzzer.
 *
 * usage: TARGET FILE...; each file is one input. A crash is the failure.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct jr_file_map map;
		struct jr_error err;
		if (jr_file_map(argv[i], &map, &err) != JR_OK) {
			fprintf(stderr, "%s\n", err.message);
			return 1;
		}
		/* A copy, so that ASan sees reads behind the end. */
		uint8_t *copy = malloc(map.bytes.size ? map.bytes.size : 1);
		if (!copy)
			return 1;
		for (size_t k = 0; k < map.bytes.size; k++)
			copy[k] = map.bytes.data[k];
		(void)LLVMFuzzerTestOneInput(copy, map.bytes.size);
		free(copy);
		jr_file_unmap(&map);
	}
	return 0;
}
