/* formats/hlo_attributes and hlo_config: attributes of instructions, and invalid ones. */
#include "hlo_build.h"

#include <stdio.h>

static Xla__HloInstructionProto *add(
	struct jr_arena *a, Xla__HloComputationProto *c, const char *opcode, int64_t id)
{
	return build_instruction(a, c, jr_arena_printf(a, "i%d", (int)id), opcode, id);
}

/* Return the attributes of the only instruction, with that backend_config. */
static const struct jr_hlo_attributes *configured(
	struct jr_arena *a, const char *text, size_t size, struct jr_hlo *hlo)
{
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloInstructionProto *i = add(a, build_computation(a, proto, "main", 1), "custom-call", 1);
	i->backend_config.data = (uint8_t *)jr_arena_strndup(a, text, size);
	i->backend_config.len = size;
	*hlo = build_decode(proto);
	return hlo->instructions[0].attributes;
}

#define CONFIGURED(a, text, hlo) configured((a), (text), strlen(text), (hlo))

static UNIT_IN_ARENA(test_none)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloComputationProto *c = build_computation(a, proto, "main", 1);
	add(a, c, "add", 1);
	add(a, c, "parameter", 2)->parameter_number = 7;
	add(a, c, "get-tuple-element", 3)->tuple_index = 3;
	add(a, c, "parameter", 4)->parameter_number = -1;
	add(a, c, "parameter", 5)->parameter_number = INT64_C(1) << 33;
	add(a, c, "convolution", 6)->feature_group_count = 1; /* the same as not stated */
	struct jr_hlo hlo = build_decode(proto);
	static const uint32_t numbers[] = {0, 7, 3, JR_NONE, JR_NONE, 0};
	for (uint32_t i = 0; i < hlo.n_instructions; i++) {
		assert_null(hlo.instructions[i].attributes);
		assert_int_equal(hlo.instructions[i].number, numbers[i]);
	}
	jr_hlo_done(&hlo);
}

static UNIT_IN_ARENA(test_lists)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloComputationProto *c = build_computation(a, proto, "main", 1);
	Xla__HloInstructionProto *sort = add(a, c, "sort", 1);
	ADD(a, sort, dimensions, 2);
	ADD(a, sort, dimensions, -5); /* as stated */
	Xla__HloInstructionProto *fft = add(a, c, "fft", 2);
	fft->fft_type = 3;
	ADD(a, fft, fft_length, 64);
	Xla__HloInstructionProto *fusion = add(a, c, "fusion", 3);
	fusion->fusion_kind = TEXT(a, "kInput\n");
	Xla__HloInstructionProto *dot = add(a, c, "dot", 4);
	dot->dot_dimension_numbers = build_new(a, &xla__dot_dimension_numbers__descriptor);
	dot->precision_config = build_new(a, &xla__precision_config__descriptor);
	ADD(a, dot->precision_config, operand_precision, 1);
	ADD(a, dot->precision_config, operand_precision, 77);
	dot->precision_config->algorithm = 13;
	struct jr_hlo hlo = build_decode(proto);
	const struct jr_hlo_attributes *x = hlo.instructions[0].attributes;
	assert_int_equal(x->n_dimensions, 2);
	assert_int_equal(x->dimensions[0], 2);
	assert_int_equal(x->dimensions[1], -5);
	assert_false(x->has_contracting);
	assert_int_equal(x->feature_group_count, 1);
	assert_int_equal(x->batch_group_count, 1);
	assert_string_equal(x->fusion_kind, "");
	x = hlo.instructions[1].attributes;
	assert_int_equal(x->fft_type, JR_HLO_IRFFT);
	assert_int_equal(x->n_fft_length, 1);
	assert_int_equal(x->fft_length[0], 64);
	x = hlo.instructions[2].attributes;
	assert_string_not_equal(x->fusion_kind, "kInput\n"); /* cleaned */
	assert_memory_equal(x->fusion_kind, "kInput", 6);
	x = hlo.instructions[3].attributes;
	assert_true(x->has_contracting);
	assert_int_equal(x->n_contracting, 0);
	assert_int_equal(x->precision, JR_HLO_HIGHEST);
	assert_int_equal(x->algorithm, 13);
	jr_hlo_done(&hlo);
}

