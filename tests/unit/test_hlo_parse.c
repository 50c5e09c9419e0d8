/* Modules and instructions as XLA prints them, decoded as if they were an xla.HloProto. */
#include <stdio.h>
#include <string.h>

#include "unit.h"

#include "analysis/cost/cost.h"
#include "base/cleanup.h"
#include "formats/hlo/hlo_parse.h"

static struct jr_bytes bytes(const char *text)
{
	return jr_bytes_of(text, strlen(text));
}

static struct jr_hlo decode(const char *text)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	struct jr_hlo hlo;
	if (jr_hlo_decode_text(bytes(text), &limits, &hlo, &err) != JR_OK)
		fail_msg("%s", err.message);
	return hlo;
}

static void refuse(const char *text, size_t n, const char *message)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	struct jr_hlo hlo;
	assert_int_equal(jr_hlo_decode_text(jr_bytes_of(text, n), &limits, &hlo, &err), JR_EFORMAT);
	assert_string_equal(err.message, message);
}

static const struct jr_hlo_instruction *find(const struct jr_hlo *hlo, const char *name)
{
	uint32_t row = jr_hlo_find(hlo, name);
	if (row == JR_NONE)
		fail_msg("no %s", name);
	return &hlo->instructions[row];
}

static void check_operand(
	const struct jr_hlo *hlo, const struct jr_hlo_instruction *in, uint32_t i, const char *name)
{
	assert_true(i < in->n_operands);
	uint32_t row = jr_hlo_by_id_in(hlo, in->computation, in->operand_ids[i]);
	assert_true(row != JR_NONE);
	assert_string_equal(hlo->instructions[row].name, name);
}

static void check_called(
	const struct jr_hlo *hlo, const struct jr_hlo_instruction *in, uint32_t i, const char *name)
{
	assert_true(i < in->n_called);
	uint32_t row = jr_hlo_computation_by_id(hlo, in->called_ids[i]);
	assert_true(row != JR_NONE);
	assert_string_equal(hlo->computations[row].name, name);
}

/* A module of one instruction. */
static struct jr_hlo one(const char *instruction)
{
	char text[4096];
	snprintf(text, sizeof(text),
		"HloModule m\n\nENTRY main {\n  x = f32[4,8]{1,0} parameter(0)\n"
		"  %s\n}\n",
		instruction);
	return decode(text);
}

/* --- whole modules --------------------------------------------------------------------------- */

static const char module_text[] =
	"HloModule jit_f, is_scheduled=true, input_output_alias={ {0}: (1, {}, may-alias), {1,2}: "
	"(0, {3}, must-alias) }, entry_computation_layout={(f32[8]{0})->f32[8]{0}}, "
	"frontend_attributes={fingerprint_before_lhs=\"0123abc\",other=\"a,b\"}\n"
	"\n"
	"FileNames\n1 \"a \\\"b\\\".py\"\n2 \"m.py\"\n\n"
	"FunctionNames\n1 \"f\"\n2 \"main\"\n\n"
	"FileLocations\n"
	"1 {file_name_id=2 function_name_id=2 line=9 end_line=9 column=1 end_column=4}\n"
	"2 {file_name_id=1 function_name_id=1 line=20 end_line=21 column=3 end_column=4}\n\n"
	"StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n"
	"2 {file_location_id=2 parent_frame_id=2}\n\n\n"
	"%fused_computation (param_0: f32[8]) -> f32[8] {\n"
	"  %param_0 = f32[8]{0} parameter(0)\n"
	"  ROOT %negate.1 = f32[8]{0} negate(f32[8]{0} %param_0)\n"
	"}\n\n"
	"%cond (p: (s32[], f32[8])) -> pred[] {\n"
	"  %p = (s32[], /*index=1*/f32[8]{0}) parameter(0)\n"
	"  ROOT %c = pred[] constant(true)\n"
	"}, execution_thread=\"main\"\n\n"
	"%body (q: (s32[], f32[8])) -> (s32[], f32[8]) {\n"
	"  ROOT %q = (s32[], f32[8]{0}) parameter(0)\n"
	"} // body\n\n"
	"// a comment\n"
	"ENTRY %main.5 (x: f32[8]) -> f32[8] {\n"
	"  %x = f32[8]{0} parameter(0), sharding={devices=[2]<=[2]}\n"
	"  %i = s32[] constant(-1)\n"
	"  %fusion = f32[8]{0} fusion(f32[8]{0} %x), kind=kLoop, calls=%fused_computation, "
	"metadata={op_type=\"neg\" op_name=\"jit(f)/neg[a=\\\"b, c\\\"]\" source_file=\"m.py\" "
	"source_line=12 stack_frame_id=2}\n"
	"  %t = (s32[], f32[8]{0}) tuple(s32[] %i, /*index=1*/f32[8]{0} %fusion)\n"
	"  %w = (s32[], f32[8]{0}) while((s32[], f32[8]{0}) %t), condition=%cond, body=%body\n"
	"  ROOT %g = f32[8]{0} get-tuple-element((s32[], f32[8]{0}) %w), index=1\n"
	"  %late = f32[8]{0} copy(%g)\n"
	"}\n\n";

