#include "model/xprofile/xprofile.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "model/build/faults.h"

/* Fail because the file has nothing to report. The message quotes the file's own errors. */
static enum jr_status nothing_in(
	const struct jr_timeline *rows, size_t n_planes, struct jr_error *err)
{
	for (size_t i = 0; i < rows->n_messages; i++)
		if (rows->messages[i].severity == JR_TIMELINE_ERROR)
			return jr_fail(err, JR_ENOTFOUND, "contains no event. The profiler reported: %s",
				jr_intern_str(&rows->strings, rows->messages[i].text));
	if (rows->n_bad_rows)
		return jr_fail(err, JR_ENOTFOUND,
			"contains no event with a time (%" PRIu64 " without), so it is damaged",
			rows->n_bad_rows);
	if (rows->is_cut)
		return jr_fail(err, JR_ENOTFOUND,
			"is cut short or damaged, and contains no event before that point. Copy it again");
	return jr_fail(err, JR_ENOTFOUND,
		"contains no event (%zu plane%s). Check that the program runs work between start_trace "
		"and stop_trace",
		n_planes, n_planes == 1 ? "" : "s");
}

static enum jr_status place(
	struct jr_xprofile *p, const struct jr_limits *limits, struct jr_error *err)
{
	if (p->file.n_modules + p->file.n_ops)
		return jr_xprofile_place_runs(p, err);
	JR_TRY(jr_xprofile_name_nodes(p, limits, err));
	return jr_xprofile_place(p, err);
}

/* Number graphs of kernels as in exports, so that their replays can be compared. */
static enum jr_status number_graphs(struct jr_xspace *file, struct jr_error *err)
{
	struct jr_timeline_gpu *gpu = &file->rows.gpu;
	size_t first = 0;
	while (first < gpu->n && !file->graph_node[first])
		first++;
	if (first == gpu->n)
		return JR_OK;
	JR_TRY_ARRAY(gpu->graph, &file->rows.columns[0], gpu->n, err);
	for (size_t i = first; i < gpu->n; i++)
		if (file->graph_node[i] && gpu->kind[i] == JR_TIMELINE_KERNEL)
			gpu->graph[i] = file->graph[i] + 1;
	return JR_OK;
}

enum jr_status jr_xprofile_of_file(struct jr_xspace *file, const struct jr_limits *limits,
	size_t n_threads, struct jr_xprofile *out, struct jr_error *err)
{
	struct jr_xprofile p = {.file = *file};
	*file = (struct jr_xspace){0};
	const struct jr_timeline *rows = &p.file.rows;
	if (rows->gpu.n + rows->calls.n + rows->nvtx.n + p.file.n_modules + p.file.n_ops == 0) {
		enum jr_status status = nothing_in(rows, p.file.n_planes, err);
		jr_xspace_done(&p.file);
		return status;
	}
	jr_arena_init(&p.arena, limits->memory_bytes);
	uint32_t *const columns[] = {p.file.label, p.file.scope, p.file.graph, p.file.graph_node};
	jr_faults_leave_out(&p.file.rows, &(struct jr_beside){JR_COUNT_OF(columns), columns});
	jr_faults_leave_out_runs(&p.file.rows, p.file.modules, &p.file.n_modules);
	jr_faults_leave_out_runs(&p.file.rows, p.file.ops, &p.file.n_ops);
	enum jr_status status = number_graphs(&p.file, err);
	if (status == JR_OK)
		status = jr_export_of_rows(&p.file.rows, limits, n_threads, &p.export, err);
	if (status == JR_OK)
		status = place(&p, limits, err);
	if (status == JR_OK)
		*out = p;
	else
		jr_xprofile_done(&p);
	return status;
}

enum jr_status jr_xprofile_read(struct jr_bytes bytes, const struct jr_file_map *map,
	const struct jr_limits *limits, size_t n_threads, struct jr_xprofile *out, struct jr_error *err)
{
	struct jr_xspace file;
	JR_TRY(jr_xspace_read(bytes, limits, &file, err));
	if (map)
		jr_file_map_forget(map); /* events are not read again */
	return jr_xprofile_of_file(&file, limits, n_threads, out, err);
}

void jr_xprofile_forget(struct jr_xprofile *p)
{
	jr_arena_done(&p->file.placing);
	p->file.label = p->file.scope = p->file.graph = p->file.graph_node = NULL;
	jr_arena_done(&p->arena);
	p->thunks = (struct jr_xthunks){0};
	p->n_thunks = 0;
}

void jr_xprofile_done(struct jr_xprofile *p)
{
	if (!p)
		return;
	jr_xspace_done(&p->file);
	jr_export_done(&p->export);
	jr_arena_done(&p->arena);
	*p = (struct jr_xprofile){0};
}
