#include "formats/nsys/nsys_csv.h"

#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "formats/archive/foreign.h"

/* The columns in every version seen. `kinds` has the form of each. */
enum { NAME = 5, LEVEL = 8, STACK = 12, TREE = 13, N_COLUMNS };
static const char *const layout[N_COLUMNS] = {"Start (ns)", "End (ns)", "Duration (ns)",
	"DurChild (ns)", "DurNonChild (ns)", "Name", "PID", "TID", "Lvl", "NumChild", "RangeId",
	"ParentId", "RangeStack", "NameTree"};
/* i integer; p integer, None or nothing; s ids after colons; t text */
static const char kinds[] = "iiiiitiiiiipst";

static bool is_laid_out(const struct jr_csv *csv)
{
	if (csv->n_columns != N_COLUMNS)
		return false;
	for (size_t i = 0; i < N_COLUMNS; i++)
		if (strcmp(csv->names[i], layout[i]) != 0)
			return false;
	return true;
}

enum jr_status jr_nsys_csv_open(struct jr_nsys_csv *csv, struct jr_bytes in, const char *must_have,
	const struct jr_limits *limits, struct jr_error *err)
{
	*csv = (struct jr_nsys_csv){0};
	if (!in.size)
		return jr_fail(err, JR_EFORMAT,
			"an empty file, because nsys stats probably failed. " JR_NSYS_STATS_AGAIN);
	JR_TRY(jr_csv_open(&csv->csv, in, must_have, limits, err));
	csv->laid_out = is_laid_out(&csv->csv);
	return JR_OK;
}

static const char *skip_digits(const char *p, const char *end)
{
	while (p < end && jr_is_digit(*p))
		p++;
	return p;
}

/* Skip a field of that kind, not a text, at p. Returns its end, or NULL. */
static const char *skip_field(char kind, const char *p, const char *end)
{
	const char *start = p;
	if (kind == 's') {
		while (p < end && *p == ':')
			p = skip_digits(p + 1, end);
		return p > start ? p : NULL;
	}
	if (kind == 'p' && end - p >= 4 && memcmp(p, "None", 4) == 0)
		return p + 4;
	p = skip_digits(p + (p < end && *p == '-'), end);
	return p > start || kind == 'p' ? p : NULL;
}

/*
 * Skip columns [from, to) from p on, with a comma after each, and set their fields. Returns the
 * start of the next column, or NULL. *cut is set if the text ends within them.
 */
static const char *skip_fields(
	const char *p, const char *end, int from, int to, struct jr_csv_field *fields, bool *cut)
{
	*cut = false;
	for (int c = from; c < to; c++) {
		const char *stop = skip_field(kinds[c], p, end);
		*cut = (stop ? stop : p) == end;
		if (!stop || stop >= end || *stop != ',')
			return NULL;
		fields[c] = (struct jr_csv_field){p, (size_t)(stop - p)};
		p = stop + 1;
	}
	return p;
}

static struct jr_csv_field unquoted(const char *s, size_t n)
{
	return n >= 2 && s[0] == '"' && s[n - 1] == '"' ? (struct jr_csv_field){s + 1, n - 2}
													: (struct jr_csv_field){s, n};
}

/* Return whether a row may end at p: a line ends, and a row or the first part of one follows. */
static bool is_row_end(const char *p, const char *end)
{
	struct jr_csv_field fields[N_COLUMNS];
	bool cut;
	p += p < end && *p == '\r';
	if (p == end)
		return true;
	return *p == '\n' && (skip_fields(p + 1, end, 0, NAME, fields, &cut) || cut);
}

/*
 * Read the row at p, whose text columns may contain any bytes. After the name come columns of known
 * forms, then two dashes per level and the name again, then the end of the line. Returns the
 * position after the row, or NULL.
 */
