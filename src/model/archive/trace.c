#include "model/archive/trace.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/profile/profile.h"

/* The columns of the file, before rows are dropped and parents are resolved. The trace takes over
 * all but `domain` and `parent`: rows only move toward the beginning, so its columns are made in
 * place. */
struct raw {
	uint32_t *name, *domain; /* ids of trace->strings, JR_NONE = null */
	int64_t *start, *end, *dur, *id, *parent, *pid, *tid, *ops, *launch;
	uint64_t n_rows;
	struct jr_range_stacks stacks;
};

static enum jr_status read_columns(const struct jr_parquet *pq, const struct jr_limits *limits,
	struct jr_arena *scratch, struct jr_trace *trace, struct raw *raw, struct jr_error *err)
{
	bool classic = jr_parquet_find(pq, "Projected Start") != SIZE_MAX;
	trace->layout = classic ? 'A' : jr_parquet_find(pq, "Domain") != SIZE_MAX ? 'C' : 'B';
	const struct {
		const char *classic, *modern;
		int64_t **out;
		bool must;
	} columns[] = {
		{"Projected Start", "Start", &raw->start, true},
		{"Projected Duration", NULL, &raw->dur, classic},
		{NULL, "End", &raw->end, !classic},
		{"RangeId", "Range ID", &raw->id, true},
		{"ParentId", "Parent ID", &raw->parent, true},
		{"PID", "PID", &raw->pid, false},
		{"TID", "TID", &raw->tid, false},
		{"NumGPUOps", NULL, &raw->ops, false},
		{"Orig Start", NULL, &raw->launch, false},
	};
	raw->n_rows = pq->n_rows;
	raw->stacks = (struct jr_range_stacks){.pq = pq, .arena = scratch};
	for (size_t i = 0; i < JR_COUNT_OF(columns); i++) {
		const char *name = classic ? columns[i].classic : columns[i].modern;
		if (!name)
			continue;
		struct jr_arena *arena = columns[i].out == &raw->parent ? scratch : &trace->arena;
		JR_TRY(jr_parquet_i64(pq, name, arena, columns[i].out, err));
		if (columns[i].must && !*columns[i].out)
			return jr_fail(err, JR_EFORMAT, JR_ARCHIVE_NO_COLUMN, name);
	}
	const char *text = jr_parquet_find(pq, "Name") != SIZE_MAX ? "Name" : "Text";
	JR_TRY(jr_parquet_text(
		pq, text, limits, &trace->strings, &trace->arena, jr_limits_name(limits), &raw->name, err));
	if (!raw->name)
		return jr_fail(err, JR_EFORMAT, JR_ARCHIVE_NO_COLUMN, "Name' or 'Text");
	if (trace->layout == 'C')
		JR_TRY(jr_parquet_text(pq, "Domain", limits, &trace->strings, scratch,
			jr_limits_name(limits), &raw->domain, err));
	return JR_OK;
}

/* Return the row of trace->names for a (domain, text) pair; new pairs are parsed. */
static uint32_t name_row(struct jr_trace *trace, struct jr_map *seen, uint32_t domain,
	uint32_t text, struct jr_buf *joined)
{
	uint64_t key = jr_key2(domain, text);
	uint32_t row = jr_map_get(seen, key);
	if (row != JR_NONE)
		return row;
	const char *s = jr_intern_str(&trace->strings, text);
	size_t n = jr_intern_len(&trace->strings, text);
	joined->size = 0;
	if (domain != JR_NONE && jr_intern_len(&trace->strings, domain)) {
		jr_buf_puts(joined, jr_intern_str(&trace->strings, domain));
		jr_buf_putc(joined, ':');
	}
	jr_buf_add(joined, s, n);
	struct jr_range_name parsed = jr_range_name_parse(joined->data, joined->size);
	struct jr_trace_name *name = &trace->names[trace->n_names];
	*name = (struct jr_trace_name){.kind = parsed.kind,
		.text = jr_intern_put(&trace->strings, joined->data, joined->size),
		.op = jr_intern_put(&trace->strings, parsed.op, parsed.op_len),
		.program_number = parsed.program_number};
	if (parsed.xla > trace->xla)
		trace->xla = parsed.xla;
	row = (uint32_t)trace->n_names++;
	jr_map_put(seen, key, row);
	return row;
}

