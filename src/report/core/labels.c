/* Names of a column, shortened without making different ones equal. */
#include "report/core/labels.h"

#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/text.h"
#include "report/core/text_fit.h"

#define LEAST_PREFIX 6 /* bytes of a common beginning that is worth leaving out */
#define LEAST_PART 4   /* columns of what tells an op_name apart, besides its primitive */
#define MOST_BACK 12   /* bytes from the beginning of a word to the first difference in it */

static bool in_word(char c)
{
	return jr_is_digit(c) || jr_is_letter(c) || (c & 0x80) != 0;
}

static size_t common(const char *a, const char *b)
{
	size_t n = 0;
	while (a[n] && a[n] == b[n])
		n++;
	return n;
}

/* Return the beginning of the word at `at`; of a long word, a place in it that starts a letter. */
static size_t word_start(const char *name, size_t at)
{
	size_t start = at;
	while (start && in_word(name[start - 1]) && at - start < MOST_BACK)
		start--;
	while (start && ((unsigned char)name[start] & 0xC0) == 0x80)
		start--;
	return start;
}

struct label {
	const char *name, *text;
	size_t at, row;
};

JR_ORDER(compare_labels, struct label, JR_TEXT_UP(text) JR_TEXT_UP(name) JR_UP(row))

/* Return where a label of a run with equal texts differs from the others: from any of them first
 * (`nearest` false), or from the most similar one. The run is sorted by name. */
static size_t difference(const struct label *run, size_t n, size_t k, bool nearest)
{
	const char *name = run[k].name;
	size_t before = k, after = k;
	while (before && strcmp(run[before].name, name) == 0)
		before--;
	while (after + 1 < n && strcmp(run[after].name, name) == 0)
		after++;
	size_t low = common(name, run[nearest ? before : 0].name);
	size_t high = common(name, run[nearest ? after : n - 1].name), whole = strlen(name);
	/* equal names do not have to look different */
	if (low == whole && strcmp(name, run[nearest ? before : 0].name) == 0)
		return word_start(name, high);
	if (high == whole && strcmp(name, run[nearest ? after : n - 1].name) == 0)
		return word_start(name, low);
	return word_start(name, (low > high) == nearest ? low : high);
}

void jr_labels_apart(const char *const *names, size_t n, jr_label_fn *visible, const void *context,
	struct jr_arena *arena, size_t *at)
{
	struct label *labels = JR_ARENA_N(arena, struct label, n + 1);
	size_t n_labels = 0;
	for (size_t i = 0; i < n; i++) {
		at[i] = JR_LABEL_USUAL;
		if (names[i])
			labels[n_labels++] = (struct label){
				names[i], visible(arena, context, names[i], JR_LABEL_USUAL), JR_LABEL_USUAL, i};
	}
	enum { ANY, NEAREST, WHOLE, N_WAYS };
	for (int way = 0; way < N_WAYS; way++) {
		jr_sort(labels, n_labels, sizeof(*labels), compare_labels);
		for (size_t i = 0, end; i < n_labels; i = end) {
			for (end = i + 1; end < n_labels && strcmp(labels[end].text, labels[i].text) == 0;)
				end++;
			if (strcmp(labels[i].name, labels[end - 1].name) == 0)
				continue;
			for (size_t k = i; k < end; k++)
				labels[k].at = way == WHOLE
								   ? JR_LABEL_WHOLE
								   : difference(&labels[i], end - i, k - i, way == NEAREST);
		}
		for (size_t i = 0; i < n_labels; i++)
			if (labels[i].at != at[labels[i].row]) {
				at[labels[i].row] = labels[i].at;
				labels[i].text = visible(arena, context, labels[i].name, labels[i].at);
			}
	}
}

/* Return where the component before the one at `at` begins. */
static size_t folder_before(const char *name, size_t at)
{
	size_t start = at - (at > 0);
	while (start && name[start - 1] != '/')
		start--;
	return start;
}

