/* Heap replay, and how allocations use it; analysis/README.md, section 7. */
#include "pass_case.h"

enum { ALLOC, FREE, SHARE };

struct heap_event {
	int kind;
	int64_t buffer, canonical; /* canonical: for SHARE only */
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

/* Add logical buffer `id` of that size, with an instruction that defines it. */
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

/* "TRACE peak P points N: curve | live" per trace. */
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

static UNIT_IN_ARENA(test_alloc_and_free)
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
	/* without allocations only the heap is known */
	assert_int_equal(run_total_ns(&run, "totals.peak_memory_bytes"), JR_NULL_I64);
	assert_int_equal(run_total_ns(&run, "totals.heap_peak_bytes"), 150);
	check_column(&run, "program_memory", "allocated_bytes", "null ");
	check_column(&run, "program_memory", "heap_peak_bytes", "150 ");
	assert_string_equal(table_cells(run_table(&run, "live_at_peak"), "shape")->text[0], "f32[1]");
	passes_done(&run);
}

/* A canonical buffer lives as long as any of its users, in any order of frees. */
static UNIT_IN_ARENA(test_share_with)
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

/* After all users were freed, sharing revives the canonical buffer with its size. An alias of an
 * alias refers to the same buffer. */
static UNIT_IN_ARENA(test_revival)
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

/* Too many frees, unknown buffers, no sizes: only what is known changes. */
static UNIT_IN_ARENA(test_odd_events)
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

/* The peak is the first time it is reached; traces are independent. */
static UNIT_IN_ARENA(test_peak_and_traces)
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
	/* the table in the report is that of the largest one */
	assert_int_equal(run_table(&run, "live_at_peak")->n_rows, 2);
	passes_done(&run);
}

static UNIT_IN_ARENA(test_sizes_beyond_all_memory)
{
	struct heap_case h = heap_new(*state);
	heap_buffer(&h, 1, JR_MOST_BYTES);
	heap_buffer(&h, 2, JR_MOST_BYTES);
	TRACE(&h, {ALLOC, 1, 0}, {ALLOC, 2, 0}, {FREE, 1, 0});
	struct pass_run run;
	heap_run(&run, &h);
	assert_int_equal(
		table_cells(run_table(&run, "memory"), "peak_bytes")->i64[0], 2 * JR_MOST_BYTES);
	passes_done(&run);
}

/* Many traces of many buffers: the cost grows only with the number of events. */
static UNIT_IN_ARENA(test_many_traces)
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

/* The definition of a buffer: by id, by name, part of a tuple, unknown. */
static UNIT_IN_ARENA(test_definitions)
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

static UNIT_IN_ARENA(test_without_traces)
{
	struct heap_case h = heap_new(*state);
	heap_buffer(&h, 1, 100);
	struct pass_run run;
	heap_run(&run, &h);
	assert_string_equal(run_section(&run, "memory")->unavailable,
		"not available, because no HLO dump contains a buffer assignment");
	passes_done(&run);
}

