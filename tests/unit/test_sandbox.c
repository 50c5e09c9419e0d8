/* Calls that the sandbox refuses, each tried in its own child process, and calls that still
 * work. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/sandbox.h"
#include "tests/sandbox/kernel.h"

struct place {
	char root[64];
	char input[96], foreign[96], work[96], made[128], beside[128], parent[96];
	int pipe[2]; /* opened before */
};

static void put(const char *path)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs("text", f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	assert_non_null(p);
	snprintf(p->root, sizeof(p->root), "/tmp/test-sandbox-XXXXXX");
	assert_non_null(mkdtemp(p->root));
	snprintf(p->parent, sizeof(p->parent), "%s/parent", p->root);
	snprintf(p->work, sizeof(p->work), "%s/parent/work", p->root);
	snprintf(p->input, sizeof(p->input), "%s/input", p->root);
	snprintf(p->foreign, sizeof(p->foreign), "%s/foreign", p->root);
	snprintf(p->made, sizeof(p->made), "%s/made", p->work);
	snprintf(p->beside, sizeof(p->beside), "%s/beside", p->parent);
	assert_int_equal(mkdir(p->parent, 0700), 0);
	assert_int_equal(mkdir(p->work, 0700), 0);
	put(p->input);
	put(p->foreign);
	assert_int_equal(pipe(p->pipe), 0);
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;
	jr_remove_tree(p->root);
	close(p->pipe[0]);
	close(p->pipe[1]);
	free(p);
	return 0;
}

/* Returns 0 if the call succeeded, else its errno. */
typedef int (*attempt_fn)(const struct place *p);

static int of_fd(int fd)
{
	int why = errno;
	if (fd < 0)
		return why;
	close(fd);
	return 0;
}

static int read_input(const struct place *p)
{
	return of_fd(open(p->input, O_RDONLY));
}

static int write_input(const struct place *p)
{
	return of_fd(open(p->input, O_WRONLY));
}

static int read_foreign(const struct place *p)
{
	return of_fd(open(p->foreign, O_RDONLY));
}

static int list_root(const struct place *p)
{
	return of_fd(open(p->root, O_RDONLY | O_DIRECTORY));
}

static int remove_foreign(const struct place *p)
{
	return unlink(p->foreign) == 0 ? 0 : errno;
}

static int truncate_foreign(const struct place *p)
{
	return truncate(p->foreign, 0) == 0 ? 0 : errno;
}

static int link_foreign(const struct place *p)
{
	return link(p->foreign, p->made) == 0 ? 0 : errno;
}

static int own_foreign(const struct place *p)
{
	return chown(p->foreign, 1, 1) == 0 ? 0 : errno;
}

/* --- modes and times, which are not part of the content --------------------------------------- */

static int mode_foreign(const struct place *p)
{
	return chmod(p->foreign, 0777) == 0 ? 0 : errno;
}

static int mode_foreign_at(const struct place *p)
{
	return syscall(SYS_fchmodat, AT_FDCWD, p->foreign, 0777) == 0 ? 0 : errno;
}

static int mode_foreign_at2(const struct place *p)
{
	return syscall(452, AT_FDCWD, p->foreign, 0777, 0) == 0 ? 0 : errno; /* fchmodat2 */
}

static int date_foreign(const struct place *p)
{
	return utimes(p->foreign, NULL) == 0 ? 0 : errno;
}

static int date_foreign_at(const struct place *p)
{
	return utimensat(AT_FDCWD, p->foreign, NULL, 0) == 0 ? 0 : errno;
}

#ifdef SYS_utime
static int date_foreign_utime(const struct place *p)
{
	return syscall(SYS_utime, p->foreign, NULL) == 0 ? 0 : errno;
}

static int date_foreign_futimesat(const struct place *p)
{
	return syscall(SYS_futimesat, AT_FDCWD, p->foreign, NULL) == 0 ? 0 : errno;
}
#endif