void jr_labels_sources(const char *const *names, size_t n, struct jr_arena *arena, size_t *starts)
{
	struct label *labels = JR_ARENA_N(arena, struct label, n + 1);
	size_t n_labels = 0;
	for (size_t i = 0; i < n; i++) {
		starts[i] = names[i] ? folder_before(names[i], strlen(names[i]) + 1) : 0;
		if (names[i])
			labels[n_labels++] = (struct label){names[i], names[i] + starts[i], starts[i], i};
	}
	for (bool longer = true; longer;) {
		longer = false;
		jr_sort(labels, n_labels, sizeof(*labels), compare_labels);
		for (size_t i = 0, end; i < n_labels; i = end) {
			for (end = i + 1; end < n_labels && strcmp(labels[end].text, labels[i].text) == 0;)
				end++;
			if (strcmp(labels[i].name, labels[end - 1].name) == 0)
				continue;
			for (size_t k = i; k < end; k++) {
				longer |= labels[k].at > 0;
				labels[k].at = folder_before(labels[k].name, labels[k].at);
				starts[labels[k].row] = labels[k].at;
			}
		}
		for (size_t k = 0; k < n_labels; k++)
			labels[k].text = labels[k].name + labels[k].at;
	}
}

size_t jr_labels_prefix(const char *const *names, size_t n)
{
	const char *first = NULL;
	size_t prefix = 0;
	bool several = false;
	for (size_t i = 0; i < n; i++) {
		if (!names[i])
			continue;
		if (!first)
			prefix = strlen(first = names[i]);
		size_t same = common(first, names[i]);
		const char *file = strrchr(names[i], '/');
		size_t folder = file ? (size_t)(file - names[i]) : SIZE_MAX;
		several |= strcmp(first, names[i]) != 0;
		prefix = same < prefix ? same : prefix;
		prefix = folder < prefix ? folder : prefix; /* a file keeps its name */
	}
	while (prefix && (in_word(first[prefix - 1]) || first[prefix - 1] == '<'))
		prefix--;
	prefix -= prefix && first[prefix - 1] == '/';
	return several && prefix >= LEAST_PREFIX ? prefix : 0;
}

/* --- text of a given width -------------------------------------------------------------------- */

static const char *taken(struct jr_arena *arena, struct jr_buf *text)
{
	const char *out = jr_arena_strndup(arena, text->data ? text->data : "", text->size);
	jr_buf_done(text);
	return out;
}

size_t jr_label_end(const char *name, size_t at, size_t *end)
{
	size_t from;
	(void)jr_text_name_part(name, 1, &from, end); /* without the parameters of an op_name */
	if (memchr(name, ' ', *end))
		return 0;
	for (size_t i = *end; i-- > at + 1;)
		if (name[i] == '/')
			return i;
	return 0;
}

/* Return the part of an op_name from `at`, and its last component; NULL if the name is no path or
 * has no room for both. */
static const char *window_of_path(struct jr_arena *arena, const char *name, size_t at, size_t width)
{
	size_t end, last = jr_label_end(name, at, &end);
	size_t own = last ? jr_text_width(name + last, end - last) : 0;
	if (!last || own + LEAST_PART + 2 > width)
		return NULL;
	struct jr_buf text = {0};
	jr_buf_puts(&text, at ? "…" : "");
	if (jr_text_width(name + at, end - at) < width) {
		jr_buf_add(&text, name + at, end - at);
	} else {
		jr_buf_add(&text, name + at, jr_layout_head_bytes(name + at, last - at, width - own - 2));
		jr_buf_puts(&text, "…");
		jr_buf_add(&text, name + last, end - last);
	}
	return taken(arena, &text);
}

