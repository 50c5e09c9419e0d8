/* formats/hlo: the order in which instructions are launched. */
#include "hlo_build.h"

/* Decode a module with `schedule` in field 7. It comes after computations 1 (instructions 10,
 * 11, 12), 2 (20), and 3, whose instructions have its id in their upper half. */
static struct jr_hlo decode_with(struct jr_arena *a, const uint8_t *schedule, uint8_t size)
{
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloComputationProto *c = build_computation(a, proto, "main", 1);
	for (int64_t id = 10; id < 13; id++)
		build_instruction(a, c, "x", "add", id);
	build_instruction(a, build_computation(a, proto, "other", 2), "x", "add", 20);
	c = build_computation(a, proto, "third", 3);
	build_instruction(a, c, "x", "add", 300);
	build_instruction(a, c, "x", "add", 2);
	struct jr_bytes module = build_pack(proto);
	assert_true(module.data[0] == 0x0A && module.data[1] < 0x80); /* hlo_module, short */
	JR_CLEANUP(jr_buf_done) struct jr_buf all = {0};
	jr_buf_putc(&all, 0x0A);
	size_t inner = module.size - 2 + 2 + size;
	jr_buf_putc(&all, (char)(0x80 | (inner & 0x7F)));
	jr_buf_putc(&all, (char)(inner >> 7));
	jr_buf_add(&all, module.data + 2, module.size - 2);
	jr_buf_putc(&all, 7 << 3 | 2);
	jr_buf_putc(&all, (char)size);
	jr_buf_add(&all, schedule, size);
	build_free(module);
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	struct jr_hlo hlo;
	if (jr_hlo_decode(jr_bytes_of(all.data, all.size), &limits, &hlo, &err) != JR_OK)
		fail_msg("%s", err.message);
	return hlo;
}

/* Check the places of all instructions, "-" for none; "|" after a computation, "!" if it is
 * scheduled. */
static void check_places(
	struct jr_arena *a, const uint8_t *schedule, uint8_t size, const char *expected)
{
	struct jr_hlo hlo = decode_with(a, schedule, size);
	JR_CLEANUP(jr_buf_done) struct jr_buf got = {0};
	for (uint32_t c = 0; c < hlo.n_computations; c++) {
		for (uint32_t i = 0; i < hlo.computations[c].n; i++) {
			uint32_t place = hlo.instructions[hlo.computations[c].first + i].place;
			jr_buf_putc(&got, place == JR_NONE ? '-' : (char)('0' + place));
		}
		jr_buf_puts(&got, hlo.computations[c].scheduled ? "!|" : "|");
	}
	assert_string_equal(got.data, expected);
	jr_hlo_done(&hlo);
}

#define CHECK(expected, ...)                                                                       \
	do {                                                                                           \
		static const uint8_t bytes[] = {__VA_ARGS__};                                              \
		check_places(*state, bytes, (uint8_t)sizeof(bytes), expected);                             \
	} while (0)

static UNIT_IN_ARENA(test_ids)
{
	/* entry of 9: key 1, value of 5: 3 packed ids */
	CHECK("120!|-|--|", 0x0A, 9, 0x08, 1, 0x12, 5, 0x0A, 3, 12, 10, 11);
	/* one by one, the value before the key */
	CHECK("-01!|-|--|", 0x0A, 8, 0x12, 4, 0x08, 11, 0x08, 12, 0x08, 1);
	/* two computations */
	CHECK("0--!|0!|--|", 0x0A, 7, 0x08, 1, 0x12, 3, 0x0A, 1, 10, 0x0A, 7, 0x08, 2, 0x12, 3, 0x0A, 1,
		20);
	/* ids 3 << 32 | 2 and 3 << 32 | 300 */
	CHECK("---|-|10!|", 0x0A, 16, 0x08, 3, 0x12, 12, 0x0A, 10, 0x82, 0x80, 0x80, 0x80, 0x30, 0xAC,
		0x82, 0x80, 0x80, 0x30);
}

static UNIT_IN_ARENA(test_nonsense)
{
	CHECK("---|-|--|", 0x0A, 0);
	/* unknown ids, ids of another computation, repeated ids */
	CHECK("-0-!|-|--|", 0x0A, 10, 0x08, 1, 0x12, 6, 0x0A, 4, 99, 20, 11, 11);
	CHECK("---|-|--|", 0x0A, 7, 0x08, 1, 0x12, 3, 0x0A, 1, 20);
	/* an unknown computation; a repeated one: the first counts */
	CHECK("---|-|--|", 0x0A, 7, 0x08, 9, 0x12, 3, 0x0A, 1, 10);
	CHECK("0--!|-|--|", 0x0A, 7, 0x08, 1, 0x12, 3, 0x0A, 1, 10, 0x0A, 7, 0x08, 1, 0x12, 3, 0x0A, 1,
		11);
	/* fields of other numbers and types */
	CHECK("0--!|-|--|", 0x08, 1, 0x12, 1, 7, 0x0A, 9, 0x18, 5, 0x08, 1, 0x12, 3, 0x0A, 1, 10);
}

/* Cut or overlong: what was read before is kept. */
static UNIT_IN_ARENA(test_damage)
{
	CHECK("---|-|--|", 0x0A, 90, 0x08, 1);
	CHECK("---|-|--|", 0xFF, 0xFF, 0xFF);
	CHECK("0--!|-|--|", 0x0A, 8, 0x08, 1, 0x12, 4, 0x0A, 2, 10, 0x80);
	CHECK("---|-|--|", 0x0A, 4, 0x08, 1, 0x12, 77);
	CHECK("0--!|-|--|", 0x0A, 7, 0x08, 1, 0x12, 3, 0x0A, 1, 10, 0x0A, 50, 0x08);
	static const uint8_t whole[] = {0x0A, 9, 0x08, 1, 0x12, 5, 0x0A, 3, 12, 10, 11};
	for (size_t n = 0; n < sizeof(whole); n++) {
		struct jr_hlo hlo = decode_with(*state, whole, n);
		assert_false(hlo.computations[0].scheduled);
		jr_hlo_done(&hlo);
	}
}
