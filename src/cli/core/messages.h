/*
 * messages.h - everything that is printed on stderr: errors, warnings, progress, timings.
 * Layer: cli.  One line each; text of file names and inputs is made safe for a terminal.
 */
#ifndef JR_CLI_MESSAGES_H
#define JR_CLI_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum jr_verbosity { JR_QUIET = -1, JR_NORMAL, JR_VERBOSE };
enum jr_progress_mode { JR_PROGRESS_AUTO, JR_PROGRESS_ALWAYS, JR_PROGRESS_NEVER };

struct jr_messages {
	enum jr_verbosity verbosity;
	bool progress;                    /* progress is requested */
	bool redraw;                      /* on a terminal: one line that is redrawn */
	bool drawn;                       /* a progress line is on the screen */
	int64_t begun_ns, drawn_ns;       /* monotonic */
	const char *stage;                /* current stage; NULL = none */
	uint64_t done_bytes, total_bytes; /* of the stage; total 0 = unknown */
};

void jr_messages_init(
	struct jr_messages *msg, enum jr_verbosity verbosity, enum jr_progress_mode progress);

/** Print "jaxreport: KIND TEXT" if the verbosity is at least `least`. */
void jr_say(struct jr_messages *msg, enum jr_verbosity least, const char *kind, const char *fmt,
	...) JR_PRINTF(4, 5);
#define jr_say_error(msg, ...) jr_say((msg), JR_QUIET, "", __VA_ARGS__)
#define jr_say_warning(msg, ...) jr_say((msg), JR_NORMAL, "warning: ", __VA_ARGS__)
#define jr_say_note(msg, ...) jr_say((msg), JR_NORMAL, "", __VA_ARGS__)
#define jr_say_verbose(msg, ...) jr_say((msg), JR_VERBOSE, "", __VA_ARGS__)

/**
 * Note the progress of a stage. A terminal shows one line that is redrawn at most ten times per
 * second. Other outputs get one line when a stage ends, so that logs stay short and the same every
 * time.
 *
 * @param stage  static text
 */
void jr_say_progress(
	struct jr_messages *msg, const char *stage, uint64_t done_bytes, uint64_t total_bytes);
/** Do the same as the callback of a struct jr_progress, whose context is the messages. */
void jr_on_progress(void *context, const char *stage, uint64_t done_bytes, uint64_t total_bytes);
/** End the current stage and erase the progress line. */
void jr_say_progress_end(struct jr_messages *msg);

/** Return seconds since 1970, to record when a run was made. Not for reports. */
int64_t jr_clock_wall_s(void);
/** Return the monotonic clock, ns. It never reaches a report. */
int64_t jr_clock_ns(void);

#endif
