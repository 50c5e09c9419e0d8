/*
 * main.c - jr-generate: write sample archives whose true numbers are known by construction.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "memory.h"
#include "truth.h"
#include "writers.h"

enum option_code {
	OPT_OUTPUT = 'o',
	OPT_HELP = 'h',
	OPT_TRUTH = 256,
	OPT_SEED,
	OPT_DIRECTORY,
	OPT_LAYOUT,
	OPT_XLA,
	OPT_PUSHPOP,
	OPT_PROCESSES,
	OPT_DEVICES,
	OPT_STEPS,
	OPT_SKEW_US,
	OPT_STRAGGLER,
	OPT_ROWS,
	OPT_THUNKS,
	OPT_STACKS,
	OPT_STATE,
	OPT_HOSTILE,
	OPT_LONG,
	OPT_WARMUP,
	OPT_CODEC,
	OPT_PAGES,
	OPT_PAGE_ROWS,
	OPT_GROUP_ROWS,
	OPT_NO_METADATA,
	OPT_INCONSISTENT,
	OPT_LAUNCHED,
	OPT_TRIP_COUNTS,
	OPT_SLOW_THUNK,
	OPT_NOISE,
	OPT_RUN,
	OPT_NUMBER_STEPS,
	OPT_EVEN,
	OPT_CAUSE,
	OPT_LIST_CAUSES,
	OPT_CHANGE,
	OPT_LIST_CHANGES,
	OPT_SLOW,
	OPT_LIST_SLOW,
	OPT_GAP_NS,
	OPT_FORMAT,
	OPT_SCHEMA,
	OPT_XSPACE,
	OPT_GRAPHS,
	OPT_NO_NCCL_RANGES,
	OPT_LAUNCH_US,
	OPT_HOST_US,
	OPT_TAIL_US,
	OPT_SYNC_CALLS,
	OPT_LIBRARY_MS,
	OPT_LOST_IDS,
	OPT_NO_STACKS,
	OPT_SHUFFLED,
	OPT_BULK,
	OPT_GROUPS,
	OPT_PLANT,
	OPT_FIELD,
	OPT_LIST_FIELDS,
	OPT_TEXT_DUMP,
	OPT_STRINGS,
	OPT_MEMORY_PROFILE,
	OPT_MEMORY,
};

static const struct option long_options[] = {
	{"output", required_argument, NULL, OPT_OUTPUT},
	{"truth", required_argument, NULL, OPT_TRUTH},
	{"seed", required_argument, NULL, OPT_SEED},
	{"directory", no_argument, NULL, OPT_DIRECTORY},
	{"layout", required_argument, NULL, OPT_LAYOUT},
	{"xla", required_argument, NULL, OPT_XLA},
	{"pushpop", required_argument, NULL, OPT_PUSHPOP},
	{"processes", required_argument, NULL, OPT_PROCESSES},
	{"devices", required_argument, NULL, OPT_DEVICES},
	{"steps", required_argument, NULL, OPT_STEPS},
	{"skew-us", required_argument, NULL, OPT_SKEW_US},
	{"straggler", required_argument, NULL, OPT_STRAGGLER},
	{"rows", required_argument, NULL, OPT_ROWS},
	{"thunks", required_argument, NULL, OPT_THUNKS},
	{"stacks", required_argument, NULL, OPT_STACKS},
	{"state", required_argument, NULL, OPT_STATE},
	{"hostile-names", no_argument, NULL, OPT_HOSTILE},
	{"long-names", no_argument, NULL, OPT_LONG},
	{"warmup", required_argument, NULL, OPT_WARMUP},
	{"codec", required_argument, NULL, OPT_CODEC},
	{"pages", required_argument, NULL, OPT_PAGES},
	{"page-rows", required_argument, NULL, OPT_PAGE_ROWS},
	{"group-rows", required_argument, NULL, OPT_GROUP_ROWS},
	{"no-metadata", no_argument, NULL, OPT_NO_METADATA},
	{"inconsistent", no_argument, NULL, OPT_INCONSISTENT},
	{"launched", no_argument, NULL, OPT_LAUNCHED},
	{"trip-counts", no_argument, NULL, OPT_TRIP_COUNTS},
	{"slow-thunk", required_argument, NULL, OPT_SLOW_THUNK},
	{"noise", required_argument, NULL, OPT_NOISE},
	{"run", required_argument, NULL, OPT_RUN},
	{"number-steps", no_argument, NULL, OPT_NUMBER_STEPS},
	{"even", no_argument, NULL, OPT_EVEN},
	{"cause", required_argument, NULL, OPT_CAUSE},
	{"list-causes", no_argument, NULL, OPT_LIST_CAUSES},
	{"change", required_argument, NULL, OPT_CHANGE},
	{"list-changes", no_argument, NULL, OPT_LIST_CHANGES},
	{"slow", required_argument, NULL, OPT_SLOW},
	{"list-slow", no_argument, NULL, OPT_LIST_SLOW},
	{"gap-ns", required_argument, NULL, OPT_GAP_NS},
	{"format", required_argument, NULL, OPT_FORMAT},
	{"schema", required_argument, NULL, OPT_SCHEMA},
	{"xspace", required_argument, NULL, OPT_XSPACE},
	{"graphs", required_argument, NULL, OPT_GRAPHS},
	{"no-nccl-ranges", no_argument, NULL, OPT_NO_NCCL_RANGES},
	{"launch-us", required_argument, NULL, OPT_LAUNCH_US},
	{"host-us", required_argument, NULL, OPT_HOST_US},
	{"tail-us", required_argument, NULL, OPT_TAIL_US},
	{"sync-calls", no_argument, NULL, OPT_SYNC_CALLS},
	{"library-ms", required_argument, NULL, OPT_LIBRARY_MS},
	{"lost-ids", required_argument, NULL, OPT_LOST_IDS},
	{"no-stacks", no_argument, NULL, OPT_NO_STACKS},
	{"shuffled", no_argument, NULL, OPT_SHUFFLED},
	{"bulk", required_argument, NULL, OPT_BULK},
	{"groups", required_argument, NULL, OPT_GROUPS},
	{"plant", required_argument, NULL, OPT_PLANT},
	{"field", required_argument, NULL, OPT_FIELD},
	{"hlo-strings", optional_argument, NULL, OPT_STRINGS},
	{"text-dump", no_argument, NULL, OPT_TEXT_DUMP},
	{"list-fields", no_argument, NULL, OPT_LIST_FIELDS},
	{"memory-profile", required_argument, NULL, OPT_MEMORY_PROFILE},
	{"memory", required_argument, NULL, OPT_MEMORY},
	{"help", no_argument, NULL, OPT_HELP},
	{NULL, 0, NULL, 0},
};

/* Split in two: C17 guarantees only 4095 bytes per string literal. */
static const char job_usage[] =
	"usage: jr-generate SCENARIO -o FILE.zip [OPTION...]\n"
	"\n"
	"Writes nsys-jax archives of jobs that never ran. SCENARIO: mnist_vae, transformer_fsdp4,\n"
	"pipeline4, kernels (of known FLOPs and bytes), serve2 (prefills and decodes of a server);\n"
	"torch_ddp2, torch_stream (weights from the host, layer by layer), torch_input (a large batch\n"
	"ahead of each step), which are not of XLA: --format sqlite or parquetdir only.\n"
	"\n"
	"  -o, --output FILE      the archive; several processes: FILE with -procK before its .zip\n"
	"      --truth FILE       what a report of it must say, with the keys of report.json\n"
	"      --warmup RULE      ... under that rule: auto (default), first, none or a number\n"
	"      --even             every step as long as the others, to the nanosecond\n"
	"      --noise PPM        every step longer or shorter at random by so much (deviation)\n"
	"      --cause KIND[:AMOUNT]  a quiet job, slow for one reason; --list-causes: which\n"
	"      --change EXPR      one thing otherwise, all else as it was; --list-changes: which\n"
	"      --slow EXPR        devices or hosts that are slower; --list-slow: which\n"
	"      --gap-ns NS        from a kernel to the next one\n"
	"      --slow-thunk NAME:PERCENT   one instruction longer by so much\n"
	"      --seed N           other lengths and clocks; the same seed gives the same bytes\n"
	"      --run N            another run of the same job: other noise, jitter and clocks\n"
	"      --number-steps     torch_*: the range of each step has its number\n"
	"      --directory        folders instead of .zip files\n"
	"      --format F         archive (default); sqlite: what nsys would export, FILE.sqlite;\n"
	"                         parquetdir: the same as Parquet tables, a folder unless it is\n"
	"                         FILE.zip; or xspace: what jax.profiler would write,\n"
	"                         HOST.xplane.pb below FILE\n"
	"      --xspace PARTS     ... with python, steps, derived (lines that viewers add), graphs\n"
	"                         (built before the session), dropped (a tenth of the events),\n"
	"                         one-host (of all processes), shared (kernels of equal code, in\n"
	"                         graphs), rebuilt (graphs, in the middle), detailed (what XLA\n"
	"                         states about instructions), no-scopes, no-host\n"
	"                         (but launches), no-hlo; several: apart by commas\n"
	"      --schema V         ... with the tables of 2.9, 3.13 or 3.24 (default)\n"
	"      --graphs G         ... with kernels launched by CUDA graphs: none (default), whole\n"
	"                         or nodes, as --cuda-graph-trace=graph or =node records them\n"
	"      --no-nccl-ranges   ... without NCCL's ranges below collectives\n"
	"      --hlo-strings[=PARTS]  ... with XLA's strings about instructions; with no-prefix (of\n"
	"                         op_names), ambiguous (modules of one name), cut (texts)\n"
	"      --library-ms MS    what a library takes to load when matrix products are tuned\n"
	"      --launch-us US     torch_ddp2: what a launch takes the host; the call is half of it\n"
	"      --tail-us US       serve2: one of 40 decodes takes so much longer\n"
	"      --host-us US       the host takes so much more ahead of each step, without waiting\n"
	"      --sync-calls       --format sqlite: where the host waits, a call of CUDA shows it\n"
	"      --bulk N           ... and about N bytes of tables that no report needs\n";
