/* What collectives do on devices that are not selected: whoever waits for such a device still
 * waits. */
#include <math.h>
#include <string.h>

#include "base/order.h"
#include "base/sort.h"
#include "model/build/select.h"

/* A communication row; equal keys are one collective. */
struct entry {
	uint32_t op, program_execution, thunk_execution, group, thunk;
};

JR_ORDER(compare_entries, struct entry,
	JR_UP(op) JR_UP(program_execution) JR_UP(thunk_execution) JR_UP(group) JR_UP(thunk))

static bool same(const struct entry *a, const struct entry *b)
{
	return a->op == b->op && a->program_execution == b->program_execution &&
		   a->thunk_execution == b->thunk_execution && a->group == b->group;
}

static void add(const struct jr_profile *p, uint32_t row, struct jr_elsewhere *e)
{
	double start_ns = jr_aligned_ns(p, jr_thunk_start_ns(p, row), jr_thunk_device(p, row));
	int64_t exposed_ns = jr_thunk_active_ns(p, row), dur_ns = jr_thunk_dur_ns(p, row);
	bool first = e->n++ == 0;
	e->first_ns = first ? start_ns : fmin(e->first_ns, start_ns);
	e->late_ns = first ? start_ns : fmax(e->late_ns, start_ns);
	e->last_ns = first ? start_ns + (double)dur_ns : fmax(e->last_ns, start_ns + (double)dur_ns);
	e->shortest_ns = first || dur_ns < e->shortest_ns ? dur_ns : e->shortest_ns;
	e->least_exposed_ns =
		first || exposed_ns < e->least_exposed_ns ? exposed_ns : e->least_exposed_ns;
	e->most_exposed_ns = first || exposed_ns > e->most_exposed_ns ? exposed_ns : e->most_exposed_ns;
}

void jr_select_elsewhere(struct jr_selecting *s)
{
	struct jr_profile *p = s->p;
	const struct jr_thunks *t = &p->thunks;
	struct jr_selected *out = &p->selected;
	struct entry *entries = JR_ARENA_N(s->scratch, struct entry, t->n + 1);
	size_t n = 0;
	for (uint32_t i = 0; i < t->n; i++)
		if (jr_thunk_op(p, i)->communication && jr_thunk_op(p, i)->group_size != 1)
			entries[n++] = (struct entry){
				t->op[i], jr_thunk_execution(p, i), jr_thunk_repeat(p, i), jr_thunk_group(p, i), i};
	jr_sort(entries, n, sizeof(*entries), compare_entries);
	out->thunk_elsewhere = JR_ARENA_N(&p->arena, uint32_t, t->n + 1);
	out->elsewhere = JR_ARENA_N(&p->arena, struct jr_elsewhere, n + 1);
	memset(out->thunk_elsewhere, 0xFF, t->n * sizeof(*out->thunk_elsewhere));
	for (size_t i = 0, end; i < n; i = end) {
		struct jr_elsewhere *e = &out->elsewhere[out->n_elsewhere];
		size_t n_selected = 0;
		for (end = i; end < n && same(&entries[i], &entries[end]); end++) {
			bool selected = !s->modules[jr_thunk_module(p, entries[end].thunk)];
			n_selected += selected;
			if (!selected)
				add(p, entries[end].thunk, e);
		}
		if (e->n && n_selected) {
			for (size_t k = i; k < end; k++)
				out->thunk_elsewhere[entries[k].thunk] = (uint32_t)out->n_elsewhere;
			out->n_elsewhere++;
		} else {
			*e = (struct jr_elsewhere){0};
		}
	}
}
