/* The tracks of a profile. */
#include "report/trace/tracks.h"

#include <math.h>

#include "analysis/core/device_name.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/shared/instances.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/vec.h"

/* A slice before it has a track. */
struct raw {
	uint32_t group, lane, number; /* number: of the stream, thread or domain; 0 */
	uint32_t order;               /* of the input, decides between equal times */
	struct jr_trace_slice slice;
};

struct builder {
	const struct jr_profile *p;
	const struct jr_trace_part *part; /* NULL: all */
	struct jr_arena *arena;
	struct jr_trace *trace;
	JR_VEC(struct raw) raws;
	JR_VEC(struct jr_trace_point) points;
	JR_VEC(struct jr_trace_counter) counters;
	size_t n_windows; /* of the part */
	const struct jr_trace_window *windows;
	struct jr_trace_window *near; /* [n_windows] on the clock of near_device, and 2 ns more */
	uint32_t near_device;         /* JR_NONE: none yet */
	uint32_t *device_of;          /* [n_processes] first device; JR_NONE */
	struct jr_map thread_process; /* thread of calls -> row of processes */
	JR_VEC(const char *) names;
	struct jr_map name_rows; /* str -> row of names */
	uint64_t *by_class;      /* [N_CLASSES] slices by their duration */
	int64_t least_ns;        /* shorter ones are left out */
	bool counting;           /* first pass: only by_class is filled */
	int64_t begin_ns;
};

/* --- slices --------------------------------------------------------------------------------- */

#define STEPS_PER_OCTAVE INT64_C(16) /* 4 bits */
#define N_CLASSES ((size_t)64 * 16)

/* Return the smallest duration of a class; classes are about 6 % wide, and exact below 32 ns. */
static int64_t least_of_class(size_t k)
{
	int64_t octave = (int64_t)k / STEPS_PER_OCTAVE, step = (int64_t)k % STEPS_PER_OCTAVE;
	if (octave < 2)
		return (int64_t)k;
	return octave > 59 ? INT64_MAX : (STEPS_PER_OCTAVE + step) << (octave - 1);
}

static size_t class_of(int64_t ns)
{
	int64_t octave = 1;
	if (ns < 2 * STEPS_PER_OCTAVE)
		return (size_t)ns;
	while (ns >> octave >= 2 * STEPS_PER_OCTAVE)
		octave++;
	return (size_t)((octave + 1) * STEPS_PER_OCTAVE + (ns >> octave) - STEPS_PER_OCTAVE);
}

/* Return the row of a name; `id` is a str, or beyond all of them for a text of our own. */
static uint32_t name_row(struct builder *b, uint32_t id, const char *text)
{
	if (b->counting)
		return 0;
	uint32_t row = jr_map_add(&b->name_rows, id, (uint32_t)b->names.n);
	if (row == b->names.n)
		*jr_vec_add(&b->names) = text;
	return row;
}

static uint32_t name_of(struct builder *b, uint32_t id)
{
	return name_row(b, id, jr_str(b->p, id));
}

/* Decide by group and lane, ahead of all other work for a slice. */
static bool wants(const struct builder *b, uint32_t group, enum jr_trace_lane lane)
{
	return !b->part ||
		   (b->part->lanes >> lane & 1 && (group >= b->p->n_devices || b->part->devices[group]));
}

/* Whether a time is in one of b->n_windows windows; without any, all times are. */
static bool is_within(const struct builder *b, const struct jr_trace_window *windows,
	int64_t start_ns, int64_t end_ns)
{
	for (size_t i = 0; i < b->n_windows; i++)
		if (start_ns < windows[i].end_ns && end_ns > windows[i].start_ns)
			return true;
	return b->n_windows == 0;
}

/* Whether a slice is in the part, and is kept; in the first pass, count it. */
static bool takes(struct builder *b, int64_t start_ns, int64_t dur_ns)
{
	if (dur_ns < 0 || !is_within(b, b->windows, start_ns, start_ns + dur_ns))
		return false;
	if (b->counting)
		b->by_class[class_of(dur_ns)]++;
	else if (dur_ns < b->least_ns)
		b->trace->n_left_out++;
	return !b->counting && dur_ns >= b->least_ns;
}

static void keep(struct builder *b, const struct raw *raw)
{
	*jr_vec_add(&b->raws) = *raw;
	b->raws.items[b->raws.n - 1].order = (uint32_t)b->raws.n - 1;
	if (raw->slice.start_ns < b->begin_ns)
		b->begin_ns = raw->slice.start_ns;
}

