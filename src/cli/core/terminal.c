#include "cli/core/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"

static bool is_set(const char *value)
{
	return value && *value;
}

static size_t columns_wanted(bool terminal)
{
	const char *text = getenv("COLUMNS");
	int64_t columns;
	if (is_set(text) && jr_parse_i64(text, strlen(text), &columns) && columns > 0)
		return columns < JR_TEXT_WIDTH_MAX ? (size_t)columns : JR_TEXT_WIDTH_MAX;
	struct winsize size;
	if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		return size.ws_col;
	return jr_text_plain.width;
}

struct jr_text_style jr_terminal_style(void)
{
	bool terminal = isatty(STDOUT_FILENO) == 1;
	const char *kind = getenv("TERM");
	size_t width = columns_wanted(terminal);
	width = width < JR_TEXT_WIDTH_MIN ? JR_TEXT_WIDTH_MIN : width;
	return (struct jr_text_style){
		.width = width > JR_TEXT_WIDTH_MAX ? JR_TEXT_WIDTH_MAX : width,
		.color =
			terminal && is_set(kind) && strcmp(kind, "dumb") != 0 && !is_set(getenv("NO_COLOR")),
	};
}

void jr_terminal_put_path(struct jr_buf *out, const char *path, size_t n)
{
	if (isatty(STDOUT_FILENO) == 1)
		jr_text_clean(out, path, n);
	else
		jr_buf_add(out, path, n);
}
