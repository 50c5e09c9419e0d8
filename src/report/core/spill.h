/*
 * spill.h - a text file of a report, written out in pieces while it is made.
 * Layer: report.  Owner: jr_spill_end() releases the buffer.
 *
 * The largest files would otherwise need hundreds of MB at once.
 */
#ifndef JR_REPORT_SPILL_H
#define JR_REPORT_SPILL_H

#include "base/buf.h"
#include "base/error.h"

struct jr_outdir;

struct jr_spill {
	struct jr_buf buf; /* the text that is not written yet: add to it */
	struct jr_outdir *dir;
	const char *name; /* of the file */
	struct jr_error *err;
	enum jr_status status; /* of the pieces so far; after a failure nothing more is written */
	bool begun;            /* the file has been created */
};

/** Write the buffer out if it contains a piece. Call it after each row. */
void jr_spill(struct jr_spill *spill);
/** Write the rest, and return the status of all pieces. Without any text the file is empty. */
enum jr_status jr_spill_end(struct jr_spill *spill) JR_MUST_CHECK;

#endif
