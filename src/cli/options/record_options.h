/*
 * record_options.h - options of `jaxreport record`.
 * Layer: cli.
 */
#ifndef JR_CLI_RECORD_OPTIONS_H
#define JR_CLI_RECORD_OPTIONS_H

#include "cli/core/arguments.h"

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

#endif
