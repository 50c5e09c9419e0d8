/*
 * file.h - map inputs, and build an output folder aside and move it into place in one step.
 * Layer: base.
 */
#ifndef JR_BASE_FILE_H
#define JR_BASE_FILE_H

#include <stdbool.h>

#include "base/buf.h"

/* A whole regular file, read-only. */
struct jr_file_map {
	struct jr_bytes bytes;
	void *mapping; /* NULL for an empty file */
};

/**
 * Map `path`. Only regular files: a FIFO, device or directory is refused (never blocks).
 * @return JR_EIO cannot open or map, with the system's reason; JR_EUNSUPPORTED not a regular file
 */
enum jr_status jr_file_map(const char *path, struct jr_file_map *map, struct jr_error *err)
	JR_MUST_CHECK;
/** The same for a file that is open, and stays so; `path` is for messages. */
enum jr_status jr_file_map_open(
	int fd, const char *path, struct jr_file_map *map, struct jr_error *err) JR_MUST_CHECK;
void jr_file_unmap(struct jr_file_map *map);
/** Let go of the memory that what was read of it takes; the bytes stay readable. For those who read
 * a large file from front to back. */
void jr_file_map_forget(const struct jr_file_map *map);

/** Fail because `path` cannot be opened, for the reason `code` (an errno). A path that leads to
 * nothing is reported as such. @return JR_EIO */
enum jr_status jr_fail_to_open(struct jr_error *err, const char *path, int code);
/** Fail because `path` cannot be created; name the folder that is missing. @return JR_EIO */
enum jr_status jr_fail_to_create(struct jr_error *err, const char *path, int code);
/** True where an errno means that a path leads to nothing: no entry, or below a file. */
bool jr_is_absent(int code);

/** How many bytes of a path are its folder, without slashes behind it: 1 of "a/b/", 0 of "a". */
size_t jr_file_folder_size(const char *path);

/** Last part of a path, without slashes behind it; not copied; empty for "/" and "". */
struct jr_bytes jr_file_name(const char *path);

/** Whether a path ends in a name that something can be moved to: "", ".", ".." and "/" do not. */
bool jr_file_names_entry(const char *path);

/** "a/b.zip", "TAG-" -> "a/.b.zip.tmp-TAG-XXXXXX", for mkdtemp(3) and mkostemp(3): next to the
 * path, so that the last step is one rename within a file system. From malloc. */
char *jr_file_sibling(const char *path, const char *tag);

/* A folder under construction: files are written into a hidden sibling of the target. */
struct jr_outdir {
	char *target;  /* as the user gave it, without trailing slashes */
	char *staging; /* the sibling; NULL before begin and after commit or abandon */
	bool force;
	int lock; /* meaningful where staging is set, see base/staging.h */
};

#define JR_OUTDIR_MARKER ".jaxreport"

/**
 * Begin to build `target`. What runs of the same output that were killed have left beside it is
 * removed first (base/staging.h).
 *
 * @param force  an existing folder that carries our marker file is replaced at commit; a folder
 *               without the marker (unless it is empty) or a non-folder never is
 * @return JR_EIO cannot create; JR_EUSAGE target exists (message says which case and what to do),
 *         or is no name of its own ("", ".", "a/..")
 */
enum jr_status jr_outdir_begin(
	struct jr_outdir *dir, const char *target, bool force, struct jr_error *err) JR_MUST_CHECK;
/** Write one file; `name` is ours ("data/thunks.csv"), one level of folder is created on demand. */
enum jr_status jr_outdir_write(struct jr_outdir *dir, const char *name, struct jr_bytes content,
	struct jr_error *err) JR_MUST_CHECK;
/** Add to a file that jr_outdir_write() made, for what is too large to be held whole. */
enum jr_status jr_outdir_append(struct jr_outdir *dir, const char *name, struct jr_bytes content,
	struct jr_error *err) JR_MUST_CHECK;
/** Path of a file below the staging folder, for a library that writes by itself (sqlite). From
 * malloc. */
char *jr_outdir_path(const struct jr_outdir *dir, const char *name);
/** Put the marker in, wait until all of it is on the disk and rename the folder into place; the
 * replaced one is removed after. The rules of jr_outdir_begin() are held against what is there by
 * now. JR_EIO also where the disk does not take it (full, over quota, broken). */
enum jr_status jr_outdir_commit(struct jr_outdir *dir, struct jr_error *err) JR_MUST_CHECK;
/** Remove what was built. Safe at any time, also twice, also after commit; async-signal tolerant
 * use is up to cli. */
void jr_outdir_abandon(struct jr_outdir *dir);

/** Delete a folder and all below it, without following links. Best effort. */
void jr_remove_tree(const char *path);

#endif
