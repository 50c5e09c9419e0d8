/* Modules of real jobs and of the generator (skipped where they do not exist), printed as text:
 * both decoders make the same of them, and so does the cost model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>
#include <zip.h>

#include "unit.h"

#include "analysis/cost/cost.h"
#include "base/cleanup.h"
#include "formats/archive/xz.h"
#include "formats/hlo/hlo_parse.h"
#include "formats/hlo/hlo_parts.h"
#include "model/inputs/load.h"
#include "tests/generator/hlo_print.h"

struct pair {
	struct jr_hlo proto, text;
	bool async_names; /* computations of asynchronous operations are made again */
};

static const char *name_of(const struct jr_hlo *hlo, uint32_t computation, int64_t id)
{
	uint32_t row = jr_hlo_by_id_in(hlo, computation, id);
	return row == JR_NONE ? "" : hlo->instructions[row].name;
}

static const char *called_by(
	const struct jr_hlo *hlo, const struct jr_hlo_instruction *in, uint32_t i)
{
	return hlo->computations[jr_hlo_computation_by_id(hlo, in->called_ids[i])].name;
}

static void same_list(const int64_t *a, uint32_t n, const int64_t *b, uint32_t m)
{
	assert_int_equal(n, m);
	if (n)
		assert_memory_equal(a, b, n * sizeof(*a));
}

static void same_attributes(const struct jr_hlo_attributes *a, const struct jr_hlo_attributes *b)
{
	assert_int_equal(a == NULL, b == NULL);
	if (!a)
		return;
	struct jr_hlo_attributes x = *a, y = *b;
	assert_string_equal(a->fusion_kind, b->fusion_kind);
	assert_string_equal(a->backend_kind, b->backend_kind);
	assert_string_equal(a->direction, b->direction);
	same_list(a->dimensions, a->n_dimensions, b->dimensions, b->n_dimensions);
	same_list(a->lhs_contracting, a->n_contracting, b->lhs_contracting, b->n_contracting);
	same_list(a->fft_length, a->n_fft_length, b->fft_length, b->n_fft_length);
	same_list(a->scores, a->n_scores, b->scores, b->n_scores);
	assert_int_equal(a->n_window, b->n_window);
	if (a->n_window)
		assert_memory_equal(a->window, b->window, a->n_window * sizeof(*a->window));
	assert_int_equal(a->convolution == NULL, b->convolution == NULL);
	const struct jr_hlo_convolution *c = a->convolution, *d = b->convolution;
	if (c) {
		assert_memory_equal(c, d, offsetof(struct jr_hlo_convolution, n_spatial));
		same_list(c->input_spatial, c->n_spatial, d->input_spatial, d->n_spatial);
		same_list(c->kernel_spatial, c->n_spatial, d->kernel_spatial, d->n_spatial);
		same_list(c->output_spatial, c->n_spatial, d->output_spatial, d->n_spatial);
	}
	/* without the pointers: the numbers */
	size_t from = offsetof(struct jr_hlo_attributes, feature_group_count);
	assert_memory_equal((char *)&x + from, (char *)&y + from,
		offsetof(struct jr_hlo_attributes, mask) + sizeof(x.mask) - from);
}

/* A permute states pairs of devices, which proto/hlo.proto does not have; generated ones state
 * groups, too. */
static void same_groups(const struct jr_hlo_instruction *a, const struct jr_hlo_instruction *b)
{
	if (strstr(a->opcode, "collective-permute"))
		return;
	assert_int_equal(a->group_size, b->group_size);
	assert_int_equal(a->groups == NULL, b->groups == NULL);
	if (!a->groups)
		return;
	assert_int_equal(a->groups->n, b->groups->n);
	assert_memory_equal(
		a->groups->group_of, b->groups->group_of, a->groups->n * sizeof(*a->groups->group_of));
}