static UNIT(test_module)
{
	struct jr_hlo hlo = decode(module_text);
	assert_string_equal(hlo.name, "jit_f");
	assert_string_equal(hlo.fingerprint, "0123abc");
	assert_int_equal(hlo.n_computations, 4);
	assert_int_equal(hlo.n_instructions, 12);
	uint32_t entry = jr_hlo_computation_by_id(&hlo, hlo.entry_id);
	assert_int_equal(entry, 3);
	assert_string_equal(hlo.computations[entry].name, "main.5");
	assert_int_equal(hlo.computations[entry].root_id, find(&hlo, "g")->id);
	assert_int_equal(find(&hlo, "g")->number, 1);
	check_operand(&hlo, find(&hlo, "t"), 0, "i");
	check_operand(&hlo, find(&hlo, "t"), 1, "fusion");
	const struct jr_hlo_instruction *w = find(&hlo, "w");
	assert_int_equal(w->n_called, 2); /* in XLA's order */
	check_called(&hlo, w, 0, "body");
	check_called(&hlo, w, 1, "cond");
	assert_int_equal(w->shape->n_tuple, 2);
	assert_int_equal(jr_hlo_shape_bytes(w->shape), 36);
	jr_hlo_done(&hlo);
}

static UNIT(test_metadata_and_frames)
{
	struct jr_hlo hlo = decode(module_text);
	const struct jr_hlo_instruction *f = find(&hlo, "fusion");
	assert_string_equal(f->op_name, "jit(f)/neg[a=\"b, c\"]");
	assert_string_equal(f->source_file, "m.py");
	assert_int_equal(f->source_line, 12);
	assert_string_equal(f->attributes->fusion_kind, "kLoop");
	check_called(&hlo, f, 0, "fused_computation");
	assert_int_equal(hlo.n_frames, 2);
	assert_int_equal(f->stack_frame_id, 2);
	assert_string_equal(hlo.frames[1].file, "a \"b\".py");
	assert_string_equal(hlo.frames[1].function, "f");
	assert_int_equal(hlo.frames[1].line, 20);
	assert_int_equal(hlo.frames[1].column, 3);
	assert_int_equal(hlo.frames[1].parent, 1); /* the text says 2 */
	assert_int_equal(hlo.frames[0].parent, 0);
	jr_hlo_done(&hlo);
}

