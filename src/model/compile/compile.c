#include <stdlib.h>
#include <string.h>

#include "model/compile/compile_name.h"
#include "base/order.h"
#include "model/compile/host_tree.h"
#include "model/archive/trace_parts.h"

/* State of jr_compile_add(): the rows as read, and the results of the rules. */
struct builder {
	const struct jr_host_ranges *ranges;
	struct jr_host_tree *tree;       /* parents change: folding, then grafting */
	struct jr_compile_name *of_name; /* [strings] */
	int64_t *child_ns, *self_ns;     /* [n] after folding */
	int64_t *program;                /* [n] -1 = none */
	uint8_t *grafted;                /* [n] */
	uint32_t *out_row;               /* [n] row of the compile table, JR_NONE = none */
	int64_t *moved_ns;               /* [n] self time of foreign ranges that moved to a parent */
	uint32_t *moved_to;              /* [n] that parent */
	size_t n_moved;                  /* foreign ranges with moved time */
	struct jr_arena *scratch;
	uint64_t n_ambiguous; /* workers inside the XlaCompiles of several threads */
};

/* A kept row, with the key it is sorted by. */
struct kept {
	int64_t start_ns; /* not before the start of its parent */
	int64_t range_id;
	uint32_t depth;
	uint32_t row;
};

static enum jr_compile_kind kind_of(const struct builder *b, uint32_t row)
{
	return b->of_name[b->ranges->name[row]].kind;
}

/*
 * Remove ranges of other domains. Their children and their self time move up to the nearest XLA
 * range (analysis/README.md, section 1.10 (d)).
 */
static void fold_foreign(struct builder *b)
{
	const struct jr_host_ranges *r = b->ranges;
	uint32_t *parent = JR_ARENA_N(b->scratch, uint32_t, r->n);
	for (uint32_t row = 0; row < r->n; row++) {
		uint32_t above = b->tree->parent[row];
		while (above != JR_NONE && kind_of(b, above) == JR_COMPILE_FOREIGN)
			above = b->tree->parent[above];
		parent[row] = above;
		if (kind_of(b, row) != JR_COMPILE_FOREIGN)
			continue;
		parent[row] = JR_HOST_DROPPED;
		if (above != JR_NONE) {
			int64_t moved_ns = r->self_ns[row];
			if (moved_ns > b->child_ns[above])
				moved_ns = b->child_ns[above];
			b->child_ns[above] -= moved_ns;
			b->self_ns[above] += moved_ns;
			b->moved_ns[row] = moved_ns;
			b->moved_to[row] = above;
			b->n_moved += moved_ns > 0;
		}
	}
	memcpy(b->tree->parent, parent, r->n * sizeof(*parent));
	jr_host_tree_link(b->tree);
}

/* The program number of a backend also applies to its parent; the first one counts. */
static void number_programs(struct builder *b)
{
	const struct jr_host_ranges *r = b->ranges;
	for (uint32_t row = 0; row < r->n; row++)
		b->program[row] = -1;
	for (size_t k = 0; k < r->n; k++) {
		uint32_t row = b->tree->by_start[k], parent = b->tree->parent[row];
		const struct jr_compile_name *name = &b->of_name[r->name[row]];
		if (name->kind != JR_COMPILE_BACKEND)
			continue;
		b->program[row] = name->program_number;
		if (parent < r->n && b->program[parent] == -1)
			b->program[parent] = name->program_number;
	}
	for (uint32_t row = 0; row < r->n; row++)
		if (kind_of(b, row) == JR_COMPILE_TOP && b->program[row] == -1)
			b->program[row] = b->of_name[r->name[row]].program_number;
}

/* --- grafting: analysis/README.md, section 1.10 (a) ------------------------------------------ */

/* XlaCompile ranges by (PID, start), and a tournament tree of their latest ends. */
struct compilers {
	uint32_t *rows;
	size_t n;
	int64_t *latest_end; /* [2 * n_leaves], node 1 is the root */
	size_t n_leaves;     /* a power of two */
};

