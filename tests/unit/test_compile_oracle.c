/* Compilation of the sample archives, compared with the numbers of the reference; skipped
 * without ../shared. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/compile/compile_stats.h"
#include "analysis/compile/compile_summary.h"
#include "base/file.h"
#include "compile_case.h"
#include "formats/archive/archive.h"
#include "formats/archive/xz.h"

#define SHARED "../shared"
#define TOLERANCE_NS 2.0
#define MEMBER "report_nvtx_pushpop_trace.csv.xz"

static void need_shared(void)
{
	if (access(SHARED "/oracle/README.md", R_OK) == 0)
		return;
	print_message("no " SHARED ": nothing to compare with\n");
	skip();
}

static char *read_text(const char *path)
{
	struct jr_file_map map;
	struct jr_error err;
	if (jr_file_map(path, &map, &err) != JR_OK)
		fail_msg("%s", err.message);
	char *text = malloc(map.bytes.size + 1);
	assert_non_null(text);
	memcpy(text, map.bytes.data, map.bytes.size);
	text[map.bytes.size] = '\0';
	jr_file_unmap(&map);
	return text;
}

/* --- as much JSON as the oracle's files need ------------------------------------------------- */

static const char *after(const char *text, const char *what)
{
	const char *at = strstr(text, what);
	if (!at)
		fail_msg("no %s in the oracle", what);
	return at + strlen(what);
}

/* Return the next {"name": TEXT, "self_ms": NUMBER} of a list; NULL at its end. */
static const char *next_entry(const char *at, char name[256], double *self_ns)
{
	at += strspn(at, " \n,");
	if (*at == ']')
		return NULL;
	const char *text = after(at, "\"name\": \"");
	size_t n = strcspn(text, "\"");
	assert_true(n < 256 && !memchr(text, '\\', n));
	memcpy(name, text, n);
	name[n] = '\0';
	*self_ns = strtod(after(text, "\"self_ms\": "), NULL) * 1e6;
	at = strchr(text, '}');
	assert_non_null(at);
	return at + 1;
}

static void compare_entries(const char *oracle, const char *list,
	const struct jr_compile_entry *entries, size_t n)
{
	size_t n_expected = 0;
	char name[256];
	double self_ns;
	const char *at = after(oracle, list);
	while ((at = next_entry(at, name, &self_ns))) {
		size_t i = 0;
		while (i < n && strcmp(entries[i].name, name) != 0)
			i++;
		if (i == n)
			fail_msg("%s %s is missing", list, name);
		if (fabs(entries[i].self_ns - self_ns) > TOLERANCE_NS)
			fail_msg("%s %s: %.3f ns, expected %.3f", list, name, entries[i].self_ns, self_ns);
		n_expected++;
	}
	assert_true(n_expected > 10);
	assert_int_equal(n, n_expected);
}

/* --- archives -------------------------------------------------------------------------------- */

static struct jr_buf member(struct jr_archive *archive, size_t index)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_error err;
	struct jr_buf packed = {0}, csv = {0};
	if (jr_archive_read(archive, index, &packed, &err) != JR_OK ||
		jr_xz_decode(jr_buf_view(&packed), &limits, &csv, &err) != JR_OK)
		fail_msg("%s", err.message);
	jr_buf_done(&packed);
	return csv;
}

static struct jr_archive *open_archive(const char *name)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_error err;
	struct jr_archive *archive;
	char path[256];
	snprintf(path, sizeof(path), SHARED "/data/archives/%s.zip", name);
	if (jr_archive_open(path, &limits, &archive, &err) != JR_OK)
		fail_msg("%s", err.message);
	return archive;
}

/* Load all processes of an archive; a combined one has a folder with the member's name. */
static void load(struct jr_profile *p, const char *name)
{
	struct jr_archive *archive = open_archive(name);
	uint32_t process = 0;
	size_t i = jr_archive_lower_bound(archive, MEMBER);
	for (; i < jr_archive_count(archive); i++) {
		const char *rest = jr_archive_at(archive, i)->name;
		if (strncmp(rest, MEMBER, strlen(MEMBER)) != 0)
			break;
		struct jr_buf csv = member(archive, i);
		case_add_text(p, process++, jr_buf_view(&csv));
		jr_buf_done(&csv);
	}
	assert_true(process > 0);
	jr_archive_close(archive);
}