static void add(struct builder *b, struct raw raw)
{
	if (takes(b, raw.slice.start_ns, raw.slice.dur_ns))
		keep(b, &raw);
}

static int64_t on_device(const struct builder *b, int64_t t_ns, uint32_t device)
{
	return llround(jr_aligned_ns(b->p, t_ns, device));
}

/* A process has the clock of its devices. JR_NONE: not known, so that of the first process. */
static int64_t on_host(const struct builder *b, int64_t t_ns, uint32_t process)
{
	uint32_t device = b->p->n_processes ? b->device_of[process == JR_NONE ? 0 : process] : JR_NONE;
	return device == JR_NONE ? t_ns - b->p->origin_ns : on_device(b, t_ns, device);
}

/* Rows of a job's only process belong to it; of several, those that name none have a group. */
static uint32_t host_of(const struct builder *b, uint32_t process)
{
	if (process == JR_NONE)
		process = b->p->n_processes == 1 ? 0 : (uint32_t)b->p->n_processes;
	return (uint32_t)b->p->n_devices + process;
}

/* The process of a range: that of the devices on which it launched work. */
static uint32_t process_of_range(const struct builder *b, size_t row)
{
	uint32_t device = b->p->nvtx_ranges.device[row];
	return b->p->nvtx_ranges.n_ops[row] && device < b->p->n_devices ? b->p->devices[device].process
																	: JR_NONE;
}

static void find_processes(struct builder *b)
{
	const struct jr_profile *p = b->p;
	const struct jr_gpu_ops *g = &p->gpu_ops;
	b->device_of = JR_ARENA_N(b->arena, uint32_t, p->n_processes + 1);
	for (size_t i = 0; i < p->n_processes; i++)
		b->device_of[i] = JR_NONE;
	for (uint32_t d = (uint32_t)p->n_devices; d-- > 0;)
		b->device_of[p->devices[d].process] = d;
	for (size_t i = 0; i < g->n; i++)
		if (g->call[i] != JR_NONE && g->device[i] < p->n_devices)
			jr_map_put(&b->thread_process, p->api_calls.thread[g->call[i]],
				p->devices[g->device[i]].process);
}

/* Return a time of the common clock on the clock of a device, to 1 ns; far away, an end of time. */
static int64_t from_common(const struct builder *b, int64_t t_ns, uint32_t device)
{
	double since_ns = (double)t_ns + b->p->devices[device].correction_ns;
	if (fabs(since_ns) < 0x1p52)
		return b->p->origin_ns + (int64_t)since_ns;
	return since_ns < 0 ? INT64_MIN + 2 : INT64_MAX - 2;
}

/* Whether a row can be in a window. Most rows are not, and then need no conversion of their own. */
static bool is_near(struct builder *b, uint32_t device, int64_t start_ns, int64_t end_ns)
{
	if (b->near_device != device)
		for (size_t i = 0; i < b->n_windows; i++)
			b->near[i] =
				(struct jr_trace_window){from_common(b, b->windows[i].start_ns, device) - 2,
					from_common(b, b->windows[i].end_ns, device) + 2};
	b->near_device = device;
	return is_within(b, b->near, start_ns, end_ns);
}

static void add_thunks(struct builder *b, const uint32_t *flows)
{
	const struct jr_thunks *t = &b->p->thunks;
	for (size_t i = 0; i < t->n; i++) {
		const struct jr_op *op = jr_thunk_op(b->p, i);
		enum jr_trace_lane lane = op->communication ? JR_LANE_COMMUNICATION : JR_LANE_COMPUTE;
		uint32_t device = jr_thunk_device(b->p, i);
		if (b->part && !b->part->devices[device]) { /* of most of many devices */
			i += b->p->modules.n_thunks[jr_thunk_module(b->p, i)] - 1;
			continue;
		}
		if (!wants(b, device, lane) ||
			!is_near(b, device, jr_thunk_start_ns(b->p, i), jr_thunk_end_ns(b->p, i)))
			continue;
		int64_t start_ns = on_device(b, jr_thunk_start_ns(b->p, i), device);
		if (takes(b, start_ns, jr_thunk_dur_ns(b->p, i)))
			keep(b, &(struct raw){.group = device,
						.lane = lane,
						.slice = {.start_ns = start_ns,
							.dur_ns = jr_thunk_dur_ns(b->p, i),
							.name = name_of(b, op->name),
							.op = t->op[i],
							.row = (uint32_t)i,
							.flow = flows ? flows[i] : 0}});
	}
}

