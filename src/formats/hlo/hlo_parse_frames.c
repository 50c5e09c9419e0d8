/* Stack frames in HLO text: the tables of a module, or the merged stacks of one instruction. */
#include "formats/hlo/hlo_parse_parts.h"

enum { /* proto/hlo.proto */
	FRAMES_FILE_NAMES = 1,
	FRAMES_FUNCTION_NAMES = 2,
	FRAMES_LOCATIONS = 3,
	FRAMES_FRAMES = 4,
};

/* --- tables of a module ---------------------------------------------------------------------- */

/* "{file_name_id=1 function_name_id=1 line=10 end_line=10 column=2 end_column=8}" */
static void put_location(struct jr_buf *out, struct jr_bytes value)
{
	static const struct {
		const char *key;
		uint32_t table, field;
		int64_t more; /* than the field has */
	} keys[] = {{"file_name_id", FRAMES_LOCATIONS, 1, 0},
		{"function_name_id", FRAMES_LOCATIONS, 2, 0}, {"line", FRAMES_LOCATIONS, 3, 0},
		{"column", FRAMES_LOCATIONS, 4, 0}, {"file_location_id", FRAMES_FRAMES, 1, 0},
		/* XLA prints it one higher: 1 is no parent (HloModule::Print). */
		{"parent_frame_id", FRAMES_FRAMES, 2, 1}};
	struct jr_cursor c = jr_parse_inside(value);
	struct jr_bytes key, text;
	while (jr_parse_pair(&c, true, &key, &text))
		for (size_t k = 0; k < sizeof(keys) / sizeof(*keys); k++) {
			struct jr_cursor number = jr_cursor_of(text);
			int64_t n;
			if (jr_parse_is(key, keys[k].key) && jr_parse_number(&number, &n))
				jr_put_number(out, keys[k].field, n > keys[k].more ? n - keys[k].more : 0);
		}
}

/* "1 VALUE", a line per entry, numbered from 1 without gaps. */
static bool put_table(struct jr_buf *out, uint32_t field, struct jr_cursor *c)
{
	for (int64_t n = 1;; n++) {
		int64_t number;
		struct jr_bytes value;
		jr_cursor_blanks(c);
		if (!jr_parse_number(c, &number))
			return true;
		if (number != n || !jr_cursor_char(c, ' ') || !jr_parse_value(c, false, &value))
			return false;
		if (field == FRAMES_FILE_NAMES || field == FRAMES_FUNCTION_NAMES) {
			jr_put_quoted(out, field, value);
		} else {
			size_t entry = jr_put_open(out, field);
			put_location(out, value);
			jr_put_close(out, entry);
		}
		if (c->at < c->end && !jr_cursor_char(c, '\n'))
			return false;
	}
}

bool jr_parse_frames(struct jr_hlo_parser *p, struct jr_cursor *c)
{
	static const char *const titles[] = {
		"FileNames\n", "FunctionNames\n", "FileLocations\n", "StackFrames\n"};
	for (uint32_t i = 0; i < sizeof(titles) / sizeof(*titles); i++)
		if (jr_cursor_take(c, titles[i]))
			return put_table(&p->frames, i + 1, c);
	return false;
}

/* --- merged stacks --------------------------------------------------------------------------- */

struct place {
	struct jr_bytes file, function;
	int64_t line, column;
};

/* Split ":NUMBER" off the end of a text. */
static bool split_number(struct jr_bytes *text, int64_t *number)
{
	size_t n = text->size;
	while (n > 0 && text->data[n - 1] >= '0' && text->data[n - 1] <= '9')
		n--;
	if (n == text->size || n == 0 || text->data[n - 1] != ':')
		return false;
	struct jr_cursor c = jr_cursor_of(jr_bytes_of(text->data + n, text->size - n));
	(void)jr_parse_number(&c, number);
	text->size = n - 1;
	return true;
}

/* "FILE:LINE[:COLUMN][[FUNCTION]][ OP]". A file's name may have blanks and colons, so that its end
 * is sought: the last ":LINE" before the function. */
