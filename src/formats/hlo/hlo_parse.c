/*
 * Modules in HLO text. They are translated line by line to the bytes of their message, in p->out,
 * which jr_hlo_decode() reads. Fragments are translated to instructions without a computation;
 * put_computation() and put_entry() put them into their computations.
 */
#include "formats/hlo/hlo_parse.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "formats/hlo/hlo_parse_parts.h"

enum { /* proto/hlo.proto */
	PROTO_MODULE = 1,
	MODULE_NAME = 1,
	MODULE_COMPUTATIONS = 3,
	MODULE_ID = 5,
	MODULE_ENTRY_COMPUTATION_ID = 6,
	MODULE_SCHEDULE = 7,
	MODULE_ALIASES = 8,
	MODULE_FRAMES = 17,
	MODULE_ATTRIBUTES = 19,
	COMPUTATION_NAME = 1,
	COMPUTATION_INSTRUCTIONS = 2,
	COMPUTATION_ID = 5,
	COMPUTATION_ROOT_ID = 6,
	MAP_KEY = 1,
	MAP_VALUE = 2,
};

/* The id of a builder's entry, of which no text gives the name. */
#define BUILDER_ENTRY_ID 1

/* What a module states besides its computations. */
struct module {
	size_t begin; /* in p->out, unless it is in fragments */
	struct jr_bytes name;
	int64_t id;
	bool scheduled;
	struct jr_bytes aliases, attributes;
};

static void parser_init(struct jr_hlo_parser *p, const struct jr_limits *limits)
{
	*p = (struct jr_hlo_parser){.limits = limits};
	jr_intern_init(&p->instructions.texts);
	jr_intern_init(&p->called.texts);
	jr_intern_init(&p->stacks.texts);
	jr_intern_init(&p->stacks.keys);
}

static void parser_done(struct jr_hlo_parser *p)
{
	jr_buf_done(&p->out);
	jr_buf_done(&p->wrapped);
	jr_buf_done(&p->frames);
	jr_buf_done(&p->stacks.scratch);
	jr_intern_done(&p->instructions.texts);
	jr_intern_done(&p->called.texts);
	jr_intern_done(&p->stacks.texts);
	jr_intern_done(&p->stacks.keys);
	jr_map_done(&p->asynchronous);
	jr_map_done(&p->stacks.files);
	jr_map_done(&p->stacks.functions);
	jr_vec_done(&p->pieces);
	jr_vec_done(&p->computations);
	jr_vec_done(&p->piece_of);
	jr_vec_done(&p->fused);
	jr_vec_done(&p->listed);
	jr_vec_done(&p->instructions.ids);
	jr_vec_done(&p->called.ids);
}

/* --- writing a module ------------------------------------------------------------------------ */

/* "{ {0}: (1, {}, may-alias), {1}: (2, {0}, must-alias) }" */
static void put_aliases(struct jr_buf *out, struct jr_bytes value)
{
	struct jr_cursor c = jr_parse_inside(value);
	size_t aliases = jr_put_open(out, MODULE_ALIASES);
	for (;;) {
		struct jr_bytes output, target, number, parameter;
		jr_cursor_blanks(&c);
		if (!jr_cursor_is(&c, '{') || !jr_parse_value(&c, true, &output) || output.size == 0)
			break;
		output.size -= output.data[output.size - 1] == ':';
		jr_cursor_blanks(&c);
		if (!jr_cursor_is(&c, '(') || !jr_parse_value(&c, false, &target))
			break;
		struct jr_cursor in = jr_cursor_of(target);
		int64_t n;
		in.at++;
		if (!jr_parse_value(&in, false, &number))
			break;
		struct jr_cursor digits = jr_cursor_of(number);
		if (!jr_parse_number(&digits, &n))
			break;
		size_t alias = jr_put_open(out, 1);
		jr_put_list(out, 1, output);
		jr_put_number(out, 2, n);
		(void)jr_cursor_char(&in, ',');
		jr_cursor_blanks(&in);
		if (jr_cursor_is(&in, '{') && jr_parse_value(&in, false, &parameter))
			jr_put_list(out, 3, parameter);
		jr_put_close(out, alias);
		(void)jr_cursor_char(&c, ',');
	}
	jr_put_close(out, aliases);
}

