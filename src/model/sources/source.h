/*
 * source.h - one process inside an input, and the data read from it.
 * Layer: model, private to loading.  Member names: formats/README.md, sections 1 and 2.
 *
 * Kinds of inputs are read differently, but produce the same data. model/kinds has the kinds and
 * their types of sources.
 */
#ifndef JR_MODEL_SOURCE_H
#define JR_MODEL_SOURCE_H

#include <stdatomic.h>

#include "formats/archive/archive.h"
#include "formats/hlo/hlo.h"
#include "model/digest/digests.h"

#define JR_MEMBER_TRACE "nvtx_gpu_proj_trace/trace.parquet"
#define JR_MEMBER_THREADS "thread-metadata.parquet"
#define JR_MEMBER_DEVICES "device-metadata.parquet"
#define JR_MEMBER_SYSTEM "system-metadata.parquet"
#define JR_MEMBER_HOST_CSV "report_nvtx_pushpop_trace.csv.xz"
#define JR_MEMBER_HOST_PARQUET "report_nvtx_pushpop_trace.parquet"

/* The HLO dump of one program of the trace. */
struct jr_dump {
	int64_t number;
	const char *module; /* in the source's arena */
	struct jr_archive *archive;
	size_t member;         /* SIZE_MAX = there is none */
	bool is_text;          /* the member or `proto` is HLO text, not a proto */
	struct jr_bytes proto; /* if the input contains it outside of members; else empty */
	bool in_texts;         /* the input has its texts: type->build_program() */
	uint64_t n_ambiguous;  /* of these: parts with several possible texts */
	uint64_t n_left_out;   /* ... and texts that cannot be read */
	struct jr_hlo *hlo;    /* owned; NULL until decoded, or if decoding failed */
	struct jr_error error;
};

struct jr_build;
struct jr_export;
struct jr_source;
struct jr_thread_devices;

/*
 * The methods and properties of a type of source. Failures are stored in the source. Methods are
 * called in this order. Stages 1 and 2 run on any thread, the others on one thread, source by
 * source.
 */
struct jr_source_type {
	/* stage 1: read metadata and trace, if it has one; NULL: never */
	void (*read_trace)(struct jr_source *s);
	/* whether it has device data, or needs none (NULL); otherwise the target device of XLA's dump
	 * is used */
	bool (*knows_devices)(const struct jr_source *s);
	/* find a program's HLO inside the input itself: set proto and is_text, or the error that made
	 * it unreadable. NULL: never there */
	bool (*find_program)(struct jr_source *s, struct jr_dump *dump);
	/* build a program from texts of the input: the last resort. NULL: never has texts.
	 * `hlo` NULL: return only whether the texts are there. */
	enum jr_status (*build_program)(
		struct jr_source *s, struct jr_dump *dump, struct jr_hlo *hlo, struct jr_error *err);
	/* ... or the member of its archive, or of `beside`, with only this program; SIZE_MAX: none */
	size_t (*find_beside)(const struct jr_source *s, int64_t number, const char *module);
	/* read compile ranges, if it has any; after read_trace(), or beside it if host_apart; NULL:
	 * never */
	void (*read_host)(struct jr_source *s);
	/* a hash that is equal for equal profiles; 0, or NULL: not known */
	uint64_t (*identity)(const struct jr_source *s, const struct jr_input *input);
	/* merging: add its devices, before their rows; NULL: thread_devices() adds them */
	void (*add_devices)(struct jr_source *s, struct jr_build *build, uint32_t process);
	/* find the device that each of its threads drives; only if it has a trace. NULL: from trace and
	 * metadata */
	void (*thread_devices)(struct jr_source *s, struct jr_build *build, uint32_t process,
		struct jr_thread_devices *out);
	/* add to the profile what is damaged apart from the errors of the source; NULL: nothing else */
	void (*tell_damaged)(struct jr_source *s, struct jr_profile *profile);
	/* move all data except executions and compile ranges; NULL: none. Called last. */
	void (*hand_over)(struct jr_source *s, struct jr_build *build);
	/* append the rows as read, in the form of the kind, for a digest; NULL: a digest has the trace,
	 * the ranges and the metadata of the source */
	void (*put_rows)(const struct jr_source *s, struct jr_buf *out);
	/* free the data of the type; NULL: none */
	void (*done)(struct jr_source *s);
	unsigned tells;  /* enum jr_tells, or'ed: initial value of its sources */
	bool whole;      /* if one process of an input cannot be read, the others are not reported */
	bool host_apart; /* read_host() needs nothing of read_trace() */
	bool no_numbers; /* program numbers are generated, and dumps are found by name */
	bool lists_programs; /* read_trace() lists the programs, which do not come from the trace */
	bool is_searched;    /* its archive may have a profile elsewhere: without trace and ranges, list
							what was searched for and what it contains */
	const char *nothing; /* message without trace and ranges, after the input's name; NULL: the
							message of the reader */
	const char *no_compilation; /* why there are no compile ranges; NULL: not expected */
	const char *no_dumps;       /* advice if no folder of dumps is given; NULL: it has its own */
};

