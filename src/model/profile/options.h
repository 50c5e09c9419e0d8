/*
 * options.h - what the user may choose about the analysis; filled by cli, read by model and passes.
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

/* What a gate counts for that cannot be determined: for itself, or as one that passes or fails. */
enum jr_inconclusive { JR_INCONCLUSIVE_TELL, JR_INCONCLUSIVE_PASS, JR_INCONCLUSIVE_FAIL };

struct jr_options {
	enum jr_warmup_rule warmup;
	uint32_t warmup_count;
	double top_modules;       /* 0 < fraction <= 1 of all module time; 0.99 */
	bool autotuning_detail;   /* keep what lies below the autotuner's ranges */
	bool no_align;            /* leave the clocks of devices as they are */
	const char *xla_dump;     /* folder of HLO dumps for programs that come without; NULL: none */
	const char *run;          /* of jax.profiler's runs in a folder; NULL: the newest */
	bool no_sources;          /* read no source text */
	const char *sources_dir;  /* where to look for files that the input lacks; NULL = nowhere */
	const char *strip_prefix; /* what paths of source files lose in front; NULL = nothing */
	const char *mail_from, *mail_to; /* addresses, printable ASCII; NULL = no such header */
	bool csv_raw;             /* leave texts of CSV that a spreadsheet takes for formulas alone */
	const char *mail_subject; /* one clean line; NULL = named after the document */
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
		.n_threads = 1,
		.limits = jr_limits_default(),
	};
}

#endif
