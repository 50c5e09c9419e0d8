/*
 * mutate.h - damage inputs by seed, and check the program's behavior on them against rules.
 *
 * A sample is a file of any kind that jaxreport reads. A seed chooses a sample, one to three kinds
 * of damage from a table, their targets, and the command that reads the result; so a failed seed
 * can be reproduced.
 */
#ifndef MUTATE_H
#define MUTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"

/* --- chance ----------------------------------------------------------------------------------- */

struct rng {
	uint64_t state;
};

uint64_t rng_next(struct rng *rng);
/** Return a number below n; 0 for n 0. */
uint64_t rng_below(struct rng *rng, uint64_t n);
bool rng_one_in(struct rng *rng, uint64_t n);
/** Return a number likely to break code: at the ends of types, negative, a power of two, small. */
int64_t rng_extreme(struct rng *rng);
/** Write a text likely to break code to `out`: such numbers, not UTF-8, markup, long, empty. */
void rng_text(struct rng *rng, struct jr_buf *out);

/* --- zip files -------------------------------------------------------------------------------- */

struct member {
	char *name;
	struct jr_buf data; /* unpacked */
	bool link;          /* marked as a symbolic link */
};

struct members {
	JR_VEC(struct member) list;
};

/** Read all members of an intact zip; false: it is not a zip. */
bool members_read(struct members *members, const char *path);
void members_copy(struct members *to, const struct members *from);
void members_done(struct members *members);
struct member *members_add(struct members *members, const char *name);
/** Append a zip of stored members, with any names. */
void members_write(const struct members *members, struct jr_buf *out);

/** Get the content of a member, decompressed for NAME.xz. */
void content_open(const struct member *m, struct jr_buf *out);
void content_close(struct member *m, const struct jr_buf *content);

/* --- damage ----------------------------------------------------------------------------------- */

/** Damage any bytes: flipped bits, cut, repeated, overwritten with extremes. */
void damage_bytes(struct rng *rng, struct jr_buf *bytes);
/** Damage the records of a zip: counts, lengths, offsets, names. */
void damage_zip_records(struct rng *rng, struct jr_buf *zip);
/** Damage rows and cells of a CSV text. */
void damage_csv(struct rng *rng, struct jr_buf *text);
/** Damage instructions, names and numbers of an HLO text. */
void damage_hlo_text(struct rng *rng, struct jr_buf *text);
/** Damage values and nesting of a JSON text. */
void damage_json(struct rng *rng, struct jr_buf *text);
/** Damage columns and rows of a Parquet file and write it again; false: it could not be read. */
bool damage_parquet(struct rng *rng, struct jr_buf *file);
/** Damage tables of an SQLite database by SQL; false: it could not be changed. */
bool damage_sqlite(struct rng *rng, struct jr_buf *file);
/** Damage bytes of the unpacked parts of a digest; false: it could not be read. */
bool damage_digest(struct rng *rng, struct jr_buf *file);
/** Apply one kind of damage to members and their contents. @return its name */
const char *damage_members(struct rng *rng, struct members *members);
/** Damage the bytes of one HLO module. @return "hlo" */
const char *damage_hlo(struct rng *rng, struct members *members);

#endif