/* The innermost known frame decides, else the instruction's own metadata. */
static UNIT_IN_ARENA(test_sources_of_live_buffers)
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
	for (int i = 0; i < 3; i++) { /* no frame, the only one, an unknown one */
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

/* --- allocations ------------------------------------------------------------------------------ */

enum { PARAMETER = 1, OUT = 2, CONSTANT = 4, THREAD = 8, HOST = 16 };

/* Add an allocation that consists of the buffers [first, first + n), each as large as the
 * allocation. */
static Xla__BufferAllocationProto *heap_allocation(
	struct heap_case *h, unsigned flags, int64_t size, int64_t first, int64_t n)
{
	Xla__BufferAllocationProto *m = build_new(h->arena, &xla__buffer_allocation_proto__descriptor);
	m->index = (int64_t)h->proto->buffer_assignment->n_buffer_allocations;
	m->size = size;
	m->is_entry_computation_parameter = flags & PARAMETER;
	m->maybe_live_out = flags & OUT;
	m->is_constant = flags & CONSTANT;
	m->is_thread_local = flags & THREAD;
	m->color = flags & HOST ? 5 : 0;
	for (int64_t i = 0; i < n; i++) {
		Xla__BufferAllocationProto__Assigned *assigned =
			build_new(h->arena, &xla__buffer_allocation_proto__assigned__descriptor);
		assigned->logical_buffer_id = first + i;
		assigned->size = size;
		ADD(h->arena, m, assigned, assigned);
	}
	ADD(h->arena, h->proto->buffer_assignment, buffer_allocations, m);
	return m;
}

/* All paragraphs of the section. */
static const char *run_words(const struct pass_run *run)
{
	static char words[4096];
	const struct jr_section *s = run_section(run, "memory");
	size_t n = 0;
	words[0] = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->items[i].kind == JR_RESULT_TEXT)
			n += (size_t)snprintf(words + n, sizeof(words) - n, "%s\n", s->items[i].as.text);
	return words;
}

/* The same pointer many times over. */
static void *build_many(struct jr_arena *a, void *one, size_t n)
{
	void **many = JR_ARENA_N(a, void *, n);
	for (size_t i = 0; i < n; i++)
		many[i] = one;
	return many;
}

/* "instruction class bytes" per row. */
static void check_live(const struct pass_run *run, const char *expected)
{
	const struct jr_table *t = run_table(run, "live_at_peak");
	struct jr_buf got = {0};
	for (size_t row = 0; row < t->n_rows; row++) {
		const char *class = table_cells(t, "class")->text[row];
		const char *name = table_cells(t, "instruction")->text[row];
		jr_buf_printf(&got, "%s %s %" PRId64 "\n", name ? name : "-", class ? class : "-",
			table_cells(t, "bytes")->i64[row]);
	}
	check_text(&got, expected);
}

/* Check the parts of the only program, and that they add up to the whole. */
static void check_parts(const struct pass_run *run, int64_t parameters, int64_t outputs,
	int64_t constants, int64_t temporaries)
{
	const struct jr_table *t = run_table(run, "program_memory");
	assert_int_equal(t->n_rows, 1);
	assert_int_equal(table_cells(t, "parameter_bytes")->i64[0], parameters);
	assert_int_equal(table_cells(t, "output_bytes")->i64[0], outputs);
	assert_int_equal(table_cells(t, "constant_bytes")->i64[0], constants);
	assert_int_equal(table_cells(t, "temporary_bytes")->i64[0], temporaries);
	int64_t whole = parameters + outputs + constants + temporaries;
	assert_int_equal(table_cells(t, "allocated_bytes")->i64[0], whole);
	assert_int_equal(run_total_ns(run, "totals.peak_memory_bytes"), whole);
	int64_t bars = 0;
	const struct jr_table *peak = run_table(run, "peak_buffers");
	for (size_t row = 0; row < peak->n_rows; row++)
		bars += table_cells(peak, "bytes")->i64[row];
	assert_int_equal(bars, whole);
}

/* One allocation of each kind, the heap in a block that is larger than its peak. A donated
 * parameter is a parameter. Memory of computations and of the host does not count for the
 * device. */
