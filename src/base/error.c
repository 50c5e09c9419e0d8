#include "base/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* Room for a message with two paths, before it is shortened. */
enum { LONGEST = 8192 };

/* Of a message that is too long, keep the beginning and the end: a long name or value is in the
 * middle; what is wrong with it, and what to do, is at the end. */
static void keep(struct jr_error *err, enum jr_status status, char text[static LONGEST], int n)
{
	enum { ROOM = sizeof(err->message), TAIL = ROOM / 2 };
	if (n >= LONGEST)
		jr_text_end_cut(text, LONGEST);
	size_t size = strlen(text), head = size < ROOM ? size + 1 : ROOM - TAIL;
	memcpy(err->message, text, head);
	if (size >= ROOM) {
		const char *tail = text + size - TAIL;
		while (((unsigned char)*tail & 0xC0) == 0x80)
			tail++;
		jr_text_end_cut(err->message, head);
		memcpy(err->message + strlen(err->message), tail, strlen(tail) + 1);
	}
	err->status = status;
}

/* The parentheses keep the macro for the analyzer (error.h) from expanding here. */
enum jr_status(jr_fail)(struct jr_error *err, enum jr_status status, const char *fmt, ...)
{
	if (!err)
		return status;
	char text[LONGEST]; /* err->message itself may be among the arguments */
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	keep(err, status, text, n);
	return status;
}

enum jr_status jr_context(struct jr_error *err, enum jr_status status, const char *fmt, ...)
{
	if (!err)
		return status;
	char text[LONGEST];
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	const char *named = n > 0 && n < LONGEST ? strstr(err->message, text) : NULL;
	if (named && named > err->message && named[-1] == '\'' && named[n] == '\'')
		n = snprintf(text, sizeof(text), "%s", err->message);
	else if (n >= 0 && n < LONGEST)
		n += snprintf(text + n, sizeof(text) - (size_t)n, ": %s", err->message);
	keep(err, status, text, n);
	return status;
}

/* The one process-wide hook: memory can run out anywhere, and only cli may print and clean up. */
static void (*oom_hook)(size_t, bool);

enum jr_status jr_no_room(struct jr_error *err, uint64_t wanted_bytes)
{
	if (oom_hook)
		oom_hook(wanted_bytes < SIZE_MAX ? (size_t)wanted_bytes : SIZE_MAX, true);
	return jr_fail(err, JR_ELIMIT,
		"needs %" PRIu64 " bytes, more than the remaining memory (--max-memory)", wanted_bytes);
}

void jr_oom_set_hook(void (*hook)(size_t wanted_bytes, bool can_go_on))
{
	oom_hook = hook;
}

void jr_oom_of(size_t wanted_bytes)
{
	if (oom_hook)
		oom_hook(wanted_bytes, false);
	abort();
}

void jr_oom(void)
{
	jr_oom_of(0);
}

void *jr_calloc(size_t n, size_t size)
{
	void *p = calloc(n, size);
	if (!p)
		jr_oom_of(n * size);
	return p;
}