/* The last pair of a text that was looked up. Nearly all texts have one domain. */
struct last_pair {
	uint32_t domain, row; /* row JR_NONE: none yet */
};

/* Collect one name per distinct (domain, text): at most one per row, in practice far fewer. */
static enum jr_status collect_names(struct jr_trace *trace, const struct raw *raw,
	const uint32_t *source, struct jr_arena *scratch, struct jr_error *err)
{
	struct jr_map seen = {0};
	JR_CLEANUP(jr_buf_done) struct jr_buf joined = {0};
	size_t n_texts = trace->strings.n, distinct = 0;
	struct last_pair *last = JR_ARENA_N(scratch, struct last_pair, n_texts + 1);
	memset(last, 0xFF, n_texts * sizeof(*last));
	for (size_t i = 0; i < trace->n; i++) {
		uint32_t domain = raw->domain ? raw->domain[source[i]] : JR_NONE;
		struct last_pair *of_text = &last[raw->name[source[i]]];
		if (of_text->row != JR_NONE && of_text->domain == domain)
			continue;
		uint64_t key = jr_key2(domain, raw->name[source[i]]);
		if (jr_map_get(&seen, key) == JR_NONE) {
			jr_map_put(&seen, key, 0);
			distinct++;
		}
		*of_text = (struct last_pair){domain, 0};
	}
	jr_map_done(&seen);
	JR_TRY_ARRAY(trace->names, &trace->arena, distinct + 1, err);
	memset(last, 0xFF, n_texts * sizeof(*last));
	for (size_t i = 0; i < trace->n; i++) {
		uint32_t domain = raw->domain ? raw->domain[source[i]] : JR_NONE;
		uint32_t text = raw->name[source[i]];
		if (last[text].row == JR_NONE || last[text].domain != domain)
			last[text] = (struct last_pair){domain, name_row(trace, &seen, domain, text, &joined)};
		trace->name[i] = last[text].row;
	}
	jr_map_done(&seen);
	return JR_OK;
}

/* True if no chain has more links than real ones have: then none is a cycle. */
static bool are_short(const struct jr_trace *trace, uint64_t max_depth)
{
	enum { FEW_LINKS = 8 };
	for (size_t i = 0; i < trace->n; i++) {
		uint64_t links = 0;
		for (uint32_t at = trace->parent[i]; at != JR_NONE; at = trace->parent[at])
			if (++links > max_depth || links > FEW_LINKS)
				return false;
	}
	return true;
}

/* Resolved parent chains may contain cycles or be very deep. Such links are cut, so later walks are
 * short. */
void jr_trace_cut_chains(struct jr_trace *trace, uint64_t max_depth)
{
	enum { NEW, OPEN, DONE };
	if (are_short(trace, max_depth))
		return;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	uint8_t *state = JR_ARENA_N(&scratch, uint8_t, trace->n + 1);
	uint32_t *depth = JR_ARENA_N(&scratch, uint32_t, trace->n + 1);
	uint32_t *chain = JR_ARENA_N(&scratch, uint32_t, trace->n + 1);
	for (size_t i = 0; i < trace->n; i++) {
		size_t n = 0;
		uint32_t at = (uint32_t)i;
		while (at != JR_NONE && state[at] == NEW) {
			state[at] = OPEN;
			chain[n++] = at;
			at = trace->parent[at];
		}
		/* Continue from the outermost new link inward. */
		while (n-- > 0) {
			uint32_t row = chain[n], up = trace->parent[row];
			bool closes = up != JR_NONE && state[up] == OPEN;
			if (closes || (up != JR_NONE && depth[up] + 1 > max_depth)) {
				trace->parent[row] = JR_NONE;
				trace->n_dangling++;
			} else if (up != JR_NONE) {
				depth[row] = depth[up] + 1;
			}
			state[row] = DONE;
		}
	}
}

/* Rows by id. Ids of a profile are nearly consecutive; then a table by id takes a fraction of a
 * map. */
struct rows_by_id {
	int64_t first;
	uint64_t span; /* of the table; 0: there is none, the map is used */
	uint32_t *row; /* [span] row + 1 of each id from `first` on; 0 = none */
	struct jr_map map;
};

