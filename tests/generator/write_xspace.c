/*
 * write_xspace.c - the output of jax.profiler for the same job (formats/README.md, section 8):
 * times, names and sizes equal those of write_sqlite.c.
 *
 * The compiler's ranges are annotations, which such a file does not contain; the autotuner's
 * kernels are in no module.
 */
#include "write_xspace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

uint32_t gen_xspace_thread(struct gen_xspace *x, int64_t tid)
{
	uint32_t line = jr_map_get(&x->thread_lines, (uint64_t)tid);
	if (line != JR_NONE)
		return line;
	bool main = tid == x->sc->processes.items[x->process].main_tid;
	const char *name = main ? "python" : gen_text(x->sc, "py_xla_execute/%lld", (long long)tid);
	line = gen_xplane_line(&x->host, tid, name);
	jr_map_put(&x->thread_lines, (uint64_t)tid, line);
	return line;
}

void gen_xspace_host_event(
	struct gen_xspace *x, int64_t tid, const char *name, int64_t start_ns, int64_t end_ns)
{
	gen_xplane_event(&x->host, gen_xspace_thread(x, tid), gen_bytes(x->sc, name), start_ns, end_ns);
	x->last_ns = end_ns > x->last_ns ? end_ns : x->last_ns;
}

/* --- scopes ----------------------------------------------------------------------------------- */

static uint32_t local_of(const struct gen_xspace *x, const struct gen_range *range)
{
	return range->device - x->sc->processes.items[x->process].first_device;
}

uint32_t gen_xspace_scope(struct gen_xspace *x, uint32_t index)
{
	const struct gen_range *range = &x->sc->ranges.items[index];
	if (range->program == GEN_NO_INDEX)
		return 0;
	if (range->kind == GEN_RANGE_NCCL)
		return gen_xspace_scope(x, range->parent);
	if (x->scope[index])
		return x->scope[index];
	/* work launched outside its module's range is annotated with it, too */
	uint32_t above = range->kind == GEN_RANGE_MODULE ? GEN_NO_INDEX
					 : range->parent == GEN_NO_INDEX ? x->module[local_of(x, range)]
													 : range->parent;
	uint32_t parent = above == GEN_NO_INDEX ? 0 : gen_xspace_scope(x, above);
	*jr_vec_add(&x->scope_parents) = parent;
	return x->scope[index] = ++x->n_scopes;
}

/* --- ranges ----------------------------------------------------------------------------------- */

static void note_execution(struct gen_xspace *x, const struct gen_range *range)
{
	uint64_t key = jr_key2(range->program, range->execution);
	uint32_t row = jr_map_get(&x->execution_rows, key);
	int64_t end_ns = range->host_start_ns + range->host_dur_ns;
	if (row == JR_NONE) {
		jr_map_put(&x->execution_rows, key, (uint32_t)x->executions.n);
		*jr_vec_add(&x->executions) =
			(struct gen_xexecution){range->program, range->execution, range->host_start_ns, end_ns};
		return;
	}
	struct gen_xexecution *e = &x->executions.items[row];
	e->start_ns = range->host_start_ns < e->start_ns ? range->host_start_ns : e->start_ns;
	e->end_ns = end_ns > e->end_ns ? end_ns : e->end_ns;
}

static void write_module(struct gen_xspace *x, uint32_t index)
{
	const struct gen_range *range = &x->sc->ranges.items[index];
	const struct gen_program *p = x->sc->programs.items[range->program];
	x->module[local_of(x, range)] = index;
	note_execution(x, range);
	if (gen_xspace_has(x, GEN_XSPACE_HOST))
		gen_xspace_host_event(x, range->tid, gen_text(x->sc, "%s:XLA GPU module", p->name),
			range->host_start_ns, range->host_start_ns + range->host_dur_ns);
}

