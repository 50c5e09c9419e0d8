/*
 * nsys_parts.h - the tables of an export, with one reader function each.
 * Layer: formats, private to nsys_*.c.
 *
 * The large tables are read at the same time, each over its own connection into its own part. Ids
 * of threads, processes and texts are local to the part until jr_nsys_read() joins them.
 */
#ifndef JR_FORMATS_NSYS_PARTS_H
#define JR_FORMATS_NSYS_PARTS_H

#include "base/vec.h"
#include "formats/nsys/nsys_tables.h"

/* Texts of StringIds: maps ids of the file to ids of nsys->strings. */
struct jr_nsys_texts {
	int64_t n_dense;
	uint32_t *dense;      /* [n_dense], JR_NONE = no such id */
	struct jr_map sparse; /* larger ids */
};

static inline uint32_t jr_nsys_text_of(const struct jr_nsys_texts *texts, int64_t id)
{
	if (id >= 0 && id < texts->n_dense)
		return texts->dense[id];
	return jr_map_get(&texts->sparse, (uint64_t)id);
}

/* Return the text for the id in a column; 0 for null (which is not id 0) and unknown ids. */
static inline uint32_t jr_nsys_text_by_id(
	const struct jr_nsys_texts *texts, const struct jr_nsys_scan *scan, int column)
{
	int64_t id = jr_nsys_i64(scan, column);
	if (id == 0 && jr_nsys_is_null(scan, column))
		return 0;
	uint32_t text = jr_nsys_text_of(texts, id);
	return text == JR_NONE ? 0 : text;
}

/* Number of sums; the last one covers all further kinds. */
#define JR_NSYS_MOST_SUMS 64
#define JR_NSYS_OTHER "other"

/* Maps large ids to rows, in order of first occurrence. */
struct jr_nsys_ids {
	JR_VEC(int64_t) list;
	struct jr_map rows;
	uint32_t last_row;
	bool any;
};

static inline uint32_t jr_nsys_id_row(struct jr_nsys_ids *ids, int64_t id)
{
	if (ids->any && ids->list.items[ids->last_row] == id)
		return ids->last_row;
	uint32_t row = jr_map_get(&ids->rows, (uint64_t)id);
	if (row == JR_NONE) {
		row = (uint32_t)ids->list.n;
		*jr_vec_add(&ids->list) = id;
		jr_map_put(&ids->rows, (uint64_t)id, row);
	}
	ids->last_row = row;
	ids->any = true;
	return row;
}
void jr_nsys_ids_done(struct jr_nsys_ids *ids);

/* Common part of all readers of a large table. */
#define JR_NSYS_PART_TABLES 5

struct jr_nsys_part {
	const struct jr_nsys_file *file;
	const struct jr_nsys_texts *texts;
	struct jr_arena arena;  /* one per part: several threads read */
	struct jr_nsys_ids ids; /* threads (globalTid), or processes */
	uint64_t seed;          /* of hashes */
	int64_t total_ns;       /* sum of all durations; checked against int64 */
	uint64_t n_bad_rows;
	size_t n_left_out; /* tables that are not supported */
	struct jr_error left_out[JR_NSYS_PART_TABLES];
	bool lacks_operations; /* ... one of them has GPU operations */
	bool present;
	bool has_room; /* for a piece of rows, jr_nsys_pull_rows() */
};

/* Flag of an NVTX text that is stored in its row instead of StringIds: id of `inline_texts`. */
#define JR_NSYS_INLINE (UINT32_C(1) << 31)

struct jr_nsys_nvtx_part {
	struct jr_nsys_part part;
	const struct jr_nsys_options *options;
	struct jr_timeline_nvtx rows;
	struct jr_intern inline_texts;           /* clean */
	JR_VEC(struct jr_timeline_scope) scopes; /* names: same ids as texts of rows */
	struct jr_map scope_rows;
	JR_VEC(struct jr_timeline_thread_name) thread_names;
	uint64_t n_long_texts;
};
struct jr_nsys_calls_part {
	struct jr_nsys_part part;
	struct jr_timeline_calls rows;
};
/* The latest kernel of a name. */
struct jr_nsys_kernel {
	uint32_t config; /* 1 + its row; 0: none */
	bool has_brief;  /* short_of contains the name */
};
struct jr_nsys_gpu_part {
	struct jr_nsys_part part;
	struct jr_timeline_gpu rows;
	JR_VEC(struct jr_timeline_config) configs;
	struct jr_map config_rows;
	JR_VEC(struct jr_nsys_kernel) kernels; /* by name */
	struct jr_map short_of;                /* name -> short name */
	int64_t total_bytes; /* sum of all copies and memsets; checked against int64 */
	JR_VEC(struct jr_timeline_sum) waits;
};

