#include "formats/foreign.h"

#include <string.h>

#define UNPACK ": unpack it, and name what comes out"
#define NOT_FETCHED ": the download failed, by a login or a link that has expired"

#define TRACE_HEAD 65536 /* what stands ahead of the events of a trace is shorter */

/* Text is looked for behind blanks and whatever its case. */
static const struct {
	size_t offset, n;
	const char *magic, *hint;
	bool text;
} kinds[] = {
	{0, 2, "\x1F\x8B", "is packed by gzip" UNPACK, false},
	{0, 3, "BZh", "is packed by bzip2" UNPACK, false},
	{0, 4, "\x28\xB5\x2F\xFD", "is packed by zstd" UNPACK, false},
	{0, 6, "\xFD" "7zXZ\0", "is packed by xz" UNPACK, false},
	{0, 6, "7z\xBC\xAF\x27\x1C", "is a 7z archive" UNPACK, false},
	{0, 4, "Rar!", "is a RAR archive" UNPACK, false},
	{257, 5, "ustar", "is a tar archive" UNPACK, false},
	{0, 7, "version https://git-lfs", "is a pointer of Git LFS: fetch the file by git lfs pull",
		true},
	{0, 9, "<!doctype", "is a page of HTML" NOT_FETCHED, true},
	{0, 5, "<html", "is a page of HTML" NOT_FETCHED, true},
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

const char *jr_foreign_hint(struct jr_bytes file)
{
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
		return "is a trace for Chrome, not one of jax.profiler: profile with nsys what "
			   "torch.profiler recorded";
	static const char id[] = "RangeId";
	if (begins_with(text, "start (ns)", 10) && !memmem(text.data, head, id, sizeof(id) - 1))
		return "begins as a CSV of nsys stats, but has no column RangeId: it was cut short, or is "
			   "another report; " JR_NSYS_STATS_AGAIN;
	return NULL;
}

const char *jr_foreign_name_hint(const char *name)
{
	static const struct {
		const char *suffix, *hint;
	} kinds_by_name[] = {
		{"perfetto_trace.json.gz", "is a copy of the trace for Chrome that jax.profiler writes "
								   "beside a .xplane.pb: name one "
								   "of these, or the copy by itself"},
		{".xplane.riegeli",
			"is a trace of jax.profiler in a container that is not read: leave "
			"enable_continuous_profiling out of ProfileOptions.advanced_configuration, and it "
			"writes a .xplane.pb"},
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
		{".csv", "is empty: most likely nsys stats failed when it wrote it; " JR_NSYS_STATS_AGAIN},
		{".xplane.pb",
			"is empty: most likely the program ended before stop_trace() had written it"},
		{".sqlite",
			"is empty: most likely nsys export failed when it wrote it; " JR_NSYS_EXPORT_AGAIN},
	};
	size_t n = strlen(name);
	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
		size_t suffix = strlen(writers[i].suffix);
		if (n >= suffix && strcmp(name + n - suffix, writers[i].suffix) == 0)
			return writers[i].hint;
	}
	return "is not a zip file: it is empty";
}
