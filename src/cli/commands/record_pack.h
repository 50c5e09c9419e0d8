/*
 * record_pack.h - the archive of what was recorded.
 * Layer: cli.
 */
#ifndef JR_CLI_RECORD_PACK_H
#define JR_CLI_RECORD_PACK_H

#include "cli/core/nsys_report.h"
#include "record/pack.h"

/**
 * Make request->output of one export, and of the .nsys-rep that it was made of (its origin), where
 * there is one; what the archive lacks is said. `run`: what it was; NULL: nobody knows. The process
 * gives up its rights for it.
 * @return what jr_pack() and the output's begin and end return; with --strict also JR_ENOTFOUND,
 * where the archive is there and lacks something
 */
enum jr_status jr_record_pack(const struct jr_request *request, const struct jr_exported *exported,
	const struct jr_pack_run *run, struct jr_messages *msg, struct jr_error *err) JR_MUST_CHECK;
/** The same in a process of its own, so that this one keeps its rights, and what was recorded stays
 * where that one falls over. While there is one thread. */
enum jr_status jr_record_pack_apart(const struct jr_request *request,
	const struct jr_exported *exported, const struct jr_pack_run *run, struct jr_messages *msg,
	struct jr_error *err) JR_MUST_CHECK;

#endif
