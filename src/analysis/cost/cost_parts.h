/*
 * cost_parts.h - declarations that the parts of the cost model (cost*.c) share.
 * Layer: analysis, private to cost*.c.  Definitions: README.md, section 13.
 */
#ifndef JR_ANALYSIS_COST_PARTS_H
#define JR_ANALYSIS_COST_PARTS_H

#include "analysis/cost/cost.h"
#include "base/num.h"

/** Return a * b / c, rounded down or (`up`) up. */
uint64_t jr_sat_share(uint64_t a, uint64_t b, uint64_t c, bool up);

/* --- work ---------------------------------------------------------------------------------- */

struct jr_work {
	const char *unknown; /* the unknown part; NULL = all is known */
	const char *int_unknown;
	bool upper_bound;
	uint64_t matrix[JR_N_MATRIX], vector[JR_N_VECTOR], transcendentals, int_ops, other_ops;
	uint64_t remat; /* part of matrix */
};

/** Add from * times / of to `to`. */
void jr_work_add(struct jr_work *to, const struct jr_work *from, uint64_t times, uint64_t of);

/* Bytes moved. Near: memory space 1, not included in the other counts. */
struct jr_moved {
	bool unknown;
	bool host;
	uint64_t read, written, near_read, near_written, host_bytes;
};

/* Cost of one instruction. */
struct jr_instruction_cost {
	struct jr_work work;
	struct jr_moved moved;
	bool in_place, collective, no_network;
	uint64_t network;
};

/* --- a program ----------------------------------------------------------------------------- */

#define JR_COST_DEPTH 32 /* nested calls of computations; beyond it all is unknown */

struct jr_demand;
struct jr_places;

/* Results of a computation so far; NULL = not yet. Open: being counted, so a second visit means
 * that it calls itself. */
struct jr_computation_cost {
	const struct jr_work *work;
	const struct jr_instruction_cost *cost;
	const struct jr_demand *demand; /* as a nested fusion */
	bool work_open, cost_open, demand_open;
};

struct jr_cost_program {
	const struct jr_hlo *hlo;
	uint32_t n_devices;    /* devices of a collective without groups, 0 = not known */
	bool one_host;         /* all devices of a group are on one host, as far as the profile shows */
	uint32_t most_on_host; /* a group of more devices is not on one host */
	struct jr_arena *arena;                   /* as long as the program is processed */
	struct jr_arena *scratch;                 /* for one op */
	struct jr_computation_cost *computations; /* [n_computations] results so far */
	struct jr_places *places;                 /* of buffers; created at first use */
	uint64_t steps; /* remaining steps: they bound the work by the size of the input */
	uint32_t depth; /* of nested calls */
};

/** Take n steps; return false if not enough are left. */
static inline bool jr_cost_spend(struct jr_cost_program *p, uint64_t n)
{
	if (p->steps < n) {
		p->steps = 0;
		return false;
	}
	p->steps -= n;
	return true;
}

/** Return operand k, NULL if it is missing. */
const struct jr_hlo_instruction *jr_cost_operand(
	const struct jr_cost_program *p, const struct jr_hlo_instruction *inst, uint32_t k);
/** Return its elements; JR_MANY if it is missing. */
uint64_t jr_cost_operand_elements(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, uint32_t k);
/** Return the elements of an array, or of all arrays of a tuple. O(leaves). */
uint64_t jr_cost_elements(struct jr_cost_program *p, const struct jr_hlo_shape *shape);
/** Return the elements of one array; JR_MANY for NULL, for a tuple and for an unknown size. */
uint64_t jr_array_elements(const struct jr_hlo_shape *shape);
/** Return the first array of a shape; NULL for an empty tuple. */
const struct jr_hlo_shape *jr_first_leaf(const struct jr_hlo_shape *shape);
/** Return the bytes of `elements` elements of an array. */
uint64_t jr_elements_bytes(const struct jr_hlo_shape *shape, uint64_t elements);
void jr_add_read(struct jr_cost_program *p, const struct jr_hlo_shape *shape, struct jr_moved *to);
void jr_add_written(
	struct jr_cost_program *p, const struct jr_hlo_shape *shape, struct jr_moved *to);
/** Add all operands from number `from` on as read. */
void jr_add_operands(struct jr_cost_program *p, const struct jr_hlo_instruction *inst,
	uint32_t from, struct jr_moved *to);
/** Add `elements` of an array, in the memory that its shape states. */
void jr_add_read_part(const struct jr_hlo_shape *shape, uint64_t elements, struct jr_moved *to);
void jr_add_written_part(const struct jr_hlo_shape *shape, uint64_t elements, struct jr_moved *to);

static inline bool jr_type_complex(unsigned type)
{
	return type == JR_HLO_C64 || type == JR_HLO_C128;
}
bool jr_type_float(unsigned type); /* complex ones too */
bool jr_type_integer(unsigned type);

/** Count the pairs of a result position and a window position that hit an input element, not
 * padding or the space between elements, along one dimension. O(log of the sizes). */
