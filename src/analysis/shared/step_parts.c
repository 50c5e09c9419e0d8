#include "analysis/shared/step_parts.h"

#include <string.h>

#include "analysis/shared/columns.h"
#include "base/order.h"
#include "base/sort.h"

struct span {
	int64_t begin_ns, end_ns;
	uint32_t op; /* JR_NONE: not of a thunk */
};

/* Spans in the window of one device, by kind, that are not shared out yet. */
struct sweep {
	struct span *spans[JR_TIME_BETWEEN];
	size_t n[JR_TIME_BETWEEN];
	int64_t begin_ns, end_ns;
	int64_t at_ns;     /* the window is shared out up to here */
	int64_t latest_ns; /* end of all spans so far */
	int64_t *parts_ns; /* [JR_TIME_N_PARTS] of this device */
	int64_t *op_ns;    /* [n_ops] of this device */
	uint32_t *ops;     /* [n_timed] with an op_ns above 0 */
	size_t n_timed;
	uint8_t *op_part;  /* [n_ops] enum jr_time_part of an op's steady thunks */
	int64_t *first_ns; /* [modules of the device] */
};

JR_ORDER(compare_spans, struct span, JR_UP(begin_ns) JR_UP(op))

static void add_span(
	struct sweep *s, int64_t begin_ns, int64_t end_ns, enum jr_time_part part, uint32_t op)
{
	begin_ns = begin_ns < s->begin_ns ? s->begin_ns : begin_ns;
	end_ns = end_ns > s->end_ns ? s->end_ns : end_ns;
	if (end_ns <= begin_ns)
		return;
	s->latest_ns = end_ns > s->latest_ns ? end_ns : s->latest_ns;
	s->spans[part][s->n[part]++] = (struct span){begin_ns, end_ns, op};
}

bool jr_op_copies_host(const struct jr_profile *p, const struct jr_op *op)
{
	const char *kind = jr_str(p, op->collective);
	return strcmp(kind, "host-to-device") == 0 || strcmp(kind, "device-to-host") == 0;
}

/* Return the first row of `device`; the table is sorted by device. */
static size_t first_row(const uint32_t *column, size_t n, uint32_t value)
{
	size_t lo = 0, hi = n;
	JR_SEARCH(lo, hi, mid, column[mid] < value);
	return lo;
}

static enum jr_time_part part_of_program(const struct jr_pass_context *ctx, uint32_t program,
	bool steady, enum jr_time_part where_steady)
{
	if (!ctx->steady->programs[program].top)
		return JR_TIME_OTHER_PROGRAM;
	return steady ? where_steady : JR_TIME_WARMUP;
}

/* Return the first kind with a span at that time; JR_TIME_BETWEEN: none. Set until_ns, at most its
 * value, to where the answer or its span may change. heads: the first spans that end later. */
static size_t active_at(
	const struct sweep *s, int64_t at_ns, size_t heads[JR_TIME_BETWEEN], int64_t *until_ns)
{
	for (size_t part = 0; part < JR_TIME_BETWEEN; part++) {
		const struct span *spans = s->spans[part];
		while (heads[part] < s->n[part] && spans[heads[part]].end_ns <= at_ns)
			heads[part]++;
		if (heads[part] == s->n[part])
			continue;
		const struct span *span = &spans[heads[part]];
		bool active = span->begin_ns <= at_ns;
		int64_t change_ns = active ? span->end_ns : span->begin_ns;
		*until_ns = change_ns < *until_ns ? change_ns : *until_ns;
		if (active)
			return part;
	}
	return JR_TIME_BETWEEN;
}

