#include "model/inputs/profile_root.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "formats/archive/foreign.h"
#include "model/inputs/input.h"
#include "model/inputs/source.h"

/* Where in `name` the file of a profile, or a combined archive's folder of it, begins; NULL. */
static const char *own_part(const char *name, const char *own)
{
	size_t n = strlen(own);
	for (const char *at = name; (at = strstr(at, own)); at++)
		if ((at == name || at[-1] == '/') && (at[n] == '\0' || at[n] == '/'))
			return at;
	return NULL;
}

/* The folder that such a file lies in, its bytes; SIZE_MAX: it is no such file. 0: the top. */
static size_t root_of(const char *name)
{
	for (const char *const *own = jr_source_own_members; *own; own++) {
		const char *at = own_part(name, *own);
		if (at)
			return at == name ? 0 : (size_t)(at - name) - 1;
	}
	return SIZE_MAX;
}

/* Which of them is meant, nobody but the user knows. */
static enum jr_status several(const struct jr_archive *archive, const char *label,
	const struct jr_buf *first, const struct jr_buf *second, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf one = {0}, other = {0};
	return jr_fail(err, JR_EFORMAT,
		"'%s' holds several profiles, in '%s' and '%s' for example: %s", label,
		jr_archive_clean_name(&one, first->data), jr_archive_clean_name(&other, second->data),
		jr_archive_is_directory(archive) ? "name the folder of each"
										 : "unpack it, and name the folder of each");
}

enum jr_status jr_profile_root_enter(struct jr_archive *archive, const char *label, bool *entered,
	struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf first = {0}, second = {0};
	for (size_t i = 0; i < jr_archive_count(archive); i++) {
		const char *name = jr_archive_at(archive, i)->name;
		size_t n = root_of(name);
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

/* What a folder is that has nothing to report on: an export of nsys as a folder of tables, or XLA's
 * dumps as text. NULL: neither. */
static const char *folder_hint(const struct jr_archive *archive)
{
	bool tables = false, texts = false, protos = false;
	for (size_t i = 0; i < jr_archive_count(archive); i++) {
		const char *name = jr_archive_at(archive, i)->name, *slash = strrchr(name, '/');
		const char *base = slash ? slash + 1 : name;
		bool table = jr_text_ends(base, ".parquet") || jr_text_ends(base, ".arrow");
		tables |= table && (strncmp(base, "StringIds.", 10) == 0 ||
							   strncmp(base, "CUPTI_", 6) == 0 ||
							   strncmp(base, "NVTX_EVENTS.", 12) == 0 ||
							   strncmp(base, "TARGET_INFO_", 12) == 0 ||
							   strncmp(base, "META_DATA_", 10) == 0);
		texts |= strncmp(base, "module_", 7) == 0 && jr_text_ends(base, ".txt");
		protos |= jr_text_ends(base, ".pb");
	}
	return tables ? "is an export of Nsight Systems as a folder of tables, which is not supported. "
					"Export as SQLite: " JR_NSYS_EXPORT
		   : texts && !protos
			   ? "contains only XLA's dumps as text. Give the profile, and such a folder with "
				 "--xla-dump; dump with --xla_dump_hlo_as_proto"
			   : NULL;
}

void jr_profile_root_hint(const struct jr_archive *archive, struct jr_buf *out)
{
	static const enum jr_input_kind inputs[] = {
		JR_INPUT_NSYS_JAX, JR_INPUT_NSYS_SQLITE, JR_N_INPUTS};
	for (size_t k = 0; k < JR_COUNT_OF(inputs); k++) {
		const char *first = NULL;
		size_t n = 0;
		for (size_t i = 0; i < jr_archive_count(archive); i++) {
			const char *name = jr_archive_at(archive, i)->name;
			if (!jr_input_named(name, inputs[k]))
				continue;
			first = first ? first : name;
			n++;
		}
		if (!n)
			continue;
		JR_CLEANUP(jr_buf_done) struct jr_buf clean = {0};
		jr_buf_printf(out, ", but it holds '%s'", jr_archive_clean_name(&clean, first));
		if (n > 1)
			jr_buf_printf(out, " and %zu more", n - 1);
		jr_buf_puts(out, jr_archive_is_directory(archive) ? ": name that"
														  : ": unpack it, and name that");
		return;
	}
}

/* "a, b and c": what goes between the i-th of n and the one ahead of it. */
static const char *joint(size_t i, size_t n)
{
	return i == 0 ? "" : i + 1 < n ? ", " : " and ";
}

static void put_sought(struct jr_buf *out)
{
	const char *sought[JR_N_INPUTS];
	size_t n = 0;
	for (size_t i = 0; i < JR_N_INPUTS; i++)
		if (jr_input_sorts[i].within)
			sought[n++] = jr_input_sorts[i].within;
	for (size_t i = 0; i < n; i++)
		jr_buf_printf(out, "%s%s", joint(i, n), sought[i]);
}

/* Inputs that no folder is searched for, and how they are called. */
static void put_others(struct jr_buf *out)
{
	for (size_t i = 0; i < JR_N_INPUTS; i++) {
		const struct jr_input_sort *sort = &jr_input_sorts[i];
		if (sort->within || !sort->suffixes[0] || !*sort->suffixes[0])
			continue;
		jr_buf_printf(out, "%s (%s), ", sort->noun, sort->suffixes[0]);
	}
	static const char *const reports[] = {JR_REPORT_SUFFIXES};
	jr_buf_printf(out, "a report of Nsight Systems (%s)", reports[0]);
}

void jr_profile_root_nothing(const struct jr_archive *archive, const char *part, struct jr_buf *out)
{
	if (part) {
		jr_buf_puts(out, "holds neither " JR_MEMBER_TRACE " nor a compile trace");
		return;
	}
	const char *folder = folder_hint(archive);
	if (folder) {
		jr_buf_puts(out, folder);
		return;
	}
	jr_buf_puts(out, "holds nothing to report on; looked for were ");
	put_sought(out);
	size_t before = out->size;
	jr_profile_root_hint(archive, out);
	if (out->size > before)
		return;
	jr_buf_puts(out, ". Name a folder or .zip that has one of these, or ");
	put_others(out);
}