static int mode_of_open(const struct place *p)
{
	int fd = open(p->input, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && fchmod(fd, 0700) == 0 ? 0 : errno;
}

/* A flag that only the owner of a file may change, so it needs no right to write the content. */
static int flags_of_open(const struct place *p)
{
	int fd = open(p->input, O_RDONLY | O_CLOEXEC), flags = 0;
	return fd >= 0 && ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0 ? 0 : errno;
}

/* Before version 3, Landlock needs no right to write for O_TRUNC. */
static int empty_input(const struct place *p)
{
	return of_fd(open(p->input, O_RDONLY | O_TRUNC | O_CLOEXEC));
}

static int make_setuid(const struct place *p)
{
	int code = of_fd(open(p->made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 04700));
	(void)unlink(p->made);
	return code;
}

/* Let new files be writable by anyone, against the user's mask. */
static int drop_mask(const struct place *p)
{
	(void)p;
	return (int)syscall(SYS_umask, 0) >= 0 ? 0 : errno;
}

/* --- other processes, and the terminal -------------------------------------------------------- */

static int signal_parent(const struct place *p)
{
	(void)p;
	return kill(getppid(), 0) == 0 ? 0 : errno;
}

static int signal_parent_by_thread(const struct place *p)
{
	(void)p;
	return syscall(SYS_tkill, getppid(), 0) == 0 ? 0 : errno;
}

static int signal_parent_by_group(const struct place *p)
{
	(void)p;
	return syscall(SYS_tgkill, getppid(), getppid(), 0) == 0 ? 0 : errno;
}

static int queue_to_parent(const struct place *p)
{
	(void)p;
	siginfo_t info = {.si_code = SI_QUEUE};
	return syscall(SYS_rt_sigqueueinfo, getppid(), 0, &info) == 0 ? 0 : errno;
}

static int queue_to_parent_by_group(const struct place *p)
{
	(void)p;
	siginfo_t info = {.si_code = SI_QUEUE};
	return syscall(SYS_rt_tgsigqueueinfo, getppid(), getppid(), 0, &info) == 0 ? 0 : errno;
}

static int limits_of_parent(const struct place *p)
{
	(void)p;
	struct rlimit limit;
	return prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit) == 0 ? 0 : errno;
}

static int own_limits(const struct place *p)
{
	(void)p;
	struct rlimit limit;
	return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? 0 : errno;
}

/* As abort() and raise() do. */
static int signal_itself(const struct place *p)
{
	(void)p;
	return syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 0) == 0 ? 0 : errno;
}

static int raise_own_limits(const struct place *p)
{
	(void)p;
	struct rlimit limit;
	if (getrlimit(RLIMIT_CORE, &limit) != 0)
		return 99;
	return setrlimit(RLIMIT_CORE, &limit) == 0 ? 0 : errno;
}

static int weigh_parent(const struct place *p)
{
	(void)p;
	return setpriority(PRIO_PROCESS, (id_t)getppid(), 0) == 0 ? 0 : errno;
}

static int weigh_parents_io(const struct place *p)
{
	(void)p;
	const int best_effort = 2 << 13 | 4;
	return syscall(SYS_ioprio_set, 1, getppid(), best_effort) == 0 ? 0 : errno;
}

static int move_parent(const struct place *p)
{
	(void)p;
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 99;
	return sched_setaffinity(getppid(), sizeof(set), &set) == 0 ? 0 : errno;
}

/* --- signals that the kernel sends for a file ------------------------------------------------- */

static int own_pipe(const struct place *p)
{
	return fcntl(p->pipe[0], F_SETOWN, getppid()) == 0 ? 0 : errno;
}

static int own_pipe_ex(const struct place *p)
{
	const struct f_owner_ex owner = {F_OWNER_PID, getppid()};
	return fcntl(p->pipe[0], F_SETOWN_EX, &owner) == 0 ? 0 : errno;
}

static int choose_signal(const struct place *p)
{
	return fcntl(p->pipe[0], F_SETSIG, SIGURG) == 0 ? 0 : errno;
}

static int signal_of_pipe(const struct place *p)
{
	return fcntl(p->pipe[0], F_SETFL, O_ASYNC) == 0 ? 0 : errno;
}

static int signal_of_pipe_by_ioctl(const struct place *p)
{
	int on = 1;
	return ioctl(p->pipe[0], FIOASYNC, &on) == 0 ? 0 : errno;
}

