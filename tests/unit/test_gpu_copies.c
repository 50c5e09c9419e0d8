/* Copies of an export: which host memory they read and write, and what is reported for copies
 * while no kernel runs. */
#include "export_case.h"

#define MB (INT64_C(1) << 20)
#define US INT64_C(1000)
#define MEMORIES                                                                                   \
	"ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY ADD srcKind INTEGER;"                                  \
	"ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY ADD dstKind INTEGER;"
#define PAGEABLE "0, 2"
#define PINNED "1, 2"

/* Operations of device 0, one after the other. */
struct made {
	struct jr_buf sql;
	int64_t now_ns;
	const char *memory; /* srcKind, dstKind; NULL: the export has no such columns */
	double bytes_ns;
	int id;
};

static void begin(struct made *m, const char *memory)
{
	*m = (struct made){.memory = memory, .bytes_ns = 25};
	jr_buf_puts(&m->sql, BEGIN);
	if (memory)
		jr_buf_puts(&m->sql, MEMORIES);
	/* a call that launches nothing */
	jr_buf_puts(&m->sql,
		"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 5, " TID(1) ", 0, 5);");
}

static void copy(struct made *m, int kind, int64_t bytes)
{
	int64_t end_ns = m->now_ns + (int64_t)((double)bytes / m->bytes_ns);
	jr_buf_printf(&m->sql,
		"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (%lld, %lld, 0, 7, %d, " NSYS_PID(9)
		", %lld, %d%s%s);",
		(long long)m->now_ns, (long long)end_ns, ++m->id, (long long)bytes, kind,
		m->memory ? ", " : "", m->memory ? m->memory : "");
	m->now_ns = end_ns;
}

static void kernel(struct made *m, int64_t ns)
{
	jr_buf_printf(&m->sql,
		"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%lld, %lld, 0, 7, %d, " NSYS_PID(9)
		", 2, 2, NULL);",
		(long long)m->now_ns, (long long)(m->now_ns + ns), ++m->id);
	m->now_ns += ns;
}

static const struct jr_finding *found(struct pass_run *run, struct made *m, const char *id)
{
	run_export(run, m->sql.data);
	for (size_t i = 0; i < run->results.n_findings; i++)
		if (strcmp(run->results.findings[i].id, id) == 0)
			return &run->results.findings[i];
	fail_msg("no finding %s", id);
	return NULL;
}

static void done(struct pass_run *run, struct made *m)
{
	passes_done(run);
	jr_buf_done(&m->sql);
}

static void says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in '%s'", part, text);
}

static void says_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' is in '%s'", part, text);
}

/* Both sides must match the direction of the copy. */
static UNIT(memory_of_the_host)
{
	static const struct {
		int kind;
		const char *memory;
	} rows[] = {{1, PAGEABLE}, {1, PINNED}, {2, "2, 0"}, {2, "2, 1"}, {1, "4, 2"}, {3, "1, 3"},
		{1, "1, 3"}, {1, "2, 1"}, {2, "1, 2"}, {8, "2, 2"}, {1, "NULL, 2"}, {1, "1, NULL"},
		{1, "-1, 2"}, {1, "257, 2"}, {1, "4294967297, 2"}, {257, "1, 2"}};
	struct made m;
	struct pass_run run;
	begin(&m, PINNED);
	for (size_t i = 0; i < JR_COUNT_OF(rows); i++) {
		m.memory = rows[i].memory;
		copy(&m, rows[i].kind, (int64_t)(JR_COUNT_OF(rows) - i) << (16 - i));
	}
	kernel(&m, 1);
	run_export(&run, m.sql.data);
	check_column(&run, "copies", "kind",
		"host to device host to device device to host device to host host to device host to array "
		"host to device device to host device to device unknown direction ");
	check_column(&run, "copies", "memory",
		"pageable pinned pageable pinned managed pinned null null null null ");
	check_column(&run, "copies", "count", "1 1 1 1 1 1 7 1 1 1 ");
	done(&run, &m);
}

/* Weights that are copied layer by layer, pinned, at the rate of the link. */
static UNIT(a_stream)
{
	struct made m;
	struct pass_run run;
	begin(&m, PINNED);
	for (int i = 0; i < 10; i++) {
		copy(&m, 1, 64 * MB);
		copy(&m, 1, 16 * MB);
		kernel(&m, 50 * US);
		kernel(&m, 50 * US);
		copy(&m, 1, 128 * MB);
		kernel(&m, 80 * US);
	}
	const struct jr_finding *f = found(&run, &m, "exposed-copies");
	assert_string_equal(f->measured,
		"Host-to-device copies (2.181 GB at 25.0 GB/s) take 87.2 ms of 89.0 ms (98.0 %) while no "
		"kernel runs");
	says(advice_of(f), "suggests data kept in host memory rather than new input");
	says_not(advice_of(f), "weights");
	says(advice_of(f), "Only copying less data makes them shorter");
	says_not(advice_of(f), "pin_memory");
	assert_string_equal(f->evidence,
		"Host-to-device copies (2.181 GB at 25.0 GB/s) take 87.2 ms of 89.0 ms (98.0 %) while no "
		"kernel runs. Repetitions of the same sizes are 90.0 % of all bytes in this direction; "
		"each GB that is not copied saves 40.0 ms.");
	int64_t copied_ns = 10 * (64 * MB / 25 + 16 * MB / 25 + 128 * MB / 25);
	assert_true(llabs(f->recoverable_ns - copied_ns * 9 / 10) <= 1);
	done(&run, &m);
}

