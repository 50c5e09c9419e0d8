/* The JSON reader: valid text is read exactly, invalid text is refused at the place of the
 * error. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "formats/text/json_parse.h"
#include "formats/text/json_pull.h"

static struct jr_json_doc parse(const char *text)
{
	struct jr_json_doc doc;
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	if (jr_json_parse(jr_bytes_of(text, strlen(text)), &limits, &doc, &err) != JR_OK)
		fail_msg("%s: %s", text, err.message);
	return doc;
}

static void refuse_bytes(const char *text, size_t n, enum jr_status status, const char *message)
{
	struct jr_json_doc doc;
	struct jr_limits limits = jr_limits_default();
	limits.depth = 20;
	limits.string_bytes = 30;
	struct jr_error err = {.message = ""};
	assert_int_equal(jr_json_parse(jr_bytes_of(text, n), &limits, &doc, &err), status);
	assert_string_equal(err.message, message);
	assert_null(doc.root);
	jr_json_done(&doc);
}

static void refuse(const char *text, const char *message)
{
	refuse_bytes(text, strlen(text), JR_EFORMAT, message);
}

static UNIT(reads_values)
{
	struct jr_json_doc doc = parse(" {\"a\": [1, -2.5e3, true, false, null, \"x\", {}, []],\n"
								   "\"b\":{\"c\":{\"d\":\"deep\"}}, \"a\": 7}\t");
	const struct jr_json *a = jr_json_member(doc.root, "a");
	assert_int_equal(a->kind, JR_JSON_ARRAY);
	assert_int_equal(a->n, 8);
	static const enum jr_json_kind kinds[] = {JR_JSON_NUMBER, JR_JSON_NUMBER, JR_JSON_TRUE,
		JR_JSON_FALSE, JR_JSON_NULL, JR_JSON_STRING, JR_JSON_OBJECT, JR_JSON_ARRAY};
	const struct jr_json *v = a->first;
	for (size_t i = 0; i < JR_COUNT_OF(kinds); i++, v = v->next) {
		assert_int_equal(v->kind, kinds[i]);
		assert_null(v->key);
	}
	assert_null(v);
	assert_true(jr_json_double(a->first->next) == -2500);
	assert_string_equal(jr_json_string(jr_json_at(doc.root, "b.c.d")), "deep");
	assert_null(jr_json_at(doc.root, "b.c.e"));
	assert_null(jr_json_at(doc.root, "a.b"));
	assert_null(jr_json_string(jr_json_at(doc.root, "b")));
	assert_null(jr_json_member(NULL, "a"));
	assert_int_equal(doc.root->n, 3);
	jr_json_done(&doc);
}

static void reads_as_text(const char *json, const char *text)
{
	struct jr_json_doc doc = parse(json);
	assert_string_equal(jr_json_string(doc.root), text);
	jr_json_done(&doc);
}

static UNIT(reads_strings)
{
	reads_as_text("\"\"", "");
	reads_as_text("\"\\\"\\\\\\/\"", "\"\\/");
	reads_as_text("\"\\u00b5s \\u20AC\"", "µs €");
	reads_as_text("\"\\ud83d\\ude00\"", "😀");
	/* cleaned: controls are made visible, half surrogates and invalid bytes replaced */
	reads_as_text("\"a\\nb\\u0000\"", "a␊b␀");
	reads_as_text("\"\\ud83dx\"", "\uFFFD\uFFFD\uFFFDx");
	reads_as_text("\"\\ud83d\\u0041\"", "\uFFFD\uFFFD\uFFFDA");
	reads_as_text("\"\xFF\"", "\uFFFD");
}

static void expect_integer(const char *json, unsigned decimals, int64_t expected)
{
	struct jr_json_doc doc = parse(json);
	int64_t v = 0;
	assert_true(jr_json_integer(doc.root, decimals, &v));
	assert_int_equal(v, expected);
	jr_json_done(&doc);
}

