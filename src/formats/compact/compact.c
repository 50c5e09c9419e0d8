#include "formats/compact/compact.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/text.h"

/* REST needs the values of three columns before its own. */
#define N_BEFORE 3

static size_t type_bytes(uint8_t type)
{
	return type == JR_COMPACT_U8 ? 1 : type == JR_COMPACT_I32 || type == JR_COMPACT_U32 ? 4 : 8;
}

/* Differences are taken modulo 2^64, so that no pair of values overflows. 32-bit numbers count as
 * signed: JR_NONE is then -1, next to the row numbers. */
static uint64_t widen(const void *at, uint8_t type)
{
	switch (type) {
	case JR_COMPACT_U8: return *(const uint8_t *)at;
	case JR_COMPACT_I32:
	case JR_COMPACT_U32: return (uint64_t)(int64_t) * (const int32_t *)at;
	default: return *(const uint64_t *)at;
	}
}

static void widen_all(
	const uint8_t *first, size_t stride, uint8_t type, size_t n, uint64_t *restrict out)
{
	for (size_t i = 0; i < n; i++)
		out[i] = widen(first + i * stride, type);
}

/* The value that `coding` predicts for row i. */
static inline uint64_t predict(
	uint8_t coding, uint64_t *const before[N_BEFORE], uint64_t last, size_t i)
{
	switch (coding) {
	case JR_COMPACT_STEP: return last;
	case JR_COMPACT_SINCE: return before[0][i];
	case JR_COMPACT_REST: return before[1][i] - before[2][i] - before[0][i];
	default: return 0;
	}
}

static uint64_t fold(uint64_t difference)
{
	return difference << 1 ^ (uint64_t) - (int64_t)(difference >> 63);
}

/* The values of a column and of those before it. */
struct window {
	uint64_t *now, *before[N_BEFORE];
};

static void window_init(struct window *w, uint64_t *memory, size_t n)
{
	w->now = memory;
	for (size_t i = 0; i < N_BEFORE; i++)
		w->before[i] = memory + (i + 1) * (n + 1);
}

static void window_next(struct window *w)
{
	uint64_t *oldest = w->before[N_BEFORE - 1];
	for (size_t i = N_BEFORE - 1; i > 0; i--)
		w->before[i] = w->before[i - 1];
	w->before[0] = w->now;
	w->now = oldest;
}

/* --- writing --------------------------------------------------------------------------------- */

void jr_compact_number(struct jr_buf *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		jr_buf_putc(out, (char)(value | 0x80));
	jr_buf_putc(out, (char)value);
}

void jr_compact_bytes(struct jr_buf *out, struct jr_bytes bytes)
{
	jr_compact_number(out, bytes.size);
	if (bytes.size)
		jr_buf_add(out, bytes.data, bytes.size);
}

void jr_compact_text(struct jr_buf *out, const char *text)
{
	jr_compact_bytes(out, jr_bytes_of(text, strlen(text)));
}

void jr_compact_strings(struct jr_buf *out, const struct jr_intern *strings)
{
	size_t n = strings->n ? strings->n - 1 : 0;
	jr_compact_number(out, n);
	for (size_t i = 1; i <= n; i++)
		jr_compact_bytes(out,
			jr_bytes_of(jr_intern_str(strings, (uint32_t)i), jr_intern_len(strings, (uint32_t)i)));
}

/* Equal bytes of all values stand together, because xz finds repetition there. */
static void put_planes(struct jr_buf *out, const uint64_t *values, size_t n)
{
	uint64_t all = 0;
	for (size_t i = 0; i < n; i++)
		all |= values[i];
	unsigned width = 1;
	while (width < 8 && all >> (8 * width))
		width++;
	jr_buf_putc(out, (char)width);
	jr_buf_reserve(out, width * n);
	for (unsigned byte = 0; byte < width; byte++) {
		for (size_t i = 0; i < n; i++)
			out->data[out->size + i] = (char)(values[i] >> (8 * byte));
		out->size += n;
	}
	out->data[out->size] = '\0';
}

