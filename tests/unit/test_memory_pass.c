/* Heap replay; analysis/README.md, section 7. */
#include "pass_case.h"

enum { ALLOC, FREE, SHARE };

struct heap_event {
	int kind;
	int64_t buffer, canonical; /* canonical: SHARE only */
};

struct heap_case {
	struct jr_arena *arena;
	Xla__HloProto *proto;
	Xla__HloComputationProto *entry;
};

static struct heap_case heap_new(struct jr_arena *a)
{
	struct heap_case h = {.arena = a, .proto = build_module(a, "jit_f")};
	h.entry = build_computation(a, h.proto, "main", 1);
	h.proto->buffer_assignment = build_new(a, &xla__buffer_assignment_proto__descriptor);
	return h;
}

/* Logical buffer `id` of that size, the value of an instruction made for it. */
static Xla__LogicalBufferProto *heap_buffer(struct heap_case *h, int64_t id, int64_t size)
{
	char name[64];
	snprintf(name, sizeof(name), "value.%d", (int)id);
	Xla__HloInstructionProto *i = build_instruction(h->arena, h->entry, name, "add", 100 + id);
	i->shape = build_shape(h->arena, XLA__PRIMITIVE_TYPE__F32, (int)id, -1);
	Xla__LogicalBufferProto *buffer = build_new(h->arena, &xla__logical_buffer_proto__descriptor);
	buffer->id = id;
	buffer->size = size;
	buffer->defined_at = build_new(h->arena, &xla__logical_buffer_proto__location__descriptor);
	buffer->defined_at->instruction_id = 100 + id;
	ADD(h->arena, h->proto->buffer_assignment, logical_buffers, buffer);
	return buffer;
}

static void heap_trace(struct heap_case *h, const struct heap_event *events, size_t n)
{
	Xla__HeapSimulatorTrace *trace = build_new(h->arena, &xla__heap_simulator_trace__descriptor);
	for (size_t i = 0; i < n; i++) {
		Xla__HeapSimulatorTrace__Event *event =
			build_new(h->arena, &xla__heap_simulator_trace__event__descriptor);
		static const Xla__HeapSimulatorTrace__Event__Kind kinds[] = {
			XLA__HEAP_SIMULATOR_TRACE__EVENT__KIND__ALLOC,
			XLA__HEAP_SIMULATOR_TRACE__EVENT__KIND__FREE,
			XLA__HEAP_SIMULATOR_TRACE__EVENT__KIND__SHARE_WITH};
		event->kind = kinds[events[i].kind];
		event->buffer_id = events[i].buffer;
		event->share_with_canonical_id = events[i].canonical;
		ADD(h->arena, trace, events, event);
	}
	ADD(h->arena, h->proto->buffer_assignment, heap_simulator_traces, trace);
}

static void heap_run(struct pass_run *run, const struct heap_case *h)
{
	static const struct job_row rows[] = {RANGE(1, 0, MODULE("7", "jit_f"), 0, 10)};
	const struct job_hlo hlo[] = {{7, h->proto}};
	passes_of(run, NULL, &(struct job_process){JOB_ROWS(rows), JOB_HLO(hlo)});
	check_results(&run->results);
}

/* "TRACE peak P points N: curve | live" a trace. */
static void check_heap(const struct pass_run *run, const char *expected)
{
	const struct jr_table *memory = run_table(run, "memory"), *heap = run_table(run, "heap");
	struct jr_buf got = {0};
	size_t point = 0;
	for (size_t row = 0; row < memory->n_rows; row++) {
		int64_t points = table_cells(memory, "points")->i64[row];
		jr_buf_printf(&got, "%" PRId64 " peak %" PRId64 ":", table_cells(memory, "trace")->i64[row],
			table_cells(memory, "peak_bytes")->i64[row]);
		for (int64_t i = 0; i < points; i++, point++) {
			assert_int_equal(table_cells(heap, "event")->i64[point], i);
			jr_buf_printf(&got, " %" PRId64, table_cells(heap, "bytes")->i64[point]);
		}
		jr_buf_puts(&got, " |");
		const struct jr_table *live = table_cells(memory, "live_at_peak")->rows[row];
		for (size_t k = 0; k < live->n_rows; k++)
			jr_buf_printf(&got, " %s=%" PRId64, table_cells(live, "instruction")->text[k],
				table_cells(live, "bytes")->i64[k]);
		jr_buf_putc(&got, '\n');
	}
	assert_int_equal(point, heap->n_rows);
	check_text(&got, expected);
}

