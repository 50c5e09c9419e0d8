/* The table of clauses: the advice, and the facts about the program that it needs. */
#include "analysis/findings/advice.h"
#include "analysis/core/terms.h"

#include <string.h>

#define NOT(fact) (-(int)(fact))
#define MOST_FACTS 3

struct clause {
	enum jr_advice group;
	enum { JR_WHY, JR_DO } part; /* cause, or what to do: most likely fix first */
	int facts[MOST_FACTS]; /* enum jr_fact, or NOT() of one; 0: end */
	const char *text;      /* sentences; "$0" is a word of the rule */
};

#define WHEN(...)                                                                                  \
	{                                                                                              \
		__VA_ARGS__                                                                                \
	}
#define ALWAYS                                                                                     \
	{                                                                                              \
		JR_FACT_NONE                                                                               \
	}

/* For programs without a backward pass, such as a server. */
#define SPLIT_BATCH                                                                                \
	"Split the batch in two, so that one half computes while the other one is summed. Use tensor " \
	"parallelism over fewer devices, or a narrower type, to make the transfer shorter."

#define PRODUCT_SIZES                                                                              \
	"Products reach the " JR_TENSOR_CORE "s' rate if all dimensions are large multiples of "       \
	JR_OFF_TPU("64 or, better, 128") JR_ON_TPU("128 or, better, 256")

