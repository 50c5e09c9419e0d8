/* The conformance files of Apache's parquet-testing, if ../shared exists. */
#include <dirent.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/intern.h"
#include "tests/unit/parquet_digest.h"

#define GOOD "../shared/data/parquet/good"
#define BAD "../shared/data/parquet/bad"

/* A file that must open. Each column is either listed in `unread` (paths separated by spaces,
 * "*" for all) and refused as unsupported, or it decodes. `digest` covers the values of all
 * columns that decode (parquet_digest.h). The numbers come from an independent reader (hyparquet
 * 1.31.5), except for the three files marked "ours": that reader fails on the first two, and
 * takes an empty repeated field for null. Tests below check their values. */
struct expected {
	const char *name;
	uint64_t n_rows;
	size_t n_columns;
	uint64_t digest;
	const char *unread;
};

static const struct expected good[] = {
	{"alltypes_dictionary", 2, 11, UINT64_C(0x77475FEAB18C0E3E), "timestamp_col"},
	{"alltypes_plain", 8, 11, UINT64_C(0x1ABEC9D5FDE6A678), "timestamp_col"},
	{"alltypes_plain.snappy", 2, 11, UINT64_C(0xC9EA72B351166B6C), "timestamp_col"},
	{"alltypes_tiny_pages", 7300, 13, UINT64_C(0x4D06BCD88A93E315), "timestamp_col"},
	{"alltypes_tiny_pages_plain", 7300, 13, UINT64_C(0x4D06BCD88A93E315), "timestamp_col"},
	{"binary", 12, 1, UINT64_C(0x6CAA0DE27CB7D687), ""},
	{"binary_truncated_min_max", 12, 6, UINT64_C(0x7358F2AE988BFECE), ""},
	{"byte_array_decimal", 24, 1, UINT64_C(0x56B1D5D4B5858B38), ""},
	{"byte_stream_split.zstd", 300, 2, UINT64_C(0x298DA4EF39CF10CC), ""},
	{"byte_stream_split_extended.gzip", 200, 14, UINT64_C(0xEE2A29E4970DD10B), ""},
	{"column_chunk_key_value_metadata", 0, 2, UINT64_C(0xD07D75B7C73B5420), ""},
	{"concatenated_gzip_members", 513, 1, UINT64_C(0xB59872083603BDED), ""},
	{"data_index_bloom_encoding_stats", 14, 1, UINT64_C(0x031B632B4F80CC1F), ""},
	{"data_index_bloom_encoding_with_length", 14, 1, UINT64_C(0x031B632B4F80CC1F), ""},
	{"datapage_v1-snappy-compressed-checksum", 5120, 2, UINT64_C(0xDC99F286028D9EBC), ""},
	{"datapage_v1-uncompressed-checksum", 5120, 2, UINT64_C(0xDC99F286028D9EBC), ""},
	{"datapage_v2.snappy", 5, 5, UINT64_C(0xA52F3B79CFC7CC53), ""},
	/* ours */ {"datapage_v2_empty_datapage.snappy", 1, 1, UINT64_C(0x64B4CC3712914FC5), ""},
	{"delta_binary_packed", 200, 66, UINT64_C(0xD710C9B3896E1892), ""},
	{"delta_byte_array", 1000, 9, UINT64_C(0xC8E40FBA2A657AE8), ""},
	{"delta_encoding_optional_column", 100, 17, UINT64_C(0x3D44F8C0B72E39C5), ""},
	{"delta_encoding_required_column", 100, 17, UINT64_C(0xE292454C225922FC), ""},
	{"delta_length_byte_array", 1000, 1, UINT64_C(0xB76E3A5C76743268), ""},
	{"dict-page-offset-zero", 39, 1, UINT64_C(0x012BA565C1338455), ""},
	{"fixed_length_byte_array", 1000, 1, UINT64_C(0x535918CB674550BA), ""},
	{"fixed_length_decimal", 24, 1, UINT64_C(0x7E74E662CCD0A850), ""},
	{"fixed_length_decimal_legacy", 24, 1, UINT64_C(0xA9190E56698EA478), ""},
	{"float16_nonzeros_and_nans", 8, 1, UINT64_C(0xC1CBF6A8BB0E9CEA), ""},
	{"float16_zeros_and_nans", 3, 1, UINT64_C(0x0B9A9D7B2A16D240), ""},
	{"floating_orders_nan_count", 50, 6, UINT64_C(0xDFC828A760168618), ""},
	{"hadoop_lz4_compressed", 4, 3, UINT64_C(0xCBF29CE484222325), "c0 c1 v11"},
	{"hadoop_lz4_compressed_larger", 10000, 1, UINT64_C(0xCBF29CE484222325), "a"},
	{"incorrect_map_schema", 1, 2, UINT64_C(0xCBF29CE484222325),
		"my_map.key_value.key my_map.key_value.value"},
	{"int32_decimal", 24, 1, UINT64_C(0x77A21F420AC42328), ""},
	{"int32_with_null_pages", 1000, 1, UINT64_C(0xF8EAC41358C77961), ""},
	{"int64_decimal", 24, 1, UINT64_C(0x77A21F420AC42328), ""},
	{"int96_from_spark", 6, 1, UINT64_C(0xCBF29CE484222325), "a"},
	{"large_string_map.brotli", 2, 2, UINT64_C(0xCBF29CE484222325),
		"arr.key_value.key arr.key_value.value"},
	{"list_columns", 3, 2, UINT64_C(0xA0BA6F1144F85502), ""},
	{"lz4_raw_compressed", 4, 3, UINT64_C(0xCBF29CE484222325), "c0 c1 v11"},
	{"lz4_raw_compressed_larger", 10000, 1, UINT64_C(0xCBF29CE484222325), "a"},
	{"map_no_value", 3, 4, UINT64_C(0xA85E1551251EBB6D),
		"my_map.key_value.key my_map.key_value.value my_map_no_v.key_value.key"},
	{"nan_in_stats", 2, 1, UINT64_C(0x878CBDC9922DD6BF), ""},
	/* ours */ {"nation.dict-malformed", 25, 4, UINT64_C(0xBADAFF95CF8D1D3C), ""},
	{"nested_lists.snappy", 3, 2, UINT64_C(0x44F432A6B829869E),
		"a.list.element.list.element.list.element"},
	{"nested_maps.snappy", 6, 5, UINT64_C(0xACDA88E4FDCD44B2),
		"a.key_value.key a.key_value.value.key_value.key "
		"a.key_value.value.key_value.value"},
	{"nested_structs.rust", 1, 216, UINT64_C(0xCBF29CE484222325), "*"},
	{"non_hadoop_lz4_compressed", 4, 3, UINT64_C(0xCBF29CE484222325), "c0 c1 v11"},
	{"nonnullable.impala", 1, 13, UINT64_C(0x253FDE983B224BCD),
		"int_array_array.list.element.list.element Int_Map.map.key Int_Map.map.value "
		"int_map_array.list.element.map.key int_map_array.list.element.map.value "
		"nested_Struct.a nested_Struct.B.list.element "
		"nested_Struct.c.D.list.element.list.element.e "
		"nested_Struct.c.D.list.element.list.element.f nested_Struct.G.map.key "
		"nested_Struct.G.map.value.h.i.list.element"},
	{"null_list", 1, 1, UINT64_C(0xEDBF57D7D348794D), ""},
	{"nullable.impala", 7, 13, UINT64_C(0x12D36989A1F41228),
		"int_array_Array.list.element.list.element int_map.map.key int_map.map.value "
		"int_Map_Array.list.element.map.key int_Map_Array.list.element.map.value "
		"nested_struct.A nested_struct.b.list.element "
		"nested_struct.C.d.list.element.list.element.E "
		"nested_struct.C.d.list.element.list.element.F nested_struct.g.map.key "
		"nested_struct.g.map.value.H.i.list.element"},
	{"nulls.snappy", 8, 1, UINT64_C(0xCBF29CE484222325), "b_struct.b_c_int"},
	{"old_list_structure", 1, 1, UINT64_C(0xCBF29CE484222325), "a.array.array"},
	{"overflow_i16_page_cnt", 40000, 1, UINT64_C(0x4F165601AA3320F7), ""},
	{"page_v2_empty_compressed", 10, 1, UINT64_C(0xBF054F73B8B6C56C), ""},
	{"plain-dict-uncompressed-checksum", 1000, 2, UINT64_C(0xBD03CDF5D6A29E94), ""},
	{"repeated_no_annotation", 6, 3, UINT64_C(0xFDF6EB5F43D38451),
		"phoneNumbers.phone.number phoneNumbers.phone.kind"},
	/* ours */
	{"repeated_primitive_no_list", 4, 4, UINT64_C(0xD911F3DE9100F4C9),
		"group_of_lists.Int32_list_in_group group_of_lists.String_list_in_group"},
	{"rle-dict-snappy-checksum", 1000, 2, UINT64_C(0x5A4C2A5B3B50623C), ""},
	{"rle_boolean_encoding", 68, 1, UINT64_C(0x1A5014DBD1A82084), ""},
	{"single_nan", 1, 1, UINT64_C(0xD03034B7DD01967C), ""},
	{"sort_columns", 6, 2, UINT64_C(0xA3C83EB1628812D0), ""},
	{"unknown-logical-type", 3, 2, UINT64_C(0xF3854A38CE9BF6D5), ""},
};

