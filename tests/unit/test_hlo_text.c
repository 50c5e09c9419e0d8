/* Instructions as XLA prints them; texts that are cut or are not instructions. */
#include <string.h>

#include "unit.h"

#include "formats/hlo/hlo.h"
#include "formats/hlo/hlo_text.h"

static struct jr_hlo_text parse(const char *text)
{
	struct jr_hlo_text out;
	if (!jr_hlo_text_parse(text, strlen(text), &out))
		fail_msg("not read: %s", text);
	return out;
}

static void check(struct jr_bytes bytes, const char *text)
{
	assert_int_equal(bytes.size, strlen(text));
	assert_memory_equal(bytes.data, text, bytes.size);
}

static UNIT(test_fusion)
{
	struct jr_hlo_text t =
		parse("%fusion.1 = bf16[8,16]{1,0:T(8,128)(2,1)S(1)} fusion(f32[4,<=8]{1,0} "
			  "%p.0, s4[3]{0} %b), kind=kLoop, calls=%fused_computation.7");
	check(t.name, "fusion.1");
	check(t.opcode, "fusion");
	check(t.first_operand, "p.0");
	check(t.called, "fused_computation.7");
	assert_int_equal(t.result_bytes, 256);
	assert_int_equal(t.operand_bytes, 128 + 2);
	assert_int_equal(t.largest_operand_bytes, 128);
	assert_int_equal(t.first_operand_bytes, 128);
	assert_int_equal(t.n_operands, 2);
	assert_int_equal(t.element_type, JR_HLO_F32);
	assert_true(t.any_near);
}

static UNIT(test_collective)
{
	struct jr_hlo_text t =
		parse("%ar = f32[4] all-reduce(f32[4] %x), replica_groups={{0,1,2},{3}}, to_apply=%add");
	assert_int_equal(t.group_size, 3);
	t = parse("%ar = f32[4]{0} all-reduce-start(f32[4]{0} %x), replica_groups=[4,2]<=[2,4]T(1,0)");
	check(t.opcode, "all-reduce-start");
	assert_int_equal(t.group_size, 2);
	assert_false(t.any_near);
	t = parse("%d = bf16[4]{0} all-gather-done((bf16[1]{0}, bf16[4]{0}) %all-gather-start.3)");
	check(t.first_operand, "all-gather-start.3");
	assert_int_equal(t.operand_bytes, 10);
	t = parse("ag = (bf16[1], /*index=1*/bf16[4]) (), replica_groups={{0,1}}"); /* an annotation */
	check(t.opcode, "");
	check(t.result, "(bf16[1], /*index=1*/bf16[4])");
	assert_int_equal(t.n_results, 2);
	assert_int_equal(t.result_bytes, 10);
	assert_int_equal(t.largest_result_bytes, 8);
	assert_int_equal(t.group_size, 2);
}

static UNIT(test_tuples)
{
	struct jr_hlo_text t = parse("%w = (s32[], /*index=5*/(f32[2]{0}, token[])) while((s32[]) %t), "
								 "condition=%c, body=%b");
	assert_int_equal(t.result_bytes, 12);
	check(t.opcode, "while");
	char deep[106];
	memset(deep, '(', sizeof(deep));
	memcpy(deep, "%w = ", 5);
	assert_false(jr_hlo_text_parse(deep, sizeof(deep), &t));
}

static UNIT(test_cut)
{
	static const char text[] =
		"%ar = (f32[4]{0}, f32[9]{0:T(8)}) all-reduce(f32[4]{0} %x, /*index=1*/f32[9] %y), "
		"replica_groups={{0,1}}, to_apply=%add";
	struct jr_hlo_text t;
	for (size_t n = 0; n < sizeof(text); n++) { /* each prefix, in memory of exactly that size */
		char *cut = test_malloc(n + 1);
		memcpy(cut, text, n);
		(void)jr_hlo_text_parse(cut, n, &t);
		test_free(cut);
	}
	t = parse("%all-gather-start.1 = (bf16[1024]{0}, bf16[4096]{0}) all-gather-start(...)");
	check(t.opcode, "all-gather-start");
	assert_int_equal(t.n_operands, 0);
}

static UNIT(test_others)
{
	static const char *const texts[] = {"", "x", "fusion.1", "%a = ", "%a = f32[4",
		"%a = q7[4] add(", "%a = f32[99999999999999999999,9] add", "jit_f(77)", "a = b"};
	struct jr_hlo_text t;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_false(jr_hlo_text_parse(texts[i], strlen(texts[i]), &t));
		assert_int_equal(t.opcode.size, 0);
	}
	t = parse("%a = f32[99999999999999999999,9] add(f32[4] %b)");
	assert_true(t.result_bytes == UINT64_MAX);
}
