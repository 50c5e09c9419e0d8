#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

/* A mapping whose reader asks afterwards whether its file has shrunk. */
struct jr_watched_map {
	struct jr_watched_map *next, **link;
	uintptr_t begin, end; /* whole pages */
	atomic_bool shrank;
	atomic_bool *told; /* the owner's flag; NULL */
};

/* The handler of SIGBUS takes the lock, too. That is safe: the signal comes from a read of a
 * mapping, and nothing here reads one while it holds the lock. */
static struct jr_watched_map *watched;
static atomic_flag watched_lock = ATOMIC_FLAG_INIT;

static void lock(void)
{
	while (atomic_flag_test_and_set_explicit(&watched_lock, memory_order_acquire))
		;
}

static void unlock(void)
{
	atomic_flag_clear_explicit(&watched_lock, memory_order_release);
}

void jr_file_map_watch(struct jr_file_map *map, atomic_bool *told)
{
	if (!map->mapping)
		return;
	struct jr_watched_map *w = jr_calloc(1, sizeof(*w));
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	w->begin = (uintptr_t)map->mapping;
	w->end = (w->begin + map->bytes.size + page - 1) / page * page;
	w->told = told;
	lock();
	w->next = watched;
	w->link = &watched;
	if (watched)
		watched->link = &w->next;
	watched = w;
	unlock();
	map->watched = w;
}

static void stop_watching(struct jr_watched_map *w)
{
	lock();
	*w->link = w->next;
	if (w->next)
		w->next->link = w->link;
	unlock();
	free(w);
}

bool jr_file_map_shrank(const struct jr_file_map *map)
{
	return map->watched && atomic_load(&map->watched->shrank);
}

bool jr_file_map_mend(const void *address)
{
	uintptr_t at = (uintptr_t)address;
	at -= at % (uintptr_t)sysconf(_SC_PAGESIZE);
	bool mended = false;
	lock();
	struct jr_watched_map *w = watched;
	while (w && (at < w->begin || at >= w->end))
		w = w->next;
	if (w) {
		void *zeros = mmap(
			(void *)at, w->end - at, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		mended = zeros != MAP_FAILED;
		atomic_store(&w->shrank, true);
		if (w->told)
			atomic_store(w->told, true);
	}
	unlock();
	return mended;
}

enum jr_status jr_fail_shrunk(struct jr_error *err, const char *name)
{
	return jr_fail(err, JR_EIO, "'%s': " JR_SHRANK, name);
}

enum jr_status jr_file_map_open(
	int fd, const char *path, struct jr_file_map *map, struct jr_error *err)
{
	struct stat st;
	enum jr_status status = JR_OK;
	struct jr_file_map result = {0};
	if (fstat(fd, &st) != 0) {
		status = jr_fail(err, JR_EIO, "cannot stat '%s': %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		/* Readers seek back and forth, and a pipe may block its reader forever. */
		status = jr_fail(err, JR_EUNSUPPORTED, "'%s' is not a regular file%s", path,
			S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)
				? ". Save its output to a file, and use that as input"
				: "");
	} else if (st.st_size > 0) {
		void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED) {
			status = jr_fail(err, JR_EIO, "cannot read '%s': %s", path, strerror(errno));
		} else {
			result.mapping = p;
			result.bytes = jr_bytes_of(p, (size_t)st.st_size);
		}
	}
	if (status == JR_OK)
		*map = result;
	return status;
}

enum jr_status jr_file_map(const char *path, struct jr_file_map *map, struct jr_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return jr_fail_to_open(err, path, errno);
	enum jr_status status = jr_file_map_open(fd, path, map, err);
	close(fd);
	return status;
}

void jr_file_unmap(struct jr_file_map *map)
{
	if (map && map->watched)
		stop_watching(map->watched);
	if (map && map->mapping)
		munmap(map->mapping, map->bytes.size);
	if (map)
		*map = (struct jr_file_map){0};
}

void jr_file_map_forget(const struct jr_file_map *map)
{
	if (map->mapping)
		(void)madvise(map->mapping, map->bytes.size, MADV_DONTNEED);
}
