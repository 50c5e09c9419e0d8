/* Missing records, and records that contradict each other. Each check is one pass over the rows in
 * file order with some state per stream or thread. */
#include <string.h>

#include "base/order.h"
#include "base/sort.h"
#include "model/build/faults.h"

/* Kernels of one stream run one after another. Programmatic dependent launch lets the next one
 * begin a few µs early. */
#define LEAST_COVERED 2
#define LEAST_COVERED_NS 20000

/* Host and device clocks are compared with a tolerance of some µs. */
#define EARLY_NS 100000

/* --- names of calls --------------------------------------------------------------------------- */

enum call_kind { NOT_YET, OTHER, LAUNCH, GRAPH_LAUNCH, CAPTURE_BEGIN, CAPTURE_END, COPY, SET };

static enum call_kind kind_of_name(const char *name)
{
	if (strstr(name, "BeginCapture"))
		return CAPTURE_BEGIN;
	if (strstr(name, "EndCapture"))
		return CAPTURE_END;
	if (strstr(name, "GraphLaunch"))
		return GRAPH_LAUNCH;
	if (!strstr(name, "Graph") && (strstr(name, "Memcpy") || strstr(name, "Memset")))
		return strstr(name, "Memcpy") ? COPY : SET;
	/* Host functions launched into a stream are not kernels. */
	return strstr(name, "Launch") && !strstr(name, "HostFunc") ? LAUNCH : OTHER;
}

struct checking {
	struct jr_export *x;
	uint8_t *kinds;      /* [strings.n] enum call_kind of calls with that name */
	uint32_t *op;        /* [calls.n] first operation that the call launched; JR_NONE */
	int64_t *latest_ns;  /* [n_processes] longest time from a launch to the end of its operation */
	uint64_t *n_records; /* [n_processes] calls and operations */
	struct jr_arena scratch;
};

/* A process of which a hundredth of the records cannot be linked is not judged by its links. */
#define UNLINKABLE_SHARE 0.01

static bool can_link(const struct checking *c, uint32_t process)
{
	return process == JR_NONE ||
		   (double)c->x->n_unlinkable[process] <= UNLINKABLE_SHARE * (double)c->n_records[process];
}

static void count_records(struct checking *c)
{
	const struct jr_timeline *s = &c->x->rows;
	for (size_t i = 0; i < s->calls.n; i++)
		c->n_records[s->threads[s->calls.thread[i]].process]++;
	for (size_t i = 0; i < s->gpu.n; i++)
		if (s->gpu.process[i] != JR_NONE)
			c->n_records[s->gpu.process[i]]++;
}

static enum call_kind kind_of_call(struct checking *c, size_t call)
{
	const struct jr_timeline *s = &c->x->rows;
	uint8_t *kind = &c->kinds[s->calls.name[call]];
	if (*kind == NOT_YET)
		*kind = (uint8_t)kind_of_name(jr_intern_str(&s->strings, s->calls.name[call]));
	return *kind;
}

/* XLA's tracer names a launch after its kernel. Other calls with such a name are launches, too. */
static void find_kernel_names(struct checking *c)
{
	const struct jr_timeline *s = &c->x->rows;
	for (size_t i = 0; i < s->gpu.n; i++) {
		uint32_t call = c->x->launch[i];
		if (call == JR_NONE || s->gpu.kind[i] != JR_TIMELINE_KERNEL || s->calls.name[call] == 0)
			continue;
		const char *name = jr_intern_str(&s->strings, s->calls.name[call]);
		if (strncmp(name, "cu", 2) != 0 && strncmp(name, "hip", 3) != 0)
			c->kinds[s->calls.name[call]] = LAUNCH;
	}
}

static void add_doubt(struct jr_export *x, uint32_t device, int64_t begin_ns, int64_t end_ns)
{
	if (end_ns > begin_ns)
		*jr_vec_add(&x->doubts) = (struct jr_doubted){device, begin_ns, end_ns};
}

/* --- operations that cover others ------------------------------------------------------------- */

/* State of a stream: the operation that ends last so far, the one that did before it, and the
 * operations inside the first. */
struct stream {
	uint32_t row, before, device, process; /* rows JR_NONE: none yet */
	int64_t first_covered_ns;
	uint64_t n_covered;
	struct jr_fault fault;
};

