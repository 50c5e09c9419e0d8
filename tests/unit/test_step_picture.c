/* The step timeline as drawn: the painted part of a lane is the time in which something ran. */
#include "pass_case.h"

#include <unistd.h>

#include "lane_paint.h"
#include "model/inputs/load.h"
#include "report/figures/figure.h"

#define ARCHIVES "../shared/data/archives/"

static const struct jr_chart *step_view(const struct pass_run *run)
{
	const struct jr_section *section = run_section(run, "timeline");
	assert_true(section->n > 0 && section->items[0].kind == JR_RESULT_CHART);
	return section->items[0].as.chart;
}

static void draw(const struct jr_chart *chart, struct jr_scene *scene)
{
	struct jr_metrics *metrics = jr_metrics_new();
	jr_draw_chart(chart, 0, metrics, scene);
	jr_metrics_free(metrics);
}

/* --- against the time breakdown --------------------------------------------------------------- */

/* Steps of 10 ms without gaps between them, so that one step compares to its breakdown as all
 * steps do to theirs. A kernel of 1 to 8 µs every 10 µs (0.01 px wide, with gaps of that size)
 * up to 7 ms; then an all-reduce of 2 ms that compute overlaps for 0.5 ms; nothing for 1 ms. */
static void add_step(struct job_rows *rows, int64_t at, int device)
{
	int64_t tid = 100 + device, end = at + 10000000;
	int64_t m = rows_add(rows, 0, at, end, tid, MODULE("7", "jit_step"));
	for (int64_t k = 0; k < 700; k++) {
		int64_t begin = at + 10000 * k;
		rows_add(rows, m, begin, begin + 1000 * (1 + (k + 3 * device) % 8), tid,
			"Thunk:#hlo_op=fusion.%d#", (int)k);
	}
	rows_add(rows, m, at + 7000000, at + 9000000, tid, THUNK("all-reduce.1"));
	rows_add(rows, m, at + 7500000, at + 8000000, tid, THUNK("fusion.700"));
	rows_add(rows, m, end - 1, end, tid, THUNK("fusion.701"));
}

static UNIT_IN_ARENA(test_grey_is_the_ledgers)
{
	enum { N_DEVICES = 2, N_STEPS = 4 };
	struct job_rows rows = {.arena = *state};
	struct jr_options options = jr_options_default();
	struct pass_run run;
	struct jr_scene scene;
	options.warmup = JR_WARMUP_NONE;
	for (int d = 0; d < N_DEVICES; d++)
		for (int step = 0; step < N_STEPS; step++)
			add_step(&rows, 10000000 * (step + 1), d);
	struct job_process process = rows_process(&rows, N_DEVICES);
	process.counts_ops = true; /* none is cut off */
	passes_of(&run, &options, &process);
	check_results(&run.results);
	draw(step_view(&run), &scene);
	size_t named = 0, others = 0; /* names in the lanes, if they are wide enough */
	for (size_t i = 0; i < scene.items.n; i++)
		if (scene.items.items[i].kind == JR_ITEM_TEXT) {
			named += strcmp(scene.items.items[i].text.string, "all-reduce.1") == 0;
			others += strncmp(scene.items.items[i].text.string, "fusion.", 7) == 0;
		}
	assert_int_equal(named, N_DEVICES + 1); /* and on the critical path */
	assert_int_equal(others, 0);
	const struct jr_table *ledger = run_table(&run, "ledger");
	for (size_t d = 0; d < N_DEVICES; d++) {
		double wall = (double)table_cells(ledger, "wall_ms")->i64[d];
		double compute = (double)table_cells(ledger, "compute_ms")->i64[d] / wall;
		double exposed = (double)table_cells(ledger, "exposed_communication_ms")->i64[d] / wall;
		double idle = (double)table_cells(ledger, "idle_in_modules_ms")->i64[d] / wall;
		double panel_px, painted = painted_px(&scene, 2 * d, &panel_px);
		if (fabs(painted - compute * panel_px) > 0.5)
			fail_msg("device %zu: %g of %g px are compute, must be %g", d, painted, panel_px,
				compute * panel_px);
		if (fabs(panel_px - painted - (idle + exposed) * panel_px) > 0.5)
			fail_msg("device %zu: %g px are grey", d, panel_px - painted);
		painted = painted_px(&scene, 2 * d + 1, &panel_px); /* exposed and overlapped */
		assert_true(fabs(painted - (exposed + 0.05) * panel_px) < 0.5);
	}
	jr_scene_done(&scene);
	passes_done(&run);
	jr_vec_done(&rows);
}

/* --- real profiles ---------------------------------------------------------------------------- */

/* Return the union of a lane's rows, ns, and move *row past them. Rows of a lane are sorted by
 * start. */
static double lane_ns(const struct jr_table *t, size_t *row)
{
	const char *lane = table_cells(t, "lane")->text[*row];
	const int64_t *start = table_cells(t, "start_ms")->i64, *end = table_cells(t, "end_ms")->i64;
	int64_t sum = 0, covered = INT64_MIN;
	for (; *row < t->n_rows && table_cells(t, "lane")->text[*row] == lane; (*row)++) {
		int64_t from = start[*row] > covered ? start[*row] : covered;
		sum += end[*row] > from ? end[*row] - from : 0;
		covered = end[*row] > covered ? end[*row] : covered;
	}
	return (double)sum;
}

static void check_archive(const char *path)
{
	struct pass_run run = {.results = {0}};
	struct jr_options options = jr_options_default();
	struct jr_error err = {.message = ""};
	struct jr_scene scene;
	if (access(path, R_OK) != 0) {
		print_message("no %s\n", path);
		skip();
	}
	options.n_threads = 2;
	jr_profile_init(&run.job.profile, &options);
	if (jr_load(&path, 1, NULL, &run.job.profile, &err) != JR_OK)
		fail_msg("%s", err.message);
	jr_arena_init(&run.arena, 0);
	jr_passes_run(&run.job.profile, &run.arena, &run.results);
	const struct jr_chart *chart = step_view(&run);
	const struct jr_table *t = chart->table;
	draw(chart, &scene);
	size_t n_lanes = 0;
	for (size_t row = 0; row < t->n_rows; n_lanes++) {
		double module_ns = (double)(table_cells(t, "module_end_ms")->i64[row] -
									table_cells(t, "module_start_ms")->i64[row]);
		double ran_ns = lane_ns(t, &row);
		double panel_px, painted = painted_px(&scene, n_lanes, &panel_px);
		if (fabs(painted - ran_ns / module_ns * panel_px) > 0.5)
			fail_msg("lane %zu: %g of %g px are painted, must be %g", n_lanes, painted, panel_px,
				ran_ns / module_ns * panel_px);
	}
	assert_true(n_lanes >= 2);
	jr_scene_done(&scene);
	passes_done(&run);
}

static UNIT(maxtext_fsdp4)
{
	check_archive(ARCHIVES "maxtext_fsdp4.zip");
}

static UNIT(pax_combined_01)
{
	check_archive(ARCHIVES "pax_combined_01.zip");
}
