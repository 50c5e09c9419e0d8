/*
 * hlo_opcode.h - the opcodes of HLO instructions.
 * Layer: formats.
 */
#ifndef JR_FORMATS_HLO_OPCODE_H
#define JR_FORMATS_HLO_OPCODE_H

#include <string.h>

/* Sorted by name for the search. Texts as XLA's hlo_opcode.h spells them. */
#define JR_HLO_OPCODES(X)                                                                          \
	X(ABS, "abs")                                                                                  \
	X(ACOS, "acos")                                                                                \
	X(ACOSH, "acosh")                                                                              \
	X(ADD, "add")                                                                                  \
	X(ADD_DEPENDENCY, "add-dependency")                                                            \
	X(AFTER_ALL, "after-all")                                                                      \
	X(ALL_GATHER, "all-gather")                                                                    \
	X(ALL_GATHER_DONE, "all-gather-done")                                                          \
	X(ALL_GATHER_START, "all-gather-start")                                                        \
	X(ALL_REDUCE, "all-reduce")                                                                    \
	X(ALL_REDUCE_DONE, "all-reduce-done")                                                          \
	X(ALL_REDUCE_START, "all-reduce-start")                                                        \
	X(ALL_TO_ALL, "all-to-all")                                                                    \
	X(AND, "and")                                                                                  \
	X(ASIN, "asin")                                                                                \
	X(ASINH, "asinh")                                                                              \
	X(ASYNC_DONE, "async-done")                                                                    \
	X(ASYNC_START, "async-start")                                                                  \
	X(ASYNC_UPDATE, "async-update")                                                                \
	X(ATAN2, "atan2")                                                                              \
	X(ATANH, "atanh")                                                                              \
	X(BITCAST, "bitcast")                                                                          \
	X(BITCAST_CONVERT, "bitcast-convert")                                                          \
	X(BROADCAST, "broadcast")                                                                      \
	X(CALL, "call")                                                                                \
	X(CBRT, "cbrt")                                                                                \
	X(CEIL, "ceil")                                                                                \
	X(CHOLESKY, "cholesky")                                                                        \
	X(CLAMP, "clamp")                                                                              \
	X(COLLECTIVE_BROADCAST, "collective-broadcast")                                                \
	X(COLLECTIVE_PERMUTE, "collective-permute")                                                    \
	X(COLLECTIVE_PERMUTE_DONE, "collective-permute-done")                                          \
	X(COLLECTIVE_PERMUTE_START, "collective-permute-start")                                        \
	X(COMPARE, "compare")                                                                          \
	X(COMPLEX, "complex")                                                                          \
	X(CONCATENATE, "concatenate")                                                                  \
	X(CONDITIONAL, "conditional")                                                                  \
	X(CONSTANT, "constant")                                                                        \
	X(CONVERT, "convert")                                                                          \
	X(CONVOLUTION, "convolution")                                                                  \
	X(COPY, "copy")                                                                                \
	X(COPY_DONE, "copy-done")                                                                      \
	X(COPY_START, "copy-start")                                                                    \
	X(COSH, "cosh")                                                                                \
	X(COSINE, "cosine")                                                                            \
	X(COUNT_LEADING_ZEROS, "count-leading-zeros")                                                  \
	X(CUSTOM_CALL, "custom-call")                                                                  \
	X(DIVIDE, "divide")                                                                            \
	X(DOMAIN, "domain")                                                                            \
	X(DOT, "dot")                                                                                  \
	X(DYNAMIC_RESHAPE, "dynamic-reshape")                                                          \
	X(DYNAMIC_SLICE, "dynamic-slice")                                                              \
	X(DYNAMIC_UPDATE_SLICE, "dynamic-update-slice")                                                \
	X(ERF, "erf")                                                                                  \
	X(EXPONENTIAL, "exponential")                                                                  \
	X(EXPONENTIAL_MINUS_ONE, "exponential-minus-one")                                              \
	X(FFT, "fft")                                                                                  \
	X(FLOOR, "floor")                                                                              \
	X(FUSION, "fusion")                                                                            \
	X(GATHER, "gather")                                                                            \
	X(GET_TUPLE_ELEMENT, "get-tuple-element")                                                      \
	X(IMAG, "imag")                                                                                \
	X(INFEED, "infeed")                                                                            \
	X(IOTA, "iota")                                                                                \
	X(IS_FINITE, "is-finite")                                                                      \
	X(LOG, "log")                                                                                  \
	X(LOG_PLUS_ONE, "log-plus-one")                                                                \
	X(LOGISTIC, "logistic")                                                                        \
	X(MAP, "map")                                                                                  \
	X(MAXIMUM, "maximum")                                                                          \
	X(MINIMUM, "minimum")                                                                          \
	X(MULTIPLY, "multiply")                                                                        \
	X(NEGATE, "negate")                                                                            \
	X(NOT, "not")                                                                                  \
	X(OPT_BARRIER, "opt-barrier")                                                                  \
	X(OR, "or")                                                                                    \
	X(OUTFEED, "outfeed")                                                                          \
	X(PAD, "pad")                                                                                  \
	X(PARAMETER, "parameter")                                                                      \
	X(PARTITION_ID, "partition-id")                                                                \
	X(POPCNT, "popcnt")                                                                            \
	X(POWER, "power")                                                                              \
	X(RAGGED_ALL_TO_ALL, "ragged-all-to-all")                                                      \
	X(RAGGED_DOT, "ragged-dot")                                                                    \
	X(REAL, "real")                                                                                \
	X(RECV, "recv")                                                                                \
	X(RECV_DONE, "recv-done")                                                                      \
	X(REDUCE, "reduce")                                                                            \
	X(REDUCE_PRECISION, "reduce-precision")                                                        \
	X(REDUCE_SCATTER, "reduce-scatter")                                                            \
	X(REDUCE_WINDOW, "reduce-window")                                                              \
	X(REMAINDER, "remainder")                                                                      \
	X(REPLICA_ID, "replica-id")                                                                    \
	X(RESHAPE, "reshape")                                                                          \
	X(REVERSE, "reverse")                                                                          \
	X(RNG, "rng")                                                                                  \
	X(RNG_BIT_GENERATOR, "rng-bit-generator")                                                      \
	X(RNG_GET_AND_UPDATE_STATE, "rng-get-and-update-state")                                        \
	X(ROUND_NEAREST_AFZ, "round-nearest-afz")                                                      \
	X(ROUND_NEAREST_EVEN, "round-nearest-even")                                                    \
	X(RSQRT, "rsqrt")                                                                              \
	X(SCALED_DOT, "scaled-dot")                                                                    \
	X(SCATTER, "scatter")                                                                          \
	X(SELECT, "select")                                                                            \
	X(SELECT_AND_SCATTER, "select-and-scatter")                                                    \
	X(SEND, "send")                                                                                \
	X(SEND_DONE, "send-done")                                                                      \
	X(SHIFT_LEFT, "shift-left")                                                                    \
	X(SHIFT_RIGHT_ARITHMETIC, "shift-right-arithmetic")                                            \
	X(SHIFT_RIGHT_LOGICAL, "shift-right-logical")                                                  \
	X(SIGN, "sign")                                                                                \
	X(SINE, "sine")                                                                                \
	X(SINH, "sinh")                                                                                \
	X(SLICE, "slice")                                                                              \
	X(SORT, "sort")                                                                                \
	X(SQRT, "sqrt")                                                                                \
	X(STOCHASTIC_CONVERT, "stochastic-convert")                                                    \
	X(SUBTRACT, "subtract")                                                                        \
	X(TAN, "tan")                                                                                  \
	X(TANH, "tanh")                                                                                \
	X(TOPK, "topk")                                                                                \
	X(TRANSPOSE, "transpose")                                                                      \
	X(TRIANGULAR_SOLVE, "triangular-solve")                                                        \
	X(TUPLE, "tuple")                                                                              \
	X(WHILE, "while")                                                                              \
	X(XOR, "xor")

#define JR_HLO_OPCODE(constant, name) JR_OP_##constant,
enum jr_hlo_opcode {
	JR_OP_OTHER, /* none of these */
	JR_HLO_OPCODES(JR_HLO_OPCODE) JR_N_OPS
};
#undef JR_HLO_OPCODE

/** Return the opcode with that name; JR_OP_OTHER: not listed. O(log n). */
enum jr_hlo_opcode jr_hlo_opcode_of(const char *name);

/** Whether `list`, an array of uint8_t, has an opcode. */
#define JR_OP_IN(op, list) (memchr((list), (op), sizeof(list)) != NULL)

#endif