static void add_modules(struct builder *b)
{
	const struct jr_modules *m = &b->p->modules;
	for (size_t i = 0; i < m->n; i++)
		if (wants(b, m->device[i], JR_LANE_MODULES))
			add(b, (struct raw){.group = m->device[i],
					   .lane = JR_LANE_MODULES,
					   .slice = {.start_ns = on_device(b, m->start_ns[i], m->device[i]),
						   .dur_ns = m->dur_ns[i],
						   .name = name_of(b, b->p->programs[m->program[i]].name),
						   .op = JR_NONE,
						   .row = (uint32_t)i}});
}

/* A kernel's name is a str; the other names get ids beyond all of them. */
static uint32_t gpu_name(struct builder *b, size_t row)
{
	const struct jr_gpu_ops *g = &b->p->gpu_ops;
	uint32_t id = g->brief[row] ? g->brief[row] : g->name[row];
	if (g->kind[row] != JR_GPU_KERNEL)
		id = JR_NONE - g->kind[row] * JR_GPU_COPY_KINDS -
			 (g->kind[row] == JR_GPU_COPY ? (uint32_t)jr_gpu_copy_kind(g->config[row]) : 0);
	return name_row(b, id, jr_gpu_op_name(b->p, row));
}

static void add_gpu_ops(struct builder *b)
{
	const struct jr_gpu_ops *g = &b->p->gpu_ops;
	for (size_t i = 0; i < g->n; i++) {
		if (g->device[i] >= b->p->n_devices || !wants(b, g->device[i], JR_LANE_STREAM))
			continue;
		add(b, (struct raw){.group = g->device[i],
				   .lane = JR_LANE_STREAM,
				   .number = g->stream[i],
				   .slice = {.start_ns = on_device(b, g->start_ns[i], g->device[i]),
					   .dur_ns = g->dur_ns[i],
					   .name = gpu_name(b, i),
					   .op = JR_NONE,
					   .row = (uint32_t)i,
					   .flow = g->call[i] == JR_NONE ? 0 : g->call[i] + 1}});
	}
}

static void add_host(struct builder *b)
{
	const struct jr_profile *p = b->p;
	for (size_t i = 0; i < p->n_numbered_steps && wants(b, JR_NONE, JR_LANE_STEPS); i++) {
		const struct jr_numbered_step *s = &p->numbered_steps[i];
		add(b, (struct raw){.group = host_of(b, s->process),
				   .lane = JR_LANE_STEPS,
				   .slice = {.start_ns = on_host(b, s->start_ns, s->process),
					   .dur_ns = s->end_ns - s->start_ns,
					   .name = name_of(b, s->name),
					   .op = JR_NONE}});
	}
	const struct jr_api_calls *c = &p->api_calls;
	for (size_t i = 0; i < c->n && wants(b, JR_NONE, JR_LANE_CALLS); i++) {
		/* that of the device on which the thread's calls launched work */
		uint32_t process = jr_map_get(&b->thread_process, c->thread[i]);
		add(b, (struct raw){.group = host_of(b, process),
				   .lane = JR_LANE_CALLS,
				   .number = c->thread[i],
				   .slice = {.start_ns = on_host(b, c->start_ns[i], process),
					   .dur_ns = c->dur_ns[i],
					   .name = name_of(b, c->name[i]),
					   .op = JR_NONE,
					   .flow = (uint32_t)i + 1}});
	}
	const struct jr_nvtx_ranges *r = &p->nvtx_ranges;
	/* XLA's own ranges are the executions and compilations of other tracks */
	uint32_t tsl = p->modules.n || p->compiles.n ? jr_intern_find(&p->strings, "TSL", 3) : JR_NONE;
	for (size_t i = 0; i < r->n && wants(b, JR_NONE, JR_LANE_RANGES); i++) {
		uint32_t process = process_of_range(b, i);
		if (r->whole[i] && r->kind[i] != JR_NVTX_MARK && p->nvtx_scopes[r->scope[i]].domain != tsl)
			add(b, (struct raw){.group = host_of(b, process),
					   .lane = JR_LANE_RANGES,
					   .slice = {.start_ns = on_host(b, r->start_ns[i], process),
						   .dur_ns = r->dur_ns[i],
						   .name = name_of(b, r->name[i]),
						   .op = JR_NONE}});
	}
	const struct jr_compiles *k = &p->compiles;
	for (size_t i = 0; i < k->n && wants(b, JR_NONE, JR_LANE_COMPILATION); i++)
		add(b, (struct raw){.group = host_of(b, k->process[i]),
				   .lane = JR_LANE_COMPILATION,
				   .number = (uint32_t)k->tid[i],
				   .slice = {.start_ns = on_host(b, k->start_ns[i], k->process[i]),
					   .dur_ns = k->dur_ns[i],
					   .name = name_of(b, k->name[i]),
					   .op = JR_NONE}});
}

