#include "model/inputs/input.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "formats/text/csv.h"
#include "formats/nsys/nsys_sqlite.h"
#include "formats/xspace/xspace.h"
#include "formats/xspace/xspace_json.h"

#define HEAD_BYTES 65536

/* What a probe may look at. */
struct probe {
	uint64_t size_bytes; /* of the file */
	bool folder;
	struct jr_bytes head;
	const struct jr_limits *limits;
};

static bool begins_with(struct jr_bytes bytes, const void *magic, size_t n)
{
	return bytes.size >= n && memcmp(bytes.data, magic, n) == 0;
}

static int probe_folder(const struct probe *p)
{
	return p->folder ? 1 : 0;
}

static int probe_zip(const struct probe *p)
{
	return begins_with(p->head, "PK\3\4", 4) || begins_with(p->head, "PK\5\6", 4) ? 32 : 0;
}

static int probe_sqlite(const struct probe *p)
{
	return jr_nsys_is_sqlite(p->head) ? 128 : 0;
}

static int probe_xspace(const struct probe *p)
{
	return jr_xspace_begins(p->head, p->size_bytes) ? 40 : 0;
}

static int probe_trace_json(const struct probe *p)
{
	return jr_xspace_json_begins(p->head, p->limits) ? 48 : 0;
}

/* A push/pop trace as CSV, CSV in xz, or Parquet. Of the packed forms the magic is all there is to
 * see; what is inside is checked when it is read. */
static int probe_pushpop(const struct probe *p)
{
	static const uint8_t xz_magic[] = {0xFD, '7', 'z', 'X', 'Z', 0};
	if (begins_with(p->head, xz_magic, sizeof(xz_magic)))
		return 48;
	if (begins_with(p->head, "PAR1", 4))
		return 32;
	struct jr_csv csv;
	enum jr_status status = jr_csv_open(&csv, p->head, "RangeId", p->limits, NULL);
	jr_csv_done(&csv);
	return status == JR_OK ? 56 : 0;
}

/* Each probe returns how many bits it has verified. */
typedef int (*probe_fn)(const struct probe *p);
static const probe_fn probes[] = {
#define JR_INPUT(name, label, noun, archive, within, probe, ...) [JR_INPUT_##name] = probe,
#include "model/profile/inputs.def"
#undef JR_INPUT
};
_Static_assert(JR_COUNT_OF(probes) == JR_N_INPUTS, "a probe a sort");

const struct jr_input_sort jr_input_sorts[] = {
#define JR_INPUT(name, label, noun, archive, within, probe, opener, host_reader, ...)              \
	[JR_INPUT_##name] = {label, noun, archive, within, {__VA_ARGS__}},
#include "model/profile/inputs.def"
#undef JR_INPUT
};
_Static_assert(JR_COUNT_OF(jr_input_sorts) == JR_N_INPUTS, "a description a sort");

/* --- names ------------------------------------------------------------------------------------ */

static size_t longest(const char *name, size_t size, const char *const *suffixes, size_t n)
{
	size_t most = 0;
	for (size_t i = 0; i < n && suffixes[i]; i++) {
		size_t length = strlen(suffixes[i]);
		if (length > most && size > length &&
			memcmp(name + size - length, suffixes[i], length) == 0)
			most = length;
	}
	return most;
}

/* Bytes of the ending, 0: it has none. */
static size_t ending(const char *name, size_t size, enum jr_input_kind kind)
{
	static const char *const reports[] = {JR_REPORT_SUFFIXES};
	return kind == JR_N_INPUTS ? longest(name, size, reports, JR_COUNT_OF(reports))
							   : longest(name, size, jr_input_sorts[kind].suffixes,
									 JR_COUNT_OF(jr_input_sorts[kind].suffixes));
}

size_t jr_input_stem_size(const char *name, size_t n)
{
	size_t most = 0;
	for (int kind = 0; kind <= JR_N_INPUTS; kind++) {
		size_t length = ending(name, n, (enum jr_input_kind)kind);
		most = length > most ? length : most;
	}
	return n - most;
}

bool jr_input_named(const char *name, enum jr_input_kind kind)
{
	return ending(name, strlen(name), kind) > 0;
}

/* --- content ---------------------------------------------------------------------------------- */

/* The first bytes of a regular file; nothing of anything else, which might block. */
static void read_head(const char *path, struct probe *p, uint8_t head[HEAD_BYTES])
{
	struct stat st;
	if (stat(path, &st) != 0)
		return;
	p->folder = S_ISDIR(st.st_mode);
	if (!S_ISREG(st.st_mode))
		return;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return;
	ssize_t n = pread(fd, head, HEAD_BYTES, 0);
	close(fd);
	p->head = jr_bytes_of(head, n > 0 ? (size_t)n : 0);
	p->size_bytes = st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

/* The most bits that any probe verified; 0: nobody knows it. */
static int probe_all(const char *path, const struct jr_limits *limits, enum jr_input_kind *kind)
{
	uint8_t head[HEAD_BYTES];
	struct probe p = {.limits = limits};
	read_head(path, &p, head);
	int most = 0;
	for (size_t i = 0; i < JR_COUNT_OF(probes); i++) {
		int bits = probes[i] ? probes[i](&p) : 0;
		if (bits > most) {
			most = bits;
			*kind = (enum jr_input_kind)i;
		}
	}
	return most;
}

/* A damaged XSpace, or trace for Chrome, begins as nothing that is known; reading it says where it
 * breaks off. JR_N_INPUTS: it is called like neither. */
static enum jr_input_kind called(const char *path)
{
	static const enum jr_input_kind kinds[] = {JR_INPUT_XSPACE, JR_INPUT_TRACE_JSON};
	struct stat st;
	for (size_t i = 0; i < JR_COUNT_OF(kinds); i++)
		if (jr_input_named(path, kinds[i]) && stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
			st.st_size > 0)
			return kinds[i];
	return JR_N_INPUTS;
}

enum jr_input_kind jr_input_probe(const char *path, const struct jr_limits *limits)
{
	enum jr_input_kind kind = JR_INPUT_NSYS_JAX;
	if (probe_all(path, limits, &kind) == 0 && called(path) != JR_N_INPUTS)
		return called(path);
	return kind;
}

bool jr_input_known(const char *path, const struct jr_limits *limits)
{
	enum jr_input_kind kind;
	return probe_all(path, limits, &kind) > 0 || called(path) != JR_N_INPUTS;
}
