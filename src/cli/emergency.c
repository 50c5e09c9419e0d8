#include "cli/emergency.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/commands.h"

/*
 * The only state of the program that is not handed down by argument: a handler gets no argument.
 * The path is written while signals are blocked and read by handlers, which call nothing but
 * async-signal-safe functions (signal-safety(7)).
 */
static char staging[4096];
static char temporary[4096]; /* a folder for this run */
static atomic_int child;     /* pid, 0 = none */
static atomic_flag ending = ATOMIC_FLAG_INIT;
static atomic_int heard = STDERR_FILENO;

static void say(const char *text)
{
	ssize_t n = write(atomic_load(&heard), text, strlen(text));
	(void)n;
}

void jr_emergency_mute_others(void)
{
	int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (kept >= 0)
		atomic_store(&heard, kept);
	if (kept >= 0 && nowhere >= 0)
		(void)dup2(nowhere, STDERR_FILENO);
	if (nowhere >= 0)
		close(nowhere);
}

void jr_emergency_hear_others(void)
{
	int kept = atomic_load(&heard);
	if (kept == STDERR_FILENO)
		return;
	(void)dup2(kept, STDERR_FILENO);
	atomic_store(&heard, STDERR_FILENO);
	close(kept);
}

/* Entries of a folder as the kernel hands them over (getdents64(2)): readdir() may call malloc().
 */
struct entry {
	uint64_t inode;
	int64_t next;
	uint16_t size;
	uint8_t type;
	char name[];
};

static void remove_below(int folder, int depth);

static void remove_one(int folder, const char *name, int depth)
{
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || unlinkat(folder, name, 0) == 0)
		return;
	int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	remove_below(fd, depth + 1);
	close(fd);
	(void)unlinkat(folder, name, AT_REMOVEDIR);
}

static void remove_below(int folder, int depth)
{
	_Alignas(struct entry) char block[4096];
	if (depth > 4) /* ours are two deep */
		return;
	for (long n; (n = syscall(SYS_getdents64, folder, block, sizeof(block))) > 0;) {
		for (long at = 0; at < n;) {
			const struct entry *e = (const void *)(block + at);
			remove_one(folder, e->name, depth);
			at += e->size;
		}
	}
}

static void end_child(void)
{
	pid_t pid = atomic_exchange(&child, 0);
	if (pid <= 0)
		return;
	kill(-pid, SIGKILL); /* not refused: it has ended before the process is confined */
	waitpid(pid, NULL, 0);
}

static void remove_staging(void)
{
	end_child();
	for (int i = 0; temporary[0] && i < 2; i++)
		remove_one(AT_FDCWD, temporary, 0);
	/* Twice: another thread may have made a file while the folder was emptied. */
	for (int i = 0; staging[0] && i < 2; i++)
		remove_one(AT_FDCWD, staging, 0);
}

/* The first thread that gets here ends the program; any other waits for that. */
static void only_once(void)
{
	if (atomic_flag_test_and_set(&ending))
		for (;;)
			pause();
}

static void on_oom(void)
{
	only_once();
	say("jaxreport: out of memory\n");
	remove_staging();
	_exit(JR_EXIT_INPUT);
}

static void on_request_to_end(int number)
{
	only_once();
	remove_staging();
	signal(number, SIG_DFL);
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, number);
	raise(number);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	_exit(128 + number);
}

static void on_crash(int number, siginfo_t *info, void *context)
{
	(void)context;
	only_once();
	/* Reading behind the end of a mapped file that has shrunk meanwhile is not our bug. */
	if (number == SIGBUS && info->si_code == BUS_ADRERR) {
		say("jaxreport: an input file was cut short while it was read\n");
		remove_staging();
		_exit(JR_EXIT_INPUT);
	}
	char line[] = "jaxreport: internal error (signal ##); please report this, with the input if "
				  "you can share it\n";
	char *digits = strchr(line, '#');
	digits[0] = (char)(number >= 10 ? '0' + number / 10 : ' ');
	digits[1] = (char)('0' + number % 10);
	say(line);
	remove_staging();
	_exit(JR_EXIT_BUG);
}

