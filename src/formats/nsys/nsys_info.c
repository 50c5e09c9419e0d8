/* The small tables: texts, names of threads and processes, devices, settings, messages. */
#include "formats/nsys/nsys_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/text.h"
#include "formats/hlo/hlo.h"
#include "formats/text/secrets.h"

/* Further rows of a small table are only counted. */
#define MOST_ROWS (1 << 20)
#define MOST_MESSAGES 4096
#define MOST_NAME_BYTES 80

static uint32_t put_text(struct jr_intern *strings, const struct jr_nsys_scan *scan, int column,
	uint64_t most, uint64_t *n_cut)
{
	struct jr_bytes text = jr_nsys_text(scan, column);
	if (!text.data)
		return 0;
	return jr_intern_foreign(strings, (const char *)text.data, text.size, most, n_cut);
}

/* --- StringIds -------------------------------------------------------------------------------- */

static bool begins(struct jr_bytes text, const char *with)
{
	size_t n = strlen(with);
	return text.size >= n && memcmp(text.data, with, n) == 0;
}

static bool is_name_char(uint8_t c)
{
	return jr_is_letter(c) || jr_is_digit(c) || c == '_' || c == '.' || c == '-' || c == '%';
}

/* Return the length of the name of an instruction or computation at `at`. */
static size_t name_at(struct jr_bytes text, size_t at)
{
	size_t n = 0;
	while (at + n < text.size && is_name_char(text.data[at + n]))
		n++;
	return n;
}

/* Classify a text by its beginning. Most texts are names of kernels, so the tests are cheap. */
static enum jr_xla_text_kind xla_kind_of(struct jr_bytes text)
{
	if (begins(text, "XlaModule:#"))
		return JR_XLA_MODULE;
	if (begins(text, "Thunk:#"))
		return JR_XLA_THUNK;
	if (begins(text, "\n")) {
		size_t n = name_at(text, 1);
		if (begins(text, "\n-"))
			return JR_XLA_STACKS;
		if (n && text.size > n + 2 && text.data[n + 1] == ' ' &&
			(text.data[n + 2] == '{' || text.data[n + 2] == '('))
			return JR_XLA_COMPUTATIONS;
		return text.size > 1 && memchr(text.data, ':', text.size) ? JR_XLA_FRAMES : JR_XLA_OTHER;
	}
	size_t root = begins(text, "ROOT ") ? strlen("ROOT ") : 0, n = name_at(text, root);
	size_t shape = root + n + 3;
	if (!n || text.size <= shape || memcmp(text.data + root + n, " = ", 3) != 0)
		return JR_XLA_OTHER;
	/* a tuple, or "f32[8]": other texts may look like an assignment, too */
	const char *type = (const char *)text.data + shape;
	size_t n_type = name_at(text, shape);
	bool array =
		shape + n_type < text.size && type[n_type] == '[' && jr_hlo_element_type(type, n_type) != 0;
	return *type == '(' || array ? JR_XLA_INSTRUCTION : JR_XLA_OTHER;
}

JR_ORDER(compare_xla_texts, struct jr_xla_text, JR_UP(id))

struct xla_texts {
	JR_VEC(struct jr_xla_text) list;
	bool begun, sorted;
};

/* Texts of XLA follow the title of their module. Anything before the first title is not XLA's. */
static void collect_xla_text(
	struct xla_texts *to, struct jr_timeline *nsys, int64_t id, const struct jr_nsys_scan *scan)
{
	struct jr_bytes text = jr_nsys_text(scan, 1);
	enum jr_xla_text_kind kind = xla_kind_of(text);
	if (kind == JR_XLA_OTHER || (!to->begun && kind != JR_XLA_MODULE))
		return;
	to->sorted &= to->list.n == 0 || to->list.items[to->list.n - 1].id < id;
	to->begun = true;
	text.data = (const uint8_t *)jr_arena_strndup(&nsys->arena, (const char *)text.data, text.size);
	*jr_vec_add(&to->list) = (struct jr_xla_text){id, kind, text};
}

static void keep_xla_texts(struct xla_texts *from, struct jr_timeline *nsys)
{
	nsys->n_xla_texts = from->list.n;
	nsys->xla_texts = JR_ARENA_N(&nsys->arena, struct jr_xla_text, from->list.n + 1);
	jr_copy(nsys->xla_texts, from->list.items, from->list.n * sizeof(*from->list.items));
	if (!from->sorted && from->list.n)
		qsort(nsys->xla_texts, nsys->n_xla_texts, sizeof(*nsys->xla_texts), compare_xla_texts);
	jr_vec_done(&from->list);
}

