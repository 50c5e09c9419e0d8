/*
 * hlo.h - one optimized XLA module from an xla.HloProto, as flat arrays.
 * Layer: formats.  protobuf-c decodes it (proto/hlo.proto) into a scratch arena; the decoder copies
 * it into this compact form. Field numbers and their source are in proto/README.md.
 */
#ifndef JR_FORMATS_HLO_H
#define JR_FORMATS_HLO_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/limits.h"
#include "formats/hlo/hlo_opcode.h"

/* xla.PrimitiveType: the members that code refers to by name. */
enum jr_hlo_type {
	JR_HLO_PRED = 1,
	JR_HLO_S8 = 2,
	JR_HLO_S32 = 4,
	JR_HLO_S64 = 5,
	JR_HLO_U8 = 6,
	JR_HLO_U32 = 8,
	JR_HLO_U64 = 9,
	JR_HLO_F16 = 10,
	JR_HLO_F32 = 11,
	JR_HLO_F64 = 12,
	JR_HLO_TUPLE = 13,
	JR_HLO_OPAQUE = 14,
	JR_HLO_C64 = 15,
	JR_HLO_BF16 = 16,
	JR_HLO_TOKEN = 17,
	JR_HLO_C128 = 18,
	JR_HLO_F8E5M2 = 19,
	JR_HLO_F8E4M3FN = 20,
	JR_HLO_S4 = 21,
	JR_HLO_U4 = 22,
	JR_HLO_F8E4M3B11FNUZ = 23,
	JR_HLO_F8E5M2FNUZ = 24,
	JR_HLO_F8E4M3FNUZ = 25,
	JR_HLO_F8E4M3 = 28,
	JR_HLO_F8E3M4 = 29,
	JR_HLO_F4E2M1FN = 32,
	JR_HLO_F8E8M0FNU = 33,
};

/* Array shape, or tuple of element shapes (xla.ShapeProto). */
struct jr_hlo_shape {
	uint8_t element_type; /* enum jr_hlo_type, or another member of xla.PrimitiveType */
	bool host_memory;     /* layout.memory_space == 5 */
	bool near_memory;     /* layout.memory_space == 1: vector memory (VMEM) on a TPU; on a GPU a
						   * part of device memory that is used for collectives */
	bool unbounded;       /* a dimension was stated as negative; it is unknown and 0 here */
	uint32_t n_dimensions;
	const int64_t *dimensions;     /* each >= 0 */
	const int64_t *minor_to_major; /* [n_dimensions] or NULL */
	uint32_t n_tuple;
	const struct jr_hlo_shape *tuple;
	uint64_t size_bytes; /* cached, because thousands of operands may share one large tuple */
};

/* One dimension of a window. Absent fields have their defaults: 1 for strides and dilations, else
 * 0. */
struct jr_hlo_window_dimension {
	int64_t size, stride, padding_low, padding_high, window_dilation, base_dilation;
};

/* Roles of the dimensions of a convolution's arrays. */
struct jr_hlo_convolution {
	int64_t input_batch, input_feature, kernel_input_feature, kernel_output_feature, output_batch,
		output_feature;
	uint32_t n_spatial; /* length of each list */
	const int64_t *input_spatial, *kernel_spatial, *output_spatial;
};

/* xla.PrecisionConfig.Precision; its higher values do not apply to matrix products. */
enum jr_hlo_precision { JR_HLO_DEFAULT, JR_HLO_HIGH, JR_HLO_HIGHEST };

enum jr_hlo_mask {
	JR_HLO_NO_MASK,
	JR_HLO_PADDING,
	JR_HLO_CAUSAL,
	JR_HLO_PADDING_CAUSAL,
	JR_HLO_OTHER_MASK,
};

enum jr_hlo_fft { JR_HLO_FFT, JR_HLO_IFFT, JR_HLO_RFFT, JR_HLO_IRFFT };

/* Attributes of an instruction besides its operands: numbers as the input states them, of any size
 * and sign. Equal messages share one struct. From backend_config, which is JSON, only the numbers
 * in formats/README.md, section 5.3, are kept. */
struct jr_hlo_attributes {
	const char *fusion_kind;  /* kLoop, kInput, kOutput, kCustom; "" if absent */
	const char *backend_kind; /* fusion_backend_config.kind: "__triton_gemm"; "" if absent */
	const char *direction;    /* of a comparison: EQ, NE, GE, ...; "" if absent */
	const int64_t *dimensions, *lhs_contracting, *fft_length;
	const struct jr_hlo_window_dimension *window;
	const struct jr_hlo_convolution *convolution; /* NULL if absent */
	const int64_t *scores; /* dimensions of fused attention's intermediate_tensor_shape */
	int64_t feature_group_count, batch_group_count; /* 1 if absent */
	int64_t sliding_window;                         /* of fused attention, 0 = none */
	/* cost_estimate of a Pallas call, as stated by its author; -1 = not stated. */
	int64_t stated_flops, stated_bytes, stated_transcendentals;
	int64_t trip_count; /* known_trip_count of a while loop; -1 = not stated */
	uint32_t n_dimensions, n_contracting, n_fft_length, n_window, n_scores;
	uint32_t tile_m, tile_n, tile_k; /* block sizes of a Triton product; 0 = not stated */
	bool has_contracting;            /* dot dimension numbers are present, possibly empty */
	uint8_t precision;               /* highest of the operands, enum jr_hlo_precision */
	uint8_t algorithm; /* xla.PrecisionConfig.Algorithm, 0 = unset, 255 = unknown here */
	uint8_t fft_type;  /* enum jr_hlo_fft; 255 = unknown here */
	uint8_t mask;      /* enum jr_hlo_mask */
};

