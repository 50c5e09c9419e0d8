/* The slices of a page's timeline as text. */
#include <math.h>
#include <string.h>

#include "analysis/schedule/op_roles.h"
#include "analysis/shared/gpu_time.h"
#include "analysis/shared/instances.h"
#include "base/text.h"
#include "base/num.h"
#include "model/archive/trace_parts.h"
#include "render/palette.h"
#include "report/core/deflate.h"
#include "report/trace/page_slices.h"

#define MOST_DEPTH 4 /* lanes of one track of ranges */

/* A lane of the page: the slices of one track at one depth, which never overlap. */
struct lane {
	const struct jr_trace_track *track;
	uint32_t depth;
	size_t n;
};

struct packer {
	struct jr_page_choice *c;
	const struct jr_trace *trace;
	struct lane *lanes;
	size_t n_lanes, n_things;
	struct jr_map things;                /* op, or a name without one -> number of the thing */
	const struct jr_trace_slice **first; /* [n_things] */
	bool *of_stream;                     /* [n_things] */
	struct jr_buf json, data, packed;
};

static uint64_t thing_key(const struct jr_trace_slice *s)
{
	return s->op != JR_NONE ? s->op : UINT64_C(1) << 32 | s->name;
}

static uint32_t thing_of(struct packer *k, const struct jr_trace_slice *s)
{
	return jr_map_get(&k->things, thing_key(s));
}

static void put_varint(struct jr_buf *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		jr_buf_putc(out, (char)((v & 0x7F) | 0x80));
	jr_buf_putc(out, (char)v);
}

static bool of_host(const struct packer *k, const struct jr_trace_track *track)
{
	return track->group >= k->c->p->n_devices;
}

/* Divide tracks into lanes, and number the distinct ops and names. */
static void find_lanes(struct packer *k)
{
	const struct jr_trace *t = k->trace;
	k->lanes = JR_ARENA_N(k->c->arena, struct lane, t->n_tracks * MOST_DEPTH + 1);
	k->first = JR_ARENA_N(k->c->arena, const struct jr_trace_slice *, t->n_slices + 1);
	k->of_stream = JR_ARENA_N(k->c->arena, bool, t->n_slices + 1);
	for (size_t i = 0; i < t->n_tracks; i++) {
		const struct jr_trace_track *track = &t->tracks[i];
		size_t n[MOST_DEPTH] = {0};
		for (size_t row = track->first; row < track->first + track->n; row++) {
			const struct jr_trace_slice *s = &t->slices[row];
			if (s->depth >= MOST_DEPTH)
				continue;
			n[s->depth]++;
			if (thing_of(k, s) == JR_NONE) {
				jr_map_put(&k->things, thing_key(s), (uint32_t)k->n_things);
				k->of_stream[k->n_things] = track->lane == JR_LANE_STREAM;
				k->first[k->n_things++] = s;
			}
		}
		for (uint32_t depth = 0; depth < MOST_DEPTH; depth++)
			if (n[depth])
				k->lanes[k->n_lanes++] = (struct lane){track, depth, n[depth]};
	}
}

static void put_column(struct packer *k, const struct lane *lane, int column)
{
	int64_t end_ns = 0;
	for (size_t i = lane->track->first; i < lane->track->first + lane->track->n; i++) {
		const struct jr_trace_slice *s = &k->trace->slices[i];
		if (s->depth != lane->depth)
			continue;
		uint64_t value = column == 0   ? thing_of(k, s)
						 : column == 1 ? (uint64_t)(s->start_ns - end_ns)
						 : column == 2
							 ? (uint64_t)s->dur_ns
							 : (uint64_t)jr_thunk_wait_ns(k->c->p, k->c->instances, s->row);
		put_varint(&k->data, value);
		end_ns = s->start_ns + s->dur_ns;
	}
}

/* Begin a list of JSON; the comma before each element is put by its first character. */
static void next(struct jr_buf *out)
{
	char last = out->data[out->size - 1];
	if (last != '[' && last != '{' && last != ':')
		jr_buf_putc(out, ',');
}

