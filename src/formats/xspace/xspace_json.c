#include "formats/xspace/xspace_json.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/intern.h"
#include "base/num.h"
#include "base/text.h"
#include "formats/archive/gzip.h"
#include "formats/text/json_pull.h"
#include "formats/xspace/xspace_parts.h"

/* Far more than any profile has. */
#define MOST_PLANES 65536
#define MOST_LINES (1 << 20)

#define PS_PER_US_DECIMALS 6

struct plane {
	uint32_t name;       /* 0 = none */
	uint32_t last_line;  /* row of lines */
	struct jr_buf names; /* entries of its name maps */
};

/* One element of traceEvents, its members in any order. */
struct event {
	char phase;
	bool has_pid, has_tid, has_start, has_length;
	uint32_t pid, tid, name;
	int64_t start_ps, dur_ps;
	uint32_t args_name; /* metadata events only */
	uint32_t long_name; /* name in an XSpace, if `name` is the display name of viewers; 0 = none */
	uint64_t seen;      /* 1 << enum jr_xspace_stat */
	struct {
		bool is_number;
		int64_t number;
		uint32_t text;
	} stats[JR_N_XSTATS];
};

struct line {
	uint32_t tid, name;
	uint32_t before; /* the previous line of the plane; JR_NONE = none */
	bool unordered;  /* an event does not start after the one before it */
	int64_t last_ps; /* start of the last event */
	struct jr_buf events;
	JR_VEC(struct event) open; /* those that have begun (B) and not ended (E), outermost first */
};

struct reading {
	struct jr_json_pull pull;
	const struct jr_limits *limits;
	struct jr_intern texts;
	struct jr_map plane_rows, line_rows, known_names; /* keys: pid; (plane, tid); (plane, id) */
	JR_VEC(struct plane) planes;
	JR_VEC(struct line) lines;
	struct jr_buf stats, one, message; /* of the current event */
	uint64_t kept_bytes;
	uint64_t n_other; /* events without a duration of a thread, such as async ones and counters */
	struct jr_xspace_json *out;
};

/* --- messages --------------------------------------------------------------------------------- */

static void put_varint(struct jr_buf *out, uint64_t value)
{
	for (; value > 127; value >>= 7)
		jr_buf_putc(out, (char)((value & 127) | 128));
	jr_buf_putc(out, (char)value);
}

static void put_number(struct jr_buf *out, uint32_t field, int64_t value)
{
	put_varint(out, field << 3 | JR_WIRE_VARINT);
	put_varint(out, (uint64_t)value);
}

static void put_bytes(struct jr_buf *out, uint32_t field, const char *bytes, size_t n)
{
	put_varint(out, field << 3 | JR_WIRE_BYTES);
	put_varint(out, n);
	jr_buf_add(out, n ? bytes : "", n);
}

static void put_message(struct jr_buf *out, uint32_t field, struct jr_buf *message)
{
	put_bytes(out, field, message->data, message->size);
	message->size = 0;
}

/* --- texts and numbers ------------------------------------------------------------------------ */

static uint32_t keep_text(struct reading *r)
{
	const struct jr_buf *text = &r->pull.text;
	size_t before = r->texts.n;
	uint32_t id = jr_intern_put(&r->texts, text->size ? text->data : "", text->size);
	if (r->texts.n > before)
		r->kept_bytes += text->size + 64;
	return id;
}

static bool is_text(const struct reading *r, const char *text)
{
	return r->pull.text.size == strlen(text) &&
		   (!*text || memcmp(r->pull.text.data, text, r->pull.text.size) == 0);
}

static bool small_id(const struct reading *r, enum jr_json_token token, uint32_t *out)
{
	int64_t value;
	if ((token != JR_JSON_TOKEN_NUMBER && token != JR_JSON_TOKEN_STRING) ||
		!jr_parse_i64(r->pull.text.data, r->pull.text.size, &value) || value < 0 ||
		value > UINT32_MAX)
		return false;
	*out = (uint32_t)value;
	return true;
}

/* Shift the digits of a decimal number ("-12.5e-3") left by `decimals` and round to the nearest
 * integer, without binary fractions. */
