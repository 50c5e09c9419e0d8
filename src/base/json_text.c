#include "base/json_text.h"

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
