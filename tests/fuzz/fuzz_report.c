/*
 * Fuzz target: an extracted archive, read, analyzed and written in the format that the input's size
 * selects.
 *
 * The input is a head of two little-endian 32-bit lengths and three files: trace.parquet, the
 * push/pop CSV, and an xla.HloProto that is used for programs 1 to 12. The latter two are packed
 * here: damage to xz is tested by fuzz_xz.
 */
#include <errno.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "model/inputs/load.h"
#include "report/core/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_file(const char *folder, const char *name, struct jr_bytes content)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(content.data, 1, content.size, f) != content.size || fclose(f) != 0)
		abort();
}

static void put_xz(const char *folder, const char *name, struct jr_bytes content)
{
	size_t room = lzma_stream_buffer_bound(content.size), n = 0;
	uint8_t *packed = malloc(room);
	if (!packed || lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, content.data, content.size,
					   packed, &n, room) != LZMA_OK)
		abort();
	put_file(folder, name, jr_bytes_of(packed, n));
	free(packed);
}

static void make_folder(const char *folder, const char *name)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		abort();
}

static uint32_t length(const uint8_t *p, size_t most)
{
	uint32_t n = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	return n < most ? n : (uint32_t)most;
}

/* Write the input as a folder; false: too short. */
static bool unpack(const char *folder, const uint8_t *data, size_t size)
{
	if (size < 8)
		return false;
	const uint8_t *p = data + 8;
	size_t left = size - 8;
	uint32_t n_trace = length(data, left);
	uint32_t n_csv = length(data + 4, left - n_trace);
	make_folder(folder, "nvtx_gpu_proj_trace");
	make_folder(folder, "dump");
	put_file(folder, "nvtx_gpu_proj_trace/trace.parquet", jr_bytes_of(p, n_trace));
	put_xz(folder, "report_nvtx_pushpop_trace.csv.xz", jr_bytes_of(p + n_trace, n_csv));
	static const char first[] = "dump/module_0001.jit_f.after_optimizations.hlo.pb.xz";
	put_xz(folder, first, jr_bytes_of(p + n_trace + n_csv, left - n_trace - n_csv));
	for (int i = 2; i <= 12; i++) {
		char from[256], to[256];
		snprintf(from, sizeof(from), "%s/%s", folder, first);
		snprintf(
			to, sizeof(to), "%s/dump/module_%04d.jit_f.after_optimizations.hlo.pb.xz", folder, i);
		if (link(from, to) != 0)
			abort();
	}
	return true;
}

/* A failure is fine, a crash is not. */
static void report(const char *folder, const char *target, size_t which)
{
	struct jr_options options = jr_options_default();
	options.n_threads = 1;
	options.limits.memory_bytes = 256 << 20;
	options.limits.entry_bytes = 64 << 20;
	options.limits.rows = 100000;
	struct jr_profile profile;
	struct jr_error err;
	jr_profile_init(&profile, &options);
	if (jr_load(&folder, 1, NULL, &profile, &err) == JR_OK) {
		size_t n = 0;
		while (jr_report_formats[n].name)
			n++;
		const struct jr_report_format *chosen = &jr_report_formats[which % n];
		struct jr_arena arena;
		struct jr_results results;
		struct jr_outdir out;
		jr_arena_init(&arena, 0);
		jr_passes_run(&profile, &arena, &results);
		if (jr_outdir_begin(&out, target, true, &err) != JR_OK ||
			jr_report_write(&profile, &results, &chosen, 1, &out, &err) != JR_OK)
			abort();
		jr_outdir_abandon(&out);
		jr_arena_done(&arena);
	}
	jr_profile_done(&profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char folder[] = "/tmp/fuzz-report-XXXXXX", target[64];
	if (!mkdtemp(folder))
		abort();
	snprintf(target, sizeof(target), "%s.out", folder);
	if (unpack(folder, data, size))
		report(folder, target, size);
	jr_remove_tree(folder);
	return 0;
}