struct pid_key {
	int64_t pid;
	size_t order; /* in by_start */
	uint32_t row;
};

JR_ORDER(compare_pid, struct pid_key, JR_UP(pid) JR_UP(order))

static struct compilers find_compilers(struct builder *b)
{
	const struct jr_host_ranges *r = b->ranges;
	struct compilers c = {0};
	for (uint32_t row = 0; row < r->n; row++)
		c.n += kind_of(b, row) == JR_COMPILE_TOP;
	struct pid_key *keys = JR_ARENA_N(b->scratch, struct pid_key, c.n);
	size_t n = 0;
	for (size_t k = 0; k < r->n; k++) {
		uint32_t row = b->tree->by_start[k];
		if (kind_of(b, row) == JR_COMPILE_TOP)
			keys[n++] = (struct pid_key){r->pid[row], k, row};
	}
	qsort(keys, n, sizeof(*keys), compare_pid);
	c.n_leaves = 1;
	while (c.n_leaves < n)
		c.n_leaves *= 2;
	c.rows = JR_ARENA_N(b->scratch, uint32_t, n);
	c.latest_end = JR_ARENA_N(b->scratch, int64_t, 2 * c.n_leaves);
	for (size_t i = 0; i < c.n_leaves; i++)
		c.latest_end[c.n_leaves + i] = i < n ? r->end_ns[keys[i].row] : INT64_MIN;
	for (size_t i = 0; i < n; i++)
		c.rows[i] = keys[i].row;
	for (size_t i = c.n_leaves - 1; i > 0; i--) {
		int64_t left = c.latest_end[2 * i], right = c.latest_end[2 * i + 1];
		c.latest_end[i] = left > right ? left : right;
	}
	return c;
}

/* Return the last of compilers [0, limit) that ends at end_ns or later; SIZE_MAX if there is none.
 */
static size_t last_open(const struct compilers *c, size_t limit, int64_t end_ns)
{
	size_t node = c->n_leaves + limit;
	if (limit == c->n_leaves) { /* all of them */
		node = 1;
		if (c->latest_end[node] < end_ns)
			return SIZE_MAX;
	} else {
		/* climb until a left sibling (all below `limit`) contains one */
		while (node > 1 && !((node & 1) && c->latest_end[node - 1] >= end_ns))
			node /= 2;
		if (node <= 1)
			return SIZE_MAX;
		node--;
	}
	while (node < c->n_leaves)
		node = c->latest_end[2 * node + 1] >= end_ns ? 2 * node + 1 : 2 * node;
	return node - c->n_leaves;
}

/* Return the number of compilers with a smaller PID, or with this PID and a start not after
 * start_ns. */
static size_t begun_by(
	const struct builder *b, const struct compilers *c, int64_t pid, int64_t start_ns)
{
	size_t low = 0, high = c->n;
	JR_SEARCH(low, high, mid,
		b->ranges->pid[c->rows[mid]] < pid ||
			(b->ranges->pid[c->rows[mid]] == pid && b->ranges->start_ns[c->rows[mid]] <= start_ns));
	return low;
}

/*
 * Find the XlaCompile around a worker's range. If XlaCompile ranges of one thread are nested, this
 * is the inner one; the search for the deepest range starts there.
 */
static uint32_t compiler_of(struct builder *b, const struct compilers *c, uint32_t row)
{
	const struct jr_host_ranges *r = b->ranges;
	size_t found = last_open(c, begun_by(b, c, r->pid[row], r->start_ns[row]), r->end_ns[row]);
	if (found == SIZE_MAX)
		return JR_NONE;
	uint32_t compiler = c->rows[found];
	if (r->pid[compiler] != r->pid[row] || r->tid[compiler] == r->tid[row])
		return JR_NONE;
	size_t other = last_open(c, found, r->end_ns[row]);
	if (other != SIZE_MAX && r->pid[c->rows[other]] == r->pid[row] &&
		r->tid[c->rows[other]] != r->tid[compiler])
		b->n_ambiguous++;
	return compiler;
}

