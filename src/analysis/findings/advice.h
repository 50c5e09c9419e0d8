/*
 * advice.h - advice of findings, clause by clause, and the facts that each clause needs.
 * Layer: analysis, private to findings.  Definitions: README.md, section 14.8.
 *
 * A clause is a row of one table (advice_clauses.c): a sentence, whether it states a cause or what
 * to do, and the facts that make it true of a program. It is printed if all of its facts are known
 * to hold. The facts are checked against the current program (advice_facts.c). A fact that cannot
 * be decided is neither true nor false.
 */
#ifndef JR_ANALYSIS_ADVICE_H
#define JR_ANALYSIS_ADVICE_H

#include "analysis/cost/dataflow.h"
#include "analysis/findings/findings.h"

/* Facts that a clause may need: about the program of the steps, or about the ops in question. */
enum jr_fact {
	JR_FACT_NONE,
	JR_FACT_LEARNS,             /* it is known to be a program of machine learning */
	JR_FACT_BACKWARD,           /* it computes gradients */
	JR_FACT_PRODUCTS,           /* it has matrix products */
	JR_FACT_MEMORY_LEFT,        /* less than three quarters of the device's memory are allocated */
	JR_FACT_DONATABLE,          /* an output could reuse the memory of a parameter, but does not */
	JR_FACT_CONSTANT_INPUT,     /* some arrays of its input contain only one value */
	JR_FACT_NO_INPUT_COPIES,    /* copies were recorded, and none goes from host to device */
	JR_FACT_CALLBACKS,          /* it calls the host */
	JR_FACT_GRAPHS_RAN,         /* kernels were launched as command buffers (CUDA graphs) */
	JR_FACT_GRAPHS_OFF,         /* ... and the job had turned them off */
	JR_FACT_IN_LOOP,            /* the op, or most kernels of a step, run inside a loop of HLO */
	JR_FACT_UNROLLED,           /* no loop, but the same operations repeat */
	JR_FACT_COPIES,             /* some of the ops copy an array unchanged */
	JR_FACT_TRANSPOSES,         /* ... transpose an array */
	JR_FACT_MOVES_PARAMETER,    /* ... move a parameter of the program */
	JR_FACT_EQUAL_INDICES,      /* the op gathers or scatters, and its indices are all equal */
	JR_FACT_SHARED_INDICES,     /* ... and all devices have the same indices */
	JR_FACT_SORTED_INDICES,     /* ... and they are the result of a sort */
	JR_FACT_REPEATABLE_INDICES, /* ... and nothing shows that they are sorted, equal or unique */
	JR_FACT_DEPENDS_ON_DATA,    /* the op's time depends on values, not on shapes alone */
	JR_FACT_FEW_RESULTS,        /* the op reduces to fewer values than would fill the device */
	JR_FACT_ODD_SIZES,          /* the op is a product, and a size is not a multiple of 64 */
	JR_FACT_FEW_TILES,          /* ... and its result has fewer tiles than multiprocessors */
	JR_FACT_FUSED,              /* the op is a fusion */
	JR_FACT_WIDE_INPUT,      /* its largest input has 32 bits or more per element, floating point */
	JR_FACT_COLUMNS,         /* the op reduces, but not along the fastest dimension */
	JR_FACT_MASKED_BY_PLACE, /* attention scores are masked by the positions of queries and keys */
	JR_FACT_CHECKPOINTED,    /* jax.checkpoint asked for the recomputation */
	JR_FACT_BESIDE_COMMUNICATION, /* some execution of the op overlaps with communication */
	JR_FACT_SEVERAL_HOSTS,        /* the devices that ran belong to several hosts */
	JR_FACT_SEVERAL_PROCESSES,
	JR_FACT_ACROSS, /* groups of the op have devices on several hosts; on a TPU, slices */
	JR_FACT_FITS,   /* ... and a host or slice has enough devices for a group */
	JR_FACT_STAGES, /* the steps of some devices are of another program, as in a pipeline */
	/* Set by the rule itself: bits of jr_about.found. No fact follows them. */
	JR_FACT_FOUND_0,
	JR_FACT_FOUND_1,
	JR_FACT_FOUND_2,
	JR_FACT_FOUND_3,
	JR_FACT_FOUND_4,
	JR_N_FACTS
};

/* Subject of the advice. */
struct jr_about {
	uint32_t op;        /* row of ops; JR_NONE: no single one */
	const uint8_t *ops; /* [n_ops] all of them; NULL: `op` alone */
	const char *word;   /* replaces "$0" in clauses; NULL: clauses with "$0" are left out */
	unsigned found; /* 1, 2, 4, …: results of the rule itself, JR_FACT_FOUND_0, _1, _2, … */
};

