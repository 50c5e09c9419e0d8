/*
 * match.h - match two runs: programs, thunks, and rows with equal keys.
 * Layer: compare.
 *
 * Names of programs and thunks are not stable: a program's number counts compilations, and
 * fusion.123 is another instruction after any change. So programs are matched by fingerprint (the
 * module before optimization), the rest by structure (the module after optimization), then by name.
 * Thunks are matched by name if the structure of their programs is the same, or if one run has no
 * HLO. Otherwise thunks with equal (opcode, op_name, shape) are compared as one group. Of the rest,
 * thunks with equal (opcode, op_name) are, then thunks with equal (opcode, shape). op_names are
 * compared without the parts that versions of JAX print differently: parameters in brackets, the
 * "jit(main)/" in the middle, pjit for jit.
 */
#ifndef JR_COMPARE_MATCH_H
#define JR_COMPARE_MATCH_H

#include "compare/run/run.h"

enum { JR_BASE, JR_NEW };

/* The rule that matched a pair, most certain first. */
enum jr_match_rule {
	JR_MATCH_FINGERPRINT,
	JR_MATCH_STRUCTURE,
	JR_MATCH_NAME,
	JR_MATCH_ADDED,   /* in the new run only */
	JR_MATCH_REMOVED, /* in the base only */
};

/* A program of the comparison: rows of JR_RUN_MODULES. */
struct jr_program_match {
	size_t row[2]; /* SIZE_MAX: not in that run */
	enum jr_match_rule rule;
	bool same_hlo; /* the optimized modules are equal */
};

enum jr_thunk_change {
	JR_THUNK_SAME,     /* same instruction, or same opcode, op_name and shape */
	JR_THUNK_RESHAPED, /* same opcode and op_name */
	JR_THUNK_RENAMED,  /* same opcode and shape */
	JR_THUNK_ADDED,
	JR_THUNK_REMOVED,
};

/* Thunks of a program that are compared as one group: lists of rows of JR_RUN_THUNKS. */
struct jr_thunk_match {
	size_t program; /* index in jr_match.programs */
	enum jr_thunk_change change;
	const uint32_t *rows[2];
	size_t n[2]; /* 0: not in that run */
};

struct jr_match {
	size_t n_programs, n_thunks;
	struct jr_program_match *programs; /* sorted by the base's time, then added ones by theirs */
	struct jr_thunk_match *thunks;     /* of all programs, sorted by the base's time */
};

/** Match two runs. The result is in `arena`. O(rows log rows). */
struct jr_match jr_match_runs(const struct jr_run *const runs[2], struct jr_arena *arena);
/**
 * Return the matched program of each row of a table: [rows] of jr_match.programs, SIZE_MAX for
 * none, in `arena`. If ids are equal, the first one counts. O(programs + rows).
 *
 * @param id  the table's column of program ids
 */
size_t *jr_match_programs_of(const struct jr_match *match, const struct jr_run *run, int side,
	enum jr_run_table table, size_t id, struct jr_arena *arena);
/** Return "fingerprint", "structure", "name", "added" or "removed". */
const char *jr_match_rule_name(enum jr_match_rule rule);
/** Return "same", "reshaped", "renamed", "added" or "removed". */
const char *jr_thunk_change_name(enum jr_thunk_change change);

/** Return an op_name, or a part of one, without the parts that versions of JAX print differently;
 * in `arena`. */
const char *jr_match_op_name(struct jr_arena *arena, const char *op_name);

/**
 * Return whether two findings, rows[2] of JR_RUN_FINDINGS, are of one rule and about the same:
 * about matched thunks or the same devices, or it is unknown about which. O(rows of matched
 * thunks).
 */
bool jr_match_findings(
	const struct jr_match *match, const struct jr_run *const runs[2], const size_t rows[2]);

/* Rows of one table in both runs with the same key; SIZE_MAX if a run does not have it. */
struct jr_row_pair {
	size_t row[2];
};

/**
 * Pair rows by a text key, the k-th row of a key with the k-th: base rows in their order, then rows
 * that only the new run has.
 *
 * @param keys  [2][n] may hold NULL, which equals NULL
 * @param n_out out
 */
struct jr_row_pair *jr_match_rows(
	const char *const *const keys[2], const size_t n[2], struct jr_arena *arena, size_t *n_out);

#endif