struct streams {
	JR_VEC(struct stream) list;
	struct jr_map rows; /* (device, stream), or that and process -> row of list */
	uint64_t last_key;
	uint32_t last_process, last;
};

static struct stream *stream_of(struct streams *all, const struct jr_timeline_gpu *gpu, size_t i)
{
	uint64_t key = jr_key2(gpu->device[i], gpu->stream[i]);
	if (all->list.n && all->last_key == key && all->last_process == gpu->process[i])
		return &all->list.items[all->last];
	uint64_t hash = key ^ ((uint64_t)gpu->process[i] + 1) << 44;
	uint32_t row = jr_map_add(&all->rows, hash, (uint32_t)all->list.n);
	if (row == all->list.n)
		*jr_vec_add(&all->list) =
			(struct stream){JR_NONE, JR_NONE, .device = gpu->device[i], .process = gpu->process[i]};
	all->last_key = key;
	all->last_process = gpu->process[i];
	all->last = row;
	return &all->list.items[row];
}

/* End an operation where the next one of its stream begins, because it must have ended by then. */
static void cut(struct jr_export *x, struct stream *s, uint32_t row, int64_t next_ns)
{
	struct jr_timeline_gpu *gpu = &x->rows.gpu;
	int64_t begin_ns = gpu->start_ns[row], end_ns = gpu->end_ns[row];
	struct jr_fault *f = &s->fault;
	if (f->count++ == 0)
		f->begin_ns = begin_ns;
	f->end_ns = end_ns > f->end_ns || f->count == 1 ? end_ns : f->end_ns;
	f->most_ns = end_ns - next_ns > f->most_ns ? end_ns - next_ns : f->most_ns;
	add_doubt(x, s->device, begin_ns, end_ns);
	gpu->end_ns[row] = next_ns;
}

static void settle(struct jr_export *x, struct stream *s)
{
	if (s->row != JR_NONE && s->n_covered >= LEAST_COVERED &&
		x->rows.gpu.end_ns[s->row] - s->first_covered_ns >= LEAST_COVERED_NS)
		cut(x, s, s->row, s->first_covered_ns);
}

/* Nodes of a graph may run concurrently, regardless of their stream. */
static bool in_graph(struct checking *c, size_t op)
{
	uint32_t call = c->x->launch[op];
	return c->x->rows.gpu.kind[op] == JR_TIMELINE_GRAPH || call == JR_NONE ||
		   kind_of_call(c, call) == GRAPH_LAUNCH;
}

static void find_covering(struct checking *c)
{
	struct jr_export *x = c->x;
	const struct jr_timeline_gpu *gpu = &x->rows.gpu;
	struct streams all = {0};
	for (uint32_t i = 0; i < gpu->n; i++) {
		if (in_graph(c, i) || gpu->stream[i] == JR_NONE) /* of unknown order */
			continue;
		struct stream *s = stream_of(&all, gpu, i);
		s->fault.of++;
		x->n_checked[JR_FAULT_COVERING]++;
		bool in_order = s->row != JR_NONE && gpu->start_ns[i] >= gpu->start_ns[s->row];
		if (in_order && gpu->end_ns[i] <= gpu->end_ns[s->row]) {
			if (s->n_covered++ == 0)
				s->first_covered_ns = gpu->start_ns[i];
			continue;
		}
		settle(x, s);
		if (in_order && s->before != JR_NONE &&
			gpu->end_ns[s->before] - gpu->start_ns[i] >= LEAST_COVERED_NS)
			cut(x, s, s->before, gpu->start_ns[s->row]);
		s->before = in_order ? s->row : JR_NONE;
		s->row = i;
		s->n_covered = 0;
	}
	for (size_t k = 0; k < all.list.n; k++) {
		struct stream *s = &all.list.items[k];
		settle(x, s);
		s->fault.kind = JR_FAULT_COVERING;
		s->fault.device = s->device;
		s->fault.process = s->process;
		s->fault.tid = -1;
		if (s->fault.count)
			*jr_vec_add(&x->faults) = s->fault;
	}
	jr_vec_done(&all.list);
	jr_map_done(&all.rows);
}

/* --- operations and their launches ------------------------------------------------------------ */

