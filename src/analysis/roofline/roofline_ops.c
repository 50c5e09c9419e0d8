/* Rooflines of thunks and their sums; analysis/README.md, section 14. */

#include "analysis/cost/ahead.h"
#include "analysis/shared/columns.h"
#include "analysis/roofline/roofline.h"

#define LATENCY_ROOF_PS UINT64_C(1500000) /* 1.5 µs */
#define LATENCY_MEAN_NS 10000

const char *jr_bound_name(enum jr_bound bound)
{
	static const char *const names[JR_N_BOUNDS] = {[JR_BOUND_MEMORY] = "memory",
		[JR_BOUND_TENSOR] = "tensor",
		[JR_BOUND_VECTOR] = "vector",
		[JR_BOUND_FUNCTIONS] = "sfu",
		[JR_BOUND_INTEGERS] = "integer",
		[JR_BOUND_NETWORK] = "network"};
	return names[bound];
}

const char *jr_roof_class_name(enum jr_roof_class class)
{
	static const char *const names[JR_N_ROOF_CLASSES] = {[JR_ROOF_MEMORY] = "memory",
		[JR_ROOF_COMPUTE] = "compute",
		[JR_ROOF_NETWORK] = "network",
		[JR_ROOF_LATENCY] = "latency",
		[JR_ROOF_HOST] = "host",
		[JR_ROOF_UNKNOWN] = "unknown"};
	return names[class];
}

uint64_t jr_cost_flops(const struct jr_cost *cost)
{
	uint64_t flops = 0;
	for (size_t i = 0; i < JR_N_MATRIX; i++)
		flops = jr_sat_add(flops, cost->matrix_flops[i]);
	for (size_t i = 0; i < JR_N_VECTOR; i++)
		flops = jr_sat_add(flops, cost->vector_flops[i]);
	return flops;
}

uint64_t jr_cost_bytes(const struct jr_cost *cost)
{
	return jr_sat_add(cost->bytes_read, cost->bytes_written);
}

/* --- the roofline of a thunk ------------------------------------------------------------------ */

/* Time for an amount at a rate per second. Without a rate it is unknown, unless the amount is 0. */
static uint64_t at_rate(uint64_t amount, uint64_t rate, bool *known)
{
	if (amount == 0)
		return 0;
	if (rate == 0 || amount == UINT64_MAX)
		*known = false;
	return jr_mul_div(amount, JR_PS_PER_S, rate);
}

static uint64_t matrix_ps(const struct jr_cost *cost, const struct jr_peaks *peaks,
	enum jr_matrix_class *most, bool *known)
{
	uint64_t sum = 0, longest = 0;
	*most = JR_N_MATRIX;
	for (unsigned i = 0; i < JR_N_MATRIX; i++) {
		if (cost->matrix_flops[i] == 0)
			continue;
		uint64_t ps = at_rate(cost->matrix_flops[i], peaks->matrix[i], known);
		sum = jr_sat_add(sum, ps);
		if (*most == JR_N_MATRIX || ps > longest) {
			*most = (enum jr_matrix_class)i;
			longest = ps;
		}
	}
	return sum;
}

static void set_vector_parts(const struct jr_cost *cost, const struct jr_peaks *peaks,
	uint64_t parts[JR_N_BOUNDS], bool *known)
{
	for (size_t i = 0; i < JR_N_VECTOR; i++)
		parts[JR_BOUND_VECTOR] = jr_sat_add(
			parts[JR_BOUND_VECTOR], at_rate(cost->vector_flops[i], peaks->vector[i], known));
	parts[JR_BOUND_FUNCTIONS] = at_rate(cost->transcendentals, peaks->functions, known);
	if (cost->int_ops_known)
		parts[JR_BOUND_INTEGERS] = at_rate(cost->int_ops, peaks->integers, known);
}

