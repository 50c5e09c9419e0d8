/* Thread, device and system metadata; which environment variables may be shown. */
#include "parquet_table_build.h"

#include <stdlib.h>

#include "base/buf.h"
#include "hlo_build.h"
#include "model/archive/metadata.h"

typedef enum jr_status (*read_fn)(struct jr_metadata *, struct jr_bytes, const struct jr_limits *,
	struct jr_error *);

static enum jr_status read_into(struct jr_metadata *meta, read_fn fn, const struct table_build *t,
	struct jr_error *err)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_buf file = table_file(t);
	enum jr_status status = fn(meta, jr_buf_view(&file), &limits, err);
	jr_buf_done(&file);
	return status;
}

/* Initialize and read one file, which must succeed. */
static void read_one(struct jr_metadata *meta, read_fn fn, const struct table_build *t)
{
	struct jr_error err = {.message = ""};
	jr_metadata_init(meta);
	if (read_into(meta, fn, t, &err) != JR_OK)
		fail_msg("%s", err.message);
}

static const char *text(const struct jr_metadata *meta, uint32_t id)
{
	return jr_intern_str(&meta->strings, id);
}

/* --- threads ------------------------------------------------------------------------------------
 */

static UNIT_IN_ARENA(test_launchers)
{
	static const char *const names[] = {"python3",
		"XlaLauncher:#global=2,local=0,process=1,slice=0#", NULL,
		"XlaLauncher:#global=3,local=1,process=1,partition=5#", "XlaLauncher:#global=x#",
		"XlaLauncher:#global=2,local=0,process=1,slice=0#"};
	static const int64_t pids[] = {1, 10, 10, 10, 10, 11}, tids[] = {1, 21, 22, 23, 24, 25};
	struct table_build t = table_begin(*state, 6);
	table_texts(&t, "Name", names);
	table_numbers(&t, "Priority", pids);
	table_numbers(&t, "PID", pids);
	table_numbers(&t, "TID", tids);
	struct jr_metadata meta;
	read_one(&meta, jr_metadata_read_threads, &t);
	assert_int_equal(meta.n_launchers, 3);
	/* by global number, in any order of rows */
	assert_int_equal(meta.launchers[0].tid, 21);
	assert_int_equal(meta.launchers[0].device.global, 2);
	assert_int_equal(meta.launchers[1].pid, 11);
	assert_int_equal(meta.launchers[2].tid, 23);
	assert_int_equal(meta.launchers[2].device.slice, 5);
	jr_metadata_done(&meta);
}

static UNIT_IN_ARENA(test_columns_that_are_absent)
{
	static const char *const names[] = {"a"};
	static const int64_t numbers[] = {1};
	static const struct {
		bool name, pid, tid;
		const char *absent;
	} cases[] = {{false, true, true, "'Name'"}, {true, false, true, "'PID'"},
		{true, true, false, "'TID'"}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct table_build t = table_begin(*state, 1);
		if (cases[i].name)
			table_texts(&t, "Name", names);
		if (cases[i].pid)
			table_numbers(&t, "PID", numbers);
		if (cases[i].tid)
			table_numbers(&t, "TID", numbers);
		struct jr_metadata meta;
		struct jr_error err = {.message = ""};
		jr_metadata_init(&meta);
		assert_int_equal(read_into(&meta, jr_metadata_read_threads, &t, &err), JR_EFORMAT);
		assert_non_null(strstr(err.message, cases[i].absent));
		assert_int_equal(meta.n_launchers, 0);
		jr_metadata_done(&meta);
	}
	/* names that are numbers, a system table without values */
	struct table_build wrong = table_begin(*state, 1);
	table_numbers(&wrong, "Name", numbers);
	table_numbers(&wrong, "PID", numbers);
	table_numbers(&wrong, "TID", numbers);
	struct table_build valueless = table_begin(*state, 1);
	table_texts(&valueless, "name", names);
	struct jr_metadata meta;
	struct jr_error err = {.message = ""};
	jr_metadata_init(&meta);
	assert_int_equal(read_into(&meta, jr_metadata_read_threads, &wrong, &err), JR_EFORMAT);
	assert_int_equal(read_into(&meta, jr_metadata_read_system, &valueless, &err), JR_EFORMAT);
	assert_non_null(strstr(err.message, "'value'"));
	jr_metadata_done(&meta);
}

