/*
 * sandbox.h - give up rights that reading an input never needs, for the rest of the process.
 * Layer: base.  Thread use: once, before threads are started; they inherit it.
 *
 * Uses two mechanisms of Linux if the kernel has them. Landlock restricts which files can be
 * opened, made, renamed and removed; in newer kernels also signals, TCP and control of devices. A
 * seccomp filter allows the system calls of one table, some only with certain arguments. Any other
 * call fails with EPERM, or with ENOSYS if C libraries then use an older one; none ends the
 * process. Open files stay open. New code cannot be loaded, so dlopen() fails.
 */
#ifndef JR_BASE_SANDBOX_H
#define JR_BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/* Rights for a path and, if it is a folder, for everything that is or will be in it. */
enum {
	JR_MAY_READ = 1,   /* read files, list folders */
	JR_MAY_PLACE = 2,  /* make, rename, remove and list, but not write content */
	JR_MAY_CHANGE = 4, /* write files; includes the other two */
	JR_NEEDED = 8,     /* if the path has no rule, do not restrict files at all */
};

struct jr_sandbox_rule {
	const char *path; /* resolved now; a link means its target */
	unsigned may;     /* JR_MAY_... bits */
};

/* The mechanisms in force. `no_...` is NULL or the reason why not, static text. */
struct jr_sandbox {
	int landlock; /* version of its interface, 0 = not in force */
	bool seccomp;
	const char *no_landlock, *no_seccomp;
};

/**
 * Enter the sandbox. It cannot be left, and it does not fail: `out` lists what the kernel does not
 * support.
 *
 * @param rules  [n] paths outside all of them can no longer be opened, made or removed; a path that
 *               does not exist is skipped
 */
void jr_sandbox_enter(const struct jr_sandbox_rule *rules, size_t n, struct jr_sandbox *out);

#endif
