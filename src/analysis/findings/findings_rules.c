/* The table of rules, in the order in which they are asked. */
#include "analysis/findings/findings.h"

#include "analysis/shared/gpu_time.h"
#include "base/cleanup.h"

/* Of any program. */
#define LOST_ROWS                                                                                  \
	{"lost-rows", "rows of the profile that cannot be read", "of its rows", "notes",               \
		JR_CAUSE_MEASUREMENT, JR_UNIT_FRAC, JR_NOTICE, 0.001, 0.01, false, jr_check_lost_rows,     \
		"rows of a trace"}

/* Of programs of XLA. */
#define LOST_MODULES                                                                               \
	{"lost-modules", "thunks whose execution of a module was not recorded", "thunk", "notes",      \
		JR_CAUSE_MEASUREMENT, JR_UNIT_COUNT, JR_NOTICE, 1, NAN, false, jr_check_lost_modules,      \
		"thunks"}

/* Shares of the wall below 1 % are noise to whoever has two minutes; see each rule for others. */
const struct jr_rule jr_rules[] = {
	{"unfused-attention", "attention that writes its scores to memory", "of the wall, lost",
		"roofline", JR_CAUSE_COMPUTE, JR_UNIT_FRAC, JR_NOTICE, 0.05, 0.15, false,
		jr_check_unfused_attention, "steady steps, HLO, and a GPU whose peaks are known"},
	{"one-hot-products", "matrix products with one-hot matrices in place of look-ups",
		"of the wall", "roofline", JR_CAUSE_COMPUTE, JR_UNIT_FRAC, JR_NOTICE, 0.01, 0.10, false,
		jr_check_one_hot, "steady steps, HLO, and a GPU whose peaks are known"},
	{"hot-thunk", "a single kernel, not a matrix product, that dominates", "of the wall", "thunks",
		JR_CAUSE_COMPUTE, JR_UNIT_FRAC, JR_NOTICE, 0.15, 0.30, false, jr_check_hot_thunk,
		"steady steps, and HLO that tells what kernels do"},
	{"far-kernel", "a kernel far from what the GPU could do for it", "of the wall, lost",
		"roofline", JR_CAUSE_COMPUTE, JR_UNIT_FRAC, JR_NOTICE, 0.05, 0.15, false,
		jr_check_far_kernel, "steady steps, HLO, and a GPU whose peaks are known"},
	{"padded-products", "matrix products whose sizes do not fill tiles", "of the wall, lost",
		"roofline", JR_CAUSE_COMPUTE, JR_UNIT_FRAC, JR_NOTICE, 0.05, 0.15, false,
		jr_check_padded_products, "steady steps, HLO, and a GPU whose peaks are known"},
	{"f32-products", "matrix products that tensor cores could do", "of the wall", "roofline",
		JR_CAUSE_COMPUTE, JR_UNIT_FRAC, JR_NOTICE, 0.05, 0.20, false, jr_check_f32_products,
		"steady steps, HLO, and a GPU whose peaks are known"},
	{"rematerialisation", "results that are computed again", "of the wall", "roofline",
		JR_CAUSE_COMPUTE, JR_UNIT_FRAC, JR_NOTICE, 0.05, NAN, false, jr_check_rematerialisation,
		"steady steps, and HLO"},
	{"latency-bound", "kernels shorter than 5 µs", "of the wall", "roofline",
		JR_CAUSE_LAUNCH, JR_UNIT_FRAC, JR_NOTICE, 0.10, NAN, false, jr_check_latency_bound,
		"steady steps, HLO, and a GPU whose peaks are known"},
	{"far-work", "kernels of one kind of work that lose little each, and much together",
		"of the wall, lost", "roofline", JR_CAUSE_COMPUTE, JR_UNIT_FRAC, JR_NOTICE, 0.05, 0.15,
		false, jr_check_far_work, "steady steps, HLO, and a GPU whose peaks are known"},
	{"small-programs", "small programs that run between the steps",
		"of the wall, with the gaps around them", "modules", JR_CAUSE_HOST, JR_UNIT_FRAC, JR_NOTICE,
		0.01, 0.10, false, jr_check_small_programs,
		"two steady steps of one program, with what runs between them"},
	{"recompiled-calls", "a function that is compiled again at every call",
		"of the time between calls", "compilation", JR_CAUSE_COMPILATION, JR_UNIT_FRAC, JR_WARNING,
		0.05, NAN, false, jr_check_recompiled_calls,
		"a compile trace, and three executions of one function"},
	{"recompilation", "compilation after the first steady step began", "compilation", "compilation",
		JR_CAUSE_COMPILATION, JR_UNIT_COUNT, JR_WARNING, 1, NAN, false, jr_check_recompilation,
		"a compile trace, and steps that began after warm-up"},
	{"idle-between-modules", "the GPU waiting for the host between modules", "of the wall", "steps",
		JR_CAUSE_HOST, JR_UNIT_FRAC, JR_NOTICE, 0.01, 0.10, false, jr_check_idle_between,
		"two steady steps of one program, and a trace of whole rows"},
	{"idle-inside-modules", "gaps between kernels inside modules", "of the wall", "timeline",
		JR_CAUSE_LAUNCH, JR_UNIT_FRAC, JR_NOTICE, 0.01, 0.10, false, jr_check_idle_inside,
		"steady steps, and a trace of whole rows"},
	{"slow-collective", "collectives below half the bandwidth that others like them reach",
		"of the wall to be won", "collectives", JR_CAUSE_TRANSFER, JR_UNIT_FRAC, JR_NOTICE, 0.01,
		0.05, false, jr_check_slow_collective,
		"collectives that are alike in kind, group, size and buffers"},
	{"exposed-communication", "communication that no compute hides", "of the wall", "collectives",
		JR_CAUSE_TRANSFER, JR_UNIT_FRAC, JR_NOTICE, 0.01, 0.10, false, jr_check_exposed,
		"steady steps with communication"},
	{"straggler", "devices that wait for each other", "of the wall lost by it", "stragglers",
		JR_CAUSE_WAITING, JR_UNIT_FRAC, JR_NOTICE, 0.01, 0.05, false, jr_check_straggler,
		"collectives that two recorded devices ran together, in whole rows"},
	{"variable-thunk", "a kernel whose duration varies by more than 10 %",
		"of the wall above its median", "variability", JR_CAUSE_COMPUTE, JR_UNIT_FRAC, JR_NOTICE,
		0.01, 0.05, false, jr_check_variable_thunk, "a kernel with four steady executions"},
	{"uneven-steps", "executions of the step that take longer than the median one",
		"of their time above it", "steps", JR_CAUSE_COMPUTE, JR_UNIT_FRAC, JR_NOTICE, 0.03, 0.15,
		false, jr_check_uneven_steps, "more than three steady steps of a device"},
	{"layout-copies", "kernels that only copy or transpose", "of the wall", "opcodes",
		JR_CAUSE_COMPUTE, JR_UNIT_FRAC, JR_NOTICE, 0.01, 0.10, false, jr_check_layout_copies,
		"steady steps, and HLO that tells what kernels do"},
	{"exposed-host-copies", "copies between host and device that nothing hides", "of the wall",
		"collectives", JR_CAUSE_TRANSFER, JR_UNIT_FRAC, JR_NOTICE, 0.01, 0.10, false,
		jr_check_host_copies, "steady steps, and HLO that tells what kernels do"},
	{"compile-time", "autotuning or one pass dominating a long compilation",
		"of more than 5 s of compilation", "compilation", JR_CAUSE_COMPILATION, JR_UNIT_FRAC,
		JR_INFO, 0.30, NAN, false, jr_check_compile_time, "a compile trace"},
	{"library-loading", "libraries that are loaded while compiling",
		"of more than 5 s of compilation", "compilation", JR_CAUSE_COMPILATION, JR_UNIT_FRAC,
		JR_INFO, 0.30, NAN, false, jr_check_library_loading, "a compile trace"},
	{"peak-memory", "a peak near the size of the device's memory", "of the device's memory",
		"memory", JR_CAUSE_MEMORY, JR_UNIT_FRAC, JR_NOTICE, 0.75, 0.90, false, jr_check_memory,
		"HLO with its buffers, and the size of the device's memory"},
	{"constant-input", "input whose values are all equal", "array", "modules", JR_CAUSE_MEASUREMENT,
		JR_UNIT_COUNT, JR_NOTICE, 1, NAN, false, jr_check_constant_input,
		"steps, and HLO of all programs that ran"},
	{"no-steady-state", "figures that include initialisation", "kind of figure", "notes",
		JR_CAUSE_MEASUREMENT, JR_UNIT_COUNT, JR_WARNING, 1, NAN, false, jr_check_no_steady,
		"executions of a module"},
	{"few-steps", "a profile too short to judge by", "steady steps of a device", "steps",
		JR_CAUSE_MEASUREMENT, JR_UNIT_COUNT, JR_INFO, 5, NAN, true, jr_check_few_steps,
		"steady steps"},
	{"not-counted", "kernels whose work is not known", "of the active time", "roofline",
		JR_CAUSE_MEASUREMENT, JR_UNIT_FRAC, JR_INFO, 0.10, NAN, false, jr_check_not_counted,
		"steady steps, and HLO"},
	{"above-peak", "matrix products faster than the device can be", "of the matrix peak",
		"roofline", JR_CAUSE_MEASUREMENT, JR_UNIT_FRAC, JR_WARNING, 1.005, NAN, false,
		jr_check_above_peak, "steady steps, HLO, and a GPU whose peaks are known"},
	{"command-buffers", "kernels that command buffers (CUDA graphs) hide",
		"of the module's kernels seen", "modules", JR_CAUSE_MEASUREMENT, JR_UNIT_FRAC, JR_NOTICE,
		JR_KERNELS_HIDDEN, NAN, true, jr_check_command_buffers,
		"executions of a module, and its HLO"},
	LOST_ROWS,
	LOST_MODULES,
};

