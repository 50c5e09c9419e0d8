#include "cli/core/emergency.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/task.h"
#include "cli/core/commands.h"

/*
 * The only global state of the program, because signal handlers get no argument. The paths are
 * written while signals are blocked. Handlers read them and call only async-signal-safe functions
 * (signal-safety(7)).
 */
enum { PATH_BYTES = 4096 };
static char staging[PATH_BYTES];
static char temporary[PATH_BYTES]; /* a folder for this run */
static char claimed[PATH_BYTES];
static _Atomic(const char *) parting;
static struct jr_signal_state inherited;
static struct sigaction bus_before; /* the sanitizer's handler of SIGBUS */
static atomic_int child;            /* pid, 0 = none */
static atomic_flag ending = ATOMIC_FLAG_INIT;
static atomic_int heard = STDERR_FILENO;
/* The bound on memory, and the limit of the process that follows from it. */
static struct jr_memory_room most;
static uint64_t most_data_bytes; /* 0 = no bound */
static int statm = -1;

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

/* Entries of a folder as the kernel returns them (getdents64(2)): readdir() may call malloc(). */
struct entry {
	uint64_t inode;
	int64_t next;
	uint16_t size;
	uint8_t type;
	char name[];
};

/* More rounds than our folders need, also while other threads still make files in them. */
enum { MAX_ROUNDS = 1000 };

static bool remove_at(char path[static PATH_BYTES], int depth);

/* Remove one block of entries of a folder. The folder is closed while they are removed, so that one
 * free file descriptor is enough at any depth. */
static void remove_some(char path[static PATH_BYTES], int depth)
{
	_Alignas(struct entry) char block[4096];
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	for (int i = STDERR_FILENO + 1; fd < 0 && errno == EMFILE && i < 64; i++) {
		/* none is free: close one of the other threads, which no longer need them */
		if (i != atomic_load(&heard) && close(i) == 0)
			fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd < 0)
		return;
	long n = syscall(SYS_getdents64, fd, block, sizeof(block));
	close(fd);
	size_t length = strlen(path);
	for (long at = 0; at < n;) {
		const struct entry *e = (const void *)(block + at);
		size_t n_name = strlen(e->name);
		at += e->size;
		if (strcmp(e->name, ".") == 0 || strcmp(e->name, "..") == 0 ||
			length + n_name + 2 > PATH_BYTES)
			continue;
		path[length] = '/';
		memcpy(path + length + 1, e->name, n_name + 1);
		(void)remove_at(path, depth + 1);
		path[length] = '\0';
	}
}

/* Remove until it is gone: another thread may have been about to make a file when this began. */
static bool remove_at(char path[static PATH_BYTES], int depth)
{
	if (depth > 8) /* ours are two levels deep, those of nsys in them six */
		return false;
	for (int round = 0; round < MAX_ROUNDS; round++) {
		if (unlink(path) == 0 || rmdir(path) == 0 || errno == ENOENT)
			return true;
		if (errno != ENOTEMPTY && errno != EEXIST)
			return false;
		if (round > 2)
			(void)poll(NULL, 0, 1);
		remove_some(path, depth);
	}
	return false;
}

/* Rename "x.tmp-XXXXXX" to "x.tmp~XXXXXX" first: then nobody can make a file in it by its name. */
static void remove_own(char path[static PATH_BYTES])
{
	char aside[PATH_BYTES];
	size_t n = strlen(path), dash = n - strlen("-XXXXXX");
	if (n < strlen("-XXXXXX"))
		return;
	memcpy(aside, path, n + 1);
	aside[dash] = '~';
	bool moved = renameat2(AT_FDCWD, path, AT_FDCWD, aside, RENAME_NOREPLACE) == 0 ||
				 (errno == EINVAL && rename(path, aside) == 0); /* no RENAME_NOREPLACE here */
	(void)remove_at(moved ? aside : path, 0);
}