static const char file_usage[] =
	"      --layout A|B|C     columns of trace.parquet: nsys to 2024.4, to 2025, from 2026\n"
	"      --xla 1|2          names of ranges and form of collectives: before, from mid-2026\n"
	"      --pushpop KIND     csv, parquet or none (default: csv for layout A, else parquet)\n"
	"      --lost-ids N       of 1000 ranges of the trace N have no id; --no-stacks: nor do their\n"
	"                         stacks tell it; --shuffled: they are in no order\n"
	"      --text-dump        HLO as text (*.after_optimizations.txt) instead of protos\n"
	"      --no-metadata      without thread, device and system metadata\n"
	"      --processes N --devices M   M devices in each of N processes\n"
	"      --groups G         all-gathers and reduce-scatters within G groups of devices\n"
	"      --steps S          steady steps\n"
	"      --rows N           as many steps as give N thunk rows a device\n"
	"      --thunks N --stacks M  mnist_vae: N more thunks in a step, of M distinct stacks\n"
	"      --state MIB        weights that the step takes and donates, in all\n"
	"      --skew-us US       clocks of devices differ by up to that (each way)\n"
	"      --straggler D      the device that computes slowest\n"
	"      --codec C          snappy (default), zstd, gzip or none\n"
	"      --pages 1|2        version of the data pages; --page-rows N, --group-rows N their "
	"sizes\n"
	"      --memory-profile FILE  what is in device memory, as jax.profiler saves it\n"
	"      --memory PARTS         ... with leak=BYTES more at one line, or with faults\n"
	"      --trip-counts          loops state how often they run\n"
	"      --launched             stacks pass through a launcher, wrappers and libraries\n"
	"      --inconsistent         processes disagree about the stacks of an instruction\n"
	"      --hostile-names    text that tries to break out of every output\n"
	"      --long-names       the same, each of 10 kB\n"
	"      --plant KIND       in every text its own name and hostile text of one kind: script,\n"
	"                         quotes, rtl, control, utf8 or long\n"
	"      --field NAME       ... in that one alone; --list-fields: which\n";

