/*
 * csv_text.h - text as a field of CSV (RFC 4180).
 * Layer: report.
 */
#ifndef JR_REPORT_CSV_TEXT_H
#define JR_REPORT_CSV_TEXT_H

#include "base/buf.h"

/** Append a field, quoted if necessary. A spreadsheet evaluates text that begins like a formula; a
 * leading apostrophe makes it text, as OWASP recommends
 * (https://owasp.org/www-community/attacks/CSV_Injection). "-1" is harmless.
 * @param raw  leave such text as it is */
void jr_csv_text(struct jr_buf *out, const char *s, bool raw);

#endif
