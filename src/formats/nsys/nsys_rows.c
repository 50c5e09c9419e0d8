/* The large tables: one loop over columns with fixed positions. A text is not read per row if the
 * file has an id for it. Each table has a function for its columns other than times. */
#include "formats/nsys/nsys_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

void jr_nsys_ids_done(struct jr_nsys_ids *ids)
{
	jr_vec_done(&ids->list);
	jr_map_done(&ids->rows);
}

/* --- common loop ------------------------------------------------------------------------------ */

struct column {
	void *pointer; /* address of the pointer to the values; any element type */
	size_t size;
};

#define COLUMN(field)                                                                              \
	{                                                                                              \
		&(field), sizeof(*(field))                                                                 \
	}
#define ACTIVITY(kind) "CUPTI_ACTIVITY_KIND_" kind

/* Destination of rows: columns that grow together, start and end first. */
struct rows {
	struct jr_nsys_part *part; /* first member of the part that `take` fills */
	const struct column *columns;
	size_t n_columns, *n, capacity;
};

/* Source of rows: start and end first. */
struct table {
	const char *name;
	const char *const *columns;
	size_t n_columns, n_must;
	bool may_be_open;
	/* Return true if the event only names something; its row is then done. NULL: no such events. */
	bool (*names)(struct jr_nsys_part *part, const struct jr_nsys_scan *scan);
	/* Fill row i except its times, which are set. If rows are not kept, add the row to sums. False:
	 * the row is left out, because its size is impossible or makes the sum exceed 64 bits. */
	bool (*take)(struct jr_nsys_part *part, const struct jr_nsys_scan *scan, size_t i, int kind);
	int kind; /* for `take` */
	bool keeps_rows;
};

/* Make room for `wanted` rows in all columns; existing rows are copied. The arena keeps the old
 * arrays: thanks to the hint this usually happens once. */
static enum jr_status make_room(struct rows *r, uint64_t wanted, struct jr_error *err)
{
	for (size_t i = 0; i < r->n_columns; i++) {
		void *grown = jr_arena_array(&r->part->arena, wanted, r->columns[i].size, err);
		if (!grown)
			return JR_ELIMIT;
		const void *before;
		memcpy(&before, r->columns[i].pointer, sizeof(before));
		jr_copy(grown, before, *r->n * r->columns[i].size);
		memcpy(r->columns[i].pointer, &grown, sizeof(grown));
	}
	r->capacity = (size_t)wanted;
	return JR_OK;
}

/* Read the times of a row: integers, in order. False: the row is left out. */
static bool take_times(struct jr_nsys_part *part, const struct jr_nsys_scan *scan, int64_t *start,
	int64_t *end, bool may_be_open)
{
	*start = jr_nsys_i64(scan, 0);
	*end = jr_nsys_i64(scan, 1);
	enum jr_nsys_type end_type = jr_nsys_type(scan, 1);
	bool good = jr_nsys_type(scan, 0) == JR_NSYS_INTEGER && *start >= -JR_TIME_MAX_NS &&
				*start <= JR_TIME_MAX_NS;
	if (may_be_open && end_type == JR_NSYS_NULL)
		*end = JR_TIMELINE_OPEN;
	else
		good = good && end_type == JR_NSYS_INTEGER && *end >= *start && *end <= JR_TIME_MAX_NS;
	part->n_bad_rows += !good;
	return good;
}

static enum jr_status add_duration(struct jr_nsys_part *part, const struct jr_nsys_scan *scan,
	int64_t start, int64_t end, struct jr_error *err)
{
	if (__builtin_add_overflow(part->total_ns, end - start, &part->total_ns))
		return jr_fail(err, JR_EFORMAT, "table %s: durations add up to more than fits in 64 bits",
			scan->table);
	return JR_OK;
}

