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
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

/* --- files: landlock(7) ----------------------------------------------------------------------- */

/* Rights that headers of Debian 12 do not name yet. */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (UINT64_C(1) << 14)
#endif

#define READ_FILES (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define PLACE_FILES                                                                                \
	(LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_DIR |     \
		LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR)
#define WRITE_FILES (LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE)
/* What a rule for a file, not a folder, may name. */
#define OF_FILES (LANDLOCK_ACCESS_FS_READ_FILE | WRITE_FILES)

/* Everything that version `abi` can refuse: a right that is not handled is granted. */
static uint64_t all_rights(int abi)
{
	uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
	if (abi >= 2)
		rights |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		rights |= LANDLOCK_ACCESS_FS_TRUNCATE;
	return rights;
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

/* False where a needed path cannot be opened, or the kernel takes no rule for it. */
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
		return errno == EOPNOTSUPP ? "switched off in this kernel" : "not in this kernel";
	struct landlock_ruleset_attr attr = {.handled_access_fs = all_rights(abi)};
	int ruleset = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (ruleset < 0)
		return "the kernel refused the rules";
	bool all = true;
	for (size_t i = 0; i < n && all; i++)
		all = add_rule(ruleset, &rules[i], attr.handled_access_fs);
	bool bounded = all && syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
	close(ruleset);
	if (!all)
		return "the output cannot be opened for a rule";
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
#endif

#ifdef OUR_ARCH

/* Numbers that headers of Debian 12 do not name yet. */
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

/* Refused with EPERM. A list of what must not be, not of what may: libraries differ in the harmless
 * calls that they make. */
static const uint32_t refused[] = {
	/* other programs and processes */
	SYS_execve,
	SYS_execveat,
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_pidfd_open,
	SYS_pidfd_getfd,
	SYS_pidfd_send_signal,
	SYS_kcmp,
	SYS_kill,
	SYS_tkill,
	SYS_rt_sigqueueinfo,
	SYS_rt_tgsigqueueinfo,
#ifdef SYS_fork
	SYS_fork,
	SYS_vfork,
#endif
	/* the network, and sockets of any kind */
	SYS_socket,
	SYS_socketpair,
	SYS_connect,
	SYS_bind,
	SYS_listen,
	SYS_accept,
	SYS_accept4,
	/* what files are besides their content: Landlock does not see these. Of what is open, and so
	 * allowed for, fchmod() may set the mode. */
	SYS_fchmodat,
	SYS_fchmodat2,
	SYS_utimensat,
	SYS_fchown,
	SYS_fchownat,
	SYS_setxattr,
	SYS_lsetxattr,
	SYS_fsetxattr,
	SYS_removexattr,
	SYS_lremovexattr,
	SYS_fremovexattr,
	SYS_mknodat,
	SYS_symlinkat,
	SYS_linkat,
	SYS_truncate,
	SYS_name_to_handle_at,
	SYS_open_by_handle_at,
#ifdef SYS_chown
	SYS_chmod,
	SYS_utime,
	SYS_utimes,
	SYS_futimesat,
	SYS_chown,
	SYS_lchown,
	SYS_mknod,
	SYS_symlink,
	SYS_link,
#endif
	/* the system */
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_chroot,
	SYS_unshare,
	SYS_setns,
	SYS_move_mount,
	SYS_open_tree,
	SYS_fsopen,
	SYS_fsmount,
	SYS_fspick,
	SYS_bpf,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_io_uring_setup,
	SYS_io_uring_enter,
	SYS_io_uring_register,
	SYS_add_key,
	SYS_request_key,
	SYS_keyctl,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_kexec_file_load,
	SYS_reboot,
	SYS_swapon,
	SYS_swapoff,
	SYS_acct,
	SYS_quotactl,
	SYS_personality,
	SYS_setuid,
	SYS_setgid,
	SYS_setresuid,
	SYS_setresgid,
	SYS_setgroups,
	SYS_capset,
	SYS_sethostname,
	SYS_setdomainname,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_adjtimex,
	SYS_clock_adjtime,
	SYS_syslog,
	SYS_vhangup,
};

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, (value))
/* Return `value` where the accumulator compares so with k, else go on. */
#define WHERE(test, k, value) BPF_JUMP(BPF_JMP | (test) | BPF_K, (k), 0, 1), RETURN(value)
#define REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define ABSENT (SECCOMP_RET_ERRNO | ENOSYS)

static const char *bound_calls(void)
{
	const uint32_t own = (uint32_t)getpid();
	const struct sock_filter head[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0),
		RETURN(SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
#ifdef __x86_64__
		WHERE(BPF_JGE, 0x40000000, ABSENT), /* x32: other numbers for the same calls */
#endif
		/* The C library then starts threads by clone(), whose flags can be seen. */
		WHERE(BPF_JEQ, SYS_clone3, ABSENT),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
		LOAD(args[0]), /* the lower half, on machines of this byte order */
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
		RETURN(SECCOMP_RET_ALLOW),
		RETURN(REFUSE),
		/* What a terminal takes for typed: commands that the shell would run afterwards. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 6),
		LOAD(args[1]), /* the kernel looks at 32 bits of it too */
		WHERE(BPF_JEQ, TIOCSTI, REFUSE),
		WHERE(BPF_JEQ, TIOCLINUX, REFUSE),
		RETURN(SECCOMP_RET_ALLOW),
		/* Signals to ourselves: abort() and raise() send them so. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 4),
		LOAD(args[0]),
		WHERE(BPF_JEQ, own, SECCOMP_RET_ALLOW),
		RETURN(REFUSE),
		/* Our own limits, which libraries ask for. */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prlimit64, 0, 6),
		LOAD(args[0]),
		WHERE(BPF_JEQ, 0, SECCOMP_RET_ALLOW),
		WHERE(BPF_JEQ, own, SECCOMP_RET_ALLOW),
		RETURN(REFUSE),
	};
	struct sock_filter code[JR_COUNT_OF(head) + 2 * JR_COUNT_OF(refused) + 1];
	size_t n = 0;
	for (; n < JR_COUNT_OF(head); n++)
		code[n] = head[n];
	for (size_t i = 0; i < JR_COUNT_OF(refused); i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i], 0, 1);
		code[n++] = (struct sock_filter)RETURN(REFUSE);
	}
	code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	const struct sock_fprog program = {.len = (uint16_t)n, .filter = code};
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
		return errno == ENOSYS || errno == EINVAL ? "not in this kernel"
												  : "the kernel refused the filter";
	return NULL;
}

#else
static const char *bound_calls(void)
{
	return "no filter for this kind of machine";
}
#endif

void jr_sandbox_enter(const struct jr_sandbox_rule *rules, size_t n, struct jr_sandbox *out)
{
	*out = (struct jr_sandbox){0};
	/* Both want it: nobody gains rights by running a program that has them. */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
		out->no_landlock = out->no_seccomp = "the kernel cannot give up privileges";
		return;
	}
	out->no_landlock = bound_files(rules, n, &out->landlock);
	out->no_seccomp = bound_calls();
	out->seccomp = !out->no_seccomp;
}