static uint32_t row_of_id(const struct rows_by_id *by, int64_t id)
{
	if (!by->span)
		return jr_map_get(&by->map, (uint64_t)id);
	uint64_t at = (uint64_t)id - (uint64_t)by->first;
	return at < by->span ? by->row[at] - 1 : JR_NONE; /* 0 - 1 is JR_NONE */
}

/* Of rows with one id, the first counts. */
static void index_ids(struct jr_trace *trace, struct rows_by_id *by, struct jr_arena *scratch)
{
	int64_t least = INT64_MAX, most = INT64_MIN;
	for (size_t i = 0; i < trace->n; i++) {
		least = trace->range_id[i] < least ? trace->range_id[i] : least;
		most = trace->range_id[i] > most ? trace->range_id[i] : most;
	}
	*by = (struct rows_by_id){.first = least};
	uint64_t beyond = (uint64_t)most - (uint64_t)least;
	if (trace->n && beyond < 4 * (uint64_t)trace->n) {
		by->span = beyond + 1;
		by->row = JR_ARENA_N(scratch, uint32_t, by->span);
	}
	for (size_t i = 0; i < trace->n; i++) {
		if (row_of_id(by, trace->range_id[i]) != JR_NONE)
			trace->n_duplicates++;
		else if (by->span)
			by->row[(uint64_t)trace->range_id[i] - (uint64_t)least] = (uint32_t)i + 1;
		else
			jr_map_put(&by->map, (uint64_t)trace->range_id[i], (uint32_t)i);
	}
}

/* Return the nearest range up the stack of a file row that exists; JR_NONE if there is none. `own`:
 * the id of the row. */
static uint32_t nearest_above(
	struct raw *raw, uint32_t row, int64_t own, const struct rows_by_id *by_id, uint64_t max_depth)
{
	struct jr_stack_walk walk = jr_range_stacks_walk(&raw->stacks, row, max_depth);
	uint32_t found = JR_NONE;
	int64_t id;
	if (!jr_stack_walk_up(&walk, &id) || id != own)
		return JR_NONE;
	while (found == JR_NONE && jr_stack_walk_up(&walk, &id))
		found = row_of_id(by_id, id);
	return found;
}

/* Convert parent ids to rows. */
static void resolve_parents(struct jr_trace *trace, struct raw *raw, const uint32_t *source,
	uint64_t max_depth, struct jr_arena *scratch)
{
	struct rows_by_id by_id;
	index_ids(trace, &by_id, scratch);
	for (size_t i = 0; i < trace->n; i++) {
		int64_t id = raw->parent[source[i]];
		trace->parent[i] = id == INT64_MIN ? JR_NONE : row_of_id(&by_id, id);
		if (id == INT64_MIN || trace->parent[i] != JR_NONE)
			continue;
		trace->parent[i] = nearest_above(raw, source[i], trace->range_id[i], &by_id, max_depth);
		trace->n_adopted += trace->parent[i] != JR_NONE;
		if (trace->parent[i] != JR_NONE)
			continue;
		trace->n_dangling++;
		if (!trace->parent_lost)
			trace->parent_lost = JR_ARENA_N(&trace->arena, uint8_t, trace->n);
		trace->parent_lost[i] = 1;
	}
	jr_map_done(&by_id.map);
	jr_trace_cut_chains(trace, max_depth);
}

/* Column sets B and C were nested by projected times over all streams of a thread. A thunk may
 * therefore have a parent that it only overlaps (formats/README.md, section 1.1). Its new parent is
 * the next range up that contains it or is a module. */
static void repair_nesting(struct jr_trace *trace, struct jr_arena *scratch)
{
	/* Walk the chains of the file, so the result does not depend on the order of rows. */
	const uint32_t *stated = JR_ARENA_COPY(scratch, trace->parent, trace->n, 1);
	for (size_t i = 0; i < trace->n; i++) {
		uint32_t up = stated[i];
		while (up != JR_NONE && trace->names[trace->name[up]].kind != JR_RANGE_MODULE &&
			   (trace->start_ns[up] > trace->start_ns[i] || trace->end_ns[up] < trace->end_ns[i]))
			up = stated[up];
		trace->n_reparented += up != stated[i];
		trace->parent[i] = up;
	}
}