static UNIT_IN_ARENA(test_window)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloInstructionProto *i = add(a, build_computation(a, proto, "main", 1), "convolution", 1);
	i->window = build_new(a, &xla__window__descriptor);
	Xla__WindowDimension *w = build_new(a, &xla__window_dimension__descriptor);
	w->size = 3;
	w->padding_low = -2;
	w->padding_high = 9;
	ADD(a, i->window, dimensions, w);
	i->batch_group_count = 2;
	i->feature_group_count = -4;
	Xla__ConvolutionDimensionNumbers *d =
		build_new(a, &xla__convolution_dimension_numbers__descriptor);
	d->input_batch_dimension = 1;
	d->input_feature_dimension = 2;
	d->kernel_input_feature_dimension = 3;
	d->kernel_output_feature_dimension = 4;
	d->output_batch_dimension = 5;
	d->output_feature_dimension = 6;
	ADD(a, d, input_spatial_dimensions, 7);
	ADD(a, d, kernel_spatial_dimensions, 8);
	ADD(a, d, output_spatial_dimensions, 9);
	i->convolution_dimension_numbers = d;
	struct jr_hlo hlo = build_decode(proto);
	const struct jr_hlo_attributes *x = hlo.instructions[0].attributes;
	assert_int_equal(x->n_window, 1);
	assert_int_equal(x->window[0].size, 3);
	assert_int_equal(x->window[0].stride, 1);
	assert_int_equal(x->window[0].padding_low, -2);
	assert_int_equal(x->window[0].padding_high, 9);
	assert_int_equal(x->window[0].window_dilation, 1);
	assert_int_equal(x->window[0].base_dilation, 1);
	assert_int_equal(x->batch_group_count, 2);
	assert_int_equal(x->feature_group_count, -4);
	const struct jr_hlo_convolution *c = x->convolution;
	assert_non_null(c);
	assert_int_equal(c->input_batch, 1);
	assert_int_equal(c->input_feature, 2);
	assert_int_equal(c->kernel_input_feature, 3);
	assert_int_equal(c->kernel_output_feature, 4);
	assert_int_equal(c->output_batch, 5);
	assert_int_equal(c->output_feature, 6);
	assert_int_equal(c->n_spatial, 1);
	assert_int_equal(c->input_spatial[0], 7);
	assert_int_equal(c->kernel_spatial[0], 8);
	assert_int_equal(c->output_spatial[0], 9);
	jr_hlo_done(&hlo);
	ADD(a, d, output_spatial_dimensions, 10); /* lists of different lengths */
	hlo = build_decode(proto);
	assert_null(hlo.instructions[0].attributes->convolution);
	jr_hlo_done(&hlo);
}

/* Equal attributes are shared. */
static UNIT_IN_ARENA(test_shared)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloComputationProto *c = build_computation(a, proto, "main", 1);
	for (int64_t id = 1; id <= 6; id++) {
		Xla__HloInstructionProto *i = add(a, c, "transpose", id);
		ADD(a, i, dimensions, id % 2);
	}
	struct jr_hlo hlo = build_decode(proto);
	for (uint32_t i = 2; i < 6; i++)
		assert_ptr_equal(hlo.instructions[i].attributes, hlo.instructions[i - 2].attributes);
	assert_ptr_not_equal(hlo.instructions[0].attributes, hlo.instructions[1].attributes);
	jr_hlo_done(&hlo);
}

static UNIT_IN_ARENA(test_gemm_config)
{
	struct jr_hlo hlo;
	const struct jr_hlo_attributes *x = CONFIGURED(*state,
		"{\"operation_queue_id\":\"0\",\"gemm_backend_config\":{\"dot_dimension_numbers\":"
		"{\"lhs_contracting_dimensions\":[\"1\",2],\"rhs_contracting_dimensions\":[\"9\"]},"
		"\"precision_config\":{\"operand_precision\":[\"HIGH\",\"DEFAULT\"],"
		"\"algorithm\":\"ALG_DOT_BF16_BF16_F32_X9\"}}}",
		&hlo);
	assert_true(x->has_contracting);
	assert_int_equal(x->n_contracting, 2);
	assert_int_equal(x->lhs_contracting[0], 1);
	assert_int_equal(x->lhs_contracting[1], 2);
	assert_int_equal(x->precision, JR_HLO_HIGH);
	assert_int_equal(x->algorithm, 13);
	jr_hlo_done(&hlo);
	/* an unknown value is not taken for another one */
	x = CONFIGURED(*state,
		"{\"dot_dimension_numbers\":{},\"precision_config\":{\"operand_precision\":[\"WOW\"],"
		"\"algorithm\":\"ALG_NEW\"}}",
		&hlo);
	assert_true(x->has_contracting);
	assert_int_equal(x->n_contracting, 0);
	assert_int_equal(x->precision, JR_HLO_HIGHEST);
	assert_int_equal(x->algorithm, 255);
	jr_hlo_done(&hlo);
}

