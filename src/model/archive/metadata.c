#include "model/archive/metadata.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/text.h"
#include "formats/hlo/target_config.h"

void jr_metadata_init(struct jr_metadata *meta)
{
	*meta = (struct jr_metadata){0};
	jr_arena_init(&meta->arena, 0);
	jr_intern_init(&meta->strings);
}

void jr_metadata_done(struct jr_metadata *meta)
{
	if (!meta)
		return;
	jr_intern_done(&meta->strings);
	jr_arena_done(&meta->arena);
	*meta = (struct jr_metadata){0};
}

bool jr_metadata_shows(const char *name)
{
	return jr_environment_allowed(name, strlen(name));
}

uint32_t jr_environment_value(struct jr_intern *strings, const char *value, size_t n)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	jr_secrets_hide(&out, value, n);
	return jr_intern_put(strings, out.data ? out.data : "", out.size);
}

/* State of each reader: the open file, and a scratch arena for the decoded columns. */
struct session {
	struct jr_arena scratch;
	struct jr_parquet pq;
	struct jr_intern names; /* temporary texts of the file */
	const struct jr_limits *limits;
};

static enum jr_status session_open(struct session *s, struct jr_bytes parquet,
	const struct jr_limits *limits, struct jr_error *err)
{
	*s = (struct session){.limits = limits};
	jr_arena_init(&s->scratch, limits->memory_bytes);
	jr_intern_init(&s->names);
	return jr_parquet_open(parquet, limits, &s->scratch, &s->pq, err);
}

static void session_done(struct session *s)
{
	jr_intern_done(&s->names);
	jr_arena_done(&s->scratch);
}

static enum jr_status read_i64(
	struct session *s, const char *name, int64_t **out, struct jr_error *err)
{
	return jr_parquet_i64(&s->pq, name, &s->scratch, out, err);
}

static enum jr_status read_text(
	struct session *s, const char *name, uint32_t **out, struct jr_error *err)
{
	return jr_parquet_text(
		&s->pq, name, s->limits, &s->names, &s->scratch, s->limits->string_bytes, out, err);
}

/* Launchers are sorted so that the first device of a process does not depend on file order. */
JR_ORDER(compare_launchers, struct jr_launcher, JR_UP(device.global) JR_UP(pid) JR_UP(tid))

/* Limit of devices, beyond any job: each device may be compared with all others. */
#define MOST_LAUNCHERS 65536
#define MOST_GPUS 4096

static enum jr_status threads(struct jr_metadata *meta, struct session *s, struct jr_error *err)
{
	uint32_t *name;
	int64_t *pid, *tid;
	JR_TRY(read_text(s, "Name", &name, err));
	JR_TRY(read_i64(s, "PID", &pid, err));
	JR_TRY(read_i64(s, "TID", &tid, err));
	if (!name || !pid || !tid)
		return jr_fail(err, JR_EFORMAT, JR_ARCHIVE_NO_COLUMN,
			!name  ? "Name"
			: !pid ? "PID"
				   : "TID");
	/* The file lists every host thread, but launchers are few. Each name is parsed once. */
	uint8_t *is_launcher = JR_ARENA_N(&s->scratch, uint8_t, s->names.n);
	struct jr_device_name device;
	for (size_t id = 0; id < s->names.n; id++)
		is_launcher[id] = jr_device_name_parse(jr_intern_str(&s->names, (uint32_t)id),
			jr_intern_len(&s->names, (uint32_t)id), "XlaLauncher:#", &device);
	size_t n = 0;
	for (uint64_t i = 0; i < s->pq.n_rows; i++)
		n += name[i] != JR_NONE && is_launcher[name[i]];
	if (n > MOST_LAUNCHERS)
		return jr_fail(err, JR_ELIMIT, "more than %d launcher threads", MOST_LAUNCHERS);
	meta->launchers = JR_ARENA_N(&meta->arena, struct jr_launcher, n + 1);
	for (uint64_t i = 0; i < s->pq.n_rows; i++) {
		if (name[i] == JR_NONE || !is_launcher[name[i]])
			continue;
		struct jr_launcher *launcher = &meta->launchers[meta->n_launchers++];
		*launcher = (struct jr_launcher){.pid = pid[i], .tid = tid[i]};
		(void)jr_device_name_parse(jr_intern_str(&s->names, name[i]),
			jr_intern_len(&s->names, name[i]), "XlaLauncher:#", &launcher->device);
	}
	jr_sort(meta->launchers, n, sizeof(*meta->launchers), compare_launchers);
	return JR_OK;
}

