/*
 * nothing_within.h - hints about what to use instead of an archive or folder without a profile.
 * Layer: model, private to loading.
 */
#ifndef JR_MODEL_NOTHING_WITHIN_H
#define JR_MODEL_NOTHING_WITHIN_H

#include "formats/archive/archive.h"

/** Append a clause about an input inside an archive without a profile, and what to do. Appends
 * nothing if there is no such input. */
void jr_hint_within(const struct jr_archive *archive, struct jr_buf *out);
/** Append a clause that follows the archive's name: it has nothing to report, what was searched for
 * by kind of input, and what to use instead.
 * @param part  a process of a combined archive; NULL: the whole archive */
void jr_nothing_within(const struct jr_archive *archive, const char *part, struct jr_buf *out);

#endif
