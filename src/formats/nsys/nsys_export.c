#include "formats/nsys/nsys_export.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/task.h"
#include "formats/archive/foreign.h"
#include "formats/nsys/nsys_parts.h"
#include "formats/timeline_build.h"

#define PROCESS_OF(id) ((id) & ~INT64_C(0xFFFFFF))

bool jr_nsys_is_sqlite(struct jr_bytes head)
{
	static const char magic[] = "SQLite format 3"; /* including its NUL */
	return head.size >= sizeof(magic) && memcmp(head.data, magic, sizeof(magic)) == 0;
}

/* --- parallel reads of the parts -------------------------------------------------------------- */

enum { PART_NVTX, PART_GPU, PART_CALLS, N_PARTS };

struct reading {
	struct jr_nsys_reading all;
	enum jr_status status[N_PARTS];
	struct jr_error errors[N_PARTS];
};

static void part_init(struct jr_nsys_part *part, struct jr_nsys_reading *r)
{
	part->file = r->file;
	part->texts = &r->texts;
	part->seed = jr_hash_seed();
	jr_arena_init(&part->arena, r->file->limits->memory_bytes);
}

static void part_done(struct jr_nsys_part *part)
{
	jr_nsys_ids_done(&part->ids);
	jr_arena_done(&part->arena);
}

void jr_nsys_reading_begin(struct jr_nsys_reading *r, const struct jr_nsys_file *file,
	const struct jr_nsys_options *options, struct jr_timeline *nsys)
{
	*r = (struct jr_nsys_reading){.file = file, .options = options, .nvtx.options = options};
	jr_timeline_begin(nsys, file->limits);
	jr_intern_init(&r->nvtx.inline_texts);
	jr_arena_init(&r->joined.arena, 0);
	part_init(&r->nvtx.part, r);
	part_init(&r->calls.part, r);
	part_init(&r->gpu.part, r);
}

void jr_nsys_reading_done(struct jr_nsys_reading *r)
{
	part_done(&r->nvtx.part);
	part_done(&r->calls.part);
	part_done(&r->gpu.part);
	jr_intern_done(&r->nvtx.inline_texts);
	jr_vec_done(&r->nvtx.scopes);
	jr_map_done(&r->nvtx.scope_rows);
	jr_vec_done(&r->nvtx.thread_names);
	jr_vec_done(&r->gpu.configs);
	jr_map_done(&r->gpu.config_rows);
	jr_vec_done(&r->gpu.kernels);
	jr_map_done(&r->gpu.short_of);
	jr_vec_done(&r->gpu.waits);
	jr_map_done(&r->texts.sparse);
	jr_arena_done(&r->joined.arena);
}

static void read_part(void *context, size_t index)
{
	/* that of most columns first, so that the threads end at about the same time */
	static const uint8_t order[N_PARTS] = {PART_GPU, PART_NVTX, PART_CALLS};
	struct reading *r = context;
	size_t part = order[index];
	struct jr_error *err = &r->errors[part];
	switch (part) {
	case PART_NVTX: r->status[part] = jr_nsys_read_nvtx(&r->all.nvtx, err); break;
	case PART_GPU: r->status[part] = jr_nsys_read_gpu(&r->all.gpu, err); break;
	default: r->status[part] = jr_nsys_read_calls(&r->all.calls, err); break;
	}
}

/* --- joining ---------------------------------------------------------------------------------- */

JR_ORDER_OF_VALUES(compare_ids, int64_t)

static size_t sort_distinct(int64_t *ids, size_t n)
{
	jr_sort(ids, n, sizeof(*ids), compare_ids);
	size_t distinct = 0;
	for (size_t i = 0; i < n; i++)
		if (i == 0 || ids[i] != ids[i - 1])
			ids[distinct++] = ids[i];
	return distinct;
}

static uint32_t row_of_id(const int64_t *ids, size_t n, int64_t id)
{
	size_t lo = 0, hi = n;
	JR_SEARCH(lo, hi, mid, ids[mid] < id);
	return lo < n && ids[lo] == id ? (uint32_t)lo : JR_NONE;
}

/* Map row numbers of the part to rows of the sorted list. */
static void renumber(const struct jr_nsys_ids *ids, const int64_t *sorted, size_t n_sorted,
	uint32_t *column, size_t n, struct jr_arena *scratch)
{
	uint32_t *rows = JR_ARENA_N(scratch, uint32_t, ids->list.n + 1);
	for (size_t i = 0; i < ids->list.n; i++)
		rows[i] = row_of_id(sorted, n_sorted, ids->list.items[i]);
	for (size_t i = 0; i < n; i++)
		if (column[i] != JR_NONE)
			column[i] = rows[column[i]];
}

