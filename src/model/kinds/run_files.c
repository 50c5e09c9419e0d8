/* Choosing the files of a jax.profiler run in a folder or archive: the newest run by default. */
#include "model/kinds/kind_parts.h"

#include <string.h>

#include "base/cleanup.h"
#include "formats/archive/foreign.h"
#include "model/kinds/xspaces.h"

static bool is_called(const char *name, const struct jr_input_ops *kind)
{
	const char *slash = strrchr(name, '/');
	return jr_input_named(slash ? slash + 1 : name, kind);
}

/* Runs are named by their end time, year first, so the last name is the newest run. */
static int compare_runs(const char *a, size_t n_a, const char *b, size_t n_b)
{
	int order = memcmp(a, b, n_a < n_b ? n_a : n_b);
	return order ? order : (n_a > n_b) - (n_a < n_b);
}

/* Whether the last part of a member's folder is `run`. */
static bool of_run(const char *name, const char *run)
{
	size_t n = jr_source_folder_size(name), length = strlen(run);
	return n > length && memcmp(name + n - 1 - length, run, length) == 0 &&
		   (n - 1 == length || name[n - 2 - length] == '/');
}

/* Whether two members are in the same folder or in sibling folders, like the runs of one log. */
static bool beside(const char *a, const char *b)
{
	size_t n_a = jr_source_folder_size(a), n_b = jr_source_folder_size(b), base = n_a ? n_a - 1 : 0;
	while (base && a[base - 1] != '/')
		base--;
	return n_a && n_b > base && memcmp(a, b, base) == 0 && !memchr(b + base, '/', n_b - 1 - base);
}

/* Whether all runs are requested. */
static bool all_runs(const char *run)
{
	return run && strcmp(run, "all") == 0;
}

/* List the files of the newest run, the requested run, or all runs. `log`: a member of the only log
 * to consider; NULL: all logs. */
static size_t list_run(const struct jr_archive *archive, const struct jr_input_ops *kind,
	const char *run, const char *log, struct jr_arena *arena, size_t **members)
{
	size_t n = 0, found = 0, best = SIZE_MAX;
	*members = JR_ARENA_N(arena, size_t, jr_archive_count(archive) + 1);
	for (size_t i = 0; i < jr_archive_count(archive); i++) {
		const char *name = jr_archive_at(archive, i)->name;
		if (!is_called(name, kind) || (log && !beside(name, log)))
			continue;
		found++;
		size_t size = jr_source_folder_size(name);
		if (all_runs(run)) {
			(*members)[n++] = i;
			continue;
		}
		if (run && !of_run(name, run))
			continue;
		const char *known = best == SIZE_MAX ? NULL : jr_archive_at(archive, best)->name;
		if (!known || compare_runs(name, size, known, jr_source_folder_size(known)) > 0)
			best = i;
	}
	for (size_t i = 0; best != SIZE_MAX && i < jr_archive_count(archive); i++) {
		const char *name = jr_archive_at(archive, i)->name;
		const char *folder = jr_archive_at(archive, best)->name;
		size_t size = jr_source_folder_size(folder);
		if (is_called(name, kind) && jr_source_folder_size(name) == size &&
			memcmp(name, folder, size) == 0)
			(*members)[n++] = i;
	}
	return found ? n : SIZE_MAX;
}

static size_t list_runs(const struct jr_archive *archive, const char **runs, size_t room)
{
	size_t n = 0;
	const char *last = NULL;
	for (size_t i = 0; i < jr_archive_count(archive); i++) {
		const char *name = jr_archive_at(archive, i)->name;
		size_t size = jr_source_folder_size(name);
		if (!is_called(name, &jr_input_xspace) && !is_called(name, &jr_input_trace_json))
			continue;
		if (!last || jr_source_folder_size(last) != size || memcmp(last, name, size) != 0) {
			if (n < room)
				runs[n] = name;
			n++;
		}
		last = name;
	}
	return n;
}

