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
	JR_EIO,          /* a system call failed: open, read, write, rename */
	JR_EFORMAT,      /* the bytes violate their format */
	JR_EUNSUPPORTED, /* valid, but not supported (encryption, a codec) */
	JR_ELIMIT,       /* exceeds a limit of base/limits.h; the message names the option */
	JR_ENOTFOUND,    /* a member, column, program or file does not exist */
	JR_EUSAGE,       /* the request of the caller (the user) makes no sense */
	JR_EGATE,        /* the run succeeded, but a requested limit does not hold */
	JR_EUNCLEAR,     /* the run succeeded; whether a limit holds cannot be determined */
	JR_ECHILD,       /* a program that we ran for the user ended with child_status */
};

/* The callee fills it on failure; only cli prints it. One line, no capital, no full stop. */
struct jr_error {
	enum jr_status status;
	int child_status; /* JR_ECHILD: the exit status to return, 1 to 255 */
	char message[1024];
};

/** Set `err` (may be NULL) and return `status`, so that callers can write `return jr_fail(...)`. */
enum jr_status jr_fail(struct jr_error *err, enum jr_status status, const char *fmt, ...)
	JR_PRINTF(3, 4);

/** Put "context: " before the message in `err` and return its status. At layer borders only. A
 * message that names the context in quotes stays as it is. */
enum jr_status jr_context(struct jr_error *err, enum jr_status status, const char *fmt, ...)
	JR_PRINTF(3, 4);

#ifdef __clang_analyzer__
/* Tells the analyzer that jr_fail() never returns JR_OK: it sees one file at a time. */
static inline enum jr_status jr_is_failure(enum jr_status status)
{
	if (status == JR_OK)
		__builtin_unreachable();
	return status;
}
#define jr_fail(...) jr_is_failure(jr_fail(__VA_ARGS__))
#endif

/* Return a failure unchanged. */
#define JR_TRY(expr)                                                                               \
	do {                                                                                           \
		enum jr_status jr_try_status_ = (expr);                                                    \
		if (jr_try_status_ != JR_OK)                                                               \
			return jr_try_status_;                                                                 \
	} while (0)

/** Return JR_ELIMIT because memory for a size from an input cannot be allocated; the hook may end
 * the run instead. */
enum jr_status jr_no_room(struct jr_error *err, uint64_t wanted_bytes);

/* 1 in builds for developers, fuzzers and sanitizers. There jr_..._assert() checks a whole
 * structure, once after it is built and once before it is used. In releases it is 0, and the
 * program does not contain these functions, to stay fast. An input that breaks a rule is an error,
 * not an assertion. */
#if !defined(JR_CHECKED) || defined(NDEBUG)
#undef JR_CHECKED
#define JR_CHECKED 0
#endif

/**
 * End the program because memory ran out. This is not a status: the hook that cli sets prints one
 * line, removes temporary output and exits with 1. Sizes from an input do not get here: they are
 * checked against base/limits.h first. For large ones, a failed allocation is JR_ELIMIT
 * (jr_arena_array(), jr_buf_room()).
 */
void jr_oom(void) JR_NORETURN;
/** End the program as jr_oom() does. With the requested size the hook can report whose bound it
 * was. */
void jr_oom_of(size_t wanted_bytes) JR_NORETURN;
/** As calloc(), but jr_oom_of() if there is no memory. */
void *jr_calloc(size_t n, size_t size);
/** Set the hook. It gets the requested size, 0 = not known. Called by jr_no_room(), it may return,
 * because the program can go on. */
void jr_oom_set_hook(void (*hook)(size_t wanted_bytes, bool can_go_on));

#endif