enum jr_status jr_nsys_read_texts(const struct jr_nsys_tables *tables, struct jr_timeline *nsys,
	struct jr_nsys_texts *texts, struct jr_error *err)
{
	static const char *const columns[] = {"id", "value"};
	struct jr_nsys_scan scan;
	struct jr_error why = {0};
	enum jr_status begun = jr_nsys_scan_begin(tables, "StringIds", columns, 2, 2, &scan, &why);
	if (begun == JR_EUNSUPPORTED) { /* the times of the other tables do not depend on names */
		jr_timeline_damaged(nsys, why.message);
		return JR_OK;
	}
	if (begun != JR_OK)
		return jr_fail(err, begun, "%s", why.message);
	/* Ids count up from 0; ids beyond the hint go to the map. */
	texts->n_dense = (int64_t)(scan.hint + 1);
	texts->dense = jr_arena_array(&nsys->arena, (uint64_t)texts->n_dense, sizeof(uint32_t), err);
	enum jr_status status = texts->dense ? JR_OK : JR_ELIMIT;
	struct xla_texts xla = {.sorted = true};
	if (texts->dense)
		memset(texts->dense, 0xFF, (size_t)texts->n_dense * sizeof(uint32_t));
	while (status == JR_OK && jr_nsys_scan_next(&scan)) {
		int64_t id = jr_nsys_i64(&scan, 0);
		uint32_t text = put_text(
			&nsys->strings, &scan, 1, jr_limits_name(tables->file->limits), &nsys->n_long_texts);
		uint32_t *dense = id >= 0 && id < texts->n_dense ? &texts->dense[id] : NULL;
		uint32_t known = dense ? *dense : jr_map_get(&texts->sparse, (uint64_t)id);
		if (known != JR_NONE) { /* the first text counts */
			nsys->n_other_texts += known != text;
			continue;
		}
		if (dense)
			*dense = text;
		else
			jr_map_put(&texts->sparse, (uint64_t)id, text);
		collect_xla_text(&xla, nsys, id, &scan);
		if (nsys->strings.n >= JR_NSYS_INLINE / 2)
			status = jr_fail(err, JR_ELIMIT, "table StringIds: too many texts");
	}
	if (status == JR_OK)
		status = jr_nsys_scan_stopped(&scan, err);
	jr_nsys_scan_end(&scan);
	keep_xla_texts(&xla, nsys);
	return status;
}

/* --- other tables ----------------------------------------------------------------------------- */

struct info {
	const struct jr_nsys_tables *tables;
	const struct jr_nsys_texts *texts;
	struct jr_timeline *nsys;
	struct jr_intern texts_apart; /* of rows of which only a part is kept */
};

static uint32_t text_at(struct info *in, const struct jr_nsys_scan *scan, int column)
{
	return put_text(&in->nsys->strings, scan, column, in->tables->file->limits->string_bytes,
		&in->nsys->n_long_texts);
}

static uint32_t text_without_secrets(struct info *in, const struct jr_nsys_scan *scan, int column)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	uint32_t text = put_text(&in->texts_apart, scan, column, in->tables->file->limits->string_bytes,
		&in->nsys->n_long_texts);
	jr_secrets_hide(
		&out, jr_intern_str(&in->texts_apart, text), jr_intern_len(&in->texts_apart, text));
	return jr_intern_put(&in->nsys->strings, out.data ? out.data : "", out.size);
}

/* In a folder, each table is a file that may be damaged alone, and any table may be a view. Return
 * whether the report can do without the rest of it. */
static bool leave_out(struct info *in, enum jr_status status, const struct jr_error *why)
{
	if (!in->tables->file->folder && status != JR_EUNSUPPORTED)
		return false;
	jr_timeline_damaged(in->nsys, why->message);
	return true;
}

/* Call `take` for each row of one table, up to MOST_ROWS. */
typedef void (*take_fn)(struct info *in, const struct jr_nsys_scan *scan, void *out);