static void end_child(void)
{
	pid_t pid = atomic_exchange(&child, 0);
	if (pid <= 0)
		return;
	kill(-pid, SIGKILL); /* allowed: the child ends before the sandbox starts */
	waitpid(pid, NULL, 0);
}

static void remove_staging(void)
{
	end_child();
	if (claimed[0])
		(void)unlink(claimed);
	remove_own(temporary);
	remove_own(staging);
}

/* The first thread that gets here ends the program; any other waits for it. All signals are blocked
 * from here on: a handler would wait for the thread that it interrupted. */
static void only_once(void)
{
	sigset_t all;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (atomic_flag_test_and_set(&ending))
		for (;;)
			pause();
}

/* Return the memory that counts for RLIMIT_DATA, as in proc_pid_statm(5); 0 if it cannot be
 * determined. */
static uint64_t data_bytes(void)
{
	char text[256], *at = text;
	uint64_t value = 0;
	ssize_t n = pread(statm, text, sizeof(text) - 1, 0);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	for (int field = 0; field < 5 && at; field++)
		at = strchr(at + 1, ' ');
	while (at && *++at >= '0' && *at <= '9')
		value = value * 10 + (uint64_t)(*at - '0');
	return value * (uint64_t)sysconf(_SC_PAGESIZE);
}

void jr_emergency_bound_memory(const struct jr_memory_room *room, size_t n_threads)
{
	struct rlimit limit;
	uint64_t all;
	if (JR_SANITIZED || getrlimit(RLIMIT_DATA, &limit) != 0)
		return;
	statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	uint64_t now = data_bytes();
	if (now == 0)
		now = UINT64_C(64) << 20;
	if (room->of != JR_MEMORY_OPTION)
		all = room->bytes > now ? room->bytes : now;
	else if (__builtin_add_overflow(room->bytes, now + n_threads * JR_STACK_BYTES, &all))
		return;
	if (all >= limit.rlim_cur)
		return;
	limit.rlim_cur = all;
	if (setrlimit(RLIMIT_DATA, &limit) != 0)
		return;
	most = *room;
	most_data_bytes = all;
}

/* Return true if `wanted` more bytes would exceed our own bound; 0 = not known how many. */
static bool is_bounded(size_t wanted)
{
	uint64_t more = wanted ? wanted : most.bytes / 4, used = data_bytes(), all;
	more += UINT64_C(1) << 20; /* overhead of malloc() */
	return most_data_bytes && used &&
		   (__builtin_add_overflow(used, more, &all) || all > most_data_bytes);
}

/* Text before and after the bytes of an exceeded bound. */
static const char *const passed[][2] = {
	[JR_MEMORY_OPTION] = {"this run needs more than ", " of memory (--max-memory)"},
	[JR_MEMORY_CONTAINER] = {"out of memory: this container (its cgroup) may use ",
		". Raise that limit, or override it with --max-memory."},
	[JR_MEMORY_MACHINE] = {"out of memory: this machine has ",
		". Use a larger one, or override the limit with --max-memory."},
};

/* If the container or the machine limits memory, the run ends in any case: a report without the
 * parts that do not fit would differ between machines. */
static void on_oom(size_t wanted, bool can_go_on)
{
	if (can_go_on && most.of == JR_MEMORY_OPTION)
		return;
	only_once();
	char line[256] = "jaxreport: out of memory\n", before[64] = "";
	if (most.in_use_bytes)
		snprintf(
			before, sizeof(before), ", %" PRIu64 " were in use at the start", most.in_use_bytes);
	if (is_bounded(wanted))
		snprintf(line, sizeof(line), "jaxreport: %s%" PRIu64 " bytes%s%s\n", passed[most.of][0],
			most.limit_bytes, before, passed[most.of][1]);
	say(line);
	remove_staging();
	_exit(JR_EXIT_INPUT);
}

