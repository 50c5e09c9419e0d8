/*
 * pass_case.h - hand-made jobs for the passes, and checks for every result.
 */
#ifndef JR_TESTS_PASS_CASE_H
#define JR_TESTS_PASS_CASE_H

#include "compile_case.h"
#include "trace_build.h"

#include <math.h>

#include "analysis/core/pass.h"

/* --- results -------------------------------------------------------------------------------- */

struct pass_run {
	struct job job;
	struct jr_arena arena;
	struct jr_results results;
};

/* Return the cause and the advice of a finding as one text, until the next call. */
static inline const char *advice_of(const struct jr_finding *f)
{
	static char text[8192];
	snprintf(text, sizeof(text), "%s %s", f->why ? f->why : "", f->action ? f->action : "");
	return text;
}

/* Finish the job and run all passes over it. */
static inline void passes_run(struct pass_run *run)
{
	job_finish(&run->job);
	jr_arena_init(&run->arena, 0);
	jr_passes_run(&run->job.profile, &run->arena, &run->results);
}

static inline void passes_done(struct pass_run *run)
{
	jr_arena_done(&run->arena);
	job_done(&run->job);
}

/* Run all passes over a job of one process. */
static inline void passes_of(struct pass_run *run, const struct jr_options *options,
	const struct job_process *process)
{
	job_init(&run->job, options);
	job_add(&run->job, process);
	passes_run(run);
}

static inline const struct jr_section *run_section(const struct pass_run *run, const char *name)
{
	for (size_t i = 0; i < run->results.n_sections; i++)
		if (strcmp(run->results.sections[i].pass->name, name) == 0)
			return &run->results.sections[i];
	fail_msg("no section '%s'", name);
	return NULL;
}

static inline const struct jr_table *run_table(const struct pass_run *run, const char *name)
{
	const struct jr_table *table = jr_results_table(&run->results, name);
	if (!table)
		fail_msg("no table '%s'", name);
	return table;
}

static inline const struct jr_tree *run_tree(const struct pass_run *run, const char *name)
{
	const struct jr_tree *tree = jr_results_tree(&run->results, name);
	if (!tree)
		fail_msg("no tree '%s'", name);
	return tree;
}

static inline const union jr_cells *table_cells(const struct jr_table *t, const char *key)
{
	size_t column = jr_table_column(t, key);
	if (column == SIZE_MAX)
		fail_msg("table '%s' has no column '%s'", t->spec->name, key);
	return &t->cells[column];
}

static inline int64_t run_total_ns(const struct pass_run *run, const char *key)
{
	const struct jr_scalar *s = jr_results_scalar(&run->results, key);
	if (!s)
		fail_msg("no scalar '%s'", key);
	assert_int_equal(s->type, JR_I64);
	return s->value.i64;
}

static inline void check_number(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fabs(want)))
		fail_msg("is %.17g, must be %.17g", got, want);
}

/* Check the cells of a column, "null" for a missing value, each followed by a space. */
static inline void check_column(const struct pass_run *run, const char *table, const char *key,
	const char *expected)
{
	const struct jr_table *t = run_table(run, table);
	size_t column = jr_table_column(t, key);
	struct jr_buf got = {0};
	assert_int_not_equal(column, SIZE_MAX);
	size_t n = t->spec->data_only ? t->n_data : t->n_rows; /* drawn rows are not data */
	for (size_t row = 0; row < n; row++) {
		double v = jr_table_number(t, column, row);
		if (t->spec->columns[column].type == JR_TEXT) {
			const char *text = t->cells[column].text[row];
			jr_buf_printf(&got, "%s ", text ? text : "null");
		} else if (isnan(v)) {
			jr_buf_puts(&got, "null ");
		} else {
			jr_buf_printf(&got, "%.10g ", v);
		}
	}
	check_text(&got, expected);
}

/* --- every cell as text --------------------------------------------------------------------- */

static inline void put_table(struct jr_buf *out, const struct jr_table *t);

/* Put a double with all its bits. */
static inline void put_cell(struct jr_buf *out, const struct jr_table *t, size_t c, size_t row)
{
	const union jr_cells *cells = &t->cells[c];
	switch (t->spec->columns[c].type) {
	case JR_TEXT: jr_buf_puts(out, cells->text[row] ? cells->text[row] : "null"); break;
	case JR_I64: jr_buf_printf(out, "%" PRId64, cells->i64[row]); break;
	case JR_F64:
		jr_buf_printf(out, isnan(cells->f64[row]) ? "null" : "%a", cells->f64[row]);
		break;
	case JR_BOOL: jr_buf_printf(out, "%u", cells->boolean[row]); break;
	case JR_ROWS:
		if (cells->rows[row])
			put_table(out, cells->rows[row]);
		break;
	}
	jr_buf_putc(out, '|');
}

