/* generator/hlo_print: texts as XLA prints them, written by hand from its tests and dumps. */
#include "hlo_build.h"

#include "tests/generator/hlo_print.h"

enum { F32 = XLA__PRIMITIVE_TYPE__F32, BF16 = XLA__PRIMITIVE_TYPE__BF16 };

static Xla__HloInstructionProto *add(struct jr_arena *a, Xla__HloComputationProto *c,
	const char *name, const char *opcode, Xla__ShapeProto *shape)
{
	Xla__HloInstructionProto *in = build_instruction(a, c, name, opcode, c->root_id + 1);
	in->shape = shape;
	c->root_id = in->id;
	return in;
}

static Xla__ShapeProto *matrix(struct jr_arena *a, int type, int rows, int columns)
{
	return build_layout(a, build_shape(a, type, rows, columns, -1), 0);
}

/* Compare the last instruction of the only computation. */
static void expect(const Xla__HloProto *proto, unsigned style, const char *expected)
{
	struct gen_hlo_text text;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	const Xla__HloComputationProto *c = proto->hlo_module->computations[0];
	gen_hlo_text_init(&text, proto->hlo_module, style);
	gen_hlo_print_instruction(&text, 0, c->instructions[c->n_instructions - 1], &out);
	assert_string_equal(out.data, expected);
	gen_hlo_text_done(&text);
}

static UNIT_IN_ARENA(test_operands)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloComputationProto *c = build_computation(a, proto, "main", 1);
	add(a, c, "p14.146", "parameter", matrix(a, BF16, 1, 4))->parameter_number = 14;
	expect(proto, 0, "p14.146 = bf16[1,4]{1,0} parameter(14)");
	add(a, c, "constant.1", "constant", build_shape(a, F32, -1));
	expect(proto, 0, "constant.1 = f32[] constant(0)");
	c->instructions[1]->metadata = build_new(a, &xla__op_metadata__descriptor);
	expect(proto, 0, "constant.1 = f32[] constant(0)");
	add(a, c, "host", "broadcast", build_layout(a, build_shape(a, BF16, 8, -1), 5));
	expect(proto, 0, "host = bf16[8]{0:S(5)} broadcast(), dimensions={}");
	Xla__HloInstructionProto *sum = add(a, c, "multiply.148", "multiply", matrix(a, BF16, 1, 4));
	ADD(a, sum, operand_ids, 1);
	ADD(a, sum, operand_ids, 3);
	expect(proto, GEN_HLO_LONG | GEN_HLO_OPERAND_SHAPES,
		"%multiply.148 = bf16[1,4]{1,0} multiply(bf16[1,4]{1,0} %p14.146, bf16[8]{0:S(5)} %host)");
	expect(proto, GEN_HLO_LONG, "%multiply.148 = bf16[1,4]{1,0} multiply(%p14.146, %host)");
	Xla__HloInstructionProto *tuple = add(a, c, "t", "tuple", build_shape(a, 13, -1));
	for (int i = 0; i < 6; i++) {
		ADD(a, tuple, operand_ids, 2);
		ADD(a, tuple->shape, tuple_shapes, build_shape(a, F32, -1));
	}
	expect(proto, 0,
		"t = (f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[]) tuple(constant.1, constant.1, "
		"constant.1, constant.1, constant.1, /*index=5*/constant.1)");
}

static void set_mesh(struct jr_arena *a, Xla__HloInstructionProto *in)
{
	static const int64_t sizes[] = {4, 1};
	Xla__MeshAxesReplicaGroupListProto *m = in->mesh_axes_replica_group_list =
		build_new(a, &xla__mesh_axes_replica_group_list_proto__descriptor);
	m->mesh = build_new(a, &xla__mesh_proto__descriptor);
	for (int i = 0; i < 2; i++) {
		Xla__MeshProto__MeshAxis *axis = build_new(a, &xla__mesh_proto__mesh_axis__descriptor);
		axis->name = jr_arena_printf(a, "axis_%d", i);
		axis->size = sizes[i];
		ADD(a, m->mesh, axes, axis);
	}
	ADD(a, m, axes, build_new(a, &xla__axis_ref_proto__descriptor));
}