static UNIT(test_schedule_and_aliases)
{
	struct jr_hlo hlo = decode(module_text);
	assert_false(hlo.computations[0].scheduled); /* of a fusion */
	assert_true(hlo.computations[1].scheduled && hlo.computations[3].scheduled);
	assert_int_equal(find(&hlo, "x")->place, 0);
	assert_int_equal(find(&hlo, "late")->place, 6);
	assert_true(hlo.states_aliases);
	assert_int_equal(hlo.n_aliases, 2);
	assert_int_equal(hlo.aliases[0].parameter_number, 1);
	assert_int_equal(hlo.aliases[0].n_parameter_index, 0);
	assert_int_equal(hlo.aliases[0].output_index[0], 0);
	assert_int_equal(hlo.aliases[1].n_output_index, 2);
	assert_int_equal(hlo.aliases[1].output_index[1], 2);
	assert_int_equal(hlo.aliases[1].parameter_index[0], 3);
	jr_hlo_done(&hlo);
	hlo = decode("HloModule m, entry_computation_layout={()->f32[]}\nENTRY e {\n"
				 "c = f32[] constant(1)\n}\n");
	assert_true(hlo.states_aliases && hlo.n_aliases == 0 && !hlo.computations[0].scheduled);
	assert_int_equal(hlo.computations[0].root_id, hlo.instructions[0].id);
	jr_hlo_done(&hlo);
}

static UNIT(test_cut_and_damaged)
{
	struct jr_limits limits = jr_limits_default();
	for (size_t n = 0; n < strlen(module_text); n++) {
		struct jr_hlo hlo;
		struct jr_error err = {.message = ""};
		char *cut = test_malloc(n + 1); /* the next byte is not ours */
		memcpy(cut, module_text, n);
		if (jr_hlo_decode_text(jr_bytes_of(cut, n), &limits, &hlo, &err) == JR_OK)
			jr_hlo_done(&hlo);
		test_free(cut);
	}
	refuse("", 0, "not HLO text: does not begin with \"HloModule\"");
	refuse(
		"HloModule m\n\nENTRY e {\n  x = f32[ parameter(0)\n}\n", 47, "damaged HLO text in line 4");
	refuse("HloModule m\n\nENTRY e {\n", 23, "HLO text ends inside a computation, line 4");
	refuse("HloModule m\n\nnothing\n", 21, "damaged HLO text in line 3");
}

/* Messages whose lengths take one to three bytes; names that two computations use; quotes after
 * escapes; of two roots the last. */
static UNIT(test_sizes)
{
	static const int sizes[] = {1, 90, 127, 128, 200, 16383, 16384, 40000};
	for (size_t i = 0; i < JR_COUNT_OF(sizes); i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
		jr_buf_printf(&text,
			"HloModule m\n\nf {\n  a = f32[2] parameter(0)\n  ROOT b = f32[2] negate(a)\n}\n"
			"ENTRY e {\n  a = s32[3] parameter(0), metadata={op_name=\"%0*d\\\\\" source_line=7}\n"
			"  ROOT b = s32[3] negate(a)\n  ROOT c = s32[3] negate(b)\n}\n",
			sizes[i], 0);
		struct jr_hlo hlo = decode(text.data);
		assert_int_equal(hlo.n_instructions, 5);
		const struct jr_hlo_instruction *in = hlo.instructions;
		check_operand(&hlo, &in[4], 0, "b");
		assert_int_equal(in[3].operand_ids[0], in[2].id);
		assert_int_equal(strlen(in[2].op_name), sizes[i] + 1);
		assert_int_equal(in[2].source_line, 7);
		assert_int_equal(hlo.computations[1].root_id, in[4].id);
		jr_hlo_done(&hlo);
	}
}

static UNIT(test_limits)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	struct jr_hlo hlo;
	limits.memory_bytes = 1000;
	assert_int_equal(jr_hlo_decode_text(bytes(module_text), &limits, &hlo, &err), JR_ELIMIT);
	static char deep[4096] = "HloModule m\n\nENTRY e {\n  x = ";
	size_t n = strlen(deep);
	memset(deep + n, '(', 3000);
	refuse(deep, n + 3000, "damaged HLO text in line 4");
}

