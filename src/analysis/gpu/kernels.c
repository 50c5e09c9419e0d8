/* Kernels of an export, by name. */
#include <stdlib.h>
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/core/say.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/core/terms.h"
#include "analysis/gpu/gpu_tables.h"
#include "base/num.h"
#include "base/text.h"
#include "base/vec.h"

JR_TABLE_OF(spec, JR_KERNELS_COLUMNS, "kernels", JR_AT(kernels), "Kernels",
	"One row per kernel, by time; the report shows those that make up 99 % of kernel time");

#define UNNAMED "(anonymous namespace)"

/* Kernels of one name and shape. */
struct shape {
	uint32_t name, config;
	int64_t sum_ns;
};

struct kernel {
	uint32_t name, brief, config;
	uint32_t last_shape; /* of its latest operation */
	int64_t sum_ns, least_ns, most_ns, config_ns, n_shapes;
	struct jr_stats dur_ns;
};

struct kernels {
	JR_VEC(struct kernel) items;
	JR_VEC(struct shape) shapes;
	int64_t total_ns;
};

/* Most operations of a kernel have the shape of the one before. */
static uint32_t shape_row(
	struct kernels *k, struct jr_map *by_shape, uint32_t kernel, uint32_t config)
{
	uint32_t last = k->items.items[kernel].last_shape;
	if (last != JR_NONE && k->shapes.items[last].config == config)
		return last;
	uint32_t shape = jr_map_get(by_shape, jr_key2(kernel, config));
	if (shape != JR_NONE)
		return shape;
	shape = (uint32_t)k->shapes.n;
	jr_map_put(by_shape, jr_key2(kernel, config), shape);
	*jr_vec_add(&k->shapes) = (struct shape){kernel, config, 0};
	return shape;
}

static void collect(const struct jr_profile *p, struct kernels *k, struct jr_arena *scratch)
{
	const struct jr_gpu_ops *t = &p->gpu_ops;
	uint32_t *by_name = JR_ARENA_N(scratch, uint32_t, p->strings.n + 1); /* 1 + row */
	JR_CLEANUP(jr_map_done) struct jr_map by_shape = {0};
	for (size_t i = 0; i < t->n; i++) {
		if (t->kind[i] != JR_GPU_KERNEL)
			continue;
		if (by_name[t->name[i]] == 0) {
			*jr_vec_add(&k->items) = (struct kernel){.name = t->name[i],
				.brief = t->brief[i],
				.least_ns = INT64_MAX,
				.last_shape = JR_NONE};
			by_name[t->name[i]] = (uint32_t)k->items.n;
		}
		uint32_t row = by_name[t->name[i]] - 1;
		struct kernel *kernel = &k->items.items[row];
		int64_t dur = t->dur_ns[i];
		kernel->sum_ns += dur;
		kernel->least_ns = dur < kernel->least_ns ? dur : kernel->least_ns;
		kernel->most_ns = dur > kernel->most_ns ? dur : kernel->most_ns;
		jr_stats_add(&kernel->dur_ns, (double)dur);
		k->total_ns += dur;
		kernel->last_shape = shape_row(k, &by_shape, row, t->config[i]);
		k->shapes.items[kernel->last_shape].sum_ns += dur;
	}
	for (size_t i = 0; i < k->shapes.n; i++) {
		const struct shape *shape = &k->shapes.items[i];
		struct kernel *kernel = &k->items.items[shape->name];
		if (kernel->n_shapes++ == 0 || shape->sum_ns > kernel->config_ns) {
			kernel->config = shape->config;
			kernel->config_ns = shape->sum_ns;
		}
	}
}

/* Move to the last part of a qualified name. Return its length, or 0 if there is none. */
static size_t last_part(const char **name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	for (;;) {
		size_t n = strspn(*name, letters), part = n;
		if (jr_text_begins(*name, UNNAMED))
			part = strlen(UNNAMED);
		else if (jr_text_begins(*name, "<unnamed>"))
			part = strlen("<unnamed>");
		if (part == 0 || !jr_text_begins(*name + part, "::"))
			return n;
		*name += part + 2;
	}
}