static void key(struct jr_buf *out, const char *name)
{
	next(out);
	jr_json_text(out, name);
	jr_buf_putc(out, ':');
}

/* Begin a list, which is an element if it has no name. */
static void begin(struct jr_buf *out, const char *name)
{
	if (name)
		key(out, name);
	else
		next(out);
	jr_buf_putc(out, '[');
}

static void put_text(struct jr_buf *out, const char *text)
{
	next(out);
	if (text)
		jr_json_text(out, text);
	else
		jr_buf_putc(out, '0');
}

static void put_number(struct jr_buf *out, double v)
{
	char text[JR_NUM_MAX] = "null";
	next(out);
	if (!isnan(v))
		jr_num_significant(text, v, 15);
	jr_buf_puts(out, text);
}

static void put_i64(struct jr_buf *out, int64_t v)
{
	next(out);
	char digits[JR_NUM_MAX];
	if (v == JR_NULL_I64)
		jr_buf_puts(out, "null");
	else
		jr_buf_add(out, digits, jr_num_i64(digits, v));
}

/* "layers.py:52" of "/a/b/layers.py:52". */
static const char *short_source(const char *source)
{
	const char *slash = source ? strrchr(source, '/') : NULL;
	return slash ? slash + 1 : source;
}

static size_t role_number(const char *role)
{
	size_t i = 0;
	while (jr_op_roles[i] && strcmp(jr_op_roles[i], role) != 0)
		i++;
	return i;
}

static const char *role_of_thing(struct packer *k, size_t thing)
{
	const struct jr_profile *p = k->c->p;
	const struct jr_trace_slice *s = k->first[thing];
	if (s->op != JR_NONE)
		return jr_op_role(p, &p->ops[s->op]);
	if (!k->of_stream[thing])
		return "unknown"; /* of the host */
	const char *name = jr_str(p, p->gpu_ops.name[s->row]);
	return jr_gpu_op_role(p, s->row, jr_is_communication_kernel(name));
}

static void put_things(struct packer *k)
{
	enum { NAME, OP_NAME, SOURCE, ANCHOR, KIND, FLOPS, BYTES, EFFICIENCY, N };
	static const char *const keys[N] = {
		"names", "ops", "src", "at", "kind", "flops", "bytes", "of"};
	struct jr_buf *out = &k->json;
	char anchor[JR_ANCHOR_MAX];
	for (int column = 0; column < N; column++) {
		begin(out, keys[column]);
		for (size_t i = 0; i < k->n_things; i++) {
			const struct jr_trace_slice *s = k->first[i];
			static const struct jr_trace_op none = {
				.flops = JR_NULL_I64, .bytes = JR_NULL_I64, .of_roofline = NAN};
			const struct jr_trace_op *op = s->op == JR_NONE ? &none : &k->trace->ops[s->op];
			switch (column) {
			case NAME: put_text(out, k->trace->names[s->name]); break;
			case OP_NAME: put_text(out, op->op_name); break;
			case SOURCE: put_text(out, short_source(op->source)); break;
			case ANCHOR:
				put_text(out, op->source && jr_doc_line_anchor(k->c->doc, op->source, anchor)
								  ? anchor
								  : NULL);
				break;
			case KIND: put_i64(out, (int64_t)role_number(role_of_thing(k, i))); break;
			case FLOPS: put_i64(out, op->flops); break;
			case BYTES: put_i64(out, op->bytes); break;
			case EFFICIENCY: put_number(out, round(1e4 * op->of_roofline) / 1e4); break;
			}
		}
		jr_buf_putc(out, ']');
	}
}

/* How areas of a role are drawn: outlined, and the length, distance and role of stripes. */
static void put_look(struct jr_buf *out, enum jr_role role)
{
	enum jr_look look = jr_role_look(role);
	struct jr_stripes stripes = jr_look_stripes(look);
	put_i64(out, look >= JR_LOOK_OUTLINED);
	if (!stripes.dash)
		return;
	put_number(out, stripes.on);
	put_number(out, stripes.off);
	put_text(out, jr_role_name(jr_stripe_role(role, look)));
}

