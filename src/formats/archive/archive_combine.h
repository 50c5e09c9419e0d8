/*
 * archive_combine.h - merge archives as nsys-jax-combine does: a plan of members, then the copying.
 * Layer: formats.  What goes where: formats/README.md, section 2.  Knows nothing of what the
 * members hold.
 */
#ifndef JR_FORMATS_ARCHIVE_COMBINE_H
#define JR_FORMATS_ARCHIVE_COMBINE_H

#include "base/arena.h"
#include "formats/archive/archive.h"

struct jr_outfile;

/* Which inputs' raw reports (*.nsys-rep) go along. */
enum jr_keep_reports { JR_KEEP_FIRST, JR_KEEP_ALL, JR_KEEP_NONE };

/*
 * One archive to merge. A combined archive counts as the archives that it was made from: what
 * stands once in it belongs to each of them, FOLDER/PART to the one of that name as FOLDER.
 */
struct jr_combine_input {
	struct jr_archive *archive;
	size_t n;                 /* processes in it, at least 1 */
	const char *const *names; /* [n] what each is to be called; no '/' in it */
	const char *const *parts; /* [n] what their files are called in its folders; NULL where the
							   * archive is not a combined one (n = 1) */
};

struct jr_combine_rules {
	enum jr_keep_reports keep;
	/* Members that each process has of its own: one that not all of them have becomes a folder
	 * even where all that there are agree, for nobody could tell whose it is. Ends with NULL. */
	const char *const *own;
	const struct jr_limits *limits;
};

/* A member of the output. */
struct jr_combine_item {
	const char *name;
	size_t input, member;
	uint32_t crc32;
};

struct jr_combine_plan {
	struct jr_arena arena;
	struct jr_combine_item *items; /* in the order in which they are written */
	size_t n;
	size_t n_shared, n_split; /* of them: stand once for several; one of several versions */
	uint64_t total_bytes;     /* packed */
};

/**
 * Decide what goes into the output. Processes in order, the members of each in the order of its
 * archive (of a directory: by name). A member that is the same (CRC-32 and size) in all processes
 * that have it stands once, where the first of them has it; one that differs becomes a folder of
 * its name with one file a process.
 *
 * Of *.nsys-rep members only those of the processes that rules->keep names count. In a combined
 * archive NAME.nsys-rep belongs to part NAME, any other to its first part.
 *
 * @param plan  jr_combine_plan_done() in any case
 * Beyond nsys-jax-combine, which asserts or drops in these cases: members that the first process
 * lacks are kept, members of rules->own are told apart, reports of archives that were renamed are
 * kept (as a folder where their names clash).
 *
 * @return JR_EIO a directory's file cannot be read (its checksum is needed); JR_EFORMAT two members
 *         would get one name; JR_ELIMIT more members than 40 times limits->members
 * @note O(members * processes of an archive) time, O(members) memory.
 */
enum jr_status jr_combine_plan(const struct jr_combine_input *inputs, size_t n,
	const struct jr_combine_rules *rules, struct jr_combine_plan *plan, struct jr_error *err)
	JR_MUST_CHECK;
void jr_combine_plan_done(struct jr_combine_plan *plan);

/**
 * Write the planned zip into a file that was begun; the caller commits it. Entries keep method,
 * times and attributes; packed bytes are copied as they are, after they were verified. The same
 * inputs give the same bytes.
 *
 * @param step  told of packed bytes done, now and then; may be NULL
 * @return what jr_archive_copy() and jr_outfile_write() return
 * @note Memory does not depend on the sizes of members.
 */
enum jr_status jr_combine_write(const struct jr_combine_plan *plan,
	const struct jr_combine_input *inputs, struct jr_outfile *file,
	void (*step)(void *context, uint64_t done_bytes, uint64_t total_bytes), void *context,
	struct jr_error *err) JR_MUST_CHECK;

#endif
