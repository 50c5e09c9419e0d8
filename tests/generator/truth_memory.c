/*
 * truth_memory.c - memory allocated for programs, by purpose, and peaks of heap traces, from a scan
 * over all buffers at each event (analysis/README.md, section 7).
 */
#include "base/num.h"
#include "truth_frames.h"

/* The canonical buffer of each live user; sizes are those of canonical buffers. */
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

static void put_size(struct gen_json *j, const char *key, bool known, int64_t bytes)
{
	if (known)
		gen_json_i64(j, key, bytes);
	else
		gen_json_null(j, key);
}

static struct gen_peak find_peak(const struct gen_program *p, struct jr_arena *arena)
{
	size_t n = p->buffers.n + 1;
	struct heap h = {p, JR_ARENA_N(arena, int64_t, n)};
	struct gen_peak peak = {.points = 1, .alive = JR_ARENA_N(arena, bool, n)};
	bool *alive = JR_ARENA_N(arena, bool, n);
	uint64_t before = 0;
	for (size_t i = 0; i < p->heap.n; i++) {
		const struct gen_heap_event *e = &p->heap.items[i];
		h.canonical_of[e->buffer] = e->kind == GEN_ALLOC  ? e->buffer
									: e->kind == GEN_FREE ? 0
														  : e->canonical;
		uint64_t now = live_bytes(&h, alive);
		peak.points += now != before;
		before = now;
		if (now <= peak.bytes)
			continue;
		peak.bytes = now;
		for (size_t k = 0; k < n; k++)
			peak.alive[k] = alive[k];
	}
	return peak;
}

static void put_id(struct gen_truth *t, const struct gen_program *p)
{
	char text[JR_NUM_MAX];
	jr_num_i64(text, p->number);
	gen_json_text(&t->json, "program_id", text);
}

static void put_heap(struct gen_truth *t, const struct gen_program *p, const struct gen_peak *peak)
{
	gen_json_open(&t->json, NULL, '{');
	put_id(t, p);
	gen_json_i64(&t->json, "trace", 0);
	gen_json_i64(&t->json, "peak_bytes", (int64_t)peak->bytes);
	gen_json_i64(&t->json, "points", peak->points);
	put_live(t, p, peak->alive);
	gen_json_close(&t->json, '}');
}

/* Allocations whose flags under `mask` equal `flags`. */
static int64_t sum_of(const struct gen_program *p, unsigned mask, unsigned flags)
{
	int64_t bytes = 0;
	for (size_t i = 0; i < p->allocations.n; i++)
		if ((p->allocations.items[i].flags & mask) == flags)
			bytes += (int64_t)p->allocations.items[i].bytes;
	return bytes;
}

#define ELSEWHERE (GEN_THREAD_LOCAL | GEN_HOST)

static int64_t allocated(const struct gen_program *p)
{
	return sum_of(p, ELSEWHERE, 0);
}

/* The constant allocations with their class, and the heap's contents at its peak. */
static void put_all_live(
	struct gen_truth *t, const struct gen_program *p, const struct gen_peak *peak)
{
	gen_json_open(&t->json, "live_at_peak", '[');
	for (size_t i = 0; i < p->allocations.n; i++) {
		const struct gen_allocation *a = &p->allocations.items[i];
		for (uint32_t k = 0; k < a->n && !(a->flags & ELSEWHERE); k++) {
			const struct gen_buffer *b = &p->buffers.items[a->first + k];
			if (a->flags == 0 && !peak->alive[b->id])
				continue;
			gen_json_open(&t->json, NULL, '{');
			gen_json_text(&t->json, "instruction", b->instruction);
			gen_json_i64(&t->json, "bytes", (int64_t)b->bytes);
			gen_json_text(&t->json, "class",
				a->flags & GEN_PARAMETER  ? "parameter"
				: a->flags & GEN_LIVE_OUT ? "output"
				: a->flags & GEN_CONSTANT ? "constant"
										  : "temporary");
			gen_json_close(&t->json, '}');
		}
	}
	gen_json_close(&t->json, ']');
}

static void put_program(
	struct gen_truth *t, const struct gen_program *p, const struct gen_peak *peak)
{
	struct gen_json *j = &t->json;
	bool known = p->allocations.n;
	int64_t parts[] = {sum_of(p, ELSEWHERE | GEN_PARAMETER, GEN_PARAMETER),
		sum_of(p, ELSEWHERE | GEN_PARAMETER | GEN_LIVE_OUT, GEN_LIVE_OUT),
		sum_of(p, ELSEWHERE | GEN_PARAMETER | GEN_LIVE_OUT | GEN_CONSTANT, GEN_CONSTANT),
		sum_of(p, ~0u, 0)};
	static const char *const keys[] = {
		"parameter_bytes", "output_bytes", "constant_bytes", "temporary_bytes"};
	gen_json_open(j, NULL, '{');
	put_id(t, p);
	gen_json_bool(j, "ran", true);
	put_size(j, "allocated_bytes", known, allocated(p));
	for (size_t i = 0; i < 4; i++)
		put_size(j, keys[i], known, parts[i]);
	put_size(j, "donated_bytes", known,
		sum_of(p, ELSEWHERE | GEN_PARAMETER | GEN_LIVE_OUT, GEN_PARAMETER | GEN_LIVE_OUT));
	put_size(j, "host_bytes", known, sum_of(p, GEN_HOST, GEN_HOST));
	put_size(j, "heap_peak_bytes", p->heap.n, (int64_t)peak->bytes);
	if (known)
		put_all_live(t, p, peak);
	gen_json_close(j, '}');
}

/* No row refers to a program that never ran, so its dump is not read. */
static bool ran(const struct gen_truth *t, size_t program)
{
	for (size_t i = 0; i < t->modules.n; i++)
		if (t->modules.items[i].program == program)
			return true;
	return false;
}

/* The peaks of all programs, computed once. */
static const struct gen_peak *peaks_of(struct gen_truth *t)
{
	size_t n = t->sc->programs.n;
	if (!t->peaks) {
		struct gen_peak *peaks = JR_ARENA_N(&t->sc->arena, struct gen_peak, n + 1);
		for (size_t i = 0; i < n; i++)
			peaks[i] = find_peak(t->sc->programs.items[i], &t->sc->arena);
		t->peaks = peaks;
	}
	return t->peaks;
}

void gen_truth_memory(struct gen_truth *t)
{
	const struct gen_peak *peaks = peaks_of(t);
	size_t n = t->sc->programs.n;
	gen_json_open(&t->json, "memory", '[');
	for (size_t i = 0; i < n; i++)
		if (t->sc->programs.items[i]->heap.n && ran(t, i))
			put_heap(t, t->sc->programs.items[i], &peaks[i]);
	gen_json_close(&t->json, ']');
	gen_json_open(&t->json, "program_memory", '[');
	for (size_t i = 0; i < n; i++)
		if (ran(t, i))
			put_program(t, t->sc->programs.items[i], &peaks[i]);
	gen_json_close(&t->json, ']');
}

void gen_truth_peaks(struct gen_truth *t)
{
	const struct gen_peak *peaks = peaks_of(t);
	int64_t most = 0, heap = 0;
	for (size_t i = 0; i < t->sc->programs.n; i++) {
		int64_t own = allocated(t->sc->programs.items[i]);
		if (!ran(t, i))
			continue;
		most = own > most ? own : most;
		heap = (int64_t)peaks[i].bytes > heap ? (int64_t)peaks[i].bytes : heap;
	}
	gen_json_i64(&t->json, "peak_memory_bytes", most);
	gen_json_i64(&t->json, "heap_peak_bytes", heap);
}
