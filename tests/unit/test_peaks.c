/* Peaks of devices: each row of the table gives the numbers that the manufacturer prints. Also
 * devices that are not in the table, or of which little is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "analysis/cost/peaks.h"
#include "base/cleanup.h"

#define NONE 0
#define ANY (-1.0)

/* TFLOP/s as printed; each is compared to the precision of its digits. */
struct printed {
	const char *name;
	uint64_t clock_mhz; /* as the driver reports it: the highest */
	double half, tf32, f8, s8, f32, f64;
};

static const struct printed devices[] = {
	{"Tesla V100-SXM2-16GB", 1530, 125, ANY, NONE, NONE, 15.7, 7.8},
	{"Tesla V100-PCIE-32GB", 1380, 113, ANY, NONE, NONE, 14.1, 7.1},
	{"NVIDIA A100-SXM4-40GB", 1410, 312, 156, NONE, 624, 19.5, 19.5},
	{"NVIDIA A100-SXM4-80GB", 1410, 312, 156, NONE, 624, 19.5, 19.5},
	{"NVIDIA A100-PCIE-40GB", 1410, 312, 156, NONE, 624, 19.5, 19.5},
	{"NVIDIA A100 80GB PCIe", 1410, 312, 156, NONE, 624, 19.5, 19.5},
	{"NVIDIA A30", 1440, 165, 82.6, NONE, 330, 10.3, 10.3},
	{"NVIDIA A10", 1695, 125, 62.5, NONE, 250, 31.2, 0.5},
	{"NVIDIA A10G", 1710, 70, 35, NONE, 140, 35, 0.5},
	{"NVIDIA A40", 1740, 149.7, 74.8, NONE, 299, 37.4, 0.6},
	{"NVIDIA GeForce RTX 3090", 1695, 71, 35.6, NONE, 285, 35.6, 0.6},
	{"NVIDIA L4", 2040, 121, 60.6, 242, 242, 30.3, 0.5},
	{"NVIDIA L40S", 2520, 366, 183, 733, 733, 91.6, 1.4},
	{"NVIDIA GeForce RTX 4090", 2520, 165, 82.6, 330, 661, 82.6, 1.3},
	{"NVIDIA H100 80GB HBM3", 1980, 989, 495, 1979, 1979, 66.9, 66.9},
	{"NVIDIA H100 PCIe", 1755, 756, 378, 1513, 1513, 51.2, 51.2},
	{"NVIDIA H100 NVL", 1785, 835, 418, 1671, 1671, 60.3, 60.3},
	{"NVIDIA H200 NVL", 1785, 835, 418, 1671, 1671, 60.3, 60.3},
	{"NVIDIA H200", 1980, 989, 495, 1979, 1979, 66.9, 66.9},
	{"NVIDIA GH200 480GB", 1980, 989, 495, 1979, 1979, 66.9, 66.9},
	{"NVIDIA B100", 1965, 1750, 875, 3500, 3500, 60.62, 30.31},
	{"NVIDIA B200", 1965, 2250, 1125, 4500, 4500, 74, 37},
	{"NVIDIA GB200", 2112, 2500, 1250, 5000, 5000, 80, 40},
	{"NVIDIA B300 SXM6 AC", 1965, 2250, 1125, 4500, 141, 74, 1.2},
	{"NVIDIA GB300", 2112, 2500, 1250, 5000, 156, 80, 1.2},
	{"NVIDIA H20", 1980, 148, 74, 296, 296, ANY, ANY},
	{"NVIDIA H20-3e", 1980, 148, 74, 296, 296, ANY, ANY},
	{"NVIDIA H800", 1980, 989, 495, 1979, 1979, 66.9, 1},
	{"NVIDIA H800 PCIe", 1755, 756, 378, 1513, 1513, 51.2, 0.8},
	{"NVIDIA A800-SXM4-80GB", 1410, 312, 156, NONE, 624, 19.5, 19.5},
	{"NVIDIA A800 80GB PCIe", 1410, 312, 156, NONE, 624, 19.5, 19.5},
	{"NVIDIA A800 40GB Active", 1410, 312, 156, NONE, 624, 19.5, 19.5},
	{"NVIDIA L40", 2490, 181, 90.5, 362, 362, 90.5, 1.4},
	{"NVIDIA L20", 2520, 119.5, 59.8, ANY, ANY, 59.35, ANY},
	{"NVIDIA GeForce RTX 5090 D", 2407, 148.5, 74.2, 297, 594, 105, 1.6},
	{"NVIDIA RTX PRO 6000 Blackwell Server Edition", 2617, 504, 252, 1008, 1008, 126, 2.0},
	{"NVIDIA GeForce RTX 5090", 2407, 209, 105, 419, 838, 105, 1.6},
};

