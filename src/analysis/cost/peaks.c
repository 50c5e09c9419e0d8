/* Peaks of devices; analysis/README.md, section 14.2. */
#include "analysis/cost/peaks.h"

#include <fnmatch.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"

#define MHZ UINT64_C(1000000)
#define GB UINT64_C(1000000000)

/* Operations per clock and multiprocessor. */
struct rates {
	uint32_t compute_capability;
	char variant;
	uint32_t half, f8, f4, s8, s4, tf32, f32, f64, vector_f32, vector_f64, functions, integers;
};

struct row {
	const char *name; /* glob */
	uint32_t compute_capability;
	char variant;
	uint32_t sm_count, tensor_mhz, vector_mhz, memory_gb_s, link_gb_s;
	const char *source;
};

static const struct rates rates_table[] = {
#define JR_RATE(...) {__VA_ARGS__},
#define JR_PEAK(...)
#define JR_SORT(...)
#include "analysis/cost/peaks.def"
#undef JR_RATE
#undef JR_PEAK
#undef JR_SORT
};

static const struct {
	const char *name; /* glob */
	char variant;
} sorts[] = {
#define JR_RATE(...)
#define JR_PEAK(...)
#define JR_SORT(...) {__VA_ARGS__},
#include "analysis/cost/peaks.def"
#undef JR_RATE
#undef JR_PEAK
#undef JR_SORT
};

static const struct row rows[] = {
#define JR_RATE(...)
#define JR_SORT(...)
#define JR_PEAK(...) {__VA_ARGS__},
#include "analysis/cost/peaks.def"
#undef JR_RATE
#undef JR_PEAK
#undef JR_SORT
};

static const struct row *row_of(const char *name)
{
	for (size_t i = 0; i < JR_COUNT_OF(rows); i++)
		if (fnmatch(rows[i].name, name, 0) == 0)
			return &rows[i];
	return NULL;
}

static char variant_of(const char *name)
{
	for (size_t i = 0; i < JR_COUNT_OF(sorts); i++)
		if (fnmatch(sorts[i].name, name, 0) == 0)
			return sorts[i].variant;
	return 0;
}

/* Return the rates of the variant, else those of the generation. */
static const struct rates *rates_of(uint32_t compute_capability, char variant)
{
	const struct rates *found = NULL;
	for (size_t i = 0; i < JR_COUNT_OF(rates_table); i++)
		if (rates_table[i].compute_capability == compute_capability &&
			(rates_table[i].variant == variant || rates_table[i].variant == 0))
			if (!found || rates_table[i].variant == variant)
				found = &rates_table[i];
	return found;
}

/* 0 on overflow: no real device reaches that. */
static uint64_t times(uint64_t rate, uint64_t sm_count, uint64_t clock_hz)
{
	uint64_t v;
	return __builtin_mul_overflow(rate, sm_count, &v) || __builtin_mul_overflow(v, clock_hz, &v)
			   ? 0
			   : v;
}

