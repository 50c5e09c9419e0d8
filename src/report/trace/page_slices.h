/*
 * page_slices.h - the slices of a page's timeline: which ones fit, packed for its script.
 * Layer: report.
 */
#ifndef JR_REPORT_PAGE_SLICES_H
#define JR_REPORT_PAGE_SLICES_H

#include "report/core/doc.h"
#include "report/trace/tracks.h"

/* Largest size of the packed slices with their names: 160 kB as base64. */
#define JR_PAGE_SLICES_BYTES 120000

/**
 * Choose slices and pack them. All steps of all devices while they fit; of more than 16 devices
 * those of the still chart, late ones, and others as there is room, up to 64; then the median, the
 * slowest and the fastest step, and others between the first and the last one as there is room, if
 * all devices are shown; then fewer devices; then the median step; then a stretch in its
 * middle, or in that of a profile without steps. If there are a few too many, the shortest slices
 * are left out. The text says what is left out. With more than eight devices, a heat strip of all
 * devices comes with them.
 *
 * Format: zlib (RFC 1950) of: number of bytes of the JSON as a varint, the JSON (keys:
 * templates/timeline_data.js), and per lane, as varints, its names, its gaps before slices, its
 * durations and, if it communicates, its waiting times, all in ns; then the strip's cells.
 *
 * @param out  the bytes are appended
 * @return false if the profile has no slices; nothing is appended
 * Cost: O(rows), and the compression of at most some 30,000 slices.
 */
bool jr_page_slices_pack(const struct jr_doc *doc, struct jr_buf *out);

/* Of fewer devices, the timeline shows all lanes, and there is no strip. */
#define JR_PAGE_STRIP_DEVICES 9

/* At most so many steps are side by side if not all of them are in the page. */
#define JR_PAGE_WINDOWS 12

/* --- private to page_slices.c, page_strip.c and page_pack.c ---------------------------------- */

struct jr_page_strip;

struct jr_page_step {
	int64_t start_ns, end_ns, number; /* on the common clock */
};

/* What is in the page. */
struct jr_page_choice {
	const struct jr_doc *doc;
	const struct jr_profile *p;
	const struct jr_instances *instances;
	struct jr_arena *arena;
	struct jr_page_step *steps; /* by start */
	uint32_t program;           /* whose executions are the steps; JR_NONE: none */
	int64_t drawn;              /* number of the step of the still chart; -1: none */
	size_t n_all_steps, n_steps, n_shown_steps;
	struct jr_trace_window windows[JR_PAGE_WINDOWS];
	size_t n_middle;  /* slices of the only window if that is a stretch in the middle; else 0 */
	int64_t whole_ns; /* of which it is the middle */
	struct jr_trace_part part;
	size_t n_devices, n_shown;   /* devices with slices, and those in the page */
	uint8_t *first;              /* [n_devices of the profile] 1: the still chart shows it */
	struct jr_page_strip *strip; /* NULL: none */
	bool host_left_out;
};

/** Append the slices of a choice, unless they are larger than JR_PAGE_SLICES_BYTES. Return their
 * size; 0: there are none. */
size_t jr_page_pack(struct jr_page_choice *choice, struct jr_buf *out);

/** Make the heat strip of all steps, of jobs with more than eight devices that ran the program.
 * Called before steps are left out. O(rows) */
void jr_page_strip_find(struct jr_page_choice *choice);
/** Append the strip's rows and columns as JSON; "0" without one. A row is its name, then the
 * devices whose slices are in the page. */
void jr_page_strip_put(
	const struct jr_page_choice *choice, const struct jr_trace *trace, struct jr_buf *json);
/** Return the number of cells of all kinds (step time without waiting, then waiting; by row), and
 * their codes: three digits * 10 + power of ten of ns; 10000: unknown. In the choice's arena. */
size_t jr_page_strip_codes(const struct jr_page_choice *choice, uint64_t **codes);

#endif
