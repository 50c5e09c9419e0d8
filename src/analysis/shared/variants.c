/* Variants: programs of one function, each with the time of its executions. */
#include "analysis/shared/variants.h"

#include "analysis/shared/columns.h"
#include "analysis/core/distribution.h"
#include "analysis/shared/input_shapes.h"
#include "analysis/shared/shared_tables.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/spans.h"

/* --- is there a fixed order ------------------------------------------------------------------- */

#define ALIKE 0.75 /* share of periods with the same number of executions of the variants */

JR_ORDER_OF_VALUES(compare_counts, size_t)

static bool mostly_alike(size_t *counts, size_t n)
{
	size_t most = 0;
	jr_sort(counts, n, sizeof(*counts), compare_counts);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && counts[end] == counts[i]; end++)
			;
		most = end - i > most ? end - i : most;
	}
	return (double)most >= ALIKE * (double)n;
}

static bool is_variant(const struct jr_profile *p, const struct jr_steady *st, size_t row)
{
	return p->programs[p->modules.program[row]].name == p->programs[st->ranking[0]].name;
}

bool jr_variants_irregular(const struct jr_profile *p, const struct jr_steady *st)
{
	const struct jr_modules *m = &p->modules;
	if (st->n_ranking == 0)
		return false;
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	size_t *counts = JR_ARENA_N(&scratch, size_t, m->n + 1), n = 0, n_own = 0, n_others = 0;
	size_t since = 0, most_own = 0, own_of_device = 0;
	for (size_t i = 0; i < m->n; i++) { /* sorted by device, start */
		if (i == 0 || m->device[i] != m->device[i - 1])
			since = own_of_device = 0;
		if (!m->steady[i] || !is_variant(p, st, i))
			continue;
		if (m->program[i] != st->ranking[0]) {
			since++;
			n_others++;
			continue;
		}
		if (own_of_device)
			counts[n++] = since;
		since = 0;
		n_own++;
		most_own = ++own_of_device > most_own ? own_of_device : most_own;
	}
	return n_others > 0 && (most_own > 1 ? !mostly_alike(counts, n) : n_others >= 2 * n_own);
}

/* --- compiled at each call -------------------------------------------------------------------- */

/* Compilations of a process that are not nested in another one. */
static struct jr_spans compilations(
	const struct jr_profile *p, uint32_t process, struct jr_arena *arena)
{
	const struct jr_compiles *t = &p->compiles;
	struct jr_spans spans = {.items = JR_ARENA_N(arena, struct jr_span, t->n + 1)};
	for (size_t i = 0; i < t->n; i++)
		if (t->parent[i] == JR_NONE && jr_profile_process(p, t->process[i]) == process)
			spans.items[spans.n++] =
				(struct jr_span){t->start_ns[i], t->start_ns[i] + t->dur_ns[i]};
	jr_spans_unite(&spans, arena);
	return spans;
}

/* One compilation may last for several executions that were launched ahead of it. */
static bool begins_within(const struct jr_spans *spans, int64_t from_ns, int64_t to_ns)
{
	for (size_t i = 0; i < spans->n; i++)
		if (spans->items[i].start_ns >= from_ns && spans->items[i].start_ns < to_ns)
			return true;
	return false;
}

#define LEAST_CALLS 3
#define EACH_CALL 0.75 /* share of the periods between calls that contain a compilation */
#define HEAVY 0.05     /* share of the time */

struct jr_compiled_calls jr_compiled_calls_find(
	const struct jr_profile *p, const struct jr_steady *st, struct jr_arena *arena)
{
	const struct jr_modules *m = &p->modules;
	struct jr_compiled_calls found = {0};
	if (p->compiles.n == 0 || st->n_ranking == 0)
		return found;
	size_t last = SIZE_MAX;
	struct jr_spans spans = {0};
	for (size_t i = 0; i < m->n; i++) {
		if (!is_variant(p, st, i))
			continue;
		if (last != SIZE_MAX && m->device[i] != m->device[last])
			break;
		found.n_calls++;
		if (last == SIZE_MAX) {
			spans = compilations(p, p->devices[m->device[i]].process, arena);
		} else {
			double ns = (double)jr_spans_within(&spans, m->start_ns[last], m->start_ns[i]);
			found.n_between += begins_within(&spans, m->start_ns[last], m->start_ns[i]);
			found.compile_ns += ns;
			found.wall_ns += (double)(m->start_ns[i] - m->start_ns[last]);
			found.run_ns += (double)m->dur_ns[last];
		}
		last = i;
	}
	for (size_t k = 0; k < p->n_programs; k++)
		found.n_programs += p->programs[k].name == p->programs[st->ranking[0]].name;
	if (found.n_calls >= LEAST_CALLS &&
		(double)found.n_between >= EACH_CALL * (double)(found.n_calls - 1) &&
		found.compile_ns >= HEAVY * found.wall_ns)
		found.name = p->programs[st->ranking[0]].name;
	return found;
}

