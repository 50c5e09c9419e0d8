/*
 * source.h - one process inside an input, and what was read of it.
 * Layer: model, private to loading.  Member names: formats/README.md, sections 1 and 2.
 *
 * Where it is read from differs by the kind of input; what comes out does not. Kinds, and the types
 * of source that they have: model/kinds.
 */
#ifndef JR_MODEL_SOURCE_H
#define JR_MODEL_SOURCE_H

#include "formats/archive/archive.h"
#include "formats/hlo/hlo.h"
#include "model/compile/compile.h"
#include "model/archive/metadata.h"
#include "model/archive/trace.h"

#define JR_MEMBER_TRACE "nvtx_gpu_proj_trace/trace.parquet"
#define JR_MEMBER_THREADS "thread-metadata.parquet"
#define JR_MEMBER_DEVICES "device-metadata.parquet"
#define JR_MEMBER_SYSTEM "system-metadata.parquet"
#define JR_MEMBER_HOST_CSV "report_nvtx_pushpop_trace.csv.xz"
#define JR_MEMBER_HOST_PARQUET "report_nvtx_pushpop_trace.parquet"

/* The HLO dump of one program that the trace names. */
struct jr_dump {
	int64_t number;
	const char *module; /* in the source's arena */
	struct jr_archive *archive;
	size_t member;         /* SIZE_MAX = there is none */
	struct jr_bytes proto; /* where the input holds it itself, not as a member; else empty */
	struct jr_hlo *hlo;    /* owned; NULL until decoded, and where that failed */
	struct jr_error error;
};

struct jr_build;
struct jr_export;
struct jr_source;
struct jr_thread_devices;

/*
 * A type of source: what of it differs from other types. Failures are kept in the source. Methods
 * are called in this order, those of stage 1 and 2 on any thread, the others by one, source by
 * source.
 */
struct jr_source_type {
	/* stage 1: metadata and trace, if it has one */
	void (*read_trace)(struct jr_source *s);
	/* whether it tells of its devices: else XLA's dump is looked into for what it compiled for */
	bool (*knows_devices)(const struct jr_source *s);
	/* a program's HLO that the input itself holds; NULL: none does */
	bool (*find_program)(struct jr_source *s, int64_t number, struct jr_bytes *proto);
	/* ... or the member of its archive, or of `beside`, that holds just that one; SIZE_MAX: there
	 * is none */
	size_t (*find_beside)(const struct jr_source *s, int64_t number, const char *module);
	/* stage 2: compile ranges, if it has any */
	void (*read_host)(struct jr_source *s);
	/* what tells its profile from others, of equal ones the same; 0: not known */
	uint64_t (*identity)(const struct jr_source *s, const struct jr_input *input);
	/* merging: its devices, ahead of all that ran on them; NULL: thread_devices() adds them */
	void (*add_devices)(struct jr_source *s, struct jr_build *build, uint32_t process);
	/* which device each of its threads drives; only where it has a trace */
	void (*thread_devices)(struct jr_source *s, struct jr_build *build, uint32_t process,
		struct jr_thread_devices *out);
	/* what it has besides executions and compile ranges; NULL: nothing. Called last. */
	void (*hand_over)(struct jr_source *s, struct jr_build *build);
	/* what of it is not the source's own; NULL: nothing */
	void (*done)(struct jr_source *s);
	unsigned tells; /* enum jr_tells, or'ed: what sources of it begin with */
	bool whole; /* where one process of an input cannot be read, the others are not reported on */
	bool no_numbers; /* of programs: those in the report are made up, and dumps are found by name */
	bool is_searched; /* its archive may have a profile elsewhere: where it holds neither, list what
					   * was looked for, and what else is in it */
	const char *nothing; /* what to say where it holds neither, the input's name goes ahead; NULL:
						  * what was said when it was read */
	const char *no_compilation; /* why there are no compile ranges; NULL: nobody would miss them */
	const char *no_dumps; /* what to do where no folder of dumps is named; NULL: it has its own */
};

