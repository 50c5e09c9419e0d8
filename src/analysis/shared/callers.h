/*
 * callers.h - a stack tree from below: the frames with most self time, and what calls them.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_CALLERS_H
#define JR_ANALYSIS_CALLERS_H

#include "analysis/core/result.h"

/* Columns of such a table, for the spec of the pass that has the tree. */
#define JR_CALLERS_N_COLUMNS 10
extern const struct jr_column_spec jr_callers_columns[JR_CALLERS_N_COLUMNS];

/**
 * One row a distinct frame text with self time, by self time, then text. Idle frames and the root
 * of active time are no frames here.
 *
 * @param fold  an op_name frame below a Python frame counts as that frame's own time
 * @return in `arena`; its self times add up to the tree's without idle. O(nodes * log)
 */
struct jr_table *jr_callers_table(const struct jr_tree *tree, const struct jr_table_spec *spec,
	bool fold, struct jr_arena *arena, struct jr_arena *scratch);

#endif
