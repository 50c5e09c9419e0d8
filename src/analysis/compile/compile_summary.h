/*
 * compile_summary.h - compilation by module, as text.
 * Layer: analysis.  Definition: analysis/README.md, section 4.3.
 */
#ifndef JR_ANALYSIS_COMPILE_SUMMARY_H
#define JR_ANALYSIS_COMPILE_SUMMARY_H

#include "model/compile/compile.h"

/* A module's phases are listed while their shares add up to less than this. */
#define JR_COMPILE_SUMMARY_SHARE 0.99

/**
 * Append "Compilation: NAME: TOTAL" and its phases for each XlaCompile range.
 *
 * Numbers are formatted as in Python: the total in seconds with the fewest digits that read back,
 * shares with two decimals, phases with four significant digits.
 *
 * @param passes  phases by full range name
 * @note Appends nothing for ranges that every jr_host_ranges_read_*() would reject.
 */
void jr_compile_summary_text(const struct jr_host_ranges *ranges, bool passes, struct jr_buf *out);

/** Append the same text for given modules. `names` contains their names and those of the phases. */
void jr_compile_modules_text(const struct jr_compile_module *modules, size_t n_modules,
	const struct jr_compile_phase *phases, const struct jr_intern *names, struct jr_buf *out);

#endif
