/* Steps that the program numbered itself; analysis/README.md, section 8.6. */

#include "analysis/shared/columns.h"
#include "analysis/core/keys.h"
#include "base/order.h"
#include "base/sort.h"

#define COLUMNS(X, T)                                                                              \
	X(T, name, "Step",                                                                             \
		"name passed to StepTraceAnnotation; for ranges that are named like steps, the "           \
		"text before the number",                                                                  \
		TEXT, NONE, JR_COL_KEY | JR_COL_CODE)                                                      \
	X(T, number, "Number", "step number in the program; several steps may share it", I64, NONE,    \
		JR_COL_KEY)                                                                                \
	X(T, profile, "Profile", "profile of the process", TEXT, NONE, JR_COL_KEY | JR_COL_CODE)       \
	X(T, host_start_ms, "Start on host", "time since the first such step of the process", I64, NS) \
	X(T, host_ms, "On host", "time from the start of the step to its end on the host", I64, NS,    \
		JR_COL_BAR | JR_COL_LIKE)                                                                  \
	X(T, gap_ms, "To next step",                                                                   \
		"host time to the next step of this name on the same thread; null: no next step, "         \
		"or the steps overlap",                                                                    \
		I64, NS, JR_COL_LIKE)                                                                      \
	X(T, device_ms, "On device",                                                                   \
		"first start to last end of the executions launched in the step (operations in "           \
		"Nsight Systems exports); median over devices",                                            \
		F64, NS, JR_COL_LIKE)                                                                      \
	X(T, device_max_ms, "Longest device", "the longest of these times over devices", I64, NS,      \
		JR_COL_LIKE)                                                                               \
	X(T, devices, "Devices", "devices with such an execution", I64, COUNT)                         \
	X(T, executions, "Executions",                                                                 \
		"module executions launched in the step on all devices (operations in Nsight "             \
		"Systems exports); null: no launch was recorded",                                          \
		I64, COUNT)
JR_TABLE(spec, COL, COLUMNS, "numbered_steps", "numbered_steps", "Numbered steps",
	"One row per step that the program numbered; by number, then start");

#define N_SHOWN 100 /* shown to people; data has all */

JR_ORDER_OF_VALUES(compare_ns, int64_t)

/* Steps of a process are adjacent and sorted by start. In reverse order, the previously visited
 * step is the next one in time. */
static void fill_gaps(const struct jr_profile *p, struct jr_table *table)
{
	struct jr_map next = {0};
	for (size_t i = p->n_numbered_steps; i-- > 0;) {
		const struct jr_numbered_step *s = &p->numbered_steps[i];
		if (i + 1 < p->n_numbered_steps && s[1].process != s->process)
			jr_map_done(&next);
		uint64_t key = jr_key2(s->thread, s->name);
		uint32_t row = jr_map_get(&next, key);
		if (row != JR_NONE && p->numbered_steps[row].start_ns >= s->end_ns)
			table->cells[COL_gap_ms].i64[i] = p->numbered_steps[row].start_ns - s->end_ns;
		jr_map_put(&next, key, (uint32_t)i);
	}
	jr_map_done(&next);
}

/* Fill in the device work within a step; `dur_ns`: room for its spans. */
static void fill_devices(const struct jr_profile *p, size_t i, union jr_cells *c, int64_t *dur_ns)
{
	const struct jr_numbered_step *s = &p->numbered_steps[i];
	int64_t n_executions = 0;
	for (uint32_t k = 0; k < s->n_spans; k++) {
		const struct jr_step_span *span = &p->step_spans[s->first_span + k];
		dur_ns[k] = span->end_ns - span->start_ns;
		n_executions += span->n_executions;
	}
	c[COL_executions].i64[i] = s->any_launch ? n_executions : JR_NULL_I64;
	c[COL_devices].i64[i] = s->any_launch ? (int64_t)s->n_spans : JR_NULL_I64;
	if (s->n_spans == 0)
		return;
	jr_sort(dur_ns, s->n_spans, sizeof(*dur_ns), compare_ns);
	int64_t below = dur_ns[(s->n_spans - 1) / 2], above = dur_ns[s->n_spans / 2];
	c[COL_device_ms].f64[i] = (double)below + (double)(above - below) / 2;
	c[COL_device_max_ms].i64[i] = dur_ns[s->n_spans - 1];
}

/* Rows with the same number keep the order of the profile: by process, then start. */
JR_ORDER_ROWS(compare_numbers, struct jr_numbered_step, JR_UP(number))

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	size_t n = p->n_numbered_steps;
	struct jr_table *table = jr_table_new(ctx->arena, &spec, n);
	uint32_t *order = JR_ARENA_N(ctx->scratch, uint32_t, n + 1);
	int64_t *dur_ns = JR_ARENA_N(ctx->scratch, int64_t, p->n_step_spans + 1);
	union jr_cells *c = table->cells;
	int64_t first_ns = 0;
	for (size_t i = 0; i < n; i++) {
		const struct jr_numbered_step *s = &p->numbered_steps[i];
		if (i == 0 || s->process != s[-1].process)
			first_ns = s->start_ns;
		c[COL_name].text[i] = jr_str(p, s->name);
		c[COL_number].i64[i] = s->number;
		c[COL_profile].text[i] = jr_str(p, p->processes[s->process].name);
		c[COL_host_start_ms].i64[i] = s->start_ns - first_ns;
		c[COL_host_ms].i64[i] = s->end_ns - s->start_ns;
		fill_devices(p, i, c, dur_ns);
		order[i] = (uint32_t)i;
	}
	fill_gaps(p, table);
	jr_sort_with(order, n, sizeof(*order), compare_numbers, p->numbered_steps);
	jr_table_permute(table, order, ctx->scratch);
	table->n_rendered = n < N_SHOWN ? n : N_SHOWN;
	jr_section_table(out, ctx->arena, table);
}

const struct jr_pass jr_pass_numbered_steps = {
	.name = "numbered_steps",
	.title = "Numbered steps",
	.summary = "Steps that the program numbered, on the host and on the devices",
	.needs = JR_NEEDS_STEPS,
	.any_program = true,
	.group = JR_GROUP_STEP,
	.run = run,
};
