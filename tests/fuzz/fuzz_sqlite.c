/* Any bytes as an Nsight export: refused, or rows whose every reference can be followed. */
#include <stdlib.h>

#include "base/text.h"
#include "formats/nsys_sqlite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_text(const struct jr_nsys *x, uint32_t id)
{
	require(id < x->strings.n);
}

static void check_nvtx(const struct jr_nsys *x)
{
	for (size_t i = 0; i < x->nvtx.n; i++) {
		require(x->nvtx.end_ns[i] >= x->nvtx.start_ns[i]);
		require(x->nvtx.thread[i] < x->n_threads && x->nvtx.scope[i] < x->n_scopes);
		require(x->nvtx.kind[i] <= JR_NSYS_MARK);
		check_text(x, x->nvtx.text[i]);
	}
}

static void check_activity(const struct jr_nsys *x)
{
	for (size_t i = 0; i < x->calls.n; i++) {
		require(x->calls.end_ns[i] >= x->calls.start_ns[i]);
		require(x->calls.thread[i] < x->n_threads);
		check_text(x, x->calls.name[i]);
	}
	for (size_t i = 0; i < x->gpu.n; i++) {
		require(x->gpu.end_ns[i] >= x->gpu.start_ns[i]);
		require(x->gpu.process[i] == JR_NONE || x->gpu.process[i] < x->n_processes);
		require(x->gpu.kind[i] <= JR_NSYS_GRAPH);
		require(x->gpu.kind[i] != JR_NSYS_KERNEL || x->gpu.config[i] < x->n_configs);
		check_text(x, x->gpu.name[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_limits limits = jr_limits_default();
	limits.rows = 100000;
	limits.string_bytes = 4096;
	limits.memory_bytes = UINT64_C(64) << 20;
	struct jr_nsys_options options = {.n_threads = 1};
	struct jr_nsys nsys;
	struct jr_error err = {0};
	if (jr_nsys_read_memory(jr_bytes_of(data, size), &limits, &options, &nsys, &err) != JR_OK) {
		require(err.message[0] != '\0');
		return 0;
	}
	for (size_t i = 0; i < nsys.n_threads; i++)
		require(nsys.threads[i].process < nsys.n_processes);
	for (uint32_t id = 0; id < nsys.strings.n; id++)
		require(jr_text_is_clean(
			jr_intern_str(&nsys.strings, id), jr_intern_len(&nsys.strings, id)));
	check_nvtx(&nsys);
	check_activity(&nsys);
	jr_nsys_done(&nsys);
	return 0;
}
