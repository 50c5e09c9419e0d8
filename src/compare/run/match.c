#include "compare/run/match.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "base/sort.h"

const char *jr_match_rule_name(enum jr_match_rule rule)
{
	static const char *const names[] = {
		[JR_MATCH_FINGERPRINT] = "fingerprint",
		[JR_MATCH_STRUCTURE] = "structure",
		[JR_MATCH_NAME] = "name",
		[JR_MATCH_ADDED] = "added",
		[JR_MATCH_REMOVED] = "removed",
	};
	return names[rule];
}

const char *jr_thunk_change_name(enum jr_thunk_change change)
{
	static const char *const names[] = {
		[JR_THUNK_SAME] = "same",
		[JR_THUNK_RESHAPED] = "reshaped",
		[JR_THUNK_RENAMED] = "renamed",
		[JR_THUNK_ADDED] = "added",
		[JR_THUNK_REMOVED] = "removed",
	};
	return names[change];
}

/* --- rows with equal keys --------------------------------------------------------------------- */

/* Rows of each key in order: next[row] is the next row with the same key. */
struct key_lists {
	uint32_t *first, *last; /* [keys] */
	uint32_t *next;         /* [rows] */
};

struct jr_row_pair *jr_match_rows(
	const char *const *const keys[2], const size_t n[2], struct jr_arena *arena, size_t *n_out)
{
	struct jr_row_pair *pairs = JR_ARENA_N(arena, struct jr_row_pair, n[0] + n[1] + 1);
	struct jr_intern seen;
	jr_intern_init(&seen);
	uint32_t null_id = JR_NONE;
	uint32_t *id[2];
	for (int side = 0; side < 2; side++) {
		id[side] = JR_ARENA_N(arena, uint32_t, n[side] + 1);
		for (size_t i = 0; i < n[side]; i++) {
			const char *key = keys[side][i];
			/* No key equals this text, because keys are clean and have no control bytes. */
			if (!key && null_id == JR_NONE)
				null_id = jr_intern_put(&seen, "\x01", 1);
			id[side][i] = key ? jr_intern_puts(&seen, key) : null_id;
		}
	}
	struct key_lists lists = {JR_ARENA_N(arena, uint32_t, seen.n),
		JR_ARENA_N(arena, uint32_t, seen.n), JR_ARENA_N(arena, uint32_t, n[1] + 1)};
	memset(lists.first, 0xFF, seen.n * sizeof(*lists.first));
	for (uint32_t i = 0; i < n[1]; i++) {
		uint32_t key = id[1][i];
		lists.next[i] = JR_NONE;
		if (lists.first[key] == JR_NONE)
			lists.first[key] = i;
		else
			lists.next[lists.last[key]] = i;
		lists.last[key] = i;
	}
	uint8_t *taken = JR_ARENA_N(arena, uint8_t, n[1] + 1);
	*n_out = 0;
	for (size_t i = 0; i < n[0]; i++) {
		uint32_t other = lists.first[id[0][i]];
		pairs[*n_out] = (struct jr_row_pair){{i, SIZE_MAX}};
		if (other != JR_NONE) {
			lists.first[id[0][i]] = lists.next[other];
			taken[other] = 1;
			pairs[*n_out].row[1] = other;
		}
		(*n_out)++;
	}
	for (size_t i = 0; i < n[1]; i++)
		if (!taken[i])
			pairs[(*n_out)++] = (struct jr_row_pair){{SIZE_MAX, i}};
	jr_intern_done(&seen);
	return pairs;
}

/* --- programs --------------------------------------------------------------------------------- */

struct matching {
	const struct jr_run *const *runs;
	struct jr_arena *arena;
	struct jr_match *out;
	uint8_t *taken[2]; /* modules */
};

static const char *module_text(const struct matching *m, int side, size_t column, size_t row)
{
	const char *text = jr_run_text(m->runs[side], JR_RUN_MODULES, column, row);
	return text && *text ? text : NULL;
}

static bool same_hlo(const struct matching *m, size_t base, size_t fresh)
{
	const char *a = module_text(m, JR_BASE, JR_MODULE_STRUCTURE, base);
	const char *b = module_text(m, JR_NEW, JR_MODULE_STRUCTURE, fresh);
	return a && b && strcmp(a, b) == 0;
}

/* Key of a module that is not matched yet; NULL if it has none. */
static const char *module_key(
	const struct matching *m, int side, size_t column, size_t row, bool with_structure)
{
	const char *text = m->taken[side][row] ? NULL : module_text(m, side, column, row);
	if (!text || !with_structure)
		return text;
	const char *structure = module_text(m, side, JR_MODULE_STRUCTURE, row);
	return structure ? jr_arena_printf(m->arena, "%s\x01%s", text, structure) : NULL;
}

