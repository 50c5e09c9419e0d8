#include "model/build/sessions.h"

#include <string.h>

#include "base/num.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/text.h"
#include "model/export/export.h"

/* Times of rows are relative to the start of the session, or since 1970 like the start itself. */
#define YEAR_2001_NS (INT64_C(978307200) * 1000000000)
/* Longer than any profile. Rows farther from the start of their session are not used. */
#define MOST_NS (INT64_C(1) << 50)

/* --- finding the session ---------------------------------------------------------------------- */

static struct jr_session_rows rows_now(const struct jr_build *build)
{
	const struct jr_profile *p = build->profile;
	return (struct jr_session_rows){.modules = build->modules.n,
		.exports = build->exports.n,
		.compiles = p->compiles.n,
		.memory = p->allocator_events.n,
		.steps = p->n_numbered_steps,
		.spans = p->n_step_spans,
		.faults = p->n_faults,
		.doubts = p->n_doubts,
		.messages = p->n_messages,
		.captures = p->n_captures};
}

/* Find the first start and the last end of its rows. */
static void find_span(const struct jr_source *s, struct jr_session *session)
{
	const struct jr_export *export = s->export;
	session->first_ns = INT64_MAX;
	session->last_ns = INT64_MIN;
	if (export && export->rows.gpu.n + export->rows.calls.n + export->rows.nvtx.n) {
		session->first_ns = export->first_ns;
		session->last_ns = export->last_ns;
	}
	for (size_t i = 0; s->has_trace && i < s->trace.n; i++) {
		if (s->trace.start_ns[i] < session->first_ns)
			session->first_ns = s->trace.start_ns[i];
		if (s->trace.end_ns[i] > session->last_ns)
			session->last_ns = s->trace.end_ns[i];
	}
	if (session->first_ns > session->last_ns)
		session->first_ns = session->last_ns = 0;
}

/* Find the offset that converts times of the session to times since 1970. */
static void find_base(struct jr_session *s)
{
	bool since_1970 = s->first_ns > YEAR_2001_NS;
	int64_t base = since_1970 ? 0 : s->start_unix_ns;
	s->base_ns = base;
	s->known = s->start_unix_ns > YEAR_2001_NS && s->start_unix_ns < 4 * YEAR_2001_NS &&
			   (since_1970 ? s->last_ns < 4 * YEAR_2001_NS
						   : s->first_ns > -MOST_NS && s->last_ns < MOST_NS);
}

/* "report.2", "report_2": return 2, and the length of the text before it. -1: no number at the end.
 */
static int64_t series_number(const char *stem, size_t *length)
{
	size_t n = strlen(stem), end = n;
	int64_t number;
	while (n && jr_is_digit(stem[n - 1]))
		n--;
	*length = n;
	if (n < 2 || n == end || !strchr("._-", stem[n - 1]))
		return -1;
	return jr_parse_i64(stem + n, end - n, &number) ? number : -1;
}

static bool of_one_series(const struct jr_session *a, const struct jr_session *b)
{
	size_t n_a, n_b;
	int64_t x = series_number(a->stem, &n_a), y = series_number(b->stem, &n_b);
	return x >= 0 && y >= 0 && x != y && n_a == n_b && memcmp(a->stem, b->stem, n_a) == 0;
}

static int64_t begin_of(const struct jr_session *s)
{
	return s->base_ns + s->first_ns;
}

static int64_t end_of(const struct jr_session *s)
{
	return s->base_ns + s->last_ns;
}

static bool apart(const struct jr_session *a, const struct jr_session *b)
{
	return end_of(a) <= begin_of(b) || end_of(b) <= begin_of(a);
}

/* Whether the export and a process share a GPU: 1 yes, -1 no, 0 not known. */
static int shares_gpus(
	const struct jr_build *build, const struct jr_export *export, uint32_t process)
{
	int found = 0;
	for (size_t i = 0; i < build->devices.n; i++) {
		const struct jr_device *device = &build->devices.items[i];
		if (device->process != process || !device->uuid)
			continue;
		for (size_t k = 0; k < export->n_devices; k++) {
			if (!export->devices[k].uuid)
				continue;
			const char *uuid = jr_intern_str(&export->rows.strings, export->devices[k].uuid);
			if (strcmp(uuid, jr_str(build->profile, device->uuid)) == 0)
				return 1;
			found = -1;
		}
	}
	return found;
}