/* Take rows until there are `most`; *ended is set at the end of the table. */
static enum jr_status take_rows(struct rows *r, const struct table *t, struct jr_nsys_scan *scan,
	size_t most, bool *ended, struct jr_error *err)
{
	int64_t **start_ns = r->columns[0].pointer, **end_ns = r->columns[1].pointer;
	uint64_t more = scan->hint;
	bool any = true;
	*ended = false;
	while (*r->n < most && (any = jr_nsys_scan_next(scan))) {
		int64_t start, end;
		if (t->names && t->names(r->part, scan))
			continue;
		if (!take_times(r->part, scan, &start, &end, t->may_be_open))
			continue;
		if (end != JR_TIMELINE_OPEN)
			JR_TRY(add_duration(r->part, scan, start, end, err));
		size_t i = *r->n;
		if (t->keeps_rows) {
			if (i == r->capacity) {
				JR_TRY(make_room(r, i + more + 16, err));
				more = r->capacity;
			}
			(*start_ns)[i] = start;
			(*end_ns)[i] = end;
			*r->n += 1;
		}
		if (!t->take(r->part, scan, i, t->kind)) {
			*r->n = i;
			r->part->n_bad_rows++;
		}
	}
	*ended = !any;
	return *ended ? jr_nsys_scan_stopped(scan, err) : JR_OK;
}

static bool take_operation(
	struct jr_nsys_part *part, const struct jr_nsys_scan *scan, size_t i, int kind);

/* A table that is a view, or lacks a column, is left out: the others can be read without it. */
static enum jr_status read_table(const struct jr_nsys_tables *tables, struct rows *r,
	const struct table *t, struct jr_error *err)
{
	struct jr_nsys_scan scan;
	struct jr_nsys_part *part = r->part;
	struct jr_error why = {0};
	enum jr_status status =
		jr_nsys_scan_begin(tables, t->name, t->columns, t->n_columns, t->n_must, &scan, &why);
	bool ended;
	if (status == JR_EUNSUPPORTED) {
		assert(part->n_left_out < JR_NSYS_PART_TABLES);
		part->left_out[part->n_left_out++] = why;
		part->lacks_operations |= t->take == take_operation;
		status = JR_OK;
	} else if (status != JR_OK && err) {
		*err = why;
	} else if (status == JR_OK && scan.found) {
		r->part->present |= t->keeps_rows;
		status = take_rows(r, t, &scan, SIZE_MAX, &ended, err);
	}
	jr_nsys_scan_end(&scan);
	return status;
}

static enum jr_status read_tables(
	struct rows *r, const struct table *tables, size_t n, struct jr_error *err)
{
	JR_CLEANUP(jr_nsys_tables_close) struct jr_nsys_tables open = {0};
	JR_TRY(jr_nsys_tables_open(r->part->file, &open, err));
	open.in_blocks = true;
	for (size_t i = 0; i < n; i++)
		JR_TRY(read_table(&open, r, &tables[i], err));
	return JR_OK;
}

/* --- CUPTI_ACTIVITY_KIND_RUNTIME -------------------------------------------------------------- */

static bool take_call(
	struct jr_nsys_part *part, const struct jr_nsys_scan *scan, size_t i, int kind)
{
	(void)kind;
	struct jr_timeline_calls *rows = &((struct jr_nsys_calls_part *)part)->rows;
	rows->thread[i] = jr_nsys_id_row(&part->ids, jr_nsys_i64(scan, 2));
	rows->correlation[i] = jr_nsys_u32(scan, 3);
	rows->name[i] = jr_nsys_text_by_id(part->texts, scan, 4);
	return true;
}

static const char *const call_columns[] = {"start", "end", "globalTid", "correlationId", "nameId"};
static const struct table call_table = {ACTIVITY("RUNTIME"), call_columns,
	JR_COUNT_OF(call_columns), 2, false, NULL, take_call, 0, true};

#define MOST_COLUMNS 11

static struct rows call_rows(struct jr_nsys_calls_part *p, struct column into[MOST_COLUMNS])
{
	struct jr_timeline_calls *to = &p->rows;
	const struct column columns[] = {COLUMN(to->start_ns), COLUMN(to->end_ns), COLUMN(to->thread),
		COLUMN(to->correlation), COLUMN(to->name)};
	memcpy(into, columns, sizeof(columns));
	return (struct rows){&p->part, into, JR_COUNT_OF(columns), &to->n, 0};
}

