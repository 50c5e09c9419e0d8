#include "cli/options/option_functions.h"

#include <string.h>

#include "analysis/schedule/what_if_terms.h"
#include "report/text/text_layout.h"

#define INDENT 30 /* column of the meaning in the list */
#define MOST 16   /* all of them together are one change */

enum jr_status jr_take_what_if(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	struct jr_what_if unused;
	if (strcmp(value, "list") == 0) {
		r->action = JR_ACTION_WHAT_IFS;
		return JR_OK;
	}
	if (r->what_ifs.n >= MOST)
		return jr_fail(err, JR_EUSAGE, "%s can be given at most %d times", o->name, MOST);
	if (jr_what_if_parse(value, &unused, err) != JR_OK)
		return jr_context(err, JR_EUSAGE, "%s", o->name);
	*jr_vec_add(&r->what_ifs) = value;
	r->analysis.what_ifs = r->what_ifs.items;
	r->analysis.n_what_ifs = r->what_ifs.n;
	return JR_OK;
}

void jr_what_ifs_list(struct jr_buf *out)
{
	const char *form, *help;
	for (size_t i = 0; jr_what_if_form(i, &form, &help); i++) {
		jr_buf_printf(out, "%-*s", INDENT, form);
		jr_layout_wrap(out, help, 80, INDENT, INDENT);
	}
}

enum jr_status jr_what_ifs_check(
	const struct jr_request *r, const struct jr_profile *profile, struct jr_error *err)
{
	for (size_t i = 0; i < r->what_ifs.n; i++) {
		struct jr_what_if what;
		JR_TRY(jr_what_if_parse(r->what_ifs.items[i], &what, err));
		JR_TRY(jr_what_if_check(profile, &what, err));
	}
	return JR_OK;
}