static bool is_wrapper(const char *name, size_t n)
{
	static const char *const wrappers[] = {"gpu_kernel_impl", "gpu_kernel_impl_nocast",
		"BinaryFunctor", "AUnaryFunctor", "BUnaryFunctor", "ReduceOp", "func_wrapper_t",
		"OpaqueType"};
	for (size_t i = 0; i < JR_COUNT_OF(wrappers); i++)
		if (strlen(wrappers[i]) == n && strncmp(name, wrappers[i], n) == 0)
			return true;
	return n == 0;
}

/* "elementwise_kernel" is the short name of a dozen kernels. A function or functor of at::native
 * among the template arguments identifies the kernel. Return its name, or NULL if there is none. */
static const char *applied(const char *name, struct jr_arena *arena)
{
	static const char space[] = "at::native::";
	int depth = 0; /* nesting depth of <> */
	for (const char *s = name; *s; s++) {
		depth += (*s == '<') - (*s == '>' && s > name && s[-1] != '-');
		if (depth == 0 && *s == '(' && !jr_text_begins(s, UNNAMED))
			return NULL; /* call arguments begin */
		if (depth == 0 || !jr_text_begins(s, space))
			continue;
		s += sizeof(space) - 1;
		size_t n = last_part(&s);
		if (!is_wrapper(s, n))
			return jr_arena_strndup(arena, s, n);
		s--; /* the next character may be a bracket */
	}
	return NULL;
}

/* --- kernels with the same short name --------------------------------------------------------- */

#define TOLD_WORDS 3

/* Words in the template arguments of kernels, and number of kernels by short name. */
struct words {
	struct jr_intern texts;
	struct jr_map kernels; /* short name -> number of kernels */
	struct jr_map having;  /* short name and word -> number of kernels with it */
	struct jr_map seen;    /* kernel and word -> 0 when met, 1 when used in a name */
};

/* Return the end of the group "(…)" that begins at `s`. */
static const char *past_group(const char *s)
{
	int depth = 0;
	do
		depth += (*s == '(') - (*s == ')');
	while (*s++ && depth > 0 && *s);
	return s;
}

/* Find the next name among the template arguments, or the number of a lambda. Return its length, or
 * 0 at the end. Skip arguments of functions, name spaces and literals. `*s` moves on. */
static size_t next_word(const char **s, int *depth, const char **word)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	const char *at = *s;
	for (size_t n; *at; at += n) {
		bool number = jr_text_begins(at, "(instance ") || (*at == '#' && *depth);
		n = strspn(at, letters);
		if (number) {
			*word = at + (*at == '(');
			n = strcspn(*word, *at == '(' ? ")" : "]}");
			*s = *word + n;
			return n;
		}
		if (*at == '(' && !jr_text_begins(at, UNNAMED)) {
			if (*depth == 0)
				break; /* call arguments */
			n = (size_t)(past_group(at) - at);
		} else if (n == 0) {
			*depth += (*at == '<') - (*at == '>' && at > *s && at[-1] != '-');
			n = jr_text_begins(at, UNNAMED) ? strlen(UNNAMED) : 1;
		} else if (*depth && !jr_text_begins(at + n, "::") && !jr_is_digit(*at) &&
				   !(n == 5 && jr_text_begins(at, "const"))) {
			*word = at;
			*s = at + n;
			return n;
		}
	}
	*s = at;
	return 0;
}

