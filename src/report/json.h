/*
 * json.h - JSON text of values, and report.json.
 * Layer: report.
 */
#ifndef JR_REPORT_JSON_H
#define JR_REPORT_JSON_H

#include "report/doc.h"

/** Append a quoted text. `<` is written as an escape, so that it may stand in a <script>. */
void jr_json_text(struct jr_buf *out, const char *text);
/** Append a value in the unit of its key; null, never NaN; JR_ROWS as a list of objects. */
void jr_json_value(struct jr_buf *out, const struct jr_value *v);

#endif