static void put_lanes(struct packer *k)
{
	struct jr_buf *out = &k->json;
	begin(out, "lanes");
	for (size_t i = 0; i < k->n_lanes; i++) {
		const struct lane *lane = &k->lanes[i];
		begin(out, NULL);
		put_text(out, k->trace->groups[lane->track->group].name);
		put_text(out, lane->depth ? jr_arena_printf(k->c->arena, "%s, level %u", lane->track->name,
										lane->depth + 1)
								  : lane->track->name);
		put_i64(out, (int64_t)lane->n);
		put_i64(out, of_host(k, lane->track) ? 2 : lane->track->lane == JR_LANE_COMMUNICATION);
		jr_buf_putc(out, ']');
	}
	jr_buf_putc(out, ']');
	begin(out, "kinds");
	for (size_t i = 0; jr_op_roles[i]; i++) {
		begin(out, NULL);
		put_text(out, jr_op_roles[i]);
		put_text(out, jr_op_role_words[i]);
		put_look(out, jr_role_find(jr_op_roles[i]));
		jr_buf_putc(out, ']');
	}
	jr_buf_putc(out, ']');
}

/* The critical path of the still chart, as [lane, slice of the lane], if its step is shown. */
static void put_path(struct packer *k)
{
	const struct jr_table *t = jr_results_table(k->c->doc->results, "timeline");
	size_t column = t ? jr_table_column(t, "row") : SIZE_MAX;
	uint8_t *on_path = JR_ARENA_N(k->c->arena, uint8_t, k->c->p->thunks.n + 1);
	for (size_t row = t ? t->n_data : 0; column != SIZE_MAX && row < t->n_rows; row++)
		on_path[t->cells[column].i64[row]] = 1;
	begin(&k->json, "path");
	for (size_t i = 0; i < k->n_lanes; i++) {
		const struct lane *lane = &k->lanes[i];
		size_t first = lane->track->first, n = 0;
		for (size_t row = first; row < first + lane->track->n; row++) {
			const struct jr_trace_slice *s = &k->trace->slices[row];
			if (s->depth != lane->depth)
				continue;
			if (s->op != JR_NONE && on_path[s->row]) {
				put_i64(&k->json, (int64_t)i);
				put_i64(&k->json, (int64_t)n);
			}
			n++;
		}
	}
	jr_buf_putc(&k->json, ']');
}

static void put_steps(struct packer *k)
{
	const struct jr_page_choice *c = k->c;
	struct jr_buf *out = &k->json;
	begin(out, "steps");
	for (size_t i = 0; i < c->n_shown_steps; i++) {
		begin(out, NULL);
		put_i64(out, c->steps[i].start_ns - k->trace->begin_ns);
		put_i64(out, c->steps[i].end_ns - k->trace->begin_ns);
		put_i64(out, c->steps[i].number);
		jr_buf_putc(out, ']');
	}
	jr_buf_putc(out, ']');
	key(out, "total");
	put_i64(out, (int64_t)c->n_all_steps);
	key(out, "begin");
	put_i64(out, k->trace->begin_ns - llround(jr_profile_zero_ns(c->p)));
	key(out, "home");
	put_i64(out, c->drawn);
	begin(out, "windows");
	for (size_t i = 0; i < c->part.n_windows; i++) {
		begin(out, NULL);
		put_i64(out, c->windows[i].start_ns - k->trace->begin_ns);
		put_i64(out, c->windows[i].end_ns - k->trace->begin_ns);
		jr_buf_putc(out, ']');
	}
	jr_buf_putc(out, ']');
}

