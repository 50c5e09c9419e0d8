/* Shared code of all types of sources: initialization, counting of bytes, look-up of folders. */
#include "model/sources/source.h"

#include <string.h>

void jr_source_begin(struct jr_source *s, const struct jr_source_type *type, uint32_t input,
	const char *name, const struct jr_limits *limits)
{
	*s = (struct jr_source){.type = type,
		.tells = type->tells,
		.input = input,
		.name = name,
		.limits = limits,
		.pid = -1,
		.host_member = SIZE_MAX};
	jr_arena_init(&s->arena, limits->memory_bytes);
	jr_metadata_init(&s->metadata);
}

bool jr_dump_found(const struct jr_dump *dump)
{
	return dump->member != SIZE_MAX || dump->proto.size > 0 || dump->in_texts;
}

void jr_source_count_bytes(struct jr_source *s, size_t n)
{
	__atomic_fetch_add(&s->bytes_read, n, __ATOMIC_RELAXED);
}

size_t jr_source_folder_size(const char *name)
{
	const char *slash = strrchr(name, '/');
	return slash ? (size_t)(slash + 1 - name) : 0;
}
