/*
 * outfile.h - build one file aside and move it into place in one step.
 * Layer: base.  The counterpart of base/file.h's output folder.
 */
#ifndef JR_BASE_OUTFILE_H
#define JR_BASE_OUTFILE_H

#include <stdbool.h>

#include "base/buf.h"

/* What may be replaced: told from the first bytes of the file that is there. */
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
	int fd; /* meaningful where staging is set */
	struct jr_buf pending;
};

/**
 * Begin to build `target`. What runs of the same output that were killed have left beside it is
 * removed first (base/staging.h).
 *
 * @param kind   borrowed for as long as the file is built
 * @param force  an existing regular file that begins as `kind` says is replaced at commit; anything
 *               else (a folder, a link, a file of another kind) never is
 * @return JR_EIO cannot create; JR_EUSAGE target exists (message says which case and what to do),
 *         or is no name of its own ("", ".", "a/")
 */
enum jr_status jr_outfile_begin(struct jr_outfile *file, const char *target,
	const struct jr_outfile_kind *kind, bool force, struct jr_error *err) JR_MUST_CHECK;
/** Append bytes. Buffered, so an error may be that of earlier bytes. JR_EIO with the reason. */
enum jr_status jr_outfile_write(
	struct jr_outfile *file, const void *bytes, size_t n, struct jr_error *err) JR_MUST_CHECK;
/** Put bytes in the place of some that were written before: for a length that is known behind them
 * only. JR_EIO with the reason. */
enum jr_status jr_outfile_patch(struct jr_outfile *file, uint64_t offset, const void *bytes,
	size_t n, struct jr_error *err) JR_MUST_CHECK;
/** Write what is pending, wait until it is on the disk and rename the file into place. The rules of
 * jr_outfile_begin() are held against what is there by now. On failure the file is still to be
 * abandoned. */
enum jr_status jr_outfile_commit(struct jr_outfile *file, struct jr_error *err) JR_MUST_CHECK;
/** Remove what was built. Safe at any time, also twice, also after commit. */
void jr_outfile_abandon(struct jr_outfile *file);

#endif