static bool shifted(const char *s, size_t n, int64_t decimals, int64_t *out)
{
	bool negative = n && s[0] == '-';
	const char *e = n ? memchr(s, 'e', n) : NULL;
	e = e || !n ? e : memchr(s, 'E', n);
	size_t end = e ? (size_t)(e - s) : n, begin = negative, plus = e && e[1] == '+';
	const char *point = memchr(s + begin, '.', end - begin);
	int64_t exponent = 0, weight, value = 0;
	if (e && (!jr_parse_i64(e + 1 + plus, n - end - 1 - plus, &exponent) || exponent < -400 ||
				 exponent > 400))
		return false;
	/* weight of the current digit in the result, as a power of ten */
	weight = decimals + exponent - 1 + (int64_t)((point ? (size_t)(point - s) : end) - begin);
	for (size_t i = begin; i < end && weight >= -1; i++) {
		if (s[i] == '.')
			continue;
		int digit = s[i] - '0';
		bool overflows = weight < 0 ? __builtin_add_overflow(value, digit >= 5, &value)
									: __builtin_mul_overflow(value, 10, &value) ||
										  __builtin_add_overflow(value, digit, &value);
		if (overflows)
			return false;
		weight--;
	}
	for (; weight >= 0 && value; weight--)
		if (__builtin_mul_overflow(value, 10, &value))
			return false;
	*out = negative ? -value : value;
	return true;
}

/* Read microseconds; the writer prints all 17 digits of a double. */
static bool picoseconds(const struct reading *r, enum jr_json_token token, int64_t *out)
{
	return token == JR_JSON_TOKEN_NUMBER &&
		   shifted(r->pull.text.data, r->pull.text.size, PS_PER_US_DECIMALS, out) &&
		   *out / 1000 <= JR_TIME_MAX_NS && *out / 1000 >= -JR_TIME_MAX_NS;
}

/* --- planes and lines ------------------------------------------------------------------------- */

static enum jr_status plane_of(struct reading *r, uint32_t pid, uint32_t *row, struct jr_error *err)
{
	*row = jr_map_get(&r->plane_rows, pid);
	if (*row != JR_NONE)
		return JR_OK;
	if (r->planes.n >= MOST_PLANES)
		return jr_fail(err, JR_ELIMIT, "more than %d processes in a trace", MOST_PLANES);
	*row = (uint32_t)r->planes.n;
	*jr_vec_add(&r->planes) = (struct plane){.last_line = JR_NONE};
	r->kept_bytes += sizeof(struct plane);
	jr_map_put(&r->plane_rows, pid, *row);
	return JR_OK;
}

static enum jr_status line_of(
	struct reading *r, uint32_t plane, uint32_t tid, uint32_t *row, struct jr_error *err)
{
	*row = jr_map_get(&r->line_rows, jr_key2(plane, tid));
	if (*row != JR_NONE)
		return JR_OK;
	if (r->lines.n >= MOST_LINES)
		return jr_fail(err, JR_ELIMIT, "more than %d threads in a trace", MOST_LINES);
	*row = (uint32_t)r->lines.n;
	*jr_vec_add(&r->lines) =
		(struct line){.tid = tid, .before = r->planes.items[plane].last_line, .last_ps = INT64_MIN};
	r->planes.items[plane].last_line = *row;
	r->kept_bytes += sizeof(struct line);
	jr_map_put(&r->line_rows, jr_key2(plane, tid), *row);
	return JR_OK;
}

/* Keys of a plane's statistics come first, then texts that are values. Key 0 is unused. */
static uint32_t key_of_stat(uint32_t stat)
{
	return stat + 1;
}

static uint32_t key_of_text(uint32_t text)
{
	return JR_N_XSTATS + 1 + text;
}

enum { OF_EVENTS = 4, OF_STATS = 5 }; /* fields of a plane */

static void put_name(
	struct reading *r, struct plane *plane, uint32_t map, uint32_t key, const char *name, size_t n)
{
	put_number(&r->message, 1, key);
	put_number(&r->one, 1, key);
	put_bytes(&r->one, 2, name, n);
	put_message(&r->message, 2, &r->one);
	put_message(&plane->names, map, &r->message);
}

