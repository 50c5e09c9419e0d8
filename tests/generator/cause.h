/*
 * cause.h - what makes a job slow: one cause, added to a job that is otherwise quiet. Two jobs of
 * one seed then differ only in that cause.
 *
 * A quiet job does not evaluate or print the loss. Its links are fast compared with its compute,
 * and its devices are alike. The lengths of its instructions depend on the seed.
 */
#ifndef GEN_CAUSE_H
#define GEN_CAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gen_scenario;
struct gen_program;
struct gen_op;

/** Find a cause by name; NULL if it does not exist. */
const struct gen_cause *gen_cause_find(const char *name, size_t n);
/** Print "quiet, slow-gpu:PERCENT, ...", as lines of the help text. */
void gen_list_causes(void);

/** Return true if options.cause is set, "quiet" included. */
bool gen_quiet(const struct gen_scenario *sc);
/** Make the devices of a quiet job ones whose links have no known peak. */
void gen_cause_device(struct gen_scenario *sc);
/** Add the programs that a cause needs; call it before the first one is compiled. */
void gen_cause_programs(struct gen_scenario *sc, bool multi_device);
/** Add a cause's operations to the program of the steps; call it before its gen_memory(). */
void gen_cause_ops(struct gen_scenario *sc, struct gen_program *p, uint32_t frame);
/** Run what the cause does before step n of n_steps; `step`: the program of the steps. */
void gen_cause_before_step(struct gen_scenario *sc, uint32_t step, uint64_t n, uint64_t n_steps);
/** Return the ns of an operation on a device, from the ns without the cause. */
int64_t gen_cause_compute(const struct gen_scenario *sc, const struct gen_program *p,
	const struct gen_op *op, uint32_t device, int64_t ns);
/** Return the transfer time of a collective once all devices have arrived. */
int64_t gen_cause_transfer(const struct gen_scenario *sc, const struct gen_program *p,
	const struct gen_op *op);
/** Return the time that the first compilation of a process spends loading libraries. */
int64_t gen_cause_loading(const struct gen_scenario *sc, int64_t ns);
/** Return the host time of a batch, from the ns without the cause. torch_ddp2 */
int64_t gen_cause_load(const struct gen_scenario *sc, int64_t ns);
/** Return how often products whose sizes do not fill tiles run per step. kernels */
int64_t gen_cause_odd_sizes(const struct gen_scenario *sc);
/** Return how many columns the first product has beyond its usual number. kernels */
int64_t gen_cause_wider(const struct gen_scenario *sc);
/** Return true if the program leaves out its recomputed product. kernels */
bool gen_cause_no_remat(const struct gen_scenario *sc);
/** Return true if the product in full float32 is in bfloat16 instead. kernels */
bool gen_cause_no_f32(const struct gen_scenario *sc);
/** Return the number of product, softmax, product chains; `attention`: with heads. kernels */
int64_t gen_cause_softmax(const struct gen_scenario *sc, bool *attention);

#endif
