#include "cli/core/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "cli/core/child.h"

#define PROGRAM "xdg-open"

static void become(int from, const char *program)
{
	char path[PATH_MAX + 1];
	size_t n = 0;
	for (ssize_t got; n < PATH_MAX && (got = read(from, path + n, PATH_MAX - n)) > 0;)
		n += (size_t)got;
	path[n] = 0;
	if (n == 0)
		_exit(0); /* there is no page */
	jr_child_restore_state();
	int quiet = open("/dev/null", O_RDWR);
	for (int fd = STDIN_FILENO; quiet >= 0 && fd <= STDERR_FILENO; fd++)
		(void)dup2(quiet, fd);
	(void)execl(program, PROGRAM, path, (char *)NULL);
	_exit(127);
}

enum jr_status jr_opener_begin(int *helper, struct jr_error *err)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	int ends[2];
	const char *program = jr_program_path(PROGRAM, &arena);
	enum jr_status status = JR_OK;
	pid_t pid = -1;
	if (!program)
		status = jr_fail(err, JR_EUSAGE, "--open requires " PROGRAM " on PATH (package xdg-utils)");
	else if (pipe2(ends, O_CLOEXEC) != 0 || (pid = fork()) < 0)
		status = jr_fail(err, JR_EIO, "--open: cannot start a process: %s", strerror(errno));
	if (pid == 0) {
		close(ends[1]);
		become(ends[0], program);
	}
	if (status == JR_OK) {
		close(ends[0]);
		*helper = ends[1];
	}
	return status;
}

void jr_opener_show(int helper, const char *path)
{
	size_t n = strlen(path); /* fits into a pipe at once */
	if (helper >= 0)
		(void)!write(helper, path, n < PATH_MAX ? n : 0);
}

void jr_opener_end(int helper)
{
	if (helper >= 0)
		close(helper);
}
