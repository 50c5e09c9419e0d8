/* The slices of a page's timeline. */
#include "report/trace/page_slices.h"

#include <math.h>
#include <string.h>

#include "analysis/shared/instances.h"
#include "base/order.h"
#include "base/sort.h"

#define MOST_SLICES 32000 /* some 4.5 bytes each; jr_page_slices_pack() reduces it if necessary */
#define STEP_SLICES 16000 /* of steps that do not fit all */
#define FEW_SLICES 4000   /* a stretch of so many fits, whatever their names are */
#define MOST_DEVICES 16   /* side by side */
#define MOST_CHOSEN 64    /* among which a reader chooses */
#define WIDE_SLICES 20000 /* up to which there are more than MOST_DEVICES */

#define DEVICE_LANES (1u << JR_LANE_COMPUTE | 1u << JR_LANE_COMMUNICATION)
#define HOST_LANES (1u << JR_LANE_RANGES | 1u << JR_LANE_CALLS)

/* --- steps ---------------------------------------------------------------------------------- */

JR_ORDER(compare_steps, struct jr_page_step, JR_UP(start_ns) JR_UP(number))

/* The program whose steady executions take most time. JR_NONE: there are none. */
static uint32_t main_program(const struct jr_profile *p, struct jr_arena *arena)
{
	int64_t *sum = JR_ARENA_N(arena, int64_t, p->n_programs + 1);
	uint32_t most = JR_NONE;
	for (size_t i = 0; i < p->modules.n; i++)
		if (p->modules.steady[i])
			sum[p->modules.program[i]] += p->modules.dur_ns[i];
	for (uint32_t i = 0; i < p->n_programs; i++)
		if (sum[i] > 0 && (most == JR_NONE || sum[i] > sum[most]))
			most = i;
	return most;
}

static void widen(struct jr_page_step *step, int64_t start_ns, int64_t end_ns, int64_t number)
{
	if (step->end_ns <= step->start_ns)
		*step = (struct jr_page_step){start_ns, end_ns, number};
	step->start_ns = start_ns < step->start_ns ? start_ns : step->start_ns;
	step->end_ns = end_ns > step->end_ns ? end_ns : step->end_ns;
}

/* Steps are executions of the main program, from the first start to the last end on any device;
 * without such a program, the steps that the job numbers. */
static void find_steps(struct jr_page_choice *c)
{
	const struct jr_profile *p = c->p;
	const struct jr_modules *m = &p->modules;
	uint32_t program = c->program = main_program(p, c->arena), most = 0;
	for (size_t i = 0; i < m->n && program != JR_NONE; i++)
		if (m->program[i] == program && m->program_execution[i] >= most)
			most = m->program_execution[i] + 1;
	size_t room = program != JR_NONE ? most : p->n_numbered_steps;
	struct jr_page_step *all = JR_ARENA_N(c->arena, struct jr_page_step, room + 1);
	for (size_t i = 0; i < m->n && program != JR_NONE; i++) {
		int64_t start_ns = llround(jr_aligned_ns(p, m->start_ns[i], m->device[i]));
		if (m->steady[i] && m->program[i] == program)
			widen(&all[m->program_execution[i]], start_ns, start_ns + m->dur_ns[i],
				m->program_execution[i]);
	}
	for (size_t i = 0; i < p->n_numbered_steps && program == JR_NONE; i++) {
		const struct jr_numbered_step *s = &p->numbered_steps[i];
		double ns = (double)(s->start_ns - p->origin_ns);
		for (size_t d = p->n_devices; d-- > 0;)
			if (p->devices[d].process == s->process)
				ns = jr_aligned_ns(p, s->start_ns, (uint32_t)d);
		if (s->name == p->leading_steps.name)
			all[i] = (struct jr_page_step){
				llround(ns), llround(ns) + s->end_ns - s->start_ns, s->number};
	}
	for (size_t i = 0; i < room; i++)
		if (all[i].end_ns > all[i].start_ns)
			all[c->n_steps++] = all[i];
	if (c->n_steps)
		jr_sort(all, c->n_steps, sizeof(*all), compare_steps);
	c->steps = all;
	c->n_all_steps = c->n_steps;
}

