/*
 * input.h - what sort of input a path is: told by its first bytes, not by its name.
 * Layer: model.
 */
#ifndef JR_MODEL_INPUT_H
#define JR_MODEL_INPUT_H

#include "base/limits.h"
#include "model/profile/profile.h"

/* A row of inputs.def. */
struct jr_input_sort {
	const char *label;
	const char *noun;
	bool archive;
	const char *within;      /* NULL: it is named by itself */
	const char *suffixes[4]; /* "" or NULL: none */
};
extern const struct jr_input_sort jr_input_sorts[JR_N_INPUTS]; /* by enum jr_input_kind */

/* Of reports of Nsight Systems, a closed format, which are exported before they are read. */
#define JR_REPORT_SUFFIXES ".nsys-rep", ".qdrep"

/** Bytes of a file's name of n bytes without the ending of an input, the longest that it has; a
 * name that is nothing but an ending stays. */
size_t jr_input_stem_size(const char *name, size_t n);
/** Whether a name ends, behind something, as files of a sort do; JR_N_INPUTS: as reports do. */
bool jr_input_named(const char *name, enum jr_input_kind kind);

/**
 * The sort whose probe recognises most of the first bytes. What nobody claims, or cannot be read,
 * is taken for an archive: opening it says what is wrong.
 */
enum jr_input_kind jr_input_probe(const char *path, const struct jr_limits *limits);
/** True where any probe claims it. */
bool jr_input_known(const char *path, const struct jr_limits *limits);

#endif
