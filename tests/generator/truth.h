/*
 * truth.h - the expected report of a scenario.
 */
#ifndef GEN_TRUTH_H
#define GEN_TRUTH_H

#include "scenario.h"

/**
 * Write the numbers with the keys of report.json; rows of a table in any order.
 * @return JR_EUSAGE bad warm-up rule; JR_EIO
 */
enum jr_status gen_truth_write(struct gen_scenario *sc, const char *path, struct jr_error *err)
	JR_MUST_CHECK;

#endif