/* A range of the host, if such files contain it. */
static void write_range(struct gen_xspace *x, uint32_t index)
{
	const struct gen_range *range = &x->sc->ranges.items[index];
	int64_t end_ns = range->host_start_ns + range->host_dur_ns;
	bool host = gen_xspace_has(x, GEN_XSPACE_HOST);
	if (range->kind == GEN_RANGE_MODULE && range->program != GEN_NO_INDEX) {
		write_module(x, index);
	} else if (range->kind == GEN_RANGE_THUNK && range->program != GEN_NO_INDEX && host) {
		const struct gen_program *p = x->sc->programs.items[range->program];
		/* thunks of a command buffer do not run one by one */
		if (!gen_xspace_has(x, GEN_XSPACE_GRAPHS) || range->container ||
			p->ops.items[range->op].communication)
			gen_xspace_host_event(
				x, range->tid, p->ops.items[range->op].name, range->host_start_ns, end_ns);
	} else if (range->kind == GEN_RANGE_COMPILE && range->parent == GEN_NO_INDEX && host &&
			   strncmp(range->name, "XlaCompile:", 11) == 0) {
		gen_xspace_host_event(
			x, range->tid, "backend_compile_and_load", range->host_start_ns, end_ns);
	}
}

static void write_ranges(struct gen_xspace *x)
{
	const struct gen_scenario *sc = x->sc;
	JR_VEC(struct gen_order) order = {0};
	uint64_t n_operations = 0;
	for (uint32_t i = 0; i < sc->ranges.n; i++) {
		const struct gen_range *r = &sc->ranges.items[i];
		if (r->process != x->process)
			continue;
		*jr_vec_add(&order) =
			(struct gen_order){r->host_start_ns, r->host_start_ns + r->host_dur_ns, i};
		n_operations += r->gpu_ops && r->n_gpu_children == 0;
	}
	if (order.n)
		qsort(order.items, order.n, sizeof(*order.items), gen_by_start);
	x->most_device_events =
		gen_xspace_has(x, GEN_XSPACE_DROPPED) ? n_operations - n_operations / 10 : UINT64_MAX;
	for (size_t i = 0; i < order.n; i++) {
		const struct gen_range *r = &sc->ranges.items[order.items[i].index];
		write_range(x, order.items[i].index);
		if (r->gpu_ops && r->n_gpu_children == 0)
			gen_xspace_operation(x, order.items[i].index);
	}
	jr_vec_done(&order);
}

/* --- the file --------------------------------------------------------------------------------- */

static void *zeroes(size_t n, size_t size)
{
	void *p = calloc(n + 1, size);
	if (!p)
		jr_oom();
	return p;
}

static void begin(struct gen_xspace *x)
{
	const struct gen_process *p = &x->sc->processes.items[x->process];
	gen_xplane_init(&x->host, 0, "/host:CPU");
	x->gpus = zeroes(p->n_devices, sizeof(*x->gpus));
	x->graphs = zeroes(p->n_devices, sizeof(*x->graphs));
	x->module = zeroes(p->n_devices, sizeof(*x->module));
	x->scope = zeroes(x->sc->ranges.n, sizeof(*x->scope));
	x->module_of = zeroes(x->sc->programs.n, sizeof(*x->module_of));
	jr_arena_init(&x->modules, 0);
	for (uint32_t i = 0; i < p->n_devices; i++) {
		gen_xplane_init(&x->gpus[i], i, gen_text(x->sc, "/device:GPU:%u", i));
		x->module[i] = GEN_NO_INDEX;
	}
}

static void finish(struct gen_xspace *x)
{
	for (uint32_t i = 0; i < x->sc->processes.items[x->process].n_devices; i++)
		gen_xplane_done(&x->gpus[i]);
	gen_xplane_done(&x->host);
	free(x->gpus);
	free(x->graphs);
	free(x->module);
	free(x->scope);
	free(x->module_of);
	jr_arena_done(&x->modules);
	jr_vec_done(&x->scope_parents);
	jr_vec_done(&x->executions);
	jr_map_done(&x->execution_rows);
	jr_map_done(&x->thread_lines);
	jr_buf_done(&x->details);
}

enum jr_status gen_write_xspace(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, const char *path, struct jr_error *err)
{
	JR_TRY(gen_make_parents(path, err));
	FILE *file = fopen(path, "wb");
	if (!file)
		return jr_fail(err, JR_EIO, "cannot create '%s': %s", path, strerror(errno));
	struct gen_xspace x = {.sc = sc, .process = process, .options = options};
	begin(&x);
	write_ranges(&x);
	gen_xspace_executions(&x);
	gen_xspace_write_planes(&x, file);
	finish(&x);
	bool ok = !ferror(file);
	ok &= fclose(file) == 0;
	return ok ? JR_OK : jr_fail(err, JR_EIO, "cannot write '%s': %s", path, strerror(errno));
}