static UNIT(integers_are_exact)
{
	expect_integer("381.63601", 6, 381636010);
	expect_integer("-0.000001", 6, -1);
	expect_integer("0", 6, 0);
	/* beyond the precision of a double */
	expect_integer("9007199254740.993001", 6, 9007199254740993001);
	expect_integer("9223372036854775807", 0, INT64_MAX);
	expect_integer("1e3", 6, 1000000000);
	expect_integer("0.12345678", 6, 123457);
	struct jr_json_doc doc = parse("[1e300, \"5\", 99999999999999999999]");
	int64_t v;
	for (const struct jr_json *m = doc.root->first; m; m = m->next)
		assert_false(jr_json_integer(m, 0, &v));
	assert_true(isnan(jr_json_double(doc.root)));
	jr_json_done(&doc);
	doc = parse("1e999");
	assert_true(isnan(jr_json_double(doc.root)));
	jr_json_done(&doc);
}

static UNIT(refuses_what_is_wrong)
{
	refuse("", "JSON: end of file where a value should be at offset 0");
	refuse("  ", "JSON: end of file where a value should be at offset 2");
	refuse("nul", "JSON: no value at offset 0");
	refuse("[1,]", "JSON: no value at offset 3");
	refuse("[1 2]", "JSON: a comma or the end of the list is missing at offset 3");
	refuse("[", "JSON: end of file where a value should be at offset 1");
	refuse("[1", "JSON: a comma or the end of the list is missing at offset 2");
	refuse("{\"a\" 1}", "JSON: a colon is missing at offset 5");
	refuse("{\"a\":1,}", "JSON: a key is missing at offset 7");
	refuse("{1:2}", "JSON: a key is missing at offset 1");
	refuse("{} {}", "JSON: extra data after the value at offset 3");
	refuse("01", "JSON: extra data after the value at offset 1");
	refuse("1.", "JSON: a digit is missing at offset 2");
	refuse("-", "JSON: a digit is missing at offset 1");
	refuse("1e+", "JSON: a digit is missing at offset 3");
	refuse(".5", "JSON: no value at offset 0");
	refuse("NaN", "JSON: no value at offset 0");
	refuse("\"abc", "JSON: end of file inside a string at offset 4");
	refuse("\"a\nb\"", "JSON: control byte in a string at offset 2");
	refuse("\"\\x\"", "JSON: unknown escape at offset 2");
	refuse("\"\\u12g4\"", "JSON: \\u without four hexadecimal digits at offset 3");
	refuse("\"\\ud800\\u\"", "JSON: \\u without four hexadecimal digits at offset 9");
	refuse("\xEF\xBB{}", "JSON: no value at offset 0");
	refuse("{}\xEF\xBB\xBF", "JSON: extra data after the value at offset 2");
	refuse_bytes("[\0]", 3, JR_EFORMAT, "JSON: no value at offset 1");
	refuse_bytes("\"a\0b\"", 5, JR_EFORMAT, "JSON: control byte in a string at offset 2");
}

/* A text that is read byte by byte, with a failure at byte `fails_at`. */
struct dripping {
	const char *text;
	size_t at, size, fails_at;
};

static enum jr_status drip(void *context, struct jr_bytes *out, struct jr_error *err)
{
	struct dripping *d = context;
	if (d->at == d->fails_at)
		return jr_fail(err, JR_EIO, "no more");
	*out = jr_bytes_of(d->text + d->at, d->at < d->size);
	d->at++;
	return JR_OK;
}

static enum jr_status pull_all(struct jr_json_pull *p, struct jr_buf *seen, struct jr_error *err)
{
	enum jr_json_token token;
	for (;;) {
		JR_TRY(jr_json_pull_next(p, &token, err));
		if (token == JR_JSON_TOKEN_END)
			return JR_OK;
		bool has_text = token == JR_JSON_TOKEN_KEY || token == JR_JSON_TOKEN_STRING ||
						token == JR_JSON_TOKEN_NUMBER;
		jr_buf_printf(seen, "%d", (int)token);
		if (has_text)
			jr_buf_add(seen, p->text.data ? p->text.data : "", p->text.size);
	}
}