static void put_attributes(struct jr_buf *out, struct jr_bytes value)
{
	static const char wanted[] = "fingerprint_before_lhs";
	struct jr_cursor c = jr_parse_inside(value);
	struct jr_bytes key, text;
	while (jr_parse_pair(&c, false, &key, &text)) {
		if (!jr_parse_is(key, wanted))
			continue;
		size_t attributes = jr_put_open(out, MODULE_ATTRIBUTES);
		size_t entry = jr_put_open(out, 1);
		jr_put_text(out, MAP_KEY, key);
		jr_put_quoted(out, MAP_VALUE, text);
		jr_put_close(out, entry);
		jr_put_close(out, attributes);
		return;
	}
}

/* XLA schedules all computations but those of fusions. */
static void put_schedule(struct jr_hlo_parser *p, struct jr_buf *out, const bool *fused)
{
	size_t schedule = jr_put_open(out, MODULE_SCHEDULE);
	for (size_t i = 0; i < p->computations.n; i++) {
		const struct jr_hlo_parsed_computation *c = &p->computations.items[i];
		if (fused[c->id])
			continue;
		size_t entry = jr_put_open(out, 1);
		jr_put_number(out, MAP_KEY, c->id);
		size_t sequence = jr_put_open(out, MAP_VALUE);
		size_t ids = jr_put_open(out, 1);
		for (uint32_t k = 0; k < c->n; k++)
			jr_put_varint(out, p->pieces.items[c->first + k].id);
		jr_put_close(out, ids);
		jr_put_close(out, sequence);
		jr_put_close(out, entry);
	}
	jr_put_close(out, schedule);
}

static size_t open_computation(struct jr_buf *out, struct jr_bytes name, int64_t id)
{
	size_t computation = jr_put_open(out, MODULE_COMPUTATIONS);
	jr_put_text(out, COMPUTATION_NAME, name);
	jr_put_number(out, COMPUTATION_ID, id);
	return computation;
}

static void close_computation(const struct jr_hlo_parser *p, struct jr_buf *out, size_t computation,
	const struct jr_hlo_parsed_computation *c)
{
	uint32_t end = c->first + c->n, root = end;
	while (root > c->first && !p->pieces.items[root - 1].root)
		root--;
	root = root > c->first ? root : end; /* without "ROOT" the last one */
	jr_put_number(out, COMPUTATION_ROOT_ID, c->n ? p->pieces.items[root - 1].id : 0);
	jr_put_close(out, computation);
}

static void put_computation(
	struct jr_hlo_parser *p, struct jr_buf *out, const struct jr_hlo_parsed_computation *c)
{
	const struct jr_intern *names = &p->called.texts;
	struct jr_bytes name =
		jr_bytes_of(jr_intern_str(names, c->name), jr_intern_len(names, c->name));
	size_t computation = open_computation(out, name, c->id);
	for (uint32_t k = 0; k < c->n; k++) {
		const struct jr_hlo_piece *piece = &p->pieces.items[c->first + k];
		jr_put_text(
			out, COMPUTATION_INSTRUCTIONS, jr_bytes_of(p->out.data + piece->at, piece->size));
	}
	close_computation(p, out, computation, c);
}

/* The entry of a builder: all pieces that no computation lists. */
static void put_entry(struct jr_hlo_parser *p, struct jr_buf *out)
{
	size_t computation = open_computation(out, jr_bytes_of("entry", 5), BUILDER_ENTRY_ID);
	for (size_t i = 0; i < p->pieces.n; i++) {
		const struct jr_hlo_piece *piece = &p->pieces.items[i];
		if (piece->listed || piece->size == 0)
			continue;
		jr_put_text(
			out, COMPUTATION_INSTRUCTIONS, jr_bytes_of(p->out.data + piece->at, piece->size));
		if (piece->root)
			jr_put_number(out, COMPUTATION_ROOT_ID, piece->id);
	}
	jr_put_close(out, computation);
}

