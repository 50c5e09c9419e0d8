/* Rules about kernels of programs without XLA. Communication is judged by the host ranges that it
 * is launched in. Attention is judged by whether its kernels are older than the device. */
#include <string.h>

#include "analysis/findings/findings.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/core/program_kind.h"
#include "analysis/core/terms.h"
#include "analysis/devices/devices_tables.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define EXPOSED_NCCL_SUBJECT "Communication kernels"
#define EXPOSED_NCCL_TITLE " run while no other kernel runs: %s, %s %s"
#define EXPOSED_NCCL_WHY_ALL_TO_ALL "The next kernels need the result of an all-to-all."
#define EXPOSED_NCCL_ACTION                                                                        \
	"Start collectives on a separate stream as soon as their data is ready%s, and wait only "      \
	"where the result is needed."
#define EXPOSED_NCCL_ACTION_ALL_TO_ALL                                                             \
	"Split the all-to-all by heads, experts, or parts of the sequence, so that one part is sent "  \
	"while another is computed. Send fewer bytes, and keep its group within a node."
#define EXPOSED_NCCL_ACTION_SHARDED                                                                \
	"Prefetch shards (forward_prefetch, backward_prefetch of FSDP), and gather larger units."
#define EXPOSED_NCCL_ACTION_REPLICATED                                                             \
	"Send gradients in buckets while the rest of the backward pass is computed (bucket_cap_mb of " \
	"DDP)."
#define EXPOSED_NCCL_ACTION_LATE                                                                   \
	"Compare the devices, too: a rank that arrives late makes the others wait in the kernel."
#define EXPOSED_NCCL_EVIDENCE                                                                      \
	"%s%s%s%s communication kernels; %s of their time is overlapped with other kernels."

#define FLASH_ATTENTION_2_SUBJECT "FlashAttention 2 on a Hopper " JR_GPU
#define FLASH_ATTENTION_2_TITLE " takes %s: %s"
#define FLASH_ATTENTION_2_WHY "FlashAttention 2 was written for " JR_GPU "s before Hopper."
#define FLASH_ATTENTION_2_ACTION                                                                   \
	"Use FlashAttention 3, which uses the asynchronous " JR_TENSOR_CORE "s and copies of Hopper. " \
	JR_ON_NVIDIA("Its authors measure 1.5 to 2 times the speed of FlashAttention 2 in 16 bits. "   \
	"cuDNN also has such kernels.")
#define FLASH_ATTENTION_2_EVIDENCE "%s kernels; the longest takes %s."

/* --- communication ---------------------------------------------------------------------------- */

#define MOST_LAUNCHES 64 /* limit of examined launches of a kernel: layers are similar */

/* Hints from the ranges around launches of a kernel. */
struct around {
	bool all_to_all, sharded, replicated, backward;
	const char *name; /* innermost range that is not the library's own; NULL: none */
};

/* True for ranges that PyTorch and NCCL set around each of their collectives. */
static bool is_librarys(const char *name)
{
	static const char *const own[] = {
		"nccl", "c10d::", "record_param_comms", "aten::", "_c10d_functional", NULL};
	return jr_names_any(name, own);
}

static void learn_from(struct around *around, const char *name)
{
	static const char *const all_to_all[] = {"all_to_all", "alltoall", "all-to-all", NULL};
	static const char *const sharded[] = {"fsdp", "FullyShardedDataParallel", NULL};
	static const char *const replicated[] = {
		"DistributedDataParallel", "reducer", "gradient bucket", NULL};
	static const char *const backward[] = {"backward", "autograd", NULL};
	around->all_to_all |= jr_names_any(name, all_to_all);
	around->sharded |= jr_names_any(name, sharded);
	around->replicated |= jr_names_any(name, replicated);
	around->backward |= jr_names_any(name, backward);
}

/* Use ranges around a call only if they launch on its device, because ranks run in parallel. */
static void look_around(const struct jr_profile *p, size_t op, struct around *around)
{
	const struct jr_nvtx_ranges *t = &p->nvtx_ranges;
	int64_t at_ns = p->api_calls.start_ns[p->gpu_ops.call[op]], begin_ns = INT64_MIN;
	for (size_t i = 0; i < t->n; i++) {
		if (t->kind[i] == JR_NVTX_MARK || !t->n_ops[i] || t->start_ns[i] > at_ns ||
			t->start_ns[i] + t->dur_ns[i] < at_ns || t->device[i] != p->gpu_ops.device[op])
			continue;
		const char *name = jr_str(p, t->name[i]);
		learn_from(around, name);
		if (is_librarys(name) || t->start_ns[i] < begin_ns)
			continue;
		around->name = name;
		begin_ns = t->start_ns[i];
	}
}

static struct around ranges_around(const struct jr_profile *p, const char *kernel)
{
	struct around around = {0};
	size_t n = 0;
	uint32_t other = JR_NONE; /* last name that was compared and differs from the kernel's */
	for (size_t i = 0; i < p->gpu_ops.n && n < MOST_LAUNCHES; i++) {
		if (p->gpu_ops.kind[i] != JR_GPU_KERNEL || p->gpu_ops.call[i] == JR_NONE ||
			p->gpu_ops.name[i] == other)
			continue;
		if (strcmp(jr_gpu_op_name(p, i), kernel) != 0) {
			other = p->gpu_ops.name[i];
			continue;
		}
		look_around(p, i, &around);
		n++;
	}
	return around;
}