void jr_emergency_install(void)
{
	jr_oom_set_hook(on_oom);
	/* A file that grows beyond the user's limit is an error of write(), with a message. */
	signal(SIGXFSZ, SIG_IGN);

	static const int requests[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU};
	for (size_t i = 0; i < JR_COUNT_OF(requests); i++) {
		struct sigaction action = {.sa_handler = on_request_to_end}, before;
		if (sigaction(requests[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(requests[i], &action, NULL);
	}
	if (JR_SANITIZED)
		return; /* its reports are better than ours */
	/* A stack of its own: the stack may be what ran out. */
	static char stack[65536];
	stack_t alternative = {.ss_sp = stack, .ss_size = sizeof(stack)};
	sigaltstack(&alternative, NULL);
	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	for (size_t i = 0; i < JR_COUNT_OF(crashes); i++) {
		struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
		sigaction(crashes[i], &action, NULL);
	}
}

static void let_no_signal_in(sigset_t *before)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGPIPE);
	sigaddset(&set, SIGXCPU);
	pthread_sigmask(SIG_BLOCK, &set, before);
}

/* What handlers are to remove; "" = nothing. */
static void remember(const char *path)
{
	size_t n = strlen(path);
	if (n < sizeof(staging))
		memcpy(staging, path, n + 1);
}

enum jr_status jr_guarded_begin(
	struct jr_outdir *dir, const char *target, bool force, struct jr_error *err)
{
	sigset_t before;
	let_no_signal_in(&before);
	enum jr_status status = jr_outdir_begin(dir, target, force, err);
	remember(status == JR_OK ? dir->staging : "");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status;
}

enum jr_status jr_guarded_commit(struct jr_outdir *dir, struct jr_error *err)
{
	sigset_t before;
	let_no_signal_in(&before);
	enum jr_status status = jr_outdir_commit(dir, err);
	if (status == JR_OK)
		staging[0] = '\0';
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status;
}

void jr_guarded_abandon(struct jr_outdir *dir)
{
	sigset_t before;
	let_no_signal_in(&before);
	jr_outdir_abandon(dir);
	staging[0] = '\0';
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

enum jr_status jr_guarded_file_begin(struct jr_outfile *file, const char *target,
	const struct jr_outfile_kind *kind, bool force, struct jr_error *err)
{
	sigset_t before;
	let_no_signal_in(&before);
	enum jr_status status = jr_outfile_begin(file, target, kind, force, err);
	remember(status == JR_OK ? file->staging : "");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status;
}

enum jr_status jr_guarded_file_commit(struct jr_outfile *file, struct jr_error *err)
{
	sigset_t before;
	let_no_signal_in(&before);
	enum jr_status status = jr_outfile_commit(file, err);
	if (status == JR_OK)
		remember("");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status;
}

void jr_guarded_file_abandon(struct jr_outfile *file)
{
	sigset_t before;
	let_no_signal_in(&before);
	jr_outfile_abandon(file);
	remember("");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

enum jr_status jr_guarded_folder(const char **path, struct jr_error *err)
{
	const char *below = getenv("TMPDIR");
	char name[sizeof(temporary)];
	int n = snprintf(name, sizeof(name), "%s/jaxreport-XXXXXX", below && *below ? below : "/tmp");
	if (n < 0 || (size_t)n >= sizeof(name))
		return jr_fail(err, JR_EIO, "the path in $TMPDIR is too long");
	sigset_t before;
	let_no_signal_in(&before);
	bool made = mkdtemp(name) != NULL;
	int why = errno;
	if (made)
		memcpy(temporary, name, (size_t)n + 1);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!made)
		return jr_fail(err, JR_EIO, "cannot make a folder below '%s': %s",
			below && *below ? below : "/tmp", strerror(why));
	*path = temporary;
	return JR_OK;
}

void jr_guarded_folder_remove(void)
{
	sigset_t before;
	let_no_signal_in(&before);
	if (temporary[0])
		remove_one(AT_FDCWD, temporary, 0);
	temporary[0] = '\0';
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int jr_guarded_spawn(pid_t *pid, char *const *arguments, const posix_spawn_file_actions_t *files,
	const posix_spawnattr_t *attributes)
{
	sigset_t before;
	let_no_signal_in(&before);
	int code = posix_spawnp(pid, arguments[0], files, attributes, arguments, environ);
	if (code == 0)
		atomic_store(&child, *pid);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return code;
}

void jr_guarded_child_ended(void)
{
	atomic_store(&child, 0);
}
