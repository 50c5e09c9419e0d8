/* Facts about the program that advice is about; README.md, section 14.8. */
#include "analysis/findings/advice.h"

#include <string.h>

#include "analysis/cost/attention.h"
#include "analysis/cost/cost_parts.h"
#include "analysis/core/device_name.h"
#include "analysis/core/program_kind.h"
#include "analysis/core/vendor.h"
#include "analysis/memory/donation.h"
#include "analysis/shared/step_window.h"
#include "analysis/cost/work_kind.h"

#define MOST 0.5    /* share of executions that counts as most */
#define REPEATS 4   /* number of equal operations that counts as repeating */
#define FILLED 0.75 /* share of the device's memory from which none is left */

/* --- kind of program -------------------------------------------------------------------------- */

static int has_backward(struct jr_check *c)
{
	return jr_program_has_backward(c->ctx->profile);
}

/* Attention occurs only in machine learning. A differentiated program may also be a solver, so it
 * must contain matrix products or convolutions, too. */
static int learns(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	bool attention = false, products = false;
	for (size_t i = 0; i < p->n_ops; i++) {
		enum jr_work_kind kind =
			jr_check_ran(c, i) ? jr_work_kind(c->ctx->kinds, &p->ops[i]) : JR_WORK_UNKNOWN;
		attention |= kind == JR_WORK_ATTENTION;
		products |= kind == JR_WORK_MATRIX || kind == JR_WORK_CONVOLUTION;
	}
	const struct jr_hlo *hlo = jr_check_step_hlo(c);
	return attention || (products && has_backward(c) == YES) ||
				   (hlo && jr_check_scores(c, c->step)->found)
			   ? YES
			   : NO;
}

static int has_products(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	for (size_t i = 0; i < p->n_ops; i++)
		if (jr_check_ran(c, i) && jr_work_kind(c->ctx->kinds, &p->ops[i]) == JR_WORK_MATRIX)
			return YES;
	return NO;
}

static int memory_left(struct jr_check *c)
{
	double share = jr_check_memory_share(c);
	return isnan(share) ? UNKNOWN : share < FILLED;
}

static int donatable(struct jr_check *c)
{
	const struct jr_hlo *hlo = jr_check_step_hlo(c);
	struct jr_donation d = hlo ? jr_donation_of(hlo, c->ctx->scratch) : (struct jr_donation){0};
	return d.known ? d.n_could > 0 : UNKNOWN;
}

static int has_callbacks(struct jr_check *c)
{
	const struct jr_hlo *hlo = jr_check_step_hlo(c);
	for (uint32_t i = 0; hlo && i < hlo->n_instructions; i++) {
		const struct jr_hlo_instruction *inst = &hlo->instructions[i];
		if (strstr(inst->custom_call_target, "callback") || inst->op == JR_OP_OUTFEED ||
			inst->op == JR_OP_INFEED)
			return YES;
	}
	return hlo ? NO : UNKNOWN;
}

static int graphs_off(struct jr_check *c)
{
	return jr_check_command_buffers_off(c) ? YES : NO;
}

/* Compare the hosts of the devices that ran; unknown if one has no name. */
static int several_hosts(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	uint32_t first = JR_NONE;
	for (size_t i = 0; i < p->modules.n; i++) {
		uint32_t host = jr_device_host(p, p->modules.device[i]);
		if (host == JR_NONE)
			return p->n_processes <= 1 ? NO : UNKNOWN;
		if (first != JR_NONE && host != first)
			return YES;
		first = host;
	}
	return NO;
}

static int several_processes(struct jr_check *c)
{
	return c->ctx->profile->n_processes > 1 ? YES : NO;
}

static int has_stages(struct jr_check *c)
{
	const struct jr_step_windows *w = c->ctx->windows;
	uint32_t first = JR_NONE;
	for (size_t d = 0; d < c->ctx->profile->n_devices; d++) {
		uint32_t program = w->devices[d].program;
		if (first != JR_NONE && program != JR_NONE && program != first)
			return YES;
		first = program == JR_NONE ? first : program;
	}
	return NO;
}

/* Fast links of a TPU connect hosts of a slice, so without slices it is not known. */
static int across_hosts(struct jr_check *c, const struct jr_about *about)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_op *op = about->op == JR_NONE ? NULL : &p->ops[about->op];
	if (!op || (!op->device_group && op->group_size < p->n_devices) ||
		(jr_vendor_of(p) == JR_VENDOR_TPU && p->devices[0].slice == JR_NONE))
		return UNKNOWN;
	return jr_groups_on_one_host(p, op->device_group) ? NO : YES;
}

