#include "formats/compact/compact.h"

#include <inttypes.h>

#include "base/text.h"
#include "formats/compact/compact_bits.h"

/* REST needs the values of three columns before its own. */
#define N_BEFORE 3

/* Of columns, in planes: numbers above are the width of a value. */
#define WIDTH_ABSENT 0
#define MOST_WIDTH 8
#define WIDTH_BITS 9  /* starts and ends in bits */
#define WIDTH_RARE 10 /* one number for most rows, and those of the others */
#define RARE_PART 16  /* ... which are at most this part of all rows */

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

void jr_compact_bytes(struct jr_buf *out, struct jr_bytes bytes)
{
	jr_buf_varint(out, bytes.size);
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
	jr_buf_varint(out, n);
	for (size_t i = 1; i <= n; i++)
		jr_compact_bytes(out,
			jr_bytes_of(jr_intern_str(strings, (uint32_t)i), jr_intern_len(strings, (uint32_t)i)));
}

/* Return the number that most rows have, if there is one. */
static uint64_t usual_of(const uint64_t *values, size_t n)
{
	uint64_t usual = values[0];
	size_t lead = 0;
	for (size_t i = 0; i < n; i++) {
		if (!lead)
			usual = values[i];
		lead += values[i] == usual ? 1 : (size_t)-1;
	}
	return usual;
}

/* Put a column in which nearly all rows have one number. @return false: it is not one */
static bool put_rare(struct jr_buf *out, const uint64_t *values, size_t n)
{
	uint64_t usual = usual_of(values, n);
	size_t n_others = 0, next = 0;
	for (size_t i = 0; i < n; i++)
		n_others += values[i] != usual;
	if (n < RARE_PART || n_others > n / RARE_PART)
		return false;
	jr_buf_putc(out, WIDTH_RARE);
	jr_buf_varint(out, usual);
	jr_buf_varint(out, n_others);
	for (size_t i = 0; i < n; i++) {
		if (values[i] == usual)
			continue;
		jr_buf_varint(out, i - next);
		jr_buf_varint(out, values[i]);
		next = i + 1;
	}
	return true;
}

