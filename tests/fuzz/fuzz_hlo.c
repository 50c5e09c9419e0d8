/* Any bytes as an xla.HloProto: rejected, or a module whose every reference can be followed. The
 * cost of each instruction is then given or marked as unknown. */
#include "tests/fuzz/hlo_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_limits limits = jr_limits_default();
	limits.memory_bytes = 64 << 20;
	struct jr_error err = {.message = ""};
	struct jr_hlo hlo;
	enum jr_status status = jr_hlo_decode((struct jr_bytes){data, size}, &limits, &hlo, &err);
	if (status != JR_OK) {
		require(status == err.status && err.message[0] != '\0');
		return 0;
	}
	check_hlo(&hlo);
	jr_hlo_done(&hlo);
	return 0;
}
