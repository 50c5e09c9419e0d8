/* Archives that are zip files, read by libzip from the mapped bytes. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <zip.h>

#include "formats/archive/archive_private.h"
#include "formats/archive/foreign.h"

#define MAX_IDLE 64

/* Sizes and offsets of APPNOTE.TXT 4.3.7 and 4.3.12 to 4.3.16. */
#define LOCAL_BYTES 30
#define CENTRAL_BYTES 46
#define END_BYTES 22
#define LOCATOR_BYTES 20
#define MAX_COMMENT 65535

/*
 * A libzip handle serves one thread at a time. Instead of a lock around every read there are
 * several handles on the same bytes: one per reading thread, created if none is idle.
 */
struct jr_zip_pool {
	pthread_mutex_t lock;
	zip_t *idle[MAX_IDLE];
	size_t n_idle;
};

static zip_t *open_handle(struct jr_bytes raw, zip_error_t *error)
{
	zip_source_t *source = zip_source_buffer_create(raw.data, raw.size, 0, error);
	if (!source)
		return NULL;
	/* Without ZIP_CHECKCONS, which rejects the harmless mistakes of some writers. */
	zip_t *zip = zip_open_from_source(source, ZIP_RDONLY, error);
	if (!zip)
		zip_source_free(source);
	return zip;
}

static struct jr_zip_pool *new_pool(zip_t *first)
{
	struct jr_zip_pool *pool = jr_calloc(1, sizeof(*pool));
	if (pthread_mutex_init(&pool->lock, NULL) != 0)
		jr_oom();
	pool->idle[pool->n_idle++] = first;
	return pool;
}

