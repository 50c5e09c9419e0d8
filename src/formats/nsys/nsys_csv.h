/*
 * nsys_csv.h - rows of the push/pop report as `nsys stats` prints them.
 * Layer: formats.  Format: formats/README.md, section 1.2.
 */
#ifndef JR_FORMATS_NSYS_CSV_H
#define JR_FORMATS_NSYS_CSV_H

#include "formats/text/csv.h"

struct jr_nsys_csv {
	struct jr_csv csv;
	bool laid_out;     /* the header has the columns of nsys, so odd rows can be read */
	uint64_t n_odd;    /* rows that violate RFC 4180 but were read */
	uint64_t cut_line; /* line of the row in which the text ends; 0 = complete */
};

/**
 * Find the header, as in jr_csv_open().
 *
 * @param csv  close with jr_nsys_csv_done(), also after a failure; borrows `in` and `limits`
 * @return as jr_csv_open(); also JR_EFORMAT an empty text
 */
enum jr_status jr_nsys_csv_open(struct jr_nsys_csv *csv, struct jr_bytes in, const char *must_have,
	const struct jr_limits *limits, struct jr_error *err) JR_MUST_CHECK;
/**
 * Read the next row into csv->csv.fields. Rows that jr_csv_next() accepts are used as it reads
 * them. In other rows the name has quotes that are not doubled or line breaks that are not quoted.
 * It is the text between the five numbers before it and the seven columns after it, which are
 * followed by the name again. If the text ends in the middle of a row, also in its last column,
 * *more is false and cut_line is set.
 *
 * @return as jr_csv_next(), for a row that cannot be read in either way
 * @note O(bytes of the row) on average over all rows.
 */
enum jr_status jr_nsys_csv_next(struct jr_nsys_csv *csv, bool *more, struct jr_error *err)
	JR_MUST_CHECK;
void jr_nsys_csv_done(struct jr_nsys_csv *csv);

#endif
