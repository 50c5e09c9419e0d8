/* A Parquet file is read column by column, its rows and columns are damaged, and it is written
 * again: the result is a valid file with wrong contents. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/parquet/parquet_writer.h"
#include "base/cleanup.h"
#include "formats/parquet/parquet.h"
#include "mutate.h"

#define MAX_COLUMNS 64

/* The writer borrows all of these from the arena. */
struct sheet {
	struct jr_arena arena;
	size_t n_rows, n_columns;
	struct jr_pq_put_column columns[MAX_COLUMNS];
};

/* The source of row `row` of a column's values; lists are left out. */
static bool take_column(struct sheet *s, const struct jr_parquet *pq, size_t index)
{
	const struct jr_parquet_column *about = &pq->columns[index];
	struct jr_parquet_values v;
	if (!about->readable || about->is_list || s->n_columns == MAX_COLUMNS ||
		jr_parquet_read(pq, index, &s->arena, &v, NULL) != JR_OK)
		return false;
	struct jr_pq_put_column *to = &s->columns[s->n_columns++];
	*to = (struct jr_pq_put_column){.name = about->name, .valid = v.valid};
	size_t n = s->n_rows;
	if (v.string) {
		struct jr_bytes *text = JR_ARENA_N(&s->arena, struct jr_bytes, n + 1);
		for (size_t i = 0; i < n; i++)
			text[i] = v.string[i] < v.n_dictionary ? v.dictionary[v.string[i]] : jr_bytes_of("", 0);
		to->type = JR_PQ_PUT_TEXT;
		to->text = text;
	} else if (v.float64) {
		to->type = JR_PQ_PUT_DOUBLE;
		to->f64 = v.float64;
	} else {
		int64_t *i64 = JR_ARENA_N(&s->arena, int64_t, n + 1);
		for (size_t i = 0; i < n; i++)
			i64[i] = v.int64 ? v.int64[i] : v.int32 ? v.int32[i] : v.boolean ? v.boolean[i] : 0;
		to->type = JR_PQ_PUT_INT64;
		to->i64 = i64;
	}
	return true;
}

static struct jr_pq_put_column *any_column(struct rng *rng, struct sheet *s, const char *part)
{
	for (int tries = 0; part && tries < 40; tries++) {
		struct jr_pq_put_column *c = &s->columns[rng_below(rng, s->n_columns)];
		if (strstr(c->name, part))
			return c;
	}
	return &s->columns[rng_below(rng, s->n_columns)];
}

/* A writable copy, as int64 from any type. */
static int64_t *as_integers(struct sheet *s, struct jr_pq_put_column *c)
{
	int64_t *out = JR_ARENA_N(&s->arena, int64_t, s->n_rows + 1);
	for (size_t i = 0; i < s->n_rows; i++)
		out[i] = c->type == JR_PQ_PUT_INT64 || c->type == JR_PQ_PUT_INT32 ? c->i64[i]
				 : c->type == JR_PQ_PUT_DOUBLE && fabs(c->f64[i]) < 9e18  ? (int64_t)c->f64[i]
																		  : (int64_t)i;
	*c = (struct jr_pq_put_column){
		.name = c->name, .type = JR_PQ_PUT_INT64, .i64 = out, .valid = c->valid};
	return out;
}

static void huge_numbers(struct rng *rng, struct sheet *s)
{
	static const char *const parts[] = {"Start", "End", "Dur", "PID", "TID", "Id", "ID", NULL};
	int64_t *v = as_integers(s, any_column(rng, s, parts[rng_below(rng, 8)]));
	bool same = rng_one_in(rng, 2);
	int64_t x = rng_extreme(rng);
	for (uint64_t k = 1 + rng_below(rng, rng_one_in(rng, 3) ? s->n_rows : 4); k; k--)
		v[rng_below(rng, s->n_rows)] = same ? x : rng_extreme(rng);
}

static void shifted_times(struct rng *rng, struct sheet *s)
{
	int64_t *v = as_integers(s, any_column(rng, s, rng_one_in(rng, 2) ? "Start" : "End"));
	int64_t by = rng_extreme(rng);
	for (size_t i = 0; i < s->n_rows; i++)
		if (rng_one_in(rng, 3))
			v[i] = (int64_t)((uint64_t)v[i] + (uint64_t)by);
}

static void parents(struct rng *rng, struct sheet *s)
{
	const struct jr_pq_put_column *range = any_column(rng, s, "Range");
	struct jr_pq_put_column *parent = any_column(rng, s, "Parent");
	struct jr_pq_put_column ids_of = *range;
	int64_t *ids = as_integers(s, &ids_of), *v = as_integers(s, parent);
	uint64_t how = rng_below(rng, 4);
	for (size_t i = 0; i < s->n_rows; i++) {
		if (how == 0) /* a chain of all rows */
			v[i] = ids[i ? i - 1 : 0];
		else if (how == 1) /* one ring of all rows */
			v[i] = ids[(i + 1) % s->n_rows];
		else if (how == 2 && rng_one_in(rng, 8)) /* itself */
			v[i] = ids[i];
		else if (how == 3 && rng_one_in(rng, 4)) /* anything */
			v[i] = ids[rng_below(rng, s->n_rows)];
	}
	parent->valid = NULL;
}

static void same_ids(struct rng *rng, struct sheet *s)
{
	int64_t *v = as_integers(s, any_column(rng, s, rng_one_in(rng, 2) ? "Range" : NULL));
	uint64_t distinct = 1 + rng_below(rng, 4);
	for (size_t i = 0; i < s->n_rows; i++)
		v[i] = v[i % distinct];
}

