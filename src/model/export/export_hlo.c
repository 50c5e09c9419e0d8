/* Modules from the texts that XLA registers: which text belongs to which instruction. */
#include "model/export/export_hlo.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/order.h"
#include "base/text.h"
#include "formats/hlo/hlo_parse.h"

#define UNKNOWN (JR_NONE - 1)       /* several possible texts */
#define MOST_CANDIDATES 4096        /* texts of one name; with more, it is unknown */
#define MOST_STACK_BYTES (64 << 10) /* of an instruction; larger stacks are not used */

struct piece { /* of a text */
	const char *text;
	size_t n;
};

/* The texts from the title of a module to the next one: rows of rows.xla_texts. */
struct block {
	size_t first, end, n_instructions;
	struct piece module, prefix; /* prefix: of op_names, without the "/" behind it */
	int64_t number;
};

/* A text by the name that it defines. */
struct entry {
	uint32_t row;  /* of rows.xla_texts */
	uint32_t next; /* an earlier one whose name has the same hash, or JR_NONE */
	uint32_t block;
	struct piece name, text; /* text: without its name; of a computation all lines */
};

struct directory { /* texts by name */
	JR_VEC(struct entry) entries;
	struct jr_map last;
};

struct jr_export_hlo {
	JR_VEC(struct block) blocks; /* by row */
	struct directory instructions, computations;
	struct jr_map own; /* by (block, name): the last entry of instructions */
	uint64_t seed;
};

/* --- pieces of texts -------------------------------------------------------------------------- */

static bool same(struct piece a, struct piece b)
{
	return a.n == b.n && memcmp(a.text, b.text, a.n) == 0;
}

static bool is(struct piece a, const char *text)
{
	return same(a, (struct piece){text, strlen(text)});
}

static struct piece piece_of(struct jr_bytes bytes)
{
	return (struct piece){(const char *)bytes.data, bytes.size};
}

/* Return what follows the first `key` in the text, up to one of `ends`; empty if it is absent. */
static struct piece after(struct piece in, const char *key, const char *ends)
{
	const char *at = in.n ? memmem(in.text, in.n, key, strlen(key)) : NULL;
	if (!at)
		return (struct piece){"", 0};
	at += strlen(key);
	size_t n = 0, most = (size_t)(in.text + in.n - at);
	while (n < most && !strchr(ends, at[n]))
		n++;
	return (struct piece){at, n};
}

static bool ends_name(char c)
{
	return !(jr_is_letter(c) || jr_is_digit(c) || c == '_' || c == '.' || c == '-');
}

/* Split "[ROOT ][%]NAME = REST". */
static struct piece name_of(struct piece text, struct piece *rest)
{
	const char *equals = memmem(text.text, text.n, " = ", 3);
	const char *from = text.text;
	if (text.n > 5 && memcmp(from, "ROOT ", 5) == 0)
		from += 5;
	from += *from == '%';
	*rest = equals ? (struct piece){equals + 3, (size_t)(text.text + text.n - equals - 3)}
				   : (struct piece){"", 0};
	return (struct piece){from, equals && equals > from ? (size_t)(equals - from) : 0};
}

/* --- the index -------------------------------------------------------------------------------- */

static uint64_t key_of(const struct jr_export_hlo *h, struct piece name)
{
	return jr_hash(name.text, name.n, h->seed);
}

static uint64_t own_key(const struct jr_export_hlo *h, uint32_t block, struct piece name)
{
	return jr_hash(name.text, name.n, h->seed ^ jr_key2(block, block + 1));
}

static void put(const struct jr_export_hlo *h, struct directory *to, struct entry entry)
{
	uint64_t key = key_of(h, entry.name);
	entry.next = jr_map_get(&to->last, key);
	jr_map_put(&to->last, key, (uint32_t)to->entries.n);
	*jr_vec_add(&to->entries) = entry;
}

/* Return the last entry with that name, from `at` on; JR_NONE: none. */
static uint32_t named(const struct directory *in, uint32_t at, struct piece name)
{
	while (at != JR_NONE && !same(in->entries.items[at].name, name))
		at = in->entries.items[at].next;
	return at;
}