static void set_roof(
	struct jr_roofline_op *o, const struct jr_cost *cost, const struct jr_peaks *peaks)
{
	uint64_t parts[JR_N_BOUNDS] = {0};
	bool known = peaks->known && o->counted && !cost->host;
	if (cost->collective && !cost->network_known) /* across hosts, or data-dependent */
		known = false;
	parts[JR_BOUND_TENSOR] = matrix_ps(cost, peaks, &o->matrix, &known);
	if (cost->collective) {
		parts[JR_BOUND_NETWORK] = at_rate(cost->network_bytes, peaks->link_bytes_s, &known);
		o->bound = JR_BOUND_NETWORK;
	} else {
		if (!cost->any_memory)
			parts[JR_BOUND_MEMORY] =
				at_rate(jr_cost_bytes(cost), peaks->memory_bandwidth_bytes_s, &known);
		else if (!parts[JR_BOUND_TENSOR])
			known = false;
		if (!peaks->stated)
			set_vector_parts(cost, peaks, parts, &known);
		o->bound = JR_BOUND_MEMORY;
	}
	for (int i = 0; i < JR_N_BOUNDS; i++)
		if (parts[i] > parts[o->bound])
			o->bound = (enum jr_bound)i;
	o->has_roof = known;
	o->roof_ps = known ? parts[o->bound] : 0;
}

static enum jr_roof_class class_of(
	const struct jr_roofline_op *o, const struct jr_cost *cost, int64_t count)
{
	if (cost->collective)
		return JR_ROOF_NETWORK;
	if (cost->host)
		return JR_ROOF_HOST;
	if (!o->has_roof)
		return JR_ROOF_UNKNOWN;
	if (o->roof_ps < LATENCY_ROOF_PS && o->dur_ns <= LATENCY_MEAN_NS * count)
		return JR_ROOF_LATENCY;
	return o->bound == JR_BOUND_MEMORY ? JR_ROOF_MEMORY : JR_ROOF_COMPUTE;
}

static void fill_op(struct jr_roofline_op *o, const struct jr_cost *cost,
	const struct jr_peaks *peaks, const struct jr_op_steady *s, int64_t waited_ns)
{
	o->dur_ns = s->dur_ns - waited_ns;
	/* A collective has no products. If its roofline is unknown, a peak is missing, not its work. */
	o->counted = cost->collective || (cost->flops_known && cost->bytes_known);
	set_roof(o, cost, peaks);
	o->class = class_of(o, cost, s->count);
	uint64_t at_roof = jr_sat_mul(o->roof_ps, (uint64_t)s->count);
	uint64_t took = jr_sat_mul((uint64_t)(o->dur_ns > 0 ? o->dur_ns : 0), JR_PS_PER_NS);
	o->lost_ps = o->has_roof && took > at_roof ? took - at_roof : 0;
}

/* --- sums ------------------------------------------------------------------------------------- */

static void add(uint64_t *sum, uint64_t each, uint64_t n)
{
	*sum = jr_sat_add(*sum, jr_sat_mul(each, n));
}

/* Known parts count even if other parts are unknown. */
static void add_op(struct jr_roofline_sum *sum, const struct jr_roofline_op *o,
	const struct jr_cost *c, const struct jr_peaks *peaks, const struct jr_op_steady *s)
{
	uint64_t n = (uint64_t)s->count;
	bool no_link = c->collective && !o->has_roof && (!c->network_known || peaks->link_bytes_s == 0);
	sum->n_no_roof += !o->has_roof;
	sum->n_no_link += no_link;
	sum->no_link_active_ns += no_link ? s->active_ns : 0;
	if (!o->counted && !c->host) {
		sum->unknown_active_ns += s->active_ns;
		sum->n_unknown++;
	}
	if (c->flops_known) {
		bool known = true;
		enum jr_matrix_class most;
		uint64_t ideal = matrix_ps(c, peaks, &most, &known), flops = 0;
		for (size_t i = 0; i < JR_N_MATRIX; i++) {
			add(&sum->matrix_flops[i], c->matrix_flops[i], n);
			flops = jr_sat_add(flops, c->matrix_flops[i]);
		}
		for (size_t i = 0; i < JR_N_VECTOR; i++)
			add(&sum->vector_flops[i], c->vector_flops[i], n);
		add(&sum->transcendentals, c->transcendentals, n);
		add(&sum->remat_flops, c->remat_flops, n);
		if (known) {
			add(&sum->ideal_ps, ideal, n);
			if (c->remat_flops && flops) /* in proportion: usually all of one class */
				add(&sum->remat_ps, jr_mul_div(ideal, c->remat_flops, flops), n);
		}
	}
	if (c->int_ops_known)
		add(&sum->int_ops, c->int_ops, n);
	if (c->bytes_known) {
		add(&sum->bytes_read, c->bytes_read, n);
		add(&sum->bytes_written, c->bytes_written, n);
	}
	if (c->collective && c->network_known)
		add(&sum->network_bytes, c->network_bytes, n);
	if (o->has_roof)
		add(c->collective ? &sum->network_ps : &sum->roof_ps, o->roof_ps, n);
	sum->lost_ps = jr_sat_add(sum->lost_ps, o->lost_ps);
}