static UNIT_IN_ARENA(test_groups)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloComputationProto *c = build_computation(a, proto, "main", 1);
	add(a, c, "param", "parameter", matrix(a, F32, 2, 4));
	Xla__HloInstructionProto *in = add(a, c, "all-gather", "all-gather", matrix(a, F32, 8, 4));
	ADD(a, in, operand_ids, 1);
	ADD(a, in, dimensions, 0);
	in->metadata = build_new(a, &xla__op_metadata__descriptor);
	in->metadata->op_name = TEXT(a, "jit(rms_norm)/ffi_call");
	in->metadata->stack_frame_id = 20;
	set_mesh(a, in);
	expect(proto, GEN_HLO_LONG,
		"%all-gather = f32[8,4]{1,0} all-gather(%param), channel_id=1, "
		"replica_groups=mesh['axis_0'=4,'axis_1'=1] {'axis_0'}, dimensions={0}, "
		"metadata={op_name=\"jit(rms_norm)/ffi_call\" stack_frame_id=20}");
	in->metadata = NULL;
	Xla__IotaReplicaGroupListProto *iota = in->iota_collective_device_list =
		build_new(a, &xla__iota_replica_group_list_proto__descriptor);
	iota->num_replica_groups = 2;
	iota->num_devices_per_group = 4;
	ADD(a, iota, iota_reshape_dims, 8);
	ADD(a, iota, iota_transpose_perm, 0);
	expect(proto, 0,
		"all-gather = f32[8,4]{1,0} all-gather(param), channel_id=1, replica_groups=[2,4]<=[8], "
		"dimensions={0}");
	iota->iota_reshape_dims[0] = 4;
	ADD(a, iota, iota_reshape_dims, 2);
	iota->iota_transpose_perm[0] = 1;
	ADD(a, iota, iota_transpose_perm, 0);
	expect(proto, 0,
		"all-gather = f32[8,4]{1,0} all-gather(param), channel_id=1, "
		"replica_groups=[2,4]<=[4,2]T(1,0), dimensions={0}");
	in->iota_collective_device_list = NULL;
	in->mesh_axes_replica_group_list = NULL;
	for (int i = 0; i < 2; i++) {
		Xla__ReplicaGroup *group = build_new(a, &xla__replica_group__descriptor);
		ADD(a, group, replica_ids, i);
		ADD(a, group, replica_ids, i + 2);
		ADD(a, in, replica_groups, group);
	}
	expect(proto, 0,
		"all-gather = f32[8,4]{1,0} all-gather(param), channel_id=1, "
		"replica_groups={{0,2},{1,3}}, dimensions={0}");
	in->opcode = TEXT(a, "collective-permute");
	in->n_dimensions = 0;
	expect(proto, 0,
		"all-gather = f32[8,4]{1,0} collective-permute(param), channel_id=1, "
		"source_target_pairs={{0,1},{1,2},{2,3},{3,0}}");
	in->n_replica_groups = 0;
	in->opcode = TEXT(a, "dynamic-slice");
	expect(proto, 0, "all-gather = f32[8,4]{1,0} dynamic-slice(param), dynamic_slice_sizes={8,4}");
}

