#include "analysis/say.h"

#include "base/num.h"

#define ROUNDS_TO_ALL 1.005 /* 100 % in three digits is anything below 100.5 % */

bool jr_say_above_all(double frac)
{
	return frac >= ROUNDS_TO_ALL;
}

const char *jr_say_percent(struct jr_arena *arena, double frac)
{
	char text[JR_NUM_MAX];
	jr_num_significant(text, frac * 100, 3);
	return jr_arena_printf(
		arena, "%s %%%s", text, jr_say_above_all(frac) ? " (above 100 %, so in doubt)" : "");
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
