/*
 * fault_rows.h - faults in the records of a profile: formats/README.md, section 9.
 * Layer: model.  Rows of tables of profile.h.
 */
#ifndef JR_MODEL_FAULT_ROWS_H
#define JR_MODEL_FAULT_ROWS_H

#include <stdint.h>

enum jr_fault_kind {
	JR_FAULT_LOST_KERNELS,    /* launches without a recorded operation */
	JR_FAULT_LOST_NODES,      /* replays of a CUDA graph with fewer operations than usual */
	JR_FAULT_LOST_COPIES,     /* calls that copy or set memory, where no operation of the kind was
								 recorded */
	JR_FAULT_LOST_LAUNCHES,   /* operations without a recorded launch, in the middle of others */
	JR_FAULT_LOST_MODULES,    /* thunks outside all module executions; counted by analysis */
	JR_FAULT_LOST_EXECUTIONS, /* executions that the host began but that left no records, while
								 later ones did; counted by analysis */
	JR_FAULT_UNASSIGNED,      /* kernels during executions that are in no thunk; counted by
								 analysis */
	JR_FAULT_MERGED,          /* executions that may be several: nothing states where they begin */
	JR_FAULT_COVERING,        /* operations that cover several later ones on their stream */
	JR_FAULT_BEFORE_LAUNCH,   /* operations that begin before they are launched */
	JR_FAULT_TIMELESS,        /* operations with times of 0, left out */
	JR_FAULT_FAR,             /* rows far from all others in time, left out */
	JR_FAULT_CUT,             /* inputs that end too early */
	JR_FAULT_UNREADABLE,      /* inputs of which a table of operations cannot be read */
	JR_N_FAULTS
};
/* Faults of one kind in the records of one thread or device. Sorted by input, kind, then the row of
 * process, thread, device. */
struct jr_fault {
	enum jr_fault_kind kind;
	uint32_t input, process;  /* rows; process JR_NONE = not known */
	uint32_t device;          /* row; JR_NONE = not known */
	int64_t tid;              /* launching thread; -1 = several, or not known */
	uint64_t count, of;       /* faulty records, and all records of the thread or device */
	int64_t begin_ns, end_ns; /* from the first to the last; equal = not known */
	int64_t most_ns; /* largest amount too early, too far away, or covered; 0 = not applicable */
};
/* A time in which a device may have run work that is not in the profile. Unsorted; they may
 * overlap. */
struct jr_doubted {
	uint32_t device;
	int64_t begin_ns, end_ns;
};

#endif