static JR_NORETURN void on_request_to_end(int number)
{
	only_once();
	if (atomic_load(&parting))
		say(atomic_load(&parting));
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
	bool is_beyond_end = number == SIGBUS && info->si_code == BUS_ADRERR;
	if (is_beyond_end && jr_file_map_mend(info->si_addr))
		return;
	if (JR_SANITIZED) { /* the sanitizer's reports are better than ours */
		(void)sigaction(number, &bus_before, NULL);
		return;
	}
	bool sent = info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL;
	if (sent && info->si_pid != getpid())
		on_request_to_end(number); /* sent by another process, not a crash */
	only_once();
	/* If a mapped file has shrunk, reading after its new end is not our bug. */
	if (is_beyond_end) {
		say("jaxreport: an input file was cut short while it was read\n");
		remove_staging();
		_exit(JR_EXIT_INPUT);
	}
	char line[] =
		"jaxreport: internal error (signal ##). Report this bug, with the input if you can share "
		"it.\n";
	char *digits = strchr(line, '#');
	digits[0] = (char)(number >= 10 ? '0' + number / 10 : ' ');
	digits[1] = (char)('0' + number % 10);
	say(line);
	remove_staging();
	_exit(JR_EXIT_BUG);
}

static bool is_one_of(int number, const int *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == number)
			return true;
	return false;
}

struct jr_signal_state jr_emergency_inherited(void)
{
	return inherited;
}

static void keep_inherited(void)
{
	sigset_t mask;
	struct sigaction action;
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	for (int number = 1; number <= SIGRTMAX; number++) {
		uint64_t bit = UINT64_C(1) << (number - 1);
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			inherited.ignored |= bit;
		if (sigismember(&mask, number) == 1)
			inherited.blocked |= bit;
	}
	(void)signal(SIGCHLD, SIG_DFL);
}

void jr_emergency_install(void)
{
	keep_inherited();
	jr_oom_set_hook(on_oom);
	/* Writing a file beyond the user's limit makes write() fail, with a message. */
	signal(SIGXFSZ, SIG_IGN);

	static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
	/* All other signals end a process by default; SIGKILL and two of the C library cannot be
	 * caught. */
	static const int harmless[] = {
		SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH, SIGXFSZ};
	for (int number = 1; number <= SIGRTMAX; number++) {
		struct sigaction action = {.sa_handler = on_request_to_end}, before;
		sigfillset(&action.sa_mask);
		if (!is_one_of(number, harmless, JR_COUNT_OF(harmless)) &&
			!is_one_of(number, crashes, JR_COUNT_OF(crashes)) &&
			sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			(void)sigaction(number, &action, NULL);
	}
	struct sigaction crash = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	sigfillset(&crash.sa_mask);
	(void)sigaction(SIGBUS, &crash, &bus_before);
	if (JR_SANITIZED)
		return;
	/* Handlers get their own stack, because a stack overflow may be the crash. */
	static char stack[65536];
	stack_t alternative = {.ss_sp = stack, .ss_size = sizeof(stack)};
	sigaltstack(&alternative, NULL);
	for (size_t i = 0; i < JR_COUNT_OF(crashes); i++)
		(void)sigaction(crashes[i], &crash, NULL);
}

static sigset_t let_no_signal_in(void)
{
	sigset_t set, before;
	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, &before);
	return before;
}

/* A handler that waited may change errno. */
static void let_signals_in(const sigset_t *before)
{
	int why = errno;
	pthread_sigmask(SIG_SETMASK, before, NULL);
	errno = why;
}

/* Until the end of the scope. */
#define LET_NO_SIGNAL_IN                                                                           \
	JR_UNUSED JR_CLEANUP(let_signals_in)                                                           \
	sigset_t before = let_no_signal_in()

/* Set the path that handlers remove; "" = nothing. */
static void remember(const char *path)
{
	size_t n = strlen(path);
	if (n < sizeof(staging))
		memcpy(staging, path, n + 1);
}

