#include "compare/run/run_open.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/core/pass.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "compare/core/compare.h"
#include "compare/history/history.h"
#include "compare/history/trend.h"
#include "formats/nsys/sqlite_rows.h"
#include "model/inputs/input.h"
#include "report/core/report.h"

static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static enum jr_status open_json(
	struct jr_side *side, const char *path, const struct jr_options *options, struct jr_error *err)
{
	const char *slash = strrchr(path, '/');
	const char *folder =
		slash ? jr_arena_strndup(&side->arena, path, (size_t)(slash - path) + 1) : "";
	JR_CLEANUP(jr_file_unmap) struct jr_file_map map = {0};
	JR_TRY(jr_file_map(path, &map, err));
	return jr_run_of_json(&side->run, map.bytes, folder, &options->limits, &side->arena, err);
}

static enum jr_status open_sqlite(
	struct jr_side *side, const char *path, const struct jr_options *options, struct jr_error *err)
{
	return jr_run_of_sqlite(&side->run, path, &options->limits, &side->arena, err);
}

/* Whether a database has the tables of a report. `damaged`: set if that could not be read. */
static bool has_our_tables(const char *path, const struct jr_limits *limits, bool *damaged)
{
	struct jr_sqlite *db = NULL;
	bool found = false;
	uint64_t n;
	*damaged = false;
	if (!jr_sqlite_is(path) || jr_sqlite_open(path, limits, &db, NULL) != JR_OK)
		return false;
	static const char *const columns[] = {"path"};
	enum jr_status status =
		jr_sqlite_rows(db, "report_value", columns, 1, NULL, NULL, &found, &n, NULL);
	jr_sqlite_close(&db);
	*damaged = status != JR_OK;
	return found;
}

/* A database without a report's tables is an Nsight Systems export, or unknown. */
static bool is_our_database(const char *path, const struct jr_limits *limits)
{
	bool damaged, found = has_our_tables(path, limits, &damaged);
	return found || damaged;
}

/* The first bytes of a file as text; "" if it is not a readable file. */
static void read_head(const char *path, char *head, size_t size)
{
	int fd = is_file(path) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	ssize_t n = fd < 0 ? 0 : pread(fd, head, size - 1, 0);
	if (fd >= 0)
		close(fd);
	head[n > 0 ? n : 0] = '\0';
}

bool jr_side_is_json(const char *path)
{
	char head[64];
	read_head(path, head, sizeof(head));
	const char *text =
		head + jr_text_mark_bytes((struct jr_bytes){(const uint8_t *)head, strlen(head)});
	return is_file(path) && (jr_text_ends(path, ".json") || text[strspn(text, " \t\r\n")] == '{');
}

/* A Chrome trace is JSON, too. */
static bool is_json(const char *path, const struct jr_limits *limits)
{
	return jr_side_is_json(path) &&
		   (!jr_input_known(path, limits) || jr_side_made_by_us(path, limits));
}

/* Forms of earlier reports, in the order in which a folder is searched, and how a file of each is
 * recognized. */
static const struct form {
	const char *name;
	bool (*is)(const char *path, const struct jr_limits *limits);
	enum jr_status (*open)(struct jr_side *side, const char *path, const struct jr_options *options,
		struct jr_error *err);
} forms[] = {
	{"report.json", is_json, open_json},
	{"profile.sqlite", is_our_database, open_sqlite},
};

static bool is_made_by_us(const char *folder, struct jr_arena *arena)
{
	return is_file(jr_arena_printf(arena, "%s/%s", folder, JR_OUTDIR_MARKER));
}

/* The form of the earlier report at a path, and its file; NULL: none. */
static const struct form *find_report(
	const char *path, const struct jr_limits *limits, struct jr_arena *arena, const char **file)
{
	bool folder = is_made_by_us(path, arena);
	for (size_t i = 0; i < JR_COUNT_OF(forms); i++) {
		*file = folder ? jr_arena_printf(arena, "%s/%s", path, forms[i].name) : path;
		if (is_file(*file) && forms[i].is(*file, limits))
			return &forms[i];
	}
	return NULL;
}

