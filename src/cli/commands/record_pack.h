/*
 * record_pack.h - make the archive of a recording.
 * Layer: cli.
 */
#ifndef JR_CLI_RECORD_PACK_H
#define JR_CLI_RECORD_PACK_H

#include "cli/core/nsys_report.h"
#include "record/pack.h"

/**
 * Make request->output of one export, and of the .nsys-rep that it came from (its origin), if there
 * is one. Warns about what the archive lacks. `run` describes the recording; NULL: not known. The
 * process gives up its rights.
 * @return errors of jr_pack() and of the output's begin and commit; with --strict also
 *         JR_ENOTFOUND, if the archive was written and lacks something
 */
enum jr_status jr_record_pack(const struct jr_request *request, const struct jr_exported *exported,
	const struct jr_pack_run *run, struct jr_messages *msg, struct jr_error *err) JR_MUST_CHECK;
/** Make the archive in a separate process, so that this one keeps its rights, and the recording is
 * kept if that one crashes. Only while there is one thread. */
enum jr_status jr_record_pack_apart(const struct jr_request *request,
	const struct jr_exported *exported, const struct jr_pack_run *run, struct jr_messages *msg,
	struct jr_error *err) JR_MUST_CHECK;
/** Write a digest of the archive next to it, in a separate process like jr_record_pack_apart().
 * @return errors of jr_cmd_digest() */
enum jr_status jr_record_digest(const struct jr_request *request, const char *archive,
	struct jr_messages *msg, struct jr_error *err) JR_MUST_CHECK;

#endif
