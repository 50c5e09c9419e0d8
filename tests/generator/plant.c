#include "plant.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "scenario.h"

#define GEN_FIELD(id, name, flags, where) [GEN_FIELD_##id] = {name, flags, where},
static const struct gen_planted fields[] = {
#include "fields.def"
};
#undef GEN_FIELD

/* Without '#', ',' and ';', which end the texts they are in (fields.def). The expected form of each
 * is in tests/hostile/planted.json. */
static const struct gen_plant plants[] = {
	/* elements, in text and in script */
	{"script",
		"<img src=x onerror=alert(1)><svg onload=alert(2)>]]>--></script>"
		"<script>alert(3)</script>",
		0},
	/* break out of attributes, strings, templates, Markdown, shells, formats */
	{"quotes",
		"\" onmouseover=\"alert(4)\" ' onfocus='alert(5)' `alert(6)`\\\"&quot&lt${x}{{y}}"
		" *_~|%s%n$(id)](x)@you",
		0},
	/* letters that run from right to left stay; overrides, isolates and marks do not */
	{"rtl",
		"\xd7\x90\xd7\x91\xe2\x80\xae"
		"abc\xe2\x81\xa6"
		"def\xe2\x80\x8fz",
		0},
	/* NUL and terminal control sequences */
	{"control", GEN_NULS "\x1b[31mred\x1b[2J\r\n\t\b\x7fz", 0},
	/* a lone byte, a cut sequence, a surrogate, beyond Unicode, CSI as C1, an overlong '/' */
	{"utf8", "\xff\xc3(\xed\xa0\x80\xf4\x90\x80\x80\xc2\x9b\xc0\xafz", 0},
	/* 10 kB; every other cut between bytes falls inside a letter */
	{"long", "<i>l\xc3\xb6ng&lt", 999},
};

const struct gen_plant *gen_plant_find(const char *name)
{
	for (size_t i = 0; i < JR_COUNT_OF(plants); i++)
		if (strcmp(plants[i].name, name) == 0)
			return &plants[i];
	return NULL;
}

const struct gen_planted *gen_planted_find(const char *name)
{
	for (size_t i = 0; i < JR_COUNT_OF(fields); i++)
		if (strcmp(fields[i].name, name) == 0)
			return &fields[i];
	return NULL;
}

void gen_list_fields(void)
{
	static const struct {
		unsigned flag;
		const char *word;
	} words[] = {{GEN_SPLIT, "split"}, {GEN_STRUCTURE, "structure"}, {GEN_HIDDEN, "hidden"},
		{GEN_EXPORT, "export"}, {GEN_DATA, "data"}};
	for (size_t i = 0; i < JR_COUNT_OF(fields); i++) {
		printf("%s\t", fields[i].name);
		for (size_t k = 0; k < JR_COUNT_OF(words); k++)
			if (fields[i].flags & words[k].flag)
				printf("%s ", words[k].word);
		printf("\t%s\n", fields[i].where);
	}
}

const char *gen_planted(struct gen_scenario *sc, enum gen_field field, const char *base)
{
	const struct gen_planted *f = &fields[field];
	const struct gen_plant *plant = sc->options.plant;
	if (!plant ||
		(sc->options.planted_field ? sc->options.planted_field != f : f->flags & GEN_STRUCTURE))
		return base;
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_printf(&text, "%szq%s", base ? base : "", f->name);
	for (unsigned i = 0; i <= plant->more; i++)
		for (const char *s = plant->text; *s; s++)
			if (!(f->flags & GEN_SPLIT && strchr("/=\\", *s)))
				jr_buf_putc(&text, *s);
	return jr_arena_strndup(&sc->arena, text.data, text.size);
}

const char *gen_hostile(struct gen_scenario *sc, enum gen_field field, const char *base)
{
	if (!sc->options.hostile_names)
		return gen_planted(sc, field, base);
	/* markup, both quotes, a right-to-left override, an incomplete UTF-8 sequence, a C1 control */
	static const char hostile[] = "<script>alert(1)</script>\"'`&amp;\xe2\x80\xae"
								  "cba\xff\xc3(\xc2\x9b";
	static const char image[] = "<img src=x onerror=alert(1)>";
	if (!sc->options.long_names)
		return gen_text(sc, "%s%s", base, hostile);
	char filler[10000];
	for (size_t i = 0; i < sizeof(filler); i++)
		filler[i] = image[i % (sizeof(image) - 1)];
	return gen_text(sc, "%s%s%.*s", base, hostile, (int)sizeof(filler), filler);
}

const char *gen_hostile_text(struct gen_scenario *sc, enum gen_field field, const char *base)
{
	if (!sc->options.hostile_names)
		return gen_planted(sc, field, base);
	/* a parser that does not take the last hlo_op= reads the wrong one */
	return gen_text(
		sc, "%s%c,hlo_op=evil#,\n%s]]>${x}{{y}}", base, GEN_NUL, gen_hostile(sc, field, "--"));
}

void gen_put_nuls(char *s, size_t n)
{
	for (char *at = s; (at = memchr(at, GEN_NUL, (size_t)(s + n - at))); at++)
		*at = 0;
}

void gen_put_planted_nuls(char *s, size_t n)
{
	size_t size = sizeof(GEN_NULS) - 1;
	for (char *at = s; (at = memmem(at, (size_t)(s + n - at), GEN_NULS, size)); at += size)
		gen_put_nuls(at, size);
}

struct jr_bytes gen_bytes(struct gen_scenario *sc, const char *s)
{
	size_t n = strlen(s);
	if (!memchr(s, GEN_NUL, n))
		return jr_bytes_of(s, n);
	char *copy = jr_arena_strndup(&sc->arena, s, n);
	gen_put_nuls(copy, n);
	return jr_bytes_of(copy, n);
}
