/* Annotated source: GPU time of each line of the Python files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/attribution/gpu_stacks.h"
#include "analysis/core/flags.h"
#include "analysis/core/terms.h"
#include "analysis/attribution/line_sums.h"
#include "analysis/roofline/roofline.h"
#include "analysis/attribution/attribution_tables.h"
#include "base/vec.h"

/* --- the table ------------------------------------------------------------------------------ */

JR_TABLE_OF(spec, JR_SOURCE_LINES_COLUMNS, "source_lines", "source_lines", "Hottest lines",
	"One row per Python line in the stacks of " JR_GPU_WORK
	"; by self time, then total, both without waiting, then name",
	.looked_up = true);

static const struct jr_source_text *text_of(const struct jr_profile *p, uint32_t file)
{
	for (size_t i = 0; i < p->n_source_texts; i++)
		if (p->source_texts[i].file == file)
			return &p->source_texts[i];
	return NULL;
}

/* Return NULL if the text is not known. */
static const char *line_text(const struct jr_source_text *text, int32_t line)
{
	return text && !text->missing && line > 0 ? jr_source_line(text, (uint32_t)line) : NULL;
}

struct ordering {
	const struct jr_profile *profile;
	const struct jr_line_sum *lines;
};

/* Time that the line itself causes. Waiting is caused by the device that is waited for. */
static double working_self(const struct jr_line_sum *s)
{
	return s->self_ns - s->self_waiting_ns;
}

static double working_total(const struct jr_line_sum *s)
{
	return s->total_ns - s->waiting_ns;
}

static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct ordering *o = arg;
	const struct jr_line_sum *x = &o->lines[*(const uint32_t *)a];
	const struct jr_line_sum *y = &o->lines[*(const uint32_t *)b];
	if (working_self(x) != working_self(y))
		return working_self(x) > working_self(y) ? -1 : 1;
	if (working_total(x) != working_total(y))
		return working_total(x) > working_total(y) ? -1 : 1;
	int by_file = strcmp(jr_str(o->profile, x->file), jr_str(o->profile, y->file));
	return by_file ? by_file : (x->line > y->line) - (x->line < y->line);
}

static struct jr_table *make_table(struct jr_pass_context *ctx, const struct jr_line_sums *sums)
{
	const struct jr_profile *p = ctx->profile;
	uint32_t *order = JR_ARENA_N(ctx->scratch, uint32_t, sums->n + 1);
	for (uint32_t i = 0; i < sums->n; i++)
		order[i] = i;
	if (sums->n)
		qsort_r(order, sums->n, sizeof(*order), compare_rows, &(struct ordering){p, sums->lines});
	struct jr_table *table = jr_table_new(ctx->arena, &spec, sums->n);
	union jr_cells *c = table->cells;
	for (size_t row = 0; row < sums->n; row++) {
		const struct jr_line_sum *s = &sums->lines[order[row]];
		const char *code = line_text(text_of(p, s->file), s->line);
		c[JR_SOURCE_LINES_file].text[row] = jr_str(p, s->file);
		c[JR_SOURCE_LINES_line].i64[row] = s->line;
		c[JR_SOURCE_LINES_source].text[row] =
			jr_arena_printf(ctx->arena, "%s:%d", jr_str(p, s->file), s->line);
		c[JR_SOURCE_LINES_function].text[row] = jr_text_or_null(p, s->function);
		c[JR_SOURCE_LINES_self_ms].f64[row] = s->self_ns;
		c[JR_SOURCE_LINES_total_ms].f64[row] = s->total_ns;
		c[JR_SOURCE_LINES_percent].f64[row] =
			jr_ratio(s->total_ns, (double)ctx->steady->thunks_active_ns);
		c[JR_SOURCE_LINES_kernels].i64[row] = s->kernels;
		c[JR_SOURCE_LINES_exposed_communication_ms].f64[row] = s->communication_ns;
		c[JR_SOURCE_LINES_waiting_ms].f64[row] = s->waiting_ns;
		c[JR_SOURCE_LINES_self_waiting_ms].f64[row] = s->self_waiting_ns;
		c[JR_SOURCE_LINES_step_ms].f64[row] = jr_ratio(working_self(s), ctx->windows->n_steps);
		c[JR_SOURCE_LINES_efficiency].f64[row] =
			jr_ratio(s->self_roofed.roof_ns, s->self_roofed.ns);
		c[JR_SOURCE_LINES_lost_ms].f64[row] = s->self_roofed.ns > 0 ? s->self_roofed.lost_ns : NAN;
		c[JR_SOURCE_LINES_code].text[row] = code ? code + strspn(code, " ") : NULL;
	}
	if (table->n_rendered > 20)
		table->n_rendered = 20;
	return table;
}

