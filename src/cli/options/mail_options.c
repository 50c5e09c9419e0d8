#include "cli/options/option_functions.h"

#include <string.h>

#include "base/text.h"

enum { MAX_ADDRESS = 900 };

/* The text goes into a header unchanged, so it must not contain anything that could end it. */
enum jr_status jr_take_address(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	size_t n = strlen(value);
	bool fits = n <= MAX_ADDRESS && strchr(value, '@');
	for (size_t i = 0; i < n; i++)
		fits &= value[i] >= 0x20 && value[i] <= 0x7e;
	if (!fits)
		return jr_fail(err, JR_EUSAGE,
			"%s expects mail addresses in one line of at most %d ASCII characters", o->name,
			MAX_ADDRESS);
	return jr_take_text(r, o, value, err);
}

enum jr_status jr_take_subject(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	size_t n = strlen(value);
	if (!n || n > MAX_ADDRESS || !jr_text_is_clean(value, n))
		return jr_fail(
			err, JR_EUSAGE, "%s expects one line of 1 to %d bytes of UTF-8", o->name, MAX_ADDRESS);
	r->analysis.mail_subject = value;
	return JR_OK;
}

enum jr_status jr_take_attachments(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	r->analysis.mail_page = r->analysis.mail_pdf = false;
	if (strcmp(value, "none") == 0)
		return JR_OK;
	for (const char *s = value;; s++) {
		size_t n = strcspn(s, ",");
		bool page = n == 4 && memcmp(s, "html", n) == 0, pdf = n == 3 && memcmp(s, "pdf", n) == 0;
		if (!page && !pdf)
			return jr_fail(
				err, JR_EUSAGE, "%s expects html, pdf, html,pdf or none, not '%s'", o->name, value);
		r->analysis.mail_page |= page;
		r->analysis.mail_pdf |= pdf;
		s += n;
		if (!*s)
			return JR_OK;
	}
}