static void count_words(struct words *w, const struct jr_profile *p, const struct kernels *k)
{
	jr_intern_init(&w->texts);
	for (uint32_t i = 0; i < k->items.n; i++) {
		const struct kernel *kernel = &k->items.items[i];
		const char *s = jr_str(p, kernel->name), *word;
		uint32_t so_far = jr_map_get(&w->kernels, kernel->brief);
		jr_map_put(&w->kernels, kernel->brief, so_far == JR_NONE ? 1 : so_far + 1);
		int depth = 0;
		for (size_t n; (n = next_word(&s, &depth, &word)) > 0;) {
			uint32_t id = jr_intern_put(&w->texts, word, n);
			if (jr_map_get(&w->seen, jr_key2(i, id)) != JR_NONE)
				continue;
			jr_map_put(&w->seen, jr_key2(i, id), 0);
			so_far = jr_map_get(&w->having, jr_key2(kernel->brief, id));
			jr_map_put(&w->having, jr_key2(kernel->brief, id), so_far == JR_NONE ? 1 : so_far + 1);
		}
	}
}

/* Return "PdV_kernel, instance 2": the words that the fewest kernels of the same short name have,
 * in order of appearance. Return NULL if all kernels share all words. */
static const char *told_apart(struct words *w, const struct jr_profile *p, const struct kernels *k,
	uint32_t i, struct jr_arena *arena)
{
	const struct kernel *kernel = &k->items.items[i];
	uint32_t all = jr_map_get(&w->kernels, kernel->brief), ids[TOLD_WORDS], counts[TOLD_WORDS];
	const char *s = jr_str(p, kernel->name), *word, *text = NULL;
	size_t kept = 0;
	int depth = 0;
	for (size_t n; (n = next_word(&s, &depth, &word)) > 0;) {
		uint32_t id = jr_intern_put(&w->texts, word, n);
		uint32_t count = jr_map_get(&w->having, jr_key2(kernel->brief, id));
		if (count == all || jr_map_get(&w->seen, jr_key2(i, id)) == 1)
			continue;
		jr_map_put(&w->seen, jr_key2(i, id), 1);
		if (kept == TOLD_WORDS) { /* drop the last of the most frequent words */
			size_t most = 0;
			for (size_t at = 1; at < kept; at++)
				most = counts[at] >= counts[most] ? at : most;
			if (count >= counts[most])
				continue;
			kept--;
			memmove(&ids[most], &ids[most + 1], (kept - most) * sizeof(*ids));
			memmove(&counts[most], &counts[most + 1], (kept - most) * sizeof(*counts));
		}
		ids[kept] = id;
		counts[kept++] = count;
	}
	for (size_t at = 0; at < kept; at++)
		text = jr_arena_printf(
			arena, "%s%s%s", text ? text : "", text ? ", " : "", jr_intern_str(&w->texts, ids[at]));
	return text;
}

static void words_done(struct words *w)
{
	jr_intern_done(&w->texts);
	jr_map_done(&w->kernels);
	jr_map_done(&w->having);
	jr_map_done(&w->seen);
}

/* --- the table -------------------------------------------------------------------------------- */

static const char *extent(const uint32_t v[3], struct jr_arena *arena)
{
	if (v[0] == JR_NONE || v[1] == JR_NONE || v[2] == JR_NONE)
		return NULL;
	return jr_arena_printf(arena, "%u × %u × %u", v[0], v[1], v[2]);
}

static int64_t known(uint32_t v)
{
	return v == JR_NONE ? JR_NULL_I64 : v;
}

