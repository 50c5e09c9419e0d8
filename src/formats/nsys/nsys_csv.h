/*
 * nsys_csv.h - rows of the push/pop report as `nsys stats` prints them.
 * Layer: formats.  What it prints: formats/README.md, section 1.2.
 */
#ifndef JR_FORMATS_NSYS_CSV_H
#define JR_FORMATS_NSYS_CSV_H

#include "formats/text/csv.h"

struct jr_nsys_csv {
	struct jr_csv csv;
	bool laid_out;     /* the header is that of nsys, column by column: odd rows can be read */
	uint64_t n_odd;    /* rows that are no RFC 4180 and were read all the same */
	uint64_t cut_line; /* where the row begins in whose middle the text ends; 0: it does not */
};

/**
 * Find the header, as jr_csv_open().
 *
 * @param csv  close with jr_nsys_csv_done(), also after a failure; borrows `in` and `limits`
 * @return also JR_EFORMAT an empty text
 */
enum jr_status jr_nsys_csv_open(struct jr_nsys_csv *csv, struct jr_bytes in, const char *must_have,
	const struct jr_limits *limits, struct jr_error *err) JR_MUST_CHECK;
/**
 * Next row into csv->csv.fields. A row that jr_csv_next() takes is what that makes of it. Of others
 * the name is what lies between the five numbers ahead of it and the seven columns behind it, which
 * end in the name once more: quotes in it are not doubled, line breaks not quoted. Where the text
 * ends in the middle of a row, be it the last column, *more is false and cut_line is set.
 *
 * @return as jr_csv_next(), of a row that neither reading makes sense of
 * @note O(bytes of the row), for all rows together.
 */
enum jr_status jr_nsys_csv_next(struct jr_nsys_csv *csv, bool *more, struct jr_error *err)
	JR_MUST_CHECK;
void jr_nsys_csv_done(struct jr_nsys_csv *csv);

#endif
