/*
 * frame_kind.h - owner of a Python frame's code: the user, a library, or a wrapper.
 * Layer: analysis.
 *
 * A profile does not record the owner, but the path reveals it. Code that pip, conda or the
 * distribution installed is library code, and so are frameworks that are often checked out next to
 * the user's code. Some frames only forward a call (flax's wrapped_module_method, absl's run,
 * decorators). These are wrappers wherever they are, and are not useful when looking for time.
 */
#ifndef JR_ANALYSIS_FRAME_KIND_H
#define JR_ANALYSIS_FRAME_KIND_H

#include "analysis/core/result.h"

/**
 * Classify a Python frame.
 *
 * @param file      as in the frame; a path without its beginning ("flax/flax/core/scope.py") is
 *                  recognized as well
 * @param function  name with or without its qualification ("f.<locals>.wrapper"); NULL = not known
 * @return JR_FRAME_USER, JR_FRAME_LIBRARY or JR_FRAME_WRAPPER. O(length of the path)
 */
enum jr_frame_kind jr_frame_kind(const char *file, const char *function);

/* Parts of "FILE:LINE[:COLUMN][FUNCTION]". */
struct jr_frame_parts {
	size_t file_size;     /* of "FILE" */
	size_t line_size;     /* of "FILE:LINE" */
	const char *function; /* not null-terminated */
	size_t function_size;
};

/** Split a frame's text; return false if the text is not such a frame, and leave `parts` unchanged.
 * Files and functions may contain brackets and colons. */
bool jr_frame_split(const char *text, struct jr_frame_parts *parts);

/** Return true for libraries and wrappers. */
static inline bool jr_kind_is_library(enum jr_frame_kind kind)
{
	return kind == JR_FRAME_LIBRARY || kind == JR_FRAME_WRAPPER;
}

#endif
