#include "report/core/value.h"

#include "analysis/core/pass.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

#define DASH "–"
#define DEVIATION_DECIMALS 6 /* at most, for a value printed to the precision of its deviation */

/* Divisor from base units to the unit in JSON and CSV. FRAC stays a fraction. */
static double data_divisor(enum jr_unit unit)
{
	switch (unit) {
	case JR_UNIT_NS: return 1e6;
	case JR_UNIT_S:
	case JR_UNIT_BYTES_S: return 1e9;
	case JR_UNIT_PERCENT:
	case JR_UNIT_POINTS: return 0.01;
	default: return 1;
	}
}

struct jr_value jr_value_of_cell(const struct jr_table *table, size_t column, size_t row)
{
	const struct jr_column_spec *spec = &table->spec->columns[column];
	const union jr_cells *cells = &table->cells[column];
	struct jr_value v = {.type = spec->type, .unit = spec->unit};
	switch (spec->type) {
	case JR_TEXT: v.as.text = cells->text[row]; break;
	case JR_I64: v.as.i64 = cells->i64[row]; break;
	case JR_F64: v.as.f64 = cells->f64[row]; break;
	case JR_BOOL: v.as.boolean = cells->boolean[row]; break;
	case JR_ROWS: v.as.rows = cells->rows[row]; break;
	}
	return v;
}

struct jr_value jr_value_of_scalar(const struct jr_scalar *scalar)
{
	struct jr_value v = {.type = scalar->type, .unit = scalar->unit};
	switch (scalar->type) {
	case JR_TEXT: v.as.text = scalar->value.text; break;
	case JR_I64: v.as.i64 = scalar->value.i64; break;
	case JR_F64: v.as.f64 = scalar->value.f64; break;
	case JR_BOOL: v.as.boolean = scalar->value.boolean; break;
	case JR_ROWS: break;
	}
	return v;
}

bool jr_value_is_null(const struct jr_value *v)
{
	switch (v->type) {
	case JR_TEXT: return !v->as.text;
	case JR_I64: return v->as.i64 == JR_NULL_I64;
	case JR_F64: return !isfinite(v->as.f64);
	case JR_BOOL: return v->as.boolean == JR_NULL_BOOL;
	case JR_ROWS: return !v->as.rows;
	}
	return true;
}

double jr_value_number(const struct jr_value *v)
{
	if (jr_value_is_null(v))
		return NAN;
	switch (v->type) {
	case JR_I64: return (double)v->as.i64;
	case JR_F64: return v->as.f64;
	case JR_BOOL: return v->as.boolean;
	default: return NAN;
	}
}

static size_t data_i64(char out[JR_NUM_MAX], int64_t v, enum jr_unit unit)
{
	switch (unit) {
	case JR_UNIT_NS: return jr_num_decimal(out, v, 6);
	case JR_UNIT_S: return jr_num_decimal(out, v, 9);
	case JR_UNIT_BYTES_S: return jr_num_double(out, (double)v / 1e9);
	case JR_UNIT_PERCENT:
	case JR_UNIT_POINTS: return jr_num_i64(out, v * 100);
	default: return jr_num_i64(out, v);
	}
}

double jr_value_data(const struct jr_value *v)
{
	double divisor = data_divisor(v->unit), number = jr_value_number(v);
	return divisor < 1 ? number * 100 : number / divisor;
}

double jr_value_of_data(double data, enum jr_unit unit)
{
	double divisor = data_divisor(unit);
	return divisor < 1 ? data / 100 : data * divisor;
}

void jr_value_put_data(struct jr_buf *out, const struct jr_value *v)
{
	char room[JR_NUM_MAX];
	if (jr_value_is_null(v))
		return;
	switch (v->type) {
	case JR_TEXT: jr_buf_puts(out, v->as.text); break;
	case JR_I64: jr_buf_add(out, room, data_i64(room, v->as.i64, v->unit)); break;
	case JR_F64: jr_buf_add(out, room, jr_num_double(room, jr_value_data(v))); break;
	case JR_BOOL: jr_buf_puts(out, v->as.boolean ? "true" : "false"); break;
	case JR_ROWS: break;
	}
}

