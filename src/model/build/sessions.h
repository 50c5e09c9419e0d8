/*
 * sessions.h - which process, session of the profiler, and GPU the rows of a source are of, and
 * when each session was.
 * Layer: model, private to loading.  Rules: formats/README.md, section 10.
 */
#ifndef JR_MODEL_SESSIONS_H
#define JR_MODEL_SESSIONS_H

#include "model/build/build.h"
#include "model/sources/source.h"

/**
 * Begin the rows of a source, whose process is the row of profile->processes that was added last.
 * Sets first_session: of an earlier source where that has the same host and process id, no other
 * GPU, and another time, by its start, or else by its number in a series of names (report.1,
 * report.2).
 *
 * @param stem  name of the input without its ending
 * @note O(sessions of that process)
 */
void jr_session_begin(struct jr_build *build, const struct jr_source *source, const char *stem);
/** End them: all rows since jr_session_begin() are of it. */
void jr_session_end(struct jr_build *build);

/**
 * The device of an earlier source that is the same GPU: of its UUID; else at its bus address on the
 * same host; else, where the process was profiled before, of the same id.
 *
 * @param process  row of the process that the device would be of
 * @return row of build->devices; JR_NONE: it is a new one, or when it ran what cannot be compared
 */
uint32_t jr_session_device(
	struct jr_build *build, uint32_t process, const struct jr_device *device);
/** The first device of the process in an earlier session; JR_NONE: there was none. */
uint32_t jr_session_first_device(const struct jr_build *build, uint32_t process);

/**
 * Put all sessions on one clock, before rows are sorted: those whose start is known where they
 * were, those of one process one behind the other, without the time that was not profiled.
 * O(rows log rows) where there are several sessions.
 */
void jr_sessions_place(struct jr_build *build);

/** Find inputs that run other programs than the first one that runs any; warn of the first such
 * pair. Once, when all are read. O(rows + inputs * programs). */
void jr_sessions_tell_jobs(struct jr_build *build);

#endif
