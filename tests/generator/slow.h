/*
 * slow.h - which devices or hosts of a job are slower, in what and when: --slow, which can be
 * given several times.
 */
#ifndef GEN_SLOW_H
#define GEN_SLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

struct gen_scenario;
struct gen_op;

#define GEN_MAX_SLOW 16

struct gen_slow {
	const struct gen_slow_where *where;
	const struct gen_slow_what *what;
	int64_t first, last; /* numbers of devices, processes, or devices of a process */
	int64_t amount;
	const char *op;              /* the only instruction that is slower; NULL: all */
	int64_t from_step, to_step;  /* the steps; the first is 0 */
	int64_t each, rest;          /* only steps with step % each == rest; each 0: all */
	bool rises;                  /* from 0 in the first step to the amount in the last */
};

/**
 * Parse WHERE=[OP:]AMOUNT[@WHEN], such as "device:2-3=20%@10-25". Texts are in `arena`.
 * @return JR_EUSAGE it does not have that form
 */
enum jr_status gen_slow_parse(const char *text, struct gen_slow *slow, struct jr_arena *arena,
	struct jr_error *err) JR_MUST_CHECK;
/** Print the forms of WHERE, AMOUNT and WHEN. */
void gen_list_slow(void);

/** Return the ns of a compute operation on a device, from the ns without --slow. */
int64_t gen_slow_compute(
	const struct gen_scenario *sc, const struct gen_op *op, uint32_t device, int64_t ns);
/** Return whether a compute operation runs on a device in this step. */
bool gen_slow_runs(const struct gen_scenario *sc, const struct gen_op *op, uint32_t device);
/** Return the ns of a transfer in which the device takes part, from the ns without --slow. */
int64_t gen_slow_transfer(
	const struct gen_scenario *sc, const struct gen_op *op, uint32_t device, int64_t ns);
/** Spend the time of hosts ahead of step n of n_steps. */
void gen_slow_hosts(struct gen_scenario *sc);
/** Move the clocks, once all devices exist. */
void gen_slow_clocks(struct gen_scenario *sc);

#endif