/* --- for people ---------------------------------------------------------------------------- */

struct range {
	double max_abs, min_abs; /* of values other than 0; NaN = none */
	bool fractional, negative;
};

static void range_add(struct range *r, double v)
{
	double a = fabs(v);
	if (isnan(a))
		return;
	if (!(a <= r->max_abs))
		r->max_abs = a;
	if (a > 0 && !(a >= r->min_abs))
		r->min_abs = a;
	r->fractional |= a < 1e15 && a != floor(a);
	r->negative |= v < 0;
}

/* If only some rows are shown, the table may have chosen which. */
static size_t row_at(const struct jr_table *table, size_t n_first, size_t i)
{
	return table->chosen && n_first == table->n_rendered && i < n_first ? table->chosen[i] : i;
}

static struct range range_of(
	const struct jr_table *table, size_t column, size_t n_first, size_t rest)
{
	struct range r = {NAN, NAN, false, false};
	for (size_t row = 0; row < table->n_rows; row++) {
		if (row == n_first && rest > row)
			row = rest;
		if (row >= table->n_rows)
			break;
		struct jr_value v = jr_value_of_cell(table, column, row_at(table, n_first, row));
		range_add(&r, jr_value_number(&v));
	}
	return r;
}

/* Decimals that give the largest value 4 digits and the smallest 2, but at most 3. */
static int time_decimals(const struct jr_value_format *f)
{
	double largest = f->max_abs / f->divisor, smallest = f->min_abs / f->divisor;
	int decimals = 3;
	for (double least = 10, fine = 0.1; decimals > 0 && largest >= least && !(smallest < fine);
		 least *= 10, fine *= 10)
		decimals--;
	return decimals;
}

/* Units of time, longest first. */
static const struct {
	double divisor;
	const char *suffix;
} time_units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}};

static void set_time_unit(struct jr_value_format *f, size_t unit)
{
	f->divisor = time_units[unit].divisor;
	f->suffix = time_units[unit].suffix;
	f->decimals = time_decimals(f);
}

/* Return the unit in which a value has at most three digits before the point; ms for 0 and NaN. */
static size_t time_unit(double ns)
{
	size_t unit = 0, least = JR_COUNT_OF(time_units) - 1;
	while (unit < least && ns < 999.95 * time_units[unit + 1].divisor)
		unit++;
	return ns > 0 ? unit : 1;
}

static bool is_time(const struct jr_value_format *f)
{
	return f->numeric && (f->unit == JR_UNIT_NS || f->unit == JR_UNIT_S);
}

void jr_value_format_follow(struct jr_value_format *f, const struct jr_value_format *other)
{
	for (size_t unit = 0; unit < JR_COUNT_OF(time_units); unit++)
		if (is_time(f) && is_time(other) && time_units[unit].divisor == other->divisor)
			set_time_unit(f, unit);
}

bool jr_value_format_join(struct jr_value_format *f, const struct jr_value_format *other)
{
	if (!is_time(f) || !is_time(other) || other->divisor <= f->divisor ||
		!(f->max_abs * 4 >= other->max_abs))
		return false;
	jr_value_format_follow(f, other);
	return true;
}

void jr_value_format_share(struct jr_value_format *const *formats, size_t n)
{
	double largest = 0, smallest = INFINITY;
	for (size_t i = 0; i < n; i++) {
		if (!is_time(formats[i]) || !(formats[i]->max_abs > 0))
			continue;
		largest = fmax(largest, formats[i]->max_abs);
		smallest = fmin(smallest, formats[i]->max_abs);
	}
	if (!(largest > 0))
		return;
	size_t unit = time_unit(largest);
	if (unit + 1 < JR_COUNT_OF(time_units) && smallest < 0.001 * time_units[unit].divisor)
		unit++;
	for (size_t i = 0; i < n; i++)
		if (is_time(formats[i]))
			set_time_unit(formats[i], unit);
}

static void format_bytes(struct jr_value_format *f, const struct range *r)
{
	static const struct {
		double size;
		const char *suffix;
	} units[] = {{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}};
	f->each = r->max_abs / r->min_abs > 1e4;
	if (f->each)
		return;
	for (size_t i = 0; i < JR_COUNT_OF(units); i++) {
		if (r->max_abs >= units[i].size) {
			f->divisor = units[i].size;
			f->suffix = units[i].suffix;
			f->decimals = 2;
			return;
		}
	}
	f->suffix = "B";
}

