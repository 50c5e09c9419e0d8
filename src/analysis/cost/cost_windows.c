/*
 * Windows: pairs (o, k) of a result position and a window position that hit the input, at o *
 * stride - padding_low + k * window_dilation. README.md, section 13.3.
 *
 * An input may state any size, so no loop runs over both o and k. The Euclidean algorithm counts
 * lattice points below a line. Only if input and window both have gaps, a loop runs over the
 * shorter one of the two, if it is short enough.
 */
#include "analysis/cost/cost_parts.h"

__extension__ typedef __int128 wide;

/* Larger sizes could overflow: sums of products of two sizes must fit. */
#define MOST ((int64_t)1 << 40)
/* Limit of positions for a loop. */
#define MOST_PLACES 65536

/* Sum over 0 <= i < n of floor((a * i + b) / m), for a, b >= 0 and m > 0; O(log m). */
static wide floor_sum(wide n, wide m, wide a, wide b)
{
	wide sum = 0;
	while (n > 0) {
		sum += n * (n - 1) / 2 * (a / m) + n * (b / m);
		a %= m;
		b %= m;
		wide top = a * n + b;
		n = top / m;
		b = top % m;
		wide swap = m;
		m = a;
		a = swap;
		if (m == 0)
			break;
	}
	return sum;
}

/* Pairs 0 <= i < n, 0 <= j < n_steps with i * a + j * b <= most. */
static wide pairs_up_to(wide most, wide n, wide a, wide n_steps, wide b)
{
	if (most < 0 || n <= 0 || n_steps <= 0)
		return 0;
	wide last = most / b < n_steps - 1 ? most / b : n_steps - 1; /* the last j with a pair */
	wide whole = most - (n - 1) * a >= 0 ? (most - (n - 1) * a) / b + 1 : 0; /* js with all n */
	if (whole > last + 1)
		whole = last + 1;
	wide rest = last + 1 - whole;
	/* from the last j backward, the number of i only grows: floor((most - j * b) / a) + 1 */
	return whole * n + rest + floor_sum(rest, a, b, most - last * b);
}

static wide modulo(wide a, wide m)
{
	return (a % m + m) % m;
}

/* Return x with a * x = 1 (mod m), for coprime a and m. */
static wide inverse(wide a, wide m)
{
	wide r0 = m, r1 = modulo(a, m), t0 = 0, t1 = 1;
	while (r1 != 0) {
		wide q = r0 / r1, r = r0 - q * r1, t = t0 - q * t1;
		r0 = r1;
		r1 = r;
		t0 = t1;
		t1 = t;
	}
	return modulo(t0, m);
}

static wide greatest_divisor(wide a, wide b)
{
	while (b) {
		wide r = a % b;
		a = b;
		b = r;
	}
	return a;
}

static wide floor_div(wide a, wide b)
{
	return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/* Count 0 <= i < n with first <= i * a + offset <= last and gap dividing it. */
static wide places(wide n, wide a, wide offset, wide last, wide gap)
{
	wide low = floor_div(-offset + a - 1, a), high = floor_div(last - offset, a);
	low = low < 0 ? 0 : low;
	high = high > n - 1 ? n - 1 : high;
	wide g = greatest_divisor(a, gap);
	if (high < low || modulo(offset, g) != 0)
		return 0;
	wide step = gap / g; /* i = rest (mod step) */
	wide rest = step == 1 ? 0 : modulo(-offset / g * inverse(a / g, step), step);
	return floor_div(high - rest, step) - floor_div(low - 1 - rest, step);
}

/* Count with a loop: both the input and the window have gaps. */
static wide gone_through(
	wide out, wide stride, wide size, wide dilation, wide padding, wide last, wide gap)
{
	wide sum = 0;
	if (size <= MOST_PLACES)
		for (wide k = 0; k < size; k++)
			sum += places(out, stride, k * dilation - padding, last, gap);
	else
		for (wide o = 0; o < out; o++)
			sum += places(size, dilation, o * stride - padding, last, gap);
	return sum;
}

uint64_t jr_cost_taps(uint64_t in, uint64_t out, const struct jr_hlo_window_dimension *window)
{
	const struct jr_hlo_window_dimension *w = window;
	if (in > (uint64_t)MOST || out > (uint64_t)MOST || w->size < 0 || w->size > MOST ||
		w->stride < 1 || w->stride > MOST || w->window_dilation < 1 || w->window_dilation > MOST ||
		w->base_dilation < 1 || w->base_dilation > MOST || w->padding_low > MOST ||
		w->padding_low < -MOST)
		return JR_MANY;
	if (in == 0 || out == 0 || w->size == 0)
		return 0;
	wide last = ((wide)in - 1) * w->base_dilation; /* of the input, including gaps */
	wide taps;
	if (w->base_dilation == 1) {
		taps =
			pairs_up_to(last + w->padding_low, (wide)out, w->stride, w->size, w->window_dilation) -
			pairs_up_to(
				(wide)w->padding_low - 1, (wide)out, w->stride, w->size, w->window_dilation);
	} else if (w->stride == 1) {
		/* o = q * base_dilation + padding_low - k * dilation, over positions q of the input and k
		 * from the window's end */
		wide below = ((wide)w->size - 1) * w->window_dilation - w->padding_low;
		taps = pairs_up_to(
				   below + (wide)out - 1, (wide)in, w->base_dilation, w->size, w->window_dilation) -
			   pairs_up_to(below - 1, (wide)in, w->base_dilation, w->size, w->window_dilation);
	} else if (w->size <= MOST_PLACES || out <= MOST_PLACES) {
		taps = gone_through((wide)out, w->stride, w->size, w->window_dilation, w->padding_low, last,
			w->base_dilation);
	} else {
		return JR_MANY;
	}
	return taps < (wide)JR_MANY ? (uint64_t)taps : JR_MANY;
}

/* Return the size of dimension `d`, JR_MANY if it does not exist. */
static uint64_t size_of(const struct jr_hlo_shape *shape, int64_t d)
{
	return d >= 0 && (uint64_t)d < shape->n_dimensions && !shape->unbounded
			   ? (uint64_t)shape->dimensions[d]
			   : JR_MANY;
}

static uint64_t group_share(uint64_t size, int64_t groups)
{
	return size == JR_MANY || groups < 1 ? JR_MANY : size / (uint64_t)groups;
}

uint64_t jr_convolution_macs(const struct jr_hlo_attributes *a, const struct jr_hlo_shape *in,
	const struct jr_hlo_shape *kernel, const struct jr_hlo_shape *out)
{
	const struct jr_hlo_convolution *c = a ? a->convolution : NULL;
	if (!c || c->n_spatial != a->n_window || !in || !kernel || !out)
		return JR_MANY;
	uint64_t macs = group_share(size_of(in, c->input_batch), a->batch_group_count);
	macs = jr_sat_mul(macs, size_of(out, c->output_feature));
	macs = jr_sat_mul(macs, group_share(size_of(in, c->input_feature), a->feature_group_count));
	for (uint32_t d = 0; d < c->n_spatial; d++) {
		uint64_t n_in = size_of(in, c->input_spatial[d]);
		uint64_t n_out = size_of(out, c->output_spatial[d]);
		if (n_in == JR_MANY || n_out == JR_MANY ||
			size_of(kernel, c->kernel_spatial[d]) != (uint64_t)a->window[d].size)
			return JR_MANY;
		macs = jr_sat_mul(macs, jr_cost_taps(n_in, n_out, &a->window[d]));
	}
	return macs;
}
