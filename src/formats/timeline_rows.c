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

void jr_timeline_damaged(struct jr_timeline *t, const char *why)
{
	if (t->n_damaged < JR_TIMELINE_MOST_DAMAGED)
		t->damaged[t->n_damaged++] = jr_intern_puts(&t->strings, why);
}

void jr_timeline_leave_unread(struct jr_timeline *t, uint32_t name, uint64_t n)
{
	size_t at = 0;
	if (n == 0)
		return;
	while (at < t->n_unread && t->unread[at].name != name)
		at++;
	if (at == JR_TIMELINE_MOST_UNREAD) { /* the last entry counts all further names */
		at--;
		t->unread[at].name = jr_intern_puts(&t->strings, "others");
	} else if (at == t->n_unread) {
		t->unread[t->n_unread++] = (struct jr_timeline_unread){.name = name};
	}
	if (__builtin_add_overflow(t->unread[at].n, n, &t->unread[at].n))
		t->unread[at].n = UINT64_MAX;
}
