#include "base/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* The parentheses keep the macro for the analyzer (error.h) from expanding here. */
enum jr_status(jr_fail)(struct jr_error *err, enum jr_status status, const char *fmt, ...)
{
	if (!err)
		return status;
	char text[sizeof(err->message)]; /* err->message itself may be among the arguments */
	va_list args;
	va_start(args, fmt);
	if (vsnprintf(text, sizeof(text), fmt, args) >= (int)sizeof(text))
		jr_text_end_cut(text, sizeof(text));
	va_end(args);
	memcpy(err->message, text, sizeof(text));
	err->status = status;
	return status;
}

enum jr_status jr_context(struct jr_error *err, enum jr_status status, const char *fmt, ...)
{
	if (!err)
		return status;
	char inner[sizeof(err->message)];
	memcpy(inner, err->message, sizeof(inner));
	inner[sizeof(inner) - 1] = '\0';
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(err->message, sizeof(err->message), fmt, args);
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof(err->message))
		n += snprintf(err->message + n, sizeof(err->message) - (size_t)n, ": %s", inner);
	if (n >= (int)sizeof(err->message))
		jr_text_end_cut(err->message, sizeof(err->message));
	err->status = status;
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