static UNIT(pieces_are_one_text)
{
	static const char *const texts[] = {"{\"a\": [1, -2.5e3, true, false, null, \"\", {}, []]}",
		"\xEF\xBB\xBF {\"a\": 1}", "\xEF\xBB{}",
		"{\"b\\n\":\"\\ud83d\\ude00\\u00e4\"}  ", "\"\\ud800\\ud83d\\ude00 \\ud800\\n\\ud800\"",
		"[1, nul]", "{\"a\": \"\\u12", "[1 2]", "12x"};
	struct jr_limits limits = jr_limits_default();
	for (size_t i = 0; i < JR_COUNT_OF(texts); i++) {
		struct jr_error errors[2] = {{.message = ""}, {.message = ""}};
		struct jr_buf seen[2] = {{0}, {0}};
		size_t n = strlen(texts[i]);
		struct dripping d = {texts[i], 0, n, SIZE_MAX};
		struct jr_json_pull whole = jr_json_pull_of(jr_bytes_of(texts[i], n), NULL, NULL, &limits);
		struct jr_json_pull bytes = jr_json_pull_of((struct jr_bytes){0}, drip, &d, &limits);
		assert_int_equal(
			pull_all(&whole, &seen[0], &errors[0]), pull_all(&bytes, &seen[1], &errors[1]));
		assert_string_equal(errors[0].message, errors[1].message);
		assert_true(jr_bytes_eq(jr_buf_view(&seen[0]), jr_buf_view(&seen[1])));
		jr_json_pull_done(&whole);
		jr_json_pull_done(&bytes);
		for (size_t at = 0; at < n; at++) { /* the reason why reading ends is reported */
			d = (struct dripping){texts[i], 0, n, at};
			struct jr_json_pull cut = jr_json_pull_of((struct jr_bytes){0}, drip, &d, &limits);
			enum jr_status status = pull_all(&cut, &seen[1], &errors[1]);
			if (status != JR_EFORMAT || errors[0].status != JR_EFORMAT) {
				assert_int_equal(status, JR_EIO);
				assert_string_equal(errors[1].message, "no more");
			}
			jr_json_pull_done(&cut);
		}
		jr_buf_done(&seen[0]);
		jr_buf_done(&seen[1]);
	}
}

static UNIT(limits_hold)
{
	char deep[41];
	memset(deep, '[', 21);
	memset(deep + 21, ']', 19);
	refuse_bytes(deep, 40, JR_ELIMIT, "JSON: nested more than 20 deep at offset 21 (--max-depth)");
	refuse_bytes("\"0123456789012345678901234567890123456789\"", 42, JR_ELIMIT,
		"JSON: string of more than 30 bytes at offset 1 (--max-string-bytes)");
	struct jr_json_doc doc;
	struct jr_limits limits = jr_limits_default();
	limits.memory_bytes = 1 << 20;
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_putc(&text, '[');
	for (int i = 0; i < 100000; i++)
		jr_buf_puts(&text, "0,");
	jr_buf_puts(&text, "0]");
	struct jr_error err = {.message = ""};
	assert_int_equal(jr_json_parse(jr_buf_view(&text), &limits, &doc, &err), JR_ELIMIT);
	assert_non_null(strstr(err.message, "--max-memory"));
	jr_json_done(&doc);
	assert_int_equal(jr_json_parse(jr_buf_view(&text), &limits, &doc, NULL), JR_ELIMIT);
	jr_json_done(&doc);
}

/* Every prefix of a valid text is refused, and none is read beyond its end. */
static UNIT(every_beginning)
{
	static const char text[] =
		"{\"a\":[1.5e-3,true,\"\\u20ac\\ud83d\\ude00\\n\",{\"b\":null}],\"c\":-0.25}";
	struct jr_limits limits = jr_limits_default();
	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		char *exact = malloc(n + 1);
		memcpy(exact, text, n);
		struct jr_json_doc doc;
		assert_int_equal(jr_json_parse(jr_bytes_of(exact, n), &limits, &doc, NULL), JR_EFORMAT);
		jr_json_done(&doc);
		free(exact);
	}
}