enum jr_status jr_nsys_read_calls(struct jr_nsys_calls_part *p, struct jr_error *err)
{
	struct column into[MOST_COLUMNS];
	struct rows rows = call_rows(p, into);
	return read_tables(&rows, &call_table, 1, err);
}

/* --- NVTX_EVENTS ------------------------------------------------------------------------------ */

enum { N_START, N_END, N_TYPE, N_TEXT, N_TEXT_ID, N_THREAD, N_DOMAIN, N_CATEGORY, N_END_THREAD };

/* ENUM_NSYS_EVENT_TYPE; the forms with "t" in their name come from nvtxt files. */
enum event_type {
	EVENT_CATEGORY = 33,
	EVENT_MARK = 34,
	EVENT_THREAD_NAME = 39,
	EVENT_PUSH_POP = 59,
	EVENT_START_END = 60,
	EVENT_T_CATEGORY = 64,
	EVENT_T_MARK = 65,
	EVENT_T_PUSH_POP = 70,
	EVENT_T_START_END = 71,
	EVENT_DOMAIN_CREATE = 75,
};

/* Return the text in the row, else the text of its id. */
static uint32_t nvtx_text(struct jr_nsys_nvtx_part *p, const struct jr_nsys_scan *scan)
{
	if (jr_nsys_type(scan, N_TEXT) != JR_NSYS_TEXT)
		return jr_nsys_text_by_id(p->part.texts, scan, N_TEXT_ID);
	struct jr_bytes in_row = jr_nsys_text(scan, N_TEXT);
	const char *text = in_row.data ? (const char *)in_row.data : "";
	size_t n = p->options->shorten ? p->options->shorten(text, in_row.size) : in_row.size;
	return jr_intern_foreign(
			   &p->inline_texts, text, n, jr_limits_name(p->part.file->limits), &p->n_long_texts) |
		   JR_NSYS_INLINE;
}

static uint32_t scope_row(
	struct jr_nsys_nvtx_part *p, int64_t thread, int64_t domain, int64_t category)
{
	if (domain == 0 && category == 0)
		return 0;
	int64_t process = thread & ~INT64_C(0xFFFFFF);
	uint64_t key[3] = {(uint64_t)process, (uint64_t)domain, (uint64_t)category};
	/* Scopes with equal hashes take the next free hash. */
	for (uint64_t hash = jr_hash(key, sizeof(key), p->part.seed);; hash++) {
		uint32_t row = jr_map_get(&p->scope_rows, hash);
		if (row == JR_NONE) {
			row = (uint32_t)p->scopes.n;
			*jr_vec_add(&p->scopes) = (struct jr_timeline_scope){
				.process = process, .domain = domain, .category = category};
			jr_map_put(&p->scope_rows, hash, row);
			return row;
		}
		const struct jr_timeline_scope *known = &p->scopes.items[row];
		if (known->process == process && known->domain == domain && known->category == category)
			return row;
	}
}

/* A category belongs to a domain; only a row without a category has the domain's name. */
void jr_nsys_name_domains(struct jr_nsys_nvtx_part *p)
{
	size_t n = p->scopes.n;
	for (size_t i = 0; i < n; i++) {
		struct jr_timeline_scope scope = p->scopes.items[i];
		if (scope.category && scope.domain) {
			uint32_t whole = scope_row(p, scope.process, scope.domain, 0);
			p->scopes.items[i].domain_name = p->scopes.items[whole].domain_name;
		}
	}
}

static int kind_of_event(int64_t type)
{
	switch (type) {
	case EVENT_PUSH_POP:
	case EVENT_T_PUSH_POP: return JR_TIMELINE_PUSH_POP;
	case EVENT_START_END:
	case EVENT_T_START_END: return JR_TIMELINE_START_END;
	case EVENT_MARK:
	case EVENT_T_MARK: return JR_TIMELINE_MARK;
	default: return -1;
	}
}

