/*
 * record_options.h - options of `jaxreport record`.
 * Layer: cli.
 */
#ifndef JR_CLI_RECORD_OPTIONS_H
#define JR_CLI_RECORD_OPTIONS_H

#include "cli/core/arguments.h"

enum jr_status jr_take_nsys(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
/** "--nsys-option=WORD", a word of nsys as it is. */
enum jr_status jr_take_nsys_word(struct jr_request *r, const struct jr_option *o, const char *value,
	struct jr_error *err) JR_MUST_CHECK;
/** An option that is nsys's own, by its name: "--trace LIST". */
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

/** The schema of HLO below a tree of XLA's sources. */
#define JR_XLA_SCHEMA "xla/service/hlo.proto"
/** What cannot be together, and what is missing. Once, when all is read. */
enum jr_status jr_record_check(struct jr_request *r, struct jr_error *err) JR_MUST_CHECK;

/**
 * -o NAME writes NAME where that ends in .zip, else NAME.zip. Refuse NAME without .zip where it is
 * something else: a folder, a device, a file of another kind. "-" is not looked at.
 * @param name  as given, NULL: not at all; `stem`: what it stands for, without .zip
 */
enum jr_status jr_zip_check(const char *name, const char *stem, struct jr_error *err) JR_MUST_CHECK;

#endif