static const struct clause clauses[] = {
	{JR_ADVICE_LAYOUT_COPIES, JR_WHY, ALWAYS,
		"These kernels do not compute: they copy data or change its layout."},
	{JR_ADVICE_LAYOUT_COPIES, JR_DO, WHEN(JR_FACT_TRANSPOSES, JR_FACT_PRODUCTS),
		"Order the operands of einsum and dot_general so that both sides of a transpose agree on "
		"a layout."},
	{JR_ADVICE_LAYOUT_COPIES, JR_DO, WHEN(JR_FACT_COPIES, JR_FACT_DONATABLE),
		"Donate arguments that the program replaces" JR_OF_JAX(" (jax.jit(donate_argnums=...))")
		": outputs of $0 have the type and shape of arguments that are not donated."},
	{JR_ADVICE_LAYOUT_COPIES, JR_DO, WHEN(JR_FACT_MOVES_PARAMETER),
		JR_OF_JAX("Let XLA choose the layout of the arguments that it moves (AUTO of "
		"jax.experimental.layout).")},
	{JR_ADVICE_LAYOUT_COPIES, JR_DO, WHEN(JR_FACT_IN_LOOP),
		"Carry the loop state in the layout that the loop body uses."},

	{JR_ADVICE_SHORT_GAPS, JR_DO, WHEN(JR_FACT_LEARNS, JR_FACT_MEMORY_LEFT),
		"Use larger batches: they make kernels longer but do not add gaps."},
	{JR_ADVICE_SHORT_GAPS, JR_DO, WHEN(JR_FACT_CALLBACKS),
		JR_OF_JAX("Move host callbacks out of the step (jax.debug.print, pure_callback).")},
	{JR_ADVICE_SHORT_GAPS, JR_WHY, WHEN(JR_FACT_IN_LOOP),
		"Most kernels of the step run inside a loop."},
	{JR_ADVICE_SHORT_GAPS, JR_DO, WHEN(JR_FACT_IN_LOOP),
		JR_OF_JAX("If the step's main loop is a jax.lax.scan, set unroll=2, so that XLA fuses "
		"operations of neighboring iterations.")},
	{JR_ADVICE_SHORT_GAPS, JR_WHY, WHEN(JR_FACT_GRAPHS_RAN),
		JR_ON_GPU("The step already runs as command buffers (" JR_GRAPH "s).")},
	{JR_ADVICE_SHORT_GAPS, JR_WHY, WHEN(NOT(JR_FACT_GRAPHS_RAN), NOT(JR_FACT_GRAPHS_OFF)),
		JR_ON_GPU("No command buffer (" JR_GRAPH ") ran in the step.")},
	{JR_ADVICE_SHORT_GAPS, JR_DO, WHEN(NOT(JR_FACT_GRAPHS_RAN), NOT(JR_FACT_GRAPHS_OFF)),
		JR_ON_GPU("$0")},

	{JR_ADVICE_WAITS_FOR_HOST, JR_WHY, ALWAYS,
		"No module runs in this time: the host starts the next one late."},
	{JR_ADVICE_WAITS_FOR_HOST, JR_DO, ALWAYS,
		"Do not fetch results in the loop" JR_OF_JAX(" (np.asarray, block_until_ready)") "; log "
		"every N steps."},
	{JR_ADVICE_WAITS_FOR_HOST, JR_DO,
		WHEN(JR_FACT_LEARNS, NOT(JR_FACT_CONSTANT_INPUT), NOT(JR_FACT_NO_INPUT_COPIES)),
		"Put the next batch on the device before it is needed" JR_OF_JAX(": call jax.device_put")
		JR_NOT_JAX(",") " one step ahead, or use a prefetching loader such as Grain."},
	{JR_ADVICE_WAITS_FOR_HOST, JR_DO, ALWAYS,
		"Run several steps per dispatch" JR_OF_JAX(" with jax.lax.scan or fori_loop") JR_NOT_JAX(
		", in a loop that XLA compiles") "."},

	{JR_ADVICE_SHORT_KERNELS, JR_WHY, ALWAYS,
		"Each of these kernels takes about the minimum time of any kernel."},
	{JR_ADVICE_SHORT_KERNELS, JR_DO, ALWAYS, "Give each of them more work."},
	{JR_ADVICE_SHORT_KERNELS, JR_DO, WHEN(JR_FACT_LEARNS, JR_FACT_MEMORY_LEFT),
		"Use larger batches."},
	{JR_ADVICE_SHORT_KERNELS, JR_WHY, WHEN(JR_FACT_UNROLLED),
		JR_OF_JAX("The same operations repeat without a loop.")},
	{JR_ADVICE_SHORT_KERNELS, JR_DO, WHEN(JR_FACT_UNROLLED),
		JR_OF_JAX("Join repeated operations with jax.vmap if they do not depend on each other.")},
	{JR_ADVICE_SHORT_KERNELS, JR_WHY, WHEN(JR_FACT_IN_LOOP),
		"Most kernels of the step run inside a loop."},
	{JR_ADVICE_SHORT_KERNELS, JR_DO, WHEN(JR_FACT_IN_LOOP),
		JR_OF_JAX("If the step's main loop is a jax.lax.scan, set unroll=2, so that XLA fuses "
		"operations of neighboring iterations.")},

	{JR_ADVICE_SCATTER_ADD, JR_WHY, ALWAYS,
		JR_ON_GPU("The scatter uses atomic additions, so updates of the same row wait for each "
		"other.")},
	{JR_ADVICE_SCATTER_ADD, JR_WHY, WHEN(JR_FACT_EQUAL_INDICES),
		"All its indices are equal here, because the input is constant: every update goes to one "
		"row, the slowest case."},
	{JR_ADVICE_SCATTER_ADD, JR_DO, WHEN(JR_FACT_EQUAL_INDICES),
		"Profile with real data before changing this kernel."},
	{JR_ADVICE_SCATTER_ADD, JR_DO, WHEN(JR_FACT_REPEATABLE_INDICES),
		"Sort the indices first if they repeat, and sum the rows of equal indices before the "
		"scatter."},
	{JR_ADVICE_SCATTER_ADD, JR_DO, WHEN(NOT(JR_FACT_EQUAL_INDICES), JR_FACT_FOUND_0),
		"Try a one-hot matrix product: it takes the same time for any indices, at least $0 on "
		JR_TENSOR_CORE "s at these sizes."},
	{JR_ADVICE_SCATTER_ADD, JR_DO, WHEN(NOT(JR_FACT_EQUAL_INDICES), JR_FACT_FOUND_1),
		"Do not use a "
		"one-hot matrix product, which would take longer: at least $0."},
	{JR_ADVICE_SCATTER_ADD, JR_WHY, WHEN(JR_FACT_SORTED_INDICES),
		"The indices come out of a sort."},
	{JR_ADVICE_SCATTER_ADD, JR_DO, WHEN(JR_FACT_SORTED_INDICES),
		"Set indices_are_sorted=True if the scatter takes them in that order."},

	{JR_ADVICE_SCATTER_SET, JR_WHY, ALWAYS,
		"A scatter that overwrites (x.at[i].set) looks up an index for each row that it writes."},
	{JR_ADVICE_SCATTER_SET, JR_DO, WHEN(NOT(JR_FACT_EQUAL_INDICES)),
		JR_OF_JAX("Use jax.lax.dynamic_update_slice if the rows are contiguous: it writes them "
		"at once.")},
	{JR_ADVICE_SCATTER_SET, JR_WHY, WHEN(JR_FACT_EQUAL_INDICES),
		"All its indices are equal here, because the input is constant."},
	{JR_ADVICE_SCATTER_SET, JR_DO, WHEN(JR_FACT_EQUAL_INDICES),
		"Profile with real data before changing this kernel."},
	{JR_ADVICE_SCATTER_SET, JR_WHY, WHEN(JR_FACT_SORTED_INDICES),
		"The indices come out of a sort."},
	{JR_ADVICE_SCATTER_SET, JR_DO, WHEN(JR_FACT_SORTED_INDICES),
		"Set indices_are_sorted=True if the scatter takes them in that order."},

	{JR_ADVICE_GATHER, JR_WHY, WHEN(JR_FACT_EQUAL_INDICES),
		"All indices of the gather are equal here, because the input is constant: it reads one "
		"row again and again."},
	{JR_ADVICE_GATHER, JR_DO, WHEN(JR_FACT_EQUAL_INDICES),
		"Profile with real data before changing this kernel."},
	{JR_ADVICE_GATHER, JR_WHY, WHEN(NOT(JR_FACT_EQUAL_INDICES)), "Gathers read memory in pieces."},
	{JR_ADVICE_GATHER, JR_DO, WHEN(NOT(JR_FACT_EQUAL_INDICES)),
		"Use a layout that is contiguous along the gathered rows."},

	{JR_ADVICE_SLOW_IN_ONE, JR_WHY, ALWAYS,
		"The late device spends most of its extra time in one kernel."},
	{JR_ADVICE_SLOW_IN_ONE, JR_WHY, WHEN(JR_FACT_EQUAL_INDICES),
		"All devices have the same constant indices there, so sorting or balancing them does not "
		"help. The profile does not show why the kernel takes longer on the late device."},
	{JR_ADVICE_SLOW_IN_ONE, JR_WHY, WHEN(NOT(JR_FACT_EQUAL_INDICES), JR_FACT_SHARED_INDICES),
		"All devices have the same indices there, so sorting or balancing them does not help. The "
		"profile does not show why the kernel takes longer on the late device."},
	{JR_ADVICE_SLOW_IN_ONE, JR_WHY, WHEN(NOT(JR_FACT_EQUAL_INDICES), NOT(JR_FACT_SHARED_INDICES)),
		"Its run time depends on the indices, and each device has its own."},
	{JR_ADVICE_SLOW_IN_ONE, JR_DO, WHEN(NOT(JR_FACT_EQUAL_INDICES), NOT(JR_FACT_SHARED_INDICES)),
		"Balance how many indices each device receives and how many of them repeat."},

	{JR_ADVICE_ACROSS, JR_WHY, WHEN(JR_FACT_ACROSS),
		"The groups of $0 have devices on several " JR_OFF_TPU("hosts") JR_ON_TPU("slices")
		", so its speed depends on the links between them."},
	{JR_ADVICE_ACROSS, JR_DO, WHEN(JR_FACT_ACROSS, JR_FACT_FITS),
		"If these links are slower than others, order the devices of the mesh so that each of its "
		"groups is on one " JR_OFF_TPU("host") JR_ON_TPU("slice") "."},

	{JR_ADVICE_NO_ONE_LATE, JR_WHY, WHEN(NOT(JR_FACT_STAGES)),
		"No single device clearly dominates. Possible causes: work that differs from step to step, "
		"several devices with more work, hosts that are late in turn, or too little compute "
		"between collectives."},
	{JR_ADVICE_NO_ONE_LATE, JR_DO, WHEN(NOT(JR_FACT_STAGES)),
		"Use fewer collectives, or put more work between them, so that such differences cancel "
		"out."},
	{JR_ADVICE_NO_ONE_LATE, JR_WHY, WHEN(JR_FACT_STAGES),
		"The devices run different programs, so each of them waits until others deliver its "
		"data."},
	{JR_ADVICE_NO_ONE_LATE, JR_DO, WHEN(JR_FACT_STAGES),
		"Give the programs equal amounts of work, or split a step into more, smaller parts, so "
		"that devices wait for less of it at a time."},

	{JR_ADVICE_LATE_HOST, JR_WHY, ALWAYS,
		"Kernels on the late device are not slower: its host thread is late between modules."},
	{JR_ADVICE_LATE_LAUNCH, JR_WHY, ALWAYS,
		"Kernels on the late device are not slower but start late within modules: its host thread "
		"launches them slowly."},
	{JR_ADVICE_LATE_HOST, JR_DO, WHEN(JR_FACT_SEVERAL_HOSTS),
		"Compare the hosts: CPU and NUMA placement, and other processes."},
	{JR_ADVICE_LATE_LAUNCH, JR_DO, WHEN(JR_FACT_SEVERAL_HOSTS),
		"Compare the hosts: CPU and NUMA placement, CPU clocks, and other processes."},
	{JR_ADVICE_LATE_HOST, JR_WHY, WHEN(NOT(JR_FACT_SEVERAL_HOSTS), JR_FACT_SEVERAL_PROCESSES),
		"All devices run on one host."},
	{JR_ADVICE_LATE_HOST, JR_DO, WHEN(NOT(JR_FACT_SEVERAL_HOSTS), JR_FACT_SEVERAL_PROCESSES),
		"Compare their processes, CPU and NUMA placement, and what else runs on those cores."},
	{JR_ADVICE_LATE_LAUNCH, JR_WHY, WHEN(NOT(JR_FACT_SEVERAL_HOSTS), JR_FACT_SEVERAL_PROCESSES),
		"All devices run on one host."},
	{JR_ADVICE_LATE_LAUNCH, JR_DO, WHEN(NOT(JR_FACT_SEVERAL_HOSTS), JR_FACT_SEVERAL_PROCESSES),
		"Compare their processes, CPU and NUMA placement, and what else runs on those cores."},
	{JR_ADVICE_LATE_HOST, JR_DO, WHEN(JR_FACT_LEARNS, JR_FACT_SEVERAL_PROCESSES),
		"Also compare the input of the late process with that of the others."},

	{JR_ADVICE_SLOW_IN_SOME, JR_WHY, ALWAYS,
		"That device is slow in some kernels but not in others, so the " JR_GPU " as a whole is "
		"not slow."},
	{JR_ADVICE_SLOW_IN_SOME, JR_DO, ALWAYS,
		"Compare its share of the work, and what else runs during those kernels."},

	{JR_ADVICE_VARIES, JR_WHY, ALWAYS,
		"The same kernel on the same shapes should take the same time."},
	{JR_ADVICE_VARIES, JR_WHY, WHEN(JR_FACT_DEPENDS_ON_DATA, JR_FACT_EQUAL_INDICES),
		"Its time can depend on the data, but all its indices are equal in every step."},
	{JR_ADVICE_VARIES, JR_WHY, WHEN(JR_FACT_DEPENDS_ON_DATA, NOT(JR_FACT_EQUAL_INDICES)),
		"The time of this kernel also depends on the data."},
	{JR_ADVICE_VARIES, JR_DO, WHEN(JR_FACT_DEPENDS_ON_DATA, NOT(JR_FACT_EQUAL_INDICES)),
		"Compare the data of slow and fast executions."},
	{JR_ADVICE_VARIES, JR_WHY, WHEN(JR_FACT_BESIDE_COMMUNICATION),
		"Communication overlaps with some of its executions and takes " JR_SM "s and bandwidth "
		"from them."},
	{JR_ADVICE_VARIES, JR_WHY, WHEN(JR_FACT_FOUND_0),
		"Nearly all of this is on one device, whose other kernels are not slower, so its clocks "
		"are not the cause."},
	{JR_ADVICE_VARIES, JR_DO, WHEN(JR_FACT_FOUND_0, NOT(JR_FACT_DEPENDS_ON_DATA)),
		"Compare what else runs on that device during this kernel."},
	{JR_ADVICE_VARIES, JR_DO, WHEN(NOT(JR_FACT_FOUND_0)),
		JR_ON_GPU("Check clocks, power and temperature (" JR_SHOW_CLOCKS ").")},

	{JR_ADVICE_UNEVEN, JR_WHY, WHEN(JR_FACT_FOUND_0),
		"Long executions run the same kernels as the others, but they take longer."},
	{JR_ADVICE_UNEVEN, JR_DO, WHEN(JR_FACT_FOUND_0),
		JR_ON_GPU("Check whether " JR_GPU " clocks drop (" JR_SHOW_CLOCKS ").")},
	{JR_ADVICE_UNEVEN, JR_DO, WHEN(JR_FACT_FOUND_0),
		"Compare the data of slow and fast executions."},
	{JR_ADVICE_UNEVEN, JR_WHY, WHEN(JR_FACT_FOUND_1),
		"Most of this time is in collectives, which also wait for late devices."},
	{JR_ADVICE_UNEVEN, JR_DO, WHEN(JR_FACT_FOUND_1),
		"Look for other work on the links between devices during these steps."},
	{JR_ADVICE_UNEVEN, JR_WHY, WHEN(JR_FACT_FOUND_2),
		"Most of this time is in copies between host and device."},
	{JR_ADVICE_UNEVEN, JR_DO, WHEN(JR_FACT_FOUND_2),
		"Look for what else uses host memory, or the link to the host, during these steps."},
	{JR_ADVICE_UNEVEN, JR_WHY, WHEN(JR_FACT_FOUND_3), "Most of this time is between kernels."},
	{JR_ADVICE_UNEVEN, JR_DO, WHEN(JR_FACT_FOUND_3),
		"Look for what delays the host in these steps, such as garbage collection or logging."},
	{JR_ADVICE_UNEVEN, JR_WHY, WHEN(JR_FACT_FOUND_4),
		"Kernels, collectives and copies all take longer in long executions."},
	{JR_ADVICE_UNEVEN, JR_DO, WHEN(JR_FACT_FOUND_4),
		"Look for work that is not in every step, such as evaluation, a checkpoint or another "
		"job."},

	{JR_ADVICE_RECOMPUTED, JR_WHY, WHEN(JR_FACT_CHECKPOINTED),
		JR_OF_JAX("jax.checkpoint requests this recomputation to save memory.")},
	{JR_ADVICE_RECOMPUTED, JR_WHY, WHEN(NOT(JR_FACT_CHECKPOINTED)),
		"XLA recomputes these results so that the program fits in memory."},
	{JR_ADVICE_RECOMPUTED, JR_WHY, WHEN(JR_FACT_CHECKPOINTED, JR_FACT_MEMORY_LEFT),
		JR_OF_JAX("Memory is available to keep more results.")},
	{JR_ADVICE_RECOMPUTED, JR_DO, WHEN(JR_FACT_CHECKPOINTED, JR_FACT_MEMORY_LEFT),
		JR_OF_JAX("Use a policy such as "
		"jax.checkpoint_policies.dots_with_no_batch_dims_saveable, or save_only_these_names for "
		"values that are expensive to compute and small to store.")},

	{JR_ADVICE_ATTENTION, JR_WHY, ALWAYS,
		"The products and the softmax between them are separate kernels, which write all scores "
		"to memory and read them again."},
	{JR_ADVICE_ATTENTION, JR_DO, WHEN(JR_FACT_FOUND_0),
		JR_OF_JAX("Use a fused kernel (flash attention): " JR_FUSED_ATTENTION "." JR_ON_NVIDIA(" "
		"The types, the head size and the " JR_GPU " are supported."))},
	{JR_ADVICE_ATTENTION, JR_DO, WHEN(JR_FACT_FOUND_1),
		JR_OF_JAX("Use a fused kernel (flash attention), which does not: " JR_FUSED_ATTENTION "."
		JR_ON_NVIDIA(" $0."))},
	{JR_ADVICE_ATTENTION, JR_WHY, WHEN(JR_FACT_MASKED_BY_PLACE),
		"The mask depends only on positions, so it is probably causal."},
	{JR_ADVICE_ATTENTION, JR_DO, WHEN(JR_FACT_MASKED_BY_PLACE),
		"Use " JR_CAUSAL " if the mask is causal: this also skips half of the products."},

	{JR_ADVICE_REDUCTION, JR_WHY, WHEN(JR_FACT_COLUMNS),
		"A reduction is fastest along the fastest-varying dimension, but $0 reduces along another "
		"one."},
	{JR_ADVICE_REDUCTION, JR_DO, WHEN(JR_FACT_COLUMNS), "Check the layout of its input."},
	{JR_ADVICE_REDUCTION, JR_WHY, WHEN(JR_FACT_FEW_RESULTS),
		"$0 produces few values, which leaves most of the " JR_GPU " idle."},
	{JR_ADVICE_REDUCTION, JR_DO, WHEN(JR_FACT_FEW_RESULTS), "Sum in two steps."},
	{JR_ADVICE_REDUCTION, JR_WHY, WHEN(JR_FACT_WIDE_INPUT),
		"The largest input of $0 has 32 bits or more per element."},
	{JR_ADVICE_REDUCTION, JR_DO, WHEN(JR_FACT_WIDE_INPUT),
		"Keep that input in bfloat16 if the lower precision is acceptable."},
	{JR_ADVICE_REDUCTION, JR_WHY,
		WHEN(JR_FACT_FUSED, NOT(JR_FACT_COLUMNS), NOT(JR_FACT_FEW_RESULTS)),
		"$0 is already fused with its neighbors, and reduces along the fastest-varying "
		"dimension."},
	{JR_ADVICE_REDUCTION, JR_DO,
		WHEN(JR_FACT_FUSED, NOT(JR_FACT_COLUMNS), NOT(JR_FACT_FEW_RESULTS)),
		"Try a custom kernel (" JR_CUSTOM_KERNEL ") for $0, which can be faster."},

	{JR_ADVICE_PRODUCT, JR_WHY, WHEN(JR_FACT_FOUND_0), PRODUCT_SIZES "."},
	{JR_ADVICE_PRODUCT, JR_DO, WHEN(JR_FACT_FOUND_0),
		"Pad odd sizes, batch small products, and join products that share an operand."},
	{JR_ADVICE_PRODUCT, JR_WHY, WHEN(JR_FACT_ODD_SIZES), PRODUCT_SIZES ". Those of $0 are not."},
	{JR_ADVICE_PRODUCT, JR_DO, WHEN(JR_FACT_ODD_SIZES), "Pad odd sizes."},
	{JR_ADVICE_PRODUCT, JR_WHY, WHEN(JR_FACT_FEW_TILES),
		"The result of $0 is too small to fill the " JR_GPU "."},
	{JR_ADVICE_PRODUCT, JR_DO, WHEN(JR_FACT_FEW_TILES),
		"Batch small products, and join products that share an operand."},
	{JR_ADVICE_PRODUCT, JR_DO, WHEN(JR_FACT_WIDE_INPUT),
		"Keep operands in bfloat16 if the lower precision is acceptable."},
	{JR_ADVICE_PRODUCT, JR_WHY,
		WHEN(NOT(JR_FACT_ODD_SIZES), NOT(JR_FACT_FEW_TILES), NOT(JR_FACT_WIDE_INPUT)),
		"The sizes and types of $0 suit the " JR_TENSOR_CORE "s, so they are not the cause."},
	{JR_ADVICE_PRODUCT, JR_DO,
		WHEN(NOT(JR_FACT_ODD_SIZES), NOT(JR_FACT_FEW_TILES), NOT(JR_FACT_WIDE_INPUT)),
		JR_ON_GPU("Check the clocks, and examine $0 with " JR_PROFILE_KERNEL ": XLA may have "
		"chosen a slow kernel.")},

	{JR_ADVICE_OTHER_KERNEL, JR_WHY, WHEN(JR_FACT_FOUND_0),
		"It is not a matrix product, so it is probably limited by memory bandwidth."},
	{JR_ADVICE_OTHER_KERNEL, JR_WHY, WHEN(NOT(JR_FACT_FOUND_0)),
		"It is not a matrix product, so it is probably limited by memory bandwidth or launch "
		"time."},
	{JR_ADVICE_OTHER_KERNEL, JR_WHY, WHEN(JR_FACT_WIDE_INPUT),
		"Its largest input has 32 bits or more per element."},
	{JR_ADVICE_OTHER_KERNEL, JR_DO, WHEN(JR_FACT_WIDE_INPUT),
		"Keep that input in bfloat16 if the lower precision is acceptable."},
	{JR_ADVICE_OTHER_KERNEL, JR_DO, ALWAYS,
		"Try a custom kernel (" JR_CUSTOM_KERNEL "), which can be faster."},

	{JR_ADVICE_MEMORY, JR_WHY, WHEN(JR_FACT_FOUND_0), "The largest part is arguments."},
	{JR_ADVICE_MEMORY, JR_DO, WHEN(JR_FACT_FOUND_0),
		"Shard arguments over more devices, or keep them in a lower precision. Offload those that "
		"a step needs only once to host memory (memory_kind='pinned_host')."},
	{JR_ADVICE_MEMORY, JR_WHY, WHEN(JR_FACT_FOUND_1),
		JR_OF_JAX("The largest part is intermediate results.")},
	{JR_ADVICE_MEMORY, JR_DO, WHEN(JR_FACT_FOUND_1),
		JR_OF_JAX("Recompute intermediate results (jax.checkpoint with a policy), or offload "
		"them (jax.checkpoint_policies.save_and_offload_only_these_names).")},
	{JR_ADVICE_MEMORY, JR_DO, WHEN(JR_FACT_FOUND_1, JR_FACT_LEARNS),
		"Or split a batch into several smaller ones."},
	{JR_ADVICE_MEMORY, JR_DO, WHEN(JR_FACT_DONATABLE),
		"Donate arguments that the program replaces" JR_OF_JAX(" (jax.jit(donate_argnums=...))")
		": outputs of $0 have the type and shape of arguments that are not donated."},

	{JR_ADVICE_ALL_GATHER, JR_WHY, ALWAYS, "All-gathers can start before their result is needed."},
	{JR_ADVICE_ALL_GATHER, JR_WHY, WHEN(JR_FACT_LEARNS, JR_FACT_BACKWARD),
		"All-gathers of sharded parameters can run ahead of the layer that needs them."},
	{JR_ADVICE_REDUCE_SCATTER, JR_WHY, ALWAYS,
		"A reduce-scatter can overlap only with work that does not need its result."},
	{JR_ADVICE_REDUCE_SCATTER, JR_WHY, WHEN(JR_FACT_LEARNS, JR_FACT_BACKWARD),
		"The reduce-scatter of a layer's gradients can overlap with the backward pass of the "
		"preceding layer."},
	{JR_ADVICE_REDUCE_SCATTER, JR_DO, WHEN(JR_FACT_LEARNS, NOT(JR_FACT_BACKWARD)), SPLIT_BATCH},
	{JR_ADVICE_ALL_REDUCE, JR_WHY, ALWAYS,
		"All-reduces overlap only with work that does not need their result."},
	{JR_ADVICE_ALL_REDUCE, JR_WHY, WHEN(JR_FACT_BACKWARD),
		"All-reduces of gradients can run during the backward pass."},
	{JR_ADVICE_ALL_REDUCE, JR_DO, WHEN(JR_FACT_BACKWARD),
		"Sum in bfloat16 if the lower precision is acceptable."},
	{JR_ADVICE_ALL_REDUCE, JR_DO, WHEN(JR_FACT_LEARNS, NOT(JR_FACT_BACKWARD)), SPLIT_BATCH},
	{JR_ADVICE_ALL_TO_ALL, JR_WHY, ALWAYS,
		"All-to-alls overlap only with work that does not need their result."},
	{JR_ADVICE_ALL_TO_ALL, JR_DO, WHEN(JR_FACT_LEARNS),
		"Split the batch in two, so that one half computes while the other one is transferred."},
	{JR_ADVICE_PERMUTE, JR_WHY, ALWAYS,
		"Permutes overlap only with work that does not need their result."},
	{JR_ADVICE_PERMUTE, JR_DO, WHEN(JR_FACT_LEARNS),
		"Use more microbatches, which provide more of such work."},

	{JR_ADVICE_PADDED, JR_WHY, ALWAYS,
		"A " JR_GPU " multiplies in tiles of 64, 128 or 256 rows and columns. Just above a "
		"multiple, the last tile is nearly empty but takes as long as a full one."},
	{JR_ADVICE_PADDED, JR_DO, ALWAYS,
		"Choose sizes that are multiples of 128, or at least of 64. Rounding down reduces the "
		"work; rounding up adds work, but the product takes no longer than now."},
	{JR_ADVICE_PADDED, JR_DO, WHEN(JR_FACT_LEARNS),
		"This applies to batch × sequence, heads, hidden and expert sizes, and the vocabulary "
		"(50257 is padded to 50304)."},

	{JR_ADVICE_COMPILE, JR_WHY, WHEN(JR_FACT_FOUND_0),
		"Code generation grows with the number of distinct kernels."},
	{JR_ADVICE_COMPILE, JR_WHY, WHEN(JR_FACT_FOUND_1), "Passes grow with the size of the program."},
	{JR_ADVICE_COMPILE, JR_WHY, WHEN(JR_FACT_UNROLLED),
		JR_OF_JAX("The step repeats the same operations without a loop.")},
	{JR_ADVICE_COMPILE, JR_DO, WHEN(JR_FACT_UNROLLED),
		JR_OF_JAX("Write repeated operations as a jax.lax.scan.")},
	{JR_ADVICE_COMPILE, JR_DO, ALWAYS, "Cache compiled programs across runs with $0."},

	{JR_ADVICE_SMALL_PROGRAMS, JR_WHY, ALWAYS,
		JR_OF_JAX("They come from jnp calls, or from jitted functions outside of the step. ")
		"Each is a separate dispatch that the " JR_GPU " waits for."},
	{JR_ADVICE_SMALL_PROGRAMS, JR_WHY, WHEN(JR_FACT_LEARNS),
		"Metrics, random keys and learning-rate schedules are typical examples."},
	{JR_ADVICE_SMALL_PROGRAMS, JR_DO, ALWAYS,
		JR_OF_JAX("Move them into the jitted step, or compute them with NumPy on the host.")},

	{JR_ADVICE_HOST_COPIES, JR_WHY, ALWAYS, "The step waits for copies of offloaded arrays."},
	{JR_ADVICE_HOST_COPIES, JR_DO, ALWAYS,
		"Offload less: keep on the device what every step reads."},
	{JR_ADVICE_HOST_COPIES, JR_DO, WHEN(JR_FACT_LEARNS, JR_FACT_BACKWARD),
		JR_OF_JAX("For the activations of a training step, offload only those listed in a "
		"narrower jax.checkpoint_policies.save_and_offload_only_these_names.")},
	{JR_ADVICE_HOST_COPIES, JR_DO, ALWAYS, "Copy the rest in larger pieces$0."},

	{JR_ADVICE_CONSTANT_INPUT, JR_WHY, ALWAYS,
		"Kernels whose time depends on the data (gather, scatter, sparse and expert layers) take "
		"a different time with real data."},
	{JR_ADVICE_CONSTANT_INPUT, JR_WHY, WHEN(JR_FACT_LEARNS, JR_FACT_FOUND_0),
		"The indices of $0 come from the constant arrays, so all tokens are the same."},
	{JR_ADVICE_CONSTANT_INPUT, JR_WHY, WHEN(NOT(JR_FACT_LEARNS), JR_FACT_FOUND_0),
		"The indices of $0 come from the constant arrays, so all of them are the same."},
	{JR_ADVICE_CONSTANT_INPUT, JR_DO, ALWAYS,
		"Profile with real data, or with random values, before acting on findings about kernels "
		"whose time depends on the data."},

	{JR_ADVICE_ONE_HOT, JR_WHY, ALWAYS,
		"In these products, one operand has at most a single 1 per row. The product only selects "
		"or adds rows of the other operand."},
	{JR_ADVICE_ONE_HOT, JR_DO, ALWAYS,
		JR_OF_JAX("Look the rows up by index instead (table[ids], jnp.take): a gather reads only "
		"the rows that it needs, and never makes the one-hot matrix.")},
	{JR_ADVICE_ONE_HOT, JR_DO, WHEN(JR_FACT_BACKWARD),
		"Measure both with real data: the gradient is then a scatter-add, which is slow if many "
		"indices repeat."},
};

static bool holds(struct jr_check *c, const struct clause *clause, const struct jr_about *about)
{
	for (size_t i = 0; i < MOST_FACTS && clause->facts[i]; i++) {
		int fact = clause->facts[i];
		int wanted = fact > 0;
		if (jr_fact_holds(c, (enum jr_fact)(fact > 0 ? fact : -fact), about) != wanted)
			return false;
	}
	return true;
}

/* Insert the word into the text. Return "" if the text needs a word and there is none. */
static const char *with_word(struct jr_check *c, const char *text, const char *word)
{
	const char *at = strstr(text, "$0");
	if (!at)
		return text;
	return word ? jr_arena_printf(c->ctx->arena, "%.*s%s%s", (int)(at - text), text, word, at + 2)
				: "";
}

void jr_advise(struct jr_check *c, enum jr_advice group, const struct jr_about *about)
{
	for (size_t i = 0; i < JR_COUNT_OF(clauses); i++) {
		if (clauses[i].group != group || !holds(c, &clauses[i], about))
			continue;
		const char *text = with_word(c, clauses[i].text, about->word);
		if (clauses[i].part == JR_WHY)
			jr_check_why(c, "%s", text);
		else
			jr_check_do(c, "%s", text);
	}
}