const char jr_variants_no_step[] =
	"not available, because the programs of one function run in no fixed order, so steps "
	"cannot be determined";

/* --- the table -------------------------------------------------------------------------------- */

JR_TABLE_OF(spec, JR_VARIANTS_COLUMNS, "variants", "variants", "Variants",
	"One row per program of the function with the most time, after a row for all of them; by time");

struct variant {
	uint32_t program; /* JR_NONE: all of them */
	int64_t *dur_ns;
	size_t n;
	int64_t sum_ns;
};

/* By time. The row of all variants comes first. */
static int compare_variants(const void *a, const void *b)
{
	const struct variant *x = a, *y = b;
	if ((x->program == JR_NONE) != (y->program == JR_NONE))
		return x->program == JR_NONE ? -1 : 1;
	if (x->sum_ns != y->sum_ns)
		return x->sum_ns > y->sum_ns ? -1 : 1;
	return (x->program > y->program) - (x->program < y->program);
}

static size_t find_variants(struct jr_pass_context *ctx, struct variant *out)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_modules *m = &p->modules;
	uint32_t *row = JR_ARENA_N(ctx->scratch, uint32_t, p->n_programs + 1);
	int64_t *dur_ns = JR_ARENA_N(ctx->scratch, int64_t, 2 * m->n + 1);
	size_t n = 1;
	out[0] = (struct variant){.program = JR_NONE, .dur_ns = dur_ns};
	for (size_t i = 0; i < m->n; i++) {
		if (!is_variant(p, ctx->steady, i))
			continue;
		out[0].sum_ns += m->dur_ns[i];
		out[0].dur_ns[out[0].n++] = m->dur_ns[i];
		if (!row[m->program[i]]) {
			row[m->program[i]] = (uint32_t)n;
			out[n++] = (struct variant){.program = m->program[i]};
		}
		struct variant *own = &out[row[m->program[i]]];
		own->sum_ns += m->dur_ns[i];
		own->n++;
	}
	int64_t *room = dur_ns + m->n;
	for (size_t k = 1; k < n; k++) {
		out[k].dur_ns = room;
		room += out[k].n;
		out[k].n = 0;
	}
	for (size_t i = 0; i < m->n; i++) {
		struct variant *own = &out[row[m->program[i]]];
		if (is_variant(p, ctx->steady, i))
			own->dur_ns[own->n++] = m->dur_ns[i];
	}
	jr_sort(out, n, sizeof(*out), compare_variants);
	return n;
}

/* Format the first few parameters that differ between variants, for each variant; NULL: unknown. */
static void fill_inputs(
	struct jr_pass_context *ctx, const struct variant *variants, size_t n, const char **out)
{
	uint32_t *programs = JR_ARENA_N(ctx->scratch, uint32_t, n);
	for (size_t k = 1; k < n; k++)
		programs[k - 1] = variants[k].program;
	const struct jr_input_shapes *shapes =
		jr_input_shapes_find(ctx->profile, programs, n - 1, ctx->arena);
	for (size_t k = 1; k < n; k++)
		out[k] = shapes[k - 1].text;
}

void jr_variants_add(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_profile *p = ctx->profile;
	if (!ctx->windows->irregular)
		return;
	struct variant *variants = JR_ARENA_N(ctx->scratch, struct variant, p->n_programs + 2);
	size_t n = find_variants(ctx, variants);
	struct jr_table *table = jr_table_new(ctx->arena, &spec, n);
	union jr_cells *c = table->cells;
	fill_inputs(ctx, variants, n, c[JR_VARIANTS_inputs].text);
	for (size_t row = 0; row < n; row++) {
		struct variant *v = &variants[row];
		c[JR_VARIANTS_program_id].text[row] =
			v->program == JR_NONE ? NULL : jr_program_id(p, v->program, ctx->arena);
		c[JR_VARIANTS_name].text[row] = jr_str(p, p->programs[ctx->steady->ranking[0]].name);
		c[JR_VARIANTS_share].f64[row] = jr_ratio((double)v->sum_ns, (double)variants[0].sum_ns);
		c[JR_VARIANTS_sum_ms].i64[row] = v->sum_ns;
		c[JR_VARIANTS_median_ms].i64[row] = jr_quantile_i64(v->dur_ns, v->n, 0.5);
		c[JR_VARIANTS_p90_ms].i64[row] = jr_quantile_i64(v->dur_ns, v->n, 0.9);
		c[JR_VARIANTS_p99_ms].i64[row] = jr_quantile_i64(v->dur_ns, v->n, 0.99);
		c[JR_VARIANTS_max_ms].i64[row] = jr_quantile_i64(v->dur_ns, v->n, 1);
		c[JR_VARIANTS_executions].i64[row] = (int64_t)v->n;
	}
	jr_section_table(out, ctx->arena, table);
}
