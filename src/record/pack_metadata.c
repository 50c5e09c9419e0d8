/* The thread-, device- and system-metadata.parquet of an archive (formats/README.md, section 1). */
#include <string.h>

#include "base/cleanup.h"
#include "formats/nsys/sqlite_rows.h"
#include "record/pack_parts.h"

/* --- threads ---------------------------------------------------------------------------------- */

enum { T_NAME, T_PRIORITY, T_PID, T_TID };
enum { BY_PROGRAM = 0, BY_SYSTEM = 20 }; /* priorities: the smaller one is the better name */

struct threads {
	const struct jr_timeline *rows;
	struct jr_frame *frame;
	struct jr_map named; /* globalTid -> text */
};

static bool is_launcher(const struct jr_timeline *s, uint32_t name)
{
	struct jr_device_name device;
	return jr_device_name_parse(jr_intern_str(&s->strings, name), jr_intern_len(&s->strings, name),
		"XlaLauncher:#", &device);
}

/* Put the first name of a thread; later ones are ignored. */
static void put_thread(struct threads *t, int64_t id, uint32_t name, int64_t priority)
{
	if (jr_map_get(&t->named, (uint64_t)id) != JR_NONE)
		return;
	jr_map_put(&t->named, (uint64_t)id, name);
	jr_frame_text(t->frame, T_NAME, jr_intern_str(&t->rows->strings, name),
		jr_intern_len(&t->rows->strings, name));
	jr_frame_i64(t->frame, T_PRIORITY, priority);
	jr_frame_i64(t->frame, T_PID, (int64_t)((uint64_t)id >> 24 & 0xFFFFFF));
	jr_frame_i64(t->frame, T_TID, id & 0xFFFFFF);
	jr_frame_row(t->frame);
}

/* Name a thread without a name from XLA that launched on one device only: it gets the name of that
 * device's launcher. Archives have such names; exports have only the launches. */
static void put_helpers(struct threads *t, const struct jr_export *x)
{
	struct jr_map launcher_of = {0}; /* row of devices -> text */
	for (size_t i = 0; i < x->n_uses; i++) {
		bool mostly = i == 0 || x->uses[i].thread != x->uses[i - 1].thread;
		uint32_t name = jr_map_get(&t->named, (uint64_t)t->rows->threads[x->uses[i].thread].id);
		if (mostly && name != JR_NONE && jr_map_get(&launcher_of, x->uses[i].device) == JR_NONE)
			jr_map_put(&launcher_of, x->uses[i].device, name);
	}
	for (size_t i = 0; i < x->n_uses; i++) {
		uint32_t thread = x->uses[i].thread;
		bool alone = (i == 0 || x->uses[i - 1].thread != thread) &&
					 (i + 1 == x->n_uses || x->uses[i + 1].thread != thread);
		uint32_t name = jr_map_get(&launcher_of, x->uses[i].device);
		if (alone && name != JR_NONE)
			put_thread(t, t->rows->threads[thread].id, name, BY_PROGRAM);
	}
	jr_map_done(&launcher_of);
}

/* Names of launchers come first, so that they win for a thread with several names. Names set by the
 * program follow, then names set by the system. */
static enum jr_status put_threads(
	struct jr_packing *p, const struct jr_export *x, struct jr_error *err)
{
	static const struct jr_pq_put_column columns[] = {{.name = "Name", .type = JR_PQ_PUT_TEXT},
		{.name = "Priority", .type = JR_PQ_PUT_INT64}, {.name = "PID", .type = JR_PQ_PUT_INT64},
		{.name = "TID", .type = JR_PQ_PUT_INT64}, {.name = NULL}};
	const struct jr_timeline *s = &x->rows;
	struct jr_frame f;
	struct threads t = {.rows = s, .frame = &f};
	jr_pack_frame(p, &f, columns, 2, JR_MEMBER_THREADS);
	for (size_t i = 0; i < s->n_thread_names; i++)
		if (is_launcher(s, s->thread_names[i].name))
			put_thread(&t, s->thread_names[i].thread, s->thread_names[i].name, BY_PROGRAM);
	put_helpers(&t, x);
	for (size_t i = 0; i < s->n_thread_names; i++)
		put_thread(&t, s->thread_names[i].thread, s->thread_names[i].name, BY_SYSTEM);
	enum jr_status status = jr_pack_frame_end(p, &f, err);
	jr_frame_done(&f);
	jr_map_done(&t.named);
	return status;
}