struct arguments {
	struct gen_options scenario;
	struct gen_write_options write;
	const char *output, *truth, *memory;
	bool directory, help, list_fields, list_causes, list_changes, list_slow, pushpop_given;
	struct jr_arena arena;
};

/* Length of a path without its ending. */
static size_t stem_length(const char *path)
{
	static const char *const endings[] = {".zip", ".sqlite", "_pqtdir"};
	size_t n = strlen(path);
	for (size_t i = 0; i < JR_COUNT_OF(endings); i++)
		if (n > strlen(endings[i]) && strcmp(path + n - strlen(endings[i]), endings[i]) == 0)
			return n - strlen(endings[i]);
	return n;
}

static enum jr_status number(
	const char *option, const char *s, int64_t min, int64_t max, int64_t *out, struct jr_error *err)
{
	if (!jr_parse_i64(s, strlen(s), out) || *out < min || *out > max)
		return jr_fail(err, JR_EUSAGE, "--%s: '%s' is no number from %lld to %lld", option, s,
			(long long)min, (long long)max);
	return JR_OK;
}

struct choice {
	const char *name;
	int value;
};

static enum jr_status choose(
	const char *option, const char *s, const struct choice *choices, int *out, struct jr_error *err)
{
	for (; choices->name; choices++) {
		if (strcmp(choices->name, s) == 0) {
			*out = choices->value;
			return JR_OK;
		}
	}
	return jr_fail(err, JR_EUSAGE, "--%s: no such choice: '%s'", option, s);
}

