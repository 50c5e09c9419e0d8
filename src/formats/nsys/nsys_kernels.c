/* Short names and launch configurations of kernels. Most kernels of a name are launched alike, so
 * the latest one is kept by name. */
#include "formats/nsys/nsys_parts.h"

#include <string.h>

void jr_nsys_kernel_named(struct jr_nsys_gpu_part *p, uint32_t name, uint32_t brief)
{
	while (p->kernels.n <= name)
		*jr_vec_add(&p->kernels) = (struct jr_nsys_kernel){0};
	struct jr_nsys_kernel *kernel = &p->kernels.items[name];
	if (brief && !kernel->has_brief)
		jr_map_put(&p->short_of, name, brief);
	kernel->has_brief |= brief != 0;
}

static bool is_config(
	const struct jr_nsys_gpu_part *p, uint32_t row, const struct jr_timeline_config *c)
{
	return memcmp(&p->configs.items[row], c, sizeof(*c)) == 0;
}

static uint32_t find_config(struct jr_nsys_gpu_part *p, const struct jr_timeline_config *c)
{
	for (uint64_t hash = jr_hash(c, sizeof(*c), p->part.seed);; hash++) {
		uint32_t row = jr_map_get(&p->config_rows, hash);
		if (row == JR_NONE) {
			row = (uint32_t)p->configs.n;
			*jr_vec_add(&p->configs) = *c;
			jr_map_put(&p->config_rows, hash, row);
			return row;
		}
		if (is_config(p, row, c))
			return row;
	}
}

uint32_t jr_nsys_kernel_config(
	struct jr_nsys_gpu_part *p, uint32_t name, const struct jr_timeline_config *c)
{
	struct jr_nsys_kernel *kernel = &p->kernels.items[name];
	if (!kernel->config || !is_config(p, kernel->config - 1, c))
		kernel->config = find_config(p, c) + 1;
	return kernel->config - 1;
}
