#include "analysis/shared/integrity.h"
#include "analysis/core/say.h"
#include "base/cleanup.h"
#include "base/vec.h"
#include "base/text.h"

#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/core/terms.h"

/* --- messages of profilers -------------------------------------------------------------------- */

/* Return true for events whose loss does not make a GPU look idle. */
static bool is_about_others(const char *text)
{
	static const char *const others[] = {
		"NVTX", "OS runtime", "OSRT", "OpenGL", "Vulkan", "CPU", "sampl", "context switch"};
	for (size_t i = 0; i < JR_COUNT_OF(others); i++)
		if (strstr(text, others[i]))
			return true;
	return false;
}

/* Return K for "K events dropped" or "Buffered CUDA events dropped: K", the number next to the
 * word; 1 if there is no number. 0: the message is about something else. */
static uint64_t dropped_of(const char *text)
{
	if (is_about_others(text))
		return 0;
	const char *word = strstr(text, "ropped");
	if (!word)
		return strstr(text, "Not all CUDA events") || strstr(text, "vents were lost") ? 1 : 0;
	const char *at = word + strcspn(word, "0123456789.");
	if (!jr_is_digit(*at)) { /* before the word */
		at = word;
		while (at > text && !jr_is_digit(at[-1]) && at[-1] != '.')
			at--;
		while (at > text && jr_is_digit(at[-1]))
			at--;
	}
	uint64_t n = 0;
	for (; jr_is_digit(*at) && n < UINT64_MAX / 100; at++)
		n = n * 10 + (uint64_t)(*at - '0');
	return n ? n : 1;
}

static void read_messages(const struct jr_profile *p, struct jr_integrity *out)
{
	uint64_t most = 0;
	out->n_told = p->n_dropped_events;
	for (size_t i = 0; i < p->n_messages; i++) {
		const char *text = jr_str(p, p->messages[i].text);
		uint64_t n = dropped_of(text);
		if (n > most) {
			most = n;
			out->told = text;
		}
	}
	if (out->n_told < most)
		out->n_told = most;
}

/* --- time in doubt ---------------------------------------------------------------------------- */

/* Return the time of the device that conclusions are about: its steps, or else all of its
 * operations. */
static struct jr_span window_of(
	const struct jr_step_windows *windows, const struct jr_gpu_time *gpu, size_t device)
{
	const struct jr_step_window *w = &windows->devices[device];
	if (w->program != JR_NONE && w->end_ns > w->begin_ns)
		return (struct jr_span){w->begin_ns, w->end_ns};
	const struct jr_spans *busy = gpu ? &gpu->devices[device] : NULL;
	if (!busy || busy->n == 0)
		return (struct jr_span){0, 0};
	return (struct jr_span){busy->items[0].start_ns, busy->items[busy->n - 1].end_ns};
}

static void unite_doubts(const struct jr_profile *p, const struct jr_doubted *more, size_t n_more,
	struct jr_integrity *out, struct jr_arena *arena)
{
	const struct {
		const struct jr_doubted *items;
		size_t n;
	} lists[] = {{p->doubts, p->n_doubts}, {more, n_more}};
	size_t *n = JR_ARENA_N(arena, size_t, p->n_devices + 1);
	for (size_t k = 0; k < JR_COUNT_OF(lists); k++)
		for (size_t i = 0; i < lists[k].n; i++)
			n[lists[k].items[i].device]++;
	for (size_t d = 0; d < p->n_devices; d++)
		out->doubted[d].items = n[d] ? JR_ARENA_N(arena, struct jr_span, n[d]) : NULL;
	for (size_t k = 0; k < JR_COUNT_OF(lists); k++)
		for (size_t i = 0; i < lists[k].n; i++) {
			const struct jr_doubted *doubt = &lists[k].items[i];
			struct jr_spans *spans = &out->doubted[doubt->device];
			spans->items[spans->n++] = (struct jr_span){doubt->begin_ns, doubt->end_ns};
		}
	for (size_t d = 0; d < p->n_devices; d++)
		if (out->doubted[d].n)
			jr_spans_unite(&out->doubted[d], arena);
}

/* --- kernels without a thunk ------------------------------------------------------------------ */

typedef JR_VEC(struct jr_doubted) doubted_vec;

/* Rows of one device; modules and thunks are sorted by device. */
struct device_rows {
	size_t module, end_module, thunk, end_thunk;
};

