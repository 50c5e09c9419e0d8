/* The program's own ranges and marks, from NVTX or jax.profiler, by domain, category and name. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/core/keys.h"
#include "analysis/core/terms.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/num.h"
#include "base/text.h"
#include "base/vec.h"

#define COLUMNS(X, T)                                                                              \
	X(T, domain, "Domain",                                                                         \
		"NVTX domain of the range; empty for the default domain, a domain whose name was "         \
		"not profiled, and ranges of jax.profiler, which have no domain",                          \
		TEXT, NONE, JR_COL_KEY | JR_COL_CODE)                                                      \
	X(T, category, "Category",                                                                     \
		"name of the NVTX category, or else its number; empty: no category", TEXT, NONE,           \
		JR_COL_KEY | JR_COL_CODE)                                                                  \
	X(T, name, "Name",                                                                             \
		"text of the range, without the numbers that PyTorch appends; three or more texts "        \
		"that differ only in numbers share one row, with N for the number",                        \
		TEXT, NONE, JR_COL_KEY | JR_COL_CODE)                                                      \
	X(T, kind, "Kind",                                                                             \
		"range: pushed and popped on one thread; start/end: may end on another thread; "           \
		"mark: a point in time",                                                                   \
		TEXT, NONE, JR_COL_KEY)                                                                    \
	X(T, count, "Count", "over all threads", I64, COUNT)                                           \
	X(T, host_ms, "Host time", "sum of their lengths on the host", I64, NS)                        \
	X(T, host_mean_ms, "Mean", "length on the host", F64, NS)                                      \
	X(T, operations, JR_GPU " operations", "operations launched within the ranges", I64, COUNT)    \
	X(T, gpu_ms, "Projected",                                                                      \
		"sum of the ranges' lengths on the " JR_GPU                                                \
		": from the start of the first operation launched within a range to the end of the "       \
		"last",                                                                                    \
		I64, NS, JR_COL_BAR)                                                                       \
	X(T, gpu_busy_ms, JR_GPU " busy",                                                              \
		"part of the projected time in which any device with operations of the range runs "        \
		"anything",                                                                                \
		I64, NS, JR_COL_DATA_ONLY)                                                                 \
	X(T, gpu_idle_ms, JR_GPU " idle",                                                              \
		"part of the projected time in which every device with operations of the range is "        \
		"idle; null if that cannot be determined",                                                 \
		I64, NS)                                                                                   \
	X(T, host_std_ms, "Spread", "sample standard deviation of the lengths on the host", F64, NS)   \
	X(T, not_whole, "Incomplete",                                                                  \
		"ranges that were not closed before the profile ended, or were closed by another "         \
		"thread; not part of the host time",                                                       \
		I64, COUNT)
JR_TABLE(spec, COL, COLUMNS, "nvtx", "nvtx", "Host ranges",
	"One row per domain, category, name and kind; by projected time, then host time. Ranges "
	"can be nested, so times do not add up");

#define N_RENDERED 40
#define FEWEST_ALIKE 3 /* minimum number of texts that differ only in numbers, for one row */

/* Names of ranges in the table: their text, or the common form of several texts. */
struct names {
	const struct jr_profile *profile;
	struct jr_intern common; /* "step N" */
	uint32_t *of;            /* [strings.n] for a text: its str, or strings.n + str of `common` */
};

/* "step 12" -> "step N". A number before a letter is part of a word ("conv2d") and stays. */
static uint32_t without_numbers(struct jr_intern *common, const char *text, struct jr_buf *buf)
{
	buf->size = 0;
	for (const char *at = text, *end; *at; at = end) {
		for (end = at + 1; jr_is_digit(*at) && jr_is_digit(*end); end++)
			;
		if (jr_is_digit(*at) && !jr_is_letter(*end))
			jr_buf_putc(buf, 'N');
		else
			jr_buf_add(buf, at, (size_t)(end - at));
	}
	return jr_intern_put(common, buf->data ? buf->data : "", buf->size);
}

static struct names names_of(const struct jr_profile *p, struct jr_arena *scratch)
{
	const struct jr_nvtx_ranges *t = &p->nvtx_ranges;
	struct names names = {.profile = p, .of = JR_ARENA_N(scratch, uint32_t, p->strings.n + 1)};
	JR_CLEANUP(jr_buf_done) struct jr_buf buf = {0};
	jr_intern_init(&names.common);
	uint8_t *seen = JR_ARENA_N(scratch, uint8_t, p->strings.n + 1);
	for (size_t i = 0; i < t->n; i++) {
		uint32_t name = t->name[i];
		if (!seen[name])
			names.of[name] = without_numbers(&names.common, jr_str(p, name), &buf);
		seen[name] = 1;
	}
	uint32_t *n_texts = JR_ARENA_N(scratch, uint32_t, names.common.n + 1);
	for (size_t k = 0; k < p->strings.n; k++)
		n_texts[names.of[k]] += seen[k];
	for (uint32_t k = 0; k < p->strings.n; k++)
		if (seen[k])
			names.of[k] =
				n_texts[names.of[k]] < FEWEST_ALIKE ? k : (uint32_t)p->strings.n + names.of[k];
	return names;
}