/* Return the key of a text in a plane's map; the first use adds it. */
static uint32_t name_in(struct reading *r, uint32_t row, uint32_t map, uint32_t text)
{
	uint32_t key = key_of_text(text);
	uint64_t known = jr_key2(row * 2 + (map == OF_STATS), text);
	if (jr_map_get(&r->known_names, known) == JR_NONE) {
		struct plane *plane = &r->planes.items[row];
		size_t before = plane->names.size;
		jr_map_put(&r->known_names, known, 0);
		put_name(
			r, plane, map, key, jr_intern_str(&r->texts, text), jr_intern_len(&r->texts, text));
		r->kept_bytes += plane->names.size - before + 24;
	}
	return key;
}

/* --- events ----------------------------------------------------------------------------------- */

static const char *const stat_names[] = {
#define STAT(id, name) [JR_XSTAT_##id] = (name),
	JR_XSPACE_STATS
#undef STAT
};

/* Scope ids are ignored: the trace does not contain the plane with their nesting. */
static uint32_t stat_of_key(const struct reading *r)
{
	for (uint32_t i = 0; i < JR_N_XSTATS; i++)
		if (stat_names[i][0] == r->pull.text.data[0] && i != JR_XSTAT_SCOPE &&
			is_text(r, stat_names[i]))
			return i;
	return JR_N_XSTATS;
}

static enum jr_status read_args(struct reading *r, struct event *event, struct jr_error *err)
{
	enum jr_json_token token;
	for (;;) {
		JR_TRY(jr_json_pull_next(&r->pull, &token, err));
		if (token == JR_JSON_TOKEN_OBJECT_END)
			return JR_OK;
		bool is_name = is_text(r, "name"), is_long = is_text(r, "long_name");
		uint32_t stat = r->pull.text.size ? stat_of_key(r) : JR_N_XSTATS;
		JR_TRY(jr_json_pull_next(&r->pull, &token, err));
		bool has_text = token == JR_JSON_TOKEN_STRING || token == JR_JSON_TOKEN_NUMBER;
		int64_t number = 0;
		if (has_text && is_name)
			event->args_name = keep_text(r);
		else if (has_text && is_long)
			event->long_name = keep_text(r);
		if (has_text && stat < JR_N_XSTATS) {
			bool is_number =
				r->pull.text.size && jr_parse_i64(r->pull.text.data, r->pull.text.size, &number);
			event->seen |= UINT64_C(1) << stat;
			event->stats[stat].is_number = is_number;
			event->stats[stat].number = number;
			event->stats[stat].text = is_number ? 0 : keep_text(r);
		}
		JR_TRY(jr_json_pull_skip(&r->pull, token, err));
	}
}

/* Read the members of an element after its bracket. */
static enum jr_status read_members(struct reading *r, struct event *event, struct jr_error *err)
{
	enum { OTHER, PHASE, NAME, PID, TID, START, LENGTH, ARGS };
	static const char *const keys[] = {[PHASE] = "ph",
		[NAME] = "name",
		[PID] = "pid",
		[TID] = "tid",
		[START] = "ts",
		[LENGTH] = "dur",
		[ARGS] = "args"};
	enum jr_json_token token;
	for (;;) {
		JR_TRY(jr_json_pull_next(&r->pull, &token, err));
		if (token == JR_JSON_TOKEN_OBJECT_END)
			return JR_OK;
		size_t key = ARGS;
		while (key != OTHER && !is_text(r, keys[key]))
			key--;
		JR_TRY(jr_json_pull_next(&r->pull, &token, err));
		bool string = token == JR_JSON_TOKEN_STRING;
		if (key == PHASE && string && r->pull.text.size == 1)
			event->phase = r->pull.text.data[0];
		else if (key == NAME && string)
			event->name = keep_text(r);
		else if (key == PID)
			event->has_pid = small_id(r, token, &event->pid);
		else if (key == TID)
			event->has_tid = small_id(r, token, &event->tid);
		else if (key == START)
			event->has_start = picoseconds(r, token, &event->start_ps);
		else if (key == LENGTH)
			event->has_length = picoseconds(r, token, &event->dur_ps);
		if (key == ARGS && token == JR_JSON_TOKEN_OBJECT)
			JR_TRY(read_args(r, event, err));
		else
			JR_TRY(jr_json_pull_skip(&r->pull, token, err));
	}
}

