/*
 * hlo_print.h - print an xla.HloModuleProto as the text that XLA prints (xla/hlo/ir/hlo_module.cc,
 * hlo_computation.cc, hlo_instruction.cc): dumps of --xla_dump_hlo_as_text, strings of NVTX.
 *
 * What proto/hlo.proto does not declare cannot be printed: tiles of layouts, literals, slices,
 * dimensions of a product's right operand. The channel of a collective is always 1, and the pairs
 * of a permutation are a ring. Names are printed as they are.
 */
#ifndef GEN_HLO_PRINT_H
#define GEN_HLO_PRINT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "hlo.pb-c.h"

struct gen_scenario;
struct gen_program;

enum gen_hlo_style {
	GEN_HLO_LONG = 1,           /* "%" before names; parameters and results of computations */
	GEN_HLO_OPERAND_SHAPES = 2, /* the shape of each operand: long texts until 2025 */
	GEN_HLO_ASYNC_NAMES = 4,    /* an async-start around one operation is "reduce-scatter-start";
								 * the module does not contain the computation between them */
	GEN_HLO_NAMED_ENDS = 8,     /* the name of a long computation after its closing brace */
};

struct gen_hlo_text {
	const Xla__HloModuleProto *module; /* borrowed */
	unsigned style;                    /* bits of enum gen_hlo_style */
	struct jr_map computations;        /* ids to rows */
	struct jr_map *rows;               /* [n_computations] ids of instructions to rows */
	bool *replaced;                    /* [n_computations] by the name of an async operation */
};

/** Index the instructions of a module, which must outlive the text. O(instructions) */
void gen_hlo_text_init(
	struct gen_hlo_text *text, const Xla__HloModuleProto *module, unsigned style);
void gen_hlo_text_done(struct gen_hlo_text *text);
/** Append the whole module with its tables of stack frames. */
void gen_hlo_print_module(const struct gen_hlo_text *text, struct jr_buf *out);
/** Append one instruction of a computation (a row of the module's), without a line break. */
void gen_hlo_print_instruction(const struct gen_hlo_text *text, size_t computation,
	const Xla__HloInstructionProto *in, struct jr_buf *out);
/** Append the computations that an instruction calls, one after the other without a line break. */
void gen_hlo_print_called(
	const struct gen_hlo_text *text, const Xla__HloInstructionProto *in, struct jr_buf *out);

/* --- hlo_print_attributes.c --- */

bool gen_hlo_is(const Xla__HloInstructionProto *in, const char *opcode);
/** Append a shape, with the layouts of its arrays or without. */
void gen_hlo_put_shape(struct jr_buf *out, const Xla__ShapeProto *s, bool layout);
/** Append the replica groups of a collective; nothing where it states none. */
void gen_hlo_put_groups(struct jr_buf *out, const Xla__HloInstructionProto *in);
/** Append what an operation is, without the computations that it calls. */
void gen_hlo_put_attributes(struct jr_buf *out, const Xla__HloInstructionProto *in);
void gen_hlo_put_metadata(struct jr_buf *out, const Xla__OpMetadata *m);
/** Append with the escapes of absl::CEscape(). */
void gen_hlo_put_escaped(struct jr_buf *out, const char *s, size_t n);
void gen_hlo_put_quoted(struct jr_buf *out, const char *key, const char *s);
/** Append "key{1,0}" with these brackets. */
void gen_hlo_put_numbers(
	struct jr_buf *out, const char *key, const int64_t *items, size_t n, const char *brackets);

/* --- write_hlo.c --- */

/** Build a process's module of a program in `arena`; it borrows texts of the scenario. */
Xla__HloModuleProto *gen_hlo_module(
	struct gen_scenario *sc, struct jr_arena *arena, const struct gen_program *p, uint32_t process);

#endif