/* From 75 % to 97 % is 22 pp more; "30 % more" would be a change of the share itself. */
static const char *share_suffix(enum jr_unit unit, bool change)
{
	return unit == JR_UNIT_POINTS || (unit == JR_UNIT_FRAC && change) ? "pp" : "%";
}

static void format_unit(
	struct jr_value_format *f, const struct jr_column_spec *spec, const struct range *r)
{
	switch (spec->unit) {
	case JR_UNIT_NS:
	case JR_UNIT_S: set_time_unit(f, time_unit(f->max_abs)); break;
	case JR_UNIT_BYTES: format_bytes(f, r); break;
	case JR_UNIT_BYTES_S: f->suffix = "GB/s", f->divisor = 1e9, f->decimals = 2; break;
	case JR_UNIT_FRAC:
	case JR_UNIT_PERCENT:
	case JR_UNIT_POINTS:
		f->suffix = share_suffix(spec->unit, f->sign);
		f->divisor = 0.01;
		f->decimals = 2;
		break;
	case JR_UNIT_HZ: f->suffix = "GHz", f->divisor = 1e9, f->decimals = 3; break;
	case JR_UNIT_COUNT: f->decimals = r->fractional ? 2 : 0; break;
	case JR_UNIT_NONE: f->decimals = r->fractional ? 3 : -1; break;
	}
}

/* Each row has true or false. */
static bool all_answer(const struct jr_table *table, size_t column, size_t n_first, size_t rest)
{
	for (size_t i = 0; i < table->n_rows; i++)
		if ((i < n_first || i >= rest) && table->cells[column].boolean[i] == JR_NULL_BOOL)
			return false;
	return true;
}

struct jr_value_format jr_value_format_of(
	const struct jr_table *table, size_t column, size_t n_first, size_t rest)
{
	const struct jr_column_spec *spec = &table->spec->columns[column];
	struct jr_value_format f = {
		.suffix = "", .divisor = 1, .unit = spec->unit, .max_abs = NAN, .min_abs = NAN};
	f.numeric = spec->type == JR_I64 || spec->type == JR_F64;
	f.right = f.numeric || spec->flags & JR_COL_QUANTITY;
	f.sign = f.numeric && spec->flags & JR_COL_CHANGE;
	f.mark = spec->type == JR_BOOL && all_answer(table, column, n_first, rest);
	if (!f.numeric)
		return f;
	struct range r = range_of(table, column, n_first, rest);
	f.max_abs = r.max_abs;
	f.min_abs = r.min_abs;
	f.near_0 = f.sign || r.negative;
	format_unit(&f, spec, &r);
	return f;
}

static const char *number_text(const struct jr_value_format *f, double v, char room[JR_NUM_MAX])
{
	double scaled = f->divisor < 1 ? v * 100 : v / f->divisor;
	double last = pow(10, -f->decimals);
	if (v == 0)
		return "0";
	if (f->decimals > 0 && fabs(scaled) < last / 2) {
		if (f->near_0)
			return "≈ 0";
		char least[JR_NUM_MAX];
		size_t n = jr_num_grouped(least, last, f->decimals);
		room[0] = '<';
		memcpy(room + 1, least, n + 1);
		return room;
	}
	jr_num_grouped(room, scaled, f->decimals);
	return room;
}

static const char *unsigned_text(
	const struct jr_value_format *f, const struct jr_value *v, char room[JR_NUM_MAX])
{
	if (jr_value_is_null(v))
		return DASH;
	switch (v->type) {
	case JR_TEXT: return *v->as.text ? v->as.text : DASH;
	case JR_BOOL: return f->mark ? (v->as.boolean ? JR_MARK : "") : v->as.boolean ? "yes" : "no";
	case JR_ROWS: return DASH;
	case JR_I64:
		if (f->decimals < 0) {
			jr_num_i64(room, v->as.i64);
			return room;
		}
		if (f->divisor == 1 && f->decimals == 0 && !f->each) {
			jr_num_grouped_i64(room, v->as.i64);
			return room;
		}
		break;
	case JR_F64: break;
	}
	double number = jr_value_number(v);
	if (f->each) {
		jr_num_bytes(room, number);
		return room;
	}
	if (f->decimals < 0) {
		jr_num_significant(room, number, 4);
		return room;
	}
	return number_text(f, number, room);
}