/* Groups of clauses, in the order in which a group prints them. */
enum jr_advice {
	JR_ADVICE_LAYOUT_COPIES,
	JR_ADVICE_SHORT_GAPS,
	JR_ADVICE_WAITS_FOR_HOST,
	JR_ADVICE_SHORT_KERNELS,
	JR_ADVICE_SCATTER_ADD,
	JR_ADVICE_SCATTER_SET,
	JR_ADVICE_GATHER,
	JR_ADVICE_SLOW_IN_ONE,
	JR_ADVICE_NO_ONE_LATE,
	JR_ADVICE_LATE_HOST,
	JR_ADVICE_LATE_LAUNCH,
	JR_ADVICE_SLOW_IN_SOME,
	JR_ADVICE_VARIES,
	JR_ADVICE_UNEVEN,
	JR_ADVICE_RECOMPUTED,
	JR_ADVICE_ATTENTION,
	JR_ADVICE_REDUCTION,
	JR_ADVICE_PRODUCT,
	JR_ADVICE_OTHER_KERNEL,
	JR_ADVICE_MEMORY,
	JR_ADVICE_ALL_GATHER,
	JR_ADVICE_REDUCE_SCATTER,
	JR_ADVICE_ALL_REDUCE,
	JR_ADVICE_ALL_TO_ALL,
	JR_ADVICE_PERMUTE,
	JR_ADVICE_ACROSS,
	JR_ADVICE_PADDED,
	JR_ADVICE_COMPILE,
	JR_ADVICE_SMALL_PROGRAMS,
	JR_ADVICE_HOST_COPIES,
	JR_ADVICE_CONSTANT_INPUT,
	JR_ADVICE_ONE_HOT,
	JR_N_ADVICE
};

/** Return whether a fact holds: 1 yes, 0 no, -1 cannot be decided. */
int jr_fact_holds(struct jr_check *c, enum jr_fact fact, const struct jr_about *about);

/** Add the clauses of a group whose facts all hold to the cause and to the advice of the finding,
 * in the order of the table. */
void jr_advise(struct jr_check *c, enum jr_advice group, const struct jr_about *about);
/* One op (JR_NONE: no single one), without words. */
#define JR_ABOUT(row) (&(const struct jr_about){.op = (row)})

/* Arrays of the step's input whose values are all equal, made by another program of the profile. */
struct jr_constant_inputs {
	uint32_t program;        /* program that makes them; JR_NONE: none, or not known */
	size_t n, n_parameters;  /* parameters of the step's entry computation: constant ones, all */
	const uint8_t *constant; /* [n_numbers] by number of the parameter */
	uint32_t n_numbers;
	const struct jr_hlo_shape *shape; /* of the first constant parameter */
};
/** Return the constant inputs of the program of the steps; they are found only once. */
const struct jr_constant_inputs *jr_constant_inputs_of(struct jr_check *c);

/** Return the HLO of the program of the steps; NULL: none. */
const struct jr_hlo *jr_check_step_hlo(const struct jr_check *c);
/** Return the instruction of an op; NULL: not known. `op` may be JR_NONE. */
const struct jr_hlo_instruction *jr_check_instruction(const struct jr_check *c, uint32_t op);

/** Return the dataflow of a program that has HLO; it is made only once. */
const struct jr_dataflow *jr_check_dataflow(struct jr_check *c, uint32_t program);
/** Return the unfused attention of a program that has HLO. It is searched once. */
const struct jr_scores *jr_check_scores(struct jr_check *c, uint32_t program);


/* --- shared by advice*.c ---------------------------------------------------------------------- */

enum { YES = 1, NO = 0, UNKNOWN = -1 };

/* Cached results. In the result arena, shared by all checks. */
struct jr_facts {
	const struct jr_dataflow **flows; /* [n_programs], NULL: not made yet */
	const struct jr_constant_inputs *constant_inputs;
	int known[JR_N_FACTS]; /* facts about the program: 2 + the result; 0: not decided yet */
};

/** Return the cache of a check; never NULL. */
struct jr_facts *jr_facts_of(struct jr_check *c);

/* enum jr_fact documents each of these facts. */
int jr_fact_copies(struct jr_check *c, const struct jr_about *about);
int jr_fact_transposes(struct jr_check *c, const struct jr_about *about);
int jr_fact_moves_parameter(struct jr_check *c, const struct jr_about *about);
int jr_fact_few_results(struct jr_check *c, const struct jr_about *about);
int jr_fact_reduces_columns(struct jr_check *c, const struct jr_about *about);
int jr_fact_odd_sizes(struct jr_check *c, const struct jr_about *about);
int jr_fact_few_tiles(struct jr_check *c, const struct jr_about *about);
int jr_fact_fused(struct jr_check *c, const struct jr_about *about);
int jr_fact_wide_input(struct jr_check *c, const struct jr_about *about);
int jr_fact_checkpointed(struct jr_check *c, const struct jr_about *about);
int jr_fact_masked_by_place(struct jr_check *c);
int jr_fact_equal_indices(struct jr_check *c, const struct jr_about *about);
int jr_fact_shared_indices(struct jr_check *c, const struct jr_about *about);
int jr_fact_sorted_indices(struct jr_check *c, const struct jr_about *about);
int jr_fact_repeatable_indices(struct jr_check *c, const struct jr_about *about);
int jr_fact_depends_on_data(struct jr_check *c, const struct jr_about *about);
int jr_fact_beside_communication(struct jr_check *c, const struct jr_about *about);

#endif
