#include "formats/archive/foreign.h"

#include <string.h>

#include "base/cleanup.h"
#include "formats/archive/gzip.h"

/* Nsight Systems has many export formats and reports. */
#define NSYS_EXPORT " of Nsight Systems, which is not supported. Export as SQLite: " JR_NSYS_EXPORT
#define NSYS_REPORT                                                                                \
	"is another report than nvtx_pushpop_trace of nsys stats. Export all: " JR_NSYS_EXPORT
#define HLO_TEXT                                                                                   \
	"is HLO as text. Use the profile as input, and --xla-dump for the folder from "                \
	"--xla_dump_to; dump with --xla_dump_hlo_as_proto"
#define HLO                                                                                        \
	"is the HLO of one program, not a profile. Use the profile as input, and --xla-dump for the "  \
	"folder of this file"
#define PERFETTO                                                                                   \
	"is a Perfetto trace, which is not supported. Use the .xplane.pb or .trace.json.gz from "      \
	"jax.profiler, or an SQLite export of Nsight Systems"
#define PPROF                                                                                      \
	"is a device memory profile of JAX (pprof). Use it as input on its own, or with "              \
	"--memory-profile beside a profile"

#define UNPACK ". Unpack it, and use the result as input"
#define NOT_FETCHED ". The download probably failed because of a login page or an expired link"

#define TRACE_HEAD 65536 /* the text before the events of a trace is shorter */

/* Text is matched after blanks, in any case. */
static const struct {
	size_t offset, n;
	const char *magic, *hint;
	bool text;
} kinds[] = {
	{0, 2, "\x1F\x8B", "is compressed with gzip" UNPACK, false},
	{0, 3, "BZh", "is compressed with bzip2" UNPACK, false},
	{0, 4, "\x28\xB5\x2F\xFD", "is compressed with zstd" UNPACK, false},
	{0, 6,
		"\xFD"
		"7zXZ\0",
		"is compressed with xz" UNPACK, false},
	{0, 8, "\x89HDF\r\n\x1A\n", "is an HDF5 export" NSYS_EXPORT, false},
	{0, 6, "ARROW1", "is an Arrow export" NSYS_EXPORT, false},
	{0, 2, "\xFF\xFE", "is text in UTF-16. Convert it to UTF-8", false},
	{0, 10, "hlomodule ", HLO_TEXT, true},
	{0, 6, "7z\xBC\xAF\x27\x1C", "is a 7z archive" UNPACK, false},
	{0, 4, "Rar!", "is a RAR archive" UNPACK, false},
	{257, 5, "ustar", "is a tar archive" UNPACK, false},
	{0, 7, "version https://git-lfs", "is a Git LFS pointer. Fetch the file with git lfs pull",
		true},
	{0, 9, "<!doctype", "is an HTML page" NOT_FETCHED, true},
	{0, 5, "<html", "is an HTML page" NOT_FETCHED, true},
	{0, 5, "<?xml", "is XML" NOT_FETCHED, true},
};

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static uint8_t lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 'a' - 'A') : c;
}

static bool begins_with(struct jr_bytes file, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (i >= file.size || lower(file.data[i]) != (uint8_t)text[i])
			return false;
	return true;
}

/* Return whether a binary file was read and written as text: most bytes above 7F are then U+FFFD
 * (EF BF BD). */
static bool is_decoded(struct jr_bytes file)
{
	enum { HEAD = 4096, LEAST = 4 };
	size_t n = file.size < HEAD ? file.size : HEAD, replaced = 0, others = 0;
	bool binary = false;
	for (size_t i = 0; i < n; i++) {
		binary |= file.data[i] < 8;
		if (file.data[i] < 0x80)
			continue;
		if (n - i < 3 || memcmp(file.data + i, "\xEF\xBF\xBD", 3) != 0) {
			others++;
			continue;
		}
		replaced++;
		i += 2;
	}
	return binary && replaced >= LEAST && replaced > others;
}

/* A pprof Profile begins with its sample types: short messages of two numbers each. */
static bool is_pprof(struct jr_bytes head)
{
	return head.size > 8 && head.data[0] == 0x0A && head.data[1] <= 8 && head.data[2] == 0x08 &&
		   (head.data[2 + head.data[1]] == 0x0A || head.data[2 + head.data[1]] == 0x12);
}

static bool packs_pprof(struct jr_bytes file)
{
	static const struct jr_limits limits = {
#define JR_LIMIT(field, option, value, what) .field = (value),
		JR_LIMITS
#undef JR_LIMIT
	};
	if (!jr_gzip_begins(file))
		return false;
	struct jr_gzip *gzip = jr_gzip_open(file, &limits);
	struct jr_bytes head;
	bool is = jr_gzip_more(gzip, &head, NULL) == JR_OK && is_pprof(head);
	jr_gzip_close(gzip);
	return is;
}

/* Return whether the text begins like nsys export --type json or jsonlines: with texts or
 * events. */
