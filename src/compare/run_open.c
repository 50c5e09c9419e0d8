#include "compare/run_open.h"

#include <string.h>
#include <sys/stat.h>

#include "analysis/pass.h"
#include "base/file.h"

static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n >= m && strcmp(s + n - m, end) == 0;
}

/* The report.json that a path means, or NULL: a file of that ending, or one in a folder of ours. */
static const char *report_of(const char *path, struct jr_arena *arena)
{
	if (is_file(path))
		return ends_with(path, ".json") ? path : NULL;
	const char *marker = jr_arena_printf(arena, "%s/%s", path, JR_OUTDIR_MARKER);
	const char *report = jr_arena_printf(arena, "%s/report.json", path);
	return is_file(marker) && is_file(report) ? report : NULL;
}

static enum jr_status open_report(
	struct jr_side *side, const char *path, const struct jr_options *options, struct jr_error *err)
{
	const char *slash = strrchr(path, '/');
	const char *folder =
		slash ? jr_arena_strndup(&side->arena, path, (size_t)(slash - path) + 1) : "";
	struct jr_file_map map;
	JR_TRY(jr_file_map(path, &map, err));
	enum jr_status status =
		jr_run_of_json(&side->run, map.bytes, folder, &options->limits, &side->arena, err);
	jr_file_unmap(&map);
	return status == JR_OK ? JR_OK : jr_context(err, status, "'%s'", path);
}

enum jr_status jr_side_open(struct jr_side *side, const char *const *paths, size_t n_paths,
	const struct jr_options *options, const struct jr_progress *progress, struct jr_error *err)
{
	*side = (struct jr_side){0};
	jr_arena_init(&side->arena, options->limits.memory_bytes);
	const char *report = n_paths == 1 ? report_of(paths[0], &side->arena) : NULL;
	if (report)
		return open_report(side, report, options, err);
	side->computed = true;
	jr_profile_init(&side->profile, options);
	JR_TRY(jr_load(paths, n_paths, progress, &side->profile, err));
	jr_passes_run(&side->profile, &side->arena, &side->results);
	jr_run_of_results(&side->run, &side->profile, &side->results, &side->arena);
	return JR_OK;
}

void jr_side_done(struct jr_side *side)
{
	if (side->computed)
		jr_profile_done(&side->profile);
	jr_arena_done(&side->arena);
	side->computed = false;
}
