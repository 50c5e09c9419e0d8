#include "cli/commands/record_run.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "cli/core/child.h"
#include "cli/core/emergency.h"

enum { TELL_S = 60 };
#define SECOND_NS INT64_C(1000000000)
/* A scheduler signals the processes of a job one after the other, all within this time. */
#define ALL_REACHED_NS INT64_C(250000000)

/* --- find the program ----------------------------------------------------------------------- */

/* Read at most `size` - 1 bytes of a file. Return their number, 0 if it cannot be read. */
static size_t read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return n > 0 ? (size_t)n : 0;
}

static pid_t number_at(const char *text)
{
	int64_t v;
	return jr_parse_i64(text, strspn(text, "0123456789"), &v) && v < INT32_MAX ? (pid_t)v : 0;
}

/* Read the parent from "PID (NAME) S PARENT ...": a name may contain blanks and parentheses. */
static pid_t parent_of(pid_t pid)
{
	char path[64], text[512];
	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	(void)read_text(path, text, sizeof(text));
	const char *to = strrchr(text, ')');
	return to && strlen(to) > 4 ? number_at(to + 4) : 0;
}

static bool is_part_of_nsys(pid_t pid)
{
	char path[64], name[64];
	snprintf(path, sizeof(path), "/proc/%ld/comm", (long)pid);
	(void)read_text(path, name, sizeof(name));
	return strncmp(name, "nsys", 4) == 0;
}

/* --- a run ---------------------------------------------------------------------------------- */

