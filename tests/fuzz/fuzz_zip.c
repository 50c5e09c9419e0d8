/* Fuzz target: a zip in memory, opened, searched, and all of its members read and copied. */
#include <stdlib.h>
#include <string.h>

#include "formats/archive/archive_copy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_member(struct jr_archive *archive, size_t index, const struct jr_limits *limits)
{
	const struct jr_archive_member *member = jr_archive_at(archive, index);
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	struct jr_error err = {0};
	if (jr_archive_find(archive, member->name) != index)
		abort(); /* names are unique and sorted */
	if (member->name[0] == '/' || strstr(member->name, "../") || strchr(member->name, '\\')) {
		const char *up = strstr(member->name, "../");
		if (!up || up == member->name || up[-1] == '/')
			abort();
	}
	if (jr_archive_read(archive, index, &out, &err) == JR_OK) {
		if (out.size != member->size_bytes || out.size > limits->entry_bytes)
			abort();
	} else if (out.data || !err.message[0] || strchr(err.message, '\n')) {
		abort();
	}
}

static enum jr_status count(void *context, const void *bytes, size_t n, struct jr_error *err)
{
	(void)bytes;
	(void)err;
	*(uint64_t *)context += n;
	return JR_OK;
}

/* A member that can be read can be copied, and has the size in its entry. */
static void check_copy(struct jr_archive *archive, size_t index)
{
	struct jr_buf out = {0};
	struct jr_error err = {0};
	struct jr_zip_entry entry;
	uint64_t n = 0;
	bool readable = jr_archive_read(archive, index, &out, &err) == JR_OK;
	jr_buf_done(&out);
	jr_archive_describe(archive, index, 0, &entry);
	err.message[0] = '\0';
	if (jr_archive_copy(archive, index, 0, count, &n, &err) != JR_OK) {
		if (readable || !err.message[0] || strchr(err.message, '\n'))
			abort();
	} else if (n != entry.packed_bytes ||
		strcmp(entry.name, jr_archive_at(archive, index)->name) != 0) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_limits limits = jr_limits_default();
	limits.entry_bytes = 1 << 20;
	limits.members = 1000;
	struct jr_archive *archive;
	struct jr_error err = {0};
	if (jr_archive_open_memory(jr_bytes_of(data, size), "fuzz.zip", &limits, &archive, &err) !=
		JR_OK) {
		if (!err.message[0])
			abort();
		return 0;
	}
	size_t n = jr_archive_count(archive);
	if (n > limits.members)
		abort();
	for (size_t i = 0; i < n && i < 50; i++) {
		check_member(archive, i, &limits);
		if (jr_archive_at(archive, i)->size_bytes <= UINT64_C(64) << 20)
			check_copy(archive, i);
	}
	(void)jr_archive_rejected(archive);
	jr_archive_close(archive);
	return 0;
}
