/*
 * source_text.h - reads the text of the Python files that cause GPU time.
 * Layer: model, called by load.c after the tables are frozen.
 *
 * Only the 48 files with most time in stacks of steady thunks are read, and only if they are below
 * 1 MiB and look like text. Other files are not decompressed. Archives store them as
 * `sources/ABSOLUTE/PATH`. Combined archives may have a folder of that name with one file per
 * process (formats/README.md, sections 1 and 2); then the first file is used.
 */
#ifndef JR_MODEL_SOURCE_TEXT_H
#define JR_MODEL_SOURCE_TEXT_H

#include "formats/archive/archive.h"
#include "model/digest/digests.h"
#include "model/profile/profile.h"

/**
 * Fill profile->source_texts. The row of an unavailable file says why. Adds nothing with
 * --no-sources.
 * @param archives  [n_inputs], NULL: not opened
 */
void jr_source_texts_load(struct jr_profile *profile, struct jr_archive *const *archives);

/** Add to `missing` that a source file of an input is damaged. `name`: its path where it ran. */
void jr_source_text_damaged(struct jr_profile *profile, size_t input, const char *name);

/**
 * Split untrusted text into clean lines (base/text.h). Tabs become blanks, line ends of all systems
 * and a byte order mark are removed, and lines are cut at 300 bytes. Appends to `text`, with NUL
 * after each line.
 *
 * @param line_at  out, from malloc, [n]: offsets of lines in `text`
 * @return number of lines; at most 200,000, the rest is dropped
 */
uint32_t jr_source_text_lines(struct jr_bytes bytes, struct jr_buf *text, uint32_t **line_at);

/* For digests, which keep texts by the names of their members. */

/** Append the name of the member with the text of a file. */
void jr_source_text_name(const char *path, struct jr_buf *out);
/** Find that member, or the first one in the folder of that name; SIZE_MAX = neither. */
size_t jr_source_text_find(const struct jr_archive *archive, const char *name);
/** Read that member. @param bytes  out, if the result is JR_DIGEST_TEXT */
enum jr_digest_text_state jr_source_text_member(
	struct jr_archive *archive, size_t index, struct jr_buf *bytes);

#endif