static int64_t length(const struct jr_page_step *s)
{
	return s->end_ns - s->start_ns;
}

JR_ORDER(compare_lengths, struct jr_page_step, JR_UP(end_ns) JR_UP(number))

/* The step of the still chart; without one, the median step (of an even number, the shorter
 * one). Return its row. */
static size_t median_step(const struct jr_page_choice *c)
{
	for (size_t i = 0; i < c->n_steps; i++)
		if (c->steps[i].number == c->drawn)
			return i;

	struct jr_page_step *by_length = JR_ARENA_N(c->arena, struct jr_page_step, c->n_steps + 1);
	for (size_t i = 0; i < c->n_steps; i++)
		by_length[i] = (struct jr_page_step){0, length(&c->steps[i]), (int64_t)i};
	jr_sort(by_length, c->n_steps, sizeof(*by_length), compare_lengths);
	return (size_t)by_length[(c->n_steps - 1) / 2].number;
}

/* Keep `n` steps, at most JR_PAGE_WINDOWS: all of them in one window; or the median one, then the
 * slowest and the fastest, then others evenly spread from the first to the last. */
static void keep_steps(struct jr_page_choice *c, size_t n)
{
	c->part.windows = c->windows;
	if (n >= c->n_steps) {
		c->windows[0] =
			(struct jr_trace_window){c->steps[0].start_ns, c->steps[c->n_steps - 1].end_ns};
		for (size_t i = 0; i < c->n_steps; i++)
			if (c->steps[i].end_ns > c->windows[0].end_ns)
				c->windows[0].end_ns = c->steps[i].end_ns;
		c->part.n_windows = 1;
		c->n_shown_steps = c->n_steps;
		return;
	}
	uint8_t *kept = JR_ARENA_N(c->arena, uint8_t, c->n_steps + 1);
	size_t slowest = 0, fastest = 0, n_kept = 0, spread = n > 3 ? n - 3 : 0;
	for (size_t i = 0; i < c->n_steps; i++) {
		slowest = length(&c->steps[i]) > length(&c->steps[slowest]) ? i : slowest;
		fastest = length(&c->steps[i]) < length(&c->steps[fastest]) ? i : fastest;
	}
	kept[median_step(c)] = 1;
	if (n > 1)
		kept[slowest] = kept[fastest] = 1;
	for (size_t k = 0; k < spread; k++)
		kept[spread > 1 ? k * (c->n_steps - 1) / (spread - 1) : 0] = 1;
	for (size_t i = 0; i < c->n_steps; i++)
		if (kept[i]) {
			c->windows[n_kept] = (struct jr_trace_window){c->steps[i].start_ns, c->steps[i].end_ns};
			c->steps[n_kept++] = c->steps[i];
		}
	c->part.n_windows = c->n_shown_steps = n_kept;
}

/* --- devices -------------------------------------------------------------------------------- */

/* Mark the devices of the still chart, which are those that matter most if there are many. */
static size_t mark_drawn(struct jr_page_choice *c, uint8_t *devices)
{
	const struct jr_table *t = jr_results_table(c->doc->results, "timeline");
	size_t column = t ? jr_table_column(t, "device") : SIZE_MAX, n = 0;
	for (size_t row = 0; t && column != SIZE_MAX && row < t->n_data; row++) {
		int64_t number = t->cells[column].i64[row];
		if (row && number == t->cells[column].i64[row - 1])
			continue;
		for (size_t d = 0; d < c->p->n_devices; d++)
			if ((int64_t)c->p->devices[d].global == number && !devices[d])
				n += devices[d] = 1;
	}
	return n;
}