static int fits_on_host(struct jr_check *c, const struct jr_about *about)
{
	const struct jr_profile *p = c->ctx->profile;
	uint32_t first = 0, near = 0, most = 0;
	if (across_hosts(c, about) != YES)
		return UNKNOWN;
	for (uint32_t d = 0; d < p->n_devices; d++) { /* devices of a host follow each other */
		near = jr_devices_apart(p, first, d) ? 0 : near;
		first = near ? first : d;
		most = ++near > most ? near : most;
	}
	return p->ops[about->op].group_size <= most;
}

/* --- loops ------------------------------------------------------------------------------------ */

static bool within_loop(struct jr_check *c, uint32_t op)
{
	const struct jr_hlo_instruction *inst = jr_check_instruction(c, op);
	if (!inst)
		return false;
	const struct jr_dataflow *flow = jr_check_dataflow(c, c->ctx->profile->ops[op].program);
	uint32_t computation = inst->computation;
	for (int depth = 0; depth < JR_COST_DEPTH; depth++) {
		uint32_t caller = flow->caller[computation];
		if (caller == JR_NONE)
			return false;
		if (flow->hlo->instructions[caller].op == JR_OP_WHILE)
			return true;
		computation = flow->hlo->instructions[caller].computation;
	}
	return false;
}

static int in_loop(struct jr_check *c)
{
	double inside = 0, all = 0;
	if (!jr_check_step_hlo(c))
		return UNKNOWN;
	for (uint32_t i = 0; i < c->ctx->profile->n_ops; i++) {
		bool counts = jr_check_ran(c, i) && jr_check_instruction(c, i);
		double n = counts ? (double)c->ctx->steady->ops[i].count : 0;
		all += n;
		inside += n > 0 && within_loop(c, i) ? n : 0;
	}
	return all > 0 ? inside >= MOST * all : UNKNOWN;
}

/* Return the name of an operation without numbers, which are numbers of layers or instructions. */
static uint32_t bare_name(const struct jr_profile *p, const struct jr_op *op, struct jr_intern *to)
{
	struct jr_buf text = {0};
	for (const char *s = jr_str(p, op->op_name); *s; s++)
		if (*s < '0' || *s > '9')
			jr_buf_putc(&text, *s);
	jr_buf_putc(&text, ' ');
	jr_buf_printf(&text, "%s", jr_str(p, op->opcode));
	uint32_t id = jr_intern_put(to, text.data, text.size);
	jr_buf_done(&text);
	return id;
}

static int unrolled(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	int loop = in_loop(c);
	if (loop != NO)
		return loop == YES ? NO : UNKNOWN;
	struct jr_intern names;
	jr_intern_init(&names);
	uint32_t *id = JR_ARENA_N(c->ctx->scratch, uint32_t, p->n_ops + 1);
	uint32_t *times = JR_ARENA_N(c->ctx->scratch, uint32_t, p->n_ops + 2);
	double n = 0, repeated = 0;
	for (size_t i = 0; i < p->n_ops; i++)
		if (jr_check_ran(c, i) && p->ops[i].op_name) {
			id[i] = bare_name(p, &p->ops[i], &names);
			times[id[i]]++;
		}
	for (size_t i = 0; i < p->n_ops; i++)
		if (jr_check_ran(c, i) && p->ops[i].op_name) {
			n++;
			repeated += times[id[i]] >= REPEATS;
		}
	jr_intern_done(&names);
	return n > 0 ? repeated >= MOST * n : UNKNOWN;
}

static int any_in_loop(struct jr_check *c, const struct jr_about *about)
{
	int found = UNKNOWN;
	for (uint32_t i = 0; i < c->ctx->profile->n_ops && found != YES; i++)
		if ((about->ops ? about->ops[i] : i == about->op) && jr_check_instruction(c, i))
			found = within_loop(c, i) ? YES : NO;
	return found;
}

static int constant_input(struct jr_check *c)
{
	return jr_constant_inputs_of(c)->program != JR_NONE ? YES : NO;
}