static inline void put_table(struct jr_buf *out, const struct jr_table *t)
{
	jr_buf_printf(out, "table %s rows %zu data %zu rendered %zu\n", t->spec->name, t->n_rows,
		t->n_data, t->n_rendered);
	for (size_t row = 0; row < t->n_rows; row++) {
		for (size_t c = 0; c < t->spec->n_columns; c++)
			put_cell(out, t, c, row);
		jr_buf_putc(out, '\n');
	}
}

static inline void put_tree(struct jr_buf *out, const struct jr_tree *t)
{
	jr_buf_printf(out, "tree %s total %a stacks %zu\n", t->name, t->total, t->n_stacks);
	for (size_t i = 0; i < t->n; i++)
		jr_buf_printf(out, "%d %s %u %a %a\n", t->parent[i] == JR_NONE ? -1 : (int)t->parent[i],
			t->text[i], t->kind[i], t->self_ns[i], t->total_ns[i]);
}

static inline void put_scalar(struct jr_buf *out, const struct jr_scalar *s)
{
	jr_buf_printf(out, "scalar %s ", s->key ? s->key : s->title);
	switch (s->type) {
	case JR_TEXT: jr_buf_puts(out, s->value.text ? s->value.text : "null"); break;
	case JR_I64: jr_buf_printf(out, "%" PRId64, s->value.i64); break;
	case JR_F64: jr_buf_printf(out, "%a", s->value.f64); break;
	case JR_BOOL: jr_buf_printf(out, "%d", s->value.boolean); break;
	case JR_ROWS: break;
	}
	jr_buf_printf(out, " %a %" PRId64 " %d\n", s->plus_minus, s->n, s->tile);
}

static inline void put_listing(struct jr_buf *out, const struct jr_listing *l)
{
	jr_buf_printf(out, "listing %s %a %a\n", l->file, l->total_ns, l->self_ns);
	for (size_t i = 0; i < l->n; i++)
		jr_buf_printf(out, "%u %u %a %a %a %u %d %s\n", l->lines[i].number, l->lines[i].n_hidden,
			l->lines[i].total_ns, l->lines[i].self_ns, l->lines[i].communication_ns,
			l->lines[i].kernels, l->lines[i].hot, l->lines[i].text);
}

static inline void put_results(struct jr_buf *out, const struct jr_results *r)
{
	for (size_t s = 0; s < r->n_sections; s++) {
		const struct jr_section *section = &r->sections[s];
		jr_buf_printf(out, "section %s %s\n", section->pass->name,
			section->unavailable ? section->unavailable : "");
		for (size_t i = 0; i < section->n; i++) {
			const struct jr_result_item *item = &section->items[i];
			switch (item->kind) {
			case JR_RESULT_ANSWER:
				jr_buf_printf(out, "answer %s | %s\n", item->as.answer->headline,
					item->as.answer->lede ? item->as.answer->lede : "");
				break;
			case JR_RESULT_TEXT: jr_buf_printf(out, "text %s\n", item->as.text); break;
			case JR_RESULT_SCALAR: put_scalar(out, item->as.scalar); break;
			case JR_RESULT_TABLE: put_table(out, item->as.table); break;
			case JR_RESULT_CHART: jr_buf_printf(out, "chart %s\n", item->as.chart->name); break;
			case JR_RESULT_TREE: put_tree(out, item->as.tree); break;
			case JR_RESULT_LISTING: put_listing(out, item->as.listing); break;
			}
		}
	}
	for (size_t i = 0; i < r->n_findings; i++)
		jr_buf_printf(out, "finding %s %d %" PRId64 " %s | %s | %s\n", r->findings[i].id,
			(int)r->findings[i].severity, r->findings[i].recoverable_ns, r->findings[i].title,
			advice_of(&r->findings[i]), r->findings[i].evidence);
}

/* --- properties of every result ------------------------------------------------------------- */