static const uint8_t *first_of(
	const struct jr_compact_table *table, const struct jr_compact_column *c, const void *rows)
{
	const uint8_t *at = (const uint8_t *)rows + c->at;
	return table->row_bytes ? at : *(uint8_t *const *)(const void *)at;
}

static void put_column(struct jr_buf *out, const struct jr_compact_column *c, const uint8_t *first,
	size_t stride, size_t n, struct window *w, uint64_t *coded)
{
	widen_all(first, stride, c->type, n, w->now);
	for (size_t i = 0; i < n; i++)
		coded[i] = fold(w->now[i] - predict(c->coding, w->before, i ? w->now[i - 1] : 0, i));
	put_planes(out, coded, n);
	window_next(w);
}

void jr_compact_table(
	struct jr_buf *out, const struct jr_compact_table *table, const void *rows, size_t n)
{
	struct window w;
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	uint64_t *coded = JR_ARENA_N(&scratch, uint64_t, n + 1);
	window_init(&w, JR_ARENA_N(&scratch, uint64_t, (N_BEFORE + 1) * (n + 1)), n);
	jr_compact_number(out, n);
	for (size_t k = 0; n && k < table->n_columns; k++) {
		const struct jr_compact_column *c = &table->columns[k];
		const uint8_t *first = first_of(table, c, rows);
		if (first)
			put_column(out, c, first, table->row_bytes ? table->row_bytes : type_bytes(c->type), n,
				&w, coded);
		else
			jr_buf_putc(out, 0);
	}
	jr_arena_done(&scratch);
}

/* --- reading --------------------------------------------------------------------------------- */

static enum jr_status cut_short(const struct jr_expanding *in, struct jr_error *err)
{
	return jr_fail(err, JR_EFORMAT,
		"the digest is damaged: it ends too early, at byte %zu of a part", in->in.pos);
}

enum jr_status jr_expand_number(
	struct jr_expanding *in, uint64_t below, uint64_t *value, struct jr_error *err)
{
	uint64_t read;
	if (!jr_reader_varint(&in->in, &read))
		return cut_short(in, err);
	if (read >= below)
		return jr_fail(err, JR_EFORMAT,
			"the digest is damaged: a number is %" PRIu64 ", not below %" PRIu64, read, below);
	*value = read;
	return JR_OK;
}

enum jr_status jr_expand_bytes(
	struct jr_expanding *in, struct jr_bytes *bytes, struct jr_error *err)
{
	uint64_t size;
	JR_TRY(jr_expand_number(in, UINT64_MAX, &size, err));
	return jr_reader_take(&in->in, size, bytes) ? JR_OK : cut_short(in, err);
}

static enum jr_status take_text(
	struct jr_expanding *in, bool clean, struct jr_bytes *text, struct jr_error *err)
{
	JR_TRY(jr_expand_bytes(in, text, err));
	if (text->size > in->limits->string_bytes)
		return jr_fail(err, JR_ELIMIT, "text of %zu bytes, limit %" PRIu64 " (--max-string-bytes)",
			text->size, in->limits->string_bytes);
	if (clean && !jr_text_is_clean((const char *)text->data, text->size))
		return jr_fail(err, JR_EFORMAT, "the digest is damaged: a text is not clean");
	return JR_OK;
}

enum jr_status jr_expand_text(
	struct jr_expanding *in, bool clean, const char **text, struct jr_error *err)
{
	struct jr_bytes bytes;
	JR_TRY(take_text(in, clean, &bytes, err));
	char *copy = jr_arena_array(in->arena, bytes.size + 1, 1, err);
	if (!copy)
		return JR_ELIMIT;
	if (bytes.size)
		memcpy(copy, bytes.data, bytes.size);
	*text = copy;
	return JR_OK;
}