static bool has_name_and_times(const struct raw *raw, size_t row)
{
	return raw->name[row] != JR_NONE && raw->start[row] != INT64_MIN &&
		   (raw->dur ? raw->dur[row] : raw->end[row]) != INT64_MIN;
}

/* Recover missing ids from the stacks, for rows that are otherwise complete. */
static void recover_ids(struct jr_trace *trace, struct raw *raw, uint64_t max_depth)
{
	JR_CLEANUP(jr_map_done) struct jr_map taken = {0};
	for (size_t i = 0; i < raw->n_rows; i++)
		if (raw->id[i] != INT64_MIN)
			jr_map_put(&taken, (uint64_t)raw->id[i], 0);
	for (size_t i = 0; i < raw->n_rows; i++) {
		int64_t id;
		if (raw->id[i] != INT64_MIN || !has_name_and_times(raw, i))
			continue;
		struct jr_stack_walk walk = jr_range_stacks_walk(&raw->stacks, i, max_depth);
		if (!jr_stack_walk_up(&walk, &id) || id == INT64_MIN ||
			jr_map_get(&taken, (uint64_t)id) != JR_NONE)
			continue;
		raw->id[i] = id;
		jr_map_put(&taken, (uint64_t)id, 0);
		trace->n_recovered++;
	}
}

/* Choose the rows to keep: trace->n rows in `source`. */
static void choose_rows(
	struct jr_trace *trace, struct raw *raw, uint32_t *source, uint64_t max_depth)
{
	bool lacks_id = false;
	for (size_t i = 0; i < raw->n_rows; i++) {
		bool has_id = raw->id[i] != INT64_MIN, whole = has_name_and_times(raw, i);
		bool is_range = trace->layout != 'A' || has_id || raw->name[i] != JR_NONE;
		trace->n_ranges += is_range;
		trace->n_unreadable += is_range && (!has_id || !whole);
		lacks_id = lacks_id || (!has_id && whole);
	}
	if (lacks_id)
		recover_ids(trace, raw, max_depth);
	for (size_t i = 0; i < raw->n_rows; i++)
		if (raw->id[i] != INT64_MIN && has_name_and_times(raw, i))
			source[trace->n++] = (uint32_t)i;
}

/* A launch at an impossible time counts as not known. */
static int64_t launch_of(int64_t ns)
{
	return ns < -JR_TIME_MAX_NS || ns > JR_TIME_MAX_NS ? INT64_MAX : ns;
}

/* Take over the columns. */
static enum jr_status take_columns(struct jr_trace *trace, struct raw *raw, struct jr_error *err)
{
	trace->name = raw->name;
	trace->start_ns = raw->start;
	trace->end_ns = raw->dur ? raw->dur : raw->end;
	trace->range_id = raw->id;
	trace->n_gpu_ops = raw->ops;
	trace->launch_ns = raw->launch;
	trace->has_tid = raw->tid != NULL;
	JR_TRY_ARRAY(trace->parent, &trace->arena, trace->n + 1, err);
	trace->pid = raw->pid;
	if (!raw->pid)
		JR_TRY_ARRAY(trace->pid, &trace->arena, trace->n + 1, err);
	trace->tid = raw->tid ? raw->tid : trace->pid;
	return JR_OK;
}

/* Move a row to its place, which is not after it. */
static enum jr_status take_row(
	struct jr_trace *trace, const struct raw *raw, size_t i, uint32_t row, struct jr_error *err)
{
	int64_t start = raw->start[row], end = raw->end ? raw->end[row] : 0;
	if (raw->dur && __builtin_add_overflow(start, raw->dur[row], &end))
		return jr_fail(err, JR_EFORMAT, "row %u: start + duration overflows", row);
	if (end < start)
		return jr_fail(err, JR_EFORMAT, "row %u: range ends before it starts", row);
	if (start < -JR_TIME_MAX_NS || end > JR_TIME_MAX_NS)
		return jr_fail(err, JR_EFORMAT, "row %u: time more than 146 years from 0", row);
	trace->start_ns[i] = start;
	trace->end_ns[i] = end;
	trace->range_id[i] = raw->id[row];
	if (raw->pid)
		trace->pid[i] = raw->pid[row];
	if (raw->tid)
		trace->tid[i] = raw->tid[row];
	if (raw->ops)
		trace->n_gpu_ops[i] = raw->ops[row];
	if (raw->launch)
		trace->launch_ns[i] = launch_of(raw->launch[row]);
	return JR_OK;
}

