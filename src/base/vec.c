#include "base/vec.h"

#include <stdint.h>

#include "base/error.h"

void *jr_vec_grow(void *items, size_t *capacity, size_t item_size)
{
	size_t wanted = *capacity ? *capacity * 2 : 16;
	if (wanted > SIZE_MAX / 2 / item_size)
		jr_oom();
	void *grown = realloc(items, wanted * item_size);
	if (!grown)
		jr_oom();
	*capacity = wanted;
	return grown;
}