static bool nvtx_names(struct jr_nsys_part *part, const struct jr_nsys_scan *scan)
{
	struct jr_nsys_nvtx_part *p = (struct jr_nsys_nvtx_part *)part;
	int64_t type = jr_nsys_i64(scan, N_TYPE);
	if (kind_of_event(type) >= 0)
		return false;
	int64_t thread = jr_nsys_i64(scan, N_THREAD), domain = jr_nsys_i64(scan, N_DOMAIN),
			category = jr_nsys_i64(scan, N_CATEGORY);
	if (type == EVENT_DOMAIN_CREATE && domain) {
		uint32_t row = scope_row(p, thread, domain, 0);
		p->scopes.items[row].domain_name = nvtx_text(p, scan);
	} else if ((type == EVENT_CATEGORY || type == EVENT_T_CATEGORY) && category) {
		uint32_t row = scope_row(p, thread, domain, category);
		p->scopes.items[row].category_name = nvtx_text(p, scan);
	} else if (type == EVENT_THREAD_NAME) {
		*jr_vec_add(&p->thread_names) =
			(struct jr_timeline_thread_name){thread, nvtx_text(p, scan)};
	}
	return true;
}

static bool take_nvtx(
	struct jr_nsys_part *part, const struct jr_nsys_scan *scan, size_t i, int kind)
{
	(void)kind;
	struct jr_nsys_nvtx_part *p = (struct jr_nsys_nvtx_part *)part;
	struct jr_timeline_nvtx *rows = &p->rows;
	int64_t thread = jr_nsys_i64(scan, N_THREAD);
	rows->kind[i] = (uint8_t)kind_of_event(jr_nsys_i64(scan, N_TYPE));
	if (rows->kind[i] == JR_TIMELINE_MARK)
		rows->end_ns[i] = rows->start_ns[i];
	bool elsewhere = jr_nsys_type(scan, N_END_THREAD) == JR_NSYS_INTEGER &&
					 jr_nsys_i64(scan, N_END_THREAD) && jr_nsys_i64(scan, N_END_THREAD) != thread;
	rows->ending[i] = rows->kind[i] == JR_TIMELINE_MARK     ? JR_TIMELINE_ENDS
					  : rows->end_ns[i] == JR_TIMELINE_OPEN ? JR_TIMELINE_ENDS_NOT
					  : elsewhere                           ? JR_TIMELINE_ENDS_ELSEWHERE
															: JR_TIMELINE_ENDS;
	rows->thread[i] = jr_nsys_id_row(&part->ids, thread);
	rows->end_thread[i] = rows->ending[i] == JR_TIMELINE_ENDS_ELSEWHERE
							  ? jr_nsys_id_row(&part->ids, jr_nsys_i64(scan, N_END_THREAD))
							  : JR_NONE;
	rows->text[i] = nvtx_text(p, scan);
	rows->scope[i] =
		scope_row(p, thread, jr_nsys_i64(scan, N_DOMAIN), jr_nsys_i64(scan, N_CATEGORY));
	return true;
}

static const char *const nvtx_columns[] = {"start", "end", "eventType", "text", "textId",
	"globalTid", "domainId", "category", "endGlobalTid"};
static const struct table nvtx_table = {"NVTX_EVENTS", nvtx_columns, JR_COUNT_OF(nvtx_columns), 3,
	true, nvtx_names, take_nvtx, 0, true};

static struct rows nvtx_rows(struct jr_nsys_nvtx_part *p, struct column into[MOST_COLUMNS])
{
	struct jr_timeline_nvtx *to = &p->rows;
	const struct column columns[] = {COLUMN(to->start_ns), COLUMN(to->end_ns), COLUMN(to->thread),
		COLUMN(to->text), COLUMN(to->scope), COLUMN(to->kind), COLUMN(to->ending),
		COLUMN(to->end_thread)};
	memcpy(into, columns, sizeof(columns));
	return (struct rows){&p->part, into, JR_COUNT_OF(columns), &to->n, 0};
}

