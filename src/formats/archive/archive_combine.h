/*
 * archive_combine.h - merge archives as nsys-jax-combine does: a plan of members, then the copying.
 * Layer: formats.  Rules: formats/README.md, section 2.  Independent of the members' contents.
 */
#ifndef JR_FORMATS_ARCHIVE_COMBINE_H
#define JR_FORMATS_ARCHIVE_COMBINE_H

#include "base/arena.h"

struct jr_outfile;

/* Inputs whose raw reports (*.nsys-rep) are kept. */
enum jr_keep_reports { JR_KEEP_FIRST, JR_KEEP_ALL, JR_KEEP_NONE };

/*
 * One archive to merge. A combined archive counts as the archives it was made from: a single member
 * belongs to each of them, and FOLDER/PART is the member FOLDER of the archive PART.
 */
struct jr_combine_input {
	struct jr_archive *archive;
	size_t n;                 /* number of processes, at least 1 */
	const char *const *names; /* [n] names of the processes, without '/' */
	const char *const *parts; /* [n] names of their files in its folders; NULL if the archive is not
							   * a combined one (n = 1) */
};

struct jr_combine_rules {
	enum jr_keep_reports keep;
	/* Members that are specific to a process. If not all processes have one, it becomes a folder
	 * even if all versions agree: otherwise its process would be unknown. Ends with NULL. */
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
	struct jr_combine_item *items; /* in writing order */
	size_t n;
	size_t n_shared, n_split; /* kept once for several processes; in several versions */
	uint64_t total_bytes;     /* compressed */
};

/**
 * Decide the content of the output. Processes are in order, and the members of each in the order of
 * its archive (of a directory: by name). A member that is equal (CRC-32 and size) in all processes
 * that have it is written once, where the first of them has it. A member that differs becomes a
 * folder of its name with one file per process.
 *
 * Only *.nsys-rep members of the processes in rules->keep count. In a combined archive
 * NAME.nsys-rep belongs to part NAME, any other to its first part.
 *
 * nsys-jax-combine asserts or drops in some cases that are supported here: members that the first
 * process lacks are kept, members of rules->own are distinguished, and reports of renamed archives
 * are kept (as a folder if their names clash).
 *
 * @param plan  free it with jr_combine_plan_done() in any case
 * @return JR_EIO a directory's file cannot be read (its checksum is needed); JR_EFORMAT two members
 *         would get the same name; JR_ELIMIT more members than 40 times limits->members
 * @note O(members * processes of an archive) time, O(members) memory.
 */
enum jr_status jr_combine_plan(const struct jr_combine_input *inputs, size_t n,
	const struct jr_combine_rules *rules, struct jr_combine_plan *plan, struct jr_error *err)
	JR_MUST_CHECK;
void jr_combine_plan_done(struct jr_combine_plan *plan);

/**
 * Write the planned zip into an open output file; the caller commits it. Entries keep method, times
 * and attributes; compressed bytes are copied unchanged after verification. Equal inputs give equal
 * bytes.
 *
 * @param step  called now and then with the compressed bytes done; may be NULL
 * @return errors of jr_archive_copy() and jr_outfile_write()
 * @note Memory does not depend on the sizes of members.
 */
enum jr_status jr_combine_write(const struct jr_combine_plan *plan,
	const struct jr_combine_input *inputs, struct jr_outfile *file,
	void (*step)(void *context, uint64_t done_bytes, uint64_t total_bytes), void *context,
	struct jr_error *err) JR_MUST_CHECK;

#endif
