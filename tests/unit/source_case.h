/*
 * source_case.h - hand-made programs whose thunks have Python stacks.
 */
#ifndef JR_TESTS_SOURCE_CASE_H
#define JR_TESTS_SOURCE_CASE_H

#include "pass_case.h"

struct source_case {
	struct jr_arena *arena;
	Xla__HloProto *proto;
	Xla__HloComputationProto *entry;
	int64_t next_id;
	struct job_rows rows;
	int64_t module, at;
	const struct jr_gpu *gpu; /* the GPU of the run; NULL: unknown */
};

static inline struct source_case source_new(struct jr_arena *a)
{
	struct source_case s = {.arena = a, .proto = build_module(a, "jit_f"), .next_id = 10};
	s.entry = build_computation(a, s.proto, "main", 1);
	s.proto->hlo_module->stack_frame_index =
		build_new(a, &xla__stack_frame_index_proto__descriptor);
	s.rows.arena = a;
	s.module = rows_add(&s.rows, 0, 0, 1000000, 100, MODULE("7", "jit_f"));
	return s;
}

/* Add a frame called from `parent` (0: outermost); return its id. */
static inline int source_frame(struct source_case *s, const char *file, const char *function,
	int line, int parent)
{
	Xla__StackFrameIndexProto *index = s->proto->hlo_module->stack_frame_index;
	Xla__StackFrameIndexProto__FileLocation *location =
		build_new(s->arena, &xla__stack_frame_index_proto__file_location__descriptor);
	Xla__StackFrameIndexProto__StackFrame *frame =
		build_new(s->arena, &xla__stack_frame_index_proto__stack_frame__descriptor);
	ADD(s->arena, index, file_names, TEXT(s->arena, file));
	ADD(s->arena, index, function_names, TEXT(s->arena, function));
	location->file_name_id = (int32_t)index->n_file_names;
	location->function_name_id = (int32_t)index->n_function_names;
	location->line = line;
	ADD(s->arena, index, file_locations, location);
	frame->file_location_id = (int32_t)index->n_file_locations;
	frame->parent_frame_id = parent;
	ADD(s->arena, index, stack_frames, frame);
	return (int)index->n_stack_frames;
}

static inline Xla__HloInstructionProto *source_instruction(struct source_case *s,
	Xla__HloComputationProto *in, const char *name, const char *opcode, int frame)
{
	Xla__HloInstructionProto *i = build_instruction(s->arena, in, name, opcode, s->next_id++);
	i->metadata = build_new(s->arena, &xla__op_metadata__descriptor);
	i->metadata->op_name = TEXT(s->arena, name);
	i->metadata->stack_frame_id = frame;
	return i;
}

/* Add a thunk of `dur` ns whose instruction has that frame. */
static inline Xla__HloInstructionProto *source_thunk(struct source_case *s, const char *name,
	const char *opcode, int frame, int64_t dur)
{
	rows_add(&s->rows, s->module, s->at, s->at + dur, 100, "Thunk:#hlo_op=%s#", name);
	s->at += dur;
	return source_instruction(s, s->entry, name, opcode, frame);
}

/* Add a computation that `by` calls, with one instruction per frame (ends with -1). */
static inline void source_fused(struct source_case *s, Xla__HloInstructionProto *by, ...)
{
	Xla__HloComputationProto *c = build_computation(s->arena, s->proto, "fused", s->next_id++);
	ADD(s->arena, by, called_computation_ids, c->id);
	va_list frames;
	va_start(frames, by);
	for (int frame = va_arg(frames, int); frame >= 0; frame = va_arg(frames, int)) {
		char name[32];
		snprintf(name, sizeof(name), "inner.%d", (int)s->next_id);
		source_instruction(s, c, name, "add", frame);
	}
	va_end(frames);
}

/* Build the job's tables without running passes. */
static inline void source_finish(struct source_case *s, struct job *job,
	const struct jr_options *options)
{
	const struct job_hlo hlo[] = {{7, s->proto}};
	struct job_process process = rows_process(&s->rows, 1);
	process.hlo = hlo;
	process.n_hlo = 1;
	process.gpus = s->gpu;
	process.n_gpus = s->gpu ? 1 : 0;
	job_init(job, options);
	job_add(job, &process);
	job_finish(job);
	jr_vec_done(&s->rows);
}

#endif
