#include "analysis/peak_buffers.h"

#include <string.h>

#include "analysis/columns.h"
#include "base/text.h"
#include "base/vec.h"

#define N_BARS 15

enum { LABEL, BYTES, BUFFERS, WHAT };

static const struct jr_column_spec columns[] = {
	{"what", "What", "operation and source line that the buffers come from", JR_TEXT, JR_UNIT_NONE,
		JR_COL_KEY},
	{"bytes", "Size", "of all of them", JR_I64, JR_UNIT_BYTES, 0},
	{"buffers", "Buffers", "how many", JR_I64, JR_UNIT_COUNT, 0},
	{"tip", "Tip", "text of a bar", JR_TEXT, JR_UNIT_NONE, JR_COL_RENDERED_ONLY},
};
static const struct jr_table_spec spec = {
	JR_TABLE_SPEC("peak_buffers", "peak_buffers", "What fills the memory at the peak",
		"One row an operation and source line; the last row has all "
		"others",
		columns),
	.data_only = true};

/* "loop_fusion" of "loop_fusion.12.0": instructions of one kind. */
static size_t stem(const char *name)
{
	size_t n = strlen(name);
	for (;;) {
		size_t k = n;
		while (k && name[k - 1] >= '0' && name[k - 1] <= '9')
			k--;
		if (k == n || k < 2 || name[k - 1] != '.')
			return n;
		n = k - 1;
	}
}

/* "dot_general (attentions.py:1543)"; without an op_name "fusion (file.py:3)" or "param". */
static const char *label_of(
	const char *instruction, const char *op_name, const char *source, struct jr_arena *arena)
{
	const char *file = source ? strrchr(source, '/') : NULL;
	const char *begin = instruction ? instruction : "unnamed";
	size_t n = stem(begin);
	file = file ? file + 1 : source;
	if (op_name) {
		/* Slashes within the parameters of a primitive, in brackets, are no path. */
		const char *end = op_name + strcspn(op_name, "[");
		begin = end;
		while (begin > op_name && begin[-1] != '/')
			begin--;
		n = (size_t)(end - begin);
	}
	size_t shown = jr_text_prefix(begin, n, 200);
	return jr_arena_printf(arena, "%.*s%s%s%s%s", (int)shown, begin, shown < n ? "…" : "",
		file ? " (" : "", file ? file : "", file ? ")" : "");
}

struct group {
	const char *label, *tip;
	int64_t bytes;
	size_t n;
};

struct groups {
	JR_VEC(struct group) items;
	struct jr_intern labels;
	struct jr_map by_label;
};

static void add(struct groups *g, const char *label, const char *tip, int64_t bytes)
{
	uint32_t id = jr_intern_puts(&g->labels, label);
	uint32_t at = jr_map_get(&g->by_label, id);
	if (at == JR_NONE) {
		at = (uint32_t)g->items.n;
		*jr_vec_add(&g->items) = (struct group){.label = label, .tip = tip};
		jr_map_put(&g->by_label, id, at);
	}
	g->items.items[at].bytes += bytes;
	g->items.items[at].n++;
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static struct jr_table *make_table(
	const struct groups *g, struct jr_arena *arena, struct jr_arena *scratch)
{
	size_t n = g->items.n;
	struct jr_rank_key *keys = JR_ARENA_N(scratch, struct jr_rank_key, n + 1);
	for (uint32_t i = 0; i < n; i++)
		keys[i] =
			(struct jr_rank_key){(double)g->items.items[i].bytes, g->items.items[i].label, 0, i};
	jr_rank_sort(keys, n);
	bool more = n > N_BARS;
	struct jr_table *table = jr_table_new(arena, &spec, more ? N_BARS + 1 : n);
	union jr_cells *c = table->cells;
	size_t others = 0;
	for (size_t i = 0; i < n; i++) {
		const struct group *group = &g->items.items[keys[i].row];
		size_t row = i < N_BARS ? i : N_BARS;
		if (row == i) {
			c[LABEL].text[row] = group->label;
			c[BYTES].i64[row] = c[BUFFERS].i64[row] = 0;
			c[WHAT].text[row] = jr_arena_printf(
				arena, "%zu buffer%s, the largest:\n%s", group->n, plural(group->n), group->tip);
		}
		c[BYTES].i64[row] += group->bytes;
		c[BUFFERS].i64[row] += (int64_t)group->n;
		others += row == N_BARS;
	}
	if (more) {
		c[LABEL].text[N_BARS] = jr_arena_printf(arena, "%zu others", others);
		c[WHAT].text[N_BARS] = "all other buffers alive at the peak";
	}
	return table;
}

void jr_peak_buffers_add(
	struct jr_pass_context *ctx, struct jr_section *out, const struct jr_table *live)
{
	const union jr_cells *c = live->cells;
	size_t instruction = jr_table_column(live, "instruction"),
		   shape = jr_table_column(live, "shape");
	size_t op_name = jr_table_column(live, "op_name"), source = jr_table_column(live, "source");
	size_t bytes = jr_table_column(live, "bytes");
	struct groups g = {0};
	jr_intern_init(&g.labels);
	for (size_t row = 0; row < live->n_rows; row++) {
		const char *name = c[instruction].text[row], *text = c[op_name].text[row];
		const char *tip = jr_arena_printf(ctx->arena, "%s %s%s%s", name ? name : "unnamed",
			c[shape].text[row] ? c[shape].text[row] : "", text ? "\n" : "", text ? text : "");
		add(&g, label_of(name, text, c[source].text[row], ctx->arena), tip, c[bytes].i64[row]);
	}
	struct jr_table *table = make_table(&g, ctx->arena, ctx->scratch);
	jr_vec_done(&g.items);
	jr_map_done(&g.by_label);
	jr_intern_done(&g.labels);
	struct jr_chart chart = {.name = "peak_buffers",
		.title = "What fills the memory at the peak",
		.caption =
			"buffers alive when the highest heap of a program is fullest, by operation and source "
			"line; the bars add up to that peak",
		.kind = JR_CHART_BARS,
		.table = table,
		.x = "what",
		.y = "bytes",
		.label = "tip"};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, table);
}
