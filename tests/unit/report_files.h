/*
 * report_files.h - write a report into its own folder and look at its files.
 * Test code; static functions only.
 */
#ifndef JR_TESTS_REPORT_FILES_H
#define JR_TESTS_REPORT_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit.h"
#include "fake_report.h"

struct report {
	char folder[64]; /* contains "report" */
};

static enum jr_status report_write(struct fake *f, const char *target, bool all,
	struct jr_error *err)
{
	const struct jr_report_format *chosen[64];
	size_t n = 0;
	struct jr_outdir out;
	for (const struct jr_report_format *row = jr_report_formats; row->name; row++)
		if (all || row->by_default) {
			assert_true(n < sizeof(chosen) / sizeof(chosen[0]));
			chosen[n++] = row;
		}
	assert_int_equal(jr_outdir_begin(&out, target, true, err), JR_OK);
	enum jr_status status = jr_report_write(&f->profile, &f->results, chosen, n, &out, err);
	if (status == JR_OK)
		status = jr_outdir_commit(&out, err);
	jr_outdir_abandon(&out);
	return status;
}

static struct report report_make(struct fake *f)
{
	struct report r;
	struct jr_error err;
	struct jr_buf target = {0};
	snprintf(r.folder, sizeof(r.folder), "/tmp/jr-report-XXXXXX");
	assert_non_null(mkdtemp(r.folder));
	jr_buf_printf(&target, "%s/report", r.folder);
	assert_int_equal(report_write(f, target.data, true, &err), JR_OK);
	jr_buf_done(&target);
	return r;
}

/* Remove the files; KEEP_REPORT=1 keeps them for tests/browser/run and for inspection. */
static void report_remove(struct report *r)
{
	if (getenv("KEEP_REPORT"))
		fprintf(stderr, "%s/report\n", r->folder);
	else
		jr_remove_tree(r->folder);
}

/* Return the contents of a file of the report, followed by NUL; the caller calls jr_buf_done(). */
static struct jr_buf report_read(const struct report *r, const char *name)
{
	struct jr_buf path = {0}, text = {0};
	struct jr_file_map map;
	struct jr_error err;
	jr_buf_printf(&path, "%s/report/%s", r->folder, name);
	if (jr_file_map(path.data, &map, &err) != JR_OK)
		fail_msg("%s", err.message);
	jr_buf_add(&text, map.bytes.data, map.bytes.size);
	jr_buf_add(&text, "", 1);
	text.size--;
	jr_file_unmap(&map);
	jr_buf_done(&path);
	return text;
}

static size_t count_of(const char *text, const char *what)
{
	size_t n = 0;
	for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

#endif