/* Read the name of a process or thread. */
static enum jr_status take_metadata(
	struct reading *r, const struct event *event, struct jr_error *err)
{
	const char *name = jr_intern_str(&r->texts, event->name);
	uint32_t plane, line;
	bool of_thread = strcmp(name, "thread_name") == 0;
	if (!event->has_pid || (!of_thread && strcmp(name, "process_name") != 0))
		return JR_OK;
	JR_TRY(plane_of(r, event->pid, &plane, err));
	if (!of_thread) {
		r->planes.items[plane].name = event->args_name;
	} else if (event->has_tid) {
		JR_TRY(line_of(r, plane, event->tid, &line, err));
		r->lines.items[line].name = event->args_name;
	}
	return JR_OK;
}

static void put_stats(struct reading *r, uint32_t plane, const struct event *event)
{
	for (uint32_t i = 0; i < JR_N_XSTATS; i++) {
		if (!(event->seen >> i & 1))
			continue;
		bool is_number = event->stats[i].is_number;
		int64_t value =
			is_number ? event->stats[i].number : name_in(r, plane, OF_STATS, event->stats[i].text);
		put_number(&r->one, 1, key_of_stat(i));
		put_number(&r->one, is_number ? JR_XSTAT_FIELD_SIGNED : JR_XSTAT_FIELD_REF, value);
		put_message(&r->stats, 4, &r->one);
	}
}

/* The writer gives events without a length one of 1 ps. */
static enum jr_status take_timed(struct reading *r, const struct event *event, struct jr_error *err)
{
	uint32_t plane, row;
	if (r->out->n_events++ >= r->limits->rows)
		return jr_fail(
			err, JR_ELIMIT, "more than %" PRIu64 " events (--max-rows)", r->limits->rows);
	if (!event->has_pid || !event->has_tid || !event->has_start || !event->has_length ||
		event->dur_ps < 0) {
		r->out->n_bad++;
		return JR_OK;
	}
	r->out->has_details |= (event->seen >> JR_XSTAT_KERNEL_DETAILS & 1) != 0;
	JR_TRY(plane_of(r, event->pid, &plane, err));
	JR_TRY(line_of(r, plane, event->tid, &row, err));
	r->stats.size = 0;
	put_stats(r, plane, event);
	uint32_t text = event->long_name ? event->long_name : event->name;
	uint32_t name = name_in(r, plane, OF_EVENTS, text);
	put_number(&r->one, 1, name);
	put_number(&r->one, 2, event->start_ps);
	put_number(&r->one, 3, event->dur_ps == 1 ? 0 : event->dur_ps);
	jr_buf_add(&r->one, r->stats.size ? r->stats.data : "", r->stats.size);
	struct line *line = &r->lines.items[row];
	line->unordered |= event->start_ps <= line->last_ps;
	line->last_ps = event->start_ps;
	size_t before = line->events.size;
	put_message(&line->events, 4, &r->one);
	r->kept_bytes += line->events.size - before;
	return JR_OK;
}

/* An event in two parts: the second ends what the thread began last. jax.profiler writes whole
 * events, but tools that convert traces may not. */
static enum jr_status take_part(struct reading *r, struct event *event, struct jr_error *err)
{
	uint32_t plane, row;
	event->has_length = false;
	if (!event->has_pid || !event->has_tid || !event->has_start)
		return take_timed(r, event, err);
	JR_TRY(plane_of(r, event->pid, &plane, err));
	JR_TRY(line_of(r, plane, event->tid, &row, err));
	struct line *line = &r->lines.items[row];
	if (event->phase == 'B' && line->open.n >= r->limits->depth)
		return jr_fail(err, JR_ELIMIT, "events nested more than %" PRIu64 " deep (--max-depth)",
			(uint64_t)r->limits->depth);
	if (event->phase == 'B') {
		*jr_vec_add(&line->open) = *event;
		r->kept_bytes += sizeof(*event);
		return JR_OK;
	}
	if (!line->open.n)
		return take_timed(r, event, err);
	struct event *whole = &line->open.items[--line->open.n];
	r->kept_bytes -= sizeof(*event);
	whole->has_length = !__builtin_sub_overflow(event->start_ps, whole->start_ps, &whole->dur_ps);
	return take_timed(r, whole, err);
}