/* Files and columns that must be refused as damaged, with words of the message. The other
 * columns of these files are correct. path NULL: the file does not open. */
static const struct damaged {
	const char *path, *column, *message;
} damaged[] = {
	{GOOD "/datapage_v1-corrupt-checksum.parquet", "a", "page at offset 4: CRC-32 is 0f4f6d0a"},
	{GOOD "/datapage_v1-corrupt-checksum.parquet", "b", "CRC-32 is"},
	{GOOD "/rle-dict-uncompressed-corrupt-checksum.parquet", "long_field", "CRC-32 is"},
	{GOOD "/rle-dict-uncompressed-corrupt-checksum.parquet", "binary_field", "CRC-32 is"},
	{BAD "/PARQUET-1481.parquet", NULL, "unknown physical type at offset 308"},
	{BAD "/ARROW-RS-GH-6229-DICTHEADER.parquet", "nation_key", "offset 14"},
	{BAD "/ARROW-RS-GH-6229-DICTHEADER.parquet", "name", "reaches beyond the data"},
	{BAD "/ARROW-RS-GH-6229-DICTHEADER.parquet", "region_key", "reaches beyond the data"},
	{BAD "/ARROW-RS-GH-6229-DICTHEADER.parquet", "comment_col", "reaches beyond the data"},
	{BAD "/ARROW-GH-41321.parquet", "int64", "runs end after 0 of 3 values"},
	{BAD "/ARROW-GH-41321.parquet", "large_binary", "Thrift integer at offset 4565"},
	{BAD "/ARROW-GH-41321.parquet", "fixed_size_list_float64", "bytes of definition levels"},
	{BAD "/ARROW-GH-41317.parquet", "timestamp_us_no_tz", "contain 0 values, the footer states 3"},
	{BAD "/ARROW-GH-45185.parquet", "x", "repetition level 1 before the first row"},
	{BAD "/ARROW-GH-47662.parquet", "flba_field",
		"100 values take 400 bytes, the page contains 364"},
};