static uint32_t last_named(
	const struct jr_export_hlo *h, const struct directory *in, struct piece name)
{
	return named(in, jr_map_get(&in->last, key_of(h, name)), name);
}

static uint32_t next_named(const struct directory *in, uint32_t at)
{
	return named(in, in->entries.items[at].next, in->entries.items[at].name);
}

static void add_block(struct jr_export_hlo *h, struct piece title, size_t row)
{
	struct piece number = after(title, "program_id=", ",#");
	struct block block = {.first = row + 1,
		.module = after(title, "hlo_module=", ",#"),
		.prefix = after(title, "#prefix=", ",#"),
		.number = -1};
	if (!jr_parse_i64(number.text, number.n, &block.number))
		block.number = -1;
	*jr_vec_add(&h->blocks) = block;
}

/* List the computations of a text: from "NAME {" or "NAME (PARAMETERS) -> SHAPE {" to "}". */
static void add_computations(struct jr_export_hlo *h, struct piece text, struct entry entry)
{
	const char *end = text.text + text.n, *line = text.text;
	while (line < end) {
		const char *close = memmem(line, (size_t)(end - line), "\n}", 2);
		const char *stop = close ? close + 2 : end;
		while (line < stop && (*line == '\n' || *line == '%'))
			line++;
		size_t n = 0;
		while (line + n < stop && !ends_name(line[n]))
			n++;
		entry.name = (struct piece){line, n};
		entry.text = (struct piece){line, (size_t)(stop - line)};
		if (n && close)
			put(h, &h->computations, entry);
		line = stop;
		/* behind the brace: " // NAME", or without a line break the next computation */
		while (line < end && *stop == ' ' && *line != '\n')
			line++;
	}
}

void jr_export_hlo_begin(struct jr_export *x)
{
	if (x->hlo || x->rows.n_xla_texts == 0)
		return;
	struct jr_export_hlo *h = jr_calloc(1, sizeof(*h));
	x->hlo = h;
	h->seed = jr_hash_seed();
	for (size_t row = 0; row < x->rows.n_xla_texts; row++) {
		struct piece text = piece_of(x->rows.xla_texts[row].text);
		enum jr_xla_text_kind kind = x->rows.xla_texts[row].kind;
		if (h->blocks.n == 0 && kind != JR_XLA_MODULE)
			continue;
		struct entry entry = {.row = (uint32_t)row, .block = (uint32_t)h->blocks.n - 1};
		switch (kind) {
		case JR_XLA_MODULE: add_block(h, text, row); break;
		case JR_XLA_INSTRUCTION:
			entry.name = name_of(text, &entry.text);
			put(h, &h->instructions, entry);
			jr_map_put(&h->own, own_key(h, entry.block, entry.name),
				(uint32_t)h->instructions.entries.n - 1);
			h->blocks.items[entry.block].n_instructions++;
			break;
		case JR_XLA_COMPUTATIONS: add_computations(h, text, entry); break;
		case JR_XLA_THUNK:
		case JR_XLA_STACKS:
		case JR_XLA_FRAMES:
		case JR_XLA_OTHER: break;
		}
	}
	for (size_t i = 0; i < h->blocks.n; i++)
		h->blocks.items[i].end =
			i + 1 < h->blocks.n ? h->blocks.items[i + 1].first - 1 : x->rows.n_xla_texts;
}

void jr_export_hlo_done(struct jr_export *x)
{
	struct jr_export_hlo *h = x->hlo;
	if (!h)
		return;
	jr_vec_done(&h->blocks);
	jr_vec_done(&h->instructions.entries);
	jr_vec_done(&h->computations.entries);
	jr_map_done(&h->instructions.last);
	jr_map_done(&h->computations.last);
	jr_map_done(&h->own);
	free(h);
	x->hlo = NULL;
}

/* Titles are also names of ranges: without instructions they are nothing else. */
static const struct block *find_block(const struct jr_export *x, int64_t number, const char *module)
{
	for (size_t i = 0; x->hlo && i < x->hlo->blocks.n; i++) {
		const struct block *b = &x->hlo->blocks.items[i];
		if (b->number == number && is(b->module, module) && b->n_instructions)
			return b;
	}
	return NULL;
}

