/*
 * select.h - the steps of jr_profile_select().
 * Layer: model, private to select*.c.  Definitions: analysis/README.md, section 18.
 */
#ifndef JR_MODEL_SELECT_H
#define JR_MODEL_SELECT_H

#include "base/buf.h"
#include "model/profile/profile.h"

/* What a row is selected by. */
enum jr_criterion {
	JR_BY_DEVICES = 1,
	JR_BY_STEPS = 2,
	JR_BY_TIME = 4,
	JR_BY_RANGE = 8,
	JR_BY_PROGRAM = 16,
	JR_CRITERIA = 32,
};

/* Selected times; spans are sorted and disjoint, and lack before_ns. NULL: all times. */
struct jr_windows {
	struct jr_spans *devices;   /* [n_devices] on the device's own clock */
	struct jr_spans *processes; /* [n_processes] on the host's clock; sessions use the first's */
};

struct jr_selecting {
	struct jr_profile *p;
	const struct jr_selection *want;
	struct jr_arena *scratch;
	const char *input;  /* the input's name for messages: "'a.zip' and 3 more" */
	uint8_t *devices;   /* [n_devices] 1 = selected; the same for the next ones */
	uint8_t *processes; /* [n_processes] */
	uint8_t *programs;  /* [n_programs] */
	uint8_t *modules;   /* [modules.n] criteria (enum jr_criterion) that leave the row out */
	uint8_t *ops;       /* [gpu_ops.n] the same */
	uint32_t *within;   /* [gpu_ops.n] execution that the operation is in, JR_NONE; NULL: not
						   needed */
	double zero_ns;     /* time 0 of --time, since origin_ns */
	struct jr_windows steps, time;
	struct jr_spans *range_processes; /* [n_processes] when matching ranges were open; NULL: all */
	struct jr_spans *range_threads;   /* [n_host_threads] of the thread's own ranges */
	uint8_t *range_rows;              /* [nvtx_ranges.n] 1 = matches */
	uint8_t *emptied;   /* [nvtx_ranges.n] 1 = launched operations, none of which is selected */
	struct jr_buf text; /* the selection in words */
};

/** Return whether a time is in one of the spans. O(log spans). */
bool jr_spans_contain(const struct jr_spans *spans, int64_t t_ns);
/** Return whether a time of a device, or of a process' host, is in the selected steps and time. */
bool jr_selects_device_time(const struct jr_selecting *s, uint32_t device, int64_t t_ns);
bool jr_selects_host_time(const struct jr_selecting *s, uint32_t process, int64_t t_ns);
/** Return whether a time on a host thread is in a matching range: of the thread itself if it has
 * any, else of its process. */
bool jr_selects_in_range(const struct jr_selecting *s, uint32_t thread, int64_t t_ns);
/** Append ascending numbers: "0, 2 and 5", "0 to 7". Names at most a few groups. */
void jr_select_put_numbers(struct jr_buf *out, const int64_t *numbers, size_t n);

/** Set s->steps. JR_EUSAGE: there are no steps, or none of these numbers. */
enum jr_status jr_select_steps(struct jr_selecting *s, struct jr_error *err) JR_MUST_CHECK;
/** Set the spans and rows of matching ranges. JR_EUSAGE: there are no ranges, or none matches. */
enum jr_status jr_select_ranges(struct jr_selecting *s, struct jr_error *err) JR_MUST_CHECK;
/** Remember what collectives do on devices that are not selected: sets p->selected.elsewhere.
 * Waiting stays the same as in the whole profile. O(communication rows log). */
void jr_select_elsewhere(struct jr_selecting *s);
/** Correct the projection of ranges that launched operations that are not selected; sets
 * s->emptied. O(rows log rows). */
void jr_select_project(struct jr_selecting *s);
/** Remove all rows that are not selected from the tables of the profile. O(rows). */
void jr_select_rows(struct jr_selecting *s);

#endif