#define TRACE(h, ...)                                                                              \
	heap_trace((h), (const struct heap_event[]){__VA_ARGS__},                                      \
		sizeof((const struct heap_event[]){__VA_ARGS__}) / sizeof(struct heap_event))

static void test_alloc_and_free(void **state)
{
	struct heap_case h = heap_new(*state);
	heap_buffer(&h, 1, 100);
	heap_buffer(&h, 2, 50);
	heap_buffer(&h, 3, 30);
	TRACE(
		&h, {ALLOC, 1, 0}, {ALLOC, 2, 0}, {FREE, 1, 0}, {ALLOC, 3, 0}, {FREE, 2, 0}, {FREE, 3, 0});
	struct pass_run run;
	heap_run(&run, &h);
	check_heap(&run, "0 peak 150: 0 100 150 50 80 30 0 | value.1=100 value.2=50\n");
	const struct jr_scalar *peak = jr_results_scalar(&run.results, "totals.peak_memory_bytes");
	assert_int_equal(peak->value.i64, 150);
	assert_string_equal(table_cells(run_table(&run, "live_at_peak"), "shape")->text[0], "f32[1]");
	passes_done(&run);
}

/* A canonical buffer lives as long as one of its users does, whoever is freed first. */
static void test_share_with(void **state)
{
	struct heap_case h = heap_new(*state);
	for (int i = 1; i <= 4; i++)
		heap_buffer(&h, i, 100 * i);
	TRACE(&h, {ALLOC, 1, 0}, {SHARE, 2, 1},
		{SHARE, 3, 1}, /* three users of 1; sizes of 2, 3: none */
		{FREE, 1, 0}, {FREE, 3, 0}, {ALLOC, 4, 0}, {FREE, 2, 0}, {FREE, 4, 0});
	struct pass_run run;
	heap_run(&run, &h);
	check_heap(&run, "0 peak 500: 0 100 500 400 0 | value.4=400 value.1=100\n");
	passes_done(&run);
}

/* All users were freed: sharing revives the canonical buffer with its size; an alias of an alias
 * goes to the same one. */
static void test_revival(void **state)
{
	struct heap_case h = heap_new(*state);
	for (int i = 1; i <= 3; i++)
		heap_buffer(&h, i, 100 * i);
	TRACE(
		&h, {ALLOC, 1, 0}, {FREE, 1, 0}, {SHARE, 2, 1}, {SHARE, 3, 2}, {FREE, 2, 0}, {FREE, 3, 0});
	struct pass_run run;
	heap_run(&run, &h);
	check_heap(&run, "0 peak 100: 0 100 0 100 0 | value.1=100\n");
	passes_done(&run);
}

/* Frees too many, buffers that are not there, no sizes: nothing but what is known changes. */
static void test_odd_events(void **state)
{
	struct heap_case h = heap_new(*state);
	heap_buffer(&h, 1, 100);
	heap_buffer(&h, 2, 0);
	heap_buffer(&h, 3, -5);
	TRACE(&h, {FREE, 1, 0}, {FREE, 99, 0}, {ALLOC, 99, 0}, {SHARE, 1, 99}, {SHARE, 99, 1},
		{ALLOC, 2, 0}, {ALLOC, 3, 0}, {ALLOC, 1, 0}, {FREE, 1, 0}, {FREE, 1, 0}, {FREE, 2, 0});
	TRACE(&h, {ALLOC, 2, 0});
	heap_trace(&h, NULL, 0);
	struct pass_run run;
	heap_run(&run, &h);
	check_heap(&run, "0 peak 100: 0 100 0 | value.1=100\n1 peak 0: 0 |\n2 peak 0: 0 |\n");
	passes_done(&run);
}

