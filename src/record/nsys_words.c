#include "record/nsys_words.h"

#include <string.h>

#include "base/cleanup.h"

/* Short names of the options used here; nsys has had them since 2022. */
static const struct {
	char letter;
	const char *name;
} SHORT[] = {
	{'t', "--trace"},
	{'c', "--capture-range"},
	{'s', "--sample"},
	{'d', "--duration"},
	{'y', "--delay"},
	{'o', "--output"},
	{'f', "--force-overwrite"},
	{'x', "--stop-on-exit"},
	{'w', "--show-output"},
	{'n', "--inherit-environment"},
	{'e', "--env-var"},
	{'p', "--nvtx-capture"},
	{'b', "--backtrace"},
};

/* Traced by default, as far as the installed version knows them. "cusolver" came after 2023.4. */
static const char *const TRACED[] = {"cuda", "nvtx", "cublas", "cudnn", "cusolver"};

/* Tables of an export that reports read; the whole name has to match (basic regular expressions).
 */
#define TABLES                                                                                     \
	"StringIds,NVTX_EVENTS,CUPTI_ACTIVITY_KIND_.*,TARGET_INFO_.*,ThreadNames,PROCESSES,"           \
	"META_DATA_.*,EXPORT_META_DATA,ANALYSIS_DETAILS,PROFILER_OVERHEAD,DIAGNOSTIC_EVENT"

/* If a line of help begins with "-t, --trace=" or "--trace=<list>", the text after the option's
 * name; else NULL. */
static const char *line_of(const char *line, const char *option)
{
	line += strspn(line, " \t");
	size_t n = strlen(option);
	if (line[0] == '-' && line[1] != '-' && line[1] && line[2] == ',' && option[1] == '-')
		line += 3 + strspn(line + 3, " ");
	if (strncmp(line, option, n) != 0 || !strchr("=, [\t\r\n", line[n]))
		return NULL;
	return line + n;
}

static const char *find(const char *help, const char *option)
{
	for (const char *line = help; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		const char *behind = line_of(line, option);
		if (behind)
			return behind;
	}
	return NULL;
}

bool jr_nsys_knows(const char *help, const char *option)
{
	return find(help, option) != NULL;
}

bool jr_nsys_lists(const char *help, const char *option, const char *value)
{
	const char *s = find(help, option);
	size_t n = strlen(value);
	for (s = s ? strchr(s, '\n') : NULL; s; s = strchr(s, '\n')) {
		s++;
		const char *line = s + strspn(s, " \t");
		size_t length = strcspn(line, "\n");
		if (line[0] == '-')
			return false; /* the next option */
		for (const char *q = line; (q = memchr(q, '\'', length - (size_t)(q - line))) != NULL; q++)
			if ((size_t)(line + length - q) > n + 1 && memcmp(q + 1, value, n) == 0 &&
				q[n + 1] == '\'')
				return true;
	}
	return false;
}

/* "--trace" of "--trace=cuda", "-t=cuda", "-tcuda", "-t". */
static const char *long_name(const char *word, struct jr_arena *arena)
{
	if (word[1] == '-')
		return jr_arena_strndup(arena, word, strcspn(word, "="));
	for (size_t i = 0; i < JR_COUNT_OF(SHORT); i++)
		if (word[1] == SHORT[i].letter)
			return SHORT[i].name;
	return jr_arena_strndup(arena, word, 2);
}

/* The value in `word` if it is the option `name`, else NULL. */
static const char *value_of(const char *word, const char *name)
{
	size_t n = strlen(name);
	if (strncmp(word, name, n) == 0 && (!word[n] || word[n] == '='))
		return word + n + (word[n] == '=');
	if (word[0] != '-' || word[1] == '-')
		return NULL;
	for (size_t i = 0; i < JR_COUNT_OF(SHORT); i++)
		if (word[1] == SHORT[i].letter && strcmp(SHORT[i].name, name) == 0)
			return word + 2 + (word[2] == '=');
	return NULL;
}

const char *jr_nsys_given(const struct jr_nsys_wish *wish, const char *option)
{
	const char *value = NULL;
	for (size_t i = 0; i < wish->options.n && !value; i++)
		value = value_of(wish->options.items[i], option);
	return value;
}

