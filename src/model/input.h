/*
 * input.h - what sort of input a path is: told by its first bytes, not by its name.
 * Layer: model.
 */
#ifndef JR_MODEL_INPUT_H
#define JR_MODEL_INPUT_H

#include "base/limits.h"
#include "model/profile.h"

/**
 * The sort whose probe recognises most of the first bytes. What nobody claims, or cannot be read,
 * is taken for an archive: opening it says what is wrong.
 */
enum jr_input_kind jr_input_probe(const char *path, const struct jr_limits *limits);
/** True where any probe claims it. */
bool jr_input_known(const char *path, const struct jr_limits *limits);

#endif