static bool is_nsys_json(struct jr_bytes text)
{
	static const char *const words[] = {"\"[Unknown]\"", "\"CudaEvent\"", "\"NvtxEvent\"",
		"\"TraceProcessEvent\"", "\"globalTid\"", "\"GlobalVid\"", "\"StringIds\""};
	size_t n = text.size < TRACE_HEAD ? text.size : TRACE_HEAD;
	if (!begins_with(text, "{", 1))
		return false;
	for (size_t i = 0; i < JR_COUNT_OF(words); i++)
		if (memmem(text.data, n, words[i], strlen(words[i])))
			return true;
	return false;
}

/* Return whether the first line has columns, some with a unit, unlike push/pop traces. */
static bool is_nsys_table(struct jr_bytes text)
{
	static const char *const units[] = {"(ns)", "(us)", "(ms)", "(MB)", "(%)"};
	size_t line = 0;
	while (line < text.size && line < TRACE_HEAD && text.data[line] != '\n')
		line++;
	if (line == text.size || !memchr(text.data, ',', line) ||
		memmem(text.data, line, "DurChild", 8) || memmem(text.data, line, "RangeId", 7))
		return false;
	for (size_t i = 0; i < JR_COUNT_OF(units); i++)
		if (memmem(text.data, line, units[i], strlen(units[i])))
			return true;
	return false;
}

const char *jr_foreign_hint(struct jr_bytes file)
{
	if (packs_pprof(file) || is_pprof(file))
		return PPROF;
	if (is_decoded(file))
		return "is damaged: it was converted as text, which replaced bytes by U+FFFD. Copy the "
			   "original without conversion";
	size_t blank = 0;
	while (blank < file.size && blank < 256 && is_blank(file.data[blank]))
		blank++;
	struct jr_bytes text = jr_bytes_of(file.data + blank, file.size - blank);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		bool is = kinds[i].text
					  ? begins_with(text, kinds[i].magic, kinds[i].n)
					  : file.size >= kinds[i].offset + kinds[i].n &&
							memcmp(file.data + kinds[i].offset, kinds[i].magic, kinds[i].n) == 0;
		if (is)
			return kinds[i].hint;
	}
	size_t head = text.size < TRACE_HEAD ? text.size : TRACE_HEAD;
	static const char events[] = "\"traceEvents\"";
	if (begins_with(text, "{", 1) && memmem(text.data, head, events, sizeof(events) - 1))
		return "is a Chrome trace, but not from jax.profiler. For a PyTorch program, profile with "
			   "nsys instead of torch.profiler";
	if (is_nsys_json(text))
		return "is a JSON export" NSYS_EXPORT;
	static const char id[] = "RangeId";
	if (is_nsys_table(text))
		return NSYS_REPORT;
	if (!begins_with(text, "start (ns)", 10))
		return NULL;
	const char *at = memmem(text.data, head, id, sizeof(id) - 1);
	if (!at)
		return "begins like a CSV file of nsys stats, but has no column RangeId: it was cut short, "
			   "or is another report. " JR_NSYS_STATS_AGAIN;
	if (at[-1] != ',' && at[-1] != '"')
		return "is a push/pop trace without commas between its columns. Write the file "
			   "again: " JR_NSYS_STATS;
	return NULL;
}

const char *jr_foreign_name_hint(const char *name)
{
	static const struct {
		const char *suffix, *hint;
	} kinds_by_name[] = {
		{"perfetto_trace.json.gz",
			"is a copy of the Chrome trace that jax.profiler writes next to an .xplane.pb file. "
			"Use one of these, or the copy alone, as input"},
		{".xplane.riegeli",
			"is a trace of jax.profiler in a container that is not supported. Remove "
			"enable_continuous_profiling from ProfileOptions.advanced_configuration to get an "
			".xplane.pb file"},
		{"hlo_proto.pb", HLO},
		{".hlo.pb", HLO},
		{".pftrace", PERFETTO},
		{".perfetto-trace", PERFETTO},
		{".prof", PPROF},
	};
	size_t n = strlen(name);
	for (size_t i = 0; i < sizeof(kinds_by_name) / sizeof(kinds_by_name[0]); i++) {
		size_t suffix = strlen(kinds_by_name[i].suffix);
		if (n >= suffix && strcmp(name + n - suffix, kinds_by_name[i].suffix) == 0)
			return kinds_by_name[i].hint;
	}
	return NULL;
}

const char *jr_empty_hint(const char *name)
{
	static const struct {
		const char *suffix, *hint;
	} writers[] = {
		{".csv", "is empty, because nsys stats probably failed. " JR_NSYS_STATS_AGAIN},
		{".xplane.pb", "is empty. The program probably ended before stop_trace() wrote the file"},
		{".prof", "is empty. The program probably ended before save_device_memory_profile() wrote "
				  "the file"},
		{".trace.json.gz",
			"is empty. The program probably ended before stop_trace() wrote the file"},
		{".jrd", "is empty. Copy it again, or run 'jaxreport digest' on its input again"},
		{".sqlite", "is empty, because nsys export probably failed. " JR_NSYS_EXPORT_AGAIN},
	};
	size_t n = strlen(name);
	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
		size_t suffix = strlen(writers[i].suffix);
		if (n >= suffix && strcmp(name + n - suffix, writers[i].suffix) == 0)
			return writers[i].hint;
	}
	return "is not a zip file: it is empty";
}
