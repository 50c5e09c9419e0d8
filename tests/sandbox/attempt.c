/*
 * attempt.c - code that an input might have got to run, preloaded by tests/sandbox/run.
 *
 * When the program under test makes the first file of its output, the inputs are open and nothing
 * is written yet, it tries what such code would try, and says on stderr what came of each; and what
 * the kernel could refuse, whether or not the program had it do so.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
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
	/* The first run of a user has fontconfig write its caches, before anything is confined. */
	if ((flags & O_CREAT) && !strstr(path, "/fontconfig") && !atomic_flag_test_and_set(&done))
		try_all(real_open);
	return real_open(path, flags, mode);
}
