#include "model/sources/profile_root.h"

#include <string.h>

#include "base/cleanup.h"
#include "model/sources/source.h"

/* Return the position in `name` where the profile member `own`, or its folder in a combined
 * archive, begins; NULL. */
static const char *own_part(const char *name, const char *own)
{
	size_t n = strlen(own);
	for (const char *at = name; (at = strstr(at, own)); at++)
		if ((at == name || at[-1] == '/') && (at[n] == '\0' || at[n] == '/'))
			return at;
	return NULL;
}

/* Return the length of the folder of such a file; 0: the top. SIZE_MAX: it is another file. */
static size_t root_of(const char *name)
{
	for (const char *const *own = jr_source_own_members; *own; own++) {
		const char *at = own_part(name, *own);
		if (at)
			return at == name ? 0 : (size_t)(at - name) - 1;
	}
	return SIZE_MAX;
}

/* Only the user knows which of the profiles is meant. */
static enum jr_status several(const struct jr_archive *archive, const char *label,
	const struct jr_buf *first, const struct jr_buf *second, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf one = {0}, other = {0};
	return jr_fail(err, JR_EFORMAT,
		"'%s' contains several profiles, for example in '%s' and '%s'. %s", label,
		jr_archive_clean_name(&one, first->data), jr_archive_clean_name(&other, second->data),
		jr_archive_is_directory(archive) ? "Use the folder of each as an input"
										 : "Unpack it, and use the folder of each as an input");
}

enum jr_status jr_profile_root_enter(
	struct jr_archive *archive, const char *label, bool *entered, struct jr_error *err)
{
	return jr_profile_root_enter_by(archive, root_of, label, entered, err);
}

enum jr_status jr_profile_root_enter_by(struct jr_archive *archive,
	size_t (*root)(const char *member), const char *label, bool *entered, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf first = {0}, second = {0};
	for (size_t i = 0; i < jr_archive_count(archive); i++) {
		const char *name = jr_archive_at(archive, i)->name;
		size_t n = root(name);
		if (n == 0)
			return JR_OK;
		if (n == SIZE_MAX)
			continue;
		if (!first.size)
			jr_buf_add(&first, name, n);
		else if (!second.size && (first.size != n || memcmp(first.data, name, n) != 0))
			jr_buf_add(&second, name, n);
	}
	if (second.size)
		return several(archive, label, &first, &second, err);
	if (!first.size)
		return JR_OK;
	JR_TRY(jr_archive_enter(archive, first.data, err));
	*entered = true;
	return JR_OK;
}

bool jr_profile_root_only(const struct jr_archive *archive, size_t (*root)(const char *member))
{
	bool any = false;
	for (size_t i = 0; i < jr_archive_count(archive); i++) {
		const char *name = jr_archive_at(archive, i)->name;
		for (const char *const *own = jr_source_own_members; *own; own++)
			if (strstr(name, *own))
				return false;
		any |= root(name) != SIZE_MAX;
	}
	return any;
}