static void near(const char *name, const char *what, double printed, uint64_t flops_s)
{
	double got = 1e-12 * (double)flops_s;
	/* one digit of the printed number, at least half a percent */
	double slack = fmax(0.005 * printed, printed < 10 ? 0.06 : printed < 100 ? 0.5 : 1);
	if (printed != ANY && fabs(got - printed) > slack)
		fail_msg("%s: %s is %g TFLOP/s, printed are %g", name, what, got, printed);
}

static UNIT(as_printed)
{
	for (size_t i = 0; i < JR_COUNT_OF(devices); i++) {
		const struct printed *d = &devices[i];
		struct jr_device device = {.clock_hz = d->clock_mhz * 1000000};
		struct jr_peaks p = jr_peaks_of(d->name, &device);
		assert_true(p.known);
		assert_false(p.by_formula);
		near(d->name, "f16", d->half, p.matrix[JR_MATRIX_F16]);
		near(d->name, "tf32", d->tf32, p.matrix[JR_MATRIX_TF32]);
		near(d->name, "f8", d->f8, p.matrix[JR_MATRIX_F8]);
		near(d->name, "s8", d->s8, p.matrix[JR_MATRIX_S8]);
		near(d->name, "f32", d->f32, p.matrix[JR_MATRIX_F32]);
		near(d->name, "f64", d->f64, p.matrix[JR_MATRIX_F64]);
		assert_true(p.memory_bandwidth_bytes_s > 0 && p.link_bytes_s > 0 && p.source);
		/* a slower device is slower in proportion */
		device.clock_hz = 1000000000;
		struct jr_peaks slow = jr_peaks_of(d->name, &device);
		assert_int_equal(slow.tensor_clock_hz, 1000000000);
		assert_true(slow.matrix[JR_MATRIX_F16] < p.matrix[JR_MATRIX_F16]);
	}
}

/* Exact numbers: profiles contain what the driver reports of these two. */
static UNIT(to_the_flop)
{
	struct jr_device h100 = {.compute_capability = 90, .sm_count = 132, .clock_hz = 1980000000,
		.memory_bandwidth_bytes_s = 3352320000000};
	struct jr_peaks p = jr_peaks_of("NVIDIA H100 80GB HBM3", &h100);
	assert_int_equal(p.matrix[JR_MATRIX_BF16], 989429760000000);
	assert_int_equal(p.matrix[JR_MATRIX_TF32], 494714880000000);
	assert_int_equal(p.matrix[JR_MATRIX_F8], 1978859520000000);
	assert_int_equal(p.matrix[JR_MATRIX_F64], 66908160000000);
	assert_int_equal(p.matrix[JR_MATRIX_BF16X3], 329809920000000);
	assert_int_equal(p.matrix[JR_MATRIX_TF32X3], 164904960000000);
	assert_int_equal(p.matrix[JR_MATRIX_S4], 0);
	assert_int_equal(p.vector[JR_VECTOR_F32], 66908160000000);
	assert_int_equal(p.vector[JR_VECTOR_F64], 33454080000000);
	assert_int_equal(p.functions, 4181760000000);
	assert_int_equal(p.integers, 16727040000000);
	assert_int_equal(p.memory_bandwidth_bytes_s, 3352320000000);
	assert_int_equal(p.link_bytes_s, 450000000000);
	struct jr_device a100 = {.compute_capability = 80, .sm_count = 108, .clock_hz = 1410000000,
		.memory_bandwidth_bytes_s = 1555200000000};
	p = jr_peaks_of("NVIDIA A100-SXM4-40GB", &a100);
	assert_int_equal(p.matrix[JR_MATRIX_BF16], 311869440000000);
	assert_int_equal(p.matrix[JR_MATRIX_S4], 1247477760000000);
	assert_int_equal(p.matrix[JR_MATRIX_F8], 0);
}