/* Add advice for such kernels, based on the ranges around them. */
static void add_communication_advice(
	struct jr_check *c, const char *kernel, const struct around *around)
{
	bool pytorch = jr_program_kind_of(c->ctx->profile, c->ctx->scratch).pytorch;
	if (around->all_to_all || strcasestr(kernel, "alltoall")) {
		jr_check_why(c, EXPOSED_NCCL_WHY_ALL_TO_ALL);
		jr_check_do(c, EXPOSED_NCCL_ACTION_ALL_TO_ALL);
	} else if (around->sharded) {
		jr_check_do(c, EXPOSED_NCCL_ACTION_SHARDED);
	} else if (around->replicated ||
			   (pytorch && around->backward && strcasestr(kernel, "AllReduce"))) {
		jr_check_do(c, EXPOSED_NCCL_ACTION_REPLICATED);
	} else {
		jr_check_do(c, EXPOSED_NCCL_ACTION, pytorch ? " (async_op=True)" : "");
	}
	jr_check_do(c, EXPOSED_NCCL_ACTION_LATE);
}

void jr_rule_exposed_nccl(struct jr_check *c)
{
	const struct jr_table *nccl = jr_results_table(c->ctx->results, "nccl_overlap");
	double ns = c->part_ns[JR_PART_COMMUNICATION];
	if (!jr_check_fires(c, jr_ratio(ns, c->wall_ns)))
		return;
	const int64_t *exposed_ns = nccl->cells[JR_NCCL_OVERLAP_exposed_ms].i64;
	size_t most = 0, all = nccl->n_rows - 1; /* the last row is the total */
	for (size_t row = 0; row < all; row++)
		if (exposed_ns[row] > exposed_ns[most])
			most = row;
	const char *kernel = nccl->cells[JR_NCCL_OVERLAP_name].text[most];
	jr_check_recoverable(c, ns, ns);
	jr_check_title(c, EXPOSED_NCCL_SUBJECT, EXPOSED_NCCL_TITLE,
		jr_check_of_wall(c, ns), exposed_ns[most] > exposed_ns[all] / 2 ? "mostly" : "most in",
		jr_check_name(c, kernel));
	struct around around = ranges_around(c->ctx->profile, kernel);
	add_communication_advice(c, kernel, &around);
	jr_check_evidence(c, EXPOSED_NCCL_EVIDENCE,
		around.name ? jr_check_name(c, kernel) : "", around.name ? " is launched in " : "",
		around.name ? jr_arena_printf(c->ctx->arena, "%s. ", jr_check_name(c, around.name)) : "",
		jr_check_count(c, (size_t)nccl->cells[JR_NCCL_OVERLAP_count].i64[all]),
		jr_check_percent(c, nccl->cells[JR_NCCL_OVERLAP_hidden_fraction].f64[all]));
}

/* --- attention kernels of an older generation ------------------------------------------------- */

/* FlashAttention 2 and PyTorch's copy of it use these kernel names; those of FlashAttention 3
 * contain "Sm90". */
static bool is_flash_2(const char *name)
{
	return (strstr(name, "flash_fwd") || strstr(name, "flash_bwd")) && !strcasestr(name, "sm90");
}

/* True for a device of capability 9.0. If the profile does not state the capability, true if
 * kernels were compiled for it. */
static bool is_hopper(const struct jr_device *device, struct jr_program_kind kind)
{
	return device->compute_capability ? device->compute_capability == 90 : kind.hopper;
}

void jr_rule_flash_attention_2(struct jr_check *c)
{
	const struct jr_profile *p = c->ctx->profile;
	uint8_t *hopper = JR_ARENA_N(c->ctx->scratch, uint8_t, p->n_devices + 1);
	uint8_t *flash = JR_ARENA_N(c->ctx->scratch, uint8_t, p->strings.n + 1);
	double ns = 0, most_ns = 0;
	size_t count = 0, longest = 0;
	if (c->part_ns[JR_PART_COMPUTE] + c->part_ns[JR_PART_COMMUNICATION] == 0)
		return;
	struct jr_program_kind kind = jr_program_kind_of(p, c->ctx->scratch);
	for (uint32_t d = 0; d < p->n_devices; d++)
		hopper[d] = is_hopper(&p->devices[d], kind);
	for (size_t i = 0; i < p->gpu_ops.n; i++) {
		if (p->gpu_ops.kind[i] != JR_GPU_KERNEL || !hopper[p->gpu_ops.device[i]] ||
			!jr_name_is(p, flash, p->gpu_ops.name[i], is_flash_2))
			continue;
		double dur_ns = (double)p->gpu_ops.dur_ns[i];
		ns += dur_ns;
		count++;
		if (dur_ns > most_ns) {
			most_ns = dur_ns;
			longest = i;
		}
	}
	if (!jr_check_fires(c, jr_ratio(ns, c->wall_ns)) || !count)
		return;
	jr_check_title(c, FLASH_ATTENTION_2_SUBJECT, FLASH_ATTENTION_2_TITLE, jr_check_of_wall(c, ns),
		jr_check_name(c, jr_gpu_op_name(p, longest)));
	jr_check_why(c, FLASH_ATTENTION_2_WHY);
	jr_check_do(c, FLASH_ATTENTION_2_ACTION);
	jr_check_evidence(c, FLASH_ATTENTION_2_EVIDENCE,
		jr_check_count(c, count), jr_check_time(c, most_ns));
}
