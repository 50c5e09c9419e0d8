#include "analysis/attribution/line_sums.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/roofline/roofline.h"
#include "base/order.h"

/* Contribution of one op: its times over all devices, or the share of one of its stacks. */
struct share {
	double ns, waiting_ns;
	struct jr_roofed roofed;
};

struct summing {
	const struct jr_profile *p;
	struct jr_line_sum *lines;
	size_t n_lines;
	struct jr_file_sum *files;
	size_t n_files;
	uint32_t *line_of;                 /* [n_frames] JR_NONE = not a line of a file */
	uint32_t *file_of;                 /* [n_frames] */
	uint32_t *line_stack, *file_stack; /* last counted stack, from 1 */
	uint32_t *line_op;                 /* last counted op, from 1 */
	struct jr_map stack_op;            /* (frame, op_name) -> last op with it */
	uint32_t *stacks;                  /* room for the origins of one op */
};

/* Find the line and file of each frame. Frames without a file ([inconsistent metadata]) have
 * none. */
static void find_lines(struct summing *s, struct jr_arena *scratch)
{
	const struct jr_profile *p = s->p;
	uint32_t *row_of_file = JR_ARENA_N(scratch, uint32_t, p->strings.n + 1);
	JR_CLEANUP(jr_map_done) struct jr_map line_by_key = {0};
	for (size_t f = 0; f < p->n_frames; f++) {
		const struct jr_stack_frame *frame = &p->frames[f];
		s->line_of[f] = s->file_of[f] = JR_NONE;
		if (!frame->file)
			continue;
		if (!row_of_file[frame->file]) {
			s->files[s->n_files++] = (struct jr_file_sum){.file = frame->file};
			row_of_file[frame->file] = (uint32_t)s->n_files;
		}
		s->file_of[f] = row_of_file[frame->file] - 1;
		uint64_t key = jr_key2(frame->file, (uint32_t)frame->line);
		s->line_of[f] = jr_map_get(&line_by_key, key);
		if (s->line_of[f] != JR_NONE)
			continue;
		s->line_of[f] = (uint32_t)s->n_lines;
		s->lines[s->n_lines++] = (struct jr_line_sum){
			.file = frame->file, .function = frame->function, .line = frame->line};
		jr_map_put(&line_by_key, key, s->line_of[f]);
	}
}

/* Add one stack of an op, innermost frame first. */
static void add_stack(
	struct summing *s, uint32_t op, uint32_t stack, uint32_t frame, const struct share *share)
{
	bool communication = s->p->ops[op].communication;
	for (uint32_t f = frame; f != JR_NONE; f = s->p->frames[f].parent) {
		uint32_t line = s->line_of[f], file = s->file_of[f];
		if (line == JR_NONE)
			continue;
		struct jr_line_sum *sum = &s->lines[line];
		if (f == frame) {
			sum->self_ns += share->ns;
			sum->self_waiting_ns += share->waiting_ns;
			sum->self_roofed.ns += share->roofed.ns;
			sum->self_roofed.roof_ns += share->roofed.roof_ns;
			sum->self_roofed.lost_ns += share->roofed.lost_ns;
			s->files[file].self_ns += share->ns;
		}
		if (s->line_stack[line] != stack) {
			sum->total_ns += share->ns;
			sum->waiting_ns += share->waiting_ns;
			sum->communication_ns += communication ? share->ns : 0;
		}
		if (s->file_stack[file] != stack)
			s->files[file].total_ns += share->ns;
		sum->kernels += s->line_op[line] != op + 1;
		s->line_stack[line] = s->file_stack[file] = stack;
		s->line_op[line] = op + 1;
	}
}

/* Return true for the first occurrence of a stack within its op; equal stacks of two origins count
 * once. */
static bool is_new(struct summing *s, uint32_t op, const struct jr_origin *origin)
{
	uint64_t key = jr_key2(origin->frame, origin->op_name);
	if (origin->frame == JR_NONE || jr_map_get(&s->stack_op, key) == op)
		return false;
	jr_map_put(&s->stack_op, key, op);
	return true;
}

