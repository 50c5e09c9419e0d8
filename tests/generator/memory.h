/*
 * memory.h - a device memory profile whose objects and stacks are known: formats/README.md,
 * section 11.
 */
#ifndef GEN_MEMORY_H
#define GEN_MEMORY_H

#include "json_out.h"
#include "scenario.h"

/** Parse "leak=BYTES,faults": `leak` more bytes at one line of each device; unknown sizes,
 * references that lead nowhere and a stack that is too deep. */
enum jr_status gen_memory_take(
	struct gen_options *options, const char *value, struct jr_error *err) JR_MUST_CHECK;
/** Write it as jax.profiler does, compressed with gzip. */
enum jr_status gen_memory_write(
	struct gen_scenario *sc, const char *path, struct jr_error *err) JR_MUST_CHECK;
/** Write the numbers with the keys of report.json. */
void gen_truth_live_memory(struct gen_scenario *sc, struct gen_json *json);
/** Write data/live_memory.folded as "live_memory": [{"stack", "ms": bytes / 1e6}]. */
void gen_truth_live_stacks(struct gen_scenario *sc, struct gen_json *json);

#endif
