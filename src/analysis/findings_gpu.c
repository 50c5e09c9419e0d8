/* Rules about programs that are not of XLA: what an export of Nsight Systems alone tells. */
#include <string.h>

#include "analysis/findings.h"

void jr_check_exposed_nccl(struct jr_check *c)
{
	const struct jr_table *nccl = jr_results_table(c->ctx->results, "nccl_overlap");
	double ns = c->part_ns[JR_PART_COMMUNICATION];
	if (!jr_check_fires(c, jr_ratio(ns, c->wall_ns)))
		return;
	const int64_t *exposed_ns = nccl->cells[jr_table_column(nccl, "exposed_ms")].i64;
	size_t most = 0, all = nccl->n_rows - 1; /* the last row is that of every one together */
	for (size_t row = 0; row < all; row++)
		if (exposed_ns[row] > exposed_ns[most])
			most = row;
	jr_check_recoverable(c, ns, ns);
	c->finding.title = jr_arena_printf(c->ctx->arena,
		"NCCL runs with no other kernel beside it: %s, %s %s", jr_check_of_wall(c, ns),
		exposed_ns[most] > exposed_ns[all] / 2 ? "mostly" : "most in",
		jr_check_name(c, nccl->cells[jr_table_column(nccl, "name")].text[most]));
	c->finding.detail =
		"Start collectives on a stream of their own as soon as their data is there, and wait where "
		"it is needed: in PyTorch async_op=True, gradient buckets sent during the backward pass "
		"(bucket_cap_mb of DDP), prefetching of shards (forward_prefetch, backward_prefetch of "
		"FSDP). A rank that arrives late makes the others wait inside of the kernel: compare the "
		"devices.";
	c->finding.evidence = jr_arena_printf(c->ctx->arena,
		"%s NCCL kernels; other kernels hide %s of their time.",
		jr_check_count(c, (size_t)nccl->cells[jr_table_column(nccl, "count")].i64[all]),
		jr_check_percent(c, nccl->cells[jr_table_column(nccl, "hidden_fraction")].f64[all]));
}

static const char *copy_advice(const char *kind)
{
	if (strstr(kind, "host"))
		return "Copies from and to the host run beside kernels where the host's memory is pinned "
			   "and they have a stream of their own: cudaMemcpyAsync of memory from "
			   "cudaMallocHost, in PyTorch pin_memory=True and non_blocking=True. Fetch the next "
			   "batch while this one is worked on, and keep on the device what is used again.";
	if (strcmp(kind, "memset") == 0)
		return "Clear memory less often: let the first kernel that writes it do so, and keep "
			   "buffers from one step to the next.";
	return "Copies within and between devices are often layouts that do not agree (in PyTorch "
		   ".contiguous(), .clone(), cat): write results where they are wanted.";
}

void jr_check_exposed_copies(struct jr_check *c)
{
	const struct jr_table *copies = jr_results_table(c->ctx->results, "copies");
	double ns = c->part_ns[JR_PART_COPY];
	if (c->part_ns[JR_PART_COMPUTE] + c->part_ns[JR_PART_COMMUNICATION] == 0)
		return; /* there is no kernel to run beside */
	if (!jr_check_fires(c, jr_ratio(ns, c->wall_ns)))
		return;
	const char *kind = copies->cells[jr_table_column(copies, "kind")].text[0];
	jr_check_recoverable(c, ns, ns);
	c->finding.title = jr_arena_printf(
		c->ctx->arena, "Copies with no kernel beside them take %s", jr_check_of_wall(c, ns));
	c->finding.detail = copy_advice(kind);
	c->finding.evidence = jr_arena_printf(c->ctx->arena, "%s: %s, %s in all.", kind,
		jr_check_count(c, (size_t)copies->cells[jr_table_column(copies, "count")].i64[0]),
		jr_check_time(c, (double)copies->cells[jr_table_column(copies, "sum_ms")].i64[0]));
}
