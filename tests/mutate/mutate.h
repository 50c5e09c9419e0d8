/*
 * mutate.h - damage inputs in seeded ways, and hold what the program does with them against rules.
 *
 * A sample is a file of any kind that jaxreport reads. A seed chooses a sample, one to three kinds
 * of damage out of a table, what they touch, and the command that reads the result; so a seed that
 * failed once can be looked at again.
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
/** A number below n; 0 for n 0. */
uint64_t rng_below(struct rng *rng, uint64_t n);
bool rng_one_in(struct rng *rng, uint64_t n);
/** A number that breaks things: at the ends of types, negative, a power of two, small. */
int64_t rng_extreme(struct rng *rng);
/** A text that breaks things: numbers as above, no UTF-8, markup, long, empty. Into `out`. */
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

/** All members of a zip that has them whole; false: it is no zip. */
bool members_read(struct members *members, const char *path);
void members_copy(struct members *to, const struct members *from);
void members_done(struct members *members);
struct member *members_add(struct members *members, const char *name);
/** Append a zip of stored members, by whatever names they have. */
void members_write(const struct members *members, struct jr_buf *out);

/** Content of a member: of NAME.xz what is packed in it. */
void content_open(const struct member *m, struct jr_buf *out);
void content_close(struct member *m, const struct jr_buf *content);

/* --- damage ----------------------------------------------------------------------------------- */

/** Any bytes: flipped bits, cut, repeated, overwritten with extremes. */
void damage_bytes(struct rng *rng, struct jr_buf *bytes);
/** The records of a zip: counts, lengths, offsets, names. */
void damage_zip_records(struct rng *rng, struct jr_buf *zip);
/** Rows and cells of a CSV text. */
void damage_csv(struct rng *rng, struct jr_buf *text);
/** Values and nesting of a JSON text. */
void damage_json(struct rng *rng, struct jr_buf *text);
/** Columns and rows of a Parquet file, written anew; false: it could not be read. */
bool damage_parquet(struct rng *rng, struct jr_buf *file);
/** Tables of an SQLite database by SQL; false: it could not be changed. */
bool damage_sqlite(struct rng *rng, struct jr_buf *file);
/** One kind of damage to members and what they hold. @return its name */
const char *damage_members(struct rng *rng, struct members *members);
/** Damage the bytes of one HLO module. @return "hlo" */
const char *damage_hlo(struct rng *rng, struct members *members);

#endif
