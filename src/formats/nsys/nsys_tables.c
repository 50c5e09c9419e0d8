#include "formats/nsys/nsys_tables.h"

enum jr_status jr_nsys_tables_open(
	const struct jr_nsys_file *file, struct jr_nsys_tables *tables, struct jr_error *err)
{
	struct jr_nsys_tables opened = {
		.ops = file->folder ? &jr_nsys_parquet_tables : &jr_nsys_sqlite_tables, .file = file};
	if (opened.ops->open)
		JR_TRY(opened.ops->open(&opened, err));
	*tables = opened;
	return JR_OK;
}

void jr_nsys_tables_close(struct jr_nsys_tables *tables)
{
	if (tables->ops && tables->ops->close)
		tables->ops->close(tables);
	*tables = (struct jr_nsys_tables){0};
}

enum jr_status jr_nsys_scan_begin(const struct jr_nsys_tables *tables, const char *table,
	const char *const *columns, size_t n, size_t n_must, struct jr_nsys_scan *scan,
	struct jr_error *err)
{
	*scan = (struct jr_nsys_scan){.tables = tables, .table = table, .code = SQLITE_DONE};
	enum jr_status status = tables->ops->begin(scan, columns, n, n_must, err);
	if (status != JR_OK)
		jr_nsys_scan_end(scan);
	return status;
}

void jr_nsys_scan_end(struct jr_nsys_scan *scan)
{
	if (scan->tables)
		scan->tables->ops->end(scan);
	*scan = (struct jr_nsys_scan){0};
}

enum jr_status jr_nsys_scan_stopped(const struct jr_nsys_scan *scan, struct jr_error *err)
{
	return scan->tables->ops->stopped(scan, err);
}
