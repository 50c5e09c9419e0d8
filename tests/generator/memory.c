/*
 * memory.c - what is in device memory, of stacks that are made up: who made an object is known, and
 * its sums follow from a scan over all objects for each line.
 */
#include "memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/intern.h"
#include "base/num.h"

#define OBJECTS 60 /* of each device, and as many executables in all */
#define USER_LINES 12
#define PACKAGES "/usr/lib/python3.12/site-packages"
#define DEEPEST 512 /* frames that a report keeps of a stack by default */
#define DEEP 600	/* frames of a stack with faults */

struct frame {
	const char *file, *function; /* file "": a reference that leads nowhere */
	int line;
	bool user;
};

/* A stack, outermost frame first. */
struct stack {
	size_t n;
	const struct frame **frames;
};

struct object {
	bool buffer;
	uint32_t device;
	struct stack stack;
	int64_t count, bytes; /* bytes < 0: not known */
};

struct memory {
	struct gen_scenario *sc;
	uint64_t random;
	struct frame *users, *libraries; /* [USER_LINES] */
	uint32_t n_devices;
	size_t n;
	struct object *objects;
};

static uint64_t random_below(struct memory *m, uint64_t n)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return m->random % n;
}

/* --- objects ---------------------------------------------------------------------------------- */

static const struct frame main_frame = {"/home/user/job/main.py", "main", 9, true},
						  leak_frame = {"/home/user/job/cache.py", "remember", 77, true},
						  deep_frame = {"/home/user/job/recursion.py", "again", 5, true},
						  lost_frame = {"", "[unknown]", 0, false};

static void add_frame(struct stack *s, const struct frame *frame)
{
	s->frames[s->n++] = frame;
}

static struct stack new_stack(struct memory *m, size_t most)
{
	struct stack s = {0, JR_ARENA_N(&m->sc->arena, const struct frame *, most + 1)};
	add_frame(&s, &main_frame);
	return s;
}

/* main, up to three lines of the user, up to five of libraries. */
static struct stack some_stack(struct memory *m)
{
	struct stack s = new_stack(m, 10);
	for (uint64_t n = random_below(m, 4); n > 0; n--)
		add_frame(&s, &m->users[random_below(m, USER_LINES)]);
	for (uint64_t n = random_below(m, 6); n > 0; n--)
		add_frame(&s, &m->libraries[random_below(m, USER_LINES)]);
	return s;
}

static void add(struct memory *m, bool buffer, uint32_t device, struct stack stack, int64_t bytes)
{
	m->objects[m->n++] = (struct object){
		buffer, device, stack, (int64_t)(1 + random_below(m, 3)), bytes};
}

static void add_faults(struct memory *m)
{
	struct stack lost = some_stack(m), deep = new_stack(m, DEEP);
	add_frame(&lost, &lost_frame);
	while (deep.n < DEEP)
		add_frame(&deep, &deep_frame);
	add(m, true, 0, some_stack(m), -1);
	add(m, false, 0, some_stack(m), INT64_MIN);
	add(m, true, 0, lost, 4096);
	add(m, true, 0, deep, 8192);
}

/* The same for the same seed: the file and its truth are made of it. */
static struct memory build(struct gen_scenario *sc)
{
	const struct gen_options *o = &sc->options;
	struct memory m = {.sc = sc,
		.random = o->seed * UINT64_C(0x9E3779B97F4A7C15) + 1,
		.users = JR_ARENA_N(&sc->arena, struct frame, USER_LINES),
		.libraries = JR_ARENA_N(&sc->arena, struct frame, USER_LINES),
		.n_devices = o->n_processes * o->n_devices};
	for (size_t i = 0; i < USER_LINES; i++) {
		m.users[i] = (struct frame){gen_text(sc, "/home/user/job/part%zu.py", i % 3),
			gen_text(sc, "build_%zu", i), 10 + (int)i, true};
		m.libraries[i] = (struct frame){gen_text(sc, "%s/jax/_src/numpy/p%zu.py", PACKAGES, i % 4),
			gen_text(sc, "apply_%zu", i), 100 + (int)i, false};
	}
	m.objects = JR_ARENA_N(&sc->arena, struct object, (m.n_devices + 1) * (OBJECTS + 1) + 4);
	for (uint32_t d = 0; d < m.n_devices; d++)
		for (size_t i = 0; i < OBJECTS; i++)
			add(&m, true, d, some_stack(&m), (int64_t)random_below(&m, 1 << 28));
	for (size_t i = 0; i < OBJECTS; i++)
		add(&m, false, 0, some_stack(&m), (int64_t)random_below(&m, 20000));
	for (uint32_t d = 0; d < m.n_devices && o->leak_bytes; d++) {
		struct stack leak = new_stack(&m, 2);
		add_frame(&leak, &leak_frame);
		add(&m, true, d, leak, o->leak_bytes);
	}
	if (o->memory_faults)
		add_faults(&m);
	return m;
}

