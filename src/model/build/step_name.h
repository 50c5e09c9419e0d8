/*
 * step_name.h - ranges that are numbered steps, by what they are called.
 * Layer: model.
 */
#ifndef JR_MODEL_STEP_NAME_H
#define JR_MODEL_STEP_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Tell whether a range is called as a numbered step is: "step 12", "train_step_3",
 * "ProfilerStep#7", "epoch 1 iteration 12", "1:12", "step 3/100". The word ahead of the number
 * decides: steps, iterations, and "train"; layers, epochs and microbatches are no steps.
 *
 * @param number  out: of the step, within its epoch
 * @param n_name  out: bytes of the text ahead of its first number, without what separates them; 0
 *                where it begins with a number
 */
bool jr_step_name_parse(const char *text, size_t n, int64_t *number, size_t *n_name);

#endif
