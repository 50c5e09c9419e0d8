/*
 * messages.h - everything that is said on stderr: errors, warnings, progress, timings.
 * Layer: cli.  One line each, made safe for a terminal whatever a file name or an input holds.
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
	bool progress;                    /* wanted at all */
	bool redraw;                      /* on a terminal: one line, drawn again and again */
	bool drawn;                       /* a progress line is on the screen */
	int64_t begun_ns, drawn_ns;       /* monotonic */
	const char *stage;                /* the one in progress; NULL = none */
	uint64_t done_bytes, total_bytes; /* of it; total 0 = unknown */
};

void jr_messages_init(
	struct jr_messages *msg, enum jr_verbosity verbosity, enum jr_progress_mode progress);

/** "jaxreport: TEXT", in any case. */
void jr_say_error(struct jr_messages *msg, const char *fmt, ...) JR_PRINTF(2, 3);
/** "jaxreport: warning: TEXT", not with -q. */
void jr_say_warning(struct jr_messages *msg, const char *fmt, ...) JR_PRINTF(2, 3);
/** "jaxreport: TEXT", not with -q. */
void jr_say_note(struct jr_messages *msg, const char *fmt, ...) JR_PRINTF(2, 3);
/** "jaxreport: TEXT", with -v only. */
void jr_say_verbose(struct jr_messages *msg, const char *fmt, ...) JR_PRINTF(2, 3);

/**
 * Note how far a stage has come. A terminal sees one line that is drawn at most ten times a second;
 * anything else gets one line when a stage ends, so that logs stay short and the same every time.
 *
 * @param stage  static text
 */
void jr_say_progress(
	struct jr_messages *msg, const char *stage, uint64_t done_bytes, uint64_t total_bytes);
/** No stage is in progress any more; the progress line is taken off the screen. */
void jr_say_progress_end(struct jr_messages *msg);

/** Seconds since 1970, for what says when something was recorded; for no report. */
int64_t jr_clock_wall_s(void);
/** Monotonic clock, ns. Nothing of it ever reaches a report. */
int64_t jr_clock_ns(void);

#endif