static uint64_t positive(const int64_t *column, uint64_t row)
{
	return column && column[row] > 0 ? (uint64_t)column[row] : 0;
}

/* By CUDA device, then by file order. */
JR_ORDER_ROWS(compare_gpus, struct jr_gpu, JR_UP(cuda_device))

uint32_t jr_compute_capability(int64_t major, int64_t minor)
{
	bool real = major > 0 && major < 100 && minor >= 0 && minor < 10;
	return real ? (uint32_t)(10 * major + minor) : 0;
}

#define GPU(field) "('TARGET_INFO_GPU', '" field "')"

static enum jr_status devices(struct jr_metadata *meta, struct session *s, struct jr_error *err)
{
	uint32_t *gpu_name, *xla_name;
	int64_t *cuda, *bandwidth, *sms, *clock, *memory, *major, *minor;
	JR_TRY(read_i64(s, "cuDevice", &cuda, err));
	JR_TRY(read_text(s, GPU("name"), &gpu_name, err));
	JR_TRY(read_i64(s, GPU("memoryBandwidth"), &bandwidth, err));
	JR_TRY(read_i64(s, GPU("smCount"), &sms, err));
	JR_TRY(read_i64(s, GPU("clockRate"), &clock, err));
	JR_TRY(read_i64(s, GPU("totalMemory"), &memory, err));
	JR_TRY(read_i64(s, GPU("computeMajor"), &major, err));
	JR_TRY(read_i64(s, GPU("computeMinor"), &minor, err));
	JR_TRY(read_text(s, "('TARGET_INFO_NVTX_CUDA_DEVICE', 'name')", &xla_name, err));
	if (s->pq.n_rows > MOST_GPUS)
		return jr_fail(err, JR_ELIMIT, "more than %d devices", MOST_GPUS);
	size_t n = (size_t)s->pq.n_rows;
	meta->gpus = JR_ARENA_N(&meta->arena, struct jr_gpu, n + 1);
	struct jr_gpu *rows = JR_ARENA_N(&s->scratch, struct jr_gpu, n + 1);
	uint32_t *order = JR_ARENA_N(&s->scratch, uint32_t, n + 1);
	for (size_t i = 0; i < n; i++) {
		struct jr_gpu gpu = {.cuda_device = cuda && cuda[i] >= 0 ? cuda[i] : -1,
			.memory_bandwidth_bytes_s = positive(bandwidth, i),
			.sm_count = positive(sms, i),
			.clock_hz = positive(clock, i),
			.memory_bytes = positive(memory, i),
			.compute_capability = major && minor ? jr_compute_capability(major[i], minor[i]) : 0};
		if (gpu_name && gpu_name[i] != JR_NONE)
			gpu.name = jr_intern_puts(&meta->strings, jr_intern_str(&s->names, gpu_name[i]));
		if (xla_name && xla_name[i] != JR_NONE) {
			gpu.named = jr_device_name_parse(jr_intern_str(&s->names, xla_name[i]),
				jr_intern_len(&s->names, xla_name[i]), "Xla:#", &gpu.device);
			gpu.misnamed = !gpu.named;
		}
		rows[i] = gpu;
		order[i] = (uint32_t)i;
	}
	jr_sort_with(order, n, sizeof(*order), compare_gpus, rows);
	for (size_t i = 0; i < n; i++)
		meta->gpus[i] = rows[order[i]];
	meta->n_gpus = n;
	return JR_OK;
}