JR_ORDER(compare_names, struct jr_timeline_thread_name, JR_UP(thread))

static void name_processes(struct jr_timeline *nsys)
{
	jr_sort(
		nsys->process_names, nsys->n_process_names, sizeof(*nsys->process_names), compare_names);
	size_t k = 0;
	for (size_t i = 0; i < nsys->n_processes; i++) {
		struct jr_timeline_process *p = &nsys->processes[i];
		while (k < nsys->n_process_names && PROCESS_OF(nsys->process_names[k].thread) < p->id)
			k++;
		if (k < nsys->n_process_names && PROCESS_OF(nsys->process_names[k].thread) == p->id)
			p->name = nsys->process_names[k].name;
	}
}

static void join_ids(struct jr_timeline *nsys, struct jr_nsys_reading *r)
{
	struct jr_nsys_ids *nvtx = &r->nvtx.part.ids, *calls = &r->calls.part.ids,
					   *gpu = &r->gpu.part.ids;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	size_t n_threads = 0, n_processes = 0;
	int64_t *threads = JR_ARENA_N(&scratch, int64_t, nvtx->list.n + calls->list.n + 1);
	for (size_t i = 0; i < nvtx->list.n; i++)
		threads[n_threads++] = nvtx->list.items[i];
	for (size_t i = 0; i < calls->list.n; i++)
		threads[n_threads++] = calls->list.items[i];
	n_threads = sort_distinct(threads, n_threads);
	int64_t *processes = JR_ARENA_N(&scratch, int64_t, n_threads + gpu->list.n + 1);
	for (size_t i = 0; i < n_threads; i++)
		processes[n_processes++] = PROCESS_OF(threads[i]);
	for (size_t i = 0; i < gpu->list.n; i++)
		processes[n_processes++] = gpu->list.items[i];
	n_processes = sort_distinct(processes, n_processes);
	renumber(nvtx, threads, n_threads, nsys->nvtx.thread, nsys->nvtx.n, &scratch);
	renumber(nvtx, threads, n_threads, nsys->nvtx.end_thread, nsys->nvtx.n, &scratch);
	renumber(calls, threads, n_threads, nsys->calls.thread, nsys->calls.n, &scratch);
	renumber(gpu, processes, n_processes, nsys->gpu.process, nsys->gpu.n, &scratch);
	nsys->n_threads = n_threads;
	nsys->threads = JR_ARENA_N(&nsys->arena, struct jr_timeline_thread, n_threads + 1);
	for (size_t i = 0; i < n_threads; i++)
		nsys->threads[i] = (struct jr_timeline_thread){.id = threads[i],
			.tid = threads[i] & 0xFFFFFF,
			.process = row_of_id(processes, n_processes, PROCESS_OF(threads[i]))};
	nsys->n_processes = n_processes;
	nsys->processes = JR_ARENA_N(&nsys->arena, struct jr_timeline_process, n_processes + 1);
	for (size_t i = 0; i < n_processes; i++)
		nsys->processes[i] = (struct jr_timeline_process){
			.id = processes[i], .pid = (int64_t)((uint64_t)processes[i] >> 24 & 0xFFFFFF)};
	name_processes(nsys);
}

/* Add each text that is stored in rows once. */
static void join_inline_texts(struct jr_timeline *nsys, struct jr_nsys_reading *r)
{
	const struct jr_intern *in = &r->nvtx.inline_texts;
	struct jr_nsys_joined_texts *t = &r->joined;
	t->n_ids = nsys->strings.n;
	t->of_inline = JR_ARENA_N(&t->arena, uint32_t, in->n + 1);
	t->of_id = JR_ARENA_N(&t->arena, uint32_t, t->n_ids + 1);
	memset(t->of_id, 0xFF, t->n_ids * sizeof(*t->of_id));
	for (uint32_t id = 0; id < in->n; id++)
		t->of_inline[id] =
			jr_intern_put(&nsys->strings, jr_intern_str(in, id), jr_intern_len(in, id));
}

uint32_t jr_nsys_joined_text(struct jr_timeline *nsys, struct jr_nsys_reading *r, uint32_t text)
{
	const struct jr_nsys_joined_texts *t = &r->joined;
	size_t (*shorten)(const char *, size_t) = r->options->shorten;
	if (text & JR_NSYS_INLINE)
		return t->of_inline[text & ~JR_NSYS_INLINE];
	if (t->of_id[text] != JR_NONE)
		return t->of_id[text];
	size_t n = jr_intern_len(&nsys->strings, text), kept_bytes = n;
	if (shorten)
		kept_bytes = shorten(jr_intern_str(&nsys->strings, text), n);
	t->of_id[text] = kept_bytes == n ? text
									 : jr_intern_put(&nsys->strings,
										   jr_intern_str(&nsys->strings, text), kept_bytes);
	return t->of_id[text];
}

