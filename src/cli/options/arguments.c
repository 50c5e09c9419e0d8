#include "cli/core/arguments.h"

#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/suggest.h"
#include "base/task.h"
#include "cli/core/commands.h"
#include "cli/options/option_functions.h"
#include "report/core/report.h"

/* --- values ---------------------------------------------------------------------------------- */

static enum jr_status take_output(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	if (!*value)
		return jr_fail(err, JR_EUSAGE, "%s requires the name of a %s", o->name,
			strcmp(o->argument, "DIR") == 0 ? "folder" : "file");
	r->output = value;
	return JR_OK;
}

static bool has_format(const struct jr_request *r, const struct jr_report_format *format)
{
	for (size_t i = 0; i < r->formats.n; i++)
		if (r->formats.items[i] == format)
			return true;
	return false;
}

static enum jr_status unknown_format(const char *s, size_t n, struct jr_error *err)
{
	char word[32], known[256] = "";
	snprintf(word, sizeof(word), "%.*s", (int)(n < 31 ? n : 31), s);
	struct jr_nearest nearest = {0};
	size_t at = 0;
	for (char *c = word; *c; c++)
		*c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
	if (strcmp(word, "markdown") == 0)
		snprintf(word, sizeof(word), "md");
	for (const struct jr_report_format *f = jr_report_formats; f->name; f++) {
		jr_nearest_offer(&nearest, word, f->name);
		int m = snprintf(known + at, sizeof(known) - at, "%s%s", at ? ", " : "", f->name);
		at += m > 0 && (size_t)m < sizeof(known) - at ? (size_t)m : 0;
	}
	if (nearest.best)
		return jr_fail(err, JR_EUSAGE, "unknown format '%.*s' in --format. Did you mean '%s'?",
			(int)(n < 31 ? n : 31), s, nearest.best);
	return jr_fail(err, JR_EUSAGE, "unknown format '%.*s' in --format. Known formats: %s",
		(int)(n < 31 ? n : 31), s, known);
}

static enum jr_status take_format(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	(void)o;
	r->formats.n = 0;
	const struct jr_report_format *wanted[32] = {0};
	for (const char *s = value;;) {
		size_t n = strcspn(s, ",");
		const struct jr_report_format *f = jr_report_format_find(s, n);
		if (!f)
			return unknown_format(s, n, err);
		if ((size_t)(f - jr_report_formats) < 32)
			wanted[f - jr_report_formats] = f;
		if (!s[n])
			break;
		s += n + 1;
	}
	for (size_t i = 0; i < 32; i++)
		if (wanted[i] && !has_format(r, wanted[i]))
			*jr_vec_add(&r->formats) = wanted[i];
	return JR_OK;
}

static enum jr_status take_work(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	struct jr_step_work *w = &r->analysis.work;
	double v, *to = (void *)((char *)r + o->at);
	bool *guess = to == &w->tokens    ? &w->guess_tokens
				  : to == &w->samples ? &w->guess_samples
									  : NULL;
	if (guess && strcmp(value, "guess") == 0) {
		*guess = true;
		*to = 0;
		return JR_OK;
	}
	if (guess)
		*guess = false;
	if (!jr_parse_double(value, strlen(value), &v) || !(v > 0 && v <= 1e30))
		return jr_fail(err, JR_EUSAGE,
			"%s expects a number above 0, for example 1048576 or 2.5%s, not '%s'", o->name,
			guess ? ", or guess" : "", value);
	*to = v;
	return JR_OK;
}

static enum jr_status take_warmup(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	static const struct {
		const char *name;
		enum jr_warmup_rule rule;
	} rules[] = {{"auto", JR_WARMUP_AUTO}, {"first", JR_WARMUP_FIRST}, {"none", JR_WARMUP_NONE}};
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (strcmp(value, rules[i].name) == 0) {
			r->analysis.warmup = rules[i].rule;
			return JR_OK;
		}
	int64_t n;
	if (!jr_parse_i64(value, strlen(value), &n) || n < 0 || n > 1000000000)
		return jr_fail(err, JR_EUSAGE,
			"%s expects auto, first, none or a number of executions, not '%s'", o->name, value);
	r->analysis.warmup = JR_WARMUP_COUNT;
	r->analysis.warmup_count = (uint32_t)n;
	return JR_OK;
}