/* --- devices ---------------------------------------------------------------------------------- */

static bool same_model(const struct jr_device *a, const struct jr_device *b)
{
	return a->gpu_name == b->gpu_name && a->sm_count == b->sm_count && a->clock_hz == b->clock_hz &&
		   a->compute_capability == b->compute_capability && a->matrix_flop_s == b->matrix_flop_s &&
		   a->memory_bandwidth_bytes_s == b->memory_bandwidth_bytes_s;
}

#define MOST_MODELS 16 /* each one needs a pass over all thunks */

/* Group the devices that ran by name; devices without a name do not form a group. */
static void find_models(
	struct jr_roofline *r, const struct jr_pass_context *ctx, struct jr_arena *arena)
{
	const struct jr_profile *p = ctx->profile;
	r->models = JR_ARENA_N(arena, struct jr_roofline_model, MOST_MODELS);
	for (uint32_t d = 0; d < p->n_devices; d++) {
		uint32_t name = p->devices[d].gpu_name;
		size_t i = 0;
		if (!ctx->steady->devices[d].seen || !name)
			continue;
		while (i < r->n_models && p->devices[r->models[i].device].gpu_name != name)
			i++;
		if (i == MOST_MODELS)
			continue;
		if (i == r->n_models)
			r->models[r->n_models++] = (struct jr_roofline_model){
				.device = d, .peaks = jr_peaks_of(jr_str(p, name), &p->devices[d])};
		r->models[i].n_devices++;
	}
	if (r->n_models == 1)
		r->n_models = 0;
}

static void choose_device(struct jr_roofline *r, const struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	r->device = JR_NONE;
	for (uint32_t d = 0; d < p->n_devices; d++) {
		if (!ctx->steady->devices[d].seen)
			continue;
		if (r->device == JR_NONE)
			r->device = d;
		r->several_models |= !same_model(&p->devices[r->device], &p->devices[d]);
	}
	if (r->device != JR_NONE && r->n_models == 0)
		r->peaks = jr_peaks_of(jr_str(p, p->devices[r->device].gpu_name), &p->devices[r->device]);
}

/* --- all -------------------------------------------------------------------------------------- */

/* [n_ops] time that the steady rows of collectives waited for other devices; `together` if it is
 * known for all of them. O(communication rows) */
static void sum_waits(const struct jr_pass_context *ctx, int64_t *waited_ns, bool *together)
{
	const struct jr_instances *all = ctx->instances;
	for (size_t i = 0; all && i < all->n; i++) {
		const struct jr_instance *in = &all->items[i];
		for (uint32_t k = 0; k < in->n; k++) {
			uint32_t row = in->thunks[k];
			if (!jr_steady_top_thunk(ctx->profile, ctx->steady, row))
				continue;
			waited_ns[in->op] += jr_thunk_wait_ns(ctx->profile, all, row);
			together[in->op] |= in->together;
		}
	}
}

