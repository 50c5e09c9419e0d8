/*
 * error.h - status codes and the caller-allocated error message.
 * Layer: base.  Nothing here allocates, so the error path cannot fail.
 */
#ifndef JR_BASE_ERROR_H
#define JR_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JR_MUST_CHECK __attribute__((warn_unused_result))
#define JR_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define JR_NORETURN __attribute__((noreturn))

enum jr_status {
	JR_OK = 0,
	JR_EIO,          /* the system refused: open, read, write, rename */
	JR_EFORMAT,      /* the bytes break their format's rules */
	JR_EUNSUPPORTED, /* legal, but something we do not read (encryption, a codec) */
	JR_ELIMIT,       /* beyond a limit of base/limits.h; the message names the option */
	JR_ENOTFOUND,    /* a member, column, program or file that is not there */
	JR_EUSAGE,       /* the caller's (user's) request makes no sense */
	JR_EGATE,        /* all went well, and a limit that was asked for does not hold */
	JR_EUNCLEAR,     /* all went well, and whether one holds cannot be determined */
	JR_ECHILD,       /* a program that was run for the user ended with child_status */
};

/* Filled by the callee on failure, printed by cli only. One line, no capital, no full stop. */
struct jr_error {
	enum jr_status status;
	int child_status; /* JR_ECHILD: the exit status to hand on, 1 to 255 */
	char message[1024];
};

/** Set `err` (may be NULL) and return `status`, so that `return jr_fail(...)` reads well. */
enum jr_status jr_fail(struct jr_error *err, enum jr_status status, const char *fmt, ...)
	JR_PRINTF(3, 4);

/** Put "context: " ahead of the message in `err` and return its status. At layer borders only. */
enum jr_status jr_context(struct jr_error *err, enum jr_status status, const char *fmt, ...)
	JR_PRINTF(3, 4);

#ifdef __clang_analyzer__
/* What the analyzer cannot see from one file: a failure is one. */
static inline enum jr_status jr_is_failure(enum jr_status status)
{
	if (status == JR_OK)
		__builtin_unreachable();
	return status;
}
#define jr_fail(...) jr_is_failure(jr_fail(__VA_ARGS__))
#endif

/* Hand a failure on, untouched. */
#define JR_TRY(expr)                                                                               \
	do {                                                                                           \
		enum jr_status jr_try_status_ = (expr);                                                    \
		if (jr_try_status_ != JR_OK)                                                               \
			return jr_try_status_;                                                                 \
	} while (0)

/** JR_ELIMIT: memory for what an input states cannot be had; or the hook ends the run. */
enum jr_status jr_no_room(struct jr_error *err, uint64_t wanted_bytes);

/* 1 in builds for developers, fuzzers and sanitizers: a structure's own jr_..._assert() looks
 * through all of it, once where it has been built and once where it is used. Releases keep their
 * speed: there it is 0, and no such function is part of the program. What an input can break is an
 * error, not an assertion. */
#if !defined(JR_CHECKED) || defined(NDEBUG)
#undef JR_CHECKED
#define JR_CHECKED 0
#endif

/**
 * Out of memory is not a status: it ends the program through the hook that cli sets (one line,
 * temporary output removed, exit 1). Sizes that an input states never get that far: they are held
 * against base/limits.h first, and where they are large, memory that cannot be had is JR_ELIMIT
 * (jr_arena_array(), jr_buf_room()).
 */
void jr_oom(void) JR_NORETURN;
/** The same where it is known how much was asked for: the hook can then tell whose bound it was. */
void jr_oom_of(size_t wanted_bytes) JR_NORETURN;
/** `hook` gets what was asked for, 0 = not known. From jr_no_room() the program can go on: the hook
 * may return. */
void jr_oom_set_hook(void (*hook)(size_t wanted_bytes, bool can_go_on));

#endif
