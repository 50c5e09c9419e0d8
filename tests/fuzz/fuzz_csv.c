/* Fuzz target: CSV rows, by RFC 4180 and as nsys prints them; every byte of every field is read. If
 * the first of the two readers accepts an input, the second must read the same. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "formats/nsys/nsys_csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static unsigned touch(const struct jr_csv *csv)
{
	unsigned sum = 0;
	for (size_t i = 0; i < csv->n_columns; i++) {
		check(csv->fields[i].n <= csv->limits->string_bytes);
		for (size_t k = 0; k < csv->fields[i].n; k++)
			sum += (unsigned char)csv->fields[i].s[k];
	}
	return sum;
}

/* Read all rows and return the sum of their bytes. */
static unsigned read_strict(struct jr_bytes in, const char *must_have,
	const struct jr_limits *limits, uint64_t *n_rows)
{
	struct jr_csv csv;
	struct jr_error err = {0};
	unsigned sum = 0;
	enum jr_status status = jr_csv_open(&csv, in, must_have, limits, &err);
	bool more = status == JR_OK;
	if (more)
		check(jr_csv_find(&csv, must_have) < csv.n_columns);
	for (uint64_t line = 0; more;) {
		status = jr_csv_next(&csv, &more, &err);
		if (!more)
			break;
		check(status == JR_OK && csv.line > line);
		line = csv.line;
		sum += touch(&csv);
	}
	check(status == JR_OK || err.message[0]);
	*n_rows = status == JR_OK ? csv.row : 0;
	jr_csv_done(&csv);
	return sum;
}

static unsigned read_printed(struct jr_bytes in, const char *must_have,
	const struct jr_limits *limits, uint64_t *n_rows)
{
	struct jr_nsys_csv text;
	struct jr_error err = {0};
	unsigned sum = 0;
	enum jr_status status = jr_nsys_csv_open(&text, in, must_have, limits, &err);
	bool more = status == JR_OK;
	for (uint64_t line = 0; more;) {
		status = jr_nsys_csv_next(&text, &more, &err);
		if (!more)
			break;
		check(status == JR_OK && text.csv.line > line);
		line = text.csv.line;
		sum += touch(&text.csv);
	}
	check(status == JR_OK || err.message[0]);
	check(text.n_odd <= text.csv.row && (!text.cut_line || text.cut_line == text.csv.line));
	*n_rows = status == JR_OK && !text.cut_line ? text.csv.row : 0;
	jr_nsys_csv_done(&text);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_limits limits = jr_limits_default();
	limits.string_bytes = 1000;
	static const char *const must_have[] = {"a", "RangeId"};
	for (size_t i = 0; i < JR_COUNT_OF(must_have); i++) {
		uint64_t n_strict, n_printed;
		unsigned strict = read_strict(jr_bytes_of(data, size), must_have[i], &limits, &n_strict);
		unsigned printed =
			read_printed(jr_bytes_of(data, size), must_have[i], &limits, &n_printed);
		check(!n_strict || !n_printed || (n_strict == n_printed && strict == printed));
	}
	return 0;
}
