/*
 * input.h - finds the kind of an input by its first bytes, not by its name.
 * Layer: model.
 */
#ifndef JR_MODEL_INPUT_H
#define JR_MODEL_INPUT_H

#include "model/sources/input_kind.h"

/* Suffixes of Nsight Systems reports. The format is closed, so reports are exported before they are
 * read. */
#define JR_REPORT_SUFFIXES ".nsys-rep", ".qdrep"

/** Return the length of a file name of n bytes without its longest suffix of an input. A name that
 * consists of a suffix only is kept. */
size_t jr_input_stem_size(const char *name, size_t n);
/** Return whether a name has the suffix of a report, or of an export, after a non-empty stem. */
bool jr_input_is_report(const char *name);
bool jr_input_is_export(const char *name);

/**
 * Return the kind whose probe verified most of the first bytes. Unknown and unreadable files are
 * treated as archives, so that opening them reports the error.
 */
const struct jr_input_ops *jr_input_probe(const char *path, const struct jr_limits *limits);
/** Return whether any probe recognizes the file. */
bool jr_input_known(const char *path, const struct jr_limits *limits);

#endif
