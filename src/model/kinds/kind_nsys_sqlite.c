/* An SQLite export of Nsight Systems: one source for each process in it. */
#include "base/cleanup.h"
#include "model/export/export.h"
#include "model/kinds/kind_parts.h"

static int probe(const struct jr_input_head *head)
{
	return jr_nsys_is_sqlite(head->bytes) ? 128 : 0;
}

static enum jr_status open(struct jr_opening *o, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf kept = {0};
	uint64_t size_bytes = jr_opening_file_bytes(o);
	o->input->size_bytes = size_bytes;
	o->progress(o->context, "reading the export", size_bytes, 0);
	struct jr_timeline rows;
	enum jr_status status =
		jr_export_rows(o->path, o->limits, o->profile->options.n_threads, &rows, err);
	if (o->begin_checksum) /* what follows does not need all threads */
		o->begin_checksum(o);
	if (status == JR_OK)
		status = jr_export_take_rows(&rows, o->limits, o->profile->options.n_threads,
			o->keeps_rows ? &kept : NULL, o->export, err);
	if (status != JR_OK)
		return jr_context(err, status, "'%s'", o->input->name);
	o->progress(o->context, "reading the export", 0, size_bytes);
	jr_nsys_exports_add(o, &kept);
	return JR_OK;
}

static enum jr_status read_host(
	const char *path, const struct jr_host_listener *to, struct jr_error *err)
{
	struct jr_export export;
	enum jr_status status = jr_export_read(path, to->limits, 1, NULL, &export, err);
	return jr_timelines_tell_host(status, &export, path, to, err);
}

const struct jr_input_ops jr_input_nsys_sqlite = {
	.label = "nsys-sqlite",
	.noun = "an SQLite export",
	.help =
		"an SQLite export of Nsight Systems (nsys export --type sqlite), of any program that uses "
		"CUDA",
	.suffixes = {".sqlite", ".sqlite3", ".db"},
	.nsys_export = true,
	.reads_at_open = true,
	.unpack_first = true,
	.digested = &jr_digested_export,
	.probe = probe,
	.open = open,
	.read_host = read_host,
};
