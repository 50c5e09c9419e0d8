#include "model/kinds/timelines.h"

#include <inttypes.h>

#include "model/export/export.h"
#include "model/sources/oddities.h"

void jr_timelines_read_trace(struct jr_source *s)
{
	jr_export_metadata(s->export, &s->metadata);
	jr_timelines_take_trace(s);
}

void jr_timelines_take_trace(struct jr_source *s)
{
	const struct jr_timeline *rows = &s->export->rows;
	uint32_t process = s->export->parts[s->part];
	s->pid = process == JR_NONE ? -1 : rows->processes[process].pid;
	s->start_unix_ns = rows->session_start_ns;
	s->has_trace =
		jr_export_trace(s->export, s->part, s->limits, &s->trace, &s->trace_error) == JR_OK;
}

void jr_timelines_read_host(struct jr_source *s)
{
	s->has_host =
		jr_export_host_ranges(s->export, s->part, s->limits, &s->host, &s->host_error) == JR_OK;
	if (s->host_error.status == JR_ENOTFOUND) /* most programs are profiled after compilation */
		s->host_error = (struct jr_error){0};
}

bool jr_timelines_knows_devices(const struct jr_source *s)
{
	return s->export->rows.n_gpus > 0;
}

/* Identify the file with all of its processes: no two recordings have the same threads and texts,
 * as many events of each kind and the same times. Its checksum may not be known yet. The starts of
 * GPU operations tell ranks apart that were made to begin and end together. */
uint64_t jr_timelines_identity(const struct jr_source *s, const struct jr_input *input)
{
	(void)input;
	const struct jr_export *x = s->export;
	if (s->part)
		return 0;
	const uint64_t facts[] = {(uint64_t)x->first_ns, (uint64_t)x->last_ns,
		(uint64_t)x->rows.session_start_ns, x->rows.gpu.n, x->rows.nvtx.n, x->rows.calls.n};
	uint64_t hash = jr_hash(facts, sizeof(facts), 0);
	if (x->rows.gpu.n)
		hash = jr_hash(x->rows.gpu.start_ns, x->rows.gpu.n * sizeof(*x->rows.gpu.start_ns), hash);
	for (size_t i = 0; i < x->rows.n_threads; i++)
		hash = jr_hash(&x->rows.threads[i].id, sizeof(x->rows.threads[i].id), hash);
	for (uint32_t i = 0; i < x->rows.strings.n; i++)
		hash =
			jr_hash(jr_intern_str(&x->rows.strings, i), jr_intern_len(&x->rows.strings, i), hash);
	return hash;
}

void jr_timelines_add_devices(struct jr_source *s, struct jr_build *build, uint32_t process)
{
	if (s->part == 0)
		jr_export_add_devices(s->export, build, process);
	jr_devices_describe(build, process, &s->metadata);
}

void jr_timelines_thread_devices(
	struct jr_source *s, struct jr_build *build, uint32_t process, struct jr_thread_devices *out)
{
	(void)build;
	(void)process;
	jr_export_thread_devices(s->export, s->part, out);
	if (s->part + 1 == s->export->n_parts)
		jr_export_forget_order(s->export);
}

/* Move the rows with the last process, because they belong to all processes. */
void jr_timelines_hand_over(struct jr_source *s, struct jr_build *build)
{
	if (s->part + 1 != s->export->n_parts)
		return;
	jr_leave_unread(build->profile, &s->export->rows, JR_UNREAD_ROWS);
	jr_export_hand_over(s->export, build, s->input);
}

const char *jr_timelines_name(const struct jr_opening *o, size_t part)
{
	const struct jr_export *export = o->export;
	return export->n_parts == 1 ? o->stem
								: jr_arena_printf(o->arena, "%s:%" PRId64, o->stem,
									  export->rows.processes[export->parts[part]].pid);
}

/* Add one source per OS process with reportable rows. */
void jr_timelines_add(struct jr_opening *o, const struct jr_source_type *type)
{
	for (size_t part = 0; part < o->export->n_parts; part++) {
		struct jr_source *s = jr_opening_source(o);
		jr_source_begin(s, type, o->row, jr_timelines_name(o, part), o->limits);
		s->export = o->export;
		s->part = part;
	}
}

enum jr_status jr_timelines_tell_host(enum jr_status status, struct jr_export *export,
	const char *path, const struct jr_host_listener *to, struct jr_error *err)
{
	struct jr_host_ranges ranges;
	if (status == JR_OK) {
		status = jr_export_host_ranges(export, SIZE_MAX, to->limits, &ranges, err);
		jr_export_done(export);
	}
	if (status != JR_OK)
		return jr_context(err, status, "'%s'", path);
	jr_host_tell(to, NULL, &ranges);
	return JR_OK;
}
