#include "formats/compact/compact_bits.h"

/*
 * Each value is predicted in two ways: a start by the start and by the end of the range before, a
 * length by 0 and by the length before (of a range around it). For each kind, the coder follows how
 * far values are from both predictions. It uses the one that was better, moved by the mean
 * difference, and writes the rest as a Rice code: zeros for its high bits, a one, and its low bits,
 * whose number follows from the mean rest. Writer and reader learn the same from the same values,
 * so nothing but the rests is stored.
 *
 * All differences are modulo 2^64: a damaged file gives wrong values, which columns check, but
 * never an overflow.
 */

enum { N_WAYS = 2 };

#define MEAN_PART 8   /* each value moves the mean by this part of its rest */
#define SPREAD_PART 4 /* ... and the mean size of rests by this part */
#define FIRST_SPREAD (UINT64_C(1024) * SPREAD_PART) /* of a kind that has one value */
/* A rest counts as at most this multiple of the mean size, plus this. A larger one begins a new
 * mean: the first value of a kind may have been the odd one. */
#define MOST_GROWTH 16
#define LEAST_GROWTH 16
#define MOST_ZEROS 12    /* this many zeros: the number of bits follows, then all of them */
#define LENGTH_BITS 6    /* of that number, less 1 */
#define MOST_LOW_BITS 32 /* zeros, the one and low bits fit in what peek() returns */

/* Differences to both predictions: their mean, and SPREAD_PART times the mean size of rests, 0 if
 * there was no value yet. */
struct guess {
	uint64_t mean[N_WAYS], spread[N_WAYS];
};

struct kind {
	struct guess start, length;
};

struct coder {
	struct kind *kinds, all; /* all: of a kind's first value */
	uint64_t n_new;          /* kinds that had no value yet; 0: `all` is of no more use */
	uint64_t start, end;     /* of the range before */
};

/* What a value is expected to be, and the number of low bits of the rest. */
struct plan {
	uint64_t expected;
	unsigned low_bits;
};

static inline uint64_t fold(uint64_t difference)
{
	return difference << 1 ^ (uint64_t) - (int64_t)(difference >> 63);
}

static inline struct plan plan_of(
	const struct guess *kind, const struct guess *all, const uint64_t predicted[N_WAYS])
{
	const struct guess *g = kind->spread[0] ? kind : all;
	unsigned way = g->spread[1] < g->spread[0];
	uint64_t size = g->spread[way] / SPREAD_PART;
	unsigned bits = 63 - (unsigned)__builtin_clzll(size | 1);
	return (struct plan){
		predicted[way] + g->mean[way], bits < MOST_LOW_BITS ? bits : MOST_LOW_BITS};
}

/* Return whether the rest is far larger than the mean. */
static inline bool note_size(uint64_t *spread, uint64_t rest)
{
	uint64_t size = fold(rest), mean = *spread / SPREAD_PART;
	uint64_t most = mean * MOST_GROWTH + LEAST_GROWTH;
	*spread += (size < most ? size : most) - mean;
	return size > most;
}

static inline void learn(struct guess *kind, struct guess *all, bool any_new,
	const uint64_t predicted[N_WAYS], uint64_t value)
{
	bool is_first = !kind->spread[0];
	for (unsigned way = 0; way < N_WAYS; way++) {
		uint64_t off = value - predicted[way], rest = off - kind->mean[way];
		if (any_new)
			(void)note_size(&all->spread[way], off);
		if (is_first)
			kind->spread[way] = FIRST_SPREAD;
		if (is_first || note_size(&kind->spread[way], rest))
			kind->mean[way] = off;
		else
			kind->mean[way] += (uint64_t)((int64_t)rest / MEAN_PART);
	}
}

static uint64_t count_kinds(const uint64_t *kinds, size_t n)
{
	uint64_t most = 0;
	for (size_t i = 0; i < n; i++)
		most = kinds[i] > most ? kinds[i] : most;
	return most + 1;
}

/* @param memory  [kinds] zeros */
static struct coder begin(struct kind *memory, const uint64_t *kinds, size_t n)
{
	struct coder c = {.kinds = memory};
	for (size_t i = 0; i < n; i++) {
		uint64_t *seen = &memory[kinds[i]].start.mean[0];
		c.n_new += !*seen;
		*seen = 1;
	}
	for (size_t i = 0; i < n; i++)
		memory[kinds[i]].start.mean[0] = 0;
	for (unsigned way = 0; way < N_WAYS; way++)
		c.all.start.spread[way] = c.all.length.spread[way] = FIRST_SPREAD;
	return c;
}

/* --- writing --------------------------------------------------------------------------------- */

struct bits_out {
	struct jr_buf *out;
	uint64_t word; /* its low `n` bits are not written yet */
	unsigned n;    /* below 8 between calls */
};

/* @param n  at most 32 */
static void put_bits(struct bits_out *to, uint64_t bits, unsigned n)
{
	to->word |= bits << to->n;
	for (to->n += n; to->n >= 8; to->n -= 8, to->word >>= 8)
		jr_buf_putc(to->out, (char)to->word);
}