/* Match free rows with equal texts: the k-th of one side with the k-th of the other. */
static void match_by(
	struct matching *m, size_t column, enum jr_match_rule rule, bool with_structure)
{
	const char **keys[2];
	size_t *rows[2], n[2] = {0, 0}, n_pairs;
	for (int side = 0; side < 2; side++) {
		size_t all = jr_run_rows(m->runs[side], JR_RUN_MODULES);
		keys[side] = JR_ARENA_N(m->arena, const char *, all + 1);
		rows[side] = JR_ARENA_N(m->arena, size_t, all + 1);
		for (size_t i = 0; i < all; i++) {
			const char *key = module_key(m, side, column, i, with_structure);
			if (!key)
				continue;
			keys[side][n[side]] = key;
			rows[side][n[side]++] = i;
		}
	}
	const char *const *const both[2] = {keys[0], keys[1]};
	const struct jr_row_pair *pairs = jr_match_rows(both, n, m->arena, &n_pairs);
	for (size_t k = 0; k < n_pairs; k++) {
		if (pairs[k].row[JR_BASE] == SIZE_MAX || pairs[k].row[JR_NEW] == SIZE_MAX)
			continue;
		size_t base = rows[JR_BASE][pairs[k].row[JR_BASE]],
			   fresh = rows[JR_NEW][pairs[k].row[JR_NEW]];
		m->taken[JR_BASE][base] = m->taken[JR_NEW][fresh] = 1;
		m->out->programs[base] =
			(struct jr_program_match){{base, fresh}, rule, same_hlo(m, base, fresh)};
	}
}

static void match_programs(struct matching *m)
{
	size_t n[2] = {
		jr_run_rows(m->runs[0], JR_RUN_MODULES), jr_run_rows(m->runs[1], JR_RUN_MODULES)};
	for (int side = 0; side < 2; side++)
		m->taken[side] = JR_ARENA_N(m->arena, uint8_t, n[side] + 1);
	m->out->programs = JR_ARENA_N(m->arena, struct jr_program_match, n[0] + n[1] + 1);
	match_by(m, JR_MODULE_FINGERPRINT, JR_MATCH_FINGERPRINT, true);
	match_by(m, JR_MODULE_FINGERPRINT, JR_MATCH_FINGERPRINT, false);
	match_by(m, JR_MODULE_STRUCTURE, JR_MATCH_STRUCTURE, false);
	match_by(m, JR_MODULE_NAME, JR_MATCH_NAME, false);
	m->out->n_programs = n[0];
	for (size_t i = 0; i < n[0]; i++)
		if (!m->taken[JR_BASE][i])
			m->out->programs[i] = (struct jr_program_match){{i, SIZE_MAX}, JR_MATCH_REMOVED, false};
	for (size_t j = 0; j < n[1]; j++)
		if (!m->taken[JR_NEW][j])
			m->out->programs[m->out->n_programs++] =
				(struct jr_program_match){{SIZE_MAX, j}, JR_MATCH_ADDED, false};
}

/* --- thunks ----------------------------------------------------------------------------------- */

/* A thunk of either run that is not in a group yet. */
struct candidate {
	const char *key;
	uint32_t row;
	uint8_t side;
};

JR_ORDER(compare_candidates, struct candidate, JR_TEXT_UP(key) JR_UP(side) JR_UP(row))

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

const char *jr_match_op_name(struct jr_arena *arena, const char *op_name)
{
	static const char main_part[] = "jit(main)/";
	char *out = JR_ARENA_N(arena, char, strlen(op_name) + 1);
	size_t n = 0, depth = 0;
	for (const char *s = op_name; *s; s++) {
		bool part_begins = s == op_name || s[-1] == '/';
		if (part_begins && !depth && strncmp(s, main_part, sizeof(main_part) - 1) == 0)
			s += sizeof(main_part) - 2;
		else if (part_begins && !depth && strncmp(s, "pjit(", 5) == 0)
			continue;
		else if (*s == '[')
			depth++;
		else if (*s == ']' && depth)
			depth--;
		else if (!depth)
			out[n++] = *s;
	}
	return out;
}

enum { BY_OP_NAME = 1, BY_SHAPE = 2 };

/* NULL if a part is unknown. Parts are clean text, so a control byte between them keeps keys
 * distinct. */
static const char *signature(const struct matching *m, const struct candidate *c, unsigned by)
{
	const struct jr_run *run = m->runs[c->side];
	const char *opcode = jr_run_text(run, JR_RUN_THUNKS, JR_THUNK_OPCODE, c->row);
	const char *op_name = jr_run_text(run, JR_RUN_THUNKS, JR_THUNK_OP_NAME, c->row);
	const char *shape = jr_run_text(run, JR_RUN_THUNKS, JR_THUNK_SHAPE, c->row);
	if (!opcode || (by == BY_OP_NAME && !*or_empty(op_name)) || (by == BY_SHAPE && !shape))
		return NULL;
	return jr_arena_printf(m->arena, "%s\x01%s\x01%s", opcode,
		by & BY_OP_NAME ? jr_match_op_name(m->arena, or_empty(op_name)) : "",
		by & BY_SHAPE ? or_empty(shape) : "");
}

