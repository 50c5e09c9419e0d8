/*
 * profile_root.h - finds the folder of a profile's files in an archive or folder.
 * Layer: model, private to loading.
 *
 * nsys-jax puts them at the top. They are one folder deeper if an unpacked archive was zipped
 * again, or if the parent folder is named. A CI artifact may be an archive in an archive.
 */
#ifndef JR_MODEL_PROFILE_ROOT_H
#define JR_MODEL_PROFILE_ROOT_H

#include "formats/archive/archive.h"

/**
 * If there is no profile file at the top, enter the only folder that has some (see
 * jr_archive_enter()), at any depth. An archive without profile files is not changed.
 *
 * @param label    name of the archive in messages
 * @param entered  out: whether a folder was entered
 * @return JR_EFORMAT several folders have profile files; JR_EIO
 */
enum jr_status jr_profile_root_enter(struct jr_archive *archive, const char *label, bool *entered,
	struct jr_error *err) JR_MUST_CHECK;
/** Do the same for files of another profile. `root` returns the length of a file's folder without
 * the last slash; SIZE_MAX: the file belongs to none. */
enum jr_status jr_profile_root_enter_by(struct jr_archive *archive,
	size_t (*root)(const char *member), const char *label, bool *entered, struct jr_error *err)
	JR_MUST_CHECK;
/** Return whether an archive has files of another profile, by the same `root`, and none that an
 * archive of nsys-jax consists of. O(members) */
bool jr_profile_root_only(const struct jr_archive *archive, size_t (*root)(const char *member));

#endif