bool jr_export_hlo_has(const struct jr_export *x, int64_t number, const char *module)
{
	return find_block(x, number, module) != NULL;
}

/* --- thunks that ran -------------------------------------------------------------------------- */

JR_ORDER(compare_ran, struct jr_ran, JR_UP(program) JR_UP(name))

struct jr_ran *jr_export_hlo_ran(
	const struct jr_trace *trace, struct jr_arena *arena, size_t *n_ran)
{
	JR_VEC(struct jr_ran) all = {0};
	struct jr_map seen = {0};
	for (size_t row = 0; row < trace->n; row++) {
		if (trace->names[trace->name[row]].kind != JR_RANGE_THUNK)
			continue;
		uint32_t up = trace->parent[row];
		while (up != JR_NONE && trace->names[trace->name[up]].kind != JR_RANGE_MODULE)
			up = trace->parent[up];
		uint64_t key = up == JR_NONE ? 0 : jr_key2(trace->name[up], trace->name[row]);
		if (up == JR_NONE || jr_map_get(&seen, key) != JR_NONE)
			continue;
		jr_map_put(&seen, key, 1);
		*jr_vec_add(&all) =
			(struct jr_ran){trace->names[trace->name[up]].program_number, trace->name[row]};
	}
	jr_map_done(&seen);
	struct jr_ran *out = JR_ARENA_N(arena, struct jr_ran, all.n + 1);
	if (all.n) {
		qsort(all.items, all.n, sizeof(*all.items), compare_ran);
		memcpy(out, all.items, all.n * sizeof(*out));
	}
	*n_ran = all.n;
	jr_vec_done(&all);
	return out;
}

/* --- one module ------------------------------------------------------------------------------- */

struct building {
	const struct jr_export *x;
	const struct jr_export_hlo *h;
	const struct block *block;
	struct jr_hlo_builder *builder;
	struct jr_map stacks; /* by key of a place in the code: row of its stacks, UNKNOWN: several */
	struct jr_map added;  /* rows of texts */
	struct jr_buf scratch;
	uint64_t n_ambiguous;
};

/* Instructions of one module that have the same stack_frame_id, or else the same line of code, have
 * the same stacks: XLA stores equal texts once, after the first instruction with them. */
static uint64_t place_of(const struct building *b, struct piece text)
{
	struct piece metadata = after(text, "metadata={", "}");
	struct piece id = after(metadata, "stack_frame_id=", " }");
	struct piece file = after(metadata, "source_file=\"", "\""),
				 line = after(metadata, "source_line=", " }");
	if (id.n && !is(id, "0"))
		return jr_hash(id.text, id.n, b->h->seed + 1);
	return line.n ? jr_hash(file.text, file.n, jr_hash(line.text, line.n, b->h->seed)) : 0;
}

static enum jr_xla_text_kind kind_at(const struct building *b, size_t row)
{
	return row < b->x->rows.n_xla_texts ? b->x->rows.xla_texts[row].kind : JR_XLA_OTHER;
}

static struct piece text_at(const struct building *b, size_t row)
{
	return piece_of(b->x->rows.xla_texts[row].text);
}

static void learn_stacks(struct building *b)
{
	for (size_t row = b->block->first; row < b->block->end; row++) {
		if (kind_at(b, row) != JR_XLA_INSTRUCTION || kind_at(b, row + 1) != JR_XLA_STACKS)
			continue;
		struct piece text = text_at(b, row);
		uint64_t place = place_of(b, text);
		/* A fusion has the stacks of all that was fused. */
		if (!place || after(text, " calls=", ",").n)
			continue;
		uint32_t known = jr_map_get(&b->stacks, place);
		bool differs = known != JR_NONE && known != row + 1;
		jr_map_put(&b->stacks, place, differs ? UNKNOWN : (uint32_t)row + 1);
	}
}

#define MOST_FRAMES 256 /* of a stack; deeper ones are not used */