struct jr_source {
	const struct jr_source_type *type;
	uint32_t input;
	const char *name;           /* of the process: file name without .zip */
	const char *subname;        /* name of its files in a combined archive's folders; NULL */
	struct jr_archive *archive; /* NULL: the source is no archive */
	struct jr_archive *beside;  /* HLO in the folder that its file lies in; owned by it; NULL */
	struct jr_archive *dumps;   /* --xla-dump: asked for what the archive does not have; NULL */
	const char *path;           /* of a file by itself; NULL */
	struct jr_export *export;   /* its timeline; NULL: none, or it cannot be read */
	void *own;                  /* of its type, freed by type->done(); NULL */
	size_t part;
	const struct jr_limits *limits;
	size_t host_member;               /* SIZE_MAX = there is none */
	uint64_t trace_bytes, host_bytes; /* about what reading the trace, or compile ranges, costs */
	unsigned tells;                   /* enum jr_tells, or'ed */
	bool has_trace, has_host;
	int64_t pid;           /* -1 = unknown */
	int64_t start_unix_ns; /* what time 0 was; 0 = unknown */
	struct jr_trace trace;
	struct jr_metadata metadata;
	struct jr_host_ranges host;
	struct jr_dump *programs; /* by number, distinct */
	size_t n_programs;
	struct jr_error trace_error, metadata_error, host_error; /* status JR_OK = none */
	uint64_t bytes_read;                                     /* decompressed, so far */
	struct jr_arena arena;
};

/** Frees all that was read; archives and exports stay open. NULL-safe. */
void jr_source_done(struct jr_source *s);

/** Stage 1: metadata and trace; then the list of dumps, their members looked up. */
void jr_source_read_trace(struct jr_source *s);
/** Stage 2, in any order and on any threads: compile ranges, one dump. */
void jr_source_read_host(struct jr_source *s);
void jr_source_read_dump(struct jr_source *s, size_t dump);

/** Bytes of the folder of a member, its "/" among them. */
size_t jr_source_folder_size(const char *name);
/** Whether a program's HLO was found anywhere. */
bool jr_dump_found(const struct jr_dump *dump);

/** What reading a dump will cost, roughly: bytes in the file. */
uint64_t jr_source_dump_bytes(const struct jr_source *s, size_t dump);
/** `path` as a file, or this process' file in the folder of that name; SIZE_MAX = neither. */
size_t jr_source_locate(const struct jr_source *s, const char *path);

/**
 * The processes of a combined archive: what their files are called in the folders of the members
 * that each process has of its own (trace, metadata, host ranges).
 *
 * @param parts  out, in `arena` (the texts stay the archive's): by name, distinct
 * @return how many; 0: it is no combined archive
 */
size_t jr_source_parts(
	const struct jr_archive *archive, struct jr_arena *arena, const char ***parts);
/**
 * The member at `index`, below a folder whose name with its "/" takes n bytes, as a process has it:
 * itself where it is a file, else the file called `part` in the folder that it is in.
 *
 * @param part  NULL: it has no files of its own in folders
 * @param next  out: the first member behind the file or folder
 * @return SIZE_MAX: the folder has no such file. O(log members), however many processes there are.
 */
size_t jr_source_member_of(
	const struct jr_archive *archive, size_t index, size_t n, const char *part, size_t *next);
/** Members that each process has of its own; ends with NULL. */
extern const char *const jr_source_own_members[];

/* --- for types of sources -------------------------------------------------------------------- */

/** What all types begin with: empty, of that type. */
void jr_source_begin(struct jr_source *s, const struct jr_source_type *type, uint32_t input,
	const char *name, const struct jr_limits *limits);
/** Bytes that were decompressed for it. From any thread. */
void jr_source_count_bytes(struct jr_source *s, size_t n);
/** A member's bytes, counted. @return what jr_archive_content() returns */
enum jr_status jr_source_read_member(
	struct jr_source *s, size_t member, struct jr_content *out, struct jr_error *err) JR_MUST_CHECK;
/** Put the member's name ahead of why it cannot be read. */
void jr_source_damaged_member(
	struct jr_error *err, enum jr_status status, const struct jr_archive *archive, size_t member);
/** Bytes of a member in the file; 0: SIZE_MAX, there is none. */
uint64_t jr_source_packed_bytes(const struct jr_archive *archive, size_t member);

#endif