/* Assign each time up to `to_ns` to one kind, and forget the spans. */
static void share_out(struct sweep *s, int64_t to_ns)
{
	size_t heads[JR_TIME_BETWEEN] = {0};
	for (size_t part = 0; part < JR_TIME_BETWEEN; part++)
		if (s->n[part])
			jr_sort(s->spans[part], s->n[part], sizeof(struct span), compare_spans);
	for (int64_t until_ns; s->at_ns < to_ns; s->at_ns = until_ns) {
		until_ns = to_ns;
		size_t part = active_at(s, s->at_ns, heads, &until_ns);
		s->parts_ns[part] += until_ns - s->at_ns;
		uint32_t op = part < JR_TIME_BETWEEN ? s->spans[part][heads[part]].op : JR_NONE;
		if (op == JR_NONE)
			continue;
		if (s->op_ns[op] == 0)
			s->ops[s->n_timed++] = op;
		s->op_ns[op] += until_ns - s->at_ns;
	}
	memset(s->n, 0, sizeof(s->n));
}

/* Find when each module of a device, or a later one, begins with its first thunk. `row`: the first
 * thunk of the device. */
static void find_first(
	const struct jr_profile *p, size_t first, size_t end, size_t row, int64_t *first_ns)
{
	const struct jr_modules *m = &p->modules;
	for (size_t k = first; k < end; k++)
		row += m->n_thunks[k];
	int64_t least_ns = INT64_MAX;
	for (size_t k = end; k-- > first;) {
		row -= m->n_thunks[k];
		least_ns = m->start_ns[k] < least_ns ? m->start_ns[k] : least_ns;
		if (m->n_thunks[k] && jr_thunk_start_ns(p, row) < least_ns)
			least_ns = jr_thunk_start_ns(p, row);
		first_ns[k - first] = least_ns;
	}
}

/* Split a collective into transfer and waiting. If no device were late, the transfer would start
 * with the thunk and take its own length. The rest is waiting, no matter what compute runs
 * meanwhile. Time is shared out whenever all spans have ended before the next module, so few spans
 * are in memory. */
static void sweep_device(const struct jr_pass_context *ctx, uint32_t device, struct sweep *s)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_thunks *t = &p->thunks;
	const struct jr_modules *m = &p->modules;
	size_t first = first_row(m->device, m->n, device), end = first_row(m->device, m->n, device + 1);
	size_t row = 0, n_rows = t->n;
	JR_SEARCH(row, n_rows, mid, jr_thunk_module(p, mid) < first);
	find_first(p, first, end, row, s->first_ns);
	for (size_t i = 0; p->selected.any && i < p->selected.left_out[device].n; i++) {
		const struct jr_span *span = &p->selected.left_out[device].items[i];
		add_span(s, span->start_ns, span->end_ns, JR_TIME_OTHER_PROGRAM, JR_NONE);
	}
	for (size_t k = first; k < end; k++) {
		int64_t next_ns = s->first_ns[k - first];
		if (s->latest_ns <= next_ns && next_ns < s->end_ns)
			share_out(s, next_ns);
		enum jr_time_part part =
			part_of_program(ctx, m->program[k], m->steady[k], JR_TIME_IN_MODULE);
		add_span(s, m->start_ns[k], m->start_ns[k] + m->dur_ns[k], part, JR_NONE);
		bool steady = p->thunks_fell_back || m->steady[k];
		enum jr_time_part waiting = part_of_program(ctx, m->program[k], steady, JR_TIME_WAITING);
		bool own = waiting == JR_TIME_WAITING;
		for (size_t last = row + m->n_thunks[k]; row < last; row++) {
			enum jr_time_part of_op = (enum jr_time_part)s->op_part[t->op[row]];
			int64_t end_ns = jr_thunk_end_ns(p, row), alone_ns = end_ns;
			if (of_op != JR_TIME_COMPUTE)
				alone_ns -= jr_thunk_wait_ns(p, ctx->instances, row);
			add_span(s, jr_thunk_start_ns(p, row), alone_ns, own ? of_op : waiting,
				own ? t->op[row] : JR_NONE);
			add_span(s, alone_ns, end_ns, waiting, JR_NONE);
		}
	}
	share_out(s, s->end_ns);
}

