/*
 * truth_latency.c - latency of programs: percentiles, queueing and idle time of their executions.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/order.h"
#include "truth_frames.h"

#define UNKNOWN INT64_MIN

/* An execution on one device. */
struct part {
	uint32_t program, group, execution, device;
	double start, end;                        /* on the aligned clock */
	int64_t start_ns, dur_ns, launch_ns, idle_ns; /* UNKNOWN: not known */
	bool steady;
};

/* An execution on all of its devices. */
struct served {
	const char *name;
	uint32_t program, n_devices;
	int64_t latency_ns, queue_ns, idle_ns;
};

JR_ORDER(by_device, struct part, JR_UP(device) JR_UP(start_ns))
JR_ORDER(by_execution, struct part,
	JR_UP(program) JR_UP(group) JR_UP(execution) JR_UP(start) JR_UP(device))
JR_ORDER(by_name, struct served, JR_TEXT_UP(name) JR_UP(program))
JR_ORDER_OF_VALUES(compare, int64_t)

/* Devices of one process run an execution together, and so do devices that collectives tie. */
static uint32_t *groups_of(const struct gen_truth *t)
{
	uint32_t *group = gen_truth_sets(t), n = (uint32_t)t->sc->devices.n;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++) {
			uint32_t from = group[i], to = group[k];
			if (t->sc->devices.items[i].process != t->sc->devices.items[k].process)
				continue;
			for (uint32_t d = 0; d < n; d++)
				group[d] = group[d] == from ? to : group[d];
		}
	return group;
}

static uint64_t key_of(uint32_t program, uint32_t device, uint32_t execution)
{
	return (uint64_t)program << 48 | (uint64_t)device << 32 | execution;
}

/* The launch that a form of profile states: the range around the execution, or its first call. */
static int64_t launch_of(const struct gen_scenario *sc, const struct gen_range *r)
{
	bool call = (r->kind == GEN_RANGE_THUNK || r->kind == GEN_RANGE_NCCL) && r->gpu_ops &&
				!r->n_gpu_children;
	if (sc->options.xspace)
		return call ? r->host_start_ns + r->host_dur_ns / 4 : UNKNOWN;
	if (r->kind != GEN_RANGE_MODULE || (!sc->options.no_dumps && sc->options.layout != 'A'))
		return UNKNOWN;
	return r->host_start_ns;
}

static void find_launches(const struct gen_truth *t, struct part *parts)
{
	JR_CLEANUP(jr_map_done) struct jr_map rows = {0};
	for (uint32_t i = 0; i < t->modules.n; i++)
		jr_map_put(
			&rows, key_of(parts[i].program, parts[i].device, parts[i].execution), i);
	for (size_t i = 0; i < t->sc->ranges.n; i++) {
		const struct gen_range *r = &t->sc->ranges.items[i];
		int64_t launch = r->program == GEN_NO_INDEX || r->left_out ? UNKNOWN : launch_of(t->sc, r);
		uint32_t row = launch == UNKNOWN
						   ? JR_NONE
						   : jr_map_get(&rows, key_of(r->program, r->device, r->execution));
		if (row != JR_NONE && (parts[row].launch_ns == UNKNOWN || launch < parts[row].launch_ns))
			parts[row].launch_ns = launch;
	}
}

static struct part *find_parts(const struct gen_truth *t)
{
	size_t n = t->modules.n;
	struct part *parts = JR_ARENA_N(&t->sc->arena, struct part, n + 1);
	const uint32_t *group = groups_of(t);
	const double *left = gen_truth_clocks_left(t);
	for (size_t i = 0; i < n; i++) {
		const struct gen_truth_module *m = &t->modules.items[i];
		double start = (double)m->start_ns + left[m->device];
		parts[i] = (struct part){m->program, group[m->device], m->execution, m->device, start,
			start + (double)m->dur_ns, m->start_ns + t->sc->devices.items[m->device].offset_ns,
			m->dur_ns, UNKNOWN, UNKNOWN, m->steady};
	}
	find_launches(t, parts);
	qsort(parts, n, sizeof(*parts), by_device);
	int64_t end_ns = 0;
	for (size_t i = 0; i < n; i++) {
		struct part *own = &parts[i];
		bool first = i == 0 || own->device != own[-1].device;
		if (!first && own[-1].steady)
			own->idle_ns = own->start_ns > end_ns ? own->start_ns - end_ns : 0;
		if (first || own->start_ns + own->dur_ns > end_ns)
			end_ns = own->start_ns + own->dur_ns;
	}
	qsort(parts, n, sizeof(*parts), by_execution);
	return parts;
}

