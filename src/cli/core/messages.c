#include "cli/core/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/text.h"

#define PREFIX "jaxreport: "
#define REDRAW_NS INT64_C(100000000)
#define BAR_WIDTH 24

int64_t jr_clock_wall_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec;
}

int64_t jr_clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void jr_messages_init(
	struct jr_messages *msg, enum jr_verbosity verbosity, enum jr_progress_mode progress)
{
	bool terminal = isatty(STDERR_FILENO) == 1;
	const char *kind = getenv("TERM");
	*msg = (struct jr_messages){
		.verbosity = verbosity,
		.progress = progress == JR_PROGRESS_ALWAYS ||
					(progress == JR_PROGRESS_AUTO && terminal && verbosity != JR_QUIET),
		.redraw = terminal && kind && strcmp(kind, "dumb") != 0,
		.begun_ns = jr_clock_ns(),
	};
}

/* One write() per line, so that lines of several programs on one terminal do not mix. */
static void put(const struct jr_buf *line)
{
	for (size_t done = 0; done < line->size;) {
		ssize_t n = write(STDERR_FILENO, line->data + done, line->size - done);
		if (n <= 0)
			return; /* nobody can read it any more */
		done += (size_t)n;
	}
}

static void erase(struct jr_messages *msg, struct jr_buf *line)
{
	if (msg->drawn)
		jr_buf_puts(line, "\r\033[K");
	msg->drawn = false;
}

void jr_say(
	struct jr_messages *msg, enum jr_verbosity least, const char *kind, const char *fmt, ...)
{
	char text[2048];
	if (msg->verbosity < least)
		return;
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	JR_CLEANUP(jr_buf_done) struct jr_buf line = {0};
	erase(msg, &line);
	jr_buf_puts(&line, PREFIX);
	jr_buf_puts(&line, kind);
	jr_text_clean(&line, text, strlen(text));
	jr_buf_putc(&line, '\n');
	put(&line);
}

/* "12.3 MB", "12.3 MB of 30.1 MB" or nothing */
static void add_bytes(struct jr_buf *line, uint64_t done, uint64_t total)
{
	char text[JR_NUM_MAX];
	if (done == 0 && total == 0)
		return;
	jr_num_bytes(text, (double)done);
	jr_buf_printf(line, "  %s", text);
	if (total > done) {
		jr_num_bytes(text, (double)total);
		jr_buf_printf(line, " of %s", text);
	}
}

static void draw(struct jr_messages *msg)
{
	struct jr_buf line = {0};
	jr_buf_puts(&line, "\r\033[K" PREFIX);
	jr_buf_puts(&line, msg->stage);
	if (msg->total_bytes) {
		uint64_t done = msg->done_bytes < msg->total_bytes ? msg->done_bytes : msg->total_bytes;
		size_t filled = (size_t)((double)done / (double)msg->total_bytes * BAR_WIDTH);
		jr_buf_puts(&line, "  [");
		jr_buf_repeat(&line, '#', filled);
		jr_buf_repeat(&line, '.', BAR_WIDTH - filled);
		jr_buf_putc(&line, ']');
	}
	add_bytes(&line, msg->done_bytes, msg->total_bytes);
	put(&line);
	jr_buf_done(&line);
	msg->drawn = true;
}

static void finish_stage(struct jr_messages *msg)
{
	struct jr_buf line = {0};
	if (msg->redraw) {
		erase(msg, &line);
	} else {
		jr_buf_printf(&line, PREFIX "%s", msg->stage);
		add_bytes(&line, msg->done_bytes, 0);
		jr_buf_putc(&line, '\n');
	}
	put(&line);
	jr_buf_done(&line);
	msg->stage = NULL;
}

void jr_say_progress(
	struct jr_messages *msg, const char *stage, uint64_t done_bytes, uint64_t total_bytes)
{
	if (!msg->progress)
		return;
	bool fresh = !msg->stage || strcmp(msg->stage, stage) != 0;
	if (fresh && msg->stage)
		finish_stage(msg);
	msg->stage = stage;
	msg->done_bytes = done_bytes;
	msg->total_bytes = total_bytes;
	int64_t now = jr_clock_ns();
	if (!msg->redraw || (!fresh && now - msg->drawn_ns < REDRAW_NS))
		return;
	msg->drawn_ns = now;
	draw(msg);
}

void jr_on_progress(void *context, const char *stage, uint64_t done_bytes, uint64_t total_bytes)
{
	jr_say_progress(context, stage, done_bytes, total_bytes);
}

void jr_say_progress_end(struct jr_messages *msg)
{
	if (msg->stage)
		finish_stage(msg);
}
