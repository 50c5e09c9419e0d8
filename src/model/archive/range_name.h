/*
 * range_name.h - parses the text of an NVTX range.
 * Layer: model.  Texts: formats/README.md, section 1.3.
 */
#ifndef JR_MODEL_RANGE_NAME_H
#define JR_MODEL_RANGE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jr_range_kind {
	JR_RANGE_OTHER,
	JR_RANGE_MODULE, /* XlaModule */
	JR_RANGE_THUNK,
	JR_RANGE_NCCL,
};

struct jr_range_name {
	enum jr_range_kind kind;
	const char *op; /* THUNK: the HLO instruction; MODULE: the module's name; view into the text */
	size_t op_len;
	int64_t program_number; /* MODULE: -1 = none (an autotuning run) */
	int64_t unique_op_id;   /* THUNK of xla 2: unique_hlo_op_id; -1 = none */
	uint8_t xla;            /* 1 or 2 if the text determines it, else 0 */
};

/**
 * Classify a range's text, with or without its domain prefix ("TSL:", "NCCL:"). Never fails: a
 * range of neither XLA nor NCCL is OTHER. A name part may contain commas, '=' and brackets, so the
 * last "hlo_op=" counts. Any number of keys may follow it.
 */
struct jr_range_name jr_range_name_parse(const char *text, size_t n);

/** Return whether a kernel communicates, by its name: NCCL
 * ("ncclDevKernel_AllReduce_Sum_f32_RING"), NVSHMEM, DeepEP, or a custom kernel
 * ("vllm::cross_device_reduce_1stage"). */
bool jr_is_communication_kernel(const char *name);

/* Thread names of XLA's launchers: XlaLauncher:#global=G,local=L,process=P,slice=S# (later
 * partition=S); devices have names of the form Xla:#...#. */
struct jr_device_name {
	uint32_t global, local, process, slice;
};
/** Parse such a name. Returns false if the text has another form. `prefix` is "XlaLauncher:#" or
 * "Xla:#". */
bool jr_device_name_parse(
	const char *text, size_t n, const char *prefix, struct jr_device_name *out);

#endif