/* A batch at the beginning of each step is not a stream, even in two pieces with a kernel
 * between. */
static UNIT(a_batch)
{
	static const char *const memories[] = {PINNED, PAGEABLE, NULL};
	struct made m;
	struct pass_run run;
	for (size_t i = 0; i < JR_COUNT_OF(memories); i++) {
		begin(&m, memories[i]);
		for (int step = 0; step < 10; step++) {
			m.bytes_ns = 25;
			copy(&m, 1, 64 * MB);
			kernel(&m, 5 * US);
			m.bytes_ns = 20;
			copy(&m, 1, 8 * MB);
			for (int k = 0; k < 20; k++)
				kernel(&m, 50 * US);
		}
		const struct jr_finding *f = found(&run, &m, "exposed-copies");
		assert_string_equal(f->measured,
			"Copies while no kernel runs take 31.0 ms of 41.1 ms (75.5 %), mostly host to "
			"device: 755.0 MB at 24.3 GB/s");
		says_not(advice_of(f), "rate of the link");
		says(advice_of(f), "data that is used again can stay on the GPU");
		says_not(advice_of(f), "weights");
		says_not(advice_of(f), "PyTorch");
		if (memories[i] && strcmp(memories[i], PAGEABLE) == 0)
			says(advice_of(f), "Pin host memory (cudaMallocHost)");
		else
			says_not(advice_of(f), "Pin host");
		if (memories[i] && strcmp(memories[i], PINNED) == 0)
			says(advice_of(f), "already pinned");
		if (!memories[i])
			says(advice_of(f), "The profile does not show whether host memory is pinned");
		says(f->evidence, "At most 10.1 ms of copies can overlap with kernels");
		assert_int_equal(f->recoverable_ns, 10 * (64 * MB / 25 + 8 * MB / 20));
		done(&run, &m);
	}
}

/* Copies of one size have one rate, for any reason. */
static UNIT(one_size)
{
	struct made m;
	struct pass_run run;
	begin(&m, PINNED);
	for (int i = 0; i < 10; i++) {
		copy(&m, 1, 64 * MB);
		kernel(&m, 50 * US);
	}
	says_not(advice_of(found(&run, &m, "exposed-copies")), "pace");
	done(&run, &m);
}

/* Kernels that already overlap copies cannot overlap them again. */
static UNIT(kernels_that_have_copies)
{
	struct made m;
	struct pass_run run;
	begin(&m, PINNED);
	for (int i = 0; i < 10; i++) {
		int64_t start_ns = m.now_ns;
		copy(&m, 1, 25000);
		m.now_ns = start_ns;
		kernel(&m, 900);
		m.now_ns = start_ns + 1000;
		kernel(&m, 30);
	}
	const struct jr_finding *f = found(&run, &m, "exposed-copies");
	says(f->evidence, "At most 300 ns of copies can overlap with kernels");
	assert_int_equal(f->recoverable_ns, 10 * 100);
	says(f->measured, "Copies while no kernel runs take 1.00 µs");
	done(&run, &m);
}

/* The call of each copy still runs when the GPU becomes idle. */
static UNIT(calls_under_way)
{
	static const char *const memories[] = {PINNED, PAGEABLE, NULL};
	static const char *const calls[] = {"cudaMemcpyAsync_v3020", "cudaMemcpy_v3020"};
	struct made m;
	struct pass_run run;
	for (size_t i = 0; i < 6; i++) {
		begin(&m, memories[i % 3]);
		jr_buf_printf(&m.sql, "INSERT INTO StringIds VALUES (6, '%s');", calls[i / 3]);
		for (int k = 0; k < 10; k++) {
			kernel(&m, 900);
			m.now_ns += 100;
			jr_buf_printf(&m.sql,
				"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (%lld, %lld, " TID(1) ", %d, 6);",
				(long long)m.now_ns - 150, (long long)m.now_ns, m.id + 1);
			copy(&m, 1, 25);
		}
		const char *detail = advice_of(found(&run, &m, "launch-bound"));
		if (i % 3)
			says(detail, "Pin host memory (cudaMallocHost)");
		else
			says_not(detail, "Pin host memory");
		done(&run, &m);
	}
}
