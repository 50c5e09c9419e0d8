/*
 * nothing_within.h - what to name in place of an archive or folder that has no profile.
 * Layer: model, private to loading.
 */
#ifndef JR_MODEL_NOTHING_WITHIN_H
#define JR_MODEL_NOTHING_WITHIN_H

#include "formats/archive/archive.h"

/** Of an archive without a profile: an input that lies in it, and what to do, as a clause that
 * follows; nothing where there is none. */
void jr_hint_within(const struct jr_archive *archive, struct jr_buf *out);
/** Of an archive without anything to report on: that it is so, what was looked for in it, by
 * the kinds of inputs, and what to name in its place, as a clause that follows its name.
 * @param part  a process of a combined archive, which is one; NULL: the whole */
void jr_nothing_within(const struct jr_archive *archive, const char *part, struct jr_buf *out);

#endif
