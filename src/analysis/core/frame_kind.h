/*
 * frame_kind.h - whose code a Python frame is: the user's, a library's, or a wrapper's.
 * Layer: analysis.
 *
 * Nothing in a profile says so; the path does. What pip, conda or the distribution installed is
 * library code, and so are frameworks that are often checked out beside the user's code. Some
 * frames do nothing but pass a call on (flax's wrapped_module_method, absl's run, decorators):
 * those are wrappers wherever they are, and of no interest where time is looked for.
 */
#ifndef JR_ANALYSIS_FRAME_KIND_H
#define JR_ANALYSIS_FRAME_KIND_H

#include "analysis/core/result.h"

/**
 * @param file      as the frame names it; a path without its beginning ("flax/flax/core/scope.py")
 *                  is found as well
 * @param function  name with or without its qualification ("f.<locals>.wrapper"); NULL = not known
 * @return JR_FRAME_USER, JR_FRAME_LIBRARY or JR_FRAME_WRAPPER. O(length of the path)
 */
enum jr_frame_kind jr_frame_kind(const char *file, const char *function);

/* Parts of "FILE:LINE[:COLUMN][FUNCTION]". */
struct jr_frame_parts {
	size_t file_size;     /* of "FILE" */
	size_t line_size;     /* of "FILE:LINE" */
	const char *function; /* not terminated */
	size_t function_size;
};

/** False where the text is no such frame; `parts` is then untouched. Files and functions may hold
 * brackets and colons. */
bool jr_frame_split(const char *text, struct jr_frame_parts *parts);

/** True for libraries and wrappers. */
static inline bool jr_kind_is_library(enum jr_frame_kind kind)
{
	return kind == JR_FRAME_LIBRARY || kind == JR_FRAME_WRAPPER;
}

#endif
