/*
 * trace_build.h - a job made by hand: rows of projected ranges, launchers and HLO, process by
 * process, through the steps of model/build/build.h to finished tables.
 *
 *	struct job job;
 *	job_init(&job, NULL);
 *	job_add(&job, &(struct job_process){.rows = rows, .n_rows = JR_COUNT_OF(rows)});
 *	job_finish(&job);
 *	check_thunks(&job.profile, "1.0@0 fusion.1#0 10+5\n");
 *	job_done(&job);
 */
#ifndef JR_TESTS_TRACE_BUILD_H
#define JR_TESTS_TRACE_BUILD_H

#include "hlo_build.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/build/build.h"

/* Texts of ranges as XLA writes them; numbers and names are string literals. */
#define MODULE(number, name) "XlaModule:#hlo_module=" name ",program_id=" number "#"
#define THUNK(op) "Thunk:#hlo_op=" op "#"

struct job_row {
	int64_t id, parent; /* parent 0: none */
	const char *text;
	int64_t start, end;
	int64_t tid;
	int64_t ops; /* GPU operations; only where the process counts them */
};

/* A row; a row on a thread; a row with a number of GPU operations. */
#define RANGE(i, up, name, from, to) RANGE_OPS(i, up, name, from, to, 0, 0)
#define RANGE_ON(i, up, name, from, to, thread) RANGE_OPS(i, up, name, from, to, thread, 0)
#define RANGE_OPS(i, up, name, from, to, thread, n)                                                \
	{                                                                                              \
		.id = (i), .parent = (up), .text = (name), .start = (from), .end = (to),                   \
		.tid = (thread), .ops = (n)                                                                \
	}

/* The HLO of one program of a process; packed and decoded separately. */
struct job_hlo {
	int64_t number;
	const Xla__HloProto *proto;
};

struct job_process {
	const struct job_row *rows;
	size_t n_rows;
	int64_t pid;
	bool counts_ops; /* column set A */
	const struct jr_launcher *launchers;
	size_t n_launchers;
	const struct jr_gpu *gpus;
	size_t n_gpus;
	const struct job_hlo *hlo;
	size_t n_hlo;
};

struct job {
	struct jr_profile profile;
	struct jr_build build;
	uint32_t n_processes;
};

#define JOB_ROWS(array) .rows = (array), .n_rows = JR_COUNT_OF(array)
#define JOB_LAUNCHERS(array) .launchers = (array), .n_launchers = JR_COUNT_OF(array)
#define JOB_HLO(array) .hlo = (array), .n_hlo = JR_COUNT_OF(array)
#define LAUNCHER(p, t, number)                                                                     \
	{                                                                                              \
		.pid = (p), .tid = (t), .device = {.global = (number), .local = (number)}                  \
	}

/* Launchers of devices 0..7: process 1, threads 100, 101, ... */
static const struct jr_launcher eight_launchers[] JR_UNUSED = {LAUNCHER(1, 100, 0),
	LAUNCHER(1, 101, 1), LAUNCHER(1, 102, 2), LAUNCHER(1, 103, 3), LAUNCHER(1, 104, 4),
	LAUNCHER(1, 105, 5), LAUNCHER(1, 106, 6), LAUNCHER(1, 107, 7)};

/* Rows that a test computes; texts are in the arena, ids are 1, 2, ... */
struct job_rows {
	struct job_row *items;
	size_t n, capacity;
	struct jr_arena *arena;
};

static inline int64_t rows_add(struct job_rows *rows, int64_t parent, int64_t start, int64_t end,
	int64_t tid, const char *fmt, ...) JR_PRINTF(6, 7);
static inline int64_t rows_add(struct job_rows *rows, int64_t parent, int64_t start, int64_t end,
	int64_t tid, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	int64_t id = (int64_t)rows->n + 1;
	*jr_vec_add(rows) = (struct job_row)RANGE_ON(
		id, parent, jr_arena_strdup(rows->arena, text), start, end, tid);
	return id;
}

/* Return a process of those rows on the first n of eight_launchers. */
static inline struct job_process rows_process(const struct job_rows *rows, size_t n_devices)
{
	return (struct job_process){.rows = rows->items,
		.n_rows = rows->n,
		.pid = 1,
		.launchers = eight_launchers,
		.n_launchers = n_devices};
}

/* Return the same sequence in each run: a linear congruential generator. */
static inline uint32_t next_random(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(*state >> 8) * below >> 24);
}

/* --- a trace -------------------------------------------------------------------------------- */