static bool same_process(const struct jr_build *build, const struct jr_source *source,
	const struct jr_session *s, const struct jr_session *before)
{
	const struct jr_profile *p = build->profile;
	const struct jr_process *a = &p->processes[s->process], *b = &p->processes[before->process];
	const struct jr_export *export = source->export;
	int gpus = export ? shares_gpus(build, export, b->first_session) : 0;
	bool series = of_one_series(s, before);
	if (a->hostname != b->hostname || a->pid != b->pid || (a->pid < 0 && !a->hostname))
		return false;
	if (gpus < 0 || (gpus == 0 && !a->hostname && !series))
		return false;
	return s->known && before->known ? apart(s, before) : series;
}

void jr_session_begin(struct jr_build *build, const struct jr_source *source, const char *stem)
{
	struct jr_profile *p = build->profile;
	uint32_t process = (uint32_t)p->n_processes - 1;
	struct jr_process *row = &p->processes[process];
	struct jr_session *s = jr_vec_add(&build->sessions);
	*s = (struct jr_session){.process = process,
		.stem = jr_arena_strdup(&p->arena, stem),
		.start_unix_ns = source->start_unix_ns,
		.number = JR_NONE,
		.begin = rows_now(build)};
	find_span(source, s);
	find_base(s);
	row->pid = source->pid > 0 ? source->pid : -1;
	row->start_unix_ns = source->start_unix_ns;
	row->first_session = process;
	uint64_t key = jr_key2(row->hostname, (uint32_t)row->pid);
	uint32_t before = jr_map_get(&build->session_by_process, key);
	s->before = before;
	jr_map_put(&build->session_by_process, key, (uint32_t)build->sessions.n - 1);
	uint32_t first = JR_NONE;
	for (uint32_t i = before; i != JR_NONE; i = build->sessions.items[i].before) {
		const struct jr_session *other = &build->sessions.items[i];
		uint32_t its_first = p->processes[other->process].first_session;
		if (first != JR_NONE && its_first != first)
			continue;
		if (same_process(build, source, s, other))
			first = its_first;
		else if (its_first == first) /* at the same time as another session of the process */
			return;
	}
	if (first != JR_NONE)
		row->first_session = first;
}

void jr_session_identify(struct jr_build *build, const char *label, uint32_t number)
{
	struct jr_session *s = &build->sessions.items[build->sessions.n - 1];
	s->label = jr_arena_strdup(&build->profile->arena, label);
	s->number = number;
}

void jr_session_end(struct jr_build *build)
{
	build->sessions.items[build->sessions.n - 1].end = rows_now(build);
}

/* --- finding the GPU -------------------------------------------------------------------------- */

static bool continues(const struct jr_build *build, uint32_t process, uint32_t earlier)
{
	const struct jr_profile *p = build->profile;
	return process < p->n_processes && earlier < p->n_processes &&
		   p->processes[process].first_session == p->processes[earlier].first_session;
}

/* Return the session that added the row of a process. For parts of an export: the session of the
 * first part. */
static const struct jr_session *session_of(const struct jr_build *build, uint32_t process)
{
	size_t n = build->sessions.n;
	return n == 0 ? NULL : &build->sessions.items[process < n ? process : n - 1];
}

uint32_t jr_session_device(struct jr_build *build, uint32_t process, const struct jr_device *device)
{
	const struct jr_profile *p = build->profile;
	const struct jr_session *now = session_of(build, (uint32_t)p->n_processes - 1);
	const struct jr_process *owner = now ? &p->processes[now->process] : NULL;
	for (uint32_t i = 0; now && i < build->devices.n; i++) {
		const struct jr_device *other = &build->devices.items[i];
		if (other->process >= now->process) /* same input */
			break;
		const struct jr_session *before = session_of(build, other->process);
		bool next = continues(build, now->process, other->process) ||
					continues(build, process, other->process);
		bool one_host = owner->hostname == p->processes[other->process].hostname;
		bool same = device->uuid && other->uuid ? device->uuid == other->uuid
					: !one_host                 ? false
					: device->bus && other->bus
						? device->bus == other->bus && (owner->hostname || next)
						: next && device->id != JR_NONE && device->id == other->id;
		if (!same)
			continue;
		if (next || (now->known && before->known))
			return i;
		jr_profile_guess(build->profile, "one-gpu-twice", 1,
			"GPUs are in several inputs without a recording time; they are listed once per input");
	}
	return JR_NONE;
}

