#include "compare/run_open.h"

#include <string.h>
#include <sys/stat.h>

#include "analysis/pass.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "formats/sqlite_rows.h"

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

static enum jr_status open_json(
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
	return status;
}

static enum jr_status open_sqlite(
	struct jr_side *side, const char *path, const struct jr_options *options, struct jr_error *err)
{
	return jr_run_of_sqlite(&side->run, path, &options->limits, &side->arena, err);
}

/* A database without our tables is an export of Nsight Systems, or nothing that is known. */
static bool is_our_database(const char *path, const struct jr_limits *limits)
{
	struct jr_sqlite *db = NULL;
	bool found = false;
	uint64_t n;
	if (!jr_sqlite_is(path) || jr_sqlite_open(path, limits, &db, NULL) != JR_OK)
		return false;
	static const char *const columns[] = {"path"};
	enum jr_status status =
		jr_sqlite_rows(db, "report_value", columns, 1, NULL, NULL, &found, &n, NULL);
	jr_sqlite_close(&db);
	return found || status != JR_OK;
}

static bool is_json(const char *path, const struct jr_limits *limits)
{
	(void)limits;
	return ends_with(path, ".json");
}

/* Earlier reports: what a folder of ours is looked through for, in this order, and how a file is
 * known for one. */
static const struct form {
	const char *name;
	bool (*is)(const char *path, const struct jr_limits *limits);
	enum jr_status (*open)(struct jr_side *side, const char *path, const struct jr_options *options,
		struct jr_error *err);
} forms[] = {
	{"report.json", is_json, open_json},
	{"profile.sqlite", is_our_database, open_sqlite},
};

/* The form of the earlier report that a path means, and its file; NULL: it means none. */
static const struct form *find_report(
	const char *path, const struct jr_limits *limits, struct jr_arena *arena, const char **file)
{
	bool folder = is_file(jr_arena_printf(arena, "%s/%s", path, JR_OUTDIR_MARKER));
	for (size_t i = 0; i < JR_COUNT_OF(forms); i++) {
		*file = folder ? jr_arena_printf(arena, "%s/%s", path, forms[i].name) : path;
		if (is_file(*file) && forms[i].is(*file, limits))
			return &forms[i];
	}
	return NULL;
}

enum jr_status jr_side_open(struct jr_side *side, const char *const *paths, size_t n_paths,
	const struct jr_options *options, const struct jr_progress *progress, struct jr_error *err)
{
	*side = (struct jr_side){0};
	jr_arena_init(&side->arena, options->limits.memory_bytes);
	const char *file;
	const struct form *form =
		n_paths == 1 ? find_report(paths[0], &options->limits, &side->arena, &file) : NULL;
	if (form) {
		enum jr_status status = form->open(side, file, options, err);
		return status == JR_OK ? JR_OK : jr_context(err, status, "'%s'", file);
	}
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