static void next_device(const struct jr_profile *p, uint32_t device, struct device_rows *rows)
{
	const struct jr_modules *m = &p->modules;
	rows->module = rows->end_module;
	rows->thunk = rows->end_thunk;
	while (rows->end_module < m->n && m->device[rows->end_module] == device)
		rows->end_module++;
	while (rows->end_thunk < p->thunks.n && jr_thunk_module(p, rows->end_thunk) < rows->end_module)
		rows->end_thunk++;
}

/* Return the union of the executions of a device, or of its thunks. */
static struct jr_spans union_of(
	const struct jr_profile *p, const struct device_rows *rows, bool thunks, struct jr_arena *arena)
{
	const struct jr_modules *m = &p->modules;
	size_t first = thunks ? rows->thunk : rows->module;
	size_t end = thunks ? rows->end_thunk : rows->end_module;
	struct jr_spans spans = {.items = JR_ARENA_N(arena, struct jr_span, end - first + 1)};
	for (size_t i = first; i < end; i++)
		spans.items[spans.n++] =
			thunks ? (struct jr_span){jr_thunk_start_ns(p, i), jr_thunk_end_ns(p, i)}
				   : (struct jr_span){m->start_ns[i], m->start_ns[i] + m->dur_ns[i]};
	if (spans.n)
		jr_spans_unite(&spans, arena);
	return spans;
}

/* A device whose thunks last as long as its operations during executions has no such kernel that
 * matters. Thunks of most profiles do, and their union is not needed then. */
static bool may_have_unassigned(
	const struct jr_profile *p, const struct device_rows *rows, const struct jr_spans *busy)
{
	int64_t busy_ns = 0, thunk_ns = 0;
	size_t near = 0;
	for (size_t i = rows->module; i < rows->end_module; i++)
		busy_ns += jr_spans_within_near(
			busy, p->modules.start_ns[i], p->modules.start_ns[i] + p->modules.dur_ns[i], &near);
	for (size_t i = rows->thunk; i < rows->end_thunk; i++)
		thunk_ns += jr_thunk_dur_ns(p, i);
	return (double)(busy_ns - thunk_ns) > JR_DOUBTFUL * (double)busy_ns;
}

/* Find kernels of a device that ran during an execution, but during none of its thunks: the time
 * that they take looks idle. */
static void find_unassigned(const struct jr_profile *p, const struct jr_gpu_time *gpu,
	uint32_t device, const struct device_rows *rows, struct jr_integrity *out, doubted_vec *doubts)
{
	const struct jr_gpu_ops *ops = &p->gpu_ops;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct jr_spans modules = union_of(p, rows, false, &scratch);
	struct jr_spans thunks = union_of(p, rows, true, &scratch);
	size_t at_module = 0, at_thunk = 0;
	for (size_t k = gpu->first[device]; k < gpu->first[device + 1]; k++) {
		uint32_t i = gpu->order[k];
		int64_t start_ns = ops->start_ns[i], end_ns = start_ns + ops->dur_ns[i];
		if (ops->kind[i] != JR_GPU_KERNEL || !jr_spans_meet(&modules, start_ns, end_ns, &at_module))
			continue;
		out->of[JR_FAULT_UNASSIGNED]++;
		if (jr_spans_meet(&thunks, start_ns, end_ns, &at_thunk))
			continue;
		out->count[JR_FAULT_UNASSIGNED]++;
		*jr_vec_add(doubts) = (struct jr_doubted){device, start_ns, end_ns};
	}
}

/* O(rows): most profiles have no such kernel, and theirs are not even counted. */
static void find_all_unassigned(const struct jr_profile *p, const struct jr_gpu_time *gpu,
	struct jr_integrity *out, doubted_vec *doubts)
{
	struct device_rows rows = {0};
	bool any = false;
	if (!gpu || !p->modules.n)
		return;
	for (uint32_t d = 0; d < p->n_devices && !any; d++) {
		next_device(p, d, &rows);
		any = may_have_unassigned(p, &rows, &gpu->devices[d]);
	}
	out->of[JR_FAULT_UNASSIGNED] = any ? 0 : p->gpu_ops.n;
	rows = (struct device_rows){0};
	for (uint32_t d = 0; d < p->n_devices && any; d++) {
		next_device(p, d, &rows);
		find_unassigned(p, gpu, d, &rows, out, doubts);
	}
}

/* Count per process and name, because clocks may differ. Executions started later than the last one
 * with operations may run after the profile's end. O(ranges) */
