#include <string.h>

#include "base/num.h"
#include "cli/core/confine.h"
#include "cli/core/emergency.h"
#include "cli/options/option_functions.h"
#include "cli/core/terminal.h"
#include "compare/run/run_open.h"
#include "model/inputs/combine.h"
#include "model/inputs/input.h"

/* Any zip and any folder may be combined, but not output of jaxreport. */
static enum jr_status check_inputs(const struct jr_request *request, struct jr_error *err)
{
	for (size_t i = 0; i < request->inputs.n; i++) {
		const char *path = request->inputs.items[i];
		const char *is = jr_side_made_by_us(path, &request->analysis.limits);
		if (is)
			return jr_fail(err, JR_EUNSUPPORTED, "'%s' is %s", path, is);
		const struct jr_input_ops *kind = jr_input_probe(path, &request->analysis.limits);
		if (!kind->archive)
			return jr_fail(err, JR_EUNSUPPORTED,
				"'%s' is %s, not an archive. To report on several inputs as one job, use "
				"'jaxreport report'.",
				path, kind->noun);
	}
	return JR_OK;
}

static void tell(struct jr_messages *msg, const struct jr_combined *done)
{
	char size[JR_NUM_MAX];
	jr_num_bytes(size, (double)done->total_bytes);
	jr_say_verbose(msg,
		"%zu member%s of %zu process%s, %s: %zu shared by several processes, %zu with several "
		"versions",
		done->n_members, done->n_members == 1 ? "" : "s", done->n_processes,
		done->n_processes == 1 ? "" : "es", size, done->n_shared, done->n_split);
}

static enum jr_status combine(const struct jr_request *request, struct jr_messages *msg,
	struct jr_outfile *file, struct jr_error *err)
{
	const struct jr_progress progress = {jr_on_progress, msg};
	const struct jr_combine_request what = {
		.paths = request->inputs.items,
		.n_paths = request->inputs.n,
		.keep = request->keep_reports,
		.limits = &request->analysis.limits,
		.progress = &progress,
	};
	const struct jr_confinement needs = {
		.inputs = request->inputs.items, .n_inputs = request->inputs.n, .staging = file->staging};
	struct jr_combined done;
	jr_confine(request, &needs, msg);
	JR_TRY(check_inputs(request, err));
	jr_say_progress(msg, "reading", 0, 0);
	enum jr_status status = jr_combine(&what, file, &done, err);
	if (status == JR_OK)
		status = jr_guarded_file_commit(file, err);
	jr_say_progress_end(msg);
	for (size_t i = 0; i < done.n_warnings; i++)
		jr_say_warning(msg, "%s", done.warnings[i]);
	if (status == JR_OK)
		tell(msg, &done);
	jr_combined_done(&done);
	return status;
}

enum jr_status jr_cmd_combine(const struct jr_request *request, struct jr_messages *msg,
	struct jr_buf *out, struct jr_error *err)
{
	JR_TRY(jr_output_check(request, err));
	struct jr_outfile file;
	/* Begin the output before the work, so that an output that cannot be written fails at once. */
	JR_TRY(jr_guarded_file_begin(&file, request->output, jr_combine_kind(), request->force, err));
	enum jr_status status = combine(request, msg, &file, err);
	if (status == JR_OK) {
		jr_terminal_put_path(out, request->output, strlen(request->output));
		jr_buf_putc(out, '\n');
	}
	jr_guarded_file_abandon(&file);
	return status;
}
