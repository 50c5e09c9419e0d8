/*
 * hlo_strings.h - the strings that XLA registers with NVTX for each module that it loads: titles,
 * texts of instructions, Python stacks and called computations
 * (xla/backends/gpu/runtime/annotation.cc). Nsight Systems exports them in StringIds.
 */
#ifndef GEN_HLO_STRINGS_H
#define GEN_HLO_STRINGS_H

#include "json_out.h"
#include "scenario.h"

typedef void (*gen_string_fn)(void *to, const char *text);

/** Pass the strings of a process's programs to `put` in order of registration, equal ones again;
 * strings of other libraries are among them. */
void gen_hlo_strings(struct gen_scenario *sc, uint32_t process, gen_string_fn put, void *to);
/** Write what is known about them: the member "hlo_strings" of the truth. */
void gen_truth_strings(struct gen_scenario *sc, struct gen_json *json);

#endif