static UNIT_IN_ARENA(test_convolution)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloComputationProto *c = build_computation(a, proto, "main", 1);
	Xla__HloInstructionProto *in = add(a, c, "conv", "convolution", matrix(a, F32, 2, 4));
	in->window = build_new(a, &xla__window__descriptor);
	for (int i = 0; i < 2; i++) {
		Xla__WindowDimension *d = build_new(a, &xla__window_dimension__descriptor);
		*d = (Xla__WindowDimension){d->base, 3, 2, 1, i, 1, 1 + i};
		ADD(a, in->window, dimensions, d);
	}
	Xla__ConvolutionDimensionNumbers *n = in->convolution_dimension_numbers =
		build_new(a, &xla__convolution_dimension_numbers__descriptor);
	n->input_batch_dimension = n->output_batch_dimension = 2;
	n->input_feature_dimension = 1;
	n->output_feature_dimension = 3;
	n->kernel_output_feature_dimension = 1;
	for (int i = 0; i < 2; i++) {
		ADD(a, n, input_spatial_dimensions, 3 * i);
		ADD(a, n, kernel_spatial_dimensions, 2 + i);
		ADD(a, n, output_spatial_dimensions, i);
	}
	in->precision_config = build_new(a, &xla__precision_config__descriptor);
	ADD(a, in->precision_config, operand_precision, 2);
	ADD(a, in->precision_config, operand_precision, 0);
	in->precision_config->algorithm = 6;
	in->feature_group_count = 2;
	in->backend_config.data = (uint8_t *)TEXT(a, "say \"x\"");
	in->backend_config.len = 7;
	expect(proto, 0,
		"conv = f32[2,4]{1,0} convolution(), window={size=3x3 stride=2x2 pad=1_0x1_1 "
		"lhs_dilate=1x2}, dim_labels=0fb1_io01->01bf, feature_group_count=2, "
		"operand_precision={highest,default}, algorithm=dot_bf16_bf16_f32, "
		"backend_config=\"say \\\"x\\\"\"");
}

/* As in XLA's comment on the names of async operations. */
static Xla__HloProto *async_module(struct jr_arena *a)
{
	Xla__HloProto *proto = build_module(a, "Module");
	Xla__HloComputationProto *c = build_computation(a, proto, "AsyncOp", 1);
	add(a, c, "p0.1", "parameter", build_layout(a, build_shape(a, F32, 10, -1), 0));
	Xla__HloInstructionProto *call =
		add(a, c, "custom-call", "custom-call", build_layout(a, build_shape(a, F32, 20, -1), 0));
	ADD(a, call, operand_ids, 1);
	call->custom_call_target = TEXT(a, "foo");
	c = build_computation(a, proto, "Entry", 2);
	proto->hlo_module->entry_computation_id = 2;
	add(a, c, "p0", "parameter", build_layout(a, build_shape(a, F32, 10, -1), 0));
	Xla__HloInstructionProto *start =
		add(a, c, "async-start", "async-start", build_shape(a, F32, -1));
	ADD(a, start, operand_ids, 1);
	ADD(a, start, called_computation_ids, 1);
	Xla__HloInstructionProto *done =
		add(a, c, "async-done", "async-done", build_layout(a, build_shape(a, F32, 20, -1), 0));
	ADD(a, done, operand_ids, 2);
	ADD(a, done, called_computation_ids, 1);
	return proto;
}

static void add_frame(struct jr_arena *a, Xla__HloProto *proto, int line, int parent)
{
	Xla__StackFrameIndexProto *m = proto->hlo_module->stack_frame_index;
	Xla__StackFrameIndexProto__FileLocation *at =
		build_new(a, &xla__stack_frame_index_proto__file_location__descriptor);
	at->file_name_id = at->function_name_id = 1;
	at->line = line;
	at->column = 4;
	ADD(a, m, file_locations, at);
	Xla__StackFrameIndexProto__StackFrame *frame =
		build_new(a, &xla__stack_frame_index_proto__stack_frame__descriptor);
	frame->file_location_id = (int32_t)m->n_file_locations;
	frame->parent_frame_id = parent;
	ADD(a, m, stack_frames, frame);
}

static void expect_module(const Xla__HloProto *proto, unsigned style, const char *expected)
{
	struct gen_hlo_text text;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	gen_hlo_text_init(&text, proto->hlo_module, style);
	gen_hlo_print_module(&text, &out);
	assert_string_equal(out.data, expected);
	gen_hlo_text_done(&text);
}