enum jr_status jr_metadata_read_target(
	struct jr_metadata *meta, struct jr_bytes text, struct jr_error *err)
{
	struct jr_target_config config;
	JR_TRY(jr_target_config_read(text, &config, err));
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	jr_text_clean(&name, config.name, strlen(config.name));
	meta->gpus = JR_ARENA_NEW(&meta->arena, struct jr_gpu);
	meta->n_gpus = 1;
	meta->gpus_of_target = true;
	meta->gpus[0] = (struct jr_gpu){.cuda_device = -1,
		.name = name.size ? jr_intern_put(&meta->strings, name.data, name.size) : 0,
		.memory_bandwidth_bytes_s = config.memory_bandwidth_bytes_s,
		.sm_count = config.sm_count,
		.clock_hz = config.clock_hz,
		.compute_capability = config.compute_capability};
	return JR_OK;
}

struct found_setting {
	struct jr_setting_text text;
	const char *name;
	size_t place;
};

JR_ORDER(compare_settings, struct found_setting, JR_TEXT_UP(name) JR_UP(place))

/* Parse "A=1;B=2;...": take only allow-listed names, sorted by name. */
static void environment(struct jr_metadata *meta, const char *text, struct jr_arena *scratch)
{
	size_t room = 1;
	for (const char *p = text; *p; p++)
		room += *p == ';';
	struct found_setting *found = JR_ARENA_N(scratch, struct found_setting, room);
	size_t n_found = 0;
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, ";");
		const char *equals = memchr(p, '=', n);
		if (equals && jr_environment_allowed(p, (size_t)(equals - p))) {
			uint32_t name = jr_intern_put(&meta->strings, p, (size_t)(equals - p));
			uint32_t value =
				jr_environment_value(&meta->strings, equals + 1, n - (size_t)(equals + 1 - p));
			found[n_found] =
				(struct found_setting){{name, value}, jr_intern_str(&meta->strings, name), n_found};
			n_found++;
		}
		p += n + (p[n] == ';');
	}
	jr_sort(found, n_found, sizeof(*found), compare_settings);
	meta->settings = JR_ARENA_N(&meta->arena, struct jr_setting_text, n_found + 1);
	for (size_t i = 0; i < n_found; i++)
		meta->settings[i] = found[i].text;
	meta->n_settings = n_found;
}

/* ".../nsight-systems-cli/2024.4.1/target-linux-x64" -> "2024.4.1" */
static uint32_t version_of_path(struct jr_metadata *meta, const char *path)
{
	for (const char *p = path; *p; p++) {
		size_t n = strcspn(p, "/");
		if (n > 4 && strspn(p, "0123456789.") == n && memchr(p, '.', n))
			return jr_intern_put(&meta->strings, p, n);
		p += n;
		if (!*p)
			break;
	}
	return 0;
}

/* Whether a text means "no version": it is empty or a version of 0. */
static bool is_no_version(const char *text)
{
	return text[strspn(text, "0.")] == '\0';
}

/* Format a driver version. Older versions of nsys omit the dots: 52510517 -> 525.105.17, 4705702 ->
 * 470.57.02. */
static uint32_t driver_version(struct jr_metadata *meta, const char *text)
{
	size_t n = strspn(text, "0123456789");
	if (is_no_version(text))
		return 0;
	if (text[n] || (n != 7 && n != 8))
		return jr_intern_puts(&meta->strings, text);
	const char *pretty =
		jr_arena_printf(&meta->arena, "%.3s.%.*s.%s", text, (int)n - 5, text + 3, text + n - 2);
	return jr_intern_puts(&meta->strings, pretty);
}

/* CUDA's integer version: 12040 -> "12.4". */
static uint32_t cuda_version(struct jr_metadata *meta, const char *text)
{
	unsigned value = 0;
	size_t n = strspn(text, "0123456789");
	if (is_no_version(text))
		return 0;
	if (text[n] || n > 6)
		return jr_intern_puts(&meta->strings, text);
	for (size_t i = 0; i < n; i++)
		value = value * 10 + (unsigned)(text[i] - '0');
	const char *pretty = jr_arena_printf(&meta->arena, "%u.%u", value / 1000, value % 1000 / 10);
	return jr_intern_puts(&meta->strings, pretty);
}