/* Return the number of dashes at the beginning of a line. */
static size_t depth_of(struct piece line)
{
	size_t n = 0;
	while (n < line.n && line.text[n] == '-')
		n++;
	return n;
}

static bool is_at(struct piece frame, struct piece file, struct piece line)
{
	size_t depth = depth_of(frame) + 1; /* and a blank */
	return file.n && line.n && frame.n > depth + file.n + 1 + line.n &&
		   memcmp(frame.text + depth, file.text, file.n) == 0 &&
		   frame.text[depth + file.n] == ':' &&
		   memcmp(frame.text + depth + file.n + 1, line.text, line.n) == 0 &&
		   strchr(":[ \n", frame.text[depth + file.n + 1 + line.n]);
}

/* An instruction with several stacks states the place in the code of one of them. Return the lines
 * of that stack, in b->scratch; all lines if there is none. */
static struct jr_bytes choose_stack(struct building *b, struct jr_bytes stacks, struct piece text)
{
	struct piece metadata = after(text, "metadata={", "}");
	struct piece file = after(metadata, "source_file=\"", "\""),
				 line = after(metadata, "source_line=", " }");
	struct piece path[MOST_FRAMES] = {0};
	const char *at = (const char *)stacks.data, *end = at + stacks.size;
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		struct piece frame = {at, (size_t)((stop ? stop : end) - at)};
		size_t depth = depth_of(frame);
		at = stop ? stop + 1 : end;
		if (depth == 0)
			continue;
		if (depth > MOST_FRAMES)
			return stacks;
		path[depth - 1] = frame;
		size_t next = depth_of((struct piece){at, (size_t)(end - at)});
		if (next > depth || !is_at(frame, file, line))
			continue;
		b->scratch.size = 0;
		for (size_t i = 0; i < depth; i++) {
			jr_buf_add(&b->scratch, path[i].text ? path[i].text : "", path[i].n);
			jr_buf_putc(&b->scratch, '\n');
		}
		return jr_buf_view(&b->scratch);
	}
	return stacks;
}

static void add_instruction(struct building *b, size_t row, bool own)
{
	if (jr_map_get(&b->added, row) != JR_NONE)
		return;
	jr_map_put(&b->added, row, 1);
	struct jr_bytes stacks = {0};
	/* Stacks of another module may lack other frames at their beginning. */
	if (own && kind_at(b, row + 1) == JR_XLA_STACKS)
		stacks = b->x->rows.xla_texts[row + 1].text;
	uint32_t known = stacks.size ? JR_NONE : jr_map_get(&b->stacks, place_of(b, text_at(b, row)));
	if (known < UNKNOWN)
		stacks = b->x->rows.xla_texts[known].text;
	if (stacks.size > MOST_STACK_BYTES)
		stacks.size = 0;
	if (stacks.size)
		stacks = choose_stack(b, stacks, text_at(b, row));
	(void)jr_hlo_builder_add_instruction(b->builder, b->x->rows.xla_texts[row].text, stacks);
}

static void add_block_texts(struct building *b)
{
	for (size_t row = b->block->first; row < b->block->end; row++)
		if (kind_at(b, row) == JR_XLA_FRAMES)
			jr_hlo_builder_set_prefix(b->builder, b->x->rows.xla_texts[row].text);
	for (size_t row = b->block->first; row < b->block->end; row++)
		if (kind_at(b, row) == JR_XLA_COMPUTATIONS)
			(void)jr_hlo_builder_add_computations(b->builder, b->x->rows.xla_texts[row].text);
	for (size_t row = b->block->first; row < b->block->end; row++)
		if (kind_at(b, row) == JR_XLA_INSTRUCTION)
			add_instruction(b, row, true);
}

/* --- texts of earlier modules ----------------------------------------------------------------- */