/* Mark late devices, those that the others wait longest for first, until `most` are marked. */
static size_t mark_late(struct jr_page_choice *c, uint8_t *devices, size_t n, size_t most)
{
	const struct jr_table *t = jr_results_table(c->doc->results, "stragglers");
	size_t column = t ? jr_table_column(t, "device") : SIZE_MAX;
	size_t late = t ? jr_table_column(t, "late") : SIZE_MAX;
	for (size_t row = 0; t && late != SIZE_MAX && row < t->n_rows && n < most; row++)
		for (size_t d = 0; t->cells[late].text[row] && d < c->p->n_devices; d++)
			if ((int64_t)c->p->devices[d].global == t->cells[column].i64[row] && !devices[d])
				n += devices[d] = 1;
	return n;
}

/* Keep at most `most` devices: those of the still chart, late ones, then others evenly spread. */
static void keep_devices(struct jr_page_choice *c, size_t most)
{
	const struct jr_profile *p = c->p;
	uint8_t *ran = JR_ARENA_N(c->arena, uint8_t, p->n_devices + 1);
	uint8_t *kept = JR_ARENA_N(c->arena, uint8_t, p->n_devices + 1);
	c->n_devices = 0;
	for (size_t i = 0; i < p->modules.n; i++)
		ran[p->modules.device[i]] |= p->modules.n_thunks[i] > 0;
	for (size_t i = 0; i < p->gpu_ops.n; i++)
		if (p->gpu_ops.device[i] < p->n_devices)
			ran[p->gpu_ops.device[i]] = 1;
	for (size_t d = 0; d < p->n_devices; d++)
		c->n_devices += ran[d];
	c->part.devices = c->n_devices <= most ? ran : kept;
	c->n_shown = c->n_devices;
	if (c->n_devices <= most)
		return;
	c->n_shown = mark_late(c, kept, mark_drawn(c, kept), most - most / 4);
	size_t others = c->n_shown < most ? most - c->n_shown : 0, seen = 0;
	for (size_t d = 0; d < p->n_devices; d++) {
		if (!ran[d] || kept[d])
			continue;
		size_t left = c->n_devices - c->n_shown;
		if (others && seen * others / left != (seen + 1) * others / left)
			kept[d] = 2; /* counted below */
		seen++;
	}
	for (size_t d = 0; d < p->n_devices; d++)
		if (kept[d] == 2) {
			kept[d] = 1;
			c->n_shown++;
		}
}

/* --- a stretch ------------------------------------------------------------------------------ */

JR_ORDER_OF_VALUES(compare_ns, int64_t)

static bool is_shown(const struct jr_page_choice *c, int64_t t_ns)
{
	bool within = c->part.n_windows == 0;
	for (size_t i = 0; i < c->part.n_windows && !within; i++)
		within = t_ns >= c->windows[i].start_ns && t_ns < c->windows[i].end_ns;
	return within;
}

/* Keep the middle of what is shown, in which `most` slices begin. Without the shortest of so many,
 * most of the time would look idle, and if all are about as long, nothing would be left. False:
 * there are not more. */
static bool keep_middle(struct jr_page_choice *c, size_t most)
{
	const struct jr_profile *p = c->p;
	bool ops = p->thunks.n == 0;
	size_t n_rows = ops ? p->gpu_ops.n : p->thunks.n, n = 0;
	int64_t *starts = JR_ARENA_N(c->arena, int64_t, n_rows + 1);
	for (size_t i = 0; i < n_rows; i++) {
		uint32_t device = ops ? p->gpu_ops.device[i] : jr_thunk_device(p, i);
		if (device >= p->n_devices || !c->part.devices[device])
			continue;
		starts[n] = llround(
			jr_aligned_ns(p, ops ? p->gpu_ops.start_ns[i] : jr_thunk_start_ns(p, i), device));
		n += is_shown(c, starts[n]);
	}
	if (n <= most)
		return false;
	jr_sort(starts, n, sizeof(*starts), compare_ns);
	const int64_t *first = starts + (n - most) / 2;
	if (!c->n_middle)
		c->whole_ns = starts[n - 1] - starts[0];
	c->n_middle = most;
	c->windows[0] = (struct jr_trace_window){first[0], first[most] + (first[most] == first[0])};
	c->part.windows = c->windows;
	c->part.n_windows = 1;
	return true;
}