static const char report_is[] =
	"an earlier report. Use it with 'jaxreport compare' or 'jaxreport history add'.";

const char *jr_side_made_by_us(const char *path, const struct jr_limits *limits)
{
	static const struct {
		const char *schema, *is;
	} kinds[] = {
		{"\"" JR_REPORT_SCHEMA "\"", report_is},
		{"\"" JR_COMPARE_SCHEMA "\"", "a comparison. Pass the two runs that it compares."},
		{"\"" JR_TREND_SCHEMA "\"",
			"the trend of a store. Pass the store to 'jaxreport history show'."},
		{"\"" JR_HISTORY_SCHEMA "\"", "a store of runs. Use 'jaxreport history show'."},
	};
	struct jr_arena arena;
	char head[128];
	bool damaged;
	jr_arena_init(&arena, 0);
	bool folder = is_made_by_us(path, &arena);
	read_head(
		folder ? jr_arena_printf(&arena, "%s/%s", path, forms[0].name) : path, head, sizeof(head));
	jr_arena_done(&arena);
	for (size_t i = 0; i < JR_COUNT_OF(kinds); i++)
		if (strstr(head, kinds[i].schema))
			return kinds[i].is;
	return folder || has_our_tables(path, limits, &damaged) ? report_is : NULL;
}

/* Reject earlier reports that cannot be compared, before the paths are read as a profile. */
static enum jr_status check_paths(const char *const *paths, size_t n_paths,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_error *err)
{
	if (n_paths == 1 && is_made_by_us(paths[0], arena))
		return jr_fail(err, JR_ENOTFOUND,
			"'%s' is an earlier report without report.json and profile.sqlite. Write it "
			"again with --format json,csv or sqlite.",
			paths[0]);
	for (size_t i = 0; n_paths > 1 && i < n_paths; i++)
		if (jr_side_made_by_us(paths[i], limits) == report_is)
			return jr_fail(err, JR_EUNSUPPORTED,
				"'%s' is an earlier report, which must be the only input: several inputs "
				"must belong to one job",
				paths[i]);
	return JR_OK;
}

enum jr_status jr_side_open(struct jr_side *side, const char *const *paths,
	const char *const *origins, size_t n_paths, const struct jr_options *options,
	const struct jr_progress *progress, struct jr_error *err)
{
	*side = (struct jr_side){0};
	jr_arena_init(&side->arena, options->limits.memory_bytes);
	const char *file;
	const struct form *form =
		n_paths == 1 ? find_report(paths[0], &options->limits, &side->arena, &file) : NULL;
	if (form && options->run)
		return jr_fail(err, JR_EUSAGE,
			"'%s' is an earlier report, which has no jax.profiler runs to select. Leave out --run.",
			paths[0]);
	if (form && jr_selection_given(&options->selection))
		return jr_fail(err, JR_EUSAGE,
			"'%s' is an earlier report, of which no part can be selected. Use the profile that it "
			"was made of, or leave out --devices, --steps, --time, --range and --program.",
			paths[0]);
	if (form) {
		const char *is = jr_side_made_by_us(paths[0], &options->limits);
		if (is && is != report_is)
			return jr_fail(err, JR_EUNSUPPORTED, "'%s' is %s", paths[0], is);
		enum jr_status status = form->open(side, file, options, err);
		return status == JR_OK ? JR_OK : jr_context(err, status, "'%s'", file);
	}
	JR_TRY(check_paths(paths, n_paths, &options->limits, &side->arena, err));
	side->computed = true;
	jr_profile_init(&side->profile, options);
	JR_TRY(origins ? jr_load_as(paths, origins, n_paths, progress, &side->profile, err)
				   : jr_load(paths, n_paths, progress, &side->profile, err));
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
