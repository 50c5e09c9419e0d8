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
	return jr_quoted_within(name, NAME_BYTES, arena);
}

const char *jr_quoted_within(const char *name, size_t most, struct jr_arena *arena)
{
	size_t n = strlen(name);
	if (n <= most)
		return jr_arena_printf(arena, "“%s”", name);
	size_t from, end;
	if (jr_text_name_part(name, most, &from, &end))
		return jr_arena_printf(arena, "“%s%.*s”", from ? "…" : "", (int)(end - from), name + from);
	size_t head = jr_text_prefix(name, n, most * 2 / 3), tail = n - most / 3;
	while (((unsigned char)name[tail] & 0xC0) == 0x80)
		tail++;
	return jr_arena_printf(arena, "“%.*s…%s”", (int)head, name, name + tail);
}

bool jr_devices_on_hosts(const struct jr_profile *profile)
{
	for (size_t d = 1; d < profile->n_devices; d++)
		if (jr_device_host(profile, d) != jr_device_host(profile, 0))
			return true;
	return false;
}

const char *jr_device_name(const struct jr_profile *profile, size_t device, struct jr_arena *arena)
{
	uint32_t host = jr_device_host(profile, device);
	bool several = host != JR_NONE && jr_devices_on_hosts(profile);
	const char *on = several ? " on " : "";
	return jr_arena_printf(arena, "%" PRIu32 "%s%s", profile->devices[device].global, on,
		several ? jr_quoted(jr_str(profile, host), arena) : "");
}