enum jr_status gen_memory_take(struct gen_options *o, const char *value, struct jr_error *err)
{
	while (*value) {
		size_t n = strcspn(value, ",");
		if (strncmp(value, "leak=", 5) == 0 && n > 5 &&
			jr_parse_i64(value + 5, n - 5, &o->leak_bytes) && o->leak_bytes >= 0 &&
			o->leak_bytes < INT64_C(1) << 50)
			; /* taken */
		else if (n == 6 && strncmp(value, "faults", 6) == 0)
			o->memory_faults = true;
		else
			return jr_fail(
				err, JR_EUSAGE, "--memory: not leak=BYTES or faults: '%.*s'", (int)n, value);
		value += n + (value[n] == ',');
	}
	return JR_OK;
}

/* --- the file --------------------------------------------------------------------------------- */

struct writing {
	struct jr_buf samples, locations, functions, strings;
	struct jr_intern texts, names, places; /* of functions and locations, by their keys */
	uint32_t n_texts;
};

static void put_number(struct jr_buf *out, uint32_t field, uint64_t value)
{
	jr_buf_varint(out, (uint64_t)field << 3);
	jr_buf_varint(out, value);
}

static void put_part(struct jr_buf *out, uint32_t field, const void *data, size_t n)
{
	jr_buf_varint(out, (uint64_t)field << 3 | 2);
	jr_buf_varint(out, n);
	jr_buf_add(out, data, n);
}

static uint32_t text_of(struct writing *w, const char *text)
{
	uint32_t id = jr_intern_puts(&w->texts, text); /* 0 is "", as pprof demands */
	if (id == w->n_texts) {
		put_part(&w->strings, 6, text, strlen(text));
		w->n_texts++;
	}
	return id;
}

static uint64_t function_of(struct writing *w, const struct frame *f)
{
	struct jr_buf key = {0}, part = {0};
	jr_buf_printf(&key, "%s %s", f->file, f->function);
	size_t before = w->names.n;
	uint32_t id = jr_intern_puts(&w->names, key.data);
	if (w->names.n > before) {
		put_number(&part, 1, id);
		put_number(&part, 2, text_of(w, f->function));
		put_number(&part, 3, text_of(w, f->function));
		put_number(&part, 4, text_of(w, f->file));
		put_number(&part, 5, 1);
		put_part(&w->functions, 5, part.data, part.size);
	}
	jr_buf_done(&key);
	jr_buf_done(&part);
	return id;
}

static uint64_t location_of(struct writing *w, const struct frame *f)
{
	struct jr_buf key = {0}, line = {0}, part = {0};
	if (!*f->file)
		return UINT64_C(1) << 40; /* no location has this id */
	jr_buf_printf(&key, "%s %d", f->file, f->line);
	size_t before = w->places.n;
	uint32_t id = jr_intern_puts(&w->places, key.data);
	if (w->places.n > before) {
		put_number(&line, 1, function_of(w, f));
		put_number(&line, 2, (uint64_t)f->line);
		put_number(&part, 1, id);
		put_number(&part, 3, 0x1000 + id);
		put_part(&part, 4, line.data, line.size);
		put_part(&w->locations, 4, part.data, part.size);
	}
	jr_buf_done(&key);
	jr_buf_done(&line);
	jr_buf_done(&part);
	return id;
}

static void put_label(struct writing *w, struct jr_buf *sample, const char *key, const char *value)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf label = {0};
	put_number(&label, 1, text_of(w, key));
	put_number(&label, 2, text_of(w, value));
	put_part(sample, 3, label.data, label.size);
}