/* The devices whose lanes are shown first, and the strip that chooses others. */
static void put_choice(struct packer *k)
{
	const struct jr_page_choice *c = k->c;
	struct jr_buf *out = &k->json;
	begin(out, "first");
	for (size_t d = 0; d < c->p->n_devices; d++)
		if (c->first[d])
			put_text(out, k->trace->groups[d].name);
	jr_buf_putc(out, ']');
	key(out, "strip");
	jr_page_strip_put(c, k->trace, out);
}

static void put_strip_cells(struct packer *k)
{
	uint64_t *codes = NULL;
	size_t n = jr_page_strip_codes(k->c, &codes);
	for (size_t i = 0; i < n; i++)
		put_varint(&k->data, codes[i]);
}

/* Say what is left out; NULL: nothing. */
static const char *left_out(const struct packer *k)
{
	const struct jr_page_choice *c = k->c;
	struct jr_arena *arena = c->arena;
	const char *text = "";
	char n_steps[JR_NUM_MAX];
	jr_num_grouped_i64(n_steps, (int64_t)c->n_all_steps);
	if (c->n_shown_steps < c->n_all_steps)
		text = jr_arena_printf(arena, "Of %s steps, %s%s. To see others, add --steps FROM..TO. ",
			n_steps,
			c->n_shown_steps == 1 ? "only the median one is shown"
								  : "the median, the slowest and the fastest one are shown",
			c->n_shown_steps > 3 ? ", and others from the first to the last" : "");
	if (c->n_middle) {
		char shown[JR_NUM_MAX], whole[JR_NUM_MAX];
		jr_num_time_brief(shown, (double)(c->windows[0].end_ns - c->windows[0].start_ns));
		jr_num_time_brief(whole, (double)c->whole_ns);
		text =
			jr_arena_printf(arena, "%sOnly %s in the middle of %s are shown. ", text, shown, whole);
	}
	char n_devices[JR_NUM_MAX];
	jr_num_grouped_i64(n_devices, (int64_t)c->n_devices);
	if (c->n_shown < c->n_devices)
		text = jr_arena_printf(arena, "%sOf %s devices, this page has the lanes of %zu. ", text,
			n_devices, c->n_shown);
	const char *slices = jr_trace_left_out(k->trace, arena);
	if (slices)
		text = jr_arena_printf(arena, "%s%s ", text, slices);
	if (c->host_left_out)
		text = jr_arena_printf(arena,
			"%sThe calls and ranges of the host are left out, because the page would become too "
			"large. ",
			text);
	return *text ? jr_arena_strndup(arena, text, strlen(text) - 1) : NULL;
}

static void pack(struct packer *k)
{
	jr_buf_putc(&k->json, '{');
	put_things(k);
	put_lanes(k);
	put_steps(k);
	put_path(k);
	put_choice(k);
	key(&k->json, "left");
	put_text(&k->json, left_out(k));
	jr_buf_putc(&k->json, '}');
	for (int column = 0; column < 4; column++)
		for (size_t i = 0; i < k->n_lanes; i++)
			if (column < 3 || k->lanes[i].track->lane == JR_LANE_COMMUNICATION)
				put_column(k, &k->lanes[i], column);
	put_strip_cells(k);
	JR_CLEANUP(jr_buf_done) struct jr_buf all = {0};
	put_varint(&all, k->json.size);
	jr_buf_add(&all, k->json.data, k->json.size);
	jr_buf_add(&all, k->data.data, k->data.size);
	jr_deflate(&k->packed, jr_buf_view(&all));
}

size_t jr_page_pack(struct jr_page_choice *c, struct jr_buf *out)
{
	struct packer k = {.c = c};
	k.trace = jr_trace_build(c->p, c->doc->results, &c->part, c->arena);
	find_lanes(&k);
	if (k.n_lanes)
		pack(&k);
	size_t size = k.packed.size;
	if (size <= JR_PAGE_SLICES_BYTES)
		jr_buf_add(out, k.packed.data, size);
	jr_map_done(&k.things);
	jr_buf_done(&k.json);
	jr_buf_done(&k.data);
	jr_buf_done(&k.packed);
	return size;
}