static UNIT_IN_ARENA(test_parts)
{
	struct heap_case h = heap_new(*state);
	for (int i = 1; i <= 8; i++)
		heap_buffer(&h, i, 100 * i);
	heap_allocation(&h, PARAMETER | OUT, 100, 1, 1);
	heap_allocation(&h, PARAMETER, 200, 2, 1);
	heap_allocation(&h, OUT, 300, 3, 1);
	heap_allocation(&h, CONSTANT, 400, 4, 1);
	heap_allocation(&h, THREAD, 500, 5, 1);
	heap_allocation(&h, PARAMETER | HOST, 600, 6, 1);
	heap_allocation(&h, 0, 2048, 7, 2);
	TRACE(&h, {ALLOC, 7, 0}, {ALLOC, 8, 0}, {FREE, 7, 0}, {FREE, 8, 0});
	struct pass_run run;
	heap_run(&run, &h);
	check_parts(&run, 300, 300, 400, 2048);
	check_column(&run, "program_memory", "donated_bytes", "100 ");
	check_column(&run, "program_memory", "host_bytes", "600 ");
	check_column(&run, "program_memory", "ran", "1 ");
	assert_int_equal(run_total_ns(&run, "totals.heap_peak_bytes"), 1500);
	check_heap(&run, "0 peak 1500: 0 700 1500 800 0 | value.8=800 value.7=700\n");
	check_live(&run,
		"value.8 temporary 800\nvalue.7 temporary 700\nvalue.4 constant 400\n"
		"value.3 output 300\nvalue.2 parameter 200\nvalue.1 parameter 100\n");
	check_column(&run, "live_at_peak", "trace", "0 0 null null null null ");
	/* unused: 2048 - 1500, last */
	const struct jr_table *peak = run_table(&run, "peak_buffers");
	assert_string_equal(table_cells(peak, "class")->text[peak->n_rows - 1], "unused");
	assert_int_equal(table_cells(peak, "bytes")->i64[peak->n_rows - 1], 548);
	passes_done(&run);
}

/* "series low-high" per point; consecutive points of the same series and band once. */
static void check_bands(const struct pass_run *run, const char *expected)
{
	const struct jr_table *t = run_table(run, "memory_bands");
	struct jr_buf got = {0};
	for (size_t row = 0; row < t->n_rows; row++) {
		int64_t low = table_cells(t, "low_bytes")->i64[row];
		jr_buf_printf(&got, "%s %" PRId64 ": ", table_cells(t, "series")->text[row],
			table_cells(t, "event")->i64[row]);
		if (low != JR_NULL_I64)
			jr_buf_printf(&got, "%" PRId64 "-", low);
		jr_buf_printf(&got, "%" PRId64 "\n", table_cells(t, "bytes")->i64[row]);
	}
	check_text(&got, expected);
}

/* An output that the trace simulates is in the heap and not also below it; another output stays
 * below. A part too thin to be seen has no band, but lifts the heap. */
static UNIT_IN_ARENA(test_bands)
{
	struct heap_case h = heap_new(*state);
	for (int i = 1; i <= 5; i++)
		heap_buffer(&h, i, 100 * i);
	heap_allocation(&h, PARAMETER, 100, 1, 1);
	heap_allocation(&h, OUT, 200, 2, 1);
	heap_allocation(&h, OUT, 300, 3, 1);
	heap_allocation(&h, CONSTANT, 1, 99, 1);
	heap_allocation(&h, 0, 400, 4, 1);
	heap_allocation(&h, 0, 512, 5, 1);
	TRACE(&h, {ALLOC, 3, 0}, {ALLOC, 4, 0}, {FREE, 4, 0});
	struct pass_run run;
	heap_run(&run, &h);
	check_parts(&run, 100, 500, 1, 912);
	check_bands(&run,
		"Parameters 0: 0-100\nParameters 3: 0-100\n"
		"Outputs 0: 100-300\nOutputs 3: 100-300\n"
		"Other temporaries 0: 301-813\nOther temporaries 3: 301-813\n"
		"Heap of temporaries 0: 813-813\nHeap of temporaries 1: 813-1113\n"
		"Heap of temporaries 2: 813-1513\nHeap of temporaries 3: 813-1113\n"
		"Total allocated 0: 1513\nTotal allocated 3: 1513\n");
	check_live(&run,
		"value.5 temporary 512\nvalue.4 temporary 400\nvalue.3 output 300\n"
		"value.2 output 200\nvalue.1 parameter 100\n- constant 1\n");
	passes_done(&run);
}

