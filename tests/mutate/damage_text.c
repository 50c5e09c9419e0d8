/* Damage to bytes, to the records of a zip, and to CSV, JSON and HLO texts. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "mutate.h"

/* Put `n` bytes in place of those at [at, at + gone). */
static void splice(struct jr_buf *b, size_t at, size_t gone, const char *bytes, size_t n)
{
	struct jr_buf out = {0};
	if (at)
		jr_buf_add(&out, b->data, at);
	if (n)
		jr_buf_add(&out, bytes, n);
	if (at + gone < b->size)
		jr_buf_add(&out, b->data + at + gone, b->size - at - gone);
	jr_buf_reserve(&out, 1);
	jr_buf_done(b);
	*b = out;
}

static void put_le(struct jr_buf *b, size_t at, size_t n, uint64_t value)
{
	for (size_t i = 0; i < n && at + i < b->size; i++)
		b->data[at + i] = (char)(value >> 8 * i);
}

static void flip(struct rng *rng, struct jr_buf *b)
{
	for (uint64_t n = 1 + rng_below(rng, rng_one_in(rng, 4) ? 200 : 6); n; n--)
		b->data[rng_below(rng, b->size)] ^= (char)(1 << rng_below(rng, 8));
}

static void overwrite(struct rng *rng, struct jr_buf *b)
{
	static const size_t widths[] = {1, 2, 4, 8};
	for (uint64_t n = 1 + rng_below(rng, 4); n; n--)
		put_le(b, rng_below(rng, b->size), widths[rng_below(rng, 4)], (uint64_t)rng_extreme(rng));
}

static void truncate_end(struct rng *rng, struct jr_buf *b)
{
	b->size = rng_below(rng, b->size);
}

static void cut(struct rng *rng, struct jr_buf *b)
{
	size_t at = rng_below(rng, b->size);
	splice(b, at, rng_below(rng, b->size - at) % 4096 + 1, NULL, 0);
}

static void repeat(struct rng *rng, struct jr_buf *b)
{
	size_t at = rng_below(rng, b->size), n = rng_below(rng, b->size - at) % 4096 + 1;
	if (n > b->size - at)
		n = b->size - at;
	JR_CLEANUP(jr_buf_done) struct jr_buf piece = {0};
	for (uint64_t times = 1 + rng_below(rng, 40); times; times--)
		jr_buf_add(&piece, b->data + at, n);
	splice(b, at, 0, piece.data, piece.size);
}

static void fill(struct rng *rng, struct jr_buf *b)
{
	size_t at = rng_below(rng, b->size), n = rng_below(rng, b->size - at) % 512 + 1;
	static const char bytes[] = {0, (char)0xFF, (char)0x7F, (char)0x80};
	for (size_t i = 0; i < n && at + i < b->size; i++)
		b->data[at + i] = bytes[at % 4];
}

static void insert(struct rng *rng, struct jr_buf *b)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	rng_text(rng, &text);
	splice(b, rng_below(rng, b->size), 0, text.data, text.size);
}

static void move_block(struct rng *rng, struct jr_buf *b)
{
	size_t from = rng_below(rng, b->size), to = rng_below(rng, b->size);
	size_t n = rng_below(rng, b->size - (from > to ? from : to)) % 8192;
	memmove(b->data + to, b->data + from, n);
}

void damage_bytes(struct rng *rng, struct jr_buf *bytes)
{
	static void (*const ways[])(struct rng *, struct jr_buf *) = {
		flip, flip, overwrite, overwrite, truncate_end, cut, repeat, fill, insert, move_block};
	if (bytes->size)
		ways[rng_below(rng, JR_COUNT_OF(ways))](rng, bytes);
}

void damage_zip_records(struct rng *rng, struct jr_buf *zip)
{
	static const char *const signatures[] = {"PK\1\2", "PK\3\4", "PK\5\6"};
	static const uint8_t sizes[] = {46, 30, 22};
	for (uint64_t n = 1 + rng_below(rng, 3); n && zip->size > 64; n--) {
		uint64_t which = rng_below(rng, 3), skip = rng_below(rng, 40);
		const char *found = NULL, *at = zip->data, *end = zip->data + zip->size;
		do {
			at = memmem(at, (size_t)(end - at), signatures[which], 4);
			found = at ? at++ : found;
		} while (at && skip--);
		if (!found)
			continue;
		size_t field = (size_t)(found - zip->data) + 4 + rng_below(rng, sizes[which] - 4u);
		put_le(zip, field, rng_one_in(rng, 2) ? 2 : 4, (uint64_t)rng_extreme(rng));
	}
}

/* --- CSV -------------------------------------------------------------------------------------- */

/* Find the start and length, including the newline, of row `row` (0: the header) of n_rows. */
static size_t row_at(const struct jr_buf *b, uint64_t row, size_t *n)
{
	const char *at = b->data, *end = b->data + b->size;
	for (; row && at < end; row--) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		at = newline ? newline + 1 : end;
	}
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	*n = (size_t)((newline ? newline + 1 : end) - at);
	return (size_t)(at - b->data);
}

static uint64_t count_rows(const struct jr_buf *b)
{
	uint64_t n = 0;
	for (size_t i = 0; i < b->size; i++)
		n += b->data[i] == '\n';
	return n;
}

/* A cell of a row, ignoring quotes around commas: this adds damage. */
static size_t cell_at(const struct jr_buf *b, size_t row, size_t n_row, uint64_t cell, size_t *n)
{
	size_t at = row, end = row + n_row - (n_row > 0);
	for (; cell && at < end; at++)
		cell -= b->data[at] == ',';
	for (*n = 0; at + *n < end && b->data[at + *n] != ',';)
		++*n;
	return at;
}