/* --- devices ------------------------------------------------------------------------------------
 */

static UNIT_IN_ARENA(test_gpus)
{
	static const char *const names[] = {"NVIDIA B", "NVIDIA A", NULL};
	static const char *const xla[] = {"Xla:#global=5,local=1,process=2,slice=0#", NULL, "no name"};
	static const int64_t cuda[] = {1, 0, NO_VALUE};
	static const int64_t bandwidth[] = {INT64_C(1555200000000), 7, NO_VALUE};
	static const int64_t sms[] = {108, -3, 0};
	static const int64_t major[] = {8, 9, NO_VALUE}, minor[] = {9, 10, 0};
	struct table_build t = table_begin(*state, 3);
	table_numbers(&t, "cuDevice", cuda);
	table_texts(&t, "('TARGET_INFO_GPU', 'name')", names);
	table_numbers(&t, "('TARGET_INFO_GPU', 'memoryBandwidth')", bandwidth);
	table_numbers(&t, "('TARGET_INFO_GPU', 'smCount')", sms);
	table_numbers(&t, "('TARGET_INFO_GPU', 'computeMajor')", major);
	table_numbers(&t, "('TARGET_INFO_GPU', 'computeMinor')", minor);
	table_texts(&t, "('TARGET_INFO_NVTX_CUDA_DEVICE', 'name')", xla);
	struct jr_metadata meta;
	read_one(&meta, jr_metadata_read_devices, &t);
	assert_int_equal(meta.n_gpus, 3);
	/* by CUDA device; unknown first */
	assert_int_equal(meta.gpus[0].cuda_device, -1);
	assert_int_equal(meta.gpus[0].name, 0);
	assert_false(meta.gpus[0].named);
	assert_int_equal(meta.gpus[1].cuda_device, 0);
	assert_string_equal(text(&meta, meta.gpus[1].name), "NVIDIA A");
	assert_int_equal(meta.gpus[1].sm_count, 0); /* an impossible count */
	assert_string_equal(text(&meta, meta.gpus[2].name), "NVIDIA B");
	assert_true(meta.gpus[2].named);
	assert_int_equal(meta.gpus[2].device.global, 5);
	assert_int_equal(meta.gpus[2].memory_bandwidth_bytes_s, 1555200000000);
	assert_int_equal(meta.gpus[2].sm_count, 108);
	assert_int_equal(meta.gpus[2].clock_hz, 0); /* its column is absent */
	assert_int_equal(meta.gpus[0].compute_capability, 0);
	assert_int_equal(meta.gpus[1].compute_capability, 0); /* 9.10 is not valid */
	assert_int_equal(meta.gpus[2].compute_capability, 89);
	jr_metadata_done(&meta);
}

static UNIT_IN_ARENA(test_many_gpus)
{
	struct jr_arena *a = *state;
	static const size_t counts[] = {4096, 4097};
	for (size_t k = 0; k < JR_COUNT_OF(counts); k++) {
		int64_t *cuda = JR_ARENA_N(a, int64_t, counts[k]);
		for (size_t i = 0; i < counts[k]; i++)
			cuda[i] = (int64_t)(counts[k] - i); /* reversed: still sorted in time */
		struct table_build t = table_begin(a, counts[k]);
		table_numbers(&t, "cuDevice", cuda);
		struct jr_metadata meta;
		struct jr_error err = {.message = ""};
		jr_metadata_init(&meta);
		assert_int_equal(
			read_into(&meta, jr_metadata_read_devices, &t, &err), k ? JR_ELIMIT : JR_OK);
		if (k == 0)
			for (size_t i = 0; i < counts[k]; i++)
				assert_int_equal(meta.gpus[i].cuda_device, i + 1);
		jr_metadata_done(&meta);
	}
}

