/* Write one description of jaxreport to stdout. usage: describe 1|bash|zsh|fish TEMPLATE |
 * substvars | keys report INPUT... | keys compare BASE NEW... | keys trend STORE... */
#include "tools/describe_parts.h"

#include <stdio.h>
#include <string.h>

/* Check that the option accepts the words that completions offer for it. */
static void check_words(const struct jr_option *option, const char *words)
{
	struct jr_request request = {0};
	struct jr_error err = {0};
	char word[32];
	for (size_t n; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		snprintf(word, sizeof(word), "%.*s", (int)n, words);
		if (option->parse(&request, option, word, &err) != JR_OK)
			describe_fail(err.message, word);
	}
	if (option->parse(&request, option, "no such word", &err) == JR_OK)
		describe_fail("takes any word:", option->name);
}

static char *read_all(const char *path, struct jr_buf *buf)
{
	FILE *f = fopen(path, "r");
	if (!f)
		describe_fail("cannot open", path);
	char part[4096];
	for (size_t n; (n = fread(part, 1, sizeof(part), f)) > 0;)
		jr_buf_add(buf, part, n);
	fclose(f);
	return buf->data ? buf->data : (char *)"";
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	for (const struct jr_option *o = jr_option_table; o->name; o++)
		if (argument_of(o) && argument_of(o)->kind == ARGUMENT_WORDS)
			check_words(o, argument_of(o)->words);
	struct jr_buf out = {0}, page = {0};
	if (strcmp(what, "substvars") == 0)
		describe_substvars(&out);
	else if (strcmp(what, "keys") == 0 && argc > 3)
		describe_keys(&out, argv[2], argv + 3, argc - 3);
	else if (strcmp(what, "1") == 0 && argc == 3)
		describe_man(&out, read_all(argv[2], &page));
	else if (argc != 3 || !describe_shell(&out, what, read_all(argv[2], &page)))
		describe_fail("cannot write", what);
	bool written = fwrite(out.data, 1, out.size, stdout) == out.size && fflush(stdout) == 0;
	jr_buf_done(&out);
	jr_buf_done(&page);
	return written ? 0 : 1;
}