/* --- devices ---------------------------------------------------------------------------------- */

#define GPU(name) "('TARGET_INFO_GPU', '" name "')"
#define NAMED(name) "('TARGET_INFO_NVTX_CUDA_DEVICE', '" name "')"

/* Columns of both tables in any version of nsys, without their id. */
static const struct {
	const char *column; /* its name in the SQLite table */
	struct jr_pq_put_column head;
} device_columns[] = {
	{"name", {.name = GPU("name"), .type = JR_PQ_PUT_TEXT}},
	{"busLocation", {.name = GPU("busLocation"), .type = JR_PQ_PUT_TEXT}},
	{"isDiscrete", {.name = GPU("isDiscrete"), .type = JR_PQ_PUT_INT64}},
	{"l2CacheSize", {.name = GPU("l2CacheSize"), .type = JR_PQ_PUT_INT64}},
	{"totalMemory", {.name = GPU("totalMemory"), .type = JR_PQ_PUT_INT64}},
	{"memoryBandwidth", {.name = GPU("memoryBandwidth"), .type = JR_PQ_PUT_INT64}},
	{"clockRate", {.name = GPU("clockRate"), .type = JR_PQ_PUT_INT64}},
	{"smCount", {.name = GPU("smCount"), .type = JR_PQ_PUT_INT64}},
	{"pwGpuId", {.name = GPU("pwGpuId"), .type = JR_PQ_PUT_INT64}},
	{"uuid", {.name = GPU("uuid"), .type = JR_PQ_PUT_TEXT}},
	{"chipName", {.name = GPU("chipName"), .type = JR_PQ_PUT_TEXT}},
	{"computeMajor", {.name = GPU("computeMajor"), .type = JR_PQ_PUT_INT64}},
	{"computeMinor", {.name = GPU("computeMinor"), .type = JR_PQ_PUT_INT64}},
	{"id", {.name = GPU("id"), .type = JR_PQ_PUT_INT64}},
	{"cuDevice", {.name = "cuDevice", .type = JR_PQ_PUT_INT64}},
};
enum { N_GPU = JR_COUNT_OF(device_columns), OF_ID = N_GPU - 2, OF_CUDA = N_GPU - 1 };

struct devices {
	const struct jr_export *x;
	struct jr_frame *frame;
};

static void put_cell(struct jr_frame *f, size_t column, const struct jr_sqlite_cell *cell)
{
	bool text = f->head[column].type == JR_PQ_PUT_TEXT;
	if (text && cell->kind == JR_SQLITE_TEXT)
		jr_frame_text(f, column, cell->text, cell->text_size);
	else if (!text && cell->kind == JR_SQLITE_INTEGER)
		jr_frame_i64(f, column, cell->integer);
	else
		jr_frame_null(f, column);
}

/* Read the row's columns, XLA's name of the device, and the index, which is CUDA's device number.
 */
static enum jr_status take_device(
	void *context, const struct jr_sqlite_cell *cells, struct jr_error *err)
{
	(void)err;
	const struct devices *d = context;
	const struct jr_timeline *s = &d->x->rows;
	const struct jr_sqlite_cell *index = &cells[OF_CUDA];
	if (index->kind != JR_SQLITE_INTEGER)
		index = &cells[OF_ID];
	if (index->kind != JR_SQLITE_INTEGER)
		return JR_OK;
	uint32_t name = JR_NONE;
	for (size_t i = 0; i < s->n_device_names && name == JR_NONE; i++)
		if (s->device_names[i].device == index->integer)
			name = s->device_names[i].name;
	for (size_t i = 0; i < OF_CUDA; i++)
		put_cell(d->frame, i, &cells[i]);
	if (name == JR_NONE)
		jr_frame_null(d->frame, N_GPU - 1);
	else
		jr_frame_text(d->frame, N_GPU - 1, jr_intern_str(&s->strings, name),
			jr_intern_len(&s->strings, name));
	jr_frame_i64(d->frame, N_GPU, index->integer);
	jr_frame_i64(d->frame, N_GPU + 1, index->integer);
	jr_frame_row(d->frame);
	return JR_OK;
}

