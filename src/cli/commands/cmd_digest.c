#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "cli/core/confine.h"
#include "cli/core/emergency.h"
#include "cli/core/nsys_report.h"
#include "cli/core/terminal.h"
#include "cli/core/unread.h"
#include "cli/options/option_functions.h"
#include "compare/run/run_open.h"
#include "model/inputs/digest_write.h"

static struct jr_unread_words gap_words(const struct jr_request *request)
{
	return (struct jr_unread_words){
		.input = request->inputs.items[0], .ending = "; the digest does not include it"};
}

static enum jr_status digest(const struct jr_request *request, struct jr_messages *msg,
	const struct jr_exported *exported, struct jr_outfile *file, struct jr_profile *profile,
	struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf bytes = {0};
	const char *path = exported->paths[0];
	const char *is = jr_side_made_by_us(path, &request->analysis.limits);
	if (is)
		return jr_fail(err, JR_EUNSUPPORTED, "'%s' is %s", path, is);
	const struct jr_unread_words words = gap_words(request);
	jr_say_progress(msg, "reading", 0, 0);
	enum jr_status status = jr_digest_write(path, exported->origins[0], profile, &bytes, err);
	if (status == JR_OK)
		status = jr_unread_strict(request, msg, profile, &words, err);
	if (status == JR_OK)
		status = jr_outfile_write(file, bytes.data, bytes.size, err);
	if (status == JR_OK)
		status = jr_guarded_file_commit(file, err);
	jr_say_progress_end(msg);
	if (status == JR_OK) {
		char size[JR_NUM_MAX];
		jr_num_bytes(size, (double)bytes.size);
		jr_say_verbose(msg, "%s", size);
	}
	return status;
}

enum jr_status jr_cmd_digest(const struct jr_request *request, struct jr_messages *msg,
	struct jr_buf *out, struct jr_error *err)
{
	JR_TRY(jr_output_check(request, err));
	struct jr_outfile file;
	struct jr_exported exported = {0};
	struct jr_profile profile;
	/* Begin the output before the work, so that an output that cannot be written fails at once. */
	JR_TRY(jr_guarded_file_begin(&file, request->output, jr_digest_kind(), request->force, err));
	enum jr_status status = jr_confine_to_inputs(request, msg, file.staging, &exported, err);
	jr_profile_init(&profile, &request->analysis);
	if (status == JR_OK)
		status = digest(request, msg, &exported, &file, &profile, err);
	if (status == JR_OK) {
		jr_terminal_put_path(out, request->output, strlen(request->output));
		jr_buf_putc(out, '\n');
		const struct jr_unread_words words = gap_words(request);
		status = jr_unread_tell(msg, &profile, &words, err);
	}
	jr_guarded_file_abandon(&file);
	jr_exported_done(&exported);
	jr_profile_done(&profile);
	return status;
}
