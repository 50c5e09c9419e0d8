/* Encodings of MIME: RFC 2045 (bodies), RFC 2047 (headers). */
#include <assert.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/text.h"
#include "report/mail/mail.h"

#define LINE 76
#define MOST ((size_t)LINE / 4 * 3) /* bytes in a line of base64 */
#define WORD_BEGIN "=?UTF-8?B?"
#define WORD_END "?="

static bool is_plain(uint8_t c)
{
	return c >= 0x20 && c <= 0x7e && c != '=';
}

void jr_mime_quoted(struct jr_buf *out, struct jr_bytes in)
{
	size_t column = 0;
	for (size_t i = 0; i < in.size; i++) {
		uint8_t c = in.data[i];
		bool last = i + 1 == in.size || in.data[i + 1] == '\n';
		if (c == '\n') {
			jr_buf_putc(out, '\n');
			column = 0;
			continue;
		}
		bool plain = is_plain(c) && !(c == ' ' && last) && !(!column && (c == 'F' || c == '.'));
		size_t n = plain ? 1 : 3;
		if (column + n > LINE - 1) {
			jr_buf_puts(out, "=\n");
			column = 0;
			plain = plain && c != 'F' && c != '.';
			n = plain ? 1 : 3;
		}
		if (plain)
			jr_buf_putc(out, (char)c);
		else
			jr_buf_printf(out, "=%02X", c);
		column += n;
	}
	if (column)
		jr_buf_putc(out, '\n');
}

/* At most one line. */
static void put_base64(struct jr_buf *out, const uint8_t *s, size_t n)
{
	unsigned char text[LINE + 1];
	assert(n <= MOST);
	int size = EVP_EncodeBlock(text, s, (int)n);
	jr_buf_add(out, text, (size_t)size);
}

void jr_mime_base64(struct jr_buf *out, struct jr_bytes in)
{
	jr_buf_reserve(out, in.size / 3 * 4 + in.size / 57 + 8);
	for (size_t i = 0; i < in.size; i += MOST) {
		size_t n = in.size - i < MOST ? in.size - i : MOST;
		put_base64(out, in.data + i, n);
		jr_buf_putc(out, '\n');
	}
}

/* Whether a text may be a header unchanged: no line is long, and nothing looks like an encoded
 * word. */
static bool may_stand(const char *text, size_t room)
{
	for (const char *s = text; *s; s++)
		if (*s < 0x20 || *s > 0x7e)
			return false;
	return strlen(text) <= room && !strstr(text, "=?");
}

/* Bytes of whole characters that fit in an encoded word from `column` to the end of a line. */
static size_t word_bytes(const char *text, size_t left, size_t column)
{
	size_t most = (LINE - column - strlen(WORD_BEGIN WORD_END)) / 4 * 3, n = 0;
	while (n < left) {
		int code;
		size_t step = jr_text_decode(text + n, left - n, &code);
		if (n + step > most)
			break;
		n += step;
	}
	return n;
}

void jr_mime_header(struct jr_buf *out, const char *name, const char *text)
{
	assert(strlen(name) <= JR_MIME_NAME_MAX);
	jr_buf_printf(out, "%s: ", name);
	if (may_stand(text, LINE - 2 - strlen(name))) {
		jr_buf_printf(out, "%s\n", text);
		return;
	}
	size_t column = strlen(name) + 2;
	for (size_t left = strlen(text); left; column = 1) {
		size_t n = word_bytes(text, left, column);
		jr_buf_puts(out, WORD_BEGIN);
		put_base64(out, (const uint8_t *)text, n);
		text += n;
		left -= n;
		jr_buf_puts(out, left ? WORD_END "\n " : WORD_END);
	}
	jr_buf_putc(out, '\n');
}
