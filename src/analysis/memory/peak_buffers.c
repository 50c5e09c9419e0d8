#include "analysis/memory/memory_parts.h"

#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/memory/program_memory.h"
#include "analysis/memory/memory_tables.h"
#include "base/text.h"
#include "base/vec.h"

#define N_BARS 15

#define COLUMNS(X, T)                                                                              \
	X(T, what, "Origin", "operation and source line that the buffers come from", TEXT, NONE,       \
		JR_COL_KEY)                                                                                \
	X(T, bytes, "Size", "size of all these buffers", I64, BYTES)                                   \
	X(T, buffers, "Buffers", "number of buffers", I64, COUNT)                                      \
	X(T, tip, "Tip", "text of a bar", TEXT, NONE, JR_COL_RENDERED_ONLY)                            \
	X(T, class, "Class",                                                                           \
		"parameter, output, constant or temporary; several: more than one of these; "              \
		"unused: allocated, but not used by any buffer at the peak",                               \
		TEXT, NONE, JR_COL_KEY)
JR_TABLE(spec, COL, COLUMNS, "peak_buffers", "peak_buffers", "Memory at the peak",
	"One row per class, operation and source line; the last rows are all others and "
	"unused memory",
	.data_only = true);

/* Return the length of "loop_fusion" in "loop_fusion.12.0", which groups instructions of one
 * kind. */
static size_t stem(const char *name)
{
	size_t n = strlen(name);
	for (;;) {
		size_t k = n;
		while (k && jr_is_digit(name[k - 1]))
			k--;
		if (k == n || k < 2 || name[k - 1] != '.')
			return n;
		n = k - 1;
	}
}

/* Return "dot_general (attentions.py:1543)". Missing texts are "". Without an op_name the result is
 * "fusion (file.py:3)" or "param". */
static const char *label_of(
	const char *instruction, const char *op_name, const char *source, struct jr_arena *arena)
{
	const char *file = *source ? strrchr(source, '/') : NULL;
	const char *begin = *instruction ? instruction : "unnamed";
	size_t n = stem(begin);
	file = file ? file + 1 : source;
	if (*op_name) {
		/* Slashes in the bracketed parameters of a primitive do not separate path elements. */
		const char *end = op_name + strcspn(op_name, "[");
		begin = end;
		while (begin > op_name && begin[-1] != '/')
			begin--;
		n = (size_t)(end - begin);
	}
	size_t shown = jr_text_prefix(begin, n, 200);
	return jr_arena_printf(arena, "%.*s%s%s%s%s", (int)shown, begin, shown < n ? "…" : "",
		*file ? " (" : "", file, *file ? ")" : "");
}

struct group {
	const char *label, *class, *tip;
	int64_t bytes;
	size_t n;
};

struct groups {
	JR_VEC(struct group) items;
	struct jr_intern labels;
	struct jr_map by_label;
};

