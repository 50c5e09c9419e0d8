/* Latency of programs: intervals of percentiles, requests from rows of modules, batches from
 * shapes. */
#include <math.h>

#include "trace_build.h"

#include "analysis/core/distribution.h"
#include "analysis/core/result.h"
#include "analysis/shared/input_shapes.h"
#include "analysis/step/latency_requests.h"

/* --- percentiles ------------------------------------------------------------------------------ */

static UNIT(ranks_of_percentiles)
{
	static const struct {
		size_t n;
		double q;
		size_t rank;
	} cases[] = {{1, 0.5, 1}, {1, 0.99, 1}, {2, 0.5, 1}, {3, 0.5, 2}, {10, 0.9, 9}, {11, 0.9, 10},
		{99, 0.99, 99}, {100, 0.99, 99}, {101, 0.99, 100}, {1000, 0.99, 990}, {7, 1, 7}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		size_t rank = jr_quantile_rank(cases[i].n, cases[i].q);
		if (rank != cases[i].rank)
			fail_msg("%zu values, %g: rank %zu", cases[i].n, cases[i].q, rank);
	}
}

/* P(fewer than k of n values are below the quantile), by adding up binomial probabilities. */
static double fewer_than(size_t k, size_t n, double q)
{
	double sum = 0;
	for (size_t i = 0; i < k; i++)
		sum += exp(lgamma((double)n + 1) - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) +
				   (double)i * log(q) + (double)(n - i) * log1p(-q));
	return sum;
}

/* The interval covers the quantile in 95 % of samples, and no narrower one does so on each side. */
static UNIT(intervals_cover)
{
	static const double quantiles[] = {0.5, 0.9, 0.99};
	static const size_t least[] = {6, 36, 368};
	const double tail = 0.025, digits = 1e-9;
	for (size_t i = 0; i < JR_COUNT_OF(quantiles); i++) {
		double q = quantiles[i];
		assert_int_equal(jr_quantile_least(q, 0.95), least[i]);
		for (size_t n = 0; n < 500; n += n < 20 ? 1 : 7) {
			struct jr_rank_interval r = jr_quantile_interval(n, q, 0.95);
			assert_true(r.low <= n && r.high <= n + 1 && r.low <= r.high);
			assert_int_equal(r.high <= n, n >= least[i]);
			assert_true(r.low == 0 || fewer_than(r.low, n, q) <= tail + digits);
			assert_true(r.low == n || fewer_than(r.low + 1, n, q) > tail - digits);
			assert_true(r.high > n || fewer_than(r.high, n, q) >= 1 - tail - digits);
			assert_true(r.high == 1 || fewer_than(r.high - 1, n, q) < 1 - tail + digits);
		}
	}
	/* as printed in tables of nonparametric intervals of the median */
	struct jr_rank_interval ten = jr_quantile_interval(10, 0.5, 0.95);
	assert_true(ten.low == 2 && ten.high == 9);
	struct jr_rank_interval many = jr_quantile_interval(1000000, 0.99, 0.95);
	assert_true(many.low > 989700 && many.low < 990000 && many.high > 990000 && many.high < 990300);
}

/* --- requests --------------------------------------------------------------------------------- */

/* "PROGRAM#EXECUTION nDEVICES LATENCY queue idle", with "-" for unknown, per request. */
static void check_served(const struct jr_profile *p, const char *expected)
{
	struct jr_arena arena;
	struct jr_buf got = {0};
	jr_arena_init(&arena, 0);
	struct jr_served_list list = jr_served_find(p, &arena);
	for (size_t i = 0; i < list.n; i++) {
		const struct jr_served *s = &list.items[i];
		jr_buf_printf(&got, "%u#%u n%u %" PRId64, p->programs[s->program].number,
			s->program_execution, s->n_devices, s->latency_ns);
		const int64_t values[] = {s->queue_ns, s->idle_ns};
		for (size_t k = 0; k < JR_COUNT_OF(values); k++)
			if (values[k] == JR_NULL_I64)
				jr_buf_puts(&got, " -");
			else
				jr_buf_printf(&got, " %" PRId64, values[k]);
		jr_buf_puts(&got, s->early ? " early\n" : "\n");
	}
	check_text(&got, expected);
	jr_arena_done(&arena);
}

