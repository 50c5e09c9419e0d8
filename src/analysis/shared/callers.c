#include "analysis/shared/callers.h"

#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/core/frame_kind.h"
#include "analysis/core/keys.h"
#include "base/buf.h"
#include "base/text.h"
#include "base/vec.h"

#define COLUMNS(X, T)                                                                              \
	X(T, frame, "Frame", "full text of the frame in which the time is spent", TEXT, NONE,          \
		JR_COL_DATA_ONLY | JR_COL_KEY | JR_COL_CODE)                                               \
	X(T, function, "Frame", "frame in which the time is spent, for all callers", TEXT, NONE,       \
		JR_COL_RENDERED_ONLY | JR_COL_KEY | JR_COL_CODE)                                           \
	X(T, line, "Line", "file and line of the frame", TEXT, NONE,                                   \
		JR_COL_RENDERED_ONLY | JR_COL_CODE | JR_COL_SOURCE)                                        \
	X(T, self_ms, "Self", "time of stacks that end in the frame", F64, NS)                         \
	X(T, percent, "Share", "share of all active time", F64, PERCENT, JR_COL_BAR)                   \
	X(T, callers, "Callers",                                                                       \
		"distinct frames that call it; wrapper frames that only forward calls are skipped", I64,   \
		COUNT)                                                                                     \
	X(T, caller, "Heaviest caller", "caller with the largest part of its time", TEXT, NONE,        \
		JR_COL_DATA_ONLY | JR_COL_CODE)                                                            \
	X(T, called_by, "Heaviest caller", "caller with the largest part of its time", TEXT, NONE,     \
		JR_COL_RENDERED_ONLY | JR_COL_CODE)                                                        \
	X(T, caller_percent, "Its share", "share of the frame's self time", F64, PERCENT)              \
	X(T, path, "Via", "next callers above it on the heaviest stack", TEXT, NONE, JR_COL_CODE)
JR_KEYS(COL, COLUMNS);
const struct jr_column_spec jr_callers_columns[] = {COLUMNS(JR_KEY_SPEC, )};

#define PATH_FRAMES 3
#define SHORT_BYTES 60

struct sum {
	double self_ns, heaviest_ns;
	uint32_t heaviest;          /* node */
	uint32_t n_callers, caller; /* pair with the most time, JR_NONE = none */
};

struct pair {
	uint32_t frame, caller; /* texts; caller 0 = outermost */
	double ns;
};

struct callers {
	const struct jr_tree *tree;
	struct jr_intern texts;
	JR_VEC(struct sum) sums; /* by text */
	JR_VEC(struct pair) pairs;
	struct jr_map pair_by_key;
	double total_ns;
};

static bool is_frame(const struct jr_tree *tree, uint32_t node)
{
	return node != JR_NONE && tree->kind[node] != JR_FRAME_ROOT &&
		   tree->kind[node] != JR_FRAME_IDLE;
}

/* Return the next outer frame that does more than forward a call. If there is none, return the
 * parent frame; JR_NONE for an outermost frame. */
static uint32_t caller_of(const struct jr_tree *tree, uint32_t node)
{
	uint32_t parent = tree->parent[node], at = parent;
	while (is_frame(tree, at) && tree->kind[at] == JR_FRAME_WRAPPER)
		at = tree->parent[at];
	if (is_frame(tree, at))
		return at;
	return is_frame(tree, parent) ? parent : JR_NONE;
}

/* Self times. With `fold`, the time of op_names is added to the Python frame above them. */
static double *own_times(const struct jr_tree *t, bool fold, struct jr_arena *scratch)
{
	double *own = JR_ARENA_N(scratch, double, t->n + 1);
	for (size_t i = t->n; i-- > 0;) {
		own[i] += t->self_ns[i];
		bool op_name = t->kind[i] == JR_FRAME_XLA || t->kind[i] == JR_FRAME_COMMUNICATION;
		if (!fold || !op_name || !is_frame(t, t->parent[i]))
			continue;
		own[t->parent[i]] += own[i];
		own[i] = 0;
	}
	return own;
}

static void add_pair(struct callers *c, uint32_t frame, uint32_t caller, double ns)
{
	uint64_t key = jr_key2(frame, caller);
	uint32_t at = jr_map_add(&c->pair_by_key, key, (uint32_t)c->pairs.n);
	if (at == c->pairs.n) {
		*jr_vec_add(&c->pairs) = (struct pair){frame, caller, 0};
		c->sums.items[frame].n_callers += caller != 0;
	}
	c->pairs.items[at].ns += ns;
}

static void add_node(struct callers *c, uint32_t node, double ns)
{
	const struct jr_tree *t = c->tree;
	uint32_t above = caller_of(t, node);
	uint32_t frame = jr_intern_puts(&c->texts, t->text[node]);
	uint32_t caller = above != JR_NONE ? jr_intern_puts(&c->texts, t->text[above]) : 0;
	while (c->sums.n < c->texts.n)
		*jr_vec_add(&c->sums) = (struct sum){.heaviest = JR_NONE, .caller = JR_NONE};
	struct sum *sum = &c->sums.items[frame];
	sum->self_ns += ns;
	c->total_ns += ns;
	if (sum->heaviest == JR_NONE || ns > sum->heaviest_ns) {
		sum->heaviest = node;
		sum->heaviest_ns = ns;
	}
	add_pair(c, frame, caller, ns);
}

