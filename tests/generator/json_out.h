/*
 * json_out.h - write JSON for the truth file: nesting, commas, escapes.
 */
#ifndef GEN_JSON_OUT_H
#define GEN_JSON_OUT_H

#include <stdbool.h>

#include "base/buf.h"

struct gen_json {
	struct jr_buf out;
	int depth;
	bool some[16]; /* the open container is not empty */
};

/** Open or write a member; `key` NULL: an element of an array. */
void gen_json_open(struct gen_json *j, const char *key, char bracket);
void gen_json_close(struct gen_json *j, char bracket);
void gen_json_text(struct gen_json *j, const char *key, const char *value);
void gen_json_null(struct gen_json *j, const char *key);
void gen_json_i64(struct gen_json *j, const char *key, int64_t value);
void gen_json_bool(struct gen_json *j, const char *key, bool value);
/** Write a number; NaN becomes null. */
void gen_json_f64(struct gen_json *j, const char *key, double value);
/** Write whole ns as ms. */
void gen_json_ms(struct gen_json *j, const char *key, int64_t ns);

#endif
