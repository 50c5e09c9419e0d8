#include "model/inputs/load.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "formats/archive/foreign.h"
#include "model/inputs/input.h"
#include "model/kinds/kinds.h"
#include "model/sources/source.h"

/* Explain a folder without a profile: an nsys export as Arrow tables, or dumps of XLA that
 * are text, or of modules before optimization. NULL: none of these. */
static const char *folder_hint(const struct jr_archive *archive)
{
	bool tables = false, texts = false, protos = false, before = false, others = false;
	for (size_t i = 0; i < jr_archive_count(archive); i++) {
		const char *name = jr_archive_at(archive, i)->name, *slash = strrchr(name, '/');
		const char *base = slash ? slash + 1 : name;
		tables |=
			jr_text_ends(base, ".arrow") &&
			(strncmp(base, "StringIds.", 10) == 0 || strncmp(base, "CUPTI_", 6) == 0 ||
				strncmp(base, "NVTX_EVENTS.", 12) == 0 || strncmp(base, "TARGET_INFO_", 12) == 0 ||
				strncmp(base, "META_DATA_", 10) == 0);
		texts |= strncmp(base, "module_", 7) == 0 && jr_text_ends(base, ".txt");
		protos |= jr_text_ends(base, ".pb");
		before |= strstr(base, "before_optimizations.hlo.pb") != NULL;
		others |= strncmp(base, "module_", 7) != 0 || strstr(base, "after_optimizations.hlo.pb");
	}
	return tables ? "is an Nsight Systems export as Arrow tables, which are not supported. "
					"Export as SQLite: " JR_NSYS_EXPORT
		   : texts && !protos
			   ? "contains only XLA dumps as text. Use the profile as input, and --xla-dump for a "
				 "folder of dumps made with --xla_dump_hlo_as_proto"
		   : before && !others
			   ? "contains only XLA modules before optimization. Dump until the compilation is "
				 "complete, so that module_*.after_optimizations.hlo.pb exist"
			   : NULL;
}

/* Append a hint about members of a kind (NULL: Nsight Systems reports). False: there are none. */
static bool hint_of(
	const struct jr_archive *archive, const struct jr_input_ops *kind, struct jr_buf *out)
{
	const char *first = NULL;
	size_t n = 0;
	for (size_t i = 0; i < jr_archive_count(archive); i++) {
		const char *name = jr_archive_at(archive, i)->name;
		if (kind ? !jr_input_named(name, kind) : !jr_input_is_report(name))
			continue;
		first = first ? first : name;
		n++;
	}
	if (!n)
		return false;
	JR_CLEANUP(jr_buf_done) struct jr_buf clean = {0};
	jr_buf_printf(out, ", but it contains '%s'", jr_archive_clean_name(&clean, first));
	if (n > 1)
		jr_buf_printf(out, " and %zu more", n - 1);
	jr_buf_puts(out, jr_archive_is_directory(archive) ? ": use that file as input"
													  : ": unpack it, and use that file as input");
	return true;
}

void jr_hint_within(const struct jr_archive *archive, struct jr_buf *out)
{
	for (const struct jr_input_ops *const *kind = jr_input_kinds; *kind; kind++)
		if ((*kind)->unpack_first && hint_of(archive, *kind, out))
			return;
	(void)hint_of(archive, NULL, out);
}

/* "a, b and c": return the separator before the i-th of n items. */
static const char *joint(size_t i, size_t n)
{
	return i == 0 ? "" : i + 1 < n ? ", " : " and ";
}

static void put_sought(struct jr_buf *out)
{
	size_t n = 0, i = 0;
	for (const struct jr_input_ops *const *kind = jr_input_kinds; *kind; kind++)
		n += (*kind)->within != NULL;
	for (const struct jr_input_ops *const *kind = jr_input_kinds; *kind; kind++)
		if ((*kind)->within)
			jr_buf_printf(out, "%s%s", joint(i++, n), (*kind)->within);
}

/* List kinds of inputs that folders are not searched for, with their suffixes. */
static void put_others(struct jr_buf *out)
{
	for (const struct jr_input_ops *const *kind = jr_input_kinds; *kind; kind++)
		if (!(*kind)->within && (*kind)->suffixes[0])
			jr_buf_printf(out, "%s (%s), ", (*kind)->noun, (*kind)->suffixes[0]);
	static const char *const reports[] = {JR_REPORT_SUFFIXES};
	jr_buf_printf(out, "an Nsight Systems report (%s)", reports[0]);
}

void jr_nothing_within(const struct jr_archive *archive, const char *part, struct jr_buf *out)
{
	if (part) {
		jr_buf_puts(out, "contains neither " JR_MEMBER_TRACE " nor a compile trace");
		return;
	}
	const char *folder = folder_hint(archive);
	if (folder) {
		jr_buf_puts(out, folder);
		return;
	}
	jr_buf_puts(out, "contains no profile. Supported files: ");
	put_sought(out);
	size_t before = out->size;
	jr_hint_within(archive, out);
	if (out->size > before)
		return;
	jr_buf_puts(out, ". Use a folder or .zip file that contains one of these, or ");
	put_others(out);
}