static const struct choice codecs[] = {{"snappy", JR_PQ_SNAPPY}, {"zstd", JR_PQ_ZSTD},
	{"gzip", JR_PQ_GZIP}, {"none", JR_PQ_UNCOMPRESSED}, {NULL, 0}};
static const struct choice pushpops[] = {{"csv", GEN_PUSHPOP_CSV}, {"parquet", GEN_PUSHPOP_PARQUET},
	{"none", GEN_PUSHPOP_NONE}, {NULL, 0}};
static const struct choice layouts[] = {{"A", 'A'}, {"B", 'B'}, {"C", 'C'}, {NULL, 0}};
static const struct choice formats[] = {{"archive", GEN_ARCHIVE}, {"sqlite", GEN_SQLITE},
	{"parquetdir", GEN_PARQUETDIR}, {"xspace", GEN_XSPACE}, {NULL, 0}};
static const struct choice schemas[] = {{"2.9", GEN_SCHEMA_2_9}, {"3.13", GEN_SCHEMA_3_13},
	{"3.24", GEN_SCHEMA_3_24}, {NULL, 0}};
static const struct choice graphs[] = {{"none", GEN_GRAPHS_NONE}, {"whole", GEN_GRAPHS_WHOLE},
	{"nodes", GEN_GRAPHS_NODES}, {NULL, 0}};
static const struct choice generations[] = {{"1", 1}, {"2", 2}, {NULL, 0}};

/* "custom-call.22.0:3": 3 % slower */
static enum jr_status take_slow_thunk(struct arguments *a, const char *value, struct jr_error *err)
{
	const char *colon = strrchr(value, ':');
	int64_t percent;
	if (!colon)
		return jr_fail(err, JR_EUSAGE, "--slow-thunk wants NAME:PERCENT, not '%s'", value);
	JR_TRY(number("slow-thunk", colon + 1, -50, 1000, &percent, err));
	a->scenario.slow_thunk = jr_arena_strndup(&a->arena, value, (size_t)(colon - value));
	a->scenario.slow_permille = percent * 10;
	return JR_OK;
}

/* "slow-gpu:12" */
static enum jr_status take_cause(struct arguments *a, const char *value, struct jr_error *err)
{
	size_t n = strcspn(value, ":");
	a->scenario.cause = gen_cause_find(value, n);
	if (!a->scenario.cause)
		return jr_fail(err, JR_EUSAGE, "--cause: no such kind: '%s'", value);
	return value[n] ? number("cause", value + n + 1, 0, 10000000, &a->scenario.cause_amount, err)
					: JR_OK;
}

/* "gaps=0" */
static enum jr_status take_change(struct arguments *a, const char *value, struct jr_error *err)
{
	if (a->scenario.n_changes == GEN_MAX_CHANGES)
		return jr_fail(err, JR_EUSAGE, "--change: at most %d", GEN_MAX_CHANGES);
	return gen_change_parse(value, &a->scenario.changes[a->scenario.n_changes++], err);
}

/* "process:2=20%@9-" */
static enum jr_status take_slow(struct arguments *a, const char *value, struct jr_error *err)
{
	if (a->scenario.n_slow == GEN_MAX_SLOW)
		return jr_fail(err, JR_EUSAGE, "--slow: at most %d", GEN_MAX_SLOW);
	return gen_slow_parse(value, &a->scenario.slow[a->scenario.n_slow++], &a->arena, err);
}

/* "python,no-scopes" */
static enum jr_status take_parts(struct arguments *a, const char *value, struct jr_error *err)
{
	static const struct choice parts[] = {{"scopes", GEN_XSPACE_SCOPES}, {"host", GEN_XSPACE_HOST},
		{"hlo", GEN_XSPACE_HLO}, {"python", GEN_XSPACE_PYTHON}, {"steps", GEN_XSPACE_STEPS},
		{"derived", GEN_XSPACE_DERIVED}, {"graphs", GEN_XSPACE_GRAPHS},
		{"dropped", GEN_XSPACE_DROPPED}, {"one-host", GEN_XSPACE_ONE_HOST},
		{"shared", GEN_XSPACE_SHARED}, {"rebuilt", GEN_XSPACE_REBUILT},
		{"detailed", GEN_XSPACE_DETAILED}, {NULL, 0}};
	while (*value) {
		size_t n = strcspn(value, ",");
		const char *word = jr_arena_strndup(&a->arena, value, n);
		bool without = strncmp(word, "no-", 3) == 0;
		int part = 0;
		JR_TRY(choose("xspace", word + (without ? 3 : 0), parts, &part, err));
		if (without)
			a->write.xspace &= ~(unsigned)part;
		else
			a->write.xspace |= (unsigned)part;
		value += n + (value[n] == ',');
	}
	a->scenario.one_host = a->write.xspace & GEN_XSPACE_ONE_HOST;
	a->scenario.numbered = a->write.xspace & GEN_XSPACE_STEPS;
	return JR_OK;
}

