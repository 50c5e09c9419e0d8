/*
 * write_metadata.c - thread-, device- and system-metadata.parquet (formats/README.md, section 1).
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "sources.h"
#include "writers.h"

/* Part of the fake job's environment; must never appear in a report. */
#define SECRET "hf_jrGenerateSecretToken0123456789abcdef"

static void add(struct gen_archive *archive, const char *name, struct gen_column *columns, size_t n,
	size_t n_index, const struct gen_write_options *options)
{
	struct jr_buf out = {0};
	gen_table_write(&out, columns, n, n_index, &options->parquet);
	gen_archive_add(archive, name, &out, true);
}

static void put(struct gen_scenario *sc, struct gen_column *c, const char *s)
{
	gen_put_bytes(c, gen_bytes(sc, s));
}

static void thread_row(
	struct gen_scenario *sc, struct gen_column *c, const char *name, int64_t pid, int64_t tid)
{
	put(sc, &c[0], name);
	gen_put_i64(&c[1], tid == pid && pid > 100 ? 0 : 20);
	gen_put_i64(&c[2], pid);
	gen_put_i64(&c[3], tid);
}

static const char *device_name(
	struct gen_scenario *sc, const struct gen_device *d, const char *what)
{
	return gen_text(sc, "%s:#global=%u,local=%u,process=%u,%s=0#", what, d->global, d->local,
		d->process, sc->options.layout == 'C' ? "partition" : "slice");
}

/* All host threads are listed; few of them matter. */
static void write_threads(struct gen_scenario *sc, const struct gen_process *p,
	const struct gen_write_options *options, struct gen_archive *archive)
{
	static const char *const system[] = {"systemd", "kthreadd", "rcu_gp", "kworker/0:0H-kblockd",
		"mm_percpu_wq", "ksoftirqd/0", "rcu_sched", "migration/0"};
	struct gen_column c[] = {{.name = "Name", .type = JR_PQ_PUT_TEXT},
		{.name = "Priority", .type = JR_PQ_PUT_INT64}, {.name = "PID", .type = JR_PQ_PUT_INT64},
		{.name = "TID", .type = JR_PQ_PUT_INT64}};
	for (size_t i = 0; i < JR_COUNT_OF(system); i++)
		thread_row(
			sc, c, gen_hostile(sc, GEN_FIELD_THREAD, system[i]), (int64_t)i + 1, (int64_t)i + 1);
	thread_row(sc, c, gen_hostile(sc, GEN_FIELD_THREAD, "python3"), p->pid, p->main_tid);
	for (uint32_t i = 0; i < p->n_devices; i++) {
		const struct gen_device *d = &sc->devices.items[p->first_device + i];
		thread_row(sc, c, gen_planted(sc, GEN_FIELD_LAUNCHER, device_name(sc, d, "XlaLauncher")),
			p->pid, d->tid);
	}
	for (size_t i = 0; i < p->worker_tids.n; i++)
		thread_row(sc, c, gen_hostile(sc, GEN_FIELD_THREAD, gen_text(sc, "tf_xla-cpu-llvm%zu", i)),
			p->pid, p->worker_tids.items[i]);
	if (sc->options.hostile_names) {
		static const char nul[] = "a\0b<script>alert(1)</script>";
		gen_put_bytes(&c[0], jr_bytes_of(nul, sizeof(nul) - 1));
		gen_put_i64(&c[1], 20);
		gen_put_i64(&c[2], p->pid);
		gen_put_i64(&c[3], p->pid + 900);
	}
	add(archive, "thread-metadata.parquet", c, JR_COUNT_OF(c), 2, options);
}

enum {
	D_NAME,
	D_BUS,
	D_MEMORY,
	D_BANDWIDTH,
	D_CLOCK,
	D_SM,
	D_CHIP,
	D_UUID,
	D_MAJOR,
	D_MINOR,
	D_NVTX_NAME,
	D_DEVICE_ID,
	D_CU_DEVICE,
	D_COUNT
};