/* "a" calls itself, an operand names what is defined later or never. */
static UNIT(test_odd_references)
{
	struct jr_hlo hlo = decode("HloModule m\n%a {\n  %r = f32[] call(%later, %never), to_apply=%a\n"
							   "  %later = f32[] constant({...})\n  %r = f32[2] copy(%r)\n}\n"
							   "%a {\n  %r = f32[] call(), to_apply=%gone\n}\n");
	const struct jr_hlo_instruction *r = &hlo.instructions[0];
	check_called(&hlo, r, 0, "a");
	assert_int_equal(jr_hlo_computation_by_id(&hlo, r->called_ids[0]), 0);
	check_operand(&hlo, r, 0, "later");
	assert_int_equal(jr_hlo_by_id_in(&hlo, 0, r->operand_ids[1]), JR_NONE);
	assert_int_equal(jr_hlo_by_id(&hlo, hlo.instructions[2].operand_ids[0]), 0);
	assert_int_equal(hlo.instructions[3].n_called, 0);
	assert_int_equal(hlo.entry_id, -1);
	jr_hlo_done(&hlo);
}

/* --- attributes ------------------------------------------------------------------------------ */

static UNIT(test_shapes)
{
	struct jr_hlo hlo = one(
		"y = (bf16[8,<=16]{0,1:T(8,128)(2,1)S(1)}, f32[?,2]{1,0:S(5)}, token[], (), s4[3]{0:E(4)}, "
		"what[2]) custom-call(x), custom_call_target=\"a\\\"b\", api_version=API_VERSION_FFI");
	const struct jr_hlo_instruction *y = find(&hlo, "y");
	const struct jr_hlo_shape *t = y->shape->tuple;
	assert_int_equal(y->shape->n_tuple, 6);
	assert_int_equal(t[0].element_type, JR_HLO_BF16);
	assert_int_equal(t[0].dimensions[1], 16);
	assert_int_equal(t[0].minor_to_major[0], 0);
	assert_true(t[0].near_memory && t[1].host_memory && t[1].unbounded && !t[1].near_memory);
	assert_int_equal(t[2].element_type, JR_HLO_TOKEN);
	assert_int_equal(t[3].element_type, JR_HLO_TUPLE);
	assert_int_equal(jr_hlo_shape_bytes(&t[4]), 2);
	assert_int_equal(t[5].element_type, 0); /* of a newer XLA */
	assert_string_equal(y->custom_call_target, "a\"b");
	jr_hlo_done(&hlo);
}

static UNIT(test_dot_and_precision)
{
	struct jr_hlo hlo =
		one("y = f32[4,4]{1,0} dot(x, x), lhs_batch_dims={0}, "
			"lhs_contracting_dims={1}, rhs_batch_dims={0}, rhs_contracting_dims={1}, "
			"operand_precision={high,default}, algorithm=dot_bf16_bf16_f32_x3");
	const struct jr_hlo_attributes *a = find(&hlo, "y")->attributes;
	assert_true(a->has_contracting && a->n_contracting == 1 && a->lhs_contracting[0] == 1);
	assert_int_equal(a->precision, JR_HLO_HIGH);
	assert_int_equal(a->algorithm, 7);
	jr_hlo_done(&hlo);
	hlo = one("y = f32[4,4] dot(x, x)");
	assert_true(find(&hlo, "y")->attributes->has_contracting);
	jr_hlo_done(&hlo);
	hlo = one("y = u32[4] rng-bit-generator(x), algorithm=rng_three_fry");
	assert_null(find(&hlo, "y")->attributes);
	jr_hlo_done(&hlo);
}