/* Split "SHAPE opcode(OPERANDS), ATTRIBUTES" before the metadata. A shape may be a tuple. */
static struct piece operands_of(struct piece text, struct piece *head, struct piece *attributes)
{
	size_t at = 0, depth = 0, open = SIZE_MAX;
	bool in_shape = text.n && text.text[0] == '(';
	for (; at < text.n; at++) {
		char c = text.text[at];
		if (c == '(' && depth++ == 0 && !in_shape && open == SIZE_MAX)
			open = at;
		if (c == ')' && depth && --depth == 0) {
			if (!in_shape)
				break;
			in_shape = false;
		}
	}
	if (open == SIZE_MAX || at >= text.n) {
		*head = text;
		return *attributes = (struct piece){"", 0};
	}
	*head = (struct piece){text.text, open};
	struct piece rest = {text.text + at + 1, text.n - at - 1};
	const char *metadata = memmem(rest.text, rest.n, ", metadata={", 12);
	*attributes = (struct piece){rest.text, metadata ? (size_t)(metadata - rest.text) : rest.n};
	return (struct piece){text.text + open + 1, at - open - 1};
}

/* Return the shape that an instruction of that name has in a block: its text up to the opcode. */
static struct piece shape_in(const struct building *b, struct piece name, uint32_t block)
{
	uint32_t at = jr_map_get(&b->h->own, own_key(b->h, block, name));
	const struct entry *e = at == JR_NONE ? NULL : &b->h->instructions.entries.items[at];
	if (!e || e->block != block || !same(e->name, name))
		return (struct piece){"", 0};
	struct piece head, attributes;
	(void)operands_of(e->text, &head, &attributes);
	return head;
}

/* Return whether two texts mean the same work: equal shape, opcode, attributes and operands'
 * shapes. Operands whose shape is not known are only equal if both have the same name. */
static bool means_same(const struct building *b, const struct entry *a, const struct entry *c)
{
	struct piece heads[2], attributes[2];
	struct piece operands[2] = {operands_of(a->text, &heads[0], &attributes[0]),
		operands_of(c->text, &heads[1], &attributes[1])};
	const uint32_t blocks[2] = {a->block, c->block};
	if (!same(heads[0], heads[1]) || !same(attributes[0], attributes[1]))
		return false;
	while (operands[0].n && operands[1].n) {
		struct piece names[2], shapes[2];
		for (size_t i = 0; i < 2; i++) {
			struct piece *from = &operands[i];
			const char *comma = memchr(from->text, ',', from->n);
			size_t n = comma ? (size_t)(comma - from->text) : from->n;
			names[i] = (struct piece){from->text, n};
			const char *blank = memrchr(names[i].text, ' ', n); /* an index comment or a shape */
			if (blank)
				names[i] = (struct piece){blank + 1, (size_t)(names[i].text + n - blank - 1)};
			if (names[i].n && names[i].text[0] == '%')
				names[i] = (struct piece){names[i].text + 1, names[i].n - 1};
			from->text += n + (comma != NULL);
			from->n -= n + (comma != NULL);
			shapes[i] = shape_in(b, names[i], blocks[i]);
		}
		if (!same(shapes[0], shapes[1]) || (shapes[0].n == 0 && !same(names[0], names[1])))
			return false;
	}
	return operands[0].n == operands[1].n;
}

/* Return the text of an instruction that this module does not store, because an earlier one
 * registered the same text. `op_name`: of the thunk; NULL: not known. */
static uint32_t resolve(struct building *b, struct piece name, const struct piece *op_name)
{
	const struct directory *in = &b->h->instructions;
	uint32_t found = JR_NONE;
	size_t n = 0;
	for (uint32_t at = last_named(b->h, in, name); at != JR_NONE; at = next_named(in, at)) {
		const struct entry *e = &in->entries.items[at];
		if (n++ == MOST_CANDIDATES)
			return UNKNOWN;
		if (e->row >= b->block->first)
			continue;
		if (op_name &&
			!same(after(after(e->text, "metadata={", "}"), "op_name=\"", "\""), *op_name))
			continue;
		if (found == JR_NONE)
			found = at;
		else if (!means_same(b, &in->entries.items[found], e))
			return UNKNOWN;
	}
	return found;
}

static void add_resolved(struct building *b, struct piece name, const struct piece *op_name)
{
	uint32_t at = resolve(b, name, op_name);
	b->n_ambiguous += at == UNKNOWN;
	if (at < UNKNOWN)
		add_instruction(b, b->h->instructions.entries.items[at].row, false);
}