struct jr_source {
	const struct jr_source_type *type;
	uint32_t input;
	const char *name;           /* name of the process: file name without .zip */
	const char *subname;        /* name of its files in folders of a combined archive; NULL */
	struct jr_archive *archive; /* NULL: not an archive */
	struct jr_archive *beside;  /* HLO in the folder of its file; owned; NULL */
	struct jr_archive *dumps;   /* --xla-dump: used for programs that the archive lacks; NULL */
	const char *path;           /* path of a single file; NULL */
	struct jr_export *export;   /* its timeline; NULL: none, or not readable */
	void *own;                  /* data of its type, freed by type->done(); NULL */
	size_t part;
	const struct jr_digest *digest; /* the source is its rank `part`; NULL: not of a digest */
	struct jr_digest_rank rank;     /* ... of which the type may have views */
	const struct jr_limits *limits;
	size_t host_member;               /* SIZE_MAX = there is none */
	uint64_t trace_bytes, host_bytes; /* estimated cost of reading the trace or compile ranges */
	unsigned tells;                   /* enum jr_tells, or'ed */
	bool has_trace, has_host;
	atomic_bool shrank;    /* the file at `path`, while it was read; of an archive, it knows */
	int64_t pid;           /* -1 = unknown */
	int64_t start_unix_ns; /* time 0 since 1970; 0 = unknown */
	struct jr_trace trace;
	struct jr_metadata metadata;
	struct jr_host_ranges host;
	struct jr_dump *programs; /* by number, distinct */
	size_t n_programs;
	struct jr_error trace_error, metadata_error, host_error; /* status JR_OK = none */
	uint64_t bytes_read;                                     /* decompressed so far */
	struct jr_arena arena;
};

/** Free all data that was read; archives and exports stay open. NULL-safe. */
void jr_source_done(struct jr_source *s);

/** Read metadata and trace, then list the dumps and find their members. */
void jr_source_read_trace(struct jr_source *s);
/** Read compile ranges: after the trace, or on another thread at the same time if the type has
 * host_apart. */
void jr_source_read_host(struct jr_source *s);
/** Return a hash that is equal for equal profiles; 0: not known. */
uint64_t jr_source_identity(const struct jr_source *s, const struct jr_input *input);
/** Read one dump, after the trace, on any thread. */
void jr_source_read_dump(struct jr_source *s, size_t dump);

/** Return the length of a member's folder, including its "/". */
size_t jr_source_folder_size(const char *name);
/**
 * Take the name of a dump of an optimized module apart:
 * module_NNNN.NAME.[sm_X.Y_gpu_]after_optimizations.{hlo.pb,txt}[.xz|.gz]
 *
 * @param module   out: NAME, `length` bytes within `name`
 * @param is_text  out: it is HLO text, not a proto
 * @return false: `name` is another file. O(n)
 */
bool jr_dump_parse_name(const char *name, size_t n, int64_t *number, const char **module,
	size_t *length, bool *is_text);
/** Return whether a program's HLO was found anywhere. */
bool jr_dump_found(const struct jr_dump *dump);

/** Read the bytes of a dump that is a member, decompressed, and count them. @return what
 * jr_archive_content(), jr_xz_decode() and jr_gzip_decode() return */
enum jr_status jr_source_dump_content(struct jr_source *s, const struct jr_dump *dump,
	struct jr_content *out, struct jr_error *err) JR_MUST_CHECK;
/** Return the estimated cost of reading a dump: its bytes in the file. */
uint64_t jr_source_dump_bytes(const struct jr_source *s, size_t dump);
/** Find `path` as a file, or this process' file in the folder of that name; SIZE_MAX = neither. */
size_t jr_source_locate(const struct jr_source *s, const char *path);

/**
 * List the processes of a combined archive: the names of their files in the folders of per-process
 * members (trace, metadata, host ranges).
 *
 * @param parts  out, in `arena` (the archive owns the texts): by name, distinct
 * @return number of processes; 0: not a combined archive
 */
size_t jr_source_parts(
	const struct jr_archive *archive, struct jr_arena *arena, const char ***parts);
/**
 * Resolve the member at `index` for a process. n is the length of the parent folder's name with its
 * "/". A file directly in that folder is returned itself; for a subfolder, its file with the name
 * `part`.
 *
 * @param part  NULL: the process has no files in folders
 * @param next  out: the first member after the file or folder
 * @return SIZE_MAX: the folder has no such file. O(log members) for any number of processes.
 */
size_t jr_source_member_of(
	const struct jr_archive *archive, size_t index, size_t n, const char *part, size_t *next);
/** The per-process members; ends with NULL. */
extern const char *const jr_source_own_members[];

/* --- for types of sources -------------------------------------------------------------------- */

/** Initialize an empty source of a type. */
void jr_source_begin(struct jr_source *s, const struct jr_source_type *type, uint32_t input,
	const char *name, const struct jr_limits *limits);
/** Count decompressed bytes. Callable from any thread. */
void jr_source_count_bytes(struct jr_source *s, size_t n);
/** Read a member's bytes and count them. @return what jr_archive_content() returns */
enum jr_status jr_source_read_member(
	struct jr_source *s, size_t member, struct jr_content *out, struct jr_error *err) JR_MUST_CHECK;
/** Prefix the error of a member with its name. */
void jr_source_damaged_member(
	struct jr_error *err, enum jr_status status, const struct jr_archive *archive, size_t member);
/** Return the bytes of a member in the file; 0 if `member` is SIZE_MAX (none). */
uint64_t jr_source_packed_bytes(const struct jr_archive *archive, size_t member);

#endif