static UNIT(test_convolution)
{
	struct jr_hlo hlo =
		one("y = f32[1,8,8,4] convolution(x, x), window={size=3x1 stride=2x1 "
			"pad=1_2x0_-1 lhs_dilate=1x2 rhs_dilate=3x1}, dim_labels=b01f_10io->bf01, "
			"feature_group_count=2, batch_group_count=3");
	const struct jr_hlo_attributes *a = find(&hlo, "y")->attributes;
	assert_int_equal(a->n_window, 2);
	const struct jr_hlo_window_dimension *w = a->window;
	assert_true(w[0].size == 3 && w[0].stride == 2 && w[0].padding_low == 1);
	assert_true(w[0].padding_high == 2 && w[0].window_dilation == 3 && w[0].base_dilation == 1);
	assert_true(w[1].size == 1 && w[1].padding_high == -1 && w[1].base_dilation == 2);
	const struct jr_hlo_convolution *c = a->convolution;
	assert_true(c->input_batch == 0 && c->input_feature == 3 && c->n_spatial == 2);
	assert_true(c->kernel_spatial[0] == 1 && c->kernel_spatial[1] == 0);
	assert_true(c->kernel_input_feature == 2 && c->kernel_output_feature == 3);
	assert_true(c->output_feature == 1 && c->output_spatial[0] == 2 && c->output_spatial[1] == 3);
	assert_true(a->feature_group_count == 2 && a->batch_group_count == 3);
	jr_hlo_done(&hlo);
	/* Without a dimension 0, dimension 1 means nothing: the labels are left out, the rest stays. */
	hlo = one("y = f32[1,8,4] convolution(x, x), dim_labels=b1f_1io->b1f, feature_group_count=2");
	a = find(&hlo, "y")->attributes;
	assert_true(a->convolution == NULL && a->feature_group_count == 2);
	jr_hlo_done(&hlo);
}

static UNIT(test_other_attributes)
{
	struct jr_hlo hlo = one("y = c64[4,5] fft(x), fft_type=RFFT, fft_length={8}");
	const struct jr_hlo_attributes *a = find(&hlo, "y")->attributes;
	assert_true(a->fft_type == JR_HLO_RFFT && a->n_fft_length == 1 && a->fft_length[0] == 8);
	jr_hlo_done(&hlo);
	hlo = one("y = pred[4,8] compare(x, x), direction=GE, type=FLOAT");
	assert_string_equal(find(&hlo, "y")->attributes->direction, "GE");
	jr_hlo_done(&hlo);
	hlo = one("y = f32[8,4] transpose(x), dimensions={1,0}");
	a = find(&hlo, "y")->attributes;
	assert_true(a->n_dimensions == 2 && a->dimensions[0] == 1);
	jr_hlo_done(&hlo);
	hlo = one("y = s32[4,8] iota(), iota_dimension=1");
	a = find(&hlo, "y")->attributes;
	assert_true(a->n_dimensions == 1 && a->dimensions[0] == 1);
	jr_hlo_done(&hlo);
	hlo = one("y = f32[] conditional(x), branch_computations={%b0, %b1}\n}\n%b0 {\n%a = f32[] "
			  "constant({ { 1, (2, 3) },\n {4} })\n}\n%b1 {\n%b = f32[] constant(\"}\\\"{\")");
	check_called(&hlo, find(&hlo, "y"), 0, "b0");
	check_called(&hlo, find(&hlo, "y"), 1, "b1");
	jr_hlo_done(&hlo);
}

static UNIT(test_backend_config)
{
	static const char *const forms[] = {
		"y = f32[4,4] custom-call(x, x), custom_call_target=\"__cublas$gemm\", "
		"backend_config={\"gemm_backend_config\":{\"dot_dimension_numbers\":"
		"{\"lhs_contracting_dimensions\":[\"1\"]},\"epilogue\":\"}\"}}, metadata={}",
		"y = f32[4,4] custom-call(x, x), backend_config=\"{\\\"dot_dimension_numbers\\\":"
		"{\\\"lhs_contracting_dimensions\\\":[\\\"1\\\"]}}\"",
	};
	for (size_t i = 0; i < JR_COUNT_OF(forms); i++) {
		struct jr_hlo hlo = one(forms[i]);
		const struct jr_hlo_attributes *a = find(&hlo, "y")->attributes;
		assert_true(a->has_contracting && a->n_contracting == 1 && a->lhs_contracting[0] == 1);
		jr_hlo_done(&hlo);
	}
}