static enum jr_status each_row(struct info *in, const char *table, const char *const *columns,
	size_t n_columns, take_fn take, void *out, struct jr_error *err)
{
	struct jr_nsys_scan scan;
	struct jr_error why = {0};
	enum jr_status status =
		jr_nsys_scan_begin(in->tables, table, columns, n_columns, 0, &scan, &why);
	while (status == JR_OK && jr_nsys_scan_next(&scan)) {
		if (scan.n_rows <= MOST_ROWS)
			take(in, &scan, out);
		else
			in->nsys->n_rows_left_out++;
	}
	if (status == JR_OK)
		status = jr_nsys_scan_stopped(&scan, &why);
	jr_nsys_scan_end(&scan);
	if (status == JR_OK || leave_out(in, status, &why))
		return JR_OK;
	if (err)
		*err = why;
	return status;
}

#define EACH_ROW(in, table, columns, take, out)                                                    \
	JR_TRY(each_row((in), (table), (columns), JR_COUNT_OF(columns), (take), (out), err))

typedef JR_VEC(struct jr_timeline_pair) pair_vec;

static void take_pair(struct info *in, const struct jr_nsys_scan *scan, void *out)
{
	pair_vec *pairs = out;
	struct jr_timeline_pair pair = {text_at(in, scan, 0), text_at(in, scan, 1)};
	*jr_vec_add(pairs) = pair;
}

static bool is_any_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strstr(name, names[i]))
			return true;
	return false;
}

/* Keep the values that reports use, and of the environment the allowed variables only. The command
 * line and the rest stay out of the timeline, and so of digests. */
static uint32_t kept_value(struct info *in, const char *name, uint32_t value)
{
	static const char *const facts[] = {"_TRIGGER", "COLLECT_CUDA_TRACE", "Hostname",
		"CpuDescription", "OsDescription", "NvDriverVersion", "SoftwareReleaseVersion",
		"CudaDriverVersion", "TargetInstallDir"};
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	const char *text = jr_intern_str(&in->texts_apart, value);
	if (strstr(name, ":ENVIRONMENT_VARIABLE"))
		jr_environment_put_variable(&out, text, strlen(text));
	else if (strcmp(name, "DeviceEnvironment") == 0)
		jr_environment_put(&out, text);
	else if (is_any_of(name, facts, JR_COUNT_OF(facts)))
		jr_buf_puts(&out, text);
	return jr_intern_put(&in->nsys->strings, out.data ? out.data : "", out.size);
}

static void take_fact(struct info *in, const struct jr_nsys_scan *scan, void *out)
{
	pair_vec *pairs = out;
	uint32_t name = text_at(in, scan, 0);
	uint32_t value = put_text(
		&in->texts_apart, scan, 1, in->tables->file->limits->string_bytes, &in->nsys->n_long_texts);
	struct jr_timeline_pair pair = {
		name, kept_value(in, jr_intern_str(&in->nsys->strings, name), value)};
	*jr_vec_add(pairs) = pair;
}

static enum jr_status read_pairs(struct info *in, const char *table,
	void (*take)(struct info *, const struct jr_nsys_scan *, void *), pair_vec *pairs,
	struct jr_error *err)
{
	static const char *const columns[] = {"name", "value"};
	EACH_ROW(in, table, columns, take, pairs);
	return JR_OK;
}

static enum jr_status read_settings(struct info *in, struct jr_error *err)
{
	/* The table with facts about the export was renamed in 2023.3. */
	static const char *const exported[] = {"META_DATA_EXPORT", "EXPORT_META_DATA"};
	struct jr_timeline *nsys = in->nsys;
	pair_vec pairs = {0};
	enum jr_status status = JR_OK;
	for (size_t i = 0; i < JR_COUNT_OF(exported) && status == JR_OK; i++)
		status = read_pairs(in, exported[i], take_pair, &pairs, err);
	nsys->exported = JR_ARENA_COPY(&nsys->arena, pairs.items, pairs.n, 1);
	nsys->n_exported = pairs.n;
	pairs.n = 0;
	if (status == JR_OK)
		status = read_pairs(in, "META_DATA_CAPTURE", take_fact, &pairs, err);
	nsys->captured = JR_ARENA_COPY(&nsys->arena, pairs.items, pairs.n, 1);
	nsys->n_captured = pairs.n;
	pairs.n = 0;
	if (status == JR_OK)
		status = read_pairs(in, "TARGET_INFO_SYSTEM_ENV", take_fact, &pairs, err);
	nsys->environment = JR_ARENA_COPY(&nsys->arena, pairs.items, pairs.n, 1);
	nsys->n_environment = pairs.n;
	jr_vec_done(&pairs);
	return status;
}

