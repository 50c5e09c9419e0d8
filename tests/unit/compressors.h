/*
 * compressors.h - wrappers of zlib, Snappy and Zstandard that fail if unit_compressors_fail is set.
 * The program of all unit tests links them before the libraries.
 */
#ifndef JR_TESTS_UNIT_COMPRESSORS_H
#define JR_TESTS_UNIT_COMPRESSORS_H

#include <stdbool.h>

extern bool unit_compressors_fail;

#endif