static inline uint32_t trace_name(struct jr_trace *t, const char *text)
{
	uint32_t id = jr_intern_puts(&t->strings, text);
	for (uint32_t i = 0; i < t->n_names; i++)
		if (t->names[i].text == id)
			return i;
	struct jr_range_name parsed = jr_range_name_parse(text, strlen(text));
	t->names[t->n_names] = (struct jr_trace_name){.kind = parsed.kind,
		.text = id,
		.op = jr_intern_put(&t->strings, parsed.op, parsed.op_len),
		.program_number = parsed.program_number};
	return (uint32_t)t->n_names++;
}

static inline struct jr_trace trace_make(const struct job_process *process)
{
	struct jr_trace t = {.n = process->n_rows, .layout = process->counts_ops ? 'A' : 'B'};
	t.has_tid = true;
	jr_arena_init(&t.arena, 0);
	jr_intern_init(&t.strings);
	size_t room = t.n + 1;
	t.names = JR_ARENA_N(&t.arena, struct jr_trace_name, room);
	t.name = JR_ARENA_N(&t.arena, uint32_t, room);
	t.parent = JR_ARENA_N(&t.arena, uint32_t, room);
	int64_t **wide[] = {&t.start_ns, &t.end_ns, &t.pid, &t.tid, &t.range_id};
	for (size_t i = 0; i < JR_COUNT_OF(wide); i++)
		*wide[i] = JR_ARENA_N(&t.arena, int64_t, room);
	if (process->counts_ops)
		t.n_gpu_ops = JR_ARENA_N(&t.arena, int64_t, room);
	for (size_t i = 0; i < t.n; i++) {
		const struct job_row *row = &process->rows[i];
		t.name[i] = trace_name(&t, row->text);
		t.parent[i] = JR_NONE;
		for (size_t k = 0; k < t.n && row->parent; k++)
			if (process->rows[k].id == row->parent)
				t.parent[i] = (uint32_t)k;
		t.start_ns[i] = row->start;
		t.end_ns[i] = row->end;
		t.range_id[i] = row->id;
		t.pid[i] = process->pid;
		t.tid[i] = row->tid;
		if (t.n_gpu_ops)
			t.n_gpu_ops[i] = row->ops;
	}
	return t;
}

/* --- a job ---------------------------------------------------------------------------------- */

static inline void job_init(struct job *job, const struct jr_options *options)
{
	*job = (struct job){0};
	struct jr_options defaults = jr_options_default();
	jr_profile_init(&job->profile, options ? options : &defaults);
	job->build.profile = &job->profile;
}

