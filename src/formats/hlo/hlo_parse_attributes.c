/* Attributes in HLO text. One table: what XLA calls each, and the field that holds it. */
#include <stddef.h>

#include "base/cleanup.h"
#include "formats/hlo/hlo_parse_parts.h"
#include "formats/hlo/hlo_parts.h"

enum { /* proto/hlo.proto */
	INSTRUCTION_METADATA = 7,
	INSTRUCTION_FUSION_KIND = 11,
	INSTRUCTION_TUPLE_INDEX = 13,
	INSTRUCTION_DIMENSIONS = 14,
	INSTRUCTION_WINDOW = 15,
	INSTRUCTION_CONVOLUTION = 16,
	INSTRUCTION_CUSTOM_CALL_TARGET = 28,
	INSTRUCTION_DOT = 30,
	INSTRUCTION_FFT_TYPE = 31,
	INSTRUCTION_FFT_LENGTH = 32,
	INSTRUCTION_CALLED_IDS = 38,
	INSTRUCTION_BACKEND_CONFIG = 43,
	INSTRUCTION_REPLICA_GROUPS = 49,
	INSTRUCTION_FEATURE_GROUPS = 50,
	INSTRUCTION_PRECISION = 51,
	INSTRUCTION_BATCH_GROUPS = 58,
	INSTRUCTION_DIRECTION = 63,
	INSTRUCTION_IOTA_GROUPS = 92,
	INSTRUCTION_MESH_GROUPS = 93,
	GROUP_IDS = 1,
	DOT_LHS_CONTRACTING = 1,
	PRECISION_OPERANDS = 1,
	PRECISION_ALGORITHM = 2,
	WINDOW_DIMENSIONS = 1,
	METADATA_STACK_FRAME = 15,
};

#define MAX_RANK 64 /* dimensions of a window, axes of a mesh */

/* What is known only when all attributes are read. */
struct found {
	struct jr_bytes precisions, algorithm, contracting, condition, metadata;
	bool has_contracting;
};

/* --- windows and convolutions ---------------------------------------------------------------- */

/* "size=3x3 stride=2x2 pad=1_1x0_1 lhs_dilate=1x1 rhs_dilate=2x2" */
static void put_window(struct jr_buf *out, struct jr_bytes value)
{
	static const struct {
		const char *key;
		uint32_t fields[2];
	} keys[] = {{"size", {1, 0}}, {"stride", {2, 0}}, {"pad", {3, 4}}, {"rhs_dilate", {5, 0}},
		{"lhs_dilate", {6, 0}}};
	int64_t values[MAX_RANK][7] = {{0}};
	size_t rank = 0;
	struct jr_cursor c = jr_parse_inside(value);
	struct jr_bytes key, numbers;
	while (jr_parse_pair(&c, true, &key, &numbers)) {
		struct jr_cursor n = jr_cursor_of(numbers);
		size_t k = 0;
		while (k < JR_COUNT_OF(keys) && !jr_parse_is(key, keys[k].key))
			k++;
		for (size_t i = 0; k < JR_COUNT_OF(keys) && i < MAX_RANK; i++) {
			if (!jr_parse_number(&n, &values[i][keys[k].fields[0]]))
				break;
			if (keys[k].fields[1] && jr_cursor_char(&n, '_'))
				(void)jr_parse_number(&n, &values[i][keys[k].fields[1]]);
			rank = i + 1 > rank ? i + 1 : rank;
			if (!jr_cursor_char(&n, 'x'))
				break;
		}
	}
	size_t window = jr_put_open(out, INSTRUCTION_WINDOW);
	for (size_t i = 0; i < rank; i++) {
		size_t dimension = jr_put_open(out, WINDOW_DIMENSIONS);
		for (uint32_t field = 1; field <= 6; field++)
			jr_put_number(out, field, values[i][field]);
		jr_put_close(out, dimension);
	}
	jr_put_close(out, window);
}

/* "b01f_01io->b01f": a letter or digit per dimension of input, kernel and output. Digits are
 * spatial dimensions, in any order. Nothing is written if one of them is missing ("b1f"). */
