/* The heat strip of a page's timeline: by device and step, its time without waiting, and waiting.
 */
#include <inttypes.h>

#include "analysis/core/device_name.h"
#include "analysis/shared/instances.h"
#include "base/text.h"
#include "report/trace/page_slices.h"

#define MOST_ROWS 64
#define MOST_COLUMNS 60
#define UNKNOWN 10000 /* no value of three digits has this code */

/* Values of one kind, [rows * columns] in ns; JR_NULL_I64: unknown. */
struct jr_page_strip {
	size_t n_devices, n_rows, per_row;
	uint32_t *devices; /* [n_devices] */
	size_t n_steps, n_columns, per_column;
	int64_t *numbers; /* [n_steps] */
	int64_t *step_ns, *wait_ns;
	bool waits;
};

static size_t divide_up(size_t n, size_t by)
{
	return (n + by - 1) / by;
}

/* List the devices that ran the program, and give each execution of it a place among the steps. */
static void find_axes(struct jr_page_strip *s, const struct jr_page_choice *c, uint32_t *row_of)
{
	const struct jr_modules *m = &c->p->modules;
	for (size_t i = 0; i < m->n; i++)
		if (m->steady[i] && m->program[i] == c->program)
			row_of[m->device[i]] = 1;
	s->devices = JR_ARENA_N(c->arena, uint32_t, c->p->n_devices + 1);
	for (uint32_t d = 0; d < c->p->n_devices; d++)
		if (row_of[d])
			s->devices[s->n_devices++] = d;
	s->n_steps = c->n_steps;
	s->per_row = divide_up(s->n_devices, MOST_ROWS);
	s->per_column = divide_up(s->n_steps, MOST_COLUMNS);
	if (!s->n_devices || !s->n_steps)
		return;
	s->n_rows = divide_up(s->n_devices, s->per_row);
	s->n_columns = divide_up(s->n_steps, s->per_column);
	for (size_t i = 0; i < s->n_devices; i++)
		row_of[s->devices[i]] = (uint32_t)(i / s->per_row);
	s->numbers = JR_ARENA_N(c->arena, int64_t, s->n_steps);
	for (size_t i = 0; i < s->n_steps; i++)
		s->numbers[i] = c->steps[i].number;
}

static void keep_most(int64_t *cell, int64_t ns)
{
	if (*cell == JR_NULL_I64 || ns > *cell)
		*cell = ns;
}

/* A cell of several devices or steps has the largest of their values. */
static void fill(struct jr_page_strip *s, const struct jr_page_choice *c, const uint32_t *row_of)
{
	const struct jr_profile *p = c->p;
	const struct jr_modules *m = &p->modules;
	int64_t *wait_ns = JR_ARENA_N(c->arena, int64_t, m->n + 1);
	size_t n_cells = s->n_rows * s->n_columns;
	uint32_t last = 0;
	for (size_t i = 0; i < p->thunks.n; i++)
		wait_ns[jr_thunk_module(p, i)] += jr_thunk_wait_ns(p, c->instances, i);
	for (size_t i = 0; i < s->n_steps; i++)
		last = s->numbers[i] > last ? (uint32_t)s->numbers[i] : last;
	uint32_t *column_of = JR_ARENA_N(c->arena, uint32_t, (size_t)last + 1);
	for (size_t i = 0; i < s->n_steps; i++)
		column_of[s->numbers[i]] = (uint32_t)(i / s->per_column);
	s->step_ns = JR_ARENA_N(c->arena, int64_t, n_cells);
	s->wait_ns = JR_ARENA_N(c->arena, int64_t, n_cells);
	for (size_t i = 0; i < n_cells; i++)
		s->step_ns[i] = s->wait_ns[i] = JR_NULL_I64;
	for (size_t i = 0; i < m->n; i++) {
		if (!m->steady[i] || m->program[i] != c->program)
			continue;
		size_t cell = row_of[m->device[i]] * s->n_columns + column_of[m->program_execution[i]];
		keep_most(&s->step_ns[cell], m->dur_ns[i] - wait_ns[i]); /* the largest is the culprit's */
		keep_most(&s->wait_ns[cell], wait_ns[i]);
		s->waits |= wait_ns[i] > 0;
	}
}