/* --- tracks --------------------------------------------------------------------------------- */

JR_ORDER(compare_raws, struct raw,
	JR_UP(group) JR_UP(lane) JR_UP(number) JR_UP(slice.start_ns) JR_DOWN(slice.dur_ns) JR_UP(order))

#define DEEPEST 64 /* slices around one; a deeper one begins another track */
#define BESIDE 64  /* tracks of one lane; what fits on none is left out */

/* The open slices of one track, by their ends. */
struct open {
	int64_t ends[DEEPEST];
	uint32_t depth;
	size_t n;
};

static bool fits(struct open *o, const struct jr_trace_slice *s)
{
	while (o->depth && o->ends[o->depth - 1] <= s->start_ns)
		o->depth--;
	return o->depth < DEEPEST &&
		   (o->depth == 0 || s->start_ns + s->dur_ns <= o->ends[o->depth - 1]);
}

static const char *lane_name(struct builder *b, const struct raw *raw, size_t beside)
{
	static const char *const names[] = {[JR_LANE_STEPS] = "Steps",
		[JR_LANE_MODULES] = "Modules",
		[JR_LANE_COMPUTE] = "Compute",
		[JR_LANE_COMMUNICATION] = "Communication",
		[JR_LANE_STREAM] = "Stream",
		[JR_LANE_RANGES] = "Ranges",
		[JR_LANE_CALLS] = "Calls, thread",
		[JR_LANE_COMPILATION] = "Compilation, thread"};
	bool numbered = raw->lane == JR_LANE_STREAM || raw->lane == JR_LANE_CALLS ||
					raw->lane == JR_LANE_COMPILATION;
	const char *name = numbered ? jr_arena_printf(b->arena, "%s %u", names[raw->lane], raw->number)
								: names[raw->lane];
	return beside ? jr_arena_printf(b->arena, "%s (%zu)", name, beside + 1) : name;
}

/* Distribute the slices of one lane, sorted, over as few tracks as let them nest. */
static void place(
	struct builder *b, const struct raw *raws, size_t n, uint8_t *track_of, struct open *open)
{
	size_t n_tracks = 0, first_track = b->trace->n_tracks, at[BESIDE];
	struct jr_trace *t = b->trace;
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		while (k < n_tracks && !fits(&open[k], &raws[i].slice))
			k++;
		track_of[i] = (uint8_t)k;
		if (k == BESIDE) {
			t->n_left_out++;
			continue;
		}
		if (k == n_tracks)
			open[n_tracks++] = (struct open){.n = 0};
		struct open *o = &open[k];
		o->ends[o->depth++] = raws[i].slice.start_ns + raws[i].slice.dur_ns;
		o->n++;
	}
	for (size_t k = 0; k < n_tracks; k++) {
		at[k] = t->n_slices;
		t->tracks[first_track + k] = (struct jr_trace_track){
			raws[0].group, lane_name(b, &raws[0], k), t->n_slices, open[k].n, raws[0].lane};
		t->n_slices += open[k].n;
		open[k].depth = 0;
	}
	t->n_tracks += n_tracks;
	for (size_t i = 0; i < n; i++) {
		if (track_of[i] == BESIDE)
			continue;
		struct open *o = &open[track_of[i]];
		struct jr_trace_slice *s = &t->slices[at[track_of[i]]++];
		*s = raws[i].slice;
		(void)fits(o, s);
		s->depth = o->depth;
		o->ends[o->depth++] = s->start_ns + s->dur_ns;
		s->start_ns -= b->begin_ns;
	}
}