/* Join a name. Names in StringIds are complete. */
static void join_name(struct jr_timeline *nsys, struct jr_nsys_reading *r, uint32_t *name)
{
	if (*name & JR_NSYS_INLINE)
		*name = jr_nsys_joined_text(nsys, r, *name);
}

static void join_texts(struct jr_timeline *nsys, struct jr_nsys_reading *r)
{
	join_inline_texts(nsys, r);
	for (size_t i = 0; i < nsys->nvtx.n; i++)
		nsys->nvtx.text[i] = jr_nsys_joined_text(nsys, r, nsys->nvtx.text[i]);
	for (size_t i = 0; i < r->nvtx.scopes.n; i++) {
		join_name(nsys, r, &r->nvtx.scopes.items[i].domain_name);
		join_name(nsys, r, &r->nvtx.scopes.items[i].category_name);
	}
	for (size_t i = 0; i < r->nvtx.thread_names.n; i++)
		join_name(nsys, r, &r->nvtx.thread_names.items[i].name);
}

/* Names of threads from NVTX come before those from the system. */
static void join_thread_names(struct jr_timeline *nsys, const struct jr_nsys_reading *r)
{
	size_t n = r->nvtx.thread_names.n;
	struct jr_timeline_thread_name *names =
		JR_ARENA_COPY(&nsys->arena, r->nvtx.thread_names.items, n, nsys->n_thread_names + 1);
	jr_copy(names + n, nsys->thread_names, nsys->n_thread_names * sizeof(*names));
	nsys->thread_names = names;
	nsys->n_thread_names += n;
}

static void name_waits(struct jr_timeline *nsys)
{
	/* ENUM_CUPTI_SYNC_TYPE */
	static const char *const names[] = {"unknown", "event synchronize", "stream wait event",
		"stream synchronize", "context synchronize"};
	for (size_t i = 0; i < nsys->n_waits; i++) {
		int64_t type = nsys->waits[i].type;
		char number[JR_NUM_MAX + 8] = "type ";
		const char *name = number;
		if (i + 1 == JR_NSYS_MOST_SUMS)
			name = JR_NSYS_OTHER;
		else if (type >= 0 && type < (int64_t)JR_COUNT_OF(names))
			name = names[type];
		else
			jr_num_i64(number + strlen(number), type);
		nsys->waits[i].name = jr_intern_puts(&nsys->strings, name);
	}
}

/* The parts' arenas move to the timeline, so that the columns keep their addresses. */
static void take_arenas(struct jr_timeline *nsys, struct jr_nsys_reading *r)
{
	struct jr_arena *from[] = {&r->nvtx.part.arena, &r->gpu.part.arena, &r->calls.part.arena};
	for (size_t i = 0; i < JR_COUNT_OF(from); i++) {
		nsys->columns[i] = *from[i];
		jr_arena_init(from[i], 0);
	}
}

/* List the tables that were left out. If nothing else has rows, the first of them is the error. */
static enum jr_status join_left_out(
	struct jr_timeline *nsys, const struct jr_nsys_reading *r, struct jr_error *err)
{
	const struct jr_nsys_part *parts[] = {&r->gpu.part, &r->nvtx.part, &r->calls.part};
	for (size_t i = 0; i < JR_COUNT_OF(parts); i++) {
		nsys->lacks_operations |= parts[i]->lacks_operations;
		for (size_t k = 0; k < parts[i]->n_left_out; k++) {
			if (nsys->nvtx.n + nsys->calls.n + nsys->gpu.n == 0)
				return jr_fail(err, JR_EUNSUPPORTED, "%s", parts[i]->left_out[k].message);
			jr_timeline_damaged(nsys, parts[i]->left_out[k].message);
		}
	}
	return JR_OK;
}

