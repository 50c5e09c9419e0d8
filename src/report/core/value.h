/*
 * value.h - text of one value with its unit: exact for machines, readable for people.
 * Layer: report.  Only this module scales units; the table is in analysis/result.h.
 */
#ifndef JR_REPORT_VALUE_H
#define JR_REPORT_VALUE_H

#include "analysis/core/result.h"
#include "base/buf.h"
#include "base/num.h"

/* A cell or a scalar. Texts are borrowed. */
struct jr_value {
	enum jr_type type;
	enum jr_unit unit;
	union {
		const char *text;
		int64_t i64;
		double f64;
		uint8_t boolean;
		const struct jr_table *rows;
	} as;
};

struct jr_value jr_value_of_cell(const struct jr_table *table, size_t column, size_t row);
struct jr_value jr_value_of_scalar(const struct jr_scalar *scalar);
bool jr_value_is_null(const struct jr_value *v);
/** Return the value in base units; NaN for null and for values that are not numbers. */
double jr_value_number(const struct jr_value *v);

/**
 * Append the text for JSON and CSV, without quotes: a number in the unit of the key, true, false,
 * or the text itself. Appends nothing for null and for JR_ROWS.
 */
void jr_value_put_data(struct jr_buf *out, const struct jr_value *v);

/** Return that number as a double; NaN for null and for values that are not numbers. */
double jr_value_data(const struct jr_value *v);
/** Convert such a number back to base units. A written number gives the same bits from every source
 * it is read from. */
double jr_value_of_data(double data, enum jr_unit unit);

/* Format of a column for people: one unit and one number of decimals for all of its cells, so that
 * they align and compare easily. */
#define JR_MARK "✓"
struct jr_value_format {
	const char *suffix; /* unit for the header, "" = none */
	double divisor;     /* from base units to that unit */
	int decimals;
	bool numeric; /* a number */
	bool right;   /* right-aligned: a number, or a text of numbers with units */
	bool sign;    /* + before values above 0 */
	bool near_0;  /* a small value is "≈ 0": values may be negative, so "<0.001" means less */
	bool each;    /* each cell has its unit: sizes that span many magnitudes */
	bool mark;    /* all rows have true or false: JR_MARK, or nothing */
	enum jr_unit unit; /* unit of the values */
	double max_abs;    /* of the rows read; NaN if all are null; for bars */
	double min_abs;    /* of those that are not 0 */
};

/** Return the format for the given rows of a column: [0, n_first) and [rest, n_rows). O(rows). */
struct jr_value_format jr_value_format_of(
	const struct jr_table *table, size_t column, size_t n_first, size_t rest);
/**
 * Choose a common unit for two columns of times: if their largest values differ by at most a factor
 * of 4, both use the longer unit. So 998 ms never appears next to 1.002 s.
 * @return whether the unit of `format` changed
 */
bool jr_value_format_join(struct jr_value_format *format, const struct jr_value_format *other);
/** Give a column of times the unit of another one. */
void jr_value_format_follow(struct jr_value_format *format, const struct jr_value_format *other);
/** Give columns of times one unit: that of the largest value, or the next shorter one if another
 * column would then be below 0.001. */
void jr_value_format_share(struct jr_value_format *const *formats, size_t n);
/**
 * Return the text of a value for people.
 * @param room  used if the text is not the cell's own
 * @return never NULL; an en dash for null; "0" for 0; for values that would be rounded to 0,
 *         "<0.001", or "≈ 0" of either sign if the column has negative values; "" for false in a
 *         column of marks
 */
const char *jr_value_text(
	const struct jr_value_format *format, const struct jr_value *v, char room[JR_NUM_MAX]);
/** Return the share of the column's largest value, 0..1, for a bar; 0 for null. */
double jr_value_bar(const struct jr_value_format *format, const struct jr_value *v);

/** Append a single scalar with its unit: "127.2 ± 3.1 ms", "38.21 GB", "97.31 %". */
void jr_value_put_scalar(struct jr_buf *out, const struct jr_scalar *scalar);

/* A part of a finding's text. */
struct jr_finding_part {
	const char *label; /* "What to do:", printed before the text; NULL: none */
	const char *text;
	bool small; /* evidence: small print */
};
enum { JR_FINDING_PARTS = 4 };
/** Store the parts of a finding below its title that have text, in the order in which they are
 * printed: what to do, cause, evidence, what others with this cause measured. Return their
 * number. */
size_t jr_value_finding_parts(
	const struct jr_finding *finding, struct jr_finding_part parts[JR_FINDING_PARTS]);
/** Append the cause of a finding, and what would be left: "waiting, the step would take 73.87 ms by
 * replay"; "transfer, 3 times"; only the cause if that is unknown. The title has the saving. */
void jr_value_put_gain(struct jr_buf *out, const struct jr_finding *finding);

#endif
