/* Open the input as a Parquet file and read each of its columns, under limits that turn excessive
 * use into a failure of the fuzzer's memory limit. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/parquet/parquet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct jr_parquet_values *v)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < v->n_values; i++) {
		sum += v->valid ? v->valid[i] : 1;
		sum += v->boolean ? v->boolean[i] : 0;
		sum += v->int32 ? (uint64_t)v->int32[i] : 0;
		sum += v->int64 ? (uint64_t)v->int64[i] : 0;
		if (v->string && v->string[i] != UINT32_MAX) {
			assert(v->string[i] < v->n_dictionary);
			struct jr_bytes text = v->dictionary[v->string[i]];
			sum += text.size ? text.data[0] + text.data[text.size - 1] : 0;
		}
	}
	for (uint64_t i = 0; v->list_begin && i < v->n_rows; i++) {
		assert(v->list_begin[i] <= v->list_begin[i + 1]);
		assert(v->list_begin[i + 1] <= v->n_values);
	}
	volatile uint64_t used = sum;
	(void)used;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_limits limits = jr_limits_default();
	limits.entry_bytes = 1 << 20;
	limits.ratio = 64;
	limits.rows = 1 << 16;
	limits.string_bytes = 1 << 12;
	limits.depth = 16;
	limits.memory_bytes = 1 << 22;
	struct jr_arena arena;
	jr_arena_init(&arena, 1 << 24);
	struct jr_parquet pq;
	struct jr_error err = {0};
	if (jr_parquet_open(jr_bytes_of(data, size), &limits, &arena, &pq, &err) == JR_OK) {
		for (size_t i = 0; i < pq.n_columns && i < 64; i++) {
			struct jr_parquet_values values;
			enum jr_status status = jr_parquet_read(&pq, i, &arena, &values, &err);
			assert(status == JR_OK || err.message[0]);
			if (status == JR_OK)
				use(&values);
		}
	} else {
		assert(err.message[0]);
	}
	jr_arena_done(&arena);
	return 0;
}