void jr_metadata_system_pair(
	struct jr_metadata *meta, const char *key, const char *value, struct jr_arena *scratch)
{
	const struct {
		const char *key;
		uint32_t *out;
	} kept[] = {{"Hostname", &meta->hostname}, {"CpuDescription", &meta->cpu},
		{"OsDescription", &meta->os}};
	for (size_t k = 0; k < JR_COUNT_OF(kept); k++)
		if (strcmp(key, kept[k].key) == 0)
			*kept[k].out = jr_intern_puts(&meta->strings, value);
	if (strcmp(key, "NvDriverVersion") == 0)
		meta->driver = driver_version(meta, value);
	else if (strcmp(key, "SoftwareReleaseVersion") == 0) /* "6.6.87.2-microsoft-standard-WSL2" */
		meta->wsl = strstr(value, "microsoft") || strstr(value, "WSL");
	else if (strcmp(key, "CudaDriverVersion") == 0)
		meta->cuda = cuda_version(meta, value);
	else if (strcmp(key, "TargetInstallDir") == 0)
		meta->nsys = version_of_path(meta, value);
	else if (strcmp(key, "DeviceEnvironment") == 0 && !meta->settings)
		environment(meta, value, scratch);
}

static enum jr_status system_rows(struct jr_metadata *meta, struct session *s, struct jr_error *err)
{
	uint32_t *name, *value;
	JR_TRY(read_text(s, "name", &name, err));
	JR_TRY(read_text(s, "value", &value, err));
	if (!name || !value)
		return jr_fail(err, JR_EFORMAT, JR_ARCHIVE_NO_COLUMN, name ? "value" : "name");
	for (uint64_t i = 0; i < s->pq.n_rows; i++)
		if (name[i] != JR_NONE && value[i] != JR_NONE)
			jr_metadata_system_pair(meta, jr_intern_str(&s->names, name[i]),
				jr_intern_str(&s->names, value[i]), &s->scratch);
	return JR_OK;
}

typedef enum jr_status (*read_fn)(struct jr_metadata *, struct session *, struct jr_error *);

static enum jr_status read_with(read_fn fn, struct jr_metadata *meta, struct jr_bytes parquet,
	const struct jr_limits *limits, struct jr_error *err)
{
	struct session s;
	enum jr_status status = session_open(&s, parquet, limits, err);
	if (status == JR_OK)
		status = fn(meta, &s, err);
	session_done(&s);
	return status;
}

enum jr_status jr_metadata_read_threads(struct jr_metadata *meta, struct jr_bytes parquet,
	const struct jr_limits *limits, struct jr_error *err)
{
	return read_with(threads, meta, parquet, limits, err);
}

enum jr_status jr_metadata_read_devices(struct jr_metadata *meta, struct jr_bytes parquet,
	const struct jr_limits *limits, struct jr_error *err)
{
	return read_with(devices, meta, parquet, limits, err);
}

enum jr_status jr_metadata_read_system(struct jr_metadata *meta, struct jr_bytes parquet,
	const struct jr_limits *limits, struct jr_error *err)
{
	return read_with(system_rows, meta, parquet, limits, err);
}

static void agree(uint32_t *number, bool *differ, uint32_t found)
{
	*differ |= *number != JR_NONE && *number != found;
	*number = found;
}

uint32_t jr_metadata_process(const struct jr_metadata *meta)
{
	uint32_t number = JR_NONE;
	bool differ = false;
	for (size_t i = 0; i < meta->n_gpus; i++)
		if (meta->gpus[i].named)
			agree(&number, &differ, meta->gpus[i].device.process);
	if (number == JR_NONE)
		for (size_t i = 0; i < meta->n_launchers; i++)
			agree(&number, &differ, meta->launchers[i].device.process);
	return differ ? JR_NONE : number;
}