enum jr_status jr_nsys_join(
	struct jr_timeline *nsys, struct jr_nsys_reading *r, struct jr_error *err)
{
	JR_TRY(join_left_out(nsys, r, err));
	nsys->has_nvtx = r->nvtx.part.present;
	nsys->has_calls = r->calls.part.present;
	nsys->has_gpu = r->gpu.part.present;
	nsys->n_bad_rows += r->nvtx.part.n_bad_rows + r->calls.part.n_bad_rows + r->gpu.part.n_bad_rows;
	nsys->n_long_texts += r->nvtx.n_long_texts;
	join_ids(nsys, r);
	join_texts(nsys, r);
	join_thread_names(nsys, r);
	nsys->n_scopes = r->nvtx.scopes.n;
	nsys->scopes = JR_ARENA_COPY(&nsys->arena, r->nvtx.scopes.items, nsys->n_scopes, 1);
	nsys->n_configs = r->gpu.configs.n;
	nsys->configs = JR_ARENA_COPY(&nsys->arena, r->gpu.configs.items, nsys->n_configs, 1);
	nsys->n_waits = r->gpu.waits.n;
	nsys->waits = JR_ARENA_COPY(&nsys->arena, r->gpu.waits.items, nsys->n_waits, 1);
	name_waits(nsys);
	jr_timeline_name_kernels(nsys, &r->gpu.short_of);
	bool any = nsys->has_nvtx || nsys->has_calls || nsys->has_gpu || nsys->n_exported ||
			   nsys->n_environment || nsys->n_waits;
	if (any)
		return JR_OK;
	if (nsys->n_damaged)
		return jr_fail(err, JR_EUNSUPPORTED, "%s", jr_intern_str(&nsys->strings, nsys->damaged[0]));
	return jr_fail(err, JR_ENOTFOUND,
		r->file->folder ? "contains no table with rows of an Nsight Systems export"
						: "an SQLite database, but not an Nsight Systems export: it has none of "
						  "its tables");
}

/* --- entry points ----------------------------------------------------------------------------- */

enum jr_status jr_nsys_read_small_tables(
	struct jr_timeline *nsys, struct jr_nsys_reading *r, struct jr_error *err)
{
	JR_CLEANUP(jr_nsys_tables_close) struct jr_nsys_tables tables = {0};
	JR_TRY(jr_nsys_tables_open(r->file, &tables, err));
	JR_TRY(jr_nsys_read_texts(&tables, nsys, &r->texts, err));
	return jr_nsys_read_info(&tables, &r->texts, nsys, err);
}

static enum jr_status read_all(struct jr_timeline *nsys, struct reading *r, struct jr_error *err)
{
	JR_TRY(jr_nsys_read_small_tables(nsys, &r->all, err));
	jr_task_run(r->all.options->n_threads ? r->all.options->n_threads : 1, N_PARTS, read_part, r);
	for (size_t i = 0; i < N_PARTS; i++) {
		if (r->status[i] == JR_OK)
			continue;
		if (err)
			*err = r->errors[i];
		return r->status[i];
	}
	nsys->nvtx = r->all.nvtx.rows;
	nsys->calls = r->all.calls.rows;
	nsys->gpu = r->all.gpu.rows;
	take_arenas(nsys, &r->all);
	return jr_nsys_join(nsys, &r->all, err);
}

static enum jr_status read_file(const struct jr_nsys_file *file,
	const struct jr_nsys_options *options, struct jr_timeline *out, struct jr_error *err)
{
	struct jr_timeline nsys;
	struct reading r = {0};
	jr_nsys_reading_begin(&r.all, file, options, &nsys);
	enum jr_status status = read_all(&nsys, &r, err);
	jr_nsys_reading_done(&r.all);
	if (status == JR_OK)
		*out = nsys;
	else
		jr_timeline_done(&nsys);
	return status;
}

enum jr_status jr_nsys_export_at(const char *path, const struct jr_limits *limits,
	struct jr_nsys_file *file, struct jr_error *err)
{
	JR_TRY(jr_nsys_file_at(path, limits, file, err));
	file->cut_hint =
		"Most likely nsys export was interrupted or ran out of disk space, or a copy was cut "
		"short. " JR_NSYS_EXPORT_AGAIN;
	file->left_hint = "Export again: " JR_NSYS_EXPORT;
	return JR_OK;
}

enum jr_status jr_nsys_read(const char *path, const struct jr_limits *limits,
	const struct jr_nsys_options *options, struct jr_timeline *out, struct jr_error *err)
{
	struct jr_nsys_file file;
	JR_TRY(jr_nsys_export_at(path, limits, &file, err));
	return read_file(&file, options, out, err);
}

enum jr_status jr_nsys_read_folder(struct jr_archive *folder, const struct jr_limits *limits,
	const struct jr_nsys_options *options, struct jr_timeline *out, struct jr_error *err)
{
	struct jr_nsys_file file = {.folder = folder, .limits = limits};
	return read_file(&file, options, out, err);
}

enum jr_status jr_nsys_read_memory(struct jr_bytes database, const struct jr_limits *limits,
	const struct jr_nsys_options *options, struct jr_timeline *out, struct jr_error *err)
{
	struct jr_nsys_file file = {.memory = database, .size_bytes = database.size, .limits = limits};
	return read_file(&file, options, out, err);
}