static void same_stack(const struct pair *p, uint32_t a, uint32_t b)
{
	for (; a && b; a = p->proto.frames[a - 1].parent, b = p->text.frames[b - 1].parent) {
		const struct jr_hlo_frame *x = &p->proto.frames[a - 1], *y = &p->text.frames[b - 1];
		assert_string_equal(x->file, y->file);
		assert_string_equal(x->function, y->function);
		assert_true(x->line == y->line && x->column == y->column);
	}
	assert_true(!a && !b);
}

static void same_instruction(const struct pair *p, uint32_t row, uint32_t other)
{
	const struct jr_hlo_instruction *a = &p->proto.instructions[row];
	const struct jr_hlo_instruction *b = &p->text.instructions[other];
	assert_string_equal(a->opcode, b->opcode);
	assert_string_equal(a->op_name, b->op_name);
	assert_string_equal(a->source_file, b->source_file);
	assert_int_equal(a->source_line, b->source_line);
	assert_string_equal(a->scheduling_name, b->scheduling_name);
	assert_string_equal(a->custom_call_target, b->custom_call_target);
	assert_string_equal(
		p->proto.computations[a->computation].name, p->text.computations[b->computation].name);
	assert_int_equal(a->number, b->number);
	if (p->proto.computations[a->computation].scheduled)
		assert_int_equal(a->place, b->place);
	assert_true(jr_hlo_shape_hash(a->shape, 0) == jr_hlo_shape_hash(b->shape, 0));
	assert_int_equal(jr_hlo_shape_bytes(a->shape), jr_hlo_shape_bytes(b->shape));
	assert_int_equal(a->n_operands, b->n_operands);
	for (uint32_t i = 0; i < a->n_operands; i++)
		assert_string_equal(name_of(&p->proto, a->computation, a->operand_ids[i]),
			name_of(&p->text, b->computation, b->operand_ids[i]));
	same_stack(p, a->stack_frame_id, b->stack_frame_id);
	if (p->async_names && strncmp(a->opcode, "async-", 6) == 0)
		return;
	assert_int_equal(a->n_called, b->n_called);
	for (uint32_t i = 0; i < a->n_called; i++)
		assert_string_equal(called_by(&p->proto, a, i), called_by(&p->text, b, i));
	same_attributes(a->attributes, b->attributes);
	same_groups(a, b);
}

static void same_module(const struct pair *p)
{
	const struct jr_hlo *a = &p->proto, *b = &p->text;
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->fingerprint, b->fingerprint);
	if (!p->async_names)
		assert_true(a->structure_hash == b->structure_hash);
	assert_string_equal(a->computations[jr_hlo_computation_by_id(a, a->entry_id)].name,
		b->computations[jr_hlo_computation_by_id(b, b->entry_id)].name);
	assert_int_equal(a->n_aliases, b->n_aliases);
	for (uint32_t i = 0; i < a->n_aliases; i++) {
		const struct jr_hlo_alias *x = &a->aliases[i], *y = &b->aliases[i];
		assert_int_equal(x->parameter_number, y->parameter_number);
		same_list(
			x->parameter_index, x->n_parameter_index, y->parameter_index, y->n_parameter_index);
		same_list(x->output_index, x->n_output_index, y->output_index, y->n_output_index);
	}
}

/* Costs by row of the proto. */
static const struct jr_cost *costs_of(
	const struct jr_hlo *hlo, const uint32_t *rows, uint32_t n, struct jr_arena *arena)
{
	struct jr_process process = {0};
	struct jr_device devices[2] = {{.slice = JR_NONE}, {.slice = JR_NONE}};
	struct jr_program program = {.hlo = hlo};
	struct jr_profile p = {.n_programs = 1,
		.n_processes = 1,
		.n_devices = 2,
		.programs = &program,
		.processes = &process,
		.devices = devices,
		.n_ops = n};
	jr_intern_init(&p.strings);
	p.ops = JR_ARENA_N(arena, struct jr_op, n + (size_t)1);
	for (uint32_t i = 0; i < n; i++)
		p.ops[i].instruction = rows[i];
	const struct jr_cost *costs = jr_costs_compute(&p, arena);
	jr_intern_done(&p.strings);
	return costs;
}

