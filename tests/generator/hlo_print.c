#include "hlo_print.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

enum { INDEX_INTERVAL = 5, LONG_COMPUTATION = 5 };

static void put_lower(struct jr_buf *out, const char *s)
{
	for (; *s; s++)
		jr_buf_putc(out, (char)tolower((unsigned char)*s));
}

/* "BF16" is bf16, "OPAQUE_TYPE" is opaque. */
static void put_type(struct jr_buf *out, Xla__PrimitiveType type)
{
	const ProtobufCEnumValue *value =
		protobuf_c_enum_descriptor_get_value(&xla__primitive_type__descriptor, (int)type);
	put_lower(out, !value ? "invalid" : type == 14 ? "opaque" : value->name);
}

static void put_index(struct jr_buf *out, size_t i)
{
	jr_buf_puts(out, i ? ", " : "");
	if (i && i % INDEX_INTERVAL == 0)
		jr_buf_printf(out, "/*index=%zu*/", i);
}

void gen_hlo_put_shape(struct jr_buf *out, const Xla__ShapeProto *s, bool layout)
{
	if (!s || s->element_type == XLA__PRIMITIVE_TYPE__TUPLE) {
		jr_buf_putc(out, '(');
		for (size_t i = 0; s && i < s->n_tuple_shapes; i++) {
			put_index(out, i);
			gen_hlo_put_shape(out, s->tuple_shapes[i], layout);
		}
		jr_buf_putc(out, ')');
		return;
	}
	put_type(out, s->element_type);
	gen_hlo_put_numbers(out, "", s->dimensions, s->n_dimensions, "[]");
	const Xla__LayoutProto *l = layout ? s->layout : NULL;
	if (!l || (!l->n_minor_to_major && !l->memory_space))
		return;
	gen_hlo_put_numbers(out, "", l->minor_to_major, l->n_minor_to_major, "{}");
	if (l->memory_space) {
		out->size--;
		jr_buf_printf(out, ":S(%lld)}", (long long)l->memory_space);
	}
}

/* --- instructions ---------------------------------------------------------------------------- */

static void put_name(const struct gen_hlo_text *t, struct jr_buf *out, const char *name)
{
	jr_buf_printf(out, "%s%s", t->style & GEN_HLO_LONG ? "%" : "", name);
}

static const Xla__HloComputationProto *computation_of(const struct gen_hlo_text *t, int64_t id)
{
	uint32_t row = jr_map_get(&t->computations, (uint64_t)id);
	return row == JR_NONE ? NULL : t->module->computations[row];
}

static const Xla__HloInstructionProto *find(
	const struct gen_hlo_text *t, size_t computation, int64_t id)
{
	uint32_t row = jr_map_get(&t->rows[computation], (uint64_t)id);
	return row == JR_NONE ? NULL : t->module->computations[computation]->instructions[row];
}

/* The one operation of an async-start's or -done's computation; NULL if it has several. */
static const Xla__HloInstructionProto *wrapped(
	const struct gen_hlo_text *t, const Xla__HloInstructionProto *in)
{
	if (!(t->style & GEN_HLO_ASYNC_NAMES) || strncmp(in->opcode, "async-", 6) != 0 ||
		in->n_called_computation_ids != 1)
		return NULL;
	const Xla__HloComputationProto *c = computation_of(t, in->called_computation_ids[0]);
	const Xla__HloInstructionProto *only = NULL;
	for (size_t i = 0; c && i < c->n_instructions; i++) {
		if (gen_hlo_is(c->instructions[i], "parameter"))
			continue;
		if (only)
			return NULL;
		only = c->instructions[i];
	}
	return only;
}

/* The key of the k-th computation; NULL: one list of all. */
static const char *called_key(const Xla__HloInstructionProto *in, size_t k)
{
	static const char *const keys[][3] = {{"while", "body", "condition"},
		{"select-and-scatter", "select", "scatter"}, {"fusion", "calls", "calls"},
		{"async-start", "calls", "calls"}, {"async-update", "calls", "calls"},
		{"async-done", "calls", "calls"}, {"conditional", NULL, NULL}, {"custom-call", NULL, NULL}};
	for (size_t i = 0; i < JR_COUNT_OF(keys); i++)
		if (gen_hlo_is(in, keys[i][0]))
			return keys[i][k ? 2 : 1];
	return "to_apply";
}