static int watch_folder(const struct place *p)
{
	int fd = open(p->work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 && fcntl(fd, F_NOTIFY, DN_CREATE) == 0 ? 0 : errno;
}

static int lease_input(const struct place *p)
{
	int fd = open(p->input, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && fcntl(fd, F_SETLEASE, F_RDLCK) == 0 ? 0 : errno;
}

static int lock_input(const struct place *p)
{
	int fd = open(p->input, O_RDONLY | O_CLOEXEC);
	const struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	return fd >= 0 && fcntl(fd, F_SETLK, &lock) == 0 ? 0 : errno;
}

/* --- shared memory, code, unknown calls ------------------------------------------------------- */

static int share_memory(const struct place *p)
{
	(void)p;
	int id = shmget(IPC_PRIVATE, 4096, 0600), why = errno;
	if (id >= 0)
		(void)shmctl(id, IPC_RMID, NULL);
	return id >= 0 ? 0 : why;
}

static int share_messages(const struct place *p)
{
	(void)p;
	int id = msgget(IPC_PRIVATE, 0600), why = errno;
	if (id >= 0)
		(void)msgctl(id, IPC_RMID, NULL);
	return id >= 0 ? 0 : why;
}

static int share_semaphores(const struct place *p)
{
	(void)p;
	int id = semget(IPC_PRIVATE, 1, 0600), why = errno;
	if (id >= 0)
		(void)semctl(id, 0, IPC_RMID);
	return id >= 0 ? 0 : why;
}

static int map_code(const struct place *p)
{
	(void)p;
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return at != MAP_FAILED ? 0 : errno;
}

static int turn_into_code(const struct place *p)
{
	(void)p;
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		return 99;
	return mprotect(at, 4096, PROT_READ | PROT_EXEC) == 0 ? 0 : errno;
}

static int call_clone3(const struct place *p)
{
	(void)p;
	return syscall(SYS_clone3, NULL, 0) == 0 ? 0 : errno;
}

static int call_of_tomorrow(const struct place *p)
{
	(void)p;
	return syscall(0x3fffffff) == 0 ? 0 : errno;
}

/* For a pipe the kernel returns ENOTTY, but the filter does not check what the file is. */
static int ask_pipe(const struct place *p, unsigned long request)
{
	char typed[2] = "x";
	return ioctl(p->pipe[0], request, typed) == 0 ? 0 : errno;
}

static int type_into_terminal(const struct place *p)
{
	return ask_pipe(p, TIOCSTI);
}

/* The kernel ignores the upper half, and the filter must ignore it too. */
static int type_with_more_bits(const struct place *p)
{
	return ask_pipe(p, TIOCSTI | (unsigned long)1 << 32);
}

static int paste_into_console(const struct place *p)
{
	return ask_pipe(p, TIOCLINUX);
}

static int ask_width(const struct place *p)
{
	return ask_pipe(p, TIOCGWINSZ);
}

static int write_made(const struct place *p)
{
	return of_fd(open(p->made, O_WRONLY | O_CREAT | O_EXCL, 0600));
}

static int move_work(const struct place *p)
{
	return rename(p->work, p->beside) == 0 ? 0 : errno;
}

static int write_beside(const struct place *p)
{
	return of_fd(open(p->beside, O_WRONLY | O_CREAT, 0600));
}

static int open_socket(const struct place *p)
{
	(void)p;
	return of_fd(socket(AF_INET, SOCK_STREAM, 0));
}

static int open_local_socket(const struct place *p)
{
	(void)p;
	return of_fd(socket(AF_UNIX, SOCK_DGRAM, 0));
}

static int run_program(const struct place *p)
{
	(void)p;
	char name[] = "/bin/true";
	char *const arguments[] = {name, NULL};
	execv(name, arguments);
	return errno;
}

static int start_process(const struct place *p)
{
	(void)p;
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	return pid < 0 ? errno : 0;
}

static int trace_parent(const struct place *p)
{
	(void)p;
	return ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) == 0 ? 0 : errno;
}

static void *in_thread(void *context)
{
	return (void *)(intptr_t)open_socket(context);
}

static int start_thread(const struct place *p)
{
	(void)p;
	pthread_t thread;
	void *result = NULL;
	int code = pthread_create(&thread, NULL, in_thread, NULL);
	if (code != 0 || pthread_join(thread, &result) != 0)
		return 99;
	return (int)(intptr_t)result;
}

/* Return the outcome of an attempt in a child that has entered the sandbox, or (`rules` none)
 * has not. */
static int outcome(const struct place *p, attempt_fn attempt, bool inside)
{
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		const struct jr_sandbox_rule rules[] = {
			{p->input, JR_MAY_READ},
			{p->work, JR_MAY_CHANGE},
			{p->parent, JR_MAY_PLACE},
			{"/nothing/there", JR_MAY_CHANGE},
		};
		struct jr_sandbox in_force;
		if (inside)
			jr_sandbox_enter(rules, JR_COUNT_OF(rules), &in_force);
		_exit(attempt(p));
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Return what is in force, as a child finds it. */
static struct jr_sandbox in_force(void)
{
	struct jr_sandbox found;
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		jr_sandbox_enter(NULL, 0, &found);
		_exit(write(ends[1], &found, sizeof(found)) == (ssize_t)sizeof(found) ? 0 : 1);
	}
	assert_int_equal(read(ends[0], &found, sizeof(found)), sizeof(found));
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return found;
}

/* If the kernel can refuse a call, the test requires it; it is skipped only without kernel
 * support. */
static void need_landlock(void)
{
	if (!kernel_has_landlock()) {
		print_message("sandbox: SKIPPED, this kernel has no Landlock\n");
		skip();
	}
	struct jr_sandbox found = in_force();
	if (!found.landlock)
		fail_msg("files are not bounded: %s", found.no_landlock);
	assert_null(found.no_landlock);
}

static void need_seccomp(void)
{
	if (!kernel_has_seccomp()) {
		print_message("sandbox: SKIPPED, no filters of calls in this kernel or for this machine\n");
		skip();
	}
	struct jr_sandbox found = in_force();
	if (!found.seccomp)
		fail_msg("calls are not bounded: %s", found.no_seccomp);
	assert_null(found.no_seccomp);
}

static UNIT_WITH(test_files, set_up, tear_down)
{
	need_landlock();
	static const struct {
		attempt_fn attempt;
		int inside;
	} cases[] = {
		{read_input, 0},
		{write_input, EACCES},
		{read_foreign, EACCES},
		{list_root, EACCES},
		{write_beside, EACCES},
		{write_made, 0},
		{remove_foreign, EACCES},
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		int code = outcome(*state, cases[i].attempt, true);
		if (code != cases[i].inside)
			fail_msg("attempt %zu came to %d, not %d", i, code, cases[i].inside);
	}
	/* Outside, each attempt succeeds; otherwise the test above would prove nothing. */
	const struct place *p = *state;
	(void)unlink(p->made);
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++)
		assert_int_equal(outcome(*state, cases[i].attempt, false), 0);
}

