/*
 * change.h - one thing of a job changed before it is simulated, so that the true period with the
 * change is known. Two jobs of one seed, one of them changed, differ only in that: each random
 * number is drawn before the value it belongs to is scaled.
 */
#ifndef GEN_CHANGE_H
#define GEN_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct gen_scenario;
struct gen_op;

#define GEN_MAX_CHANGES 16

struct gen_change {
	const struct gen_change_kind *kind;
	const char *name; /* of a thunk, or of a kind of collective; not terminated */
	size_t n_name;
	uint32_t device;
	int64_t factor_ppm; /* of the time, or of the bandwidth */
};

/**
 * Parse a change such as "thunk:NAME=0.5x".
 * @return JR_EUSAGE unknown kind or invalid value
 */
enum jr_status gen_change_parse(
	const char *text, struct gen_change *change, struct jr_error *err) JR_MUST_CHECK;
/** Print one line per kind for the help text. */
void gen_list_changes(void);
/** @return JR_EUSAGE a change names something that the job does not have */
enum jr_status gen_change_check(const struct gen_scenario *sc, struct jr_error *err) JR_MUST_CHECK;

/** Return the ns of an operation's compute or transfer, from the ns without changes. */
int64_t gen_change_length(const struct gen_scenario *sc, const struct gen_op *op, int64_t ns);
/** Return true if the device planted as slow is changed to be as fast as the others. */
bool gen_change_device(const struct gen_scenario *sc, uint32_t device);
/** Return the gap between two kernels of a stream, from the ns without changes. */
int64_t gen_change_gap(const struct gen_scenario *sc, int64_t ns);
/** Return true if data is moved as soon as it is ready. */
bool gen_change_overlap(const struct gen_scenario *sc);

#endif
