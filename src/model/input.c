#include "model/input.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "formats/csv.h"
#include "formats/nsys_sqlite.h"

#define HEAD_BYTES 65536

/* What a probe may look at. */
struct probe {
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
static const struct {
	enum jr_input_kind kind;
	int (*probe)(const struct probe *p);
} types[] = {
	{JR_INPUT_DIRECTORY, probe_folder},
	{JR_INPUT_NSYS_JAX, probe_zip},
	{JR_INPUT_NSYS_SQLITE, probe_sqlite},
	{JR_INPUT_NVTX_CSV, probe_pushpop},
};

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
}

/* The most bits that any probe verified; 0: nobody knows it. */
static int probe_all(const char *path, const struct jr_limits *limits, enum jr_input_kind *kind)
{
	uint8_t head[HEAD_BYTES];
	struct probe p = {.limits = limits};
	read_head(path, &p, head);
	int most = 0;
	for (size_t i = 0; i < JR_COUNT_OF(types); i++) {
		int bits = types[i].probe(&p);
		if (bits > most) {
			most = bits;
			*kind = types[i].kind;
		}
	}
	return most;
}

enum jr_input_kind jr_input_probe(const char *path, const struct jr_limits *limits)
{
	enum jr_input_kind kind = JR_INPUT_NSYS_JAX;
	(void)probe_all(path, limits, &kind);
	return kind;
}

bool jr_input_known(const char *path, const struct jr_limits *limits)
{
	enum jr_input_kind kind;
	return probe_all(path, limits, &kind) > 0;
}