static void write_devices(struct gen_scenario *sc, const struct gen_process *p,
	const struct gen_write_options *options, struct gen_archive *archive)
{
	struct gen_column c[D_COUNT] = {{.name = "('TARGET_INFO_GPU', 'name')", .type = JR_PQ_PUT_TEXT},
		{.name = "('TARGET_INFO_GPU', 'busLocation')", .type = JR_PQ_PUT_TEXT},
		{.name = "('TARGET_INFO_GPU', 'totalMemory')", .type = JR_PQ_PUT_INT64},
		{.name = "('TARGET_INFO_GPU', 'memoryBandwidth')", .type = JR_PQ_PUT_INT64},
		{.name = "('TARGET_INFO_GPU', 'clockRate')", .type = JR_PQ_PUT_INT64},
		{.name = "('TARGET_INFO_GPU', 'smCount')", .type = JR_PQ_PUT_INT64},
		{.name = "('TARGET_INFO_GPU', 'chipName')", .type = JR_PQ_PUT_TEXT},
		{.name = "('TARGET_INFO_GPU', 'uuid')", .type = JR_PQ_PUT_TEXT},
		{.name = "('TARGET_INFO_GPU', 'computeMajor')", .type = JR_PQ_PUT_INT64},
		{.name = "('TARGET_INFO_GPU', 'computeMinor')", .type = JR_PQ_PUT_INT64},
		{.name = "('TARGET_INFO_NVTX_CUDA_DEVICE', 'name')", .type = JR_PQ_PUT_TEXT},
		{.name = "('TARGET_INFO_NVTX_CUDA_DEVICE', 'deviceId')", .type = JR_PQ_PUT_INT64},
		{.name = "cuDevice", .type = JR_PQ_PUT_INT64}};
	for (uint32_t i = 0; i < p->n_devices; i++) {
		const struct gen_device *d = &sc->devices.items[p->first_device + i];
		put(sc, &c[D_NAME], gen_hostile(sc, GEN_FIELD_GPU, sc->gpu_name));
		put(sc, &c[D_BUS],
			gen_hostile(sc, GEN_FIELD_GPU_UNREAD, gen_text(sc, "0000:%02x:00.0", 7 + 8 * i)));
		gen_put_i64(&c[D_MEMORY], (int64_t)sc->gpu_memory_bytes);
		gen_put_i64(&c[D_BANDWIDTH], (int64_t)sc->gpu_bandwidth_bytes_s);
		gen_put_i64(&c[D_CLOCK], (int64_t)sc->gpu_clock_hz);
		gen_put_i64(&c[D_SM], sc->gpu_sm_count);
		put(sc, &c[D_CHIP], gen_hostile(sc, GEN_FIELD_GPU_UNREAD, sc->chip_name));
		put(sc, &c[D_UUID],
			gen_hostile(sc, GEN_FIELD_GPU_UNREAD,
				gen_text(sc, "00000000-0000-0000-0000-%012x", d->global + 1)));
		gen_put_i64(&c[D_MAJOR], sc->gpu_compute_major);
		gen_put_i64(&c[D_MINOR], 0);
		put(sc, &c[D_NVTX_NAME], gen_planted(sc, GEN_FIELD_XLA_DEVICE, device_name(sc, d, "Xla")));
		gen_put_i64(&c[D_DEVICE_ID], i);
		gen_put_i64(&c[D_CU_DEVICE], i);
	}
	add(archive, "device-metadata.parquet", c, D_COUNT, 1, options);
}

static const char *planted_settings(struct gen_scenario *sc)
{
	const char *shown = gen_planted(sc, GEN_FIELD_FLAG_NAME, NULL);
	const char *secret = gen_planted(sc, GEN_FIELD_SECRET, NULL);
	return gen_text(sc, "%s%s%s%s%s%s", shown ? ";JAX_" : "", shown ? shown : "", shown ? "=1" : "",
		secret ? ";HF_" : "", secret ? secret : "", secret ? "=" SECRET : "");
}

size_t gen_system_settings(
	struct gen_scenario *sc, uint32_t process, struct gen_setting out[GEN_MAX_SETTINGS])
{
	const char *nsys = sc->options.layout == 'A'   ? "2024.4.1"
					   : sc->options.layout == 'B' ? "2025.3.2"
												   : "2026.1.1";
	const char *environment = gen_text(sc,
		"SHELL=/bin/bash;HOME=/home/somebody;HF_TOKEN=" SECRET ";AWS_SECRET_ACCESS_KEY=" SECRET
		";XLA_FLAGS=--xla_gpu_enable_latency_hiding_scheduler=true"
		" --xla_gpu_graph_level=%s;JAX_TRACEBACK_IN_LOCATIONS_LIMIT=-1;NCCL_DEBUG=WARN;"
		"CUDA_VISIBLE_DEVICES=0,1,2,3;SLURM_NNODES=1;SLURM_NTASKS=%u;SLURM_PROCID=%u;"
		"SLURM_JOB_USER=somebody;PATH=/usr/bin:/bin%s",
		gen_hostile(sc, GEN_FIELD_FLAG_VALUE, "0"), sc->options.n_processes, process,
		planted_settings(sc));
	const struct gen_setting rows[] = {
		{gen_planted(sc, GEN_FIELD_SYSTEM_NAME, "CpuCores"), "96", 1},
		{"CpuArchitecture", gen_hostile(sc, GEN_FIELD_SYSTEM_UNREAD, "x86_64"), 3},
		{"CpuDescription", gen_hostile(sc, GEN_FIELD_CPU, "AMD EPYC 9654 96-Core Processor"), 13},
		{"TargetInstallDir",
			gen_planted(sc, GEN_FIELD_INSTALL_DIR,
				gen_text(sc, "/opt/nvidia/nsight-systems-cli/%s/target-linux-x64", nsys)),
			170},
		{"NvDriverVersion", gen_hostile(sc, GEN_FIELD_DRIVER, "550.54.15"), 205},
		{"OsDescription", gen_hostile(sc, GEN_FIELD_OS, "Ubuntu 22.04.4 LTS"), 605},
		{"DeviceEnvironment", environment, 610},
		{"CudaDriverVersion", gen_hostile(sc, GEN_FIELD_CUDA, "12040"), 611},
		{"Hostname", gen_hostile(sc, GEN_FIELD_HOST, gen_text(sc, "node%03u", 17 + process)), 619},
		{"KernelVersion", gen_hostile(sc, GEN_FIELD_SYSTEM_UNREAD, "#101-Ubuntu SMP"), 882},
	};
	_Static_assert(JR_COUNT_OF(rows) <= GEN_MAX_SETTINGS, "room for all of them");
	memcpy(out, rows, sizeof(rows));
	return JR_COUNT_OF(rows);
}