static void make_tracks(struct builder *b)
{
	struct jr_trace *t = b->trace;
	size_t n = b->raws.n, n_lanes = 0;
	struct raw *raws = b->raws.items;
	if (n)
		jr_sort(raws, n, sizeof(*raws), compare_raws);
	for (size_t i = 0; i < n; i++)
		n_lanes += i == 0 || raws[i].group != raws[i - 1].group ||
				   raws[i].lane != raws[i - 1].lane || raws[i].number != raws[i - 1].number;
	t->slices = JR_ARENA_N(b->arena, struct jr_trace_slice, n + 1);
	uint8_t *track_of = JR_ARENA_N(b->arena, uint8_t, n + 1);
	struct open *open = JR_ARENA_N(b->arena, struct open, BESIDE);
	size_t room = n < n_lanes * BESIDE ? n : n_lanes * BESIDE;
	t->tracks = JR_ARENA_N(b->arena, struct jr_trace_track, room + 1);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && raws[end].group == raws[i].group &&
						  raws[end].lane == raws[i].lane && raws[end].number == raws[i].number;
			 end++)
			;
		place(b, raws + i, end - i, track_of, open);
	}
}

/* --- counters ------------------------------------------------------------------------------- */

/* A change of the number of kernels, or of communication, in flight. */
struct change {
	int64_t t_ns;
	int32_t compute, communication;
};

JR_ORDER(compare_changes, struct change, JR_UP(t_ns))

static void begin_counter(struct builder *b, uint32_t group, const char *name, bool bytes)
{
	*jr_vec_add(&b->counters) = (struct jr_trace_counter){group, name, bytes, b->points.n, 0};
}

/* Several changes at one time are one point, and equal values none. */
static void put_point(struct builder *b, int64_t t_ns, int64_t value)
{
	struct jr_trace_counter *c = &b->counters.items[b->counters.n - 1];
	if (c->n) {
		struct jr_trace_point *last = &b->points.items[b->points.n - 1];
		if (last->t_ns == t_ns)
			last->value = value;
		if (last->value == value)
			return;
	}
	*jr_vec_add(&b->points) = (struct jr_trace_point){t_ns, value};
	c->n++;
}

/* Count what runs on a device at each time. */
static void count_in_flight(struct builder *b, uint32_t device, size_t first, size_t end)
{
	JR_VEC(struct change) changes = {0};
	bool any = false;
	for (size_t k = first; k < end; k++) {
		const struct jr_trace_track *track = &b->trace->tracks[k];
		bool communication = track->lane == JR_LANE_COMMUNICATION;
		if (!communication && track->lane != JR_LANE_COMPUTE && track->lane != JR_LANE_STREAM)
			continue;
		any = any || communication;
		for (size_t i = track->first; i < track->first + track->n; i++) {
			const struct jr_trace_slice *s = &b->trace->slices[i];
			*jr_vec_add(&changes) = (struct change){s->start_ns, !communication, communication};
			*jr_vec_add(&changes) =
				(struct change){s->start_ns + s->dur_ns, -!communication, -communication};
		}
	}
	jr_sort(changes.items, changes.n, sizeof(*changes.items), compare_changes);
	for (int exposed = 0; exposed < 1 + any && changes.n; exposed++) {
		int64_t compute = 0, communication = 0;
		begin_counter(b, device, exposed ? "Exposed communication" : "Kernels in flight", false);
		for (size_t i = 0; i < changes.n; i++) {
			compute += changes.items[i].compute;
			communication += changes.items[i].communication;
			put_point(b, changes.items[i].t_ns,
				exposed ? communication > 0 && compute == 0 : compute + communication);
		}
	}
	jr_vec_done(&changes);
}

static void add_counters(struct builder *b)
{
	const struct jr_trace *t = b->trace;
	const struct jr_allocator_events *a = &b->p->allocator_events;
	for (size_t k = 0, end; k < t->n_tracks; k = end) {
		uint32_t group = t->tracks[k].group;
		for (end = k + 1; end < t->n_tracks && t->tracks[end].group == group; end++)
			;
		if (group < b->p->n_devices && !t->n_left_out) /* else it would count too few */
			count_in_flight(b, group, k, end);
	}
	for (size_t i = 0; i < a->n; i++) {
		if (i == 0 || a->process[i] != a->process[i - 1] || a->allocator[i] != a->allocator[i - 1])
			begin_counter(b, host_of(b, a->process[i]),
				jr_arena_printf(b->arena, "Bytes in use, %s", jr_str(b->p, a->allocator[i])), true);
		int64_t t_ns = on_host(b, a->t_ns[i], a->process[i]) - b->begin_ns;
		put_point(b, t_ns > 0 ? t_ns : 0, a->in_use_bytes[i]);
	}
}

