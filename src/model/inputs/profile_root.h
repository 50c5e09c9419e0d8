/*
 * profile_root.h - where in an archive or folder the files of a profile lie.
 * Layer: model, private to loading.
 *
 * nsys-jax puts them at the top. Who zips an unpacked archive again, or names the folder above one,
 * has them a folder deeper; who downloads a CI artifact has an archive in an archive.
 */
#ifndef JR_MODEL_PROFILE_ROOT_H
#define JR_MODEL_PROFILE_ROOT_H

#include "formats/archive/archive.h"

/**
 * Where no file of a profile lies at the top: enter the one folder that has some (see
 * jr_archive_enter()), however deep; an archive without any is left as it is.
 *
 * @param label    the archive in messages
 * @param entered  out: set where it did
 * @return JR_EFORMAT several folders have some; JR_EIO
 */
enum jr_status jr_profile_root_enter(struct jr_archive *archive, const char *label, bool *entered,
	struct jr_error *err) JR_MUST_CHECK;

/** Of an archive without a profile: an input that lies in it, and what to do, as a clause that
 * follows; nothing where there is none. */
void jr_profile_root_hint(const struct jr_archive *archive, struct jr_buf *out);
/** Of an archive without anything to report on: that it is so, what was looked for in it, by
 * inputs.def, and what to name in its place, as a clause that follows its name.
 * @param part  a process of a combined archive, which is one; NULL: the whole */
void jr_profile_root_nothing(
	const struct jr_archive *archive, const char *part, struct jr_buf *out);

#endif
