/*
 * pass.h - the contract of an analysis pass.
 * Layer: analysis.  A pass is one file plus one line in passes.def.
 */
#ifndef JR_ANALYSIS_PASS_H
#define JR_ANALYSIS_PASS_H

#include "analysis/core/result.h"
#include "model/profile/profile.h"

/* What a pass needs; the runner leaves "not available, because ..." where it is not there. */
enum jr_needs {
	JR_NEEDS_NOTHING = 0,
	JR_NEEDS_MODULES = 1,        /* a module row */
	JR_NEEDS_THUNKS = 2,         /* a thunk row */
	JR_NEEDS_HLO = 4,            /* at least one program with HLO */
	JR_NEEDS_TOLD = 4096,        /* the same, or an instruction that events tell of */
	JR_NEEDS_COMPILES = 8,       /* a compile row */
	JR_NEEDS_COMMUNICATION = 16, /* a communication thunk */
	JR_NEEDS_DEVICES = 32,       /* at least two devices that ran anything */
	/* Of inputs that cannot tell of these (enum jr_tells) the pass is left out. */
	JR_NEEDS_PROFILER = 64,     /* what the profiler says of itself */
	JR_NEEDS_ALLOCATORS = 1024, /* what allocators say */
	JR_NEEDS_STEPS = 2048,      /* steps that the program numbered */
	JR_NEEDS_LANES = 16384,     /* other lines of TPUs */
	JR_NEEDS_GPU_OPS = 128,     /* a GPU operation */
	JR_NEEDS_CALLS = 256,       /* a call of CUDA */
	JR_NEEDS_NVTX = 512,        /* a range or mark of the host */
	JR_NEEDS_STEP = 8192,       /* a module row, or leading steps (struct jr_leading_steps) */
};

/* Shared between passes, computed once by the runner. */
struct jr_steady;       /* steady.h: sums over steady rows */
struct jr_instances;    /* instances.h: communication instances over devices */
struct jr_delays;       /* delays.h: what each device costs the others, and their order */
struct jr_integrity;    /* integrity.h: which time is in doubt, for records are missing */
struct jr_gpu_time;     /* gpu_time.h: when devices of exports were busy */
struct jr_step_windows; /* step_window.h: which time the steps are, and how long each takes */
struct jr_roofline;     /* roofline.h: what thunks could do at best */
struct jr_replay;       /* replay.h: steps replayed, with what waits for what */
struct jr_path;         /* ... and what their length depends on */
struct jr_step_parts;   /* step_parts.h: what each nanosecond of the windows is spent on */
struct jr_step_times;   /* step_time.h: steps, and whose each nanosecond of them is */

struct jr_pass_context {
	const struct jr_profile *profile;
	const struct jr_steady *steady;
	const struct jr_step_windows *windows; /* all steady steps */
	const struct jr_step_windows *typical; /* what "a step" is measured in; most often the same */
	const struct jr_instances *instances;
	const struct jr_delays *delays;
	const struct jr_step_times *steps;
	const struct jr_step_parts *parts;
	const struct jr_gpu_time *gpu; /* NULL without GPU operations */
	const struct jr_integrity *integrity;
	const struct jr_roofline *roofline; /* set by the pass of that name; NULL: not available */
	const struct jr_replay *replay;     /* NULL: no steps, or no thunk of them */
	const struct jr_path *path;         /* by jr_critical_path(); NULL: not yet asked for */
	const struct jr_results *results;   /* sections of earlier passes are complete */
	struct jr_results *findings_to;     /* jr_pass_finding() adds here */
	struct jr_arena *arena;             /* result arena: lives as long as the report */
	struct jr_arena *scratch;           /* emptied after the pass */
};

typedef void (*jr_pass_fn)(struct jr_pass_context *ctx, struct jr_section *out);

/* Sections stand in groups, in this order; within one in the order of passes.def. */
enum jr_section_group {
	JR_GROUP_ANSWER,
	JR_GROUP_STEP,
	JR_GROUP_GPU,
	JR_GROUP_HOST,
	JR_GROUP_DEVICES,
	JR_GROUP_COMPILE,
	JR_GROUP_ABOUT,
	JR_N_GROUPS
};
/** What a group is called: "GPU work". */
const char *jr_group_title(enum jr_section_group group);

struct jr_pass {
	const char *name;            /* section id: "collectives" */
	const char *title;           /* heading */
	const char *summary;         /* what a reader finds there, one sentence */
	unsigned needs;              /* enum jr_needs, or'ed */
	bool any_program;            /* has something to say of programs that are not of XLA, too */
	bool leads;                  /* what it makes stands ahead of the overview, not in a section */
	bool data_only;              /* its figures are for machines: report.json and CSV, no section */
	enum jr_section_group group; /* of sections, for people */
	jr_pass_fn run; /* cannot fail: what cannot be computed is null or `out->unavailable` */
};

/* All passes in report order (passes.def), NULL-terminated. */
extern const struct jr_pass *const jr_passes[];

/**
 * Run all passes over a loaded profile.
 * @param results  out; everything in it lives in `arena` (interned text also in the profile, which
 *                 must outlive it)
 */
void jr_passes_run(
	const struct jr_profile *profile, struct jr_arena *arena, struct jr_results *results);

/** True where `a` stands before `b` in the list of findings: warnings that put the figures in
 * doubt first; then by recoverable time, unknown last; then by severity and id, so that the order
 * is stable. */
bool jr_finding_before(const struct jr_finding *a, const struct jr_finding *b);

/** Add a finding (copied). */
void jr_pass_finding(struct jr_pass_context *ctx, const struct jr_finding *finding);

/** True where something could be saved beyond the error of the prediction. Unknown savings are not
 * 0. */
bool jr_finding_saves(const struct jr_finding *finding);
/** True of a finding of the first page: what could save at least 1 % of a step, and of those whose
 * saving of a step is not known warnings, and what cost time or memory. Doubts about the data are
 * none. */
bool jr_finding_leads(const struct jr_finding *finding);
/** The first finding of the first page, which the headline is made of; NULL: there is none. */
const struct jr_finding *jr_first_finding(const struct jr_results *results);

#endif