static uint64_t lower_known(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

/* A product in several passes of a narrower type takes that many times as long. */
static void set_passes(uint64_t *matrix)
{
	matrix[JR_MATRIX_BF16X3] = matrix[JR_MATRIX_BF16] / 3;
	matrix[JR_MATRIX_BF16X6] = matrix[JR_MATRIX_BF16] / 6;
	matrix[JR_MATRIX_BF16X9] = matrix[JR_MATRIX_BF16] / 9;
	matrix[JR_MATRIX_TF32X3] = matrix[JR_MATRIX_TF32] / 3;
}

static void set_rates(struct jr_peaks *p, const struct rates *r)
{
	uint64_t n = p->sm_count, tensor = p->tensor_clock_hz, vector = p->vector_clock_hz;
	p->matrix[JR_MATRIX_F16] = times(r->half, n, tensor);
	p->matrix[JR_MATRIX_F8] = times(r->f8, n, tensor);
	p->matrix[JR_MATRIX_F4] = times(r->f4, n, tensor);
	p->matrix[JR_MATRIX_S8] = times(r->s8, n, tensor);
	p->matrix[JR_MATRIX_S4] = times(r->s4, n, tensor);
	p->matrix[JR_MATRIX_F32] = times(r->f32, n, vector);
	p->matrix[JR_MATRIX_F64] = times(r->f64, n, vector);
	/* Before Ampere, bf16 and tf32 are computed as f32. */
	bool ampere = r->compute_capability >= 80;
	p->matrix[JR_MATRIX_BF16] = p->matrix[ampere ? JR_MATRIX_F16 : JR_MATRIX_F32];
	p->matrix[JR_MATRIX_TF32] = ampere ? times(r->tf32, n, tensor) : p->matrix[JR_MATRIX_F32];
	set_passes(p->matrix);
	p->vector[JR_VECTOR_F32] = times(r->vector_f32, n, vector);
	p->vector[JR_VECTOR_F64] = times(r->vector_f64, n, vector);
	p->functions = times(r->functions, n, vector);
	p->integers = times(r->integers, n, vector);
	p->known = p->vector[JR_VECTOR_F32] > 0;
}

/* A TPU states its bf16 peak. By XLA's default, f32 products there take one bf16 pass. They take at
 * least three if the program requests a higher precision. */
static void set_stated(struct jr_peaks *p, uint64_t flop_s)
{
	static const enum jr_matrix_class one_pass[] = {JR_MATRIX_BF16, JR_MATRIX_F16, JR_MATRIX_TF32};
	for (size_t i = 0; i < JR_COUNT_OF(one_pass); i++)
		p->matrix[one_pass[i]] = flop_s;
	set_passes(p->matrix);
	p->matrix[JR_MATRIX_F32] = p->matrix[JR_MATRIX_BF16X3];
	p->known = p->stated = true;
}

struct jr_peaks jr_peaks_of(const char *name, const struct jr_device *device)
{
	struct jr_peaks p = {.compute_capability = device->compute_capability,
		.sm_count = device->sm_count,
		.tensor_clock_hz = device->clock_hz,
		.vector_clock_hz = device->clock_hz,
		.memory_bandwidth_bytes_s = device->memory_bandwidth_bytes_s};
	const struct row *row = row_of(name);
	char variant = row ? row->variant : variant_of(name);
	if (row) {
		p.compute_capability =
			p.compute_capability ? p.compute_capability : row->compute_capability;
		p.sm_count = p.sm_count ? p.sm_count : row->sm_count;
		p.tensor_clock_hz = lower_known(p.tensor_clock_hz, row->tensor_mhz * MHZ);
		p.vector_clock_hz = lower_known(p.vector_clock_hz, row->vector_mhz * MHZ);
		if (!p.memory_bandwidth_bytes_s)
			p.memory_bandwidth_bytes_s = row->memory_gb_s * GB;
		p.link_bytes_s = row->link_gb_s * GB;
		p.source = row->source;
	}
	const struct rates *rates = rates_of(p.compute_capability, variant);
	p.rates_known = rates != NULL;
	if (rates)
		set_rates(&p, rates);
	p.by_formula = p.known && !row;
	if (device->matrix_flop_s)
		set_stated(&p, device->matrix_flop_s);
	return p;
}

/* --- names that users type -------------------------------------------------------------------- */

/* The name of a row: its glob without the stars. */
static void put_name(struct jr_buf *out, const struct row *row)
{
	const char *begin = row->name + strspn(row->name, "*");
	size_t n = strcspn(begin, "*[");
	while (n && begin[n - 1] == ' ')
		n--;
	out->size = 0;
	jr_buf_add(out, begin, n);
	jr_buf_puts(out, "");
}

const char *jr_peaks_named(const char *name, struct jr_buf *found, struct jr_buf *nearest)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf own = {0};
	const char *names[JR_COUNT_OF(rows)], *begins[JR_COUNT_OF(rows)];
	struct jr_nearest near = {0};
	struct jr_arena arena;
	size_t n = 0, one = 0;
	name += strncasecmp(name, "NVIDIA ", 7) == 0 ? 7 : 0;
	size_t length = strlen(name);
	jr_arena_init(&arena, 0);
	for (size_t i = 0; i < JR_COUNT_OF(rows); i++) {
		put_name(&own, &rows[i]);
		names[i] = jr_arena_strdup(&arena, own.data);
		begins[i] = jr_arena_strndup(&arena, own.data, length < own.size ? length : own.size);
		jr_nearest_offer(&near, name, begins[i]);
		bool begin = length && strcasecmp(begins[i], name) == 0;
		n += begin;
		one = begin && n == 1 ? i : one;
	}
	for (size_t i = JR_COUNT_OF(rows); i-- > 0;) /* a whole name is not the beginning of others */
		if (strcasecmp(names[i], name) == 0 || fnmatch(rows[i].name, name, 0) == 0) {
			n = 1;
			one = i;
		}
	for (size_t i = 0; n != 1 && i < JR_COUNT_OF(rows); i++) {
		bool fits = n ? strcasecmp(begins[i], name) == 0 : !near.best || near.best == begins[i];
		if (fits && !(i && strcmp(names[i], names[i - 1]) == 0))
			jr_buf_printf(nearest, "%s%s", nearest->size ? ", " : "", names[i]);
	}
	if (n == 1)
		put_name(found, &rows[one]);
	jr_arena_done(&arena);
	return n == 1 ? found->data : NULL;
}