static void put_value(struct bits_out *to, struct guess *kind, struct guess *all, bool any_new,
	const uint64_t predicted[N_WAYS], uint64_t value)
{
	struct plan plan = plan_of(kind, all, predicted);
	uint64_t rest = fold(value - plan.expected), zeros = rest >> plan.low_bits;
	if (zeros < MOST_ZEROS) {
		put_bits(to, UINT64_C(1) << zeros, (unsigned)zeros + 1);
		put_bits(to, rest & ((UINT64_C(1) << plan.low_bits) - 1), plan.low_bits);
	} else {
		unsigned n = 64 - (unsigned)__builtin_clzll(rest), low = n < 32 ? n : 32;
		put_bits(to, 0, MOST_ZEROS);
		put_bits(to, n - 1, LENGTH_BITS);
		put_bits(to, rest & ((UINT64_C(1) << low) - 1), low);
		put_bits(to, n > low ? rest >> low : 0, n - low);
	}
	learn(kind, all, any_new, predicted, value);
}

void jr_compact_bits_put(struct jr_buf *out, const uint64_t *starts, const uint64_t *ends,
	const uint64_t *kinds, size_t n)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct kind *memory = JR_ARENA_N(&scratch, struct kind, count_kinds(kinds, n));
	struct coder c = begin(memory, kinds, n);
	struct bits_out to = {.out = out};
	for (size_t i = 0; i < n; i++) {
		struct kind *kind = &c.kinds[kinds[i]];
		bool any_new = c.n_new > 0;
		c.n_new -= !kind->start.spread[0];
		put_value(&to, &kind->start, &c.all.start, any_new, (uint64_t[N_WAYS]){c.start, c.end},
			starts[i]);
		put_value(&to, &kind->length, &c.all.length, any_new,
			(uint64_t[N_WAYS]){0, c.end - c.start}, ends[i] - starts[i]);
		c.start = starts[i];
		c.end = ends[i];
	}
	if (to.n)
		jr_buf_putc(out, (char)to.word);
}

/* --- reading --------------------------------------------------------------------------------- */

struct bits_in {
	const uint8_t *data;
	uint64_t n_bytes, at; /* at: bit */
};

/* Return the next bits, at least 57 of them; zeros follow the end. */
static inline uint64_t peek(const struct bits_in *from)
{
	uint64_t byte = from->at / 8, word = 0;
	struct jr_reader in = {{from->data, (size_t)from->n_bytes}, (size_t)byte};
	if (byte > from->n_bytes || !jr_reader_u64le(&in, &word))
		for (unsigned i = 0; i < 8 && byte + i < from->n_bytes; i++)
			word |= (uint64_t)from->data[byte + i] << (8 * i);
	return word >> (from->at % 8);
}

/* @param n  1 to 32 */
static uint64_t take_bits(struct bits_in *from, unsigned n)
{
	uint64_t bits = peek(from) & (UINT64_MAX >> (64 - n));
	from->at += n;
	return bits;
}

static uint64_t take_whole(struct bits_in *from)
{
	from->at += MOST_ZEROS;
	unsigned n = (unsigned)take_bits(from, LENGTH_BITS) + 1, low = n < 32 ? n : 32;
	uint64_t bits = take_bits(from, low);
	return n > low ? bits | take_bits(from, n - low) << low : bits;
}

static inline uint64_t take_value(struct bits_in *from, struct guess *kind, struct guess *all,
	bool any_new, const uint64_t predicted[N_WAYS])
{
	struct plan plan = plan_of(kind, all, predicted);
	uint64_t word = peek(from), rest;
	unsigned zeros = (unsigned)__builtin_ctzll(word | UINT64_C(1) << MOST_ZEROS);
	if (zeros < MOST_ZEROS) {
		uint64_t low = word >> (zeros + 1) & ((UINT64_C(1) << plan.low_bits) - 1);
		rest = (uint64_t)zeros << plan.low_bits | low;
		from->at += zeros + 1 + plan.low_bits;
	} else {
		rest = take_whole(from);
	}
	uint64_t value = plan.expected + (uint64_t)jr_zigzag(rest);
	learn(kind, all, any_new, predicted, value);
	return value;
}

enum jr_status jr_compact_bits_take(struct jr_reader *in, const uint64_t *kinds, size_t n,
	uint64_t *starts, uint64_t *ends, struct jr_arena *scratch, struct jr_error *err)
{
	struct kind *memory = jr_arena_array(scratch, count_kinds(kinds, n), sizeof(struct kind), err);
	if (!memory)
		return JR_ELIMIT;
	struct coder c = begin(memory, kinds, n);
	struct bits_in from = {.data = in->in.data + in->pos, .n_bytes = jr_reader_left(in)};
	for (size_t i = 0; i < n; i++) {
		struct kind *kind = &c.kinds[kinds[i]];
		bool any_new = c.n_new > 0;
		c.n_new -= !kind->start.spread[0];
		uint64_t start = take_value(
			&from, &kind->start, &c.all.start, any_new, (uint64_t[N_WAYS]){c.start, c.end});
		uint64_t length = take_value(
			&from, &kind->length, &c.all.length, any_new, (uint64_t[N_WAYS]){0, c.end - c.start});
		if (from.at > 8 * from.n_bytes)
			return jr_fail(err, JR_EFORMAT,
				"the digest is damaged: the bits of its times end in row %zu of %zu", i, n);
		starts[i] = c.start = start;
		ends[i] = c.end = start + length;
	}
	in->pos += (size_t)((from.at + 7) / 8);
	return JR_OK;
}