static void write_system(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, struct gen_archive *archive)
{
	struct gen_setting rows[GEN_MAX_SETTINGS];
	size_t n = gen_system_settings(sc, process, rows);
	struct gen_column c[] = {{.name = "name", .type = JR_PQ_PUT_TEXT},
		{.name = "value", .type = JR_PQ_PUT_TEXT}, {.name = "nameEnum", .type = JR_PQ_PUT_INT64}};
	for (size_t i = 0; i < n; i++) {
		put(sc, &c[0], rows[i].name);
		put(sc, &c[1], rows[i].value);
		gen_put_i64(&c[2], rows[i].number);
	}
	add(archive, "system-metadata.parquet", c, JR_COUNT_OF(c), 1, options);
}

void gen_write_metadata(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, struct gen_archive *archive)
{
	if (options->no_metadata)
		return;
	const struct gen_process *p = &sc->processes.items[process];
	write_threads(sc, p, options, archive);
	write_devices(sc, p, options, archive);
	write_system(sc, process, options, archive);
}

/* Keeps the text on one line, in a file that is neither binary nor too large. */
static void put_comment(struct jr_buf *out, const char *text, size_t most)
{
	for (; *text && most; text++, most--)
		if (!strchr("\r\n", *text) && *text != GEN_NUL)
			jr_buf_putc(out, *text);
}

/* Adds hostile text to each line; line numbers do not change. */
static void put_source(struct gen_scenario *sc, struct jr_buf *out, const char *text)
{
	bool any = sc->options.hostile_names;
	const char *hostile = gen_hostile(sc, GEN_FIELD_SOURCE_TEXT, any ? "  # " : NULL);
	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		jr_buf_add(out, text, (size_t)(end - text));
		if (hostile)
			put_comment(out, hostile, any ? SIZE_MAX : 4000);
		if (any)
			jr_buf_puts(out, "\x1b[31m\t]]>-->");
		jr_buf_putc(out, '\n');
	}
	jr_buf_puts(out, text);
	if (any) /* far from the start, where it would mark a binary file */
		jr_buf_add(out, "\0", 1);
}

/* The paths of the frames' files: their names as a reader cleans them. */
static void source_path(struct gen_scenario *sc, struct jr_buf *out, const char *name)
{
	const char *slash = strrchr(sc->entry_source, '/');
	const char *path = gen_hostile(sc, GEN_FIELD_SOURCE_FILE,
		gen_text(sc, "%.*s/%s", (int)(slash - sc->entry_source), sc->entry_source, name));
	jr_buf_puts(out, "sources");
	struct jr_bytes raw = gen_bytes(sc, path);
	jr_text_clean(out, (const char *)raw.data, raw.size);
}

void gen_write_sources(struct gen_scenario *sc, struct gen_archive *archive)
{
	const char *slash = strrchr(sc->entry_source, '/');
	const char *base = slash + 1;
	for (size_t i = 0; i < gen_n_sources; i++) {
		const char *name = gen_sources[i].name;
		struct jr_buf text = {0};
		/* the VAE is one file; layers.py goes with train.py */
		if (strcmp(name, base) != 0 &&
			(strcmp(base, "train.py") != 0 || strcmp(name, "layers.py") != 0))
			continue;
		put_source(sc, &text, (const char *)gen_sources[i].data);
		JR_CLEANUP(jr_buf_done) struct jr_buf path = {0};
		source_path(sc, &path, name);
		gen_archive_add(archive, path.data, &text, false);
	}
}