/* Find operations that begin before their launch, per device. Also fills c->op and c->latest_ns. */
static void hold_against_launches(struct checking *c)
{
	struct jr_export *x = c->x;
	const struct jr_timeline_gpu *gpu = &x->rows.gpu;
	const struct jr_timeline_calls *calls = &x->rows.calls;
	struct jr_fault *early = JR_ARENA_N(&c->scratch, struct jr_fault, x->n_devices + 1);
	for (uint32_t i = 0; i < gpu->n; i++) {
		uint32_t call = x->launch[i];
		if (call == JR_NONE)
			continue;
		if (c->op[call] == JR_NONE)
			c->op[call] = i;
		int64_t *latest_ns = &c->latest_ns[gpu->process[i]];
		int64_t took_ns = gpu->end_ns[i] - calls->start_ns[call];
		*latest_ns = took_ns > *latest_ns ? took_ns : *latest_ns;
		struct jr_fault *f = &early[gpu->device[i]];
		int64_t early_ns = calls->start_ns[call] - gpu->start_ns[i];
		f->of++;
		x->n_checked[JR_FAULT_BEFORE_LAUNCH]++;
		if (early_ns < EARLY_NS)
			continue;
		if (f->count++ == 0)
			*f = (struct jr_fault){JR_FAULT_BEFORE_LAUNCH, 0, gpu->process[i], gpu->device[i], -1,
				1, f->of, gpu->start_ns[i], gpu->start_ns[i], 0};
		f->begin_ns = gpu->start_ns[i] < f->begin_ns ? gpu->start_ns[i] : f->begin_ns;
		f->end_ns = gpu->end_ns[i] > f->end_ns ? gpu->end_ns[i] : f->end_ns;
		f->most_ns = early_ns > f->most_ns ? early_ns : f->most_ns;
	}
	for (uint32_t d = 0; d < x->n_devices; d++)
		if (early[d].count)
			*jr_vec_add(&x->faults) = early[d];
}

/* Work launched near an edge of the capture may run outside of it. "Near" is 1 % of the capture, or
 * twice the longest time of the process from a launch to the end of its work (JR_NONE: no process).
 * No observed idle time depends on this. */
static bool near_edge(const struct checking *c, uint32_t process, int64_t away_ns)
{
	return away_ns <= (c->x->last_ns - c->x->first_ns) / 100 ||
		   (process != JR_NONE && c->latest_ns[process] > 0 &&
			   away_ns <= 2 * c->latest_ns[process]);
}

/* Find kernels without a recorded launch, per device. */
static void find_unlaunched(struct checking *c)
{
	struct jr_export *x = c->x;
	const struct jr_timeline_gpu *gpu = &x->rows.gpu;
	struct jr_fault *faults = JR_ARENA_N(&c->scratch, struct jr_fault, x->n_devices + 1);
	if (x->rows.calls.n == 0)
		return;
	for (size_t i = 0; i < gpu->n; i++) {
		struct jr_fault *f = &faults[gpu->device[i]];
		if (gpu->kind[i] != JR_TIMELINE_KERNEL) /* unified memory moves pages without a launch */
			continue;
		if (!can_link(c, gpu->process[i]))
			continue;
		f->of++;
		x->n_checked[JR_FAULT_LOST_LAUNCHES]++;
		if (x->launch[i] != JR_NONE || gpu->process[i] == JR_NONE ||
			near_edge(c, gpu->process[i], gpu->start_ns[i] - x->first_ns))
			continue;
		int64_t start_ns = gpu->start_ns[i];
		if (f->count++ == 0)
			f->begin_ns = f->end_ns = start_ns;
		f->begin_ns = start_ns < f->begin_ns ? start_ns : f->begin_ns;
		f->end_ns = start_ns > f->end_ns ? start_ns : f->end_ns;
	}
	for (uint32_t d = 0; d < x->n_devices; d++) {
		struct jr_fault *f = &faults[d];
		f->kind = JR_FAULT_LOST_LAUNCHES;
		f->process = x->devices[d].process;
		f->device = d;
		f->tid = -1;
		if (f->count)
			*jr_vec_add(&x->faults) = *f;
	}
}

/* State of a thread: the current launch with its nested calls, the last launch whose work was
 * recorded, and the launches since then without recorded work. */
