#include "cli/core/nsys_report.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/core/child.h"
#include "cli/core/emergency.h"
#include "model/inputs/input.h"

static const char DATA_ENDING[] = ".qdstrm";

/* Return true for a file that nsys collected and did not convert. */
static bool is_data(const char *path)
{
	const char *dot = strrchr(path, '.');
	return dot && strcmp(dot, DATA_ENDING) == 0;
}

/* Return true for a report of nsys. The format is closed, so only the name can be checked; a file
 * whose content is of another kind is that kind. */
static bool is_report(const char *path, const struct jr_limits *limits)
{
	struct stat st;
	return (jr_input_is_report(path) || is_data(path)) && stat(path, &st) == 0 &&
		   S_ISREG(st.st_mode) && !jr_input_known(path, limits);
}

/* Return "./-x" for "-x", so that it is not taken for an option. */
static const char *plain_path(struct jr_arena *arena, const char *path)
{
	return path[0] == '-' ? jr_arena_printf(arena, "./%s", path) : path;
}

/* Return a file of that name in any folder of PATH. A failed search also ends with EACCES if a
 * folder of PATH cannot be searched; this distinguishes the two cases. */
static const char *find_on_path(const char *name, struct jr_arena *arena)
{
	if (strchr(name, '/'))
		return name;
	const char *path = getenv("PATH");
	for (size_t n; path; path = path[n] ? path + n + 1 : NULL) {
		struct stat st;
		n = strcspn(path, ":");
		const char *file = jr_arena_printf(arena, "%.*s%s%s", (int)n, path, n ? "/" : "./", name);
		if (stat(file, &st) == 0 && S_ISREG(st.st_mode))
			return file;
	}
	return NULL;
}

static enum jr_status no_nsys(const char *report, struct jr_arena *arena, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf command = {0};
	const char *path = plain_path(arena, report);
	const char *dot = strrchr(path, '.');
	jr_buf_puts(&command, "nsys export --type sqlite --force-overwrite true -o ");
	jr_put_shell_word(&command, jr_arena_printf(arena, "%.*s.sqlite", (int)(dot - path), path));
	jr_buf_putc(&command, ' ');
	jr_put_shell_word(&command, path);
	return jr_fail(err, JR_ENOTFOUND,
		"%s: is an Nsight Systems report, and nsys is not on PATH. On a machine with nsys, run: %s",
		report, command.data);
}

/* Append the last line that the child wrote. */
static void put_last_line(struct jr_buf *out, const char *log)
{
	JR_CLEANUP(jr_file_unmap) struct jr_file_map map = {0};
	if (jr_file_map(log, &map, NULL) != JR_OK)
		return;
	const char *text = (const char *)map.bytes.data;
	size_t end = map.bytes.size;
	while (end && (text[end - 1] == '\n' || text[end - 1] == '\r' || text[end - 1] == ' '))
		end--;
	size_t from = end;
	while (from && text[from - 1] != '\n' && text[from - 1] != '\r' && end - from < 300)
		from--;
	if (end)
		jr_text_clean(out, text + from, end - from);
}

/* --- the child -------------------------------------------------------------------------------- */

/* Copy the words of a program's arguments into `arena`; n includes the NULL after the last. */
static char **copied(const char *const *words, size_t n, struct jr_arena *arena)
{
	char **arguments = JR_ARENA_N(arena, char *, n);
	for (size_t i = 0; i + 1 < n; i++)
		arguments[i] = jr_arena_strdup(arena, words[i]);
	return arguments;
}

static int start(char *const *arguments, const char *log, pid_t *pid)
{
	return jr_child_start(&(struct jr_child){.arguments = arguments, .log = log}, pid);
}

static uint64_t size_of(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 ? (uint64_t)st.st_size
																		  : 0;
}

/* Wait and show how much was written; the final size is not known. */
static int wait_for(pid_t pid, const char *output, struct jr_messages *msg)
{
	int status;
	for (;;) {
		pid_t done = jr_guarded_wait(pid, &status);
		if (done < 0)
			status = -1;
		if (done != 0)
			break;
		jr_say_progress(msg, "exporting with nsys", size_of(output), 0);
		nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	}
	return status;
}

