/* Planes of devices, programs, scopes and the session; host work of programs. */
#include <string.h>

#include "base/cleanup.h"
#include "write_xspace.h"

#define DERIVED_ID INT64_C(0xdeadbeef)
#define UNIX_NS INT64_C(1767323045000000000) /* 2026-01-02 03:04:05 */

static const struct gen_process *process_of(const struct gen_xspace *x)
{
	return &x->sc->processes.items[x->process];
}

static struct jr_bytes text(const char *s)
{
	return jr_bytes_of(s, strlen(s));
}

/* --- executions ------------------------------------------------------------------------------- */

/* An allocator's statistics after an allocation or release; it has no other users. */
static void put_memory(struct gen_xspace *x, const char *name, int64_t t_ns, int64_t change_bytes,
	uint64_t in_use, uint64_t peak)
{
	uint64_t whole = x->sc->gpu_memory_bytes / 4 * 3;
	uint64_t bytes = (uint64_t)(change_bytes < 0 ? -change_bytes : change_bytes);
	gen_xspace_host_event(x, process_of(x)->main_tid, name, t_ns, t_ns);
	gen_xstat_ref(&x->host, GEN_XSTAT_EVENT, "allocator_name", text("GPU_0_bfc"));
	gen_xstat_u64(&x->host, GEN_XSTAT_EVENT, "bytes_allocated", in_use);
	gen_xstat_u64(&x->host, GEN_XSTAT_EVENT, "bytes_available", whole - in_use);
	gen_xstat_u64(&x->host, GEN_XSTAT_EVENT, "bytes_reserved", 0);
	gen_xstat_u64(&x->host, GEN_XSTAT_EVENT, "peak_bytes_in_use", peak);
	gen_xstat_f64(&x->host, GEN_XSTAT_EVENT, "fragmentation", 0);
	gen_xstat_u64(&x->host, GEN_XSTAT_EVENT, "requested_bytes", bytes);
	gen_xstat_u64(&x->host, GEN_XSTAT_EVENT, "allocation_bytes", bytes);
	gen_xstat_u64(&x->host, GEN_XSTAT_EVENT, "addr", UINT64_C(0x7f0000000000));
}

/* An execution's allocation besides its arguments: temporaries and results in one block. */
static uint64_t allocated(const struct gen_program *p)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < p->allocations.n; i++)
		if (!(p->allocations.items[i].flags &
				(GEN_PARAMETER | GEN_CONSTANT | GEN_THREAD_LOCAL | GEN_HOST)))
			sum += p->allocations.items[i].bytes;
	return sum;
}

/* "$train.py:17 main", outermost first: functions above those of the program's operations. */
static void put_python(struct gen_xspace *x, const struct gen_xexecution *e)
{
	const struct gen_program *p = x->sc->programs.items[e->program];
	size_t n = p->frames.n < 2 ? p->frames.n : 2;
	for (size_t i = 0; i < n; i++) {
		const struct gen_frame *f = &p->frames.items[i];
		const char *slash = strrchr(f->file, '/');
		int64_t around_ns = 600 * (int64_t)(3 + n - i);
		gen_xspace_host_event(x, process_of(x)->main_tid,
			gen_text(x->sc, "$%s:%d %s", slash ? slash + 1 : f->file, f->line, f->function),
			e->start_ns - around_ns, e->end_ns + around_ns);
	}
}

static void put_step(struct gen_xspace *x, const struct gen_xexecution *e)
{
	gen_xspace_host_event(x, process_of(x)->main_tid, "train", e->start_ns - GEN_STEP_MARGIN_NS,
		e->end_ns + GEN_STEP_MARGIN_NS);
	gen_xstat_i64(&x->host, GEN_XSTAT_EVENT, "_r", 1);
	gen_xstat_i64(&x->host, GEN_XSTAT_EVENT, "step_num", GEN_FIRST_STEP + (int64_t)e->number);
}