static void open_good(struct fixture *f, const char *name)
{
	char path[256];
	snprintf(path, sizeof(path), GOOD "/%s.parquet", name);
	if (open_path(f, path) != JR_OK)
		fail_msg("%s: %s", path, f->err.message);
}

/* --- all files ------------------------------------------------------------------------------ */

static UNIT_WITH(test_good, setup, teardown)
{
	NEED_SHARED();
	struct fixture *f = *state;
	for (size_t i = 0; i < JR_COUNT_OF(good); i++) {
		open_good(f, good[i].name);
		assert_int_equal(f->pq.n_rows, good[i].n_rows);
		assert_int_equal(f->pq.n_columns, good[i].n_columns);
		uint64_t digest = digest_file(f, good[i].unread);
		if (digest != good[i].digest)
			fail_msg(
				"%s: the values' digest is 0x%016llX", good[i].name, (unsigned long long)digest);
	}
}

static UNIT_WITH(test_damaged, setup, teardown)
{
	NEED_SHARED();
	struct fixture *f = *state;
	for (size_t i = 0; i < JR_COUNT_OF(damaged); i++) {
		const struct damaged *d = &damaged[i];
		enum jr_status status = open_path(f, d->path);
		if (d->column) {
			assert_int_equal(status, JR_OK);
			size_t column = jr_parquet_find(&f->pq, d->column);
			assert_true(column != SIZE_MAX);
			status = jr_parquet_read(&f->pq, column, &f->arena, &f->values, &f->err);
		}
		assert_int_equal(status, JR_EFORMAT);
		assert_int_equal(f->err.status, JR_EFORMAT);
		if (!strstr(f->err.message, d->message))
			fail_msg("%s: '%s'", d->path, f->err.message);
	}
}

