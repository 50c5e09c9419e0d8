/*
 * hlo_parse.h - the second decoder of HLO: modules and instructions as XLA prints them.
 * Layer: formats.  formats/README.md, section 5.4.
 *
 * The text is translated to the bytes of an xla.HloProto, which jr_hlo_decode() reads. Both forms
 * therefore have one meaning: shapes, groups, windows and settings are decoded in one place.
 */
#ifndef JR_FORMATS_HLO_PARSE_H
#define JR_FORMATS_HLO_PARSE_H

#include "formats/hlo/hlo.h"

/**
 * Decode the text of a whole module (`*.after_optimizations.txt`).
 *
 * @param hlo  out, set only on JR_OK; free it with jr_hlo_done(). It has no buffers, allocations or
 *             traces, and its id is 0: the text does not state them. Ids of instructions and
 *             computations are numbers from 1 in order of first mention
 * @return JR_EFORMAT not such a text, with the number of the line; JR_ELIMIT as jr_hlo_decode()
 * @note O(size). Lines of a module with `is_scheduled=true` are in launch order.
 */
enum jr_status jr_hlo_decode_text(struct jr_bytes in, const struct jr_limits *limits,
	struct jr_hlo *hlo, struct jr_error *err) JR_MUST_CHECK;

/* A module from separate texts of its instructions, as exports of Nsight Systems have them. */
struct jr_hlo_builder;

/** Begin a module. `limits` must outlive the builder. Free it with jr_hlo_builder_free(). */
struct jr_hlo_builder *jr_hlo_builder_new(
	const char *name, int64_t id, const struct jr_limits *limits);
/** Free a builder, finished or not. Accepts NULL. */
void jr_hlo_builder_free(struct jr_hlo_builder *b);
/** Set the frames that all stacks of the module begin with: one FILE:LINE[:COLUMN][[FUNCTION]] per
 * line, outermost first. Call it before instructions are added. */
void jr_hlo_builder_set_prefix(struct jr_hlo_builder *b, struct jr_bytes frames);
/**
 * Add the text of one instruction. It belongs to the computation that lists its name, or else to
 * the entry, which contains all instructions that no computation lists.
 *
 * @param stacks  its merged Python stacks: one frame per line after as many dashes as it is deep;
 *                empty = none. A module has one stack per instruction: the first one counts
 * @return false: the text is not an instruction and is left out. Of equal names the first counts.
 */
bool jr_hlo_builder_add_instruction(
	struct jr_hlo_builder *b, struct jr_bytes text, struct jr_bytes stacks);
/** Add the texts of computations. Of equal names the first counts.
 * @return false: the text is damaged; what comes before the damage is kept */
bool jr_hlo_builder_add_computations(struct jr_hlo_builder *b, struct jr_bytes text);
/** Return how many names of instructions, or of computations, the texts added so far mention. */
size_t jr_hlo_builder_mentioned(const struct jr_hlo_builder *b, bool computations);
/** Return the name of a mention if no text of it was added; NULL: one was. Valid as long as the
 * builder.
 * @param mention  below jr_hlo_builder_mentioned(), in order of first mention */
const char *jr_hlo_builder_missing(
	const struct jr_hlo_builder *b, bool computations, size_t mention);
/** Return how many texts could not be read and were left out. */
uint64_t jr_hlo_builder_left_out(const struct jr_hlo_builder *b);
/**
 * Build the module of what was added. An operand whose instruction is absent has an id that no
 * instruction has. Without `ROOT` in the entry, its root_id is 0. No launch order is stated.
 *
 * @param hlo  out, set only on JR_OK; does not point into the builder or the texts
 * @return JR_ELIMIT as jr_hlo_decode()
 */
enum jr_status jr_hlo_builder_finish(
	struct jr_hlo_builder *b, struct jr_hlo *hlo, struct jr_error *err) JR_MUST_CHECK;

#endif
