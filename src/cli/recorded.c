#include "cli/recorded.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"
#include "cli/emergency.h"

enum { COMM_BYTES = 16, TELL_S = 60, KILL_S = 10 };

/* --- who is the program --------------------------------------------------------------------- */

struct process {
	pid_t pid, parent;
	char name[COMM_BYTES];
};

static pid_t number_at(const char *text)
{
	int64_t v;
	return jr_parse_i64(text, strspn(text, "0123456789"), &v) && v < INT32_MAX ? (pid_t)v : 0;
}

/* "PID (NAME) S PARENT ...": a name may hold blanks and parentheses. */
static bool read_process(const char *pid, struct process *p)
{
	char path[64], text[512];
	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = 0;
	const char *from = strchr(text, '('), *to = strrchr(text, ')');
	if (!from || !to || to < from || !to[1] || !to[2] || !to[3])
		return false;
	snprintf(p->name, sizeof(p->name), "%.*s", (int)(to - from - 1), from + 1);
	p->pid = number_at(text);
	p->parent = number_at(to + 4);
	return true;
}

static bool parent_of(pid_t pid, struct process *p)
{
	char text[24];
	snprintf(text, sizeof(text), "%ld", (long)pid);
	return read_process(text, p);
}

/* Does the chain of parents lead to nsys, by nothing but what nsys is made of? Not `nsys` itself.
 */
static bool is_below(const struct process *p, pid_t nsys, bool *launched)
{
	struct process above;
	*launched = false;
	for (pid_t at = p->parent; at > 1; at = above.parent) {
		if (!parent_of(at, &above))
			return false;
		if (at == p->parent)
			*launched = strcmp(above.name, "nsys-launcher") == 0;
		if (at == nsys)
			return true;
		if (strncmp(above.name, "nsys", 4) != 0)
			return false;
	}
	return false;
}

/* What nsys-launcher has started that is no part of nsys; a version without one: what bears the
 * program's name. */
static pid_t find_program(pid_t nsys, const char *name, pid_t *launcher)
{
	DIR *all = opendir("/proc");
	pid_t found = 0;
	for (struct dirent *d; all && !found && (d = readdir(all)) != NULL;) {
		struct process p;
		bool launched;
		if (!isdigit((unsigned char)d->d_name[0]) || !read_process(d->d_name, &p) ||
			strncmp(p.name, "nsys", 4) == 0 || !is_below(&p, nsys, &launched))
			continue;
		if (launched || strncmp(p.name, name, COMM_BYTES - 1) == 0)
			found = p.pid;
		*launcher = launched ? p.parent : 0;
	}
	if (all)
		closedir(all);
	return found;
}

/* --- a run ---------------------------------------------------------------------------------- */

struct run {
	const struct jr_recorded_wish *wish;
	struct jr_messages *msg;
	struct jr_recorded *out;
	pid_t nsys;     /* 0: has ended */
	pid_t launcher; /* the program's parent, which nsys may leave to us; 0: none */
	bool program_ended;
	int64_t ended_ns, told_ns; /* when the program had, and what was said of that last */
	bool termed;
};

