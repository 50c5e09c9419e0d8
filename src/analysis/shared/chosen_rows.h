/*
 * chosen_rows.h - which rows people see of a table with one row per device.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_CHOSEN_ROWS_H
#define JR_ANALYSIS_CHOSEN_ROWS_H

#include "analysis/core/result.h"

/* Title and definition of the column "chosen", a text for people: the reason why a row is shown.
 * Short tables, which show all rows, do not have it. */
#define JR_CHOSEN_TITLE "Shown as"
#define JR_CHOSEN_HELP "worst, median, best, or an outlier: of many devices, only these are shown"

/**
 * Choose the rows for people if there are more than JR_DEVICES_IN_FULL: the worst, the median, the
 * best, and up to 7 outliers. JSON and CSV contain all rows. An outlier is further from the median
 * than 3.5 standard deviations, estimated by the median absolute deviation (the modified z-score of
 * Iglewicz and Hoaglin, "How to Detect and Handle Outliers", 1993).
 *
 * @param value   column of the number by which devices differ; a larger one is worse; rows without
 *                it are not chosen
 * @param reason  column "chosen", which is set; SIZE_MAX: none
 * @note O(rows log rows)
 */
void jr_choose_rows(struct jr_table *table, size_t value, size_t reason, struct jr_arena *arena,
	struct jr_arena *scratch);

#endif