enum jr_status jr_nsys_read_nvtx(struct jr_nsys_nvtx_part *p, struct jr_error *err)
{
	struct column into[MOST_COLUMNS];
	struct rows rows = nvtx_rows(p, into);
	*jr_vec_add(&p->scopes) = (struct jr_timeline_scope){0};
	enum jr_status status = read_tables(&rows, &nvtx_table, 1, err);
	jr_nsys_name_domains(p);
	return status;
}

/* --- GPU operations --------------------------------------------------------------------------- */

enum { G_START, G_END, G_DEVICE, G_STREAM, G_CORRELATION, G_PROCESS, G_FIRST_OF_KIND };
enum {
	K_NAME = G_FIRST_OF_KIND,
	K_SHORT,
	K_GRID,
	K_BLOCK = K_GRID + 3,
	K_REGISTERS = K_BLOCK + 3,
	K_STATIC,
	K_DYNAMIC,
	K_NODE
};
enum { M_BYTES = G_FIRST_OF_KIND, M_KIND, M_SRC, M_DST };

#define GPU_COLUMNS "start", "end", "deviceId", "streamId", "correlationId", "globalPid"

static struct jr_timeline_config config_of(const struct jr_nsys_scan *scan)
{
	struct jr_timeline_config c;
	for (int i = 0; i < 3; i++) {
		c.grid[i] = jr_nsys_u32(scan, K_GRID + i);
		c.block[i] = jr_nsys_u32(scan, K_BLOCK + i);
	}
	c.registers = jr_nsys_u32(scan, K_REGISTERS);
	c.static_shared_bytes = jr_nsys_u32(scan, K_STATIC);
	c.dynamic_shared_bytes = jr_nsys_u32(scan, K_DYNAMIC);
	return c;
}

/* Return the name with arguments, else the short name. */
static uint32_t kernel_name(struct jr_nsys_gpu_part *p, const struct jr_nsys_scan *scan)
{
	uint32_t name = jr_nsys_text_by_id(p->part.texts, scan, K_NAME);
	uint32_t brief = jr_nsys_text_by_id(p->part.texts, scan, K_SHORT);
	if (name == 0)
		name = brief;
	jr_nsys_kernel_named(p, name, brief);
	return name;
}

#define MOST_OF_KIND 255 /* CUDA has no larger numbers */

static uint32_t kind_at(const struct jr_nsys_scan *scan, int column, uint32_t more)
{
	if (jr_nsys_is_null(scan, column))
		return 0;
	int64_t kind = jr_nsys_i64(scan, column);
	return kind >= 0 && kind < MOST_OF_KIND - more ? (uint32_t)kind + more : MOST_OF_KIND;
}

static bool take_operation(
	struct jr_nsys_part *part, const struct jr_nsys_scan *scan, size_t i, int kind)
{
	struct jr_nsys_gpu_part *p = (struct jr_nsys_gpu_part *)part;
	struct jr_timeline_gpu *rows = &p->rows;
	bool has_bytes = kind != JR_TIMELINE_KERNEL && kind != JR_TIMELINE_GRAPH;
	int64_t bytes = has_bytes ? jr_nsys_i64(scan, M_BYTES) : 0;
	if (bytes < 0 || bytes > JR_MOST_BYTES ||
		__builtin_add_overflow(p->total_bytes, bytes, &p->total_bytes))
		return false;
	if (bytes) /* pages of kernels, which have none, stay untouched */
		rows->bytes[i] = bytes;
	rows->device[i] = jr_nsys_u32(scan, G_DEVICE);
	rows->stream[i] = jr_nsys_u32(scan, G_STREAM);
	rows->correlation[i] = jr_nsys_u32(scan, G_CORRELATION);
	int64_t process = jr_nsys_i64(scan, G_PROCESS);
	bool unknown = process == 0 && jr_nsys_is_null(scan, G_PROCESS);
	rows->process[i] = unknown ? JR_NONE : jr_nsys_id_row(&part->ids, process & ~INT64_C(0xFFFFFF));
	rows->kind[i] = (uint8_t)kind;
	if (kind == JR_TIMELINE_KERNEL) {
		rows->name[i] = kernel_name(p, scan);
		const struct jr_timeline_config config = config_of(scan);
		rows->config[i] = jr_nsys_kernel_config(p, rows->name[i], &config);
		/* The upper half of a node's number is its graph's number. */
		int64_t node = jr_nsys_i64(scan, K_NODE);
		if (node != 0)
			rows->graph[i] = (uint32_t)((uint64_t)node >> 32) + 1;
		return true;
	}
	if (kind == JR_TIMELINE_MEMCPY)
		rows->config[i] =
			kind_at(scan, M_KIND, 0) | kind_at(scan, M_SRC, 1) << 8 | kind_at(scan, M_DST, 1) << 16;
	return true;
}