enum jr_status jr_guarded_begin(
	struct jr_outdir *dir, const char *target, bool force, struct jr_error *err)
{
	LET_NO_SIGNAL_IN;
	enum jr_status status = jr_outdir_begin(dir, target, force, err);
	remember(status == JR_OK ? dir->staging : "");
	return status;
}

enum jr_status jr_guarded_commit(struct jr_outdir *dir, struct jr_error *err)
{
	LET_NO_SIGNAL_IN;
	enum jr_status status = jr_outdir_commit(dir, err);
	if (status == JR_OK)
		staging[0] = '\0';
	return status;
}

void jr_guarded_abandon(struct jr_outdir *dir)
{
	LET_NO_SIGNAL_IN;
	jr_outdir_abandon(dir);
	staging[0] = '\0';
}

enum jr_status jr_guarded_file_begin(struct jr_outfile *file, const char *target,
	const struct jr_outfile_kind *kind, bool force, struct jr_error *err)
{
	LET_NO_SIGNAL_IN;
	enum jr_status status = jr_outfile_begin(file, target, kind, force, err);
	remember(status == JR_OK ? file->staging : "");
	return status;
}

enum jr_status jr_guarded_file_commit(struct jr_outfile *file, struct jr_error *err)
{
	LET_NO_SIGNAL_IN;
	enum jr_status status = jr_outfile_commit(file, err);
	if (status == JR_OK)
		remember("");
	return status;
}

void jr_guarded_file_abandon(struct jr_outfile *file)
{
	LET_NO_SIGNAL_IN;
	jr_outfile_abandon(file);
	remember("");
}

int jr_guarded_claim(const char *path)
{
	size_t n = strlen(path);
	if (n >= sizeof(claimed))
		return ENAMETOOLONG;
	LET_NO_SIGNAL_IN;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), why = fd < 0 ? errno : 0;
	if (fd >= 0) {
		memcpy(claimed, path, n + 1);
		close(fd);
	}
	return why;
}

void jr_guarded_unclaim(void)
{
	LET_NO_SIGNAL_IN;
	if (claimed[0])
		(void)unlink(claimed);
	claimed[0] = '\0';
}

void jr_emergency_parting(const char *line)
{
	atomic_store(&parting, line);
}

enum jr_status jr_guarded_folder(const char *below, const char **path, struct jr_error *err)
{
	const char *dot = below ? "." : "";
	char name[sizeof(temporary)];
	below = below ? below : getenv("TMPDIR");
	below = below && *below ? below : "/tmp";
	int n = snprintf(name, sizeof(name), "%s/%sjaxreport-XXXXXX", below, dot);
	if (n < 0 || (size_t)n >= sizeof(name))
		return jr_fail(err, JR_EIO,
			"%.64s...: the path is too long for a temporary folder. Set TMPDIR to a shorter path.",
			below);
	LET_NO_SIGNAL_IN;
	bool made = mkdtemp(name) != NULL;
	int why = errno;
	if (made)
		memcpy(temporary, name, (size_t)n + 1);
	if (!made)
		return jr_fail(
			err, JR_EIO, "%s: cannot create a temporary folder here: %s", below, strerror(why));
	*path = temporary;
	return JR_OK;
}

void jr_guarded_folder_remove(void)
{
	LET_NO_SIGNAL_IN;
	remove_own(temporary);
	temporary[0] = '\0';
}

int jr_guarded_spawn(pid_t *pid, char *const *arguments, const posix_spawn_file_actions_t *files,
	const posix_spawnattr_t *attributes)
{
	LET_NO_SIGNAL_IN;
	int code = posix_spawnp(pid, arguments[0], files, attributes, arguments, environ);
	if (code == 0)
		atomic_store(&child, *pid);
	return code;
}

pid_t jr_guarded_wait(pid_t pid, int *status)
{
	LET_NO_SIGNAL_IN;
	pid_t done = waitpid(pid, status, WNOHANG);
	if (done != 0)
		atomic_store(&child, 0);
	return done;
}
