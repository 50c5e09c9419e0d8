/* The Parquet members of real archives, if ../shared exists. The digests come from the values of
 * an independent reader (hyparquet 1.31.5). */
#include <zip.h>

#include "base/cleanup.h"
#include "tests/unit/parquet_digest.h"

static const struct member {
	const char *archive, *name;
	uint64_t n_rows;
	size_t n_columns;
	uint64_t digest; /* of all values: parquet_digest.h */
} members[] = {
	{"pax_fsdp4_4proc_proc0", "nvtx_gpu_proj_trace/trace.parquet", 14305, 15,
		UINT64_C(0x480D0F309941464C)},
	{"pax_fsdp4_4proc_proc0", "thread-metadata.parquet", 7526, 4, UINT64_C(0x240AFCE6D5874FA7)},
	{"pax_fsdp4_4proc_proc0", "device-metadata.parquet", 1, 45, UINT64_C(0x547D55C047A64D45)},
	{"pax_fsdp4_4proc_proc0", "system-metadata.parquet", 83, 3, UINT64_C(0x0F4929DA17299C8C)},
	{"pax_fsdp4_4proc_proc1", "nvtx_gpu_proj_trace/trace.parquet", 14299, 15,
		UINT64_C(0x7B89932F64B1BBE3)},
	{"maxtext_fsdp4", "nvtx_gpu_proj_trace/trace.parquet", 21493, 15, UINT64_C(0xE4B049397FCA9129)},
	{"pax_combined_01", "nvtx_gpu_proj_trace/trace.parquet/pax_fsdp4_4proc_proc0", 14305, 15,
		UINT64_C(0x480D0F309941464C)},
};

static struct jr_bytes extract(const struct member *member, struct jr_buf *out)
{
	char path[256];
	zip_stat_t stat;
	snprintf(path, sizeof(path), "../shared/data/archives/%s.zip", member->archive);
	zip_t *zip = zip_open(path, ZIP_RDONLY, NULL);
	assert_non_null(zip);
	assert_int_equal(zip_stat(zip, member->name, 0, &stat), 0);
	zip_file_t *file = zip_fopen(zip, member->name, 0);
	assert_non_null(file);
	out->size = 0;
	jr_buf_reserve(out, (size_t)stat.size);
	assert_int_equal(zip_fread(file, out->data, stat.size), stat.size);
	out->size = (size_t)stat.size;
	zip_fclose(file);
	zip_discard(zip);
	return jr_buf_view(out);
}

static UNIT_WITH(test_archives, setup, teardown)
{
	NEED_SHARED();
	struct fixture *f = *state;
	JR_CLEANUP(jr_buf_done) struct jr_buf bytes = {0};
	for (size_t i = 0; i < JR_COUNT_OF(members); i++) {
		close_file(f);
		if (open_bytes(f, extract(&members[i], &bytes)) != JR_OK)
			fail_msg("%s: %s", members[i].name, f->err.message);
		assert_int_equal(f->pq.n_rows, members[i].n_rows);
		assert_int_equal(f->pq.n_columns, members[i].n_columns);
		uint64_t digest = digest_file(f, "");
		if (digest != members[i].digest)
			fail_msg("%s: %s: the values' digest is 0x%016llX", members[i].archive, members[i].name,
				(unsigned long long)digest);
	}
}

static UNIT_WITH(test_trace, setup, teardown)
{
	NEED_SHARED();
	struct fixture *f = *state;
	JR_CLEANUP(jr_buf_done) struct jr_buf bytes = {0};
	assert_int_equal(open_bytes(f, extract(&members[0], &bytes)), JR_OK);
	const struct jr_parquet_values *v = read_column(f, "Name");
	assert_false(v->valid[0]); /* the row of the whole process */
	assert_text(v, 1, "TSL:XlaCompile:#module=jit__psum,program_id=1#");
	v = read_column(f, "Projected Duration");
	int64_t sum = 0;
	for (uint64_t i = 0; i < v->n_rows; i++)
		sum += v->int64[i];
	assert_null(v->valid);
	assert_true(sum == INT64_C(98074822119));
	v = read_column(f, "ParentId");
	uint64_t n_null = 0;
	for (uint64_t i = 0; i < v->n_rows; i++)
		n_null += !v->valid[i];
	assert_int_equal(n_null, 36);
}