typedef JR_VEC(struct jr_timeline_thread_name) thread_name_vec;

static void take_thread_name(struct info *in, const struct jr_nsys_scan *scan, void *out)
{
	thread_name_vec *names = out;
	*jr_vec_add(names) = (struct jr_timeline_thread_name){
		jr_nsys_i64(scan, 0), jr_nsys_text_by_id(in->texts, scan, 1)};
}

static void take_process_name(struct info *in, const struct jr_nsys_scan *scan, void *out)
{
	thread_name_vec *names = out;
	*jr_vec_add(names) =
		(struct jr_timeline_thread_name){jr_nsys_i64(scan, 0), text_without_secrets(in, scan, 1)};
}

typedef JR_VEC(struct jr_timeline_gpu_info) gpu_vec;

static uint64_t positive(const struct jr_nsys_scan *scan, int column)
{
	int64_t v = jr_nsys_i64(scan, column);
	return v > 0 ? (uint64_t)v : 0;
}

static void take_gpu(struct info *in, const struct jr_nsys_scan *scan, void *out)
{
	gpu_vec *gpus = out;
	*jr_vec_add(gpus) = (struct jr_timeline_gpu_info){.id = jr_nsys_i64(scan, 0),
		.cuda_device = jr_nsys_is_null(scan, 1) ? -1 : jr_nsys_i64(scan, 1),
		.name = text_at(in, scan, 2),
		.memory_bandwidth_bytes_s = positive(scan, 3),
		.sm_count = positive(scan, 4),
		.clock_hz = positive(scan, 5),
		.memory_bytes = positive(scan, 6),
		.compute_major = jr_nsys_i64(scan, 7),
		.compute_minor = jr_nsys_i64(scan, 8),
		.uuid = text_at(in, scan, 9),
		.bus = text_at(in, scan, 10)};
}

typedef JR_VEC(struct jr_timeline_cuda_device) cuda_device_vec;

static void take_cuda_device(struct info *in, const struct jr_nsys_scan *scan, void *out)
{
	cuda_device_vec *devices = out;
	*jr_vec_add(devices) = (struct jr_timeline_cuda_device){
		.gpu = jr_nsys_is_null(scan, 0) ? -1 : jr_nsys_i64(scan, 0),
		.cuda_device = jr_nsys_i64(scan, 1),
		.pid = jr_nsys_i64(scan, 2),
		.uuid = text_at(in, scan, 3),
		.sm_count = positive(scan, 4)};
}

typedef JR_VEC(struct jr_timeline_device_name) device_name_vec;

static void take_device_name(struct info *in, const struct jr_nsys_scan *scan, void *out)
{
	device_name_vec *names = out;
	*jr_vec_add(names) =
		(struct jr_timeline_device_name){jr_nsys_i64(scan, 0), text_at(in, scan, 1)};
}

struct messages {
	JR_VEC(struct jr_timeline_message) list;
	struct jr_map rows; /* source and severity, text -> row of list */
};

static void take_message(struct info *in, const struct jr_nsys_scan *scan, void *out)
{
	struct messages *messages = out;
	static const char *const sources[] = {"", "injection", "daemon", "analysis"};
	int64_t t_ns = jr_nsys_i64(scan, 0), source = jr_nsys_i64(scan, 1);
	int64_t severity = jr_nsys_i64(scan, 2);
	if (severity != JR_TIMELINE_WARNING && severity != JR_TIMELINE_ERROR)
		return;
	source = source >= 0 && source < (int64_t)JR_COUNT_OF(sources) ? source : 0;
	uint32_t text = text_without_secrets(in, scan, 3);
	uint64_t key = jr_key2((uint32_t)(source << 2 | severity), text);
	uint32_t row = jr_map_get(&messages->rows, key);
	if (row != JR_NONE) {
		struct jr_timeline_message *known = &messages->list.items[row];
		known->count++;
		known->t_ns = t_ns < known->t_ns ? t_ns : known->t_ns;
		return;
	}
	if (messages->list.n == MOST_MESSAGES) {
		in->nsys->n_rows_left_out++;
		return;
	}
	jr_map_put(&messages->rows, key, (uint32_t)messages->list.n);
	*jr_vec_add(&messages->list) = (struct jr_timeline_message){.t_ns = t_ns,
		.count = 1,
		.severity = (int)severity,
		.source = jr_intern_puts(&in->nsys->strings, sources[source]),
		.text = text};
}

