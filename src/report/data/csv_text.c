#include "report/data/csv_text.h"

#include <string.h>

#include "base/cleanup.h"

static void put_field(struct jr_buf *out, const char *s, size_t n)
{
	bool plain = strcspn(s, "\",\n\r") >= n;
	if (plain && !(n && (s[0] == ' ' || s[n - 1] == ' '))) {
		jr_buf_add(out, s, n);
		return;
	}
	jr_buf_putc(out, '"');
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"')
			jr_buf_putc(out, '"');
		jr_buf_putc(out, s[i]);
	}
	jr_buf_putc(out, '"');
}

void jr_csv_text(struct jr_buf *out, const char *s, bool raw)
{
	bool formula = s[0] && strchr("=+-@\t\r\n", s[0]);
	bool number = formula && strchr("+-", s[0]) && s[1] && !s[1 + strspn(s + 1, "0123456789.")];
	if (raw || !formula || number) {
		put_field(out, s, strlen(s));
		return;
	}
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_putc(&text, '\'');
	jr_buf_puts(&text, s);
	put_field(out, text.data, text.size);
}
