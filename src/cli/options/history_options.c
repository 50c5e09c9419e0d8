#include "cli/options/option_functions.h"

#include <string.h>

#include "base/text.h"

#define MAX_LABEL 200

enum jr_status jr_take_line(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	size_t n = strlen(value);
	if (!n || n > MAX_LABEL || !jr_text_is_clean(value, n))
		return jr_fail(
			err, JR_EUSAGE, "%s expects one line of 1 to %d bytes of UTF-8", o->name, MAX_LABEL);
	return jr_take_text(r, o, value, err);
}

enum jr_status jr_take_metric(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	(void)o;
	const struct jr_metric *metric = NULL;
	JR_TRY(jr_metric_parse(value, strlen(value), &r->texts, &metric, err));
	for (size_t i = 0; i < r->metrics.n; i++)
		if (strcmp(r->metrics.items[i]->name, metric->name) == 0)
			return JR_OK;
	*jr_vec_add(&r->metrics) = metric;
	return JR_OK;
}

/* --- time ------------------------------------------------------------------------------------- */

/* Take two digits up to `most`; moves *s past them. */
static bool take_two(const char **s, int most)
{
	const char *at = *s;
	if (at[0] < '0' || at[0] > '9' || at[1] < '0' || at[1] > '9')
		return false;
	*s += 2;
	return 10 * (at[0] - '0') + at[1] - '0' <= most;
}

static bool is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_of(int64_t year, int month)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	return lengths[month] + (month == 1 && is_leap(year));
}

/* Return true if the day of "2026-02-28" is valid; the digits were checked before. */
static bool is_day(const char *date)
{
	int n[4];
	static const int at[] = {0, 2, 5, 8};
	for (size_t i = 0; i < 4; i++)
		n[i] = 10 * (date[at[i]] - '0') + date[at[i] + 1] - '0';
	return n[2] >= 1 && n[3] >= 1 && n[3] <= days_of(100 * n[0] + n[1], n[2] - 1);
}

static bool take_char(const char **s, char c)
{
	*s += **s == c;
	return (*s)[-1] == c;
}

/* "12:00", "12:00:00" */
static bool take_clock(const char **s)
{
	if (!take_two(s, 24) || !take_char(s, ':') || !take_two(s, 59))
		return false;
	return **s != ':' || (take_char(s, ':') && take_two(s, 60));
}

/* Return true for a day ("2026-03-01") or a moment ("2026-03-01T12:00:00Z", "…T12:00+01:00") of
 * ISO 8601. */
static bool is_iso_time(const char *s)
{
	const char *date = s;
	/* NOLINTNEXTLINE(misc-redundant-expression): each call takes two digits more */
	if (!take_two(&s, 99) || !take_two(&s, 99) || !take_char(&s, '-') || !take_two(&s, 12) ||
		!take_char(&s, '-') || !take_two(&s, 31) || !is_day(date))
		return false;
	if (*s != 'T')
		return !*s;
	s++;
	if (!take_clock(&s))
		return false;
	if (*s == 'Z')
		return !s[1];
	if (*s == '+' || *s == '-') {
		s++;
		if (!take_two(&s, 24) || !take_char(&s, ':') || !take_two(&s, 59))
			return false;
	}
	return !*s;
}

/* Subtract years and months one by one: at most 8,000 years. */
void jr_iso_time_put(struct jr_buf *out, int64_t seconds)
{
	int64_t day = seconds / 86400, rest = seconds % 86400, year = 1970;
	int month = 0;
	for (; day >= 365 + is_leap(year); year++)
		day -= 365 + is_leap(year);
	for (; day >= days_of(year, month); month++)
		day -= days_of(year, month);
	jr_buf_printf(out, "%04d-%02d-%02dT%02d:%02d:%02dZ", (int)year, month + 1, (int)day + 1,
		(int)(rest / 3600), (int)(rest / 60 % 60), (int)(rest % 60));
}

enum jr_status jr_take_time(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	if (strstr(value, "..")) /* a part of the profile, as for the other commands */
		return jr_take_time_range(r, o, value, err);
	if (!is_iso_time(value))
		return jr_fail(err, JR_EUSAGE,
			"%s expects a time like 2026-03-01 or 2026-03-01T12:00:00Z, or a range like "
			"1.2s..3.4s, not '%.60s'",
			o->name, value);
	r->about.time = value;
	return JR_OK;
}
