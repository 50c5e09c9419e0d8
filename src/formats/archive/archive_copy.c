#include "formats/archive/archive_copy.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <zip.h>
#include <zlib.h>

#include "formats/archive/archive_private.h"

#define PIECE_BYTES ((size_t)128 * 1024)
/* Pages of the mapped file that were read count as our memory, so they are released now and
 * then. */
#define FORGET_BYTES ((uint64_t)4 << 20)

static const struct jr_archive_entry *entry_at(const struct jr_archive *archive, size_t index)
{
	return &archive->entries.items[index];
}

uint64_t jr_archive_position(const struct jr_archive *archive, size_t index)
{
	return jr_archive_is_directory(archive) ? index : entry_at(archive, index)->zip_index;
}

void jr_archive_describe(
	const struct jr_archive *archive, size_t index, uint32_t crc, struct jr_zip_entry *out)
{
	const struct jr_archive_entry *e = entry_at(archive, index);
	*out = (struct jr_zip_entry){
		.name = e->member.name,
		.size_bytes = e->member.size_bytes,
		.packed_bytes = e->member.packed_bytes,
		.crc32 = crc,
		.attributes = e->details.attributes,
		.made_by = e->details.made_by,
		.needed = e->details.needed,
		.method = e->method,
		.method_flags = e->details.flags,
		.dos_time = e->details.dos_time,
		.dos_date = e->details.dos_date,
	};
}

/* --- pieces of a zip's member ---------------------------------------------------------------- */

/* State while a member is read: its source and its sink. */
struct flow {
	struct jr_archive *archive;
	uint64_t expected, n_read;
	jr_archive_sink_fn sink; /* NULL: only verify */
	void *context;
	char *piece; /* [PIECE_BYTES] */
};

static enum jr_status take_piece(struct flow *flow, size_t n, struct jr_error *err)
{
	uint64_t before = flow->n_read / FORGET_BYTES;
	flow->n_read += n;
	if (flow->n_read > flow->expected)
		return jr_fail(err, JR_EFORMAT, "is damaged: it is longer than it states");
	if (flow->n_read / FORGET_BYTES != before)
		jr_file_map_forget(&flow->archive->map);
	return flow->sink ? flow->sink(flow->context, flow->piece, n, err) : JR_OK;
}

/* Read the whole member and its end: libzip compares checksum and size only there. */
static enum jr_status read_pieces(struct flow *flow, zip_file_t *file, struct jr_error *err)
{
	for (;;) {
		zip_int64_t n = zip_fread(file, flow->piece, PIECE_BYTES);
		if (n < 0)
			return jr_zip_read_error(zip_file_get_error(file), flow->n_read, err);
		if (n == 0)
			break;
		JR_TRY(take_piece(flow, (size_t)n, err));
	}
	if (flow->n_read != flow->expected)
		return jr_fail(err, JR_EFORMAT, "is damaged: it is shorter than it states");
	return JR_OK;
}

static enum jr_status read_member(
	struct flow *flow, zip_t *zip, uint64_t zip_index, zip_flags_t flags, struct jr_error *err)
{
	flow->n_read = 0;
	zip_file_t *file = zip_fopen_index(zip, zip_index, flags);
	if (!file)
		return jr_zip_read_error(zip_get_error(zip), 0, err);
	enum jr_status status = read_pieces(flow, file, err);
	zip_fclose(file);
	return status;
}

static enum jr_status copy_with(
	zip_t *zip, struct flow *flow, const struct jr_archive_entry *e, struct jr_error *err)
{
	jr_archive_sink_fn sink = flow->sink;
	bool stored = e->method == ZIP_CM_STORE;
	if (stored && e->member.size_bytes != e->member.packed_bytes)
		return jr_fail(err, JR_EFORMAT, "is damaged: it is stored and states two sizes");
	flow->expected = e->member.size_bytes;
	flow->sink = stored ? sink : NULL;
	JR_TRY(read_member(flow, zip, e->zip_index, 0, err));
	if (stored)
		return JR_OK;
	flow->expected = e->member.packed_bytes;
	flow->sink = sink;
	return read_member(flow, zip, e->zip_index, ZIP_FL_COMPRESSED, err);
}

