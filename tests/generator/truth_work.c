/*
 * truth_work.c - each kernel's work and bytes, and their roofline time
 * (analysis/README.md, "Work and bytes of a thunk", "Roofline").
 */
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "truth_frames.h"

#define TENSOR_HZ 1.83e9
#define VECTOR_HZ 1.98e9
/* Dense FLOPs per clock and SM of an H100 SXM, and its rated clock. */
static const struct {
	const char *dtype;
	double flops_clock, hz;
} matrix_rates[] = {{"bf16", 4096, TENSOR_HZ}, {"f8", 8192, TENSOR_HZ}, {"tf32", 2048, TENSOR_HZ},
	{"f32", 256, VECTOR_HZ}};
#define SMS 132
#define VECTOR_RATE 256.0
#define SPECIAL_RATE 16.0
#define BANDWIDTH 3352.32e9

/* The parts of a roofline in this scenario, in s. */
struct roof {
	double tensor, vector, special, memory;
};

static struct roof roof_of(const struct gen_work *w)
{
	struct roof r = {.vector = (double)w->vector / (VECTOR_RATE * SMS * VECTOR_HZ),
		.special = (double)w->transcendentals / (SPECIAL_RATE * SMS * VECTOR_HZ),
		.memory = (double)(w->read + w->written) / BANDWIDTH};
	for (size_t i = 0; i < JR_COUNT_OF(matrix_rates); i++)
		if (w->dtype && strcmp(w->dtype, matrix_rates[i].dtype) == 0)
			r.tensor = (double)w->matrix / (matrix_rates[i].flops_clock * SMS * matrix_rates[i].hz);
	return r;
}

static double roof_s(const struct gen_work *w)
{
	struct roof r = roof_of(w);
	return fmax(fmax(r.tensor, r.vector), fmax(r.special, r.memory));
}

static const char *class_of(const struct gen_work *w, const struct roof *r, double mean_ns)
{
	double compute = fmax(r->tensor, fmax(r->vector, r->special));
	if (w->unknown)
		return "unknown";
	if (fmax(compute, r->memory) < 1.5e-6 && mean_ns <= 10000)
		return "latency";
	return compute >= r->memory ? "compute" : "memory";
}

static void put_known(struct gen_json *j, const char *key, bool known, uint64_t value)
{
	if (known)
		gen_json_i64(j, key, (int64_t)value);
	else
		gen_json_null(j, key);
}

static void put_id(struct gen_truth *t, const struct gen_program *p)
{
	char text[JR_NUM_MAX];
	jr_num_i64(text, p->number);
	gen_json_text(&t->json, "program_id", text);
}

static void put_thunk(struct gen_truth *t, const struct gen_program *p, const struct gen_op *op,
	const struct jr_stats *dur)
{
	struct gen_json *j = &t->json;
	const struct gen_work *w = op->work;
	struct roof r = roof_of(w);
	gen_json_open(j, NULL, '{');
	put_id(t, p);
	gen_json_text(j, "name", op->name);
	put_known(j, "flops", !w->unknown, w->matrix + w->vector);
	put_known(j, "bytes_read", !w->unknown, w->read);
	put_known(j, "bytes_written", !w->unknown, w->written);
	gen_json_text(j, "class", class_of(w, &r, dur->mean));
	if (w->unknown)
		gen_json_null(j, "roof_ms");
	else
		gen_json_f64(j, "roof_ms", 1e3 * roof_s(w));
	gen_json_i64(j, "count", dur->n);
	gen_json_bool(j, "initializes", w->initializes);
	gen_json_bool(j, "in_place", w->in_place);
	gen_json_close(j, '}');
}

static struct jr_stats *durations(const struct gen_truth *t, uint32_t program)
{
	struct jr_stats *dur =
		JR_ARENA_N(&t->sc->arena, struct jr_stats, t->sc->programs.items[program]->ops.n + 1);
	for (size_t i = 0; i < t->thunks.n; i++) {
		const struct gen_truth_thunk *x = &t->thunks.items[i];
		if (x->program == program && x->steady)
			jr_stats_add(&dur[x->op], (double)x->dur_ns);
	}
	return dur;
}