/** Note the short name of a kernel, 0: none. `name`: its name in the texts of StringIds */
void jr_nsys_kernel_named(struct jr_nsys_gpu_part *part, uint32_t name, uint32_t brief);
/** Return the row of configs of a kernel whose name was noted. */
uint32_t jr_nsys_kernel_config(
	struct jr_nsys_gpu_part *part, uint32_t name, const struct jr_timeline_config *config);

enum jr_status jr_nsys_read_nvtx(struct jr_nsys_nvtx_part *part, struct jr_error *err)
	JR_MUST_CHECK;
enum jr_status jr_nsys_read_calls(struct jr_nsys_calls_part *part, struct jr_error *err)
	JR_MUST_CHECK;
enum jr_status jr_nsys_read_gpu(struct jr_nsys_gpu_part *part, struct jr_error *err) JR_MUST_CHECK;

/** Name domains that occur only in categories. Call it after all of NVTX_EVENTS is read. */
void jr_nsys_name_domains(struct jr_nsys_nvtx_part *part);

/* A large table read in pieces: the part's rows are those of the current piece. */
struct jr_nsys_pull;
/** Start at the first row. End with jr_nsys_pull_done(), also after a failure. */
enum jr_status jr_nsys_pull_nvtx(
	struct jr_nsys_nvtx_part *part, struct jr_nsys_pull **out, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_nsys_pull_calls(
	struct jr_nsys_calls_part *part, struct jr_nsys_pull **out, struct jr_error *err) JR_MUST_CHECK;
/** Read only times, place and launch of GPU operations of any kind. */
enum jr_status jr_nsys_pull_spans(
	struct jr_nsys_gpu_part *part, struct jr_nsys_pull **out, struct jr_error *err) JR_MUST_CHECK;
/** Read the next piece; no rows at the end. */
enum jr_status jr_nsys_pull_rows(struct jr_nsys_pull *pull, struct jr_error *err) JR_MUST_CHECK;
void jr_nsys_pull_done(struct jr_nsys_pull **pull);

/* Maps an NVTX text to an id of nsys->strings. Inline texts are added, and those of StringIds
 * shortened, once each. */
struct jr_nsys_joined_texts {
	uint32_t *of_inline, *of_id;
	size_t n_ids;
	struct jr_arena arena;
};

/* State while an export is read. */
struct jr_nsys_reading {
	const struct jr_nsys_file *file;
	const struct jr_nsys_options *options;
	struct jr_nsys_texts texts;
	struct jr_nsys_joined_texts joined;
	struct jr_nsys_nvtx_part nvtx;
	struct jr_nsys_calls_part calls;
	struct jr_nsys_gpu_part gpu;
};

/** Describe the export at `path` with jr_nsys_file_at(). */
enum jr_status jr_nsys_export_at(const char *path, const struct jr_limits *limits,
	struct jr_nsys_file *file, struct jr_error *err) JR_MUST_CHECK;
/** Start with an empty *nsys. Always call jr_nsys_reading_done(). */
void jr_nsys_reading_begin(struct jr_nsys_reading *r, const struct jr_nsys_file *file,
	const struct jr_nsys_options *options, struct jr_timeline *nsys);
void jr_nsys_reading_done(struct jr_nsys_reading *r);
/** Read the small tables; call it before the large ones are read. */
enum jr_status jr_nsys_read_small_tables(
	struct jr_timeline *nsys, struct jr_nsys_reading *r, struct jr_error *err) JR_MUST_CHECK;
/** Join the parts' rows and all names, after all is read.
 * @return JR_ENOTFOUND no table of an export exists */
enum jr_status jr_nsys_join(
	struct jr_timeline *nsys, struct jr_nsys_reading *r, struct jr_error *err) JR_MUST_CHECK;
/** Return the text of a row of NVTX_EVENTS; call it after jr_nsys_join(). */
uint32_t jr_nsys_joined_text(struct jr_timeline *nsys, struct jr_nsys_reading *r, uint32_t text);

/** Read StringIds; call it before all others. */
enum jr_status jr_nsys_read_texts(const struct jr_nsys_tables *tables, struct jr_timeline *nsys,
	struct jr_nsys_texts *texts, struct jr_error *err) JR_MUST_CHECK;
/** Read the small tables. */
enum jr_status jr_nsys_read_info(const struct jr_nsys_tables *tables,
	const struct jr_nsys_texts *texts, struct jr_timeline *nsys, struct jr_error *err)
	JR_MUST_CHECK;

#endif