uint32_t jr_session_first_device(const struct jr_build *build, uint32_t process)
{
	const struct jr_profile *p = build->profile;
	if (jr_profile_process(p, process) == process)
		return JR_NONE;
	for (uint32_t i = 0; i < build->devices.n; i++)
		if (continues(build, process, build->devices.items[i].process))
			return i;
	return JR_NONE;
}

/* --- one clock -------------------------------------------------------------------------------- */

JR_ORDER_ROWS(compare_begins, struct jr_session, JR_UP_OF(begin_of))

/* Sort by number in the series. Names without a number keep the order of the command line. */
static int compare_series(const void *a, const void *b, void *arg)
{
	const struct jr_session *rows = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	size_t length;
	int64_t x = series_number(rows[i].stem, &length), y = series_number(rows[j].stem, &length);
	if (x >= 0 && y >= 0 && x != y)
		return x < y ? -1 : 1;
	return (i > j) - (i < j);
}

/* Sessions that overlap, directly or through other sessions, share an epoch. */
static uint32_t epochs_by_time(struct jr_session *rows, const uint32_t *order, size_t n)
{
	uint32_t epoch = 0;
	int64_t reach = INT64_MIN;
	for (size_t i = 0; i < n; i++) {
		struct jr_session *s = &rows[order[i]];
		epoch += i > 0 && begin_of(s) >= reach;
		s->epoch = epoch;
		reach = end_of(s) > reach ? end_of(s) : reach;
	}
	return epoch + 1;
}

/* The first sessions of all processes form one epoch, the second sessions form the next. */
static uint32_t epochs_by_order(
	struct jr_build *build, const uint32_t *order, size_t n, struct jr_arena *scratch)
{
	const struct jr_profile *p = build->profile;
	uint32_t *next = JR_ARENA_N(scratch, uint32_t, p->n_processes + 1), most = 0;
	for (size_t i = 0; i < n; i++) {
		struct jr_session *s = &build->sessions.items[order[i]];
		s->epoch = next[p->processes[s->process].first_session]++;
		most = s->epoch > most ? s->epoch : most;
	}
	return most + 1;
}

/* Start of an execution of the program with most time, per device. Without executions: start of a
 * numbered step, per process. */
struct beat {
	uint32_t of, epoch;
	int64_t start_ns;
};

JR_ORDER(compare_beats, struct beat, JR_UP(of) JR_UP(epoch) JR_UP(start_ns))

struct beats {
	size_t n;
	struct beat *items; /* by `of`, epoch, start */
	int64_t period_ns;  /* median within sessions; 0 = not known */
};

static uint32_t heaviest_program(const struct jr_build *build, struct jr_arena *scratch)
{
	double *sum_ns = JR_ARENA_N(scratch, double, build->programs.n + 1);
	uint32_t best = 0;
	for (size_t i = 0; i < build->modules.n; i++)
		sum_ns[build->modules.items[i].program] += (double)build->modules.items[i].dur_ns;
	for (uint32_t i = 1; i < build->programs.n; i++)
		best = sum_ns[i] > sum_ns[best] ? i : best;
	return best;
}

static void add_beats(const struct jr_build *build, uint32_t program, struct beats *out)
{
	const struct jr_profile *p = build->profile;
	for (size_t k = 0; k < build->sessions.n; k++) {
		const struct jr_session *s = &build->sessions.items[k];
		for (size_t i = s->begin.modules; i < s->end.modules; i++)
			if (build->modules.items[i].program == program)
				out->items[out->n++] = (struct beat){build->modules.items[i].device, s->epoch,
					build->modules.items[i].start_ns + s->shift_ns};
		for (size_t i = s->begin.steps; build->modules.n == 0 && i < s->end.steps; i++)
			if (p->numbered_steps[i].name == p->numbered_steps[0].name)
				out->items[out->n++] = (struct beat){p->processes[s->process].first_session,
					s->epoch, p->numbered_steps[i].start_ns + s->shift_ns};
	}
}

JR_ORDER_OF_VALUES(compare_i64, int64_t)