/* The deepest range below `top`, on its thread, that contains `row`. Ranges of one thread nest, so
 * on each level only the last child begun before the row can contain it. */
static uint32_t deepest_open(const struct builder *b, uint32_t top, uint32_t row)
{
	const struct jr_host_ranges *r = b->ranges;
	for (;;) {
		const uint32_t *children;
		size_t low = 0, high = jr_host_children(b->tree, top, &children);
		JR_SEARCH(low, high, mid, r->start_ns[children[mid]] < r->start_ns[row]);
		if (low == 0 || r->end_ns[children[low - 1]] <= r->end_ns[row] ||
			r->tid[children[low - 1]] != r->tid[top])
			return top;
		top = children[low - 1];
	}
}

static void graft_workers(struct builder *b)
{
	const struct jr_host_ranges *r = b->ranges;
	struct compilers compilers = find_compilers(b);
	uint8_t *compiles = JR_ARENA_N(b->scratch, uint8_t, r->n); /* top rows with an XlaCompile */
	for (size_t i = 0; i < compilers.n; i++) {
		uint32_t row = compilers.rows[i];
		while (b->tree->parent[row] != JR_NONE)
			row = b->tree->parent[row];
		compiles[row] = 1;
	}
	/* change parents only after all are found: the tree must stay linked until then */
	const uint32_t *tops;
	size_t n = jr_host_children(b->tree, JR_NONE, &tops);
	uint32_t *under = JR_ARENA_N(b->scratch, uint32_t, n);
	for (size_t i = 0; i < n; i++) {
		under[i] = JR_NONE;
		if (compiles[tops[i]] || kind_of(b, tops[i]) == JR_COMPILE_EXECUTION)
			continue;
		uint32_t compiler = compiler_of(b, &compilers, tops[i]);
		if (compiler != JR_NONE)
			under[i] = deepest_open(b, compiler, tops[i]);
	}
	for (size_t i = 0; i < n; i++) {
		b->tree->parent[tops[i]] = under[i];
		b->grafted[tops[i]] = under[i] != JR_NONE;
	}
	jr_host_tree_link(b->tree);
}

/* --- cutting, and the table ------------------------------------------------------------------ */

JR_ORDER(compare_kept, struct kept, JR_UP(start_ns) JR_UP(depth) JR_UP(range_id))

/*
 * Keep the outermost XlaCompile ranges and all ranges below them, in order of the compile table.
 * Children inherit programs. Unless requested, ranges below the autotuner are dropped and their
 * time becomes self time of the autotuner's range (analysis/README.md, section 1.10 (f)).
 */
static struct kept *cut(struct builder *b, bool detail, size_t *n_kept)
{
	const struct jr_host_ranges *r = b->ranges;
	struct kept *kept = JR_ARENA_N(b->scratch, struct kept, r->n);
	size_t n = 0;
	for (uint32_t row = 0; row < r->n; row++) {
		if (kind_of(b, row) != JR_COMPILE_TOP)
			continue;
		uint32_t above = b->tree->parent[row];
		while (above != JR_NONE && kind_of(b, above) != JR_COMPILE_TOP)
			above = b->tree->parent[above];
		if (above == JR_NONE)
			kept[n++] = (struct kept){r->start_ns[row], r->range_id[row], 0, row};
	}
	for (size_t i = 0; i < n; i++) { /* breadth first: n grows */
		struct kept at = kept[i];
		if (!detail && kind_of(b, at.row) == JR_COMPILE_AUTOTUNER) {
			b->self_ns[at.row] += b->child_ns[at.row];
			b->child_ns[at.row] = 0;
			continue;
		}
		const uint32_t *children;
		size_t n_children = jr_host_children(b->tree, at.row, &children);
		for (size_t k = 0; k < n_children; k++) {
			uint32_t row = children[k];
			int64_t start_ns = r->start_ns[row] > at.start_ns ? r->start_ns[row] : at.start_ns;
			if (b->program[row] == -1)
				b->program[row] = b->program[at.row];
			kept[n++] = (struct kept){start_ns, r->range_id[row], at.depth + 1, row};
		}
	}
	qsort(kept, n, sizeof(*kept), compare_kept);
	*n_kept = n;
	return kept;
}