static UNIT(one_device)
{
	static const struct job_row rows[] = {
		RANGE(1, 0, MODULE("7", "jit_f"), 100, 200),
		RANGE(2, 1, THUNK("a.1"), 100, 200),
		RANGE(3, 0, MODULE("8", "jit_g"), 230, 300),
		RANGE(4, 3, THUNK("a.1"), 230, 300),
		RANGE(5, 0, MODULE("7", "jit_f"), 290, 410), /* overlaps the one before */
		RANGE(6, 5, THUNK("a.1"), 290, 410),
		RANGE(7, 0, MODULE("7", "jit_f"), 1000, 1001),
		RANGE(8, 7, THUNK("a.1"), 1000, 1001),
	};
	struct job job;
	job_make(&job, &(struct job_process){JOB_ROWS(rows)});
	check_served(&job.profile, "7#0 n1 100 - -\n"
							   "7#1 n1 120 - 0\n"
							   "7#2 n1 1 - 590\n"
							   "8#0 n1 70 - 30\n");
	job.profile.modules.launch_ns[0] = 60;
	job.profile.modules.launch_ns[1] = 231; /* after the start: the clocks disagree */
	job.profile.modules.launch_ns[2] = 290;
	check_served(&job.profile, "7#0 n1 100 40 -\n"
							   "7#1 n1 120 0 0\n"
							   "7#2 n1 1 - 590\n"
							   "8#0 n1 70 - 30 early\n");
	/* after a warm-up execution, which is no request itself */
	job.profile.modules.steady[1] = 0;
	check_served(&job.profile, "7#0 n1 100 40 -\n"
							   "7#1 n1 120 0 -\n"
							   "7#2 n1 1 - 590\n");
	job_done(&job);
}

/* Devices of a process share an execution: from the first start to the last end, on aligned
 * clocks. */
static UNIT(several_devices)
{
	static const struct job_row rows[] = {
		RANGE_ON(1, 0, MODULE("7", "jit_f"), 0, 100, 100),
		RANGE_ON(2, 1, THUNK("a.1"), 0, 40, 100),
		RANGE_ON(3, 0, MODULE("7", "jit_f"), 20, 130, 101),
		RANGE_ON(4, 3, THUNK("a.1"), 20, 70, 101),
		RANGE_ON(5, 0, MODULE("7", "jit_f"), 200, 321, 100),
		RANGE_ON(6, 5, THUNK("b.1"), 200, 220, 100),
		RANGE_ON(7, 0, MODULE("7", "jit_f"), 190, 321, 101),
		RANGE_ON(8, 7, THUNK("b.1"), 190, 290, 101),
	};
	struct job job;
	job_make(&job, &(struct job_process){
					   JOB_ROWS(rows), .pid = 1, .launchers = eight_launchers, .n_launchers = 2});
	check_served(&job.profile, "7#0 n2 130 - -\n"
							   "7#1 n2 131 - 60\n");
	job.profile.devices[1].correction_ns = 25; /* its clock is ahead: it started first, at -5 */
	check_served(&job.profile, "7#0 n2 110 - -\n"
							   "7#1 n2 156 - 60\n");
	job_done(&job);
}

/* Processes without collectives serve on their own, and together with them. */
static UNIT(several_processes)
{
	static const struct job_row rows[] = {RANGE(1, 0, MODULE("7", "jit_f"), 0, 100),
		RANGE(2, 1, THUNK("a.1"), 0, 100), RANGE(3, 0, MODULE("7", "jit_f"), 150, 250),
		RANGE(4, 3, THUNK("a.1"), 150, 250)};
	struct job job;
	job_init(&job, NULL);
	job_add(&job, &(struct job_process){JOB_ROWS(rows), .pid = 1});
	job_add(&job, &(struct job_process){JOB_ROWS(rows), .pid = 2});
	job_finish(&job);
	check_served(&job.profile, "7#0 n1 100 - -\n7#1 n1 100 - 50\n"
							   "7#0 n1 100 - -\n7#1 n1 100 - 50\n");
	job.profile.devices[0].aligned_set = job.profile.devices[1].aligned_set = 0;
	check_served(&job.profile, "7#0 n2 100 - -\n7#1 n2 100 - 50\n");
	job_done(&job);
}

/* --- batches ---------------------------------------------------------------------------------- */

#define MOST_DIMENSIONS 4

