/*
 * record_options.h - options of `jaxreport record`.
 * Layer: cli.
 */
#ifndef JR_CLI_RECORD_OPTIONS_H
#define JR_CLI_RECORD_OPTIONS_H

#include "cli/core/arguments.h"

enum jr_status jr_take_nsys(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
/** Take "--nsys-option=WORD", a word that is passed to nsys unchanged. */
enum jr_status jr_take_nsys_word(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
/** Take an option that nsys has under the same name: "--trace LIST". */
enum jr_status jr_take_nsys_option(struct jr_request *r, const struct jr_option *o,
	const char *value, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_take_grace(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_take_rule(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_take_dump(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_take_protos(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_take_xla_flags(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_take_report(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;

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

#endif