/* "no-prefix,cut" */
static enum jr_status take_strings(struct arguments *a, const char *value, struct jr_error *err)
{
	static const struct choice parts[] = {{"no-prefix", GEN_STRINGS_NO_PREFIX},
		{"ambiguous", GEN_STRINGS_AMBIGUOUS}, {"cut", GEN_STRINGS_CUT}, {NULL, 0}};
	a->scenario.strings |= GEN_STRINGS;
	while (*value) {
		size_t n = strcspn(value, ",");
		int part = 0;
		JR_TRY(choose("hlo-strings", jr_arena_strndup(&a->arena, value, n), parts, &part, err));
		a->scenario.strings |= (unsigned)part;
		value += n + (value[n] == ',');
	}
	return JR_OK;
}

static enum jr_status take_choice(
	struct arguments *a, int option, const char *value, struct jr_error *err)
{
	int v = 0;
	switch (option) {
	case OPT_LAYOUT:
		JR_TRY(choose("layout", value, layouts, &v, err));
		a->scenario.layout = (char)v;
		break;
	case OPT_XLA:
		JR_TRY(choose("xla", value, generations, &a->scenario.xla, err));
		break;
	case OPT_PAGES:
		JR_TRY(choose("pages", value, generations, &a->write.parquet.page_version, err));
		break;
	case OPT_CODEC:
		JR_TRY(choose("codec", value, codecs, &v, err));
		a->write.parquet.codec = (enum jr_pq_codec)v;
		break;
	case OPT_FORMAT:
		JR_TRY(choose("format", value, formats, &v, err));
		a->write.format = (enum gen_format)v;
		a->scenario.no_dumps = v == GEN_SQLITE || v == GEN_PARQUETDIR;
		a->scenario.xspace = v == GEN_XSPACE;
		break;
	case OPT_SCHEMA:
		JR_TRY(choose("schema", value, schemas, &v, err));
		a->write.schema = (enum gen_schema)v;
		break;
	case OPT_GRAPHS:
		JR_TRY(choose("graphs", value, graphs, &v, err));
		a->write.graphs = (enum gen_graphs)v;
		a->scenario.graphs = v != GEN_GRAPHS_NONE;
		break;
	case OPT_XSPACE:
		JR_TRY(take_parts(a, value, err));
		break;
	case OPT_STRINGS:
		JR_TRY(take_strings(a, value ? value : "", err));
		break;
	case OPT_SHUFFLED:
		a->scenario.shuffled = true;
		break;
	case OPT_SLOW_THUNK:
		JR_TRY(take_slow_thunk(a, value, err));
		break;
	case OPT_CAUSE:
		JR_TRY(take_cause(a, value, err));
		break;
	case OPT_CHANGE:
		JR_TRY(take_change(a, value, err));
		break;
	case OPT_SLOW:
		JR_TRY(take_slow(a, value, err));
		break;
	case OPT_GAP_NS:
		JR_TRY(number("gap-ns", value, 0, 1000000, &a->scenario.gap_ns, err));
		break;
	case OPT_NOISE:
		JR_TRY(number("noise", value, 0, 200000, &a->scenario.noise_ppm, err));
		break;
	case OPT_PUSHPOP:
		JR_TRY(choose("pushpop", value, pushpops, &v, err));
		a->write.pushpop = (enum gen_pushpop)v;
		a->pushpop_given = true;
		break;
	}
	return JR_OK;
}

