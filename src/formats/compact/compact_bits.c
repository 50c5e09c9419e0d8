#include "formats/compact/compact_bits.h"

#include "base/order.h"
#include "base/sort.h"

/*
 * Each value is predicted: a start by the start or by the end of the range before, a length by 0 or
 * by the length before (of a range around it). For each kind and each of its two values, the writer
 * chooses the better prediction, the median difference to it, and a number of low bits. These are
 * stored ahead of the ranges, where the kind first occurs. What remains of a value is a Rice code:
 * zeros for its high bits, a one, and its low bits. So a reader learns nothing while it decodes.
 *
 * All differences are modulo 2^64: a damaged file gives wrong values, which columns check, but
 * never an overflow.
 */

enum { START, LENGTH, N_VALUES };
enum { N_WAYS = 2 };

#define MOST_ZEROS 12    /* this many zeros: all bits follow, behind their number */
#define LENGTH_BITS 6    /* of that number, less 1 */
#define MOST_LOW_BITS 32 /* zeros, the one and low bits fit in what peek() returns */
#define PLAN_BITS 7      /* of a way and a number of low bits */

/* How the values of a kind are stored. */
struct plan {
	uint64_t usual; /* difference to the prediction */
	uint8_t way, low_bits;
};

struct kind {
	struct plan plans[N_VALUES];
	size_t n, first; /* only of a writer: its ranges; a reader: n is 1 if its plans were read */
};

static uint64_t fold(uint64_t difference)
{
	return difference << 1 ^ (uint64_t) - (int64_t)(difference >> 63);
}

static uint64_t count_kinds(const uint64_t *kinds, size_t n)
{
	uint64_t most = 0;
	for (size_t i = 0; i < n; i++)
		most = kinds[i] > most ? kinds[i] : most;
	return most + 1;
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

static unsigned bits_of(uint64_t rest)
{
	return 64 - (unsigned)__builtin_clzll(rest | 1);
}

static void put_whole(struct bits_out *to, uint64_t value)
{
	unsigned n = bits_of(value), low = n < 32 ? n : 32;
	put_bits(to, n - 1, LENGTH_BITS);
	put_bits(to, value & ((UINT64_C(1) << low) - 1), low);
	put_bits(to, n > low ? value >> low : 0, n - low);
}

static void put_rest(struct bits_out *to, uint64_t rest, unsigned low_bits)
{
	uint64_t zeros = rest >> low_bits;
	if (zeros < MOST_ZEROS) {
		put_bits(to, UINT64_C(1) << zeros, (unsigned)zeros + 1);
		put_bits(to, rest & ((UINT64_C(1) << low_bits) - 1), low_bits);
	} else {
		put_bits(to, 0, MOST_ZEROS);
		put_whole(to, rest);
	}
}

/* Return the bits of differences if they are stored with this plan. */
static uint64_t cost(const uint64_t *off, size_t n, const struct plan *plan)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t rest = fold(off[i] - plan->usual), zeros = rest >> plan->low_bits;
		sum += zeros < MOST_ZEROS ? zeros + 1 + plan->low_bits
								  : MOST_ZEROS + LENGTH_BITS + bits_of(rest);
	}
	return sum;
}

JR_ORDER_OF_VALUES(compare_differences, int64_t)

/* Find the cheapest plan for differences in two ways, which are sorted here. */
static struct plan plan_of(uint64_t *const off[N_WAYS], size_t n)
{
	struct plan best = {0};
	uint64_t least = UINT64_MAX;
	for (unsigned way = 0; way < N_WAYS; way++) {
		jr_sort(off[way], n, sizeof(*off[way]), compare_differences);
		struct plan plan = {.usual = off[way][n / 2], .way = (uint8_t)way};
		for (; plan.low_bits <= MOST_LOW_BITS; plan.low_bits++) {
			uint64_t bits = cost(off[way], n, &plan);
			if (bits < least) {
				least = bits;
				best = plan;
			}
		}
	}
	return best;
}

/* Ranges as they are written: [n], value by value. */
struct ranges {
	const uint64_t *starts, *ends, *kinds;
	size_t n;
	uint64_t n_kinds;
};

/* Difference of a value of a range to its prediction. */
static uint64_t difference(const struct ranges *r, size_t i, int value, unsigned way)
{
	uint64_t start = i ? r->starts[i - 1] : 0, end = i ? r->ends[i - 1] : 0;
	if (value == START)
		return r->starts[i] - (way ? end : start);
	return r->ends[i] - r->starts[i] - (way ? end - start : 0);
}