/* Before Ampere, bf16 and tf32 run at the rate of f32. */
static UNIT(before_ampere)
{
	struct jr_device device = {.compute_capability = 70};
	struct jr_peaks p = jr_peaks_of("Tesla V100-SXM2-16GB", &device);
	assert_int_equal(p.matrix[JR_MATRIX_BF16], p.matrix[JR_MATRIX_F32]);
	assert_int_equal(p.matrix[JR_MATRIX_TF32], p.matrix[JR_MATRIX_F32]);
	assert_true(p.matrix[JR_MATRIX_F16] > 7 * p.matrix[JR_MATRIX_F32]);
}

/* Names that contain the name of another device do not match it. */
static UNIT(not_in_the_table)
{
	static const char *const names[] = {"NVIDIA L2", "NVIDIA GeForce RTX 3090 Ti",
		"NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA A100X", "NVIDIA RTX A4000", "NVIDIA A16", ""};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++) {
		struct jr_device device = {.compute_capability = 89, .sm_count = 100,
			.clock_hz = 2000000000};
		struct jr_peaks p = jr_peaks_of(names[i], &device);
		assert_true(p.known && p.by_formula && !p.source);
		bool geforce = strstr(names[i], "GeForce") != NULL;
		assert_int_equal(p.matrix[JR_MATRIX_BF16], geforce ? 102400000000000 : 204800000000000);
		assert_int_equal(p.link_bytes_s, 0);
		assert_int_equal(p.memory_bandwidth_bytes_s, 0);
		device.compute_capability = 0;
		assert_false(jr_peaks_of(names[i], &device).known);
		device.compute_capability = 52;
		assert_false(jr_peaks_of(names[i], &device).known);
		device.compute_capability = 89;
		device.clock_hz = 0;
		assert_false(jr_peaks_of(names[i], &device).known);
		device.clock_hz = UINT64_MAX; /* more than any device */
		assert_false(jr_peaks_of(names[i], &device).known);
	}
}

/* Devices without a row, from the properties in the profile: TFLOP/s as printed. */
static UNIT(by_capability)
{
	static const struct {
		const char *name;
		uint32_t capability;
		uint64_t sm_count, clock_mhz;
		double half, f8, s8, f32;
	} known[] = {
		{"NVIDIA GB10", 121, 48, 2418, 118.8, 237.7, 237.7, 29.7},
		{"NVIDIA Thor", 110, 20, 1575, 258, 517, NONE, 8.1},
		{"NVIDIA Thor", 101, 20, 1575, 258, 517, NONE, 8.1},
		{"Orin", 87, 16, 1300, 42.5, NONE, 85, 5.3},
		{"Xavier", 72, 8, 1377, 11.3, NONE, 22.6, 1.4},
		{"Tesla T4", 75, 40, 1590, 65, NONE, 130, 8.1},
		{"NVIDIA GeForce RTX 2080 Ti", 75, 68, 1545, 53.8, NONE, 215, 13.4},
		{"NVIDIA TITAN RTX", 75, 72, 1770, 130.5, NONE, 261, 16.3},
		{"NVIDIA GeForce GTX 1660 Ti", 75, 24, 1770, 10.9, NONE, NONE, 5.4},
		{"NVIDIA T1000", 75, 14, 1395, 5, NONE, NONE, 2.5},
		{"NVIDIA GeForce GTX 1080 Ti", 61, 28, 1582, ANY, NONE, NONE, 11.3},
		{"Tesla P100-PCIE-16GB", 60, 56, 1328, 19.05, NONE, NONE, 9.5},
		{"NVIDIA A16", 86, 10, 1695, 17.4, NONE, 34.7, 4.3},
		{"NVIDIA RTX 6000 Ada Generation", 89, 142, 2505, 364, 728, 728, 91.1},
	};
	for (size_t i = 0; i < JR_COUNT_OF(known); i++) {
		struct jr_device device = {.compute_capability = known[i].capability,
			.sm_count = known[i].sm_count,
			.clock_hz = known[i].clock_mhz * 1000000};
		struct jr_peaks p = jr_peaks_of(known[i].name, &device);
		assert_true(p.known && p.by_formula && p.rates_known);
		near(known[i].name, "f16", known[i].half, p.matrix[JR_MATRIX_F16]);
		near(known[i].name, "f8", known[i].f8, p.matrix[JR_MATRIX_F8]);
		near(known[i].name, "s8", known[i].s8, p.matrix[JR_MATRIX_S8]);
		near(known[i].name, "f32", known[i].f32, p.matrix[JR_MATRIX_F32]);
	}
	struct jr_device new = {.compute_capability = 999, .sm_count = 1, .clock_hz = 1000};
	assert_false(jr_peaks_of("NVIDIA Next", &new).rates_known);
}

