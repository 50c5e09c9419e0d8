/* Not a target: it branches on an uninitialized byte, so MemorySanitizer must stop it. */
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	if (!copy)
		return 0;
	for (size_t i = 0; i < size; i++)
		copy[i] = data[i];
	if (copy[size] == 1)
		abort();
	free(copy);
	return 0;
}
