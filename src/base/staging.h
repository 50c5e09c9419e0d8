/*
 * staging.h - the hidden entry next to an output in which it is built, until it is renamed.
 * Layer: base.  For base/file.h's output folder and base/outfile.h.
 *
 * Its name is ".NAME.tmp-BOOT-XXXXXX": BOOT is the beginning of the kernel's boot id, XXXXXX is
 * random. The process that builds in it holds a lock (flock(2)) on it until it is renamed or
 * removed. The kernel drops the lock of a killed process. So an unlocked entry of this boot belongs
 * to a dead process, even if that ran in another container of this machine. An entry of another
 * host, which may share the file system, has another BOOT and is never touched.
 */
#ifndef JR_BASE_STAGING_H
#define JR_BASE_STAGING_H

#include <stdbool.h>

#include "base/error.h"

/**
 * Remove what dead processes of this user and this boot have left next to `target`: folders, and
 * regular files with a single name. Best effort. Reads the folder of `target` once.
 */
void jr_staging_sweep(const char *target);

/**
 * Make an entry next to `target`, which does not end in a slash, and lock it. Only we may read it.
 * Without a boot id, or if files cannot be locked, it is ".NAME.tmp-XXXXXX" and never swept.
 *
 * @param folder  make a folder, else a file
 * @param fd      out: holds the lock while it or a copy is open; a file is open for writing
 * @return its path, from malloc; NULL and errno if it cannot be made
 */
char *jr_staging_make(const char *target, bool folder, int *fd);

/** Wait until the content of a file, or the entries of a folder, are on the disk. Some file systems
 * cannot do that, which is not an error. Return false and errno on failure. */
bool jr_synced(int fd);
/** Wait for a folder and everything in it. Files are synced in parallel, because a file system
 * commits them together. Messages name `target`, which the folder becomes.
 * @return JR_EIO with the system's reason */
enum jr_status jr_staging_sync(const char *folder, const char *target, struct jr_error *err)
	JR_MUST_CHECK;
/** After the rename, wait for the name of `target`. Best effort: after a crash of the machine the
 * name leads to the whole new output, or to the old one. */
void jr_staging_sync_name(const char *target);

#endif
