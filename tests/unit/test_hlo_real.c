/* formats/hlo on the dumps of real archives, if ../shared exists. */
#include "hlo_build.h"
#include "base/order.h"

#include <lzma.h>
#include <stdio.h>
#include <unistd.h>
#include <zip.h>

#define ARCHIVES "../shared/data/archives/"

/* Decompress the xz member into a malloc. */
static struct jr_bytes member(zip_t *zip, zip_uint64_t index)
{
	zip_stat_t stat;
	assert_int_equal(zip_stat_index(zip, index, 0, &stat), 0);
	uint8_t *packed = malloc(stat.size + 1);
	zip_file_t *file = zip_fopen_index(zip, index, 0);
	assert_non_null(packed);
	assert_non_null(file);
	assert_int_equal(zip_fread(file, packed, stat.size), stat.size);
	zip_fclose(file);
	size_t capacity = 16 << 20, in_pos = 0, out_pos = 0;
	uint8_t *data = malloc(capacity);
	assert_non_null(data);
	uint64_t memory = 256 << 20;
	assert_int_equal(lzma_stream_buffer_decode(
						 &memory, 0, NULL, packed, &in_pos, stat.size, data, &out_pos, capacity),
		LZMA_OK);
	free(packed);
	return jr_bytes_of(data, out_pos);
}

static zip_t *open_archive(const char *name)
{
	char path[256];
	snprintf(path, sizeof(path), ARCHIVES "%s", name);
	if (access(path, R_OK) != 0) {
		print_message("%s is not there: skipped\n", path);
		skip();
	}
	int code;
	zip_t *zip = zip_open(path, ZIP_RDONLY, &code);
	assert_non_null(zip);
	return zip;
}

/* Check that every pointer is set and every reference is valid. */
static void check(const struct jr_hlo *hlo)
{
	uint32_t next = 0;
	for (uint32_t c = 0; c < hlo->n_computations; c++) {
		assert_int_equal(hlo->computations[c].first, next);
		next += hlo->computations[c].n;
		assert_int_equal(jr_hlo_computation_by_id(hlo, hlo->computations[c].id), c);
		uint32_t root = jr_hlo_by_id_in(hlo, c, hlo->computations[c].root_id);
		assert_true(root != JR_NONE);
		assert_int_equal(hlo->instructions[root].computation, c);
	}
	assert_int_equal(next, hlo->n_instructions);
	for (uint32_t i = 0; i < hlo->n_instructions; i++) {
		const struct jr_hlo_instruction *x = &hlo->instructions[i];
		assert_int_equal(jr_hlo_find(hlo, x->name), i); /* names are unique */
		assert_int_equal(jr_hlo_by_id(hlo, x->id), i);
		assert_true(*x->opcode != '\0' && x->shape->element_type != 0);
		for (uint32_t k = 0; k < x->n_operands; k++) {
			uint32_t operand = jr_hlo_by_id_in(hlo, x->computation, x->operand_ids[k]);
			assert_true(
				operand != JR_NONE && hlo->instructions[operand].computation == x->computation);
		}
		assert_true(x->stack_frame_id <= hlo->n_frames);
	}
	for (uint32_t i = 0; i < hlo->n_buffers; i++)
		assert_true(jr_hlo_by_id(hlo, hlo->buffers[i].instruction_id) != JR_NONE);
	assert_true(jr_hlo_computation_by_id(hlo, hlo->entry_id) != JR_NONE);
	assert_int_equal(strlen(hlo->fingerprint), 32);
}

struct expected {
	const char *member; /* part of its name */
	const char *module;
	uint32_t n_computations, n_instructions, n_with_frame, n_frames, n_buffers, n_traces;
	uint32_t n_allocations;
	uint64_t allocated_bytes; /* all that are not thread-local */
};

static void check_counts(const struct jr_hlo *hlo, const struct expected *expected)
{
	uint32_t with_frame = 0;
	for (uint32_t i = 0; i < hlo->n_instructions; i++)
		with_frame += hlo->instructions[i].stack_frame_id != 0;
	assert_string_equal(hlo->name, expected->module);
	assert_int_equal(hlo->n_computations, expected->n_computations);
	assert_int_equal(hlo->n_instructions, expected->n_instructions);
	assert_int_equal(with_frame, expected->n_with_frame);
	assert_int_equal(hlo->n_frames, expected->n_frames);
	assert_int_equal(hlo->n_buffers, expected->n_buffers);
	assert_int_equal(hlo->n_traces, expected->n_traces);
	assert_int_equal(hlo->n_allocations, expected->n_allocations);
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < hlo->n_allocations; i++)
		bytes += hlo->allocations[i].thread_local ? 0 : hlo->allocations[i].size_bytes;
	assert_int_equal(bytes, expected->allocated_bytes);
}

JR_ORDER_OF_VALUES(compare_pointers, uintptr_t)

/* Check that attributes take few bytes per instruction, and that equal ones are shared. */
static void check_attributes(const struct jr_hlo *hlo)
{
	uintptr_t *all = malloc((hlo->n_instructions + 1) * sizeof(*all));
	assert_non_null(all);
	size_t n = 0, distinct = 0;
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < hlo->n_instructions; i++)
		if (hlo->instructions[i].attributes)
			all[n++] = (uintptr_t)hlo->instructions[i].attributes;
	qsort(all, n, sizeof(*all), compare_pointers);
	for (size_t i = 0; i < n; i++) {
		if (i && all[i] == all[i - 1])
			continue;
		const struct jr_hlo_attributes *a = (const struct jr_hlo_attributes *)all[i];
		distinct++;
		bytes += sizeof(*a) + a->n_window * sizeof(*a->window) +
				 (a->convolution ? sizeof(*a->convolution) : 0) +
				 8 * ((uint64_t)a->n_dimensions + a->n_contracting + a->n_fft_length + a->n_scores);
	}
	free(all);
	bytes += hlo->n_instructions * (sizeof(void *) + sizeof(uint32_t));
	print_message("%s: %zu of %u instructions have attributes, %zu different ones; %.1f bytes an "
				  "instruction\n",
		hlo->name, n, hlo->n_instructions, distinct, (double)bytes / hlo->n_instructions);
	assert_true(n > 1000 && distinct < n / 10);
	assert_true(bytes <= UINT64_C(100) * hlo->n_instructions);
}