/* Kinds of waiting are few (ENUM_CUPTI_SYNC_TYPE); kinds from the 64th on share one sum. */
static bool sum_wait(struct jr_nsys_part *part, const struct jr_nsys_scan *scan, size_t i, int kind)
{
	(void)i;
	(void)kind;
	struct jr_nsys_gpu_part *p = (struct jr_nsys_gpu_part *)part;
	int64_t type = jr_nsys_i64(scan, 2), dur_ns = jr_nsys_i64(scan, 1) - jr_nsys_i64(scan, 0);
	size_t k = 0;
	while (k < p->waits.n && k + 1 < JR_NSYS_MOST_SUMS && p->waits.items[k].type != type)
		k++;
	if (k == p->waits.n)
		*jr_vec_add(&p->waits) = (struct jr_timeline_sum){.type = type};
	struct jr_timeline_sum *sum = &p->waits.items[k];
	sum->count++;
	sum->total_ns += dur_ns;
	if (dur_ns > sum->max_ns)
		sum->max_ns = dur_ns;
	return true;
}

static struct rows gpu_rows(struct jr_nsys_gpu_part *p, struct column into[MOST_COLUMNS])
{
	struct jr_timeline_gpu *to = &p->rows;
	const struct column columns[] = {COLUMN(to->start_ns), COLUMN(to->end_ns), COLUMN(to->bytes),
		COLUMN(to->config), COLUMN(to->process), COLUMN(to->device), COLUMN(to->stream),
		COLUMN(to->correlation), COLUMN(to->name), COLUMN(to->graph), COLUMN(to->kind)};
	_Static_assert(JR_COUNT_OF(columns) <= MOST_COLUMNS, "the widest");
	memcpy(into, columns, sizeof(columns));
	return (struct rows){&p->part, into, JR_COUNT_OF(columns), &to->n, 0};
}

enum jr_status jr_nsys_read_gpu(struct jr_nsys_gpu_part *p, struct jr_error *err)
{
	static const char *const kernels[] = {GPU_COLUMNS, "demangledName", "shortName", "gridX",
		"gridY", "gridZ", "blockX", "blockY", "blockZ", "registersPerThread", "staticSharedMemory",
		"dynamicSharedMemory", "graphNodeId"};
	static const char *const copies[] = {GPU_COLUMNS, "bytes", "copyKind", "srcKind", "dstKind"};
	static const char *const waits[] = {"start", "end", "syncType"};
#define TABLE(name, columns, n, kind)                                                              \
	{                                                                                              \
		ACTIVITY(name), columns, n, 2, false, NULL, take_operation, kind, true                     \
	}
	static const struct table tables[] = {
		TABLE("KERNEL", kernels, JR_COUNT_OF(kernels), JR_TIMELINE_KERNEL),
		TABLE("MEMCPY", copies, M_DST + 1, JR_TIMELINE_MEMCPY),
		TABLE("MEMSET", copies, M_BYTES + 1, JR_TIMELINE_MEMSET),
		TABLE("GRAPH_TRACE", copies, G_FIRST_OF_KIND, JR_TIMELINE_GRAPH),
		{ACTIVITY("SYNCHRONIZATION"), waits, JR_COUNT_OF(waits), 2, false, NULL, sum_wait, 0,
			false},
	};
#undef TABLE
	struct column into[MOST_COLUMNS];
	struct rows rows = gpu_rows(p, into);
	return read_tables(&rows, tables, JR_COUNT_OF(tables), err);
}

