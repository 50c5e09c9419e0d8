#include <assert.h>
#include <lzma.h>
#include <string.h>

#include "writers.h"

void gen_put_i64(struct gen_column *c, int64_t v)
{
	*jr_vec_add(&c->i64) = v;
	*jr_vec_add(&c->valid) = 1;
}

void gen_put_f64(struct gen_column *c, double v)
{
	*jr_vec_add(&c->f64) = v;
	*jr_vec_add(&c->valid) = 1;
}

void gen_put_bytes(struct gen_column *c, struct jr_bytes text)
{
	*jr_vec_add(&c->text) = text;
	*jr_vec_add(&c->valid) = 1;
}

void gen_put_text(struct gen_column *c, const char *s)
{
	gen_put_bytes(c, jr_bytes_of(s, strlen(s)));
}

void gen_put_list(struct gen_column *c, const int64_t *items, size_t n)
{
	size_t begin = c->i64.n;
	*jr_vec_add(&c->list_begin) = begin;
	for (size_t i = 0; i < n; i++)
		*jr_vec_add(&c->i64) = items[i];
	*jr_vec_add(&c->valid) = 1;
}

void gen_put_null(struct gen_column *c)
{
	size_t begin = c->i64.n;
	switch (c->type) {
	case JR_PQ_PUT_INT64:
	case JR_PQ_PUT_INT32:
		*jr_vec_add(&c->i64) = 0;
		break;
	case JR_PQ_PUT_DOUBLE:
		*jr_vec_add(&c->f64) = 0;
		break;
	case JR_PQ_PUT_TEXT:
		*jr_vec_add(&c->text) = jr_bytes_of("", 0);
		break;
	case JR_PQ_PUT_INT64_LIST:
		*jr_vec_add(&c->list_begin) = begin;
		break;
	}
	*jr_vec_add(&c->valid) = 0;
}

void gen_table_write(struct jr_buf *out, struct gen_column *columns, size_t n, size_t n_index,
	const struct jr_pq_put_options *given)
{
	struct jr_pq_put_options options = *given;
	options.library = "jr-generate";
	options.version = "1.0.0";
	options.n_index = n_index;
	options.n_levels = strncmp(columns[0].name, "('", 2) == 0 ? 2 : 1;
	JR_VEC(struct jr_pq_put_column) views = {0};
	size_t n_rows = n ? columns[0].valid.n : 0;
	for (size_t i = 0; i < n; i++) {
		struct gen_column *c = &columns[i];
		size_t end = c->i64.n;
		assert(c->valid.n == n_rows);
		*jr_vec_add(&c->list_begin) = end;
		*jr_vec_add(&views) = (struct jr_pq_put_column){.name = c->name,
			.type = c->type,
			.i64 = c->i64.items,
			.f64 = c->f64.items,
			.text = c->text.items,
			.list_begin = c->list_begin.items,
			.valid = c->valid.items};
	}
	if (jr_parquet_write(out, views.items, n, n_rows, &options, NULL) != JR_OK)
		abort();
	for (size_t i = 0; i < n; i++) {
		jr_vec_done(&columns[i].i64);
		jr_vec_done(&columns[i].f64);
		jr_vec_done(&columns[i].text);
		jr_vec_done(&columns[i].list_begin);
		jr_vec_done(&columns[i].valid);
	}
	jr_vec_done(&views);
}

void gen_xz(struct jr_buf *out, const struct jr_buf *in)
{
	size_t bound = lzma_stream_buffer_bound(in->size), at = 0;
	jr_buf_reserve(out, bound);
	/* preset 6, CRC64: what Python's lzma.compress() writes. Of traces it took most of the time of
	 * suites; preset 0 takes a twentieth, and they are a fifth longer. A dictionary longer than the
	 * input would only have to be cleared. */
	lzma_options_lzma options;
	lzma_lzma_preset(&options, in->size > 1 << 14 ? 0 : 6);
	if (options.dict_size > in->size)
		options.dict_size = in->size < LZMA_DICT_SIZE_MIN ? LZMA_DICT_SIZE_MIN : (uint32_t)in->size;
	lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, NULL}};
	if (lzma_stream_buffer_encode(filters, LZMA_CHECK_CRC64, NULL, (const uint8_t *)in->data,
			in->size, (uint8_t *)out->data + out->size, &at, bound) != LZMA_OK)
		jr_oom();
	out->size += at;
}