/* One execution on one device: bodies of loops count as often as they ran. */
static void put_program(struct gen_truth *t, uint32_t program, const struct jr_stats *dur)
{
	const struct gen_program *p = t->sc->programs.items[program];
	struct gen_json *j = &t->json;
	int64_t executions = (int64_t)t->programs[program].n_steady;
	uint64_t matrix[JR_COUNT_OF(matrix_rates)] = {0}, recomputed = 0;
	struct gen_work sum = {.unknown = false};
	for (size_t i = 0; i < p->ops.n; i++) {
		const struct gen_work *w = p->ops.items[i].work;
		if (!dur[i].n || w->unknown)
			continue;
		uint64_t times = (uint64_t)(dur[i].n / executions);
		for (size_t c = 0; c < JR_COUNT_OF(matrix_rates); c++)
			if (w->dtype && strcmp(w->dtype, matrix_rates[c].dtype) == 0)
				matrix[c] += times * w->matrix;
		recomputed += w->recomputed ? times * w->matrix : 0;
		sum.vector += times * w->vector;
		sum.transcendentals += times * w->transcendentals;
		sum.read += times * w->read;
		sum.written += times * w->written;
	}
	gen_json_open(j, NULL, '{');
	put_id(t, p);
	gen_json_i64(j, "executions", executions);
	gen_json_open(j, "matrix_flops", '{');
	for (size_t c = 0; c < JR_COUNT_OF(matrix_rates); c++)
		gen_json_i64(j, matrix_rates[c].dtype, (int64_t)matrix[c]);
	gen_json_close(j, '}');
	gen_json_open(j, "vector_flops", '{');
	gen_json_i64(j, "f32", (int64_t)sum.vector);
	gen_json_close(j, '}');
	gen_json_i64(j, "transcendentals", (int64_t)sum.transcendentals);
	gen_json_i64(j, "bytes_read", (int64_t)sum.read);
	gen_json_i64(j, "bytes_written", (int64_t)sum.written);
	gen_json_i64(j, "remat_flops", (int64_t)recomputed);
	gen_json_close(j, '}');
}

/* Active time of the top modules by kind, and of (2). */
static void put_kinds(struct gen_truth *t)
{
	const char *kinds[16];
	int64_t active_ns[16] = {0};
	size_t n = 0;
	for (size_t i = 0; i < t->thunks.n; i++) {
		const struct gen_truth_thunk *x = &t->thunks.items[i];
		const char *kind = gen_truth_op(t, x)->work->kind;
		size_t k = 0;
		while (k < n && strcmp(kinds[k], kind) != 0)
			k++;
		if (!x->steady || !t->programs[x->program].top || k == JR_COUNT_OF(kinds))
			continue;
		kinds[k] = kind;
		n += k == n;
		active_ns[k] += gen_truth_active(x);
	}
	gen_json_open(&t->json, "work_kinds", '[');
	for (size_t k = 0; k < n; k++) {
		gen_json_open(&t->json, NULL, '{');
		gen_json_text(&t->json, "kind", kinds[k]);
		gen_json_ms(&t->json, "active_ms", active_ns[k]);
		gen_json_f64(
			&t->json, "percent", 100.0 * (double)active_ns[k] / (double)t->modules_active_ns);
		gen_json_close(&t->json, '}');
	}
	gen_json_close(&t->json, ']');
}

/* --- lines of source ----------------------------------------------------------------------------
 */

struct line {
	const char *file;
	int32_t number;
	double dur_ns, roof_ns, lost_ns; /* of kernels with a roofline whose stack ends there */
};

struct lines {
	JR_VEC(struct line) all;
};

static struct line *line_of(struct lines *lines, const struct gen_frame *f)
{
	for (size_t i = 0; i < lines->all.n; i++)
		if (lines->all.items[i].number == f->line && strcmp(lines->all.items[i].file, f->file) == 0)
			return &lines->all.items[i];
	struct line *line = jr_vec_add(&lines->all);
	*line = (struct line){.file = f->file, .number = f->line};
	return line;
}

