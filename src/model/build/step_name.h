/*
 * step_name.h - recognition of numbered steps by range names.
 * Layer: model.
 */
#ifndef JR_MODEL_STEP_NAME_H
#define JR_MODEL_STEP_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Return whether a range has the name of a numbered step: "step 12", "train_step_3",
 * "ProfilerStep#7", "epoch 1 iteration 12", "1:12", "step 3/100". The word before the number
 * decides: steps, iterations and "train" count; layers, epochs and microbatches do not.
 *
 * @param number  out: number of the step within its epoch
 * @param n_name  out: bytes of the text before its first number, without separators; 0 if it begins
 *                with a number
 */
bool jr_step_name_parse(const char *text, size_t n, int64_t *number, size_t *n_name);

#endif
