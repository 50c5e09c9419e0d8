#include "formats/text/json_parse.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/vec.h"
#include "formats/text/json_pull.h"

struct parser {
	struct jr_json_pull pull;
	struct jr_json_doc *doc;
	struct jr_buf clean;
	JR_VEC(struct jr_json *) open; /* arrays and objects, outermost first */
};

/* Clean the token's text and store it once. */
static const char *text_of(struct parser *p)
{
	const struct jr_buf *text = &p->pull.text;
	if (text->size && !jr_text_is_clean(text->data, text->size)) {
		p->clean.size = 0;
		jr_text_clean(&p->clean, text->data, text->size);
		text = &p->clean;
	}
	return jr_intern_str(
		&p->doc->texts, jr_intern_put(&p->doc->texts, text->size ? text->data : "", text->size));
}

/* --- the tree --------------------------------------------------------------------------------- */

static void set_value(struct parser *p, struct jr_json *v, enum jr_json_token token)
{
	static const enum jr_json_kind kinds[] = {[JR_JSON_TOKEN_OBJECT] = JR_JSON_OBJECT,
		[JR_JSON_TOKEN_ARRAY] = JR_JSON_ARRAY,
		[JR_JSON_TOKEN_STRING] = JR_JSON_STRING,
		[JR_JSON_TOKEN_NUMBER] = JR_JSON_NUMBER,
		[JR_JSON_TOKEN_NULL] = JR_JSON_NULL,
		[JR_JSON_TOKEN_FALSE] = JR_JSON_FALSE,
		[JR_JSON_TOKEN_TRUE] = JR_JSON_TRUE};
	v->kind = kinds[token];
	if (v->kind == JR_JSON_STRING || v->kind == JR_JSON_NUMBER)
		v->text = text_of(p);
	else if (v->kind == JR_JSON_OBJECT || v->kind == JR_JSON_ARRAY)
		*jr_vec_add(&p->open) = v;
}

/* While a value is open, its `first` points to its last member, and that member's `next` to the
 * first one. Appending then needs no search. */
static void append(struct jr_json *parent, struct jr_json *member)
{
	struct jr_json *last = parent->first;
	member->next = last ? last->next : member;
	if (last)
		last->next = member;
	parent->first = member;
	parent->n++;
}

static void close_value(struct parser *p)
{
	struct jr_json *v = p->open.items[--p->open.n];
	struct jr_json *last = v->first;
	if (!last)
		return;
	v->first = last->next;
	last->next = NULL;
}

/* Read one member of the innermost open value, or its end. */
static enum jr_status take_member(struct parser *p, struct jr_error *err)
{
	enum jr_json_token token;
	JR_TRY(jr_json_pull_next(&p->pull, &token, err));
	if (token == JR_JSON_TOKEN_OBJECT_END || token == JR_JSON_TOKEN_ARRAY_END) {
		close_value(p);
		return JR_OK;
	}
	struct jr_json *v;
	JR_TRY_ARRAY(v, &p->doc->arena, 1, err);
	if (token == JR_JSON_TOKEN_KEY) {
		v->key = text_of(p);
		JR_TRY(jr_json_pull_next(&p->pull, &token, err));
	}
	append(p->open.items[p->open.n - 1], v);
	set_value(p, v, token);
	return JR_OK;
}

static enum jr_status take_all(struct parser *p, struct jr_json *root, struct jr_error *err)
{
	enum jr_json_token token;
	JR_TRY(jr_json_pull_next(&p->pull, &token, err));
	set_value(p, root, token);
	while (p->open.n)
		JR_TRY(take_member(p, err));
	return jr_json_pull_next(&p->pull, &token, err);
}

enum jr_status jr_json_parse(struct jr_bytes text, const struct jr_limits *limits,
	struct jr_json_doc *doc, struct jr_error *err)
{
	struct parser p = {.pull = jr_json_pull_of(text, NULL, NULL, limits), .doc = doc};
	*doc = (struct jr_json_doc){0};
	jr_arena_init(&doc->arena, limits->memory_bytes);
	jr_intern_init(&doc->texts);
	struct jr_json *root = JR_ARENA_NEW(&doc->arena, struct jr_json);
	enum jr_status status = take_all(&p, root, err);
	if (status == JR_OK)
		doc->root = root;
	jr_vec_done(&p.open);
	jr_buf_done(&p.clean);
	jr_json_pull_done(&p.pull);
	return status;
}

void jr_json_done(struct jr_json_doc *doc)
{
	jr_arena_done(&doc->arena);
	jr_intern_done(&doc->texts);
	doc->root = NULL;
}

/* --- looking up ------------------------------------------------------------------------------- */

static const struct jr_json *member(const struct jr_json *object, const char *key, size_t n)
{
	if (!object || object->kind != JR_JSON_OBJECT)
		return NULL;
	for (const struct jr_json *v = object->first; v; v = v->next)
		if (strncmp(v->key, key, n) == 0 && !v->key[n])
			return v;
	return NULL;
}

const struct jr_json *jr_json_member(const struct jr_json *object, const char *key)
{
	return member(object, key, strlen(key));
}

const struct jr_json *jr_json_at(const struct jr_json *object, const char *path)
{
	while (object) {
		size_t n = strcspn(path, ".");
		object = member(object, path, n);
		if (!path[n])
			break;
		path += n + 1;
	}
	return object;
}

const char *jr_json_string(const struct jr_json *v)
{
	return v && v->kind == JR_JSON_STRING ? v->text : NULL;
}

double jr_json_double(const struct jr_json *v)
{
	double out;
	if (!v || v->kind != JR_JSON_NUMBER || !jr_parse_double(v->text, strlen(v->text), &out))
		return NAN;
	return isfinite(out) ? out : NAN;
}

/* Read the digits of "-12.345" shifted left by `decimals`. False if digits remain or the number is
 * too long. */
static bool exact_integer(const char *s, unsigned decimals, int64_t *out)
{
	bool negative = *s == '-';
	int64_t value = 0;
	unsigned behind = 0;
	bool point = false;
	for (s += negative; *s; s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		if (!jr_is_digit(*s) || (point && behind == decimals))
			return false;
		behind += point;
		if (__builtin_mul_overflow(value, 10, &value) ||
			__builtin_add_overflow(value, *s - '0', &value))
			return false;
	}
	for (; behind < decimals; behind++)
		if (__builtin_mul_overflow(value, 10, &value))
			return false;
	*out = negative ? -value : value;
	return true;
}

bool jr_json_integer(const struct jr_json *v, unsigned decimals, int64_t *out)
{
	if (!v || v->kind != JR_JSON_NUMBER)
		return false;
	if (exact_integer(v->text, decimals, out))
		return true;
	double scaled = round(jr_json_double(v) * pow(10, decimals));
	if (!(fabs(scaled) < 9.2e18))
		return false;
	*out = (int64_t)scaled;
	return true;
}