static UNIT_IN_ARENA(test_other_configs)
{
	struct jr_hlo hlo;
	const struct jr_hlo_attributes *x = CONFIGURED(*state,
		"{\"fusion_backend_config\":{\"kind\":\"__triton_gemm\",\"triton_gemm_config\":{}}}", &hlo);
	assert_string_equal(x->backend_kind, "__triton_gemm");
	assert_int_equal(x->tile_m, 0);
	jr_hlo_done(&hlo);
	x = CONFIGURED(*state,
		"{\"fusion_backend_config\":{\"triton_gemm_config\":{\"block_m\":\"64\",\"block_n\":256,"
		"\"block_k\":\"-1\"}}}",
		&hlo);
	assert_int_equal(x->tile_m, 64);
	assert_int_equal(x->tile_n, 256);
	assert_int_equal(x->tile_k, 0); /* no size */
	jr_hlo_done(&hlo);
	x = CONFIGURED(*state,
		"{\"cudnn_fmha_backend_config\":{\"mask_type\":\"ALIBI\",\"sliding_window_length\":128,"
		"\"intermediate_tensor_shape\":{\"dimensions\":[\"2\",\"64\"]}}}",
		&hlo);
	assert_int_equal(x->mask, JR_HLO_OTHER_MASK);
	assert_int_equal(x->sliding_window, 128);
	assert_int_equal(x->n_scores, 2);
	assert_int_equal(x->scores[1], 64);
	jr_hlo_done(&hlo);
}

static UNIT_IN_ARENA(test_no_config)
{
	struct jr_arena *a = *state;
	static const char *const texts[] = {"{", "[]", "{\"gemm_backend_config\":7}", "MLIR module",
		"{\"cudnn_fmha_backend_config\":{\"intermediate_tensor_shape\":{\"dimensions\":[\"x\"]}}}",
		"{\"fusion_backend_config\":{\"kind\":5}}", "{\"a\":1}}",
		"{\"cudnn_fmha_backend_config\":{\"intermediate_tensor_shape\":{\"dimensions\":{}}}}"};
	struct jr_hlo hlo;
	for (size_t i = 0; i < JR_COUNT_OF(texts); i++) {
		assert_null(CONFIGURED(a, texts[i], &hlo));
		jr_hlo_done(&hlo);
	}
	/* invalid dimension numbers */
	const struct jr_hlo_attributes *x = CONFIGURED(a,
		"{\"gemm_backend_config\":{\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":["
		"\"99999999999999999999\"]},\"precision_config\":{\"algorithm\":\"ALG_DOT_F64_F64_F64\"}}}",
		&hlo);
	assert_false(x->has_contracting);
	jr_hlo_done(&hlo);
	/* nested, and long */
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_puts(&text, "{\"fusion_backend_config\":{\"kind\":\"k\"},\"x\":");
	jr_buf_repeat(&text, '[', 100);
	jr_buf_repeat(&text, ']', 100);
	jr_buf_putc(&text, '}');
	assert_null(configured(a, text.data, text.size, &hlo));
	jr_hlo_done(&hlo);
	for (int most = 0; most < 2; most++) {
		text.size = 0;
		jr_buf_puts(&text, "{\"fusion_backend_config\":{\"kind\":\"k\"}");
		jr_buf_repeat(&text, ' ', 65536 - text.size - 1 + (most == 0));
		jr_buf_putc(&text, '}');
		assert_int_equal(configured(a, text.data, text.size, &hlo) != NULL, most);
		jr_hlo_done(&hlo);
	}
}

static UNIT_IN_ARENA(test_direction)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloComputationProto *c = build_computation(a, proto, "main", 1);
	add(a, c, "compare", 1)->comparison_direction = TEXT(a, "EQ");
	add(a, c, "compare", 2);
	struct jr_hlo hlo = build_decode(proto);
	assert_string_equal(hlo.instructions[0].attributes->direction, "EQ");
	assert_null(hlo.instructions[1].attributes);
	jr_hlo_done(&hlo);
}

/* Numbers are kept as stated; a missing message differs from an empty one. */
static UNIT_IN_ARENA(test_aliases)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	build_computation(a, proto, "main", 1);
	struct jr_hlo hlo = build_decode(proto);
	assert_false(hlo.states_aliases);
	jr_hlo_done(&hlo);
	Xla__HloInputOutputAliasProto *alias =
		build_new(a, &xla__hlo_input_output_alias_proto__descriptor);
	proto->hlo_module->input_output_alias = alias;
	hlo = build_decode(proto);
	assert_true(hlo.states_aliases);
	assert_int_equal(hlo.n_aliases, 0);
	jr_hlo_done(&hlo);
	Xla__HloInputOutputAliasProto__AliasEntryProto *entry =
		build_new(a, &xla__hlo_input_output_alias_proto__alias_entry_proto__descriptor);
	ADD(a, entry, output_shape_index, 3);
	entry->parameter_number = -7;
	ADD(a, alias, entries, entry);
	hlo = build_decode(proto);
	assert_int_equal(hlo.n_aliases, 1);
	assert_int_equal(hlo.aliases[0].parameter_number, -7);
	assert_int_equal(hlo.aliases[0].n_parameter_index, 0);
	assert_int_equal(hlo.aliases[0].n_output_index, 1);
	assert_int_equal(hlo.aliases[0].output_index[0], 3);
	jr_hlo_done(&hlo);
}