/* --- all ------------------------------------------------------------------------------------ */

static void name_groups(struct builder *b)
{
	const struct jr_profile *p = b->p;
	struct jr_trace *t = b->trace;
	t->n_groups = p->n_devices + p->n_processes + 1;
	t->groups = JR_ARENA_N(b->arena, struct jr_trace_group, t->n_groups + 1);
	for (size_t d = 0; d < p->n_devices; d++)
		t->groups[d].name = jr_arena_printf(b->arena, "Device %s", jr_device_name(p, d, b->arena));
	for (size_t i = 0; i < p->n_processes; i++)
		t->groups[p->n_devices + i].name = jr_arena_printf(
			b->arena, "Host of process %zu (%s)", i, jr_str(p, p->processes[i].name));
	t->groups[t->n_groups - 1].name = "Host, process not known";
}

/* The instance of each steady collective, numbered after all calls. */
static const uint32_t *flows_of(struct builder *b, const struct jr_instances *in)
{
	uint32_t *flows = JR_ARENA_N(b->arena, uint32_t, b->p->thunks.n + 1);
	size_t n = in ? in->n : 0;
	b->trace->n_flows = b->p->api_calls.n + 1 + n;
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; in->items[i].together && k < in->items[i].n; k++)
			flows[in->items[i].thunks[k]] = (uint32_t)(b->p->api_calls.n + 1 + i);
	return flows;
}

static void add_all(struct builder *b, const uint32_t *flows)
{
	add_thunks(b, flows);
	add_modules(b);
	add_gpu_ops(b);
	add_host(b);
}

static struct builder new_builder(
	const struct jr_profile *profile, const struct jr_trace_part *part, struct jr_arena *arena)
{
	struct builder b = {.p = profile,
		.part = part,
		.arena = arena,
		.trace = JR_ARENA_N(arena, struct jr_trace, 1),
		.by_class = JR_ARENA_N(arena, uint64_t, N_CLASSES + 1),
		.n_windows = part ? part->n_windows : 0,
		.windows = part ? part->windows : NULL,
		.near = JR_ARENA_N(arena, struct jr_trace_window, (part ? part->n_windows : 0) + 1),
		.near_device = JR_NONE,
		.counting = true,
		.begin_ns = INT64_MAX};
	find_processes(&b);
	return b;
}

uint64_t jr_trace_count(
	const struct jr_profile *profile, const struct jr_trace_part *part, struct jr_arena *arena)
{
	struct builder b = new_builder(profile, part, arena);
	uint64_t n = 0;
	add_all(&b, NULL);
	for (size_t k = 0; k < N_CLASSES; k++)
		n += b.by_class[k];
	jr_map_done(&b.thread_process);
	return n;
}

const struct jr_trace *jr_trace_build(const struct jr_profile *profile,
	const struct jr_results *results, const struct jr_trace_part *part, struct jr_arena *arena)
{
	struct builder b = new_builder(profile, part, arena);
	const uint32_t *flows = part ? NULL : flows_of(&b, results->instances);
	uint64_t n = 0;
	name_groups(&b);
	add_all(&b, flows);
	for (size_t k = N_CLASSES; k-- > 0;) {
		n += b.by_class[k];
		if (n > (part ? part->most : JR_TRACE_SLICES)) {
			b.least_ns = least_of_class(k + 1);
			break;
		}
	}
	b.counting = false;
	add_all(&b, flows);
	b.trace->least_ns = b.least_ns;
	b.begin_ns = b.begin_ns == INT64_MAX ? 0 : b.begin_ns;
	b.trace->begin_ns = b.begin_ns;
	make_tracks(&b);
	if (!part)
		add_counters(&b);
	b.trace->ops = jr_trace_ops(profile, results, arena);
	struct jr_trace *t = b.trace;
	t->n_counters = b.counters.n;
	t->n_points = b.points.n;
	t->n_names = b.names.n;
	t->names = JR_ARENA_COPY(arena, b.names.items, t->n_names, 1);
	t->counters = JR_ARENA_COPY(arena, b.counters.items, t->n_counters, 1);
	t->points = JR_ARENA_COPY(arena, b.points.items, t->n_points, 1);
	jr_vec_done(&b.raws);
	jr_vec_done(&b.points);
	jr_vec_done(&b.counters);
	jr_vec_done(&b.names);
	jr_map_done(&b.name_rows);
	jr_map_done(&b.thread_process);
	return t;
}
