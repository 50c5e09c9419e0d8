/*
 * cause.h - what makes a job slow: one cause, planted into a job that is quiet without it, so
 * that two jobs of one seed differ by nothing else.
 *
 * A quiet job has no evaluation and no printing of the loss, links that are fast beside its
 * compute, and devices alike; its instructions have lengths that depend on the seed.
 */
#ifndef GEN_CAUSE_H
#define GEN_CAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gen_scenario;
struct gen_program;
struct gen_op;

/** NULL: there is none of that name. */
const struct gen_cause *gen_cause_find(const char *name, size_t n);
/** "quiet, slow-gpu:PERCENT, ...", in lines of the help text. */
void gen_list_causes(void);

/** True where options.cause is set, "quiet" included. */
bool gen_quiet(const struct gen_scenario *sc);
/** Programs of their own that a cause has; before the first is compiled. */
void gen_cause_programs(struct gen_scenario *sc, bool multi_device);
/** Operations that a cause has in the program of the steps; before its gen_memory(). */
void gen_cause_ops(struct gen_scenario *sc, struct gen_program *p, uint32_t frame);
/** What happens ahead of the n-th of so many steps; `step`: their program. */
void gen_cause_before_step(struct gen_scenario *sc, uint32_t step, uint64_t n, uint64_t n_steps);
/** ... what an operation takes on a device, of the ns that it would take. */
int64_t gen_cause_compute(const struct gen_scenario *sc, const struct gen_program *p,
	const struct gen_op *op, uint32_t device, int64_t ns);
/** ... what a collective moves its data for, once all have arrived. */
int64_t gen_cause_transfer(const struct gen_scenario *sc, const struct gen_program *p,
	const struct gen_op *op);
/** ... what the first compilation of a process loads libraries for. */
int64_t gen_cause_loading(const struct gen_scenario *sc, int64_t ns);
/** ... what the host spends on a batch, of the ns that it would spend. torch_ddp2 */
int64_t gen_cause_load(const struct gen_scenario *sc, int64_t ns);
/** How often products of sizes that do not fill tiles run in a step. kernels */
int64_t gen_cause_odd_sizes(const struct gen_scenario *sc);
/** How often two products with a softmax between them do; `attention`: with heads. kernels */
int64_t gen_cause_softmax(const struct gen_scenario *sc, bool *attention);

#endif