/* Everything in those files that is not listed as damaged either reads or is nested. */
static UNIT_WITH(test_rest_of_damaged, setup, teardown)
{
	NEED_SHARED();
	struct fixture *f = *state;
	static const struct {
		const char *path;
		size_t n_read;
	} files[] = {{BAD "/ARROW-GH-41321.parquet", 57}, {BAD "/ARROW-GH-41317.parquet", 59},
		{BAD "/ARROW-GH-45185.parquet", 0}, {BAD "/ARROW-GH-47662.parquet", 0}};
	for (size_t i = 0; i < JR_COUNT_OF(files); i++) {
		assert_int_equal(open_path(f, files[i].path), JR_OK);
		size_t n_read = 0;
		for (size_t k = 0; k < f->pq.n_columns; k++) {
			bool faulty = false;
			for (size_t d = 0; d < JR_COUNT_OF(damaged); d++)
				faulty |= !strcmp(damaged[d].path, files[i].path) && damaged[d].column &&
						  !strcmp(damaged[d].column, f->pq.columns[k].name);
			enum jr_status status = jr_parquet_read(&f->pq, k, &f->arena, &f->values, &f->err);
			n_read += status == JR_OK;
			assert_int_equal(status, faulty						 ? JR_EFORMAT
									 : f->pq.columns[k].readable ? JR_OK
																 : JR_EUNSUPPORTED);
		}
		assert_int_equal(n_read, files[i].n_read);
	}
	/* lists of structures: not supported, damaged or not */
	assert_int_equal(open_path(f, BAD "/ARROW-RS-GH-6229-LEVELS.parquet"), JR_OK);
	assert_int_equal(f->pq.n_columns, 1);
	assert_int_equal(jr_parquet_read(&f->pq, 0, &f->arena, &f->values, &f->err), JR_EUNSUPPORTED);
	/* indexes of no bits into a dictionary of one entry: by Encodings.md all refer to that entry */
	assert_int_equal(open_path(f, BAD "/ARROW-GH-43605.parquet"), JR_OK);
	const struct jr_parquet_values *v = read_column(f, "min_fl");
	assert_int_equal(v->n_rows, 21186);
	for (uint64_t i = 0; i < v->n_rows; i++)
		assert_int_equal(v->int32[i], 0);
}

/* Every file of the folders has an expectation. */
static UNIT_WITH(test_all_listed, setup, teardown)
{
	NEED_SHARED();
	static const char *const folders[] = {GOOD, BAD};
	size_t n_files = 0;
	for (size_t i = 0; i < 2; i++) {
		DIR *folder = opendir(folders[i]);
		assert_non_null(folder);
		for (struct dirent *entry; (entry = readdir(folder));) {
			size_t n = strlen(entry->d_name);
			if (n < 8 || strcmp(entry->d_name + n - 8, ".parquet") != 0)
				continue;
			char path[512];
			snprintf(path, sizeof(path), "%s/%s", folders[i], entry->d_name);
			bool listed = !strcmp(entry->d_name, "ARROW-RS-GH-6229-LEVELS.parquet") ||
						  !strcmp(entry->d_name, "ARROW-GH-43605.parquet");
			for (size_t k = 0; i == 0 && k < JR_COUNT_OF(good); k++)
				listed |=
					n == strlen(good[k].name) + 8 && !memcmp(entry->d_name, good[k].name, n - 8);
			for (size_t k = 0; k < JR_COUNT_OF(damaged); k++)
				listed |= !strcmp(path, damaged[k].path);
			if (!listed)
				fail_msg("%s: nothing expected", path);
			n_files++;
		}
		closedir(folder);
	}
	assert_int_equal(n_files, 65 + 8);
}

/* --- values --------------------------------------------------------------------------------- */

