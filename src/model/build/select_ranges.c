/* Selecting host ranges by name, and what a selection leaves of the projection of all ranges. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/num.h"
#include "base/order.h"
#include "base/sort.h"
#include "model/build/select.h"

/* --- matching --------------------------------------------------------------------------------- */

/* Whether each text matches; names repeat far more often than they differ. */
struct matches {
	const struct jr_selecting *s;
	uint8_t *known; /* [strings.n] 0 = not tried, 1 = no, 2 = yes */
};

static bool matches(struct matches *m, uint32_t name)
{
	if (!m->known[name])
		m->known[name] = fnmatch(m->s->want->range, jr_str(m->s->p, name), 0) == 0 ? 2 : 1;
	return m->known[name] == 2;
}

/* A numbered step matches by its name ("train") or by its name and number ("train 12"). */
static bool step_matches(struct matches *m, const struct jr_numbered_step *step)
{
	char text[JR_NUM_MAX + 300];
	if (matches(m, step->name))
		return true;
	int n =
		snprintf(text, sizeof(text), "%.299s %" PRId64, jr_str(m->s->p, step->name), step->number);
	return n > 0 && fnmatch(m->s->want->range, text, 0) == 0;
}

static uint32_t first_session(const struct jr_profile *p, uint32_t process)
{
	return process < p->n_processes ? p->processes[process].first_session : 0;
}

static uint32_t process_of_thread(const struct jr_profile *p, uint32_t thread)
{
	return first_session(p, thread < p->n_host_threads ? p->host_thread_process[thread] : 0);
}

/* A range with the threads that opened and closed it. */
struct open {
	uint32_t owner; /* process or thread */
	struct jr_span span;
};

JR_ORDER(compare_open, struct open, JR_UP(owner) JR_UP(span.start_ns))

/* Sort ranges by owner and unite those of each. */
static struct jr_spans *unite(
	struct jr_selecting *s, struct open *ranges, size_t n, size_t n_owners)
{
	struct jr_spans *out = JR_ARENA_N(s->scratch, struct jr_spans, n_owners + 1);
	jr_sort(ranges, n, sizeof(*ranges), compare_open);
	for (size_t i = 0, end; i < n; i = end) {
		struct jr_spans *own = &out[ranges[i].owner];
		for (end = i; end < n && ranges[end].owner == ranges[i].owner; end++)
			;
		own->items = JR_ARENA_N(s->scratch, struct jr_span, end - i);
		for (size_t k = i; k < end; k++) {
			struct jr_span span = ranges[k].span, *last = own->n ? &own->items[own->n - 1] : NULL;
			if (last && span.start_ns <= last->end_ns)
				last->end_ns = span.end_ns > last->end_ns ? span.end_ns : last->end_ns;
			else
				own->items[own->n++] = span;
		}
	}
	return out;
}

#define MOST_NAMED 8

/* Append names of ranges that launched work, with most operations first. */
static void put_names(const struct jr_selecting *s, struct jr_buf *out)
{
	const struct jr_profile *p = s->p;
	const struct jr_nvtx_ranges *r = &p->nvtx_ranges;
	uint64_t *n_ops = JR_ARENA_N(s->scratch, uint64_t, p->strings.n + 1);
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++)
		n_ops[r->name[i]] += r->n_ops[i];
	for (size_t i = 0; i < p->n_numbered_steps; i++)
		n_ops[p->numbered_steps[i].name] += 1 + (uint64_t)p->numbered_steps[i].n_spans;
	for (; n < MOST_NAMED; n++) {
		uint32_t best = 0;
		for (uint32_t id = 1; id < p->strings.n; id++)
			if (n_ops[id] > n_ops[best])
				best = id;
		if (!n_ops[best])
			break;
		n_ops[best] = 0;
		jr_buf_printf(out, "%s%.60s", n ? ", " : "", jr_str(p, best));
	}
}

static enum jr_status no_match(const struct jr_selecting *s, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf names = {0};
	put_names(s, &names);
	(void)jr_fail(err, JR_EUSAGE, "--range '%s': no host range of %s has this name%s%s%s",
		s->want->range, s->input, names.size ? ". Ranges that launched work: " : "",
		names.size ? names.data : "", names.size ? "." : ", and none launched work.");
	return JR_EUSAGE;
}

/* Several threads of a process with matching ranges: nothing shows which of them launched an
 * execution. */