/* Decode all modules; `hashes` gets the structure hash of each, by the module's number. */
static void check_archive(
	const char *name, int n_modules, const struct expected *expected, uint64_t hashes[64])
{
	zip_t *zip = open_archive(name);
	struct jr_limits limits = jr_limits_default();
	int n = 0, n_expected = 0;
	for (zip_uint64_t i = 0; i < (zip_uint64_t)zip_get_num_entries(zip, 0); i++) {
		const char *path = zip_get_name(zip, i, 0);
		const char *number = path ? strstr(path, "dump/module_") : NULL;
		if (!number || !strstr(path, "after_optimizations.hlo.pb.xz"))
			continue;
		struct jr_bytes bytes = member(zip, i);
		struct jr_error err = {.message = ""};
		struct jr_hlo hlo;
		if (jr_hlo_decode(bytes, &limits, &hlo, &err) != JR_OK)
			fail_msg("%s: %s", path, err.message);
		build_free(bytes);
		check(&hlo);
		if (strstr(path, expected->member)) {
			check_counts(&hlo, expected);
			check_attributes(&hlo);
			assert_in_range(hlo.arena.used_bytes, 1, 16 << 20);
			n_expected++;
		}
		long k = strtol(number + strlen("dump/module_"), NULL, 10);
		if (k < 64)
			hashes[k] = hlo.structure_hash;
		jr_hlo_done(&hlo);
		n++;
	}
	zip_close(zip);
	assert_int_equal(n, n_modules);
	assert_int_equal(n_expected, 1);
}

static const struct expected pax_step = {
	.member = "module_0040",
	.module = "pjit__wrapped_step_fn",
	.n_computations = 2533,
	.n_instructions = 37026,
	.n_with_frame = 19045,
	.n_frames = 508,
	.n_buffers = 6400,
	.n_traces = 1,
	.n_allocations = 1323,
	.allocated_bytes = UINT64_C(16761243366),
};

/* Two processes of one job have the same programs. */
static UNIT_IN_ARENA(test_pax)
{
	uint64_t first[64] = {0}, second[64] = {0};
	check_archive("pax_fsdp4_4proc_proc0.zip", 17, &pax_step, first);
	check_archive("pax_fsdp4_4proc_proc1.zip", 17, &pax_step, second);
	assert_memory_equal(first, second, sizeof(first));
	assert_true(first[1] == first[38]); /* psum, compiled twice */
	assert_true(first[1] != first[40]);
}

static UNIT_IN_ARENA(test_maxtext)
{
	static const struct expected expected = {
		.member = "module_0016",
		.module = "jit_train_step",
		.n_computations = 564,
		.n_instructions = 7757,
		.n_with_frame = 3570,
		.n_frames = 337,
		.n_buffers = 1732,
		.n_traces = 1,
		.n_allocations = 202,
		.allocated_bytes = UINT64_C(5879338180),
	};
	uint64_t hashes[64];
	check_archive("maxtext_fsdp4.zip", 13, &expected, hashes);
}

/* The smallest module with a collective, field by field. */
static UNIT_IN_ARENA(test_psum)
{
	zip_t *zip = open_archive("pax_fsdp4_4proc_proc0.zip");
	zip_int64_t index = zip_name_locate(
		zip, "dump/module_0001.jit__psum.sm_8.0_gpu_after_optimizations.hlo.pb.xz", 0);
	assert_true(index >= 0);
	struct jr_bytes bytes = member(zip, (zip_uint64_t)index);
	zip_close(zip);
	struct jr_limits limits = jr_limits_default();
	struct jr_hlo hlo;
	assert_int_equal(jr_hlo_decode(bytes, &limits, &hlo, NULL), JR_OK);
	build_free(bytes);
	assert_int_equal(hlo.n_instructions, 10);
	assert_int_equal(hlo.n_computations, 3);
	assert_string_equal(hlo.computations[2].name, "main.10_spmd");
	assert_int_equal(hlo.entry_id, hlo.computations[2].id);
	const struct jr_hlo_instruction *start =
		&hlo.instructions[jr_hlo_find(&hlo, "all-reduce-start")];
	assert_string_equal(start->opcode, "all-reduce-start");
	assert_string_equal(start->op_name, "jit(_psum)/jit(main)/reduce_sum[axes=(0,)]");
	assert_string_equal(start->source_file, "/opt/praxis/praxis/py_utils.py");
	assert_int_equal(start->group_size, 4);
	assert_int_equal(start->group_size_from, JR_HLO_GROUP_REPLICA_GROUPS);
	assert_string_equal(jr_hlo_shape_text(start->shape, *state), "u32[]");
	assert_int_equal(start->n_called, 1);
	assert_int_equal(jr_hlo_computation_by_id(&hlo, start->called_ids[0]), 0);
	const struct jr_hlo_instruction *copy = &hlo.instructions[jr_hlo_find(&hlo, "wrapped_copy")];
	assert_string_equal(jr_hlo_shape_text(copy->shape, *state), "u32[1]{0}");
	assert_int_equal(jr_hlo_shape_bytes(copy->shape), 4);
	assert_false(copy->shape->host_memory);
	jr_hlo_done(&hlo);
}
