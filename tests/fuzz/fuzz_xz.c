/* Fuzz target: jr_xz_decode(). Small limits, so that a bomb is an error and not a slow run. */
#include <stdlib.h>

#include "formats/archive/xz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_limits limits = jr_limits_default();
	limits.entry_bytes = 1 << 20;
	limits.memory_bytes = 32 << 20;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	struct jr_error err = {0};
	enum jr_status status = jr_xz_decode(jr_bytes_of(data, size), &limits, &out, &err);
	if (status == JR_OK ? out.size > limits.entry_bytes : out.data || !err.message[0])
		abort();
	return 0;
}
