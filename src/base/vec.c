#include "base/vec.h"

#include <stdint.h>

#include "base/error.h"

void *jr_vec_grow(void *items, size_t *capacity, size_t item_size)
{
	size_t wanted = *capacity ? *capacity * 2 : 16;
	if (wanted > SIZE_MAX / 2 / item_size)
		jr_oom_of(SIZE_MAX);
	void *grown = realloc(items, wanted * item_size);
	if (!grown)
		jr_oom_of(wanted * item_size);
	*capacity = wanted;
	return grown;
}
