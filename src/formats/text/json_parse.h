/*
 * json_parse.h - a JSON text (RFC 8259) as a tree of values.
 * Layer: formats.  Owner: the document owns all values and texts.
 *
 * Numbers keep their text, so integer nanoseconds that were written as decimal milliseconds are
 * read back exactly. Strings are cleaned (base/text.h) while they are read. Nothing here recurses:
 * nesting is bounded by limits.depth, memory by limits.memory_bytes.
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
	const char *text;             /* of a string; of a number as written */
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
 * @param doc  out; free it with jr_json_done(), also after a failure
 * @return JR_EFORMAT with the offset and the reason; JR_ELIMIT nesting, a text or memory beyond a
 *         limit
 * @note   O(bytes). A byte order mark is an error, as is any text after the value.
 */
enum jr_status jr_json_parse(struct jr_bytes text, const struct jr_limits *limits,
	struct jr_json_doc *doc, struct jr_error *err) JR_MUST_CHECK;
void jr_json_done(struct jr_json_doc *doc);

/** Return the member of an object with that key, the first of several. NULL if there is none or
 * `object` is not an object. */
const struct jr_json *jr_json_member(const struct jr_json *object, const char *key);
/** Return the value at a dotted path of keys ("totals.wall_ms") below an object, or NULL. */
const struct jr_json *jr_json_at(const struct jr_json *object, const char *path);
/** Return the text of a string, else NULL. */
const char *jr_json_string(const struct jr_json *v);
/** Return a number as a double; NaN for anything else and for numbers beyond a double's range. */
double jr_json_double(const struct jr_json *v);
/**
 * Return a number times 10^decimals as an integer: exact if it has no further digits; else rounded.
 * @return false if `v` is not a number or the product does not fit
 */
bool jr_json_integer(const struct jr_json *v, unsigned decimals, int64_t *out);

#endif
