/* Clock alignment and the straggler ledger; analyses.md section 6. */
#include "analysis/columns.h"

/* --- alignment ---------------------------------------------------------------------------------- */

enum { A_DEVICE, A_CORRECTION };

static const struct jr_column_spec alignment_columns[] = {
	{"device", "Device", "global device number", JR_I64, JR_UNIT_NONE, JR_COL_KEY},
	{"correction_ms", "Clock correction", "subtracted from the device's times, so that devices end "
		"collectives together", JR_F64, JR_UNIT_NS, 0},
};
static const struct jr_table_spec alignment_spec = {JR_TABLE_SPEC("alignment", "alignment",
	"Clock alignment", "One row a device that collectives tie to another; by device",
	alignment_columns)};

static struct jr_table *alignment_table(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_table *table = jr_table_new(ctx->arena, &alignment_spec, p->n_devices);
	size_t n = 0;
	for (size_t d = 0; d < p->n_devices; d++) {
		if (p->devices[d].aligned_set == JR_NONE)
			continue;
		table->cells[A_DEVICE].i64[n] = p->devices[d].global;
		table->cells[A_CORRECTION].f64[n++] = p->devices[d].correction_ns;
	}
	table->n_rows = table->n_data = table->n_rendered = n;
	return table;
}

/* --- who keeps the others waiting --------------------------------------------------------------- */

enum { S_DEVICE, S_CAUSED, S_LAST, S_WAITED, S_INSTANCES };

static const struct jr_column_spec straggler_columns[] = {
	{"device", "Device", "global device number", JR_I64, JR_UNIT_NONE, JR_COL_KEY},
	{"caused_wait_ms", "Cost everyone", "time the other devices waited in collectives at which this "
		"one arrived last", JR_I64, JR_UNIT_NS, JR_COL_BAR},
	{"last_arrivals", "Arrived last", "instances", JR_I64, JR_UNIT_COUNT, 0},
	{"waited_ms", "Waited itself", "its durations beyond the shortest of each instance", JR_I64,
		JR_UNIT_NS, 0},
	{"instances", "Instances", "steady instances it took part in with others", JR_I64,
		JR_UNIT_COUNT, 0},
};
static const struct jr_table_spec straggler_spec = {JR_TABLE_SPEC("stragglers", "stragglers",
	"Straggler ledger", "One row a device; of each collective instance the shortest duration is "
	"transfer, the rest is waiting, charged to the device that arrived last", straggler_columns)};

struct account {
	int64_t caused_ns, waited_ns, last, instances;
};

static void charge(const struct jr_profile *p, const struct jr_instance *in, struct account *accounts)
{
	const struct jr_thunks *t = &p->thunks;
	uint32_t last = in->thunks[0];
	int64_t waited_ns = 0;
	for (uint32_t i = 0; i < in->n; i++) {
		uint32_t row = in->thunks[i];
		if (jr_aligned_start_ns(p, row) > jr_aligned_start_ns(p, last))
			last = row;
		waited_ns += t->dur_ns[row] - in->shortest_ns;
		accounts[t->device[row]].waited_ns += t->dur_ns[row] - in->shortest_ns;
		accounts[t->device[row]].instances++;
	}
	struct account *latest = &accounts[t->device[last]];
	latest->last++;
	latest->caused_ns += waited_ns - (t->dur_ns[last] - in->shortest_ns);
}

static struct jr_table *straggler_table(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	struct account *accounts = JR_ARENA_N(ctx->scratch, struct account, p->n_devices + 1);
	for (size_t i = 0; i < ctx->instances->n; i++)
		if (ctx->instances->items[i].n > 1)
			charge(p, &ctx->instances->items[i], accounts);
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, p->n_devices + 1);
	size_t n = 0;
	for (uint32_t d = 0; d < p->n_devices; d++)
		if (accounts[d].instances)
			keys[n++] = (struct jr_rank_key){(double)accounts[d].caused_ns, "", d, d};
	jr_rank_sort(keys, n);
	struct jr_table *table = jr_table_new(ctx->arena, &straggler_spec, n);
	for (size_t row = 0; row < n; row++) {
		const struct account *a = &accounts[keys[row].row];
		table->cells[S_DEVICE].i64[row] = p->devices[keys[row].row].global;
		table->cells[S_CAUSED].i64[row] = a->caused_ns;
		table->cells[S_LAST].i64[row] = a->last;
		table->cells[S_WAITED].i64[row] = a->waited_ns;
		table->cells[S_INSTANCES].i64[row] = a->instances;
	}
	return table;
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	struct jr_table *stragglers = straggler_table(ctx);
	struct jr_table *alignment = alignment_table(ctx);
	if (stragglers->n_rows == 0)
		jr_section_text(out, ctx->arena,
			"No collective was seen on two devices: their clocks stay as they are, and nothing tells "
			"who waits for whom.");
	else
		jr_section_text(out, ctx->arena,
			"Devices end a collective together: their clocks were set by that before waits were "
			"taken.");
	jr_section_table(out, ctx->arena, stragglers);
	jr_section_table(out, ctx->arena, alignment);
}

const struct jr_pass jr_pass_stragglers = {
	.name = "stragglers",
	.title = "Stragglers",
	.summary = "Which device keeps the others waiting, and by how much",
	.needs = JR_NEEDS_DEVICES,
	.run = run,
};