static enum jr_status too_large(const struct jr_hlo_parser *p, struct jr_error *err)
{
	return jr_fail(err, JR_ELIMIT, "module takes more than %" PRIu64 " bytes (--max-memory)",
		p->limits->memory_bytes);
}

static enum jr_status assemble(struct jr_hlo_parser *p, const struct module *m, int64_t entry_id,
	struct jr_hlo *hlo, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf collected = {0};
	struct jr_buf *out = p->fragments ? &collected : &p->out;
	if (jr_parse_is_full(p))
		return too_large(p, err);
	size_t module = m->begin;
	if (p->fragments) {
		JR_TRY(jr_buf_room(out, p->out.size + p->wrapped.size + p->frames.size + 64, err));
		module = jr_put_open(out, PROTO_MODULE);
		for (size_t i = 0; i < p->computations.n; i++)
			put_computation(p, out, &p->computations.items[i]);
		put_entry(p, out);
	}
	jr_put_text(out, MODULE_NAME, m->name);
	jr_put_number(out, MODULE_ID, m->id);
	jr_put_number(out, MODULE_ENTRY_COMPUTATION_ID, entry_id);
	if (p->wrapped.size)
		jr_buf_add(out, p->wrapped.data, p->wrapped.size);
	if (m->scheduled) {
		bool *fused = jr_calloc((size_t)p->called.n_ids + 1, sizeof(*fused));
		for (size_t i = 0; i < p->fused.n; i++)
			fused[p->fused.items[i]] = true;
		put_schedule(p, out, fused);
		free(fused);
	}
	if (!p->fragments)
		put_aliases(out, m->aliases);
	put_attributes(out, m->attributes);
	if (p->frames.size)
		jr_put_text(out, MODULE_FRAMES, jr_buf_view(&p->frames));
	jr_put_close(out, module);
	JR_TRY(jr_hlo_decode(jr_buf_view(out), p->limits, hlo, err));
	hlo->is_text = true;
	return JR_OK;
}

/* --- reading a module ------------------------------------------------------------------------ */

static void next_line(struct jr_cursor *c)
{
	const char *end = memchr(c->at, '\n', (size_t)(c->end - c->at));
	c->at = end ? end + 1 : c->end;
}

static void skip_empty(struct jr_cursor *c)
{
	while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r'))
		c->at++;
}

/* "[ENTRY ]NAME [(PARAMETERS) -> SHAPE ]{" */
static bool parse_header(struct jr_cursor *c, struct jr_bytes *name, bool *entry)
{
	struct jr_cursor line = *c;
	next_line(c);
	line.end = c->at;
	while (
		line.end > line.at && (line.end[-1] == '\n' || line.end[-1] == '\r' || line.end[-1] == ' '))
		line.end--;
	*entry = jr_cursor_take(&line, "ENTRY ");
	*name = jr_parse_name(&line);
	return name->size && line.at < line.end && line.end[-1] == '{';
}

/* Step behind "}", with what follows on its line: " // NAME", ", execution_thread=...". In
 * fragments the next computation may begin on the same line. */
static void parse_end(struct jr_cursor *c, struct jr_bytes name)
{
	c->at++;
	struct jr_cursor line = {c->at, memchr(c->at, '\n', (size_t)(c->end - c->at))};
	line.end = line.end ? line.end : c->end;
	jr_cursor_blanks(&line);
	if (jr_cursor_take(&line, "// ") && (size_t)(line.end - line.at) >= name.size &&
		memcmp(line.at, name.data, name.size) == 0)
		line.at += name.size;
	c->at = line.at;
	if (line.at == line.end || line.end[-1] != '{')
		next_line(c);
}

