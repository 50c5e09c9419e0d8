/*
 * pass.h - the contract of an analysis pass.
 * Layer: analysis.  A pass is one file plus one line in passes.def.
 */
#ifndef JR_ANALYSIS_PASS_H
#define JR_ANALYSIS_PASS_H

#include "analysis/core/result.h"
#include "model/profile/profile.h"

/* Data that a pass needs; if it is missing the runner sets "not available, because ...". */
enum jr_needs {
	JR_NEEDS_NOTHING = 0,
	JR_NEEDS_MODULES = 1,        /* a module row */
	JR_NEEDS_THUNKS = 2,         /* a thunk row */
	JR_NEEDS_HLO = 4,            /* at least one program with HLO */
	JR_NEEDS_TOLD = 4096,        /* HLO, or an instruction described in events */
	JR_NEEDS_COMPILES = 8,       /* a compile row */
	JR_NEEDS_COMMUNICATION = 16, /* a communication thunk */
	JR_NEEDS_DEVICES = 32,       /* at least two devices that ran anything */
	/* The pass is left out for inputs that cannot contain these (enum jr_tells). */
	JR_NEEDS_PROFILER = 64,     /* data about the profiler itself */
	JR_NEEDS_ALLOCATORS = 1024, /* records of allocators */
	JR_NEEDS_STEPS = 2048,      /* steps that the program numbered */
	JR_NEEDS_LANES = 16384,     /* further lines of TPUs */
	JR_NEEDS_GPU_OPS = 128,     /* a GPU operation */
	JR_NEEDS_CALLS = 256,       /* a call of CUDA */
	JR_NEEDS_NVTX = 512,        /* a host range or mark */
	JR_NEEDS_PLAN = 32768,      /* programs without measurements: the pass is about a plan */
	JR_NEEDS_WORK = 65536,      /* the work or the price of a step, stated by options */
	JR_NEEDS_LIVE = 131072,     /* a device memory profile */
	JR_NEEDS_STEP = 8192,       /* a module row, or leading steps (struct jr_leading_steps) */
};

/* Shared between passes, computed once by the runner. */
struct jr_steady;       /* steady.h: sums over steady rows */
struct jr_instances;    /* instances.h: communication instances over devices */
struct jr_delays;       /* delays.h: how much each device delays the others, and their order */
struct jr_lateness;     /* lateness.h: how late each device is in each step, and since when */
struct jr_integrity;    /* integrity.h: time in doubt because records are missing */
struct jr_gpu_time;     /* gpu_time.h: busy time of devices in exports */
struct jr_step_windows; /* step_window.h: time windows and lengths of steps */
struct jr_ahead;        /* ahead.h: costs of thunks, and scores of attention */
struct jr_roofline;     /* roofline.h: roofline time of thunks */
struct jr_replay;       /* replay.h: replayed steps with their dependencies */
struct jr_path;         /* the chain that determines their length */
struct jr_step_parts;   /* step_parts.h: breakdown of each nanosecond of the windows */
struct jr_work_kinds;   /* work_kind.h: kinds of work of computations */
struct jr_step_times;   /* step_time.h: steps, and the owner of each nanosecond */

struct jr_pass_context {
	const struct jr_profile *profile;
	const struct jr_steady *steady;        /* from the pass of a plan on, what it expects to run */
	const struct jr_step_windows *windows; /* all steady steps */
	const struct jr_step_windows *typical; /* windows of per-step values; usually the same */
	const struct jr_instances *instances;
	const struct jr_delays *delays;
	const struct jr_lateness *lateness;
	const struct jr_step_times *steps;
	const struct jr_step_parts *parts;
	const struct jr_gpu_time *gpu; /* NULL without GPU operations */
	const struct jr_integrity *integrity;
	struct jr_ahead *ahead;             /* computes on its own thread until asked */
	const struct jr_roofline *roofline; /* set by the roofline pass; NULL: not available */
	const struct jr_replay *replay;     /* NULL: no steps, or no thunks in them */
	struct jr_work_kinds *kinds;        /* for jr_work_kind(): each computation is judged once */
	const struct jr_path *path;         /* set by jr_critical_path(); NULL: not requested yet */
	const struct jr_results *results;   /* sections of earlier passes are complete */
	struct jr_results *findings_to;     /* jr_pass_finding() adds here */
	struct jr_arena *arena;             /* result arena: lives as long as the report */
	struct jr_arena *scratch;           /* emptied after the pass */
};

typedef void (*jr_pass_fn)(struct jr_pass_context *ctx, struct jr_section *out);

/* Order of the groups of sections. Within a group, sections are in the order of passes.def. */
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
/** Return the title of a group: "GPU work". */
const char *jr_group_title(enum jr_section_group group);

struct jr_pass {
	const char *name;    /* section id: "collectives" */
	const char *title;   /* heading */
	const char *summary; /* content for a reader, in one sentence */
	unsigned needs;      /* enum jr_needs, or'ed */
	bool any_program;    /* also applies to programs that do not use XLA */
	bool leads;          /* output goes before the overview; if there is none, it has no section */
	bool data_only;      /* only for machines: report.json and CSV, no section */
	/* Runs at the same time as others: it reads no results, adds no text to the profile, has no
	 * findings, and uses neither `kinds` nor `path`. JR_APART: before all others, without what
	 * another pass sets. JR_APART_THEN: after the roofline pass, which may be read. */
	enum jr_apart { JR_IN_TURN, JR_APART, JR_APART_THEN } apart;
	enum jr_section_group group; /* for readers */
	jr_pass_fn run;              /* cannot fail: missing results are null or `out->unavailable` */
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

/** Return true if finding `a` precedes `b`. Warnings that put the numbers in doubt come first. Then
 * findings are ordered by recoverable time (unknown last), severity and id, so that the order is
 * stable; those that others cover come last. */
bool jr_finding_before(const struct jr_finding *a, const struct jr_finding *b);

/** Add a finding (copied). */
void jr_pass_finding(struct jr_pass_context *ctx, const struct jr_finding *finding);

/** Return true if the saving exceeds the error of the prediction. Unknown savings count as above
 * 0. */
bool jr_finding_saves(const struct jr_finding *finding);

/** Return whether a prediction is an interval whose least saving is worth a number: at least a
 * hundredth of the most. Else "up to" says all of it. */
bool jr_finding_has_range(const struct jr_finding *finding);
/** Return true for a finding of the first page. It could save at least 1 % of a step. If its saving
 * per step is unknown, it is a warning, or it cost time or memory. Doubts about the data and parts
 * of other findings are excluded. */
bool jr_finding_leads(const struct jr_finding *finding);
/** Return the first finding of the first page, which the headline is made of, or NULL. */
const struct jr_finding *jr_first_finding(const struct jr_results *results);

#endif
