/*
 * report.h - write a profile and its results to files: one document, many writers.
 * Layer: report.
 */
#ifndef JR_REPORT_REPORT_H
#define JR_REPORT_REPORT_H

#include "analysis/core/pass.h"
#include "base/file.h"

#define JR_VERSION "0.1.0"
#define JR_RELEASED "2026-11-20" /* date of the man page, the package and its changelog */
#define JR_REPORT_SCHEMA "jaxreport.report/1"

/* The document tree that every writer reads; doc.h. */
struct jr_doc;
struct jr_text_style;

struct jr_report_job {
	const struct jr_profile *profile;
	const struct jr_results *results;
	const struct jr_doc *doc;
	struct jr_outdir *out;
	size_t n_threads;
};

/* One output format: a row of the table in formats.def. */
struct jr_report_format {
	const char *name;    /* --format html */
	const char *summary; /* for --help: the files it writes */
	bool by_default;
	bool draws; /* needs the figures drawn */
	enum jr_status (*write)(const struct jr_report_job *job, struct jr_error *err);
};

/* All formats in documented order; ends with a NULL name. */
extern const struct jr_report_format jr_report_formats[];

/** Return a row of jr_report_formats by name, or NULL. */
const struct jr_report_format *jr_report_format_find(const char *name, size_t n);

/** If one of the formats draws, find and read its fonts now. Later no file may be written, not even
 * fontconfig's caches. A few ms, once. */
void jr_report_load_fonts(const struct jr_report_format *const *chosen, size_t n_chosen);

/**
 * Compose the document and run the chosen writers (in parallel if there are threads).
 *
 * @param chosen  [n_chosen] rows of jr_report_formats
 * @return the first failure in table order: JR_EIO (disk full, ...)
 */
enum jr_status jr_report_write(const struct jr_profile *profile, const struct jr_results *results,
	const struct jr_report_format *const *chosen, size_t n_chosen, struct jr_outdir *out,
	struct jr_error *err) JR_MUST_CHECK;

/** Append the text of results for a terminal: sections as in summary.txt, without drawings. */
void jr_report_text(const struct jr_profile *profile, const struct jr_results *results,
	const struct jr_text_style *style, struct jr_buf *out);

#endif
