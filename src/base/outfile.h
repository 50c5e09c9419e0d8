/*
 * outfile.h - build one file under another name and move it into place in one step.
 * Layer: base.  The counterpart of base/file.h's output folder.
 */
#ifndef JR_BASE_OUTFILE_H
#define JR_BASE_OUTFILE_H

#include <stdbool.h>

#include "base/buf.h"

/* A kind of file that may be replaced, recognized by the first bytes of the existing file. */
struct jr_outfile_kind {
	const char *name; /* "a zip file" */
	bool (*begins)(struct jr_bytes head);
};

/* A file under construction: bytes go to a hidden sibling of the target. */
struct jr_outfile {
	char *target;
	char *staging; /* the sibling; NULL before begin and after commit or abandon */
	const struct jr_outfile_kind *kind;
	bool force;
	int fd; /* valid if staging is set */
	struct jr_buf pending;
};

/**
 * Begin to build `target`. First remove what killed runs with the same output have left next to it
 * (base/staging.h).
 *
 * @param kind   borrowed while the file is built
 * @param force  commit replaces an existing regular file that begins as `kind` says; it never
 *               replaces anything else (a folder, a link, a file of another kind)
 * @return JR_EIO cannot create; JR_EUSAGE target exists (message says which case and what to do),
 *         or has no name of its own ("", ".", "a/")
 */
enum jr_status jr_outfile_begin(struct jr_outfile *file, const char *target,
	const struct jr_outfile_kind *kind, bool force, struct jr_error *err) JR_MUST_CHECK;
/** Append bytes. Writes are buffered, so the error may concern earlier bytes. JR_EIO with the
 * reason. */
enum jr_status jr_outfile_write(
	struct jr_outfile *file, const void *bytes, size_t n, struct jr_error *err) JR_MUST_CHECK;
/** Replace bytes that were written before, for a length that is known only after them. JR_EIO with
 * the reason. */
enum jr_status jr_outfile_patch(struct jr_outfile *file, uint64_t offset, const void *bytes,
	size_t n, struct jr_error *err) JR_MUST_CHECK;
/** Write the pending bytes, wait until they are on the disk and rename the file into place. The
 * rules of jr_outfile_begin() are checked again. After a failure the caller still has to abandon
 * the file. */
enum jr_status jr_outfile_commit(struct jr_outfile *file, struct jr_error *err) JR_MUST_CHECK;
/** Remove what was built. Safe at any time, also twice, also after commit. */
void jr_outfile_abandon(struct jr_outfile *file);

#endif