/* Return the capacity of a column with n rows: a power of two, so adding many processes copies each
 * row only a few times. */
static size_t room_for(size_t n)
{
	size_t room = 64;
	while (room < n)
		room *= 2;
	return room;
}

static enum jr_status grow_column(struct jr_profile *p, void *column, size_t n, size_t wanted,
	size_t item_size, struct jr_error *err)
{
	void *items, *grown;
	memcpy(&items, column, sizeof(items));
	if (items && wanted <= room_for(n))
		return JR_OK;
	grown = jr_arena_array(&p->arena, room_for(wanted), item_size, err);
	if (!grown)
		return JR_ELIMIT;
	if (items)
		memcpy(grown, items, n * item_size);
	memcpy(column, &grown, sizeof(grown));
	return JR_OK;
}

#define GROW(p, column, n, wanted, err)                                                            \
	JR_TRY(grow_column((p), &(column), (n), (wanted), sizeof(*(column)), (err)))

static enum jr_status grow_compiles(struct jr_profile *p, size_t n_more, struct jr_error *err)
{
	struct jr_compiles *t = &p->compiles;
	size_t n = t->n, wanted = n + n_more;
	if (wanted >= JR_NONE)
		return jr_fail(err, JR_ELIMIT, "%zu compile ranges are more than can be numbered", wanted);
	GROW(p, t->process, n, wanted, err);
	GROW(p, t->range_id, n, wanted, err);
	GROW(p, t->name, n, wanted, err);
	GROW(p, t->tid, n, wanted, err);
	GROW(p, t->start_ns, n, wanted, err);
	GROW(p, t->dur_ns, n, wanted, err);
	GROW(p, t->child_ns, n, wanted, err);
	GROW(p, t->self_ns, n, wanted, err);
	GROW(p, t->parent, n, wanted, err);
	GROW(p, t->program_number, n, wanted, err);
	GROW(p, t->grafted, n, wanted, err);
	return JR_OK;
}

/* Return the clean name of a range. Each distinct name is cleaned once. */
static uint32_t clean_name(
	struct jr_profile *p, const struct jr_intern *strings, uint32_t name, uint32_t *cleaned)
{
	if (cleaned[name] == JR_NONE) {
		JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
		jr_compile_name_clean(jr_intern_str(strings, name), jr_intern_len(strings, name), &text);
		cleaned[name] = jr_profile_text(p, text.data ? text.data : "", text.size);
	}
	return cleaned[name];
}

static void append_rows(const struct builder *b, struct jr_profile *p, uint32_t process,
	const struct kept *kept, size_t n)
{
	const struct jr_host_ranges *r = b->ranges;
	struct jr_compiles *t = &p->compiles;
	uint32_t *cleaned = JR_ARENA_N(b->scratch, uint32_t, r->strings.n);
	memset(cleaned, 0xFF, r->strings.n * sizeof(*cleaned));
	for (size_t i = 0; i < n; i++) {
		uint32_t row = kept[i].row, at = (uint32_t)t->n;
		b->out_row[row] = at;
		t->process[at] = process;
		t->range_id[at] = r->range_id[row];
		t->name[at] = clean_name(p, &r->strings, r->name[row], cleaned);
		t->tid[at] = r->tid[row];
		t->start_ns[at] = r->start_ns[row];
		t->dur_ns[at] = r->end_ns[row] - r->start_ns[row];
		t->child_ns[at] = b->child_ns[row];
		t->self_ns[at] = b->self_ns[row];
		t->parent[at] = kept[i].depth ? b->out_row[b->tree->parent[row]] : JR_NONE;
		t->program_number[at] = b->program[row];
		t->grafted[at] = kept[i].depth ? b->grafted[row] : 0;
		t->n++;
	}
}

