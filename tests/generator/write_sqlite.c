/*
 * write_sqlite.c - the output of `nsys export --type sqlite` for the same job (formats/README.md,
 * section 3), with the tables of three versions of its schema.
 *
 * Each range with its own GPU work gets one kernel, copy or graph, launched by a call inside the
 * range. A reader must find out the rest: how ranges nest, where they are projected, and which
 * thread drives which device.
 */
#include "writers.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "hlo_strings.h"

#define HARDWARE (INT64_C(1) << 48) /* first machine */
#define ASYNC_TID 70000             /* threads that launch work outside a module */

enum { TSL = 1 };

/* Categories are numbered from 1 within their domain. */
struct category {
	int64_t domain, number;
	const char *name;
};

struct export {
	struct gen_scenario *sc;
	uint32_t process;
	const struct gen_write_options *options;
	sqlite3 *db;
	sqlite3_stmt *nvtx, *call, *kernel, *copy, *memset, *graph;
	struct jr_intern strings; /* StringIds */
	JR_VEC(const char *) domains; /* [id] */
	JR_VEC(struct category) categories;
	int64_t correlation, graph_node;
	struct jr_error *err;
	enum jr_status status;
};

static void check(struct export *x, int code)
{
	if (x->status == JR_OK && code != SQLITE_OK && code != SQLITE_DONE && code != SQLITE_ROW)
		x->status = jr_fail(x->err, JR_EIO, "sqlite: %s", sqlite3_errmsg(x->db));
}

static void run(struct export *x, const char *sql)
{
	if (x->status == JR_OK)
		check(x, sqlite3_exec(x->db, sql, NULL, NULL, NULL));
}

static sqlite3_stmt *prepare(struct export *x, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	if (x->status == JR_OK)
		check(x, sqlite3_prepare_v2(x->db, sql, -1, &stmt, NULL));
	return stmt;
}

static void insert(struct export *x, sqlite3_stmt *stmt)
{
	if (!stmt)
		return;
	check(x, sqlite3_step(stmt));
	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
}

static void bind(struct export *x, sqlite3_stmt *stmt, int column, const char *text)
{
	struct jr_bytes bytes = gen_bytes(x->sc, text ? text : "");
	if (stmt && text)
		sqlite3_bind_text(stmt, column, (const char *)bytes.data, (int)bytes.size, SQLITE_STATIC);
}

static int64_t string_id(struct export *x, const char *text)
{
	return jr_intern_puts(&x->strings, text);
}

static void register_string(void *export, const char *text)
{
	(void)string_id(export, text);
}

static const struct gen_process *process_of(const struct export *x)
{
	return &x->sc->processes.items[x->process];
}

static int64_t global_pid(const struct export *x)
{
	return HARDWARE | process_of(x)->pid << 24;
}

static int64_t global_tid(const struct export *x, int64_t tid)
{
	return global_pid(x) | (tid & 0xFFFFFF);
}

/* --- tables ---------------------------------------------------------------------------------- */

#define GPU_COLUMNS_BEFORE                                                                         \
	"start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "                    \
	"contextId INTEGER NOT NULL, "
#define GPU_COLUMNS_AFTER                                                                          \
	"streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, "
#define GREEN "greenContextId INTEGER, "