/* Insert a plus before a number in `room`. There is a spare byte, because no number fills it. */
static void put_plus(char room[JR_NUM_MAX])
{
	memmove(room + 1, room, strlen(room) + 1);
	room[0] = '+';
}

const char *jr_value_text(
	const struct jr_value_format *f, const struct jr_value *v, char room[JR_NUM_MAX])
{
	const char *text = unsigned_text(f, v, room);
	if (f->sign && text == room && jr_value_number(v) > 0 && jr_is_digit(room[0]))
		put_plus(room);
	return text;
}

double jr_value_bar(const struct jr_value_format *f, const struct jr_value *v)
{
	double number = jr_value_number(v);
	if (!(number > 0) || !(f->max_abs > 0))
		return 0;
	return number < f->max_abs ? number / f->max_abs : 1;
}

/* Write the value and unit, split so that "127.2 ± 3.1 ms" has the unit once: both texts end in "
 * unit".
 */
static size_t with_unit(char room[JR_NUM_MAX], double v, enum jr_unit unit, bool change)
{
	size_t n;
	switch (unit) {
	case JR_UNIT_NS:
	case JR_UNIT_S: return jr_num_time(room, v);
	case JR_UNIT_BYTES: return jr_num_bytes(room, v);
	case JR_UNIT_BYTES_S: n = jr_num_significant(room, v / 1e9, 4); break;
	case JR_UNIT_FRAC:
	case JR_UNIT_PERCENT:
	case JR_UNIT_POINTS: n = jr_num_grouped(room, v * 100, 2); break;
	case JR_UNIT_HZ: n = jr_num_significant(room, v / 1e9, 4); break;
	case JR_UNIT_COUNT:
		if (v == floor(v) && fabs(v) < 1e15)
			return jr_num_grouped(room, v, 0);
		return jr_num_significant(room, v, 4);
	default: return jr_num_significant(room, v, 4);
	}
	const char *suffix = unit == JR_UNIT_BYTES_S ? "GB/s"
						 : unit == JR_UNIT_HZ    ? "GHz"
												 : share_suffix(unit, change);
	room[n++] = ' ';
	memcpy(room + n, suffix, strlen(suffix) + 1);
	return n + strlen(suffix);
}

/* The divisor that with_unit() chose for a time; the deviation uses the same. */
static double time_divisor(const char *text)
{
	const char *unit = strrchr(text, ' ');
	if (!unit)
		return 1;
	return strcmp(unit, " s") == 0    ? 1e9
		   : strcmp(unit, " ms") == 0 ? 1e6
		   : strcmp(unit, " ns") == 0 ? 1
									  : 1e3;
}

static void put_deviation(struct jr_buf *out, const struct jr_scalar *s, const char *text)
{
	char room[JR_NUM_MAX];
	const char *unit = strrchr(text, ' ');
	size_t n = unit ? (size_t)(unit - text) : strlen(text);
	double divisor =
		s->unit == JR_UNIT_NS || s->unit == JR_UNIT_S         ? time_divisor(text)
		: s->unit == JR_UNIT_BYTES_S || s->unit == JR_UNIT_HZ ? 1e9
		: s->unit == JR_UNIT_FRAC || s->unit == JR_UNIT_PERCENT || s->unit == JR_UNIT_POINTS ? 0.01
																							 : 1;
	if (s->unit == JR_UNIT_BYTES) {
		jr_num_bytes(room, s->plus_minus);
		jr_buf_printf(out, "%s ± %s", text, room);
		return;
	}
	jr_num_significant(room, divisor < 1 ? s->plus_minus * 100 : s->plus_minus / divisor, 2);
	const char *point = strchr(room, '.'), *own = memchr(text, '.', n);
	size_t decimals = point ? strlen(point + 1) : 0;
	if (own && decimals > n - (size_t)(own + 1 - text) && decimals <= DEVIATION_DECIMALS) {
		/* print the value with the decimals of its deviation */
		struct jr_value v = jr_value_of_scalar(s);
		double number = jr_value_number(&v);
		char fine[JR_NUM_MAX];
		jr_num_grouped(fine, divisor < 1 ? number * 100 : number / divisor, (int)decimals);
		jr_buf_puts(out, fine);
	} else {
		jr_buf_add(out, text, n);
	}
	jr_buf_printf(out, " ± %s%s", room, unit ? unit : "");
}

