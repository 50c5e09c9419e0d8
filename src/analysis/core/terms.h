/*
 * terms.h - marks for words that depend on the platform, or on whether a part was selected.
 * Layer: analysis.
 *
 * A text is written once, for NVIDIA. Marks enclose the parts that depend on the platform:
 *
 *   "Launch many at once as a " JR_GRAPH "." JR_ON_NVIDIA(" nsys shows them.")
 *
 * Marks are control characters, which texts of inputs do not contain (jr_text_clean()), so names
 * that are printed into a text stay unchanged. jr_vendor_words() replaces all marks, once, by the
 * table of vendor.c. Assertions check that results and documents do not contain any marks.
 */
#ifndef JR_ANALYSIS_TERMS_H
#define JR_ANALYSIS_TERMS_H

/* NVIDIA's terms; each is a row of the table in vendor.c. */
#define JR_TERM(word) "\1" word "\2"
#define JR_GPU JR_TERM("GPU")
#define JR_GPU_WORK JR_TERM("GPU work")
#define JR_CUDA JR_TERM("CUDA")
#define JR_GRAPH JR_TERM("CUDA graph")
#define JR_LIBRARIES JR_TERM("CUDA, cuBLAS, cuDNN")
#define JR_EVENTS JR_TERM("CUDA calls, GPU operations and NVTX ranges")
#define JR_NCCL JR_TERM("NCCL")
#define JR_SM JR_TERM("SM")
#define JR_MULTIPROCESSOR JR_TERM("streaming multiprocessor")
#define JR_TENSOR_CORE JR_TERM("tensor core")
#define JR_PROFILE_KERNEL JR_TERM("Nsight Compute (ncu)")
#define JR_SHOW_CLOCKS JR_TERM("nvidia-smi -q -d PERFORMANCE")
#define JR_SHOW_ALL_CLOCKS JR_TERM("nvidia-smi -q -d PERFORMANCE,CLOCK,POWER,TEMPERATURE")
#define JR_FUSED_ATTENTION JR_TERM("jax.nn.dot_product_attention(q, k, v, implementation='cudnn')")
#define JR_CAUSAL JR_TERM("is_causal=True")
#define JR_CUSTOM_KERNEL JR_TERM("Pallas")
#define JR_FASTER_PRECISION JR_TERM("tensorfloat32")

/* Conditional text: kept if the condition holds, else left out with the blank that follows it. */
#define JR_IF_NVIDIA 'n'
#define JR_IF_GPU 'g' /* NVIDIA or AMD */
#define JR_IF_TPU 't'
#define JR_UNLESS_TPU 'T'
#define JR_IF_JAX 'j' /* the program is known to use JAX */
#define JR_UNLESS_JAX 'J'
#define JR_IF_PART 's' /* the report is about a part of the profile: a selection */
#define JR_UNLESS_PART 'S'
#define JR_ON_NVIDIA(text) "\3n" text "\4"
#define JR_ON_GPU(text) "\3g" text "\4"
#define JR_ON_TPU(text) "\3t" text "\4"
#define JR_OFF_TPU(text) "\3T" text "\4"
#define JR_OF_JAX(text) "\3j" text "\4"
#define JR_NOT_JAX(text) "\3J" text "\4"
#define JR_OF_PART(text) "\3s" text "\4"
#define JR_OF_ALL(text) "\3S" text "\4"

/* What was recorded, or selected of it. */
#define JR_PROFILED JR_OF_PART("selected") JR_OF_ALL("profiled")
#define JR_RECORDED JR_OF_PART("selected") JR_OF_ALL("recorded")
#define JR_INPUT_WORD JR_OF_PART("selection") JR_OF_ALL("input")
#define JR_PROFILE_WORD JR_OF_PART("selection") JR_OF_ALL("profile")

#endif
