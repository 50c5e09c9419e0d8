/*
 * truth_tables.c - totals, counts, modules, thunks, opcodes, variability, devices.
 */
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "truth_frames.h"

static void program_id(struct gen_truth *t, uint32_t program)
{
	char text[JR_NUM_MAX];
	jr_num_i64(text, t->sc->programs.items[program]->number);
	gen_json_text(&t->json, "program_id", text);
}

static void count(struct gen_json *j, const char *key, uint64_t init, uint64_t steady)
{
	gen_json_open(j, key, '{');
	gen_json_i64(j, "init", (int64_t)init);
	gen_json_i64(j, "steady", (int64_t)steady);
	gen_json_close(j, '}');
}

static void counts(struct gen_truth *t)
{
	uint64_t thunk[2] = {0}, module[2] = {0}, communication[2] = {0};
	for (size_t i = 0; i < t->thunks.n; i++) {
		const struct gen_truth_thunk *x = &t->thunks.items[i];
		thunk[x->steady]++;
		communication[x->steady] += gen_truth_op(t, x)->communication;
	}
	for (size_t i = 0; i < t->modules.n; i++)
		module[t->modules.items[i].steady]++;
	gen_json_open(&t->json, "counts", '{');
	count(&t->json, "thunk", thunk[0], thunk[1]);
	count(&t->json, "module", module[0], module[1]);
	count(&t->json, "communication", communication[0], communication[1]);
	gen_json_close(&t->json, '}');
}

/* Mean over a program's executions of latest less earliest start; NaN: all ran on one device. */
static double start_skew(const struct gen_truth *t, uint32_t program, const double *clocks)
{
	struct jr_stats skew = {0};
	for (uint32_t e = 0; e < t->sc->programs.items[program]->n_executions; e++) {
		double first = INFINITY, last = -INFINITY;
		uint32_t n = 0;
		for (size_t i = 0; i < t->modules.n; i++) {
			const struct gen_truth_module *x = &t->modules.items[i];
			if (x->program != program || x->execution != e || !x->steady)
				continue;
			first = fmin(first, (double)x->start_ns + clocks[x->device]);
			last = fmax(last, (double)x->start_ns + clocks[x->device]);
			n++;
		}
		if (n > 1)
			jr_stats_add(&skew, last - first);
	}
	return jr_stats_mean(&skew);
}

static void modules(struct gen_truth *t)
{
	const double *clocks = gen_truth_clocks_left(t);
	struct gen_json *j = &t->json;
	gen_json_open(j, "modules", '[');
	for (uint32_t p = 0; p < t->sc->programs.n; p++) {
		struct jr_stats time = {0}, thunks = {0};
		double wait, wait_std;
		for (size_t i = 0; i < t->modules.n; i++) {
			const struct gen_truth_module *x = &t->modules.items[i];
			if (x->program != p || !x->steady)
				continue;
			jr_stats_add(&time, (double)x->dur_ns);
			jr_stats_add(&thunks, x->n_thunks);
		}
		if (!time.n)
			continue;
		gen_json_open(j, NULL, '{');
		program_id(t, p);
		gen_json_text(j, "name", t->sc->programs.items[p]->name);
		gen_json_i64(j, "executions", time.n);
		gen_json_f64(j, "thunks_mean", thunks.mean);
		gen_json_f64(j, "thunks_std", jr_stats_std(&thunks));
		gen_json_ms(j, "sum_ms", t->programs[p].steady_ns);
		gen_json_f64(j, "mean_ms", 1e-6 * time.mean);
		gen_json_f64(j, "std_ms", 1e-6 * jr_stats_std(&time));
		gen_json_f64(
			j, "percent", 100.0 * (double)t->programs[p].steady_ns / (double)t->all_modules_ns);
		if (gen_truth_program_wait(t, p, &wait, &wait_std)) {
			gen_json_f64(j, "wait_mean_ms", 1e-6 * wait);
			gen_json_f64(j, "wait_std_ms", 1e-6 * wait_std);
		}
		double skew = start_skew(t, p, clocks);
		if (isnan(skew))
			gen_json_null(j, "start_skew_ms");
		else
			gen_json_f64(j, "start_skew_ms", 1e-6 * skew);
		gen_json_bool(j, "top", t->programs[p].top);
		gen_json_close(j, '}');
	}
	gen_json_close(j, ']');
}

