#include "base/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

/* --- files: landlock(7) ----------------------------------------------------------------------- */

/* Not defined in the headers of Debian 12. */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (UINT64_C(1) << 14)
#endif
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (UINT64_C(1) << 15)
#endif
#define BIND_OR_CONNECT_TCP UINT64_C(3)
#define UNIX_SOCKETS_AND_SIGNALS UINT64_C(3)

/* struct landlock_ruleset_attr of version 6. Older kernels accept it if the fields that they do not
 * know are 0. */
struct handled {
	uint64_t files, tcp, scopes;
};

#define READ_FILES (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define PLACE_FILES                                                                                \
	(LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |     \
		LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR)
#define WRITE_FILES (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)
/* Rights that a rule for a file, not a folder, may contain. */
#define OF_FILES (LANDLOCK_ACCESS_FS_READ_FILE | WRITE_FILES)

/* Return all rights that version `abi` can refuse: rights that are not handled are granted. */
static struct handled all_rights(int abi)
{
	struct handled all = {.files = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1};
	if (abi >= 2)
		all.files |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		all.files |= LANDLOCK_ACCESS_FS_TRUNCATE;
	if (abi >= 4)
		all.tcp = BIND_OR_CONNECT_TCP;
	if (abi >= 5)
		all.files |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
	if (abi >= 6)
		all.scopes = UNIX_SOCKETS_AND_SIGNALS;
	return all;
}

static uint64_t rights_of(unsigned may)
{
	uint64_t rights = 0;
	if (may & JR_MAY_READ)
		rights |= READ_FILES;
	if (may & JR_MAY_PLACE)
		rights |= PLACE_FILES;
	if (may & JR_MAY_CHANGE)
		rights |= LANDLOCK_ACCESS_FS_READ_FILE | PLACE_FILES | WRITE_FILES;
	return rights;
}

/* Return false if a needed path cannot be opened, or the kernel refuses its rule. */
static bool add_rule(int ruleset, const struct jr_sandbox_rule *rule, uint64_t handled)
{
	struct landlock_path_beneath_attr attr = {
		.allowed_access = rights_of(rule->may) & handled,
		.parent_fd = open(rule->path, O_PATH | O_CLOEXEC),
	};
	struct stat st;
	if (attr.parent_fd < 0)
		return !(rule->may & JR_NEEDED);
	if (fstat(attr.parent_fd, &st) == 0 && !S_ISDIR(st.st_mode))
		attr.allowed_access &= OF_FILES;
	bool added = !attr.allowed_access ||
				 syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &attr, 0) == 0;
	close(attr.parent_fd);
	return added || !(rule->may & JR_NEEDED);
}

static const char *bound_files(const struct jr_sandbox_rule *rules, size_t n, int *version)
{
	*version = 0;
	int abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
	if (abi < 1)
		return errno == EOPNOTSUPP ? "disabled in this kernel" : "not supported by this kernel";
	struct handled handled = all_rights(abi);
	int ruleset = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0);
	if (ruleset < 0)
		return "the kernel refused the rules";
	bool all = true;
	for (size_t i = 0; i < n && all; i++)
		all = add_rule(ruleset, &rules[i], handled.files);
	bool bounded = all && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
	close(ruleset);
	if (!all)
		return "the output path cannot be opened";
	if (!bounded)
		return "the kernel refused to enforce it";
	*version = abi;
	return NULL;
}

/* --- calls: seccomp(2) ------------------------------------------------------------------------ */

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define OUR_ARCH AUDIT_ARCH_RISCV64
#endif

#ifdef OUR_ARCH

/* Calls that are allowed with any arguments. They affect only this process, files that it has open
 * and files that Landlock restricts. The most frequent come first, because the filter compares in
 * this order. Some are not used today: other versions of the libraries use them instead. */