static void tell_threads(const struct jr_selecting *s, const struct open *by_thread, size_t n)
{
	struct jr_profile *p = s->p;
	struct jr_map first = {0}; /* process -> thread */
	uint64_t n_others = 0;
	uint32_t last = JR_NONE;
	for (size_t i = 0; i < n; i++) {
		uint32_t thread = by_thread[i].owner, process = process_of_thread(p, thread);
		if (thread == last)
			continue;
		last = thread;
		n_others += jr_map_get(&first, process) != JR_NONE;
		jr_map_put(&first, process, thread);
	}
	jr_map_done(&first);
	if (n_others && p->modules.n)
		jr_profile_guess(p, "ranges-of-threads", n_others,
			"several threads of a process have ranges that match --range. The thread that launched "
			"an execution of a module is not known, so it belongs to the ranges of all of them");
}

enum jr_status jr_select_ranges(struct jr_selecting *s, struct jr_error *err)
{
	struct jr_profile *p = s->p;
	const struct jr_nvtx_ranges *r = &p->nvtx_ranges;
	struct matches m = {s, JR_ARENA_N(s->scratch, uint8_t, p->strings.n + 1)};
	size_t n = 0, n_threads = 0, n_matches = 0;
	if (!(p->tells & (JR_TELLS_RANGES | JR_TELLS_STEPS)))
		return jr_fail(err, JR_EUSAGE,
			"--range: %s does not contain single host ranges. They are in Nsight Systems exports "
			"and traces of jax.profiler.",
			s->input);
	struct open *of_process = JR_ARENA_N(s->scratch, struct open, r->n + p->n_numbered_steps + 1);
	struct open *of_thread = JR_ARENA_N(s->scratch, struct open, 2 * r->n + 1);
	s->range_rows = JR_ARENA_N(s->scratch, uint8_t, r->n + 1);
	for (size_t i = 0; i < r->n; i++) {
		if (r->kind[i] == JR_NVTX_MARK || !matches(&m, r->name[i]))
			continue;
		struct jr_span span = {r->start_ns[i], r->start_ns[i] + r->dur_ns[i] + 1};
		s->range_rows[i] = 1;
		n_matches++;
		of_process[n++] = (struct open){process_of_thread(p, r->thread[i]), span};
		of_thread[n_threads++] = (struct open){r->thread[i], span};
		if (r->end_thread[i] != r->thread[i])
			of_thread[n_threads++] = (struct open){r->end_thread[i], span};
	}
	for (size_t i = 0; i < p->n_numbered_steps; i++) {
		const struct jr_numbered_step *step = &p->numbered_steps[i];
		if (!step_matches(&m, step))
			continue;
		n_matches += n_threads == 0; /* exports list them as ranges, too */
		of_process[n++] =
			(struct open){first_session(p, step->process), {step->start_ns, step->end_ns + 1}};
	}
	if (!n)
		return no_match(s, err);
	s->range_processes = unite(s, of_process, n, p->n_processes);
	s->range_threads = unite(s, of_thread, n_threads, p->n_host_threads);
	tell_threads(s, of_thread, n_threads);
	jr_buf_printf(
		&s->text, "%shost ranges “%s” (%zu)", s->text.size ? ", " : "", s->want->range, n_matches);
	return JR_OK;
}

bool jr_selects_in_range(const struct jr_selecting *s, uint32_t thread, int64_t t_ns)
{
	const struct jr_profile *p = s->p;
	if (!s->range_processes)
		return true;
	if (thread < p->n_host_threads && s->range_threads[thread].n)
		return jr_spans_contain(&s->range_threads[thread], t_ns);
	return jr_spans_contain(&s->range_processes[process_of_thread(p, thread)], t_ns);
}

/* --- projection ------------------------------------------------------------------------------- */

/* The launch of an operation. */
struct launch {
	uint32_t thread, op;
	int64_t at_ns;
};

JR_ORDER(compare_launches, struct launch, JR_UP(thread) JR_UP(at_ns) JR_UP(op))

/* What operations reach, over some of the launches. */
struct reach {
	int64_t start_ns, end_ns; /* of selected operations */
	uint64_t devices;         /* 1 << row of devices, or'ed; the highest bit: rows from 63 on */
	uint32_t n, n_left_out;
};

