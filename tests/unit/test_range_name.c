/* Contents of the texts of ranges and of the names of threads; formats/README.md, section 1.3. */
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "model/archive/trace_parts.h"

struct expected {
	const char *text;
	enum jr_range_kind kind;
	const char *op;
	int64_t program_number, unique_op_id;
	int xla;
};

static void check(const struct expected *e)
{
	/* A copy of exact size, so that ASan detects a read past it. */
	size_t n = strlen(e->text);
	char *text = malloc(n ? n : 1);
	assert_non_null(text);
	memcpy(text, e->text, n);
	struct jr_range_name name = jr_range_name_parse(text, n);
	if (name.kind != e->kind)
		fail_msg("'%s' is of kind %d, must be %d", e->text, (int)name.kind, (int)e->kind);
	if (e->op && (name.op_len != strlen(e->op) || memcmp(name.op, e->op, name.op_len) != 0))
		fail_msg("'%s': op is '%.*s', must be '%s'", e->text, (int)name.op_len, name.op, e->op);
	if (!e->op)
		assert_int_equal(name.op_len, 0);
	assert_int_equal(name.program_number, e->program_number);
	assert_int_equal(name.unique_op_id, e->unique_op_id);
	assert_int_equal(name.xla, e->xla);
	free(text);
}

static UNIT(test_modules)
{
	static const struct expected cases[] = {
		{"XlaModule:#hlo_module=jit_f,program_id=16#", JR_RANGE_MODULE, "jit_f", 16, -1, 0},
		{"TSL:XlaModule:#hlo_module=jit_f,program_id=16#", JR_RANGE_MODULE, "jit_f", 16, -1, 0},
		{"XlaModule:#prefix=jit(train_step)/jit(main),hlo_module=jit_train_step,program_id=16#",
			JR_RANGE_MODULE, "jit_train_step", 16, -1, 0},
		/* the prefix contains commas, brackets, '=' and junk without '#'; the last hlo_module
		 * counts */
		{"XlaModule:#prefix=f[a=(0,),b=1],hlo_module=no,x=,hlo_module=jit_f,program_id=3#",
			JR_RANGE_MODULE, "jit_f", 3, -1, 0},
		/* a program_id before the name is part of the prefix */
		{"XlaModule:#prefix=a,program_id=5,hlo_module=jit_f#", JR_RANGE_MODULE, "jit_f", -1, -1, 0},
		{"XlaModule:#hlo_module=gemm_fusion_dot.572#", JR_RANGE_MODULE, "gemm_fusion_dot.572", -1,
			-1, 0},
		{"XlaModule:#hlo_module=Jit_UPPER-2.1,program_id=0#", JR_RANGE_MODULE, "Jit_UPPER-2.1", 0,
			-1, 0},
		/* unknown keys, on either side */
		{"XlaModule:#new=1,hlo_module=jit_f,other=x,program_id=9,last=y#", JR_RANGE_MODULE, "jit_f",
			9, -1, 0},
		/* invalid numbers */
		{"XlaModule:#hlo_module=jit_f,program_id=#", JR_RANGE_MODULE, "jit_f", -1, -1, 0},
		{"XlaModule:#hlo_module=jit_f,program_id=-3#", JR_RANGE_MODULE, "jit_f", -1, -1, 0},
		{"XlaModule:#hlo_module=jit_f,program_id=7x#", JR_RANGE_MODULE, "jit_f", -1, -1, 0},
		{"XlaModule:#hlo_module=jit_f,program_id=99999999999999999999#", JR_RANGE_MODULE, "jit_f",
			-1, -1, 0},
		{"XlaModule:#hlo_module=jit_f,program_id=9223372036854775807#", JR_RANGE_MODULE, "jit_f",
			INT64_MAX, -1, 0},
		/* cut short */
		{"XlaModule:#hlo_module=jit_f", JR_RANGE_MODULE, "jit_f", -1, -1, 0},
		{"XlaModule:#hlo_module=jit_f,program_id=4", JR_RANGE_MODULE, "jit_f", 4, -1, 0},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++)
		check(&cases[i]);
}

