/* Any bytes as the text of the device that XLA compiled for: rejected with one line of text, or
 * read as numbers that a device can have. */
#include <stdlib.h>
#include <string.h>

#include "formats/hlo/target_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_target_config config;
	struct jr_error err = {0};
	memset(&config, 77, sizeof(config));
	enum jr_status status = jr_target_config_read(jr_bytes_of(data, size), &config, &err);
	if (status != JR_OK) {
		require(status == JR_EFORMAT || status == JR_ELIMIT);
		require(err.message[0] && !strchr(err.message, '\n'));
		return 0;
	}
	require(memchr(config.name, '\0', sizeof(config.name)) != NULL);
	require(config.compute_capability == 0 ||
			(config.compute_capability >= 10 && config.compute_capability < 1000));
	require(config.clock_hz <= UINT64_C(1000000000000));
	/* A blank and a comment after it change nothing. */
	char *longer = malloc(size + 4);
	if (!longer)
		abort();
	if (size)
		memcpy(longer, data, size);
	memcpy(longer + size, "\n# ", 4);
	struct jr_target_config again;
	if (size + 3 <= JR_TARGET_CONFIG_MOST_BYTES) {
		require(jr_target_config_read(jr_bytes_of(longer, size + 3), &again, &err) == JR_OK);
		require(strcmp(config.name, again.name) == 0 &&
				config.memory_bandwidth_bytes_s == again.memory_bandwidth_bytes_s &&
				config.sm_count == again.sm_count && config.clock_hz == again.clock_hz &&
				config.compute_capability == again.compute_capability);
	}
	free(longer);
	return 0;
}