/* Kernels of this scenario have one stack each. */
static void add_to_lines(struct lines *lines, const struct gen_program *p, const struct gen_op *op,
	const struct jr_stats *dur)
{
	struct roof r = roof_of(op->work);
	double all_ns = dur->mean * (double)dur->n;
	double roof_ns = 1e9 * fmax(fmax(r.tensor, r.vector), fmax(r.special, r.memory));
	uint32_t frame = gen_truth_frame(p, op->name);
	for (uint32_t up = frame; up; up = p->frames.items[up - 1].parent) {
		struct line *line = line_of(lines, &p->frames.items[up - 1]);
		if (up != frame || op->work->unknown)
			continue;
		line->dur_ns += all_ns;
		line->roof_ns += roof_ns * (double)dur->n;
		line->lost_ns += fmax(0, all_ns - roof_ns * (double)dur->n);
	}
}

static void put_lines(struct gen_truth *t)
{
	struct lines lines = {0};
	for (uint32_t p = 0; p < t->sc->programs.n; p++) {
		const struct gen_program *program = t->sc->programs.items[p];
		const struct jr_stats *dur = durations(t, p);
		for (size_t i = 0; i < program->ops.n && t->programs[p].top; i++)
			if (dur[i].n)
				add_to_lines(&lines, program, &program->ops.items[i], &dur[i]);
	}
	gen_json_open(&t->json, "source_lines", '[');
	for (size_t i = 0; i < lines.all.n; i++) {
		const struct line *line = &lines.all.items[i];
		gen_json_open(&t->json, NULL, '{');
		gen_json_text(&t->json, "file", line->file);
		gen_json_i64(&t->json, "line", line->number);
		if (line->dur_ns > 0) {
			gen_json_f64(&t->json, "efficiency", line->roof_ns / line->dur_ns);
			gen_json_f64(&t->json, "lost_ms", 1e-6 * line->lost_ns);
		} else {
			gen_json_null(&t->json, "efficiency");
			gen_json_null(&t->json, "lost_ms");
		}
		gen_json_close(&t->json, '}');
	}
	gen_json_close(&t->json, ']');
	jr_vec_done(&lines.all);
}

bool gen_truth_work_known(const struct gen_truth *t)
{
	for (size_t p = 0; p < t->sc->programs.n; p++)
		for (size_t i = 0; i < t->sc->programs.items[p]->ops.n; i++) {
			const struct gen_op *op = &t->sc->programs.items[p]->ops.items[i];
			if (op->kind != GEN_OP_LOOP_END && !op->work)
				return false;
		}
	return true;
}

double *gen_truth_lost(const struct gen_truth *t, uint32_t program)
{
	const struct gen_program *p = t->sc->programs.items[program];
	const struct jr_stats *dur = durations(t, program);
	double *lost_ns = JR_ARENA_N(&t->sc->arena, double, p->ops.n + 1);
	for (size_t i = 0; i < p->ops.n && t->programs[program].top; i++)
		if (dur[i].n && !p->ops.items[i].work->unknown)
			lost_ns[i] =
				fmax(0, (double)dur[i].n * (dur[i].mean - 1e9 * roof_s(p->ops.items[i].work)));
	return lost_ns;
}

void gen_truth_work(struct gen_truth *t)
{
	if (!gen_truth_work_known(t))
		return;
	uint32_t n = (uint32_t)t->sc->programs.n;
	struct gen_json *j = &t->json;
	gen_json_open(j, "roofline", '{');
	gen_json_open(j, "programs", '[');
	for (uint32_t p = 0; p < n; p++)
		if (t->programs[p].top)
			put_program(t, p, durations(t, p));
	gen_json_close(j, ']');
	gen_json_open(j, "thunks", '[');
	for (uint32_t p = 0; p < n; p++) {
		const struct gen_program *program = t->sc->programs.items[p];
		const struct jr_stats *dur = durations(t, p);
		for (size_t i = 0; i < program->ops.n && t->programs[p].top; i++)
			if (dur[i].n)
				put_thunk(t, program, &program->ops.items[i], &dur[i]);
	}
	gen_json_close(j, ']');
	gen_json_close(j, '}');
	put_kinds(t);
	put_lines(t);
}
