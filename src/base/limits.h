/*
 * limits.h - the one table of limits on everything that an input states.
 * Layer: base.  The message for an exceeded limit names the option that raises it.
 */
#ifndef JR_BASE_LIMITS_H
#define JR_BASE_LIMITS_H

#include <stdint.h>

/* JR_LIMIT(field, option, default, what it limits) */
#define JR_LIMITS                                                                                  \
	JR_LIMIT(                                                                                      \
		entry_bytes, "--max-entry-bytes", UINT64_C(1) << 31, "size of one decompressed member")    \
	JR_LIMIT(ratio, "--max-ratio", 512,                                                            \
		"ratio of decompressed to compressed size for members above 1 MiB; xz: 8 times this")      \
	JR_LIMIT(members, "--max-members", 100000, "number of members of an archive")                  \
	JR_LIMIT(rows, "--max-rows", 200000000, "number of rows of one table")                         \
	JR_LIMIT(string_bytes, "--max-string-bytes", UINT64_C(1) << 20, "size of one name or text")    \
	JR_LIMIT(depth, "--max-depth", 512, "nesting depth of ranges, messages and stacks")            \
	JR_LIMIT(memory_bytes, "--max-memory", UINT64_C(16) << 30, "memory that jaxreport may use")

/* Maximum distance of a time from 0 (146 years). The difference of any two times then fits int64.
 * No option raises it. */
#define JR_TIME_MAX_NS ((INT64_C(1) << 62) - 1)

/* Maximum size of a copy, a buffer or a memory, far above any that exists. More is not believed. */
#define JR_MOST_BYTES (INT64_C(1) << 50)

struct jr_limits {
#define JR_LIMIT(field, option, value, what) uint64_t field;
	JR_LIMITS
#undef JR_LIMIT
};

static inline struct jr_limits jr_limits_default(void)
{
	return (struct jr_limits){
#define JR_LIMIT(field, option, value, what) .field = (value),
		JR_LIMITS
#undef JR_LIMIT
	};
}

/* Maximum length of a name that rows refer to. Millions of rows can share one text, and each output
 * repeats it per row. Names that compilers make are much shorter. */
#define JR_NAME_BYTES 65536

static inline uint64_t jr_limits_name(const struct jr_limits *limits)
{
	return limits->string_bytes < JR_NAME_BYTES ? limits->string_bytes : JR_NAME_BYTES;
}

/* Return how many bytes `packed` bytes may expand to: entry_bytes, and above 1 MiB also `ratio`
 * times. */
static inline uint64_t jr_limits_unpacked(const struct jr_limits *limits, uint64_t packed)
{
	uint64_t most;
	if (__builtin_mul_overflow(packed, limits->ratio, &most))
		most = UINT64_MAX;
	if (most < UINT64_C(1) << 20)
		most = UINT64_C(1) << 20;
	return most < limits->entry_bytes ? most : limits->entry_bytes;
}

#endif