struct jr_hlo_groups;

struct jr_hlo_instruction {
	const char *name;
	const char *opcode;
	const char *op_name;            /* metadata.op_name, "" if absent */
	const char *source_file;        /* metadata.source_file, "" if absent */
	const char *custom_call_target; /* "" if absent */
	const char *scheduling_name;
	int32_t source_line;     /* 0 = unknown */
	uint32_t stack_frame_id; /* 1-based into frames, 0 = none */
	int64_t id;
	uint32_t computation; /* row of the computation that contains it */
	uint32_t n_operands, n_called;
	/* parameter_number of a parameter, tuple_index of a get-tuple-element, else 0; JR_NONE if the
	 * number is invalid. */
	uint32_t number;
	uint32_t place; /* position in its computation's schedule, from 0; JR_NONE: not scheduled */
	const int64_t *operand_ids;
	const int64_t *called_ids;                  /* computation ids */
	const struct jr_hlo_shape *shape;           /* never NULL; an empty shape if absent */
	const struct jr_hlo_attributes *attributes; /* NULL if it has none */
	/* Number of devices that a collective spans, from the first field present (formats/README.md,
	 * section 5.1): replica_groups, collective_device_list, its iota form,
	 * iota_collective_device_list, mesh axes. 0 = none is stated. If groups differ in size: the
	 * largest. */
	uint32_t group_size;
	uint8_t group_size_from; /* enum jr_hlo_group_source */
	uint8_t op;              /* enum jr_hlo_opcode of `opcode` */
	/* Groups of devices that communicate. NULL if unknown or trivial: one group, none stated, mesh
	 * axes, or ids that are not a partition of 0 .. n - 1. */
	const struct jr_hlo_groups *groups;
};

/* Devices 0 .. n - 1 of a module in groups; one array per distinct partition. */
struct jr_hlo_groups {
	uint32_t n;
	const uint32_t *group_of; /* [n] number of the group, from 0 */
};

enum jr_hlo_group_source {
	JR_HLO_GROUP_NONE,
	JR_HLO_GROUP_REPLICA_GROUPS,
	JR_HLO_GROUP_DEVICE_LIST,
	JR_HLO_GROUP_DEVICE_LIST_IOTA,
	JR_HLO_GROUP_IOTA,
	JR_HLO_GROUP_MESH_AXES,
};

struct jr_hlo_computation {
	const char *name;
	int64_t id, root_id;
	uint32_t first, n; /* instructions[first .. first + n), operands before their users */
	bool scheduled;    /* the dump states the launch order */
};

/* A stack frame: file:line:column[function], linked to its caller. */
struct jr_hlo_frame {
	const char *file, *function;
	int32_t line, column; /* column 0 = none */
	uint32_t parent;      /* 1-based frame id, 0 = outermost; always < own id or checked acyclic */
};

struct jr_hlo_buffer {
	int64_t id;
	uint64_t size_bytes;
	int64_t instruction_id;   /* defined_at; 0 if unknown: see defined_name */
	const char *defined_name; /* "" if defined by id */
	const int64_t *shape_index;
	uint32_t n_shape_index;
};

/* Position of a logical buffer in an allocation. */
struct jr_hlo_assigned {
	int64_t buffer_id;
	uint64_t offset_bytes, size_bytes;
};

/* Memory that XLA allocates before the module runs, as one block. Logical buffers that are not
 * alive at the same time may share parts of it (xla.BufferAllocationProto). */
struct jr_hlo_allocation {
	int64_t index; /* XLA's number */
	uint64_t size_bytes;
	int64_t parameter_number; /* for a parameter; else 0 */
	bool parameter;           /* parameter of the entry computation: alive before the module runs */
	bool live_out;            /* a result or part of one: alive after the module ran */
	bool constant;
	bool thread_local; /* memory of one computation, not on the device */
	bool host;         /* host memory: color 5 */
	uint32_t n_assigned;
	const struct jr_hlo_assigned *assigned;
};

enum jr_hlo_heap_kind { JR_HLO_ALLOC = 0, JR_HLO_FREE = 1, JR_HLO_SHARE_WITH = 2 };

struct jr_hlo_heap_event {
	uint8_t kind;
	int64_t buffer_id, canonical_id; /* canonical_id: SHARE_WITH only */
	const char *instruction_name;
};

/* An output that reuses the memory of a donated parameter; indexes are positions in tuples. */
struct jr_hlo_alias {
	int64_t parameter_number;
	const int64_t *parameter_index, *output_index; /* NULL: the whole array or tuple */
	uint32_t n_parameter_index, n_output_index;
};

