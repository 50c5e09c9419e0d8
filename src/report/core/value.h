/*
 * value.h - one value, its unit, and its text: exact for machines, readable for people.
 * Layer: report.  The only place where a unit is scaled; the table is in analysis/result.h.
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
/** In base units; NaN for null and for what is no number. */
double jr_value_number(const struct jr_value *v);

/**
 * The text that JSON and CSV share, without quotes: a number in the unit of the key, true, false,
 * or the text itself. Nothing for null and for JR_ROWS.
 */
void jr_value_put_data(struct jr_buf *out, const struct jr_value *v);

/** The same number as a double; NaN for null and for what is no number. */
double jr_value_data(const struct jr_value *v);
/** Such a number in base units again; reading back what was written gives the same bits whatever
 * source it is read from. */
double jr_value_of_data(double data, enum jr_unit unit);

/* How a column is shown to people: one unit and one number of decimals for all of its cells, so
 * that they line up and compare at a glance. */
#define JR_MARK "✓"
struct jr_value_format {
	const char *suffix; /* unit for the header, "" = none */
	double divisor;     /* base units to that unit */
	int decimals;
	bool numeric;      /* a number */
	bool right;        /* right-aligned: a number, or a text that is one with its unit */
	bool sign;         /* + ahead of what is above 0 */
	bool each;         /* the unit is written in each cell: sizes that span many magnitudes */
	bool mark;         /* of yes and no, which every row has: JR_MARK, or nothing */
	enum jr_unit unit; /* of what is formatted */
	double max_abs;    /* of the rows looked at; NaN where all are null; for bars */
	double min_abs;    /* the same of those that are not 0 */
};

/** Format for the given rows of a column: [0, n_first) and [rest, n_rows). O(rows). */
struct jr_value_format jr_value_format_of(
	const struct jr_table *table, size_t column, size_t n_first, size_t rest);
/**
 * Times of one table are compared with each other: where the largest of two columns are no more
 * than a factor of 4 apart, both are told in the longer unit: no 998 ms beside 1.002 s.
 * @return whether the unit of `format` changed
 */
bool jr_value_format_join(struct jr_value_format *format, const struct jr_value_format *other);
/**
 * Text for people.
 * @param room  used where the text is not the cell's own
 * @return never NULL; an en dash for null; "0" for 0; "<0.001" for what would wrongly read as 0;
 *         "" for what is not marked
 */
const char *jr_value_text(
	const struct jr_value_format *format, const struct jr_value *v, char room[JR_NUM_MAX]);
/** Share of the column's largest value, 0..1, for a bar; 0 for null. */
double jr_value_bar(const struct jr_value_format *format, const struct jr_value *v);

/** A scalar by itself, with its unit: "127.2 ± 3.1 ms", "38.21 GB", "97.31 %". Appends. */
void jr_value_put_scalar(struct jr_buf *out, const struct jr_scalar *scalar);

/** The cause of a finding and what it could win: "waiting, up to 51.27 ms per step, then 73.87 ms",
 * or, where no step is known, "transfer, up to 1.2 s in all"; the cause alone where that is
 * unknown. */
void jr_value_put_gain(struct jr_buf *out, const struct jr_finding *finding);

#endif
