#include "formats/timeline_rows.h"

#include "base/cleanup.h"

void jr_timeline_done(struct jr_timeline *timeline)
{
	if (!timeline)
		return;
	jr_intern_done(&timeline->strings);
	for (size_t i = 0; i < JR_COUNT_OF(timeline->columns); i++)
		jr_arena_done(&timeline->columns[i]);
	jr_arena_done(&timeline->arena);
	*timeline = (struct jr_timeline){0};
}
