/*
 * Fuzz target: a Thrift compact structure. It is walked twice, once value by value and once by
 * skipping each field; if the walk succeeds, both end at the same byte.
 */
#include <stdlib.h>
#include <string.h>

#include "formats/parquet/thrift.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void walk_struct(struct jr_thrift *t, int depth);

static void walk_list(struct jr_thrift *t, const struct jr_thrift_field *f, int depth);

static void walk_value(struct jr_thrift *t, const struct jr_thrift_field *f, int depth)
{
	size_t left = jr_reader_left(&t->in);
	struct jr_bytes bytes;
	uint64_t sum = 0;
	switch (f->type) {
	case JR_THRIFT_TRUE:
	case JR_THRIFT_FALSE:
		(void)jr_thrift_bool(t, f);
		break;
	case JR_THRIFT_I32:
		(void)jr_thrift_i32(t, f);
		break;
	case JR_THRIFT_I64:
		(void)jr_thrift_i64(t, f);
		break;
	case JR_THRIFT_BINARY:
		bytes = jr_thrift_binary(t, f);
		require(bytes.size <= left);
		for (size_t i = 0; i < bytes.size; i++) /* each byte may be read */
			sum += bytes.data[i];
		require(sum <= bytes.size * UINT8_MAX);
		break;
	case JR_THRIFT_LIST:
	case JR_THRIFT_SET:
		walk_list(t, f, depth);
		break;
	case JR_THRIFT_STRUCT:
		if (jr_thrift_struct(t, f))
			walk_struct(t, depth + 1);
		break;
	default:
		jr_thrift_skip(t, f);
		break;
	}
	require(jr_reader_left(&t->in) <= left);
}

/* Walk lists of structures and numbers, which Parquet uses; skip everything else. */
static void walk_list(struct jr_thrift *t, const struct jr_thrift_field *f, int depth)
{
	struct jr_thrift before = *t;
	struct jr_thrift_field element;
	uint32_t n = jr_thrift_list(t, f, 1, &element);
	require(n <= jr_reader_left(&before.in));
	if (t->status == JR_OK && element.type != JR_THRIFT_STRUCT && element.type != JR_THRIFT_I32 &&
		element.type != JR_THRIFT_I64 && element.type != JR_THRIFT_BINARY) {
		*t = before;
		jr_thrift_skip(t, f);
		return;
	}
	for (uint32_t i = 0; i < n && t->status == JR_OK; i++)
		walk_value(t, &element, depth + 1);
}

static void walk_struct(struct jr_thrift *t, int depth)
{
	struct jr_thrift_field f = {0};
	while (jr_thrift_next(t, &f)) {
		require(f.type > JR_THRIFT_STOP && f.type <= JR_THRIFT_UUID);
		if (depth < JR_THRIFT_DEPTH)
			walk_value(t, &f, depth);
		else
			jr_thrift_fail(t, "nested too deeply");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_error walk_err = {0}, skip_err = {0};
	struct jr_thrift walked = jr_thrift_of(jr_bytes_of(data, size), 7, &walk_err);
	struct jr_thrift skipped = jr_thrift_of(jr_bytes_of(data, size), 7, &skip_err);
	walk_struct(&walked, 0);
	struct jr_thrift_field f = {0};
	while (jr_thrift_next(&skipped, &f))
		jr_thrift_skip(&skipped, &f);
	require((walked.status == JR_OK) == !walk_err.message[0]);
	require((skipped.status == JR_OK) == !skip_err.message[0]);
	if (walked.status == JR_OK && skipped.status == JR_OK)
		require(walked.in.pos == skipped.in.pos);
	/* After a failure nothing more is read. */
	if (walked.status != JR_OK) {
		size_t pos = walked.in.pos;
		struct jr_thrift_field number = {.type = JR_THRIFT_I64};
		require(!jr_thrift_next(&walked, &f) && jr_thrift_i64(&walked, &number) == 0);
		require(walked.in.pos == pos && walk_err.message[0] && !strchr(walk_err.message, '\n'));
	}
	return 0;
}
