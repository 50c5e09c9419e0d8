/* Gaps at the first use of code. A program loads and compiles kernels when it first runs them, so
 * these gaps do not predict later steps. */
#include <string.h>

#include "analysis/gpu/gaps.h"
#include "analysis/shared/gpu_time.h"
#include "base/order.h"
#include "base/sort.h"

#define LONGER 4 /* minimum ratio to later gaps before the same kernel */

/* A call that loads code. */
struct load {
	uint32_t thread, name;
	int64_t start_ns;
	int64_t until_ns; /* latest end of this load and of the thread's earlier ones */
};

/* Gaps before runs of a kernel on a device, without the first run. */
struct later {
	int64_t count, gaps_ns;
	bool ran; /* true once the walk over the gaps has passed its first run */
};

struct jr_first_use {
	const struct jr_pass_context *ctx;
	struct load *loads; /* sorted by thread, start */
	size_t n_loads;
	struct later *kernels; /* [gpu_ops.n at most] in order of first appearance */
	uint32_t *kernel_of;   /* [gpu_ops.n] row of kernels; JR_NONE: not a kernel */
	struct jr_map loaded;  /* hash of a load and of the operation after it -> 1 */
	size_t next;           /* all operations before this place have run */
	uint32_t device;
};

bool jr_call_loads(const char *name)
{
	static const char *const words[] = {
		"ModuleLoad", "LibraryLoad", "LinkCreate", "LinkAdd", "LinkComplete", "GraphInstantiate"};
	for (size_t i = 0; i < JR_COUNT_OF(words); i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

JR_ORDER(compare_loads, struct load, JR_UP(thread) JR_UP(start_ns))

static void find_loads(struct jr_first_use *f)
{
	const struct jr_profile *p = f->ctx->profile;
	const struct jr_api_calls *t = &p->api_calls;
	uint8_t *known = JR_ARENA_N(f->ctx->scratch, uint8_t, p->strings.n + 1);
	size_t n = 0;
	for (size_t i = 0; i < t->n; i++)
		n += jr_name_is(p, known, t->name[i], jr_call_loads);
	f->loads = JR_ARENA_N(f->ctx->scratch, struct load, n + 1);
	for (size_t i = 0; i < t->n; i++)
		if (jr_name_is(p, known, t->name[i], jr_call_loads))
			f->loads[f->n_loads++] = (struct load){
				t->thread[i], t->name[i], t->start_ns[i], t->start_ns[i] + t->dur_ns[i]};
	jr_sort(f->loads, f->n_loads, sizeof(*f->loads), compare_loads);
	for (size_t i = 1; i < f->n_loads; i++)
		if (f->loads[i].thread == f->loads[i - 1].thread &&
			f->loads[i].until_ns < f->loads[i - 1].until_ns)
			f->loads[i].until_ns = f->loads[i - 1].until_ns;
}

/* Return the thread's last load that begins before `to_ns`; NULL if no load ends after
 * `from_ns`. */
static const struct load *load_within(
	const struct jr_first_use *f, uint32_t thread, int64_t from_ns, int64_t to_ns)
{
	size_t low = 0, high = f->n_loads; /* the first load not before (thread, to_ns) */
	JR_SEARCH(low, high, middle,
		f->loads[middle].thread != thread ? f->loads[middle].thread < thread
										  : f->loads[middle].start_ns < to_ns);
	if (low == 0 || f->loads[low - 1].thread != thread || f->loads[low - 1].until_ns <= from_ns)
		return NULL;
	return &f->loads[low - 1];
}

static void find_kernels(struct jr_first_use *f)
{
	const struct jr_profile *p = f->ctx->profile;
	const struct jr_gpu_ops *t = &p->gpu_ops;
	const struct jr_gpu_time *time = f->ctx->gpu;
	struct {
		uint32_t device, row; /* 1 + the last device with a kernel of that name; row of kernels */
	} *known = jr_arena_alloc_n(f->ctx->scratch, p->strings.n + 1, sizeof(*known));
	uint32_t n = 0;
	f->kernels = JR_ARENA_N(f->ctx->scratch, struct later, t->n + 1);
	f->kernel_of = JR_ARENA_N(f->ctx->scratch, uint32_t, t->n + 1);
	for (uint32_t d = 0; d < p->n_devices; d++) {
		int64_t end_ns = INT64_MAX;
		for (size_t i = time->first[d]; i < time->first[d + 1]; i++) {
			uint32_t row = time->order[i], kernel = JR_NONE;
			int64_t start_ns = t->start_ns[row], end = start_ns + t->dur_ns[row];
			if (t->kind[row] == JR_GPU_KERNEL) {
				kernel = known[t->name[row]].row;
				if (known[t->name[row]].device != d + 1) {
					kernel = n++;
					known[t->name[row]].device = d + 1;
					known[t->name[row]].row = kernel;
				} else {
					f->kernels[kernel].count++;
					f->kernels[kernel].gaps_ns += start_ns > end_ns ? start_ns - end_ns : 0;
				}
			}
			f->kernel_of[row] = kernel;
			end_ns = end_ns == INT64_MAX || end > end_ns ? end : end_ns;
		}
	}
}

struct jr_first_use *jr_first_use_new(const struct jr_pass_context *ctx)
{
	struct jr_first_use *f = JR_ARENA_NEW(ctx->scratch, struct jr_first_use);
	f->ctx = ctx;
	f->device = JR_NONE;
	find_loads(f);
	find_kernels(f);
	return f;
}

/* Mark kernels that begin before the end of the gap as run. */
static void run_until(struct jr_first_use *f, const struct jr_gap *gap)
{
	const struct jr_gpu_time *time = f->ctx->gpu;
	if (f->device != gap->device) {
		f->device = gap->device;
		f->next = time->first[gap->device];
	}
	for (; time->order[f->next] != gap->after; f->next++) {
		uint32_t kernel = f->kernel_of[time->order[f->next]];
		if (kernel != JR_NONE)
			f->kernels[kernel].ran = true;
	}
}

/* A graph that is rebuilt before each launch costs time in every step, so only its first load
 * counts. */
static bool loaded_before(struct jr_first_use *f, const struct load *load, const struct jr_gap *gap)
{
	const struct jr_gpu_ops *t = &f->ctx->profile->gpu_ops;
	bool copy = t->kind[gap->after] == JR_GPU_COPY;
	uint64_t key[3] = {jr_key2(load->name, gap->device),
		jr_key2(t->kind[gap->after], t->name[gap->after]),
		copy ? jr_gpu_copy_kind(t->config[gap->after]) : 0};
	uint64_t hash = jr_hash(key, sizeof(key), jr_hash_seed());
	bool before = jr_map_get(&f->loaded, hash) != JR_NONE;
	jr_map_put(&f->loaded, hash, 1);
	return before;
}

bool jr_first_use_is(struct jr_first_use *f, const struct jr_gap *gap)
{
	const struct jr_profile *p = f->ctx->profile;
	uint32_t call = p->gpu_ops.call[gap->after], kernel = f->kernel_of[gap->after];
	run_until(f, gap);
	bool first = kernel != JR_NONE && !f->kernels[kernel].ran;
	if ((gap->cause != JR_GAP_HOST && gap->cause != JR_GAP_LAUNCH) || call == JR_NONE)
		return false;
	const struct load *load =
		load_within(f, p->api_calls.thread[call], gap->start_ns, gap->start_ns + gap->dur_ns);
	if (load && !loaded_before(f, load, gap))
		return true;
	if (!first || gap->dur_ns < JR_GAP_LONG_NS)
		return false;
	const struct later *later = &f->kernels[kernel];
	return (double)gap->dur_ns * (double)later->count >= LONGER * (double)later->gaps_ns;
}

void jr_first_use_done(struct jr_first_use *f)
{
	jr_map_done(&f->loaded);
}
