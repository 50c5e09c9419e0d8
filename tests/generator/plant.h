/*
 * plant.h - hostile text in the fields of what is generated: which, where (fields.def), of what
 * kind.
 */
#ifndef GEN_PLANT_H
#define GEN_PLANT_H

#include "base/buf.h"

struct gen_scenario;

#define GEN_FIELD(id, name, flags, where) GEN_FIELD_##id,
enum gen_field {
#include "fields.def"
	GEN_N_FIELDS
};
#undef GEN_FIELD

/* Flags of a field; fields.def says what they mean. */
enum { GEN_SPLIT = 1, GEN_STRUCTURE = 2, GEN_HIDDEN = 4, GEN_EXPORT = 8, GEN_DATA = 16 };

struct gen_planted {
	const char *name;
	unsigned flags;
	const char *where;
};

/* A kind of hostile text. */
struct gen_plant {
	const char *name, *text; /* NULs in it as GEN_NUL */
	unsigned more;           /* times that it is repeated */
};

/** NULL where there is none of that name. */
const struct gen_plant *gen_plant_find(const char *name);
const struct gen_planted *gen_planted_find(const char *name);
/** Print the fields for tests: name, flags as words, where; separated by tabs. */
void gen_list_fields(void);

/** `base`; with --plant hostile text of that kind behind it; with --hostile-names something that
 * begins so and tries to break out of any output. Without '#', ',', which names in a range cannot
 * hold. */
const char *gen_hostile(struct gen_scenario *sc, enum gen_field field, const char *base);
/** The same with all of those, for free text; NULs as GEN_NUL. */
const char *gen_hostile_text(struct gen_scenario *sc, enum gen_field field, const char *base);
/** `base`, which --hostile-names leaves as it is; NULL where it is NULL and nothing is planted. */
const char *gen_planted(struct gen_scenario *sc, enum gen_field field, const char *base);

/* Stands for a NUL, which C strings cannot hold. What is planted has it around a word, so that it
 * can be told from a byte of a number where no lengths are at hand. */
#define GEN_NUL '\x01'
#define GEN_NULS "\x01NUL\x01"

/** Put the NULs in. */
void gen_put_nuls(char *s, size_t n);
/** The same where only GEN_NULS stand for some, the rest being anything. */
void gen_put_planted_nuls(char *s, size_t n);
/** The text with its NULs, in the scenario's arena where it has any. */
struct jr_bytes gen_bytes(struct gen_scenario *sc, const char *s);

#endif