size_t jr_run_files(const struct jr_archive *archive, const char *run, struct jr_arena *arena,
	size_t **members, size_t *n_runs, const struct jr_input_ops **kind)
{
	size_t *traces, n = list_run(archive, &jr_input_xspace, run, NULL, arena, members);
	const char *newest = n && n != SIZE_MAX ? jr_archive_at(archive, (*members)[0])->name : NULL;
	size_t n_traces = list_run(archive, &jr_input_trace_json, run, newest, arena, &traces);
	*n_runs = list_runs(archive, NULL, 0);
	if (n != SIZE_MAX)
		*kind = &jr_input_xspace;
	if (n_traces == SIZE_MAX)
		return n;
	if (newest && all_runs(run))
		return n;
	if (newest) {
		const char *name = n_traces ? jr_archive_at(archive, traces[0])->name : newest;
		if (compare_runs(
				name, jr_source_folder_size(name), newest, jr_source_folder_size(newest)) <= 0)
			return n;
	} else if (n == 0 && n_traces == 0)
		return 0;
	*kind = &jr_input_trace_json;
	*members = traces;
	return n_traces;
}

enum jr_status jr_run_files_beside(
	const struct jr_archive *archive, const char *input, struct jr_error *err)
{
	if (jr_archive_count(archive) + jr_archive_links(archive) == 0 &&
		jr_archive_is_directory(archive))
		return jr_fail(err, JR_ENOTFOUND,
			"'%s' is empty. Check that the program did not end before its profile was written.",
			input);
	for (size_t i = 0; i < jr_archive_count(archive); i++) {
		const char *name = jr_archive_at(archive, i)->name;
		const char *hint = jr_foreign_name_hint(name);
		JR_CLEANUP(jr_buf_done) struct jr_buf clean = {0};
		if (hint)
			return jr_fail(err, JR_EUNSUPPORTED,
				"'%s' does not contain an .xplane.pb file: '%s' %s", input,
				jr_archive_clean_name(&clean, name), hint);
	}
	return JR_OK;
}

#define MOST_RUNS_NAMED 8

/* Append the last part of a member's folder, which is the name of the run. */
static void put_run(struct jr_buf *out, const char *member)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf clean = {0};
	const char *slash = strrchr(member, '/');
	size_t end = slash ? (size_t)(slash - member) : 0, begin = end;
	while (begin && member[begin - 1] != '/')
		begin--;
	jr_buf_add(&clean, member + begin, end - begin);
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	jr_buf_puts(out, jr_archive_clean_name(&name, clean.size ? clean.data : "."));
}

void jr_tell_other_runs(
	struct jr_profile *p, const struct jr_archive *archive, const char *read, size_t n_runs)
{
	const char *runs[MOST_RUNS_NAMED + 1];
	size_t n = list_runs(archive, runs, JR_COUNT_OF(runs)), named = 0;
	const char *slash = strrchr(read, '/');
	size_t folder = slash ? (size_t)(slash + 1 - read) : 0;
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_puts(&text, "older runs of jax.profiler in the same folder are left out: ");
	for (size_t i = 0; i < n && i < JR_COUNT_OF(runs) && named < MOST_RUNS_NAMED; i++) {
		const char *end = strrchr(runs[i], '/');
		if ((end ? (size_t)(end + 1 - runs[i]) : 0) == folder && memcmp(runs[i], read, folder) == 0)
			continue;
		jr_buf_puts(&text, named++ ? ", " : "");
		put_run(&text, runs[i]);
	}
	if (n_runs - 1 > named)
		jr_buf_printf(&text, " and %zu more", n_runs - 1 - named);
	jr_buf_puts(&text, ". Use --run NAME to read one of them, or --run all to read all");
	jr_profile_guess(p, "newest-run", n_runs - 1, jr_arena_strdup(&p->arena, text.data));
}