static const int TAKEN[] = {
	SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

static void send(pid_t pid, int signal)
{
	if (pid > 0)
		(void)kill(pid, signal); /* it may have ended meanwhile */
}

static void pass_on(struct run *r, int signal)
{
	pid_t program = r->program_ended ? 0 : r->out->program;
	switch (signal) {
	case SIGINT:
	case SIGQUIT:
	case SIGTERM:
	case SIGHUP:
		if (!r->out->signal)
			r->out->signal = signal;
		send(r->nsys ? r->nsys : program, signal == SIGHUP ? SIGTERM : signal);
		break;
	case SIGUSR1:
	case SIGUSR2:
	case SIGCONT:
		send(program, signal);
		if (signal == SIGCONT)
			send(r->nsys, signal);
		break;
	case SIGTSTP:
		send(program, SIGTSTP);
		send(r->nsys, SIGTSTP);
		(void)raise(SIGSTOP);
		break;
	default:
		break;
	}
}

static void look_after_nsys(struct run *r)
{
	int status;
	pid_t done = r->nsys ? jr_guarded_wait(r->nsys, &status) : 0;
	if (done == 0)
		return;
	r->out->nsys_status = done > 0 ? status : -1;
	r->nsys = 0;
}

static void look_after_program(struct run *r)
{
	struct jr_recorded *out = r->out;
	if (!out->program && r->nsys)
		out->program = find_program(r->nsys, r->wish->program, &r->launcher);
	if (!out->program || r->program_ended)
		return;
	int status;
	pid_t done = waitpid(out->program, &status, WNOHANG);
	if (done == out->program)
		out->program_status = status;
	r->program_ended = done == out->program || (done < 0 && kill(out->program, 0) != 0);
	if (r->program_ended)
		r->ended_ns = r->told_ns = jr_clock_ns();
}

/* The program has ended, and nsys writes. */
static void wait_for_report(struct run *r)
{
	if (!r->nsys || !r->program_ended)
		return;
	int64_t now = jr_clock_ns(), waited_s = (now - r->ended_ns) / 1000000000;
	struct stat st;
	uint64_t size = stat(r->wish->report, &st) == 0 ? (uint64_t)st.st_size : 0;
	jr_say_progress(r->msg, "nsys writes its report", size, 0);
	if (now - r->told_ns >= TELL_S * (int64_t)1000000000) {
		r->told_ns = now;
		jr_say_note(r->msg, "nsys is still writing: %llu MiB", (unsigned long long)(size >> 20));
	}
	if (r->wish->grace_s && waited_s >= r->wish->grace_s + KILL_S)
		send(r->nsys, SIGKILL);
	else if (r->wish->grace_s && waited_s >= r->wish->grace_s && !r->termed) {
		r->termed = r->out->cut_short = true;
		send(r->nsys, SIGTERM);
	}
}

/* nsys-launcher outlives nsys where the program does, waits for it, and ends with its status. */
static bool is_handed_on(struct run *r)
{
	int status;
	if (!r->launcher || r->out->program_status != -1)
		return true;
	pid_t done = waitpid(r->launcher, &status, WNOHANG);
	if (done == r->launcher)
		r->out->program_status = status;
	return done != 0;
}

static bool is_over(struct run *r)
{
	if (r->nsys)
		return false;
	if (!r->out->program)
		return true;
	if (r->program_ended)
		return is_handed_on(r);
	/* ended by what did not come through us: nobody knows how long the program goes on */
	int status = r->out->nsys_status;
	r->out->runs_on = status != -1 && WIFSIGNALED(status) && !r->out->signal;
	return r->out->runs_on;
}

static void watch(struct run *r, const sigset_t *taken)
{
	for (;;) {
		look_after_program(r);
		look_after_nsys(r);
		look_after_program(r);
		if (is_over(r))
			return;
		wait_for_report(r);
		long wait_ns = r->out->program ? 200000000 : 10000000;
		int signal = sigtimedwait(taken, NULL, &(struct timespec){.tv_nsec = wait_ns});
		if (signal > 0)
			pass_on(r, signal);
	}
}

static int start(char *const *arguments, pid_t *pid)
{
	posix_spawnattr_t attributes;
	sigset_t none, defaults;
	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGXFSZ);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(
		&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	/* what is ignored stays so over exec */
	struct sigaction ignore = {.sa_handler = SIG_IGN}, usr1, usr2;
	sigaction(SIGUSR1, &ignore, &usr1);
	sigaction(SIGUSR2, &ignore, &usr2);
	int code = jr_guarded_spawn(pid, arguments, NULL, &attributes);
	sigaction(SIGUSR1, &usr1, NULL);
	sigaction(SIGUSR2, &usr2, NULL);
	posix_spawnattr_destroy(&attributes);
	return code;
}

int jr_recorded_run(
	const struct jr_recorded_wish *wish, struct jr_messages *msg, struct jr_recorded *out)
{
	*out = (struct jr_recorded){.program_status = -1, .nsys_status = -1};
	struct run r = {.wish = wish, .msg = msg, .out = out};
	sigset_t taken, before;
	sigemptyset(&taken);
	for (size_t i = 0; i < JR_COUNT_OF(TAKEN); i++)
		sigaddset(&taken, TAKEN[i]);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	sigprocmask(SIG_BLOCK, &taken, &before);
	int code = start(wish->arguments, &r.nsys);
	if (code == 0)
		watch(&r, &taken);
	jr_say_progress_end(msg);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return code;
}

int jr_exit_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int jr_captured_run(char *const *arguments, size_t most, int64_t limit_s, const char *log,
	struct jr_buf *text, int *status)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(
		&files, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setpgroup(&attributes, 0);
	pid_t pid;
	int code = jr_guarded_spawn(&pid, arguments, &files, &attributes);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
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
