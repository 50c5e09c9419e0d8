/*
 * output_options.h - where a command writes, and in which formats, once all options are read.
 * Layer: cli.
 */
#ifndef JR_CLI_OUTPUT_OPTIONS_H
#define JR_CLI_OUTPUT_OPTIONS_H

#include "cli/core/arguments.h"

/**
 * Tell "-o -" from a folder, and choose the formats where none were.
 * @return JR_EUSAGE options that mean nothing where there is no folder
 */
enum jr_status jr_output_formats(struct jr_request *request, struct jr_error *err) JR_MUST_CHECK;
/**
 * Name the output after the inputs where the command makes one that was not named.
 * @return JR_EUSAGE the command has to be told, or the inputs have no name
 */
enum jr_status jr_output_name(struct jr_request *request, struct jr_error *err) JR_MUST_CHECK;
/**
 * -f is no leave to lose an input or a store: what it replaces may be none, nor hold one.
 * @return JR_EUSAGE it is, or does
 */
enum jr_status jr_output_check(const struct jr_request *request, struct jr_error *err)
	JR_MUST_CHECK;

#endif
