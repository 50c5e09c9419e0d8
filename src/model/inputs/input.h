/*
 * input.h - what kind of input a path is: told by its first bytes, not by its name.
 * Layer: model.
 */
#ifndef JR_MODEL_INPUT_H
#define JR_MODEL_INPUT_H

#include "model/sources/input_kind.h"

/* Of reports of Nsight Systems, a closed format, which are exported before they are read. */
#define JR_REPORT_SUFFIXES ".nsys-rep", ".qdrep"

/** Bytes of a file's name of n bytes without the ending of an input, the longest that it has; a
 * name that is nothing but an ending stays. */
size_t jr_input_stem_size(const char *name, size_t n);
/** Whether a name ends, behind something, as those of reports do, or of their exports. */
bool jr_input_is_report(const char *name);
bool jr_input_is_export(const char *name);

/**
 * The kind whose probe recognises most of the first bytes. What nobody claims, or cannot be read,
 * is taken for an archive: opening it says what is wrong.
 */
const struct jr_input_ops *jr_input_probe(const char *path, const struct jr_limits *limits);
/** True where any probe claims it. */
bool jr_input_known(const char *path, const struct jr_limits *limits);

#endif