/* --- listings ------------------------------------------------------------------------------- */

#define HOT_SELF 0.001 /* share of the active time from which a line is shown */
#define HOT_TOTAL 0.01
#define LIBRARY_SELF 0.005 /* self time of a line that makes its library file be shown */
#define CONTEXT 2          /* context lines around a hot one */
#define MAX_LISTINGS 24
#define MAX_LISTED 600 /* lines per listing */

static bool file_is_library(const struct jr_profile *p, uint32_t file)
{
	return jr_kind_is_library(jr_profile_frame_kind(p, jr_str(p, file), NULL));
}

struct listing_maker {
	struct jr_pass_context *ctx;
	const struct jr_line_sums *sums;
	double whole_ns, hottest_ns;
	JR_VEC(struct jr_listing_line) lines;
};

static bool is_hot(const struct listing_maker *m, const struct jr_line_sum *s)
{
	return s->line > 0 && (working_self(s) >= HOT_SELF * m->whole_ns ||
							  working_total(s) >= HOT_TOTAL * m->whole_ns);
}

static void add_line(struct listing_maker *m, const struct jr_source_text *text, uint32_t number,
	const struct jr_line_sum *s)
{
	const char *code = line_text(text, (int32_t)number);
	struct jr_listing_line line = {.number = number, .text = code ? code : ""};
	if (s) {
		line.hot = is_hot(m, s);
		line.total_ns = s->total_ns;
		line.self_ns = s->self_ns;
		line.working_ns = working_self(s);
		line.communication_ns = s->communication_ns;
		line.roofed = s->self_roofed;
		line.kernels = s->kernels;
	}
	*jr_vec_add(&m->lines) = line;
}

static void add_gap(struct listing_maker *m, uint32_t from, uint32_t to)
{
	if (from < to)
		*jr_vec_add(&m->lines) = (struct jr_listing_line){.n_hidden = to - from, .text = ""};
}

/* Add the hot lines of sums [first, end) with context lines, and gaps between them. */
static void add_regions(
	struct listing_maker *m, const struct jr_source_text *text, size_t first, size_t end)
{
	uint32_t next = 1,
			 n_lines = text && !text->missing ? text->n_lines : 0; /* next unlisted line */
	size_t at = first;
	for (size_t i = first; i < end && m->lines.n < MAX_LISTED; i++) {
		const struct jr_line_sum *s = &m->sums->lines[i];
		if (!is_hot(m, s))
			continue;
		uint32_t line = (uint32_t)s->line, context = n_lines ? CONTEXT : 0;
		uint32_t from = line > context ? line - context : 1, to = line + context;
		from = from > next ? from : next;
		/* a gap of one line takes as much space as the line */
		if (n_lines && from == next + 1)
			from = next;
		add_gap(m, next, from);
		to = n_lines && to > n_lines ? n_lines : to;
		for (uint32_t number = from; number <= to; number++) {
			while (at < end && m->sums->lines[at].line < (int64_t)number)
				at++;
			bool known = at < end && m->sums->lines[at].line == (int64_t)number;
			add_line(m, text, number, known ? &m->sums->lines[at] : NULL);
		}
		next = to + 1 > next ? to + 1 : next;
	}
	if (m->lines.n && n_lines)
		add_gap(m, next, n_lines + 1);
}