static enum jr_status put_devices(
	struct jr_packing *p, const struct jr_export *x, struct jr_sqlite *db, struct jr_error *err)
{
	struct jr_pq_put_column heads[N_GPU + 3] = {{.name = NULL}};
	const char *columns[N_GPU];
	for (size_t i = 0; i < N_GPU; i++) {
		heads[i] = device_columns[i].head;
		columns[i] = device_columns[i].column;
	}
	heads[N_GPU - 1] = (struct jr_pq_put_column){.name = NAMED("name"), .type = JR_PQ_PUT_TEXT};
	heads[N_GPU] = (struct jr_pq_put_column){.name = NAMED("deviceId"), .type = JR_PQ_PUT_INT64};
	heads[N_GPU + 1] = device_columns[OF_CUDA].head;
	struct jr_frame f;
	struct devices devices = {x, &f};
	bool found;
	uint64_t n;
	jr_pack_frame(p, &f, heads, 1, JR_MEMBER_DEVICES);
	enum jr_status status = jr_sqlite_rows(
		db, "TARGET_INFO_GPU", columns, N_GPU, take_device, &devices, &found, &n, err);
	if (status == JR_OK && f.n_rows + f.n_written)
		status = jr_pack_frame_end(p, &f, err);
	jr_frame_done(&f);
	return status;
}

/* --- the system ------------------------------------------------------------------------------- */

enum { S_NAME, S_VALUE, S_NUMBER };

static bool is(const struct jr_sqlite_cell *cell, const char *text)
{
	return cell->text_size == strlen(text) && memcmp(cell->text, text, cell->text_size) == 0;
}

struct system {
	struct jr_frame *frame;
	const struct jr_metadata *meta;
};

/* Only variables that reports show: the job's environment contains keys. */
static void put_environment(struct jr_frame *f, const struct jr_metadata *meta)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_puts(&text, "");
	for (size_t i = 0; i < meta->n_settings; i++)
		jr_buf_printf(&text, "%s%s=%s", i ? ";" : "",
			jr_intern_str(&meta->strings, meta->settings[i].name),
			jr_intern_str(&meta->strings, meta->settings[i].value));
	jr_frame_text(f, S_VALUE, text.data ? text.data : "", text.size);
}

static enum jr_status take_property(
	void *context, const struct jr_sqlite_cell *cells, struct jr_error *err)
{
	(void)err;
	const struct system *s = context;
	if (cells[S_NAME].kind != JR_SQLITE_TEXT || cells[S_NUMBER].kind != JR_SQLITE_INTEGER ||
		is(&cells[S_NAME], "GpuMetricsConfig"))
		return JR_OK;
	put_cell(s->frame, S_NAME, &cells[S_NAME]);
	if (is(&cells[S_NAME], "DeviceEnvironment"))
		put_environment(s->frame, s->meta);
	else
		put_cell(s->frame, S_VALUE, &cells[S_VALUE]);
	put_cell(s->frame, S_NUMBER, &cells[S_NUMBER]);
	jr_frame_row(s->frame);
	return JR_OK;
}

static enum jr_status put_system(
	struct jr_packing *p, const struct jr_export *x, struct jr_sqlite *db, struct jr_error *err)
{
	static const struct jr_pq_put_column heads[] = {{.name = "name", .type = JR_PQ_PUT_TEXT},
		{.name = "value", .type = JR_PQ_PUT_TEXT}, {.name = "nameEnum", .type = JR_PQ_PUT_INT64},
		{.name = NULL}};
	static const char *const columns[] = {"name", "value", "nameEnum"};
	struct jr_metadata meta;
	struct jr_frame f;
	struct system system = {&f, &meta};
	bool found;
	uint64_t n;
	jr_metadata_init(&meta);
	jr_export_metadata(x, &meta);
	jr_pack_frame(p, &f, heads, 1, JR_MEMBER_SYSTEM);
	enum jr_status status = jr_sqlite_rows(db, "TARGET_INFO_SYSTEM_ENV", columns,
		JR_COUNT_OF(columns), take_property, &system, &found, &n, err);
	if (status == JR_OK)
		status = jr_pack_frame_end(p, &f, err);
	jr_frame_done(&f);
	jr_metadata_done(&meta);
	return status;
}

enum jr_status jr_pack_metadata(
	struct jr_packing *p, const struct jr_export *x, struct jr_error *err)
{
	JR_TRY(put_threads(p, x, err));
	JR_CLEANUP(jr_sqlite_close) struct jr_sqlite *db = NULL;
	JR_TRY(jr_sqlite_open(p->job->sqlite_path, p->job->limits, &db, err));
	JR_TRY(put_devices(p, x, db, err));
	return put_system(p, x, db, err);
}
