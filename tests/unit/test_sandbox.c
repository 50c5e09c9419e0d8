/* What cannot be done any more inside, each tried in a child of its own; and what still can. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/sandbox.h"
#include "tests/sandbox/kernel.h"

struct place {
	char root[64];
	char input[96], foreign[96], work[96], made[128], beside[128], parent[96];
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
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	struct place *p = *state;
	jr_remove_tree(p->root);
	free(p);
	return 0;
}

/* 0 where the call went well, else its errno. */
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

/* --- modes and times, which are not the content ----------------------------------------------- */

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

/* What putting an output into place does with its folder. */
static int mode_of_open(const struct place *p)
{
	int fd = open(p->work, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd >= 0 && fchmod(fd, 0700) == 0 ? 0 : errno;
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
	bool both = getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
		prlimit(getpid(), RLIMIT_NOFILE, NULL, &limit) == 0;
	return both ? 0 : errno;
}

/* As abort() and raise() do it. */
static int signal_itself(const struct place *p)
{
	(void)p;
	return syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 0) == 0 ? 0 : errno;
}

/* Of a pipe the kernel says ENOTTY, but the filter does not look at what it is. */
static int ask_pipe(unsigned long request)
{
	int ends[2];
	char typed[2] = "x";
	if (pipe(ends) != 0)
		return 99;
	return ioctl(ends[0], request, typed) == 0 ? 0 : errno;
}

static int type_into_terminal(const struct place *p)
{
	(void)p;
	return ask_pipe(TIOCSTI);
}

/* The kernel does not look at the upper half, nor may the filter. */
static int type_with_more_bits(const struct place *p)
{
	(void)p;
	return ask_pipe(TIOCSTI | (unsigned long)1 << 32);
}

static int paste_into_console(const struct place *p)
{
	(void)p;
	return ask_pipe(TIOCLINUX);
}

static int ask_width(const struct place *p)
{
	(void)p;
	return ask_pipe(TIOCGWINSZ);
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
	return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) == 0 ? 0 : errno;
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

/* What an attempt came to in a child that has entered, or (`rules` none) has not. */
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

/* What is in force, as a child finds it. */
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

/* What the kernel can refuse must be refused: only what it has not is skipped. */
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

static void test_files(void **state)
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
	/* Outside each of them goes well, or the above would prove nothing. */
	const struct place *p = *state;
	(void)unlink(p->made);
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++)
		assert_int_equal(outcome(*state, cases[i].attempt, false), 0);
}

/* The rename that puts an output into place. */
static void test_place(void **state)
{
	assert_int_equal(outcome(*state, move_work, true), 0);
}

static void test_calls(void **state)
{
	need_seccomp();
	static const attempt_fn refused[] = {open_socket, open_local_socket, run_program, start_process,
		trace_parent, truncate_foreign, link_foreign, own_foreign, mode_foreign, mode_foreign_at,
		mode_foreign_at2, date_foreign, date_foreign_at,
#ifdef SYS_utime
		date_foreign_utime, date_foreign_futimesat,
#endif
		signal_parent, signal_parent_by_thread, signal_parent_by_group, queue_to_parent,
		queue_to_parent_by_group, limits_of_parent, type_into_terminal, type_with_more_bits,
		paste_into_console};
	for (size_t i = 0; i < JR_COUNT_OF(refused); i++)
		if (outcome(*state, refused[i], true) != EPERM)
			fail_msg("call %zu is not refused", i);
	static const attempt_fn allowed[] = {mode_of_open, own_limits, signal_itself};
	for (size_t i = 0; i < JR_COUNT_OF(allowed); i++)
		if (outcome(*state, allowed[i], true) != 0)
			fail_msg("call %zu, which is needed, is refused", i);
	assert_int_equal(outcome(*state, ask_width, true), ENOTTY);
	/* Outside each of them goes well, or the above would prove nothing. */
	static const attempt_fn fine[] = {open_socket, open_local_socket, run_program, start_process,
		truncate_foreign, link_foreign, mode_foreign, mode_foreign_at, date_foreign,
		date_foreign_at, signal_parent, signal_parent_by_thread, signal_parent_by_group,
		queue_to_parent, limits_of_parent};
	for (size_t i = 0; i < JR_COUNT_OF(fine); i++)
		if (outcome(*state, fine[i], false) != 0)
			fail_msg("call %zu is refused outside too", i);
	assert_int_equal(outcome(*state, type_into_terminal, false), ENOTTY);
	assert_int_not_equal(outcome(*state, mode_foreign_at2, false), EPERM); /* ENOSYS before 6.6 */
}

/* A rule that the kernel does not take: files within a pipe. Where the path is needed, files are
 * rather not bounded than the path left out. */
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

static void test_rules_that_are_not_taken(void **state)
{
	need_landlock();
	assert_int_equal(outcome(*state, needed_pipe, false), 1);
	assert_int_equal(outcome(*state, other_pipe, false), 0);
}

/* Threads can be started, and are held to the same. */
static void test_threads(void **state)
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

/* Threads that are there already are held to the filter too. */
static void test_earlier_threads(void **state)
{
	need_seccomp();
	assert_int_equal(outcome(*state, entered_late, false), EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_files, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_place, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_calls, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_rules_that_are_not_taken, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_threads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_earlier_threads, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