/* Links of export versions have the bandwidth of the data sheets, not of their components. */
static UNIT(capped_links)
{
	struct jr_device none = {0};
	assert_int_equal(jr_peaks_of("NVIDIA H800", &none).link_bytes_s, 200000000000);
	assert_int_equal(jr_peaks_of("NVIDIA A800-SXM4-80GB", &none).link_bytes_s, 200000000000);
	assert_int_equal(jr_peaks_of("NVIDIA H20", &none).link_bytes_s, 450000000000);
	assert_int_equal(
		jr_peaks_of("NVIDIA H20-3e", &none).memory_bandwidth_bytes_s, 4800000000000);
	assert_int_equal(jr_peaks_of("NVIDIA H800", &none).vector[JR_VECTOR_F64], 1045440000000);
}

/* A TPU states two of its peaks itself, and none of the others. */
static UNIT(stated_by_the_device)
{
	struct jr_device device = {
		.matrix_flop_s = 918000000000000, .memory_bandwidth_bytes_s = 1637992426233};
	struct jr_peaks p = jr_peaks_of("TPU v6 Lite", &device);
	assert_true(p.known && p.stated && !p.by_formula);
	assert_int_equal(p.matrix[JR_MATRIX_BF16], 918000000000000);
	assert_int_equal(p.matrix[JR_MATRIX_TF32], 918000000000000);
	assert_int_equal(p.matrix[JR_MATRIX_F32], 306000000000000);
	assert_int_equal(p.matrix[JR_MATRIX_BF16X6], 153000000000000);
	assert_int_equal(p.matrix[JR_MATRIX_F64], 0);
	assert_int_equal(p.matrix[JR_MATRIX_S8], 0);
	assert_int_equal(p.vector[JR_VECTOR_F32], 0);
	assert_int_equal(p.memory_bandwidth_bytes_s, 1637992426233);
	device.matrix_flop_s = 0;
	assert_false(jr_peaks_of("TPU v6 Lite", &device).known);
}

static UNIT(products_and_quotients)
{
	assert_int_equal(jr_mul_div(7, 5, 3), 11);
	assert_int_equal(jr_mul_div(UINT64_MAX, UINT64_MAX, UINT64_MAX), UINT64_MAX);
	assert_int_equal(jr_mul_div(UINT64_MAX, 2, 3), UINT64_MAX / 3 * 2);
	assert_int_equal(jr_mul_div(UINT64_MAX, 2, 1), UINT64_MAX);
	assert_int_equal(jr_mul_div(1, 1, 0), UINT64_MAX);
}

/* Expect the name of a row; or the names that the user is shown. */
static void expect_named(const char *typed, const char *row, const char *shown)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf found = {0}, nearest = {0};
	const char *name = jr_peaks_named(typed, &found, &nearest);
	if (row)
		assert_string_equal(name, row);
	else
		assert_null(name);
	if (shown)
		assert_string_equal(nearest.data, shown);
}

static UNIT(names_that_users_type)
{
	expect_named("H100 80GB HBM3", "H100 80GB HBM3", NULL);
	expect_named("NVIDIA H100 80GB HBM3", "H100 80GB HBM3", NULL);
	expect_named("h100 80gb", "H100 80GB HBM3", NULL);
	expect_named("A10", "A10", NULL); /* A10G and A100 begin with it, too */
	expect_named("RTX 5090", "RTX 5090", NULL);
	expect_named("NVIDIA GeForce RTX 4090", "RTX 4090", NULL);
	expect_named("H100", NULL, "H100 NVL, H100 PCIe, H100 80GB HBM3");
	expect_named("H100 80BG", NULL, "H100 80GB HBM3");
	expect_named("V100-SXM2-16GB", "V100-SXM", NULL);
	JR_CLEANUP(jr_buf_done) struct jr_buf found = {0}, nearest = {0};
	assert_null(jr_peaks_named("", &found, &nearest));
	assert_non_null(strstr(nearest.data, "A100-SXM4-40GB, A100-SXM4-80GB"));
	struct jr_device none = {0};
	assert_true(jr_peaks_of("H100 80GB HBM3", &none).known);
}