static const uint32_t allowed[] = {
	SYS_read,
	SYS_write,
	SYS_futex,
	SYS_pread64,
	SYS_pwrite64,
	SYS_close,
	SYS_fstat,
	SYS_newfstatat,
	SYS_lseek,
	SYS_munmap,
	SYS_madvise,
	SYS_brk,
	/* open files */
	SYS_readv,
	SYS_writev,
	SYS_preadv,
	SYS_pwritev,
	SYS_fsync,
	SYS_fdatasync,
	SYS_sync_file_range,
	SYS_ftruncate,
	SYS_fallocate,
	SYS_fadvise64,
	SYS_flock,
	SYS_fstatfs,
	SYS_getdents64,
	SYS_dup,
	SYS_ppoll,
	SYS_pselect6,
	/* files by path */
	SYS_statx,
	SYS_statfs,
	SYS_faccessat,
	SYS_faccessat2,
	SYS_readlinkat,
	SYS_getcwd,
	SYS_mkdirat,
	SYS_unlinkat,
	SYS_renameat2,
#ifdef SYS_renameat
	SYS_renameat,
#endif
#ifdef SYS_open
	SYS_stat,
	SYS_lstat,
	SYS_access,
	SYS_readlink,
	SYS_mkdir,
	SYS_rmdir,
	SYS_unlink,
	SYS_rename,
	SYS_poll,
	SYS_select,
	SYS_pause,
	SYS_time,
#endif
	/* memory and threads */
	SYS_mremap,
	SYS_msync,
	SYS_membarrier,
	SYS_futex_waitv,
	SYS_set_robust_list,
	SYS_set_tid_address,
	SYS_rseq,
	SYS_sched_yield,
	SYS_sched_getaffinity,
	SYS_getcpu,
	SYS_exit,
	SYS_exit_group,
	/* signals that this process receives */
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_rt_sigsuspend,
	SYS_sigaltstack,
	SYS_restart_syscall,
	/* identity, time, random numbers */
	SYS_getpid,
	SYS_gettid,
	SYS_getppid,
	SYS_getuid,
	SYS_geteuid,
	SYS_getgid,
	SYS_getegid,
	SYS_getrusage,
	SYS_getrlimit,
	SYS_sysinfo,
	SYS_uname,
	SYS_getrandom,
	SYS_clock_gettime,
	SYS_clock_getres,
	SYS_clock_nanosleep,
	SYS_nanosleep,
	SYS_gettimeofday,
};

/* A condition on 32 bits of the arguments. EQUALS_US compares with our process id. */
enum test { ALWAYS, EQUALS, EQUALS_US, HAS_NONE_OF };
struct condition {
	uint8_t argument; /* from LOWER() or UPPER() */
	uint8_t test;
	uint32_t value;
};

/* Offset in 32-bit words; assumes a little-endian machine. */
#define LOWER(i) (uint8_t)(offsetof(struct seccomp_data, args[i]) / 4)
#define UPPER(i) (uint8_t)(LOWER(i) + 1)

/* Flags with which the C library starts a thread. No other flags are allowed: no process, no
 * namespace. */
#define CLONE_FOR_A_THREAD                                                                         \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |            \
		CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)
/* Before version 3 of Landlock, O_TRUNC empties a file that may only be read; no output needs it.
 * Set-user-ID files are refused because they would run with the user's rights for others. */
#define OPENED_SO(flags, mode)                                                                     \
	{                                                                                              \
		{LOWER(flags), HAS_NONE_OF, O_TRUNC},                                                      \
		{                                                                                          \
			LOWER(mode), HAS_NONE_OF, S_ISUID | S_ISGID                                            \
		}                                                                                          \
	}
/* isatty() of newer C libraries uses it; the header that defines it conflicts with theirs. */
#define TCGETS2_ 0x802c542a

/* Calls that are allowed if all conditions of one of their rows hold. */
static const struct conditional {
	uint32_t call;
	struct condition conditions[3];
} conditionals[] = {
	{SYS_openat, OPENED_SO(2, 3)},
#ifdef SYS_open
	{SYS_open, OPENED_SO(1, 2)},
#endif
	/* no code except what is loaded now */
	{SYS_mmap, {{LOWER(2), HAS_NONE_OF, PROT_EXEC}}},
	{SYS_mprotect, {{LOWER(2), HAS_NONE_OF, PROT_EXEC}}},
	{SYS_clone, {{LOWER(0), EQUALS, CLONE_FOR_A_THREAD}}},
	/* locks, as SQLite sets them; nothing that makes the kernel send signals (F_SETOWN, O_ASYNC) */
	{SYS_fcntl, {{LOWER(1), EQUALS, F_SETLK}}},
	{SYS_fcntl, {{LOWER(1), EQUALS, F_SETLKW}}},
	{SYS_fcntl, {{LOWER(1), EQUALS, F_GETLK}}},
	{SYS_fcntl, {{LOWER(1), EQUALS, F_GETFL}}},
	{SYS_fcntl, {{LOWER(1), EQUALS, F_GETFD}}},
	{SYS_fcntl, {{LOWER(1), EQUALS, F_SETFD}}},
	{SYS_fcntl, {{LOWER(1), EQUALS, F_DUPFD_CLOEXEC}}},
	/* whether it is a terminal, and its width */
	{SYS_ioctl, {{LOWER(1), EQUALS, TCGETS}}},
	{SYS_ioctl, {{LOWER(1), EQUALS, TCGETS2_}}},
	{SYS_ioctl, {{LOWER(1), EQUALS, TIOCGWINSZ}}},
	/* only to this process: abort() and raise() */
	{SYS_tgkill, {{LOWER(0), EQUALS_US, 0}}},
	/* getrlimit(): only our own limits, and only to read them */
	{SYS_prlimit64, {{LOWER(0), EQUALS, 0}, {LOWER(2), EQUALS, 0}, {UPPER(2), EQUALS, 0}}},
};

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, (value))
/* Skip `n` instructions unless the accumulator compares like this with k. */
#define UNLESS(test, k, n) BPF_JUMP(BPF_JMP | (test) | BPF_K, (k), 0, (n))