static void put_called(
	const struct gen_hlo_text *t, struct jr_buf *out, const Xla__HloInstructionProto *in)
{
	size_t n = in->n_called_computation_ids;
	bool list = n && !called_key(in, 0);
	if (list)
		jr_buf_printf(out, ", %s={",
			gen_hlo_is(in, "conditional") ? "branch_computations" : "called_computations");
	for (size_t i = 0; i < n; i++) {
		size_t k = gen_hlo_is(in, "while") ? n - 1 - i : i; /* the condition first */
		const Xla__HloComputationProto *c = computation_of(t, in->called_computation_ids[k]);
		if (list)
			jr_buf_puts(out, i ? ", " : "");
		else
			jr_buf_printf(out, ", %s=", called_key(in, k));
		put_name(t, out, c ? c->name : "");
	}
	jr_buf_puts(out, list ? "}" : "");
}

static void put_operands(const struct gen_hlo_text *t, size_t computation, struct jr_buf *out,
	const Xla__HloInstructionProto *in)
{
	if (gen_hlo_is(in, "parameter"))
		jr_buf_printf(out, "%lld", (long long)in->parameter_number);
	if (gen_hlo_is(in, "constant"))
		jr_buf_puts(out, in->shape && in->shape->n_dimensions ? "{...}" : "0");
	for (size_t i = 0; i < in->n_operand_ids; i++) {
		const Xla__HloInstructionProto *operand = find(t, computation, in->operand_ids[i]);
		put_index(out, i);
		if (!operand)
			continue;
		if (t->style & GEN_HLO_OPERAND_SHAPES) {
			gen_hlo_put_shape(out, operand->shape, true);
			jr_buf_putc(out, ' ');
		}
		put_name(t, out, operand->name);
	}
}

static void put_backend_config(struct jr_buf *out, ProtobufCBinaryData config)
{
	if (!config.len)
		return;
	const char *text = (const char *)config.data;
	jr_buf_puts(out, ", backend_config=");
	if (*text == '{' && text[config.len - 1] == '}') {
		jr_buf_add(out, text, config.len);
		return;
	}
	jr_buf_putc(out, '"');
	gen_hlo_put_escaped(out, text, config.len);
	jr_buf_putc(out, '"');
}

void gen_hlo_print_instruction(const struct gen_hlo_text *t, size_t computation,
	const Xla__HloInstructionProto *in, struct jr_buf *out)
{
	const Xla__HloInstructionProto *inner = wrapped(t, in);
	put_name(t, out, in->name);
	jr_buf_puts(out, " = ");
	gen_hlo_put_shape(out, in->shape, true);
	jr_buf_printf(out, " %s%s(", inner ? inner->opcode : in->opcode, inner ? in->opcode + 5 : "");
	put_operands(t, computation, out, in);
	jr_buf_putc(out, ')');
	if (!inner || gen_hlo_is(in, "async-start"))
		gen_hlo_put_attributes(out, inner ? inner : in);
	if (!inner || gen_hlo_is(in, "async-start"))
		put_called(t, out, inner ? inner : in);
	if (in->metadata)
		gen_hlo_put_metadata(out, in->metadata);
	put_backend_config(out, in->backend_config);
}

/* --- computations ---------------------------------------------------------------------------- */

/* " (param_0: f32[2]) -> f32[2]" */
static void put_program_shape(
	struct jr_buf *out, const Xla__HloComputationProto *c, bool names, const char *arrow)
{
	const Xla__ShapeProto *result = NULL;
	size_t n = 0;
	jr_buf_putc(out, '(');
	for (size_t i = 0; i < c->n_instructions; i++) {
		const Xla__HloInstructionProto *in = c->instructions[i];
		result = in->id == c->root_id ? in->shape : result;
		if (!gen_hlo_is(in, "parameter"))
			continue;
		if (names)
			jr_buf_printf(out, "%s%s: ", n ? ", " : "", in->name);
		else
			put_index(out, n);
		gen_hlo_put_shape(out, in->shape, !names);
		n++;
	}
	jr_buf_puts(out, arrow);
	gen_hlo_put_shape(out, result, !names);
}

