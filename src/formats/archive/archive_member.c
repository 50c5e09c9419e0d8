/* Names of members and their list. */
#include "formats/archive/archive_private.h"

#include <string.h>

#include "base/text.h"
#include "formats/archive/archive.h"

/* A name can be 64 KiB long; a message shows its two ends. */
#define SHOWN_BYTES 240

const char *jr_archive_clean_name(struct jr_buf *scratch, const char *name)
{
	size_t n = strlen(name);
	scratch->size = 0;
	if (n <= SHOWN_BYTES) {
		jr_text_clean(scratch, name, n);
	} else {
		size_t tail = n - SHOWN_BYTES / 2;
		while (tail < n && ((unsigned char)name[tail] & 0xC0) == 0x80)
			tail++;
		jr_text_clean(scratch, name, jr_text_prefix(name, n, SHOWN_BYTES / 2));
		jr_buf_puts(scratch, "…");
		jr_text_clean(scratch, name + tail, n - tail);
	}
	return scratch->data;
}

/* Names are never used as output paths, but an escaping name is a sign of an attack. */
static bool is_bad_name(const char *name)
{
	if (*name == '\0' || *name == '/' || strchr(name, '\\'))
		return true;
	bool letter = (*name >= 'A' && *name <= 'Z') || (*name >= 'a' && *name <= 'z');
	if (letter && name[1] == ':')
		return true;
	for (const char *part = name; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || part[2] == '\0'))
			return true;
	}
	return false;
}

void jr_archive_add(
	struct jr_archive *archive, const char *name, const struct jr_archive_entry *entry)
{
	while (name[0] == '.' && name[1] == '/' && name[2] != '\0') /* tar-like writers add "./" */
		name += 2;
	if (is_bad_name(name)) {
		archive->n_rejected++;
		return;
	}
	size_t n = strlen(name);
	if (name[n - 1] == '/')
		return;
	struct jr_archive_entry *added = jr_vec_add(&archive->entries);
	*added = *entry;
	added->member.name = jr_arena_strndup(&archive->arena, name, n);
}