/* A profile with operations of GPUs has their copies, too. Arrays reach a device by copies. */
static int no_input_copies(struct jr_check *c)
{
	enum { HOST_TO_DEVICE = 1 }; /* CUDA's copyKind */
	const struct jr_profile *p = c->ctx->profile;
	bool found = !(p->tells & JR_TELLS_GPU_OPS) || p->gpu_ops.n == 0;
	for (size_t i = 0; i < p->gpu_ops.n && !found; i++)
		found = p->gpu_ops.kind[i] == JR_GPU_COPY && (p->gpu_ops.config[i] & 255) == HOST_TO_DEVICE;
	return found ? NO : YES;
}

/* --- the table -------------------------------------------------------------------------------- */

/* of_program: the fact is the same for all advice and is decided once. of_ops: the fact is decided
 * for each advice. A fact with both uses of_ops if the advice is about ops. */
static const struct {
	int (*of_program)(struct jr_check *);
	int (*of_ops)(struct jr_check *, const struct jr_about *);
} facts[JR_N_FACTS] = {
	[JR_FACT_LEARNS] = {learns, NULL},
	[JR_FACT_BACKWARD] = {has_backward, NULL},
	[JR_FACT_PRODUCTS] = {has_products, NULL},
	[JR_FACT_MEMORY_LEFT] = {memory_left, NULL},
	[JR_FACT_DONATABLE] = {donatable, NULL},
	[JR_FACT_CONSTANT_INPUT] = {constant_input, NULL},
	[JR_FACT_NO_INPUT_COPIES] = {no_input_copies, NULL},
	[JR_FACT_CALLBACKS] = {has_callbacks, NULL},
	[JR_FACT_GRAPHS_RAN] = {jr_check_graphs_ran, NULL},
	[JR_FACT_GRAPHS_OFF] = {graphs_off, NULL},
	[JR_FACT_IN_LOOP] = {in_loop, any_in_loop},
	[JR_FACT_UNROLLED] = {unrolled, NULL},
	[JR_FACT_COPIES] = {NULL, jr_fact_copies},
	[JR_FACT_TRANSPOSES] = {NULL, jr_fact_transposes},
	[JR_FACT_MOVES_PARAMETER] = {NULL, jr_fact_moves_parameter},
	[JR_FACT_EQUAL_INDICES] = {NULL, jr_fact_equal_indices},
	[JR_FACT_SHARED_INDICES] = {NULL, jr_fact_shared_indices},
	[JR_FACT_SORTED_INDICES] = {NULL, jr_fact_sorted_indices},
	[JR_FACT_REPEATABLE_INDICES] = {NULL, jr_fact_repeatable_indices},
	[JR_FACT_DEPENDS_ON_DATA] = {NULL, jr_fact_depends_on_data},
	[JR_FACT_FEW_RESULTS] = {NULL, jr_fact_few_results},
	[JR_FACT_ODD_SIZES] = {NULL, jr_fact_odd_sizes},
	[JR_FACT_FEW_TILES] = {NULL, jr_fact_few_tiles},
	[JR_FACT_FUSED] = {NULL, jr_fact_fused},
	[JR_FACT_WIDE_INPUT] = {NULL, jr_fact_wide_input},
	[JR_FACT_COLUMNS] = {NULL, jr_fact_reduces_columns},
	[JR_FACT_MASKED_BY_PLACE] = {jr_fact_masked_by_place, NULL},
	[JR_FACT_CHECKPOINTED] = {NULL, jr_fact_checkpointed},
	[JR_FACT_BESIDE_COMMUNICATION] = {NULL, jr_fact_beside_communication},
	[JR_FACT_SEVERAL_HOSTS] = {several_hosts, NULL},
	[JR_FACT_SEVERAL_PROCESSES] = {several_processes, NULL},
	[JR_FACT_ACROSS] = {NULL, across_hosts},
	[JR_FACT_FITS] = {NULL, fits_on_host},
	[JR_FACT_STAGES] = {has_stages, NULL},
};

int jr_fact_holds(struct jr_check *c, enum jr_fact fact, const struct jr_about *about)
{
	int *known = jr_facts_of(c)->known;
	if (fact >= JR_FACT_FOUND_0)
		return (about->found >> (fact - JR_FACT_FOUND_0) & 1) != 0;
	bool about_ops = about->op != JR_NONE || about->ops;
	if (facts[fact].of_ops && (about_ops || !facts[fact].of_program))
		return facts[fact].of_ops(c, about);
	if (!known[fact])
		known[fact] = 2 + facts[fact].of_program(c);
	return known[fact] - 2;
}
