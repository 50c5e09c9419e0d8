/* An export of Nsight Systems as a folder of Parquet tables, or a zip of one. */
#include <string.h>

#include "base/cleanup.h"
#include "model/export/export.h"
#include "model/kinds/kind_parts.h"
#include "model/sources/oddities.h"
#include "model/sources/profile_root.h"

/* Return the length of the folder of a table that only exports have; SIZE_MAX: another file. */
static size_t root_of(const char *name)
{
	static const char *const tables[] = {
		"StringIds.", "NVTX_EVENTS.", "CUPTI_", "TARGET_INFO_", "META_DATA_EXPORT."};
	size_t folder = jr_source_folder_size(name);
	const char *base = name + folder;
	for (size_t i = 0; i < JR_COUNT_OF(tables); i++)
		if (jr_nsys_table_name(base) && strncmp(base, tables[i], strlen(tables[i])) == 0)
			return folder ? folder - 1 : 0;
	return SIZE_MAX;
}

bool jr_tables_within(const struct jr_archive *archive)
{
	return jr_profile_root_only(archive, root_of);
}

static enum jr_status read_tables(struct jr_archive *archive, const char *name, bool *entered,
	const struct jr_limits *limits, size_t n_threads, struct jr_buf *kept, struct jr_export *out,
	struct jr_error *err)
{
	JR_TRY(jr_profile_root_enter_by(archive, root_of, name, entered, err));
	enum jr_status status = jr_export_read_folder(archive, limits, n_threads, kept, out, err);
	return status == JR_OK ? JR_OK : jr_context(err, status, "'%s'", name);
}

static void tell_oddities(const struct jr_opening *o, bool entered)
{
	const struct jr_timeline *rows = &o->export->rows;
	if (entered)
		jr_tell_in_folder(o->profile);
	if (!rows->n_captured)
		jr_profile_guess(o->profile, "no-capture-settings", 1,
			"exports have no table META_DATA_CAPTURE, which nsys writes only as SQLite: what "
			"started and stopped the collection is unknown");
}

static enum jr_status open(struct jr_opening *o, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf kept = {0};
	bool entered = false;
	o->progress(o->context, "reading the export", 0, 0);
	JR_TRY(read_tables(*o->archive, o->input->name, &entered, o->limits,
		o->profile->options.n_threads, o->keeps_rows ? &kept : NULL, o->export, err));
	tell_oddities(o, entered);
	jr_nsys_exports_add(o, &kept);
	return JR_OK;
}

enum jr_status jr_tables_read_host(struct jr_archive *archive, const char *path,
	const struct jr_host_listener *to, struct jr_error *err)
{
	struct jr_export export;
	bool entered;
	JR_TRY(read_tables(archive, path, &entered, to->limits, 1, NULL, &export, err));
	return jr_timelines_tell_host(JR_OK, &export, path, to, err);
}

const struct jr_input_ops jr_input_nsys_parquet = {
	.label = "nsys-parquet",
	.noun = "an export as Parquet tables",
	.help = "a folder or .zip of the Parquet tables of Nsight Systems (nsys export --type "
			"parquetdir)",
	.suffixes = {"_pqtdir"},
	.within = "StringIds.parquet (of nsys export --type parquetdir)",
	.lists_unread = true,
	.digested = &jr_digested_export,
	.open = open,
};
