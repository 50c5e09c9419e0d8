/* Each line of any bytes as the text of a range and as a device's name: each part found is inside
 * the text, and is found again if the part is parsed alone. */
#include <stdlib.h>
#include <string.h>

#include "model/archive/trace_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static bool same(const struct jr_range_name *a, const struct jr_range_name *b)
{
	return a->kind == b->kind && a->op_len == b->op_len && a->program_number == b->program_number &&
		   a->unique_op_id == b->unique_op_id && a->xla == b->xla &&
		   (a->op_len == 0 || memcmp(a->op, b->op, a->op_len) == 0);
}

static void check_range(const char *text, size_t n)
{
	struct jr_range_name name = jr_range_name_parse(text, n);
	require(name.program_number >= -1 && name.unique_op_id >= -1 && name.xla <= 2);
	if (name.kind != JR_RANGE_MODULE && name.kind != JR_RANGE_THUNK) {
		require(name.op_len == 0 && name.program_number == -1 && name.unique_op_id == -1);
		return;
	}
	require(name.op_len > 0 && name.op > text && name.op + name.op_len <= text + n);
	require(!memchr(name.op, ',', name.op_len) && !memchr(name.op, '#', name.op_len));
	/* TSL's domain before it changes nothing. */
	char *longer = malloc(n + 4);
	if (!longer)
		abort();
	memcpy(longer, "TSL:", 4);
	memcpy(longer + 4, text, n);
	struct jr_range_name again = jr_range_name_parse(longer, n + 4);
	require(n >= 4 && memcmp(text, "TSL:", 4) == 0 ? again.kind == JR_RANGE_OTHER
												   : same(&name, &again));
	free(longer);
}

static void check_device(const char *text, size_t n, const char *prefix)
{
	struct jr_device_name name = {77, 77, 77, 77};
	if (jr_device_name_parse(text, n, prefix, &name))
		require(n > strlen(prefix) && memcmp(text, prefix, strlen(prefix)) == 0 &&
				text[n - 1] == '#' && name.global != UINT32_MAX && name.slice != UINT32_MAX);
	else
		require(name.global == 77 && name.local == 77 && name.process == 77 && name.slice == 77);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t at = 0; at < size;) {
		const uint8_t *newline = memchr(data + at, '\n', size - at);
		size_t n = newline ? (size_t)(newline - (data + at)) : size - at;
		/* Exactly its size, so that a read past its end is detected. */
		char *text = malloc(n ? n : 1);
		if (!text)
			abort();
		memcpy(text, data + at, n);
		check_range(text, n);
		check_device(text, n, "XlaLauncher:#");
		check_device(text, n, "Xla:#");
		free(text);
		at += n + 1;
	}
	return 0;
}