/* Read the lines up to "}". A computation of a builder that is known is skipped. */
static bool parse_body(
	struct jr_hlo_parser *p, struct jr_cursor *c, struct jr_bytes name, bool skip)
{
	for (;;) {
		skip_empty(c);
		if (c->at == c->end)
			return false;
		if (jr_cursor_is(c, '}')) {
			parse_end(c, name);
			return true;
		}
		if (jr_cursor_take(c, "//") || skip)
			next_line(c);
		else if (!jr_parse_instruction(p, c, 0))
			return false;
	}
}

static bool parse_computation(struct jr_hlo_parser *p, struct jr_cursor *c, bool *entry)
{
	struct jr_bytes name;
	struct jr_cursor begin = *c;
	if (!parse_header(c, &name, entry)) {
		*c = begin;
		return false;
	}
	uint32_t id = jr_parse_computation_id(p, name);
	bool known = id < p->listed.n && p->listed.items[id];
	if (known && p->fragments)
		return parse_body(p, c, name, true);
	if (known)
		id = ++p->called.n_ids; /* of equal names the first counts */
	while (p->listed.n <= id)
		*jr_vec_add(&p->listed) = false;
	p->listed.items[id] = true;
	if (!p->fragments) {
		jr_intern_clear(&p->instructions.texts);
		p->instructions.ids.n = 0;
	}
	uint32_t first = (uint32_t)p->pieces.n;
	size_t computation = p->fragments ? 0 : open_computation(&p->out, name, id);
	p->in_computation = true;
	bool ok = parse_body(p, c, name, false);
	p->in_computation = false;
	const struct jr_hlo_parsed_computation parsed = {id,
		jr_intern_put(&p->called.texts, (const char *)name.data, name.size), first,
		(uint32_t)p->pieces.n - first};
	*jr_vec_add(&p->computations) = parsed;
	if (!p->fragments)
		close_computation(p, &p->out, computation, &parsed);
	return ok;
}

/* "HloModule NAME, KEY=VALUE, ..." */
static bool parse_title(struct jr_cursor *c, struct module *m)
{
	struct jr_bytes key, value;
	if (!jr_cursor_take(c, "HloModule "))
		return false;
	m->name = jr_parse_name(c);
	while (jr_cursor_is(c, ',') && jr_parse_pair(c, false, &key, &value)) {
		if (jr_parse_is(key, "is_scheduled"))
			m->scheduled = jr_parse_is(value, "true");
		else if (jr_parse_is(key, "input_output_alias"))
			m->aliases = value;
		else if (jr_parse_is(key, "frontend_attributes"))
			m->attributes = value;
	}
	next_line(c);
	return m->name.size > 0;
}

static enum jr_status damaged(
	const struct jr_hlo_parser *p, struct jr_bytes in, const char *at, struct jr_error *err)
{
	uint64_t line = 1;
	const char *end = (const char *)in.data + in.size;
	if (jr_parse_is_full(p))
		return too_large(p, err);
	for (const char *c = (const char *)in.data; c < at; c++)
		line += *c == '\n';
	return jr_fail(err, JR_EFORMAT,
		at == end ? "HLO text ends inside a computation, line %" PRIu64
				  : "damaged HLO text in line %" PRIu64,
		line);
}

static enum jr_status parse_module(
	struct jr_hlo_parser *p, struct jr_bytes in, struct jr_hlo *hlo, struct jr_error *err)
{
	struct jr_cursor c = jr_cursor_of(in);
	struct module m = {.begin = jr_put_open(&p->out, PROTO_MODULE)};
	int64_t entry_id = -1;
	skip_empty(&c);
	if (!parse_title(&c, &m))
		return jr_fail(err, JR_EFORMAT, "not HLO text: does not begin with \"HloModule\"");
	for (skip_empty(&c); c.at < c.end; skip_empty(&c)) {
		bool entry = false;
		if (jr_cursor_take(&c, "//"))
			next_line(&c);
		else if (jr_parse_frames(p, &c))
			continue;
		else if (!parse_computation(p, &c, &entry))
			return damaged(p, in, c.at, err);
		if (entry)
			entry_id = p->computations.items[p->computations.n - 1].id;
	}
	if (p->computations.n == 0)
		return jr_fail(err, JR_EFORMAT, "HLO text without a computation");
	return assemble(p, &m, entry_id, hlo, err);
}