static enum jr_status fill(struct jr_trace *trace, struct raw *raw, uint64_t max_depth,
	struct jr_arena *scratch, struct jr_error *err)
{
	size_t n = (size_t)raw->n_rows;
	uint32_t *source;
	JR_TRY_ARRAY(source, scratch, n + 1, err);
	choose_rows(trace, raw, source, max_depth);
	JR_TRY(take_columns(trace, raw, err));
	for (size_t i = 0; i < trace->n; i++)
		JR_TRY(take_row(trace, raw, i, source[i], err));
	JR_TRY(collect_names(trace, raw, source, scratch, err));
	resolve_parents(trace, raw, source, max_depth, scratch);
	if (trace->layout != 'A')
		repair_nesting(trace, scratch);
	return JR_OK;
}

enum jr_status jr_trace_read(struct jr_bytes parquet, const struct jr_limits *limits,
	struct jr_trace *trace, struct jr_error *err)
{
	struct jr_trace result = {0};
	struct jr_arena scratch;
	struct jr_parquet pq;
	struct raw raw = {0};
	jr_arena_init(&result.arena, limits->memory_bytes);
	jr_intern_init(&result.strings);
	jr_arena_init(&scratch, limits->memory_bytes);
	enum jr_status status = jr_parquet_open(parquet, limits, &scratch, &pq, err);
	if (status == JR_OK && pq.n_rows >= JR_NONE)
		status = jr_fail(err, JR_ELIMIT, "too many rows");
	if (status == JR_OK)
		status = read_columns(&pq, limits, &scratch, &result, &raw, err);
	if (status == JR_OK)
		status = fill(&result, &raw, limits->depth, &scratch, err);
	jr_arena_done(&scratch);
	if (status == JR_OK)
		*trace = result;
	else
		jr_trace_done(&result);
	return status;
}

void jr_trace_tell(const struct jr_trace *t, struct jr_profile *p)
{
	p->n_rows += t->n_ranges;
	p->n_rows_lost += t->n_unreadable - t->n_recovered;
	if (t->n_duplicates)
		jr_profile_warn(p,
			"%" PRIu64
			" range%s of the trace %s the same ID as another range. nsys 2024.5 and 2024.6 write "
			"this if CUDA graphs are enabled. Profile with "
			"XLA_FLAGS=--xla_gpu_enable_command_buffer= for exact values",
			t->n_duplicates, t->n_duplicates == 1 ? "" : "s",
			t->n_duplicates == 1 ? "has" : "have");
	jr_profile_guess(p, "unreadable-ranges", t->n_unreadable,
		"rows of the trace have no valid ID, name or time. Rows that lack only an ID, and "
		"whose stack contains it, were kept; the others are left out");
	jr_profile_guess(p, "recovered-ranges", t->n_recovered,
		"ranges without an ID were kept with the last ID of their stack of ranges");
	jr_profile_guess(p, "adopted-ranges", t->n_adopted,
		"ranges whose parent is not in the trace were attached to the nearest ancestor in the "
		"trace");
	if (!t->has_tid && t->n)
		jr_profile_guess(p, "no-threads", t->n,
			"the trace does not contain the threads of its ranges. All ranges were assigned to "
			"one thread");
	jr_profile_guess(p, "dangling-parents", t->n_dangling,
		"ranges whose parent is not in the trace count as top-level ranges");
	jr_profile_guess(p, "reparented-thunks", t->n_reparented,
		"thunks outside the time span of their parent thunk were attached to the nearest "
		"ancestor that contains them. This trace was nested by the projected times of all "
		"streams together");
}

void jr_trace_done(struct jr_trace *trace)
{
	if (!trace)
		return;
	jr_intern_done(&trace->strings);
	jr_arena_done(&trace->arena);
	*trace = (struct jr_trace){0};
}