/* Return NULL if the file has no hot line. */
static struct jr_listing *make_listing(
	struct listing_maker *m, const struct jr_file_sum *file, size_t first, size_t end)
{
	const struct jr_profile *p = m->ctx->profile;
	struct jr_arena *arena = m->ctx->arena;
	const struct jr_source_text *text = text_of(p, file->file);
	m->lines.n = 0;
	add_regions(m, text, first, end);
	if (m->lines.n == 0)
		return NULL;
	struct jr_listing_line *lines = JR_ARENA_N(arena, struct jr_listing_line, m->lines.n);
	memcpy(lines, m->lines.items, m->lines.n * sizeof(*lines));
	struct jr_listing *listing = JR_ARENA_NEW(arena, struct jr_listing);
	*listing = (struct jr_listing){.file = jr_str(p, file->file),
		.tree = "source_code",
		.library = file_is_library(p, file->file),
		.note = text && text->missing             ? text->missing
				: text && text->outside           ? "source text from --sources"
				: !text && !p->options.no_sources ? "source text was not read"
												  : NULL,
		.total_ns = file->total_ns,
		.self_ns = file->self_ns,
		.whole_ns = m->whole_ns,
		.hottest_ns = m->hottest_ns,
		.n = m->lines.n,
		.lines = lines};
	return listing;
}

static double hottest_self(const struct jr_line_sums *sums, size_t first, size_t end)
{
	double most = 0;
	for (size_t i = first; i < end; i++)
		most = working_self(&sums->lines[i]) > most ? working_self(&sums->lines[i]) : most;
	return most;
}

/* The user's files with self time come first, then hot library files, then files that only call. */
enum group { OWN_TIME, HOT_LIBRARY, CALLS_ONLY, N_GROUPS, NOT_SHOWN = N_GROUPS };

static enum group group_of(const struct listing_maker *m, uint32_t file, size_t first, size_t end)
{
	double own = hottest_self(m->sums, first, end);
	if (file_is_library(m->ctx->profile, file))
		return own >= LIBRARY_SELF * m->whole_ns ? HOT_LIBRARY : NOT_SHOWN;
	return own >= HOT_SELF * m->whole_ns ? OWN_TIME : CALLS_ONLY;
}

static void add_listings(
	struct jr_pass_context *ctx, struct jr_section *out, const struct jr_line_sums *sums)
{
	struct listing_maker m = {.ctx = ctx,
		.sums = sums,
		.whole_ns = (double)ctx->steady->thunks_active_ns,
		.hottest_ns = hottest_self(sums, 0, sums->n)};
	size_t n = 0, n_left_out = 0;
	for (enum group group = OWN_TIME; group < N_GROUPS; group++) {
		for (size_t f = 0, first = 0, end = 0; f < sums->n_files; f++, first = end) {
			const struct jr_file_sum *file = &sums->files[f];
			while (end < sums->n && sums->lines[end].file == file->file)
				end++;
			if (group_of(&m, file->file, first, end) != group)
				continue;
			struct jr_listing *listing = make_listing(&m, file, first, end);
			if (listing && n++ < MAX_LISTINGS)
				jr_section_listing(out, ctx->arena, listing);
			else if (listing)
				n_left_out++;
		}
	}
	jr_vec_done(&m.lines);
	if (n_left_out)
		jr_section_text(out, ctx->arena, "%zu more file%s with hot lines %s only in the table.",
			n_left_out, n_left_out == 1 ? "" : "s", n_left_out == 1 ? "is" : "are");
}

static void run(struct jr_pass_context *ctx, struct jr_section *out)
{
	const struct jr_line_sums *sums = jr_line_sums_compute(ctx);
	if (sums->n == 0) {
		static const struct jr_flag_advice all = {JR_FLAG_TRACEBACKS, "-1", NULL, " adds them"};
		out->unavailable = jr_arena_printf(ctx->arena,
			"not available, because no HLO dump contains Python stacks%s",
			jr_flags_advise(ctx->profile, " (", &all, 1, ")", ctx->arena));
		return;
	}
	jr_section_text(out, ctx->arena,
		"Total: time of kernels with a stack through the line. Self: time of kernels whose "
		"stack ends there. The time of a fused kernel is shared equally among its stacks, as "
		"in the flamegraph.%s",
		ctx->roofline && ctx->roofline->peaks.known
			? " Above roofline: time of the line's own kernels above the roofline, also while they "
			  "overlap with others (section Roofline)."
			: "");
	add_listings(ctx, out, sums);
	jr_section_table(out, ctx->arena, make_table(ctx, sums));
}

const struct jr_pass jr_pass_source_lines = {
	.name = "source_lines",
	.title = "Annotated source",
	.summary = "Python files with the " JR_GPU " time that each line causes",
	.needs = JR_NEEDS_THUNKS | JR_NEEDS_TOLD,
	.group = JR_GROUP_GPU,
	.apart = JR_APART_THEN,
	.run = run,
};
