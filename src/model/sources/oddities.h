/*
 * oddities.h - messages of the report about unusual or missing parts of inputs.
 * Layer: model, private to loading.
 */
#ifndef JR_MODEL_ODDITIES_H
#define JR_MODEL_ODDITIES_H

#include "formats/timeline_rows.h"
#include "model/profile/profile.h"
#include "model/sources/source.h"

/** Report members and links that were left out. `archives`: [p->n_inputs], NULL = not an archive.
 */
void jr_tell_archives(struct jr_profile *p, struct jr_archive *const *archives);
/** Report that the files of a profile are in a subfolder of an input. */
void jr_tell_in_folder(struct jr_profile *p);
/** Record members of an archive that were not used. Call once, after it was read. */
void jr_leave_members(struct jr_profile *p, const struct jr_archive *archive);
/** Record parts of an input that are not read: tables of an export, or planes and lines. */
void jr_leave_unread(
	struct jr_profile *p, const struct jr_timeline *rows, enum jr_unread_kind kind);
/** Report these parts of all inputs, and archive members that were not used. Call once, after all
 * inputs are read.
 * @param archives as above */
void jr_tell_unread(struct jr_profile *p, struct jr_archive *const *archives);
/** Report on the compile ranges of a source. @param label  name of the source in messages */
void jr_tell_host(struct jr_profile *p, struct jr_source *s, const char *label);
/** Report a program without HLO, given its row of s->programs. If the type needs --xla-dump and it
 * was not given, report once for all programs. */
void jr_tell_texts(struct jr_profile *p, const struct jr_dump *d);
void jr_tell_no_dump(struct jr_profile *p, struct jr_source *s, const struct jr_dump *d);

#endif