static const char *read_odd(
	const char *p, const char *end, uint64_t most_bytes, struct jr_csv_field *fields)
{
	bool cut;
	const char *name = skip_fields(p, end, 0, NAME, fields, &cut);
	if (!name)
		return NULL;
	uint64_t left = (uint64_t)(end - name);
	const char *last = name + (left < most_bytes + 3 ? left : most_bytes + 3); /* two quotes */
	for (const char *comma = name - 1;
		 (comma = memchr(comma + 1, ',', (size_t)(last - comma - 1))) != NULL;) {
		const char *tree = skip_fields(comma + 1, end, NAME + 1, TREE, fields, &cut);
		int64_t level;
		if (!tree || !jr_parse_i64(fields[LEVEL].s, fields[LEVEL].n, &level) || level < 0 ||
			level > (end - tree) / 2)
			continue;
		int64_t n = comma - name;
		int64_t n_tree = n + 2 * level;
		if (end - tree < n_tree)
			continue;
		if (!is_row_end(tree + n_tree, end))
			continue;
		fields[NAME] = unquoted(name, (size_t)n);
		fields[TREE] = unquoted(tree, (size_t)n_tree);
		const char *stop = memchr(tree + n_tree, '\n', (size_t)(end - tree - n_tree));
		return stop ? stop + 1 : end;
	}
	return NULL;
}

/* Return whether the last row begins at p: it has five numbers, or the text ends within them, and
 * no row follows. */
static bool is_cut(const char *p, const char *end)
{
	struct jr_csv_field fields[N_COLUMNS];
	bool cut;
	if (!skip_fields(p, end, 0, NAME, fields, &cut))
		return cut;
	while ((p = memchr(p, '\n', (size_t)(end - p))) != NULL)
		if (skip_fields(++p, end, 0, NAME, fields, &cut))
			return false;
	return true;
}

static uint64_t count_breaks(const char *from, const char *to)
{
	uint64_t n = 0;
	while (from < to && (from = memchr(from, '\n', (size_t)(to - from)))) {
		n++;
		from++;
	}
	return n;
}

/* Return whether the last line has no end and its last column is shorter than the name it
 * repeats. */
static bool lacks_its_end(const struct jr_csv *csv)
{
	if (csv->pos < csv->in.size || csv->in.data[csv->in.size - 1] == '\n')
		return false;
	int64_t level;
	const struct jr_csv_field *fields = csv->fields;
	return jr_parse_i64(fields[LEVEL].s, fields[LEVEL].n, &level) && level >= 0 &&
		   level <= INT32_MAX && fields[TREE].n < fields[NAME].n + 2 * (uint64_t)level;
}

enum jr_status jr_nsys_csv_next(struct jr_nsys_csv *n, bool *more, struct jr_error *err)
{
	struct jr_csv *csv = &n->csv;
	*more = false;
	if (n->cut_line)
		return JR_OK;
	struct jr_error strict; /* about 1 kB, so it is not cleared for each row */
	enum jr_status status = jr_csv_next(csv, more, &strict);
	if (status == JR_OK) {
		if (*more && n->laid_out && lacks_its_end(csv)) {
			n->cut_line = csv->line;
			*more = false;
		}
		return JR_OK;
	}
	const char *row = (const char *)csv->in.data + csv->pos;
	const char *end = (const char *)csv->in.data + csv->in.size;
	if (status == JR_EFORMAT && n->laid_out && !csv->torn) {
		const char *behind = read_odd(row, end, csv->limits->string_bytes, csv->fields);
		if (behind) {
			n->n_odd++;
			JR_TRY(jr_csv_accept(csv, behind, count_breaks(row, behind), err));
			*more = true;
			return JR_OK;
		}
		if (is_cut(row, end)) {
			n->cut_line = csv->line;
			csv->pos = csv->in.size;
			return JR_OK;
		}
	}
	if (err)
		*err = strict;
	return status;
}

void jr_nsys_csv_done(struct jr_nsys_csv *csv)
{
	if (!csv)
		return;
	jr_csv_done(&csv->csv);
	*csv = (struct jr_nsys_csv){0};
}
