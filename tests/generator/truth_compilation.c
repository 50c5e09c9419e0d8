/*
 * truth_compilation.c - compile times by range, by phase and by module (analysis/README.md,
 * sections 4.2 and 4.3), from the role that each range was made with.
 */
#include <stdlib.h>
#include <string.h>

#include "truth_frames.h"

#define LIBRARIES "[non-leaf time in 0th XlaCompile range]"

struct sums {
	struct jr_intern names;
	JR_VEC(double) ns;
};

static void add(struct sums *s, const char *name, double ns)
{
	uint32_t id = jr_intern_puts(&s->names, name);
	while (s->ns.n <= id)
		*jr_vec_add(&s->ns) = 0;
	s->ns.items[id] += ns;
}

static void put(struct gen_truth *t, const char *key, struct sums *s, double total)
{
	gen_json_open(&t->json, key, '[');
	for (uint32_t id = 1; id < s->ns.n; id++) {
		gen_json_open(&t->json, NULL, '{');
		gen_json_text(&t->json, "name", jr_intern_str(&s->names, id));
		gen_json_f64(&t->json, "self_ms", 1e-6 * s->ns.items[id]);
		gen_json_f64(&t->json, "percent", 100.0 * s->ns.items[id] / total);
		gen_json_close(&t->json, '}');
	}
	gen_json_close(&t->json, ']');
	jr_intern_done(&s->names);
	jr_vec_done(&s->ns);
}

/* The work of one launcher's workers. */
struct parallel {
	uint32_t launcher;
	int64_t first_ns, last_ns, self_ns;
};

typedef JR_VEC(struct parallel) parallel_vec;

static struct parallel *find(const parallel_vec *all, uint32_t launcher)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->items[i].launcher == launcher)
			return &all->items[i];
	return NULL;
}

static void find_parallel(const struct gen_scenario *sc, parallel_vec *all)
{
	for (size_t i = 0; i < sc->ranges.n; i++) {
		const struct gen_range *x = &sc->ranges.items[i];
		if (x->launcher == GEN_NO_INDEX)
			continue;
		struct parallel *p = find(all, x->launcher);
		int64_t end = x->host_start_ns + x->host_dur_ns;
		if (!p) {
			*jr_vec_add(all) = (struct parallel){x->launcher, INT64_MAX, INT64_MIN, 0};
			p = &all->items[all->n - 1];
		}
		p->first_ns = x->host_start_ns < p->first_ns ? x->host_start_ns : p->first_ns;
		p->last_ns = end > p->last_ns ? end : p->last_ns;
		p->self_ns += x->host_dur_ns - x->child_ns;
	}
}

/* Time of foreign ranges directly below a range, which counts as its own. */
static int64_t *foreign_time(const struct gen_scenario *sc)
{
	int64_t *ns = calloc(sc->ranges.n, sizeof(*ns));
	if (!ns)
		jr_oom();
	for (size_t i = 0; i < sc->ranges.n; i++) {
		const struct gen_range *x = &sc->ranges.items[i];
		if (x->kind == GEN_RANGE_COMPILE && x->role == GEN_COMPILE_FOREIGN)
			ns[x->parent] += x->host_dur_ns;
	}
	return ns;
}

static double self_time(
	const struct gen_range *x, uint32_t index, const parallel_vec *parallels, int64_t foreign_ns)
{
	if (x->role == GEN_COMPILE_AUTOTUNER)
		return (double)x->host_dur_ns;
	double self = (double)(x->host_dur_ns - x->child_ns + foreign_ns);
	if (x->launcher != GEN_NO_INDEX) {
		const struct parallel *p = find(parallels, x->launcher);
		return self * (double)(p->last_ns - p->first_ns) / (double)p->self_ns;
	}
	const struct parallel *p = find(parallels, index);
	return p ? self - (double)(p->last_ns - p->first_ns) : self;
}

/* Time of foreign ranges, by name and enclosing range. All are calls that create a library's
 * handle; those of the first compilation itself are its own time. */