static void add_op(struct summing *s, uint32_t op_row, const struct share *whole)
{
	const struct jr_op *op = &s->p->ops[op_row];
	uint32_t n = 0;
	for (uint32_t k = op->first_origin; k < op->first_origin + op->n_origins; k++)
		if (is_new(s, op_row, &s->p->origins[k]))
			s->stacks[n++] = k;
	if (n == 0)
		return;
	const struct share share = {whole->ns / n, whole->waiting_ns / n,
		{whole->roofed.ns / n, whole->roofed.roof_ns / n, whole->roofed.lost_ns / n}};
	for (uint32_t i = 0; i < n; i++)
		add_stack(s, op_row, s->stacks[i] + 1, s->p->origins[s->stacks[i]].frame, &share);
}

JR_ORDER_WITH(compare_files, struct jr_file_sum, struct jr_profile,
	JR_DOWN(self_ns) JR_DOWN(total_ns) JR_TEXT_UP_OF(jr_str, file))

struct line_order {
	const uint32_t *rank; /* file (string id) -> its rank */
};

static int compare_lines(const void *a, const void *b, void *arg)
{
	const struct jr_line_sum *x = a, *y = b;
	const struct line_order *order = arg;
	if (x->file != y->file)
		return order->rank[x->file] < order->rank[y->file] ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* Leave out files and lines that are not in any steady stack. */
static void finish(struct summing *s, struct jr_line_sums *out, struct jr_arena *scratch)
{
	uint32_t *rank = JR_ARENA_N(scratch, uint32_t, s->p->strings.n + 1);
	for (size_t i = 0; i < s->n_files; i++)
		if (s->file_stack[i])
			out->files[out->n_files++] = s->files[i];
	if (out->n_files)
		qsort_r(
			out->files, out->n_files, sizeof(*out->files), compare_files, (void *)(uintptr_t)s->p);
	for (uint32_t i = 0; i < out->n_files; i++)
		rank[out->files[i].file] = i;
	for (size_t i = 0; i < s->n_lines; i++)
		if (s->line_stack[i])
			out->lines[out->n++] = s->lines[i];
	if (out->n)
		qsort_r(out->lines, out->n, sizeof(*out->lines), compare_lines, &(struct line_order){rank});
}

/* [n_ops] for steady thunks of top modules: active time, the part spent waiting for the last
 * device, and the comparison with the roofline. */
static struct share *shares_of_ops(const struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	struct share *shares = JR_ARENA_N(ctx->scratch, struct share, p->n_ops + 1);
	const struct jr_roofed *roofed = jr_roofed_of_ops(ctx);
	for (size_t i = 0; i < p->n_ops; i++)
		shares[i] = (struct share){(double)ctx->steady->ops[i].active_ns, 0, roofed[i]};
	for (size_t i = 0; i < p->thunks.n; i++) {
		if (!jr_steady_top_thunk(p, ctx->steady, i))
			continue;
		int64_t active_ns = jr_thunk_active_ns(p, i),
				wait_ns = jr_thunk_wait_ns(p, ctx->instances, i);
		shares[p->thunks.op[i]].waiting_ns += (double)(wait_ns < active_ns ? wait_ns : active_ns);
	}
	return shares;
}

struct jr_line_sums *jr_line_sums_compute(const struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_steady *steady = ctx->steady;
	struct jr_arena *arena = ctx->arena, *scratch = ctx->scratch;
	size_t n = p->n_frames + 1; /* upper limit for lines and for files */
	struct summing s = {.p = p,
		.lines = JR_ARENA_N(scratch, struct jr_line_sum, n),
		.files = JR_ARENA_N(scratch, struct jr_file_sum, n),
		.line_of = JR_ARENA_N(scratch, uint32_t, n),
		.file_of = JR_ARENA_N(scratch, uint32_t, n),
		.line_stack = JR_ARENA_N(scratch, uint32_t, n),
		.file_stack = JR_ARENA_N(scratch, uint32_t, n),
		.line_op = JR_ARENA_N(scratch, uint32_t, n),
		.stacks = JR_ARENA_N(scratch, uint32_t, p->n_origins + 1)};
	find_lines(&s, scratch);
	const struct share *shares = shares_of_ops(ctx);
	for (uint32_t i = 0; i < p->n_ops; i++)
		if (steady->ops[i].count && steady->programs[p->ops[i].program].top)
			add_op(&s, i, &shares[i]);
	jr_map_done(&s.stack_op);
	struct jr_line_sums *out = JR_ARENA_NEW(arena, struct jr_line_sums);
	out->lines = JR_ARENA_N(arena, struct jr_line_sum, s.n_lines + 1);
	out->files = JR_ARENA_N(arena, struct jr_file_sum, s.n_files + 1);
	finish(&s, out, scratch);
	return out;
}
