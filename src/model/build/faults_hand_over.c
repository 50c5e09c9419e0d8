/* Moving the faults of an export to the profile. */
#include "model/build/faults.h"

static uint32_t part_of(const struct jr_export *x, uint32_t process)
{
	for (size_t i = 0; i < x->n_parts; i++)
		if (x->parts[i] == process)
			return (uint32_t)i;
	return JR_NONE;
}

static void add_left_out(struct jr_profile *p, enum jr_fault_kind kind, uint32_t input,
	uint64_t count, uint64_t of, int64_t most_ns)
{
	p->n_checked[kind] += of;
	if (count)
		p->faults[p->n_faults++] = (struct jr_fault){.kind = kind,
			.input = input,
			.process = JR_NONE,
			.device = JR_NONE,
			.tid = -1,
			.count = count,
			.of = of,
			.most_ns = most_ns};
}

void jr_faults_hand_over(
	struct jr_export *x, struct jr_profile *p, uint32_t input, uint32_t first_process)
{
	const struct jr_timeline *s = &x->rows;
	p->faults = JR_ARENA_COPY(&p->arena, p->faults, p->n_faults, x->faults.n + 5);
	for (size_t i = 0; i < x->faults.n; i++) {
		struct jr_fault f = x->faults.items[i];
		uint32_t part = f.process == JR_NONE ? JR_NONE : part_of(x, f.process);
		f.input = input;
		f.process = part == JR_NONE ? JR_NONE : first_process + part;
		f.device = f.device == JR_NONE ? JR_NONE : x->devices[f.device].row;
		p->faults[p->n_faults++] = f;
	}
	for (size_t kind = 0; kind < JR_N_FAULTS; kind++)
		p->n_checked[kind] += x->n_checked[kind];
	uint64_t n_rows = s->gpu.n + s->calls.n + s->nvtx.n + s->n_runs;
	add_left_out(p, JR_FAULT_TIMELESS, input, s->n_timeless, s->gpu.n + s->n_timeless, 0);
	add_left_out(p, JR_FAULT_FAR, input, s->n_far, n_rows + s->n_far, s->far_ns);
	add_left_out(p, JR_FAULT_CUT, input, s->is_cut, 1, 0);
	add_left_out(p, JR_FAULT_UNREADABLE, input, s->lacks_operations, 1, 0);
	size_t n_all = 0;
	for (size_t i = 0; i < x->doubts.n; i++)
		n_all += x->doubts.items[i].device == JR_NONE ? x->n_devices : 1;
	p->doubts = JR_ARENA_COPY(&p->arena, p->doubts, p->n_doubts, n_all + 1);
	for (size_t i = 0; i < x->doubts.n; i++) {
		const struct jr_doubted *d = &x->doubts.items[i];
		for (uint32_t k = 0; k < x->n_devices; k++)
			if (d->device == JR_NONE || d->device == k)
				p->doubts[p->n_doubts++] =
					(struct jr_doubted){x->devices[k].row, d->begin_ns, d->end_ns};
	}
}
