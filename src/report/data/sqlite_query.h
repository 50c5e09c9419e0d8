/*
 * sqlite_query.h - answer SQL over the tables of a report, without a file.
 * Layer: report.
 */
#ifndef JR_REPORT_SQLITE_QUERY_H
#define JR_REPORT_SQLITE_QUERY_H

#include "base/buf.h"
#include "report/core/report.h"

struct jr_query {
	const char *sql; /* one SELECT; NULL: list the tables with their columns */
	enum jr_query_form { JR_QUERY_TABLE, JR_QUERY_CSV, JR_QUERY_JSON } form;
	bool raw; /* CSV: text that looks like a formula stays as it is */
};

/**
 * Make the tables of profile.sqlite in memory, run the query, and append its rows: as an aligned
 * table (null is "–"), CSV (RFC 4180) or JSON (a list of objects).
 *
 * The query can only read these tables: statements that write, attach files, or set options are
 * refused by SQLite's authorizer.
 * @return JR_EUSAGE SQLite's reason, or no statement or several; JR_EIO out of room
 * Cost: as --format sqlite, and the query.
 */
enum jr_status jr_report_query(const struct jr_profile *profile, const struct jr_results *results,
	const struct jr_query *query, struct jr_buf *out, struct jr_error *err) JR_MUST_CHECK;

#endif
