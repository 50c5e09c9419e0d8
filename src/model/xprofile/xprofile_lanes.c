/* Device lines other than modules and instructions, summed by name. */
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/vec.h"
#include "model/xprofile/xprofile.h"

struct lanes {
	const struct jr_xspace *x;
	const struct jr_intern *strings;    /* of the file */
	JR_VEC(struct jr_device_line) rows; /* texts are str of the file */
	struct jr_map by_key, op_ns;        /* key -> row of rows; instruction name -> row of sums */
	JR_VEC(int64_t) sums;
	struct jr_arena scratch;
};

/* By device and start; longest first. */
JR_ORDER(compare_events, struct jr_xspace_lane_event, JR_UP(device) JR_UP(start_ns) JR_DOWN(end_ns))

static void sum_instructions(struct lanes *l)
{
	for (size_t i = 0; i < l->x->n_ops; i++) {
		const struct jr_xspace_run *run = &l->x->ops[i];
		uint32_t op = l->x->labels[run->label].op, row = jr_map_get(&l->op_ns, op);
		if (row == JR_NONE) {
			row = (uint32_t)l->sums.n;
			jr_map_put(&l->op_ns, op, row);
			*jr_vec_add(&l->sums) = 0;
		}
		l->sums.items[row] += run->end_ns - run->start_ns;
	}
}

static bool same_lane(const struct jr_device_line *a, const struct jr_device_line *b)
{
	return a->core == b->core && a->line == b->line && a->name == b->name && a->of == b->of;
}

static struct jr_device_line *row_of(struct lanes *l, const struct jr_device_line *lane)
{
	const uint32_t parts[] = {lane->core, lane->line, lane->name, lane->of};
	uint64_t key = jr_hash(parts, sizeof(parts), jr_hash_seed());
	for (;; key++) {
		uint32_t row = jr_map_get(&l->by_key, key);
		if (row != JR_NONE && !same_lane(&l->rows.items[row], lane))
			continue;
		if (row == JR_NONE) {
			row = (uint32_t)l->rows.n;
			jr_map_put(&l->by_key, key, row);
			*jr_vec_add(&l->rows) = *lane;
		}
		return &l->rows.items[row];
	}
}

static void add_stated(int64_t *sum, int64_t value)
{
	if (value >= 0)
		*sum = (*sum < 0 ? 0 : *sum) + value; /* the sum over the whole file fits int64 */
}

static void add_event(struct lanes *l, const struct jr_xspace_lane_event *event, uint32_t op)
{
	struct jr_device_line key = {.core = event->core,
		.line = event->line,
		.name = event->name,
		.of = op ? op : event->label,
		.bytes = -1,
		.slack_ns = -1,
		.stall_ns = -1};
	struct jr_device_line *row = row_of(l, &key);
	int64_t dur_ns = event->end_ns - event->start_ns;
	row->n++;
	row->total_ns += dur_ns;
	row->max_ns = dur_ns > row->max_ns ? dur_ns : row->max_ns;
	row->of_ns = op ? l->sums.items[jr_map_get(&l->op_ns, op)] : 0;
	add_stated(&row->bytes, event->bytes);
	add_stated(&row->slack_ns, event->slack_ns);
	add_stated(&row->stall_ns, event->stall_ns);
}

/* The instructions of a device that are open at an event's start, innermost last. */
struct open_ops {
	const struct jr_xspace_run **stack;
	size_t depth, next;
};

static void open_until(
	struct open_ops *o, const struct jr_xspace *x, const struct jr_xspace_lane_event *event)
{
	for (; o->next < x->n_ops; o->next++) {
		const struct jr_xspace_run *run = &x->ops[o->next];
		if (run->device > event->device ||
			(run->device == event->device && run->start_ns > event->start_ns))
			break;
		while (o->depth && (o->stack[o->depth - 1]->device != run->device ||
							   o->stack[o->depth - 1]->end_ns <= run->start_ns))
			o->depth--;
		o->stack[o->depth++] = run;
	}
	while (o->depth && (o->stack[o->depth - 1]->device != event->device ||
						   o->stack[o->depth - 1]->end_ns <= event->start_ns))
		o->depth--;
}

/* Return the innermost instruction around an event of the TPU itself; 0: none. Times are rounded.
 */
static uint32_t instruction_around(
	const struct open_ops *o, const struct jr_xspace *x, const struct jr_xspace_lane_event *event)
{
	enum { DEEPEST = 64 };
	for (size_t i = o->depth; i > 0 && o->depth - i < DEEPEST; i--)
		if (o->stack[i - 1]->end_ns + 1 >= event->end_ns)
			return x->labels[o->stack[i - 1]->label].op;
	return 0;
}

static void add_events(struct lanes *l)
{
	const struct jr_xspace *x = l->x;
	struct open_ops open = {
		.stack = JR_ARENA_N(&l->scratch, const struct jr_xspace_run *, x->n_ops + 1)};
	jr_sort(x->lane_events, x->n_lane_events, sizeof(*x->lane_events), compare_events);
	for (size_t i = 0; i < x->n_lane_events; i++) {
		const struct jr_xspace_lane_event *event = &x->lane_events[i];
		bool of_tpu = strcmp(jr_intern_str(l->strings, event->core), "TPU") == 0;
		if (of_tpu)
			open_until(&open, x, event);
		bool told = !of_tpu || event->label;
		add_event(l, event, told ? 0 : instruction_around(&open, x, event));
	}
}

void jr_xprofile_hand_over_lanes(const struct jr_xprofile *profile, struct jr_profile *p)
{
	const struct jr_xspace *x = &profile->file;
	struct lanes l = {.x = x, .strings = &profile->export.rows.strings};
	struct jr_device_line *transfers;
	size_t n_transfers = jr_xprofile_transfers(profile, p, &transfers);
	if (x->n_lane_events + n_transfers == 0)
		return;
	jr_arena_init(&l.scratch, 0);
	sum_instructions(&l);
	add_events(&l);
	p->device_lines =
		JR_ARENA_COPY(&p->arena, p->device_lines, p->n_device_lines, l.rows.n + n_transfers);
	for (size_t i = 0; i < l.rows.n; i++) {
		struct jr_device_line *lane = &p->device_lines[p->n_device_lines++];
		*lane = l.rows.items[i];
		lane->process = (uint32_t)p->n_processes - 1; /* the process being merged */
		uint32_t *texts[] = {&lane->core, &lane->line, &lane->name, &lane->of};
		for (size_t k = 0; k < JR_COUNT_OF(texts); k++)
			*texts[k] = jr_intern_puts(&p->strings, jr_intern_str(l.strings, *texts[k]));
	}
	jr_copy(p->device_lines + p->n_device_lines, transfers, n_transfers * sizeof(*transfers));
	p->n_device_lines += n_transfers;
	p->tells |= JR_TELLS_LANES;
	jr_vec_done(&l.rows);
	jr_vec_done(&l.sums);
	jr_map_done(&l.by_key);
	jr_map_done(&l.op_ns);
	jr_arena_done(&l.scratch);
}
