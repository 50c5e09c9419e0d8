/*
 * json_pull.h - read a JSON text (RFC 8259) token by token, in one or several pieces.
 * Layer: formats.  Owner: the caller; a token's text is valid until the next token.
 *
 * Nothing here recurses: nesting is bounded by limits.depth, a text by limits.string_bytes. Escapes
 * in texts are resolved; texts are not cleaned.
 */
#ifndef JR_FORMATS_JSON_PULL_H
#define JR_FORMATS_JSON_PULL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/vec.h"

enum jr_json_token {
	JR_JSON_TOKEN_END, /* of the text */
	JR_JSON_TOKEN_OBJECT,
	JR_JSON_TOKEN_OBJECT_END,
	JR_JSON_TOKEN_ARRAY,
	JR_JSON_TOKEN_ARRAY_END,
	JR_JSON_TOKEN_KEY,
	JR_JSON_TOKEN_STRING,
	JR_JSON_TOKEN_NUMBER, /* with its text as written */
	JR_JSON_TOKEN_NULL,
	JR_JSON_TOKEN_FALSE,
	JR_JSON_TOKEN_TRUE
};

/* Return the next bytes of the text; none at its end. */
typedef enum jr_status (*jr_json_more_fn)(
	void *context, struct jr_bytes *out, struct jr_error *err);

struct jr_json_pull {
	struct jr_buf text; /* of a key, string or number */
	/* private */
	const struct jr_limits *limits;
	jr_json_more_fn more; /* NULL: no further bytes */
	void *context;
	const char *bytes;
	size_t size, at;
	uint64_t behind;          /* bytes before the current ones */
	JR_VEC(char) open;        /* closing brackets, outermost first */
	bool begun, first, keyed; /* first: at the start of a list; keyed: a value must follow */
	bool ended;               /* the text ended where more was needed */
	enum jr_status failed;    /* status of `more` */
	struct jr_error *err;
};

/** Start to read a text that is complete or (`more`) comes in pieces. Each piece is valid until the
 * next one is requested. Free it with jr_json_pull_done(). */
struct jr_json_pull jr_json_pull_of(
	struct jr_bytes text, jr_json_more_fn more, void *context, const struct jr_limits *limits);
void jr_json_pull_done(struct jr_json_pull *p);
/** Return true if the only reason of a failure is that the text ends too early. */
static inline bool jr_json_pull_is_cut(const struct jr_json_pull *p)
{
	return p->ended;
}
/**
 * Read the next token. The members of an object are a key, then its value.
 *
 * @return JR_EFORMAT with the offset and the reason; JR_ELIMIT nesting or a text beyond a limit;
 *         errors of `more`. Do not call it again after a failure.
 * @note   O(bytes). A byte order mark is an error, as is any text after the value.
 */
enum jr_status jr_json_pull_next(
	struct jr_json_pull *p, enum jr_json_token *token, struct jr_error *err) JR_MUST_CHECK;
/** Skip the whole value that `token` began. */
enum jr_status jr_json_pull_skip(
	struct jr_json_pull *p, enum jr_json_token token, struct jr_error *err) JR_MUST_CHECK;

#endif