/* Compare the steady rows of the model's devices with its peaks. O(thunk rows) */
static void sum_model(
	const struct jr_pass_context *ctx, const struct jr_roofline *r, struct jr_roofline_model *model)
{
	const struct jr_profile *p = ctx->profile;
	uint32_t name = p->devices[model->device].gpu_name;
	struct jr_op_steady *ops = JR_ARENA_N(ctx->scratch, struct jr_op_steady, p->n_ops + 1);
	for (size_t row = 0; row < p->thunks.n; row++) {
		if (!jr_thunk_steady(p, row) || p->devices[jr_thunk_device(p, row)].gpu_name != name)
			continue;
		struct jr_op_steady *s = &ops[p->thunks.op[row]];
		s->count++;
		s->dur_ns += jr_thunk_dur_ns(p, row);
		s->active_ns += jr_thunk_active_ns(p, row);
	}
	for (size_t i = 0; i < r->n; i++) {
		struct jr_roofline_op o = {.op = r->ops[i].op};
		const struct jr_cost *cost = &r->costs[o.op];
		if (ops[o.op].count == 0)
			continue;
		fill_op(&o, cost, &model->peaks, &ops[o.op], 0);
		o.lost_ps = 0; /* waits are not known per model */
		add_op(&model->all, &o, cost, &model->peaks, &ops[o.op]);
	}
}

static void sort_ops(struct jr_roofline *r, const struct jr_profile *p, struct jr_arena *scratch)
{
	struct jr_roofline_op *old = JR_ARENA_N(scratch, struct jr_roofline_op, r->n + 1);
	struct jr_rank_key *keys = JR_ARENA_N(scratch, struct jr_rank_key, r->n + 1);
	/* Whole ps below 2^53 are exact as doubles. Thunks without time above roofline come last, by
	 * time. */
	for (size_t i = 0; i < r->n; i++) {
		const struct jr_roofline_op *o = &r->ops[i];
		old[i] = *o;
		keys[i] = (struct jr_rank_key){
			o->lost_ps ? (double)o->lost_ps : -1.0 / (double)(o->dur_ns > 0 ? o->dur_ns : 1),
			jr_str(p, p->ops[o->op].name), p->ops[o->op].program, (uint32_t)i};
	}
	jr_rank_sort(keys, r->n);
	for (size_t i = 0; i < r->n; i++)
		r->ops[i] = old[keys[i].row];
}

const struct jr_roofline *jr_roofline_compute(
	const struct jr_pass_context *ctx, struct jr_arena *arena)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_steady *st = ctx->steady;
	struct jr_roofline *r = JR_ARENA_NEW(arena, struct jr_roofline);
	int64_t *waited_ns = JR_ARENA_N(ctx->scratch, int64_t, p->n_ops + 1);
	bool *together = JR_ARENA_N(ctx->scratch, bool, p->n_ops + 1);
	find_models(r, ctx, arena);
	choose_device(r, ctx);
	r->costs = jr_ahead_costs(ctx->ahead);
	r->programs = JR_ARENA_N(arena, struct jr_roofline_sum, p->n_programs + 1);
	r->ops = JR_ARENA_N(arena, struct jr_roofline_op, p->n_ops + 1);
	sum_waits(ctx, waited_ns, together);
	for (uint32_t i = 0; i < p->n_ops; i++) {
		uint32_t program = p->ops[i].program;
		if (!st->ops[i].count || !st->programs[program].top)
			continue;
		struct jr_roofline_op *o = &r->ops[r->n++];
		o->op = i;
		o->holds_waiting = r->costs[i].collective && !together[i];
		fill_op(o, &r->costs[i], &r->peaks, &st->ops[i], waited_ns[i]);
		add_op(&r->programs[program], o, &r->costs[i], &r->peaks, &st->ops[i]);
		add_op(&r->all, o, &r->costs[i], &r->peaks, &st->ops[i]);
	}
	for (size_t i = 0; i < r->n_models; i++)
		sum_model(ctx, r, &r->models[i]);
	sort_ops(r, p, ctx->scratch);
	return r;
}

struct jr_roofed *jr_roofed_of_ops(const struct jr_pass_context *ctx)
{
	const struct jr_roofline *r = ctx->roofline;
	struct jr_roofed *roofed = JR_ARENA_N(ctx->scratch, struct jr_roofed, ctx->profile->n_ops + 1);
	for (size_t i = 0; r && i < r->n; i++) {
		const struct jr_roofline_op *o = &r->ops[i];
		if (o->has_roof)
			roofed[o->op] = (struct jr_roofed){(double)o->dur_ns,
				jr_ns_of_ps(o->roof_ps) * (double)ctx->steady->ops[o->op].count,
				jr_ns_of_ps(o->lost_ps)};
	}
	return roofed;
}
