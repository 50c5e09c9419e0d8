/* Flags in advice: which values are known for a job, and which are worth setting. */

#include "unit.h"

#include "analysis/core/flags.h"

struct job {
	struct jr_profile profile;
	struct jr_arena arena;
};

static void set(struct job *job, const char *name, const char *value)
{
	struct jr_intern *strings = &job->profile.strings;
	jr_profile_setting(
		&job->profile, 0, jr_intern_puts(strings, name), jr_intern_puts(strings, value));
}

static void begin(struct job *job)
{
	struct jr_options options = jr_options_default();
	jr_profile_init(&job->profile, &options);
	jr_arena_init(&job->arena, 0);
}

static void end(struct job *job)
{
	jr_arena_done(&job->arena);
	jr_profile_done(&job->profile);
}

static void expect(
	struct job *job, const struct jr_flag_advice *advice, size_t n, const char *text)
{
	assert_string_equal(
		jr_flags_advise(&job->profile, " (", advice, n, ")", &job->arena), text);
}

/* Quoted words and values, and the whole variable in quotes. */
static UNIT(test_quoted)
{
	static const struct {
		const char *text, *value;
	} cases[] = {
		{"--xla_gpu_enable_command_buffer=\"FUSION, CUBLAS\" --xla_a=1", "FUSION, CUBLAS"},
		{"--xla_a=1 '--xla_gpu_enable_command_buffer=WHILE'", "WHILE"},
		{"\"--xla_a=1 --xla_gpu_enable_command_buffer=WHILE\"", "WHILE"},
		{"'--xla_gpu_enable_command_buffer= --xla_a=1'", ""},
		{"--xla_gpu_enable_command_buffer=\"FUSION", "FUSION"},
		{"--xla_a='--xla_gpu_enable_command_buffer=1'", NULL},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct job job;
		begin(&job);
		set(&job, "XLA_FLAGS", cases[i].text);
		const char *value = jr_flag_value(&job.profile, JR_FLAG_COMMAND_BUFFER, &job.arena);
		if (cases[i].value)
			assert_string_equal(value, cases[i].value);
		else
			assert_null(value);
		end(&job);
	}
}

static UNIT(test_advised)
{
	struct job job;
	begin(&job);
	const struct jr_flag_advice two[] = {{JR_FLAG_LATENCY_HIDING, "true", NULL, NULL},
		{JR_FLAG_COMBINE_ALL_GATHER, "N", "larger ones by ", " at most"}};
#define SECOND "larger ones by --xla_gpu_all_gather_combine_threshold_bytes=N at most"
	expect(&job, two, 2,
		" (--xla_gpu_enable_latency_hiding_scheduler=true, or " SECOND
		"; the profile does not show which flags are already set)");
	expect(&job, two, 0, "");
	set(&job, "NCCL_DEBUG", "WARN"); /* so the environment is known */
	expect(&job, two, 2, " (--xla_gpu_enable_latency_hiding_scheduler=true, or " SECOND ")");
	set(&job, "XLA_FLAGS", "--xla_a=1 --xla_gpu_enable_latency_hiding_scheduler=false");
	expect(&job, two, 2, " (" SECOND ")");
	expect(&job, two, 1, "");
	assert_false(jr_flag_on(&job.profile, JR_FLAG_LATENCY_HIDING, &job.arena));
	const struct jr_flag_advice debug = {JR_FLAG_NCCL_DEBUG, "INFO", NULL, NULL};
	expect(&job, &debug, 1, "");
	end(&job);
}

/* Pipelined reduce-scatters are on by default. */
static UNIT(test_defaults)
{
	struct job job;
	begin(&job);
	set(&job, "XLA_FLAGS", "");
	const struct jr_flag_advice pipelined = {JR_FLAG_PIPELINED_REDUCE_SCATTER, "true", NULL, NULL};
	expect(&job, &pipelined, 1, "");
	const struct jr_flag_advice gather = {JR_FLAG_PIPELINED_ALL_GATHER, "true", NULL, NULL};
	expect(&job, &gather, 1, " (--xla_gpu_enable_pipelined_all_gather=true)");
	end(&job);
}

/* A flag is advised on the platforms on which it has an effect. */
static UNIT(test_platforms)
{
#define UNKNOWN "; the profile does not show which flags are already set)"
	static const struct {
		const char *device, *text;
	} cases[] = {
		{"NVIDIA H100", " (NCCL_DEBUG=INFO, CUDA_MODULE_LOADING=EAGER, JAX_LOG_COMPILES=1" UNKNOWN},
		{"AMD Instinct MI300X", " (NCCL_DEBUG=INFO, JAX_LOG_COMPILES=1" UNKNOWN},
		{"TPU v6 Lite", " (JAX_LOG_COMPILES=1" UNKNOWN},
		{"CPU", " (JAX_LOG_COMPILES=1" UNKNOWN},
	};
	const struct jr_flag_advice three[] = {{JR_FLAG_NCCL_DEBUG, "INFO", NULL, NULL},
		{JR_FLAG_MODULE_LOADING, "EAGER", NULL, NULL}, {JR_FLAG_LOG_COMPILES, "1", NULL, NULL}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct job job;
		begin(&job);
		struct jr_device device = {
			.gpu_name = jr_intern_puts(&job.profile.strings, cases[i].device)};
		job.profile.devices = &device;
		job.profile.n_devices = 1;
		expect(&job, three, JR_COUNT_OF(three), cases[i].text);
		job.profile.devices = NULL;
		job.profile.n_devices = 0;
		end(&job);
	}
}

/* A variable that a report must not show is not read, so it is never known. */
static UNIT(test_unknown)
{
	struct job job;
	begin(&job);
	set(&job, "XLA_FLAGS", "");
	const struct jr_flag_advice eager = {JR_FLAG_MODULE_LOADING, "EAGER", NULL, NULL};
	expect(&job, &eager, 1,
		" (CUDA_MODULE_LOADING=EAGER; the profile does not show which flags are already set)");
	end(&job);
}