void jr_page_strip_find(struct jr_page_choice *c)
{
	if (c->program == JR_NONE || c->n_steps < 2 || c->p->n_devices < JR_PAGE_STRIP_DEVICES)
		return;
	struct jr_page_strip *s = JR_ARENA_NEW(c->arena, struct jr_page_strip);
	uint32_t *row_of = JR_ARENA_N(c->arena, uint32_t, c->p->n_devices + 1);
	find_axes(s, c, row_of);
	if (s->n_devices < JR_PAGE_STRIP_DEVICES)
		return;
	fill(s, c, row_of);
	c->strip = s;
}

/* Three significant digits and a power of ten: two bytes as a varint. */
static uint64_t code_of(int64_t ns)
{
	if (ns == JR_NULL_I64)
		return UNKNOWN;
	uint64_t digits = (uint64_t)(ns > 0 ? ns : 0), unit = 1, power = 0;
	for (; digits / unit >= 1000 && power < 9; power++)
		unit *= 10;
	digits = (digits + unit / 2) / unit;
	if (digits == 1000 && power < 9) {
		digits = 100;
		power++;
	}
	return (digits < 999 ? digits : 999) * 10 + power;
}

static uint32_t host_at(const struct jr_page_choice *c, size_t i)
{
	return i < c->strip->n_devices ? jr_device_host(c->p, c->strip->devices[i]) : JR_NONE;
}

/* "Devices 8 to 11 on “node1”", or of whole hosts "Devices 0 to 15 on “node0” to “node1”". */
static const char *row_name(const struct jr_page_choice *c, size_t from, size_t to)
{
	uint32_t first = host_at(c, from), last = host_at(c, to - 1);
	const char *name = jr_arena_printf(c->arena, "Devices %u to %u",
		(unsigned)c->p->devices[c->strip->devices[from]].global,
		(unsigned)c->p->devices[c->strip->devices[to - 1]].global);
	bool whole = (!from || host_at(c, from - 1) != first) && host_at(c, to) != last;
	if (first == JR_NONE || last == JR_NONE || (first != last && !whole))
		return name;
	name = jr_arena_printf(c->arena, "%s on %s", name, jr_quoted(jr_str(c->p, first), c->arena));
	return first == last ? name
						 : jr_arena_printf(
							   c->arena, "%s to %s", name, jr_quoted(jr_str(c->p, last), c->arena));
}

static void put_row(struct jr_buf *json, const struct jr_page_choice *c,
	const struct jr_trace *trace, size_t from, size_t to)
{
	const struct jr_page_strip *s = c->strip;
	const char *name = to - from > 1 ? row_name(c, from, to) : trace->groups[s->devices[from]].name;
	jr_buf_puts(json, from ? ",[" : "[");
	jr_json_text(json, name);
	for (size_t i = from; i < to; i++)
		if (c->part.devices[s->devices[i]]) {
			jr_buf_putc(json, ',');
			jr_json_text(json, trace->groups[s->devices[i]].name);
		}
	jr_buf_putc(json, ']');
}

void jr_page_strip_put(
	const struct jr_page_choice *c, const struct jr_trace *trace, struct jr_buf *json)
{
	const struct jr_page_strip *s = c->strip;
	if (!s) {
		jr_buf_putc(json, '0');
		return;
	}
	jr_buf_puts(json, "{\"rows\":[");
	for (size_t i = 0; i < s->n_devices; i += s->per_row)
		put_row(json, c, trace, i, i + s->per_row < s->n_devices ? i + s->per_row : s->n_devices);
	jr_buf_puts(json, "],\"columns\":[");
	for (size_t i = 0; i < s->n_steps; i += s->per_column) {
		size_t end = i + s->per_column < s->n_steps ? i + s->per_column : s->n_steps;
		jr_buf_printf(
			json, "%s[%" PRId64 ",%" PRId64 "]", i ? "," : "", s->numbers[i], s->numbers[end - 1]);
	}
	jr_buf_printf(json, "],\"kinds\":%d}", s->waits ? 2 : 1);
}

size_t jr_page_strip_codes(const struct jr_page_choice *c, uint64_t **codes)
{
	const struct jr_page_strip *s = c->strip;
	if (!s)
		return 0;
	size_t n = s->n_rows * s->n_columns, n_all = s->waits ? 2 * n : n;
	*codes = JR_ARENA_N(c->arena, uint64_t, n_all);
	for (size_t i = 0; i < n_all; i++)
		(*codes)[i] = code_of(i < n ? s->step_ns[i] : s->wait_ns[i - n]);
	return n_all;
}
