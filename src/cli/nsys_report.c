#include "cli/nsys_report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/emergency.h"
#include "model/input.h"

/* The format is closed, so the name is all there is to go by; what is something else by its content
 * is that. */
static bool is_report(const char *path, const struct jr_limits *limits)
{
	struct stat st;
	return jr_input_named(path, JR_N_INPUTS) && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
		   !jr_input_known(path, limits);
}

/* For a shell: as it is where it is plain, else in single quotes. */
static void put_quoted(struct jr_buf *out, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
								"_-./+=:@%,";
	if (*text && strspn(text, plain) == strlen(text)) {
		jr_buf_puts(out, text);
		return;
	}
	jr_buf_putc(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			jr_buf_puts(out, "'\\''");
		else
			jr_buf_putc(out, *text);
	}
	jr_buf_putc(out, '\'');
}

/* "./-x": nothing that begins with a dash is taken for an option. */
static const char *plain_path(struct jr_arena *arena, const char *path)
{
	return path[0] == '-' ? jr_arena_printf(arena, "./%s", path) : path;
}

/* Where a folder of PATH may not be searched, that is what a search that finds nothing ends with:
 * so whether a file of that name lies in any other. */
static bool is_on_path(const char *name, struct jr_arena *arena)
{
	const char *path = getenv("PATH");
	for (size_t n; path; path = path[n] ? path + n + 1 : NULL) {
		struct stat st;
		n = strcspn(path, ":");
		const char *file = jr_arena_printf(arena, "%.*s%s%s", (int)n, path, n ? "/" : "./", name);
		if (stat(file, &st) == 0 && S_ISREG(st.st_mode))
			return true;
	}
	return false;
}

static enum jr_status no_nsys(const char *report, struct jr_arena *arena, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf command = {0};
	const char *path = plain_path(arena, report);
	const char *dot = strrchr(path, '.');
	jr_buf_puts(&command, "nsys export --type sqlite --force-overwrite true -o ");
	put_quoted(&command,
		jr_arena_printf(arena, "%.*s.sqlite", (int)(dot - path), path));
	jr_buf_putc(&command, ' ');
	put_quoted(&command, path);
	return jr_fail(err, JR_ENOTFOUND,
		"'%s' is a report of Nsight Systems, and there is no nsys on PATH to export it; where "
		"there is, run: %s",
		report, command.data);
}

/* The last line of what the child wrote. */
static void put_last_line(struct jr_buf *out, const char *log)
{
	struct jr_file_map map;
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
	jr_file_unmap(&map);
}

/* --- the child -------------------------------------------------------------------------------- */

static int start(char *const *arguments, const char *log, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t none, defaults;
	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGXFSZ);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(
		&files, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	/* A process group of its own, so that it can be ended with all that it starts. */
	posix_spawnattr_setflags(&attributes,
		POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	int code = jr_guarded_spawn(pid, arguments, &files, &attributes);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return code;
}

static uint64_t size_of(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

/* Wait, telling how much it has written; how much it will be nobody knows. */
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

static enum jr_status export_one(const char *report, const char *output, const char *log,
	struct jr_arena *arena, struct jr_messages *msg, struct jr_error *err)
{
	const char *words[] = {"nsys", "export", "--type", "sqlite", "--force-overwrite", "true", "-o",
		output, plain_path(arena, report), NULL};
	char *arguments[JR_COUNT_OF(words)];
	for (size_t i = 0; i < JR_COUNT_OF(words); i++)
		arguments[i] = words[i] ? jr_arena_strdup(arena, words[i]) : NULL;
	pid_t pid;
	jr_say_progress(msg, "exporting with nsys", 0, 0);
	int code = start(arguments, log, &pid);
	if (code == ENOENT || (code == EACCES && !is_on_path(arguments[0], arena)))
		return no_nsys(report, arena, err);
	if (code != 0)
		return jr_fail(err, JR_EIO, "cannot start nsys: %s", strerror(code));
	int status = wait_for(pid, output, msg);
	if (status == 0 && size_of(output) > 0)
		return JR_OK;
	JR_CLEANUP(jr_buf_done) struct jr_buf last = {0};
	put_last_line(&last, log);
	const char *how = status == 0 ? "wrote nothing"
		: WIFSIGNALED(status)
		? jr_arena_printf(arena, "was ended by signal %d", WTERMSIG(status))
		: jr_arena_printf(arena, "failed with %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return jr_fail(err, JR_EIO, "nsys export of '%s' %s%s%s", report, how, last.size ? ": " : "",
		last.size ? last.data : "");
}

enum jr_status jr_nsys_reports_export(const struct jr_request *request, struct jr_messages *msg,
	struct jr_exported *exported, struct jr_error *err)
{
	size_t n = request->inputs.n;
	*exported = (struct jr_exported){0};
	jr_arena_init(&exported->arena, 0);
	exported->paths = JR_ARENA_N(&exported->arena, const char *, n + 1);
	exported->origins = JR_ARENA_N(&exported->arena, const char *, n + 1);
	const char *folder = NULL;
	for (size_t i = 0; i < n; i++) {
		const char *input = exported->paths[i] = request->inputs.items[i];
		if (!is_report(input, &request->analysis.limits))
			continue;
		if (!folder)
			JR_TRY(jr_guarded_folder(&folder, err));
		const char *output =
			jr_arena_printf(&exported->arena, "%s/%zu.sqlite", folder, i);
		const char *log = jr_arena_printf(&exported->arena, "%s/log", folder);
		JR_TRY(export_one(input, output, log, &exported->arena, msg, err));
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
