#include "analysis/core/say.h"

#include "analysis/core/result.h"
#include "analysis/core/terms.h"
#include "analysis/gpu/gpu_tables.h"
#include "base/num.h"

#define ROUNDS_TO_ALL 1.005 /* three digits round up to 100 % below 100.5 % */

bool jr_say_above_all(double frac)
{
	return frac >= ROUNDS_TO_ALL;
}

const char *jr_count_text(struct jr_arena *arena, int64_t n)
{
	char text[JR_NUM_MAX];
	jr_num_grouped_i64(text, n);
	return jr_arena_strdup(arena, text);
}

const char *jr_bytes_text(struct jr_arena *arena, double bytes)
{
	char text[JR_NUM_MAX];
	jr_num_bytes(text, bytes);
	return jr_arena_strdup(arena, text);
}

const char *jr_time_text(struct jr_arena *arena, double ns)
{
	char text[JR_NUM_MAX];
	jr_num_time(text, ns);
	return jr_arena_strdup(arena, text);
}

const char *jr_digits_text(struct jr_arena *arena, double v, int digits)
{
	char text[JR_NUM_MAX];
	jr_num_significant(text, v, digits);
	return jr_arena_strdup(arena, text);
}

const char *jr_say_percent(struct jr_arena *arena, double frac)
{
	return jr_arena_printf(arena, "%s %%%s", jr_digits_text(arena, frac * 100, 3),
		jr_say_above_all(frac) ? " (above 100 %, so in doubt)" : "");
}

static const char *say(
	struct jr_arena *arena, double ns, size_t (*put)(char out[JR_NUM_MAX], double ns))
{
	char text[JR_NUM_MAX];
	if (ns > -0.5 && ns < 0.5)
		return "less than 1 ns";
	put(text, ns);
	return jr_arena_printf(arena, "%s%s", text, ns < 0 ? " (negative, so in doubt)" : "");
}

const char *jr_say_time(struct jr_arena *arena, double ns)
{
	return say(arena, ns, jr_num_time);
}

const char *jr_say_brief(struct jr_arena *arena, double ns)
{
	return say(arena, ns, jr_num_time_brief);
}

#define SAME_WALL 0.01

bool jr_say_equal_walls(const struct jr_table *gpu_ledger)
{
	const int64_t *wall_ns = gpu_ledger->cells[JR_GPU_LEDGER_wall_ms].i64;
	int64_t least_ns = INT64_MAX, most_ns = 0;
	for (size_t row = 0; row < gpu_ledger->n_rows; row++) {
		least_ns = wall_ns[row] < least_ns ? wall_ns[row] : least_ns;
		most_ns = wall_ns[row] > most_ns ? wall_ns[row] : most_ns;
	}
	return (double)least_ns >= (1 - SAME_WALL) * (double)most_ns;
}

const char *jr_say_per_gpu(const struct jr_table *gpu_ledger)
{
	return gpu_ledger->n_rows < 2           ? ""
		   : jr_say_equal_walls(gpu_ledger) ? " per " JR_GPU
											: " per " JR_GPU " on average";
}
