/* Steps that programs number: nested, overlapping, with equal numbers, with and without
 * executions. */
#include "pass_case.h"

#include "model/xprofile/xprofile.h"

extern const struct jr_pass jr_pass_numbered_steps;

/* Comments name a step by its times. 30..60 is in 0..100, which overlaps 90..150. */
static const struct jr_xspace_step steps[] = {
	{.start_ns = 200, .end_ns = 260, .number = -3, .thread = 0}, /* nothing runs in it */
	{.start_ns = 30, .end_ns = 60, .number = 7, .thread = 0},
	{.start_ns = 0, .end_ns = 100, .number = 7, .thread = 0},
	{.start_ns = 90, .end_ns = 150, .number = INT64_MAX, .thread = 0},
};

static const struct jr_xexecution executions[] = {
	{.start_ns = 500, .end_ns = 600, .device = 1, .launch_ns = 10},
	{.start_ns = 510, .end_ns = 540, .device = 0, .launch_ns = 60}, /* the end of 30..60 */
	{.start_ns = 550, .end_ns = 560, .device = 0, .launch_ns = 30},
	{.start_ns = 570, .end_ns = 900, .device = 1, .launch_ns = 61},
	{.start_ns = 580, .end_ns = 590, .device = 0, .launch_ns = 62},
	{.start_ns = 700, .end_ns = 800, .device = 0, .launch_ns = 95},
	{.start_ns = 900, .end_ns = 999, .device = 0, .launch_ns = 199}, /* in no step */
	{.start_ns = 950, .end_ns = 999, .device = 0, .launch_ns = INT64_MAX},
};

struct sample {
	struct jr_profile profile;
	struct jr_process processes[2];
};

static void hand_over(struct sample *s, size_t n_executions)
{
	struct jr_xspace_step own_steps[JR_COUNT_OF(steps)];
	struct jr_xexecution own[JR_COUNT_OF(executions)];
	memcpy(own_steps, steps, sizeof(steps));
	memcpy(own, executions, sizeof(executions));
	struct jr_export_device devices[] = {{.row = 0}, {.row = 1}};
	struct jr_xprofile x = {.executions = own, .n_executions = n_executions};
	x.export.devices = devices;
	x.export.n_devices = JR_COUNT_OF(devices);
	x.file.steps = own_steps;
	x.file.n_steps = JR_COUNT_OF(steps);
	jr_intern_init(&x.export.rows.strings);
	uint32_t name = jr_intern_puts(&x.export.rows.strings, "train");
	for (size_t i = 0; i < JR_COUNT_OF(steps); i++)
		own_steps[i].name = name;
	s->profile.n_processes++;
	jr_xprofile_hand_over_steps(&x, &s->profile);
	jr_intern_done(&x.export.rows.strings);
}

static void begin(struct sample *s)
{
	*s = (struct sample){0};
	s->profile.processes = s->processes;
	jr_arena_init(&s->profile.arena, 0);
	jr_intern_init(&s->profile.strings);
}

static void end(struct sample *s)
{
	jr_intern_done(&s->profile.strings);
	jr_arena_done(&s->profile.arena);
}

static UNIT(executions_go_to_the_innermost)
{
	struct sample s;
	begin(&s);
	hand_over(&s, JR_COUNT_OF(executions));
	const struct jr_numbered_step *step = s.profile.numbered_steps;
	const struct jr_step_span *spans = s.profile.step_spans;
	assert_int_equal(s.profile.n_numbered_steps, 4);
	static const struct {
		int64_t start_ns;
		uint32_t n_spans, n_executions;
	} must[] = {{0, 2, 3}, {30, 1, 2}, {90, 1, 1}, {200, 0, 0}};
	for (size_t i = 0; i < JR_COUNT_OF(must); i++) {
		uint32_t n = 0;
		for (uint32_t k = 0; k < step[i].n_spans; k++)
			n += spans[step[i].first_span + k].n_executions;
		assert_int_equal(step[i].start_ns, must[i].start_ns);
		assert_int_equal(step[i].n_spans, must[i].n_spans);
		assert_int_equal(n, must[i].n_executions);
		assert_true(step[i].any_launch);
	}
	assert_int_equal(spans[step[0].first_span].start_ns, 580);
	assert_int_equal(spans[step[0].first_span].device, 0);
	assert_int_equal(spans[step[0].first_span + 1].device, 1);
	assert_int_equal(spans[step[0].first_span + 1].start_ns, 500);
	assert_int_equal(spans[step[0].first_span + 1].end_ns, 900);
	end(&s);
}

static const struct jr_table *table_of(struct sample *s, struct jr_arena *arena)
{
	struct jr_section section = {.pass = &jr_pass_numbered_steps};
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct jr_pass_context ctx = {.profile = &s->profile, .arena = arena, .scratch = &scratch};
	jr_pass_numbered_steps.run(&ctx, &section);
	jr_arena_done(&scratch);
	assert_int_equal(section.n, 1);
	return section.items[0].as.table;
}

static int64_t cell(const struct jr_table *table, const char *key, size_t row)
{
	return table->cells[jr_table_column(table, key)].i64[row];
}

static UNIT(rows_stand_by_number)
{
	struct sample s;
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	begin(&s);
	hand_over(&s, JR_COUNT_OF(executions));
	hand_over(&s, 0); /* a process whose launches are unknown */
	const struct jr_table *t = table_of(&s, &arena);
	assert_int_equal(t->n_rows, 8);
	static const int64_t numbers[] = {-3, -3, 7, 7, 7, 7, INT64_MAX, INT64_MAX};
	for (size_t i = 0; i < JR_COUNT_OF(numbers); i++)
		assert_int_equal(cell(t, "number", i), numbers[i]);
	assert_int_equal(cell(t, "executions", 0), 0);
	assert_int_equal(cell(t, "executions", 1), JR_NULL_I64);
	assert_int_equal(cell(t, "device_max_ms", 0), JR_NULL_I64);
	assert_int_equal(cell(t, "executions", 2), 3);
	assert_int_equal(cell(t, "device_max_ms", 2), 400);
	size_t median = jr_table_column(t, "device_ms");
	assert_true(t->cells[median].f64[2] == 205); /* of 10 and 400 */
	assert_int_equal(cell(t, "host_ms", 2), 100);
	assert_int_equal(cell(t, "host_start_ms", 0), 200);
	assert_int_equal(cell(t, "gap_ms", 0), JR_NULL_I64); /* the last */
	assert_int_equal(cell(t, "gap_ms", 2), JR_NULL_I64); /* the next one is inside it */
	assert_int_equal(cell(t, "gap_ms", 3), 30);
	assert_int_equal(cell(t, "gap_ms", 6), 50);
	end(&s);
}