/* Choose the plans of all kinds. @param kinds  zeros */
static void make_plans(const struct ranges *r, struct kind *kinds, struct jr_arena *scratch)
{
	size_t *rows = JR_ARENA_N(scratch, size_t, r->n + 1);
	uint64_t *off[N_WAYS];
	for (unsigned way = 0; way < N_WAYS; way++)
		off[way] = JR_ARENA_N(scratch, uint64_t, r->n + 1);
	for (size_t i = 0; i < r->n; i++)
		kinds[r->kinds[i]].n++;
	for (uint64_t k = 1; k < r->n_kinds; k++)
		kinds[k].first = kinds[k - 1].first + kinds[k - 1].n;
	for (size_t i = 0; i < r->n; i++)
		rows[kinds[r->kinds[i]].first++] = i;
	for (uint64_t k = 0; k < r->n_kinds; k++)
		for (int value = 0; value < N_VALUES && kinds[k].n; value++) {
			const size_t *own = rows + kinds[k].first - kinds[k].n;
			for (unsigned way = 0; way < N_WAYS; way++)
				for (size_t i = 0; i < kinds[k].n; i++)
					off[way][i] = difference(r, own[i], value, way);
			kinds[k].plans[value] = plan_of(off, kinds[k].n);
		}
}

void jr_compact_bits_put(struct jr_buf *out, const uint64_t *starts, const uint64_t *ends,
	const uint64_t *kinds, size_t n)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	const struct ranges r = {starts, ends, kinds, n, count_kinds(kinds, n)};
	struct kind *all = JR_ARENA_N(&scratch, struct kind, r.n_kinds);
	struct bits_out to = {.out = out};
	make_plans(&r, all, &scratch);
	for (size_t i = 0; i < n; i++) {
		struct kind *kind = &all[kinds[i]];
		for (int value = 0; value < N_VALUES && kind->n; value++) {
			const struct plan *plan = &kind->plans[value];
			put_bits(&to, plan->way | (unsigned)plan->low_bits << 1, PLAN_BITS);
			put_whole(&to, fold(plan->usual));
		}
		kind->n = 0;
	}
	for (size_t i = 0; i < n; i++)
		for (int value = 0; value < N_VALUES; value++) {
			const struct plan *plan = &all[kinds[i]].plans[value];
			put_rest(&to, fold(difference(&r, i, value, plan->way) - plan->usual), plan->low_bits);
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
	unsigned n = (unsigned)take_bits(from, LENGTH_BITS) + 1, low = n < 32 ? n : 32;
	uint64_t bits = take_bits(from, low);
	return n > low ? bits | take_bits(from, n - low) << low : bits;
}

static inline uint64_t take_value(
	struct bits_in *from, const struct plan *plan, const uint64_t predicted[N_WAYS])
{
	uint64_t word = peek(from), rest;
	unsigned zeros = (unsigned)__builtin_ctzll(word | UINT64_C(1) << MOST_ZEROS);
	if (zeros < MOST_ZEROS) {
		uint64_t low = word >> (zeros + 1) & ((UINT64_C(1) << plan->low_bits) - 1);
		rest = (uint64_t)zeros << plan->low_bits | low;
		from->at += zeros + 1 + plan->low_bits;
	} else {
		from->at += MOST_ZEROS;
		rest = take_whole(from);
	}
	return predicted[plan->way] + plan->usual + (uint64_t)jr_zigzag(rest);
}

/* Read the plans of the kinds that occur. @param all  zeros */
static enum jr_status take_plans(
	struct bits_in *from, const uint64_t *kinds, size_t n, struct kind *all, struct jr_error *err)
{
	for (size_t i = 0; i < n; i++) {
		struct kind *kind = &all[kinds[i]];
		for (int value = 0; value < N_VALUES && !kind->n; value++) {
			struct plan *plan = &kind->plans[value];
			uint64_t bits = take_bits(from, PLAN_BITS);
			*plan = (struct plan){
				(uint64_t)jr_zigzag(take_whole(from)), bits & 1, (uint8_t)(bits >> 1)};
			if (plan->low_bits > MOST_LOW_BITS)
				return jr_fail(err, JR_EFORMAT,
					"the digest is damaged: times as in row %zu have %u low bits", i,
					plan->low_bits);
		}
		kind->n = 1;
	}
	return JR_OK;
}

enum jr_status jr_compact_bits_take(struct jr_reader *in, const uint64_t *kinds, size_t n,
	uint64_t *starts, uint64_t *ends, struct jr_arena *scratch, struct jr_error *err)
{
	struct kind *all;
	JR_TRY_ARRAY(all, scratch, count_kinds(kinds, n), err);
	struct bits_in from = {.data = in->in.data + in->pos, .n_bytes = jr_reader_left(in)};
	JR_TRY(take_plans(&from, kinds, n, all, err));
	uint64_t start = 0, end = 0;
	for (size_t i = 0; i < n; i++) {
		const struct plan *plans = all[kinds[i]].plans;
		uint64_t length_before = end - start;
		start = take_value(&from, &plans[START], (uint64_t[N_WAYS]){start, end});
		end = start + take_value(&from, &plans[LENGTH], (uint64_t[N_WAYS]){0, length_before});
		if (from.at > 8 * from.n_bytes)
			return jr_fail(err, JR_EFORMAT,
				"the digest is damaged: the bits of its times end in row %zu of %zu", i, n);
		starts[i] = start;
		ends[i] = end;
	}
	in->pos += (size_t)((from.at + 7) / 8);
	return JR_OK;
}