/* --- what fits ------------------------------------------------------------------------------ */

static int64_t drawn_step(const struct jr_page_choice *c)
{
	const struct jr_table *t = jr_results_table(c->doc->results, "timeline");
	size_t column = t ? jr_table_column(t, "row") : SIZE_MAX;
	return column != SIZE_MAX && t->n_rows
			   ? (int64_t)jr_thunk_execution(c->p, t->cells[column].i64[0])
			   : -1;
}

/* Keep as many devices as have `most` slices, given that those shown have n, and return how many
 * slices these have. */
static uint64_t fit_devices(struct jr_page_choice *c, uint64_t n, uint64_t most)
{
	uint64_t each = n / c->n_shown + 1, fit = most / each;
	keep_devices(c, fit < 3 ? 3 : fit > MOST_CHOSEN ? MOST_CHOSEN : (size_t)fit);
	return each * c->n_shown;
}

static void choose(struct jr_page_choice *c)
{
	find_steps(c);
	c->drawn = drawn_step(c);
	jr_page_strip_find(c);
	c->part.lanes = c->p->thunks.n ? DEVICE_LANES : 1u << JR_LANE_STREAM;
	c->first = JR_ARENA_N(c->arena, uint8_t, c->p->n_devices + 1);
	mark_drawn(c, c->first);
	keep_devices(c, MOST_DEVICES);
	if (c->n_steps)
		keep_steps(c, c->n_steps);
	uint64_t n = jr_trace_count(c->p, &c->part, c->arena);
	if (n > MOST_SLICES && c->n_steps > 3) {
		uint64_t each = n / c->n_steps + 1;
		uint64_t fit = c->n_shown < c->n_devices ? 3 : STEP_SLICES / each;
		fit = fit < 3 ? 3 : fit > JR_PAGE_WINDOWS ? JR_PAGE_WINDOWS : fit;
		n = each * fit;
		keep_steps(c, fit);
	}
	if (n > MOST_SLICES && c->n_shown > 3)
		n = fit_devices(c, n, MOST_SLICES);
	else if (c->n_shown && c->n_shown < c->n_devices && n < WIDE_SLICES)
		n = fit_devices(c, n, WIDE_SLICES);
	if (n > MOST_SLICES && c->n_shown_steps > 1) {
		n /= c->n_shown_steps;
		c->n_steps = c->n_shown_steps; /* the others are gone; the median of three is the median */
		keep_steps(c, 1);
	}
	if (n > (uint64_t)2 * MOST_SLICES && keep_middle(c, MOST_SLICES / 2))
		n = MOST_SLICES / 2;
	if (!c->p->api_calls.n && !c->p->nvtx_ranges.n)
		return;
	struct jr_trace_part host = c->part;
	host.lanes = HOST_LANES;
	c->host_left_out = n + jr_trace_count(c->p, &host, c->arena) > MOST_SLICES;
	if (!c->host_left_out)
		c->part.lanes |= HOST_LANES;
}

bool jr_page_slices_pack(const struct jr_doc *doc, struct jr_buf *out)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct jr_page_choice c = {.doc = doc,
		.p = doc->profile,
		.arena = &arena,
		.part.most = MOST_SLICES,
		.instances = doc->results->instances};
	size_t before = out->size;
	choose(&c);
	for (int tries = 0; tries < 8 && out->size == before; tries++) {
		size_t size = jr_page_pack(&c, out);
		if (!size || c.n_middle) { /* none is longer than those left out */
			if (out->size == before && !keep_middle(&c, c.n_middle ? c.n_middle / 2 : FEW_SLICES))
				break;
			c.part.most = MOST_SLICES;
		} else {
			c.part.most = c.part.most * 3 / 4;
		}
	}
	return out->size > before;
}