static inline int compare_local_programs(const void *a, const void *b)
{
	const struct jr_local_program *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

static inline struct jr_hlo *job_decode(const struct job_process *process, int64_t number)
{
	for (size_t i = 0; i < process->n_hlo; i++) {
		if (process->hlo[i].number != number)
			continue;
		struct jr_hlo *hlo = malloc(sizeof(*hlo));
		assert_non_null(hlo);
		*hlo = build_decode(process->hlo[i].proto);
		return hlo;
	}
	return NULL;
}

/* Collect the programs of module rows, by number. */
static inline size_t job_programs(struct job *job, const struct job_process *process,
	const struct jr_trace *trace, struct jr_local_program *local)
{
	size_t n = 0;
	for (size_t i = 0; i < trace->n_names; i++) {
		const struct jr_trace_name *name = &trace->names[i];
		size_t k = 0;
		if (name->kind != JR_RANGE_MODULE || name->program_number < 0)
			continue;
		while (k < n && local[k].number != name->program_number)
			k++;
		if (k < n)
			continue;
		local[n++] = (struct jr_local_program){.number = name->program_number,
			.name = jr_intern_puts(
				&job->profile.strings, jr_intern_str(&trace->strings, name->op)),
			.hlo = job_decode(process, name->program_number)};
	}
	qsort(local, n, sizeof(*local), compare_local_programs);
	return n;
}

/* Add a process whose trace was read elsewhere. */
static inline void job_add_trace(struct job *job, const struct job_process *process,
	const struct jr_trace *trace)
{
	struct jr_metadata meta;
	struct jr_thread_devices threads;
	jr_metadata_init(&meta);
	meta.n_launchers = process->n_launchers;
	meta.launchers = JR_ARENA_N(&meta.arena, struct jr_launcher, process->n_launchers + 1);
	for (size_t i = 0; i < process->n_launchers; i++)
		meta.launchers[i] = process->launchers[i];
	meta.n_gpus = process->n_gpus;
	meta.gpus = JR_ARENA_N(&meta.arena, struct jr_gpu, process->n_gpus + 1);
	for (size_t i = 0; i < process->n_gpus; i++)
		meta.gpus[i] = process->gpus[i];
	struct jr_local_program *local = JR_ARENA_N(&meta.arena, struct jr_local_program, trace->n + 1);
	size_t n_local = job_programs(job, process, trace, local);
	uint32_t number = job->n_processes++;
	jr_devices_add(&job->build, number, trace, &meta, &threads);
	jr_programs_add(&job->build, number, local, n_local);
	jr_executions_add(&job->build, trace, &threads, local, n_local);
	jr_thread_devices_done(&threads);
	jr_metadata_done(&meta);
}

static inline void job_add(struct job *job, const struct job_process *process)
{
	struct jr_trace trace = trace_make(process);
	job_add_trace(job, process, &trace);
	jr_trace_done(&trace);
}

static inline void job_finish(struct job *job)
{
	struct jr_error err = {.message = ""};
	struct jr_profile *p = &job->profile;
	p->n_processes = job->n_processes;
	p->processes = JR_ARENA_N(&p->arena, struct jr_process, p->n_processes + 1);
	for (uint32_t i = 0; i < p->n_processes; i++)
		p->processes[i].first_session = i;
	if (jr_build_finish(&job->build, &err) != JR_OK)
		fail_msg("%s", err.message);
	jr_warmup_settle(&job->profile);
}

/* Make a job of only one process. */
static inline void job_make(struct job *job, const struct job_process *process)
{
	job_init(job, NULL);
	job_add(job, process);
	job_finish(job);
}

static inline void job_done(struct job *job)
{
	jr_build_done(&job->build);
	jr_profile_done(&job->profile);
}

/* --- results -------------------------------------------------------------------------------- */

static inline void check_text(struct jr_buf *got, const char *expected)
{
	if (strcmp(got->size ? got->data : "", expected) != 0)
		fail_msg("is\n%smust be\n%s", got->size ? got->data : "", expected);
	jr_buf_done(got);
}

/* "PROGRAM.EXECUTION@DEVICE NAME START+DUR n=THUNKS" per row. */
static inline void check_modules(const struct jr_profile *p, const char *expected)
{
	const struct jr_modules *m = &p->modules;
	struct jr_buf got = {0};
	for (size_t i = 0; i < m->n; i++)
		jr_buf_printf(&got, "%u.%u@%u %s %" PRId64 "+%" PRId64 " n=%u\n",
			p->programs[m->program[i]].number, m->program_execution[i],
			p->devices[m->device[i]].global, jr_str(p, p->programs[m->program[i]].name),
			m->start_ns[i], m->dur_ns[i], m->n_thunks[i]);
	check_text(&got, expected);
}

/* "PROGRAM.EXECUTION@DEVICE NAME#THUNK_EXECUTION START+DUR" per row; communication gets a "*". */
static inline void check_thunks(const struct jr_profile *p, const char *expected)
{
	const struct jr_thunks *t = &p->thunks;
	struct jr_buf got = {0};
	for (size_t i = 0; i < t->n; i++) {
		const struct jr_op *op = jr_thunk_op(p, i);
		assert_int_equal(p->modules.program[jr_thunk_module(p, i)], op->program);
		jr_buf_printf(&got, "%u.%u@%u %s%s#%u %" PRId64 "+%" PRId64 "\n",
			p->programs[op->program].number, jr_thunk_execution(p, i),
			p->devices[jr_thunk_device(p, i)].global, jr_str(p, op->name),
			op->communication ? "*" : "", jr_thunk_repeat(p, i), jr_thunk_start_ns(p, i),
			jr_thunk_dur_ns(p, i));
	}
	check_text(&got, expected);
}

/* "id=COUNT" per guess, by id. */
static inline void check_guesses(const struct jr_profile *p, const char *expected)
{
	struct jr_buf got = {0};
	for (size_t i = 0; i < p->n_guesses; i++)
		jr_buf_printf(&got, "%s%s=%" PRIu64, i ? " " : "", p->guesses[i].id, p->guesses[i].count);
	check_text(&got, expected);
}

/* Return the op of that name (of any program), which must exist. */
static inline const struct jr_op *job_op(const struct job *job, const char *name)
{
	for (size_t i = 0; i < job->profile.n_ops; i++)
		if (strcmp(jr_str(&job->profile, job->profile.ops[i].name), name) == 0)
			return &job->profile.ops[i];
	fail_msg("no op '%s'", name);
	return NULL;
}

#endif
