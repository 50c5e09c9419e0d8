#include "cli/core/child.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"
#include "cli/core/emergency.h"
#include "cli/core/messages.h"

/* --- signal states -------------------------------------------------------------------------- */

static uint64_t bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

/* Parse hexadecimal digits, as in /proc/PID/status. */
static uint64_t bits_at(const char *text)
{
	uint64_t bits = 0;
	for (; isxdigit((unsigned char)*text); text++)
		bits = bits << 4 |
			   (uint64_t)(isdigit((unsigned char)*text) ? *text - '0' : (*text | 0x20) - 'a' + 10);
	return bits;
}

bool jr_child_was_ignored(int signal)
{
	return (jr_emergency_inherited().ignored & bit(signal)) != 0;
}

/* Signals 32 and 33 belong to the C library, which refuses to change them; nsys ignores them. */
static void set_default(int number)
{
	static const uint64_t none[8]; /* larger than any kernel's struct of an action: SIG_DFL */
	if (number < SIGRTMIN && number > SIGSYS)
		(void)syscall(SYS_rt_sigaction, number, none, NULL, sizeof(uint64_t));
	else
		(void)signal(number, SIG_DFL);
}

static void set_state(struct jr_signal_state state)
{
	sigset_t mask;
	sigemptyset(&mask);
	for (int n = 1; n <= SIGRTMAX; n++) {
		if (state.ignored & bit(n))
			(void)signal(n, SIG_IGN);
		else
			set_default(n);
		if (state.blocked & bit(n))
			sigaddset(&mask, n);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

void jr_child_restore_state(void)
{
	set_state(jr_emergency_inherited());
}

/* --- start ---------------------------------------------------------------------------------- */

/* nsys and its collector end at the first of these, even if it still has to write. */
static const int SHIELDED[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2};

static void put_variable(const char *name, const char *value)
{
	if (value ? setenv(name, value, 1) : unsetenv(name))
		jr_oom();
}

int jr_child_start(const struct jr_child *child, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t mask, all;
	sigfillset(&all);
	sigemptyset(&mask);
	for (size_t i = 0; child->shielded && i < JR_COUNT_OF(SHIELDED); i++)
		sigaddset(&mask, SHIELDED[i]);
	posix_spawn_file_actions_init(&files);
	if (child->log) {
		posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
		posix_spawn_file_actions_addopen(
			&files, STDOUT_FILENO, child->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
	}
	posix_spawnattr_init(&attributes);
	/* Start a new process group, so that we can end the child with everything that it started. */
	posix_spawnattr_setflags(
		&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &mask);
	posix_spawnattr_setsigdefault(&attributes, &all);
	const char *ours = getenv("TMPDIR");
	char *before = ours ? strdup(ours) : NULL;
	if (ours && !before)
		jr_oom();
	if (child->tmpdir)
		put_variable("TMPDIR", child->tmpdir);
	int code = jr_guarded_spawn(pid, child->arguments, &files, &attributes);
	if (child->tmpdir)
		put_variable("TMPDIR", before);
	free(before);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return code;
}

bool jr_child_has_pending(pid_t pid, int signal)
{
	static const char name[] = "\nShdPnd:";
	char path[64], text[4096];
	snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	const char *at = strstr(text, name);
	at = at ? at + sizeof(name) - 1 : "";
	return (bits_at(at + strspn(at, " \t")) & bit(signal)) != 0;
}

/* --- become another program ----------------------------------------------------------------- */

/* jaxreport --become IGNORED BLOCKED TOLD TMPDIR PROGRAM...: both sets in hexadecimal digits;
 * TMPDIR is "=/tmp", or "" if it is not set. */
int jr_child_become_words(const char *told, struct jr_arena *arena, const char **words)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n <= 0)
		return n < 0 ? errno : ENOENT;
	const struct jr_signal_state state = jr_emergency_inherited();
	const char *tmpdir = getenv("TMPDIR");
	words[0] = jr_arena_strndup(arena, self, (size_t)n);
	words[1] = JR_CHILD_BECOME;
	words[2] = jr_arena_printf(arena, "%" PRIx64, state.ignored);
	words[3] = jr_arena_printf(arena, "%" PRIx64, state.blocked);
	words[4] = told;
	words[5] = tmpdir ? jr_arena_printf(arena, "=%s", tmpdir) : "";
	return 0;
}

/* Write under another name first, so that a reader never sees half a file. */
static void tell(const char *told, const char *ending, long number)
{
	char path[PATH_MAX], half[PATH_MAX];
	if (snprintf(path, sizeof(path), "%s%s", told, ending) >= (int)sizeof(path) ||
		snprintf(half, sizeof(half), "%s.half", told) >= (int)sizeof(half))
		return;
	int fd = open(half, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool written = fd >= 0 && dprintf(fd, "%ld\n", number) > 0;
	if (fd >= 0 && close(fd) == 0 && written)
		(void)rename(half, path);
}

static const char FAILED[] = ".failed";

int jr_child_become(int argc, char **argv)
{
	if (argc <= JR_CHILD_BECOME_WORDS)
		return 2;
	const char *tmpdir = argv[5];
	tell(argv[4], "", getpid());
	put_variable("TMPDIR", tmpdir[0] == '=' ? tmpdir + 1 : NULL);
	set_state((struct jr_signal_state){bits_at(argv[2]), bits_at(argv[3])});
	char **program = argv + JR_CHILD_BECOME_WORDS;
	execvp(program[0], program);
	tell(argv[4], FAILED, errno);
	return 126;
}

int jr_child_failed_to_become(const char *told)
{
	char path[PATH_MAX], text[32] = "";
	int64_t why;
	if (snprintf(path, sizeof(path), "%s%s", told, FAILED) >= (int)sizeof(path))
		return 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	return n > 1 && jr_parse_i64(text, (size_t)n - 1, &why) ? (int)why : 0;
}

/* --- find a program ------------------------------------------------------------------------- */

const char *jr_program_path(const char *name, struct jr_arena *arena)
{
	struct stat st;
	if (strchr(name, '/'))
		return access(name, X_OK) == 0 && stat(name, &st) == 0 && S_ISREG(st.st_mode) ? name : NULL;
	const char *path = getenv("PATH");
	for (size_t n; path; path = path[n] ? path + n + 1 : NULL) {
		n = strcspn(path, ":");
		const char *file = jr_arena_printf(arena, "%.*s%s%s", (int)n, path, n ? "/" : "./", name);
		if (access(file, X_OK) == 0 && stat(file, &st) == 0 && S_ISREG(st.st_mode))
			return file;
	}
	return NULL;
}

/* --- exit status ---------------------------------------------------------------------------- */

int jr_exit_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int jr_captured_run(char *const *arguments, size_t most, int64_t limit_s, const char *log,
	struct jr_buf *text, int *status)
{
	pid_t pid;
	int code = jr_child_start(&(struct jr_child){.arguments = arguments, .log = log}, &pid);
	if (code != 0)
		return code;
	int64_t begun_ns = jr_clock_ns();
	for (pid_t done; (done = jr_guarded_wait(pid, status)) <= 0;) {
		if (done < 0) {
			*status = -1;
			break;
		}
		if ((jr_clock_ns() - begun_ns) / 1000000000 >= limit_s)
			(void)kill(-pid, SIGKILL);
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	}
	struct jr_file_map map;
	if (jr_file_map(log, &map, NULL) == JR_OK) {
		size_t n = map.bytes.size < most ? map.bytes.size : most;
		jr_buf_add(text, map.bytes.data, n);
		jr_file_unmap(&map);
	}
	jr_buf_putc(text, 0);
	return 0;
}
