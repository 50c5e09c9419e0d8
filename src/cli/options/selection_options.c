#include <string.h>

#include "analysis/schedule/what_if_terms.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/text.h"
#include "cli/options/option_functions.h"
#include "report/text/text_layout.h"

#define MAX_NUMBERS 4096                         /* parts of a list of devices */
#define MAX_PATTERN 200                          /* bytes */
#define MAX_DEVICE 1000000000                    /* far above any device number */
#define MAX_TIME_NS INT64_C(1000000000000000000) /* 31 years */

/* --- devices --------------------------------------------------------------------------------- */

JR_ORDER(compare_ranges, struct jr_number_range, JR_UP(from) JR_UP(to))

/* Parse "3" or "3-5". */
static bool parse_numbers(const char *s, size_t n, struct jr_number_range *out)
{
	const char *dash = memchr(s, '-', n);
	size_t n_from = dash ? (size_t)(dash - s) : n;
	if (!jr_parse_i64(s, n_from, &out->from))
		return false;
	out->to = out->from;
	if (dash && !jr_parse_i64(dash + 1, n - n_from - 1, &out->to))
		return false;
	return out->from >= 0 && out->from <= out->to && out->to <= MAX_DEVICE;
}

enum jr_status jr_take_devices(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	size_t n = 1, n_kept = 0;
	for (const char *s = value; *s; s++)
		n += *s == ',';
	if (n > MAX_NUMBERS)
		return jr_fail(
			err, JR_EUSAGE, "%s takes at most %d numbers and ranges", o->name, MAX_NUMBERS);
	struct jr_number_range *list = JR_ARENA_N(&r->texts, struct jr_number_range, n);
	const char *s = value;
	for (size_t i = 0; i < n; i++, s += strcspn(s, ",") + 1)
		if (!parse_numbers(s, strcspn(s, ","), &list[i]))
			return jr_fail(err, JR_EUSAGE,
				"%s expects device numbers and ranges of them, for example 0,3-5, not '%s'",
				o->name, value);
	jr_sort(list, n, sizeof(*list), compare_ranges);
	for (size_t i = 0; i < n; i++) {
		struct jr_number_range *last = n_kept ? &list[n_kept - 1] : NULL;
		if (!last || list[i].from > last->to + 1)
			list[n_kept++] = list[i];
		else if (list[i].to > last->to)
			last->to = list[i].to;
	}
	r->analysis.selection.n_devices = n_kept;
	r->analysis.selection.devices = list;
	r->analysis.selection.devices_text = value;
	return JR_OK;
}

/* --- ranges "FROM..TO" ----------------------------------------------------------------------- */

/* Parse one end, s[0..n). */
typedef bool (*parse_end_fn)(const char *s, size_t n, int64_t *out);

/* Parse "FROM..TO" where either end may be missing, or "BOTH" if `single`. */
static bool parse_range(
	const char *value, parse_end_fn parse, bool single, int64_t *from, int64_t *to)
{
	const char *dots = strstr(value, "..");
	size_t n = strlen(value), n_from = dots ? (size_t)(dots - value) : n;
	*from = INT64_MIN;
	*to = INT64_MAX;
	if (!dots)
		return single && parse(value, n, from) && parse(value, n, to);
	if (n == 2 || (n_from && !parse(value, n_from, from)))
		return false;
	return (!dots[2] || parse(dots + 2, n - n_from - 2, to)) && *from <= *to;
}

enum jr_status jr_take_steps(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	struct jr_selection *s = &r->analysis.selection;
	if (!parse_range(value, jr_parse_i64, true, &s->steps.from, &s->steps.to))
		return jr_fail(err, JR_EUSAGE,
			"%s expects step numbers in ascending order, for example 10..20, 10.. or 7, not '%s'",
			o->name, value);
	s->by_steps = true;
	s->steps_text = value;
	return JR_OK;
}

/* Return the ns of a unit, 0 if it is not known. */
static int64_t unit_ns(const char *s, size_t n)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"\xc2\xb5s", 1000}, {"ms", 1000000}, {"s", 1000000000}};
	for (size_t i = 0; i < JR_COUNT_OF(units); i++)
		if (strlen(units[i].name) == n && memcmp(s, units[i].name, n) == 0)
			return units[i].ns;
	return 0;
}

/* Parse "1.2s" into ns. Decimals are exact, because parts of a profile must meet. */
static bool parse_time(const char *s, size_t n, int64_t *out)
{
	size_t n_number = strspn(s, "0123456789.");
	n_number = n_number < n ? n_number : n;
	const char *dot = memchr(s, '.', n_number);
	size_t n_whole = dot ? (size_t)(dot - s) : n_number;
	int64_t whole, scale = unit_ns(s + n_number, n - n_number), ns;
	if (!scale || !jr_parse_i64(s, n_whole, &whole) || __builtin_mul_overflow(whole, scale, &ns))
		return false;
	for (size_t i = n_whole + 1; i < n_number; i++) {
		if (s[i] == '.' || (scale == 1 && s[i] != '0')) /* finer than 1 ns */
			return false;
		scale = scale > 1 ? scale / 10 : 1;
		ns += (s[i] - '0') * scale;
	}
	*out = ns;
	return ns <= MAX_TIME_NS;
}

enum jr_status jr_take_time_range(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	struct jr_selection *s = &r->analysis.selection;
	if (!parse_range(value, parse_time, false, &s->from_ns, &s->to_ns) || s->from_ns == s->to_ns)
		return jr_fail(err, JR_EUSAGE,
			"%s expects a range of times with units (s, ms, us, ns), for example 1.2s..3.4s or "
			"500ms.., not '%s'",
			o->name, value);
	s->by_time = true;
	s->time_text = value;
	return JR_OK;
}

/* --- patterns --------------------------------------------------------------------------------- */

enum jr_status jr_take_pattern(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	size_t n = strlen(value);
	if (!n || n > MAX_PATTERN || !jr_text_is_clean(value, n))
		return jr_fail(err, JR_EUSAGE,
			"%s expects a name of 1 to %d bytes of UTF-8, which may contain * and ?", o->name,
			MAX_PATTERN);
	return jr_take_text(r, o, value, err);
}

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
