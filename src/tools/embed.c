/*
 * embed.c - host tool: turn files into one C table { name, data, size }, in the given order.
 * Style sheets and scripts are part of every page, so their comments and indents are left out. Only
 * whole lines of comments are, so that the rest of a line needs no parser. In style sheets, whose
 * lines have few forms, also the blanks before values and blocks and the ends of lines are left
 * out.
 * Outside the layer law; runs at build time only.  usage: embed OUT.c OUT.h FILE...
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *must_open(const char *path, const char *mode)
{
	FILE *f = fopen(path, mode);
	if (!f) {
		perror(path);
		exit(1);
	}
	return f;
}

static void write_bytes(FILE *out, const char *bytes, size_t n, size_t *column)
{
	for (size_t i = 0; i < n; i++, ++*column)
		fprintf(out, "%d,%s", (unsigned char)bytes[i], *column % 24 == 23 ? "\n" : "");
}

/* State for reading a style sheet or a script line by line. */
struct slimmer {
	const char *path;
	unsigned line;
	bool comment; /* begun at the start of a line, not ended */
	bool literal; /* inside backticks, in a "${" that continues: only there blanks do not matter */
};

static void refuse(const struct slimmer *in, const char *why)
{
	fprintf(stderr, "%s:%u: %s\n", in->path, in->line, why);
	exit(1);
}

static void watch_literals(struct slimmer *in, const char *line, size_t n)
{
	bool odd = false;
	for (size_t i = 0; i < n; i++)
		odd ^= line[i] == '`';
	if (odd && !in->literal && (n < 2 || strncmp(line + n - 2, "${", 2) != 0))
		refuse(in, "a literal with a line break in it, or a backtick that is to be \\x60");
	in->literal ^= odd;
}

/* Return where the kept part of `line` begins; *n: its length before, then after, 0 if none. */
static char *slim(struct slimmer *in, char *line, size_t *n)
{
	size_t blanks = strspn(line, " \t");
	line += blanks;
	*n -= blanks;
	if (!in->comment && strncmp(line, "//", 2) == 0)
		*n = 0;
	if (in->comment || strncmp(line, "/*", 2) == 0) {
		const char *end = strstr(line, "*/");
		in->comment = !end;
		if (end && end + 2 != line + *n)
			refuse(in, "something behind a comment that begins a line");
		*n = 0;
	}
	watch_literals(in, line, *n);
	return line;
}

/* Shorten a line of a style sheet: "name: value;", "selector," or "selector {", "}". Others stay as
 * they are. Returns its new length; *ends: no line break is needed after it. */
static size_t slim_style(char *line, size_t n, bool *ends)
{
	char last = n ? line[n - 1] : '\0';
	*ends = last && strchr(",;{}", last);
	if (last == ';') {
		char *colon = strstr(line, ": ");
		size_t name = colon ? (size_t)(colon - line) : 0;
		if (name && strspn(line, "abcdefghijklmnopqrstuvwxyz-") == name) {
			memmove(colon + 1, colon + 2, n - name - 1);
			n--;
		}
	} else if (last == '{' && n > 1 && line[n - 2] == ' ') {
		line[--n - 1] = '{';
	}
	return n;
}

/* Write the bytes of a file, unchanged or shortened, and a NUL. */
static void write_file(FILE *out, const char *path)
{
	FILE *in = must_open(path, "rb");
	const char *dot = strrchr(path, '.');
	bool style = dot && strcmp(dot, ".css") == 0;
	bool slims = style || (dot && strcmp(dot, ".js") == 0);
	struct slimmer state = {.path = path};
	char *line = NULL;
	size_t room = 0, column = 0;
	for (ssize_t got; (got = getline(&line, &room, in)) > 0;) {
		char *from = line;
		size_t n = (size_t)got;
		bool ends = false;
		state.line++;
		if (slims) {
			n -= line[n - 1] == '\n';
			line[n] = '\0';
			from = slim(&state, line, &n);
		}
		if (style)
			n = slim_style(from, n, &ends);
		write_bytes(out, from, n, &column);
		if (slims && n && !ends)
			write_bytes(out, "\n", 1, &column);
	}
	if (state.comment || state.literal)
		refuse(&state, "it ends within a comment or a literal");
	fprintf(out, "0};\n");
	free(line);
	fclose(in);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: embed OUT.c OUT.h FILE...\n");
		return 2;
	}
	FILE *h = must_open(argv[2], "w");
	fprintf(h,
		"#ifndef JR_ASSETS_H\n#define JR_ASSETS_H\n#include <stddef.h>\n"
		"struct jr_asset {\n\tconst char *name; /* file name without folder */\n"
		"\tconst unsigned char *data; /* size bytes and a NUL behind */\n"
		"\tsize_t size;\n};\n"
		"extern const struct jr_asset jr_assets[];\nextern const size_t jr_n_assets;\n#endif\n");
	fclose(h);
	FILE *c = must_open(argv[1], "w");
	fprintf(c, "#include \"assets.h\"\n");
	for (int i = 3; i < argc; i++) {
		fprintf(c, "static const unsigned char asset_%d[] = {\n", i);
		write_file(c, argv[i]);
	}
	fprintf(c, "const struct jr_asset jr_assets[] = {\n");
	for (int i = 3; i < argc; i++) {
		const char *slash = strrchr(argv[i], '/');
		fprintf(
			c, "\t{\"%s\", asset_%d, sizeof(asset_%d) - 1},\n", slash ? slash + 1 : argv[i], i, i);
	}
	fprintf(c, "\t{0, 0, 0}};\nconst size_t jr_n_assets = %d;\n", argc - 3);
	fclose(c);
	return 0;
}
