/*
 * cleanup.h - scope cleanup for handles that are not arena memory.
 * Layer: base.
 */
#ifndef JR_BASE_CLEANUP_H
#define JR_BASE_CLEANUP_H

/* JR_CLEANUP(fn) T v: fn(&v) runs when v leaves scope; fn accepts a NULL or zeroed value. */
#define JR_CLEANUP(fn) __attribute__((cleanup(fn)))

/* Transfer ownership of a pointer: yields its value and sets it to NULL, so that cleanup skips
 * it. */
#define JR_TAKE(ptr)                                                                               \
	__extension__({                                                                                \
		__typeof__(ptr) jr_take_ = (ptr);                                                          \
		(ptr) = NULL;                                                                              \
		jr_take_;                                                                                  \
	})

#define JR_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define JR_UNUSED __attribute__((unused))

/* 1 in a build with AddressSanitizer or ThreadSanitizer. These replace malloc and signal handlers,
 * and start programs that look up the names of functions. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define JR_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define JR_SANITIZED 1
#endif
#endif
#ifndef JR_SANITIZED
#define JR_SANITIZED 0
#endif

#endif
