#include <string.h>

#include "cli/commands.h"
#include "cli/confine.h"
#include "cli/emergency.h"
#include "cli/nsys_report.h"
#include "cli/output_options.h"
#include "cli/terminal.h"
#include "compare/run_open.h"
#include "model/input.h"
#include "record/pack.h"
#include "report/report.h"

static enum jr_status check_input(
	const struct jr_request *request, const char *path, struct jr_error *err)
{
	const char *is = jr_side_made_by_us(path, &request->analysis.limits);
	if (is)
		return jr_fail(err, JR_EUNSUPPORTED, "'%s' is %s", path, is);
	enum jr_input_kind kind = jr_input_probe(path, &request->analysis.limits);
	if (kind != JR_INPUT_NSYS_SQLITE)
		return jr_fail(err, JR_EUNSUPPORTED,
			"'%s' is %s, no export or report of Nsight Systems to make an archive of", path,
			jr_input_sorts[kind].noun);
	return JR_OK;
}

static void tell(
	struct jr_messages *msg, const struct jr_request *request, const struct jr_pack_told *told)
{
	if (!told->has_xla)
		jr_say_warning(msg, "the profile holds no NVTX range of XLA");
	if (!told->has_gpu_work)
		jr_say_warning(msg,
			"the profile holds no GPU operation within an NVTX range: no trace of modules and "
			"thunks (was a GPU visible? --trace without cuda?)");
	if (!request->analysis.xla_dump)
		jr_say_warning(msg, "the archive holds no HLO: --xla-dump names the folder of it");
	else if (!told->n_dumps)
		jr_say_warning(msg,
			"no HLO was dumped to '%s' (XLA_FLAGS overwritten by the program? not a JAX program? "
			"compilation cache of a jaxlib before 2025-09?)",
			request->analysis.xla_dump);
	if (told->n_damaged_dumps)
		jr_say_warning(msg, "%zu dump%s cannot be decoded; %s along as %s", told->n_damaged_dumps,
			told->n_damaged_dumps == 1 ? "" : "s",
			told->n_damaged_dumps == 1 ? "it goes" : "they go",
			told->n_damaged_dumps == 1 ? "it is" : "they are");
	if (told->n_processes > 1)
		jr_say_warning(msg,
			"the export holds %zu processes, and an archive is taken as of one: their programs may "
			"bear the same numbers",
			told->n_processes);
	jr_say_verbose(msg, "%zu members: %zu dump%s, %zu source%s; %zu named by dumps left out",
		told->n_members, told->n_dumps, told->n_dumps == 1 ? "" : "s", told->n_sources,
		told->n_sources == 1 ? "" : "s", told->n_sources_left_out);
}

static enum jr_status record(const struct jr_request *request, const struct jr_exported *exported,
	struct jr_messages *msg, struct jr_outfile *file, struct jr_error *err)
{
	static const char *const anywhere[] = {"/"};
	bool sources = request->analysis.xla_dump && !request->analysis.no_sources;
	bool bounded = request->source_prefixes.n > 0;
	const struct jr_pack_job job = {
		.sqlite_path = exported->paths[0],
		.dump_dir = request->analysis.xla_dump,
		.version = JR_VERSION,
		.sources = sources,
		.source_prefixes = request->source_prefixes.items,
		.n_source_prefixes = request->source_prefixes.n,
		.limits = &request->analysis.limits,
		.n_threads = request->analysis.n_threads,
	};
	/* Sources lie wherever the program was read from. */
	const struct jr_confinement needs = {
		.inputs = exported->paths,
		.n_inputs = 1,
		.origins = exported->origins,
		.staging = file->staging,
		.folders = bounded ? request->source_prefixes.items : anywhere,
		.n_folders = !sources  ? 0
					 : bounded ? request->source_prefixes.n
							   : 1,
	};
	struct jr_pack_told told;
	jr_confine(request, &needs, msg);
	JR_TRY(check_input(request, exported->paths[0], err));
	jr_say_progress(msg, "packing", 0, 0);
	enum jr_status status = jr_pack(&job, file, &told, err);
	if (status != JR_OK)
		return jr_context(err, status, "'%s'", request->from);
	JR_TRY(jr_guarded_file_commit(file, err));
	jr_say_progress_end(msg);
	tell(msg, request, &told);
	return JR_OK;
}

enum jr_status jr_cmd_record(const struct jr_request *request, struct jr_messages *msg,
	struct jr_buf *out, struct jr_error *err)
{
	JR_TRY(jr_output_check(request, err));
	struct jr_outfile file;
	/* Before the work, so that an output that cannot be is told at once. */
	JR_TRY(jr_guarded_file_begin(&file, request->output, jr_combine_kind(), request->force, err));
	struct jr_exported exported;
	enum jr_status status = jr_nsys_reports_export(request, msg, &exported, err);
	if (status == JR_OK)
		status = record(request, &exported, msg, &file, err);
	jr_exported_done(&exported);
	if (status == JR_OK) {
		jr_terminal_put_path(out, request->output, strlen(request->output));
		jr_buf_putc(out, '\n');
	}
	jr_guarded_file_abandon(&file);
	return status;
}