static void put_object(struct writing *w, struct memory *m, const struct object *o)
{
	struct jr_buf sample = {0}, packed = {0};
	for (size_t i = o->stack.n; i-- > 0;)
		jr_buf_varint(&packed, location_of(w, o->stack.frames[i]));
	put_part(&sample, 1, packed.data, packed.size);
	packed.size = 0;
	jr_buf_varint(&packed, (uint64_t)o->count);
	jr_buf_varint(&packed, (uint64_t)o->bytes);
	put_part(&sample, 2, packed.data, packed.size);
	put_label(w, &sample, "kind", o->buffer ? "buffer" : "executable");
	if (o->buffer)
		put_label(w, &sample, "device", gen_text(m->sc, "cuda:%u", o->device));
	put_part(&w->samples, 2, sample.data, sample.size);
	jr_buf_done(&sample);
	jr_buf_done(&packed);
}

static void put_type(struct writing *w, struct jr_buf *out, const char *type, const char *unit)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf part = {0};
	put_number(&part, 1, text_of(w, type));
	put_number(&part, 2, text_of(w, unit));
	put_part(out, 1, part.data, part.size);
}

static enum jr_status write_gzip(const struct jr_buf *in, const char *path, struct jr_error *err)
{
	gzFile file = gzopen(path, "wb");
	if (!file)
		return jr_fail(err, JR_EIO, "cannot create '%s': %s", path, strerror(errno));
	bool ok = gzwrite(file, in->data, (unsigned)in->size) == (int)in->size;
	ok &= gzclose(file) == Z_OK;
	return ok ? JR_OK : jr_fail(err, JR_EIO, "cannot write '%s'", path);
}

enum jr_status gen_memory_write(struct gen_scenario *sc, const char *path, struct jr_error *err)
{
	struct memory m = build(sc);
	struct writing w = {.n_texts = 1};
	JR_CLEANUP(jr_buf_done) struct jr_buf file = {0};
	jr_intern_init(&w.texts);
	jr_intern_init(&w.names);
	jr_intern_init(&w.places);
	put_part(&w.strings, 6, "", 0);
	put_type(&w, &file, "allocations", "count");
	put_type(&w, &file, "space", "bytes");
	for (size_t i = 0; i < m.n; i++)
		put_object(&w, &m, &m.objects[i]);
	struct jr_buf *parts[] = {&w.samples, &w.locations, &w.functions, &w.strings};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		jr_buf_add(&file, parts[i]->data, parts[i]->size);
		jr_buf_done(parts[i]);
	}
	enum jr_status status = write_gzip(&file, path, err);
	jr_intern_done(&w.texts);
	jr_intern_done(&w.names);
	jr_intern_done(&w.places);
	return status;
}

/* --- the truth -------------------------------------------------------------------------------- */

/* The line that made an object: the user's innermost, else the innermost. */
static const char *line_of(struct memory *m, const struct object *o)
{
	const struct frame *line = NULL;
	for (size_t i = o->stack.n; i-- > 0 && !line;)
		if (o->stack.frames[i]->user)
			line = o->stack.frames[i];
	return gen_text(m->sc, "%s:%d", line->file, line->line);
}

/* What an object has in common with those that it is summed with; NULL: it is in no row. */
typedef const char *key_fn(struct memory *m, const struct object *o);

static const char *by_device(struct memory *m, const struct object *o)
{
	return o->buffer ? gen_text(m->sc, "cuda:%u", o->device) : NULL;
}

static const char *by_line(struct memory *m, const struct object *o)
{
	return o->buffer ? line_of(m, o) : NULL;
}

static const char *by_both(struct memory *m, const struct object *o)
{
	return o->buffer ? gen_text(m->sc, "cuda:%u %s", o->device, line_of(m, o)) : NULL;
}

static const char *by_executable(struct memory *m, const struct object *o)
{
	return o->buffer ? NULL : line_of(m, o);
}

static const char *by_kind(struct memory *m, const struct object *o)
{
	(void)m;
	return o->buffer ? "buffer" : "executable";
}

struct total {
	int64_t bytes, objects, unknown;
};

