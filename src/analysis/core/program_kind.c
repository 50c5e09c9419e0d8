#include "analysis/core/program_kind.h"

#include <string.h>

#include "base/cleanup.h"
#include "model/sources/input_kind.h"

bool jr_names_any(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (strcasestr(text, *words))
			return true;
	return false;
}

static void learn_from(struct jr_program_kind *kind, const char *name, bool kernel)
{
	static const char *const pytorch[] = {"at::native", "aten::", "c10d::", "at::cuda",
		"torch::", "pytorch_flash", "DistributedDataParallel", "FullyShardedDataParallel", NULL};
	static const char *const learning[] = {"tensorflow", "cudnn", "miopen", "flash_fwd",
		"flash_bwd", "FlashAttn", "attention", "layer_norm", "layernorm", "rms_norm", "rmsnorm",
		"softmax", "batchnorm", "transformer_engine", "embedding", "vllm", "sglang", "tensorrt",
		NULL};
	static const char *const loader[] = {"dataload", "data_load", "data load", "load_batch",
		"loadbatch", "get_batch", "next_batch", "fetch_batch", "load_input", "input pipeline",
		"read_input", NULL};
	kind->pytorch |= jr_names_any(name, pytorch);
	kind->learning |= kind->pytorch || jr_names_any(name, learning);
	kind->loader |= !kernel && jr_names_any(name, loader);
	kind->hopper |= kernel && (strcasestr(name, "sm90") ||
								  (strstr(name, "nvjet_") && !strstr(name, "nvjet_sm")));
}

struct jr_program_kind jr_program_kind_of(const struct jr_profile *p, struct jr_arena *scratch)
{
	struct jr_program_kind kind = {0};
	uint8_t *seen = JR_ARENA_N(scratch, uint8_t, p->strings.n + 1);
	for (size_t i = 0; i < p->gpu_ops.n; i++) {
		uint32_t name = p->gpu_ops.name[i];
		if (p->gpu_ops.kind[i] == JR_GPU_KERNEL && !seen[name])
			learn_from(&kind, jr_str(p, name), true);
		seen[name] = true;
	}
	for (size_t i = 0; i < p->nvtx_ranges.n; i++) {
		uint32_t name = p->nvtx_ranges.name[i];
		if (!seen[name])
			learn_from(&kind, jr_str(p, name), false);
		seen[name] = true;
	}
	return kind;
}

bool jr_program_is_jax(const struct jr_profile *p)
{
	static const char *const begins[] = {
		"jit_", "jit(", "pjit_", "pjit(", "pmap_", "pmap(", "PjitFunction(", "jax.", "jaxlib"};
	static const char *const within[] = {"jax/", "/jax", "jaxlib", "jax_"};
	for (size_t i = 0; i < p->n_inputs; i++)
		if (p->inputs[i].kind->archive)
			return true;
	for (uint32_t id = 0; id < p->strings.n; id++) {
		const char *name = jr_str(p, id);
		for (size_t i = 0; i < JR_COUNT_OF(begins); i++)
			if (strncmp(name, begins[i], strlen(begins[i])) == 0)
				return true;
		for (size_t i = 0; i < JR_COUNT_OF(within); i++)
			if (strstr(name, within[i]))
				return true;
	}
	return false;
}

int jr_program_has_backward(const struct jr_profile *p)
{
	bool named = false;
	for (size_t i = 0; i < p->n_ops; i++) {
		const char *name = jr_str(p, p->ops[i].op_name);
		if (strstr(name, "transpose(jvp("))
			return 1;
		named |= strncmp(name, "jit(", 4) == 0 || strncmp(name, "pmap(", 5) == 0;
	}
	return named ? 0 : -1;
}

bool jr_program_any_hlo(const struct jr_profile *p)
{
	for (size_t i = 0; i < p->n_programs; i++)
		if (p->programs[i].hlo)
			return true;
	return false;
}
