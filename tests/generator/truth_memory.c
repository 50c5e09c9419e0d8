/*
 * truth_memory.c - peaks of heap traces (analysis/README.md, section 7), by going over all buffers
 * at each event.
 */
#include <stdlib.h>

#include "base/num.h"
#include "truth_frames.h"

/* Which buffer is canonical for each user that lives; sizes are of canonical ones. */
struct heap {
	const struct gen_program *program;
	int64_t *canonical_of; /* [n_buffers + 1] by buffer id (ids are 1, 2, ...); 0: not alive */
};

static uint64_t live_bytes(const struct heap *h, bool *alive)
{
	uint64_t bytes = 0;
	size_t n = h->program->buffers.n;
	for (size_t i = 0; i <= n; i++)
		alive[i] = false;
	for (size_t i = 1; i <= n; i++)
		if (h->canonical_of[i])
			alive[h->canonical_of[i]] = true;
	for (size_t i = 1; i <= n; i++)
		bytes += alive[i] ? h->program->buffers.items[i - 1].bytes : 0;
	return bytes;
}

static void put_live(struct gen_truth *t, const struct gen_program *p, const bool *alive)
{
	gen_json_open(&t->json, "live_at_peak", '[');
	for (size_t i = 1; i <= p->buffers.n; i++) {
		if (!alive[i])
			continue;
		gen_json_open(&t->json, NULL, '{');
		gen_json_text(&t->json, "instruction", p->buffers.items[i - 1].instruction);
		gen_json_i64(&t->json, "bytes", (int64_t)p->buffers.items[i - 1].bytes);
		gen_json_close(&t->json, '}');
	}
	gen_json_close(&t->json, ']');
}

static void put_program(struct gen_truth *t, const struct gen_program *p)
{
	size_t n = p->buffers.n + 1;
	struct heap h = {p, calloc(n, sizeof(int64_t))};
	bool *alive = calloc(n, sizeof(bool)), *at_peak = calloc(n, sizeof(bool));
	uint64_t before = 0, peak = 0;
	int64_t points = 1;
	if (!h.canonical_of || !alive || !at_peak)
		jr_oom();
	for (size_t i = 0; i < p->heap.n; i++) {
		const struct gen_heap_event *e = &p->heap.items[i];
		h.canonical_of[e->buffer] = e->kind == GEN_ALLOC  ? e->buffer
									: e->kind == GEN_FREE ? 0
														  : e->canonical;
		uint64_t now = live_bytes(&h, alive);
		points += now != before;
		before = now;
		if (now <= peak)
			continue;
		peak = now;
		for (size_t k = 0; k < n; k++)
			at_peak[k] = alive[k];
	}
	char text[JR_NUM_MAX];
	jr_num_i64(text, p->number);
	gen_json_open(&t->json, NULL, '{');
	gen_json_text(&t->json, "program_id", text);
	gen_json_i64(&t->json, "trace", 0);
	gen_json_i64(&t->json, "peak_bytes", (int64_t)peak);
	gen_json_i64(&t->json, "points", points);
	put_live(t, p, at_peak);
	gen_json_close(&t->json, '}');
	free(h.canonical_of);
	free(alive);
	free(at_peak);
}

/* No row names a program that never ran, so nobody reads its dump. */
static bool ran(const struct gen_truth *t, size_t program)
{
	for (size_t i = 0; i < t->modules.n; i++)
		if (t->modules.items[i].program == program)
			return true;
	return false;
}

void gen_truth_memory(struct gen_truth *t)
{
	gen_json_open(&t->json, "memory", '[');
	for (size_t i = 0; i < t->sc->programs.n; i++)
		if (t->sc->programs.items[i]->heap.n && ran(t, i))
			put_program(t, t->sc->programs.items[i]);
	gen_json_close(&t->json, ']');
}