/* Sums over the steady thunks of an operation; [program][op]. */
struct op_sums {
	int64_t active_ns;
	struct jr_stats active, full;
};

static struct op_sums **sum_ops(const struct gen_truth *t)
{
	struct op_sums **sums = JR_ARENA_N(&t->sc->arena, struct op_sums *, t->sc->programs.n);
	for (size_t p = 0; p < t->sc->programs.n; p++)
		sums[p] = JR_ARENA_N(&t->sc->arena, struct op_sums, t->sc->programs.items[p]->ops.n);
	for (size_t i = 0; i < t->thunks.n; i++) {
		const struct gen_truth_thunk *x = &t->thunks.items[i];
		struct op_sums *s = &sums[x->program][x->op];
		if (!x->steady)
			continue;
		s->active_ns += gen_truth_active(x);
		jr_stats_add(&s->active, (double)gen_truth_active(x));
		jr_stats_add(&s->full, (double)x->dur_ns);
	}
	return sums;
}

static void thunk_row(
	struct gen_truth *t, uint32_t p, const struct gen_op *op, const struct op_sums *s)
{
	struct gen_json *j = &t->json;
	gen_json_open(j, NULL, '{');
	program_id(t, p);
	gen_json_text(j, "name", op->name);
	gen_json_text(j, "opcode", op->opcode);
	if (*op->op_name)
		gen_json_text(j, "op_name", op->op_name);
	gen_json_bool(j, "communication", op->communication);
	gen_json_i64(j, "count", s->active.n);
	gen_json_ms(j, "active_ms", s->active_ns);
	gen_json_f64(j, "mean_ms", 1e-6 * s->active.mean);
	gen_json_f64(j, "std_ms", 1e-6 * jr_stats_std(&s->active));
	gen_json_f64(j, "percent", 100.0 * (double)s->active_ns / (double)t->thunks_active_ns);
	if (*op->source_file) {
		gen_json_open(j, "source", '{');
		gen_json_text(j, "file", op->source_file);
		gen_json_i64(j, "line", op->source_line);
		gen_json_close(j, '}');
	}
	gen_json_close(j, '}');
}

static void thunks(struct gen_truth *t, struct op_sums **sums)
{
	gen_json_open(&t->json, "thunks", '[');
	for (uint32_t p = 0; p < t->sc->programs.n; p++)
		for (size_t i = 0; i < t->sc->programs.items[p]->ops.n && t->programs[p].top; i++)
			if (sums[p][i].active.n)
				thunk_row(t, p, &t->sc->programs.items[p]->ops.items[i], &sums[p][i]);
	gen_json_close(&t->json, ']');
}

static void opcodes(struct gen_truth *t, struct op_sums **sums)
{
	struct jr_intern names;
	JR_VEC(int64_t) active = {0};
	jr_intern_init(&names);
	for (size_t p = 0; p < t->sc->programs.n; p++) {
		for (size_t i = 0; i < t->sc->programs.items[p]->ops.n && t->programs[p].top; i++) {
			if (!sums[p][i].active.n)
				continue;
			uint32_t id = jr_intern_puts(&names, t->sc->programs.items[p]->ops.items[i].opcode);
			while (active.n <= id)
				*jr_vec_add(&active) = 0;
			active.items[id] += sums[p][i].active_ns;
		}
	}
	gen_json_open(&t->json, "opcodes", '[');
	for (uint32_t id = 1; id < active.n; id++) {
		gen_json_open(&t->json, NULL, '{');
		gen_json_text(&t->json, "opcode", jr_intern_str(&names, id));
		gen_json_ms(&t->json, "active_ms", active.items[id]);
		gen_json_f64(
			&t->json, "percent", 100.0 * (double)active.items[id] / (double)t->modules_active_ns);
		gen_json_close(&t->json, '}');
	}
	gen_json_close(&t->json, ']');
	jr_vec_done(&active);
	jr_intern_done(&names);
}