/* Times are the session times, each already shifted within its epoch. */
static struct beats find_beats(const struct jr_build *build, struct jr_arena *scratch)
{
	size_t most = build->modules.n + build->profile->n_numbered_steps + 1, n = 0;
	struct beats beats = {.items = JR_ARENA_N(scratch, struct beat, most)};
	int64_t *periods = JR_ARENA_N(scratch, int64_t, most);
	add_beats(build, heaviest_program(build, scratch), &beats);
	jr_sort(beats.items, beats.n, sizeof(*beats.items), compare_beats);
	for (size_t i = 1; i < beats.n; i++)
		if (beats.items[i].of == beats.items[i - 1].of &&
			beats.items[i].epoch == beats.items[i - 1].epoch)
			periods[n++] = beats.items[i].start_ns - beats.items[i - 1].start_ns;
	if (n) {
		jr_sort(periods, n, sizeof(*periods), compare_i64);
		beats.period_ns = periods[n / 2];
	}
	return beats;
}

/* Place each epoch after the previous one so that repeating work continues with its usual period.
 * Any other gap would count as idle time that was not observed. */
static int64_t *place_epochs(struct jr_build *build, uint32_t n_epochs, struct jr_arena *scratch)
{
	struct beats beats = find_beats(build, scratch);
	int64_t *offset = JR_ARENA_N(scratch, int64_t, n_epochs + 1);
	int64_t *first = JR_ARENA_N(scratch, int64_t, n_epochs + 1);
	int64_t *last = JR_ARENA_N(scratch, int64_t, n_epochs + 1);
	int64_t *goes_on = JR_ARENA_N(scratch, int64_t, n_epochs + 1); /* shift that keeps the period */
	for (uint32_t e = 0; e < n_epochs; e++) {
		first[e] = INT64_MAX;
		last[e] = goes_on[e] = INT64_MIN;
	}
	for (size_t i = 0; i < build->sessions.n; i++) {
		const struct jr_session *s = &build->sessions.items[i];
		int64_t begin = s->first_ns + s->shift_ns, end = s->last_ns + s->shift_ns;
		first[s->epoch] = begin < first[s->epoch] ? begin : first[s->epoch];
		last[s->epoch] = end > last[s->epoch] ? end : last[s->epoch];
	}
	for (size_t i = 1; i < beats.n && beats.period_ns > 0; i++) {
		const struct beat *a = &beats.items[i - 1], *b = &beats.items[i];
		if (a->of != b->of || a->epoch + 1 != b->epoch)
			continue;
		int64_t way = a->start_ns + beats.period_ns - b->start_ns;
		goes_on[b->epoch] = way > goes_on[b->epoch] ? way : goes_on[b->epoch];
	}
	for (uint32_t e = 1; e < n_epochs; e++) {
		int64_t way = last[e - 1] - first[e];
		offset[e] = offset[e - 1] + (goes_on[e] > way ? goes_on[e] : way);
	}
	return offset;
}

/* Shift sessions within an epoch relative to its earliest session start. */
static void place_within(struct jr_build *build, uint32_t n_epochs, struct jr_arena *scratch)
{
	int64_t *earliest = JR_ARENA_N(scratch, int64_t, n_epochs + 1);
	for (uint32_t e = 0; e < n_epochs; e++)
		earliest[e] = INT64_MAX;
	for (size_t i = 0; i < build->sessions.n; i++) {
		const struct jr_session *s = &build->sessions.items[i];
		if (s->base_ns < earliest[s->epoch])
			earliest[s->epoch] = s->base_ns;
	}
	for (size_t i = 0; i < build->sessions.n; i++) {
		struct jr_session *s = &build->sessions.items[i];
		s->shift_ns = s->base_ns - earliest[s->epoch];
	}
}

static void shift(int64_t *times, size_t begin, size_t end, int64_t by_ns)
{
	for (size_t i = begin; i < end; i++)
		times[i] += by_ns;
}

static void shift_exports(struct jr_build *build, const struct jr_session *s)
{
	for (size_t i = s->begin.exports; i < s->end.exports; i++) {
		struct jr_export_rows *rows = &build->exports.items[i];
		shift(rows->ops.start_ns, 0, rows->ops.n, s->shift_ns);
		shift(rows->calls.start_ns, 0, rows->calls.n, s->shift_ns);
		shift(rows->ranges.start_ns, 0, rows->ranges.n, s->shift_ns);
		shift(rows->ranges.gpu_start_ns, 0, rows->ranges.n, s->shift_ns);
	}
}