enum jr_status jr_hlo_decode_text(
	struct jr_bytes in, const struct jr_limits *limits, struct jr_hlo *hlo, struct jr_error *err)
{
	JR_CLEANUP(parser_done) struct jr_hlo_parser p;
	parser_init(&p, limits);
	return parse_module(&p, in, hlo, err);
}

/* --- fragments ------------------------------------------------------------------------------- */

struct jr_hlo_builder {
	struct jr_hlo_parser parser;
	struct jr_buf name;
	int64_t id;
	uint64_t left_out;
};

struct jr_hlo_builder *jr_hlo_builder_new(
	const char *name, int64_t id, const struct jr_limits *limits)
{
	struct jr_hlo_builder *b = jr_calloc(1, sizeof(*b));
	parser_init(&b->parser, limits);
	b->parser.fragments = true;
	b->parser.called.n_ids = BUILDER_ENTRY_ID;
	b->id = id;
	jr_buf_puts(&b->name, name);
	return b;
}

void jr_hlo_builder_free(struct jr_hlo_builder *b)
{
	if (!b)
		return;
	parser_done(&b->parser);
	jr_buf_done(&b->name);
	free(b);
}

void jr_hlo_builder_set_prefix(struct jr_hlo_builder *b, struct jr_bytes frames)
{
	b->parser.stacks.prefix = jr_parse_stack(&b->parser, frames, 0);
}

bool jr_hlo_builder_add_instruction(
	struct jr_hlo_builder *b, struct jr_bytes text, struct jr_bytes stacks)
{
	struct jr_cursor c = jr_cursor_of(text);
	uint32_t frame = stacks.size ? jr_parse_stack(&b->parser, stacks, b->parser.stacks.prefix) : 0;
	skip_empty(&c);
	bool ok = jr_parse_instruction(&b->parser, &c, frame);
	skip_empty(&c);
	b->left_out += !ok;
	return ok;
}

bool jr_hlo_builder_add_computations(struct jr_hlo_builder *b, struct jr_bytes text)
{
	struct jr_cursor c = jr_cursor_of(text);
	bool entry, ok = true;
	for (skip_empty(&c); ok && c.at < c.end; skip_empty(&c))
		ok = parse_computation(&b->parser, &c, &entry);
	b->left_out += !ok;
	return ok;
}

size_t jr_hlo_builder_mentioned(const struct jr_hlo_builder *b, bool computations)
{
	const struct jr_hlo_parser *p = &b->parser;
	return (computations ? &p->called : &p->instructions)->texts.n - 1; /* all but "" */
}

const char *jr_hlo_builder_missing(
	const struct jr_hlo_builder *b, bool computations, size_t mention)
{
	const struct jr_hlo_parser *p = &b->parser;
	const struct jr_hlo_names *names = computations ? &p->called : &p->instructions;
	uint32_t row = (uint32_t)mention + 1, id = names->ids.items[row];
	bool known = computations ? id < p->listed.n && p->listed.items[id]
							  : id < p->piece_of.n && p->piece_of.items[id] != JR_NONE;
	return known ? NULL : jr_intern_str(&names->texts, row);
}

uint64_t jr_hlo_builder_left_out(const struct jr_hlo_builder *b)
{
	return b->left_out;
}

enum jr_status jr_hlo_builder_finish(
	struct jr_hlo_builder *b, struct jr_hlo *hlo, struct jr_error *err)
{
	struct module m = {.name = jr_buf_view(&b->name), .id = b->id};
	return assemble(&b->parser, &m, BUILDER_ENTRY_ID, hlo, err);
}
