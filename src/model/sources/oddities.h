/*
 * oddities.h - what is odd about inputs, or not there, as the report tells it.
 * Layer: model, private to loading.
 */
#ifndef JR_MODEL_ODDITIES_H
#define JR_MODEL_ODDITIES_H

#include "formats/timeline_rows.h"
#include "model/profile/profile.h"
#include "model/sources/source.h"

/** Members and links that were left out; `archives`: [p->n_inputs], NULL = is none. */
void jr_tell_archives(struct jr_profile *p, struct jr_archive *const *archives);
/** Note parts of the input that are not read: tables of an export, or planes and lines. */
void jr_leave_unread(
	struct jr_profile *p, const struct jr_timeline *rows, enum jr_unread_kind kind);
/** List those of all inputs, and members of archives that nobody asked for. Once, when all are
 * read.
 * @param archives as above */
void jr_tell_unread(struct jr_profile *p, struct jr_archive *const *archives);
/** Of the compile ranges that a source has. @param label  the source in messages */
void jr_tell_host(struct jr_profile *p, struct jr_source *s, const char *label);
/** A program without HLO, by its row of s->programs; once for all where there could be none. */
void jr_tell_no_dump(struct jr_profile *p, struct jr_source *s, const struct jr_dump *d);

#endif