static void shift_rows(struct jr_build *build, const struct jr_session *s)
{
	struct jr_profile *p = build->profile;
	int64_t by = s->shift_ns;
	for (size_t i = s->begin.modules; i < s->end.modules; i++) {
		struct jr_module_row *row = &build->modules.items[i];
		row->epoch = s->epoch;
		row->start_ns += by;
		row->launch_ns += row->launch_ns == INT64_MAX ? 0 : by;
	}
	shift_exports(build, s);
	shift(p->compiles.start_ns, s->begin.compiles, s->end.compiles, by);
	shift(p->allocator_events.t_ns, s->begin.memory, s->end.memory, by);
	for (size_t i = s->begin.steps; i < s->end.steps; i++) {
		p->numbered_steps[i].start_ns += by;
		p->numbered_steps[i].end_ns += by;
	}
	for (size_t i = s->begin.spans; i < s->end.spans; i++) {
		p->step_spans[i].start_ns += by;
		p->step_spans[i].end_ns += by;
	}
	for (size_t i = s->begin.faults; i < s->end.faults; i++) {
		p->faults[i].begin_ns += by;
		p->faults[i].end_ns += by;
	}
	for (size_t i = s->begin.doubts; i < s->end.doubts; i++) {
		p->doubts[i].begin_ns += by;
		p->doubts[i].end_ns += by;
	}
	for (size_t i = s->begin.messages; i < s->end.messages; i++)
		p->messages[i].t_ns += by;
	for (size_t i = s->begin.captures; i < s->end.captures; i++) {
		p->captures[i].first_ns += by;
		p->captures[i].last_ns += by;
	}
}

JR_ORDER(compare_steps, struct jr_numbered_step,
	JR_UP(process) JR_UP(start_ns) JR_DOWN(end_ns) JR_UP(thread) JR_UP(first_span))

/* Assign devices and steps to the process instead of one of its sessions. */
static void join_sessions(struct jr_build *build, size_t n_later)
{
	struct jr_profile *p = build->profile;
	for (size_t i = 0; i < build->devices.n; i++) {
		struct jr_device *device = &build->devices.items[i];
		device->process = p->processes[device->process].first_session;
	}
	for (size_t i = 0; i < p->n_numbered_steps; i++)
		p->numbered_steps[i].process = p->processes[p->numbered_steps[i].process].first_session;
	jr_sort(p->numbered_steps, p->n_numbered_steps, sizeof(*p->numbered_steps), compare_steps);
	jr_profile_guess(p, "sessions", n_later,
		"several profiles are of the same process; they follow each other on its devices. The "
		"time between them was not profiled and is left out: each profile begins one step "
		"interval after the last step of the previous one");
}

void jr_sessions_place(struct jr_build *build)
{
	struct jr_profile *p = build->profile;
	size_t n = build->sessions.n, n_known = 0, n_later = 0;
	if (n < 2)
		return;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	uint32_t *order = JR_ARENA_N(&scratch, uint32_t, n), n_epochs = 1;
	for (uint32_t i = 0; i < n; i++) {
		const struct jr_session *s = &build->sessions.items[i];
		order[i] = i;
		n_known += s->known;
		n_later += p->processes[s->process].first_session != s->process;
	}
	bool by_time = n_known == n;
	jr_sort_with(
		order, n, sizeof(*order), by_time ? compare_begins : compare_series, build->sessions.items);
	if (by_time)
		n_epochs = epochs_by_time(build->sessions.items, order, n);
	else if (n_later)
		n_epochs = epochs_by_order(build, order, n, &scratch);
	if (by_time && !n_later && n_epochs > 1)
		jr_profile_guess(p, "times-apart", n_epochs,
			"groups of inputs were recorded at different times; they are shown as if their "
			"recordings began together");
	if (n_later || (by_time && n_epochs == 1)) {
		if (by_time)
			place_within(build, n_epochs, &scratch);
		int64_t *offset = place_epochs(build, n_epochs, &scratch);
		for (size_t i = 0; i < n; i++) {
			struct jr_session *s = &build->sessions.items[i];
			s->shift_ns += offset[s->epoch];
			p->processes[s->process].session = s->epoch;
			shift_rows(build, s);
		}
	}
	if (n_later)
		join_sessions(build, n_later);
}
