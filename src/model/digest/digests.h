/*
 * digests.h - a digest: what a report keeps of the processes of one input, in one small file.
 * Layer: model.  The form: formats/README.md, section 12.  Written by model/inputs/digest_write.h.
 *
 * A digest holds what the readers of an input return, before any option of a report has an effect.
 * What comes after reading is the same code for both, so that their reports are equal.
 */
#ifndef JR_MODEL_DIGESTS_H
#define JR_MODEL_DIGESTS_H

#include "base/file.h"
#include "model/archive/metadata.h"
#include "model/archive/trace.h"
#include "model/compile/compile.h"

/* A file begins with JR_DIGEST_BEGIN, the version and a line feed. Parts follow: 8 bytes of size,
 * low bytes first, and .xz streams of that size. The first part is the head. Then there is one part
 * per rank, and one per text of a source file. */
#define JR_DIGEST_BEGIN "jaxreport-digest "
#define JR_DIGEST_VERSION 4

/* Text of a source file of the program, by the name of its member. */
enum jr_digest_text_state { JR_DIGEST_TEXT, JR_DIGEST_TEXT_TOO_LARGE, JR_DIGEST_TEXT_DAMAGED };
struct jr_digest_text {
	const char *name;
	uint8_t state; /* enum jr_digest_text_state */
};

/* An opened digest. Texts are in `arena`. */
struct jr_digest {
	struct jr_file_map map;
	struct jr_arena arena;
	const char *kind;    /* label of the input's kind: struct jr_input_ops */
	uint64_t size_bytes; /* of the input */
	size_t n_ranks, n_guesses, n_unread, n_texts, n_parts;
	const char **names; /* [n_ranks] of processes of a combined archive; "" = the file's name */
	struct jr_guess *guesses;
	struct jr_digest_unread {
		const char *name;
		uint8_t kind; /* enum jr_unread_kind */
		uint64_t n;
	} * unread;                   /* in the order of the archive */
	struct jr_digest_text *texts; /* by name; the text of row i is part 1 + n_ranks + i */
	struct jr_bytes *parts;       /* [n_parts] packed */
};

/**
 * Open a digest and read its head.
 *
 * @param digest  out, set only on JR_OK; jr_digest_close()
 * @return JR_EUNSUPPORTED another version; JR_EFORMAT not a digest, cut short or damaged; JR_ELIMIT
 *         too many parts, or a part that expands to more than the limits allow
 */
enum jr_status jr_digest_open(const char *path, const struct jr_limits *limits,
	struct jr_digest *digest, struct jr_error *err) JR_MUST_CHECK;
/** Close a digest; NULL-safe, a zeroed one is valid. */
void jr_digest_close(struct jr_digest *digest);
/** Return the text with the name of a member, or NULL. O(log texts) */
const struct jr_digest_text *jr_digest_find_text(const struct jr_digest *digest, const char *name);
/** Decompress a text. @return JR_EFORMAT, JR_ELIMIT as jr_xz_decode() */
enum jr_status jr_digest_read_text(const struct jr_digest *digest,
	const struct jr_digest_text *text, const struct jr_limits *limits, struct jr_buf *out,
	struct jr_error *err) JR_MUST_CHECK;

/* The HLO of a program, as bytes that the decoders of HLO read. */
struct jr_digest_program {
	int64_t number;
	bool is_text, is_found;
	struct jr_bytes hlo;
	struct jr_error error; /* why it cannot be read */
};

/* One process. The texts of the type of its source may be NULL: struct jr_source_type. */
struct jr_digest_rank {
	bool has_trace, has_host;
	int64_t pid; /* -1 = unknown */
	uint64_t bytes_read, identity;
	const char *no_compilation, *no_dumps, *nothing;
	struct jr_error trace_error, metadata_error, host_error;
	size_t n_programs;
	struct jr_digest_program *programs; /* by number; `hlo` borrows `bytes` */
	struct jr_bytes rows; /* what the kind of input keeps in its own form; borrows `bytes` */
	struct jr_buf bytes;
};

/**
 * Append a rank. The tables are written only if they were read.
 *
 * @param bits  what xz cannot make smaller; follows `out` where the rank is read
 */
void jr_digest_put_rank(const struct jr_digest_rank *rank, const struct jr_trace *trace,
	const struct jr_metadata *metadata, const struct jr_host_ranges *host, struct jr_buf *out,
	struct jr_buf *bits);
/**
 * Read a rank.
 *
 * @param rank      out; jr_digest_rank_done() also after a failure
 * @param metadata  initialized
 * @param trace, host  zeroed; set as their readers do if the rank has them
 * @param arena     for texts and programs
 * @return JR_EFORMAT, JR_ELIMIT
 */
enum jr_status jr_digest_read_rank(const struct jr_digest *digest, size_t row,
	const struct jr_limits *limits, struct jr_arena *arena, struct jr_digest_rank *rank,
	struct jr_trace *trace, struct jr_metadata *metadata, struct jr_host_ranges *host,
	struct jr_error *err) JR_MUST_CHECK;
/** Read a rank from rank->bytes, which are not compressed. Otherwise as jr_digest_read_rank(). */
enum jr_status jr_digest_expand_rank(const struct jr_limits *limits, struct jr_arena *arena,
	struct jr_digest_rank *rank, struct jr_trace *trace, struct jr_metadata *metadata,
	struct jr_host_ranges *host, struct jr_error *err) JR_MUST_CHECK;
/** Read a head that is not compressed into a digest whose parts are listed. For jr_digest_open().
 */
enum jr_status jr_digest_read_head(struct jr_bytes head, const struct jr_limits *limits,
	struct jr_digest *digest, struct jr_error *err) JR_MUST_CHECK;
void jr_digest_rank_done(struct jr_digest_rank *rank);

/* What the head states. */
struct jr_digest_head {
	const char *kind;
	uint64_t size_bytes;
	size_t n_ranks, n_texts;
	const char *const *names;
	const struct jr_digest_text *texts;
};
/** Append the head; `p` has the guesses and unread parts of the archive. */
void jr_digest_put_head(
	const struct jr_digest_head *head, const struct jr_profile *p, struct jr_buf *out);
/** Append the first line of a file. */
void jr_digest_put_begin(struct jr_buf *out);
/** Append a part: compress it. @param bits  the end of the part, which is stored; may be empty */
void jr_digest_put_part(struct jr_bytes part, struct jr_bytes bits, struct jr_buf *out);

#endif