static bool parse_place(struct jr_bytes line, struct place *out)
{
	const char *text = (const char *)line.data;
	const char *open = memchr(text, '[', line.size);
	const char *close = open ? memchr(open, ']', line.size - (size_t)(open - text)) : NULL;
	*out = (struct place){.line = 0};
	out->file = line;
	if (close) {
		out->file.size = (size_t)(open - text);
		out->function = jr_bytes_of(open + 1, (size_t)(close - open - 1));
	} else {
		for (size_t n = line.size; n > 0; n--) {
			bool digit = text[n - 1] >= '0' && text[n - 1] <= '9';
			if (digit && (n == line.size || text[n] == ' ')) {
				out->file.size = n;
				break;
			}
		}
	}
	int64_t last, before;
	if (!split_number(&out->file, &last))
		return false;
	bool two = split_number(&out->file, &before);
	out->line = two ? before : last;
	out->column = two ? last : 0;
	return out->file.size > 0;
}

/* Append a text with "&lt;", "&gt;" and "&amp;" as the letters. */
static struct jr_bytes unescaped(struct jr_buf *scratch, struct jr_bytes text)
{
	static const struct {
		const char *escape;
		char letter;
	} escapes[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}};
	struct jr_cursor c = jr_cursor_of(text);
	size_t begin = scratch->size;
	while (c.at < c.end) {
		size_t k = 0;
		while (k < sizeof(escapes) / sizeof(*escapes) && !jr_cursor_take(&c, escapes[k].escape))
			k++;
		jr_buf_putc(scratch, k < sizeof(escapes) / sizeof(*escapes) ? escapes[k].letter : *c.at++);
	}
	return jr_bytes_of(scratch->data + begin, scratch->size - begin);
}

static uint32_t text_id(struct jr_hlo_stacks *s, struct jr_map *ids, uint32_t *n,
	struct jr_buf *out, uint32_t field, struct jr_bytes raw)
{
	s->scratch.size = 0;
	struct jr_bytes text = unescaped(&s->scratch, raw);
	uint32_t key = jr_intern_put(&s->texts, (const char *)text.data, text.size);
	uint32_t id = jr_map_get(ids, key);
	if (id == JR_NONE) {
		id = ++*n;
		jr_map_put(ids, key, id);
		jr_put_text(out, field, text);
	}
	return id;
}

/* Return the frame of that place below its parent. */
static uint32_t frame_id(struct jr_hlo_parser *p, uint32_t parent, const struct place *place)
{
	struct jr_hlo_stacks *s = &p->stacks;
	uint32_t file = text_id(s, &s->files, &s->n_files, &p->frames, FRAMES_FILE_NAMES, place->file);
	uint32_t function = text_id(
		s, &s->functions, &s->n_functions, &p->frames, FRAMES_FUNCTION_NAMES, place->function);
	const int64_t key[] = {parent, file, function, place->line, place->column};
	uint32_t known = jr_intern_put(&s->keys, (const char *)key, sizeof(key));
	if (known <= s->n_frames) /* id 0 is the empty text */
		return known;
	s->n_frames++;
	size_t location = jr_put_open(&p->frames, FRAMES_LOCATIONS);
	jr_put_number(&p->frames, 1, file);
	jr_put_number(&p->frames, 2, function);
	jr_put_number(&p->frames, 3, place->line);
	jr_put_number(&p->frames, 4, place->column);
	jr_put_close(&p->frames, location);
	size_t frame = jr_put_open(&p->frames, FRAMES_FRAMES);
	jr_put_number(&p->frames, 1, known);
	jr_put_number(&p->frames, 2, parent);
	jr_put_close(&p->frames, frame);
	return known;
}

uint32_t jr_parse_stack(struct jr_hlo_parser *p, struct jr_bytes stacks, uint32_t parent)
{
	struct jr_cursor c = jr_cursor_of(stacks);
	size_t before = 0;
	/* The prefix has at most half of the frames that a module may nest, a stack the other half. */
	for (uint64_t n = 0; c.at < c.end && n < p->limits->depth / 2; n++) {
		struct jr_bytes line = jr_cursor_until(&c, "\n");
		c.at += c.at < c.end;
		size_t depth = 0, skip = 0;
		for (; skip < line.size && (line.data[skip] == '-' || line.data[skip] == ' '); skip++)
			depth += line.data[skip] == '-';
		if (skip == line.size)
			continue;
		if (depth && depth <= before)
			break; /* another stack begins */
		struct place place;
		if (parse_place(jr_bytes_of(line.data + skip, line.size - skip), &place))
			parent = frame_id(p, parent, &place);
		before = depth;
	}
	return parent;
}