static enum jr_status read_events(struct reading *r, struct jr_error *err)
{
	enum jr_json_token token;
	for (;;) {
		JR_TRY(jr_json_pull_next(&r->pull, &token, err));
		if (token == JR_JSON_TOKEN_ARRAY_END)
			return JR_OK;
		if (token != JR_JSON_TOKEN_OBJECT) {
			JR_TRY(jr_json_pull_skip(&r->pull, token, err));
			continue;
		}
		struct event event;
		memset(&event, 0, offsetof(struct event, stats)); /* stats are read only if seen */
		JR_TRY(read_members(r, &event, err));
		if (event.phase == 'M')
			JR_TRY(take_metadata(r, &event, err));
		else if (event.phase == 'X')
			JR_TRY(take_timed(r, &event, err));
		else if (event.phase == 'B' || event.phase == 'E')
			JR_TRY(take_part(r, &event, err));
		else
			r->n_other += event.phase != '\0';
		if (r->kept_bytes > r->limits->memory_bytes)
			return jr_fail(err, JR_ELIMIT, "needs more than %" PRIu64 " bytes (--max-memory)",
				r->limits->memory_bytes);
	}
}

static enum jr_status read_document(struct reading *r, struct jr_error *err)
{
	enum jr_json_token token;
	bool found = false;
	JR_TRY(jr_json_pull_next(&r->pull, &token, err));
	if (token == JR_JSON_TOKEN_ARRAY) { /* of events, without the object around it */
		JR_TRY(read_events(r, err));
		return jr_json_pull_next(&r->pull, &token, err);
	}
	if (token != JR_JSON_TOKEN_OBJECT)
		return jr_fail(
			err, JR_EFORMAT, "JSON, but not a Chrome trace: it is not an object or an array");
	for (;;) {
		JR_TRY(jr_json_pull_next(&r->pull, &token, err));
		if (token == JR_JSON_TOKEN_OBJECT_END)
			break;
		bool events = is_text(r, "traceEvents");
		JR_TRY(jr_json_pull_next(&r->pull, &token, err));
		if (events && token == JR_JSON_TOKEN_ARRAY) {
			found = true;
			JR_TRY(read_events(r, err));
		} else {
			JR_TRY(jr_json_pull_skip(&r->pull, token, err));
		}
	}
	JR_TRY(jr_json_pull_next(&r->pull, &token, err)); /* the end of the text */
	return found ? JR_OK
				 : jr_fail(err, JR_EFORMAT, "JSON, but not a Chrome trace: it has no traceEvents");
}

/* --- output and entry point ------------------------------------------------------------------- */

static void put_line(struct reading *r, struct line *line, struct jr_buf *plane)
{
	size_t length = jr_intern_len(&r->texts, line->name);
	r->out->n_events += line->open.n;
	r->out->n_bad += line->open.n;
	if (line->unordered)
		r->out->n_repeated += jr_xspace_drop_repeated(&line->events);
	put_number(&r->message, 1, line->tid);
	put_bytes(&r->message, 2, jr_intern_str(&r->texts, line->name), length);
	put_varint(plane, 3 << 3 | JR_WIRE_BYTES);
	put_varint(plane, r->message.size + line->events.size);
	jr_buf_add(plane, r->message.data, r->message.size);
	jr_buf_add(plane, line->events.size ? line->events.data : "", line->events.size);
	r->message.size = 0;
	jr_buf_done(&line->events);
}

