/* Properties of any result, on real archives (skipped if they do not exist). */
#include "pass_sums.h"

#include <unistd.h>

#include "model/inputs/load.h"

#define ARCHIVES "../shared/data/archives/"

static void check_archive(const char *path, bool no_align, enum jr_warmup_rule warmup)
{
	struct pass_run run = {.results = {0}};
	struct jr_options options = jr_options_default();
	struct jr_error err = {.message = ""};
	options.n_threads = 2;
	options.no_align = no_align;
	options.warmup = warmup;
	run.job = (struct job){0};
	jr_profile_init(&run.job.profile, &options);
	if (jr_load(&path, 1, NULL, &run.job.profile, &err) != JR_OK)
		fail_msg("%s", err.message);
	jr_arena_init(&run.arena, 0);
	jr_passes_run(&run.job.profile, &run.arena, &run.results);
	check_results(&run.results);
	check_sums(&run);
	passes_done(&run);
}

static void check_or_skip(const char *path)
{
	if (access(path, R_OK) != 0) {
		print_message("no %s\n", path);
		skip();
	}
	check_archive(path, false, JR_WARMUP_AUTO);
	check_archive(path, true, JR_WARMUP_NONE);
}

static UNIT(maxtext_fsdp4)
{
	check_or_skip(ARCHIVES "maxtext_fsdp4.zip");
}

static UNIT(pax_fsdp4_4proc_proc0)
{
	check_or_skip(ARCHIVES "pax_fsdp4_4proc_proc0.zip");
}

static UNIT(pax_combined_01)
{
	check_or_skip(ARCHIVES "pax_combined_01.zip");
}