/* Resolve the thunks that ran but have no text in the module's block. */
static void add_thunks(
	struct building *b, const struct jr_trace *trace, const struct jr_ran *ran, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (ran[i].program != b->block->number)
			continue;
		const struct jr_trace_name *thunk = &trace->names[ran[i].name];
		struct piece name = {
			jr_intern_str(&trace->strings, thunk->op), jr_intern_len(&trace->strings, thunk->op)};
		struct piece title = {jr_intern_str(&trace->strings, thunk->text),
			jr_intern_len(&trace->strings, thunk->text)};
		if (shape_in(b, name, (uint32_t)(b->block - b->h->blocks.items)).n)
			continue;
		/* The title leaves out the prefix, unless the op_name does not begin with it. */
		const char *from = memmem(title.text, title.n, "#name=", 6),
				   *to = memmem(title.text, title.n, ",hlo_op=", 8);
		if (!from || !to || to < from + 6) {
			add_resolved(b, name, NULL);
			continue;
		}
		struct piece op = {from + 6, (size_t)(to - from - 6)};
		b->scratch.size = 0;
		jr_buf_add(&b->scratch, b->block->prefix.text, b->block->prefix.n);
		if (b->block->prefix.n)
			jr_buf_putc(&b->scratch, '/');
		jr_buf_add(&b->scratch, op.text, op.n);
		struct piece whole = {b->scratch.data, b->scratch.size};
		uint32_t at = resolve(b, name, &whole);
		add_resolved(b, name, at == JR_NONE ? &op : &whole);
	}
}

static void add_computation(struct building *b, const char *text)
{
	const struct directory *in = &b->h->computations;
	struct piece name = {text, strlen(text)};
	uint32_t first = last_named(b->h, in, name), at = first;
	bool several = false;
	for (size_t n = 0; at != JR_NONE && !several; at = next_named(in, at), n++)
		several = n == MOST_CANDIDATES ||
				  !same(in->entries.items[at].text, in->entries.items[first].text);
	b->n_ambiguous += several;
	if (first == JR_NONE || several)
		return;
	struct piece found = in->entries.items[first].text;
	(void)jr_hlo_builder_add_computations(b->builder, jr_bytes_of(found.text, found.n));
}

/* Resolve operands and called computations by name, also those of texts added meanwhile.
 * Computations come first, because they list instructions. */
static void add_mentioned(struct building *b)
{
	size_t next[2] = {0, 0};
	for (;;) {
		bool computation = next[1] < jr_hlo_builder_mentioned(b->builder, true);
		if (!computation && next[0] >= jr_hlo_builder_mentioned(b->builder, false))
			return;
		const char *name = jr_hlo_builder_missing(b->builder, computation, next[computation]++);
		if (name && computation)
			add_computation(b, name);
		else if (name)
			add_resolved(b, (struct piece){name, strlen(name)}, NULL);
	}
}

enum jr_status jr_export_hlo_build(const struct jr_export *x, int64_t number, const char *module,
	const struct jr_trace *trace, const struct jr_ran *ran, size_t n_ran,
	const struct jr_limits *limits, struct jr_hlo *hlo, struct jr_export_hlo_gaps *gaps,
	struct jr_error *err)
{
	struct building b = {.x = x, .h = x->hlo, .block = find_block(x, number, module)};
	if (!b.block)
		return jr_fail(err, JR_ENOTFOUND, "no texts of module %s", module);
	b.builder = jr_hlo_builder_new(module, number, limits);
	learn_stacks(&b);
	add_block_texts(&b);
	add_thunks(&b, trace, ran, n_ran);
	add_mentioned(&b);
	enum jr_status status = jr_hlo_builder_finish(b.builder, hlo, err);
	*gaps = (struct jr_export_hlo_gaps){b.n_ambiguous, jr_hlo_builder_left_out(b.builder)};
	jr_hlo_builder_free(b.builder);
	jr_map_done(&b.stacks);
	jr_map_done(&b.added);
	jr_buf_done(&b.scratch);
	return status;
}
