/*
 * embed.c - host tool: turn files into one C table { name, data, size }, sorted as given.
 * Outside the layer law; runs at build time only.  usage: embed OUT.c OUT.h FILE...
 */
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

static void write_bytes(FILE *out, const char *path)
{
	FILE *in = must_open(path, "rb");
	size_t column = 0;
	for (int c; (c = getc(in)) != EOF; column++)
		fprintf(out, "%d,%s", c, column % 24 == 23 ? "\n" : "");
	fprintf(out, "0};\n");
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
		write_bytes(c, argv[i]);
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