/* --- folded foreign ranges -------------------------------------------------------------------- */

struct foreign {
	uint32_t row, name; /* name: str of the ranges */
	int64_t self_ns;
};

/* Return the compile row that contains the time of `at`: its own row, or the autotuner's range
 * above, whose duration is all self time. Workers below the autotuner do not count. */
static uint32_t row_with(const struct builder *b, uint32_t at)
{
	while (at != JR_NONE && b->out_row[at] == JR_NONE)
		at = b->grafted[at] ? JR_NONE : b->tree->parent[at];
	return at == JR_NONE ? JR_NONE : b->out_row[at];
}

static int compare_foreign(const void *left, const void *right, void *arg)
{
	const struct jr_intern *strings = arg;
	const struct foreign *a = left, *b = right;
	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (a->name == b->name)
		return 0;
	int order = strcmp(jr_intern_str(strings, a->name), jr_intern_str(strings, b->name));
	return order ? order : (a->name > b->name) - (a->name < b->name);
}

/* The caller has reserved room. */
static void append_foreign(const struct builder *b, struct jr_profile *p)
{
	const struct jr_host_ranges *r = b->ranges;
	struct foreign *all = JR_ARENA_N(b->scratch, struct foreign, b->n_moved + 1);
	size_t n = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		uint32_t row = b->moved_ns[i] > 0 ? row_with(b, b->moved_to[i]) : JR_NONE;
		if (row != JR_NONE)
			all[n++] = (struct foreign){row, r->name[i], b->moved_ns[i]};
	}
	/* names are distinct strings, so rows of equal names are adjacent */
	qsort_r(all, n, sizeof(*all), compare_foreign, (void *)(uintptr_t)&r->strings);
	for (size_t i = 0; i < n; i++) {
		struct jr_compile_foreign *to = &p->compile_foreign[p->n_compile_foreign];
		if (i == 0 || all[i].row != all[i - 1].row || all[i].name != all[i - 1].name) {
			uint32_t name = jr_profile_text(p, jr_intern_str(&r->strings, all[i].name),
				jr_intern_len(&r->strings, all[i].name));
			*to = (struct jr_compile_foreign){.row = all[i].row, .name = name};
			p->n_compile_foreign++;
		} else {
			to--;
		}
		to->n++;
		to->self_ns += all[i].self_ns;
	}
}

static enum jr_status grow_modules(
	struct jr_profile *p, const struct jr_compile_summary *s, struct jr_error *err)
{
	if (p->n_compile_phases + s->n_phases >= JR_NONE)
		return jr_fail(err, JR_ELIMIT, "more compile phases than can be numbered");
	GROW(p, p->compile_modules, p->n_compile_modules, p->n_compile_modules + s->n_modules, err);
	GROW(p, p->compile_phases, p->n_compile_phases, p->n_compile_phases + s->n_phases, err);
	return JR_OK;
}

static void append_modules(
	struct jr_profile *p, uint32_t process, const struct jr_compile_summary *s)
{
	for (size_t i = 0; i < s->n_modules; i++) {
		struct jr_compile_module module = s->modules[i];
		module.process = process;
		module.first_phase += (uint32_t)p->n_compile_phases;
		module.name = jr_profile_text(
			p, jr_intern_str(&s->names, module.name), jr_intern_len(&s->names, module.name));
		p->compile_modules[p->n_compile_modules++] = module;
	}
	for (size_t i = 0; i < s->n_phases; i++) {
		struct jr_compile_phase phase = s->phases[i];
		phase.name = jr_profile_text(
			p, jr_intern_str(&s->names, phase.name), jr_intern_len(&s->names, phase.name));
		p->compile_phases[p->n_compile_phases++] = phase;
	}
}

