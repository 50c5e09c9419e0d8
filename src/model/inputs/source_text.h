/*
 * source_text.h - the text of the Python files that GPU time comes from.
 * Layer: model, called by load.c once the tables are frozen.
 *
 * Only files that stacks of steady thunks name are looked for, the 48 with most time, and of those
 * only what is below 1 MiB and looks like text; everything else is passed over undecompressed.
 * Archives keep them as `sources/ABSOLUTE/PATH`, combined ones perhaps as a folder of that name
 * with a file a process (formats/README.md, sections 1 and 2): then the first is taken.
 */
#ifndef JR_MODEL_SOURCE_TEXT_H
#define JR_MODEL_SOURCE_TEXT_H

#include "formats/archive/archive.h"
#include "model/profile/profile.h"

/**
 * Fill profile->source_texts. A file that cannot be had is a row that says why. Nothing with
 * --no-sources.
 * @param archives  [n_inputs], NULL where one could not be opened
 */
void jr_source_texts_load(struct jr_profile *profile, struct jr_archive *const *archives);

/**
 * Foreign text as lines: clean (base/text.h), tabs widened to blanks, line ends of every system and
 * a byte order mark gone, lines beyond 300 bytes cut. Appends to `text`, a NUL behind each line.
 *
 * @param line_at  out, from malloc, [n]: where lines begin in `text`
 * @return number of lines; 200,000 at most, the rest is left out
 */
uint32_t jr_source_text_lines(struct jr_bytes bytes, struct jr_buf *text, uint32_t **line_at);

#endif
