/*
 * mail.h - parts of a mail: its HTML, and MIME encodings.
 * Layer: report.  Private to the mail writer.
 */
#ifndef JR_REPORT_MAIL_H
#define JR_REPORT_MAIL_H

#include "report/core/doc.h"

#define JR_MAIL_HTML_MAX 70000 /* bytes when encoded; Gmail cuts a body off after 102 kB */
#define JR_MAIL_FIGURES 3

/* --- mail_html.c ---------------------------------------------------------------------------- */

/**
 * Append the short form of the document as HTML for mail programs: ASCII only, tables and inline
 * styles, no script, no style sheet, no external reference. Rows of tables and sections are left
 * out until it has at most JR_MAIL_HTML_MAX bytes, also as quoted-printable.
 *
 * @param figures  [n_figures] shown by "cid:NAME@jaxreport", which the mail must contain
 */
void jr_mail_html(struct jr_buf *out, const struct jr_doc *doc,
	const struct jr_figure *const *figures, size_t n_figures);

/* --- mail_mime.c ---------------------------------------------------------------------------- */

/** Append as RFC 2045 quoted-printable: lines of at most 76 characters that end with LF. No line is
 * "." or begins with "From ", because some mailers would change it. */
void jr_mime_quoted(struct jr_buf *out, struct jr_bytes bytes);
/** Append as base64 in lines of 76 characters. */
void jr_mime_base64(struct jr_buf *out, struct jr_bytes bytes);
#define JR_MIME_NAME_MAX 48 /* leaves room for an encoded word of any character */
/** Append "NAME: text" and a LF. Short printable ASCII is written unchanged, other text in RFC 2047
 * encoded words, folded into lines of at most 76 characters. Line ends in `text` cannot begin
 * another header. `name` has at most JR_MIME_NAME_MAX characters. */
void jr_mime_header(struct jr_buf *out, const char *name, const char *text);

#endif
