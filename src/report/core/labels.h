/*
 * labels.h - shorten the names of a column such that names that differ still look different.
 * Layer: report.
 */
#ifndef JR_REPORT_LABELS_H
#define JR_REPORT_LABELS_H

#include "report/core/doc.h"

/* How a name is shown, besides the offset of a part that must be visible. */
#define JR_LABEL_USUAL SIZE_MAX       /* as short as any name */
#define JR_LABEL_WHOLE (SIZE_MAX - 1) /* in full */

/** Return what is visible of a name in `arena`. `at`: as above, or where the part begins by which
 * it differs from others. */
typedef const char *jr_label_fn(
	struct jr_arena *arena, const void *context, const char *name, size_t at);

/**
 * Find how to show names such that no two different ones look equal: as usual if that is enough;
 * else from the part that differs, at a beginning of a word; else in full.
 * @param names  [n] borrowed; NULL: none
 * @param at     [n] out
 * O(n log n) comparisons
 */
void jr_labels_apart(const char *const *names, size_t n, jr_label_fn *visible, const void *context,
	struct jr_arena *arena, size_t *at);

/** Return where the last component of a path begins, which a label from `at` on keeps; 0: it has
 * none, or is not a path. `end`: out, where the parameters of an op_name begin. O(bytes) */
size_t jr_label_end(const char *name, size_t at, size_t *end);

/**
 * Find which part of sources is shown: the file and its line, and as many folders before them as
 * different sources need to look different.
 * @param names   [n] "FOLDER/FILE:LINE", borrowed; NULL: none
 * @param starts  [n] out: where the shown part begins
 * O(n log n) comparisons per folder
 */
void jr_labels_sources(const char *const *names, size_t n, struct jr_arena *arena, size_t *starts);

/** Return how many bytes all names begin with, up to the end of a word; 0 if that is too little to
 * leave out, or if there is one name. NULL names do not count. O(bytes) */
size_t jr_labels_prefix(const char *const *names, size_t n);

/**
 * Fit names into `width` columns: without what all of them begin with, with "…" for what is left
 * out. Names that differ have different labels; one that nothing shorter tells apart stays whole.
 * @param names   [n] borrowed; NULL: none
 * @param labels  [n] out, in `arena` or borrowed from `names`
 */
void jr_labels_fit(
	const char *const *names, size_t n, size_t width, struct jr_arena *arena, const char **labels);

/** Return the labels of the rows of a table that are shown, with at most `limit` data rows, in
 * `arena`; NULL for a column that is not code, and for rows without a value. */
const char **jr_doc_labels(const struct jr_doc_table *table, size_t column, size_t limit,
	size_t width, struct jr_arena *arena);

/** Return the labels of a column of sources, without the folders that jr_labels_sources() leaves
 * out, in `arena`; NULL for other columns, and for rows without a value. */
const char **jr_doc_source_labels(
	const struct jr_doc_table *table, size_t column, size_t limit, struct jr_arena *arena);

/** Append "44 more rows, the same in both runs": those that a place with `shown` data rows leaves
 * out; nothing if there are none. */
void jr_doc_put_more(struct jr_buf *out, const struct jr_doc_table *table, size_t shown);

#endif
