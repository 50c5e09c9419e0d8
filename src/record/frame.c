#include "record/frame.h"

#include <assert.h>
#include <inttypes.h>

#define PIECE_ROWS ((size_t)1 << 16)
/* A piece is held in memory three times. */
#define PIECE_TEXT_BYTES ((uint64_t)32 << 20)
/* Large enough that long names shared by many rows are written once per piece. */
#define DICTIONARY_BYTES ((size_t)8 << 20)

void jr_frame_begin(struct jr_frame *f, const struct jr_pq_put_column *columns, size_t n_index,
	const struct jr_frame_place *place)
{
	bool pairs = columns[0].name[0] == '('; /* names of two-level columns begin so */
	*f = (struct jr_frame){
		.zip = place->zip, .member = place->member, .most_text_bytes = place->most_text_bytes};
	f->options = (struct jr_pq_put_options){.codec = JR_PQ_SNAPPY,
		.page_version = 1,
		.library = "jaxreport",
		.version = place->version,
		.n_index = n_index,
		.n_levels = pairs ? 2 : 1,
		.dictionary_bytes = DICTIONARY_BYTES,
		.n_threads = place->n_threads};
	for (; columns[f->n_columns].name; f->n_columns++) {
		assert(f->n_columns < JR_FRAME_COLUMNS);
		f->head[f->n_columns] = columns[f->n_columns];
	}
	jr_arena_init(&f->texts, 0);
	jr_parquet_out_begin(&f->out, &f->file, &f->options);
}

void jr_frame_i64(struct jr_frame *f, size_t column, int64_t value)
{
	*jr_vec_add(&f->columns[column].i64) = value;
	*jr_vec_add(&f->columns[column].valid) = 1;
}

void jr_frame_f64(struct jr_frame *f, size_t column, double value)
{
	*jr_vec_add(&f->columns[column].f64) = value;
	*jr_vec_add(&f->columns[column].valid) = 1;
}

void jr_frame_lasting(struct jr_frame *f, size_t column, const char *text, size_t n)
{
	*jr_vec_add(&f->columns[column].text) = jr_bytes_of(text, n);
	*jr_vec_add(&f->columns[column].valid) = 1;
	f->piece_bytes += n;
	f->text_bytes += n;
}

void jr_frame_text(struct jr_frame *f, size_t column, const char *text, size_t n)
{
	jr_frame_lasting(f, column, jr_arena_strndup(&f->texts, text, n), n);
}

void jr_frame_null(struct jr_frame *f, size_t column)
{
	struct jr_frame_column *c = &f->columns[column];
	switch (f->head[column].type) {
	case JR_PQ_PUT_DOUBLE: *jr_vec_add(&c->f64) = 0; break;
	case JR_PQ_PUT_TEXT: *jr_vec_add(&c->text) = jr_bytes_of("", 0); break;
	default: *jr_vec_add(&c->i64) = 0; break;
	}
	*jr_vec_add(&c->valid) = 0;
}

/* Write the packed pieces into the archive. */
static void write_out(struct jr_frame *f)
{
	struct jr_bytes piece = jr_parquet_out_take(&f->out);
	if (f->status == JR_OK && !f->has_begun)
		f->status = jr_zip_writer_begin(f->zip, f->member, 0, &f->err);
	f->has_begun = true;
	if (f->status == JR_OK)
		f->status = jr_zip_writer_grow(f->zip, piece, &f->err);
}

/* Record the status of packing; the message begins with the member's name. */
static void note(struct jr_frame *f, enum jr_status status)
{
	f->status = status == JR_OK ? JR_OK : jr_context(&f->err, status, "%s", f->member);
}

static void write_piece(struct jr_frame *f)
{
	struct jr_pq_put_column views[JR_FRAME_COLUMNS];
	if (f->n_rows == 0)
		return;
	for (size_t i = 0; i < f->n_columns; i++) {
		struct jr_frame_column *c = &f->columns[i];
		assert(c->valid.n == f->n_rows);
		views[i] = f->head[i];
		views[i].i64 = c->i64.items;
		views[i].f64 = c->f64.items;
		views[i].text = c->text.items;
		views[i].valid = c->valid.items;
		c->i64.n = c->f64.n = c->text.n = c->valid.n = 0;
	}
	if (f->text_bytes > f->most_text_bytes && f->status == JR_OK)
		f->status = jr_fail(&f->err, JR_ELIMIT,
			"the text of %s takes more than %" PRIu64
			" bytes, many times the size of the export, so no program could read it",
			f->member, f->most_text_bytes);
	if (f->status == JR_OK)
		note(f, jr_parquet_out_rows(&f->out, views, f->n_columns, f->n_rows, &f->err));
	write_out(f);
	jr_arena_clear(&f->texts);
	f->piece_bytes = 0;
	f->n_written += f->n_rows;
	f->n_rows = 0;
}

void jr_frame_row(struct jr_frame *f)
{
	if (++f->n_rows == PIECE_ROWS || f->piece_bytes >= PIECE_TEXT_BYTES)
		write_piece(f);
}

enum jr_status jr_frame_end(struct jr_frame *f, struct jr_error *err)
{
	write_piece(f);
	if (f->status == JR_OK)
		note(f, jr_parquet_out_end(&f->out, f->head, f->n_columns, &f->err));
	write_out(f);
	if (f->status == JR_OK)
		f->status = jr_zip_writer_end(f->zip, &f->err);
	if (f->status != JR_OK && err)
		*err = f->err;
	return f->status;
}

void jr_frame_done(struct jr_frame *f)
{
	for (size_t i = 0; i < f->n_columns; i++) {
		jr_vec_done(&f->columns[i].i64);
		jr_vec_done(&f->columns[i].f64);
		jr_vec_done(&f->columns[i].text);
		jr_vec_done(&f->columns[i].valid);
	}
	jr_arena_done(&f->texts);
	jr_parquet_out_drop(&f->out);
	jr_buf_done(&f->file);
}