static enum jr_status copy_zip(
	struct flow *flow, const struct jr_archive_entry *e, struct jr_error *err)
{
	enum jr_status status;
	const char *why = jr_zip_unreadable(flow->archive, e, &status);
	if (why)
		return jr_fail(err, status, "%s", why);
	zip_t *zip;
	JR_TRY(jr_zip_take(flow->archive, &zip, err));
	status = copy_with(zip, flow, e, err);
	if (status == JR_OK)
		jr_zip_give(flow->archive, zip);
	else
		zip_discard(zip); /* its state after damage is unknown */
	return status;
}

/* --- pieces of a directory's file ------------------------------------------------------------ */

static enum jr_status read_file(struct flow *flow, int fd, const struct jr_archive_entry *e,
	uint32_t *crc, struct jr_error *err)
{
	uLong sum = crc32(0, NULL, 0);
	flow->n_read = 0;
	flow->expected = e->member.size_bytes;
	for (;;) {
		ssize_t n = read(fd, flow->piece, PIECE_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return jr_archive_file_error(flow->archive, e, errno, err);
		if (n == 0)
			break;
		if ((uint64_t)n > flow->expected - flow->n_read)
			return jr_archive_file_error(flow->archive, e, ESTALE, err);
		sum = crc32(sum, (const Bytef *)flow->piece, (uInt)n);
		JR_TRY(take_piece(flow, (size_t)n, err));
	}
	*crc = (uint32_t)sum;
	if (flow->n_read != flow->expected)
		return jr_archive_file_error(flow->archive, e, ESTALE, err);
	return JR_OK;
}

static enum jr_status copy_file(
	struct flow *flow, const struct jr_archive_entry *e, uint32_t *crc, struct jr_error *err)
{
	int fd;
	JR_TRY(jr_archive_open_file(flow->archive, e, &fd, err));
	enum jr_status status = read_file(flow, fd, e, crc, err);
	close(fd);
	return status;
}

static char *new_piece(void)
{
	char *piece = malloc(PIECE_BYTES);
	if (!piece)
		jr_oom();
	return piece;
}

enum jr_status jr_archive_checksum(
	struct jr_archive *archive, size_t index, uint32_t *crc, struct jr_error *err)
{
	const struct jr_archive_entry *e = entry_at(archive, index);
	if (!jr_archive_is_directory(archive)) {
		*crc = e->member.crc32;
		return JR_OK;
	}
	struct flow flow = {.archive = archive, .piece = new_piece()};
	enum jr_status status = copy_file(&flow, e, crc, err);
	free(flow.piece);
	return status;
}

/* --- both kinds ------------------------------------------------------------------------------ */

/* Separates failures of the sink from read errors. */
struct guard {
	jr_archive_sink_fn sink;
	void *context;
	bool failed;
};

static enum jr_status guarded(void *context, const void *bytes, size_t n, struct jr_error *err)
{
	struct guard *guard = context;
	enum jr_status status = guard->sink(guard->context, bytes, n, err);
	guard->failed = status != JR_OK;
	return status;
}

/* libzip's messages begin with "is ...": add the member's name before them. */
static enum jr_status copy_named(
	struct flow *flow, const struct jr_archive_entry *e, struct jr_error *err)
{
	const struct guard *guard = flow->context;
	struct jr_error inner = {0};
	enum jr_status status = copy_zip(flow, e, &inner);
	if (status == JR_OK)
		return JR_OK;
	if (guard->failed)
		return jr_fail(err, status, "%s", inner.message);
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	status = jr_fail(err, status, "member '%s' of '%s' %s",
		jr_archive_clean_name(&name, e->member.name), flow->archive->label, inner.message);
	return status;
}

enum jr_status jr_archive_copy(struct jr_archive *archive, size_t index, uint32_t crc32_known,
	jr_archive_sink_fn sink, void *context, struct jr_error *err)
{
	const struct jr_archive_entry *e = entry_at(archive, index);
	struct guard guard = {sink, context, false};
	struct flow flow = {
		.archive = archive, .sink = guarded, .context = &guard, .piece = new_piece()};
	enum jr_status status;
	if (jr_archive_is_directory(archive)) {
		uint32_t crc = 0;
		status = copy_file(&flow, e, &crc, err);
		if (status == JR_OK && crc != crc32_known)
			status = jr_archive_file_error(archive, e, ESTALE, err);
	} else {
		status = copy_named(&flow, e, err);
		jr_file_map_forget(&archive->map);
	}
	free(flow.piece);
	return status;
}