/* Name of a shared block: its parameter, or the last buffer that fills an output's block.
 * Temporaries give no name, because none of them fills the block. */
static UNIT_IN_ARENA(test_names_of_shared_blocks)
{
	struct jr_arena *a = *state;
	struct heap_case h = heap_new(a);
	for (int i = 1; i <= 9; i++)
		heap_buffer(&h, i, 8);
	h.entry->instructions[1]->opcode = TEXT(a, "parameter");
	heap_allocation(&h, PARAMETER | OUT, 8, 1, 3);
	Xla__BufferAllocationProto *out = heap_allocation(&h, OUT, 8, 4, 3);
	out->assigned[2]->size = 4; /* the last, but only a part of it */
	heap_allocation(&h, 0, 16, 7, 2);
	heap_allocation(&h, OUT, 8, 99, 2); /* unknown buffers */
	struct pass_run run;
	heap_run(&run, &h);
	check_live(&run,
		"- temporary 16\nvalue.2 parameter 8\nvalue.5 output 8\n- output 8\n");
	check_column(&run, "live_at_peak", "shape", "null f32[2] f32[5] null ");
	assert_null(jr_results_table(&run.results, "memory_bands")); /* no heap: nothing changes */
	assert_int_equal(run_total_ns(&run, "totals.heap_peak_bytes"), JR_NULL_I64);
	check_parts(&run, 8, 16, 0, 16);
	passes_done(&run);
}

/* Sizes below 0 count as 0, and the largest ones add up. */
static UNIT_IN_ARENA(test_hostile_allocations)
{
	struct heap_case h = heap_new(*state);
	heap_buffer(&h, 1, JR_MOST_BYTES);
	heap_buffer(&h, 2, JR_MOST_BYTES);
	heap_allocation(&h, PARAMETER, -1, 1, 1);
	heap_allocation(&h, PARAMETER | OUT, JR_MOST_BYTES, 1, 1);
	heap_allocation(&h, PARAMETER | OUT, JR_MOST_BYTES, 1, 2);
	heap_allocation(&h, OUT | CONSTANT, JR_MOST_BYTES, 2, 1);
	heap_allocation(&h, 0, INT64_MIN, 2, 1);
	heap_allocation(&h, HOST, JR_MOST_BYTES, -5, 1);
	heap_allocation(&h, HOST, JR_MOST_BYTES, INT64_MAX, 1);
	heap_allocation(&h, 0, 1, 2, 1);
	TRACE(&h, {ALLOC, 2, 0}, {SHARE, 1, 2}, {FREE, 2, 0}, {ALLOC, 1, 0});
	struct pass_run run;
	heap_run(&run, &h);
	static const char *const keys[] = {
		"allocated_bytes", "parameter_bytes", "output_bytes", "donated_bytes", "host_bytes"};
	static const int64_t times[] = {3, 2, 1, 2, 2};
	for (size_t i = 0; i < JR_COUNT_OF(keys); i++)
		assert_int_equal(table_cells(run_table(&run, "program_memory"), keys[i])->i64[0],
			times[i] * JR_MOST_BYTES + (i == 0)); /* the temporary byte */
	check_column(&run, "program_memory", "constant_bytes", "0 ");
	check_column(&run, "program_memory", "temporary_bytes", "1 ");
	passes_done(&run);
}

/* A heap in host memory does not count as a heap of the device. */
static UNIT_IN_ARENA(test_heap_of_the_host)
{
	struct heap_case h = heap_new(*state);
	heap_buffer(&h, 1, 1000);
	heap_buffer(&h, 2, 10);
	heap_allocation(&h, HOST, 1000, 1, 1);
	heap_allocation(&h, 0, 16, 2, 1);
	TRACE(&h, {ALLOC, 1, 0});
	TRACE(&h, {ALLOC, 2, 0});
	struct pass_run run;
	heap_run(&run, &h);
	check_column(&run, "memory", "host", "1 0 ");
	check_column(&run, "memory", "peak_bytes", "1000 10 ");
	assert_int_equal(run_total_ns(&run, "totals.heap_peak_bytes"), 10);
	check_parts(&run, 0, 0, 0, 16);
	check_live(&run, "value.2 temporary 10\n");
	assert_non_null(strstr(run_words(&run), "1 program uses additional host memory"));
	passes_done(&run);
}