static UNIT(test_groups)
{
	static const struct {
		const char *text;
		uint32_t size;
		uint8_t from;
		uint32_t n, group_of_1;
	} forms[] = {
		{"{{0,2},{1,3}}", 2, JR_HLO_GROUP_REPLICA_GROUPS, 4, 1},
		{"{{0,1,2}}", 3, JR_HLO_GROUP_REPLICA_GROUPS, 0, 0},
		{"{}", 0, JR_HLO_GROUP_NONE, 0, 0},
		{"[2,4]<=[8]", 4, JR_HLO_GROUP_IOTA, 8, 0},
		{"[4,2]<=[2,4]T(1,0)", 2, JR_HLO_GROUP_IOTA, 8, 1},
		{"@mesh<a=2,b=8> {a,b:(2)4}", 8, JR_HLO_GROUP_MESH_AXES, 0, 0},
	};
	for (size_t i = 0; i < JR_COUNT_OF(forms); i++) {
		char text[256];
		snprintf(text, sizeof(text),
			"y = f32[4,8] all-reduce(x), channel_id=1, "
			"replica_groups=%s, use_global_device_ids=true",
			forms[i].text);
		struct jr_hlo hlo = one(text);
		const struct jr_hlo_instruction *y = find(&hlo, "y");
		assert_int_equal(y->group_size, forms[i].size);
		assert_int_equal(y->group_size_from, forms[i].from);
		assert_int_equal(y->groups ? y->groups->n : 0, forms[i].n);
		if (y->groups)
			assert_int_equal(y->groups->group_of[1], forms[i].group_of_1);
		jr_hlo_done(&hlo);
	}
}

/* A singular field that occurs twice would make protobuf's form invalid. */
static UNIT(test_repeated_attributes)
{
	struct jr_hlo hlo = one("y = f32[4,8] copy(x), window={size=1}, window={size=2}, "
							"dim_labels=bf_io->bf, dim_labels=bf_io->bf, metadata={op_name=\"a\"}, "
							"metadata={op_name=\"b\"}");
	assert_string_equal(find(&hlo, "y")->op_name, "a");
	assert_int_equal(find(&hlo, "y")->attributes->window[0].size, 1);
	jr_hlo_done(&hlo);
}

/* XLA prints no computation for an operation that is asynchronous as a whole. */
static UNIT(test_async_names)
{
	struct jr_hlo hlo =
		one("y = ((f32[4,8]{1,0}, f32[2]), /*index=1*/f32[2,8]{1,0}, u32[]) "
			"reduce-scatter-start(x, x), "
			"replica_groups={{0,1}}, dimensions={0}, to_apply=%add, metadata={op_name=\"rs\"}\n"
			"  z = f32[2,8]{1,0} reduce-scatter-done(y)\n}\n%add {\n  a = f32[] constant(1)");
	const struct jr_hlo_instruction *y = find(&hlo, "y"), *in = find(&hlo, "y.wrapped");
	assert_string_equal(y->opcode, "async-start");
	assert_string_equal(y->op_name, "rs");
	assert_int_equal(y->group_size, 0);
	check_called(&hlo, y, 0, "y.computation");
	assert_string_equal(find(&hlo, "z")->opcode, "async-done");
	assert_int_equal(jr_hlo_computation_by_id(&hlo, y->called_ids[0]), in->computation);
	assert_string_equal(in->opcode, "reduce-scatter");
	assert_string_equal(in->op_name, "rs");
	assert_int_equal(in->group_size, 2);
	assert_int_equal(jr_hlo_shape_bytes(in->shape), 64);
	check_called(&hlo, in, 0, "add");
	check_operand(&hlo, in, 1, "y.parameter.2");
	assert_int_equal(find(&hlo, "y.parameter.2")->number, 1);
	assert_int_equal(jr_hlo_shape_bytes(find(&hlo, "y.parameter.1")->shape), 128);
	jr_hlo_done(&hlo);
	hlo =
		one("y = (f32[4,8], f32[8,8]) all-gather-start(x), replica_groups={{0,1}}, dimensions={0}");
	assert_string_equal(find(&hlo, "y")->opcode, "all-gather-start");
	jr_hlo_done(&hlo);
}

