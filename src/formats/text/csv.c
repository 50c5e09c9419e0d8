#include "formats/text/csv.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

#define HEADER_LINES 1000
#define MAX_COLUMNS 4096

/* Set 0x80 in each zero byte of x; bytes above the lowest zero byte may be marked falsely. */
static inline uint64_t zero_bytes(uint64_t x)
{
	return (x - UINT64_C(0x0101010101010101)) & ~x & UINT64_C(0x8080808080808080);
}

static inline uint64_t repeat(char c)
{
	return UINT64_C(0x0101010101010101) * (unsigned char)c;
}

/* Return the first ',', '\n' or '"' in [p, end), or end. Reads eight bytes at a time: most fields
 * are that short. */
static inline const char *bare_end(const char *p, const char *end)
{
	while (end - p >= 8) {
		uint64_t word;
		memcpy(&word, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		word = __builtin_bswap64(word);
#endif
		uint64_t found = zero_bytes(word ^ repeat(',')) | zero_bytes(word ^ repeat('\n')) |
						 zero_bytes(word ^ repeat('"'));
		if (found)
			return p + __builtin_ctzll(found) / 8;
		p += 8;
	}
	while (p < end && *p != ',' && *p != '\n' && *p != '"')
		p++;
	return p;
}

/* State and results of parse_row(). */
struct row {
	const char *p, *end;
	struct jr_csv_field *fields; /* [max], n of them set; n counts on beyond max */
	size_t n, max;
	uint64_t breaks;   /* line breaks passed */
	const char *fault; /* reason of a failure */
};

/*
 * Read a field in quotes; `p` is after the opening quote. Text with doubled quotes is assembled in
 * `scratch`. Its address may change while scratch grows, so s = NULL until place_scratch().
 */
static bool quoted_field(struct row *row, struct jr_buf *scratch, struct jr_csv_field *field)
{
	const char *start = row->p;
	bool doubled = false;
	size_t scratch_start = scratch->size;
	for (;;) {
		const char *quote = memchr(row->p, '"', (size_t)(row->end - row->p));
		if (!quote) {
			row->fault = "an open quote";
			return false;
		}
		if (quote + 1 >= row->end || quote[1] != '"') {
			*field = (struct jr_csv_field){start, (size_t)(quote - start)};
			row->p = quote + 1;
			break;
		}
		doubled = true;
		jr_buf_add(scratch, start, (size_t)(quote + 1 - start));
		start = row->p = quote + 2;
	}
	if (doubled) {
		jr_buf_add(scratch, field->s, field->n);
		*field = (struct jr_csv_field){NULL, scratch->size - scratch_start};
	}
	return true;
}

static void count_breaks(struct row *row, const char *from, const char *to)
{
	while (from < to && (from = memchr(from, '\n', (size_t)(to - from)))) {
		row->breaks++;
		from++;
	}
}

/* Read one row of at least one byte; p moves past its line break. False with row->fault set. */
static bool parse_row(struct row *row, struct jr_buf *scratch)
{
	for (;;) {
		struct jr_csv_field field;
		if (row->p < row->end && *row->p == '"') {
			const char *start = ++row->p;
			if (!quoted_field(row, scratch, &field))
				return false;
			count_breaks(row, start, row->p);
			if (row->p < row->end && *row->p == '\r' &&
				(row->p + 1 == row->end || row->p[1] == '\n'))
				row->p++;
			if (row->p < row->end && *row->p != ',' && *row->p != '\n') {
				row->fault = "text after a closing quote";
				return false;
			}
		} else {
			const char *start = row->p;
			row->p = bare_end(start, row->end);
			if (row->p < row->end && *row->p == '"') {
				row->fault = "a quote in the middle of a field";
				return false;
			}
			size_t n = (size_t)(row->p - start);
			if (n && start[n - 1] == '\r' && (row->p == row->end || *row->p == '\n'))
				n--;
			field = (struct jr_csv_field){start, n};
		}
		if (row->n < row->max)
			row->fields[row->n] = field;
		row->n++;
		if (row->p >= row->end)
			return true;
		if (*row->p++ == '\n') {
			row->breaks++;
			return true;
		}
	}
}

static void place_scratch(struct jr_csv_field *fields, size_t n, const struct jr_buf *scratch)
{
	const char *next = scratch->data;
	for (size_t i = 0; i < n && scratch->size; i++)
		if (!fields[i].s) {
			fields[i].s = next;
			next += fields[i].n;
		}
}

static bool is_field(const struct jr_csv_field *field, const char *text)
{
	return field->n == strlen(text) && memcmp(field->s, text, field->n) == 0;
}

/* Return whether the line [p, end) is the header; row then contains its fields. */
static bool is_header(struct jr_csv *csv, struct row *row, const char *must_have)
{
	csv->scratch.size = 0;
	if (!parse_row(row, &csv->scratch))
		return false;
	size_t n = row->n < row->max ? row->n : row->max;
	place_scratch(row->fields, n, &csv->scratch);
	for (size_t i = 0; i < n; i++)
		if (is_field(&row->fields[i], must_have))
			return true;
	return false;
}

static enum jr_status take_header(struct jr_csv *csv, const struct row *row, struct jr_error *err)
{
	if (row->n > row->max)
		return jr_fail(err, JR_ELIMIT, "line %" PRIu64 ": a header of %zu columns, limit %d",
			csv->next_line, row->n, MAX_COLUMNS);
	csv->n_columns = row->n;
	csv->fields = JR_ARENA_N(&csv->arena, struct jr_csv_field, row->n);
	csv->names = JR_ARENA_N(&csv->arena, const char *, row->n);
	for (size_t i = 0; i < row->n; i++)
		csv->names[i] = jr_arena_strndup(&csv->arena, row->fields[i].s, row->fields[i].n);
	return JR_OK;
}

enum jr_status jr_csv_open(struct jr_csv *csv, struct jr_bytes in, const char *must_have,
	const struct jr_limits *limits, struct jr_error *err)
{
	if (!in.data)
		in = jr_bytes_of("", 0);
	*csv =
		(struct jr_csv){.in = in, .pos = jr_text_mark_bytes(in), .next_line = 1, .limits = limits};
	jr_arena_init(&csv->arena, 0);
	if (in.size >= 2 &&
		(memcmp(in.data, "\xFF\xFE", 2) == 0 || memcmp(in.data, "\xFE\xFF", 2) == 0))
		return jr_fail(err, JR_EFORMAT, "CSV text is UTF-16: save it as UTF-8");

	struct jr_csv_field *fields = JR_ARENA_N(&csv->arena, struct jr_csv_field, MAX_COLUMNS);
	const char *end = (const char *)in.data + in.size;
	for (; csv->next_line <= HEADER_LINES && csv->pos < in.size; csv->next_line++) {
		const char *line = (const char *)in.data + csv->pos;
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		stop = stop ? stop + 1 : end;
		csv->pos += (size_t)(stop - line);
		struct row row = {.p = line, .end = stop, .fields = fields, .max = MAX_COLUMNS};
		if (is_header(csv, &row, must_have)) {
			csv->line = csv->next_line;
			JR_TRY(take_header(csv, &row, err));
			csv->next_line++;
			return JR_OK;
		}
	}
	if (csv->next_line <= 2)
		return jr_fail(
			err, JR_EFORMAT, "no CSV header with a column '%s' in the first line", must_have);
	return jr_fail(err, JR_EFORMAT,
		"no CSV header with a column '%s' in the first %" PRIu64 " lines", must_have,
		csv->next_line - 1);
}

size_t jr_csv_find(const struct jr_csv *csv, const char *name)
{
	for (size_t i = 0; i < csv->n_columns; i++)
		if (strcmp(csv->names[i], name) == 0)
			return i;
	return SIZE_MAX;
}

static void skip_blank_lines(struct jr_csv *csv)
{
	const uint8_t *p = csv->in.data;
	size_t n = csv->in.size;
	for (;; csv->next_line++) {
		size_t pos = csv->pos;
		if (pos < n && p[pos] == '\r')
			pos++;
		if (pos == n && !csv->more)
			csv->pos = n;
		if (pos >= n || p[pos] != '\n')
			return;
		csv->pos = pos + 1;
	}
}

enum jr_status jr_csv_accept(
	struct jr_csv *csv, const char *behind, uint64_t breaks, struct jr_error *err)
{
	if (csv->row >= csv->limits->rows)
		return jr_fail(err, JR_ELIMIT, "line %" PRIu64 ": more than %" PRIu64 " rows (--max-rows)",
			csv->line, csv->limits->rows);
	for (size_t i = 0; i < csv->n_columns; i++)
		if (csv->fields[i].n > csv->limits->string_bytes)
			return jr_fail(err, JR_ELIMIT,
				"line %" PRIu64 ", column '%s': text of %zu bytes, limit %" PRIu64
				" (--max-string-bytes)",
				csv->line, csv->names[i], csv->fields[i].n, csv->limits->string_bytes);
	csv->pos = (size_t)(behind - (const char *)csv->in.data);
	csv->next_line += breaks;
	csv->row++;
	return JR_OK;
}

/* Get further text, as much again as there is: then reading a long row again and again takes no
 * more time than reading it once. */
static enum jr_status get_more(struct jr_csv *csv, struct jr_error *err)
{
	bool ended;
	size_t left = csv->in.size - csv->pos;
	enum jr_status status =
		csv->more(csv->context, csv->pos, left ? left : 1, &csv->in, &ended, err);
	csv->torn = status != JR_OK;
	csv->pos = 0;
	if (ended || status != JR_OK)
		csv->more = NULL;
	return status;
}

/* Find the next row. `row` is parsed up to the end of its line, or a fault, or all text. */
static enum jr_status find_row(struct jr_csv *csv, struct row *row, bool *ok, struct jr_error *err)
{
	for (;;) {
		skip_blank_lines(csv);
		if (csv->more && csv->in.size - csv->pos < 2) {
			JR_TRY(get_more(csv, err));
			continue;
		}
		csv->line = csv->next_line;
		csv->scratch.size = 0;
		*row = (struct row){.p = (const char *)csv->in.data + csv->pos,
			.end = (const char *)csv->in.data + csv->in.size,
			.fields = csv->fields,
			.max = csv->n_columns};
		if (row->p == row->end)
			return JR_OK;
		*ok = parse_row(row, &csv->scratch);
		if (!csv->more || (*ok && row->p < row->end && row->n == csv->n_columns))
			return JR_OK;
		JR_TRY(get_more(csv, err));
	}
}

enum jr_status jr_csv_next(struct jr_csv *csv, bool *more, struct jr_error *err)
{
	struct row row;
	bool ok = true;
	*more = false;
	JR_TRY(find_row(csv, &row, &ok, err));
	if (csv->pos >= csv->in.size)
		return JR_OK;
	if (!ok)
		return jr_fail(err, JR_EFORMAT, "line %" PRIu64 ": %s", csv->line + row.breaks, row.fault);
	if (row.n != csv->n_columns)
		return jr_fail(err, JR_EFORMAT, "line %" PRIu64 ": %zu fields, the header has %zu",
			csv->line, row.n, csv->n_columns);
	place_scratch(csv->fields, row.n, &csv->scratch);
	JR_TRY(jr_csv_accept(csv, row.p, row.breaks, err));
	*more = true;
	return JR_OK;
}

void jr_csv_done(struct jr_csv *csv)
{
	if (!csv)
		return;
	jr_arena_done(&csv->arena);
	jr_buf_done(&csv->scratch);
	*csv = (struct jr_csv){0};
}