/* ... of programs that are not of XLA. */
const struct jr_rule jr_gpu_rules[] = {
	{"no-kernels", "profiles without any kernel that was launched", "launch", "diagnostics",
		JR_CAUSE_MEASUREMENT, JR_UNIT_COUNT, JR_WARNING, 1, NAN, false, jr_check_no_kernels,
		"calls of CUDA that launch kernels"},
	{"few-operations", "a profile in which too little ran", "operations on any GPU", "gpu",
		JR_CAUSE_MEASUREMENT, JR_UNIT_COUNT, JR_INFO, JR_LEAST_OPERATIONS, NAN, true,
		jr_check_few_operations,
		"operations of a GPU"},
	{"first-use", "code that is loaded on first use", "of the GPUs' time", "gaps", JR_CAUSE_HOST,
		JR_UNIT_FRAC, JR_NOTICE, 0.01, NAN, false, jr_check_first_use,
		"operations of a GPU, enough of them, and the calls that launched them"},
	{"host-bound", "GPUs that wait for the host", "of the GPUs' time", "gaps", JR_CAUSE_HOST,
		JR_UNIT_FRAC, JR_NOTICE, 0.01, 0.10, false, jr_check_host_bound,
		"operations of a GPU, enough of them, and the calls that launched them"},
	{"launch-bound", "GPUs that wait for a call under way", "of the GPUs' time", "gaps",
		JR_CAUSE_LAUNCH, JR_UNIT_FRAC, JR_NOTICE, 0.01, 0.10, false, jr_check_launch_bound,
		"operations of a GPU, enough of them, and the calls that launched them"},
	{"device-bound", "GPUs that idle while work is queued", "of the GPUs' time", "gaps",
		JR_CAUSE_WAITING, JR_UNIT_FRAC, JR_NOTICE, 0.01, 0.10, false, jr_check_device_bound,
		"operations of a GPU, enough of them, and the calls that launched them"},
	{"exposed-nccl", "communication kernels that no other kernel hides", "of the GPUs' time",
		"nccl_overlap",
		JR_CAUSE_TRANSFER, JR_UNIT_FRAC, JR_NOTICE, 0.01, 0.10, false, jr_check_exposed_nccl,
		"enough operations of a GPU, communication kernels among them"},
	{"flash-attention-2", "FlashAttention 2 on a device for which there is FlashAttention 3",
		"of the GPUs' time", "kernels", JR_CAUSE_COMPUTE, JR_UNIT_FRAC, JR_NOTICE, 0.05, 0.15,
		false, jr_check_flash_attention, "enough operations of a GPU, kernels among them"},
	{"exposed-copies", "copies and memsets that no kernel hides", "of the GPUs' time", "copies",
		JR_CAUSE_TRANSFER, JR_UNIT_FRAC, JR_NOTICE, 0.01, 0.10, false, jr_check_exposed_copies,
		"enough operations of a GPU, copies or memsets among them"},
	{"page-migrations", "pages of unified memory that migrate", "of the GPUs' time", "copies",
		JR_CAUSE_TRANSFER, JR_UNIT_FRAC, JR_NOTICE, 0.01, 0.10, false, jr_check_migrations,
		"enough operations of a GPU"},
	LOST_ROWS,
};