static void put_libraries(struct gen_truth *t, double loading)
{
	const struct gen_scenario *sc = t->sc;
	struct sums sums = {0}, counts = {0};
	jr_intern_init(&sums.names);
	jr_intern_init(&counts.names);
	for (size_t i = 0; i < sc->ranges.n; i++) {
		const struct gen_range *x = &sc->ranges.items[i];
		if (x->kind != GEN_RANGE_COMPILE || x->role != GEN_COMPILE_FOREIGN)
			continue;
		const char *within = sc->ranges.items[x->parent].clean;
		add(&sums, within, (double)x->host_dur_ns);
		add(&counts, within, 1);
		loading += (double)x->host_dur_ns;
	}
	gen_json_f64(&t->json, "loading_ms", 1e-6 * loading);
	gen_json_open(&t->json, "libraries", '[');
	for (uint32_t id = 1; id < sums.ns.n; id++) {
		gen_json_open(&t->json, NULL, '{');
		gen_json_text(&t->json, "name", "cuBLAS:cublasCreate_v2");
		gen_json_text(&t->json, "within", jr_intern_str(&sums.names, id));
		gen_json_i64(&t->json, "count", (int64_t)counts.ns.items[id]);
		gen_json_f64(&t->json, "self_ms", 1e-6 * sums.ns.items[id]);
		gen_json_bool(&t->json, "loads", true);
		gen_json_close(&t->json, '}');
	}
	gen_json_close(&t->json, ']');
	jr_intern_done(&sums.names);
	jr_intern_done(&counts.names);
	jr_vec_done(&sums.ns);
	jr_vec_done(&counts.ns);
}

/* In file order; self times below one, as in the push/pop trace. */
static void put_modules(struct gen_truth *t)
{
	const struct gen_scenario *sc = t->sc;
	int64_t *below = calloc(sc->ranges.n, sizeof(*below));
	if (!below)
		jr_oom();
	for (size_t i = 0; i < sc->ranges.n; i++) {
		const struct gen_range *x = &sc->ranges.items[i];
		uint32_t top = (uint32_t)i;
		while (sc->ranges.items[top].parent != GEN_NO_INDEX)
			top = sc->ranges.items[top].parent;
		if (top != i)
			below[top] += x->host_dur_ns - x->child_ns;
	}
	gen_json_open(&t->json, "modules", '[');
	for (size_t i = 0; i < sc->ranges.n; i++) {
		const struct gen_range *x = &sc->ranges.items[i];
		if (x->kind != GEN_RANGE_COMPILE || x->parent != GEN_NO_INDEX ||
			strncmp(x->name, "XlaCompile:", 11) != 0)
			continue;
		gen_json_open(&t->json, NULL, '{');
		gen_json_text(&t->json, "name", gen_text(t->sc, "%s:%s", x->domain, x->name));
		gen_json_text(&t->json, "profile", gen_truth_profile(t, x->process));
		gen_json_f64(&t->json, "total_s", (double)below[i] / 1e9);
		gen_json_close(&t->json, '}');
	}
	gen_json_close(&t->json, ']');
	free(below);
}

void gen_truth_compilation(struct gen_truth *t)
{
	const struct gen_scenario *sc = t->sc;
	parallel_vec parallels = {0};
	struct sums ranges = {0}, phases = {0};
	double total = 0, loading = 0;
	int64_t *foreign = foreign_time(sc);
	bool *first_seen = calloc(sc->processes.n, sizeof(*first_seen));
	if (!first_seen)
		jr_oom();
	jr_intern_init(&ranges.names);
	jr_intern_init(&phases.names);
	find_parallel(sc, &parallels);
	for (uint32_t i = 0; i < sc->ranges.n; i++) {
		const struct gen_range *x = &sc->ranges.items[i];
		if (x->kind != GEN_RANGE_COMPILE || x->role == GEN_COMPILE_REMOVED ||
			x->role == GEN_COMPILE_FOREIGN)
			continue;
		double self = self_time(x, i, &parallels, foreign[i]);
		bool libraries =
			x->parent == GEN_NO_INDEX && x->launcher == GEN_NO_INDEX && !first_seen[x->process];
		first_seen[x->process] |= libraries;
		add(&ranges, libraries ? LIBRARIES : x->clean, self);
		add(&phases, libraries ? LIBRARIES : x->phase, self);
		total += self;
		loading += libraries ? self : 0;
	}
	gen_json_open(&t->json, "compilation", '{');
	gen_json_f64(&t->json, "total_ms", 1e-6 * total);
	put(t, "ranges", &ranges, total);
	put(t, "phases", &phases, total);
	put_libraries(t, loading);
	put_modules(t);
	gen_json_close(&t->json, '}');
	jr_vec_done(&parallels);
	free(foreign);
	free(first_seen);
}
