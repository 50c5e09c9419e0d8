#include "cli/core/unread.h"

#include <stdio.h>
#include <string.h>

#include "compare/run/run_open.h"
#include "model/inputs/load.h"

static bool alike(const struct jr_missing *a, const struct jr_missing *b)
{
	return a->damaged == b->damaged && strcmp(a->section, b->section) == 0;
}

/* Return true if the result lacks a whole input, or a process of one. */
static bool is_left_out(const struct jr_missing *gap)
{
	return gap->damaged && strcmp(gap->section, "input") == 0;
}

/* Count the rows from `at` on that name the same section in the same way as row `at`. */
static size_t count_alike(const struct jr_profile *p, size_t at)
{
	size_t n = 0;
	for (size_t i = at; i < p->n_missing; i++)
		n += alike(&p->missing[i], &p->missing[at]);
	return n;
}

/* Return true if an earlier row was reported for this one. Left-out inputs are reported one by one,
 * so that the user sees which ranks are missing. */
static bool told_before(const struct jr_profile *p, size_t at)
{
	for (size_t i = 0; i < at && !is_left_out(&p->missing[at]); i++)
		if (alike(&p->missing[i], &p->missing[at]))
			return true;
	return false;
}

static void tell(struct jr_messages *msg, const struct jr_missing *gap, size_t n_alike,
	const struct jr_unread_words *words, struct jr_error *err)
{
	char more[64] = "";
	if (n_alike > 1 && !is_left_out(gap))
		snprintf(more, sizeof(more), " (and %zu more like it)", n_alike - 1);
	const char *side = words->side ? words->side : "", *colon = words->side ? ": " : "";
	const char *ending = gap->damaged ? words->ending : "";
	size_t n = strlen(gap->reason);
	n -= n && (*more || *ending) && gap->reason[n - 1] == '.'; /* the sentence goes on */
	if (!gap->damaged || err->status != JR_OK)
		jr_say_warning(msg, "%s%s%.*s%s%s", side, colon, (int)n, gap->reason, more, ending);
	else if (words->input && !is_left_out(gap)) /* the reason does not begin with the input */
		(void)jr_fail(err, JR_EFORMAT, "%s%s'%s': %.*s%s%s", side, colon, words->input, (int)n,
			gap->reason, more, ending);
	else
		(void)jr_fail(
			err, JR_EFORMAT, "%s%s%.*s%s%s", side, colon, (int)n, gap->reason, more, ending);
}

enum jr_status jr_unread_tell(struct jr_messages *msg, const struct jr_profile *p,
	const struct jr_unread_words *words, struct jr_error *err)
{
	for (size_t i = 0; i < p->n_missing; i++)
		if (!told_before(p, i))
			tell(msg, &p->missing[i], count_alike(p, i), words, err);
	for (size_t i = 0; i < p->n_warnings; i++)
		jr_say_warning(
			msg, "%s%s%s", words->side ? words->side : "", words->side ? ": " : "", p->warnings[i]);
	return err->status;
}

enum jr_status jr_unread_strict(const struct jr_request *request, struct jr_messages *msg,
	const struct jr_profile *p, const struct jr_unread_words *words, struct jr_error *err)
{
	size_t n_damaged = 0;
	for (size_t i = 0; i < p->n_missing; i++)
		n_damaged += p->missing[i].damaged;
	if (!request->strict || !n_damaged)
		return JR_OK;
	struct jr_unread_words strict = *words;
	strict.ending = "; nothing was written (--strict)";
	return jr_unread_tell(msg, p, &strict, err);
}

enum jr_status jr_unread_load(const struct jr_request *r, struct jr_messages *msg,
	const struct jr_exported *exported, const struct jr_unread_words *words,
	struct jr_profile *profile, struct jr_error *err)
{
	struct jr_progress progress = {jr_on_progress, msg};
	const char *first = r->inputs.items[0], *is;
	enum jr_status status =
		jr_load_as(exported->paths, exported->origins, r->inputs.n, &progress, profile, err);
	if (status != JR_OK && status != JR_EUSAGE &&
		(is = jr_side_made_by_us(first, &r->analysis.limits)))
		return jr_fail(err, status, "'%s' is %s", first, is);
	JR_TRY(jr_command_misused(status, err));
	return jr_unread_strict(r, msg, profile, words, err);
}