void gen_xspace_executions(struct gen_xspace *x)
{
	uint32_t step = gen_step_program(x->sc);
	uint64_t peak = 0;
	for (size_t i = 0; i < x->executions.n; i++) {
		const struct gen_xexecution *e = &x->executions.items[i];
		const struct gen_program *p = x->sc->programs.items[e->program];
		int64_t tid = process_of(x)->main_tid;
		if (gen_xspace_has(x, GEN_XSPACE_STEPS) && e->program == step)
			put_step(x, e);
		if (gen_xspace_has(x, GEN_XSPACE_PYTHON))
			put_python(x, e);
		if (!gen_xspace_has(x, GEN_XSPACE_HOST))
			continue;
		const char *function = strncmp(p->name, "jit_", 4) == 0 ? p->name + 4 : p->name;
		for (int k = 2; k > 0; k--) /* once in Python, once below it */
			gen_xspace_host_event(x, tid, gen_text(x->sc, "PjitFunction(%s)", function),
				e->start_ns - 600 * k, e->end_ns + 600 * k);
		uint64_t bytes = allocated(p);
		peak = bytes > peak ? bytes : peak;
		put_memory(x, "MemoryAllocation", e->start_ns - 300, (int64_t)bytes, bytes, peak);
		put_memory(x, "MemoryDeallocation", e->end_ns + 300, -(int64_t)bytes, 0, peak);
	}
}

/* --- lines that viewers add ------------------------------------------------------------------- */

/* Lines derived from the compute stream; they repeat its kernels. */
static void derive(struct gen_xspace *x, struct gen_xplane *plane, uint32_t device)
{
	size_t n_events = plane->events.n, n_lines = plane->lines.n;
	uint32_t step = gen_step_program(x->sc), n_steps = 0;
	uint32_t steps = gen_xplane_line(plane, DERIVED_ID, "Steps");
	uint32_t modules = gen_xplane_line(plane, DERIVED_ID + 4, "XLA Modules - from #7");
	uint32_t ops = gen_xplane_line(plane, DERIVED_ID + 5, "XLA Ops - from #7");
	for (size_t i = 0; i < x->sc->ranges.n; i++) {
		const struct gen_range *r = &x->sc->ranges.items[i];
		if (r->kind != GEN_RANGE_MODULE || r->program == GEN_NO_INDEX || r->device != device)
			continue;
		int64_t start_ns = r->gpu_start_ns + x->sc->devices.items[device].offset_ns;
		const struct gen_program *p = x->sc->programs.items[r->program];
		const char *name =
			gen_text(x->sc, "%s(%lld)", p->name, (long long)gen_program_number(p, x->process));
		gen_xplane_event(
			plane, modules, gen_bytes(x->sc, name), start_ns, start_ns + r->gpu_dur_ns);
		if (r->program != step)
			continue;
		gen_xplane_event(
			plane, steps, text(gen_text(x->sc, "%u", n_steps)), start_ns, start_ns + r->gpu_dur_ns);
		gen_xstat_i64(plane, GEN_XSTAT_EVENT, "group_id", n_steps++);
		gen_xstat_ref(plane, GEN_XSTAT_EVENT, "step_name",
			text(gen_text(x->sc, "train %u", GEN_FIRST_STEP + r->execution)));
	}
	for (size_t i = 0; i < n_events; i++) {
		struct gen_xevent event = plane->events.items[i];
		if (event.line >= n_lines || plane->lines.items[event.line].id != GEN_STREAM_COMPUTE)
			continue;
		gen_xplane_event(plane, ops,
			jr_bytes_of(
				jr_intern_str(&plane->names, event.meta), jr_intern_len(&plane->names, event.meta)),
			event.start_ns, event.end_ns);
	}
}

/* --- planes ----------------------------------------------------------------------------------- */

static void write_device(struct gen_xspace *x, uint32_t local, FILE *file)
{
	struct gen_xplane *plane = &x->gpus[local];
	const struct gen_scenario *sc = x->sc;
	if (gen_xspace_has(x, GEN_XSPACE_DERIVED))
		derive(x, plane, process_of(x)->first_device + local);
	gen_xstat_ref(plane, GEN_XSTAT_PLANE, "device_vendor", text("Nvidia"));
	gen_xstat_ref(plane, GEN_XSTAT_PLANE, "gpu_device_name",
		gen_bytes(x->sc, gen_hostile(x->sc, GEN_FIELD_GPU, sc->gpu_name)));
	gen_xstat_u64(plane, GEN_XSTAT_PLANE, "clock_rate", sc->gpu_clock_hz / 1000);
	gen_xstat_u64(plane, GEN_XSTAT_PLANE, "core_count", sc->gpu_sm_count);
	gen_xstat_u64(plane, GEN_XSTAT_PLANE, "memory_bandwidth", sc->gpu_bandwidth_bytes_s);
	gen_xstat_u64(plane, GEN_XSTAT_PLANE, "memory_size", sc->gpu_memory_bytes);
	gen_xstat_u64(plane, GEN_XSTAT_PLANE, "compute_cap_major", sc->gpu_compute_major);
	gen_xstat_u64(plane, GEN_XSTAT_PLANE, "compute_cap_minor", 0);
	gen_xplane_write(plane, file);
}