struct jr_hlo_heap_trace {
	uint32_t n_events;
	const struct jr_hlo_heap_event *events;
};

struct jr_hlo {
	const char *name;        /* module name */
	const char *fingerprint; /* frontend attribute fingerprint_before_lhs, "" if absent */
	int64_t id;
	int64_t entry_id; /* id of the entry computation, -1 = unknown */
	uint32_t n_instructions, n_computations, n_frames, n_buffers, n_allocations, n_traces;
	const struct jr_hlo_instruction *instructions; /* grouped by computation */
	const struct jr_hlo_computation *computations;
	const struct jr_hlo_frame *frames; /* frame id f is frames[f - 1] */
	const struct jr_hlo_buffer *buffers;
	const struct jr_hlo_allocation *allocations; /* their buffer ids may dangle */
	const struct jr_hlo_heap_trace *traces;
	bool is_text;        /* decoded from text, which states no buffers */
	bool states_aliases; /* false: aliases are unknown */
	uint32_t n_aliases;
	const struct jr_hlo_alias *aliases; /* numbers as the input states them, may dangle */
	uint64_t n_unread_groups; /* collectives left without groups: too many distinct partitions */
	uint64_t structure_hash;  /* over (name, opcode, shape) of all instructions */
	struct jr_arena arena; /* owns all of the above except texts; the index owns one copy of each */
	struct jr_hlo_index *index;
};

/**
 * Decode a serialized xla.HloProto (not compressed).
 *
 * @param hlo  out, set only on JR_OK; free it with jr_hlo_done(). Nothing in it points into `in`.
 * @return JR_EFORMAT not an xla.HloProto; JR_ELIMIT. Ids that dangle or loop are tolerated if they
 * do no harm (a dangling called computation is dropped; a frame cycle is cut).
 * @note Texts are cleaned (base/text.h). O(size).
 */
enum jr_status jr_hlo_decode(struct jr_bytes in, const struct jr_limits *limits, struct jr_hlo *hlo,
	struct jr_error *err) JR_MUST_CHECK;
void jr_hlo_done(struct jr_hlo *hlo);

/** Return the instruction with that name, or JR_NONE. Names are unique in a module; of equal names
 * the first one counts. */
uint32_t jr_hlo_find(const struct jr_hlo *hlo, const char *name);
/** Return the instruction with that id, or JR_NONE. */
uint32_t jr_hlo_by_id(const struct jr_hlo *hlo, int64_t id);
/** Return the instruction with that id within a computation (newer XLA has local ids); falls back
 * to the id in the module. */
uint32_t jr_hlo_by_id_in(const struct jr_hlo *hlo, uint32_t computation, int64_t id);
/** List the instructions of a computation in launch order, if it is stated. Instructions without a
 * place follow in their order in the computation, as all do without a schedule.
 * @param rows  out, [computations[computation].n] rows of instructions */
void jr_hlo_launch_order(const struct jr_hlo *hlo, uint32_t computation, uint32_t *rows);
/** Return the computation with that id, or JR_NONE. */
uint32_t jr_hlo_computation_by_id(const struct jr_hlo *hlo, int64_t id);
/** Return operand k of an instruction, or JR_NONE. */
uint32_t jr_hlo_operand(
	const struct jr_hlo *hlo, const struct jr_hlo_instruction *inst, uint32_t k);
/** Return its shape, or NULL. */
const struct jr_hlo_shape *jr_hlo_operand_shape(
	const struct jr_hlo *hlo, const struct jr_hlo_instruction *inst, uint32_t k);
/** Return the computation number k that an instruction calls, or JR_NONE. */
uint32_t jr_hlo_called(const struct jr_hlo *hlo, const struct jr_hlo_instruction *inst, uint32_t k);
/** Return the instruction that defines a buffer, or JR_NONE. */
uint32_t jr_hlo_defined_by(const struct jr_hlo *hlo, const struct jr_hlo_buffer *buffer);
/** Return the entry computation, or JR_NONE. */
uint32_t jr_hlo_entry(const struct jr_hlo *hlo);
/** Return the root instruction of a computation; JR_NONE: it has none, or `computation` is JR_NONE.
 */
uint32_t jr_hlo_root(const struct jr_hlo *hlo, uint32_t computation);
/** Return the bytes of an array shape, or the sum over the elements of a tuple. Sub-byte types
 * round up. UINT64_MAX if 64 bits overflow. O(1). */
uint64_t jr_hlo_shape_bytes(const struct jr_hlo_shape *shape);
/** Return a readable text, "bf16[128,2048]{1,0}" or "(f32[4], ...)", in `arena`. */
const char *jr_hlo_shape_text(const struct jr_hlo_shape *shape, struct jr_arena *arena);
/** Return the bits of one element; 0 for TUPLE, TOKEN, OPAQUE and unknown types. */
unsigned jr_hlo_element_bits(unsigned element_type);
/** Return the type of a name such as "bf16"; 0 if the name is unknown. O(types) */
uint8_t jr_hlo_element_type(const char *name, size_t n);

#endif