uint64_t jr_cost_taps(uint64_t in, uint64_t out, const struct jr_hlo_window_dimension *window);

/* --- rules --------------------------------------------------------------------------------- */

/* How requested elements of a result become requested elements of operands, in a fusion. */
enum jr_flow {
	JR_FLOW_ALL,    /* all of each operand */
	JR_FLOW_SAME,   /* the same elements */
	JR_FLOW_PART,   /* the same number of the first operand; all of the others */
	JR_FLOW_SHARE,  /* the same share of each operand */
	JR_FLOW_REDUCE, /* the same share of the first half of the operands; all of the others */
	JR_FLOW_UPDATE, /* the part of the first operand that is not replaced */
	JR_FLOW_SCATTER,
	JR_FLOW_FUSION,
	JR_FLOW_CALL, /* calls each of its computations once */
};

/* Bytes that a collective sends: of its operands (put) or result, n devices per group. */
enum jr_wire_rule {
	JR_WIRE_NONE,
	JR_WIRE_RESULT_SHARE,    /* result * (n - 1) / n */
	JR_WIRE_PUT_SHARE,       /* put * (n - 1) / n */
	JR_WIRE_PUT_TWICE_SHARE, /* 2 * put * (n - 1) / n */
	JR_WIRE_PUT,
	JR_WIRE_UNKNOWN,
};

typedef void jr_work_rule(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to);
/* How often the called computation number `k` is applied; JR_MANY: not known. */
typedef uint64_t jr_times_rule(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, uint32_t k);
typedef void jr_bytes_rule(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_moved *to);

struct jr_cost_rule {
	jr_work_rule *work;   /* NULL: none */
	jr_bytes_rule *bytes; /* NULL: moves none */
	uint8_t kind;         /* enum jr_work_kind; JR_N_WORK: none */
	uint8_t flow;         /* enum jr_flow */
	uint8_t wire;         /* enum jr_wire_rule; a collective unless NONE */
	uint8_t units;        /* vector operations per element */
	uint8_t complex_units;
	uint8_t n_applied;    /* called computations that are applied to elements: its work */
	jr_times_rule *times; /* NULL if n_applied is 0 */
};

/** Return the rule of an opcode, enum jr_hlo_opcode; never NULL: JR_OP_OTHER is unknown. */
const struct jr_cost_rule *jr_cost_rule_of(uint8_t op);

/** Compute the work of an instruction, including fusions and calls. */
void jr_work_of(
	struct jr_cost_program *p, const struct jr_hlo_instruction *inst, struct jr_work *to);
/** Compute the full cost of an instruction. */
void jr_cost_of(struct jr_cost_program *p, const struct jr_hlo_instruction *inst,
	struct jr_instruction_cost *to);
/* A matrix product of 2 * macs FLOPs. The instruction gives types, precision and algorithm.
 * `most_precise`: the highest precision that still uses tf32. */
void jr_work_of_product(struct jr_cost_program *p, const struct jr_hlo_instruction *inst,
	uint64_t macs, uint8_t most_precise, struct jr_work *to);
/** Return half the FLOPs of a convolution of these three shapes; JR_MANY if its attributes do not
 * fit. */
uint64_t jr_convolution_macs(const struct jr_hlo_attributes *a, const struct jr_hlo_shape *in,
	const struct jr_hlo_shape *kernel, const struct jr_hlo_shape *out);
/** Return the product of the sizes of the contracting dimensions of `lhs`. */
uint64_t jr_contracted(const struct jr_hlo_attributes *a, const struct jr_hlo_shape *lhs);

/** Return the count of vector operations of a type: types shorter than f32 are computed as f32. */
uint64_t *jr_work_vector(struct jr_work *to, unsigned type);
/** Return the class of a product with operands of a type; JR_N_MATRIX: it has none. */
enum jr_matrix_class jr_matrix_class_of(unsigned type, bool tf32);

/** Return the kind from the statements of events (op->said, not NULL). */
enum jr_work_kind jr_kind_said(const struct jr_profile *p, const struct jr_op *op);
void jr_cost_said(
	const struct jr_profile *p, const struct jr_op *op, struct jr_arena *arena, struct jr_cost *to);

/** Return the kind of a custom call, from its target. */
enum jr_work_kind jr_kind_of_call(const struct jr_hlo_instruction *inst);

/* Rules of library calls, which the table of opcodes contains, too. */
jr_work_rule jr_work_triangular_solve, jr_work_cholesky, jr_work_custom_call;
jr_bytes_rule jr_bytes_custom_call;

/** Return true for workspace of a library call: users neither read nor write such a leaf. */
bool jr_is_workspace(const struct jr_hlo_instruction *call, uint32_t leaf);

/** Return whether leaf `index` of a fusion's result (JR_NONE: not a tuple) has the same address as
 * its operand; true if either address is not known. */
bool jr_same_place(struct jr_cost_program *p, const struct jr_hlo_instruction *fusion,
	uint32_t index, uint32_t operand);

#endif
