/*
 * output_options.h - where a command writes, and in which formats, after all options are read.
 * Layer: cli.
 */
#ifndef JR_CLI_OUTPUT_OPTIONS_H
#define JR_CLI_OUTPUT_OPTIONS_H

#include "cli/core/arguments.h"

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
