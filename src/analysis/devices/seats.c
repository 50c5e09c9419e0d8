#include "analysis/devices/devices_parts.h"

#include <stdlib.h>

#include "analysis/core/device_name.h"
#include "base/order.h"

JR_ORDER(compare_seats, struct jr_seat, JR_UP(first) JR_UP(device))

struct jr_seat *jr_seat_devices(struct jr_pass_context *ctx, size_t *n)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_seat *seats = JR_ARENA_N(ctx->scratch, struct jr_seat, p->n_devices + 1);
	struct jr_map first_of = {0};
	*n = 0;
	for (uint32_t d = 0; d < p->n_devices; d++) {
		uint32_t host = jr_device_host(p, d);
		if (ctx->windows->devices[d].program == JR_NONE && !ctx->delays->devices[d].instances)
			continue;
		uint32_t first = host == JR_NONE ? d : jr_map_get(&first_of, host);
		if (first == JR_NONE) {
			first = d;
			jr_map_put(&first_of, host, d);
		}
		seats[(*n)++] = (struct jr_seat){first, d};
	}
	jr_map_done(&first_of);
	qsort(seats, *n, sizeof(*seats), compare_seats);
	return seats;
}