static void count_executions(const struct jr_profile *p, struct jr_integrity *out)
{
	const struct jr_nvtx_ranges *t = &p->nvtx_ranges;
	struct jr_map executes = {0}, last = {0}; /* ... -> latest row with operations */
	for (uint32_t i = 0; i < t->n; i++) {
		if (!jr_range_executes(p, &executes, i) || !t->n_ops[i])
			continue;
		uint32_t row = jr_map_get(&last, jr_key2(t->scope[i], t->name[i]));
		if (row == JR_NONE || t->start_ns[i] > t->start_ns[row])
			jr_map_put(&last, jr_key2(t->scope[i], t->name[i]), i);
	}
	for (size_t i = 0; i < t->n; i++) {
		uint32_t row = jr_map_get(&last, jr_key2(t->scope[i], t->name[i]));
		if (row == JR_NONE || t->start_ns[i] > t->start_ns[row])
			continue;
		out->of[JR_FAULT_LOST_EXECUTIONS]++;
		out->count[JR_FAULT_LOST_EXECUTIONS] += !t->n_ops[i];
	}
	jr_map_done(&executes);
	jr_map_done(&last);
}

const struct jr_integrity *jr_integrity_compute(const struct jr_profile *p,
	const struct jr_step_windows *windows, const struct jr_gpu_time *gpu, struct jr_arena *arena)
{
	struct jr_integrity *out = JR_ARENA_NEW(arena, struct jr_integrity);
	out->doubted = JR_ARENA_N(arena, struct jr_spans, p->n_devices + 1);
	memcpy(out->of, p->n_checked, sizeof(out->of));
	out->of[JR_FAULT_LOST_MODULES] = p->selected.any ? p->selected.n_thunks : p->thunks.n;
	/* Rows that cannot be read explain this fault and have their own finding. */
	if (jr_ratio((double)p->n_rows_lost, (double)p->n_rows) < JR_DOUBTFUL || p->n_rows == 0)
		out->count[JR_FAULT_LOST_MODULES] = p->n_thunks_outside;
	for (size_t i = 0; i < p->n_faults; i++)
		out->count[p->faults[i].kind] += p->faults[i].count;
	read_messages(p, out);
	count_executions(p, out);
	doubted_vec unassigned = {0};
	find_all_unassigned(p, gpu, out, &unassigned);
	unite_doubts(p, unassigned.items, unassigned.n, out, arena);
	jr_vec_done(&unassigned);
	double doubted_ns = 0, others_ns = 0, all_ns = 0;
	for (size_t d = 0; d < p->n_devices; d++) {
		struct jr_span window = window_of(windows, gpu, d);
		all_ns += (double)(window.end_ns - window.start_ns);
		if (out->doubted[d].n)
			doubted_ns += (double)jr_spans_within(&out->doubted[d], window.start_ns, window.end_ns);
		others_ns += (double)jr_left_out_ns(&p->selected, d, window.start_ns, window.end_ns);
	}
	out->step_share = all_ns > 0 ? doubted_ns / all_ns : 0;
	out->others_share = all_ns > 0 ? others_ns / all_ns : 0;
	/* It is unknown which events are missing, or steps lack executions. */
	if (jr_integrity_lacks_events(out) ||
		jr_integrity_share(out, JR_FAULT_LOST_MODULES) >= JR_DOUBTFUL ||
		jr_integrity_share(out, JR_FAULT_LOST_EXECUTIONS) >= JR_DOUBTFUL)
		out->step_share = 1;
	return out;
}

bool jr_integrity_early(const struct jr_profile *p, size_t device)
{
	for (size_t i = 0; i < p->n_faults; i++)
		if (p->faults[i].kind == JR_FAULT_BEFORE_LAUNCH && p->faults[i].device == device &&
			jr_ratio((double)p->faults[i].count, (double)p->faults[i].of) >= 0.01)
			return true;
	return false;
}

#define DAY_NS INT64_C(86400000000000)

/* --- sentences -------------------------------------------------------------------------------- */

double jr_integrity_share(const struct jr_integrity *in, enum jr_fault_kind kind)
{
	return in->of[kind] ? (double)in->count[kind] / (double)in->of[kind] : in->count[kind] ? 1 : 0;
}

