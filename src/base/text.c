#include "base/text.h"

#include <stdint.h>

size_t jr_text_decode(const char *s, size_t n, int *code)
{
	const unsigned char *p = (const unsigned char *)s;
	*code = -1;
	if (p[0] < 0x80) {
		*code = p[0];
		return 1;
	}
	int need = p[0] >= 0xF0 && p[0] <= 0xF4  ? 3
			   : p[0] >= 0xE0 && p[0] < 0xF0 ? 2
			   : p[0] >= 0xC2 && p[0] < 0xE0 ? 1
											 : 0;
	if (need == 0 || (size_t)need >= n)
		return 1;
	int value = p[0] & (0x3F >> need);
	for (int i = 1; i <= need; i++) {
		if ((p[i] & 0xC0) != 0x80)
			return 1;
		value = value << 6 | (p[i] & 0x3F);
	}
	static const int smallest[] = {0, 0x80, 0x800, 0x10000};
	if (value < smallest[need] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
		return 1;
	*code = value;
	return (size_t)need + 1;
}

/* Return the code point itself, or a visible replacement. */
static int visible(int code)
{
	if (code < 0)
		return 0xFFFD;
	if (code < 0x20)
		return 0x2400 + code;
	if (code == 0x7F)
		return 0x2421;
	bool bidi = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
				code == 0x200E || code == 0x200F || code == 0x061C;
	bool separator = code == 0x2028 || code == 0x2029 || code == 0xFEFF;
	bool noncharacter = (code & 0xFFFE) == 0xFFFE || (code >= 0xFDD0 && code <= 0xFDEF);
	if ((code >= 0x80 && code < 0xA0) || bidi || separator || noncharacter)
		return 0xFFFD;
	return code;
}

/* Return whether 8 bytes are printable ASCII, as nearly all texts are. Bytes above 0x7E set the top
 * bit of a byte in the word or in the sum, and the first one below 0x20 sets it in the difference.
 */
static bool are_printable(const char *s)
{
	const uint64_t each = UINT64_C(0x0101010101010101);
	uint64_t word;
	memcpy(&word, s, sizeof(word));
	return ((word | (word - 0x20 * each) | (word + each)) & (0x80 * each)) == 0;
}

bool jr_text_is_clean(const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		unsigned char c = (unsigned char)s[i];
		if (n - i >= 8 && are_printable(s + i)) {
			i += 8;
			continue;
		}
		if (c >= 0x20 && c < 0x7F) {
			i++;
			continue;
		}
		int code;
		size_t used = jr_text_decode(s + i, n - i, &code);
		if (visible(code) != code)
			return false;
		i += used;
	}
	return true;
}

static void put_utf8(struct jr_buf *out, int code)
{
	char b[4];
	size_t n;
	if (code < 0x80) {
		b[0] = (char)code;
		n = 1;
	} else if (code < 0x800) {
		b[0] = (char)(0xC0 | code >> 6);
		b[1] = (char)(0x80 | (code & 0x3F));
		n = 2;
	} else if (code < 0x10000) {
		b[0] = (char)(0xE0 | code >> 12);
		b[1] = (char)(0x80 | (code >> 6 & 0x3F));
		b[2] = (char)(0x80 | (code & 0x3F));
		n = 3;
	} else {
		b[0] = (char)(0xF0 | code >> 18);
		b[1] = (char)(0x80 | (code >> 12 & 0x3F));
		b[2] = (char)(0x80 | (code >> 6 & 0x3F));
		b[3] = (char)(0x80 | (code & 0x3F));
		n = 4;
	}
	jr_buf_add(out, b, n);
}

void jr_text_clean(struct jr_buf *out, const char *s, size_t n)
{
	if (jr_text_is_clean(s, n)) {
		jr_buf_add(out, s, n);
		return;
	}
	for (size_t i = 0; i < n;) {
		int code;
		i += jr_text_decode(s + i, n - i, &code);
		put_utf8(out, visible(code));
	}
}

size_t jr_text_width(const char *s, size_t n)
{
	size_t width = 0;
	for (size_t i = 0; i < n;) {
		int code = (unsigned char)s[i];
		if (code < 0x80) {
			width++;
			i++;
			continue;
		}
		i += jr_text_decode(s + i, n - i, &code);
		if ((code >= 0x300 && code <= 0x36F) || code == 0x200B || code == 0x200D)
			continue;
		bool wide = (code >= 0x1100 && code <= 0x115F) || (code >= 0x2E80 && code <= 0xA4CF) ||
					(code >= 0xAC00 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
					(code >= 0xFF00 && code <= 0xFF60) || (code >= 0x1F300 && code <= 0x1FAFF);
		width += wide ? 2 : 1;
	}
	return width;
}

/* Blocks of Unicode with right-to-left letters: Hebrew to Arabic Extended-A, presentation forms of
 * both, old scripts of the supplementary plane and Arabic mathematical letters. */
static bool is_rtl(int code)
{
	return (code >= 0x590 && code <= 0x8FF) || (code >= 0xFB1D && code <= 0xFDFF) ||
		   (code >= 0xFE70 && code <= 0xFEFE) || (code >= 0x10800 && code <= 0x10FFF) ||
		   (code >= 0x1E800 && code <= 0x1EFFF);
}

size_t jr_text_rtl_run(const char *s, size_t n)
{
	size_t end = 0;
	for (size_t i = 0; i < n;) {
		int code;
		i += jr_text_decode(s + i, n - i, &code);
		if (is_rtl(code))
			end = i;
		else if (!end || code <= 0 || code >= 0x80 || !strchr(" -_./", code))
			break;
	}
	return end;
}

/* Where the parameters of an op_name begin: "scatter-add[mode=clip]"; n: it has none. */
static size_t parameters_at(const char *s, size_t n)
{
	const char *open = memchr(s, '[', n);
	if (!open || open == s || s[n - 1] != ']' || !memchr(open, '=', n - (size_t)(open - s)))
		return n;
	return (size_t)(open - s);
}

bool jr_text_name_part(const char *s, size_t most, size_t *from, size_t *end)
{
	size_t n = strlen(s);
	*from = 0;
	*end = n;
	if (jr_text_width(s, n) <= most)
		return false;
	*end = parameters_at(s, n);
	size_t width = jr_text_width(s, *end), at = 0;
	if (width <= most)
		return true;
	if (memchr(s, ' ', *end)) /* a sentence or a row, not a name */
		return false;
	for (size_t i = 1; i + 1 < *end; i++) {
		if (s[i] != '/')
			continue;
		width -= jr_text_width(s + at, i - at);
		at = i;
		if (width + 1 <= most) {
			*from = i;
			return true;
		}
	}
	return false;
}

void jr_json_text(struct jr_buf *out, const char *text)
{
	jr_buf_putc(out, '"');
	const char *from = text;
	const char *s = text;
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c >= 0x20 && c != '"' && c != '\\' && c != '<' && c != 0x7f)
			continue;
		jr_buf_add(out, from, (size_t)(s - from));
		from = s + 1;
		if (c == '"' || c == '\\')
			jr_buf_printf(out, "\\%c", c);
		else if (c == '\n')
			jr_buf_puts(out, "\\n");
		else if (c == '\t')
			jr_buf_puts(out, "\\t");
		else
			jr_buf_printf(out, "\\u%04x", c);
	}
	jr_buf_add(out, from, (size_t)(s - from));
	jr_buf_putc(out, '"');
}