/* Return the beginning of a name and the part from `at`. */
static const char *window(struct jr_arena *arena, const char *name, size_t at, size_t width)
{
	struct jr_buf text = {0};
	const char *of_path = window_of_path(arena, name, at, width);
	if (of_path)
		return of_path;
	size_t n = strlen(name), rest = jr_text_width(name + at, n - at);
	size_t head = width / 4;
	if (rest + 1 + head < width)
		head = width - 1 - rest;
	head = jr_layout_head_bytes(name, n, head);
	if (head >= at) {
		jr_buf_add(&text, name, jr_layout_head_bytes(name, n, width - 1));
		jr_buf_puts(&text, "…");
		return taken(arena, &text);
	}
	size_t left = width - jr_text_width(name, head) - 1;
	jr_buf_add(&text, name, head);
	jr_buf_puts(&text, "…");
	if (rest <= left) {
		jr_buf_puts(&text, name + at);
	} else {
		jr_buf_add(&text, name + at, jr_layout_head_bytes(name + at, n - at, left - 1));
		jr_buf_puts(&text, "…");
	}
	return taken(arena, &text);
}

static const char *fit(struct jr_arena *arena, const void *context, const char *name, size_t at)
{
	size_t width = *(const size_t *)context;
	struct jr_buf text = {0};
	if (at == JR_LABEL_WHOLE || jr_text_width(name, strlen(name)) <= width)
		return name;
	if (at != JR_LABEL_USUAL && width > MOST_BACK)
		return window(arena, name, at, width);
	(void)jr_layout_fit(&text, name, width);
	return taken(arena, &text);
}

void jr_labels_fit(
	const char *const *names, size_t n, size_t width, struct jr_arena *arena, const char **labels)
{
	size_t prefix = jr_labels_prefix(names, n);
	size_t least = prefix ? width - 1 : width;
	if (width <= MOST_BACK)
		prefix = 0, least = width;
	const char **rest = JR_ARENA_N(arena, const char *, n + 1);
	size_t *at = JR_ARENA_N(arena, size_t, n + 1);
	for (size_t i = 0; i < n; i++)
		rest[i] = names[i] ? names[i] + prefix : NULL;
	jr_labels_apart(rest, n, fit, &least, arena, at);
	for (size_t i = 0; i < n; i++) {
		labels[i] = names[i];
		if (!names[i] || at[i] == JR_LABEL_WHOLE ||
			jr_text_width(names[i], strlen(names[i])) <= width)
			continue;
		labels[i] = fit(arena, &least, rest[i], at[i]);
		if (prefix)
			labels[i] = jr_arena_printf(arena, "…%s", labels[i]);
	}
}

const char **jr_doc_labels(
	const struct jr_doc_table *t, size_t column, size_t limit, size_t width, struct jr_arena *arena)
{
	const struct jr_doc_column *c = &t->columns[column];
	if (!(c->spec->flags & JR_COL_CODE) || c->spec->type != JR_TEXT)
		return NULL;
	size_t n = jr_doc_rows(t, limit);
	const char **labels = JR_ARENA_N(arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		labels[i] = t->table->cells[c->index].text[jr_doc_row(t, limit, i)];
	if (width != SIZE_MAX)
		jr_labels_fit(labels, n, width, arena, labels);
	return labels;
}

const char **jr_doc_source_labels(
	const struct jr_doc_table *t, size_t column, size_t limit, struct jr_arena *arena)
{
	const char **names = t->columns[column].spec->flags & JR_COL_SOURCE
							 ? jr_doc_labels(t, column, limit, SIZE_MAX, arena)
							 : NULL;
	if (!names)
		return NULL;
	size_t n = jr_doc_rows(t, limit), *starts = JR_ARENA_N(arena, size_t, n + 1);
	jr_labels_sources(names, n, arena, starts);
	for (size_t row = 0; row < n; row++)
		names[row] = names[row] ? names[row] + starts[row] : NULL;
	return names;
}

void jr_doc_put_more(struct jr_buf *out, const struct jr_doc_table *table, size_t shown)
{
	char more[JR_NUM_MAX];
	if (shown >= table->rest)
		return;
	jr_num_grouped_i64(more, (int64_t)(table->rest - shown));
	jr_buf_printf(out, "%s more row%s", more, table->rest - shown == 1 ? "" : "s");
	if (table->table->spec->rest)
		jr_buf_printf(out, ", %s", table->table->spec->rest);
}