static UNIT(test_thunks)
{
	static const struct expected cases[] = {
		{"Thunk:#hlo_op=wrapped_copy#", JR_RANGE_THUNK, "wrapped_copy", -1, -1, 1},
		{"TSL:Thunk:#hlo_op=loop_fusion.3#", JR_RANGE_THUNK, "loop_fusion.3", -1, -1, 1},
		{"Thunk:#name=jit(_psum)/jit(main)/reduce_sum[axes=(0,)],hlo_op=all-reduce-start#",
			JR_RANGE_THUNK, "all-reduce-start", -1, -1, 1},
		{"Thunk:#name=a,b=c,hlo_op=fake,d=(1,),hlo_op=real.1#", JR_RANGE_THUNK, "real.1", -1, -1,
			1},
		/* inside brackets or a word it is not a key: the real one follows '#' or ',' */
		{"Thunk:#name=f[hlo_op=fake]hlo_op=fake2,hlo_op=real.1#", JR_RANGE_THUNK, "real.1", -1, -1,
			1},
		{"Thunk:#hlo_op=real.1,name=f[hlo_op=fake]#", JR_RANGE_THUNK, "real.1", -1, -1, 1},
		/* XLA from mid-2026 */
		{"Thunk:#name=jit(f)/add,hlo_op=fusion.7,unique_hlo_op_id=42#", JR_RANGE_THUNK, "fusion.7",
			-1, 42, 2},
		{"Thunk:#hlo_op=fusion.7,unique_hlo_op_id=42,more=1,yet=x#", JR_RANGE_THUNK, "fusion.7", -1,
			42, 2},
		{"Thunk:#hlo_op=fusion.7,more=1,unique_hlo_op_id=42#", JR_RANGE_THUNK, "fusion.7", -1, 42,
			2},
		/* the level detailed, and keys that do not exist */
		{"Thunk:#name=a,hlo_op=ag.1,unique_hlo_op_id=9,op_type=t,op_name=f[x={1;2}]/a=b;hlo_op=no,"
		 "source_file=a.py,source_line=3,shape=(f32[8]; f32[16]),replica_groups={{0;1};{2;3}},"
		 "is_pipelined=0,new=x#",
			JR_RANGE_THUNK, "ag.1", -1, 9, 2},
		{"Thunk:#shape=f32[8],new=x,hlo_op=a.1,op_name=f/g#", JR_RANGE_THUNK, "a.1", -1, -1, 1},
		{"Thunk:#hlo_op=fusion.7,unique_hlo_op_id=#", JR_RANGE_THUNK, "fusion.7", -1, -1, 1},
		{"Thunk:#hlo_op=fusion.7,unique_hlo_op_id=x#", JR_RANGE_THUNK, "fusion.7", -1, -1, 1},
		{"Thunk:#name=unique_hlo_op_id=5,hlo_op=fusion.7#", JR_RANGE_THUNK, "fusion.7", -1, -1, 1},
		{"Thunk:#name=,hlo_op=a#", JR_RANGE_THUNK, "a", -1, -1, 1},
		{"Thunk:#hlo_op=a", JR_RANGE_THUNK, "a", -1, -1, 1},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++)
		check(&cases[i]);
}

static UNIT(test_nccl)
{
	static const struct expected cases[] = {
		{"NCCL:ncclGroupEnd", JR_RANGE_NCCL, NULL, -1, -1, 0},
		{"NCCL:", JR_RANGE_NCCL, NULL, -1, -1, 0},
		{"NCCL:anything at all", JR_RANGE_NCCL, NULL, -1, -1, 0},
		{"ncclGroupEnd", JR_RANGE_NCCL, NULL, -1, -1, 0},
		{"ncclAllReduce", JR_RANGE_NCCL, NULL, -1, -1, 0},
		/* NCCL's domain wins over what the text looks like */
		{"NCCL:Thunk:#hlo_op=a#", JR_RANGE_NCCL, NULL, -1, -1, 0},
		{"nccl", JR_RANGE_OTHER, NULL, -1, -1, 0},
		{"nccl_tests", JR_RANGE_OTHER, NULL, -1, -1, 0},
		{"NCCL", JR_RANGE_OTHER, NULL, -1, -1, 0},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++)
		check(&cases[i]);
}

static UNIT(test_communication_kernels)
{
	static const char *const yes[] = {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)",
		"void ncclKernel_Broadcast(int)", "nvshmemi_proxy_flush",
		"void deep_ep::intranode::dispatch<4>",
		"void (anonymous namespace)::two_shot_all_reduce<8>(int)",
		"void vllm::cross_device_reduce_1stage<__half, 2>(...)", "one_shot_all_reduce_kernel",
		"void oneShotAllReduceKernel<float>", "multimem_all_gather_kernel", "mscclKernel_Sum"};
	static const char *const no[] = {"gemm", "", "loop_all_reduce_fusion", "blockAllReduceSum",
		"void softmax<AllReduce>(int)", "warp_all_reduce", "void reduce(ncclComm*)"};
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		if (!jr_is_communication_kernel(yes[i]))
			fail_msg("%s is none", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		if (jr_is_communication_kernel(no[i]))
			fail_msg("%s is one", no[i]);
}