static UNIT_WITH(test_alltypes, setup, teardown)
{
	NEED_SHARED();
	struct fixture *f = *state;
	static const int32_t ids[] = {4, 5, 6, 7, 2, 3, 0, 1};
	static const char *const dates[] = {"03/01/09", "03/01/09", "04/01/09", "04/01/09", "02/01/09",
		"02/01/09", "01/01/09", "01/01/09"};
	open_good(f, "alltypes_plain");
	for (uint64_t i = 0; i < 8; i++) {
		bool odd = ids[i] % 2;
		assert_int_equal(read_column(f, "id")->int32[i], ids[i]);
		assert_int_equal(read_column(f, "bool_col")->boolean[i], !odd);
		assert_int_equal(read_column(f, "tinyint_col")->int32[i], odd);
		assert_int_equal(read_column(f, "bigint_col")->int64[i], odd ? 10 : 0);
		assert_true(read_column(f, "float_col")->float32[i] == (odd ? 1.1f : 0));
		assert_true(read_column(f, "double_col")->float64[i] == (odd ? 10.1 : 0));
		assert_text(read_column(f, "date_string_col"), i, dates[i]);
		assert_text(read_column(f, "string_col"), i, odd ? "1" : "0");
	}
	assert_int_equal(f->values.n_dictionary, 2); /* the dictionary was passed on */
}

/* As their README says, each column is stored twice: PLAIN and BYTE_STREAM_SPLIT. */
static UNIT_WITH(test_byte_stream_split, setup, teardown)
{
	NEED_SHARED();
	struct fixture *f = *state;
	open_good(f, "byte_stream_split_extended.gzip");
	assert_int_equal(f->pq.n_columns, 14);
	for (size_t i = 0; i < 14; i += 2) {
		struct jr_parquet_column same = f->pq.columns[i];
		uint64_t digests[2];
		for (size_t k = 0; k < 2; k++) {
			assert_int_equal(jr_parquet_read(&f->pq, i + k, &f->arena, &f->values, &f->err), JR_OK);
			digests[k] = digest_column(0, &same, &f->values);
		}
		assert_true(digests[0] == digests[1]);
	}
}

static UNIT_WITH(test_gzip_members, setup, teardown)
{
	NEED_SHARED();
	struct fixture *f = *state;
	open_good(f, "concatenated_gzip_members");
	const struct jr_parquet_values *v = read_column(f, "long_col");
	for (uint64_t i = 0; i < 513; i++)
		assert_int_equal(v->int64[i], i + 1);
}

/* Pages that contain only nulls: no bytes of values, and a Zstandard stream of none. */
static UNIT_WITH(test_nulls, setup, teardown)
{
	NEED_SHARED();
	struct fixture *f = *state;
	open_good(f, "datapage_v2_empty_datapage.snappy");
	const struct jr_parquet_values *v = read_column(f, "value");
	assert_true(v->n_values == 1 && v->valid && !v->valid[0]);
	open_good(f, "page_v2_empty_compressed");
	v = read_column(f, f->pq.columns[0].name);
	for (uint64_t i = 0; i < 10; i++)
		assert_false(v->valid[i]);
}

static UNIT_WITH(test_short_chunks, setup, teardown)
{
	NEED_SHARED();
	struct fixture *f = *state;
	open_good(f, "nation.dict-malformed");
	const struct jr_parquet_values *v = read_column(f, "name");
	assert_text(v, 0, "ALGERIA");
	assert_text(v, 11, "IRAQ");
	assert_text(v, 24, "UNITED STATES");
	v = read_column(f, "comment_col");
	assert_int_equal(v->n_values, 25);
}

static UNIT_WITH(test_lists, setup, teardown)
{
	NEED_SHARED();
	struct fixture *f = *state;
	open_good(f, "list_columns"); /* [abc efg hij], null, [efg null hij xyz] */
	const struct jr_parquet_values *v = read_column(f, "utf8_list");
	assert_memory_equal(v->list_begin, ((uint64_t[]){0, 3, 3, 7}), 4 * sizeof(uint64_t));
	assert_memory_equal(v->list_valid, ((uint8_t[]){1, 0, 1}), 3);
	assert_memory_equal(v->valid, ((uint8_t[]){1, 1, 1, 1, 0, 1, 1}), 7);
	assert_text(v, 0, "abc");
	assert_true(v->string[4] == JR_NONE);
	assert_text(v, 6, "xyz");
	open_good(f, "repeated_primitive_no_list");
	v = read_column(f, "Int32_list"); /* [0 1 2 3] [] [4] [5 6 7 8] */
	assert_memory_equal(v->list_begin, ((uint64_t[]){0, 4, 4, 5, 9}), 5 * sizeof(uint64_t));
	assert_null(v->list_valid);
	for (int32_t i = 0; i < 9; i++)
		assert_int_equal(v->int32[i], i);
	v = read_column(f, "String_list");
	assert_text(v, 4, "three");
	assert_text(v, 9, "eight");
}