/* --- system --------------------------------------------------------------------------------------
 */

static void read_system(struct jr_metadata *meta, struct jr_arena *arena,
	const char *const (*rows)[2], size_t n)
{
	const char **names = JR_ARENA_N(arena, const char *, n + 1);
	const char **values = JR_ARENA_N(arena, const char *, n + 1);
	for (size_t i = 0; i < n; i++) {
		names[i] = rows[i][0];
		values[i] = rows[i][1];
	}
	struct table_build t = table_begin(arena, n);
	table_texts(&t, "name", names);
	table_texts(&t, "value", values);
	read_one(meta, jr_metadata_read_system, &t);
}

static UNIT_IN_ARENA(test_system)
{
	static const char *const rows[][2] = {{"Hostname", "node-1"}, {"NvDriverVersion", "550.54"},
		{"CpuDescription", "Some CPU"}, {"OsDescription", "Some OS"},
		{"CudaDriverVersion", "12040"},
		{"TargetInstallDir", "/opt/nvidia/nsight-systems-cli/2024.4.1/target-linux-x64"},
		{"UserName", "secret-user"}, {"CommandLine", "run --token=secret-token"}, {NULL, "x"},
		{"Hostname", NULL}};
	struct jr_metadata meta;
	read_system(&meta, *state, rows, JR_COUNT_OF(rows));
	assert_string_equal(text(&meta, meta.hostname), "node-1");
	assert_string_equal(text(&meta, meta.driver), "550.54");
	assert_string_equal(text(&meta, meta.cpu), "Some CPU");
	assert_string_equal(text(&meta, meta.os), "Some OS");
	assert_string_equal(text(&meta, meta.cuda), "12.4");
	assert_string_equal(text(&meta, meta.nsys), "2024.4.1");
	for (uint32_t id = 0; id < meta.strings.n; id++) /* dropped values are nowhere */
		assert_null(strstr(text(&meta, id), "secret"));
	jr_metadata_done(&meta);
}

/* 0 and an empty text are not versions; older profilers omit the dots. */
static UNIT_IN_ARENA(test_versions_of_drivers)
{
	static const char *const cases[][2] = {{"0", ""}, {"", ""}, {"0.0", ""}, {"550.54", "550.54"},
		{"52510517", "525.105.17"}, {"4705702", "470.57.02"}, {"580.105.08", "580.105.08"},
		{"123456", "123456"}, {"123456789", "123456789"}, {"1234567x", "1234567x"}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		const char *const rows[][2] = {{"NvDriverVersion", cases[i][0]}};
		struct jr_metadata meta;
		read_system(&meta, *state, rows, 1);
		assert_string_equal(text(&meta, meta.driver), cases[i][1]);
		jr_metadata_done(&meta);
	}
}

static UNIT_IN_ARENA(test_versions_of_other_forms)
{
	static const struct {
		const char *cuda, *cuda_shown, *path, *nsys;
	} cases[] = {{"13000", "13.0", "/usr/lib/nsight-systems", ""},
		{"12.4", "12.4", "2025.1.1", "2025.1.1"}, {"", "", "", ""}, {"0", "", "", ""},
		{"99999999999999999999", "99999999999999999999", "///2024.4///", "2024.4"},
		{"abc", "abc", "/1.2/34567/.....x", ""}};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		const char *const rows[][2] = {
			{"CudaDriverVersion", cases[i].cuda}, {"TargetInstallDir", cases[i].path}};
		struct jr_metadata meta;
		read_system(&meta, *state, rows, JR_COUNT_OF(rows));
		assert_string_equal(text(&meta, meta.cuda), cases[i].cuda_shown);
		assert_string_equal(text(&meta, meta.nsys), cases[i].nsys);
		jr_metadata_done(&meta);
	}
}

/* --- the environment -------------------------------------------------------------------------- */

