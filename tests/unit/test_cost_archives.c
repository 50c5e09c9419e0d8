/* Cost of thunks of real jobs (skipped if ../shared does not exist): compared thunk by thunk
 * with an independent count, and a model's FLOPs with the shapes of its layers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "analysis/cost/cost.h"
#include "base/cleanup.h"
#include "formats/text/json_parse.h"
#include "formats/archive/xz.h"
#include "model/inputs/load.h"

#define SHARED "../shared"

/* Sums per execution of one program on one device. */
struct sums {
	uint64_t matrix[JR_N_MATRIX], vector[JR_N_VECTOR], transcendentals, int_ops, read, written,
		network, remat;
};

struct run {
	struct jr_profile profile;
	struct jr_arena arena;
	const struct jr_cost *costs;
};

static void load(struct run *run, const char *name)
{
	char path[128];
	snprintf(path, sizeof(path), SHARED "/data/archives/%s.zip", name);
	if (access(path, R_OK) != 0) {
		print_message("%s is not there: skipped\n", path);
		skip();
	}
	struct jr_options options = jr_options_default();
	struct jr_error err = {.message = ""};
	const char *paths[] = {path};
	options.n_threads = 2;
	options.no_align = true;
	jr_profile_init(&run->profile, &options);
	if (jr_load(paths, 1, NULL, &run->profile, &err) != JR_OK)
		fail_msg("%s", err.message);
	jr_arena_init(&run->arena, 0);
	run->costs = jr_costs_compute(&run->profile, &run->arena);
}

static void unload(struct run *run)
{
	jr_arena_done(&run->arena);
	jr_profile_done(&run->profile);
}

/* Sum over steady rows, divided by steady executions. */
static struct sums sums_of(const struct run *run, uint32_t program)
{
	const struct jr_profile *p = &run->profile;
	struct sums s = {.read = 0};
	uint64_t n = 0;
	for (size_t i = 0; i < p->modules.n; i++)
		n += p->modules.steady[i] && p->modules.program[i] == program;
	for (size_t i = 0; i < p->thunks.n; i++) {
		const struct jr_cost *c = &run->costs[p->thunks.op[i]];
		if (!jr_thunk_steady(p, i) || jr_thunk_op(p, i)->program != program)
			continue;
		for (int k = 0; k < JR_N_MATRIX; k++)
			s.matrix[k] += c->matrix_flops[k];
		for (int k = 0; k < JR_N_VECTOR; k++)
			s.vector[k] += c->vector_flops[k];
		s.transcendentals += c->transcendentals;
		s.int_ops += c->int_ops;
		s.read += c->bytes_read;
		s.written += c->bytes_written;
		s.network += c->network_bytes;
		s.remat += c->remat_flops;
	}
	if (n == 0)
		fail_msg("no executions");
	uint64_t *all = (uint64_t *)&s;
	for (size_t i = 0; i < sizeof(s) / sizeof(*all); i++)
		all[i] /= n ? n : 1;
	return s;
}

/* --- the oracle ----------------------------------------------------------------------------- */

static void read_oracle(const char *name, struct jr_json_doc *doc)
{
	char path[128];
	snprintf(path, sizeof(path), SHARED "/oracle/roofline/%s.json.xz", name);
	FILE *file = fopen(path, "rb");
	if (!file) {
		print_message("%s is not there: skipped\n", path);
		skip();
	}
	JR_CLEANUP(jr_buf_done) struct jr_buf packed = {0};
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	char part[4096];
	for (size_t n; (n = fread(part, 1, sizeof(part), file)) > 0;)
		jr_buf_add(&packed, part, n);
	fclose(file);
	struct jr_limits limits = jr_limits_default();
	assert_int_equal(jr_xz_decode(jr_buf_view(&packed), &limits, &text, NULL), JR_OK);
	assert_int_equal(jr_json_parse(jr_buf_view(&text), &limits, doc, NULL), JR_OK);
}

/* Return a count; a missing or null member is 0. */
static uint64_t count_of(const struct jr_json *object, const char *path)
{
	int64_t n = 0;
	const struct jr_json *v = jr_json_at(object, path);
	if (v && v->kind != JR_JSON_NULL)
		assert_true(jr_json_integer(v, 0, &n) && n >= 0);
	return (uint64_t)n;
}

static const struct jr_cost *find_cost(const struct run *run, uint32_t program, const char *name)
{
	for (size_t i = 0; i < run->profile.n_ops; i++)
		if (run->profile.ops[i].program == program &&
			strcmp(jr_str(&run->profile, run->profile.ops[i].name), name) == 0)
			return &run->costs[i];
	fail_msg("no thunk %s", name);
	return NULL;
}

static void compare_thunk(const struct run *run, uint32_t program, const struct jr_json *thunk)
{
	const char *name = jr_json_string(jr_json_member(thunk, "name"));
	const struct jr_cost *c = find_cost(run, program, name);
	uint64_t flops = 0;
	for (int k = 0; k < JR_N_MATRIX; k++)
		flops += c->matrix_flops[k];
	for (int k = 0; k < JR_N_VECTOR; k++)
		flops += c->vector_flops[k];
	if (!c->flops_known || !c->bytes_known || !c->network_known ||
		flops != count_of(thunk, "flops") || c->bytes_read != count_of(thunk, "bytes_read") ||
		c->bytes_written != count_of(thunk, "bytes_written") ||
		c->network_bytes != count_of(thunk, "network_bytes"))
		fail_msg("%s", name);
}

