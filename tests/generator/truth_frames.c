#include "truth_frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/order.h"

static uint64_t module_key(const struct gen_range *x)
{
	return (uint64_t)x->program << 48 | (uint64_t)x->device << 32 | x->execution;
}

static void collect(struct gen_truth *t)
{
	struct jr_map modules = {0}, repeats = {0};
	for (size_t i = 0; i < t->sc->ranges.n; i++) {
		const struct gen_range *x = &t->sc->ranges.items[i];
		if (x->kind != GEN_RANGE_MODULE || x->left_out)
			continue;
		jr_map_put(&modules, module_key(x), (uint32_t)t->modules.n);
		*jr_vec_add(&t->modules) = (struct gen_truth_module){
			x->program, x->execution, x->device, 0, x->gpu_start_ns, x->gpu_dur_ns, false};
	}
	for (size_t i = 0; i < t->sc->ranges.n; i++) {
		const struct gen_range *x = &t->sc->ranges.items[i];
		if (x->kind != GEN_RANGE_THUNK || x->left_out || x->container)
			continue;
		uint32_t module = jr_map_get(&modules, module_key(x));
		uint64_t key = jr_key2(module, x->op);
		uint32_t repeat = jr_map_get(&repeats, key);
		repeat = repeat == JR_NONE ? 0 : repeat + 1;
		jr_map_put(&repeats, key, repeat);
		t->modules.items[module].n_thunks++;
		*jr_vec_add(&t->thunks) = (struct gen_truth_thunk){.module = module,
			.program = x->program,
			.op = x->op,
			.execution = x->execution,
			.device = x->device,
			.repeat = repeat,
			.start_ns = x->gpu_start_ns,
			.dur_ns = x->gpu_dur_ns};
		t->any_communication |= t->sc->programs.items[x->program]->ops.items[x->op].communication;
	}
	jr_map_done(&modules);
	jr_map_done(&repeats);
}

struct span {
	uint32_t device;
	int64_t start_ns, end_ns;
};

JR_ORDER(by_device_start, struct span, JR_UP(device) JR_UP(start_ns))

/* Spans of any compute, per device, without overlap and in order. */
static size_t compute_spans(const struct gen_truth *t, struct span *spans)
{
	size_t n = 0, kept = 0;
	for (size_t i = 0; i < t->thunks.n; i++) {
		const struct gen_truth_thunk *x = &t->thunks.items[i];
		if (!gen_truth_op(t, x)->communication)
			spans[n++] = (struct span){x->device, x->start_ns, x->start_ns + x->dur_ns};
	}
	if (n)
		qsort(spans, n, sizeof(*spans), by_device_start);
	for (size_t i = 0; i < n; i++) {
		struct span *last = kept ? &spans[kept - 1] : NULL;
		if (last && last->device == spans[i].device && spans[i].start_ns <= last->end_ns)
			last->end_ns = spans[i].end_ns > last->end_ns ? spans[i].end_ns : last->end_ns;
		else
			spans[kept++] = spans[i];
	}
	return kept;
}

static void hide(struct gen_truth *t)
{
	struct span *spans = calloc(t->thunks.n + 1, sizeof(*spans));
	if (!spans)
		jr_oom();
	size_t n = compute_spans(t, spans);
	for (size_t i = 0; i < t->thunks.n; i++) {
		struct gen_truth_thunk *x = &t->thunks.items[i];
		if (!gen_truth_op(t, x)->communication)
			continue;
		size_t low = 0, high = n; /* first span of the device that ends after the start */
		while (low < high) {
			size_t mid = (low + high) / 2;
			bool left = spans[mid].device < x->device ||
						(spans[mid].device == x->device && spans[mid].end_ns <= x->start_ns);
			low = left ? mid + 1 : low;
			high = left ? high : mid;
		}
		int64_t end = x->start_ns + x->dur_ns;
		for (; low < n && spans[low].device == x->device && spans[low].start_ns < end; low++) {
			int64_t a = spans[low].start_ns > x->start_ns ? spans[low].start_ns : x->start_ns;
			int64_t b = spans[low].end_ns < end ? spans[low].end_ns : end;
			x->hidden_ns += b - a;
		}
	}
	free(spans);
}

static enum jr_status warm_up(struct gen_truth *t, struct jr_error *err)
{
	const char *rule = t->sc->options.warmup;
	int64_t count = -1;
	bool automatic = strcmp(rule, "auto") == 0, first = strcmp(rule, "first") == 0;
	if (!automatic && !first && strcmp(rule, "none") != 0 &&
		(!jr_parse_i64(rule, strlen(rule), &count) || count < 0))
		return jr_fail(err, JR_EUSAGE, "--warmup: '%s' is no rule", rule);
	for (size_t i = 0; i < t->sc->programs.n; i++) {
		bool compiled = t->sc->programs.items[i]->compiled;
		t->programs[i].skip = count >= 0 ? (uint32_t)count
										 : (uint32_t)((automatic || first) && compiled) +
											   (uint32_t)(automatic && t->any_communication);
	}
	bool some = false;
	for (size_t i = 0; i < t->modules.n; i++) {
		struct gen_truth_module *x = &t->modules.items[i];
		struct gen_truth_program *p = &t->programs[x->program];
		x->steady = x->execution >= p->skip;
		some |= x->steady;
		p->steady_ns += x->steady ? x->dur_ns : 0;
		p->n_steady += x->steady;
		t->all_modules_ns += x->steady ? x->dur_ns : 0;
	}
	for (size_t i = 0; i < t->thunks.n; i++)
		t->thunks.items[i].steady = t->modules.items[t->thunks.items[i].module].steady;
	return some ? JR_OK : jr_fail(err, JR_EUSAGE, "--warmup %s leaves nothing steady", rule);
}

/* By descending time, until those before reach 99 % of the total. */
static void rank(struct gen_truth *t)
{
	int64_t before = 0;
	for (size_t taken = 0; taken < t->sc->programs.n; taken++) {
		struct gen_truth_program *best = NULL;
		for (size_t i = 0; i < t->sc->programs.n; i++) {
			struct gen_truth_program *p = &t->programs[i];
			if (p->n_steady && !p->top && (!best || p->steady_ns > best->steady_ns))
				best = p;
		}
		if (!best || (double)before >= 0.99 * (double)t->all_modules_ns)
			break;
		best->top = true;
		before += best->steady_ns;
	}
}

static void totals(struct gen_truth *t)
{
	for (size_t i = 0; i < t->thunks.n; i++) {
		const struct gen_truth_thunk *x = &t->thunks.items[i];
		if (x->steady && t->programs[x->program].top)
			t->thunks_active_ns += gen_truth_active(x);
	}
	for (uint32_t d = 0; d < t->sc->devices.n; d++) {
		int64_t first = INT64_MAX, last = INT64_MIN;
		for (size_t i = 0; i < t->modules.n; i++) {
			const struct gen_truth_module *x = &t->modules.items[i];
			if (x->device != d || !x->steady || !t->programs[x->program].top)
				continue;
			t->modules_active_ns += x->dur_ns;
			first = x->start_ns < first ? x->start_ns : first;
			last = x->start_ns + x->dur_ns > last ? x->start_ns + x->dur_ns : last;
		}
		t->modules_wall_ns += first <= last ? last - first : 0;
	}
}

enum jr_status gen_truth_frames(struct gen_truth *t, struct jr_error *err)
{
	t->programs = JR_ARENA_N(&t->sc->arena, struct gen_truth_program, t->sc->programs.n);
	collect(t);
	hide(t);
	JR_TRY(warm_up(t, err));
	rank(t);
	totals(t);
	return JR_OK;
}
