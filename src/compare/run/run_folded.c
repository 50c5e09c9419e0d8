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
	struct jr_buf clean = {0};
	jr_text_clean(&clean, frames, n);
	*out = (struct jr_run_stack){jr_arena_strndup(arena, clean.data, clean.size), ns};
	jr_buf_done(&clean);
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

/* Times are whole ns. In earlier reports they are ms, of which some have decimals. */
static double unit_of(struct jr_bytes text)
{
	const char *at = (const char *)text.data, *end = at + text.size;
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t n = newline ? (size_t)(newline - at) : (size_t)(end - at);
		for (size_t i = number_at(at, n); i < n; i++)
			if (at[i] < '0' || at[i] > '9')
				return 1e6;
		at += n + (newline != NULL);
	}
	return 1;
}

enum jr_status jr_run_stacks_read(struct jr_bytes text, const char *path,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_run_stacks *out,
	struct jr_error *err)
{
	size_t n_lines = 1;
	if (!text.size)
		return JR_OK;
	for (size_t i = 0; i < text.size; i++)
		n_lines += text.data[i] == '\n';
	if (n_lines > limits->rows)
		return jr_fail(
			err, JR_ELIMIT, "'%s': more than %" PRIu64 " lines (--max-rows)", path, limits->rows);
	out->items = jr_arena_array(arena, n_lines, sizeof(*out->items), err);
	if (!out->items)
		return JR_ELIMIT;
	const char *at = (const char *)text.data, *end = at + text.size;
	double unit_ns = unit_of(text);
	for (size_t line = 1; at < end; line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		size_t n = newline ? (size_t)(newline - at) : (size_t)(end - at);
		enum jr_status status =
			n ? read_stack(at, n, unit_ns, limits, arena, &out->items[out->n]) : JR_OK;
		if (status == JR_ELIMIT)
			return jr_fail(err, status,
				"'%s': the stack in line %zu is deeper than %" PRIu64 " (--max-depth)", path, line,
				limits->depth);
		if (status != JR_OK)
			return jr_fail(err, status, "'%s': line %zu is not a folded stack", path, line);
		out->n += n > 0;
		at += n + (newline != NULL);
	}
	return JR_OK;
}