/* The peak is the first time that it is reached; several traces know nothing of each other. */
static void test_peak_and_traces(void **state)
{
	struct heap_case h = heap_new(*state);
	for (int i = 1; i <= 3; i++)
		heap_buffer(&h, i, 100);
	TRACE(&h, {ALLOC, 1, 0}, {SHARE, 2, 1}, {FREE, 1, 0}, {FREE, 2, 0}, {ALLOC, 3, 0});
	TRACE(&h, {FREE, 2, 0}, {FREE, 3, 0}, {ALLOC, 2, 0}, {FREE, 1, 0}, {ALLOC, 1, 0}, {FREE, 2, 0});
	struct pass_run run;
	heap_run(&run, &h);
	check_heap(&run,
		"0 peak 100: 0 100 0 100 | value.1=100\n"
		"1 peak 200: 0 100 200 100 | value.1=100 value.2=100\n");
	/* the table for people is that of the largest */
	assert_int_equal(run_table(&run, "live_at_peak")->n_rows, 2);
	passes_done(&run);
}

static void test_sizes_beyond_all_memory(void **state)
{
	struct heap_case h = heap_new(*state);
	heap_buffer(&h, 1, INT64_MAX);
	heap_buffer(&h, 2, INT64_MAX);
	TRACE(&h, {ALLOC, 1, 0}, {ALLOC, 2, 0}, {FREE, 1, 0});
	struct pass_run run;
	heap_run(&run, &h);
	assert_int_equal(
		table_cells(run_table(&run, "memory"), "peak_bytes")->i64[0], INT64_MAX);
	passes_done(&run);
}

/* Many traces of many buffers cost what their events cost. */
static void test_many_traces(void **state)
{
	enum { MANY = 60000 };
	struct jr_arena *a = *state;
	struct heap_case h = heap_new(a);
	Xla__BufferAssignmentProto *assignment = h.proto->buffer_assignment;
	assignment->logical_buffers = JR_ARENA_N(a, Xla__LogicalBufferProto *, MANY);
	assignment->heap_simulator_traces = JR_ARENA_N(a, Xla__HeapSimulatorTrace *, MANY);
	assignment->n_logical_buffers = assignment->n_heap_simulator_traces = MANY;
	Xla__HeapSimulatorTrace__Event *event =
		build_new(a, &xla__heap_simulator_trace__event__descriptor);
	event->buffer_id = MANY;
	for (int i = 0; i < MANY; i++) {
		Xla__LogicalBufferProto *buffer = build_new(a, &xla__logical_buffer_proto__descriptor);
		Xla__HeapSimulatorTrace *trace = build_new(a, &xla__heap_simulator_trace__descriptor);
		buffer->id = i + 1;
		buffer->size = 1;
		trace->events = JR_ARENA_N(a, Xla__HeapSimulatorTrace__Event *, 1);
		trace->events[trace->n_events++] = event;
		assignment->logical_buffers[i] = buffer;
		assignment->heap_simulator_traces[i] = trace;
	}
	struct pass_run run;
	heap_run(&run, &h);
	assert_int_equal(run_table(&run, "memory")->n_rows, MANY);
	assert_true(run.arena.used_bytes < UINT64_C(200) << 20);
	passes_done(&run);
}