static void create_tables(struct export *x)
{
	bool old = x->options->schema == GEN_SCHEMA_2_9, new = x->options->schema == GEN_SCHEMA_3_24;
	run(x, "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
	run(x, "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, "
		   "eventType INTEGER NOT NULL, rangeId INTEGER, category INTEGER, color INTEGER, text "
		   "TEXT, globalTid INTEGER, "
		   "endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER, "
		   "int64Value INTEGER, doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, "
		   "floatValue REAL, jsonTextId INTEGER, jsonText TEXT)");
	if (new)
		run(x, "ALTER TABLE NVTX_EVENTS ADD COLUMN binaryData TEXT");
	run(x,
		"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, "
		"eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, "
		"nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, callchainId INTEGER)");
	run(x,
		gen_text(x->sc,
			"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (" GPU_COLUMNS_BEFORE "%s" GPU_COLUMNS_AFTER
			"demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, "
			"launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL, "
			"gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, "
			"blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, "
			"staticSharedMemory INTEGER NOT NULL, dynamicSharedMemory INTEGER NOT NULL, "
			"localMemoryPerThread INTEGER NOT NULL, localMemoryTotal INTEGER NOT NULL, "
			"gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER, graphNodeId INTEGER, "
			"sharedMemoryLimitConfig INTEGER)",
			old ? "" : GREEN));
	run(x,
		gen_text(x->sc,
			"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (" GPU_COLUMNS_BEFORE "%s" GPU_COLUMNS_AFTER
			"bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, "
			"srcKind INTEGER, dstKind INTEGER%s)",
			old ? "" : GREEN, new ? ", copyCount INTEGER" : ""));
	run(x,
		gen_text(x->sc,
			"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (" GPU_COLUMNS_BEFORE "%s" GPU_COLUMNS_AFTER
			"value INTEGER NOT NULL, bytes INTEGER NOT NULL, memKind INTEGER)",
			old ? "" : GREEN));
	if (x->options->graphs == GEN_GRAPHS_WHOLE)
		run(x,
			gen_text(x->sc,
				"CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (" GPU_COLUMNS_BEFORE
				"%s" GPU_COLUMNS_AFTER "graphId INTEGER NOT NULL, graphExecId INTEGER NOT NULL)",
				old ? "" : GREEN));
	run(x,
		gen_text(x->sc, "CREATE TABLE %s (name TEXT NOT NULL, value TEXT)",
			old ? "EXPORT_META_DATA" : "META_DATA_EXPORT"));
	if (x->options->no_metadata)
		return;
	run(x,
		"CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER)");
	run(x,
		"CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, "
		"busLocation TEXT, totalMemory INTEGER, memoryBandwidth INTEGER, clockRate INTEGER, "
		"smCount INTEGER, chipName TEXT, cuDevice INTEGER, computeMajor INTEGER, "
		"computeMinor INTEGER)");
	run(x,
		"CREATE TABLE TARGET_INFO_NVTX_CUDA_DEVICE (name TEXT NOT NULL, hwId INTEGER NOT NULL, "
		"vmId INTEGER NOT NULL, deviceId INTEGER NOT NULL)");
	run(x,
		"CREATE TABLE TARGET_INFO_SYSTEM_ENV (globalVid INTEGER, devStateName TEXT NOT NULL, "
		"name TEXT NOT NULL, nameEnum INTEGER NOT NULL, value TEXT NOT NULL)");
}

static void prepare_inserts(struct export *x)
{
	x->nvtx = prepare(x,
		"INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, textId, domainId, "
		"category) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)");
	x->call = prepare(x,
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME (start, end, eventClass, globalTid, "
		"correlationId, nameId, returnValue) VALUES (?1, ?2, 0, ?3, ?4, ?5, 0)");
	x->kernel = prepare(x,
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, "
		"correlationId, globalPid, demangledName, shortName, registersPerThread, gridX, gridY, "
		"gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory, "
		"localMemoryPerThread, localMemoryTotal, gridId, graphNodeId) VALUES (?1, ?2, ?3, 1, ?4, "
		"?5, ?6, ?7, ?8, 64, ?9, 1, 1, 128, 1, 1, 0, 16384, 0, 0, ?5, ?10)");
	x->copy = prepare(x,
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, "
		"correlationId, globalPid, bytes, copyKind, srcKind, dstKind) "
		"VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
	if (x->options->graphs == GEN_GRAPHS_WHOLE)
		x->graph = prepare(x,
			"INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, contextId, "
			"streamId, correlationId, globalPid, graphId, graphExecId) "
			"VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, 11, 12)");
	x->memset = prepare(x,
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, streamId, "
		"correlationId, globalPid, bytes, value) VALUES (?1, ?2, ?3, 1, ?4, ?5, ?6, ?7, 0)");
}

/* --- ranges ---------------------------------------------------------------------------------- */

static int64_t domain_id(struct export *x, const char *name)
{
	if (!*name)
		return 0;
	for (size_t i = 0; i < x->domains.n; i++)
		if (strcmp(x->domains.items[i], name) == 0)
			return (int64_t)i + TSL;
	*jr_vec_add(&x->domains) = name;
	return (int64_t)x->domains.n - 1 + TSL;
}

static int64_t category_id(struct export *x, int64_t domain, const char *name)
{
	int64_t number = 1;
	if (*name >= '0' && *name <= '9')
		return strtoll(name, NULL, 10);
	for (size_t i = 0; i < x->categories.n; i++) {
		const struct category *known = &x->categories.items[i];
		if (known->domain == domain && strcmp(known->name, name) == 0)
			return known->number;
		number += known->domain == domain;
	}
	*jr_vec_add(&x->categories) = (struct category){domain, number, name};
	return number;
}

/* Generation 2 launches work outside its module on a separate thread: on the module's thread, its
 * time would put it into the module. */
static int64_t thread_of(const struct gen_scenario *sc, const struct gen_range *range)
{
	const struct gen_range *top = range;
	while (top->parent != GEN_NO_INDEX)
		top = &sc->ranges.items[top->parent];
	return top->kind == GEN_RANGE_THUNK ? range->tid + ASYNC_TID : range->tid;
}

static void put_text(struct export *x, const char *text, bool registered)
{
	if (registered) {
		sqlite3_bind_int64(x->nvtx, 6, string_id(x, text));
		return;
	}
	bind(x, x->nvtx, 4, text);
}

static void write_range(struct export *x, const struct gen_range *range)
{
	static const int64_t types[] = {
		[GEN_PUSH_POP] = 59, [GEN_START_END] = 60, [GEN_MARK] = 34};
	int64_t domain = domain_id(x, range->domain);
	bool registered = x->options->schema != GEN_SCHEMA_2_9 &&
					  (!strchr(range->name, GEN_NUL) || x->sc->options.plant);
	sqlite3_bind_int64(x->nvtx, 1, range->host_start_ns);
	if (range->style != GEN_MARK)
		sqlite3_bind_int64(x->nvtx, 2, range->host_start_ns + range->host_dur_ns);
	sqlite3_bind_int64(x->nvtx, 3, types[range->style]);
	put_text(x, range->name, registered);
	sqlite3_bind_int64(x->nvtx, 5, global_tid(x, thread_of(x->sc, range)));
	sqlite3_bind_int64(x->nvtx, 7, domain);
	if (range->category)
		sqlite3_bind_int64(x->nvtx, 8, category_id(x, domain, range->category));
	insert(x, x->nvtx);
}

static const struct gen_op *op_of(const struct gen_scenario *sc, const struct gen_range *range)
{
	const struct gen_range *r = range;
	while (r->op == GEN_NO_INDEX && r->parent != GEN_NO_INDEX)
		r = &sc->ranges.items[r->parent];
	if (r->op == GEN_NO_INDEX || r->program == GEN_NO_INDEX)
		return NULL;
	return &sc->programs.items[r->program]->ops.items[r->op];
}

static void write_call(struct export *x, const struct gen_range *range, const char *name)
{
	int64_t in_ns = range->host_dur_ns / 4;
	sqlite3_bind_int64(x->call, 1, range->host_start_ns + in_ns);
	sqlite3_bind_int64(x->call, 2, range->host_start_ns + range->host_dur_ns - in_ns);
	sqlite3_bind_int64(x->call, 3, global_tid(x, thread_of(x->sc, range)));
	sqlite3_bind_int64(x->call, 4, x->correlation);
	sqlite3_bind_int64(x->call, 5, string_id(x, name));
	insert(x, x->call);
}

/* Where an operation runs. */
struct place {
	const struct gen_device *device;
	int64_t stream, start_ns, end_ns;
};

static struct place place_of(const struct export *x, const struct gen_range *range, bool nccl)
{
	const struct gen_device *device = &x->sc->devices.items[range->device];
	int64_t start_ns = range->gpu_start_ns + device->offset_ns;
	return (struct place){device, nccl ? GEN_STREAM_COMMUNICATION : GEN_STREAM_COMPUTE,
		start_ns, start_ns + range->gpu_dur_ns};
}

static void bind_place(struct export *x, sqlite3_stmt *stmt, const struct place *at)
{
	sqlite3_bind_int64(stmt, 1, at->start_ns);
	sqlite3_bind_int64(stmt, 2, at->end_ns);
	sqlite3_bind_int64(stmt, 3, at->device->local);
	sqlite3_bind_int64(stmt, 4, at->stream);
	sqlite3_bind_int64(stmt, 5, x->correlation);
	sqlite3_bind_int64(stmt, 6, global_pid(x));
}

static void write_kernel(struct export *x, const char *name, const struct place *at, int64_t node)
{
	bind_place(x, x->kernel, at);
	sqlite3_bind_int64(x->kernel, 7, string_id(x, gen_text(x->sc, "%s(float*)", name)));
	sqlite3_bind_int64(x->kernel, 8, string_id(x, name));
	sqlite3_bind_int64(x->kernel, 9, 1 + (at->end_ns - at->start_ns) / 1000 % 1000);
	if (node)
		sqlite3_bind_int64(x->kernel, 10, node);
	insert(x, x->kernel);
}

/* The nodes of a graph share its launch. */
static void write_nodes(struct export *x, const char *name, const struct place *at)
{
	struct gen_graph_node part;
	for (unsigned i = 0; gen_graph_node(x->sc, name, at->start_ns, at->end_ns, i, &part); i++) {
		struct place node = *at;
		node.start_ns = part.start_ns;
		node.end_ns = part.end_ns;
		write_kernel(x, part.name, &node, ++x->graph_node);
	}
}

static void launch_kernel(
	struct export *x, const struct gen_range *range, const char *name, bool nccl)
{
	enum gen_graphs graphs = nccl ? GEN_GRAPHS_NONE : x->options->graphs;
	struct place at = place_of(x, range, nccl);
	write_call(x, range,
		graphs == GEN_GRAPHS_NONE ? "cudaLaunchKernel_v7000" : "cudaGraphLaunch_v10000");
	if (graphs == GEN_GRAPHS_NODES) {
		write_nodes(x, name, &at);
	} else if (graphs == GEN_GRAPHS_WHOLE) {
		bind_place(x, x->graph, &at);
		insert(x, x->graph);
	} else {
		write_kernel(x, name, &at, 0);
	}
}

enum memory { PAGEABLE, PINNED, DEVICE }; /* ENUM_CUDA_MEM_KIND */

static void bind_copy(sqlite3_stmt *stmt, bool to_device, enum memory host)
{
	sqlite3_bind_int64(stmt, 8, to_device ? 1 : 2);
	sqlite3_bind_int64(stmt, 9, to_device ? host : DEVICE);
	sqlite3_bind_int64(stmt, 10, to_device ? DEVICE : host);
}

/* The work of a launch without a range. */
static void write_launch(struct export *x, const struct gen_range *range)
{
	x->correlation++;
	if (range->launch == GEN_LAUNCH_KERNEL || range->launch == GEN_LAUNCH_NCCL) {
		launch_kernel(x, range, range->name, range->launch == GEN_LAUNCH_NCCL);
		return;
	}
	write_call(x, range, range->name);
	if (range->launch == GEN_LAUNCH_NONE)
		return;
	sqlite3_stmt *stmt = range->launch == GEN_LAUNCH_MEMSET ? x->memset : x->copy;
	struct place at = place_of(x, range, false);
	bind_place(x, stmt, &at);
	sqlite3_bind_int64(stmt, 7, (int64_t)range->bytes);
	if (stmt == x->copy)
		bind_copy(stmt, range->launch != GEN_LAUNCH_TO_HOST,
			range->launch == GEN_LAUNCH_PINNED_TO_DEVICE ? PINNED : PAGEABLE);
	insert(x, stmt);
}

static void write_operation(struct export *x, const struct gen_range *range)
{
	const struct gen_op *op = op_of(x->sc, range);
	bool communication = op && op->communication;
	x->correlation++;
	if (!op || !gen_is_copy(op)) {
		launch_kernel(x, range, gen_kernel_name(x->sc, op), communication);
		return;
	}
	struct place at = place_of(x, range, communication);
	write_call(x, range, "cudaMemcpyAsync_v3020");
	bind_place(x, x->copy, &at);
	sqlite3_bind_int64(x->copy, 7, (int64_t)op->message_bytes);
	bind_copy(x->copy, strcmp(op->collective, "host-to-device") == 0, PINNED);
	insert(x, x->copy);
}

/* In time order, as the profiler writes them. */
static void write_ranges(struct export *x)
{
	const struct gen_scenario *sc = x->sc;
	JR_VEC(struct gen_order) order = {0};
	for (uint32_t i = 0; i < sc->ranges.n; i++) {
		const struct gen_range *r = &sc->ranges.items[i];
		if (r->process == x->process)
			*jr_vec_add(&order) =
				(struct gen_order){r->host_start_ns, r->host_start_ns + r->host_dur_ns, i};
	}
	if (order.n)
		qsort(order.items, order.n, sizeof(*order.items), gen_by_start);
	for (size_t i = 0; i < order.n; i++) {
		const struct gen_range *r = &sc->ranges.items[order.items[i].index];
		if (r->kind == GEN_RANGE_LAUNCH) {
			write_launch(x, r);
			continue;
		}
		if (r->kind != GEN_RANGE_NCCL || !x->options->no_nccl_ranges)
			write_range(x, r);
		if (r->gpu_ops && r->n_gpu_children == 0)
			write_operation(x, r);
	}
	jr_vec_done(&order);
}

/* --- names ----------------------------------------------------------------------------------- */

static void write_name(
	struct export *x, int64_t type, const char *name, int64_t domain, int64_t category)
{
	sqlite3_bind_int64(x->nvtx, 1, 1);
	sqlite3_bind_int64(x->nvtx, 3, type);
	put_text(x, name, x->options->schema == GEN_SCHEMA_3_24);
	sqlite3_bind_int64(x->nvtx, 5, global_tid(x, process_of(x)->main_tid));
	sqlite3_bind_int64(x->nvtx, 7, domain);
	if (category)
		sqlite3_bind_int64(x->nvtx, 8, category);
	insert(x, x->nvtx);
}

static void write_domains(struct export *x)
{
	enum { CATEGORY = 33, DOMAIN_CREATE = 75 };
	for (size_t i = 0; i < x->domains.n; i++)
		write_name(x, DOMAIN_CREATE, x->domains.items[i], (int64_t)i + TSL, 0);
	for (size_t i = 0; i < x->categories.n; i++) {
		const struct category *c = &x->categories.items[i];
		write_name(x, CATEGORY, c->name, c->domain, c->number);
	}
}

static const char *device_name(
	const struct export *x, const struct gen_device *d, const char *what)
{
	return gen_text(x->sc, "%s:#global=%u,local=%u,process=%u,%s=0#", what, d->global, d->local,
		d->process, x->options->schema == GEN_SCHEMA_3_24 ? "partition" : "slice");
}

static void write_thread_name(struct export *x, sqlite3_stmt *stmt, const char *name, int64_t tid)
{
	enum { THREAD = 39 };
	if (x->options->schema == GEN_SCHEMA_2_9) { /* named with NVTX */
		sqlite3_bind_int64(x->nvtx, 1, 1);
		sqlite3_bind_int64(x->nvtx, 3, THREAD);
		put_text(x, name, false);
		sqlite3_bind_int64(x->nvtx, 5, global_tid(x, tid));
		insert(x, x->nvtx);
		name = "python3";
	}
	sqlite3_bind_int64(stmt, 1, string_id(x, name));
	sqlite3_bind_int64(stmt, 2, global_tid(x, tid));
	insert(x, stmt);
}

static void write_threads(struct export *x)
{
	const struct gen_process *p = process_of(x);
	sqlite3_stmt *stmt =
		prepare(x, "INSERT INTO ThreadNames (nameId, priority, globalTid) VALUES (?1, 20, ?2)");
	for (uint32_t i = 0; i < p->n_devices; i++) {
		const struct gen_device *d = &x->sc->devices.items[p->first_device + i];
		write_thread_name(x, stmt,
			gen_planted(x->sc, GEN_FIELD_LAUNCHER, device_name(x, d, "XlaLauncher")), d->tid);
	}
	sqlite3_finalize(stmt);
}

static void write_devices(struct export *x)
{
	const struct gen_scenario *sc = x->sc;
	const struct gen_process *p = process_of(x);
	sqlite3_stmt *gpu = prepare(x,
		"INSERT INTO TARGET_INFO_GPU (vmId, id, name, totalMemory, memoryBandwidth, clockRate, "
		"smCount, chipName, cuDevice, computeMajor, computeMinor) "
		"VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?2, ?9, 0)");
	sqlite3_stmt *named = prepare(x,
		"INSERT INTO TARGET_INFO_NVTX_CUDA_DEVICE (name, hwId, vmId, deviceId) "
		"VALUES (?1, 0, 0, ?2)");
	for (uint32_t i = 0; i < p->n_devices; i++) {
		const struct gen_device *d = &sc->devices.items[p->first_device + i];
		sqlite3_bind_int64(gpu, 1, HARDWARE);
		sqlite3_bind_int64(gpu, 2, i);
		bind(x, gpu, 3, gen_hostile(x->sc, GEN_FIELD_GPU, sc->gpu_name));
		sqlite3_bind_int64(gpu, 4, (int64_t)sc->gpu_memory_bytes);
		sqlite3_bind_int64(gpu, 5, (int64_t)sc->gpu_bandwidth_bytes_s);
		sqlite3_bind_int64(gpu, 6, (int64_t)sc->gpu_clock_hz);
		sqlite3_bind_int64(gpu, 7, sc->gpu_sm_count);
		bind(x, gpu, 8, gen_planted(x->sc, GEN_FIELD_GPU_UNREAD, sc->chip_name));
		sqlite3_bind_int64(gpu, 9, sc->gpu_compute_major);
		insert(x, gpu);
		bind(x, named, 1, gen_planted(x->sc, GEN_FIELD_XLA_DEVICE, device_name(x, d, "Xla")));
		sqlite3_bind_int64(named, 2, i);
		insert(x, named);
	}
	sqlite3_finalize(gpu);
	sqlite3_finalize(named);
}

static void write_system(struct export *x)
{
	struct gen_setting settings[GEN_MAX_SETTINGS];
	size_t n = gen_system_settings(x->sc, x->process, settings);
	sqlite3_stmt *stmt = prepare(x,
		"INSERT INTO TARGET_INFO_SYSTEM_ENV (globalVid, devStateName, name, nameEnum, value) "
		"VALUES (0, 'Local (CLI)', ?1, ?2, ?3)");
	for (size_t i = 0; i < n; i++) {
		bind(x, stmt, 1, settings[i].name);
		sqlite3_bind_int64(stmt, 2, settings[i].number);
		bind(x, stmt, 3, settings[i].value);
		insert(x, stmt);
	}
	sqlite3_finalize(stmt);
}

static void write_strings(struct export *x)
{
	sqlite3_stmt *stmt = prepare(x, "INSERT INTO StringIds VALUES (?1, ?2)");
	for (uint32_t id = 0; id < x->strings.n; id++) {
		sqlite3_bind_int64(stmt, 1, id);
		bind(x, stmt, 2, jr_intern_str(&x->strings, id));
		insert(x, stmt);
	}
	sqlite3_finalize(stmt);
}

static void write_version(struct export *x)
{
	static const char *const versions[][2] = {[GEN_SCHEMA_2_9] = {"2022.2.1.31", "2.9.1"},
		[GEN_SCHEMA_3_13] = {"2024.5.1.113", "3.13.2"},
		[GEN_SCHEMA_3_24] = {"2025.5.2.266", "3.24.0"}};
	sqlite3_stmt *stmt = prepare(x,
		gen_text(x->sc,
			"INSERT INTO %s VALUES ('EXPORT_PRODUCT_VERSION', ?1), ('EXPORT_SCHEMA_VERSION', ?2)",
			x->options->schema == GEN_SCHEMA_2_9 ? "EXPORT_META_DATA" : "META_DATA_EXPORT"));
	bind(x, stmt, 1, gen_planted(x->sc, GEN_FIELD_VERSION, versions[x->options->schema][0]));
	bind(x, stmt, 2, versions[x->options->schema][1]);
	insert(x, stmt);
	sqlite3_finalize(stmt);
}

/* Tables that only carry texts in our exports. */
static void write_planted(struct export *x)
{
	const char *message = gen_planted(x->sc, GEN_FIELD_MESSAGE, NULL);
	const char *overhead = gen_planted(x->sc, GEN_FIELD_OVERHEAD, NULL);
	const char *process = gen_planted(x->sc, GEN_FIELD_PROCESS, NULL);
	sqlite3_stmt *stmt;
	if (message) {
		run(x, "CREATE TABLE DIAGNOSTIC_EVENT (timestamp INTEGER NOT NULL, timestampType INTEGER, "
			   "source INTEGER NOT NULL, severity INTEGER NOT NULL, text TEXT NOT NULL)");
		stmt = prepare(x, "INSERT INTO DIAGNOSTIC_EVENT VALUES (1000, 0, 2, 3, ?1)");
		bind(x, stmt, 1, message);
		insert(x, stmt);
		sqlite3_finalize(stmt);
	}
	if (overhead) {
		run(x, "CREATE TABLE PROFILER_OVERHEAD (start INTEGER NOT NULL, end INTEGER NOT NULL, "
			   "globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL)");
		run(x, gen_text(x->sc, "INSERT INTO PROFILER_OVERHEAD VALUES (2000, 902000, 0, 0, %lld)",
				   (long long)string_id(x, overhead)));
	}
	if (process) {
		run(x, "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT)");
		stmt = prepare(x, gen_text(x->sc, "INSERT INTO PROCESSES VALUES (%lld, 1, ?1)",
							  (long long)global_pid(x)));
		bind(x, stmt, 1, process);
		insert(x, stmt);
		sqlite3_finalize(stmt);
	}
}

/* A table that we do not read: such tables make real exports large. */
static void write_bulk(struct export *x, uint64_t bytes)
{
	run(x,
		"CREATE TABLE SAMPLING_CALLCHAINS (id INTEGER NOT NULL, symbol INTEGER NOT NULL, "
		"module INTEGER NOT NULL, kernelMode INTEGER, thumbCode INTEGER, unresolved INTEGER, "
		"specialEntry INTEGER, originalIP INTEGER, unwindMethod INTEGER, "
		"stackDepth INTEGER NOT NULL)");
	sqlite3_stmt *stmt = prepare(x,
		"INSERT INTO SAMPLING_CALLCHAINS "
		"VALUES (?1, ?1 % 997, 5, 0, 0, 1, 0, 139637976727552, 3, 7)");
	for (uint64_t i = 0; i < bytes / 34 && x->status == JR_OK; i++) {
		sqlite3_bind_int64(stmt, 1, (int64_t)i);
		insert(x, stmt);
	}
	sqlite3_finalize(stmt);
}

enum jr_status gen_fill_export(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, sqlite3 *db, struct jr_error *err)
{
	struct export x = {.sc = sc, .process = process, .options = options, .db = db, .err = err};
	jr_intern_init(&x.strings);
	(void)domain_id(&x, "TSL");
	run(&x, "BEGIN");
	create_tables(&x);
	prepare_inserts(&x);
	if (sc->options.strings)
		gen_hlo_strings(sc, process, register_string, &x);
	write_ranges(&x);
	write_domains(&x);
	if (!options->no_metadata) {
		write_threads(&x);
		write_devices(&x);
		write_system(&x);
	}
	write_planted(&x);
	write_strings(&x);
	write_version(&x);
	if (options->bulk_bytes)
		write_bulk(&x, options->bulk_bytes);
	run(&x, "COMMIT");
	sqlite3_finalize(x.nvtx);
	sqlite3_finalize(x.call);
	sqlite3_finalize(x.kernel);
	sqlite3_finalize(x.copy);
	sqlite3_finalize(x.memset);
	sqlite3_finalize(x.graph);
	jr_vec_done(&x.domains);
	jr_vec_done(&x.categories);
	jr_intern_done(&x.strings);
	return x.status;
}

enum jr_status gen_write_sqlite(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, const char *path, struct jr_error *err)
{
	sqlite3 *db = NULL;
	(void)unlink(path);
	enum jr_status status = JR_OK;
	if (sqlite3_open(path, &db) != SQLITE_OK ||
		sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", NULL, NULL, NULL) !=
			SQLITE_OK)
		status = jr_fail(err, JR_EIO, "cannot create '%s': %s", path, sqlite3_errmsg(db));
	if (status == JR_OK)
		status = gen_fill_export(sc, process, options, db, err);
	sqlite3_close(db);
	return status;
}
