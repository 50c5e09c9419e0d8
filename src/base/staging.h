/*
 * staging.h - the hidden entry beside an output in which it is built, until it is renamed.
 * Layer: base.  For base/file.h's output folder and base/outfile.h.
 *
 * Its name is ".NAME.tmp-BOOT-XXXXXX": BOOT is the beginning of the kernel's boot id, XXXXXX is
 * random. Who builds in it holds a lock (flock(2)) on it until it is renamed or removed; the kernel
 * drops the lock of a process that was killed. So an entry of this boot that nobody has locked is
 * left from a dead process, also where that ran in another container of this machine. An entry of
 * another host, which may share the file system, has another BOOT and is never touched.
 */
#ifndef JR_BASE_STAGING_H
#define JR_BASE_STAGING_H

#include <stdbool.h>

#include "base/error.h"

/**
 * Remove what dead processes of this user and this boot have left beside `target`: folders, and
 * regular files of one name. Best effort. One reading of the folder that `target` is in.
 */
void jr_staging_sweep(const char *target);

/**
 * Make an entry beside `target`, which has no slash at its end, and lock it. Only we may read it.
 * Without a boot id, or where files cannot be locked, it is ".NAME.tmp-XXXXXX", never swept.
 *
 * @param folder  a folder, else a file
 * @param fd      out: holds the lock as long as it or a copy is open; a file is open for writing
 * @return its path, from malloc; NULL and errno where it cannot be made
 */
char *jr_staging_make(const char *target, bool folder, int *fd);

/** Wait until what was written to a file, or the entries of a folder, are on the disk, as far as
 * the file system can do that; some cannot. False and errno where it failed. */
bool jr_synced(int fd);
/** The same for a folder and all below it. Files are waited for side by side, because a file system
 * commits them together. @return JR_EIO with the system's reason */
enum jr_status jr_staging_sync(const char *folder, struct jr_error *err) JR_MUST_CHECK;
/** After the rename: the same for the name of `target`. Best effort: after a crash of the machine
 * the name leads to the new output, whole, or to what was there before. */
void jr_staging_sync_name(const char *target);

#endif
