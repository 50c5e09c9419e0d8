/*
 * plant.h - hostile text in the fields of generated input: which text, in which field
 * (fields.def), of which kind.
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
	const char *name, *text; /* NULs written as GEN_NUL */
	unsigned more;           /* number of repetitions */
};

/** Find a kind by name; NULL if it does not exist. */
const struct gen_plant *gen_plant_find(const char *name);
const struct gen_planted *gen_planted_find(const char *name);
/** Print the fields for tests: name, flags as words, where; separated by tabs. */
void gen_list_fields(void);

/** Return `base` with hostile text added: with --plant the chosen kind, with --hostile-names a text
 * that tries to break out of any output. It has no '#' or ',', which names in a range cannot
 * contain. */
const char *gen_hostile(struct gen_scenario *sc, enum gen_field field, const char *base);
/** The same with those characters, for free text; NULs written as GEN_NUL. */
const char *gen_hostile_text(struct gen_scenario *sc, enum gen_field field, const char *base);
/** The same without --hostile-names; NULL if `base` is NULL and nothing is planted. */
const char *gen_planted(struct gen_scenario *sc, enum gen_field field, const char *base);

/* Stands for a NUL, which C strings cannot contain. Planted text has it around a word, so that it
 * differs from a byte of a number where lengths are unknown. */
#define GEN_NUL '\x01'
#define GEN_NULS "\x01NUL\x01"

/** Replace each GEN_NUL by a NUL. */
void gen_put_nuls(char *s, size_t n);
/** The same for GEN_NULS only, in data with arbitrary other bytes. */
void gen_put_planted_nuls(char *s, size_t n);
/** Return the text with its NULs, in the scenario's arena if it has any. */
struct jr_bytes gen_bytes(struct gen_scenario *sc, const char *s);

#endif