enum jr_status jr_expand_strings(
	struct jr_expanding *in, bool clean, struct jr_intern *strings, struct jr_error *err)
{
	uint64_t n;
	JR_TRY(jr_expand_number(in, jr_reader_left(&in->in) + 1, &n, err));
	for (uint64_t i = 1; i <= n; i++) {
		struct jr_bytes text;
		JR_TRY(take_text(in, clean, &text, err));
		if (jr_intern_put(strings, (const char *)text.data, text.size) != i)
			return jr_fail(err, JR_EFORMAT, "the digest is damaged: a text occurs twice");
	}
	return JR_OK;
}

static enum jr_status take_planes(
	struct jr_expanding *in, unsigned width, size_t n, uint64_t *out, struct jr_error *err)
{
	struct jr_bytes plane;
	memset(out, 0, n * sizeof(*out));
	for (unsigned byte = 0; byte < width; byte++) {
		if (!jr_reader_take(&in->in, n, &plane))
			return cut_short(in, err);
		for (size_t i = 0; i < n; i++)
			out[i] |= (uint64_t)plane.data[i] << (8 * byte);
	}
	return JR_OK;
}

/* Return whether a value fits its type and passes the check of its column. */
static bool is_valid(const struct jr_compact_column *c, uint64_t below, uint64_t value)
{
	int64_t v = (int64_t)value;
	bool fits = c->type == JR_COMPACT_U8                                 ? value <= UINT8_MAX
				: c->type == JR_COMPACT_I32 || c->type == JR_COMPACT_U32 ? v == (int32_t)v
																		 : true;
	uint64_t number = c->type == JR_COMPACT_U32 ? (uint32_t)value : value;
	switch (c->check) {
	case JR_COMPACT_FLAG: return value <= 1;
	case JR_COMPACT_TIME: return v >= -JR_TIME_MAX_NS && v <= JR_TIME_MAX_NS;
	case JR_COMPACT_TIME_OR_MAX:
		return v == INT64_MAX || (v >= -JR_TIME_MAX_NS && v <= JR_TIME_MAX_NS);
	case JR_COMPACT_BELOW: return fits && number < below;
	case JR_COMPACT_BELOW_OR_NONE: return fits && (number < below || number == JR_NONE);
	default: return fits;
	}
}

static void narrow_all(
	uint8_t *first, size_t stride, uint8_t type, size_t n, const uint64_t *restrict values)
{
	for (size_t i = 0; i < n; i++) {
		void *at = first + i * stride;
		switch (type) {
		case JR_COMPACT_U8: *(uint8_t *)at = (uint8_t)values[i]; break;
		case JR_COMPACT_I32:
		case JR_COMPACT_U32: *(uint32_t *)at = (uint32_t)values[i]; break;
		default: *(uint64_t *)at = values[i];
		}
	}
}

/* Decode a column of n values into w->now. */
static enum jr_status take_column(struct jr_expanding *in, const struct jr_compact_table *table,
	const struct jr_compact_column *c, unsigned width, size_t n, struct window *w,
	struct jr_error *err)
{
	uint64_t below = c->below > JR_COMPACT_BOUND(JR_COMPACT_BOUNDS)
						 ? in->bounds[UINT64_MAX - c->below]
						 : c->below;
	JR_TRY(take_planes(in, width, n, w->now, err));
	uint64_t last = 0;
	for (size_t i = 0; i < n; i++) {
		last = (uint64_t)jr_zigzag(w->now[i]) + predict(c->coding, w->before, last, i);
		if (!is_valid(c, below, last))
			return jr_fail(err, JR_EFORMAT,
				"the digest is damaged: '%s' of %s is not valid in row %zu", c->name, table->name,
				i);
		w->now[i] = last;
	}
	return JR_OK;
}

