/*
 * export_hlo.h - HLO from the texts that XLA registers with NVTX, in exports of Nsight Systems.
 * Layer: model, private to loading.  Rules: formats/README.md, section 3.5.
 */
#ifndef JR_MODEL_EXPORT_HLO_H
#define JR_MODEL_EXPORT_HLO_H

#include "formats/hlo/hlo.h"
#include "model/archive/trace.h"
#include "model/export/export.h"

/* Thunks that ran, by program: pairs (program number, row of the trace's names), each once. */
struct jr_ran {
	int64_t program;
	uint32_t name;
};

/* What could not be determined about a program. */
struct jr_export_hlo_gaps {
	uint64_t n_ambiguous; /* instructions and computations with several possible texts */
	uint64_t n_left_out;  /* texts that cannot be read */
};

/** Index the texts of an export once, before jr_export_hlo_build(). O(texts). */
void jr_export_hlo_begin(struct jr_export *export);
void jr_export_hlo_done(struct jr_export *export);

/** Return whether the export has the texts of a module. */
bool jr_export_hlo_has(const struct jr_export *export, int64_t number, const char *module);
/** List the thunks of each program of the trace, in `arena`. O(rows). */
struct jr_ran *jr_export_hlo_ran(
	const struct jr_trace *trace, struct jr_arena *arena, size_t *n_ran);
/**
 * Build the module from its texts. A text that an earlier module registered, too, is stored there
 * only: it is used if it is the only one possible by name and op_name, or if all possible ones are
 * equal in shape, opcode, attributes and shapes of operands; otherwise the instruction is unknown.
 *
 * @param ran   of jr_export_hlo_ran(), of all programs
 * @param hlo   out, set only on JR_OK; jr_hlo_done()
 * @param gaps  out
 * @return JR_ENOTFOUND no such module; JR_ELIMIT as jr_hlo_builder_finish()
 * @note Callable from any thread. O(size of the module's texts + texts of equal names).
 */
enum jr_status jr_export_hlo_build(const struct jr_export *export, int64_t number,
	const char *module, const struct jr_trace *trace, const struct jr_ran *ran, size_t n_ran,
	const struct jr_limits *limits, struct jr_hlo *hlo, struct jr_export_hlo_gaps *gaps,
	struct jr_error *err) JR_MUST_CHECK;

#endif