JR_ORDER(compare_messages, struct jr_timeline_message, JR_UP(t_ns) JR_UP(text))

typedef JR_VEC(struct jr_timeline_sum) sum_vec;

/* Overheads have few names; names from the 64th on share one sum. */
static void take_overhead(struct info *in, const struct jr_nsys_scan *scan, void *out)
{
	sum_vec *sums = out;
	int64_t start = jr_nsys_i64(scan, 0), end = jr_nsys_i64(scan, 1), length, total;
	bool timed =
		jr_nsys_type(scan, 0) == JR_NSYS_INTEGER && jr_nsys_type(scan, 1) == JR_NSYS_INTEGER;
	uint32_t name = jr_nsys_text_by_id(in->texts, scan, 2);
	size_t k = 0;
	while (k < sums->n && k + 1 < JR_NSYS_MOST_SUMS && sums->items[k].name != name)
		k++;
	total = k < sums->n ? sums->items[k].total_ns : 0;
	if (!timed || __builtin_sub_overflow(end, start, &length) || length < 0 ||
		__builtin_add_overflow(total, length, &total)) {
		in->nsys->n_bad_rows++;
		return;
	}
	if (k + 1 == JR_NSYS_MOST_SUMS)
		name = jr_intern_puts(&in->nsys->strings, JR_NSYS_OTHER);
	if (k == sums->n)
		*jr_vec_add(sums) = (struct jr_timeline_sum){.name = name};
	struct jr_timeline_sum *sum = &sums->items[k];
	sum->total_ns = total;
	sum->count++;
	if (length > sum->max_ns)
		sum->max_ns = length;
}

static void take_session(struct info *in, const struct jr_nsys_scan *scan, void *out)
{
	(void)out;
	int64_t length = jr_nsys_i64(scan, 0);
	if (length > in->nsys->session_ns)
		in->nsys->session_ns = length;
}

static void take_session_start(struct info *in, const struct jr_nsys_scan *scan, void *out)
{
	(void)out;
	int64_t start_ns = jr_nsys_i64(scan, 0);
	if (start_ns > 0 && in->nsys->session_start_ns == 0)
		in->nsys->session_start_ns = start_ns;
}

static enum jr_status read_devices(struct info *in, gpu_vec *gpus, cuda_device_vec *cuda_devices,
	device_name_vec *names, struct jr_error *err)
{
	static const char *const gpu_columns[] = {"id", "cuDevice", "name", "memoryBandwidth",
		"smCount", "clockRate", "totalMemory", "computeMajor", "computeMinor", "uuid",
		"busLocation"};
	static const char *const cuda_columns[] = {
		"gpuId", "cudaId", "pid", "uuid", "numMultiprocessors"};
	static const char *const name_columns[] = {"deviceId", "name"};
	EACH_ROW(in, "TARGET_INFO_GPU", gpu_columns, take_gpu, gpus);
	EACH_ROW(in, "TARGET_INFO_CUDA_DEVICE", cuda_columns, take_cuda_device, cuda_devices);
	EACH_ROW(in, "TARGET_INFO_NVTX_CUDA_DEVICE", name_columns, take_device_name, names);
	return JR_OK;
}

static enum jr_status read_names(
	struct info *in, thread_name_vec *threads, thread_name_vec *processes, struct jr_error *err)
{
	static const char *const thread_columns[] = {"globalTid", "nameId"};
	static const char *const process_columns[] = {"globalPid", "name"};
	EACH_ROW(in, "ThreadNames", thread_columns, take_thread_name, threads);
	EACH_ROW(in, "PROCESSES", process_columns, take_process_name, processes);
	return JR_OK;
}

static enum jr_status read_events(
	struct info *in, struct messages *messages, sum_vec *overheads, struct jr_error *err)
{
	static const char *const message_columns[] = {"timestamp", "source", "severity", "text"};
	static const char *const overhead_columns[] = {"start", "end", "nameId"};
	static const char *const session_columns[] = {"duration"};
	static const char *const start_columns[] = {"utcEpochNs"};
	EACH_ROW(in, "DIAGNOSTIC_EVENT", message_columns, take_message, messages);
	EACH_ROW(in, "PROFILER_OVERHEAD", overhead_columns, take_overhead, overheads);
	EACH_ROW(in, "CUPTI_ACTIVITY_KIND_OVERHEAD", overhead_columns, take_overhead, overheads);
	EACH_ROW(in, "ANALYSIS_DETAILS", session_columns, take_session, NULL);
	EACH_ROW(in, "TARGET_INFO_SESSION_START_TIME", start_columns, take_session_start, NULL);
	return JR_OK;
}