static enum jr_status take_top_modules(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	double v;
	if (!jr_parse_double(value, strlen(value), &v) || !(v > 0 && v <= 1))
		return jr_fail(err, JR_EUSAGE, "%s expects a fraction above 0 and at most 1, not '%s'",
			o->name, value);
	r->analysis.top_modules = v;
	return JR_OK;
}

/* "4096", "64M", "2G": letters are powers of 1024. */
static bool parse_size(const char *s, uint64_t *out)
{
	static const char letters[] = "KMGT";
	size_t n = strlen(s);
	unsigned shift = 0;
	const char *letter = n ? strchr(letters, s[n - 1] & ~0x20) : NULL;
	if (letter && *letter) {
		shift = 10 * (unsigned)(letter - letters + 1);
		n--;
	}
	int64_t v;
	if (!jr_parse_i64(s, n, &v) || v < 1 || v > INT64_MAX >> shift)
		return false;
	*out = (uint64_t)v << shift;
	return true;
}

static enum jr_status take_limit(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	uint64_t v;
	if (!parse_size(value, &v))
		return jr_fail(err, JR_EUSAGE,
			"%s expects a number of 1 or more (suffix K, M, G or T: powers of 1024), not '%s'",
			o->name, value);
	memcpy((char *)&r->analysis.limits + o->at, &v, sizeof(v));
	r->memory_given |= o->at == offsetof(struct jr_limits, memory_bytes);
	return JR_OK;
}

/* --- values of the same form ---------------------------------------------------------------------
 */

static enum jr_status set_flag(
	struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)
{
	(void)value;
	(void)err;
	*(bool *)((char *)r + o->at) = true;
	return JR_OK;
}

#define FLAG(name, statement)                                                                      \
	static enum jr_status name(                                                                    \
		struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)  \
	{                                                                                              \
		(void)o;                                                                                   \
		(void)value;                                                                               \
		(void)err;                                                                                 \
		statement;                                                                                 \
		return JR_OK;                                                                              \
	}

FLAG(set_quiet, r->verbosity = JR_QUIET)
FLAG(set_verbose, r->verbosity = JR_VERBOSE)
FLAG(set_help, r->action = r->by_letter ? JR_ACTION_USAGE : JR_ACTION_HELP)
FLAG(set_version, r->action = JR_ACTION_VERSION)
FLAG(set_limits, r->action = JR_ACTION_LIMITS)
FLAG(set_metrics, r->action = JR_ACTION_METRICS)

/* One of several words, in the order of their values. */
#define CHOICE(function, to, expected, ...)                                                        \
	static enum jr_status function(                                                                \
		struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)  \
	{                                                                                              \
		static const char *const words[] = {__VA_ARGS__};                                          \
		for (unsigned i = 0; i < JR_COUNT_OF(words); i++)                                          \
			if (strcmp(value, words[i]) == 0) {                                                    \
				r->to = i;                                                                         \
				return JR_OK;                                                                      \
			}                                                                                      \
		return jr_fail(err, JR_EUSAGE, "%s expects " expected ", not '%s'", o->name, value);       \
	}

CHOICE(take_keep_reports, keep_reports,
	"all, first or none", [JR_KEEP_FIRST] = "first", [JR_KEEP_ALL] = "all", [JR_KEEP_NONE] = "none")
CHOICE(take_paper, analysis.letter, "a4 or letter", [false] = "a4", [true] = "letter")
CHOICE(take_query_format, query.form, "table, csv or json", [JR_QUERY_TABLE] = "table",
	[JR_QUERY_CSV] = "csv", [JR_QUERY_JSON] = "json")
CHOICE(take_progress, progress, "auto, always or never", [JR_PROGRESS_AUTO] = "auto",
	[JR_PROGRESS_ALWAYS] = "always", [JR_PROGRESS_NEVER] = "never")
CHOICE(take_xla_flags, record.leave_flags, "yes or no", [false] = "yes", [true] = "no")

/* A number from 1 to `most`. */
#define NUMBER(function, to, what, most)                                                           \
	static enum jr_status function(                                                                \
		struct jr_request *r, const struct jr_option *o, const char *value, struct jr_error *err)  \
	{                                                                                              \
		int64_t n;                                                                                 \
		if (!jr_parse_i64(value, strlen(value), &n) || n < 1 || n > (most))                        \
			return jr_fail(err, JR_EUSAGE, "%s expects " what " from 1 to %d, not '%s'", o->name,  \
				most, value);                                                                      \
		r->to = (__typeof__(r->to))n;                                                              \
		return JR_OK;                                                                              \
	}