/* Append a line about versions, if there is one: nsys refuses reports of newer versions. */
static void put_version_line(struct jr_buf *out, const char *log)
{
	static const char *const words[] = {"newer", "ersion"};
	JR_CLEANUP(jr_file_unmap) struct jr_file_map map = {0};
	if (jr_file_map(log, &map, NULL) != JR_OK)
		return;
	const char *at = (const char *)map.bytes.data, *end = at + map.bytes.size;
	while (at < end && out->size == 0) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t n = (size_t)((stop ? stop : end) - at);
		for (size_t i = 0; i < JR_COUNT_OF(words) && out->size == 0; i++)
			if (memmem(at, n, words[i], strlen(words[i])))
				jr_text_clean(out, at, n < 300 ? n : 300);
		at += n + 1;
	}
}

/* Append "NVIDIA Nsight Systems version 2025.5.2.266-..." of the nsys that failed; nothing if it
 * does not print it in time. */
static void put_own_version(
	struct jr_buf *out, const char *nsys, const char *log, struct jr_arena *arena)
{
	enum { MOST_BYTES = 1 << 16, MOST_S = 10 };
	char *arguments[] = {jr_arena_strdup(arena, nsys), jr_arena_strdup(arena, "--version"), NULL};
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	int status;
	if (jr_captured_run(arguments, MOST_BYTES, MOST_S, log, &text, &status) == 0 && status == 0)
		put_last_line(out, log);
}

static enum jr_status failed(const char *nsys, const char *report, const char *how, const char *log,
	struct jr_arena *arena, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf last = {0}, version = {0}, own = {0};
	put_last_line(&last, log);
	put_version_line(&version, log);
	if (version.size)
		put_own_version(&own, nsys, log, arena);
	if (own.size) {
		if (version.data[version.size - 1] != '.')
			jr_buf_putc(&version, '.');
		return jr_fail(err, JR_EIO,
			"nsys export of '%s' %s: %s The nsys in use is: %s. Export the report with the nsys "
			"version that recorded it, and use the .sqlite file as input.",
			report, how, version.data, own.data);
	}
	return jr_fail(err, JR_EIO, "nsys export of '%s' %s%s%s", report, how, last.size ? ": " : "",
		last.size ? last.data : "");
}

/* The importer is next to the folder of the program that nsys is a link to, in all of its
 * packages. */
const char *jr_nsys_importer(const char *nsys, struct jr_arena *arena)
{
	char real[PATH_MAX];
	const char *file = find_on_path(nsys, arena);
	if (!file || !realpath(file, real))
		return NULL;
	char *slash = strrchr(real, '/');
	*slash = 0;
	const char *path = jr_arena_printf(arena, "%s/../host-linux-x64/QdstrmImporter", real);
	return access(path, X_OK) == 0 ? path : NULL;
}

static enum jr_status not_imported(const char *report, const char *log, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf last = {0};
	put_last_line(&last, log);
	return jr_fail(err, JR_EIO, "%s: QdstrmImporter cannot convert this file%s%s", report,
		last.size ? ": " : "", last.size ? last.data : "");
}

/* Convert "a.qdstrm", data that nsys collected, into "a.nsys-rep" in `folder` with nsys's own
 * tool. */