/* --- unsupported tables ----------------------------------------------------------------------- */

static void take_table(void *context, const char *name)
{
	static const char *const known[] = {"StringIds", "NVTX_EVENTS", "ThreadNames", "PROCESSES",
		"ProcessStreams", "DIAGNOSTIC_EVENT", "PROFILER_OVERHEAD", "ANALYSIS_DETAILS",
		"ANALYSIS_FILE", "EXPORT_META_DATA", "CUPTI_ACTIVITY_KIND_RUNTIME",
		"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
		"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
		"CUPTI_ACTIVITY_KIND_OVERHEAD"};
	/* Tables that translate numbers, or describe the machine and the session. */
	static const char *const families[] = {"ENUM_", "META_DATA_", "TARGET_INFO_", "sqlite_"};
	const struct info *in = context;
	struct jr_timeline *nsys = in->nsys;
	for (size_t i = 0; i < JR_COUNT_OF(known); i++)
		if (strcmp(name, known[i]) == 0)
			return;
	for (size_t i = 0; i < JR_COUNT_OF(families); i++)
		if (strncmp(name, families[i], strlen(families[i])) == 0)
			return;
	JR_CLEANUP(jr_buf_done) struct jr_buf clean = {0};
	jr_text_clean(&clean, name, jr_text_prefix(name, strlen(name), MOST_NAME_BYTES));
	jr_timeline_leave_unread(nsys,
		jr_intern_put(&nsys->strings, clean.data ? clean.data : "", clean.size),
		jr_nsys_count_rows(in->tables, name));
}

enum jr_status jr_nsys_read_info(const struct jr_nsys_tables *tables,
	const struct jr_nsys_texts *texts, struct jr_timeline *nsys, struct jr_error *err)
{
	struct info in = {.tables = tables, .texts = texts, .nsys = nsys};
	jr_intern_init(&in.texts_apart);
	thread_name_vec threads = {0}, processes = {0};
	gpu_vec gpus = {0};
	cuda_device_vec cuda_devices = {0};
	device_name_vec devices = {0};
	struct messages messages = {0};
	sum_vec overheads = {0};
	enum jr_status status = read_settings(&in, err);
	if (status == JR_OK)
		status = read_devices(&in, &gpus, &cuda_devices, &devices, err);
	if (status == JR_OK)
		status = read_names(&in, &threads, &processes, err);
	if (status == JR_OK)
		status = read_events(&in, &messages, &overheads, err);
	if (status == JR_OK)
		status = jr_nsys_each_table(tables, take_table, &in, err);
	jr_sort(messages.list.items, messages.list.n, sizeof(*messages.list.items), compare_messages);
	nsys->n_thread_names = threads.n;
	nsys->thread_names = JR_ARENA_COPY(&nsys->arena, threads.items, threads.n, 1);
	nsys->n_process_names = processes.n;
	nsys->process_names = JR_ARENA_COPY(&nsys->arena, processes.items, processes.n, 1);
	nsys->n_gpus = gpus.n;
	nsys->gpus = JR_ARENA_COPY(&nsys->arena, gpus.items, gpus.n, 1);
	nsys->n_cuda_devices = cuda_devices.n;
	nsys->cuda_devices = JR_ARENA_COPY(&nsys->arena, cuda_devices.items, cuda_devices.n, 1);
	nsys->n_device_names = devices.n;
	nsys->device_names = JR_ARENA_COPY(&nsys->arena, devices.items, devices.n, 1);
	nsys->n_messages = messages.list.n;
	nsys->messages = JR_ARENA_COPY(&nsys->arena, messages.list.items, messages.list.n, 1);
	nsys->n_overheads = overheads.n;
	nsys->overheads = JR_ARENA_COPY(&nsys->arena, overheads.items, overheads.n, 1);
	jr_vec_done(&threads);
	jr_vec_done(&processes);
	jr_vec_done(&gpus);
	jr_vec_done(&cuda_devices);
	jr_vec_done(&devices);
	jr_vec_done(&messages.list);
	jr_map_done(&messages.rows);
	jr_vec_done(&overheads);
	jr_intern_done(&in.texts_apart);
	return status;
}
