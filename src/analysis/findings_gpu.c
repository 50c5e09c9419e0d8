/* Rules about programs that are not of XLA: what an export of Nsight Systems alone tells. */
#include <string.h>

#include "analysis/findings.h"

/* "49.00 ms of 598.5 ms (8.19 %)": of the time of all devices. */
static const char *of_wall(struct jr_check *c, int64_t ns)
{
	return jr_arena_printf(c->ctx->arena, "%s of %s (%s)", jr_check_time(c, (double)ns),
		jr_check_time(c, (double)c->wall_ns),
		jr_check_percent(c, jr_ratio((double)ns, (double)c->wall_ns)));
}

/* Rows with that text sum up a column of integers; of no table (NULL): 0. */
static int64_t sum_where(
	const struct jr_table *table, const char *key, const char *text, const char *column)
{
	if (!table)
		return 0;
	size_t by = jr_table_column(table, key), col = jr_table_column(table, column);
	int64_t sum = 0;
	for (size_t row = 0; row < table->n_rows; row++)
		if (strcmp(table->cells[by].text[row], text) == 0)
			sum += table->cells[col].i64[row];
	return sum;
}

/* The longest gap of that cause: the table has them by length. */
static const char *longest_gap(struct jr_check *c, const char *cause)
{
	const struct jr_table *t = jr_results_table(c->ctx->results, "gap_largest");
	for (size_t row = 0; t && row < t->n_rows; row++) {
		if (strcmp(t->cells[jr_table_column(t, "cause")].text[row], cause) != 0)
			continue;
		const char *range = t->cells[jr_table_column(t, "range")].text[row];
		return jr_arena_printf(c->ctx->arena, "; the longest, %s, ends at %s%s%s on device %s",
			jr_check_time(c, (double)t->cells[jr_table_column(t, "dur_ms")].i64[row]),
			jr_check_name(c, t->cells[jr_table_column(t, "after")].text[row]),
			range ? ", launched in " : "", range ? jr_check_name(c, range) : "",
			jr_check_count(c, (size_t)t->cells[jr_table_column(t, "device")].i64[row]));
	}
	return "";
}

void jr_check_host_bound(struct jr_check *c)
{
	static const char cause[] = "host-bound";
	const struct jr_table *causes = jr_results_table(c->ctx->results, "gap_causes");
	int64_t ns = sum_where(causes, "cause", cause, "sum_ms");
	if (!jr_check_fires(c, jr_ratio((double)ns, (double)c->wall_ns)))
		return;
	jr_check_recoverable(c, (double)ns, (double)c->part_ns[JR_PART_IDLE_BETWEEN]);
	c->finding.title = jr_arena_printf(c->ctx->arena, "%s for the host: %s",
		c->ctx->profile->n_devices == 1 ? "The GPU waits" : "The GPUs wait", of_wall(c, ns));
	c->finding.detail =
		"What runs next had not been launched when the GPU fell idle. Launch less often: CUDA "
		"graphs (in PyTorch torch.compile(mode=\"reduce-overhead\")), fused kernels, larger "
		"batches. Do not wait for the GPU between launches: cudaDeviceSynchronize, reading a "
		"result back (.item(), .cpu(), print). Have input ready: loader workers, pinned memory, "
		"copies that do not block.";
	c->finding.evidence = jr_arena_printf(c->ctx->arena, "%s gaps%s.",
		jr_check_count(c, (size_t)sum_where(causes, "cause", cause, "count")),
		longest_gap(c, cause));
}

void jr_check_exposed_nccl(struct jr_check *c)
{
	const struct jr_table *nccl = jr_results_table(c->ctx->results, "nccl_overlap");
	int64_t ns = c->part_ns[JR_PART_COMMUNICATION];
	if (!jr_check_fires(c, jr_ratio((double)ns, (double)c->wall_ns)))
		return;
	const int64_t *exposed_ns = nccl->cells[jr_table_column(nccl, "exposed_ms")].i64;
	size_t most = 0, all = nccl->n_rows - 1; /* the last row is that of every one together */
	for (size_t row = 0; row < all; row++)
		if (exposed_ns[row] > exposed_ns[most])
			most = row;
	jr_check_recoverable(c, (double)ns, (double)ns);
	c->finding.title = jr_arena_printf(c->ctx->arena,
		"NCCL runs with no other kernel beside it: %s, %s %s", of_wall(c, ns),
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
	int64_t ns = c->part_ns[JR_PART_COPY];
	if (c->part_ns[JR_PART_COMPUTE] + c->part_ns[JR_PART_COMMUNICATION] == 0)
		return; /* there is no kernel to run beside */
	if (!jr_check_fires(c, jr_ratio((double)ns, (double)c->wall_ns)))
		return;
	const char *kind = copies->cells[jr_table_column(copies, "kind")].text[0];
	jr_check_recoverable(c, (double)ns, (double)ns);
	c->finding.title = jr_arena_printf(
		c->ctx->arena, "Copies with no kernel beside them take %s", of_wall(c, ns));
	c->finding.detail = copy_advice(kind);
	c->finding.evidence = jr_arena_printf(c->ctx->arena, "%s: %s, %s in all.", kind,
		jr_check_count(c, (size_t)copies->cells[jr_table_column(copies, "count")].i64[0]),
		jr_check_time(c, (double)copies->cells[jr_table_column(copies, "sum_ms")].i64[0]));
}
