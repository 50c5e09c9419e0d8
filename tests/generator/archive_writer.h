/*
 * archive_writer.h - write the members of one archive as a .zip file or as a folder.
 */
#ifndef GEN_ARCHIVE_WRITER_H
#define GEN_ARCHIVE_WRITER_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/vec.h"

struct gen_member {
	char *name;
	char *data; /* malloc, owned; NULL for a folder entry ("dump/") */
	size_t size;
	bool stored; /* not deflated */
};

struct gen_archive {
	JR_VEC(struct gen_member) members;
};

/** Add a member; moves the data out of `content` and leaves it empty. */
void gen_archive_add(
	struct gen_archive *archive, const char *name, struct jr_buf *content, bool stored);
void gen_archive_add_folder(struct gen_archive *archive, const char *name);
/** Write `path`, replacing existing files (a zip: the file; a folder: files in it). All members
 * carry the same time, so that equal members give equal bytes. */
enum jr_status gen_archive_write(const struct gen_archive *archive, const char *path,
	bool directory, struct jr_error *err) JR_MUST_CHECK;
/** Create all parent folders of `path` (mkdir -p). */
enum jr_status gen_make_parents(const char *path, struct jr_error *err) JR_MUST_CHECK;
void gen_archive_done(struct gen_archive *archive);

#endif