/* The rename that moves an output into place. */
static UNIT_WITH(test_place, set_up, tear_down)
{
	assert_int_equal(outcome(*state, move_work, true), 0);
}

/* Each call is tried outside too: if it were refused there, the test would prove nothing. */
static UNIT_WITH(test_refused_calls, set_up, tear_down)
{
	need_seccomp();
	enum { ANY = -1 };
	static const struct {
		const char *name;
		attempt_fn attempt;
		int inside, outside; /* ANY: depends on rights and on the kernel */
	} cases[] = {
#define CALL(attempt, inside, outside) {#attempt, attempt, inside, outside}
		CALL(open_socket, EPERM, 0),
		CALL(open_local_socket, EPERM, 0),
		CALL(run_program, EPERM, 0),
		CALL(start_process, EPERM, 0),
		CALL(trace_parent, EPERM, ANY),
		CALL(truncate_foreign, EPERM, 0),
		CALL(link_foreign, EPERM, 0),
		CALL(own_foreign, EPERM, ANY),
		CALL(mode_foreign, EPERM, 0),
		CALL(mode_foreign_at, EPERM, 0),
		CALL(mode_foreign_at2, ENOSYS, ANY),
		CALL(mode_of_open, EPERM, 0),
		CALL(flags_of_open, EPERM, ANY),
		CALL(empty_input, EPERM, 0),
		CALL(make_setuid, EPERM, 0),
		CALL(drop_mask, EPERM, 0),
		CALL(date_foreign, EPERM, 0),
		CALL(date_foreign_at, EPERM, 0),
#ifdef SYS_utime
		CALL(date_foreign_utime, EPERM, 0),
		CALL(date_foreign_futimesat, EPERM, 0),
#endif
		CALL(signal_parent, EPERM, 0),
		CALL(signal_parent_by_thread, EPERM, 0),
		CALL(signal_parent_by_group, EPERM, 0),
		CALL(queue_to_parent, EPERM, 0),
		CALL(queue_to_parent_by_group, EPERM, ANY),
		CALL(limits_of_parent, EPERM, 0),
		CALL(raise_own_limits, EPERM, 0),
		CALL(weigh_parent, EPERM, 0),
		CALL(weigh_parents_io, EPERM, 0),
		CALL(move_parent, EPERM, 0),
		CALL(own_pipe, EPERM, 0),
		CALL(own_pipe_ex, EPERM, 0),
		CALL(choose_signal, EPERM, 0),
		CALL(signal_of_pipe, EPERM, 0),
		CALL(signal_of_pipe_by_ioctl, EPERM, 0),
		CALL(watch_folder, EPERM, ANY),
		CALL(lease_input, EPERM, ANY),
		CALL(share_memory, EPERM, 0),
		CALL(share_messages, EPERM, 0),
		CALL(share_semaphores, EPERM, 0),
		CALL(map_code, EPERM, 0),
		CALL(turn_into_code, EPERM, 0),
		CALL(type_into_terminal, EPERM, ENOTTY),
		CALL(type_with_more_bits, EPERM, ENOTTY),
		CALL(paste_into_console, EPERM, ENOTTY),
		CALL(call_clone3, ENOSYS, ANY),
		CALL(call_of_tomorrow, ENOSYS, ENOSYS),
#undef CALL
	};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		int code = outcome(*state, cases[i].attempt, true);
		if (code != cases[i].inside)
			fail_msg("%s: %s", cases[i].name, code ? strerror(code) : "not refused");
		code = outcome(*state, cases[i].attempt, false);
		if (cases[i].outside != ANY && code != cases[i].outside)
			fail_msg("%s, outside: %s", cases[i].name, strerror(code));
	}
}