/* `rows` as for jr_compact_table(). */
static enum jr_status take_columns(struct jr_expanding *in, const struct jr_compact_table *table,
	void *rows, size_t n, struct window *w, struct jr_error *err)
{
	for (size_t k = 0; k < table->n_columns; k++) {
		const struct jr_compact_column *c = &table->columns[k];
		uint8_t width, *at = (uint8_t *)rows + c->at;
		size_t size = type_bytes(c->type), stride = table->row_bytes ? table->row_bytes : size;
		if (!jr_reader_u8(&in->in, &width))
			return cut_short(in, err);
		if (width > 8 || (width == 0 && !c->optional))
			return jr_fail(err, JR_EFORMAT, "the digest is damaged: '%s' of %s has width %u",
				c->name, table->name, width);
		if (width == 0)
			continue;
		JR_TRY(take_column(in, table, c, width, n, w, err));
		if (!table->row_bytes) {
			void *values = jr_arena_array(in->arena, (uint64_t)n + 1, size, err);
			if (!values)
				return JR_ELIMIT;
			*(void **)(void *)at = values;
			at = values;
		}
		narrow_all(at, stride, c->type, n, w->now);
		window_next(w);
	}
	return JR_OK;
}

/* Tables of no rows have arrays, too. */
static enum jr_status make_empty(
	struct jr_expanding *in, const struct jr_compact_table *table, void *rows, struct jr_error *err)
{
	for (size_t k = 0; k < table->n_columns; k++) {
		const struct jr_compact_column *c = &table->columns[k];
		void *values = c->optional ? NULL : jr_arena_array(in->arena, 1, sizeof(uint64_t), err);
		if (!values && !c->optional)
			return JR_ELIMIT;
		*(void **)(void *)((uint8_t *)rows + c->at) = values;
	}
	return JR_OK;
}

static enum jr_status take_rows(struct jr_expanding *in, const struct jr_compact_table *table,
	void *rows, size_t n, struct jr_error *err)
{
	struct window w;
	struct jr_arena scratch;
	jr_arena_init(&scratch, in->limits->memory_bytes);
	uint64_t *memory =
		jr_arena_array(&scratch, (uint64_t)(N_BEFORE + 1) * (n + 1), sizeof(*memory), err);
	enum jr_status status = memory ? JR_OK : JR_ELIMIT;
	if (memory) {
		window_init(&w, memory, n);
		status = take_columns(in, table, rows, n, &w, err);
	}
	jr_arena_done(&scratch);
	return status;
}

enum jr_status jr_expand_table(struct jr_expanding *in, const struct jr_compact_table *table,
	void *rows, size_t *n, struct jr_error *err)
{
	uint64_t count;
	JR_TRY(jr_expand_number(in, jr_reader_left(&in->in) + 1, &count, err));
	if (count > in->limits->rows || count >= JR_NONE)
		return jr_fail(err, JR_ELIMIT, "%s has %" PRIu64 " rows, limit %" PRIu64 " (--max-rows)",
			table->name, count, in->limits->rows);
	*n = (size_t)count;
	if (table->row_bytes) {
		void *items = jr_arena_array(in->arena, count + 1, table->row_bytes, err);
		if (!items)
			return JR_ELIMIT;
		*(void **)rows = items;
		rows = items;
	}
	if (count == 0)
		return table->row_bytes ? JR_OK : make_empty(in, table, rows, err);
	return take_rows(in, table, rows, *n, err);
}

enum jr_status jr_expand_row(
	struct jr_expanding *in, const struct jr_compact_table *table, void *row, struct jr_error *err)
{
	uint64_t count;
	JR_TRY(jr_expand_number(in, 2, &count, err));
	if (count != 1)
		return jr_fail(err, JR_EFORMAT, "the digest is damaged: %s has no row", table->name);
	return take_rows(in, table, row, 1, err);
}

enum jr_status jr_expand_end(const struct jr_expanding *in, struct jr_error *err)
{
	return jr_reader_left(&in->in) == 0
			   ? JR_OK
			   : jr_fail(err, JR_EFORMAT, "the digest is damaged: %zu bytes follow a part",
					 jr_reader_left(&in->in));
}