static void compare(const char *archive, uint32_t number, size_t n_in_place, size_t n_initialize)
{
	JR_CLEANUP(jr_json_done) struct jr_json_doc oracle = {.root = NULL};
	read_oracle(archive, &oracle);
	struct run run;
	load(&run, archive);
	uint32_t program = 0;
	while (run.profile.programs[program].number != number)
		program++;
	const struct jr_json *thunks = jr_json_member(oracle.root, "thunks");
	size_t n = 0, in_place = 0, initialize = 0;
	for (const struct jr_json *thunk = thunks->first; thunk; thunk = thunk->next, n++)
		compare_thunk(&run, program, thunk);
	for (size_t i = 0; i < run.profile.n_ops; i++) {
		in_place += run.profile.ops[i].program == program && run.costs[i].in_place;
		initialize += run.profile.ops[i].program == program && run.costs[i].initializes;
	}
	print_message(
		"%s: %zu thunks, %zu in place, %zu initialize\n", archive, n, in_place, initialize);
	assert_true(n > 600);
	assert_int_equal(in_place, n_in_place);
	assert_int_equal(initialize, n_initialize);
	struct sums s = sums_of(&run, program);
	const struct jr_json *e = jr_json_member(oracle.root, "program");
	for (int k = 0; k < JR_N_MATRIX; k++) {
		char path[64];
		snprintf(
			path, sizeof(path), "matrix_flops.%s", jr_matrix_class_name((enum jr_matrix_class)k));
		assert_int_equal(s.matrix[k], count_of(e, path));
	}
	assert_int_equal(s.vector[JR_VECTOR_F32], count_of(e, "vector_flops.f32"));
	assert_int_equal(s.vector[JR_VECTOR_F64], count_of(e, "vector_flops.f64"));
	assert_int_equal(s.transcendentals, count_of(e, "transcendentals"));
	assert_int_equal(s.int_ops, count_of(e, "int_ops"));
	assert_int_equal(s.read, count_of(e, "bytes_read"));
	assert_int_equal(s.written, count_of(e, "bytes_written"));
	assert_int_equal(s.network, count_of(e, "network_bytes"));
	assert_int_equal(s.remat, count_of(e, "remat_flops"));
	unload(&run);
}

static UNIT(test_maxtext)
{
	compare("maxtext_fsdp4", 16, 41, 1);
}

static UNIT(test_pax)
{
	compare("pax_fsdp4_4proc_proc0", 40, 0, 62);
	compare("pax_fsdp4_4proc_proc1", 40, 0, 62);
}

/* --- a model, counted by hand --------------------------------------------------------------- */

/* Sizes of MaxText's model as the parameters of its step state them: weights, sharded over
 * devices, with two moments each, and the tokens per device. */
struct model {
	uint64_t weights, tokens;
	uint64_t layers, heads, head_size, batch, length;
};

static struct model model_of(const struct jr_hlo *hlo, uint64_t n_devices, uint64_t embedding)
{
	struct model m = {.weights = 0};
	uint32_t entry = jr_hlo_computation_by_id(hlo, hlo->entry_id);
	for (uint32_t i = 0; i < hlo->n_instructions; i++) {
		const struct jr_hlo_instruction *x = &hlo->instructions[i];
		const struct jr_hlo_shape *shape = x->shape;
		if (x->computation != entry || strcmp(x->opcode, "parameter") != 0)
			continue;
		uint64_t elements = 1;
		bool sharded = false;
		for (uint32_t d = 0; d < shape->n_dimensions; d++) {
			elements *= (uint64_t)shape->dimensions[d];
			sharded |= (uint64_t)shape->dimensions[d] * n_devices == embedding;
		}
		if (sharded)
			m.weights += elements * n_devices;
		if (sharded && shape->n_dimensions == 4 && (uint64_t)shape->dimensions[0] < embedding &&
			(uint64_t)shape->dimensions[0] * n_devices == embedding) { /* a query's */
			m.layers = (uint64_t)shape->dimensions[1];
			m.heads = (uint64_t)shape->dimensions[2];
			m.head_size = (uint64_t)shape->dimensions[3];
		}
		if (shape->element_type == 4 && shape->n_dimensions == 2) { /* s32: tokens */
			m.batch = (uint64_t)shape->dimensions[0];
			m.length = (uint64_t)shape->dimensions[1];
		}
	}
	m.weights /= 3;
	m.tokens = m.batch * m.length;
	return m;
}

/* Two products of scores forward, four backward; all weights once forward and twice backward. */
static UNIT(test_layers)
{
	struct run run;
	load(&run, "maxtext_fsdp4");
	uint32_t program = 0;
	while (run.profile.programs[program].number != 16)
		program++;
	struct model m = model_of(run.profile.programs[program].hlo, run.profile.n_devices, 2560);
	assert_int_equal(m.weights, 669122560);
	assert_int_equal(m.tokens, 4096);
	uint64_t product = 2 * m.batch * m.heads * m.length * m.length * m.head_size;
	uint64_t by_hand = 6 * m.weights * m.tokens + m.layers * 6 * product;
	struct sums s = sums_of(&run, program);
	uint64_t counted = 0;
	for (int k = 0; k < JR_N_MATRIX; k++)
		counted += s.matrix[k];
	assert_int_equal(by_hand, 17268989755392);
	assert_int_equal(counted - s.remat, by_hand);
	unload(&run);
}