void jr_value_put_scalar(struct jr_buf *out, const struct jr_scalar *s)
{
	struct jr_value v = jr_value_of_scalar(s);
	char room[JR_NUM_MAX];
	if (jr_value_is_null(&v)) {
		jr_buf_puts(out, DASH);
	} else if (v.type == JR_TEXT) {
		jr_buf_puts(out, v.as.text);
	} else if (v.type == JR_BOOL) {
		jr_buf_puts(out, v.as.boolean ? "yes" : "no");
	} else if (v.type == JR_I64 && (s->unit == JR_UNIT_NONE || s->unit == JR_UNIT_COUNT)) {
		if (s->unit == JR_UNIT_NONE)
			jr_num_i64(room, v.as.i64);
		else
			jr_num_grouped_i64(room, v.as.i64);
		jr_buf_puts(out, room);
	} else {
		with_unit(room, jr_value_number(&v), s->unit, s->change);
		if (s->change && jr_value_number(&v) > 0)
			put_plus(room);
		if (isnan(s->plus_minus))
			jr_buf_puts(out, room);
		else
			put_deviation(out, s, room);
	}
}

void jr_value_put_gain(struct jr_buf *out, const struct jr_finding *f)
{
	char gain[JR_NUM_MAX], rest[JR_NUM_MAX];
	jr_buf_puts(out, jr_cause_name(f->cause));
	if (f->recoverable_ns == JR_NULL_I64 || f->planned) /* the title has the time of a plan */
		return;
	if (!jr_finding_saves(f)) {
		jr_num_time(gain, (double)f->error_ns);
		jr_buf_printf(out,
			f->error_ns > 0 ? ", saving within the prediction error (±%s)" : ", saves nothing%s",
			f->error_ns > 0 ? gain : "");
		return;
	}
	/* the title has the saving */
	if (f->times == 1)
		jr_buf_puts(out, ", once");
	else if (f->times)
		jr_buf_printf(out, ", %zu times", f->times);
	if (f->times || f->step_recoverable_ns == JR_NULL_I64 || f->step_without_ns == JR_NULL_I64)
		return;
	/* A step cannot take no time. If all of it could be saved, the remaining time is not printed.
	 */
	bool least = f->step_least_ns != JR_NULL_I64 && f->step_least_ns < f->step_recoverable_ns;
	bool range = least && jr_finding_has_range(f);
	if (range) {
		jr_num_time_range(
			gain, (double)f->step_least_ns, (double)f->step_recoverable_ns, jr_num_time);
		jr_buf_printf(out, ", saving %s", gain);
	}
	if (f->step_without_ns > 0) {
		jr_num_time(rest, (double)f->step_without_ns);
		jr_buf_printf(out,
			f->predicted ? ", a replay predicts a step of %s%s%s" : ", the step would take %s%s%s",
			least ? "at least " : "", rest,
			f->since_ns > f->step_recoverable_ns ? " on average" : "");
	} else if (f->predicted) {
		jr_buf_puts(out, ", predicted by replay");
	}
}

size_t jr_value_finding_parts(
	const struct jr_finding *f, struct jr_finding_part parts[JR_FINDING_PARTS])
{
	const struct jr_finding_part all[JR_FINDING_PARTS] = {{"What to do:", f->action, false},
		{NULL, f->why, false}, {NULL, f->evidence, true}, {NULL, f->also, true}};
	size_t n = 0;
	for (size_t i = 0; i < JR_FINDING_PARTS; i++)
		if (all[i].text && *all[i].text)
			parts[n++] = all[i];
	return n;
}