static const char *name_text(const struct names *names, uint32_t name)
{
	size_t n = names->profile->strings.n;
	return name < n ? jr_str(names->profile, name)
					: jr_intern_str(&names->common, name - (uint32_t)n);
}

static const char *const kinds[] = {
	[JR_NVTX_PUSH_POP] = "range", [JR_NVTX_START_END] = "start/end", [JR_NVTX_MARK] = "mark"};

struct sum {
	uint32_t scope, name; /* name: as in struct names */
	uint8_t kind;
	bool idle_unknown; /* true if unknown for at least one range */
	int64_t count, n_not_whole, n_ops, idle_ns;
	int64_t host_ns, gpu_ns;
	struct jr_stats length_ns; /* of complete ranges */
};

typedef JR_VEC(struct sum) sum_vec;

/* Ranges can nest to any depth, so the sum of their lengths may overflow. It saturates at
 * INT64_MAX. */
static void add_to(int64_t *sum, int64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = INT64_MAX;
}

/* `last`: 1 + the row in which a name was found last, which is usually the row of the next range
 * with this name. */
static struct sum *find_sum(
	sum_vec *sums, struct jr_map *rows, uint32_t *last, uint32_t scope, uint32_t name, uint8_t kind)
{
	assert(!last[name] || sums->items);
	if (last[name] && sums->items[last[name] - 1].scope == scope &&
		sums->items[last[name] - 1].kind == kind)
		return &sums->items[last[name] - 1];
	uint64_t key = jr_key2(scope, name);
	uint32_t row = jr_map_add(&rows[kind], key, (uint32_t)sums->n);
	if (row == sums->n)
		*jr_vec_add(sums) = (struct sum){.scope = scope, .name = name, .kind = kind};
	last[name] = row + 1;
	assert(sums->items);
	return &sums->items[row];
}

static int64_t idle_within(
	const struct jr_nvtx_ranges *t, size_t row, const struct jr_spans *busy, size_t *near)
{
	int64_t start_ns = t->gpu_start_ns[row], dur_ns = t->gpu_dur_ns[row];
	return dur_ns - jr_spans_within_near(busy, start_ns, start_ns + dur_ns, near);
}

/* A range on several devices, kept until the combined time of these devices is known. */
struct pending {
	uint32_t range, sum; /* rows of nvtx_ranges and of sums */
};
typedef JR_VEC(struct pending) pending_vec;

/* `near`: [n_devices] for jr_spans_within_near(); the ranges of a thread are in order. */
static void add_idle(const struct jr_pass_context *ctx, uint32_t range, struct sum *sum,
	uint32_t sum_row, pending_vec *pending, size_t *near)
{
	const struct jr_nvtx_ranges *t = &ctx->profile->nvtx_ranges;
	uint32_t device = t->device[range];
	if (device < JR_FIRST_DEVICE_SET)
		add_to(&sum->idle_ns, idle_within(t, range, &ctx->gpu->devices[device], &near[device]));
	else if (device != JR_NONE)
		*jr_vec_add(&pending[device - JR_FIRST_DEVICE_SET]) = (struct pending){range, sum_row};
	else
		sum->idle_unknown = true;
}

/* Process one set of devices at a time, because the combined spans are large. */
static void add_pending(const struct jr_pass_context *ctx, sum_vec *sums, pending_vec *pending)
{
	const struct jr_profile *p = ctx->profile;
	for (size_t set = 0; set < p->n_device_sets; set++) {
		JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
		struct jr_spans busy = {0};
		if (pending[set].n)
			busy = jr_gpu_time_of_set(ctx->gpu, &p->device_sets[set], &scratch);
		for (size_t i = 0, near = 0; i < pending[set].n; i++) {
			struct pending *one = &pending[set].items[i];
			assert(sums->items);
			add_to(&sums->items[one->sum].idle_ns,
				idle_within(&p->nvtx_ranges, one->range, &busy, &near));
		}
		jr_vec_done(&pending[set]);
	}
}

/* Skip XLA's own ranges. The sections on modules, thunks and compilation report them. */
static uint64_t collect(const struct jr_pass_context *ctx, const struct names *names, sum_vec *sums)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_nvtx_ranges *t = &p->nvtx_ranges;
	uint32_t tsl = p->modules.n || p->compiles.n ? jr_intern_find(&p->strings, "TSL", 3) : JR_NONE;
	struct jr_map rows[JR_COUNT_OF(kinds)] = {{0}};
	pending_vec pending[JR_DEVICE_SETS] = {{0}};
	size_t *near = JR_ARENA_N(ctx->scratch, size_t, p->n_devices + 1);
	uint32_t *last = JR_ARENA_N(ctx->scratch, uint32_t, p->strings.n + names->common.n + 1);
	uint64_t n_xla = 0;
	for (uint32_t i = 0; i < t->n; i++) {
		if (p->nvtx_scopes[t->scope[i]].domain == tsl) {
			n_xla++;
			continue;
		}
		struct sum *sum =
			find_sum(sums, rows, last, t->scope[i], names->of[t->name[i]], t->kind[i]);
		sum->count++;
		if (t->whole[i]) {
			add_to(&sum->host_ns, t->dur_ns[i]);
			jr_stats_add(&sum->length_ns, (double)t->dur_ns[i]);
		} else {
			sum->n_not_whole++;
		}
		if (t->n_ops[i] == 0)
			continue;
		add_to(&sum->n_ops, t->n_ops[i]);
		add_to(&sum->gpu_ns, t->gpu_dur_ns[i]);
		add_idle(ctx, i, sum, (uint32_t)(sum - sums->items), pending, near);
	}
	add_pending(ctx, sums, pending);
	for (size_t kind = 0; kind < JR_COUNT_OF(kinds); kind++)
		jr_map_done(&rows[kind]);
	return n_xla;
}