static void variability(struct gen_truth *t, struct op_sums **sums)
{
	struct gen_json *j = &t->json;
	gen_json_open(j, "variability", '[');
	for (uint32_t p = 0; p < t->sc->programs.n; p++) {
		for (size_t i = 0; i < t->sc->programs.items[p]->ops.n; i++) {
			const struct gen_op *op = &t->sc->programs.items[p]->ops.items[i];
			if (op->communication || !sums[p][i].full.n)
				continue;
			gen_json_open(j, NULL, '{');
			program_id(t, p);
			gen_json_text(j, "name", op->name);
			gen_json_f64(j, "mean_ms", 1e-6 * sums[p][i].full.mean);
			gen_json_f64(j, "std_ms", 1e-6 * jr_stats_std(&sums[p][i].full));
			gen_json_close(j, '}');
		}
	}
	gen_json_close(j, ']');
}

const char *gen_truth_profile(const struct gen_truth *t, uint32_t process)
{
	if (t->sc->options.xspace)
		return gen_recorded_as(t->sc, process);
	return t->sc->processes.n > 1 ? gen_text(t->sc, "%s-proc%u", t->sc->options.profile, process)
								  : t->sc->options.profile;
}

/* Facts from the metadata files only; some are also in the dumps' compile targets. */
static void device_details(struct gen_truth *t, const struct gen_device *d)
{
	const struct gen_scenario *sc = t->sc;
	bool known = !sc->options.no_metadata, compiled = known || !sc->options.no_dumps;
	const struct {
		const char *key;
		int64_t value;
		bool known;
	} numbers[] = {{"slice", 0, known && !sc->options.xspace},
		{"memory_bandwidth_bytes_s", (int64_t)sc->gpu_bandwidth_bytes_s, compiled},
		{"sm_count", sc->gpu_sm_count, compiled},
		{"clock_hz", (int64_t)sc->gpu_clock_hz, compiled},
		{"memory_bytes", (int64_t)sc->gpu_memory_bytes, known}};
	for (size_t i = 0; i < JR_COUNT_OF(numbers); i++) {
		if (numbers[i].known)
			gen_json_i64(&t->json, numbers[i].key, numbers[i].value);
		else
			gen_json_null(&t->json, numbers[i].key);
	}
	if (compiled) {
		gen_json_text(&t->json, "gpu_name",
			known ? gen_hostile(t->sc, GEN_FIELD_GPU, sc->gpu_name) : sc->gpu_name);
		gen_json_text(&t->json, "compute_capability",
			gen_text(t->sc, "%u.0", sc->gpu_compute_major));
	} else {
		gen_json_null(&t->json, "gpu_name");
		gen_json_null(&t->json, "compute_capability");
	}
	if (known)
		gen_json_i64(&t->json, "process", d->process);
}

static void devices(struct gen_truth *t)
{
	struct gen_json *j = &t->json;
	gen_json_open(j, "devices", '[');
	for (size_t i = 0; i < t->sc->devices.n; i++) {
		const struct gen_device *d = &t->sc->devices.items[i];
		gen_json_open(j, NULL, '{');
		gen_json_i64(j, "device", d->global);
		gen_json_i64(j, "local", d->local);
		gen_json_text(j, "profile", gen_truth_profile(t, d->process));
		device_details(t, d);
		gen_json_close(j, '}');
	}
	gen_json_close(j, ']');
}

void gen_truth_tables(struct gen_truth *t)
{
	struct op_sums **sums = sum_ops(t);
	devices(t);
	counts(t);
	modules(t);
	thunks(t, sums);
	opcodes(t, sums);
	variability(t, sums);
}