static UNIT_WITH(test_needed_calls, set_up, tear_down)
{
	need_seccomp();
	static const attempt_fn needed[] = {own_limits, signal_itself, lock_input};
	for (size_t i = 0; i < JR_COUNT_OF(needed); i++)
		if (outcome(*state, needed[i], true) != 0)
			fail_msg("call %zu, which is needed, is refused", i);
	assert_int_equal(outcome(*state, ask_width, true), ENOTTY);
}

/* A rule that the kernel does not accept: files within a pipe. If the path is needed, files stay
 * unrestricted rather than the path unavailable. */
static int rule_of_a_pipe(unsigned may)
{
	int ends[2];
	char path[32];
	if (pipe(ends) != 0)
		return 99;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	const struct jr_sandbox_rule rule = {path, may};
	struct jr_sandbox found;
	jr_sandbox_enter(&rule, 1, &found);
	return found.landlock ? 0 : 1;
}

static int needed_pipe(const struct place *p)
{
	(void)p;
	return rule_of_a_pipe(JR_MAY_READ | JR_NEEDED);
}

static int other_pipe(const struct place *p)
{
	(void)p;
	return rule_of_a_pipe(JR_MAY_READ);
}

static UNIT_WITH(test_rules_that_are_not_taken, set_up, tear_down)
{
	need_landlock();
	assert_int_equal(outcome(*state, needed_pipe, false), 1);
	assert_int_equal(outcome(*state, other_pipe, false), 0);
}

/* Threads can be started, with the same restrictions. */
static UNIT_WITH(test_threads, set_up, tear_down)
{
	need_seccomp();
	assert_int_equal(outcome(*state, start_thread, true), EPERM);
	assert_int_equal(outcome(*state, start_thread, false), 0);
}

static void *wait_and_try(void *context)
{
	int *ends = context;
	char c;
	if (read(ends[0], &c, 1) != 1)
		return NULL;
	return (void *)(intptr_t)open_socket(NULL);
}

static int entered_late(const struct place *p)
{
	(void)p;
	int ends[2];
	pthread_t thread;
	struct jr_sandbox found;
	void *result = NULL;
	if (pipe(ends) != 0 || pthread_create(&thread, NULL, wait_and_try, ends) != 0)
		return 99;
	jr_sandbox_enter(NULL, 0, &found);
	if (write(ends[1], "x", 1) != 1 || pthread_join(thread, &result) != 0)
		return 98;
	return (int)(intptr_t)result;
}

/* The filter also applies to threads that already run. */
static UNIT_WITH(test_earlier_threads, set_up, tear_down)
{
	need_seccomp();
	assert_int_equal(outcome(*state, entered_late, false), EPERM);
}