struct thread {
	bool capturing;
	bool any; /* there is a current launch */
	int64_t start_ns, end_ns;
	uint32_t op;
	bool captured;
	int64_t ran_until_ns; /* end of the last recorded work; INT64_MIN = none yet */
	uint64_t n_since;     /* launches without recorded work since then */
	int64_t first_since_ns, last_since_ns;
	int64_t until_ns; /* if the device is not known: end of the last lost work */
	struct jr_fault fault;
};

static uint32_t device_of_thread(const struct jr_export *x, uint32_t thread)
{
	uint32_t device = JR_NONE;
	for (size_t i = 0; i < x->n_uses; i++)
		if (x->uses[i].thread == thread)
			device = device == JR_NONE ? x->uses[i].device : JR_SEVERAL;
	return device < JR_SEVERAL ? device : JR_NONE;
}

/* Report the launches since the last recorded work as lost. Their work ran until `until_ns`. */
static void lose(struct checking *c, uint32_t thread, struct thread *t, int64_t until_ns)
{
	struct jr_export *x = c->x;
	struct jr_fault *f = &t->fault;
	uint64_t n = t->n_since;
	uint32_t process = x->rows.threads[thread].process;
	t->n_since = 0;
	bool at_end = until_ns == x->last_ns; /* else later launches were recorded */
	if (n == 0 || (c->latest_ns[process] > 0 &&
					  near_edge(c, at_end ? process : JR_NONE, x->last_ns - t->first_since_ns)))
		return;
	if (f->count == 0) {
		f->begin_ns = t->first_since_ns;
		f->device = device_of_thread(x, thread);
	}
	f->count += n;
	f->end_ns = t->last_since_ns;
	int64_t from_ns = t->ran_until_ns > t->first_since_ns ? t->ran_until_ns : t->first_since_ns;
	if (f->device != JR_NONE)
		add_doubt(x, f->device, from_ns, until_ns);
	else if (until_ns > t->until_ns)
		t->until_ns = until_ns;
}

/* Finish the current launch of the thread, with its nested calls. */
static void flush(struct checking *c, uint32_t thread, struct thread *t)
{
	if (!t->any || t->captured) {
		t->any = false;
		return;
	}
	t->any = false;
	t->fault.of++;
	c->x->n_checked[JR_FAULT_LOST_KERNELS]++;
	if (t->op == JR_NONE) {
		if (t->n_since++ == 0)
			t->first_since_ns = t->start_ns;
		t->last_since_ns = t->end_ns;
		return;
	}
	lose(c, thread, t, c->x->rows.gpu.start_ns[t->op]);
	t->ran_until_ns = c->x->rows.gpu.end_ns[t->op];
}

static void find_lost(struct checking *c)
{
	struct jr_export *x = c->x;
	const struct jr_timeline *s = &x->rows;
	const struct jr_timeline_calls *calls = &s->calls;
	struct thread *threads = JR_ARENA_N(&c->scratch, struct thread, s->n_threads + 1);
	uint32_t *n_capturing = JR_ARENA_N(&c->scratch, uint32_t, s->n_processes + 1);
	struct jr_doubted anywhere = {JR_NONE, INT64_MAX, INT64_MIN};
	for (size_t i = 0; i < s->n_threads; i++)
		threads[i].ran_until_ns = threads[i].until_ns = INT64_MIN;
	for (size_t i = 0; i < calls->n; i++) {
		enum call_kind kind = kind_of_call(c, i);
		if (kind == OTHER || kind == COPY || kind == SET)
			continue;
		struct thread *t = &threads[calls->thread[i]];
		uint32_t process = s->threads[calls->thread[i]].process;
		if (!can_link(c, process))
			continue;
		if (kind == CAPTURE_BEGIN || kind == CAPTURE_END) {
			bool begins = kind == CAPTURE_BEGIN;
			n_capturing[process] += begins && !t->capturing;
			n_capturing[process] -= !begins && t->capturing;
			t->capturing = begins;
			continue;
		}
		int64_t start_ns = calls->start_ns[i], end_ns = calls->end_ns[i];
		if (t->any && start_ns <= t->end_ns && end_ns >= t->start_ns) { /* calls nest */
			t->op = t->op == JR_NONE ? c->op[i] : t->op;
			t->start_ns = start_ns < t->start_ns ? start_ns : t->start_ns;
			t->end_ns = end_ns > t->end_ns ? end_ns : t->end_ns;
			continue;
		}
		flush(c, calls->thread[i], t);
		t->any = true;
		t->start_ns = start_ns;
		t->end_ns = end_ns;
		t->op = c->op[i];
		t->captured = n_capturing[process] > 0;
	}
	for (uint32_t i = 0; i < s->n_threads; i++) {
		struct thread *t = &threads[i];
		flush(c, i, t);
		lose(c, i, t, x->last_ns);
		if (t->fault.count == 0)
			continue;
		t->fault.kind = JR_FAULT_LOST_KERNELS;
		t->fault.process = s->threads[i].process;
		t->fault.tid = s->threads[i].tid;
		*jr_vec_add(&x->faults) = t->fault;
		if (t->fault.device != JR_NONE)
			continue;
		anywhere.begin_ns =
			t->fault.begin_ns < anywhere.begin_ns ? t->fault.begin_ns : anywhere.begin_ns;
		anywhere.end_ns = t->until_ns > anywhere.end_ns ? t->until_ns : anywhere.end_ns;
	}
	add_doubt(x, JR_NONE, anywhere.begin_ns, anywhere.end_ns);
}