static struct total total_of(struct memory *m, key_fn *key, const char *name)
{
	struct total t = {0};
	for (size_t i = 0; i < m->n; i++) {
		const struct object *o = &m->objects[i];
		const char *own = key(m, o);
		if (!own || strcmp(own, name) != 0)
			continue;
		t.objects += o->count;
		if (o->bytes < 0)
			t.unknown += o->count;
		else
			t.bytes += o->bytes;
	}
	return t;
}

static void put_bytes(struct gen_json *j, const char *key, const struct total *t)
{
	if (t->unknown && t->unknown == t->objects)
		gen_json_null(j, key);
	else
		gen_json_i64(j, key, t->bytes);
}

/* A table with a row per key; `columns`: the names of the parts of a key, apart by blanks. */
static void put_table(struct memory *m, struct gen_json *j, const char *name, key_fn *key,
	const char *column, const char *second)
{
	struct jr_intern seen;
	jr_intern_init(&seen);
	gen_json_open(j, name, '[');
	for (size_t i = 0; i < m->n; i++) {
		const char *own = key(m, &m->objects[i]);
		size_t before = seen.n;
		if (!own || (jr_intern_puts(&seen, own), seen.n == before))
			continue;
		struct total t = total_of(m, key, own);
		const char *blank = second ? strchr(own, ' ') : NULL;
		gen_json_open(j, NULL, '{');
		gen_json_text(j, column, blank ? gen_text(m->sc, "%.*s", (int)(blank - own), own) : own);
		if (blank)
			gen_json_text(j, second, blank + 1);
		put_bytes(j, "bytes", &t);
		gen_json_i64(j, "objects", t.objects);
		gen_json_i64(j, "unknown", t.unknown);
		gen_json_close(j, '}');
	}
	gen_json_close(j, ']');
	jr_intern_done(&seen);
}

void gen_truth_live_memory(struct gen_scenario *sc, struct gen_json *j)
{
	struct memory m = build(sc);
	struct total buffers = total_of(&m, by_kind, "buffer"),
				 executables = total_of(&m, by_kind, "executable");
	gen_json_open(j, "live_memory", '{');
	put_bytes(j, "live_bytes", &buffers);
	gen_json_i64(j, "buffer_count", buffers.objects);
	put_bytes(j, "executable_bytes", &executables);
	gen_json_i64(j, "executable_count", executables.objects);
	gen_json_bool(j, "partial", false);
	put_table(&m, j, "devices", by_device, "device", NULL);
	put_table(&m, j, "lines", by_line, "source", NULL);
	put_table(&m, j, "device_lines", by_both, "device", "source");
	put_table(&m, j, "executables", by_executable, "source", NULL);
	put_table(&m, j, "kinds", by_kind, "kind", NULL);
	gen_json_close(j, '}');
}

/* "cuda:0;/home/user/job/main.py:9[main];..." */
static const char *by_stack(struct memory *m, const struct object *o)
{
	struct jr_buf text = {0};
	if (!o->buffer || o->bytes <= 0)
		return NULL;
	jr_buf_printf(&text, "cuda:%u", o->device);
	for (size_t i = o->stack.n > DEEPEST ? o->stack.n - DEEPEST : 0; i < o->stack.n; i++) {
		const struct frame *f = o->stack.frames[i];
		if (*f->file)
			jr_buf_printf(&text, ";%s:%d[%s]", f->file, f->line, f->function);
		else
			jr_buf_printf(&text, ";%s", f->function);
	}
	const char *out = jr_arena_strndup(&m->sc->arena, text.data, text.size);
	jr_buf_done(&text);
	return out;
}

void gen_truth_live_stacks(struct gen_scenario *sc, struct gen_json *j)
{
	struct memory m = build(sc);
	struct jr_intern seen;
	jr_intern_init(&seen);
	gen_json_open(j, "live_memory", '[');
	for (size_t i = 0; i < m.n; i++) {
		const char *own = by_stack(&m, &m.objects[i]);
		size_t before = seen.n;
		if (!own || (jr_intern_puts(&seen, own), seen.n == before))
			continue;
		gen_json_open(j, NULL, '{');
		gen_json_text(j, "stack", own);
		gen_json_f64(j, "ms", 1e-6 * (double)total_of(&m, by_stack, own).bytes);
		gen_json_close(j, '}');
	}
	gen_json_close(j, ']');
	jr_intern_done(&seen);
}