/* The largest program that ran is shown first. A larger one without executions, or one without
 * data, is not, and a note says so. */
static UNIT_IN_ARENA(test_largest_that_ran)
{
	static const struct job_row rows[] = {RANGE_ON(1, 3, MODULE("6", "jit_small"), 0, 10, 100),
		RANGE_ON(2, 0, MODULE("7", "jit_large"), 10, 20, 100),
		RANGE_ON(3, 0, MODULE("8", "jit_outer"), 0, 10, 100), /* runs within jit_outer */
		RANGE_ON(4, 0, MODULE("9", "jit_unknown"), 20, 30, 100),
		RANGE_ON(5, 0, MODULE("5", "jit_heap"), 30, 40, 100)};
	struct heap_case all[5];
	struct job_hlo hlo[5];
	static const int64_t sizes[] = {0, 64, 640, 6400};
	for (int i = 0; i < 5; i++) {
		all[i] = heap_new(*state);
		hlo[i] = (struct job_hlo){5 + i, all[i].proto};
		heap_buffer(&all[i], 1, 8);
		if (i && i < 4)
			heap_allocation(&all[i], PARAMETER, sizes[i], 1, 1);
	}
	TRACE(&all[0], {ALLOC, 1, 0});
	struct pass_run run;
	passes_of(&run, NULL,
		&(struct job_process){.pid = 1, JOB_ROWS(rows), JOB_HLO(hlo),
			.launchers = eight_launchers, .n_launchers = 1});
	check_results(&run.results);
	check_column(&run, "program_memory", "program_id", "8 7 6 5 9 ");
	check_column(&run, "program_memory", "allocated_bytes", "6400 640 64 null null ");
	check_column(&run, "program_memory", "ran", "0 1 1 1 1 ");
	assert_int_equal(run_total_ns(&run, "totals.peak_memory_bytes"), 640);
	assert_string_equal(
		jr_results_scalar(&run.results, "totals.peak_memory_bytes")->note, "in jit_large");
	check_live(&run, "value.1 parameter 640\n");
	assert_non_null(strstr(run_words(&run), "For 2 of the 4 programs that ran, no HLO dump lists"));
	passes_done(&run);
}

/* Many allocations and buffers: the work grows only with their number. */
static UNIT_IN_ARENA(test_many_allocations)
{
	enum { MANY = 60000 };
	struct jr_arena *a = *state;
	struct heap_case h = heap_new(a);
	Xla__BufferAssignmentProto *m = h.proto->buffer_assignment;
	heap_allocation(&h, OUT, 3, 1, 1);
	heap_buffer(&h, 1, 3);
	m->buffer_allocations =
		build_many(a, m->buffer_allocations[0], MANY);
	m->n_buffer_allocations = MANY;
	TRACE(&h, {ALLOC, 1, 0});
	m->heap_simulator_traces = build_many(a, m->heap_simulator_traces[0], MANY);
	m->n_heap_simulator_traces = MANY;
	heap_allocation(&h, HOST, 3, 2, 1);
	struct pass_run run;
	heap_run(&run, &h);
	/* the first one is simulated, the others stay */
	check_column(&run, "program_memory", "output_bytes", "180000 ");
	assert_int_equal(run_table(&run, "live_at_peak")->n_rows, MANY);
	assert_true(run.arena.used_bytes < UINT64_C(100) << 20);
	passes_done(&run);
}