static enum jr_status check_given(
	const struct jr_nsys_wish *wish, const char *help, struct jr_arena *arena, struct jr_error *err)
{
	for (size_t i = 0; i < wish->options.n; i++) {
		const char *word = wish->options.items[i];
		if (word[0] != '-' || !word[1])
			return jr_fail(
				err, JR_EUSAGE, "'%s' is not an option of nsys. Options begin with '-'.", word);
		const char *name = long_name(word, arena);
		if (strcmp(name, "--output") == 0 || strcmp(name, "--force-overwrite") == 0)
			return jr_fail(err, JR_EUSAGE,
				"%s of nsys is set by jaxreport. Use -o for the archive, and --keep-rep to keep "
				"the report of nsys.",
				name);
		if (!jr_nsys_knows(help, name))
			return jr_fail(err, JR_EUNSUPPORTED,
				"nsys does not support '%s'. '%s profile --help' lists its options.", name,
				wish->nsys);
		for (size_t j = 0; j < i; j++)
			if (strcmp(long_name(wish->options.items[j], arena), name) == 0)
				return jr_fail(
					err, JR_EUSAGE, "%s of nsys is given twice, which nsys does not allow", name);
	}
	return JR_OK;
}

static const char *traced(const char *help, struct jr_arena *arena)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf list = {0};
	for (size_t i = 0; i < JR_COUNT_OF(TRACED); i++)
		if (jr_nsys_lists(help, "--trace", TRACED[i]))
			jr_buf_printf(&list, "%s%s", list.size ? "," : "", TRACED[i]);
	return list.size ? jr_arena_printf(arena, "--trace=%s", list.data) : "--trace=cuda,nvtx";
}

enum jr_status jr_nsys_profile_words(const struct jr_nsys_wish *wish, const char *help,
	struct jr_arena *arena, jr_words *out, struct jr_error *err)
{
	JR_TRY(check_given(wish, help, arena, err));
	*jr_vec_add(out) = wish->nsys;
	*jr_vec_add(out) = "profile";
	*jr_vec_add(out) = jr_arena_printf(arena, "--output=%s", wish->output);
	*jr_vec_add(out) = "--force-overwrite=true";
	if (!jr_nsys_given(wish, "--trace"))
		*jr_vec_add(out) = traced(help, arena);
	static const struct {
		const char *name, *value;
	} ours[] = {{"--cuda-graph-trace", "node"}, {"--sample", "none"}, {"--cpuctxsw", "none"}};
	for (size_t i = 0; i < JR_COUNT_OF(ours); i++)
		if (!jr_nsys_given(wish, ours[i].name) && jr_nsys_knows(help, ours[i].name))
			*jr_vec_add(out) = jr_arena_printf(arena, "%s=%s", ours[i].name, ours[i].value);
	if (jr_nsys_given(wish, "--capture-range") && !jr_nsys_given(wish, "--capture-range-end") &&
		jr_nsys_knows(help, "--capture-range-end"))
		*jr_vec_add(out) = "--capture-range-end=stop";
	for (size_t i = 0; i < wish->options.n; i++)
		*jr_vec_add(out) = wish->options.items[i];
	for (size_t i = 0; i < wish->n_program; i++)
		*jr_vec_add(out) = wish->program[i];
	return JR_OK;
}

void jr_nsys_export_words(const char *nsys, const char *help, const char *report,
	const char *sqlite, struct jr_arena *arena, jr_words *out)
{
	const char *const words[] = {
		nsys, "export", "--type=sqlite", "--quiet=true", "--force-overwrite=true"};
	for (size_t i = 0; i < JR_COUNT_OF(words); i++)
		*jr_vec_add(out) = words[i];
	if (jr_nsys_knows(help, "--tables"))
		*jr_vec_add(out) = "--tables=" TABLES;
	*jr_vec_add(out) = jr_arena_printf(arena, "--output=%s", sqlite);
	*jr_vec_add(out) = report;
}

void jr_put_shell_word(struct jr_buf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
								"_-./+=:@%,";
	if (*word && strspn(word, plain) == strlen(word)) {
		jr_buf_puts(out, word);
		return;
	}
	jr_buf_putc(out, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			jr_buf_puts(out, "'\\''");
		else
			jr_buf_putc(out, *word);
	}
	jr_buf_putc(out, '\'');
}