const size_t jr_n_rules = JR_COUNT_OF(jr_rules), jr_n_gpu_rules = JR_COUNT_OF(jr_gpu_rules);

/* ... of what jax.profiler's traces alone tell. */
const struct jr_rule jr_profiler_rules[] = {
	{"no-device", "traces without any work of a device", "trace", "diagnostics",
		JR_CAUSE_MEASUREMENT, JR_UNIT_COUNT, JR_WARNING, 1, NAN, false, jr_check_no_device,
		"a trace of jax.profiler"},
	{"dropped-events", "events that the profiler dropped", "event", "diagnostics",
		JR_CAUSE_MEASUREMENT, JR_UNIT_COUNT, JR_WARNING, 1, NAN, false, jr_check_dropped_events,
		"a trace of jax.profiler"},
	{"compiled-inside", "compilation while the trace was taken", "compilation", "nvtx",
		JR_CAUSE_MEASUREMENT, JR_UNIT_COUNT, JR_NOTICE, 1, NAN, false, jr_check_compiled_inside,
		"a trace of jax.profiler"},
};
const size_t jr_n_profiler_rules = JR_COUNT_OF(jr_profiler_rules);

/* ... of records that are missing, and of records that cannot be. */
#define OF_RECORDS(id, looks_for, measure, run, takes)                                             \
	{id, looks_for, measure, "diagnostics", JR_CAUSE_MEASUREMENT, JR_UNIT_COUNT, JR_NOTICE, 1,     \
		NAN, false, run, takes}
