/*
 * kernel.h - what the kernel itself can refuse, tested without code of the program under test.
 *
 * A sandbox that does not confine is a failure if the kernel supports it, and is skipped only if it
 * does not; so its tests must not ask the sandbox which is the case.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Landlock's version, landlock_create_ruleset(2) with LANDLOCK_CREATE_RULESET_VERSION. */
static inline bool kernel_has_landlock(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1) >= 1;
}

/* Filters that answer a call with an errno, seccomp(2) with SECCOMP_GET_ACTION_AVAIL; the program
 * has a filter for these machines only. */
static inline bool kernel_has_seccomp(void)
{
#if defined(__x86_64__) || defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64)
	const uint32_t refuse_with_errno = UINT32_C(0x00050000);
	return syscall(SYS_seccomp, 2, 0, &refuse_with_errno) == 0;
#else
	return false;
#endif
}

#endif
