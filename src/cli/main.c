#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/task.h"
#include "cli/core/child.h"
#include "cli/core/commands.h"
#include "cli/core/emergency.h"
#include "cli/core/opener.h"
#include "cli/core/versions.h"
#include "cli/options/option_functions.h"
#include "report/core/report.h"

/* If a standard stream is closed, no file of ours may get its number. */
static void hold_standard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) == -1) /* so that writing to it still fails */
			(void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static enum jr_status print(const struct jr_buf *out, struct jr_error *err)
{
	for (size_t done = 0; done < out->size;) {
		ssize_t n = write(STDOUT_FILENO, out->data + done, out->size - done);
		if (n < 0 && errno != EINTR)
			return jr_fail(err, JR_EIO, "cannot write to stdout: %s", strerror(errno));
		done += n > 0 ? (size_t)n : 0;
	}
	return JR_OK;
}

/* Raise a limit of the process to `wanted` if that is allowed. Return the current limit, at most
 * `wanted`. */
static rlim_t at_least(int which, rlim_t wanted)
{
	struct rlimit limit;
	if (getrlimit(which, &limit) != 0 || limit.rlim_cur >= wanted)
		return wanted;
	rlim_t before = limit.rlim_cur;
	limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
	return setrlimit(which, &limit) == 0 ? limit.rlim_cur : before;
}

/* With less than this, a run would fail in the middle, without being able to report why. */
static enum jr_status check_room(struct jr_error *err)
{
	enum { FILES = 32 };
	rlim_t stack = at_least(RLIMIT_STACK, JR_STACK_BYTES), files = at_least(RLIMIT_NOFILE, FILES);
	if (stack < JR_STACK_BYTES)
		return jr_fail(err, JR_EIO,
			"the stack limit of %ju kB is too low. Allow %zu kB (ulimit -s %zu).",
			(uintmax_t)stack / 1024, JR_STACK_BYTES / 1024, JR_STACK_BYTES / 1024);
	if (files < FILES)
		return jr_fail(err, JR_EIO,
			"the limit of %ju open files is too low. Allow %d (ulimit -n %d).", (uintmax_t)files,
			FILES, FILES);
	return JR_OK;
}

/* glibc keeps larger blocks for itself once some were freed, up to 32 MiB each. Tables of millions
 * of rows are freed one after the other, and a process that keeps them needs a tenth more memory.
 */
static void give_memory_back(void)
{
#ifdef M_MMAP_THRESHOLD
	enum { GIVEN_BACK_BYTES = 256 << 10 };
	(void)mallopt(M_MMAP_THRESHOLD, GIVEN_BACK_BYTES);
#endif
}

static enum jr_status act(
	struct jr_request *request, struct jr_messages *msg, struct jr_buf *out, struct jr_error *err)
{
	switch (request->action) {
	case JR_ACTION_HELP:
		if (request->command_group)
			jr_help_write_group(out, request->command_group);
		else
			jr_help_write(out, request->command_named ? request->command : NULL);
		return JR_OK;
	case JR_ACTION_USAGE:
		jr_help_write_usage(out, request->command_named ? request->command : NULL);
		return JR_OK;
	case JR_ACTION_VERSION: jr_versions_write(out); return JR_OK;
	case JR_ACTION_LIMITS: jr_limits_write(out, &request->analysis.limits); return JR_OK;
	case JR_ACTION_METRICS: jr_metrics_list(out); return JR_OK;
	case JR_ACTION_WHAT_IFS: jr_what_ifs_list(out); return JR_OK;
	case JR_ACTION_RUN: break;
	}
	if (request->open)
		JR_TRY(jr_opener_begin(&request->opener, err));
	enum jr_status status = request->command->run(request, msg, out, err);
	jr_opener_end(request->opener);
	return status;
}

/* Not part of main(), whose stack may be too small for it. */
static __attribute__((noinline)) int run(int argc, char **argv)
{
	struct jr_request request;
	struct jr_messages msg;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	struct jr_error err = {0};
	int code = JR_EXIT_OK;
	enum jr_status status = jr_request_parse(&request, argc, argv, &err);
	jr_messages_init(&msg, request.verbosity, request.progress);
	if (status != JR_OK) {
		code = status == JR_EUSAGE ? JR_EXIT_USAGE : JR_EXIT_INPUT; /* e.g. an unreadable list */
	} else {
		status = act(&request, &msg, &out, &err);
		jr_say_progress_end(&msg);
		struct jr_error print_err = {0};
		if (print(&out, &print_err) != JR_OK && status == JR_OK) {
			err = print_err;
			status = err.status;
		}
		if (status != JR_OK)
			code = status == JR_EGATE      ? JR_EXIT_GATE
				   : status == JR_EUNCLEAR ? JR_EXIT_UNCLEAR
				   : status == JR_ECHILD   ? err.child_status
										   : JR_EXIT_INPUT;
	}
	if (status != JR_OK)
		jr_say_error(&msg, "%s", err.message);
	jr_request_done(&request);
	return code;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], JR_CHILD_BECOME) == 0)
		return jr_child_become(argc, argv);
	hold_standard_streams();
	give_memory_back();
	jr_emergency_install();
	struct jr_error err = {0};
	if (check_room(&err) == JR_OK)
		return run(argc, argv);
	struct jr_messages msg;
	jr_messages_init(&msg, JR_QUIET, JR_PROGRESS_NEVER);
	jr_say_error(&msg, "%s", err.message);
	return JR_EXIT_INPUT;
}
