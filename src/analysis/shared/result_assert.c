/* Invariants of the results of every run: the promises of result.h as assertions. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "analysis/core/pass.h"
#include "analysis/core/result.h"
#include "base/intern.h"
#include "base/text.h"

/* Texts of inputs are sanitized when they enter the profile. Tooltips may have several lines. */
static bool is_clean(const char *text)
{
	while (text && text[strcspn(text, "\n")]) {
		size_t n = strcspn(text, "\n");
		if (!jr_text_is_clean(text, n))
			return false;
		text += n + 1;
	}
	return !text || jr_text_is_clean(text, strlen(text));
}

static void assert_table(const struct jr_table *t)
{
	const struct jr_table_spec *spec = t->spec;
	assert(spec && (t->cells || spec->n_columns == 0));
	assert(is_clean(spec->title) && is_clean(spec->help));
	for (size_t c = 0; c < spec->n_columns; c++) {
		assert(spec->columns[c].key);
		assert(is_clean(spec->columns[c].title) && is_clean(spec->columns[c].help));
		if (spec->columns[c].type == JR_TEXT)
			for (size_t i = 0; i < t->n_rows; i++)
				assert(is_clean(t->cells[c].text[i]));
		if (spec->columns[c].type == JR_BOOL)
			for (size_t i = 0; i < t->n_rows; i++)
				assert(t->cells[c].boolean[i] <= JR_NULL_BOOL);
		if (spec->columns[c].type == JR_ROWS)
			for (size_t i = 0; i < t->n_rows; i++)
				if (t->cells[c].rows[i])
					assert_table(t->cells[c].rows[i]);
	}
}

static bool has_column(const struct jr_table *t, const char *key)
{
	return !key || jr_table_column(t, key) != SIZE_MAX;
}

static void assert_chart(const struct jr_chart *c)
{
	assert(c->name && c->title && c->table && is_clean(c->title) && is_clean(c->caption));
	const char *const keys[] = {c->x, c->y, c->series, c->label, c->marked, c->frame, c->hollow,
		c->weight, c->y_low, c->y_high, c->x_end, c->inside, c->lane_name, c->lane_begin,
		c->lane_end};
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		assert(has_column(c->table, keys[i]));
	assert(!c->lines || (has_column(c->lines, c->line_name) && has_column(c->lines, c->line_x) &&
							has_column(c->lines, c->line_y)));
	assert(!c->marks || (has_column(c->marks, c->mark_x) && has_column(c->marks, c->mark_height) &&
							has_column(c->marks, c->mark_label)));
	for (size_t i = 0; i < c->n_trends; i++)
		assert(has_column(c->table, c->trends[i].y) && has_column(c->table, c->trends[i].y_low) &&
			   has_column(c->table, c->trends[i].y_high));
}

/* Sums of doubles in different orders agree except for their last digits. */
static bool is_about(double a, double b)
{
	return fabs(a - b) <= 1 + 1e-9 * (fabs(a) + fabs(b));
}

static void assert_totals(
	const struct jr_tree *t, const double *self, const double *total, double all)
{
	double roots = 0, selves = 0;
	for (size_t i = 0; i < t->n; i++) {
		assert(self[i] >= 0 && total[i] + 1 + 1e-9 * total[i] >= self[i]);
		assert(t->parent[i] == JR_NONE || total[i] <= total[t->parent[i]] + 1 + 1e-9 * total[i]);
		roots += t->parent[i] == JR_NONE ? total[i] : 0;
		selves += self[i];
	}
	assert(is_about(roots, all) && is_about(selves, all));
}

static void assert_tree(const struct jr_tree *t)
{
	assert(t->name && t->title && is_clean(t->title) && is_clean(t->caption));
	for (size_t i = 0; i < t->n; i++) {
		assert(t->parent[i] == JR_NONE || t->parent[i] < i);
		assert(t->text[i] && is_clean(t->text[i]) && t->kind[i] <= JR_FRAME_UNKNOWN);
	}
	assert_totals(t, t->self_ns, t->total_ns, t->total);
	assert(!t->base_self_ns == !t->base_total_ns);
	if (t->base_self_ns)
		assert_totals(t, t->base_self_ns, t->base_total_ns, t->base_total);
}

static void assert_listing(const struct jr_listing *l)
{
	uint32_t before = 0;
	for (size_t i = 0; i < l->n; i++) {
		const struct jr_listing_line *line = &l->lines[i];
		assert(line->text && is_clean(line->text));
		assert(line->number ? line->number > before : line->n_hidden > 0);
		before = line->number ? line->number : before;
	}
}

static void assert_item(const struct jr_result_item *item)
{
	switch (item->kind) {
	case JR_RESULT_ANSWER:
		assert(item->as.answer->headline && is_clean(item->as.answer->headline));
		assert(is_clean(item->as.answer->lede));
		break;
	case JR_RESULT_TEXT: assert(item->as.text && is_clean(item->as.text)); break;
	case JR_RESULT_SCALAR:
		assert(item->as.scalar->type != JR_ROWS && is_clean(item->as.scalar->note));
		assert(is_clean(item->as.scalar->title) && is_clean(item->as.scalar->help));
		assert(item->as.scalar->type != JR_TEXT || is_clean(item->as.scalar->value.text));
		break;
	case JR_RESULT_TABLE: assert_table(item->as.table); break;
	case JR_RESULT_CHART: assert_chart(item->as.chart); break;
	case JR_RESULT_TREE: assert_tree(item->as.tree); break;
	case JR_RESULT_LISTING: assert_listing(item->as.listing); break;
	}
}

void jr_results_assert(const struct jr_results *r)
{
	for (size_t s = 0; s < r->n_sections; s++) {
		assert(r->sections[s].pass && is_clean(r->sections[s].unavailable));
		for (size_t i = 0; i < r->sections[s].n; i++)
			assert_item(&r->sections[s].items[i]);
	}
	for (size_t i = 0; i < r->n_findings; i++) {
		const struct jr_finding *f = &r->findings[i];
		assert(f->id && is_clean(f->title) && is_clean(f->evidence) && is_clean(f->also));
		assert(is_clean(f->why) && is_clean(f->action));
		assert(f->cause < JR_N_CAUSES);
		assert(f->recoverable_ns == JR_NULL_I64 || f->recoverable_ns >= 0);
		assert(f->step_recoverable_ns == JR_NULL_I64 || f->step_recoverable_ns >= 0);
		assert(i == 0 || !jr_finding_before(f, f - 1));
	}
}