/* --- fragments ------------------------------------------------------------------------------- */

static bool add(struct jr_hlo_builder *b, const char *text, const char *stacks)
{
	return jr_hlo_builder_add_instruction(b, bytes(text), bytes(stacks));
}

static struct jr_hlo finish(struct jr_hlo_builder *b)
{
	struct jr_error err = {.message = ""};
	struct jr_hlo hlo;
	if (jr_hlo_builder_finish(b, &hlo, &err) != JR_OK)
		fail_msg("%s", err.message);
	jr_hlo_builder_free(b);
	return hlo;
}

static UNIT(test_fragments)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_hlo_builder *b = jr_hlo_builder_new("jit_f", 7, &limits);
	assert_true(add(b, "ROOT fusion.1 = f32[8]{0} fusion(p, gone), kind=kLoop, calls=fused.1", ""));
	assert_true(add(b, "p = f32[8]{0} parameter(0), metadata={stack_frame_id=9}", ""));
	assert_true(add(b, "ROOT neg = f32[8]{0} negate(q), metadata={op_name=\"own\"}", ""));
	assert_true(jr_hlo_builder_add_computations(b,
		bytes("\nfused.1 {\n  q = f32[8]{0} parameter(0)\n  ROOT neg = f32[8]{0} negate(q)\n} // "
			  "fused.1other {\n  ROOT o = f32[] constant(1)\n}\n")));
	assert_true(add(b, "q = f32[8]{0} parameter(0), metadata={op_name=\"late\"}", ""));
	assert_true(jr_hlo_builder_add_computations(b, bytes("\nfused.1 {\n  z = f32[] copy(q)\n}\n")));
	assert_true(jr_hlo_builder_add_computations(b, bytes("\n")));
	assert_true(add(b, "p = f32[16]{0} parameter(0)", "")); /* the first counts */
	assert_false(add(b, "cut = f32[8]{0} add(p, p), metadata={op_name=\"a", ""));
	assert_false(add(b, "LD_LIBRARY_PATH=/a", ""));
	assert_false(jr_hlo_builder_add_computations(b, bytes("\nc {\n  x = f32[] copy(p)\n")));
	assert_int_equal(jr_hlo_builder_left_out(b), 3);
	struct jr_hlo hlo = finish(b);
	assert_string_equal(hlo.name, "jit_f");
	assert_int_equal(hlo.id, 7);
	assert_false(hlo.states_aliases);
	assert_int_equal(hlo.n_instructions, 6);
	uint32_t entry = jr_hlo_computation_by_id(&hlo, hlo.entry_id);
	const struct jr_hlo_instruction *fusion = find(&hlo, "fusion.1");
	assert_int_equal(hlo.computations[entry].n, 2);
	assert_int_equal(hlo.computations[entry].root_id, fusion->id);
	assert_int_equal(fusion->computation, entry);
	check_called(&hlo, fusion, 0, "fused.1");
	check_operand(&hlo, fusion, 0, "p");
	assert_int_equal(jr_hlo_by_id_in(&hlo, entry, fusion->operand_ids[1]), JR_NONE);
	assert_int_equal(find(&hlo, "p")->stack_frame_id, 0);
	assert_int_equal(jr_hlo_shape_bytes(find(&hlo, "p")->shape), 32);
	const struct jr_hlo_instruction *neg = find(&hlo, "neg");
	assert_int_equal(jr_hlo_computation_by_id(&hlo, fusion->called_ids[0]), neg->computation);
	assert_int_equal(hlo.computations[neg->computation].root_id, neg->id);
	assert_string_equal(neg->op_name, "own");
	assert_string_equal(find(&hlo, "q")->op_name, "late");
	check_operand(&hlo, neg, 0, "q");
	jr_hlo_done(&hlo);
}

