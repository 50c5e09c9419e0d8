#include <inttypes.h>

#include "base/cleanup.h"
#include "mutate.h"

/* SplitMix64. */
uint64_t rng_next(struct rng *rng)
{
	uint64_t z = rng->state += UINT64_C(0x9E3779B97F4A7C15);
	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

uint64_t rng_below(struct rng *rng, uint64_t n)
{
	return n ? rng_next(rng) % n : 0;
}

bool rng_one_in(struct rng *rng, uint64_t n)
{
	return rng_below(rng, n) == 0;
}

int64_t rng_extreme(struct rng *rng)
{
	static const int64_t fixed[] = {0, 1, -1, INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_MIN + 1,
		INT32_MAX, INT32_MIN, UINT32_MAX, INT64_C(1) << 53, -(INT64_C(1) << 53),
		INT64_C(9223372036854775), INT64_C(1) << 62, -(INT64_C(1) << 62)};
	uint64_t which = rng_below(rng, JR_COUNT_OF(fixed) + 3);
	if (which < JR_COUNT_OF(fixed))
		return fixed[which];
	int64_t power = (int64_t)(UINT64_C(1) << rng_below(rng, 63));
	return which % 2 ? power : -power;
}

void rng_text(struct rng *rng, struct jr_buf *out)
{
	static const char *const fixed[] = {"", "\xff\xfe\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
		"\xc0\xaf", "\x1b[2J\x1b]0;x\a",
		"\xe2\x80\xae"
		"abc",
		"</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "a,b\"c\nd", "nan",
		"-inf", "1e308", "-1e-400", "0x7fffffffffffffff", "99999999999999999999999999", "-", "+1",
		" 1", "1 ", "1.5", "=cmd|' /C calc'!A0", "%s%n%x",
		"TSL:XlaModule:#hlo_module=,program_id=#",
		"TSL:Thunk:#hlo_op=a,hlo_op=,unique_hlo_op_id=-1#",
		"TSL:XlaModule:#hlo_module=m,program_id=9223372036854775807#", "NCCL:ncclGroupEnd"};
	uint64_t which = rng_below(rng, JR_COUNT_OF(fixed) + 12);
	if (which < JR_COUNT_OF(fixed)) {
		jr_buf_puts(out, fixed[which]);
	} else if (which < JR_COUNT_OF(fixed) + 8) {
		jr_buf_printf(out, "%" PRId64, rng_extreme(rng));
	} else if (which < JR_COUNT_OF(fixed) + 10) {
		size_t n = (size_t)rng_below(rng, 64);
		for (size_t i = 0; i < n; i++)
			jr_buf_putc(out, (char)rng_next(rng));
	} else {
		jr_buf_repeat(out, "A;:/("[rng_below(rng, 5)], (size_t)rng_below(rng, 200000));
	}
}