static void write_programs(struct gen_xspace *x, FILE *file)
{
	struct gen_xplane plane;
	gen_xplane_init(&plane, 0, "/host:metadata");
	for (size_t i = 0; gen_xspace_has(x, GEN_XSPACE_HLO) && i < x->sc->programs.n; i++) {
		const struct gen_program *p = x->sc->programs.items[i];
		int64_t number = gen_program_number(p, x->process);
		const char *name = gen_text(x->sc, "%s(%lld)", p->name, (long long)number);
		JR_CLEANUP(jr_buf_done) struct jr_buf packed = {0};
		gen_pack_hlo(x->sc, p, x->process, &packed);
		gen_xplane_program(&plane, number, gen_bytes(x->sc, name), jr_buf_view(&packed));
	}
	static const char *const versions[][2] = {{"jax_version", "0.10.0"},
		{"jaxlib_version", "0.10.0"}, {"cuda_version", "13000"}, {"cuda_runtime_version", "13000"}};
	for (size_t i = 0; i < JR_COUNT_OF(versions); i++)
		gen_xstat_text(&plane, GEN_XSTAT_PLANE, versions[i][0], text(versions[i][1]));
	gen_xstat_text(&plane, GEN_XSTAT_PLANE, "cuda_driver_version",
		gen_bytes(x->sc, gen_hostile(x->sc, GEN_FIELD_CUDA, "12040")));
	gen_xplane_write(&plane, file);
	gen_xplane_done(&plane);
}

/* A tree of ids: each gives its parent. It also has a statistic with a name. */
static void write_scopes(struct gen_xspace *x, FILE *file)
{
	struct gen_xplane plane;
	gen_xplane_init(&plane, 0, "/host:__ScopeRangeCallStack__");
	gen_xstat_u64(&plane, GEN_XSTAT_PLANE, "process_id", (uint64_t)process_of(x)->pid);
	for (size_t i = 0; i < x->scope_parents.n; i++)
		if (x->scope_parents.items[i])
			gen_xstat_unnamed(&plane, i + 1, x->scope_parents.items[i]);
	gen_xplane_write(&plane, file);
	gen_xplane_done(&plane);
}

static void write_session(struct gen_xspace *x, FILE *file)
{
	struct gen_xplane plane;
	gen_xplane_init(&plane, 0, "Task Environment");
	gen_xstat_u64(&plane, GEN_XSTAT_PLANE, "profile_start_time", (uint64_t)UNIX_NS);
	gen_xstat_u64(
		&plane, GEN_XSTAT_PLANE, "profile_stop_time", (uint64_t)(UNIX_NS + x->last_ns + 1000000));
	gen_xplane_write(&plane, file);
	gen_xplane_done(&plane);
}

void gen_xspace_write_planes(struct gen_xspace *x, FILE *file)
{
	bool one = gen_xspace_has(x, GEN_XSPACE_ONE_HOST);
	const char *host = gen_text(x->sc, "node%03u", 17 + (one ? 0 : x->process));
	write_programs(x, file);
	for (uint32_t i = 0; i < process_of(x)->n_devices; i++)
		write_device(x, i, file);
	if (gen_xspace_has(x, GEN_XSPACE_SCOPES))
		write_scopes(x, file);
	gen_xplane_write(&x->host, file);
	write_session(x, file);
	if (x->n_dropped)
		gen_xspace_text(file, 3,
			text(gen_text(x->sc,
				"Detected GPU events dropped on %s: Profiler has collected %llu driver events and "
				"%llu device events. %llu events dropped because total device(activity) events "
				"reaches max",
				host, (unsigned long long)x->n_driver_events,
				(unsigned long long)x->n_device_events, (unsigned long long)x->n_dropped)));
	gen_xspace_text(file, 4, gen_bytes(x->sc, gen_hostile(x->sc, GEN_FIELD_HOST, host)));
}