/* Add the device's thunk times to the sums over devices, and reset them to zero. */
static void add_ops(const struct jr_profile *p, struct sweep *s, uint32_t device, double periods,
	struct jr_op_parts *ops)
{
	for (size_t i = 0; i < s->n_timed; i++) {
		uint32_t op = s->ops[i];
		double ns = (double)s->op_ns[op] / periods;
		s->op_ns[op] = 0;
		if (!ops)
			continue;
		ops[op].mean_ns += ns;
		if (ops[op].most_device != JR_NONE && ns <= ops[op].most_ns)
			continue;
		ops[op].most_ns = ns;
		ops[op].most_device = p->devices[device].global;
	}
	s->n_timed = 0;
}

/* Return the part of each op's steady thunks. */
static uint8_t *parts_of_ops(const struct jr_profile *p, struct jr_arena *scratch)
{
	uint8_t *parts = JR_ARENA_N(scratch, uint8_t, p->n_ops + 1);
	for (size_t i = 0; i < p->n_ops; i++)
		parts[i] = !p->ops[i].communication           ? JR_TIME_COMPUTE
				   : jr_op_copies_host(p, &p->ops[i]) ? JR_TIME_COPY
													  : JR_TIME_TRANSFER;
	return parts;
}

/* Find the largest numbers of rows of a device, which limit the number of spans of each kind. */
static void most_rows(const struct jr_modules *m, size_t *n_modules, size_t *n_thunks)
{
	*n_modules = *n_thunks = 0;
	for (size_t i = 0, end; i < m->n; i = end) {
		size_t thunks = 0;
		for (end = i; end < m->n && m->device[end] == m->device[i]; end++)
			thunks += m->n_thunks[end];
		*n_modules = end - i > *n_modules ? end - i : *n_modules;
		*n_thunks = thunks > *n_thunks ? thunks : *n_thunks;
	}
}

const struct jr_step_parts *jr_step_parts_compute(const struct jr_pass_context *ctx,
	const struct jr_step_windows *windows, struct jr_arena *arena)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_step_parts *out = JR_ARENA_NEW(arena, struct jr_step_parts);
	out->devices = JR_ARENA_N(arena, struct jr_device_parts, p->n_devices + 1);
	out->ops = JR_ARENA_N(arena, struct jr_op_parts, p->n_ops + 1);
	for (size_t i = 0; i < p->n_ops; i++)
		out->ops[i].most_device = JR_NONE;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	size_t n_modules, n_thunks, n_others = 0;
	most_rows(&p->modules, &n_modules, &n_thunks);
	for (size_t d = 0; p->selected.any && d < p->n_devices; d++)
		n_others = p->selected.left_out[d].n > n_others ? p->selected.left_out[d].n : n_others;
	struct sweep s = {.op_ns = JR_ARENA_N(&scratch, int64_t, p->n_ops + 1),
		.ops = JR_ARENA_N(&scratch, uint32_t, p->n_ops + 1),
		.op_part = parts_of_ops(p, &scratch),
		.first_ns = JR_ARENA_N(&scratch, int64_t, n_modules + 1)};
	for (size_t part = 0; part < JR_TIME_BETWEEN; part++)
		s.spans[part] = JR_ARENA_N(&scratch, struct span,
			(part < JR_TIME_IN_MODULE ? n_thunks : n_modules + 2 * n_thunks + n_others) + 1);
	bool any = windows->n_devices > 0;
	size_t n = 0;
	for (uint32_t d = 0; d < p->n_devices; d++) {
		const struct jr_step_window *window = &windows->devices[d];
		if (window->program == JR_NONE)
			continue;
		s.begin_ns = s.at_ns = s.latest_ns = window->begin_ns;
		s.end_ns = window->end_ns;
		s.parts_ns = out->devices[d].ns;
		sweep_device(ctx, d, &s);
		out->devices[d].wall_ns = s.end_ns - s.begin_ns;
		bool counts = !any || window->n_periods > 0;
		add_ops(p, &s, d, window->n_periods > 0 ? window->n_periods : 1, counts ? out->ops : NULL);
		n += counts;
	}
	for (size_t i = 0; i < p->n_ops && n; i++)
		out->ops[i].mean_ns /= (double)n;
	return out;
}