/* Options of the host's activities and times. */
static enum jr_status take_host(
	struct arguments *a, int option, const char *value, struct jr_error *err)
{
	int64_t v = 0;
	if (option == OPT_SYNC_CALLS)
		a->scenario.sync_calls = true;
	if (option == OPT_LAUNCH_US) {
		JR_TRY(number("launch-us", value, 0, 1000000, &v, err));
		a->scenario.launch_ns = v * 1000;
	}
	if (option == OPT_TAIL_US) {
		JR_TRY(number("tail-us", value, 0, 1000000, &v, err));
		a->scenario.tail_ns = v * 1000;
	}
	if (option == OPT_HOST_US) {
		JR_TRY(number("host-us", value, 0, 1000000, &v, err));
		a->scenario.host_ns = v * 1000;
	}
	return JR_OK;
}

static enum jr_status take_number(
	struct arguments *a, int option, const char *value, struct jr_error *err)
{
	int64_t v = 0;
	switch (option) {
	case OPT_SEED:
	case OPT_RUN:
		JR_TRY(number(option == OPT_SEED ? "seed" : "run", value, 0, INT64_MAX, &v, err));
		*(option == OPT_SEED ? &a->scenario.seed : &a->scenario.run) = (uint64_t)v;
		break;
	case OPT_PROCESSES:
		JR_TRY(number("processes", value, 1, GEN_MAX_DEVICES, &v, err));
		a->scenario.n_processes = (uint32_t)v;
		break;
	case OPT_DEVICES:
		JR_TRY(number("devices", value, 1, GEN_MAX_DEVICES, &v, err));
		a->scenario.n_devices = (uint32_t)v;
		break;
	case OPT_STEPS:
		JR_TRY(number("steps", value, 2, 1000000, &v, err));
		a->scenario.n_steps = (uint32_t)v;
		break;
	case OPT_SKEW_US:
		JR_TRY(number("skew-us", value, 0, 1000000000, &v, err));
		a->scenario.skew_ns = v * 1000;
		break;
	case OPT_STRAGGLER:
		JR_TRY(number("straggler", value, 0, GEN_MAX_DEVICES - 1, &v, err));
		a->scenario.straggler = (uint32_t)v;
		break;
	case OPT_LOST_IDS:
		JR_TRY(number("lost-ids", value, 0, 1000, &v, err));
		a->scenario.lost_ids = (uint32_t)v;
		break;
	case OPT_LIBRARY_MS:
		JR_TRY(number("library-ms", value, 0, 1000000, &v, err));
		a->scenario.library_ms = (uint32_t)v;
		break;
	case OPT_GROUPS:
		JR_TRY(number("groups", value, 1, GEN_MAX_DEVICES, &v, err));
		a->scenario.n_groups = (uint32_t)v;
		break;
	case OPT_ROWS:
		JR_TRY(number("rows", value, 0, 100000000, &v, err));
		a->scenario.n_rows = (uint64_t)v;
		break;
	case OPT_THUNKS:
		JR_TRY(number("thunks", value, 0, 1000000, &v, err));
		a->scenario.n_thunks = (uint32_t)v;
		break;
	case OPT_STACKS:
		JR_TRY(number("stacks", value, 0, 1000000, &v, err));
		a->scenario.n_stacks = (uint32_t)v;
		break;
	case OPT_STATE:
		JR_TRY(number("state", value, 0, 1 << 20, &v, err));
		a->scenario.state_mib = (uint64_t)v;
		break;
	case OPT_BULK:
		JR_TRY(number("bulk", value, 0, INT64_C(1) << 36, &v, err));
		a->write.bulk_bytes = (uint64_t)v;
		break;
	case OPT_PAGE_ROWS:
		JR_TRY(number("page-rows", value, 1, INT32_MAX, &v, err));
		a->write.parquet.rows_per_page = (size_t)v;
		break;
	case OPT_GROUP_ROWS:
		JR_TRY(number("group-rows", value, 1, INT32_MAX, &v, err));
		a->write.parquet.rows_per_group = (size_t)v;
		break;
	}
	return take_host(a, option, value, err);
}

/* Switches: options without a value. */
static void take_flag(struct arguments *a, int option)
{
	const struct {
		int option;
		bool *flag;
	} flags[] = {{OPT_DIRECTORY, &a->directory}, {OPT_EVEN, &a->scenario.even},
		{OPT_NUMBER_STEPS, &a->scenario.number_steps},
		{OPT_NO_NCCL_RANGES, &a->write.no_nccl_ranges}, {OPT_NO_STACKS, &a->scenario.no_stacks},
		{OPT_LAUNCHED, &a->scenario.launched}, {OPT_TEXT_DUMP, &a->write.text_dump},
		{OPT_TRIP_COUNTS, &a->scenario.trip_counts}, {OPT_INCONSISTENT, &a->scenario.inconsistent}};
	for (size_t i = 0; i < JR_COUNT_OF(flags); i++)
		if (flags[i].option == option)
			*flags[i].flag = true;
}