/* The stated launch order of a computation; NULL: none. */
static const Xla__HloScheduleProto__InstructionSequence *schedule_of(
	const struct gen_hlo_text *t, int64_t id)
{
	const Xla__HloScheduleProto *s = t->module->schedule;
	for (size_t i = 0; s && i < s->n_sequences; i++)
		if (s->sequences[i]->key == id)
			return s->sequences[i]->value;
	return NULL;
}

static void put_computation(
	const struct gen_hlo_text *t, size_t row, bool in_module, struct jr_buf *out)
{
	const Xla__HloComputationProto *c = t->module->computations[row];
	const Xla__HloScheduleProto__InstructionSequence *order =
		in_module ? schedule_of(t, c->id) : NULL;
	jr_buf_puts(out, in_module && c->id == t->module->entry_computation_id ? "ENTRY " : "");
	put_name(t, out, c->name);
	jr_buf_putc(out, ' ');
	if (t->style & GEN_HLO_LONG) {
		put_program_shape(out, c, true, ") -> ");
		jr_buf_putc(out, ' ');
	}
	jr_buf_puts(out, "{\n");
	for (size_t i = 0; i < c->n_instructions; i++) {
		bool stated = order && order->n_instruction_ids == c->n_instructions;
		const Xla__HloInstructionProto *in =
			stated ? find(t, row, order->instruction_ids[i]) : c->instructions[i];
		if (!in)
			continue;
		jr_buf_puts(out, in->id == c->root_id ? "  ROOT " : "  ");
		gen_hlo_print_instruction(t, row, in, out);
		jr_buf_putc(out, '\n');
	}
	jr_buf_putc(out, '}');
	if (t->style & GEN_HLO_NAMED_ENDS && c->n_instructions > LONG_COMPUTATION)
		jr_buf_printf(out, " // %s", c->name);
}

void gen_hlo_print_called(
	const struct gen_hlo_text *t, const Xla__HloInstructionProto *in, struct jr_buf *out)
{
	for (size_t k = 0; k < in->n_called_computation_ids; k++) {
		uint32_t row = jr_map_get(&t->computations, (uint64_t)in->called_computation_ids[k]);
		if (row != JR_NONE)
			put_computation(t, row, false, out);
	}
}

/* --- modules --------------------------------------------------------------------------------- */

static void put_tables(struct jr_buf *out, const Xla__StackFrameIndexProto *m)
{
	if (!m || !m->n_stack_frames)
		return;
	jr_buf_puts(out, "\n\nFileNames\n");
	for (size_t i = 0; i < m->n_file_names; i++) {
		jr_buf_printf(out, "%zu", i + 1);
		gen_hlo_put_quoted(out, " ", m->file_names[i]);
		jr_buf_putc(out, '\n');
	}
	jr_buf_puts(out, "\nFunctionNames\n");
	for (size_t i = 0; i < m->n_function_names; i++) {
		jr_buf_printf(out, "%zu", i + 1);
		gen_hlo_put_quoted(out, " ", m->function_names[i]);
		jr_buf_putc(out, '\n');
	}
	jr_buf_puts(out, "\nFileLocations\n");
	for (size_t i = 0; i < m->n_file_locations; i++) {
		const Xla__StackFrameIndexProto__FileLocation *l = m->file_locations[i];
		jr_buf_printf(out,
			"%zu {file_name_id=%d function_name_id=%d line=%d end_line=%d column=%d "
			"end_column=%d}\n",
			i + 1, l->file_name_id, l->function_name_id, l->line, l->line, l->column, l->column);
	}
	/* in texts, 1 is no parent and the frame n is n + 1 */
	jr_buf_puts(out, "\nStackFrames\n");
	for (size_t i = 0; i < m->n_stack_frames; i++)
		jr_buf_printf(out, "%zu {file_location_id=%d parent_frame_id=%d}\n", i + 1,
			m->stack_frames[i]->file_location_id, m->stack_frames[i]->parent_frame_id + 1);
}

