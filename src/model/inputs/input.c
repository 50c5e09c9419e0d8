#include "model/inputs/input.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "model/kinds/kinds.h"

#define HEAD_BYTES 65536

/* --- names ------------------------------------------------------------------------------------ */

static size_t report_ending(const char *name, size_t size)
{
	static const char *const reports[] = {JR_REPORT_SUFFIXES};
	return jr_input_longest(name, size, reports, JR_COUNT_OF(reports));
}

size_t jr_input_stem_size(const char *name, size_t n)
{
	size_t most = report_ending(name, n);
	for (const struct jr_input_ops *const *kind = jr_input_kinds; *kind; kind++) {
		size_t length = jr_input_ending(*kind, name, n);
		most = length > most ? length : most;
	}
	return n - most;
}

bool jr_input_is_report(const char *name)
{
	return report_ending(name, strlen(name)) > 0;
}

bool jr_input_is_export(const char *name)
{
	for (const struct jr_input_ops *const *kind = jr_input_kinds; *kind; kind++)
		if ((*kind)->nsys_export && jr_input_named(name, *kind))
			return true;
	return false;
}

/* --- content ---------------------------------------------------------------------------------- */

/* Read the first bytes of a regular file. Other files are not read, because that might block. */
static void read_head(const char *path, struct jr_input_head *head, uint8_t bytes[HEAD_BYTES])
{
	struct stat st;
	if (stat(path, &st) != 0)
		return;
	head->folder = S_ISDIR(st.st_mode);
	if (!S_ISREG(st.st_mode))
		return;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return;
	ssize_t n = pread(fd, bytes, HEAD_BYTES, 0);
	close(fd);
	head->bytes = jr_bytes_of(bytes, n > 0 ? (size_t)n : 0);
	head->size_bytes = st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

/* Return the kind whose probe verified most bits; NULL: unknown. */
static const struct jr_input_ops *probed(const char *path, const struct jr_limits *limits)
{
	uint8_t bytes[HEAD_BYTES];
	struct jr_input_head head = {.limits = limits};
	read_head(path, &head, bytes);
	const struct jr_input_ops *best = NULL;
	int most = 0;
	for (const struct jr_input_ops *const *kind = jr_input_kinds; *kind; kind++) {
		int bits = (*kind)->probe ? (*kind)->probe(&head) : 0;
		best = bits > most ? *kind : best;
		most = bits > most ? bits : most;
	}
	return best;
}

/* Find a kind by name. The first bytes of a damaged XSpace or Chrome trace may match no probe, but
 * reading the file shows where it is truncated. NULL: no kind has such names. */
static const struct jr_input_ops *called(const char *path)
{
	struct stat st;
	for (const struct jr_input_ops *const *kind = jr_input_kinds; *kind; kind++)
		if ((*kind)->by_name && jr_input_named(path, *kind) && stat(path, &st) == 0 &&
			S_ISREG(st.st_mode) && st.st_size > 0)
			return *kind;
	return NULL;
}

static const struct jr_input_ops *known(const char *path, const struct jr_limits *limits)
{
	const struct jr_input_ops *kind = probed(path, limits);
	return kind ? kind : called(path);
}

const struct jr_input_ops *jr_input_probe(const char *path, const struct jr_limits *limits)
{
	const struct jr_input_ops *kind = known(path, limits);
	return kind ? kind : jr_input_kinds[0];
}

bool jr_input_known(const char *path, const struct jr_limits *limits)
{
	return known(path, limits) != NULL;
}