static inline int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static inline void check_keys_unique(const struct jr_table *t)
{
	struct jr_arena arena;
	jr_arena_init(&arena, 0);
	const char **keys = JR_ARENA_N(&arena, const char *, t->n_data + 1);
	bool keyed = false;
	for (size_t row = 0; row < t->n_data; row++) {
		struct jr_buf key = {0};
		for (size_t c = 0; c < t->spec->n_columns; c++) {
			if (!(t->spec->columns[c].flags & JR_COL_KEY))
				continue;
			keyed = true;
			put_cell(&key, t, c, row);
		}
		keys[row] = jr_arena_strdup(&arena, key.size ? key.data : "");
		jr_buf_done(&key);
	}
	if (t->n_data && keyed)
		qsort((void *)keys, t->n_data, sizeof(*keys), compare_texts);
	for (size_t row = 1; row < t->n_data && keyed; row++)
		if (strcmp(keys[row - 1], keys[row]) == 0)
			fail_msg("table '%s' has key %s twice", t->spec->name, keys[row]);
	jr_arena_done(&arena);
}

static inline void check_table(const struct jr_table *t)
{
	assert_non_null(t->spec->name);
	assert_true(t->n_data <= t->n_rows);
	assert_true(t->n_rendered <= t->n_rows);
	assert_true(t->spec->n_columns > 0);
	for (size_t c = 0; c < t->spec->n_columns; c++) {
		const struct jr_column_spec *column = &t->spec->columns[c];
		if (!column->key || !*column->key || !column->title || !*column->title || !column->help ||
			!*column->help)
			fail_msg("table '%s', column %zu lacks key, title or help", t->spec->name, c);
		for (size_t d = 0; d < c; d++)
			if (strcmp(column->key, t->spec->columns[d].key) == 0)
				fail_msg("table '%s' has column '%s' twice", t->spec->name, column->key);
		for (size_t row = 0; row < t->n_rows; row++) {
			if (column->type == JR_F64)
				assert_false(isinf(t->cells[c].f64[row]));
			if (column->type == JR_ROWS && t->cells[c].rows[row])
				check_table(t->cells[c].rows[row]);
		}
	}
	check_keys_unique(t);
}

/* A parent comes before its children, siblings are sorted by text and unique; totals add up. */
static inline void check_tree(const struct jr_tree *t)
{
	double roots = 0, selves = 0;
	double *below = calloc(t->n + 1, sizeof(*below));
	size_t *last = calloc(t->n + 1, sizeof(*last)); /* child + 1; for roots at [n] */
	assert_non_null(below);
	assert_non_null(last);
	for (size_t i = 0; i < t->n; i++) {
		size_t parent = t->parent[i] == JR_NONE ? t->n : t->parent[i];
		if (parent != t->n)
			assert_true(parent < i);
		if (last[parent] && strcmp(t->text[last[parent] - 1], t->text[i]) >= 0)
			fail_msg("tree '%s': '%s' behind '%s'", t->name, t->text[i], t->text[last[parent] - 1]);
		last[parent] = i + 1;
		assert_true(t->self_ns[i] >= 0);
		below[parent] += t->total_ns[i];
		roots += parent == t->n ? t->total_ns[i] : 0;
		selves += t->self_ns[i];
	}
	for (size_t i = 0; i < t->n; i++)
		assert_true(fabs(t->self_ns[i] + below[i] - t->total_ns[i]) < 0.5);
	assert_true(fabs(roots - t->total) < 0.5);
	assert_true(fabs(selves - t->total) < 0.5);
	free(below);
	free(last);
}

/* Lines are sorted by number and unique; a gap is between the lines whose place it takes. */
static inline void check_listing(const struct jr_listing *l)
{
	uint32_t next = 1;
	assert_true(l->n > 0);
	assert_true(l->self_ns <= l->total_ns + 0.5);
	assert_true(l->total_ns <= l->whole_ns + 0.5);
	for (size_t i = 0; i < l->n; i++) {
		const struct jr_listing_line *line = &l->lines[i];
		assert_non_null(line->text);
		assert_true(line->number ? line->number == next : line->n_hidden > 0);
		assert_false(!line->number && line->hot);
		next += line->number ? 1 : line->n_hidden;
		assert_true(line->self_ns <= line->total_ns + 0.5);
		assert_true(line->communication_ns <= line->total_ns + 0.5);
		assert_true(line->total_ns <= l->total_ns + 0.5);
		assert_true(!line->hot || line->kernels > 0);
	}
}

static inline void check_chart_column(const struct jr_chart *c, const struct jr_table *t,
	const char *key)
{
	if (key && jr_table_column(t, key) == SIZE_MAX)
		fail_msg("chart '%s': table '%s' has no column '%s'", c->name, t->spec->name, key);
}

