/*
 * json_text.h - text as a JSON string.
 * Layer: base.
 */
#ifndef JR_BASE_JSON_TEXT_H
#define JR_BASE_JSON_TEXT_H

#include "base/buf.h"

/** Append a quoted text. `<` is escaped, so that the text can be part of a <script>. */
void jr_json_text(struct jr_buf *out, const char *text);

#endif
