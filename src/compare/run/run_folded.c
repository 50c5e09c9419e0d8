/* Read folded stacks from data/NAME.folded of an earlier report. */
#include <inttypes.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "compare/run/run.h"

enum jr_status jr_run_stack_take(const char *frames, size_t n, double ns,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_run_stack *out)
{
	size_t depth = 1;
	if (!n || !(ns >= 0 && ns < 1e18))
		return JR_EFORMAT;
	for (size_t i = 0; i < n; i++)
		depth += frames[i] == ';';
	if (depth > limits->depth)
		return JR_ELIMIT;
	JR_CLEANUP(jr_buf_done) struct jr_buf clean = {0};
	jr_text_clean(&clean, frames, n);
	*out = (struct jr_run_stack){jr_arena_strndup(arena, clean.data, clean.size), ns};
	return JR_OK;
}

/* Start of the number in a line of `n` bytes. */
static size_t number_at(const char *line, size_t n)
{
	while (n && line[n - 1] != ' ')
		n--;
	return n;
}

/* Read "a;b;c 12500000": frames and a time. On failure the caller writes the message. */
static enum jr_status read_stack(const char *line, size_t n, double unit_ns,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_run_stack *out)
{
	size_t at = number_at(line, n);
	double v;
	if (at < 2 || !jr_parse_double(line + at, n - at, &v))
		return JR_EFORMAT;
	return jr_run_stack_take(line, at - 1, v * unit_ns, limits, arena, out);
}

/* Return the line at *at and move there to the next. Editors on Windows end lines with CRLF. */
static struct jr_bytes next_line(const char **at, const char *end)
{
	const char *line = *at, *newline = memchr(line, '\n', (size_t)(end - line));
	size_t n = (size_t)((newline ? newline : end) - line);
	*at += n + (newline != NULL);
	return (struct jr_bytes){(const uint8_t *)line, n && line[n - 1] == '\r' ? n - 1 : n};
}

/* Times are whole ns. In earlier reports they are ms, of which some have decimals. */
static double unit_of(struct jr_bytes text)
{
	const char *at = (const char *)text.data, *end = at + text.size;
	while (at < end) {
		struct jr_bytes line = next_line(&at, end);
		for (size_t i = number_at((const char *)line.data, line.size); i < line.size; i++)
			if (line.data[i] < '0' || line.data[i] > '9')
				return 1e6;
	}
	return 1;
}

enum jr_status jr_run_stacks_read(struct jr_bytes text, const char *path,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_run_stacks *out,
	struct jr_error *err)
{
	size_t n_lines = 1, mark = jr_text_mark_bytes(text);
	text = jr_bytes_of(text.data + mark, text.size - mark);
	if (!text.size)
		return JR_OK;
	for (size_t i = 0; i < text.size; i++)
		n_lines += text.data[i] == '\n';
	if (n_lines > limits->rows)
		return jr_fail(
			err, JR_ELIMIT, "'%s': more than %" PRIu64 " lines (--max-rows)", path, limits->rows);
	JR_TRY_ARRAY(out->items, arena, n_lines, err);
	const char *at = (const char *)text.data, *end = at + text.size;
	double unit_ns = unit_of(text);
	for (size_t line = 1; at < end; line++) {
		struct jr_bytes stack = next_line(&at, end);
		enum jr_status status = JR_OK;
		if (stack.size)
			status = read_stack(
				(const char *)stack.data, stack.size, unit_ns, limits, arena, &out->items[out->n]);
		if (status == JR_ELIMIT)
			return jr_fail(err, status,
				"'%s': the stack in line %zu is deeper than %" PRIu64 " (--max-depth)", path, line,
				limits->depth);
		if (status != JR_OK)
			return jr_fail(err, status, "'%s': line %zu is not a folded stack", path, line);
		out->n += stack.size > 0;
	}
	return JR_OK;
}
