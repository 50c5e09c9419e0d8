/*
 * json.h - write values as JSON.
 * Layer: report.
 */
#ifndef JR_REPORT_JSON_H
#define JR_REPORT_JSON_H

#include "base/text.h"
#include "report/core/doc.h"

/** Append a value in the unit of its key; null for NaN; JR_ROWS as a list of objects. */
void jr_json_value(struct jr_buf *out, const struct jr_value *v);

#endif
