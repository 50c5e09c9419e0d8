/*
 * json_parse.h - a JSON text (RFC 8259) as a tree of values.
 * Layer: formats.  Owner: the document owns all values and texts.
 *
 * Numbers keep their text, so that integer nanoseconds that were written as decimal milliseconds
 * are read back exactly. Strings are made clean (base/text.h) on their way in. Nothing here
 * recurses: nesting is bounded by limits.depth, memory by limits.memory_bytes.
 */
#ifndef JR_FORMATS_JSON_PARSE_H
#define JR_FORMATS_JSON_PARSE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/limits.h"

enum jr_json_kind {
	JR_JSON_NULL,
	JR_JSON_FALSE,
	JR_JSON_TRUE,
	JR_JSON_NUMBER,
	JR_JSON_STRING,
	JR_JSON_ARRAY,
	JR_JSON_OBJECT,
};

struct jr_json {
	enum jr_json_kind kind;
	uint32_t n;                   /* members of an array or object */
	const char *key;              /* of a member of an object, else NULL */
	const char *text;             /* of a string; of a number as it stood there */
	struct jr_json *first, *next; /* members in order; the next one of the same parent */
};

struct jr_json_doc {
	struct jr_arena arena; /* values */
	struct jr_intern texts;
	const struct jr_json *root;
};

/**
 * Read a whole text: one value and white space.
 *
 * @param doc  out; jr_json_done() it, also after a failure
 * @return JR_EFORMAT with the offset and what is wrong there; JR_ELIMIT nesting, a text or memory
 *         beyond a limit
 * @note   O(bytes). A byte order mark is refused, as is anything behind the value.
 */
enum jr_status jr_json_parse(struct jr_bytes text, const struct jr_limits *limits,
	struct jr_json_doc *doc, struct jr_error *err) JR_MUST_CHECK;
void jr_json_done(struct jr_json_doc *doc);

/** Member of an object by key, the first of several; NULL where there is none, or no object. */
const struct jr_json *jr_json_member(const struct jr_json *object, const char *key);
/** Value at a dotted path of keys ("totals.wall_ms") below an object, or NULL. */
const struct jr_json *jr_json_at(const struct jr_json *object, const char *path);
/** Text of a string, else NULL. */
const char *jr_json_string(const struct jr_json *v);
/** A number as a double; NaN for anything else, and for what a double cannot hold. */
double jr_json_double(const struct jr_json *v);
/**
 * A number times 10^decimals as an integer: exactly, where its digits end there; else rounded.
 * @return false for anything but a number, and where the product does not fit
 */
bool jr_json_integer(const struct jr_json *v, unsigned decimals, int64_t *out);

#endif