static enum jr_status parse(int argc, char **argv, struct arguments *a, struct jr_error *err)
{
	for (int c; (c = getopt_long(argc, argv, "o:h", long_options, NULL)) != -1;) {
		switch (c) {
		case OPT_OUTPUT:
			a->output = optarg;
			break;
		case OPT_TRUTH:
			a->truth = optarg;
			break;
		case OPT_WARMUP:
			a->scenario.warmup = optarg;
			break;
		case OPT_MEMORY_PROFILE:
			a->memory = optarg;
			a->scenario.memory = true;
			break;
		case OPT_MEMORY:
			JR_TRY(gen_memory_take(&a->scenario, optarg, err));
			break;
		case OPT_HOSTILE:
			a->scenario.hostile_names = true;
			break;
		case OPT_LONG:
			a->scenario.hostile_names = a->scenario.long_names = true;
			break;
		case OPT_NO_METADATA:
			a->write.no_metadata = a->scenario.no_metadata = true;
			break;
		case OPT_PLANT:
			a->scenario.plant = gen_plant_find(optarg);
			if (!a->scenario.plant)
				return jr_fail(err, JR_EUSAGE, "--plant: no such kind: '%s'", optarg);
			break;
		case OPT_FIELD:
			a->scenario.planted_field = gen_planted_find(optarg);
			if (!a->scenario.planted_field)
				return jr_fail(err, JR_EUSAGE, "--field: no such field: '%s'", optarg);
			break;
		case OPT_LIST_FIELDS:
		case OPT_LIST_CAUSES:
		case OPT_LIST_CHANGES:
		case OPT_LIST_SLOW:
		case OPT_HELP:
			a->list_fields = c == OPT_LIST_FIELDS;
			a->list_causes = c == OPT_LIST_CAUSES;
			a->list_changes = c == OPT_LIST_CHANGES;
			a->list_slow = c == OPT_LIST_SLOW;
			a->help = c == OPT_HELP;
			return JR_OK;
		case '?':
			return jr_fail(err, JR_EUSAGE, "see jr-generate --help");
		default:
			take_flag(a, c);
			JR_TRY(take_choice(a, c, optarg, err));
			JR_TRY(take_number(a, c, optarg, err));
		}
	}
	if (optind + 1 != argc || !a->output)
		return jr_fail(err, JR_EUSAGE, "one SCENARIO and -o are needed; see jr-generate --help");
	if (a->truth && a->scenario.plant)
		return jr_fail(err, JR_EUSAGE, "--truth does not know what --plant does");
	a->scenario.scenario = argv[optind];
	const char *slash = strrchr(a->output, '/');
	const char *base = slash ? slash + 1 : a->output;
	a->scenario.profile = jr_arena_strndup(&a->arena, base, stem_length(base));
	if (!a->pushpop_given)
		a->write.pushpop = a->scenario.layout == 'A' ? GEN_PUSHPOP_CSV : GEN_PUSHPOP_PARQUET;
	return JR_OK;
}

/* Where jax.profiler writes it. */
static const char *xspace_path(
	struct gen_scenario *sc, const struct arguments *a, uint32_t process)
{
	return gen_text(sc, "%s/plugins/profile/2026_01_02_03_04_05/%s.xplane.pb", a->output,
		gen_recorded_as(sc, process));
}

static bool is_zip(const struct arguments *a)
{
	size_t n = strlen(a->output);
	return n > 4 && strcmp(a->output + n - 4, ".zip") == 0;
}

/* "x.zip" -> "x-proc1.zip" if there are several processes. */
static const char *process_path(
	struct gen_scenario *sc, const struct arguments *a, uint32_t process)
{
	int stem = (int)stem_length(a->output);
	bool sqlite = a->write.format == GEN_SQLITE, tables = a->write.format == GEN_PARQUETDIR;
	if (a->write.format == GEN_XSPACE)
		return xspace_path(sc, a, process);
	const char *ending = sqlite ? ".sqlite"
		: tables && !is_zip(a)  ? "_pqtdir"
		: a->directory			? ""
								: ".zip";
	if (sc->processes.n > 1)
		return gen_text(sc, "%.*s-proc%u%s", stem, a->output, process, ending);
	if (sqlite || tables)
		return a->output;
	return a->directory ? gen_text(sc, "%.*s", stem, a->output) : a->output;
}