static enum jr_status import_one(const char *nsys, const char **report, const char *folder,
	struct jr_arena *arena, struct jr_messages *msg, struct jr_error *err)
{
	const char *importer = jr_nsys_importer(nsys, arena), *slash = strrchr(*report, '/');
	const char *name = slash ? slash + 1 : *report;
	const char *output = jr_arena_printf(
		arena, "%s/%.*s.nsys-rep", folder, (int)(strlen(name) - strlen(DATA_ENDING)), name);
	const char *log = jr_arena_printf(arena, "%s/log", folder);
	if (!importer)
		return jr_fail(err, JR_ENOTFOUND,
			"%s: is not converted to .nsys-rep, and QdstrmImporter is missing next to '%s'. Use "
			"--nsys with the nsys that recorded it.",
			*report, nsys);
	const char *words[] = {
		importer, "--input-file", plain_path(arena, *report), "--output-file", output, NULL};
	char **arguments = copied(words, JR_COUNT_OF(words), arena);
	pid_t pid;
	jr_say_progress(msg, "converting with nsys", 0, 0);
	int code = start(arguments, log, &pid);
	if (code != 0)
		return jr_fail(err, JR_EIO, "cannot start '%s': %s", importer, strerror(code));
	int status = wait_for(pid, output, msg);
	if (size_of(output) == 0 || status == -1)
		return not_imported(*report, log, err);
	*report = output;
	return JR_OK;
}

static enum jr_status export_one(const struct jr_request *request, const char *report,
	const char *output, const char *log, struct jr_arena *arena, struct jr_messages *msg,
	struct jr_error *err)
{
	const char *nsys = request->record.nsys ? request->record.nsys : "nsys";
	const char *words[] = {nsys, "export", "--type", "sqlite", "--force-overwrite", "true", "-o",
		output, plain_path(arena, report), NULL};
	char **arguments = copied(words, JR_COUNT_OF(words), arena);
	pid_t pid;
	jr_say_progress(msg, "exporting with nsys", 0, 0);
	int code = start(arguments, log, &pid);
	if (!strchr(nsys, '/') &&
		(code == ENOENT || (code == EACCES && !find_on_path(arguments[0], arena))))
		return no_nsys(report, arena, err);
	if (code != 0)
		return jr_fail(err, JR_EIO, "cannot start '%s': %s", nsys, strerror(code));
	int status = wait_for(pid, output, msg);
	if (status == 0 && size_of(output) > 0) {
		if (jr_input_known(output, &request->analysis.limits))
			return JR_OK;
		return jr_fail(err, JR_EFORMAT,
			"nsys export of '%s' wrote a file that is not an export. Check which nsys is on PATH.",
			report);
	}
	const char *how = status == 0 ? "wrote no output. Check which nsys is on PATH"
					  : WIFSIGNALED(status)
						  ? jr_arena_printf(arena, "was killed by signal %d", WTERMSIG(status))
						  : jr_arena_printf(arena, "failed with exit status %d",
								WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return failed(nsys, report, how, log, arena, err);
}

enum jr_status jr_nsys_reports_export(const struct jr_request *request, struct jr_messages *msg,
	struct jr_exported *exported, struct jr_error *err)
{
	size_t n = request->inputs.n;
	*exported = (struct jr_exported){0};
	jr_arena_init(&exported->arena, 0);
	exported->paths = JR_ARENA_N(&exported->arena, const char *, n + 1);
	exported->origins = JR_ARENA_N(&exported->arena, const char *, n + 1);
	const char *folder = NULL, *nsys = request->record.nsys ? request->record.nsys : "nsys";
	for (size_t i = 0; i < n; i++) {
		const char *input = exported->paths[i] = request->inputs.items[i];
		if (!is_report(input, &request->analysis.limits))
			continue;
		if (!folder)
			JR_TRY(jr_guarded_folder(NULL, &folder, err));
		const char *output = jr_arena_printf(&exported->arena, "%s/%zu.sqlite", folder, i);
		const char *log = jr_arena_printf(&exported->arena, "%s/log", folder);
		if (is_data(input))
			JR_TRY(import_one(nsys, &input, folder, &exported->arena, msg, err));
		JR_TRY(export_one(request, input, output, log, &exported->arena, msg, err));
		exported->paths[i] = output;
		exported->origins[i] = input;
	}
	return JR_OK;
}

void jr_exported_done(struct jr_exported *exported)
{
	jr_guarded_folder_remove();
	jr_arena_done(&exported->arena);
	*exported = (struct jr_exported){0};
}
