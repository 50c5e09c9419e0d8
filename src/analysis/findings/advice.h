/*
 * advice.h - what findings advise, clause by clause, and what each clause takes for granted.
 * Layer: analysis, private to findings*.c.  Definitions: README.md, section 14.8.
 *
 * A clause is a row of one table (advice_clauses.c): the sentence, and the facts that make it
 * true of a program. It is printed where all of them are known to hold. Facts are asked of the
 * program at hand (advice_facts.c); one that cannot be decided is neither true nor false.
 */
#ifndef JR_ANALYSIS_ADVICE_H
#define JR_ANALYSIS_ADVICE_H

#include "analysis/cost/dataflow.h"
#include "analysis/findings/findings.h"

/* What a clause may take for granted: of the program of the steps, or of the ops at hand. */
enum jr_fact {
	JR_FACT_NONE,
	JR_FACT_LEARNS,             /* it is known to be a program of machine learning */
	JR_FACT_BACKWARD,           /* it computes gradients */
	JR_FACT_PRODUCTS,           /* it has matrix products */
	JR_FACT_MEMORY_LEFT,        /* less than three quarters of the device's memory are allocated */
	JR_FACT_DONATABLE,          /* an output could take the memory of a parameter, and does not */
	JR_FACT_CONSTANT_INPUT,     /* arrays of its input hold one value each */
	JR_FACT_CALLBACKS,          /* it calls the host */
	JR_FACT_GRAPHS_RAN,         /* kernels were launched as command buffers (CUDA graphs) */
	JR_FACT_GRAPHS_OFF,         /* ... which the job had turned off */
	JR_FACT_IN_LOOP,            /* the op, or most kernels of a step, run inside a loop of HLO */
	JR_FACT_UNROLLED,           /* no loop, but the same operations again and again */
	JR_FACT_COPIES,             /* of the ops at hand some copy an array as it is */
	JR_FACT_TRANSPOSES,         /* ... transpose one */
	JR_FACT_MOVES_PARAMETER,    /* ... move a parameter of the program */
	JR_FACT_EQUAL_INDICES,      /* the op gathers or scatters, and all its indices are equal */
	JR_FACT_SHARED_INDICES,     /* ... and all devices have the same indices */
	JR_FACT_SORTED_INDICES,     /* ... and they come out of a sort */
	JR_FACT_REPEATABLE_INDICES, /* ... and nothing shows that they are sorted, equal or unique */
	JR_FACT_DEPENDS_ON_DATA,    /* the op's time depends on values, not on shapes alone */
	JR_FACT_FEW_RESULTS,        /* the op sums up to fewer values than would fill the device */
	JR_FACT_FUSED,              /* the op is a fusion */
	JR_FACT_WIDE_INPUT,      /* its largest input has 32 bits or more per element, floating point */
	JR_FACT_COLUMNS,         /* the op reduces, and not along the fastest dimension */
	JR_FACT_MASKED_BY_PLACE, /* attention's scores are masked by the places of queries and keys */
	JR_FACT_CHECKPOINTED,    /* what is computed again was asked for by jax.checkpoint */
	JR_FACT_BESIDE_COMMUNICATION, /* communication runs beside some execution of the op */
	JR_FACT_SEVERAL_HOSTS,        /* the devices that ran are of several hosts */
	JR_FACT_SEVERAL_PROCESSES,
	/* Found by the rule itself, bits of jr_about.found. */
	JR_FACT_FOUND_0,
	JR_FACT_FOUND_1,
	JR_N_FACTS
};

/* What the advice is about. */
struct jr_about {
	uint32_t op;        /* row of ops; JR_NONE: no single one */
	const uint8_t *ops; /* [n_ops] all of them; NULL: `op` alone */
	const char *word;   /* what "$0" of clauses stands for; NULL: those that have it are left out */
	unsigned
		found; /* 1, 2: what the rule itself found out, JR_FACT_FOUND_0 and _1 of its clauses */
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
	JR_ADVICE_LATE_HOST,
	JR_ADVICE_LATE_LAUNCH,
	JR_ADVICE_SLOW_IN_SOME,
	JR_ADVICE_VARIES,
	JR_ADVICE_UNEVEN,
	JR_ADVICE_RECOMPUTED,
	JR_ADVICE_ATTENTION,
	JR_ADVICE_REDUCTION,
	JR_ADVICE_OTHER_KERNEL,
	JR_ADVICE_MEMORY,
	JR_ADVICE_ALL_GATHER,
	JR_ADVICE_REDUCE_SCATTER,
	JR_ADVICE_ALL_REDUCE,
	JR_ADVICE_ALL_TO_ALL,
	JR_ADVICE_PERMUTE,
	JR_ADVICE_PADDED,
	JR_ADVICE_COMPILE,
	JR_ADVICE_SMALL_PROGRAMS,
	JR_ADVICE_HOST_COPIES,
	JR_ADVICE_CONSTANT_INPUT,
	JR_ADVICE_ONE_HOT,
	JR_N_ADVICE
};

/** Whether a fact holds: 1 it does, 0 it does not, -1 nothing tells. */
int jr_fact_holds(struct jr_check *c, enum jr_fact fact, const struct jr_about *about);

/** The clauses of a group whose facts all hold, one behind the other with blanks between, in the
 * result arena; "" where none does. */
const char *jr_advice_text(struct jr_check *c, enum jr_advice group, const struct jr_about *about);
/** The same about one op, without words. */
const char *jr_advice_about(struct jr_check *c, enum jr_advice group, uint32_t op);

/* Arrays of the step's input whose values are all equal, made by another program of the profile. */
struct jr_constant_inputs {
	uint32_t program;        /* that makes them; JR_NONE: there are none, or it is not known */
	size_t n, n_parameters;  /* of the step's entry computation: constant ones, all */
	const uint8_t *constant; /* [n_numbers] by number of the parameter */
	uint32_t n_numbers;
	const struct jr_hlo_shape *shape; /* of the first of them */
};
/** Those of the program of the steps; found once. */
const struct jr_constant_inputs *jr_constant_inputs_of(struct jr_check *c);
/** Find them; `to` is zeroed but for `program`, JR_NONE. O(parameters × programs that ran × their
 * results), bounded by jr_dataflow. */
void jr_constant_inputs_find(struct jr_check *c, struct jr_constant_inputs *to);

/** HLO of the program of the steps, NULL: there is none. */
const struct jr_hlo *jr_check_step_hlo(const struct jr_check *c);
/** The instruction of an op; NULL: nothing is known of it. `op` may be JR_NONE. */
const struct jr_hlo_instruction *jr_check_instruction(const struct jr_check *c, uint32_t op);

/** The dataflow of a program that has HLO; made once. */
const struct jr_dataflow *jr_check_dataflow(struct jr_check *c, uint32_t program);

/** What a gather or scatter within an op indexes with; `from` is 0 where the op is neither. */
struct jr_values jr_check_indices(struct jr_check *c, uint32_t op);

#endif
