/*
 * sources.h - the Python programs that the scenarios pretend to run (sources/ *.py), built in.
 */
#ifndef GEN_SOURCES_H
#define GEN_SOURCES_H

#include <stddef.h>
#include <stdint.h>

#include "assets.h" /* struct jr_asset */

extern const struct jr_asset gen_sources[];
extern const size_t gen_n_sources;

/** Return the 1-based line of the first one with `snippet` in the source of that base name, and
 * the 1-based column of the snippet; abort if there is none (our own sources). */
int32_t gen_source_line(const char *path, const char *snippet, int32_t *column);

#endif