static void compare(const char *archive, const char *oracle_name, bool detail, size_t n_grafted)
{
	char path[256];
	snprintf(path, sizeof(path), SHARED "/oracle/%s.json", oracle_name);
	char *text = read_text(path);
	const char *oracle = after(text, "\"compilation\": {");
	struct jr_profile p;
	case_init(&p, detail);
	load(&p, archive);
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	const struct jr_compile_stats *stats = jr_compile_stats_compute(&p, &arena);
	double total_ns = strtod(after(oracle, "\"total_ms\": "), NULL) * 1e6;
	if (fabs(stats->total_ns - total_ns) > TOLERANCE_NS)
		fail_msg("total %.3f ns, expected %.3f", stats->total_ns, total_ns);
	compare_entries(oracle, "\"ranges\": [", stats->ranges, stats->n_ranges);
	if (!detail) /* the detailed oracle has only ranges */
		compare_entries(oracle, "\"phases\": [", stats->phases, stats->n_phases);
	size_t grafted = 0;
	double wall_ns = 0;
	for (size_t i = 0; i < p.compiles.n; i++) {
		grafted += p.compiles.grafted[i];
		wall_ns += p.compiles.parent[i] == JR_NONE ? (double)p.compiles.dur_ns[i] : 0;
	}
	assert_int_equal(grafted, n_grafted);
	assert_true(fabs(stats->total_ns - wall_ns) < 0.5);
	const struct jr_tree *tree = jr_compile_tree(&p, stats, &arena);
	assert_true(fabs(tree->total - wall_ns) < 0.5);
	jr_profile_done(&p);
	free(text);
}

static UNIT(test_pax_0)
{
	need_shared();
	compare("pax_fsdp4_4proc_proc0", "pax_fsdp4_4proc_proc0.auto", false, 0);
}

static UNIT(test_pax_1)
{
	need_shared();
	compare("pax_fsdp4_4proc_proc1", "pax_fsdp4_4proc_proc1.auto", false, 0);
}

static UNIT(test_maxtext)
{
	need_shared();
	compare("maxtext_fsdp4", "maxtext_fsdp4.auto", false, 0);
}

static UNIT(test_pax_autotuning_detail)
{
	need_shared();
	compare("pax_fsdp4_4proc_proc0", "pax_fsdp4_4proc_proc0.autotuning", true, 220);
}

static UNIT(test_pax_combined)
{
	need_shared();
	compare("pax_combined_01", "pax_combined_01.auto", false, 0);
}

static void compare_summary(const char *name, bool passes)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_error err;
	struct jr_archive *archive = open_archive(name);
	struct jr_buf csv = member(archive, jr_archive_find(archive, MEMBER)), text = {0};
	struct jr_host_ranges ranges;
	if (jr_host_ranges_read_csv(jr_buf_view(&csv), &limits, &ranges, &err) != JR_OK)
		fail_msg("%s", err.message);
	jr_compile_summary_text(&ranges, passes, &text);
	char path[256];
	snprintf(path, sizeof(path), SHARED "/oracle/summary_text/%s%s.txt", name,
		passes ? ".passes" : "");
	char *expected = read_text(path);
	assert_string_equal(text.data, expected);
	free(expected);
	jr_host_ranges_done(&ranges);
	jr_buf_done(&text);
	jr_buf_done(&csv);
	jr_archive_close(archive);
}

static UNIT(test_summary_text)
{
	need_shared();
	compare_summary("pax_fsdp4_4proc_proc0", false);
	compare_summary("pax_fsdp4_4proc_proc0", true);
	compare_summary("maxtext_fsdp4", false);
	compare_summary("maxtext_fsdp4", true);
}
