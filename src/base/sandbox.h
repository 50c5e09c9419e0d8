/*
 * sandbox.h - give up, for the rest of the process, what reading an input never needs.
 * Layer: base.  Thread use: once, before threads are started; they inherit it.
 *
 * Two mechanisms of Linux, each used where the kernel has it. Landlock bounds the files that can be
 * opened, made, renamed and removed, and in newer kernels signals, TCP and control of devices. A
 * seccomp filter allows the system calls of one table, some with certain arguments only. Any other
 * fails with EPERM, or with ENOSYS where C libraries then go on with an older one; none ends the
 * process. Files that are open stay so. New code cannot be loaded, so dlopen() fails.
 */
#ifndef JR_BASE_SANDBOX_H
#define JR_BASE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/* What may be done with a path and, where it is a folder, with all that is or comes below it. */
enum {
	JR_MAY_READ = 1,   /* read files, list folders */
	JR_MAY_PLACE = 2,  /* make, rename and remove files and folders, list folders; not their content
						*/
	JR_MAY_CHANGE = 4, /* write files; with the other two */
	JR_NEEDED = 8,     /* rather bound no files than have the path left out */
};

struct jr_sandbox_rule {
	const char *path; /* as it is found now; a link stands for what it points to */
	unsigned may;     /* JR_MAY_... bits */
};

/* What is in force; `no_...` NULL or why not, static text. */
struct jr_sandbox {
	int landlock; /* version of its interface, 0 = not in force */
	bool seccomp;
	const char *no_landlock, *no_seccomp;
};

/**
 * Enter. There is no way back, and no failure: what the kernel does not have is told in `out`.
 *
 * @param rules  [n] whatever is not below any of them can no longer be opened, made or removed; a
 *               path that is not there gives nothing
 */
void jr_sandbox_enter(const struct jr_sandbox_rule *rules, size_t n, struct jr_sandbox *out);

#endif