/* Equal bytes of all values stand together, because xz finds repetition there. */
static void put_planes(struct jr_buf *out, const uint64_t *values, size_t n)
{
	uint64_t all = 0;
	for (size_t i = 0; i < n; i++)
		all |= values[i];
	unsigned width = 1;
	while (width < MOST_WIDTH && all >> (8 * width))
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

/* Ends follow their starts: both are put together. The first column has a byte per row, so that a
 * reader can bound the number of rows. */
static void put_column(struct jr_buf *out, struct jr_buf *bits, const struct jr_compact_column *c,
	bool is_first, size_t n, struct window *w, uint64_t *coded)
{
	if (c->coding == JR_COMPACT_START)
		return;
	if (c->coding == JR_COMPACT_END) {
		jr_buf_putc(out, WIDTH_BITS);
		jr_compact_bits_put(bits, w->before[0], w->now, w->before[1], n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		coded[i] = fold(w->now[i] - predict(c->coding, w->before, i ? w->now[i - 1] : 0, i));
	if (is_first || !put_rare(out, coded, n))
		put_planes(out, coded, n);
}

void jr_compact_table(struct jr_buf *out, struct jr_buf *bits, const struct jr_compact_table *table,
	const void *rows, size_t n)
{
	struct window w;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	uint64_t *coded = JR_ARENA_N(&scratch, uint64_t, n + 1);
	window_init(&w, JR_ARENA_N(&scratch, uint64_t, (N_BEFORE + 1) * (n + 1)), n);
	jr_buf_varint(out, n);
	for (size_t k = 0; n && k < table->n_columns; k++) {
		const struct jr_compact_column *c = &table->columns[k];
		const uint8_t *first = first_of(table, c, rows);
		if (!first) {
			jr_buf_putc(out, WIDTH_ABSENT);
			continue;
		}
		widen_all(
			first, table->row_bytes ? table->row_bytes : type_bytes(c->type), c->type, n, w.now);
		put_column(out, bits, c, k == 0, n, &w, coded);
		window_next(&w);
	}
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
	jr_copy(copy, bytes.data, bytes.size);
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
	for (unsigned byte = 0; byte < width; byte++) {
		if (!jr_reader_take(&in->in, n, &plane))
			return cut_short(in, err);
		for (size_t i = 0; i < n; i++)
			out[i] = (byte ? out[i] : 0) | (uint64_t)plane.data[i] << (8 * byte);
	}
	return JR_OK;
}

static enum jr_status take_rare(
	struct jr_expanding *in, size_t n, uint64_t *out, struct jr_error *err)
{
	uint64_t usual, n_others, gap, next = 0;
	if (!jr_reader_varint(&in->in, &usual))
		return cut_short(in, err);
	JR_TRY(jr_expand_number(in, n, &n_others, err));
	for (size_t i = 0; i < n; i++)
		out[i] = usual;
	for (uint64_t k = 0; k < n_others; k++) {
		JR_TRY(jr_expand_number(in, n - next, &gap, err));
		if (!jr_reader_varint(&in->in, &out[next + gap]))
			return cut_short(in, err);
		next += gap + 1;
	}
	return JR_OK;
}

/* Values that fit the type of a column and pass its check: n from `least` on, and maybe another. */
struct values {
	uint64_t least, n, other;
	bool has_other;
};

static inline bool is_valid(const struct values *valid, uint64_t value)
{
	return value - valid->least < valid->n || (valid->has_other && value == valid->other);
}

/* A u32 is stored as an i32; rows are far fewer than its positive values. */
static struct values valid_values(const struct jr_compact_column *c, uint64_t below)
{
	uint64_t max = c->type == JR_COMPACT_U8                                 ? UINT8_MAX
				   : c->type == JR_COMPACT_I32 || c->type == JR_COMPACT_U32 ? INT32_MAX
																			: UINT64_MAX;
	switch (c->check) {
	case JR_COMPACT_FLAG: return (struct values){.n = 2};
	case JR_COMPACT_TIME:
		return (struct values){.least = -(uint64_t)JR_TIME_MAX_NS, .n = 2 * JR_TIME_MAX_NS + 1};
	case JR_COMPACT_TIME_OR_MAX:
		return (struct values){-(uint64_t)JR_TIME_MAX_NS, 2 * JR_TIME_MAX_NS + 1, INT64_MAX, true};
	case JR_COMPACT_BELOW: return (struct values){.n = below <= max ? below : max + 1};
	case JR_COMPACT_BELOW_OR_NONE:
		return (struct values){.n = below <= max ? below : max + 1,
			.other = c->type == JR_COMPACT_U32 ? UINT64_MAX : JR_NONE,
			.has_other = c->type == JR_COMPACT_U32 || max == UINT64_MAX};
	default: break;
	}
	if (max == INT32_MAX)
		return (struct values){.least = (uint64_t)INT32_MIN, .n = UINT64_C(1) << 32};
	return (struct values){.n = max == UINT64_MAX ? max : max + 1, .other = max, .has_other = true};
}

static void narrow_all(
	uint8_t *first, size_t stride, uint8_t type, size_t n, const uint64_t *restrict values)
{
	size_t size = type_bytes(type);
	if (stride == size && size == sizeof(uint64_t)) {
		memcpy(first, values, n * size);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		void *at = first + i * stride;
		switch (size) {
		case sizeof(uint8_t): *(uint8_t *)at = (uint8_t)values[i]; break;
		case sizeof(uint32_t): *(uint32_t *)at = (uint32_t)values[i]; break;
		default: *(uint64_t *)at = values[i];
		}
	}
}

/* The columns of a table while they are read. */
struct taking {
	struct jr_expanding *in;
	const struct jr_compact_table *table;
	void *rows; /* as for jr_compact_table() */
	size_t n;
	struct window w;
	struct jr_arena scratch;
};

static enum jr_status not_valid(
	const struct taking *t, const struct jr_compact_column *c, size_t row, struct jr_error *err)
{
	return jr_fail(err, JR_EFORMAT, "the digest is damaged: '%s' of %s is not valid in row %zu",
		c->name, t->table->name, row);
}

static uint64_t below_of(const struct taking *t, const struct jr_compact_column *c)
{
	return c->below > JR_COMPACT_BOUND(JR_COMPACT_BOUNDS) ? t->in->bounds[UINT64_MAX - c->below]
														  : c->below;
}

/* Decode w.now. Return the first row that is not valid; n: all are. Inlined per coding, so that the
 * loop does not ask for it. */
static inline size_t decode(
	uint8_t coding, const struct window *w, size_t n, const struct values *valid)
{
	const struct values v = *valid;
	uint64_t last = 0, *now = w->now;
	for (size_t i = 0; i < n; i++) {
		now[i] = last = (uint64_t)jr_zigzag(now[i]) + predict(coding, w->before, last, i);
		if (!is_valid(&v, last))
			return i;
	}
	return n;
}

/* Decode a column into w.now. */
static enum jr_status take_column(
	struct taking *t, const struct jr_compact_column *c, unsigned width, struct jr_error *err)
{
	struct values valid = valid_values(c, below_of(t, c));
	const struct window *w = &t->w;
	size_t n = t->n, row;
	JR_TRY(width == WIDTH_RARE ? take_rare(t->in, n, w->now, err)
							   : take_planes(t->in, width, n, w->now, err));
	switch (c->coding) {
	case JR_COMPACT_STEP: row = decode(JR_COMPACT_STEP, w, n, &valid); break;
	case JR_COMPACT_SINCE: row = decode(JR_COMPACT_SINCE, w, n, &valid); break;
	case JR_COMPACT_REST: row = decode(JR_COMPACT_REST, w, n, &valid); break;
	default: row = decode(JR_COMPACT_PLAIN, w, n, &valid);
	}
	return row < n ? not_valid(t, c, row, err) : JR_OK;
}

/* Write w.now to the rows, or to an array of its own. */
static enum jr_status keep_column(
	struct taking *t, const struct jr_compact_column *c, struct jr_error *err)
{
	uint8_t *at = (uint8_t *)t->rows + c->at;
	size_t size = type_bytes(c->type);
	if (!t->table->row_bytes) {
		void *values = jr_arena_array(t->in->arena, (uint64_t)t->n + 1, size, err);
		if (!values)
			return JR_ELIMIT;
		*(void **)(void *)at = values;
		at = values;
	}
	narrow_all(at, t->table->row_bytes ? t->table->row_bytes : size, c->type, t->n, t->w.now);
	window_next(&t->w);
	return JR_OK;
}

/* Starts and ends, which are two columns. */
static enum jr_status take_ranges(
	struct taking *t, const struct jr_compact_column *start, struct jr_error *err)
{
	struct window *w = &t->w;
	uint64_t *starts = w->now, *ends = w->before[N_BEFORE - 1];
	JR_TRY(jr_compact_bits_take(&t->in->bits, w->before[0], t->n, starts, ends, &t->scratch, err));
	for (const struct jr_compact_column *c = start; c <= start + 1; c++) {
		struct values valid = valid_values(c, below_of(t, c));
		for (size_t i = 0; i < t->n; i++)
			if (!is_valid(&valid, w->now[i]))
				return not_valid(t, c, i, err);
		JR_TRY(keep_column(t, c, err));
	}
	return JR_OK;
}

static bool is_width(const struct jr_compact_column *c, bool is_first, uint8_t width)
{
	switch (width) {
	case WIDTH_ABSENT: return c->optional;
	case WIDTH_BITS: return c->coding == JR_COMPACT_START;
	case WIDTH_RARE: return c->coding != JR_COMPACT_START && !is_first;
	default: return c->coding != JR_COMPACT_START && width <= MOST_WIDTH;
	}
}

static enum jr_status take_columns(struct taking *t, struct jr_error *err)
{
	for (size_t k = 0; k < t->table->n_columns; k++) {
		const struct jr_compact_column *c = &t->table->columns[k];
		bool are_ranges = c->coding == JR_COMPACT_START;
		uint8_t width;
		if (!jr_reader_u8(&t->in->in, &width))
			return cut_short(t->in, err);
		if (!is_width(c, k == 0, width))
			return jr_fail(err, JR_EFORMAT, "the digest is damaged: '%s' of %s has width %u",
				c->name, t->table->name, width);
		if (width == WIDTH_ABSENT)
			continue;
		if (are_ranges) {
			JR_TRY(take_ranges(t, c, err));
			k++;
		} else {
			JR_TRY(take_column(t, c, width, err));
			JR_TRY(keep_column(t, c, err));
		}
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
	struct taking t = {.in = in, .table = table, .rows = rows, .n = n};
	jr_arena_init(&t.scratch, in->limits->memory_bytes);
	uint64_t *memory =
		jr_arena_array(&t.scratch, (uint64_t)(N_BEFORE + 1) * (n + 1), sizeof(*memory), err);
	enum jr_status status = memory ? JR_OK : JR_ELIMIT;
	if (memory) {
		window_init(&t.w, memory, n);
		status = take_columns(&t, err);
	}
	jr_arena_done(&t.scratch);
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
	size_t left = jr_reader_left(&in->in) + jr_reader_left(&in->bits);
	return left == 0
			   ? JR_OK
			   : jr_fail(err, JR_EFORMAT, "the digest is damaged: %zu bytes follow a part", left);
}