const char *jr_integrity_words(
	enum jr_fault_kind kind, uint64_t count, uint64_t of, int64_t most_ns, struct jr_arena *arena)
{
	char n[JR_NUM_MAX], all[JR_NUM_MAX], most[JR_NUM_MAX];
	jr_num_grouped_i64(n, (int64_t)count);
	jr_num_grouped_i64(all, (int64_t)of);
	jr_num_time(most, (double)most_ns);
	if (kind == JR_FAULT_FAR && most_ns >= 2 * DAY_NS)
		jr_num_grouped_i64(most, most_ns / DAY_NS);
	const char *days = kind == JR_FAULT_FAR && most_ns >= 2 * DAY_NS ? " days" : "";
	bool one = count == 1;
	switch (kind) {
	case JR_FAULT_LOST_KERNELS:
		return jr_arena_printf(
			arena, "%s of %s kernel launches %s no kernel record", n, all, one ? "has" : "have");
	case JR_FAULT_LOST_NODES:
		return jr_arena_printf(arena, "%s of %s graph replays %s fewer kernel records than usual",
			n, all, one ? "has" : "have");
	case JR_FAULT_LOST_COPIES:
		return jr_arena_printf(arena,
			"%s of %s calls that copy or set memory %s no " JR_GPU " record", n, all,
			one ? "has" : "have");
	case JR_FAULT_LOST_LAUNCHES:
		return jr_arena_printf(
			arena, "%s of %s kernels %s no record of a launch", n, all, one ? "has" : "have");
	case JR_FAULT_LOST_MODULES:
		return jr_arena_printf(arena,
			"%s of %s thunks %s outside any recorded execution of a module", n, all,
			one ? "is" : "are");
	case JR_FAULT_LOST_EXECUTIONS:
		return jr_arena_printf(arena,
			"%s of %s executions that the host started %s no record of a " JR_GPU " operation", n,
			all, one ? "has" : "have");
	case JR_FAULT_UNASSIGNED:
		return jr_arena_printf(arena, "%s of %s kernels of modules belong%s to no instruction", n,
			all, one ? "s" : "");
	case JR_FAULT_MERGED:
		return jr_arena_printf(arena, "%s of %s executions of modules may be several", n, all);
	case JR_FAULT_COVERING:
		return jr_arena_printf(arena,
			"%s of %s " JR_GPU " records overlap%s the next record of %s stream, by up to %s", n,
			all, one ? "s" : "", one ? "its" : "their", most);
	case JR_FAULT_BEFORE_LAUNCH:
		return jr_arena_printf(arena,
			"%s of %s " JR_GPU " operations start%s before %s launch, by up to %s", n, all,
			one ? "s" : "", one ? "its" : "their", most);
	case JR_FAULT_TIMELESS:
		return jr_arena_printf(
			arena, "%s of %s " JR_GPU " records %s no times", n, all, one ? "has" : "have");
	case JR_FAULT_FAR:
		return jr_arena_printf(arena, "%s of %s records lie%s more than %s%s from all others", n,
			all, one ? "s" : "", most, days);
	case JR_FAULT_CUT:
		return of == 1 ? "the input is cut short"
					   : jr_arena_printf(
							 arena, "%s of %s inputs %s cut short", n, all, one ? "is" : "are");
	case JR_FAULT_UNREADABLE:
		return of == 1
				   ? "a table of " JR_GPU " operations cannot be read"
				   : jr_arena_printf(arena,
						 "%s of %s inputs lack%s a table of " JR_GPU " operations that can be read",
						 n, all, one ? "s" : "");
	default: return "";
	}
}

const char *jr_integrity_mark(
	const struct jr_integrity *in, const struct jr_profile *p, struct jr_arena *arena)
{
	if (in->n_told) {
		return in->n_told == 1 ? "the profiler reports dropped events"
							   : jr_arena_printf(arena, "the profiler dropped %s events",
									 jr_count_text(arena, (int64_t)in->n_told));
	}
	for (int kind = 0; kind < JR_N_FAULTS; kind++) {
		double share = jr_integrity_share(in, (enum jr_fault_kind)kind);
		if (in->count[kind] == 0 || fmax(share, in->step_share) < JR_DOUBTFUL)
			continue;
		if (kind == JR_FAULT_LOST_KERNELS && share >= 1) /* the headline already covers it */
			continue;
		int64_t most_ns = 0;
		for (size_t i = 0; i < p->n_faults; i++)
			if ((int)p->faults[i].kind == kind && p->faults[i].most_ns > most_ns)
				most_ns = p->faults[i].most_ns;
		return jr_integrity_words(
			(enum jr_fault_kind)kind, in->count[kind], in->of[kind], most_ns, arena);
	}
	return NULL;
}

const char *jr_integrity_no_replay(
	const struct jr_integrity *in, const struct jr_profile *p, struct jr_arena *arena)
{
	if (p->selected.n_elsewhere)
		return "not available, because steps wait for work of other devices that was not selected";
	if (in->others_share >= JR_DOUBTFUL)
		return "not available, because work that was not selected ran during the steps";
	const char *mark = in->step_share < JR_DOUBTFUL ? NULL : jr_integrity_mark(in, p, arena);
	return mark ? jr_arena_printf(arena, "not available, because %s", mark) : NULL;
}