static void add(
	struct groups *g, const char *label, const char *class, const char *tip, int64_t bytes)
{
	uint32_t id = jr_intern_puts(&g->labels, label);
	uint64_t key = jr_key2(id, class ? jr_intern_puts(&g->labels, class) : JR_NONE);
	uint32_t at = jr_map_add(&g->by_label, key, (uint32_t)g->items.n);
	if (at == g->items.n)
		*jr_vec_add(&g->items) = (struct group){.label = label, .class = class, .tip = tip};
	g->items.items[at].bytes = jr_memory_add(g->items.items[at].bytes, (uint64_t)bytes);
	g->items.items[at].n++;
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static struct jr_table *make_table(
	const struct groups *g, int64_t unused_bytes, struct jr_arena *arena, struct jr_arena *scratch)
{
	size_t n = g->items.n;
	struct jr_rank_key *keys = JR_ARENA_N(scratch, struct jr_rank_key, n + 1);
	for (uint32_t i = 0; i < n; i++)
		keys[i] =
			(struct jr_rank_key){(double)g->items.items[i].bytes, g->items.items[i].label, 0, i};
	jr_rank_sort(keys, n);
	bool more = n > N_BARS;
	size_t n_rows = more ? N_BARS + 1 : n;
	struct jr_table *table = jr_table_new(arena, &spec, n_rows + (unused_bytes > 0));
	union jr_cells *c = table->cells;
	size_t others = 0;
	for (size_t i = 0; i < n; i++) {
		const struct group *group = &g->items.items[keys[i].row];
		size_t row = i < N_BARS ? i : N_BARS;
		if (row == i) {
			c[COL_what].text[row] = group->label;
			c[COL_class].text[row] = group->class;
			c[COL_bytes].i64[row] = c[COL_buffers].i64[row] = 0;
			c[COL_tip].text[row] = jr_arena_printf(
				arena, "%zu buffer%s, the largest:\n%s", group->n, plural(group->n), group->tip);
		}
		c[COL_bytes].i64[row] = jr_memory_add(c[COL_bytes].i64[row], (uint64_t)group->bytes);
		c[COL_buffers].i64[row] += (int64_t)group->n;
		if (group->class != c[COL_class].text[row]) /* classes are shared strings */
			c[COL_class].text[row] = "several";
		others += row == N_BARS;
	}
	if (more) {
		c[COL_what].text[N_BARS] = jr_arena_printf(arena, "%zu other%s", others, plural(others));
		c[COL_tip].text[N_BARS] = "all other buffers live at the peak";
	}
	if (unused_bytes > 0) {
		c[COL_what].text[n_rows] = "unused";
		c[COL_class].text[n_rows] = "unused";
		c[COL_bytes].i64[n_rows] = unused_bytes;
		c[COL_buffers].i64[n_rows] = 0;
		c[COL_tip].text[n_rows] = "allocated, but between buffers or needed at another time";
	}
	return table;
}

void jr_peak_buffers_add(struct jr_pass_context *ctx, struct jr_section *out,
	const struct jr_table *live, const char *name, int64_t allocated_bytes)
{
	size_t bytes = jr_table_column(live, JR_KEY(JR_LIVE, bytes)),
		   trace = jr_table_column(live, JR_KEY(JR_LIVE, trace));
	int64_t used_bytes = 0;
	bool known = allocated_bytes > 0, heap = false;
	struct groups g = {0};
	jr_intern_init(&g.labels);
	for (size_t row = 0; row < live->n_rows; row++) {
		const char *instruction = jr_table_text(live, JR_KEY(JR_LIVE, instruction), row);
		const char *shape = jr_table_text(live, JR_KEY(JR_LIVE, shape), row);
		const char *op_name = jr_table_text(live, JR_KEY(JR_LIVE, op_name), row);
		const char *class = jr_table_text(live, JR_KEY(JR_LIVE, class), row);
		int64_t own = live->cells[bytes].i64[row];
		const char *tip = jr_arena_printf(ctx->arena, "%s %s%s%s",
			*instruction ? instruction : "unnamed", shape, *op_name ? "\n" : "", op_name);
		heap |= live->cells[trace].i64[row] != JR_NULL_I64;
		used_bytes = jr_memory_add(used_bytes, (uint64_t)own);
		add(&g,
			label_of(instruction, op_name, jr_table_text(live, JR_KEY(JR_LIVE, source), row),
				ctx->arena),
			*class ? class : NULL, tip, own);
	}
	struct jr_table *table =
		make_table(&g, known ? allocated_bytes - used_bytes : 0, ctx->arena, ctx->scratch);
	jr_vec_done(&g.items);
	jr_map_done(&g.by_label);
	jr_intern_done(&g.labels);
	struct jr_chart chart = {.name = "peak_buffers",
		.title = "Memory at the peak",
		.caption = jr_arena_printf(ctx->arena, "%s %s, by class, operation and source line%s",
			heap ? "buffers live at the peak in the heap of" : "memory that XLA allocates for",
			name,
			!known ? "; the bars add up to that peak"
			: heap
				? ", plus parameters, outputs and constants; the bars add up to what XLA allocates"
				: ""),
		.kind = JR_CHART_BARS,
		.table = table,
		.x = JR_KEY(COL, what),
		.y = JR_KEY(COL, bytes),
		.label = JR_KEY(COL, tip),
		.series = known ? JR_KEY(COL, class) : NULL,
		.parts = jr_memory_classes,
		.part_roles = jr_memory_class_roles};
	jr_section_chart(out, ctx->arena, &chart);
	jr_section_table(out, ctx->arena, table);
}