static inline void check_chart(const struct jr_chart *c)
{
	assert_non_null(c->name);
	assert_non_null(c->title);
	assert_non_null(c->caption);
	assert_non_null(c->table);
	assert_non_null(c->x);
	const char *const keys[] = {
		c->x, c->x_end, c->y, c->series, c->label, c->marked, c->y_low, c->y_high};
	for (size_t i = 0; i < JR_COUNT_OF(keys); i++)
		check_chart_column(c, c->table, keys[i]);
	for (const char *const *part = c->parts; part && *part; part++) {
		if (c->kind == JR_CHART_STACKED) /* for lanes: words of the legend */
			check_chart_column(c, c->table, *part);
		assert_non_null(c->part_roles[part - c->parts]);
	}
	if (c->marks) {
		check_chart_column(c, c->marks, c->mark_x);
		check_chart_column(c, c->marks, c->mark_height);
		check_chart_column(c, c->marks, c->mark_label);
	}
}

/* Names of one kind of item (or JSON keys of scalars) are unique in a report. */
static inline const char *item_name(const struct jr_result_item *item)
{
	switch (item->kind) {
	case JR_RESULT_SCALAR: return item->as.scalar->key;
	case JR_RESULT_TABLE: return item->as.table->spec->name;
	case JR_RESULT_CHART: return item->as.chart->name;
	case JR_RESULT_TREE: return item->as.tree->name;
	case JR_RESULT_LISTING: return item->as.listing->file;
	case JR_RESULT_ANSWER:
	case JR_RESULT_TEXT: break;
	}
	return NULL;
}

static inline void check_names_unique(const struct jr_results *r, enum jr_result_kind kind)
{
	const char *seen[256];
	size_t n = 0;
	for (size_t s = 0; s < r->n_sections; s++)
		for (size_t i = 0; i < r->sections[s].n; i++) {
			const struct jr_result_item *item = &r->sections[s].items[i];
			const char *name = item->kind == kind ? item_name(item) : NULL;
			if (!name)
				continue;
			for (size_t k = 0; k < n; k++)
				if (strcmp(seen[k], name) == 0)
					fail_msg("'%s' twice", name);
			assert_true(n < JR_COUNT_OF(seen));
			seen[n++] = name;
		}
}

/* A check without a judgment gives its reason, and no other check does. */
static inline void check_reasons(const struct jr_table *checks)
{
	for (size_t row = 0; checks && row < checks->n_rows; row++) {
		const char *reason = jr_table_text(checks, "reason", row);
		bool unknown = strcmp(jr_table_text(checks, "result", row), "unknown") == 0;
		if (unknown != (strncmp(reason, "not judged", 10) == 0) || (!unknown && *reason))
			fail_msg("%s: '%s'", jr_table_text(checks, "id", row), reason);
	}
}

static inline void check_results(const struct jr_results *r)
{
	static const char beginning[] = "not available, because ";
	for (size_t s = 0; s < r->n_sections; s++) {
		const struct jr_section *section = &r->sections[s];
		if (section->unavailable) {
			if (strncmp(section->unavailable, beginning, strlen(beginning)) != 0)
				fail_msg("%s: '%s'", section->pass->name, section->unavailable);
			assert_int_equal(section->n, 0);
		} else if (section->n == 0) {
			fail_msg("%s: neither anything nor a reason", section->pass->name);
		}
		for (size_t i = 0; i < section->n; i++) {
			const struct jr_result_item *item = &section->items[i];
			switch (item->kind) {
			case JR_RESULT_ANSWER: assert_true(*item->as.answer->headline); break;
			case JR_RESULT_TEXT: assert_true(*item->as.text); break;
			case JR_RESULT_SCALAR:
				assert_non_null(item->as.scalar->title);
				assert_non_null(item->as.scalar->help);
				break;
			case JR_RESULT_TABLE: check_table(item->as.table); break;
			case JR_RESULT_CHART: check_chart(item->as.chart); break;
			case JR_RESULT_TREE: check_tree(item->as.tree); break;
			case JR_RESULT_LISTING: check_listing(item->as.listing); break;
			}
		}
	}
	check_reasons(jr_results_table(r, "checks"));
	for (int kind = JR_RESULT_SCALAR; kind <= JR_RESULT_LISTING; kind++)
		check_names_unique(r, (enum jr_result_kind)kind);
	for (size_t i = 0; i < r->n_findings; i++) {
		assert_non_null(r->findings[i].id);
		assert_non_null(r->findings[i].title);
		assert_true(r->findings[i].why || r->findings[i].action);
		if (i)
			assert_false(jr_finding_before(&r->findings[i], &r->findings[i - 1]));
	}
}

#endif
