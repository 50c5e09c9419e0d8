/*
 * compressors.h - stand-ins of zlib, Snappy and Zstandard, which fail when they are told to.
 * They stand ahead of the libraries in the program of all unit tests.
 */
#ifndef JR_TESTS_UNIT_COMPRESSORS_H
#define JR_TESTS_UNIT_COMPRESSORS_H

#include <stdbool.h>

extern bool unit_compressors_fail;

#endif
