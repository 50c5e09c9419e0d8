/* generator/hlo_strings and hlo_print: texts of the programs of scenarios. */
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "tests/generator/hlo_print.h"
#include "tests/generator/hlo_strings.h"

static struct gen_scenario built(const char *name, int xla, unsigned strings)
{
	struct gen_scenario sc;
	struct jr_error err = {.message = ""};
	const struct gen_options options = {.scenario = name,
		.seed = 1,
		.layout = 'A',
		.xla = xla,
		.n_processes = 1,
		.skew_ns = -1,
		.straggler = GEN_NO_INDEX,
		.strings = strings,
		.warmup = "auto"};
	if (gen_scenario_build(&sc, &options, &err) != JR_OK)
		fail_msg("%s", err.message);
	return sc;
}

static void print_all(struct gen_scenario *sc, unsigned style, struct jr_buf *out)
{
	for (size_t i = 0; i < sc->programs.n; i++) {
		struct jr_arena arena;
		struct gen_hlo_text text;
		jr_arena_init(&arena, 0);
		gen_hlo_text_init(&text, gen_hlo_module(sc, &arena, sc->programs.items[i], 0), style);
		gen_hlo_print_module(&text, out);
		gen_hlo_text_done(&text);
		jr_arena_done(&arena);
	}
}

/* Each part must be in the text; twice the same scenario gives the same text, all printable. */
static void expect_lines(
	const char *name, int xla, unsigned style, const char *const *lines, size_t n)
{
	struct jr_buf text[2] = {{0}, {0}};
	for (int i = 0; i < 2; i++) {
		struct gen_scenario sc = built(name, xla, 0);
		print_all(&sc, style, &text[i]);
		gen_scenario_done(&sc);
	}
	assert_string_equal(text[0].data, text[1].data);
	for (size_t i = 0; i < text[0].size; i++)
		assert_true(text[0].data[i] == '\n' || (text[0].data[i] >= ' ' && text[0].data[i] < 0x7F));
	for (size_t i = 0; i < n; i++)
		if (!strstr(text[0].data, lines[i]))
			fail_msg("%s: no '%s'", name, lines[i]);
	for (int i = 0; i < 2; i++)
		jr_buf_done(&text[i]);
}

static UNIT(test_scenarios)
{
	static const char *const old[] = {
		"\nHloModule jit_train_step, is_scheduled=true, entry_computation_layout={(f32[256,784]",
		"\n  %reduce-scatter-start.1 = (bf16[4096,14336]{1,0}, bf16[1024,14336]{1,0}) "
		"reduce-scatter-start(bf16[4096,14336]{1,0} %bitcast.",
		"), channel_id=1, replica_groups={{0,1,2,3}}, metadata={op_name=\"jit(train_step)/"};
	expect_lines("transformer_fsdp4", 1,
		GEN_HLO_LONG | GEN_HLO_OPERAND_SHAPES | GEN_HLO_ASYNC_NAMES, old, JR_COUNT_OF(old));
	static const char *const new[] = {"replica_groups=[1,4]<=[4]",
		"replica_groups=mesh['data'=2,'fsdp'=2] {'data','fsdp'}", " async-start(",
		"\nENTRY main.49_spmd {\n  param.0 = f32[256,784]{1,0} parameter(0)\n"};
	expect_lines("transformer_fsdp4", 2, 0, new, JR_COUNT_OF(new));
	static const char *const kernels[] = {
		", window={size=3x3 pad=1_1x1_1}, dim_labels=bf01_oi01->bf01, "
		"custom_call_target=\"__cudnn$convForward\", metadata={",
		"), index=0\n"};
	expect_lines("kernels", 1, 0, kernels, JR_COUNT_OF(kernels));
}

static void take(void *strings, const char *text)
{
	(void)jr_intern_puts(strings, text);
}

static struct jr_intern registered(struct gen_scenario *sc)
{
	struct jr_intern strings;
	jr_intern_init(&strings);
	gen_hlo_strings(sc, 0, take, &strings);
	return strings;
}

static UNIT(test_order)
{
	static const char *const first[] = {
		"XlaModule:#prefix=jit(init_params)/jit(main),hlo_module=jit_init_params,program_id=1#",
		"jit_init_params",
		"\n/opt/train/mnist_vae.py:84:5[&lt;module&gt;]\n/opt/train/mnist_vae.py:72:14[main]\n",
		"Thunk:#hlo_op=param_0.6#", "param_0.6 = f32[784,512]{1,0} parameter(0)", "\n",
		"Thunk:#hlo_op=param_1.7#", "param_1.7 = f32[784,512]{1,0} parameter(0)",
		"Thunk:#name=mul,hlo_op=multiply.8#",
		"multiply.8 = f32[784,512]{1,0} multiply(param_1.7, param_0.6), "
		"metadata={op_name=\"jit(init_params)/jit(main)/mul\" stack_frame_id=3 "
		"source_file=\"/opt/train/mnist_vae.py\" source_line=28}",
		"\n- /opt/train/mnist_vae.py:28:26[init_params]\n"};
	static const char merged[] = "\n- /opt/train/mnist_vae.py:28:26[init_params] convert\n"
								 "- /opt/train/mnist_vae.py:28:26[init_params] mul\n";
	struct gen_scenario sc = built("mnist_vae", 1, GEN_STRINGS);
	struct jr_intern strings = registered(&sc);
	uint32_t at = jr_intern_find(&strings, first[0], strlen(first[0]));
	for (uint32_t i = 0; i < JR_COUNT_OF(first); i++)
		assert_string_equal(jr_intern_str(&strings, at + i), first[i]);
	assert_int_not_equal(jr_intern_find(&strings, merged, strlen(merged)), JR_NONE);
	jr_intern_done(&strings);
	gen_scenario_done(&sc);
}

/* Of the module that is loaded twice, the second block has titles only. */
static UNIT(test_ambiguous)
{
	struct gen_scenario sc =
		built("mnist_vae", 2, GEN_STRINGS | GEN_STRINGS_AMBIGUOUS | GEN_STRINGS_NO_PREFIX);
	struct jr_intern strings = registered(&sc);
	static const char title[] = "XlaModule:#hlo_module=jit_convert_element_type,program_id=93#";
	uint32_t at = jr_intern_find(&strings, title, strlen(title));
	assert_int_not_equal(at, JR_NONE);
	assert_int_equal(strings.n - at, 7);
	for (uint32_t i = at + 1; i < strings.n; i++)
		assert_memory_equal(jr_intern_str(&strings, i), "Thunk:#", 7);
	assert_string_equal(jr_intern_str(&strings, at + 5),
		"Thunk:#name=jit(convert_element_type)/jit(main)/convert_element_type,"
		"hlo_op=loop_convert_fusion,unique_hlo_op_id=399431958537#");
	jr_intern_done(&strings);
	gen_scenario_done(&sc);
}