#define WITH_CALLS "GPU operations and the calls that launched them"
const struct jr_rule jr_integrity_rules[] = {
	OF_RECORDS("lost-kernels", "launches without a kernel record", "launch", jr_check_lost_kernels,
		WITH_CALLS),
	OF_RECORDS("lost-nodes", "graph replays with fewer kernel records than usual", "replay",
		jr_check_lost_nodes, "CUDA graphs that were recorded node by node"),
	OF_RECORDS("lost-launches",
		"kernels without a record of their launch, but for those near the ends of the profile",
		"kernel", jr_check_lost_launches, WITH_CALLS),
	OF_RECORDS("lost-executions",
		"executions that the host began and of which nothing was recorded", "execution",
		jr_check_lost_executions, "ranges of the host around executions"),
	OF_RECORDS("reported-drops", "events that the profiler reports as dropped", "event",
		jr_check_told_dropped, "messages of Nsight Systems"),
	OF_RECORDS("overlapping-records", "operations that overlap the next ones of their stream",
		"operation", jr_check_covering, "GPU operations"),
	OF_RECORDS("before-launch", "operations that begin before their launch", "operation",
		jr_check_before_launch, WITH_CALLS),
	OF_RECORDS("no-times", "GPU records without times", "operation", jr_check_timeless,
		"GPU operations"),
	OF_RECORDS("far-records", "records far from all others in time", "record", jr_check_far_rows,
		"records with times"),
	OF_RECORDS("cut-inputs", "inputs that end too early", "input", jr_check_cut_inputs,
		"traces of jax.profiler"),
};
const size_t jr_n_integrity_rules = JR_COUNT_OF(jr_integrity_rules);

/* ... of several processes. */
const struct jr_rule jr_inputs_rules[] = {
	OF_RECORDS("other-jobs", "inputs that run other programs than the first one", "input",
		jr_check_other_jobs, "executions of programs of XLA"),
};
const size_t jr_n_inputs_rules = JR_COUNT_OF(jr_inputs_rules);
