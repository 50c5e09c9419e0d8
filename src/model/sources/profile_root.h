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

#endif