struct ordering {
	const struct jr_profile *profile;
	const struct names *names;
	const struct sum *sums;
};

static int compare_sums(const void *a, const void *b, void *context)
{
	const struct ordering *o = context;
	const struct sum *x = &o->sums[*(const uint32_t *)a], *y = &o->sums[*(const uint32_t *)b];
	if (x->gpu_ns != y->gpu_ns)
		return x->gpu_ns > y->gpu_ns ? -1 : 1;
	if (x->host_ns != y->host_ns)
		return x->host_ns > y->host_ns ? -1 : 1;
	const struct jr_profile *p = o->profile;
	const struct jr_nvtx_scope *s = &p->nvtx_scopes[x->scope], *t = &p->nvtx_scopes[y->scope];
	int by_name = strcmp(name_text(o->names, x->name), name_text(o->names, y->name));
	if (by_name == 0)
		by_name = strcmp(jr_str(p, s->domain), jr_str(p, t->domain));
	if (by_name == 0)
		by_name = strcmp(jr_str(p, s->category), jr_str(p, t->category));
	return by_name ? by_name : (int)x->kind - (int)y->kind;
}

static struct jr_table *table_of(
	struct jr_pass_context *ctx, const struct names *names, const sum_vec *sums)
{
	const struct jr_profile *p = ctx->profile;
	struct ordering o = {p, names, sums->items};
	uint32_t *order = JR_ARENA_N(ctx->scratch, uint32_t, sums->n + 1);
	for (uint32_t i = 0; i < sums->n; i++)
		order[i] = i;
	if (sums->n)
		qsort_r(order, sums->n, sizeof(*order), compare_sums, &o);
	struct jr_table *table = jr_table_new(ctx->arena, &spec, sums->n);
	table->n_rendered = sums->n < N_RENDERED ? sums->n : N_RENDERED;
	union jr_cells *c = table->cells;
	for (size_t row = 0; row < sums->n; row++) {
		const struct sum *s = &sums->items[order[row]];
		c[COL_domain].text[row] = jr_text_or_null(p, p->nvtx_scopes[s->scope].domain);
		c[COL_category].text[row] = jr_text_or_null(p, p->nvtx_scopes[s->scope].category);
		c[COL_name].text[row] = jr_arena_strdup(ctx->arena, name_text(names, s->name));
		c[COL_kind].text[row] = kinds[s->kind];
		c[COL_count].i64[row] = s->count;
		if (s->kind != JR_NVTX_MARK)
			c[COL_not_whole].i64[row] = s->n_not_whole;
		if (s->kind != JR_NVTX_MARK && s->count > s->n_not_whole) {
			c[COL_host_ms].i64[row] = s->host_ns;
			c[COL_host_mean_ms].f64[row] = (double)s->host_ns / (double)(s->count - s->n_not_whole);
			c[COL_host_std_ms].f64[row] = jr_stats_std(&s->length_ns);
		}
		if (s->n_ops == 0)
			continue;
		c[COL_operations].i64[row] = s->n_ops;
		c[COL_gpu_ms].i64[row] = s->gpu_ns;
		if (s->idle_unknown)
			continue;
		c[COL_gpu_busy_ms].i64[row] = s->gpu_ns - s->idle_ns;
		c[COL_gpu_idle_ms].i64[row] = s->idle_ns;
	}
	return table;
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	sum_vec sums = {0};
	struct names names = names_of(ctx->profile, ctx->scratch);
	uint64_t n_xla = collect(ctx, &names, &sums);
	if (sums.n == 0) {
		out->unavailable = "not available, because the " JR_INPUT_WORD
						   " does not contain host ranges other than XLA's own";
	} else {
		if (n_xla)
			jr_section_text(out, ctx->arena,
				"XLA's own ranges (domain TSL) are left out; the sections on modules, thunks "
				"and compilation cover them.");
		jr_section_table(out, ctx->arena, table_of(ctx, &names, &sums));
	}
	jr_vec_done(&sums);
	jr_intern_done(&names.common);
}

const struct jr_pass jr_pass_nvtx = {
	.name = "nvtx",
	.title = "Host ranges",
	.summary = "Annotated ranges of the program: host time, and " JR_GPU
			   " time of the operations launched in them",
	.needs = JR_NEEDS_NVTX,
	.group = JR_GROUP_GPU,
	.apart = JR_APART,
	.run = run,
};