/* Signals that are passed on to the program, and signals for us alone. */
static const int PASSED_ON[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
static const int OURS[] = {SIGCHLD, SIGTSTP, SIGCONT};

struct passing {
	int64_t due_ns; /* when to check whether all got it, and pass it on; 0: not received */
	bool was_sent_to_all;
};

struct run {
	const struct jr_recorded_wish *wish;
	struct jr_messages *msg;
	struct jr_recorded *out;
	pid_t nsys;     /* 0: has ended */
	pid_t launcher; /* the program's parent, which nsys may leave to us; 0: none */
	bool program_ended;
	int64_t ended_ns, told_ns; /* when the program ended, and when we last reported that */
	int64_t asked_ns;          /* when the end was requested; 0: never */
	struct passing passing[JR_COUNT_OF(PASSED_ON)];
};

static bool asks_for_the_end(int signal)
{
	return signal != SIGUSR1 && signal != SIGUSR2;
}

static void send(pid_t pid, int signal)
{
	if (pid > 0)
		(void)kill(pid, signal); /* it may have ended already */
}

static void take(struct run *r, int signal)
{
	pid_t program = r->program_ended ? 0 : r->out->program;
	for (size_t i = 0; i < JR_COUNT_OF(PASSED_ON); i++)
		if (PASSED_ON[i] == signal && !r->passing[i].due_ns)
			r->passing[i].due_ns = jr_clock_ns() + ALL_REACHED_NS;
	switch (signal) {
	case SIGCONT:
	case SIGTSTP:
		send(program, signal);
		send(r->nsys, signal);
		if (signal == SIGTSTP)
			(void)raise(SIGSTOP);
		break;
	case SIGCHLD: break;
	default:
		if (asks_for_the_end(signal) && !r->out->signal) {
			r->out->signal = signal;
			r->asked_ns = jr_clock_ns();
		}
	}
}

/* Pass on signals that arrived long enough ago, or before the program existed. */
static void pass_on(struct run *r)
{
	pid_t program = r->out->program;
	for (size_t i = 0; program && i < JR_COUNT_OF(PASSED_ON); i++) {
		struct passing *p = &r->passing[i];
		if (!p->due_ns || jr_clock_ns() < p->due_ns)
			continue;
		p->due_ns = 0;
		/* a pending signal stays pending, so it shows nothing about a second one */
		bool to_all = r->nsys && !p->was_sent_to_all && jr_child_has_pending(r->nsys, PASSED_ON[i]);
		p->was_sent_to_all |= to_all;
		if (to_all || r->program_ended)
			continue;
		bool group = asks_for_the_end(PASSED_ON[i]) && getpgid(program) == program;
		send(program, group ? 0 : PASSED_ON[i]);
		if (group)
			(void)kill(-program, PASSED_ON[i]);
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
	char text[32];
	if (!out->program && read_text(r->wish->told, text, sizeof(text))) {
		out->program = number_at(text);
		r->launcher = parent_of(out->program);
		if (r->launcher == r->nsys || r->launcher == getpid())
			r->launcher = 0;
	}
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

/* Kill processes that nsys started and left to us, except the program. Its collector is in its own
 * session, and would wait forever for the end of a profile. */
static bool kill_parts_of_nsys(const struct run *r)
{
	bool any = false;
	char path[64], text[4096];
	snprintf(path, sizeof(path), "/proc/self/task/%ld/children", (long)getpid());
	(void)read_text(path, text, sizeof(text));
	for (const char *at = text; *at; at += strspn(at, "0123456789"), at += *at == ' ') {
		pid_t pid = number_at(at);
		if (!pid)
			break;
		if (pid == r->out->program || pid == r->nsys || !is_part_of_nsys(pid))
			continue;
		any = true;
		send(pid, SIGKILL);
		(void)waitpid(pid, NULL, WNOHANG);
	}
	return any;
}

/* Return when the time of nsys is over; INT64_MAX: never. */
static int64_t deadline_ns(const struct run *r)
{
	if (r->wish->grace_s)
		return r->ended_ns + r->wish->grace_s * SECOND_NS;
	if (!r->asked_ns)
		return INT64_MAX;
	return (r->asked_ns > r->ended_ns ? r->asked_ns : r->ended_ns) + JR_GRACE_S * SECOND_NS;
}

/* Wait for the report of nsys after the program has ended. */
static void wait_for_report(struct run *r)
{
	if (!r->nsys || !r->program_ended)
		return;
	int64_t now = jr_clock_ns();
	struct stat st;
	uint64_t size = stat(r->wish->report, &st) == 0 ? (uint64_t)st.st_size : 0;
	jr_say_progress(r->msg, "nsys is writing its report", size, 0);
	if (now - r->told_ns >= TELL_S * SECOND_NS) {
		r->told_ns = now;
		jr_say_note(r->msg, "nsys is still writing: %llu MiB", (unsigned long long)(size >> 20));
	}
	if (now >= deadline_ns(r)) {
		r->out->cut_short = true;
		(void)kill(-r->nsys, SIGKILL);
		(void)kill_parts_of_nsys(r);
	}
}

/* If the program outlives nsys, nsys-launcher waits for the program and ends with its status. */
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
	/* ended by a signal that did not come through us: the program may run for any time */
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
		pass_on(r);
		long wait_ns = r->out->program ? 50000000 : 10000000;
		int signal = sigtimedwait(taken, NULL, &(struct timespec){.tv_nsec = wait_ns});
		if (signal > 0)
			take(r, signal);
	}
}

int jr_recorded_run(
	const struct jr_recorded_wish *wish, struct jr_messages *msg, struct jr_recorded *out)
{
	*out = (struct jr_recorded){.program_status = -1, .nsys_status = -1};
	struct run r = {.wish = wish, .msg = msg, .out = out};
	sigset_t taken;
	sigemptyset(&taken);
	/* signals that were ignored when we began stay ignored */
	for (size_t i = 0; i < JR_COUNT_OF(PASSED_ON); i++)
		if (!jr_child_was_ignored(PASSED_ON[i]))
			sigaddset(&taken, PASSED_ON[i]);
	for (size_t i = 0; i < JR_COUNT_OF(OURS); i++)
		sigaddset(&taken, OURS[i]);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	sigprocmask(SIG_BLOCK, &taken, &out->before);
	const struct jr_child nsys = {
		.arguments = wish->arguments, .tmpdir = wish->tmpdir, .shielded = true};
	int code = jr_child_start(&nsys, &r.nsys);
	if (code == 0)
		watch(&r, &taken);
	/* when a process of nsys ends, its children are left to us */
	for (int i = 0; code == 0 && !out->runs_on && i < 20 && kill_parts_of_nsys(&r); i++)
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	jr_say_progress_end(msg);
	return code;
}

void jr_recorded_let_signals_in(const struct jr_recorded *ran)
{
	sigprocmask(SIG_SETMASK, &ran->before, NULL);
}
