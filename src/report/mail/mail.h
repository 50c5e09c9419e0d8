/*
 * mail.h - parts of a mail: its HTML, and the encodings of MIME.
 * Layer: report.  Private to the mail writer.
 */
#ifndef JR_REPORT_MAIL_H
#define JR_REPORT_MAIL_H

#include "report/core/doc.h"

#define JR_MAIL_HTML_MAX 70000 /* bytes on the way; Gmail cuts a body off behind 102 kB */
#define JR_MAIL_FIGURES 3

/* --- mail_html.c ---------------------------------------------------------------------------- */

/**
 * Append the short form of the document as HTML for mail programs: ASCII only, tables and inline
 * styles, no script, no style sheet, nothing fetched. Tables give up rows and sections are left out
 * until it is at most JR_MAIL_HTML_MAX bytes, also as quoted-printable.
 *
 * @param figures  [n_figures] shown by "cid:NAME@jaxreport", which the mail has to hold
 */
void jr_mail_html(struct jr_buf *out, const struct jr_doc *doc,
	const struct jr_figure *const *figures, size_t n_figures);

/* --- mail_mime.c ---------------------------------------------------------------------------- */

/** Append as RFC 2045 quoted-printable: lines of at most 76 characters that end with LF. A line
 * can be neither "." nor begin with "From ", which some mailers would change. */
void jr_mime_quoted(struct jr_buf *out, struct jr_bytes bytes);
/** Append as base64 in lines of 76 characters. */
void jr_mime_base64(struct jr_buf *out, struct jr_bytes bytes);
#define JR_MIME_NAME_MAX 48 /* behind it a line has room for an encoded word of any character */
/** Append "NAME: text" and a LF: as it is where it is short printable ASCII, else in RFC 2047
 * encoded words, folded into lines of at most 76 characters. Line ends in `text` cannot begin
 * another header. `name` is at most JR_MIME_NAME_MAX long. */
void jr_mime_header(struct jr_buf *out, const char *name, const char *text);

#endif