/* Without HLO only the name is known. */
static const char *name_key(const struct matching *m, const struct candidate *c)
{
	return jr_arena_printf(m->arena, "\x02%s",
		or_empty(jr_run_text(m->runs[c->side], JR_RUN_THUNKS, JR_THUNK_NAME, c->row)));
}

/* A unique key. */
static const char *own_key(const struct matching *m, const struct candidate *c)
{
	return jr_arena_printf(m->arena, "\x03%u\x03%u", c->side, c->row);
}

static void add_group(struct matching *m, size_t program, enum jr_thunk_change change,
	const struct candidate *items, size_t n_base, size_t n_new)
{
	uint32_t *rows = JR_ARENA_N(m->arena, uint32_t, n_base + n_new + 1);
	for (size_t i = 0; i < n_base + n_new; i++)
		rows[i] = items[i].row;
	m->out->thunks[m->out->n_thunks++] =
		(struct jr_thunk_match){program, change, {rows, rows + n_base}, {n_base, n_new}};
}

/* Take groups of equal keys that both runs have, and move the rest to the front. Returns the number
 * left.
 */
static size_t take_groups(struct matching *m, size_t program, enum jr_thunk_change change,
	struct candidate *items, size_t n)
{
	size_t n_left = 0;
	jr_sort(items, n, sizeof(*items), compare_candidates);
	for (size_t i = 0, end; i < n; i = end) {
		size_t n_base = 0;
		for (end = i; end < n && strcmp(items[end].key, items[i].key) == 0; end++)
			n_base += items[end].side == JR_BASE;
		if (n_base && n_base < end - i) {
			add_group(m, program, change, &items[i], n_base, end - i - n_base);
			continue;
		}
		memmove(&items[n_left], &items[i], (end - i) * sizeof(*items));
		n_left += end - i;
	}
	return n_left;
}

/* Whether only the names of a side's thunks are known, as in an export without HLO. */
static bool names_alone(
	const struct matching *m, const struct candidate *items, size_t n, unsigned side)
{
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		if (items[i].side != side)
			continue;
		if (jr_run_text(m->runs[side], JR_RUN_THUNKS, JR_THUNK_OPCODE, items[i].row))
			return false;
		any = true;
	}
	return any;
}

static void match_thunks_of(struct matching *m, size_t program, struct candidate *items, size_t n)
{
	static const struct {
		unsigned by;
		enum jr_thunk_change change;
	} rounds[] = {{BY_OP_NAME | BY_SHAPE, JR_THUNK_SAME}, {BY_OP_NAME, JR_THUNK_RESHAPED},
		{BY_SHAPE, JR_THUNK_RENAMED}};
	bool by_name = m->out->programs[program].same_hlo || names_alone(m, items, n, JR_BASE) ||
				   names_alone(m, items, n, JR_NEW);
	for (size_t i = 0; i < n; i++)
		items[i].key = name_key(m, &items[i]);
	for (size_t k = 0; !by_name && k < JR_COUNT_OF(rounds); k++) {
		for (size_t i = 0; i < n; i++) {
			const char *key = signature(m, &items[i], rounds[k].by);
			items[i].key = key ? key : k ? own_key(m, &items[i]) : name_key(m, &items[i]);
		}
		n = take_groups(m, program, rounds[k].change, items, n);
	}
	if (by_name)
		n = take_groups(m, program, JR_THUNK_SAME, items, n);
	for (size_t i = 0; i < n; i++)
		add_group(m, program, items[i].side == JR_BASE ? JR_THUNK_REMOVED : JR_THUNK_ADDED,
			&items[i], items[i].side == JR_BASE, items[i].side == JR_NEW);
}

size_t *jr_match_programs_of(const struct jr_match *match, const struct jr_run *run, int side,
	enum jr_run_table table, size_t id, struct jr_arena *arena)
{
	struct jr_intern ids;
	jr_intern_init(&ids);
	size_t n = jr_run_rows(run, table);
	size_t *match_of = JR_ARENA_N(arena, size_t, match->n_programs + 2); /* indexed by id */
	size_t *out = JR_ARENA_N(arena, size_t, n + 1);
	match_of[0] = SIZE_MAX; /* "" */
	for (size_t i = 0; i < match->n_programs; i++) {
		size_t row = match->programs[i].row[side], before = ids.n;
		const char *own =
			row == SIZE_MAX ? NULL : jr_run_text(run, JR_RUN_MODULES, JR_MODULE_ID, row);
		if (own && jr_intern_puts(&ids, own) == before)
			match_of[before] = i;
	}
	for (size_t i = 0; i < n; i++) {
		const char *own = jr_run_text(run, table, id, i);
		uint32_t at = own ? jr_intern_find(&ids, own, strlen(own)) : JR_NONE;
		out[i] = at == JR_NONE ? SIZE_MAX : match_of[at];
	}
	jr_intern_done(&ids);
	return out;
}