/* What defines a buffer: by id, by name, a part of a tuple, unknown. */
static void test_definitions(void **state)
{
	struct heap_case h = heap_new(*state);
	struct jr_arena *a = *state;
	Xla__HloInstructionProto *t = build_instruction(a, h.entry, "tuple.1", "tuple", 500);
	t->shape = build_new(a, &xla__shape_proto__descriptor);
	t->shape->element_type = XLA__PRIMITIVE_TYPE__TUPLE;
	ADD(a, t->shape, tuple_shapes, build_shape(a, XLA__PRIMITIVE_TYPE__F32, 2, -1));
	ADD(a, t->shape, tuple_shapes, build_shape(a, XLA__PRIMITIVE_TYPE__BF16, 3, -1));
	for (int part = 0; part < 2; part++) {
		Xla__LogicalBufferProto *buffer = heap_buffer(&h, 1 + part, 100 - part);
		buffer->defined_at->instruction_id = 500;
		ADD(a, buffer->defined_at, shape_index, part);
	}
	Xla__LogicalBufferProto *named = heap_buffer(&h, 3, 50);
	named->defined_at->instruction_id = 0;
	named->defined_at->instruction_name = TEXT(a, "value.3");
	Xla__LogicalBufferProto *unknown = heap_buffer(&h, 4, 40);
	unknown->defined_at->instruction_id = 0;
	unknown->defined_at->instruction_name = TEXT(a, "gone");
	heap_buffer(&h, 5, 30)->defined_at->instruction_id = 12345;
	TRACE(&h, {ALLOC, 1, 0}, {ALLOC, 2, 0}, {ALLOC, 3, 0}, {ALLOC, 4, 0}, {ALLOC, 5, 0});
	struct pass_run run;
	heap_run(&run, &h);
	const struct jr_table *live = run_table(&run, "live_at_peak");
	static const char *const names[] = {"tuple.1", "tuple.1", "value.3", "gone", NULL};
	static const char *const shapes[] = {"f32[2]", "bf16[3]", "f32[3]", NULL, NULL};
	assert_int_equal(live->n_rows, 5);
	for (size_t i = 0; i < 5; i++) {
		const char *name = table_cells(live, "instruction")->text[i];
		const char *shape = table_cells(live, "shape")->text[i];
		assert_int_equal(table_cells(live, "buffer")->i64[i], i + 1);
		assert_true(names[i] ? name && strcmp(name, names[i]) == 0 : !name);
		assert_true(shapes[i] ? shape && strcmp(shape, shapes[i]) == 0 : !shape);
	}
	passes_done(&run);
}

static void test_without_traces(void **state)
{
	struct heap_case h = heap_new(*state);
	heap_buffer(&h, 1, 100);
	struct pass_run run;
	heap_run(&run, &h);
	assert_string_equal(run_section(&run, "memory")->unavailable,
		"not available, because no HLO dump holds a heap simulator trace");
	passes_done(&run);
}

/* By the innermost frame, of which one is there; else by what the instruction itself says. */
static void test_sources_of_live_buffers(void **state)
{
	struct jr_arena *a = *state;
	struct heap_case h = heap_new(a);
	Xla__StackFrameIndexProto *index = build_new(a, &xla__stack_frame_index_proto__descriptor);
	Xla__StackFrameIndexProto__FileLocation *location =
		build_new(a, &xla__stack_frame_index_proto__file_location__descriptor);
	Xla__StackFrameIndexProto__StackFrame *frame =
		build_new(a, &xla__stack_frame_index_proto__stack_frame__descriptor);
	ADD(a, index, file_names, TEXT(a, "/f.py"));
	ADD(a, index, function_names, TEXT(a, "f"));
	location->file_name_id = location->function_name_id = 1;
	location->line = 5;
	ADD(a, index, file_locations, location);
	frame->file_location_id = 1;
	ADD(a, index, stack_frames, frame);
	h.proto->hlo_module->stack_frame_index = index;
	for (int i = 0; i < 3; i++) { /* no frame, the only one, one that is not there */
		heap_buffer(&h, i + 1, 300 - i);
		Xla__HloInstructionProto *made = h.entry->instructions[h.entry->n_instructions - 1];
		made->metadata = build_new(a, &xla__op_metadata__descriptor);
		made->metadata->source_file = TEXT(a, "/own.py");
		made->metadata->source_line = 9;
		made->metadata->stack_frame_id = i;
	}
	TRACE(&h, {ALLOC, 1, 0}, {ALLOC, 2, 0}, {ALLOC, 3, 0});
	struct pass_run run;
	heap_run(&run, &h);
	check_column(&run, "live_at_peak", "source", "/own.py:9 /f.py:5 /own.py:9 ");
	passes_done(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_alloc_and_free),
		TEST(test_share_with),
		TEST(test_sources_of_live_buffers),
		TEST(test_revival),
		TEST(test_odd_events),
		TEST(test_peak_and_traces),
		TEST(test_sizes_beyond_all_memory),
		TEST(test_many_traces),
		TEST(test_definitions),
		TEST(test_without_traces),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