/* Allocate the arrays of a builder for a checked tree. */
static struct builder make_builder(
	const struct jr_host_ranges *r, struct jr_host_tree *tree, struct jr_arena *scratch)
{
	struct builder b = {.ranges = r, .tree = tree, .scratch = scratch};
	b.of_name = JR_ARENA_N(scratch, struct jr_compile_name, r->strings.n);
	for (uint32_t id = 0; id < r->strings.n; id++)
		b.of_name[id] =
			jr_compile_name_parse(jr_intern_str(&r->strings, id), jr_intern_len(&r->strings, id));
	b.child_ns = JR_ARENA_N(scratch, int64_t, r->n);
	b.self_ns = JR_ARENA_N(scratch, int64_t, r->n);
	b.program = JR_ARENA_N(scratch, int64_t, r->n);
	b.grafted = JR_ARENA_N(scratch, uint8_t, r->n);
	b.out_row = JR_ARENA_N(scratch, uint32_t, r->n);
	memset(b.out_row, 0xFF, r->n * sizeof(*b.out_row));
	b.moved_ns = JR_ARENA_N(scratch, int64_t, r->n);
	b.moved_to = JR_ARENA_N(scratch, uint32_t, r->n);
	for (size_t i = 0; i < r->n; i++) {
		b.child_ns[i] = r->child_ns[i];
		b.self_ns[i] = r->self_ns[i];
	}
	return b;
}

static enum jr_status add_ranges(struct jr_profile *p, uint32_t process,
	const struct jr_host_ranges *ranges, struct jr_arena *scratch,
	struct jr_compile_summary *summary, struct jr_error *err)
{
	struct jr_host_tree tree;
	JR_TRY(jr_host_tree_build(ranges, p->options.limits.depth, NULL, scratch, &tree, err));
	jr_compile_summarize_tree(ranges, &tree, false, summary);
	struct builder b = make_builder(ranges, &tree, scratch);
	fold_foreign(&b);
	number_programs(&b);
	graft_workers(&b);
	size_t n;
	struct kept *kept = cut(&b, p->options.autotuning_detail, &n);
	JR_TRY(grow_compiles(p, n, err));
	GROW(p, p->compile_foreign, p->n_compile_foreign, p->n_compile_foreign + b.n_moved, err);
	JR_TRY(grow_modules(p, summary, err));
	append_rows(&b, p, process, kept, n);
	append_foreign(&b, p);
	append_modules(p, process, summary);
	p->has_compiles = p->has_compiles || n > 0;
	jr_profile_guess(p, "compile-workers", b.n_ambiguous,
		"worker ranges ran while several threads were compiling; each counts toward the "
		"compilation that began last");
	return JR_OK;
}

/* Count ranges of XLA executions. Each name is checked once. */
static uint64_t count_executions(const struct jr_host_ranges *r, struct jr_arena *scratch)
{
	enum { UNKNOWN, NO, YES };
	uint8_t *known = JR_ARENA_N(scratch, uint8_t, r->strings.n + 1);
	uint64_t n = 0;
	for (size_t i = 0; i < r->n; i++) {
		uint8_t *module = &known[r->name[i]];
		if (*module == UNKNOWN)
			*module = jr_range_name_parse(jr_intern_str(&r->strings, r->name[i]),
						  jr_intern_len(&r->strings, r->name[i]))
								  .kind == JR_RANGE_MODULE
						  ? YES
						  : NO;
		n += *module == YES;
	}
	return n;
}

enum jr_status jr_compile_add(struct jr_profile *profile, uint32_t process,
	const struct jr_host_ranges *ranges, struct jr_error *err)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	jr_arena_init(&scratch, profile->options.limits.memory_bytes);
	struct jr_compile_summary summary = {0};
	enum jr_status status = add_ranges(profile, process, ranges, &scratch, &summary, err);
	if (status == JR_OK)
		profile->n_host_modules += ranges->n_executions + count_executions(ranges, &scratch);
	jr_compile_summary_done(&summary);
	return status;
}