static struct reach joined(const struct reach *a, const struct reach *b)
{
	return (struct reach){a->start_ns < b->start_ns ? a->start_ns : b->start_ns,
		a->end_ns > b->end_ns ? a->end_ns : b->end_ns, a->devices | b->devices, a->n + b->n,
		a->n_left_out + b->n_left_out};
}

static const struct reach nothing = {INT64_MAX, INT64_MIN, 0, 0, 0};

/* A binary tree over the launches: node i joins nodes 2 i and 2 i + 1, leaves begin at n. */
struct tree {
	size_t n;
	struct launch *launches;
	struct reach *nodes; /* [2 n] */
};

static void plant(const struct jr_selecting *s, struct tree *t)
{
	const struct jr_profile *p = s->p;
	const struct jr_gpu_ops *g = &p->gpu_ops;
	t->launches = JR_ARENA_N(s->scratch, struct launch, g->n + 1);
	for (uint32_t i = 0; i < g->n; i++)
		if (g->call[i] != JR_NONE)
			t->launches[t->n++] = (struct launch){
				p->api_calls.thread[g->call[i]], i, p->api_calls.start_ns[g->call[i]]};
	jr_sort(t->launches, t->n, sizeof(*t->launches), compare_launches);
	t->nodes = JR_ARENA_N(s->scratch, struct reach, 2 * t->n + 1);
	for (size_t i = 0; i < t->n; i++) {
		uint32_t op = t->launches[i].op, device = g->device[op];
		struct reach *leaf = &t->nodes[t->n + i];
		*leaf = nothing;
		if (s->ops[op])
			leaf->n_left_out = 1;
		else
			*leaf = (struct reach){g->start_ns[op], g->start_ns[op] + g->dur_ns[op],
				device < 63 ? UINT64_C(1) << device : JR_FAR_DEVICES, 1, 0};
	}
	for (size_t i = t->n; i-- > 1;)
		t->nodes[i] = joined(&t->nodes[2 * i], &t->nodes[2 * i + 1]);
}

/* Return the first launch of a thread at or after t. */
static size_t first_launch(const struct tree *t, uint32_t thread, int64_t t_ns)
{
	size_t lo = 0, hi = t->n;
	JR_SEARCH(lo, hi, mid,
		t->launches[mid].thread < thread ||
			(t->launches[mid].thread == thread && t->launches[mid].at_ns < t_ns));
	return lo;
}

/* Return what the launches of a thread in [start, end] reach. */
static struct reach reach_of(
	const struct tree *t, uint32_t thread, int64_t start_ns, int64_t end_ns)
{
	struct reach out = nothing;
	size_t lo = first_launch(t, thread, start_ns) + t->n;
	size_t hi = first_launch(t, thread, end_ns + 1) + t->n;
	for (; lo < hi; lo /= 2, hi /= 2) {
		if (lo & 1)
			out = joined(&out, &t->nodes[lo++]);
		if (hi & 1)
			out = joined(&out, &t->nodes[--hi]);
	}
	return out;
}

void jr_select_project(struct jr_selecting *s)
{
	struct jr_profile *p = s->p;
	struct jr_nvtx_ranges *r = &p->nvtx_ranges;
	struct tree t = {0};
	JR_CLEANUP(jr_map_done) struct jr_map known = {0};
	s->emptied = JR_ARENA_N(s->scratch, uint8_t, r->n + 1);
	plant(s, &t);
	for (size_t i = 0; i < r->n; i++) {
		int64_t end_ns = r->start_ns[i] + r->dur_ns[i];
		if (!r->n_ops[i])
			continue;
		struct reach reach = reach_of(&t, r->thread[i], r->start_ns[i], end_ns);
		if (r->end_thread[i] != r->thread[i]) {
			struct reach more = reach_of(&t, r->end_thread[i], r->start_ns[i], end_ns);
			reach = joined(&reach, &more);
		}
		if (!reach.n_left_out)
			continue;
		s->emptied[i] = !reach.n;
		r->n_ops[i] = reach.n;
		if (!reach.n)
			continue;
		bool one = !(reach.devices & (reach.devices - 1)) && !(reach.devices & JR_FAR_DEVICES);
		r->gpu_start_ns[i] = reach.start_ns;
		r->gpu_dur_ns[i] = reach.end_ns - reach.start_ns;
		r->device[i] = one ? (uint32_t)__builtin_ctzll(reach.devices)
						   : jr_profile_device_set(p, reach.devices, &known);
	}
}