static struct served *find_served(const struct gen_truth *t, size_t *n)
{
	const struct part *parts = find_parts(t);
	struct served *out = JR_ARENA_N(&t->sc->arena, struct served, t->modules.n + 1);
	*n = 0;
	for (size_t i = 0, end; i < t->modules.n; i = end) {
		const struct part *first = &parts[i];
		double last = first->end;
		for (end = i; end < t->modules.n && parts[end].program == first->program &&
					  parts[end].group == first->group && parts[end].execution == first->execution;
			 end++)
			last = fmax(last, parts[end].end);
		if (!first->steady)
			continue;
		out[(*n)++] = (struct served){t->sc->programs.items[first->program]->name, first->program,
			(uint32_t)(end - i), llround(last - first->start),
			/* a clock that is too far behind contradicts the launch */
			first->launch_ns == UNKNOWN || first->launch_ns > first->start_ns
				? UNKNOWN
				: first->start_ns - first->launch_ns,
			first->idle_ns};
	}
	qsort(out, *n, sizeof(*out), by_name);
	return out;
}

/* Nearest rank, in whole numbers. */
static int64_t percentile(int64_t *values, size_t n, size_t percent)
{
	qsort(values, n, sizeof(*values), compare);
	return values[(percent * n + 99) / 100 - 1];
}

static void put(struct gen_json *j, const char *key, int64_t *values, size_t n, size_t percent)
{
	if (n)
		gen_json_ms(j, key, percentile(values, n, percent));
	else
		gen_json_null(j, key);
}

static void put_row(struct gen_truth *t, const struct served *s, size_t n, bool whole, bool several)
{
	struct gen_json *j = &t->json;
	const struct gen_program *p = t->sc->programs.items[s->program];
	int64_t *ns = JR_ARENA_N(&t->sc->arena, int64_t, 3 * n + 1), *queue = ns + n, *idle = queue + n;
	int64_t sum_ns = 0;
	size_t n_queue = 0, n_idle = 0;
	uint32_t n_devices = 0;
	for (size_t i = 0; i < n; i++) {
		ns[i] = s[i].latency_ns;
		n_devices = s[i].n_devices > n_devices ? s[i].n_devices : n_devices;
		if (s[i].queue_ns != UNKNOWN)
			queue[n_queue++] = s[i].queue_ns;
		if (s[i].idle_ns != UNKNOWN) {
			idle[n_idle++] = s[i].idle_ns;
			sum_ns += s[i].idle_ns;
		}
	}
	gen_json_open(j, NULL, '{');
	gen_json_text(j, "name", s->name);
	if (whole && several)
		gen_json_null(j, "program_id");
	else
		gen_json_text(j, "program_id", gen_text(t->sc, "%lld", (long long)p->number));
	gen_json_bool(j, "whole", whole);
	if (!whole && p->batch && !t->sc->options.no_dumps)
		gen_json_i64(j, "batch", p->batch);
	else
		gen_json_null(j, "batch");
	gen_json_i64(j, "devices", n_devices);
	gen_json_i64(j, "count", (int64_t)n);
	put(j, "p50_ms", ns, n, 50);
	put(j, "p90_ms", ns, n, 90);
	put(j, "p99_ms", ns, n, 99);
	put(j, "max_ms", ns, n, 100);
	gen_json_i64(j, "queue_count", (int64_t)n_queue);
	put(j, "queue_p50_ms", queue, n_queue, 50);
	put(j, "queue_p99_ms", queue, n_queue, 99);
	put(j, "queue_max_ms", queue, n_queue, 100);
	gen_json_i64(j, "idle_count", (int64_t)n_idle);
	put(j, "idle_p50_ms", idle, n_idle, 50);
	if (n_idle)
		gen_json_ms(j, "idle_sum_ms", sum_ns);
	else
		gen_json_null(j, "idle_sum_ms");
	gen_json_close(j, '}');
}

void gen_truth_latency(struct gen_truth *t)
{
	size_t n;
	const struct served *all = find_served(t, &n);
	gen_json_open(&t->json, "latency", '[');
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && strcmp(all[end].name, all[i].name) == 0; end++)
			;
		bool several = all[end - 1].program != all[i].program;
		if (end - i < 2)
			continue;
		put_row(t, &all[i], end - i, true, several);
		for (size_t k = i, to; several && k < end; k = to) {
			for (to = k; to < end && all[to].program == all[k].program; to++)
				;
			if (to - k > 1)
				put_row(t, &all[k], to - k, false, several);
		}
	}
	gen_json_close(&t->json, ']');
}