/* --- copies ------------------------------------------------------------------------------------
 */

/* Calls of one kind of a process that are not part of a graph. */
struct copying {
	struct jr_fault fault;
	bool recorded; /* an operation of the kind */
};

/* Find processes that copy or set memory, but have no such operation: a table is absent, or the
 * kind was not recorded. What the device did meanwhile is unknown. */
static void find_lost_copies(struct checking *c)
{
	struct jr_export *x = c->x;
	const struct jr_timeline *s = &x->rows;
	if (s->lacks_operations) /* a table that cannot be read explains it */
		return;
	struct copying *all = JR_ARENA_N(&c->scratch, struct copying, 2 * s->n_processes + 1);
	uint32_t *n_capturing = JR_ARENA_N(&c->scratch, uint32_t, s->n_processes + 1);
	bool of_unknown[2] = {false, false};
	for (size_t i = 0; i < s->gpu.n; i++) {
		bool is_set = s->gpu.kind[i] == JR_TIMELINE_MEMSET;
		if (!is_set && s->gpu.kind[i] != JR_TIMELINE_MEMCPY)
			continue;
		if (s->gpu.process[i] == JR_NONE)
			of_unknown[is_set] = true;
		else
			all[2 * s->gpu.process[i] + is_set].recorded = true;
	}
	for (size_t i = 0; i < s->calls.n; i++) {
		enum call_kind kind = kind_of_call(c, i);
		uint32_t process = s->threads[s->calls.thread[i]].process;
		n_capturing[process] += kind == CAPTURE_BEGIN;
		n_capturing[process] -= kind == CAPTURE_END && n_capturing[process];
		struct copying *copying = &all[2 * process + (kind == SET)];
		struct jr_fault *f = &copying->fault;
		if ((kind != COPY && kind != SET) || n_capturing[process])
			continue;
		x->n_checked[JR_FAULT_LOST_COPIES]++;
		if (c->op[i] != JR_NONE || copying->recorded || of_unknown[kind == SET] ||
			s->processes[process].id == 0 || near_edge(c, JR_NONE, x->last_ns - s->calls.end_ns[i]))
			continue;
		if (f->count++ == 0)
			*f = (struct jr_fault){
				JR_FAULT_LOST_COPIES, 0, process, JR_NONE, -1, 1, 0, s->calls.start_ns[i], 0, 0};
		f->end_ns =
			s->calls.end_ns[i] > f->end_ns || f->count == 1 ? s->calls.end_ns[i] : f->end_ns;
	}
	for (size_t k = 0; k < 2 * s->n_processes; k++) {
		struct jr_fault *f = &all[k].fault;
		f->of = f->count;
		if (f->count)
			*jr_vec_add(&x->faults) = *f;
		if (f->count)
			add_doubt(x, JR_NONE, f->begin_ns, f->end_ns);
	}
}

/* --- replays of graphs ------------------------------------------------------------------------ */

/* The recorded work of one graph launch. */
struct replay {
	uint32_t graph, process, device, n; /* graph 0: the call did not launch one */
	int64_t start_ns, end_ns;
};

JR_ORDER(compare_replays, struct replay, JR_UP(process) JR_UP(graph) JR_UP(n) JR_UP(start_ns))

