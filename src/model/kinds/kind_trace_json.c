/* The Chrome trace that jax.profiler makes from an XSpace file; used if the XSpace is missing. */
#include "model/kinds/xspaces.h"

static int probe(const struct jr_input_head *head)
{
	return jr_xspace_json_begins(head->bytes, head->limits) ? 48 : 0;
}

/* A Chrome trace is converted to the XSpace it was made from. No program refers to its bytes. */
static enum jr_status read(struct jr_source *s, struct jr_bytes bytes, struct jr_xspace *file)
{
	struct jr_source_xspace *x = s->own;
	JR_TRY(jr_xspace_json_read(bytes, s->limits, &x->json, &s->trace_error));
	enum jr_status status =
		jr_xspace_read(jr_buf_view(&x->json.xspace), s->limits, file, &s->trace_error);
	jr_xspace_json_done(&x->json);
	return status;
}

/* Report the data of an XSpace that the file lacks. */
static void tell(const struct jr_source_xspace *x, struct jr_profile *p)
{
	jr_profile_guess(p, "trace-for-chrome", 1,
		"inputs are Chrome traces, because the .xplane.pb that jax.profiler writes next to them "
		"is missing. Chrome traces do not contain HLO (sources, memory plans, work of "
		"instructions), device models, allocations or versions. They also lack program IDs "
		"(programs with the same name count as one), the length of the recording, and warnings of "
		"the profiler, such as dropped events");
	if (!x->json.has_details && x->profile.export.rows.gpu.n)
		jr_profile_guess(p, "no-launch-details", 1,
			"inputs do not contain the launch configuration of kernels (grid, block, registers, "
			"shared memory)");
	jr_profile_guess(p, "repeated-events", x->json.n_repeated,
		"events are in the Chrome trace twice, with the same thread, time, name and arguments. "
		"Each counts once");
	if (x->json.capped)
		jr_profile_guess(p, "capped-trace", x->json.n_events,
			"the Chrome trace contains the maximum number of events. Later events were not "
			"written, so all totals are lower bounds");
}

#define PROPERTIES                                                                                 \
	.no_numbers = true,                                                                            \
	.tells = JR_TELLS_GPU_OPS | JR_TELLS_RANGES | JR_TELLS_PROFILER | JR_TELLS_STEPS,              \
	.no_dumps =                                                                                    \
		"a Chrome trace contains no HLO. Use --xla-dump with the folder from --xla_dump_to; "      \
		"this works for programs with unique names"

static const struct jr_xspaces_variant variant = {
	.type = {JR_XSPACES_METHODS, PROPERTIES},
	.digested = {JR_XSPACES_DIGESTED, PROPERTIES},
	.read = read,
	.tell = tell,
};

const struct jr_input_ops jr_input_trace_json = {
	.label = "trace-json",
	.noun = "a Chrome trace",
	.help = "a Chrome trace (.trace.json.gz) of jax.profiler, if that file is missing",
	.suffixes = {".trace.json.gz", ".trace.json"},
	.within = "HOST.trace.json.gz (which it writes next to that)",
	.by_name = true,
	.has_company = true,
	.own = &variant,
	.digested = &jr_digested_xspace,
	.probe = probe,
	.open = jr_xspaces_open,
	.open_member = jr_xspaces_open_member,
	.read_host = jr_xspaces_read_host,
};