static UNIT_IN_ARENA(test_environment_allow_list)
{
	static const char *const allowed[] = {"XLA_FLAGS", "CUDA_VISIBLE_DEVICES", "SLURM_NNODES",
		"SLURM_NTASKS", "SLURM_PROCID", "JAX_PLATFORMS", "JAX_X", "NCCL_DEBUG", "NCCL_IB_HCA"};
	static const char *const refused[] = {"", "PATH", "HOME", "AWS_SECRET_ACCESS_KEY", "JAX_",
		"NCCL_", "JAX", "XLA_FLAGS2", "XLA_FLAG", "xla_flags", "MY_JAX_PLATFORMS", " JAX_PLATFORMS",
		"SLURM_JOB_USER", "SLURM_PROCID_X", "CUDA_VISIBLE_DEVICE", "CUDA_HOME", "nccl_debug",
		"XLA_PYTHON_CLIENT_MEM_FRACTION", "WANDB_API_KEY", "HF_TOKEN"};
	for (size_t i = 0; i < JR_COUNT_OF(allowed); i++)
		assert_true(jr_environment_allowed(allowed[i], strlen(allowed[i])));
	for (size_t i = 0; i < JR_COUNT_OF(refused); i++)
		assert_false(jr_environment_allowed(refused[i], strlen(refused[i])));
	assert_false(jr_environment_allowed("XLA_FLAGS", 8)); /* the length counts */
	assert_false(jr_environment_allowed("JAX_PLATFORMS", 4));
}

static void check_settings(struct jr_arena *arena, const char *environment, const char *expected)
{
	const char *const rows[][2] = {{"DeviceEnvironment", environment}};
	struct jr_metadata meta;
	read_system(&meta, arena, rows, 1);
	JR_CLEANUP(jr_buf_done) struct jr_buf got = {0};
	for (size_t i = 0; i < meta.n_settings; i++)
		jr_buf_printf(&got, "%s=%s\n", text(&meta, meta.settings[i].name),
			text(&meta, meta.settings[i].value));
	assert_string_equal(got.size ? got.data : "", expected);
	for (uint32_t id = 0; id < meta.strings.n; id++)
		assert_null(strstr(text(&meta, id), "secret"));
	jr_metadata_done(&meta);
}

static UNIT_IN_ARENA(test_secrets_never_get_through)
{
	check_settings(*state,
		"PATH=/secret/bin;XLA_FLAGS=--xla_a=1 --xla_b=x=y;AWS_SECRET_ACCESS_KEY=secret;"
		"NCCL_DEBUG=INFO;HF_TOKEN=secret;JAX_PLATFORMS=cuda,cpu;WANDB_API_KEY=secret",
		"JAX_PLATFORMS=cuda,cpu\nNCCL_DEBUG=INFO\nXLA_FLAGS=--xla_a=1 --xla_b=x=y\n");
	/* names that only resemble allowed ones; no name; no '='; allowed names inside a value */
	check_settings(*state,
		"MY_XLA_FLAGS=secret;XLA_FLAGS_X=secret; JAX_A=secret;=secret;secret;JAX_=secret;"
		"TOKEN=XLA_FLAGS=secret;xla_flags=secret;TOKEN=secret,JAX_A=secret",
		"");
	check_settings(*state, "", "");
	check_settings(*state, ";;;", "");
	check_settings(*state, "XLA_FLAGS", "");
	check_settings(*state, "XLA_FLAGS=", "XLA_FLAGS=\n");
	check_settings(*state, ";XLA_FLAGS=a;", "XLA_FLAGS=a\n");
	check_settings(*state, "SLURM_PROCID=3;SLURM_JOB_USER=secret;SLURM_NTASKS=4",
		"SLURM_NTASKS=4\nSLURM_PROCID=3\n");
	/* a line break or an escape in a value is made visible, not passed on */
	check_settings(*state, "JAX_A=x\ny\033[31m", "JAX_A=x\u240ay\u241b[31m\n");
}