static enum jr_status write_planes(struct reading *r, struct jr_error *err)
{
	bool ours = false;
	JR_CLEANUP(jr_buf_done) struct jr_buf message = {0};
	for (uint32_t i = 0; i < r->planes.n; i++) {
		struct plane *plane = &r->planes.items[i];
		const char *name = jr_intern_str(&r->texts, plane->name);
		ours |= strncmp(name, "/device:", 8) == 0 || strncmp(name, "/host:", 6) == 0;
		put_bytes(&message, 2, name, jr_intern_len(&r->texts, plane->name));
		for (uint32_t k = 0; k < JR_N_XSTATS; k++)
			put_name(r, plane, OF_STATS, key_of_stat(k), stat_names[k], strlen(stat_names[k]));
		jr_buf_add(&message, plane->names.data, plane->names.size);
		for (uint32_t k = plane->last_line; k != JR_NONE; k = r->lines.items[k].before)
			put_line(r, &r->lines.items[k], &message);
		put_message(&r->out->xspace, 1, &message);
		jr_buf_done(&plane->names);
	}
	if (!r->planes.n && !r->out->n_events && !r->n_other)
		return jr_fail(err, JR_EFORMAT, "a Chrome trace without events");
	if (!ours)
		return jr_fail(err, JR_EFORMAT,
			"a Chrome trace from another program: no process has a name of jax.profiler "
			"(/device:GPU:0, /host:CPU). Use a trace that jax.profiler wrote");
	if (!r->out->n_events && r->n_other)
		return jr_fail(err, JR_EFORMAT,
			"none of its %" PRIu64 " events has a duration on a thread. Supported are events of "
			"the phases X, B and E",
			r->n_other);
	return JR_OK;
}

static void reading_done(struct reading *r)
{
	for (size_t i = 0; i < r->planes.n; i++)
		jr_buf_done(&r->planes.items[i].names);
	for (size_t i = 0; i < r->lines.n; i++) {
		jr_buf_done(&r->lines.items[i].events);
		jr_vec_done(&r->lines.items[i].open);
	}
	jr_vec_done(&r->planes);
	jr_vec_done(&r->lines);
	jr_map_done(&r->plane_rows);
	jr_map_done(&r->line_rows);
	jr_map_done(&r->known_names);
	jr_buf_done(&r->stats);
	jr_buf_done(&r->one);
	jr_buf_done(&r->message);
	jr_intern_done(&r->texts);
	jr_json_pull_done(&r->pull);
}

void jr_xspace_json_done(struct jr_xspace_json *x)
{
	jr_buf_done(&x->xspace);
}

enum jr_status jr_xspace_json_read(struct jr_bytes in, const struct jr_limits *limits,
	struct jr_xspace_json *out, struct jr_error *err)
{
	struct jr_xspace_json x = {0};
	struct reading r = {.limits = limits, .out = &x};
	struct jr_gzip *gzip = jr_gzip_begins(in) ? jr_gzip_open(in, limits) : NULL;
	r.pull = gzip ? jr_json_pull_of((struct jr_bytes){0}, jr_gzip_more, gzip, limits)
				  : jr_json_pull_of(in, NULL, NULL, limits);
	jr_intern_init(&r.texts);
	struct jr_error why = {0};
	enum jr_status status = read_document(&r, &why);
	x.is_cut = status == JR_EFORMAT && x.n_events &&
			   (jr_gzip_is_cut(gzip) || jr_json_pull_is_cut(&r.pull));
	if (status == JR_OK || x.is_cut)
		status = write_planes(&r, err);
	else if (err)
		*err = why;
	reading_done(&r);
	jr_gzip_close(gzip);
	/* writers leave out events after these numbers, until 2025 and since */
	x.capped = x.n_events == 1000000 || x.n_events == 5000000;
	if (status == JR_OK)
		*out = x;
	else
		jr_xspace_json_done(&x);
	return status;
}

/* --- detection -------------------------------------------------------------------------------- */

static bool holds(struct jr_bytes text, const char *word)
{
	return text.size && memmem(text.data, text.size, word, strlen(word)) != NULL;
}

static bool is_trace(struct jr_bytes text)
{
	size_t at = jr_text_mark_bytes(text);
	while (at < text.size && memchr(" \t\r\n", text.data[at], 4))
		at++;
	return at < text.size && text.data[at] == '{' && holds(text, "\"traceEvents\"") &&
		   !holds(text, "\"schemaVersion\"") && !holds(text, "\"deviceProperties\"");
}

bool jr_xspace_json_begins(struct jr_bytes head, const struct jr_limits *limits)
{
	return jr_gzip_begins_as(head, limits, is_trace);
}
