/*
 * json_pull.h - a JSON text (RFC 8259), one token after the other, however it comes in.
 * Layer: formats.  Owner: the caller; what a token points to holds until the next one.
 *
 * Nothing here recurses: nesting is bounded by limits.depth, a text by limits.string_bytes. Texts
 * have their escapes resolved and are not cleaned.
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
	JR_JSON_TOKEN_NUMBER, /* with its text as it stands there */
	JR_JSON_TOKEN_NULL,
	JR_JSON_TOKEN_FALSE,
	JR_JSON_TOKEN_TRUE
};

/* The next bytes of the text; none at its end. */
typedef enum jr_status (*jr_json_more_fn)(
	void *context, struct jr_bytes *out, struct jr_error *err);

struct jr_json_pull {
	struct jr_buf text; /* of a key, string or number */
	/* private */
	const struct jr_limits *limits;
	jr_json_more_fn more; /* NULL: there is no more */
	void *context;
	const char *bytes;
	size_t size, at;
	uint64_t behind;          /* bytes ahead of those in hand */
	JR_VEC(char) open;        /* the bracket that closes each, outermost first */
	bool begun, first, keyed; /* first: of a list; keyed: a value must follow */
	bool ended;               /* more was wanted than there is */
	enum jr_status failed;    /* of `more` */
	struct jr_error *err;
};

/** A text that is all there, or (`more`) comes in pieces that each hold until the next is asked
 * for. jr_json_pull_done() it. */
struct jr_json_pull jr_json_pull_of(
	struct jr_bytes text, jr_json_more_fn more, void *context, const struct jr_limits *limits);
void jr_json_pull_done(struct jr_json_pull *p);
/** True where a failure has no other reason than that the text ends too early. */
static inline bool jr_json_pull_is_cut(const struct jr_json_pull *p)
{
	return p->ended;
}
/**
 * The next token. Keys stand ahead of the values of an object's members.
 *
 * @return JR_EFORMAT with the offset and what is wrong there; JR_ELIMIT nesting or a text beyond a
 *         limit; what `more` returns. No token is to be asked for behind a failure.
 * @note   O(bytes). A byte order mark is refused, as is anything behind the value.
 */
enum jr_status jr_json_pull_next(
	struct jr_json_pull *p, enum jr_json_token *token, struct jr_error *err) JR_MUST_CHECK;
/** All of the value that `token` began. */
enum jr_status jr_json_pull_skip(
	struct jr_json_pull *p, enum jr_json_token token, struct jr_error *err) JR_MUST_CHECK;

#endif