/* Compare the replays of one graph by number of kernels. Replays with fewer kernels than the
 * majority have lost some. Without a majority, the graph has conditional nodes. */
#define USUAL_SHARE 0.6

static void compare_with_usual(struct jr_export *x, const struct replay *replays, size_t n)
{
	size_t begin = 0, usual = 0, most = 0;
	for (size_t i = 1; i <= n; i++) {
		if (i < n && replays[i].n == replays[begin].n)
			continue;
		if (i - begin >= most) {
			most = i - begin;
			usual = begin;
		}
		begin = i;
	}
	x->n_checked[JR_FAULT_LOST_NODES] += n;
	if (usual == 0 || (double)most < USUAL_SHARE * (double)n)
		return;
	struct jr_fault f = {JR_FAULT_LOST_NODES, 0, replays[0].process, replays[0].device, -1, usual,
		n, replays[0].start_ns, replays[0].end_ns, 0};
	for (size_t i = 0; i < usual; i++) {
		f.begin_ns = replays[i].start_ns < f.begin_ns ? replays[i].start_ns : f.begin_ns;
		f.end_ns = replays[i].end_ns > f.end_ns ? replays[i].end_ns : f.end_ns;
		add_doubt(x, replays[i].device, replays[i].start_ns, replays[i].end_ns);
	}
	*jr_vec_add(&x->faults) = f;
}

static enum jr_status find_short_replays(struct checking *c, struct jr_error *err)
{
	struct jr_export *x = c->x;
	const struct jr_timeline_gpu *gpu = &x->rows.gpu;
	size_t n = 0, any = 0;
	for (size_t i = 0; gpu->graph && i < gpu->n && !any; i++)
		any = gpu->graph[i];
	if (!any)
		return JR_OK;
	struct replay *replays;
	JR_TRY_ARRAY(replays, &c->scratch, (uint64_t)x->rows.calls.n + 1, err);
	for (size_t i = 0; i < gpu->n; i++) {
		if (gpu->graph[i] == 0 || x->launch[i] == JR_NONE)
			continue;
		struct replay *r = &replays[x->launch[i]];
		if (r->n++ == 0)
			*r = (struct replay){gpu->graph[i], gpu->process[i], gpu->device[i], 1,
				gpu->start_ns[i], gpu->end_ns[i]};
		r->start_ns = gpu->start_ns[i] < r->start_ns ? gpu->start_ns[i] : r->start_ns;
		r->end_ns = gpu->end_ns[i] > r->end_ns ? gpu->end_ns[i] : r->end_ns;
	}
	for (size_t i = 0; i < x->rows.calls.n; i++)
		if (replays[i].n && !near_edge(c, JR_NONE, x->last_ns - replays[i].start_ns))
			replays[n++] = replays[i];
	jr_sort(replays, n, sizeof(*replays), compare_replays);
	for (size_t begin = 0, i = 1; i <= n; i++) {
		if (i < n && replays[i].graph == replays[begin].graph &&
			replays[i].process == replays[begin].process)
			continue;
		compare_with_usual(x, replays + begin, i - begin);
		begin = i;
	}
	return JR_OK;
}

/* --- all checks ------------------------------------------------------------------------------- */

enum jr_status jr_faults_find(struct jr_export *x, struct jr_error *err)
{
	const struct jr_timeline *s = &x->rows;
	struct checking c = {.x = x};
	jr_arena_init(&c.scratch, 0);
	c.kinds = JR_ARENA_N(&c.scratch, uint8_t, s->strings.n + 1);
	c.n_records = JR_ARENA_N(&c.scratch, uint64_t, s->n_processes + 1);
	c.latest_ns = JR_ARENA_N(&c.scratch, int64_t, s->n_processes + 1);
	c.op = jr_arena_array(&c.scratch, (uint64_t)s->calls.n + 1, sizeof(*c.op), err);
	if (c.op) {
		memset(c.op, 0xFF, s->calls.n * sizeof(*c.op));
		count_records(&c);
		find_kernel_names(&c);
		find_covering(&c);
		hold_against_launches(&c);
		find_unlaunched(&c);
		find_lost(&c);
		find_lost_copies(&c);
	}
	enum jr_status status = c.op ? find_short_replays(&c, err) : JR_ELIMIT;
	jr_arena_done(&c.scratch);
	return status;
}
