/*
 * truth_steps.c - steps that the program numbered: on the host, and the device time in them.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "truth_frames.h"
#include "writers.h"

struct step {
	int64_t start_ns, end_ns; /* on the host */
	int64_t *dur_ns;          /* [n] on devices */
	uint32_t n;
};

JR_ORDER_OF_VALUES(compare, int64_t)

/* One execution of a module per device, which is a step's work. */
static void take(struct step *step, const struct gen_range *r)
{
	int64_t start_ns = r->host_start_ns - GEN_STEP_MARGIN_NS;
	int64_t end_ns = r->host_start_ns + r->host_dur_ns + GEN_STEP_MARGIN_NS;
	step->start_ns = step->n == 0 || start_ns < step->start_ns ? start_ns : step->start_ns;
	step->end_ns = step->n == 0 || end_ns > step->end_ns ? end_ns : step->end_ns;
	step->dur_ns[step->n++] = r->gpu_dur_ns;
}

static void write_step(
	struct gen_truth *t, uint32_t process, uint32_t execution, const struct step *step, int64_t gap)
{
	struct gen_json *j = &t->json;
	uint32_t n = step->n;
	qsort(step->dur_ns, n, sizeof(*step->dur_ns), compare);
	gen_json_open(j, NULL, '{');
	gen_json_text(j, "profile", gen_truth_profile(t, process));
	gen_json_i64(j, "number", GEN_FIRST_STEP + (int64_t)execution);
	gen_json_text(j, "name", "train");
	gen_json_ms(j, "host_ms", step->end_ns - step->start_ns);
	if (gap >= 0)
		gen_json_ms(j, "gap_ms", gap);
	else
		gen_json_null(j, "gap_ms");
	gen_json_f64(j, "device_ms", 5e-7 * (double)(step->dur_ns[(n - 1) / 2] + step->dur_ns[n / 2]));
	gen_json_ms(j, "device_max_ms", step->dur_ns[n - 1]);
	gen_json_i64(j, "devices", n);
	gen_json_i64(j, "executions", n);
	gen_json_close(j, '}');
}

static void write_process(struct gen_truth *t, uint32_t process, uint32_t program)
{
	struct gen_scenario *sc = t->sc;
	uint32_t n = (uint32_t)sc->programs.items[program]->n_executions;
	struct step *steps = JR_ARENA_N(&sc->arena, struct step, n + 1);
	for (uint32_t i = 0; i < n; i++)
		steps[i].dur_ns = JR_ARENA_N(&sc->arena, int64_t, sc->devices.n + 1);
	for (size_t i = 0; i < sc->ranges.n; i++) {
		const struct gen_range *r = &sc->ranges.items[i];
		if (r->kind == GEN_RANGE_MODULE && r->program == program && r->process == process)
			take(&steps[r->execution], r);
	}
	for (uint32_t i = 0; i < n; i++)
		if (steps[i].n)
			write_step(t, process, i, &steps[i],
				i + 1 < n && steps[i + 1].n ? steps[i + 1].start_ns - steps[i].end_ns : -1);
}

void gen_truth_steps(struct gen_truth *t)
{
	gen_json_open(&t->json, "numbered_steps", '[');
	for (uint32_t process = 0; process < t->sc->processes.n; process++)
		write_process(t, process, gen_step_program(t->sc));
	gen_json_close(&t->json, ']');
}