static UNIT(test_junk_is_other)
{
	static const char *const texts[] = {"", "T", "TSL:", "Thunk:#", "Thunk:##", "Thunk:#hlo_op=#",
		"Thunk:#hlo_op=,x=1#", "Thunk:hlo_op=a#", "Thunk:#xhlo_op=a#", "thunk:#hlo_op=a#",
		" Thunk:#hlo_op=a#", "XlaModule:#", "XlaModule:#hlo_module=#", "XlaModule:#program_id=3#",
		"XlaModule:#hlo_module=,program_id=3#", "XlaModule:hlo_module=f#",
		"TSL:TSL:Thunk:#hlo_op=a#", "XlaCompile:#module=jit_f,program_id=1#", "hlo_op=a",
		"#hlo_op=a#", "cuBLAS:cublasGemmEx", "Thunk:#name=hlo_op=a#"};
	for (size_t i = 0; i < JR_COUNT_OF(texts); i++)
		check(&(struct expected){texts[i], JR_RANGE_OTHER, NULL, -1, -1, 0});
}

/* The length counts, not a NUL; for any bytes, the op is inside the text. */
static UNIT(test_views_stay_inside)
{
	static const char text[] = "XlaModule:#prefix=a,hlo_module=jit_f,program_id=12#tail";
	static const char parts[] = "#,=:TSLhlo_op=Thunk:#NCCL0129";
	for (size_t n = 0; n < sizeof(text); n++) {
		char *copy = malloc(n ? n : 1);
		assert_non_null(copy);
		memcpy(copy, text, n);
		struct jr_range_name name = jr_range_name_parse(copy, n);
		if (name.kind != JR_RANGE_OTHER)
			assert_true(name.op >= copy && name.op + name.op_len <= copy + n);
		free(copy);
	}
	uint32_t seed = 7;
	for (int round = 0; round < 20000; round++) {
		char random[64] = "Thunk:#";
		size_t n = 7;
		while (n < sizeof(random)) {
			seed = seed * 1664525 + 1013904223;
			random[n++] = parts[(seed >> 16) % (sizeof(parts) - 1)];
		}
		struct jr_range_name name = jr_range_name_parse(random, n);
		if (name.kind == JR_RANGE_OTHER)
			continue;
		assert_true(name.op_len > 0);
		assert_true(name.op >= random && name.op + name.op_len <= random + n);
		assert_null(memchr(name.op, ',', name.op_len));
		assert_null(memchr(name.op, '#', name.op_len));
	}
}

static UNIT(test_device_names)
{
	static const char *const good[] = {"XlaLauncher:#global=3,local=1,process=2,slice=4#",
		"XlaLauncher:#global=3,local=1,process=2,partition=4#"};
	for (size_t i = 0; i < JR_COUNT_OF(good); i++) {
		struct jr_device_name name;
		assert_true(jr_device_name_parse(good[i], strlen(good[i]), "XlaLauncher:#", &name));
		assert_int_equal(name.global, 3);
		assert_int_equal(name.local, 1);
		assert_int_equal(name.process, 2);
		assert_int_equal(name.slice, 4);
		assert_false(jr_device_name_parse(good[i], strlen(good[i]), "Xla:#", &name));
		for (size_t n = 0; n < strlen(good[i]); n++) /* cut short */
			assert_false(jr_device_name_parse(good[i], n, "XlaLauncher:#", &name));
	}
	static const char device[] = "Xla:#global=0,local=0,process=0,slice=0#";
	struct jr_device_name name;
	assert_true(jr_device_name_parse(device, strlen(device), "Xla:#", &name));
	static const char *const bad[] = {"XlaLauncher:#",
		"XlaLauncher:#global=,local=1,process=2,slice=4#",
		"XlaLauncher:#global=3,local=1,process=2,slice=4",
		"XlaLauncher:#global=3,local=1,process=2#",
		"XlaLauncher:#local=1,global=3,process=2,slice=4#",
		"XlaLauncher:#global=-3,local=1,process=2,slice=4#",
		"XlaLauncher:#global=4294967295,local=1,process=2,slice=4#", /* means none */
		"XlaLauncher:#global=99999999999999999999,local=1,process=2,slice=4#",
		"XlaLauncher:#global=3,local=1,process=2,slice=4#5",
		"XlaLauncher:#global=3 ,local=1,process=2,slice=4#", "xla-launcher", ""};
	for (size_t i = 0; i < JR_COUNT_OF(bad); i++) {
		struct jr_device_name untouched = {77, 77, 77, 77};
		assert_false(jr_device_name_parse(bad[i], strlen(bad[i]), "XlaLauncher:#", &untouched));
		assert_int_equal(untouched.global, 77);
		assert_int_equal(untouched.slice, 77);
	}
}
