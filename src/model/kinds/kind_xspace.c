/* An XSpace file (.xplane.pb) of jax.profiler. */
#include <string.h>

#include "formats/archive/foreign.h"
#include "model/kinds/xspaces.h"

static int probe(const struct jr_input_head *head)
{
	return jr_xspace_begins(head->bytes, head->size_bytes) ? 40 : 0;
}

static enum jr_status read(struct jr_source *s, struct jr_bytes bytes)
{
	struct jr_source_xspace *x = s->own;
	enum jr_status status = jr_xprofile_read(
		bytes, s->archive ? NULL : &x->map, s->limits, x->n_threads, &x->profile, &s->trace_error);
	const char *hint = status == JR_EFORMAT ? jr_foreign_hint(bytes) : NULL;
	if (!hint)
		return status;
	hint += strncmp(hint, "is ", 3) == 0 ? 3 : 0; /* follows the name and a colon */
	return jr_fail(&s->trace_error, status, "%s", hint);
}

static const struct jr_xspaces_variant variant = {
	.type = {JR_XSPACES_METHODS, .find_beside = jr_xspaces_find_beside,
		.tells = JR_TELLS_GPU_OPS | JR_TELLS_RANGES | JR_TELLS_PROFILER | JR_TELLS_ALLOCATORS |
				 JR_TELLS_STEPS,
		.no_dumps =
			"the file does not contain the HLO of the programs that ran: it was recorded with "
			"enable_hlo_proto=False, or by a version that does not write it. Use --xla-dump with "
			"the folder from --xla_dump_to"},
	.read = read,
};

static enum jr_status open(struct jr_opening *opening, struct jr_error *err)
{
	(void)err; /* opened when it is read */
	jr_xspaces_open(opening, &variant);
	return JR_OK;
}

static void open_member(struct jr_opening *opening, size_t member)
{
	jr_xspaces_open_member(opening, &variant, member);
}

const struct jr_input_ops jr_input_xspace = {
	.label = "xspace",
	.noun = "an XSpace file",
	.help = "an XSpace file (.xplane.pb) of jax.profiler",
	.suffixes = {".xplane.pb"},
	.within = "HOST.xplane.pb (of jax.profiler)",
	.by_name = true,
	.has_company = true,
	.probe = probe,
	.open = open,
	.open_member = open_member,
	.read_host = jr_xspaces_read_host,
};