/* A filter under construction. */
struct filter {
	struct sock_filter code[8 + 2 * JR_COUNT_OF(allowed) + 9 * JR_COUNT_OF(conditionals)];
	size_t n;
};

static void put(struct filter *f, struct sock_filter instruction)
{
	f->code[f->n++] = instruction;
}

#define PUT(f, ...) put(f, (struct sock_filter)__VA_ARGS__)

/* Expects the number of the call in the accumulator and leaves it there. */
static void put_conditional(struct filter *f, const struct conditional *row)
{
	size_t n = 0;
	while (n < JR_COUNT_OF(row->conditions) && row->conditions[n].test != ALWAYS)
		n++;
	/* each condition takes two instructions; the last two allow the call and load the number
	 * again */
	PUT(f, UNLESS(BPF_JEQ, row->call, (uint8_t)(2 * n + 2)));
	for (size_t i = 0; i < n; i++) {
		const struct condition *c = &row->conditions[i];
		uint8_t rest = (uint8_t)(2 * (n - 1 - i) + 1);
		PUT(f, LOAD(c->argument * 4U));
		if (c->test == HAS_NONE_OF)
			PUT(f, BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, c->value, rest, 0));
		else
			PUT(f, UNLESS(BPF_JEQ, c->test == EQUALS_US ? (uint32_t)getpid() : c->value, rest));
	}
	PUT(f, RETURN(SECCOMP_RET_ALLOW));
	PUT(f, LOAD(offsetof(struct seccomp_data, nr)));
}

static const char *bound_calls(void)
{
	struct filter f = {.n = 0};
	PUT(&f, LOAD(offsetof(struct seccomp_data, arch)));
	PUT(&f, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0));
	PUT(&f, RETURN(SECCOMP_RET_ERRNO | ENOSYS)); /* calls have other numbers there */
	PUT(&f, LOAD(offsetof(struct seccomp_data, nr)));
	for (size_t i = 0; i < JR_COUNT_OF(allowed); i++) {
		PUT(&f, UNLESS(BPF_JEQ, allowed[i], 1));
		PUT(&f, RETURN(SECCOMP_RET_ALLOW));
	}
	for (size_t i = 0; i < JR_COUNT_OF(conditionals); i++)
		put_conditional(&f, &conditionals[i]);
	/* Behave like a kernel older than clone3() and all later calls. C libraries then use earlier
	 * calls, whose arguments the filter can see. */
	PUT(&f, UNLESS(BPF_JGE, SYS_clone3, 1));
	PUT(&f, RETURN(SECCOMP_RET_ERRNO | ENOSYS));
	PUT(&f, RETURN(SECCOMP_RET_ERRNO | EPERM));
	const struct sock_fprog program = {.len = (uint16_t)f.n, .filter = f.code};
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
		return errno == ENOSYS || errno == EINVAL ? "not supported by this kernel"
												  : "the kernel refused the filter";
	return NULL;
}

#else
static const char *bound_calls(void)
{
	return "not supported on this architecture";
}
#endif

void jr_sandbox_enter(const struct jr_sandbox_rule *rules, size_t n, struct jr_sandbox *out)
{
	*out = (struct jr_sandbox){0};
	/* Both mechanisms require it: the process gains no rights by running a program that has
	 * them. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
		out->no_landlock = out->no_seccomp = "the kernel does not support dropping privileges";
		return;
	}
	out->no_landlock = bound_files(rules, n, &out->landlock);
	out->no_seccomp = bound_calls();
	out->seccomp = !out->no_seccomp;
}