static void csv_cells(struct rng *rng, struct jr_buf *b)
{
	uint64_t n_rows = count_rows(b), column = rng_below(rng, 14);
	bool same_column = rng_one_in(rng, 2);
	for (uint64_t k = 1 + rng_below(rng, 12); k; k--) {
		size_t n_row, n_cell, row = row_at(b, rng_below(rng, n_rows + 1), &n_row);
		size_t cell = cell_at(b, row, n_row, same_column ? column : rng_below(rng, 14), &n_cell);
		JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
		rng_text(rng, &text);
		splice(b, cell, n_cell, text.data, text.size);
	}
}

static void csv_rows(struct rng *rng, struct jr_buf *b)
{
	uint64_t n_rows = count_rows(b);
	for (uint64_t k = 1 + rng_below(rng, 10); k; k--) {
		size_t n, n_to, row = row_at(b, rng_below(rng, n_rows + 1), &n);
		char *copy = strndup(b->data + row, n);
		if (rng_one_in(rng, 3))
			splice(b, row, n, NULL, 0);
		size_t to = row_at(b, rng_below(rng, n_rows + 1), &n_to);
		splice(b, to, 0, copy, strlen(copy));
		free(copy);
	}
}

/* Copy one column's cells over another's: ids that are parents, starts that are ends. */
static void csv_columns(struct rng *rng, struct jr_buf *b)
{
	uint64_t n_rows = count_rows(b), from = rng_below(rng, 14), to = rng_below(rng, 14);
	uint64_t step = 1 + rng_below(rng, 3), most = 400;
	for (uint64_t r = 1; r < n_rows && most; r += step, most--) {
		size_t n_row, n_from, n_to, row = row_at(b, r, &n_row);
		size_t a = cell_at(b, row, n_row, from, &n_from);
		char *copy = strndup(b->data + a, n_from);
		size_t c = cell_at(b, row, n_row, to, &n_to);
		splice(b, c, n_to, copy, strlen(copy));
		free(copy);
	}
}

void damage_csv(struct rng *rng, struct jr_buf *text)
{
	static void (*const ways[])(struct rng *, struct jr_buf *) = {
		csv_cells, csv_cells, csv_rows, csv_columns};
	if (text->size)
		ways[rng_below(rng, JR_COUNT_OF(ways))](rng, text);
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* The value after some ':' is replaced by another kind of value, or wrapped deeply. */
void damage_json(struct rng *rng, struct jr_buf *b)
{
	static const char *const values[] = {"null", "true", "[]", "{}", "-1", "1e308", "-1e308",
		"1e-308", "0", "9223372036854775807", "\"\"", "\"\\u0000\\ud800\"", "[[[[]]]]",
		"{\"a\": [1, 2, {}]}", "99999999999999999999999999999999999999.99"};
	for (uint64_t k = 1 + rng_below(rng, 6); k && b->size; k--) {
		size_t at = rng_below(rng, b->size);
		const char *colon = memchr(b->data + at, ':', b->size - at);
		if (!colon)
			continue;
		at = (size_t)(colon - b->data) + 1;
		size_t n = strcspn(b->data + at, ",}]\n");
		const char *value = values[rng_below(rng, JR_COUNT_OF(values))];
		if (rng_one_in(rng, 12)) {
			char deep[1201];
			memset(deep, '[', 600);
			memset(deep + 600, ']', 600);
			deep[1200] = '\0';
			splice(b, at, n, deep, 1200);
		} else {
			splice(b, at, n, value, strlen(value));
		}
	}
}

/* --- HLO -------------------------------------------------------------------------------------- */

/* Characters that begin a token of a kind, and those that continue it. */
static const char digits[] = "0123456789";
static const char names[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-$";

/* Find a token of `chars` at or after a random place; its length, 0: none. */
static size_t token_at(struct rng *rng, const struct jr_buf *b, const char *chars, size_t *at)
{
	for (*at = rng_below(rng, b->size); *at < b->size; ++*at) {
		size_t n = 0;
		while (*at + n < b->size && b->data[*at + n] && strchr(chars, b->data[*at + n]))
			n++;
		if (n)
			return n;
	}
	return 0;
}

/* Put an extreme number, or a punctuation mark, in place of a number. */
static void hlo_number(struct rng *rng, struct jr_buf *b)
{
	static const char *const others[] = {"", "{", "}", "(", ")", "=", ",", "->", "_", "x", "\"",
		"/*",		"?", "<=7", "-1", "18446744073709551616", "4294967295", "999999999999999999"};
	size_t at, n = token_at(rng, b, digits, &at);
	const char *with = others[rng_below(rng, JR_COUNT_OF(others))];
	splice(b, at, n, with, strlen(with));
}

/* Put a name of another place in place of a name: operands, opcodes, computations, attributes. */
static void hlo_name(struct rng *rng, struct jr_buf *b)
{
	size_t from, to, n = token_at(rng, b, names, &from);
	char *copy = strndup(b->data + from, n);
	size_t n_to = token_at(rng, b, names, &to);
	splice(b, to, n_to, copy, n);
	free(copy);
}

void damage_hlo_text(struct rng *rng, struct jr_buf *text)
{
	static void (*const ways[])(struct rng *, struct jr_buf *) = {
		hlo_number, hlo_number, hlo_name, hlo_name, csv_rows};
	for (uint64_t k = 1 + rng_below(rng, 8); k && text->size; k--)
		ways[rng_below(rng, JR_COUNT_OF(ways))](rng, text);
}