static void same_cost(const struct jr_cost *a, const struct jr_cost *b)
{
	assert_string_equal(a->kind, b->kind);
	assert_string_equal(a->unknown ? a->unknown : "", b->unknown ? b->unknown : "");
	assert_memory_equal(a, b, offsetof(struct jr_cost, kind));
}

static size_t same(const struct pair *p)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	uint32_t *rows = JR_ARENA_N(&arena, uint32_t, p->proto.n_instructions + 1);
	uint32_t *others = JR_ARENA_N(&arena, uint32_t, p->proto.n_instructions + 1), n = 0;
	same_module(p);
	for (uint32_t i = 0; i < p->proto.n_instructions; i++) {
		uint32_t other = jr_hlo_find(&p->text, p->proto.instructions[i].name);
		if (other == JR_NONE && p->async_names)
			continue;
		if (other == JR_NONE)
			fail_msg("%s is not in the text", p->proto.instructions[i].name);
		rows[n] = i;
		others[n++] = other;
		same_instruction(p, i, other);
	}
	const struct jr_cost *costs = costs_of(&p->proto, rows, n, &arena);
	const struct jr_cost *of_text = costs_of(&p->text, others, n, &arena);
	for (uint32_t i = 0; i < n; i++)
		same_cost(&costs[i], &of_text[i]);
	return n;
}

/* Without the buffer assignment, which texts do not have: it says what is updated in place. */
static void round_trip(struct jr_bytes stored)
{
	static const unsigned styles[] = {GEN_HLO_LONG, GEN_HLO_LONG | GEN_HLO_OPERAND_SHAPES,
		GEN_HLO_NAMED_ENDS, GEN_HLO_ASYNC_NAMES};
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	Xla__HloProto *message = xla__hlo_proto__unpack(NULL, stored.size, stored.data);
	assert_non_null(message);
	Xla__HloProto part = *message;
	part.buffer_assignment = NULL;
	uint8_t *packed = test_malloc(xla__hlo_proto__get_packed_size(&part));
	struct jr_bytes proto = jr_bytes_of(packed, xla__hlo_proto__pack(&part, packed));
	for (size_t i = 0; i < JR_COUNT_OF(styles); i++) {
		struct pair p = {.async_names = styles[i] & GEN_HLO_ASYNC_NAMES};
		struct gen_hlo_text printer;
		JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
		gen_hlo_text_init(&printer, message->hlo_module, styles[i]);
		gen_hlo_print_module(&printer, &text);
		gen_hlo_text_done(&printer);
		if (jr_hlo_decode(proto, &limits, &p.proto, &err) != JR_OK ||
			jr_hlo_decode_text(jr_buf_view(&text), &limits, &p.text, &err) != JR_OK)
			fail_msg("%s", err.message);
		assert_true(same(&p) > 0);
		jr_hlo_done(&p.proto);
		jr_hlo_done(&p.text);
	}
	test_free(packed);
	xla__hlo_proto__free_unpacked(message, NULL);
}

/* The modules of an archive, each through all styles. */
static void round_trips(const char *path)
{
	if (access(path, R_OK) != 0) {
		print_message("%s is not there: skipped\n", path);
		skip();
	}
	int code, n = 0;
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	zip_t *zip = zip_open(path, ZIP_RDONLY, &code);
	assert_non_null(zip);
	for (zip_int64_t i = 0; i < zip_get_num_entries(zip, 0); i++) {
		zip_stat_t stat;
		assert_int_equal(zip_stat_index(zip, (zip_uint64_t)i, 0, &stat), 0);
		if (!strstr(stat.name, "after_optimizations.hlo.pb.xz") || stat.size == 0)
			continue;
		uint8_t *packed = test_malloc(stat.size);
		zip_file_t *file = zip_fopen_index(zip, (zip_uint64_t)i, 0);
		assert_non_null(file);
		assert_int_equal(zip_fread(file, packed, stat.size), stat.size);
		zip_fclose(file);
		JR_CLEANUP(jr_buf_done) struct jr_buf proto = {0};
		if (jr_xz_decode(jr_bytes_of(packed, stat.size), &limits, &proto, &err) != JR_OK)
			fail_msg("%s", err.message);
		round_trip(jr_buf_view(&proto));
		test_free(packed);
		n++;
	}
	zip_discard(zip);
	assert_true(n > 0);
}