/* --- tables in pieces ------------------------------------------------------------------------- */

#define PIECE_ROWS 4096

/* Times, place and launch of GPU operations of any kind. */
static const char *const spans[] = {GPU_COLUMNS};
#define SPANS(name)                                                                                \
	{                                                                                              \
		ACTIVITY(name), spans, JR_COUNT_OF(spans), 2, false, NULL, take_operation,                 \
			JR_TIMELINE_GRAPH, true                                                                \
	}
static const struct table span_tables[] = {
	SPANS("KERNEL"), SPANS("MEMCPY"), SPANS("MEMSET"), SPANS("GRAPH_TRACE")};

struct jr_nsys_pull {
	struct jr_nsys_tables open;
	struct jr_nsys_scan scan;
	const struct table *tables;
	size_t n_tables, at; /* number of tables; the current one */
	struct column into[MOST_COLUMNS];
	struct rows rows;
};

static enum jr_status pull_begin(
	struct jr_nsys_pull *p, const struct table *tables, size_t n_tables, struct jr_error *err)
{
	p->tables = tables;
	p->n_tables = n_tables;
	p->rows.columns = p->into;
	if (p->rows.part->has_room) /* read before */
		p->rows.capacity = PIECE_ROWS;
	else
		JR_TRY(make_room(&p->rows, PIECE_ROWS, err));
	p->rows.part->has_room = true;
	JR_TRY(jr_nsys_tables_open(p->rows.part->file, &p->open, err));
	p->open.in_blocks = true;
	return JR_OK;
}

static struct jr_nsys_pull *new_pull(void)
{
	struct jr_nsys_pull *p = jr_calloc(1, sizeof(*p));
	return p;
}

enum jr_status jr_nsys_pull_nvtx(
	struct jr_nsys_nvtx_part *part, struct jr_nsys_pull **out, struct jr_error *err)
{
	struct jr_nsys_pull *p = *out = new_pull();
	if (!part->scopes.n)
		*jr_vec_add(&part->scopes) = (struct jr_timeline_scope){0};
	p->rows = nvtx_rows(part, p->into);
	return pull_begin(p, &nvtx_table, 1, err);
}

enum jr_status jr_nsys_pull_calls(
	struct jr_nsys_calls_part *part, struct jr_nsys_pull **out, struct jr_error *err)
{
	struct jr_nsys_pull *p = *out = new_pull();
	p->rows = call_rows(part, p->into);
	return pull_begin(p, &call_table, 1, err);
}

enum jr_status jr_nsys_pull_spans(
	struct jr_nsys_gpu_part *part, struct jr_nsys_pull **out, struct jr_error *err)
{
	struct jr_nsys_pull *p = *out = new_pull();
	p->rows = gpu_rows(part, p->into);
	return pull_begin(p, span_tables, JR_COUNT_OF(span_tables), err);
}

enum jr_status jr_nsys_pull_rows(struct jr_nsys_pull *p, struct jr_error *err)
{
	*p->rows.n = 0;
	while (*p->rows.n == 0 && p->at < p->n_tables) {
		const struct table *t = &p->tables[p->at];
		bool ended = true;
		if (!p->scan.tables) {
			JR_TRY(jr_nsys_scan_begin(
				&p->open, t->name, t->columns, t->n_columns, t->n_must, &p->scan, err));
			p->rows.part->present |= p->scan.found;
		}
		if (p->scan.found)
			JR_TRY(take_rows(&p->rows, t, &p->scan, PIECE_ROWS, &ended, err));
		if (!ended)
			break;
		jr_nsys_scan_end(&p->scan);
		p->at++;
	}
	return JR_OK;
}

void jr_nsys_pull_done(struct jr_nsys_pull **pull)
{
	struct jr_nsys_pull *p = *pull;
	if (!p)
		return;
	jr_nsys_scan_end(&p->scan);
	jr_nsys_tables_close(&p->open);
	free(p);
	*pull = NULL;
}
