/*
 * options.h - analysis options of the user; filled by cli, read by model and passes.
 * Layer: model.
 */
#ifndef JR_MODEL_OPTIONS_H
#define JR_MODEL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

enum jr_warmup_rule {
	JR_WARMUP_AUTO,  /* 1 for a profiled compilation of the program + 1 for any communication */
	JR_WARMUP_FIRST, /* 1 for a profiled compilation */
	JR_WARMUP_NONE,
	JR_WARMUP_COUNT, /* the first warmup_count executions of each program */
};

/* How an inconclusive gate counts: as its own outcome, as pass, or as fail. */
enum jr_inconclusive { JR_INCONCLUSIVE_TELL, JR_INCONCLUSIVE_PASS, JR_INCONCLUSIVE_FAIL };

/* What the user states about a step of the whole job; 0 = not stated. */
struct jr_step_work {
	double tokens, samples, flops;
	double price_per_hour;            /* of one device, in any currency */
	bool guess_tokens, guess_samples; /* from the shapes of the step's inputs */
};

static inline bool jr_step_work_stated(const struct jr_step_work *work)
{
	return work->tokens > 0 || work->samples > 0 || work->flops > 0 || work->price_per_hour > 0 ||
		   work->guess_tokens || work->guess_samples;
}

/* Numbers from..to, both included. */
struct jr_number_range {
	int64_t from, to;
};

/* The part of a profile to report on (analysis/README.md, section 18). What is not given selects
 * everything; several restrictions hold together. Texts are clean. */
struct jr_selection {
	size_t n_devices;                      /* 0 = all */
	const struct jr_number_range *devices; /* [n_devices] of global numbers, ascending, disjoint */
	bool by_steps, by_time;
	struct jr_number_range steps; /* numbers as the report shows them */
	int64_t from_ns, to_ns;       /* [from, to) since the first execution (jr_profile_zero_ns()) */
	const char *range, *program;  /* patterns of names (fnmatch()); NULL = all */
	/* as given, for report.json; NULL = not given */
	const char *devices_text, *steps_text, *time_text;
};

static inline bool jr_selection_given(const struct jr_selection *s)
{
	return s->n_devices || s->by_steps || s->by_time || s->range || s->program;
}

struct jr_options {
	enum jr_warmup_rule warmup;
	uint32_t warmup_count;
	double top_modules;         /* 0 < fraction <= 1 of all module time; 0.99 */
	bool autotuning_detail;     /* keep the ranges below the autotuner's ranges */
	bool no_align;              /* do not align device clocks */
	const char *xla_dump;       /* folder of HLO dumps for programs without HLO; NULL: none */
	const char *memory_profile; /* device memory profile of the profiled program; NULL: none */
	const char *device;         /* GPU of a plan, a name of the device table; NULL: as dumped */
	const char *run;            /* which jax.profiler run in a folder; NULL: the newest */
	bool no_sources;            /* do not read source texts */
	const char *sources_dir;    /* folder of source files that the input lacks; NULL = none */
	const char *strip_prefix;   /* prefix to remove from source paths; NULL = none */
	const char *mail_from, *mail_to; /* addresses, printable ASCII; NULL = no such header */
	struct jr_step_work work;
	struct jr_selection selection;
	bool mail_page, mail_pdf; /* what mail.eml has attached */
	bool letter;              /* report.pdf: US letter, not A4 */
	bool csv_raw;             /* do not escape CSV texts that spreadsheets read as formulas */
	const char *mail_subject; /* one clean line; NULL = subject from the document */
	size_t n_what_ifs;
	const char *const *what_ifs; /* [n_what_ifs] "thunk:NAME=0.5x", each well-formed */
	enum jr_inconclusive inconclusive;
	size_t n_threads;
	struct jr_limits limits;
};

static inline struct jr_options jr_options_default(void)
{
	return (struct jr_options){
		.warmup = JR_WARMUP_AUTO,
		.top_modules = 0.99,
		.mail_page = true,
		.n_threads = 1,
		.limits = jr_limits_default(),
	};
}

#endif