static UNIT_IN_ARENA(test_module)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = async_module(a);
	expect_module(proto, GEN_HLO_LONG,
		"HloModule Module, entry_computation_layout={(f32[10]{0})->f32[20]{0}}\n\n"
		"%AsyncOp (p0.1: f32[10]) -> f32[20] {\n"
		"  %p0.1 = f32[10]{0} parameter(0)\n"
		"  ROOT %custom-call = f32[20]{0} custom-call(%p0.1), custom_call_target=\"foo\"\n"
		"}\n\n"
		"ENTRY %Entry (p0: f32[10]) -> f32[20] {\n"
		"  %p0 = f32[10]{0} parameter(0)\n"
		"  %async-start = f32[] async-start(%p0), calls=%AsyncOp\n"
		"  ROOT %async-done = f32[20]{0} async-done(%async-start), calls=%AsyncOp\n"
		"}\n\n");
	proto->hlo_module->schedule = build_new(a, &xla__hlo_schedule_proto__descriptor);
	proto->hlo_module->stack_frame_index = build_new(a, &xla__stack_frame_index_proto__descriptor);
	ADD(a, proto->hlo_module->stack_frame_index, file_names, TEXT(a, "a\"b.py"));
	ADD(a, proto->hlo_module->stack_frame_index, function_names, TEXT(a, "f"));
	add_frame(a, proto, 42, 0);
	add_frame(a, proto, 7, 1);
	expect_module(proto, GEN_HLO_ASYNC_NAMES,
		"HloModule Module, is_scheduled=true, "
		"entry_computation_layout={(f32[10]{0})->f32[20]{0}}\n\n"
		"FileNames\n1 \"a\\\"b.py\"\n\n"
		"FunctionNames\n1 \"f\"\n\n"
		"FileLocations\n"
		"1 {file_name_id=1 function_name_id=1 line=42 end_line=42 column=4 end_column=4}\n"
		"2 {file_name_id=1 function_name_id=1 line=7 end_line=7 column=4 end_column=4}\n\n"
		"StackFrames\n"
		"1 {file_location_id=1 parent_frame_id=1}\n"
		"2 {file_location_id=2 parent_frame_id=2}\n\n\n"
		"ENTRY Entry {\n"
		"  p0 = f32[10]{0} parameter(0)\n"
		"  async-start = f32[] custom-call-start(p0), custom_call_target=\"foo\"\n"
		"  ROOT async-done = f32[20]{0} custom-call-done(async-start)\n"
		"}\n\n");
}

static UNIT_IN_ARENA(test_called)
{
	struct jr_arena *a = *state;
	Xla__HloProto *proto = build_module(a, "m");
	Xla__HloComputationProto *main = build_computation(a, proto, "main", 1);
	Xla__HloInstructionProto *loop = add(a, main, "while.1", "while", build_shape(a, F32, -1));
	ADD(a, loop, called_computation_ids, 2);
	ADD(a, loop, called_computation_ids, 3);
	Xla__HloComputationProto *body = build_computation(a, proto, "body", 2);
	for (int i = 0; i < 6; i++)
		add(a, body, jr_arena_printf(a, "p.%d", i), "parameter", build_shape(a, F32, -1));
	add(a, build_computation(a, proto, "test", 3), "c", "compare", build_shape(a, 1, -1))
		->comparison_direction = TEXT(a, "LT");
	expect(proto, GEN_HLO_LONG, "%while.1 = f32[] while(), condition=%test, body=%body");
	struct gen_hlo_text text;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	gen_hlo_text_init(&text, proto->hlo_module, GEN_HLO_NAMED_ENDS);
	gen_hlo_print_called(&text, loop, &out);
	assert_string_equal(out.data,
		"body {\n  p.0 = f32[] parameter(0)\n  p.1 = f32[] parameter(0)\n"
		"  p.2 = f32[] parameter(0)\n  p.3 = f32[] parameter(0)\n  p.4 = f32[] parameter(0)\n"
		"  ROOT p.5 = f32[] parameter(0)\n} // body"
		"test {\n  ROOT c = pred[] compare(), direction=LT\n}");
	gen_hlo_text_done(&text);
}