/* Programs with parameters of type f32; a shape "8x512", "" for none of that number. */
static void check_batches(const char *const (*programs)[3], size_t n, const char *expected)
{
	struct jr_arena arena;
	struct jr_buf got = {0};
	jr_arena_init(&arena, 0);
	struct jr_profile p = {.n_programs = n};
	p.programs = JR_ARENA_N(&arena, struct jr_program, n);
	uint32_t *rows = JR_ARENA_N(&arena, uint32_t, n);
	for (size_t k = 0; k < n; k++) {
		struct jr_hlo_instruction *in = JR_ARENA_N(&arena, struct jr_hlo_instruction, 3);
		struct jr_hlo_computation *entry = JR_ARENA_NEW(&arena, struct jr_hlo_computation);
		struct jr_hlo *hlo = JR_ARENA_NEW(&arena, struct jr_hlo);
		for (uint32_t i = 0; i < 3 && programs[k][0]; i++) {
			struct jr_hlo_shape *shape = JR_ARENA_NEW(&arena, struct jr_hlo_shape);
			int64_t *dimensions = JR_ARENA_N(&arena, int64_t, MOST_DIMENSIONS);
			*shape = (struct jr_hlo_shape){.element_type = JR_HLO_F32, .dimensions = dimensions};
			for (const char *s = programs[k][i]; *s; s += s[0] == 'x') {
				char *end;
				dimensions[shape->n_dimensions++] = strtoll(s, &end, 10);
				s = end;
			}
			if (*programs[k][i])
				in[entry->n++] = (struct jr_hlo_instruction){
					.opcode = "parameter", .op = JR_OP_PARAMETER, .number = i, .shape = shape};
		}
		entry->id = 5;
		*hlo = (struct jr_hlo){.entry_id = 5, .n_computations = 1, .computations = entry,
			.instructions = in, .n_instructions = entry->n};
		p.programs[k].hlo = programs[k][0] ? hlo : NULL;
		rows[k] = (uint32_t)k;
	}
	const struct jr_input_shapes *shapes = jr_input_shapes_find(&p, rows, n, &arena);
	for (size_t k = 0; k < n; k++)
		if (shapes[k].batch == JR_NULL_I64)
			jr_buf_printf(&got, "- %s\n", shapes[k].text ? shapes[k].text : "");
		else
			jr_buf_printf(&got, "%" PRId64 " %s\n", shapes[k].batch, shapes[k].text);
	check_text(&got, expected);
	jr_arena_done(&arena);
}

static UNIT(batches_of_shapes)
{
	/* the second parameter is a weight */
	static const char *const sizes[][3] = {{"1x512", "64x64", "1"}, {"8x512", "64x64", "8"}};
	check_batches(sizes, 2, "1 f32[1,512], f32[1]\n8 f32[8,512], f32[8]\n");
	/* without HLO of one, the others still show it */
	static const char *const unknown[][3] = {{"1x512", "64", ""}, {NULL}, {"8x512", "64", ""}};
	check_batches(unknown, 3, "1 f32[1,512]\n- \n8 f32[8,512]\n");
	/* buckets of lengths, and inputs that disagree, are no batches */
	static const char *const lengths[][3] = {{"4x128", "64", ""}, {"4x512", "64", ""}};
	check_batches(lengths, 2, "- f32[4,128]\n- f32[4,512]\n");
	static const char *const both[][3] = {{"1x128", "64", ""}, {"4x512", "64", ""}};
	check_batches(both, 2, "- f32[1,128]\n- f32[4,512]\n");
	static const char *const disagree[][3] = {{"1x128", "2", ""}, {"4x128", "3", ""}};
	check_batches(disagree, 2, "- f32[1,128], f32[2]\n- f32[4,128], f32[3]\n");
	/* one program, equal ones, and none */
	static const char *const one[][3] = {{"8x512", "64", ""}, {"8x512", "64", ""}};
	check_batches(one, 1, "- \n");
	check_batches(one, 2, "- \n- \n");
	check_batches(one, 0, "");
}

/* The shape that most integer arrays of two dimensions share; of equally many the larger. */
static UNIT(shape_of_tokens)
{
	static const int64_t ids[] = {2, 2048}, table[] = {32000, 64}, one[] = {2, 1};
	static const int64_t longer[] = {4, 4096};
#define SHAPE(type, size) {.element_type = (type), .n_dimensions = 2, .dimensions = (size)}
	const struct jr_hlo_shape tokens = SHAPE(JR_HLO_S32, ids);
	const struct jr_hlo_shape positions = SHAPE(JR_HLO_U32, ids);
	const struct jr_hlo_shape weights = SHAPE(JR_HLO_F32, table);
	const struct jr_hlo_shape column = SHAPE(JR_HLO_S32, one);
	const struct jr_hlo_shape others = SHAPE(JR_HLO_S64, longer);
	const struct {
		const struct jr_hlo_shape *shapes[4];
		int64_t samples; /* 0: none */
		size_t n;
	} cases[] = {
		{{&weights, &tokens, &others, &positions}, 2, 2},
		{{&tokens, &others, &weights, &column}, 4, 1},
		{{&weights, &column, &weights, &weights}, 0, 0},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct jr_hlo_instruction in[4];
		struct jr_hlo_computation entry = {.id = 5, .n = 4};
		for (uint32_t k = 0; k < 4; k++)
			in[k] = (struct jr_hlo_instruction){
				.opcode = "parameter",
				.op = JR_OP_PARAMETER,
				.number = k,
				.shape = cases[i].shapes[k]};
		const struct jr_hlo hlo = {.entry_id = 5, .n_computations = 1, .computations = &entry,
			.instructions = in, .n_instructions = 4};
		struct jr_token_shape t = jr_token_shape_find(&hlo);
		assert_int_equal(t.n, cases[i].n);
		assert_int_equal(t.shape ? t.shape->dimensions[0] : 0, cases[i].samples);
	}
}
