#include "analysis/core/device_name.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

#define NAME_BYTES 72

uint32_t jr_device_host(const struct jr_profile *profile, size_t device)
{
	uint32_t process = profile->devices[device].process;
	uint32_t host = process < profile->n_processes ? profile->processes[process].hostname : JR_NONE;
	return host == JR_NONE || !*jr_str(profile, host) ? JR_NONE : host;
}

const char *jr_quoted(const char *name, struct jr_arena *arena)
{
	size_t n = strlen(name);
	if (n <= NAME_BYTES)
		return jr_arena_printf(arena, "“%s”", name);
	size_t from, end;
	if (jr_text_name_part(name, NAME_BYTES, &from, &end))
		return jr_arena_printf(arena, "“%s%.*s”", from ? "…" : "", (int)(end - from), name + from);
	size_t head = jr_text_prefix(name, n, NAME_BYTES * 2 / 3), tail = n - NAME_BYTES / 3;
	while (((unsigned char)name[tail] & 0xC0) == 0x80)
		tail++;
	return jr_arena_printf(arena, "“%.*s…%s”", (int)head, name, name + tail);
}

const char *jr_device_name(const struct jr_profile *profile, size_t device, struct jr_arena *arena)
{
	uint32_t host = jr_device_host(profile, device);
	bool several = false;
	for (size_t d = 0; d < profile->n_devices && host != JR_NONE; d++)
		several |= jr_device_host(profile, d) != host;
	const char *on = several ? " on " : "";
	return jr_arena_printf(arena, "%" PRIu32 "%s%s", profile->devices[device].global, on,
		several ? jr_quoted(jr_str(profile, host), arena) : "");
}
