#include "json_out.h"

#include <assert.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"

/* Names as a report shows them, cleaned like the reader does (base/text.h). */
static void quoted(struct jr_buf *out, const char *s)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf clean = {0};
	jr_text_clean(&clean, s, strlen(s));
	jr_buf_putc(out, '"');
	for (size_t i = 0; i < clean.size; i++) {
		if (clean.data[i] == '"' || clean.data[i] == '\\')
			jr_buf_putc(out, '\\');
		jr_buf_putc(out, clean.data[i]);
	}
	jr_buf_putc(out, '"');
}

static void before(struct gen_json *j, const char *key)
{
	if (j->some[j->depth])
		jr_buf_putc(&j->out, ',');
	j->some[j->depth] = true;
	if (j->depth && j->depth < 3)
		jr_buf_putc(&j->out, '\n');
	if (key) {
		quoted(&j->out, key);
		jr_buf_puts(&j->out, ": ");
	}
}

void gen_json_open(struct gen_json *j, const char *key, char bracket)
{
	before(j, key);
	jr_buf_putc(&j->out, bracket);
	j->depth++;
	assert(j->depth < 16);
	j->some[j->depth] = false;
}

void gen_json_close(struct gen_json *j, char bracket)
{
	j->depth--;
	jr_buf_putc(&j->out, bracket);
	if (j->depth == 0)
		jr_buf_putc(&j->out, '\n');
}

void gen_json_text(struct gen_json *j, const char *key, const char *value)
{
	before(j, key);
	quoted(&j->out, value);
}

void gen_json_null(struct gen_json *j, const char *key)
{
	before(j, key);
	jr_buf_puts(&j->out, "null");
}

void gen_json_i64(struct gen_json *j, const char *key, int64_t value)
{
	before(j, key);
	jr_buf_printf(&j->out, "%lld", (long long)value);
}

void gen_json_bool(struct gen_json *j, const char *key, bool value)
{
	before(j, key);
	jr_buf_puts(&j->out, value ? "true" : "false");
}

void gen_json_f64(struct gen_json *j, const char *key, double value)
{
	char text[JR_NUM_MAX];
	before(j, key);
	jr_num_double(text, value);
	jr_buf_puts(&j->out, text);
}

void gen_json_ms(struct gen_json *j, const char *key, int64_t ns)
{
	char text[JR_NUM_MAX];
	before(j, key);
	jr_num_decimal(text, ns, 6);
	jr_buf_puts(&j->out, text);
}