void jr_zip_pool_free(struct jr_zip_pool *pool)
{
	if (!pool)
		return;
	while (pool->n_idle)
		zip_discard(pool->idle[--pool->n_idle]);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

enum jr_status jr_zip_take(struct jr_archive *archive, zip_t **out, struct jr_error *err)
{
	struct jr_zip_pool *pool = archive->pool;
	zip_t *zip = NULL;
	pthread_mutex_lock(&pool->lock);
	if (pool->n_idle)
		zip = pool->idle[--pool->n_idle];
	pthread_mutex_unlock(&pool->lock);
	enum jr_status status = JR_OK;
	if (!zip) {
		zip_error_t error;
		zip_error_init(&error);
		zip = open_handle(archive->raw, &error);
		if (!zip)
			status = jr_zip_read_error(&error, 0, err);
		zip_error_fini(&error);
	}
	if (status == JR_OK)
		*out = zip;
	return status;
}

void jr_zip_give(struct jr_archive *archive, zip_t *zip)
{
	struct jr_zip_pool *pool = archive->pool;
	pthread_mutex_lock(&pool->lock);
	if (pool->n_idle < MAX_IDLE) {
		pool->idle[pool->n_idle++] = zip;
		zip = NULL;
	}
	pthread_mutex_unlock(&pool->lock);
	if (zip)
		zip_discard(zip);
}

static uint64_t le(const uint8_t *p, size_t n)
{
	uint64_t value = 0;
	while (n)
		value = value << 8 | p[--n];
	return value;
}

static bool has_signature(struct jr_bytes raw, uint64_t at, uint64_t n, const char *signature)
{
	return n <= raw.size && at <= raw.size - n && memcmp(raw.data + at, signature, 4) == 0;
}

/* Count consecutive central headers from `at` on, up to one more than `most`. */
static uint64_t count_headers(struct jr_bytes raw, uint64_t at, uint64_t most)
{
	uint64_t n = 0;
	while (n <= most && has_signature(raw, at, CENTRAL_BYTES, "PK\1\2")) {
		const uint8_t *p = raw.data + at;
		at += CENTRAL_BYTES + le(p + 28, 2) + le(p + 30, 2) + le(p + 32, 2);
		n++;
	}
	return n;
}

/* Facts that an end record states about the central directory. */
struct directory {
	uint64_t n_members, size, offset;
};

/* Read the end record at `at`, and a zip64 record before it. */
static struct directory announced(struct jr_bytes raw, uint64_t at, uint64_t most)
{
	const uint8_t *end = raw.data + at;
	uint64_t n = le(end + 10, 2), size = le(end + 12, 4), offset = le(end + 16, 4);
	if (at >= LOCATOR_BYTES && memcmp(end - LOCATOR_BYTES, "PK\6\7", 4) == 0) {
		uint64_t where = le(end - LOCATOR_BYTES + 8, 8);
		if (has_signature(raw, where, 56, "PK\6\6")) {
			const uint8_t *end64 = raw.data + where;
			uint64_t here = le(end64 + 24, 8), all = le(end64 + 32, 8);
			n = here > all ? here : all;
			size = le(end64 + 40, 8);
			offset = le(end64 + 48, 8);
		}
	}
	/* Info-ZIP writes the number modulo 65536 instead of using zip64. */
	if (n <= most && size / CENTRAL_BYTES > most)
		n = count_headers(raw, offset, most);
	return (struct directory){n, size, offset};
}

/* Return the next end record at or after `from` in the part of the file where one may be, or
 * NULL. */
static const uint8_t *find_end(struct jr_bytes raw, const uint8_t *from)
{
	const uint8_t *end = raw.data + raw.size;
	if ((size_t)(end - from) > END_BYTES + MAX_COMMENT)
		from = end - (END_BYTES + MAX_COMMENT);
	const uint8_t *found = memmem(from, (size_t)(end - from), "PK\5\6", 4);
	return found && end - found >= END_BYTES ? found : NULL;
}

/*
 * libzip builds its table of members before it returns their number. So the count of every end
 * record that it may use is first checked against the limit and the file's size. Some versions
 * allocate memory for the stated number without that check.
 */
static enum jr_status check_announced(const struct jr_archive *archive, struct jr_error *err)
{
	struct jr_bytes raw = archive->raw;
	const uint64_t most = archive->limits.members;
	for (const uint8_t *p = raw.data; (p = find_end(raw, p)); p += 4) {
		uint64_t n = announced(raw, (uint64_t)(p - raw.data), most).n_members;
		if (n > raw.size / CENTRAL_BYTES)
			return jr_fail(err, JR_EFORMAT,
				"'%s' is a damaged zip file: its end record states %" PRIu64
				" members, more than fit in the file",
				archive->label, n);
		if (n > most)
			return jr_fail(err, JR_ELIMIT,
				"'%s' contains more than %" PRIu64 " members (--max-members)", archive->label,
				most);
	}
	return JR_OK;
}

static enum jr_status not_a_zip(const struct jr_archive *archive, struct jr_error *err)
{
	const char *named = jr_foreign_name_hint(archive->label);
	const char *hint = named ? named : jr_foreign_hint(archive->raw);
	return hint ? jr_fail(err, JR_EFORMAT, "'%s' %s", archive->label, hint)
				: jr_fail(err, JR_EFORMAT,
					  "'%s' is not a supported profile. See 'jaxreport --help' for the inputs",
					  archive->label);
}

static enum jr_status open_error(
	const struct jr_archive *archive, zip_error_t *error, struct jr_error *err)
{
	const char *reason = zip_error_strerror(error);
	if (!has_signature(archive->raw, 0, 4, "PK\3\4") &&
		(jr_foreign_hint(archive->raw) || jr_foreign_name_hint(archive->label)))
		return not_a_zip(archive, err); /* even if compressed data looks like part of a zip */
	switch (zip_error_code_zip(error)) {
	case ZIP_ER_NOENT: reason = "a member lacks the extra field that contains its size"; break;
	case ZIP_ER_NOZIP:
		if (find_end(archive->raw, archive->raw.data)) {
			reason = "its list of members is not where its end record points";
			break;
		}
		if (has_signature(archive->raw, 0, 4, "PK\3\4"))
			return jr_fail(err, JR_EFORMAT,
				"'%s' is an incomplete zip file: it has no end record, so the upload or copy was "
				"probably cut short",
				archive->label);
		return not_a_zip(archive, err);
	case ZIP_ER_MULTIDISK:
		return jr_fail(err, JR_EUNSUPPORTED, "'%s' is one part of a zip file in several parts",
			archive->label);
	case ZIP_ER_MEMORY:
		return jr_fail(err, JR_ELIMIT, "not enough memory to open '%s'", archive->label);
	default: break;
	}
	return jr_fail(err, JR_EFORMAT, "'%s' is a damaged zip file: %s", archive->label, reason);
}

/* Return true if the central header at `at` matches the entry as libzip reports it. */
static bool is_header_of(struct jr_bytes raw, uint64_t at, const struct jr_archive_entry *entry)
{
	const uint8_t *p = raw.data + at;
	const struct jr_archive_member *member = &entry->member;
	uint64_t packed = le(p + 20, 4), size = le(p + 24, 4);
	/* libzip reports the method inside AES */
	bool same_method = le(p + 10, 2) == entry->method || entry->encryption != ZIP_EM_NONE;
	return same_method && le(p + 16, 4) == member->crc32 &&
		   (packed == UINT32_MAX || packed == member->packed_bytes) &&
		   (size == UINT32_MAX || size == member->size_bytes);
}

/* Take details from the headers at `at`, if they match the entries. */
static bool take_details(struct jr_archive *archive, uint64_t at)
{
	struct jr_bytes raw = archive->raw;
	uint64_t index = 0;
	for (size_t i = 0; i < archive->entries.n; i++) {
		struct jr_archive_entry *entry = &archive->entries.items[i];
		for (;; index++) {
			if (!has_signature(raw, at, CENTRAL_BYTES, "PK\1\2"))
				return false;
			if (index == entry->zip_index)
				break;
			const uint8_t *p = raw.data + at;
			at += CENTRAL_BYTES + le(p + 28, 2) + le(p + 30, 2) + le(p + 32, 2);
		}
		if (!is_header_of(raw, at, entry))
			return false;
		const uint8_t *p = raw.data + at;
		entry->details = (struct jr_archive_details){
			.made_by = (uint16_t)le(p + 4, 2),
			.needed = (uint16_t)le(p + 6, 2),
			.flags = (uint16_t)le(p + 8, 2),
			.dos_time = (uint16_t)le(p + 12, 2),
			.dos_date = (uint16_t)le(p + 14, 2),
			.attributes = (uint32_t)le(p + 38, 4),
		};
		uint64_t local = le(p + 42, 4);
		entry->local_header = local == UINT32_MAX ? UINT64_MAX : local; /* then in an extra field */
	}
	return true;
}

/*
 * libzip returns times only as seconds of the local time zone, so they are read from the central
 * directory. The first end record whose members match libzip's list is used.
 */
static void find_details(struct jr_archive *archive)
{
	struct jr_bytes raw = archive->raw;
	const uint64_t most = archive->limits.members;
	int tries = 16; /* a valid file has one end record */
	for (const uint8_t *p = raw.data; tries-- && (p = find_end(raw, p)); p += 4)
		if (take_details(archive, announced(raw, (uint64_t)(p - raw.data), most).offset))
			return;
	for (size_t i = 0; i < archive->entries.n; i++) {
		archive->entries.items[i].details = (struct jr_archive_details){
			.made_by = 20, .needed = 20, .dos_date = 1 << 5 | 1}; /* 1980-01-01 */
		archive->entries.items[i].local_header = UINT64_MAX;
	}
}

/*
 * Reject members that share their data: they let a small file expand beyond every ratio limit. One
 * damaged length must not affect the other members, so their sum may be twice the file's size.
 */
static enum jr_status check_overlap(const struct jr_archive *archive, struct jr_error *err)
{
	uint64_t size = archive->raw.size, claimed = 0;
	for (size_t i = 0; i < archive->entries.n && claimed <= 2 * size; i++) {
		uint64_t packed = archive->entries.items[i].member.packed_bytes;
		claimed += packed <= size ? packed : 0;
	}
	if (claimed > 2 * size)
		return jr_fail(
			err, JR_EFORMAT, "'%s' is a damaged zip file: its members overlap", archive->label);
	return JR_OK;
}

enum jr_status jr_archive_list_zip(struct jr_archive *archive, struct jr_error *err)
{
	/* libzip accepts an empty file as an empty archive. */
	if (archive->raw.size == 0)
		return jr_fail(err, JR_EFORMAT, "'%s' %s", archive->label, jr_empty_hint(archive->label));
	JR_TRY(check_announced(archive, err));
	zip_error_t error;
	zip_error_init(&error);
	zip_t *zip = open_handle(archive->raw, &error);
	if (!zip) {
		enum jr_status status = open_error(archive, &error, err);
		zip_error_fini(&error);
		return status;
	}
	zip_error_fini(&error);
	archive->pool = new_pool(zip);
	zip_int64_t n = zip_get_num_entries(zip, 0);
	for (zip_int64_t i = 0; i < n; i++) {
		zip_stat_t st;
		const char *name = zip_get_name(zip, (zip_uint64_t)i, ZIP_FL_ENC_RAW);
		if (!name || zip_stat_index(zip, (zip_uint64_t)i, 0, &st) != 0)
			return open_error(archive, zip_get_error(zip), err);
		const struct jr_archive_entry entry = {
			.member = {.size_bytes = st.size, .packed_bytes = st.comp_size, .crc32 = st.crc},
			.zip_index = (uint64_t)i,
			.method = st.comp_method,
			.encryption = st.encryption_method,
		};
		jr_archive_add(archive, name, &entry);
	}
	JR_TRY(check_overlap(archive, err));
	find_details(archive);
	return JR_OK;
}

const char *jr_zip_unreadable(
	const struct jr_archive *archive, const struct jr_archive_entry *entry, enum jr_status *status)
{
	*status = JR_EUNSUPPORTED;
	if (entry->encryption != ZIP_EM_NONE)
		return "is encrypted. Unpack the archive, and use the folder as input";
	if (!zip_compression_method_supported(entry->method, 0))
		return "is compressed with a method that libzip does not support. Unpack the archive, and "
			   "use the folder as input";
	*status = JR_EFORMAT;
	if (entry->member.packed_bytes > archive->raw.size)
		return "states more compressed bytes than the file contains";
	return NULL;
}

/* Return an error known before anything is allocated or decompressed; NULL if there is none. */
static const char *refusal(
	const struct jr_archive *archive, const struct jr_archive_entry *entry, enum jr_status *status)
{
	const struct jr_archive_member *member = &entry->member;
	const char *why = jr_zip_unreadable(archive, entry, status);
	if (why)
		return why;
	*status = JR_ELIMIT;
	if (member->size_bytes > jr_limits_unpacked(&archive->limits, member->packed_bytes))
		return "exceeds the limit on the compression ratio (--max-ratio)";
	return NULL;
}

enum jr_status jr_zip_read_error(zip_error_t *error, uint64_t at, struct jr_error *err)
{
	const char *reason = zip_error_strerror(error);
	switch (zip_error_code_zip(error)) {
	case ZIP_ER_CRC:
		return jr_fail(err, JR_EFORMAT, "is damaged: its checksum (CRC-32) does not match");
	case ZIP_ER_COMPNOTSUPP:
	case ZIP_ER_ENCRNOTSUPP:
	case ZIP_ER_NOPASSWD:
	case ZIP_ER_OPNOTSUPP: return jr_fail(err, JR_EUNSUPPORTED, "cannot be read: %s", reason);
	case ZIP_ER_MEMORY: return jr_fail(err, JR_ELIMIT, "cannot be read: not enough memory");
	default:
		return jr_fail(err, JR_EFORMAT, "is damaged: %s, after %" PRIu64 " byte%s", reason, at,
			at == 1 ? "" : "s");
	}
}

bool jr_zip_stored(
	const struct jr_archive *archive, const struct jr_archive_entry *entry, struct jr_bytes *out)
{
	struct jr_bytes raw = archive->raw;
	const struct jr_archive_member *member = &entry->member;
	if (entry->method != ZIP_CM_STORE || entry->encryption != ZIP_EM_NONE ||
		member->size_bytes != member->packed_bytes ||
		!has_signature(raw, entry->local_header, LOCAL_BYTES, "PK\3\4"))
		return false;
	const uint8_t *p = raw.data + entry->local_header;
	uint64_t at = entry->local_header + LOCAL_BYTES + le(p + 26, 2) + le(p + 28, 2);
	if (at > raw.size || member->size_bytes > raw.size - at)
		return false;
	*out = jr_bytes_of(raw.data + at, (size_t)member->size_bytes);
	return true;
}

/* Read only the first bytes, which no checksum covers. */
static enum jr_status read_head(
	zip_file_t *file, size_t most, struct jr_buf *out, struct jr_error *err)
{
	jr_buf_reserve(out, most);
	while (out->size < most) {
		zip_int64_t n = zip_fread(file, out->data + out->size, most - out->size);
		if (n < 0)
			return jr_zip_read_error(zip_file_get_error(file), out->size, err);
		if (n == 0)
			break;
		out->size += (size_t)n;
	}
	out->data[out->size] = '\0';
	return JR_OK;
}

/* Read the whole member and its end: libzip compares checksum and size only there. */
static enum jr_status read_all(
	zip_file_t *file, uint64_t size, struct jr_buf *out, struct jr_error *err)
{
	JR_TRY(jr_buf_room(out, size, err));
	for (;;) {
		/* at the end, the NUL's place would take one byte too many */
		zip_int64_t n = zip_fread(file, out->data + out->size, size + 1 - out->size);
		if (n < 0)
			return jr_zip_read_error(zip_file_get_error(file), out->size, err);
		out->size += (size_t)n;
		if (out->size > size)
			return jr_fail(err, JR_EFORMAT,
				"is damaged: more than the %" PRIu64 " bytes that it states", size);
		if (n == 0)
			break;
	}
	if (out->size != size)
		return jr_fail(err, JR_EFORMAT, "is damaged: %zu of the %" PRIu64 " bytes that it states",
			out->size, size);
	out->data[size] = '\0';
	return JR_OK;
}

static enum jr_status read_with(zip_t *zip, const struct jr_archive_entry *entry, size_t most,
	struct jr_buf *out, struct jr_error *err)
{
	zip_file_t *file = zip_fopen_index(zip, entry->zip_index, 0);
	if (!file)
		return jr_zip_read_error(zip_get_error(zip), 0, err);
	enum jr_status status = entry->member.size_bytes > most
								? read_head(file, most, out, err)
								: read_all(file, entry->member.size_bytes, out, err);
	zip_fclose(file);
	return status;
}

static enum jr_status read_member(struct jr_archive *archive, const struct jr_archive_entry *entry,
	size_t most, struct jr_buf *out, struct jr_error *err)
{
	enum jr_status status;
	const char *why = refusal(archive, entry, &status);
	if (why)
		return jr_fail(err, status, "%s", why);
	zip_t *zip;
	JR_TRY(jr_zip_take(archive, &zip, err));
	status = read_with(zip, entry, most, out, err);
	if (status == JR_OK)
		jr_zip_give(archive, zip);
	else
		zip_discard(zip); /* its state after damage is unknown */
	return status;
}

enum jr_status jr_archive_read_zip(struct jr_archive *archive, const struct jr_archive_entry *entry,
	size_t most, struct jr_buf *out, struct jr_error *err)
{
	struct jr_buf content = {0};
	struct jr_error inner = {0};
	enum jr_status status = read_member(archive, entry, most, &content, &inner);
	if (status == JR_OK) {
		*out = content;
		return JR_OK;
	}
	jr_buf_done(&content);
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	status = jr_fail(err, status, "member '%s' of '%s' %s",
		jr_archive_clean_name(&name, entry->member.name), archive->label, inner.message);
	return status;
}
