/*
 * callers.h - bottom-up view of a stack tree: the frames with the most self time, and their
 * callers.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_CALLERS_H
#define JR_ANALYSIS_CALLERS_H

#include "analysis/core/result.h"

/* Columns of such a table, for the spec in the pass that owns the tree. */
#define JR_CALLERS_N_COLUMNS 10
extern const struct jr_column_spec jr_callers_columns[JR_CALLERS_N_COLUMNS];

/**
 * Build a table with one row per distinct frame text that has self time, sorted by self time, then
 * text. Idle frames and the root of active time do not count as frames here.
 *
 * @param fold  count an op_name frame below a Python frame as the Python frame's own time
 * @return in `arena`; its self times add up to the tree's without idle. O(nodes * log)
 */
struct jr_table *jr_callers_table(const struct jr_tree *tree, const struct jr_table_spec *spec,
	bool fold, struct jr_arena *arena, struct jr_arena *scratch);

#endif
