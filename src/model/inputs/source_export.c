/* A process of an Nsight export: what export.c made of its rows. */
#include "model/export/export.h"
#include "model/inputs/oddities.h"
#include "model/inputs/source.h"

static void read_export_trace(struct jr_source *s)
{
	const struct jr_timeline *rows = &s->export->rows;
	uint32_t process = s->export->parts[s->part];
	jr_export_metadata(s->export, &s->metadata);
	s->pid = process == JR_NONE ? -1 : rows->processes[process].pid;
	s->start_unix_ns = rows->session_start_ns;
	s->has_trace =
		jr_export_trace(s->export, s->part, s->limits, &s->trace, &s->trace_error) == JR_OK;
}

static void read_export_host(struct jr_source *s)
{
	s->has_host =
		jr_export_host_ranges(s->export, s->part, s->limits, &s->host, &s->host_error) == JR_OK;
	if (s->host_error.status == JR_ENOTFOUND) /* most programs are profiled after compilation */
		s->host_error = (struct jr_error){0};
}

static bool knows_devices(const struct jr_source *s)
{
	return s->export->rows.n_gpus > 0;
}

/* Of all of its processes. */
static uint64_t identity(const struct jr_source *s, const struct jr_input *input)
{
	return s->part ? 0 : jr_hash(input->sha256, sizeof(input->sha256), 0);
}

static void add_devices(struct jr_source *s, struct jr_build *build, uint32_t process)
{
	if (s->part == 0)
		jr_export_add_devices(s->export, build, process);
	jr_devices_describe(build, process, &s->metadata);
}

static void thread_devices(
	struct jr_source *s, struct jr_build *build, uint32_t process, struct jr_thread_devices *out)
{
	(void)build;
	(void)process;
	jr_export_thread_devices(s->export, s->part, out);
}

/* With its last process: the rows are of all of them. */
static void hand_over(struct jr_source *s, struct jr_build *build)
{
	if (s->part + 1 != s->export->n_parts)
		return;
	jr_leave_unread(build->profile, &s->export->rows, JR_UNREAD_ROWS);
	jr_export_hand_over(s->export, build, s->input);
}

void jr_source_init_export(struct jr_source *s, uint32_t input, const char *name,
	struct jr_export *export, size_t part, const struct jr_limits *limits)
{
	static const struct jr_source_type type = {.read_trace = read_export_trace,
		.knows_devices = knows_devices,
		.read_host = read_export_host,
		.identity = identity,
		.add_devices = add_devices,
		.thread_devices = thread_devices,
		.hand_over = hand_over,
		.tells = JR_TELLS_GPU_OPS | JR_TELLS_RANGES | JR_TELLS_PROFILER,
		.whole = true,
		.nothing = "holds no trace",
		.no_dumps =
			"no HLO comes with an export: name the folder of --xla_dump_to with --xla-dump"};
	jr_source_begin(s, &type, input, name, limits);
	s->export = export;
	s->part = part;
}
