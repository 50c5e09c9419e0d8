/*
 * file.h - map inputs; build an output folder under another name and move it into place in one
 * step.
 * Layer: base.
 */
#ifndef JR_BASE_FILE_H
#define JR_BASE_FILE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/buf.h"

/* A whole regular file, read-only. */
struct jr_file_map {
	struct jr_bytes bytes;
	void *mapping;                  /* NULL for an empty file */
	struct jr_watched_map *watched; /* NULL if not watched */
};

/**
 * Map `path`. Only regular files: a FIFO, device or folder is refused without blocking.
 * @return JR_EIO cannot open or map, with the system's reason; JR_EUNSUPPORTED not a regular file
 */
enum jr_status jr_file_map(const char *path, struct jr_file_map *map, struct jr_error *err)
	JR_MUST_CHECK;
/** Map an open file, which stays open; `path` is for messages. */
enum jr_status jr_file_map_open(
	int fd, const char *path, struct jr_file_map *map, struct jr_error *err) JR_MUST_CHECK;
void jr_file_unmap(struct jr_file_map *map);
/**
 * Prepare for a file that shrinks while it is mapped. Reading beyond its new end gives zeros
 * instead of SIGBUS, which ends the program; whoever uses the bytes must check afterwards. A page
 * that the file still has is read as zeros behind the new end without a signal: checksums and
 * formats find that.
 *
 * @param told  set once the file has shrunk; must live as long as the mapping; may be NULL
 */
void jr_file_map_watch(struct jr_file_map *map, atomic_bool *told);
/** Return whether bytes of a watched file were missing when they were read. Any thread. */
bool jr_file_map_shrank(const struct jr_file_map *map);
/** For the handler of SIGBUS, in the thread that read: put zeros behind the end of the watched
 * file at `address`. @return false: no watched file is there; true: reading again succeeds */
bool jr_file_map_mend(const void *address);
#define JR_SHRANK "became shorter while it was read. Try again when it is complete"
/** Fail because the input `name` has shrunk. @return JR_EIO */
enum jr_status jr_fail_shrunk(struct jr_error *err, const char *name);
/** Release the memory of the pages that were read; the bytes stay readable. For readers that go
 * through a large file from front to back. */
void jr_file_map_forget(const struct jr_file_map *map);

/** Fail because `path` cannot be opened, for the reason `code` (an errno). If the path does not
 * exist, the message says so. @return JR_EIO */
enum jr_status jr_fail_to_open(struct jr_error *err, const char *path, int code);
/** Fail because `path` cannot be created; the message names a missing folder. @return JR_EIO */
enum jr_status jr_fail_to_create(struct jr_error *err, const char *path, int code);
/** Return true if an errno means that a path does not exist: no entry, or a parent is a file. */
bool jr_is_absent(int code);

/** Return the length of a path's folder in bytes, without trailing slashes: 1 for "a/b/", 0 for
 * "a". */
size_t jr_file_folder_size(const char *path);

/** Return the last part of a path, without trailing slashes. Not a copy; empty for "/" and "". */
struct jr_bytes jr_file_name(const char *path);

/** Return true if a path ends in a name that a file can be renamed to: not "", ".", ".." or "/". */
bool jr_file_names_entry(const char *path);

/** Make a pattern for mkdtemp(3) and mkostemp(3): "a/b.zip", "TAG-" -> "a/.b.zip.tmp-TAG-XXXXXX".
 * It is next to the path, so that the last step is one rename within a file system. From malloc. */
char *jr_file_sibling(const char *path, const char *tag);

/* A folder under construction: files are written into a hidden sibling of the target. */
struct jr_outdir {
	char *target;  /* as the user gave it, without trailing slashes */
	char *staging; /* the sibling; NULL before begin and after commit or abandon */
	bool force;
	int lock; /* valid if staging is set, see base/staging.h */
};

#define JR_OUTDIR_MARKER ".jaxreport"

/**
 * Begin to build `target`. First remove what killed runs with the same output have left next to it
 * (base/staging.h).
 *
 * @param force  commit replaces an existing folder that contains our marker file; it never replaces
 *               a non-folder or a folder without the marker, unless that is empty
 * @return JR_EIO cannot create; JR_EUSAGE target exists (message says which case and what to do),
 *         or has no name of its own ("", ".", "a/..")
 */
enum jr_status jr_outdir_begin(
	struct jr_outdir *dir, const char *target, bool force, struct jr_error *err) JR_MUST_CHECK;
/** Write one file. `name` is set by us ("data/thunks.csv"); one level of folder is created on
 * demand. */
enum jr_status jr_outdir_write(struct jr_outdir *dir, const char *name, struct jr_bytes content,
	struct jr_error *err) JR_MUST_CHECK;
/** Append to a file that jr_outdir_write() made. For output that is too large to hold in memory. */
enum jr_status jr_outdir_append(struct jr_outdir *dir, const char *name, struct jr_bytes content,
	struct jr_error *err) JR_MUST_CHECK;
/** Return the path of a file in the staging folder, for a library that writes files itself
 * (sqlite). From malloc. */
char *jr_outdir_path(const struct jr_outdir *dir, const char *name);
/** Add the marker, wait until everything is on the disk and rename the folder into place. The
 * replaced folder is removed afterwards. The rules of jr_outdir_begin() are checked again. JR_EIO
 * also if the disk fails (full, over quota, broken). */
enum jr_status jr_outdir_commit(struct jr_outdir *dir, struct jr_error *err) JR_MUST_CHECK;
/** Remove what was built. Safe at any time, also twice, also after commit. cli makes sure that
 * signal handlers can use it. */
void jr_outdir_abandon(struct jr_outdir *dir);

/** Delete a folder and everything in it, without following links. Best effort. */
void jr_remove_tree(const char *path);

#endif
