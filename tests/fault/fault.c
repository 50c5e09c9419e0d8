/*
 * fault.c - make the n-th call of a C library function fail; preloaded by tests/fault/run.
 *
 * JR_FAULT=CALL:N:HOW. CALL is one of the names below ("malloc" counts calls of the program itself,
 * "anymalloc" also those of libraries). HOW is an errno number (only call N fails), "+" and an
 * errno number (call N and all later ones), "s" and a signal number (the process gets the signal in
 * call N), or "o" (call N in threads other than the main one uses up its stack).
 * JR_FAULT_FIRED names a file that is written to when call N happens.
 * JR_FAULT=cut:N:SIZE cuts the file JR_FAULT_CUT to SIZE bytes after it has been mapped N times,
 * JR_FAULT=late:N:SIZE in the N-th malloc of the program, wherever it then reads.
 * Both files are opened at the start: the program gives up the right to open others.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static atomic_int calls;
static char call_name[16];
static int wanted, code, fired = -1, victim = -1;
static bool sticky, kills, overflows, ready;
static uintptr_t own_begin, own_end; /* code of the program */

/* The first object is the program. */
static int find_program(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	(void)context;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		if (header->p_type == PT_LOAD && (header->p_flags & PF_X)) {
			own_begin = info->dlpi_addr + header->p_vaddr;
			own_end = own_begin + header->p_memsz;
		}
	}
	return 1;
}

/* A file held open at a number far above the program's own, or -1. */
static int hold(const char *path)
{
	long fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666) : -1;
	if (fd < 0)
		return -1;
	int held = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900);
	syscall(SYS_close, fd);
	return held;
}

__attribute__((constructor)) static void read_plan(void)
{
	const char *plan = getenv("JR_FAULT");
	const char *colon = plan ? strchr(plan, ':') : NULL;
	if (!colon || (size_t)(colon - plan) >= sizeof(call_name))
		return;
	memcpy(call_name, plan, (size_t)(colon - plan));
	char *end;
	wanted = (int)strtol(colon + 1, &end, 10);
	if (*end == ':')
		end++;
	sticky = *end == '+';
	kills = *end == 's';
	overflows = *end == 'o';
	code = (int)strtol(end + (sticky || kills || overflows), NULL, 10);
	fired = hold(getenv("JR_FAULT_FIRED"));
	victim = hold(getenv("JR_FAULT_CUT"));
	dl_iterate_phdr(find_program, NULL);
	ready = true;
}

static void tell(void)
{
	if (fired >= 0)
		syscall(SYS_write, fired, "x", 1);
}

/* Endless recursion that the compiler does not detect. */
static int take_stack(volatile char *below)
{
	volatile char here[1024];
	here[0] = *below;
	return take_stack(here) + here[0];
}

/* Return true if this call must fail; errno is set. */
static bool fails(const char *name)
{
	if (!ready || strcmp(name, call_name) != 0 || (overflows && gettid() == getpid()))
		return false;
	int n = atomic_fetch_add(&calls, 1) + 1;
	if (n < wanted || (n > wanted && !sticky))
		return false;
	if (n == wanted)
		tell();
	if (overflows) {
		volatile char first = 0;
		return take_stack(&first) == 1;
	}
	if (kills) {
		raise(code);
		return false;
	}
	errno = code;
	return true;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#ifndef JR_FAULT_CALLS_ONLY /* for programs with their own malloc */
static bool malloc_fails(void *caller)
{
	uintptr_t at = (uintptr_t)caller;
	bool own = at >= own_begin && at < own_end;
	if (own && victim >= 0 && fails("late"))
		(void)syscall(SYS_ftruncate, victim, (long)code);
	return (own && fails("malloc")) || fails("anymalloc");
}

void *malloc(size_t n)
{
	return malloc_fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return malloc_fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return malloc_fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}

#endif

ssize_t write(int fd, const void *bytes, size_t n)
{
	if (fd > 2 && fails("write"))
		return -1;
	return syscall(SYS_write, fd, bytes, n);
}

/* SQLite writes with this call. */
ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t at)
{
	if (fails("write"))
		return -1;
	return syscall(SYS_pwrite64, fd, bytes, n, at);
}

static int do_open(const char *path, int flags, mode_t mode)
{
	/* Ignore files that the dynamic linker and the C library open. */
	bool ours = strncmp(path, "/proc", 5) && strncmp(path, "/sys", 4) && strncmp(path, "/etc", 4) &&
				strncmp(path, "/usr", 4) && strncmp(path, "/dev", 4);
	if (ours && fails("open"))
		return -1;
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return do_open(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return do_open(path, flags, mode);
}

int close(int fd)
{
	int status = (int)syscall(SYS_close, fd);
	return fd > 2 && fails("close") ? -1 : status;
}

int fsync(int fd)
{
	return fails("fsync") ? -1 : (int)syscall(SYS_fsync, fd);
}

int mkdir(const char *path, mode_t mode)
{
	return fails("mkdir") ? -1 : NEXT(mkdir)(path, mode);
}

char *mkdtemp(char *path)
{
	return fails("mkdir") ? NULL : NEXT(mkdtemp)(path);
}

int mkostemp(char *path, int flags)
{
	return fails("open") ? -1 : NEXT(mkostemp)(path, flags);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
	return fails("rename") ? -1 : NEXT(renameat2)(from_fd, from, to_fd, to, flags);
}

int rename(const char *from, const char *to)
{
	return fails("rename") ? -1 : NEXT(rename)(from, to);
}

/* Another process changes an input while it is read. */
static void cut_file(int fd)
{
	struct stat mapped, wanted_one;
	if (fd >= 0 && victim >= 0 && fstat(fd, &mapped) == 0 && fstat(victim, &wanted_one) == 0 &&
		mapped.st_ino == wanted_one.st_ino && mapped.st_dev == wanted_one.st_dev && fails("cut"))
		(void)syscall(SYS_ftruncate, victim, (long)code);
}

void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	if (fd >= 0 && fails("mmap"))
		return MAP_FAILED;
	void *mapping = (void *)syscall(SYS_mmap, at, n, prot, flags, fd, offset);
	cut_file(fd);
	return mapping;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
	if (fails("thread"))
		return EAGAIN;
	return NEXT(pthread_create)(thread, attr, start, arg);
}