static void put_aliases(struct jr_buf *out, const Xla__HloInputOutputAliasProto *m)
{
	if (!m || !m->n_entries)
		return;
	jr_buf_puts(out, ", input_output_alias={ ");
	for (size_t i = 0; i < m->n_entries; i++) {
		const Xla__HloInputOutputAliasProto__AliasEntryProto *e = m->entries[i];
		gen_hlo_put_numbers(
			out, i ? ", " : "", e->output_shape_index, e->n_output_shape_index, "{}");
		jr_buf_printf(out, ": (%lld, ", (long long)e->parameter_number);
		gen_hlo_put_numbers(out, "", e->parameter_shape_index, e->n_parameter_shape_index, "{}");
		jr_buf_puts(out, ", may-alias)");
	}
	jr_buf_puts(out, " }");
}

static void put_header(const struct gen_hlo_text *t, struct jr_buf *out)
{
	const Xla__HloModuleProto *m = t->module;
	jr_buf_printf(out, "HloModule %s%s", m->name, m->schedule ? ", is_scheduled=true" : "");
	put_aliases(out, m->input_output_alias);
	for (size_t i = 0; i < m->n_computations; i++) {
		if (m->computations[i]->id != m->entry_computation_id)
			continue;
		jr_buf_puts(out, ", entry_computation_layout={");
		put_program_shape(out, m->computations[i], false, ")->");
		jr_buf_putc(out, '}');
	}
	const Xla__FrontendAttributes *a = m->frontend_attributes;
	for (size_t i = 0; a && i < a->n_map; i++) {
		jr_buf_printf(out, "%s%s=", i ? "," : ", frontend_attributes={", a->map[i]->key);
		gen_hlo_put_quoted(out, "", a->map[i]->value);
	}
	jr_buf_puts(out, a && a->n_map ? "}" : "");
}

void gen_hlo_print_module(const struct gen_hlo_text *t, struct jr_buf *out)
{
	put_header(t, out);
	put_tables(out, t->module->stack_frame_index);
	jr_buf_puts(out, "\n\n");
	for (size_t i = 0; i < t->module->n_computations; i++) {
		if (t->replaced[i])
			continue;
		put_computation(t, i, true, out);
		jr_buf_puts(out, "\n\n");
	}
}

static void index_computation(struct gen_hlo_text *t, size_t row)
{
	const Xla__HloComputationProto *c = t->module->computations[row];
	for (size_t i = 0; i < c->n_instructions; i++) {
		const Xla__HloInstructionProto *in = c->instructions[i];
		jr_map_put(&t->rows[row], (uint64_t)in->id, (uint32_t)i);
		if (wrapped(t, in))
			t->replaced[jr_map_get(&t->computations, (uint64_t)in->called_computation_ids[0])] =
				true;
	}
}

void gen_hlo_text_init(struct gen_hlo_text *t, const Xla__HloModuleProto *module, unsigned style)
{
	size_t n = module->n_computations;
	*t = (struct gen_hlo_text){.module = module, .style = style};
	t->rows = calloc(n + 1, sizeof(*t->rows));
	t->replaced = calloc(n + 1, sizeof(*t->replaced));
	if (!t->rows || !t->replaced)
		jr_oom();
	for (size_t i = 0; i < n; i++)
		jr_map_put(&t->computations, (uint64_t)module->computations[i]->id, (uint32_t)i);
	for (size_t i = 0; i < n; i++)
		index_computation(t, i);
}

void gen_hlo_text_done(struct gen_hlo_text *t)
{
	for (size_t c = 0; c < t->module->n_computations; c++)
		jr_map_done(&t->rows[c]);
	jr_map_done(&t->computations);
	free(t->rows);
	free(t->replaced);
}