/* Of equal pairs, keep the first one in the tree's order. */
static void choose_callers(struct callers *c)
{
	for (uint32_t k = 0; k < c->pairs.n; k++) {
		const struct pair *pair = &c->pairs.items[k];
		struct sum *sum = &c->sums.items[pair->frame];
		if (pair->caller && (sum->caller == JR_NONE || pair->ns > c->pairs.items[sum->caller].ns))
			sum->caller = k;
	}
}

/* Append the short name of a frame: its function, else its text, cut to fit a table. */
static void put_short(struct jr_buf *out, const char *text)
{
	struct jr_frame_parts parts = {.function = text, .function_size = strlen(text)};
	(void)jr_frame_split(text, &parts);
	size_t n = jr_text_prefix(parts.function, parts.function_size, SHORT_BYTES);
	jr_buf_add(out, parts.function, n);
	jr_buf_puts(out, n < parts.function_size ? "…" : "");
}

/* Return "function  file.py:12" for a frame, else the text. */
static const char *called_by(const char *text, struct jr_arena *arena)
{
	struct jr_frame_parts parts;
	if (!jr_frame_split(text, &parts))
		return text;
	size_t at = parts.line_size;
	while (at && text[at - 1] != '/')
		at--;
	return jr_arena_printf(arena, "%.*s  %.*s", (int)parts.function_size, parts.function,
		(int)(parts.line_size - at), text + at);
}

/* Return the callers above the immediate one, nearest first. */
static const char *path_of(const struct jr_tree *t, uint32_t node, struct jr_arena *arena)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf path = {0};
	uint32_t at = caller_of(t, node);
	at = at == JR_NONE ? at : caller_of(t, at);
	for (int i = 0; i < PATH_FRAMES && at != JR_NONE; i++, at = caller_of(t, at)) {
		jr_buf_puts(&path, i ? " ← " : "");
		put_short(&path, t->text[at]);
	}
	return path.size ? jr_arena_strdup(arena, path.data) : NULL;
}

static void fill_row(const struct callers *c, struct jr_table *table, size_t row, uint32_t frame,
	struct jr_arena *arena)
{
	const struct sum *sum = &c->sums.items[frame];
	union jr_cells *cells = table->cells;
	const char *text = c->tree->text[sum->heaviest];
	struct jr_frame_parts parts;
	bool is_line = jr_frame_split(text, &parts);
	cells[COL_frame].text[row] = text;
	cells[COL_function].text[row] =
		is_line ? jr_arena_strndup(arena, parts.function, parts.function_size) : text;
	cells[COL_line].text[row] = is_line ? jr_arena_strndup(arena, text, parts.line_size) : NULL;
	cells[COL_self_ms].f64[row] = sum->self_ns;
	cells[COL_percent].f64[row] = jr_ratio(sum->self_ns, c->total_ns);
	cells[COL_callers].i64[row] = sum->n_callers;
	cells[COL_path].text[row] = path_of(c->tree, sum->heaviest, arena);
	if (sum->caller == JR_NONE)
		return;
	const struct pair *pair = &c->pairs.items[sum->caller];
	cells[COL_caller].text[row] = jr_arena_strndup(
		arena, jr_intern_str(&c->texts, pair->caller), jr_intern_len(&c->texts, pair->caller));
	cells[COL_called_by].text[row] = called_by(cells[COL_caller].text[row], arena);
	cells[COL_caller_percent].f64[row] = jr_ratio(pair->ns, sum->self_ns);
}

struct jr_table *jr_callers_table(const struct jr_tree *tree, const struct jr_table_spec *spec,
	bool fold, struct jr_arena *arena, struct jr_arena *scratch)
{
	struct callers c = {.tree = tree};
	jr_intern_init(&c.texts);
	double *own = own_times(tree, fold, scratch);
	for (uint32_t i = 0; i < tree->n; i++)
		if (own[i] > 0 && is_frame(tree, i))
			add_node(&c, i, own[i]);
	choose_callers(&c);
	struct jr_rank_key *keys = JR_ARENA_N(scratch, struct jr_rank_key, c.sums.n + 1);
	size_t n = 0;
	for (uint32_t i = 0; i < c.sums.n; i++)
		if (c.sums.items[i].self_ns > 0)
			keys[n++] =
				(struct jr_rank_key){c.sums.items[i].self_ns, jr_intern_str(&c.texts, i), 0, i};
	jr_rank_sort(keys, n);
	struct jr_table *table = jr_table_new(arena, spec, n);
	for (size_t row = 0; row < n; row++)
		fill_row(&c, table, row, keys[row].row, arena);
	if (table->n_rendered > 20)
		table->n_rendered = 20;
	jr_vec_done(&c.sums);
	jr_vec_done(&c.pairs);
	jr_map_done(&c.pair_by_key);
	jr_intern_done(&c.texts);
	return table;
}
