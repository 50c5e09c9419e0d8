#include "archive_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "plant.h"

/* 2024-07-09 12:00 in DOS form: independent of time zones. */
#define DOS_DATE ((2024 - 1980) << 9 | 7 << 5 | 9)
#define DOS_TIME (12 << 11)

void gen_archive_add(
	struct gen_archive *archive, const char *name, struct jr_buf *content, bool stored)
{
	char *copy = strdup(name);
	if (!copy)
		jr_oom();
	jr_buf_reserve(content, 1);
	*jr_vec_add(&archive->members) =
		(struct gen_member){copy, content->data, content->size, stored};
	*content = (struct jr_buf){0};
}

void gen_archive_add_folder(struct gen_archive *archive, const char *name)
{
	char *copy = strdup(name);
	if (!copy)
		jr_oom();
	*jr_vec_add(&archive->members) = (struct gen_member){.name = copy, .stored = true};
}

void gen_archive_done(struct gen_archive *archive)
{
	for (size_t i = 0; i < archive->members.n; i++) {
		free(archive->members.items[i].name);
		free(archive->members.items[i].data);
	}
	jr_vec_done(&archive->members);
}

static enum jr_status zip_failed(zip_t *zip, const char *path, struct jr_error *err)
{
	enum jr_status status = jr_fail(err, JR_EIO, "cannot write '%s': %s", path, zip_strerror(zip));
	zip_discard(zip);
	return status;
}

/* Buffer for the members' names, which libzip takes as C strings. */
static enum jr_status put_nuls(
	const struct gen_archive *archive, const char *path, struct jr_error *err)
{
	bool any = false;
	for (size_t i = 0; i < archive->members.n; i++)
		any |= strchr(archive->members.items[i].name, GEN_NUL) != NULL;
	if (!any)
		return JR_OK;
	JR_CLEANUP(jr_buf_done) struct jr_buf content = {0};
	char room[65536];
	FILE *f = fopen(path, "r+b");
	for (size_t n; f && (n = fread(room, 1, sizeof(room), f)) > 0;)
		jr_buf_add(&content, room, n);
	gen_put_planted_nuls(content.data, content.size);
	bool ok =
		f && fseek(f, 0, SEEK_SET) == 0 && fwrite(content.data, 1, content.size, f) == content.size;
	ok &= f && fclose(f) == 0;
	return ok ? JR_OK : jr_fail(err, JR_EIO, "cannot write '%s': %s", path, strerror(errno));
}

static enum jr_status write_zip(
	const struct gen_archive *archive, const char *path, struct jr_error *err)
{
	int code = 0;
	zip_t *zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code);
	if (!zip)
		return jr_fail(err, JR_EIO, "cannot create '%s': libzip error %d", path, code);
	for (size_t i = 0; i < archive->members.n; i++) {
		const struct gen_member *m = &archive->members.items[i];
		zip_int64_t index;
		if (!m->data) {
			index = zip_dir_add(zip, m->name, 0);
		} else {
			zip_source_t *source = zip_source_buffer(zip, m->data, m->size, 0);
			if (!source)
				return zip_failed(zip, path, err);
			index = zip_file_add(zip, m->name, source, ZIP_FL_OVERWRITE | ZIP_FL_ENC_GUESS);
			if (index < 0)
				zip_source_free(source);
			else if (zip_set_file_compression(zip, (zip_uint64_t)index,
						 m->stored ? ZIP_CM_STORE : ZIP_CM_DEFLATE, m->stored ? 0 : 6) < 0)
				index = -1;
		}
		if (index < 0 || zip_file_set_dostime(zip, (zip_uint64_t)index, DOS_TIME, DOS_DATE, 0) < 0)
			return zip_failed(zip, path, err);
	}
	return zip_close(zip) == 0 ? put_nuls(archive, path, err) : zip_failed(zip, path, err);
}

enum jr_status gen_make_parents(const char *path, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	enum jr_status status = JR_OK;
	jr_buf_puts(&name, path);
	for (char *slash = strchr(name.data + 1, '/'); slash && status == JR_OK;
		 slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(name.data, 0777) != 0 && errno != EEXIST)
			status = jr_fail(err, JR_EIO, "cannot create '%s': %s", name.data, strerror(errno));
		*slash = '/';
	}
	return status;
}

static enum jr_status write_file(const char *path, const struct gen_member *m, struct jr_error *err)
{
	FILE *f = fopen(path, "wb");
	if (!f)
		return jr_fail(err, JR_EIO, "cannot create '%s': %s", path, strerror(errno));
	bool ok = fwrite(m->data, 1, m->size, f) == m->size;
	ok &= fclose(f) == 0;
	return ok ? JR_OK : jr_fail(err, JR_EIO, "cannot write '%s': %s", path, strerror(errno));
}

static enum jr_status write_directory(
	const struct gen_archive *archive, const char *path, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	enum jr_status status = JR_OK;
	for (size_t i = 0; i < archive->members.n && status == JR_OK; i++) {
		const struct gen_member *m = &archive->members.items[i];
		name.size = 0;
		jr_buf_printf(&name, "%s/%s", path, m->name);
		status = gen_make_parents(name.data, err);
		if (status == JR_OK && m->data)
			status = write_file(name.data, m, err);
	}
	return status;
}

enum jr_status gen_archive_write(
	const struct gen_archive *archive, const char *path, bool directory, struct jr_error *err)
{
	return directory ? write_directory(archive, path, err) : write_zip(archive, path, err);
}