struct placed {
	size_t program;
	struct candidate thunk;
};

JR_ORDER(compare_placed, struct placed, JR_UP(program) JR_UP(thunk.side) JR_UP(thunk.row))

/* Thunks of known programs, grouped by program. */
static size_t place_thunks(struct matching *m, struct placed *placed)
{
	size_t n = 0;
	for (int side = 0; side < 2; side++) {
		const size_t *programs = jr_match_programs_of(
			m->out, m->runs[side], side, JR_RUN_THUNKS, JR_THUNK_PROGRAM, m->arena);
		for (uint32_t i = 0; i < jr_run_rows(m->runs[side], JR_RUN_THUNKS); i++)
			if (programs[i] != SIZE_MAX)
				placed[n++] = (struct placed){programs[i], {NULL, i, (uint8_t)side}};
	}
	jr_sort(placed, n, sizeof(*placed), compare_placed);
	return n;
}

/* Tables of thunks are sorted by active time, so the first row of a group is its heaviest thunk. */
static int compare_matches(const void *a, const void *b)
{
	const struct jr_thunk_match *x = a, *y = b;
	uint32_t rx = x->n[JR_BASE] ? x->rows[JR_BASE][0] : JR_NONE;
	uint32_t ry = y->n[JR_BASE] ? y->rows[JR_BASE][0] : JR_NONE;
	if (rx != ry)
		return rx < ry ? -1 : 1;
	uint32_t nx = x->n[JR_NEW] ? x->rows[JR_NEW][0] : JR_NONE;
	uint32_t ny = y->n[JR_NEW] ? y->rows[JR_NEW][0] : JR_NONE;
	return (nx > ny) - (nx < ny);
}

static void match_thunks(struct matching *m)
{
	size_t room =
		jr_run_rows(m->runs[0], JR_RUN_THUNKS) + jr_run_rows(m->runs[1], JR_RUN_THUNKS) + 1;
	struct placed *placed = JR_ARENA_N(m->arena, struct placed, room);
	struct candidate *items = JR_ARENA_N(m->arena, struct candidate, room);
	m->out->thunks = JR_ARENA_N(m->arena, struct jr_thunk_match, room);
	size_t n = place_thunks(m, placed);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && placed[end].program == placed[i].program; end++)
			items[end - i] = placed[end].thunk;
		match_thunks_of(m, placed[i].program, items, end - i);
	}
	jr_sort(m->out->thunks, m->out->n_thunks, sizeof(*m->out->thunks), compare_matches);
}

struct jr_match jr_match_runs(const struct jr_run *const runs[2], struct jr_arena *arena)
{
	struct jr_match out = {0};
	struct matching m = {.runs = runs, .arena = arena, .out = &out};
	match_programs(&m);
	match_thunks(&m);
	return out;
}

static bool has_thunk(
	const struct jr_thunk_match *group, const struct jr_run *run, int side, const char *name)
{
	for (size_t i = 0; i < group->n[side]; i++) {
		const char *own = jr_run_text(run, JR_RUN_THUNKS, JR_THUNK_NAME, group->rows[side][i]);
		if (own && strcmp(own, name) == 0)
			return true;
	}
	return false;
}

bool jr_match_findings(
	const struct jr_match *match, const struct jr_run *const runs[2], const size_t rows[2])
{
	const char *id[2], *about[2];
	bool known[2] = {false, false};
	for (int side = 0; side < 2; side++) {
		id[side] = jr_run_text(runs[side], JR_RUN_FINDINGS, JR_FINDING_ID, rows[side]);
		about[side] = jr_run_text(runs[side], JR_RUN_FINDINGS, JR_FINDING_ABOUT, rows[side]);
	}
	if (!id[0] || !id[1] || strcmp(id[0], id[1]) != 0)
		return false;
	for (size_t i = 0; about[0] && about[1] && i < match->n_thunks; i++) {
		bool has[2];
		for (int side = 0; side < 2; side++)
			known[side] |= has[side] = has_thunk(&match->thunks[i], runs[side], side, about[side]);
		if (has[0] && has[1])
			return true;
	}
	return !about[0] || !about[1] || (!known[0] && !known[1] && strcmp(about[0], about[1]) == 0);
}