static void put_convolution(struct jr_buf *out, struct jr_bytes value)
{
	static const struct {
		const char letters[3];
		uint32_t fields[2], spatial;
	} arrays[] = {{"bf", {7, 8}, 11}, {"io", {3, 4}, 6}, {"bf", {9, 10}, 12}};
	struct jr_cursor c = jr_cursor_of(value);
	size_t before = out->size, convolution = jr_put_open(out, INSTRUCTION_CONVOLUTION);
	for (size_t a = 0; a < JR_COUNT_OF(arrays); a++) {
		int64_t spatial[10];
		size_t n = 0;
		uint32_t seen = 0; /* bit = digit */
		for (int64_t i = 0; c.at < c.end && *c.at != '_' && *c.at != '-'; i++) {
			char ch = *c.at++;
			if (ch >= '0' && ch <= '9') {
				spatial[ch - '0'] = i;
				seen |= 1u << (ch - '0');
				n = (size_t)(ch - '0') + 1 > n ? (size_t)(ch - '0') + 1 : n;
			} else if (ch == arrays[a].letters[0] || ch == arrays[a].letters[1]) {
				jr_put_number(out, arrays[a].fields[ch == arrays[a].letters[1]], i);
			}
		}
		if (seen != (1u << n) - 1) {
			out->size = before;
			return;
		}
		(void)(jr_cursor_take(&c, "->") || jr_cursor_char(&c, '_'));
		for (size_t i = 0; i < n; i++)
			jr_put_number(out, arrays[a].spatial, spatial[i]);
	}
	jr_put_close(out, convolution);
}

/* --- groups of devices ----------------------------------------------------------------------- */

/* "[2,4]<=[4,2]T(1,0)" */
static void put_iota(struct jr_buf *out, struct jr_cursor *c)
{
	int64_t number;
	size_t groups = jr_put_open(out, INSTRUCTION_IOTA_GROUPS);
	for (uint32_t field = 1; jr_parse_number(c, &number); field = 2) {
		jr_put_number(out, field, number);
		(void)jr_cursor_char(c, ',');
	}
	for (uint32_t field = 3; jr_cursor_take(c, field == 3 ? "]<=[" : "]T("); field++)
		while (jr_parse_number(c, &number)) {
			jr_put_number(out, field, number);
			(void)jr_cursor_char(c, ',');
		}
	jr_put_close(out, groups);
}

/* "mesh<a=2,b=4> {a,b:(1)2}" */
static void put_mesh(struct jr_buf *out, struct jr_cursor *c)
{
	struct jr_bytes names[MAX_RANK];
	size_t n = 0;
	size_t list = jr_put_open(out, INSTRUCTION_MESH_GROUPS);
	size_t mesh = jr_put_open(out, 1);
	(void)jr_cursor_until(c, "<");
	do {
		int64_t size;
		c->at += c->at < c->end;
		struct jr_bytes name = jr_parse_name(c);
		if (n == MAX_RANK || !jr_cursor_char(c, '=') || !jr_parse_number(c, &size))
			break;
		names[n++] = name;
		size_t axis = jr_put_open(out, 1);
		jr_put_text(out, 1, name);
		jr_put_number(out, 2, size);
		jr_put_close(out, axis);
	} while (jr_cursor_is(c, ','));
	jr_put_close(out, mesh);
	(void)jr_cursor_until(c, "{");
	while (c->at < c->end && *c->at != '}') {
		c->at++;
		jr_cursor_blanks(c);
		struct jr_bytes name = jr_cursor_until(c, ":,}");
		size_t k = 0;
		int64_t before, size;
		while (k < n && !jr_bytes_eq(names[k], name))
			k++;
		if (name.size == 0)
			continue;
		size_t axis = jr_put_open(out, 2);
		jr_put_number(out, 1, (int64_t)k);
		if (jr_cursor_take(c, ":(") && jr_parse_number(c, &before) && jr_cursor_char(c, ')') &&
			jr_parse_number(c, &size)) {
			size_t part = jr_put_open(out, 2);
			jr_put_number(out, 1, before);
			jr_put_number(out, 2, size);
			jr_put_close(out, part);
		}
		jr_put_close(out, axis);
		(void)jr_cursor_until(c, ",}");
	}
	jr_put_close(out, list);
}

/* "{{0,1},{2,3}}" */
static void put_groups(struct jr_buf *out, struct jr_bytes value)
{
	struct jr_cursor c = jr_parse_inside(value);
	if (jr_cursor_char(&c, '[')) {
		put_iota(out, &c);
		return;
	}
	if (jr_cursor_is(&c, '@') || jr_cursor_is(&c, 'm')) {
		put_mesh(out, &c);
		return;
	}
	struct jr_bytes ids;
	while (jr_cursor_is(&c, '{') && jr_parse_value(&c, true, &ids)) {
		size_t group = jr_put_open(out, INSTRUCTION_REPLICA_GROUPS);
		jr_put_list(out, GROUP_IDS, ids);
		jr_put_close(out, group);
		(void)jr_cursor_char(&c, ',');
		jr_cursor_blanks(&c);
	}
}

