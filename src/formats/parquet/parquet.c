#include "formats/parquet/parquet.h"

#include <inttypes.h>
#include <string.h>

#include "formats/parquet/parquet_parts.h"
#include "formats/parquet/parquet_footer.h"

/* Check that row groups add up to the file's rows and have one chunk per column. */
static enum jr_status check_groups(struct jr_parquet *pq, const struct jr_pq_footer *footer,
	const struct jr_limits *limits, struct jr_error *err)
{
	uint64_t n_rows = 0;
	for (uint32_t i = 0; i < footer->n_groups; i++) {
		const struct jr_pq_row_group *group = &footer->groups[i];
		if (group->n_chunks != pq->n_columns)
			return jr_fail(err, JR_EFORMAT,
				"row group %" PRIu32 " has %" PRIu32 " columns, the schema %zu", i, group->n_chunks,
				pq->n_columns);
		if (__builtin_add_overflow(n_rows, group->n_rows, &n_rows))
			return jr_fail(err, JR_EFORMAT, "row groups of more than 2^64 rows");
	}
	/* Early parquet-rs left the file's row count at 0. */
	if (footer->n_rows && n_rows != footer->n_rows)
		return jr_fail(err, JR_EFORMAT,
			"row groups have %" PRIu64 " rows, the file states %" PRIu64, n_rows, footer->n_rows);
	if (n_rows > limits->rows)
		return jr_fail(err, JR_ELIMIT,
			"Parquet file of %" PRIu64 " rows, limit %" PRIu64 " (--max-rows)", n_rows,
			limits->rows);
	pq->n_rows = n_rows;
	return JR_OK;
}

enum jr_status jr_parquet_open(struct jr_bytes file, const struct jr_limits *limits,
	struct jr_arena *arena, struct jr_parquet *pq, struct jr_error *err)
{
	struct jr_parquet_impl *impl = JR_ARENA_NEW(arena, struct jr_parquet_impl);
	struct jr_parquet opened = {.file = file, .impl = impl};
	impl->limits = *limits;
	JR_TRY(jr_pq_footer_read(file, arena, &impl->footer, err));
	JR_TRY(jr_pq_schema_build(&opened, impl, arena, err));
	JR_TRY(check_groups(&opened, &impl->footer, limits, err));
	opened.created_by = impl->footer.created_by;
	opened.n_groups = impl->footer.n_groups;
	*pq = opened;
	return JR_OK;
}

size_t jr_parquet_find(const struct jr_parquet *pq, const char *name)
{
	for (size_t i = 0; i < pq->n_columns; i++)
		if (!strcmp(pq->columns[i].name, name))
			return i;
	for (size_t i = 0; i < pq->n_columns; i++)
		if (!strcmp(pq->columns[i].path, name))
			return i;
	return SIZE_MAX;
}

uint64_t jr_parquet_group_rows(const struct jr_parquet *pq, uint32_t group)
{
	return pq->impl->footer.groups[group].n_rows;
}

enum jr_status jr_parquet_read_groups(const struct jr_parquet *pq, size_t column,
	struct jr_parquet_groups groups, struct jr_arena *arena, struct jr_parquet_values *values,
	struct jr_error *err)
{
	const struct jr_parquet_column *c = &pq->columns[column];
	if (!c->readable)
		return jr_fail(err, JR_EUNSUPPORTED, "column '%.200s': %s are not supported", c->path,
			c->type == JR_PQ_INT96 ? "INT96 values" : "nested fields");
	enum jr_status status = jr_pq_column_read(pq, column, groups, arena, values, err);
	return status == JR_OK ? JR_OK : jr_context(err, status, "column '%.200s'", c->path);
}

enum jr_status jr_parquet_read(const struct jr_parquet *pq, size_t column, struct jr_arena *arena,
	struct jr_parquet_values *values, struct jr_error *err)
{
	return jr_parquet_read_groups(
		pq, column, (struct jr_parquet_groups){0, pq->n_groups}, arena, values, err);
}
