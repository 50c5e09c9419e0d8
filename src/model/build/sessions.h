/*
 * sessions.h - assigns the rows of a source to a process, profiler session and GPU, and orders
 * sessions in time.
 * Layer: model, private to loading.  Rules: formats/README.md, section 10.
 */
#ifndef JR_MODEL_SESSIONS_H
#define JR_MODEL_SESSIONS_H

#include "model/build/build.h"
#include "model/sources/source.h"

/**
 * Begin the rows of a source. Its process is the last row of profile->processes. Sets first_session
 * to an earlier source that has the same host and process id, does not have other GPUs, and was
 * recorded at another time. The time is the start, or else the number in a series of names
 * (report.1, report.2).
 *
 * @param stem  name of the input without its ending
 * @note O(sessions of that process)
 */
void jr_session_begin(struct jr_build *build, const struct jr_source *source, const char *stem);
/** Set what tells that source from others: its name for messages (copied), and XLA's number of its
 * process (JR_NONE = unknown). */
void jr_session_identify(struct jr_build *build, const char *label, uint32_t number);
/** End the rows of the source that jr_session_begin() began. */
void jr_session_end(struct jr_build *build);

/**
 * Find the device of an earlier source that is the same GPU: by UUID, else by bus address on the
 * same host, else by id if the process was profiled before.
 *
 * @param process  row of the process that would own the device
 * @return row of build->devices; JR_NONE: it is a new device, or the times of the two sources
 *         cannot be compared
 */
uint32_t jr_session_device(
	struct jr_build *build, uint32_t process, const struct jr_device *device);
/** Return the first device of the process in an earlier session; JR_NONE: there is none. */
uint32_t jr_session_first_device(const struct jr_build *build, uint32_t process);

/**
 * Put all sessions on one clock, before rows are sorted. Sessions with a known start keep their
 * times. Sessions of one process follow one another without the time that was not profiled. O(rows
 * log rows) if there are several sessions.
 */
void jr_sessions_place(struct jr_build *build);

#endif
