/*
 * writers.h - a scenario's files, as nsys-jax puts them into an archive.
 * Members: formats/README.md, section 1.
 */
#ifndef GEN_WRITERS_H
#define GEN_WRITERS_H

#include "archive_writer.h"
#include "formats/parquet/parquet_writer.h"
#include "scenario.h"

enum gen_pushpop { GEN_PUSHPOP_CSV, GEN_PUSHPOP_PARQUET, GEN_PUSHPOP_NONE };

/* CUDA graphs: compute kernels are launched one by one, or each as a graph that the profiler
 * recorded only as a whole, or each as a graph with several nodes. */
enum gen_graphs { GEN_GRAPHS_NONE, GEN_GRAPHS_WHOLE, GEN_GRAPHS_NODES };

/* Steps as jax.profiler.StepTraceAnnotation records them: from this long before the step's work to
 * this long after it, numbered from this number. */
#define GEN_STEP_MARGIN_NS 5000
#define GEN_FIRST_STEP 10

/* Optional parts of an XSpace. */
enum gen_xspace_part {
	GEN_XSPACE_SCOPES = 1,
	GEN_XSPACE_HOST = 2, /* host activity, not only launches */
	GEN_XSPACE_HLO = 4,
	GEN_XSPACE_PYTHON = 8,
	GEN_XSPACE_STEPS = 16,
	GEN_XSPACE_DERIVED = 32,
	GEN_XSPACE_GRAPHS = 64, /* CUDA graphs that were built before the session */
	GEN_XSPACE_DROPPED = 128,
	GEN_XSPACE_ONE_HOST = 256,
	GEN_XSPACE_REBUILT = 1024, /* graphs that are built again in the middle */
	GEN_XSPACE_DETAILED = 2048, /* XLA's annotations at the level detailed */
	GEN_XSPACE_SHARED = 512, /* graphs in which instructions of equal code share a kernel */
};

/* Tables of an Nsight export, by version of its schema. */
enum gen_schema { GEN_SCHEMA_2_9, GEN_SCHEMA_3_13, GEN_SCHEMA_3_24 };

enum gen_format { GEN_ARCHIVE, GEN_SQLITE, GEN_PARQUETDIR, GEN_XSPACE };

struct gen_write_options {
	enum gen_format format;
	unsigned xspace; /* enum gen_xspace_part */
	enum gen_schema schema;
	enum gen_graphs graphs;
	bool no_nccl_ranges; /* as from an NCCL built without NVTX */
	uint64_t bulk_bytes; /* size of an extra table that is not read */
	struct jr_pq_put_options parquet;
	enum gen_pushpop pushpop;
	bool no_metadata; /* as before July 2024 */
	bool text_dump;   /* HLO as text instead of protos */
};

/* Streams of a device. */
enum { GEN_STREAM_COMPUTE = 7, GEN_STREAM_COMMUNICATION = 23 };

/** Return an operation's kernel: "fusion.12" is compiled to a kernel "fusion_12"; collectives are
 * NCCL's kernels. NULL if it has no known kernel. */
const char *gen_kernel_name(struct gen_scenario *sc, const struct gen_op *op);

struct gen_graph_node {
	const char *name;
	int64_t start_ns, end_ns;
};

/** Get the i-th node of the graph of an operation; false after the last. Together the nodes start
 * and end with it. */
bool gen_graph_node(struct gen_scenario *sc, const char *name, int64_t start_ns, int64_t end_ns,
	unsigned i, struct gen_graph_node *out);

/* A column under construction: the writer of a table adds values and nulls row by row. */
struct gen_column {
	const char *name;
	enum jr_pq_put type;
	JR_VEC(int64_t) i64;
	JR_VEC(double) f64;
	JR_VEC(struct jr_bytes) text;
	JR_VEC(uint64_t) list_begin;
	JR_VEC(uint8_t) valid;
};

void gen_put_i64(struct gen_column *c, int64_t v);
void gen_put_f64(struct gen_column *c, double v);
/** Add a text, borrowed. */
void gen_put_text(struct gen_column *c, const char *s);
void gen_put_bytes(struct gen_column *c, struct jr_bytes text);
void gen_put_list(struct gen_column *c, const int64_t *items, size_t n);
void gen_put_null(struct gen_column *c);
/** Write the file of these columns and free them; all must have the same number of rows. The last
 * n_index are pandas' index; names that are pairs are columns of two levels. */
void gen_table_write(struct jr_buf *out, struct gen_column *columns, size_t n, size_t n_index,
	const struct jr_pq_put_options *given);

#define GEN_MAX_LEVELS 32
/** Get the indexes of a range and those above it, outermost first; return their number. */
size_t gen_range_stack(const struct gen_scenario *sc, uint32_t range, int64_t out[GEN_MAX_LEVELS]);

/** Append the .xz of `in` to `out`; both stay valid. */
void gen_xz(struct jr_buf *out, const struct jr_buf *in);

/** Write nvtx_gpu_proj_trace/trace.parquet of a process. */
void gen_write_trace(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, struct gen_archive *archive);
void gen_write_pushpop(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, struct gen_archive *archive);
/** Write thread-, device- and system-metadata.parquet. */
void gen_write_metadata(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, struct gen_archive *archive);
/* Properties of the system, the whole environment among them. */
struct gen_setting {
	const char *name, *value;
	int64_t number;
};
#define GEN_MAX_SETTINGS 16
size_t gen_system_settings(
	struct gen_scenario *sc, uint32_t process, struct gen_setting out[GEN_MAX_SETTINGS]);
/** Write the process as an Nsight export. */
enum jr_status gen_write_sqlite(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, const char *path, struct jr_error *err) JR_MUST_CHECK;
/** Write its tables as Parquet files: into a folder, or a zip. */
enum jr_status gen_write_pqtdir(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, const char *path, bool directory,
	struct jr_error *err) JR_MUST_CHECK;
struct sqlite3;
/** Fill an empty database with the tables of the export. */
enum jr_status gen_fill_export(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, struct sqlite3 *db,
	struct jr_error *err) JR_MUST_CHECK;
/** Write the process as jax.profiler would: an XSpace; create its folders. */
enum jr_status gen_write_xspace(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, const char *path, struct jr_error *err) JR_MUST_CHECK;
/** Pack a process's HloProto of a program. */
void gen_pack_hlo(struct gen_scenario *sc, const struct gen_program *p, uint32_t process,
	struct jr_buf *out);
/** Write dump/, protos/ and sources/. */
void gen_write_hlo(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, struct gen_archive *archive);
void gen_write_sources(struct gen_scenario *sc, struct gen_archive *archive);

#endif
