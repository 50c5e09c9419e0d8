/* An XSpace file (.xplane.pb) of jax.profiler. */
#include <string.h>

#include "formats/archive/foreign.h"
#include "model/kinds/xspaces.h"

static int probe(const struct jr_input_head *head)
{
	return jr_xspace_begins(head->bytes, head->size_bytes) ? 40 : 0;
}

static enum jr_status read(struct jr_source *s, struct jr_bytes bytes, struct jr_xspace *file)
{
	enum jr_status status = jr_xspace_read(bytes, s->limits, file, &s->trace_error);
	if (status == JR_OK && !s->archive) /* events are not read again */
		jr_file_map_forget(&((struct jr_source_xspace *)s->own)->map);
	const char *hint = status == JR_EFORMAT ? jr_foreign_hint(bytes) : NULL;
	if (!hint)
		return status;
	hint += strncmp(hint, "is ", 3) == 0 ? 3 : 0; /* follows the name and a colon */
	return jr_fail(&s->trace_error, status, "%s", hint);
}

#define PROPERTIES                                                                                 \
	.tells = JR_TELLS_GPU_OPS | JR_TELLS_RANGES | JR_TELLS_PROFILER | JR_TELLS_ALLOCATORS |        \
			 JR_TELLS_STEPS,                                                                       \
	.no_dumps =                                                                                    \
		"the file does not contain the HLO of the programs that ran: it was recorded with "        \
		"enable_hlo_proto=False, or by a version that does not write it. Use --xla-dump with "     \
		"the folder from --xla_dump_to"

static const struct jr_xspaces_variant variant = {
	.type = {JR_XSPACES_METHODS, PROPERTIES, .find_beside = jr_xspaces_find_beside},
	.digested = {JR_XSPACES_DIGESTED, PROPERTIES},
	.read = read,
};

const struct jr_input_ops jr_input_xspace = {
	.label = "xspace",
	.noun = "an XSpace file",
	.help = "an XSpace file (.xplane.pb) of jax.profiler",
	.suffixes = {".xplane.pb"},
	.within = "HOST.xplane.pb (of jax.profiler)",
	.by_name = true,
	.has_company = true,
	.own = &variant,
	.digested = &jr_digested_xspace,
	.probe = probe,
	.open = jr_xspaces_open,
	.open_member = jr_xspaces_open_member,
	.read_host = jr_xspaces_read_host,
};