static void by_products(struct gen_scenario *sc, const char *path, struct gen_archive *archive)
{
	struct jr_buf text = {0};
	jr_buf_puts(&text, "#!/bin/sh\necho 'nothing to install'\n");
	gen_archive_add(archive, "install.sh", &text, false);
	jr_buf_puts(&text, "{\"cells\": [], \"nbformat\": 4, \"nbformat_minor\": 5}\n");
	gen_archive_add(archive, "nvtx_gpu_proj_trace/trace.ipynb", &text, true);
	const char *other = gen_planted(sc, GEN_FIELD_OTHER_FILE, NULL);
	if (other) {
		jr_buf_puts(&text, "nothing");
		gen_archive_add(archive, gen_text(sc, "analysis/%s", other), &text, false);
	}
	/* no reader may open it: it does not begin like an archive */
	for (int i = 0; i < 8192; i++) {
		uint64_t noise = gen_random(sc, 0);
		jr_buf_add(&text, &noise, sizeof(noise));
	}
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	gen_archive_add(
		archive, gen_text(sc, "%.*s.nsys-rep", (int)stem_length(base), base), &text, false);
}

static enum jr_status write_process(
	struct gen_scenario *sc, const struct arguments *a, uint32_t process, struct jr_error *err)
{
	struct gen_archive archive = {0};
	const char *path = process_path(sc, a, process);
	if (a->write.format == GEN_SQLITE)
		return gen_write_sqlite(sc, process, &a->write, path, err);
	if (a->write.format == GEN_PARQUETDIR)
		return gen_write_pqtdir(sc, process, &a->write, path, !is_zip(a), err);
	if (a->write.format == GEN_XSPACE)
		return gen_write_xspace(sc, process, &a->write, path, err);
	if (a->write.no_metadata) /* archives of that time have entries for folders */
		gen_archive_add_folder(&archive, "dump/");
	gen_write_hlo(sc, process, &a->write, &archive);
	gen_write_trace(sc, process, &a->write, &archive);
	gen_write_pushpop(sc, process, &a->write, &archive);
	gen_write_metadata(sc, process, &a->write, &archive);
	gen_write_sources(sc, &archive);
	by_products(sc, path, &archive);
	enum jr_status status = gen_archive_write(&archive, path, a->directory, err);
	gen_archive_done(&archive);
	return status;
}

static enum jr_status generate(const struct arguments *a, struct jr_error *err)
{
	struct gen_scenario sc;
	JR_TRY(gen_scenario_build(&sc, &a->scenario, err));
	enum jr_status status = JR_OK;
	bool export = a->write.format == GEN_SQLITE || a->write.format == GEN_PARQUETDIR;
	if (sc.programs.n == 0 && !export)
		status = jr_fail(err, JR_EUSAGE, "%s can only be an export: --format sqlite or parquetdir",
			a->scenario.scenario);
	if (a->truth && status == JR_OK)
		status = gen_truth_write(&sc, a->truth, err);
	if (a->memory && status == JR_OK)
		status = gen_memory_write(&sc, a->memory, err);
	for (uint32_t i = 0; i < sc.processes.n && status == JR_OK; i++)
		status = write_process(&sc, a, i, err);
	gen_scenario_done(&sc);
	return status;
}

int main(int argc, char **argv)
{
	struct jr_error err = {0};
	struct arguments a = {
		.scenario = {.seed = 1,
			.layout = 'A',
			.xla = 1,
			.n_processes = 1,
			.skew_ns = -1,
			.straggler = GEN_NO_INDEX,
			.warmup = "auto"},
		.write = {.schema = GEN_SCHEMA_3_24,
			.xspace = GEN_XSPACE_SCOPES | GEN_XSPACE_HOST | GEN_XSPACE_HLO,
			.parquet = {.codec = JR_PQ_SNAPPY, .page_version = 1}},
	};
	jr_arena_init(&a.arena, 0);
	enum jr_status status = parse(argc, argv, &a, &err);
	if (status == JR_OK && a.help)
		printf("%s%s", job_usage, file_usage);
	else if (status == JR_OK && a.list_fields)
		gen_list_fields();
	else if (status == JR_OK && a.list_causes)
		gen_list_causes();
	else if (status == JR_OK && a.list_changes)
		gen_list_changes();
	else if (status == JR_OK && a.list_slow)
		gen_list_slow();
	else if (status == JR_OK)
		status = generate(&a, &err);
	jr_arena_done(&a.arena);
	if (status != JR_OK)
		fprintf(stderr, "jr-generate: %s\n", err.message);
	return status == JR_OK ? 0 : status == JR_EUSAGE ? 2 : 1;
}