NUMBER(take_threads, analysis.n_threads, "a number", JR_MAX_THREADS)
NUMBER(take_grace, record.grace_s, "seconds", 1000000)
NUMBER(take_last, last, "a number", 10000)

/* --- the table ------------------------------------------------------------------------------- */

/* Commands that report on a profile or compare two; commands that analyze profiles. */
enum { BOTH = JR_FOR_REPORT | JR_FOR_COMPARE, ANALYSES = BOTH | JR_FOR_ADD | JR_FOR_QUERY };

#define AT(field) offsetof(struct jr_request, field)

const struct jr_option jr_option_table[] = {
	{"--from", 0, "FILE",
		"make the archive from an existing export, FILE.sqlite, or report, FILE.nsys-rep (exported "
		"with nsys on PATH); no program is run",
		JR_FOR_RECORD, jr_take_path, AT(from), JR_READS_FILE},
	{"--output", 'o', "DIR",
		"folder to write; default: INPUT-report (out-report for out.zip), for several inputs the "
		"common start of their names (rank-report for rank0.zip rank1.zip), run-report for "
		"@run.txt; -: print the text at terminal width",
		JR_FOR_REPORT, take_output, 0, JR_MAKES},
	{"--output", 'o', "DIR",
		"folder to write; default: print only the verdict; -: print the text at terminal width",
		JR_FOR_COMPARE, take_output, 0, JR_MAKES},
	{"--output", 'o', "DIR", "folder to write; without it, or with -: print the trend", JR_FOR_SHOW,
		take_output, 0, JR_MAKES},
	{"--output", 'o', "FILE", "zip file to write", JR_FOR_COMBINE, take_output, 0, JR_MAKES},
	{"--output", 'o', "FILE", "digest to write, usually NAME.jrd", JR_FOR_DIGEST, take_output, 0,
		JR_MAKES},
	{"--output", 'o', "FILE",
		"archive to write; %q{VAR} is the value of the variable, %h the host, %p the process ID, "
		"%n a free number; .zip is added if missing; NAME.1.zip if NAME.zip exists; default: "
		"jaxreport-%h-%p.zip, or named after the rank if a launcher sets it; with --from: NAME.zip "
		"next to NAME.sqlite",
		JR_FOR_RECORD, take_output, 0, JR_PLAIN},
	{"--nsys", 0, "PROGRAM", "nsys to use; default: nsys on PATH", JR_FOR_RECORD, jr_take_text,
		AT(record.nsys), JR_PLAIN},
	{"--nsys-option", 0, "OPT",
		"pass an option to `nsys profile`, for example --nsys-option=--gpu-metrics-devices=0; may "
		"be repeated",
		JR_FOR_RECORD, jr_take_nsys_word, 0, JR_PLAIN},
	{"--trace", 0, "APIS",
		"APIs to trace (nsys option); default: CUDA, NVTX and the CUDA libraries that nsys "
		"supports",
		JR_FOR_RECORD, jr_take_nsys_option, 0, JR_PLAIN},
	{"--capture-range", 0, "WHAT", "record only between two markers in the program (nsys option)",
		JR_FOR_RECORD, jr_take_nsys_option, 0, JR_PLAIN},
	{"--capture-range-end", 0, "WHAT",
		"what to do at the end of the capture range (nsys option); default: stop, so that the "
		"program continues",
		JR_FOR_RECORD, jr_take_nsys_option, 0, JR_PLAIN},
	{"--kill", 0, "SIGNAL", "signal sent to the program when recording ends (nsys option)",
		JR_FOR_RECORD, jr_take_nsys_option, 0, JR_PLAIN},
	{"--delay", 0, "SECONDS", "start recording this long after the program starts (nsys option)",
		JR_FOR_RECORD, jr_take_nsys_option, 0, JR_PLAIN},
	{"--duration", 0, "SECONDS",
		"record for this long, then end the program (nsys option); --kill none lets it continue",
		JR_FOR_RECORD, jr_take_nsys_option, 0, JR_PLAIN},
	{"--sample", 0, "WHAT",
		"sample call stacks (nsys option); default: none, because no section uses them",
		JR_FOR_RECORD, jr_take_nsys_option, 0, JR_PLAIN},
	{"--grace", 0, "SECONDS",
		"kill nsys if it still writes this long after the program ended, and keep the collected "
		"data; default: 600 after a termination signal, otherwise never",
		JR_FOR_RECORD, take_grace, 0, JR_PLAIN},
	{"--if", 0, "RANKS",
		"record only these processes; rank=0, rank=0,8 or local=0; the others run without nsys",
		JR_FOR_RECORD, jr_take_text, AT(record.rule), JR_PLAIN},
	{"--xla-flags", 0, "ANSWER",
		"whether to set XLA_FLAGS for the HLO dump; no: leave XLA_FLAGS unchanged, so that the "
		"archive contains no HLO; default: yes",
		JR_FOR_RECORD, take_xla_flags, 0, JR_PLAIN},
	{"--no-rep", 0, NULL,
		"leave the .nsys-rep out of the archive; it is the largest member and contains the whole "
		"environment of the program; record.json still contains the program's arguments",
		JR_FOR_RECORD, set_flag, AT(record.no_rep), JR_PLAIN},
	{"--no-arguments", 0, NULL,
		"leave the program and its arguments out of record.json; the .nsys-rep contains them, too "
		"(--no-rep)",
		JR_FOR_RECORD, set_flag, AT(record.no_arguments), JR_PLAIN},
	{"--keep-rep", 0, NULL, "also keep the .nsys-rep next to the archive", JR_FOR_RECORD, set_flag,
		AT(record.keep_rep), JR_PLAIN},
	{"--keep-work", 0, NULL, "keep the folder of intermediate files", JR_FOR_RECORD, set_flag,
		AT(record.keep_work), JR_PLAIN},
	{"--digest", 0, NULL,
		"also write a digest of the archive next to it, NAME.jrd, a small input of reports of many "
		"ranks",
		JR_FOR_RECORD, set_flag, AT(record.digest), JR_PLAIN},
	{"--report", 0, "DIR",
		"also write a report of the archive to DIR; options of 'jaxreport report' may follow",
		JR_FOR_RECORD, jr_take_text, AT(record.report), JR_MAKES},
	{"--dry-run", 0, NULL, "print the commands without running them", JR_FOR_RECORD, set_flag,
		AT(record.dry_run), JR_PLAIN},
	{"--strict", 0, NULL, "fail if the output exists or a part of the archive is missing",
		JR_FOR_RECORD, set_flag, AT(strict), JR_PLAIN},
	{"--force", 'f', NULL,
		"replace DIR if it contains an earlier report; nothing else is ever replaced",
		BOTH | JR_FOR_SHOW, set_flag, AT(force), JR_PLAIN},
	{"--force", 'f', NULL, "replace FILE if it is a zip file; nothing else is ever replaced",
		JR_FOR_COMBINE, set_flag, AT(force), JR_PLAIN},
	{"--force", 'f', NULL, "replace FILE if it is a digest; nothing else is ever replaced",
		JR_FOR_DIGEST, set_flag, AT(force), JR_PLAIN},
	{"--force", 'f', NULL,
		"replace FILE if it is a zip file, and the .nsys-rep of the same name next to it; nothing "
		"else is ever replaced",
		JR_FOR_RECORD, set_flag, AT(force), JR_PLAIN},
	{"--keep-nsys-rep", 0, "WHICH",
		"inputs whose .nsys-rep is kept; all, first or none; default: first", JR_FOR_COMBINE,
		take_keep_reports, 0, JR_PLAIN},
	{"--strict", 0, NULL, "fail if any input cannot be read; default: report on the rest",
		BOTH | JR_FOR_ADD | JR_FOR_QUERY | JR_FOR_DIGEST, set_flag, AT(strict), JR_PLAIN},
	{"--format", 0, "LIST", "formats to write, separated by commas (see Formats)",
		BOTH | JR_FOR_SHOW, take_format, 0, JR_PLAIN},
	{"--format", 0, "FORM", "form of the rows: table, csv or json; default: table", JR_FOR_QUERY,
		take_query_format, 0, JR_PLAIN},
	{"--list-tables", 0, NULL, "print the tables with their columns; no SQL is given", JR_FOR_QUERY,
		set_flag, AT(list_tables), JR_PLAIN},
	{"--paper", 0, "SIZE", "size of the pages of report.pdf: a4 or letter; default: a4",
		BOTH | JR_FOR_SHOW, take_paper, 0, JR_PLAIN},
	{"--open", 0, NULL, "open the page in a browser when it is written (xdg-open)",
		BOTH | JR_FOR_SHOW, set_flag, AT(open), JR_PLAIN},
	{"--csv-raw", 0, NULL,
		"write text that begins with = + - @ to data/*.csv unchanged; default: add an apostrophe "
		"in front, because a spreadsheet would run it as a formula",
		BOTH | JR_FOR_SHOW | JR_FOR_QUERY, set_flag, AT(analysis.csv_raw), JR_PLAIN},
	{"--commit", 0, "ID", "version of the code that ran; a commit, a tag or a build", JR_FOR_ADD,
		jr_take_line, AT(about.commit), JR_PLAIN},
	{"--label", 0, "TEXT",
		"series that the run belongs to; a branch or a model; charts show it next to the commit",
		JR_FOR_ADD, jr_take_line, AT(about.label), JR_PLAIN},
	{"--time", 0, "TIME",
		"time of the run, for example 2026-03-01T12:00:00Z; default: $SOURCE_DATE_EPOCH, or no "
		"time (the clock is not read); with .. in it, the part of the profile to use, as for "
		"'jaxreport report'",
		JR_FOR_ADD, jr_take_time, 0, JR_PLAIN},
	{"--metric", 0, "METRIC",
		"metric to show (see --list-metrics); may be repeated; default: step.median, busy, "
		"communication.per_step, memory.peak and compile.total, except those that are always 0",
		JR_FOR_SHOW, jr_take_metric, 0, JR_PLAIN},
	{"--label", 0, "TEXT", "show only the runs with this label", JR_FOR_SHOW, jr_take_line,
		AT(about.label), JR_PLAIN},
	{"--last", 0, "N", "show only the last N runs; default: 100", JR_FOR_SHOW, take_last, 0,
		JR_PLAIN},
	{"--devices", 0, "LIST",
		"use only these devices, by the numbers that the report shows; for example 0,3-5", ANALYSES,
		jr_take_devices, 0, JR_PLAIN},
	{"--steps", 0, "RANGE",
		"use only these steps, by the numbers that the report shows; for example 10..20, 10.. or 7",
		ANALYSES, jr_take_steps, 0, JR_PLAIN},
	{"--time", 0, "RANGE",
		"use only what starts in this time since the first execution; for example 1.2s..3.4s or "
		"500ms.. (units s, ms, us, ns)",
		ANALYSES & ~JR_FOR_ADD, jr_take_time_range, 0, JR_PLAIN},
	{"--range", 0, "PATTERN",
		"use only work that was launched in host ranges (NVTX, annotations) of this name; for "
		"example \"train*\"",
		ANALYSES, jr_take_pattern, AT(analysis.selection.range), JR_PLAIN},
	{"--program", 0, "PATTERN",
		"use only programs (XLA modules) of this name; for example \"jit_train*\"", ANALYSES,
		jr_take_pattern, AT(analysis.selection.program), JR_PLAIN},
	{"--warmup", 0, "RULE",
		"executions of each program that count as warm-up: 'none'; a number N (the first N); "
		"'first' (one, if the compilation of the program was profiled); or 'auto' (like 'first', "
		"plus one more if the program communicates); default: auto",
		BOTH | JR_FOR_ADD | JR_FOR_QUERY, take_warmup, 0, JR_PLAIN},
	{"--top-modules", 0, "FRAC",
		"share of module time to cover; totals and thunks include the modules that make up this "
		"share; default: 0.99",
		BOTH | JR_FOR_ADD | JR_FOR_QUERY, take_top_modules, 0, JR_PLAIN},
	{"--what-if", 0, "CHANGE",
		"predict the step time after a change by replaying the steps; thunk:NAME=0.5x, gaps=0, "
		"...; may be repeated to combine changes; list: print all changes, and exit",
		JR_FOR_REPORT, jr_take_what_if, 0, JR_PLAIN},
	{"--tokens-per-step", 0, "N",
		"tokens that one step of the whole job processes; adds tokens per second; guess: "
		"the product of batch and sequence of its inputs, as HLO shows them, and devices",
		BOTH | JR_FOR_ADD | JR_FOR_QUERY, take_work, AT(analysis.work.tokens), JR_PLAIN},
	{"--samples-per-step", 0, "N",
		"samples that one step of the whole job processes; adds samples per second; guess: "
		"the product of the batch of its inputs and devices",
		BOTH | JR_FOR_ADD | JR_FOR_QUERY, take_work, AT(analysis.work.samples), JR_PLAIN},
	{"--flops-per-step", 0, "N",
		"FLOPs of one step of the whole job, as you count them; adds TFLOP/s per device",
		BOTH | JR_FOR_ADD | JR_FOR_QUERY, take_work, AT(analysis.work.flops), JR_PLAIN},
	{"--price", 0, "N",
		"price of one device for an hour; adds the cost per step and of a million "
		"tokens, in the same currency",
		BOTH | JR_FOR_ADD | JR_FOR_QUERY, take_work, AT(analysis.work.price_per_hour), JR_PLAIN},
	{"--autotuning-detail", 0, NULL, "break autotuning down into its phases", BOTH | JR_FOR_ADD,
		set_flag, AT(analysis.autotuning_detail), JR_PLAIN},
	{"--no-align", 0, NULL, "do not align the clocks of the devices",
		BOTH | JR_FOR_ADD | JR_FOR_QUERY, set_flag, AT(analysis.no_align), JR_PLAIN},
	{"--run", 0, "NAME",
		"run to read from a folder of jax.profiler; all: every run; default: the newest",
		JR_FOR_REPORT | JR_FOR_ADD | JR_FOR_QUERY | JR_FOR_DIGEST, jr_take_run, 0, JR_PLAIN},
	{"--xla-dump", 0, "DIR",
		"folder of HLO dumps (from --xla_dump_to) for programs without HLO in the input, such as "
		"Nsight Systems exports; if each process has its own folder, DIR/NAME is used for the "
		"input NAME.sqlite",
		JR_FOR_REPORT | JR_FOR_ADD | JR_FOR_QUERY | JR_FOR_DIGEST, jr_take_path,
		AT(analysis.xla_dump), JR_READS_FOLDER},
	{"--memory-profile", 0, "FILE",
		"device memory profile of the same program, written by "
		"jax.profiler.save_device_memory_profile(); adds what is in device memory, by Python line",
		JR_FOR_REPORT | JR_FOR_ADD | JR_FOR_QUERY, jr_take_path, AT(analysis.memory_profile),
		JR_READS_FILE},
	{"--device", 0, "NAME",
		"GPU of a plan, which is a report on a folder of XLA dumps alone: a name of the device "
		"table, for example \"H100 80GB\"; default: the device that XLA compiled for",
		BOTH | JR_FOR_ADD | JR_FOR_QUERY, jr_take_device, 0, JR_PLAIN},
	{"--xla-dump", 0, "DIR",
		"keep XLA's dump in DIR; with --from: folder of HLO dumps to add to the archive",
		JR_FOR_RECORD, jr_take_text, AT(record.dump), JR_MAKES},
	{"--no-sources", 0, NULL, "leave out the Python files that the dumps refer to", JR_FOR_RECORD,
		set_flag, AT(analysis.no_sources), JR_PLAIN},
	{"--protos", 0, "DIR",
		"folder of XLA's sources, whose HLO schemas go into the archive; default: $SRC_PATH_XLA or "
		"/opt/xla if it exists, otherwise built-in schemas with the fields that are needed",
		JR_FOR_RECORD, jr_take_protos, AT(record.protos), JR_READS_FOLDER},
	{"--source-prefix", 0, "PREFIX",
		"add only source files whose path begins with PREFIX; may be repeated", JR_FOR_RECORD,
		jr_take_source_prefix, 0, JR_PLAIN},
	{"--sources", 0, "DIR",
		"folder with the Python files that the input does not contain; files are found by their "
		"full path or the end of it",
		JR_FOR_REPORT, jr_take_path, AT(analysis.sources_dir), JR_READS_FOLDER},
	{"--no-sources", 0, NULL, "leave the text of source files out of the report", JR_FOR_REPORT,
		set_flag, AT(analysis.no_sources), JR_PLAIN},
	{"--strip-prefix", 0, "PREFIX", "remove PREFIX from the start of source file paths everywhere",
		JR_FOR_REPORT, jr_take_strip_prefix, 0, JR_PLAIN},
	{"--github", 0, NULL,
		"append summary.md to $GITHUB_STEP_SUMMARY, and annotate failed gates and hot source lines "
		"(for GitHub Actions)",
		JR_FOR_REPORT, set_flag, AT(github), JR_PLAIN},
	{"--github", 0, NULL,
		"append summary.md of DIR to $GITHUB_STEP_SUMMARY, and annotate the verdict and failed "
		"gates (for GitHub Actions)",
		JR_FOR_COMPARE, set_flag, AT(github), JR_PLAIN},
	{"--mail-from", 0, "ADDRESS", "From header of mail.eml", BOTH, jr_take_address,
		AT(analysis.mail_from), JR_PLAIN},
	{"--mail-to", 0, "ADDRESSES", "To header of mail.eml", BOTH, jr_take_address,
		AT(analysis.mail_to), JR_PLAIN},
	{"--mail-subject", 0, "TEXT", "Subject header of mail.eml; default: the name of the profile",
		JR_FOR_REPORT, jr_take_subject, 0, JR_PLAIN},
	{"--mail-subject", 0, "TEXT",
		"Subject header of mail.eml; default: the verdict and the names of both runs",
		JR_FOR_COMPARE, jr_take_subject, 0, JR_PLAIN},
	{"--mail-attach", 0, "PARTS",
		"what mail.eml has attached: html, pdf, html,pdf or none; default: html; mail filters "
		"often block HTML",
		BOTH, jr_take_attachments, 0, JR_PLAIN},
	{"--gate", 0, "GATE",
		"limit that must hold, for example 'step.median<+2%' or 'memory.peak<=38GB' (see Gates); "
		"may be repeated",
		BOTH, jr_take_gate, 0, JR_PLAIN},
	{"--gates", 0, "FILE", "file of gates, one per line; text after # is a comment", BOTH,
		jr_take_gates, 0, JR_READS_FILE},
	{"--inconclusive", 0, "HOW",
		"how to treat a gate that cannot be decided; pass or fail; default: exit status 5", BOTH,
		jr_take_inconclusive, 0, JR_PLAIN},
	{"--tolerance", 0, "PERCENT",
		"smallest change of step time that counts in the verdict; default: 1",
		JR_FOR_COMPARE | JR_FOR_SHOW, jr_take_tolerance, 0, JR_PLAIN},
	{"--list-metrics", 0, NULL, "print the metrics that gates can use, and exit",
		BOTH | JR_FOR_SHOW, set_metrics, 0, JR_PLAIN},
	{"--passes", 0, NULL, "print each range by its full name, without summing compiler passes",
		JR_FOR_SUMMARY, set_flag, AT(passes), JR_PLAIN},
	{"--jobs", 'j', "N", "threads to use; default: one per processor", JR_FOR_ALL & ~JR_FOR_COMBINE,
		take_threads, 0, JR_PLAIN},
	{"--quiet", 'q', NULL, "print only errors to stderr", JR_FOR_ALL, set_quiet, 0, JR_PLAIN},
	{"--verbose", 'v', NULL, "print timings to stderr", JR_FOR_ALL, set_verbose, 0, JR_PLAIN},
	{"--progress", 0, "WHEN",
		"when to show progress; auto (on a terminal), always or never; default: auto", JR_FOR_ALL,
		take_progress, 0, JR_PLAIN},
	{"--no-sandbox", 0, NULL,
		"do not sandbox the process; by default it drops access to other files, programs and the "
		"network before it reads inputs, if the kernel supports it",
		JR_FOR_ALL, set_flag, AT(no_sandbox), JR_PLAIN},
	{"--limits", 0, NULL, "print the limits on inputs, and exit", JR_FOR_ALL, set_limits, 0,
		JR_PLAIN},
	{"--help", 'h', NULL, "print this help, and exit", JR_FOR_ALL, set_help, 0, JR_PLAIN},
	{"--version", 0, NULL, "print the version, and exit", JR_FOR_ALL, set_version, 0, JR_PLAIN},
#define JR_LIMIT(field, option, value, what)                                                       \
	{option, 0, "N", what, JR_FOR_ALL, take_limit, offsetof(struct jr_limits, field), JR_BOUNDS},
	JR_LIMITS
#undef JR_LIMIT
	{NULL, 0, NULL, NULL, 0, NULL, 0, JR_PLAIN},
};
