/*
 * attempt.c - code that a malicious input might run, preloaded by tests/sandbox/run.
 *
 * When the program under test creates the first file of its output, the inputs are open and nothing
 * is written yet. This code then tries what such code would try, and prints each result on stderr;
 * and what the kernel could refuse, independent of the program.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "kernel.h"

static void say(const char *who, const char *what, const char *how)
{
	char line[200];
	int n = snprintf(line, sizeof(line), "%s: %s: %s\n", who, what, how);
	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		_exit(9);
}

static void tell(const char *what, int code)
{
	say("attempt", what, code ? strerror(code) : "done");
}

/* Other processes, without sending a signal: signal 0 only tests the parent. */
static void try_others(int input)
{
	pid_t parent = getppid();
	cpu_set_t processors;
	tell("send a signal", kill(parent, 0) != 0 ? errno : 0);
	tell("have a file send signals", fcntl(input, F_SETOWN, parent) != 0 ? errno : 0);
	tell("have a file be ready", fcntl(input, F_SETFL, O_ASYNC) != 0 ? errno : 0);
	tell("set a priority", setpriority(PRIO_PROCESS, (id_t)parent, 0) != 0 ? errno : 0);
	const int best_effort = 2 << 13 | 4;
	tell("set a priority of disks",
		syscall(SYS_ioprio_set, 1, parent, best_effort) != 0 ? errno : 0);
	if (sched_getaffinity(0, sizeof(processors), &processors) != 0)
		_exit(9);
	tell("choose processors",
		sched_setaffinity(parent, sizeof(processors), &processors) != 0 ? errno : 0);
	int id = shmget(IPC_PRIVATE, 4096, 0600);
	tell("share memory", id < 0 ? errno : 0);
	(void)shmctl(id, IPC_RMID, NULL);
	id = msgget(IPC_PRIVATE, 0600);
	tell("share messages", id < 0 ? errno : 0);
	(void)msgctl(id, IPC_RMID, NULL);
}

/* An input's metadata. */
static void try_input(int input)
{
	int flags = 0;
	struct stat st;
	if (fstat(input, &st) != 0)
		_exit(9);
	(void)ioctl(input, FS_IOC_GETFLAGS, &flags);
	tell("set flags of an input", ioctl(input, FS_IOC_SETFLAGS, &flags) != 0 ? errno : 0);
	tell("set the mode of an input", fchmod(input, st.st_mode) != 0 ? errno : 0);
}

static void try_all(int (*real_open)(const char *, int, ...))
{
	say("kernel", "Landlock", kernel_has_landlock() ? "yes" : "no");
	say("kernel", "seccomp", kernel_has_seccomp() ? "yes" : "no");
	const char *home = getenv("ATTEMPT_HOME");
	char secret[300], planted[300];
	snprintf(secret, sizeof(secret), "%s/secret", home);
	snprintf(planted, sizeof(planted), "%s/planted", home);
	int fd = real_open(secret, O_RDONLY);
	tell("read a foreign file", fd < 0 ? errno : 0);
	fd = real_open(planted, O_WRONLY | O_CREAT, 0700);
	tell("make a foreign file", fd < 0 ? errno : 0);
	tell("remove a foreign file", unlink(secret) != 0 ? errno : 0);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	tell("open a socket", fd < 0 ? errno : 0);
	char name[] = "/bin/true";
	char *const arguments[] = {name, NULL};
	pid_t pid;
	tell("start a program", posix_spawn(&pid, name, NULL, NULL, arguments, environ));
	void *code = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	tell("have other code", code == MAP_FAILED ? errno : 0);
	int input = real_open(getenv("ATTEMPT_INPUT"), O_RDONLY | O_CLOEXEC);
	if (input < 0)
		_exit(9);
	try_others(input);
	try_input(input);
	close(input);
}

int open(const char *path, int flags, ...)
{
	static atomic_flag done = ATOMIC_FLAG_INIT;
	int (*real_open)(const char *, int, ...);
	*(void **)&real_open = dlsym(RTLD_NEXT, "open");
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	/* In a user's first run fontconfig writes its caches, before the sandbox starts. */
	if ((flags & O_CREAT) && !strstr(path, "/fontconfig") && !atomic_flag_test_and_set(&done))
		try_all(real_open);
	return real_open(path, flags, mode);
}