static UNIT(maxtext)
{
	round_trips("../shared/data/archives/maxtext_fsdp4.zip");
}

static UNIT(pax)
{
	round_trips("../shared/data/archives/pax_fsdp4_4proc_proc0.zip");
}

static UNIT(transformer)
{
	round_trips("examples/transformer_fsdp4.zip");
}

static UNIT(mnist)
{
	round_trips("examples/mnist_vae.zip");
}

/* --- dumps as text --------------------------------------------------------------------------- */

/* The programs of an archive: how many have HLO, how many of these from text. The text below has
 * none of their instructions, so it is read, and dropped as that of another program. */
static void load(const char *path, size_t *n_hlo, size_t *n_text)
{
	struct jr_options options = jr_options_default();
	struct jr_error err = {.message = ""};
	struct jr_profile p;
	*n_hlo = *n_text = 0;
	jr_profile_init(&p, &options);
	if (jr_load(&path, 1, NULL, &p, &err) != JR_OK)
		fail_msg("%s", err.message);
	for (size_t i = 0; i < p.n_programs; i++) {
		*n_hlo += p.programs[i].hlo != NULL;
		*n_text += p.programs[i].hlo && p.programs[i].hlo->is_text;
	}
	for (size_t i = 0; i < p.n_missing; i++) {
		bool dropped = strstr(p.missing[i].reason, "is of another program") != NULL;
		*n_hlo += dropped;
		*n_text += dropped;
	}
	jr_profile_done(&p);
}

/* A text stands in for a proto that is not there; where both are, the proto counts. */
static UNIT(test_text_dump)
{
	static const char example[] = "examples/mnist_vae.zip", text[] = "HloModule m\n\nENTRY e {\n"
																	 "  c = f32[] constant(1)\n}\n";
	char path[] = "/tmp/jr-test-XXXXXX";
	int code, fd = mkstemp(path);
	size_t n, n_hlo, n_text, n_all;
	if (access(example, R_OK) != 0)
		skip();
	assert_true(fd >= 0);
	zip_t *from = zip_open(example, ZIP_RDONLY, &code);
	uint8_t *all = test_malloc(64 << 20);
	FILE *in = fopen(example, "rb"), *out = fdopen(fd, "wb");
	n = fread(all, 1, 64 << 20, in);
	assert_int_equal(fwrite(all, 1, n, out), n);
	fclose(in);
	fclose(out);
	load(path, &n_all, &n_text);
	assert_true(n_all > 1 && n_text == 0);
	for (int replace = 0; replace < 2; replace++) {
		zip_t *zip = zip_open(path, 0, &code);
		assert_non_null(zip);
		for (zip_int64_t i = 0; i < zip_get_num_entries(from, 0); i++) {
			const char *name = zip_get_name(from, (zip_uint64_t)i, 0);
			const char *end = strstr(name, ".hlo.pb.xz");
			if (!end || !strstr(name, "after_optimizations"))
				continue;
			char other[512];
			snprintf(other, sizeof(other), "%.*s.txt", (int)(end - name), name);
			if (replace)
				assert_int_equal(zip_delete(zip, (zip_uint64_t)zip_name_locate(zip, name, 0)), 0);
			else
				assert_true(zip_file_add(zip, other,
								zip_source_buffer(zip, text, sizeof(text) - 1, 0), 0) >= 0);
		}
		assert_int_equal(zip_close(zip), 0);
		load(path, &n_hlo, &n_text);
		assert_int_equal(n_hlo, n_all);
		assert_int_equal(n_text, replace ? n_all : 0);
	}
	zip_discard(from);
	test_free(all);
	unlink(path);
}