/* --- the others ------------------------------------------------------------------------------ */

static void put_precision(struct jr_buf *out, const struct found *f)
{
	static const char *const names[] = {"default", "high", "highest"};
	size_t message = jr_put_open(out, INSTRUCTION_PRECISION);
	struct jr_cursor c = jr_parse_inside(f->precisions);
	for (; c.at < c.end; c.at += c.at < c.end) {
		jr_cursor_blanks(&c);
		struct jr_bytes name = jr_parse_name(&c);
		int64_t k = 0;
		while (k < (int64_t)JR_COUNT_OF(names) && !jr_parse_is(name, names[k]))
			k++;
		if (name.size)
			jr_put_number(out, PRECISION_OPERANDS, k);
	}
	if (f->algorithm.size)
		jr_put_number(out, PRECISION_ALGORITHM,
			jr_hlo_algorithm((const char *)f->algorithm.data, f->algorithm.size));
	jr_put_close(out, message);
}

static void put_fft_type(struct jr_buf *out, struct jr_bytes value)
{
	static const char *const names[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
	int64_t k = 0;
	while (k < (int64_t)JR_COUNT_OF(names) && !jr_parse_is(value, names[k]))
		k++;
	jr_put_number(
		out, INSTRUCTION_FFT_TYPE, k < (int64_t)JR_COUNT_OF(names) ? k : (int64_t)UINT8_MAX);
}

/* "op_name="..." source_file="..." source_line=12 stack_frame_id=3". The frame of a fragment would
 * need the table of its module. */
static void put_metadata(struct jr_hlo_parser *p, struct jr_bytes value, uint32_t frame)
{
	struct jr_buf *out = &p->out;
	static const struct {
		const char *key;
		uint32_t field;
		bool text;
	} keys[] = {{"op_name", 2, true}, {"source_file", 3, true}, {"source_line", 4, false},
		{"stack_frame_id", METADATA_STACK_FRAME, false}, {"scheduling_name", 16, true}};
	struct jr_cursor c = jr_parse_inside(value);
	struct jr_bytes key, inner;
	size_t message = jr_put_open(out, INSTRUCTION_METADATA);
	while (jr_parse_pair(&c, true, &key, &inner)) {
		for (size_t k = 0; k < JR_COUNT_OF(keys); k++) {
			if (!jr_parse_is(key, keys[k].key))
				continue;
			struct jr_cursor n = jr_cursor_of(inner);
			int64_t number;
			if (keys[k].text)
				jr_put_quoted(out, keys[k].field, inner);
			else if (jr_parse_number(&n, &number) &&
					 !(p->fragments && keys[k].field == METADATA_STACK_FRAME))
				jr_put_number(out, keys[k].field, number);
		}
	}
	if (frame)
		jr_put_number(out, METADATA_STACK_FRAME, frame);
	jr_put_close(out, message);
}

/* "%a" or "{%a, %b}" */
static void put_called(struct jr_hlo_parser *p, struct jr_bytes value, bool fused)
{
	struct jr_cursor c = jr_parse_inside(value);
	do {
		jr_cursor_blanks(&c);
		struct jr_bytes name = jr_parse_name(&c);
		if (name.size == 0)
			continue;
		uint32_t id = jr_parse_computation_id(p, name);
		jr_put_number(&p->out, INSTRUCTION_CALLED_IDS, id);
		if (fused)
			*jr_vec_add(&p->fused) = id;
		jr_cursor_blanks(&c);
	} while (jr_cursor_char(&c, ','));
}

static void put_backend_config(struct jr_buf *out, struct jr_bytes value)
{
	jr_put_quoted(out, INSTRUCTION_BACKEND_CONFIG, value);
}

/* --- the table ------------------------------------------------------------------------------- */

enum kind {
	NUMBER,
	LIST, /* "{0,1}", or one number */
	WORD,
	QUOTED,
	CALLED,
	OTHER,
	LATER, /* kept in struct found */
};

#define KEPT(member) offsetof(struct found, member)

static const struct attribute {
	const char *key;
	enum kind kind;
	uint32_t field;
	void (*put)(struct jr_buf *out, struct jr_bytes value);
	size_t kept;
} attributes[] = {
	{.key = "metadata", .kind = LATER, .kept = KEPT(metadata)},
	{.key = "dimensions", .kind = LIST, .field = INSTRUCTION_DIMENSIONS},
	{.key = "iota_dimension", .kind = LIST, .field = INSTRUCTION_DIMENSIONS},
	{.key = "index", .kind = NUMBER, .field = INSTRUCTION_TUPLE_INDEX},
	{.key = "kind", .kind = WORD, .field = INSTRUCTION_FUSION_KIND},
	{.key = "calls", .kind = CALLED},
	{.key = "to_apply", .kind = CALLED},
	{.key = "body", .kind = CALLED},
	{.key = "condition", .kind = LATER, .kept = KEPT(condition)}, /* behind the body */
	{.key = "branch_computations", .kind = CALLED},
	{.key = "true_computation", .kind = CALLED},
	{.key = "false_computation", .kind = CALLED},
	{.key = "called_computations", .kind = CALLED},
	{.key = "select", .kind = CALLED},
	{.key = "scatter", .kind = CALLED},
	{.key = "backend_config", .kind = OTHER, .put = put_backend_config},
	{.key = "custom_call_target", .kind = QUOTED, .field = INSTRUCTION_CUSTOM_CALL_TARGET},
	{.key = "replica_groups", .kind = OTHER, .put = put_groups},
	{.key = "lhs_contracting_dims", .kind = LATER, .kept = KEPT(contracting)},
	{.key = "operand_precision", .kind = LATER, .kept = KEPT(precisions)},
	{.key = "algorithm", .kind = LATER, .kept = KEPT(algorithm)},
	{.key = "direction", .kind = WORD, .field = INSTRUCTION_DIRECTION},
	{.key = "window", .kind = OTHER, .put = put_window},
	{.key = "dim_labels", .kind = OTHER, .put = put_convolution},
	{.key = "feature_group_count", .kind = NUMBER, .field = INSTRUCTION_FEATURE_GROUPS},
	{.key = "batch_group_count", .kind = NUMBER, .field = INSTRUCTION_BATCH_GROUPS},
	{.key = "fft_type", .kind = OTHER, .put = put_fft_type},
	{.key = "fft_length", .kind = LIST, .field = INSTRUCTION_FFT_LENGTH},
};

static void put_attribute(struct jr_hlo_parser *p, const struct attribute *a, struct jr_bytes value,
	bool fusion, struct found *f)
{
	struct jr_cursor c = jr_cursor_of(value);
	int64_t number;
	switch (a->kind) {
	case NUMBER:
		if (jr_parse_number(&c, &number))
			jr_put_number(&p->out, a->field, number);
		break;
	case LIST: jr_put_list(&p->out, a->field, value); break;
	case WORD: jr_put_text(&p->out, a->field, value); break;
	case QUOTED: jr_put_quoted(&p->out, a->field, value); break;
	case CALLED: put_called(p, value, fusion); break;
	case OTHER: a->put(&p->out, value); break;
	case LATER: memcpy((char *)f + a->kept, &value, sizeof(value)); break;
	}
}

bool jr_parse_attributes(struct jr_hlo_parser *p, struct jr_cursor *c, struct jr_bytes opcode,
	uint32_t frame, size_t *metadata)
{
	struct found f = {.has_contracting = jr_parse_is(opcode, "dot")};
	struct jr_bytes key, value;
	uint64_t seen = 0; /* a field that occurs twice would make the message invalid */
	jr_cursor_blanks(c);
	while (jr_cursor_is(c, ',')) {
		if (!jr_parse_pair(c, false, &key, &value))
			return false;
		for (size_t k = 0; k < JR_COUNT_OF(attributes); k++) {
			if (seen >> k & 1 || !jr_parse_is(key, attributes[k].key))
				continue;
			seen |= UINT64_C(1) << k;
			put_attribute(p, &attributes[k], value, jr_parse_is(opcode, "fusion"), &f);
			break;
		}
	}
	if (f.condition.size)
		put_called(p, f.condition, false);
	if (f.has_contracting || f.contracting.size) {
		size_t dot = jr_put_open(&p->out, INSTRUCTION_DOT);
		jr_put_list(&p->out, DOT_LHS_CONTRACTING, f.contracting);
		jr_put_close(&p->out, dot);
	}
	if (f.algorithm.size < 4 || memcmp(f.algorithm.data, "dot_", 4) != 0)
		f.algorithm.size = 0; /* one of random numbers */
	if (f.precisions.size || f.algorithm.size)
		put_precision(&p->out, &f);
	*metadata = p->out.size;
	if (f.metadata.size || frame)
		put_metadata(p, f.metadata, frame);
	return true;
}