static UNIT(test_secrets_in_texts)
{
	static const char *const rows[][2] = {{"cannot open https://me:pw@host:80/a?sig=pw&x=pw, retry",
											  "cannot open https://***@host:80/a?***, retry"},
		{"Authorization: Bearer pw.pw-pw", "Authorization: Bearer ***"},
		{"curl -H 'authorization: Basic pw' x", "curl -H 'authorization: Basic ***' x"},
		{"--api-key=pw --token pw --password \"pw\" --steps 3",
			"--api-key=*** --token *** --password \"***\" --steps 3"},
		{"{\"hf_token\": \"pw\", \"lr\": 1}", "{\"hf_token\": \"***\", \"lr\": 1}"},
		{"hf_abcdefghij0123456789 AKIAIOSFODNN7EXAMPLE", "*** ***"},
		/* no secrets */
		{"--tokenizer=gpt2 --max_tokens 8 --token --x",
			"--tokenizer=gpt2 --max_tokens 8 --token --x"},
		{"the next token is 5? https://host/a?", "the next token is 5? https://host/a?***"},
		{"--xla_dump_to=gs://b/d hf_model sk-learn eyJ",
			"--xla_dump_to=gs://b/d hf_model sk-learn eyJ"}};
	for (size_t i = 0; i < JR_COUNT_OF(rows); i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf got = {0};
		jr_secrets_hide(&got, rows[i][0], strlen(rows[i][0]));
		assert_string_equal(got.data, rows[i][1]);
	}
	assert_true(jr_secrets_follow("--api-key"));
	assert_false(jr_secrets_follow("--tokenizer"));
	assert_false(jr_secrets_follow("token"));
}

/* A repeated name keeps both values, in their order; a second environment is not read. */
static UNIT_IN_ARENA(test_settings_are_sorted)
{
	check_settings(*state, "NCCL_B=1;NCCL_A=2;NCCL_B=0", "NCCL_A=2\nNCCL_B=1\nNCCL_B=0\n");
	static const char *const rows[][2] = {
		{"DeviceEnvironment", "NCCL_A=1"}, {"DeviceEnvironment", "NCCL_A=2;NCCL_B=3"}};
	struct jr_metadata meta;
	read_system(&meta, *state, rows, JR_COUNT_OF(rows));
	assert_int_equal(meta.n_settings, 1);
	assert_string_equal(text(&meta, meta.settings[0].value), "1");
	jr_metadata_done(&meta);
}

/* As many settings as fit into the longest text, in reverse order: still sorted in reasonable
 * time. */
static UNIT_IN_ARENA(test_many_settings)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf environment = {0};
	int n = 0;
	for (; environment.size < (1 << 20) - 32; n++)
		jr_buf_printf(&environment, "JAX_%06d=;", 999999 - n);
	const char *const rows[][2] = {{"DeviceEnvironment", environment.data}};
	struct jr_metadata meta;
	read_system(&meta, *state, rows, 1);
	assert_int_equal(meta.n_settings, n);
	for (size_t i = 1; i < meta.n_settings; i++)
		assert_true(strcmp(text(&meta, meta.settings[i - 1].name),
						text(&meta, meta.settings[i].name)) < 0);
	jr_metadata_done(&meta);
}

/* Data already read is kept if another file fails; garbage is refused. */
static UNIT_IN_ARENA(test_failures_leave_what_was_read)
{
	static const char *const rows[][2] = {{"Hostname", "node-1"}};
	struct jr_metadata meta;
	struct jr_limits limits = jr_limits_default();
	struct jr_error err = {.message = ""};
	read_system(&meta, *state, rows, 1);
	static const char junk[] = "PAR1 this is no Parquet file PAR1";
	struct jr_bytes bytes = jr_bytes_of(junk, sizeof(junk) - 1);
	assert_int_not_equal(jr_metadata_read_threads(&meta, bytes, &limits, &err), JR_OK);
	assert_int_not_equal(jr_metadata_read_devices(&meta, bytes, &limits, &err), JR_OK);
	assert_int_not_equal(jr_metadata_read_system(&meta, bytes, &limits, &err), JR_OK);
	assert_string_equal(text(&meta, meta.hostname), "node-1");
	jr_metadata_done(&meta);
	jr_metadata_done(NULL);
}