static void texts(struct rng *rng, struct sheet *s)
{
	struct jr_pq_put_column *c = any_column(rng, s, rng_one_in(rng, 2) ? "Name" : "Text");
	struct jr_bytes *v = JR_ARENA_N(&s->arena, struct jr_bytes, s->n_rows + 1);
	bool was_text = c->type == JR_PQ_PUT_TEXT;
	for (size_t i = 0; i < s->n_rows; i++)
		v[i] = was_text ? c->text[i] : jr_bytes_of("x", 1);
	for (uint64_t k = 1 + rng_below(rng, 20); k; k--) {
		JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
		rng_text(rng, &text);
		v[rng_below(rng, s->n_rows)] = jr_bytes_of(
			jr_arena_strndup(&s->arena, text.size ? text.data : "", text.size), text.size);
	}
	*c = (struct jr_pq_put_column){
		.name = c->name, .type = JR_PQ_PUT_TEXT, .text = v, .valid = c->valid};
}

/* The same column as another type: text as numbers, numbers as text, doubles, lists, narrow. */
static void wrong_type(struct rng *rng, struct sheet *s)
{
	struct jr_pq_put_column *c = any_column(rng, s, NULL);
	const char *name = c->name;
	int64_t *v = as_integers(s, c);
	double *f64 = JR_ARENA_N(&s->arena, double, s->n_rows + 1);
	struct jr_bytes *text = JR_ARENA_N(&s->arena, struct jr_bytes, s->n_rows + 1);
	uint64_t *begin = JR_ARENA_N(&s->arena, uint64_t, s->n_rows + 1);
	bool odd = rng_one_in(rng, 2);
	for (size_t i = 0; i < s->n_rows; i++) {
		const char *number = jr_arena_printf(&s->arena, "%lld", (long long)v[i]);
		f64[i] = odd && rng_one_in(rng, 5) ? NAN : odd ? (double)v[i] * 1e300 : (double)v[i] + 0.5;
		text[i] = jr_bytes_of(number, strlen(number));
		begin[i + 1] = i + 1;
	}
	static const enum jr_pq_put types[] = {
		JR_PQ_PUT_INT64, JR_PQ_PUT_INT32, JR_PQ_PUT_DOUBLE, JR_PQ_PUT_TEXT, JR_PQ_PUT_INT64_LIST};
	*c = (struct jr_pq_put_column){.name = name,
		.type = types[rng_below(rng, JR_COUNT_OF(types))],
		.i64 = v,
		.f64 = f64,
		.text = text,
		.list_begin = begin};
	if (c->type == JR_PQ_PUT_INT32)
		for (size_t i = 0; i < s->n_rows; i++)
			v[i] = (int32_t)(uint32_t)v[i];
}

static void nulls(struct rng *rng, struct sheet *s)
{
	struct jr_pq_put_column *c = any_column(rng, s, NULL);
	uint8_t *valid = JR_ARENA_N(&s->arena, uint8_t, s->n_rows + 1);
	uint64_t one_in = 1 + rng_below(rng, 10);
	for (size_t i = 0; i < s->n_rows; i++)
		valid[i] = !rng_one_in(rng, one_in);
	c->valid = valid;
}

static void columns(struct rng *rng, struct sheet *s)
{
	size_t at = rng_below(rng, s->n_columns), other = rng_below(rng, s->n_columns);
	struct jr_buf text = {0};
	switch (rng_below(rng, 4)) {
	case 0:
		s->columns[at] = s->columns[--s->n_columns];
		break;
	case 1:
		if (s->n_columns < MAX_COLUMNS)
			s->columns[s->n_columns++] = s->columns[at];
		break;
	case 2: {
		const char *name = s->columns[at].name;
		s->columns[at].name = s->columns[other].name;
		s->columns[other].name = name;
		break;
	}
	default:
		rng_text(rng, &text);
		s->columns[at].name = jr_arena_strndup(&s->arena, text.size ? text.data : "", text.size);
		jr_buf_done(&text);
	}
}

static void rows(struct rng *rng, struct sheet *s)
{
	s->n_rows = rng_one_in(rng, 4) ? 0 : rng_below(rng, s->n_rows);
}

bool damage_parquet(struct rng *rng, struct jr_buf *file)
{
	static void (*const ways[])(struct rng *, struct sheet *) = {huge_numbers, huge_numbers,
		shifted_times, parents, parents, same_ids, texts, texts, wrong_type, wrong_type, nulls,
		columns, rows};
	struct jr_limits limits = jr_limits_default();
	struct sheet s = {0};
	struct jr_parquet pq;
	struct jr_buf out = {0};
	jr_arena_init(&s.arena, 0);
	bool ok = jr_parquet_open(jr_buf_view(file), &limits, &s.arena, &pq, NULL) == JR_OK;
	if (ok) {
		s.n_rows = pq.n_rows;
		for (size_t i = 0; i < pq.n_columns; i++)
			(void)take_column(&s, &pq, i);
	}
	ok = ok && s.n_rows && s.n_columns;
	for (uint64_t k = ok ? 1 + rng_below(rng, 3) : 0; k && s.n_rows && s.n_columns; k--)
		ways[rng_below(rng, JR_COUNT_OF(ways))](rng, &s);
	if (ok) {
		static const enum jr_pq_codec codecs[] = {
			JR_PQ_UNCOMPRESSED, JR_PQ_SNAPPY, JR_PQ_GZIP, JR_PQ_ZSTD};
		struct jr_pq_put_options options = {
			.codec = codecs[rng_below(rng, 4)], .page_version = 1 + (int)rng_below(rng, 2)};
		ok = jr_parquet_write(&out, s.columns, s.n_columns, s.n_rows, &options, NULL) == JR_OK;
		jr_buf_done(ok ? file : &out);
		if (ok)
			*file = out;
	}
	jr_arena_done(&s.arena);
	return ok;
}