static void check_frame(const struct jr_hlo *hlo, uint32_t id, const char *file, int line,
	int column, const char *function, uint32_t parent)
{
	assert_true(id > 0 && id <= hlo->n_frames);
	const struct jr_hlo_frame *f = &hlo->frames[id - 1];
	assert_string_equal(f->file, file);
	assert_string_equal(f->function, function);
	assert_true(f->line == line && f->column == column && f->parent == parent);
}

static UNIT(test_stacks)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_hlo_builder *b = jr_hlo_builder_new("m", 0, &limits);
	jr_hlo_builder_set_prefix(b, bytes("\nmain.py:3:1[&lt;module&gt;]\nC:\\a b.py:40[run]\n"));
	assert_true(add(b, "x = f32[] parameter(0)",
		"\n- net.py:7:9[layer] dot\n-- op.py:8\n"
		"- other.py:1:1[f] add\n"));
	assert_true(add(b, "y = f32[] copy(x)", "\n- net.py:7:9[layer] add\n"));
	assert_true(add(b, "z = f32[] copy(y)", ""));
	struct jr_hlo hlo = finish(b);
	assert_int_equal(hlo.n_frames, 4);
	check_frame(&hlo, 1, "main.py", 3, 1, "<module>", 0);
	check_frame(&hlo, 2, "C:\\a b.py", 40, 0, "run", 1);
	check_frame(&hlo, find(&hlo, "x")->stack_frame_id, "op.py", 8, 0, "", 3);
	check_frame(&hlo, find(&hlo, "y")->stack_frame_id, "net.py", 7, 9, "layer", 2);
	assert_int_equal(find(&hlo, "z")->stack_frame_id, 0); /* none is known */
	jr_hlo_done(&hlo);
}

/* A size that is unknown is not 0. */
static UNIT(test_cost_of_unknown_operand)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_hlo_builder *b = jr_hlo_builder_new("m", 0, &limits);
	assert_true(add(b, "known = f32[8]{0} parameter(0)", ""));
	assert_true(add(b, "a = f32[8]{0} add(known, known)", ""));
	assert_true(add(b, "b = f32[8]{0} add(known, gone)", ""));
	assert_true(add(b, "c = f32[8]{0} custom-call(gone), custom_call_target=\"t\"", ""));
	assert_true(add(b, "d = f32[4,4]{1,0} dot(gone, gone), lhs_contracting_dims={1}", ""));
	assert_true(add(b, "e = f32[] reduce(gone, known), dimensions={0}, to_apply=r", ""));
	struct jr_hlo hlo = finish(b);
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct jr_process process = {0};
	struct jr_device devices[2] = {{.slice = JR_NONE}, {.slice = JR_NONE}};
	struct jr_program program = {.hlo = &hlo};
	struct jr_op ops[6] = {{.instruction = 0}};
	struct jr_profile p = {.n_programs = 1,
		.n_processes = 1,
		.n_devices = 2,
		.programs = &program,
		.processes = &process,
		.devices = devices,
		.ops = ops,
		.n_ops = 6};
	jr_intern_init(&p.strings);
	for (uint32_t i = 0; i < 6; i++)
		ops[i].instruction = i;
	const struct jr_cost *costs = jr_costs_compute(&p, &arena);
	assert_true(costs[1].bytes_known && costs[1].bytes_read == 64);
	for (int i = 2; i < 6; i++)
		assert_false(costs[i].bytes_known);
	assert_false(costs[4].flops_known);
	jr_intern_done(&p.strings);
	jr_hlo_done(&hlo);
}