static void fill_row(const struct jr_pass_context *ctx, struct jr_table *table, size_t row,
	const struct kernel *k, int64_t total_ns)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_kernel_config *config = &p->kernel_configs[k->config];
	union jr_cells *c = table->cells;
	c[JR_KERNELS_name].text[row] = jr_str(p, k->name);
	if (k->brief && k->brief != k->name)
		c[JR_KERNELS_full_name].text[row] = jr_str(p, k->name);
	c[JR_KERNELS_short_name].text[row] = jr_str(p, k->brief ? k->brief : k->name);
	c[JR_KERNELS_applies].text[row] = applied(jr_str(p, k->name), ctx->arena);
	c[JR_KERNELS_count].i64[row] = k->dur_ns.n;
	c[JR_KERNELS_sum_ms].i64[row] = k->sum_ns;
	c[JR_KERNELS_percent].f64[row] = jr_ratio((double)k->sum_ns, (double)total_ns);
	c[JR_KERNELS_mean_ms].f64[row] = jr_stats_mean(&k->dur_ns);
	c[JR_KERNELS_std_ms].f64[row] = jr_stats_std(&k->dur_ns);
	c[JR_KERNELS_min_ms].i64[row] = k->least_ns;
	c[JR_KERNELS_max_ms].i64[row] = k->most_ns;
	c[JR_KERNELS_grid].text[row] = extent(config->grid, ctx->arena);
	c[JR_KERNELS_block].text[row] = extent(config->block, ctx->arena);
	c[JR_KERNELS_registers].i64[row] = known(config->registers);
	if (config->static_shared_bytes != JR_NONE && config->dynamic_shared_bytes != JR_NONE)
		c[JR_KERNELS_shared_memory_bytes].i64[row] =
			(int64_t)config->static_shared_bytes + config->dynamic_shared_bytes;
	c[JR_KERNELS_shapes].i64[row] = k->n_shapes;
}

/* Report the number of whole graphs and their time, because their kernels were not recorded. */
static void tell_graphs(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_gpu_ops *t = &ctx->profile->gpu_ops;
	int64_t n = 0, sum_ns = 0;
	for (size_t i = 0; i < t->n; i++) {
		n += t->kind[i] == JR_GPU_GRAPH;
		sum_ns += t->kind[i] == JR_GPU_GRAPH ? t->dur_ns[i] : 0;
	}
	if (n == 0)
		return;
	char time[JR_NUM_MAX];
	jr_num_time(time, (double)sum_ns);
	jr_section_text(out, ctx->arena,
		JR_GRAPH "s (%s launches, %s in total) were recorded as a whole. To see their kernels, "
				 "profile with --cuda-graph-trace=node.",
		jr_count_text(ctx->arena, n), time);
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	struct kernels k = {0};
	collect(ctx->profile, &k, ctx->scratch);
	struct jr_rank_key *keys = JR_ARENA_N(ctx->scratch, struct jr_rank_key, k.items.n + 1);
	for (uint32_t i = 0; i < k.items.n; i++)
		keys[i] = (struct jr_rank_key){
			(double)k.items.items[i].sum_ns, jr_str(ctx->profile, k.items.items[i].name), 0, i};
	jr_rank_sort(keys, k.items.n);
	struct jr_table *table = jr_table_new(ctx->arena, &spec, k.items.n);
	struct words words = {0};
	count_words(&words, ctx->profile, &k);
	int64_t so_far_ns = 0;
	table->n_rendered = 0;
	for (size_t row = 0; row < k.items.n; row++) {
		const struct kernel *kernel = &k.items.items[keys[row].row];
		if (row == 0 || (double)so_far_ns < 0.99 * (double)k.total_ns)
			table->n_rendered = row + 1;
		so_far_ns += kernel->sum_ns;
		fill_row(ctx, table, row, kernel, k.total_ns);
		if (!table->cells[JR_KERNELS_applies].text[row])
			table->cells[JR_KERNELS_applies].text[row] =
				told_apart(&words, ctx->profile, &k, keys[row].row, ctx->arena);
	}
	words_done(&words);
	jr_vec_done(&k.items);
	jr_vec_done(&k.shapes);
	if (table->n_rows == 0) {
		out->unavailable = "not available, because the " JR_INPUT_WORD " does not contain kernels";
		return;
	}
	tell_graphs(ctx, out);
	jr_section_table(out, ctx->arena, table);
}

const struct jr_pass jr_pass_kernels = {
	.name = "kernels",
	.title = "Kernels",
	.summary = "Kernels by name: time, count and launch shape",
	.needs = JR_NEEDS_GPU_OPS,
	.group = JR_GROUP_GPU,
	.apart = JR_APART,
	.run = run,
};
