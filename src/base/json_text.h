/*
 * json_text.h - text as JSON has it.
 * Layer: base.
 */
#ifndef JR_BASE_JSON_TEXT_H
#define JR_BASE_JSON_TEXT_H

#include "base/buf.h"

/** Append a quoted text. `<` is written as an escape, so that it may stand in a <script>. */
void jr_json_text(struct jr_buf *out, const char *text);

#endif
