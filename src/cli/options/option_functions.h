/*
 * option_functions.h - functions of options, which rows of jr_option_table name, and what is
 * checked after all options are read.
 * Layer: cli.
 */
#ifndef JR_CLI_OPTION_FUNCTIONS_H
#define JR_CLI_OPTION_FUNCTIONS_H

#include "cli/core/arguments.h"

/** Check that the path of an option exists or, for an output, that its folder does.
 * @return JR_EIO it does not exist; JR_EUSAGE it is empty, or not a folder where one is read */
enum jr_status jr_path_check(
	const struct jr_option *option, const char *value, struct jr_error *err) JR_MUST_CHECK;
/** Check a path whose kind depends on other options. */
enum jr_status jr_path_check_as(enum jr_option_kind kind, const char *option, const char *value,
	struct jr_error *err) JR_MUST_CHECK;

/* Of rows of jr_option_table: jr_take_path() takes any text, whose kind has been checked,
 * jr_take_text() any but the empty one. */
jr_option_fn jr_take_path, jr_take_text;
jr_option_fn jr_take_run, jr_take_device, jr_take_strip_prefix, jr_take_source_prefix;

/** Take --from as the one input of a command that has no other inputs, and name its output.
 * @return JR_EUSAGE --from is missing, or another input is given */
enum jr_status jr_take_only_from(struct jr_request *request, struct jr_error *err) JR_MUST_CHECK;

/* Of rows of jr_option_table. Lists are in r->texts. */
jr_option_fn jr_take_devices, jr_take_steps, jr_take_time_range, jr_take_pattern;

/* Of a row of jr_option_table. */
jr_option_fn jr_take_what_if;
/** Append the possible changes, one per line. */
void jr_what_ifs_list(struct jr_buf *out);
/** Check that everything that they name is in the profile. JR_EUSAGE: the first that is not, with
 * the nearest name. */
enum jr_status jr_what_ifs_check(const struct jr_request *r, const struct jr_profile *profile,
	struct jr_error *err) JR_MUST_CHECK;

/* Of rows of jr_option_table. */
jr_option_fn jr_take_gate, jr_take_gates, jr_take_inconclusive, jr_take_tolerance;

/** Append a line per gate: "gate pass  memory.peak<=38GB: 22.1 GB". */
void jr_gates_tell(struct jr_buf *out, const struct jr_gate_result *gates, size_t n);
/** Return the result of all gates: JR_OK, or JR_EGATE or JR_EUNCLEAR with a line that names the
 * first. */
enum jr_status jr_gates_status(const struct jr_gate_result *gates, size_t n,
	enum jr_inconclusive inconclusive, struct jr_error *err) JR_MUST_CHECK;

#define JR_HISTORY_LAST 100 /* runs shown without --last */

/* Of rows of jr_option_table. */
jr_option_fn jr_take_line, jr_take_time, jr_take_metric;

/** Append the moment that many seconds after the start of 1970, UTC; from 0 to the end of the year
 * 9999. */
void jr_iso_time_put(struct jr_buf *out, int64_t seconds);
#define JR_ISO_TIME_MAX INT64_C(253402300799)

/* Of rows of jr_option_table. Attached is "html", "pdf", "html,pdf" or "none". */
jr_option_fn jr_take_address, jr_take_subject, jr_take_attachments;

/* Of rows of jr_option_table; jr_take_nsys_word() takes a word that is passed to nsys unchanged,
 * jr_take_nsys_option() an option that nsys has under the same name. */
jr_option_fn jr_take_nsys_word, jr_take_nsys_option, jr_take_protos;

/** The schema of HLO in a tree of XLA's sources. */
#define JR_XLA_SCHEMA "xla/service/hlo.proto"
/** Check for options that exclude each other or are missing. Once, after all are read. */
enum jr_status jr_record_check(struct jr_request *r, struct jr_error *err) JR_MUST_CHECK;

/**
 * Check the name of the archive. -o NAME writes NAME if it ends in .zip, else NAME.zip. Refuses
 * NAME without .zip if it exists as something else: a folder, a device, a file of another kind. "-"
 * is not checked.
 * @param name  as given, NULL: not given; `stem`: the name without .zip
 */
enum jr_status jr_zip_check(const char *name, const char *stem, struct jr_error *err) JR_MUST_CHECK;

/**
 * Distinguish "-o -" from a folder, and choose the formats if none are given.
 * @return JR_EUSAGE options that have no effect without a folder
 */
enum jr_status jr_output_formats(struct jr_request *request, struct jr_error *err) JR_MUST_CHECK;
/**
 * Name the output after the inputs if the command makes one and none is named.
 * @return JR_EUSAGE the command requires -o, or the inputs have no name
 */
enum jr_status jr_output_name(struct jr_request *request, struct jr_error *err) JR_MUST_CHECK;
/**
 * Check that the output does not replace an input or a store, not even with -f: it may not be one,
 * nor contain one.
 * @return JR_EUSAGE it is one, or contains one
 */
enum jr_status jr_output_check(const struct jr_request *request, struct jr_error *err)
	JR_MUST_CHECK;

#endif
