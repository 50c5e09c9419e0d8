/*
 * xspace_parts.h - planes, lines and events of an XSpace during reading.
 * Layer: formats, private to xspace*.c.
 */
#ifndef JR_FORMATS_XSPACE_PARTS_H
#define JR_FORMATS_XSPACE_PARTS_H

#include "base/vec.h"
#include "formats/hlo/wire.h"
#include "formats/xspace/xspace.h"

/* Statistics that are read, by name; all others are skipped. */
#define JR_XSPACE_STATS                                                                            \
	STAT(CORRELATION, "correlation_id")                                                            \
	STAT(KERNEL_DETAILS, "kernel_details")                                                         \
	STAT(COPY_DETAILS, "memcpy_details")                                                           \
	STAT(SET_DETAILS, "Memset_details")                                                            \
	STAT(SCOPE, "scope_range_id")                                                                  \
	STAT(GRAPH_EXEC, "cuda_graph_exec_id")                                                         \
	STAT(GRAPH_NODE, "cuda_graph_node_id")                                                         \
	STAT(HLO_OP, "hlo_op")                                                                         \
	STAT(HLO_MODULE, "hlo_module")                                                                 \
	STAT(PROGRAM, "program_id")                                                                    \
	STAT(STEP, "step_num")                                                                         \
	STAT(CATEGORY, "hlo_category")                                                                 \
	STAT(FLOPS, "model_flops")                                                                     \
	STAT(FLOPS_OLD, "flops")                                                                       \
	STAT(BYTES, "bytes_accessed")                                                                  \
	STAT(BREAKDOWN, "memory_access_breakdown")                                                     \
	STAT(SOURCE, "source")                                                                         \
	STAT(STACK, "source_stack")                                                                    \
	STAT(TF_OP, "tf_op")                                                                           \
	STAT(OP_NAME, "op_name")                                                                       \
	STAT(SOURCE_FILE, "source_file")                                                               \
	STAT(SOURCE_LINE, "source_line")                                                               \
	STAT(SHAPE, "shape")                                                                           \
	STAT(GROUPS, "replica_groups")                                                                 \
	STAT(ALLOCATOR, "allocator_name")                                                              \
	STAT(DEVICE_INDEX, "index_on_host")                                                            \
	STAT(ALLOCATED, "bytes_allocated")                                                             \
	STAT(PEAK, "peak_bytes_in_use")                                                                \
	STAT(HLO_PROTO, "Hlo Proto")                                                                   \
	STAT(HLO_PROTO_OLD, "hlo_proto")                                                               \
	STAT(VENDOR, "device_vendor")                                                                  \
	STAT(GPU_NAME, "gpu_device_name")                                                              \
	STAT(TPU_NAME, "device_type_string")                                                           \
	STAT(CLOCK, "clock_rate")                                                                      \
	STAT(CORES, "core_count")                                                                      \
	STAT(BANDWIDTH, "memory_bandwidth")                                                            \
	STAT(MEMORY, "memory_size")                                                                    \
	STAT(MAJOR, "compute_cap_major")                                                               \
	STAT(MINOR, "compute_cap_minor")                                                               \
	STAT(PID, "process_id")                                                                        \
	STAT(HBM_GB_S, "peak_hbm_bw_gigabytes_per_second")                                             \
	STAT(TFLOPS, "peak_teraflops_per_second")                                                      \
	STAT(DCN_LABEL, "dcn_label")                                                                   \
	STAT(PAYLOAD, "payload_size_bytes")                                                            \
	STAT(TRANSFERRED, "bytes_transferred")                                                         \
	STAT(DURATION_US, "duration_us")                                                               \
	STAT(SLACK_US, "slack_us")                                                                     \
	STAT(STALL_US, "stall_duration_us")                                                            \
	STAT(DMA_STALL_PS, "dma_stall_duration_ps")                                                    \
	STAT(START, "profile_start_time")                                                              \
	STAT(STOP, "profile_stop_time")

enum jr_xspace_stat {
#define STAT(id, name) JR_XSTAT_##id,
	JR_XSPACE_STATS
#undef STAT
		JR_N_XSTATS
};

/* Statistics of one event or plane. */
struct jr_xstats {
	uint64_t seen; /* 1 << enum jr_xspace_stat */
	struct jr_xstat {
		uint32_t field; /* in XStat's oneof: 2 double, 3 and 4 integers, 5 text, 6 bytes, 7 ref */
		uint64_t value; /* number, also the bits of a double; id of a ref */
		struct jr_bytes bytes;
	} of[JR_N_XSTATS];
};

static inline bool jr_xstats_has(const struct jr_xstats *s, enum jr_xspace_stat stat)
{
	return (s->seen >> stat & 1) != 0;
}

/* Maps 64-bit ids to rows; most ids are small and dense. */
struct jr_xids {
	uint32_t *dense; /* [n_dense] */
	uint64_t n_dense;
	struct jr_map sparse;
};

static inline uint32_t jr_xid_row(const struct jr_xids *ids, uint64_t id)
{
	return id < ids->n_dense ? ids->dense[id] : jr_map_get(&ids->sparse, id);
}

struct jr_xstat_meta {
	struct jr_bytes name;
	uint32_t text;      /* str of the name as a value; JR_NONE = not needed yet */
	uint32_t last_part; /* str of its part after the last "::"; JR_NONE = not needed yet */
	uint32_t kind;      /* enum jr_xspace_stat */
	uint32_t config;    /* 1 + row of configs, if the name states launch parameters; else 0 */
	uint32_t label;     /* row of labels of its last use as an instruction; 0 = none yet */
};

struct jr_xevent_meta {
	struct jr_bytes name, display, message; /* message: contains the statistics */
	uint32_t text;                          /* str of the name; JR_NONE = not needed yet */
	uint8_t sort;         /* class by name; 0 = not classified yet; see xspace_device.c, _host.c */
	bool brief;           /* brief_of contains its short name */
	uint32_t instruction; /* str, lanes only; 0 = not needed yet */
};

struct jr_xline {
	int64_t id, timestamp_ns;
	uint64_t n_events;
	struct jr_bytes name, events; /* events: the whole message, to walk it again */
	size_t pos;                   /* position of jr_xspace_next() in it */
	bool known;                   /* all except pos is set by jr_xspace_line() */
};

struct jr_xplane {
	struct jr_bytes name;
	int64_t id;
	JR_VEC(struct jr_xline) lines;
	struct jr_bytes stats; /* from its first statistic to its last; empty = none */
	size_t n_stats;
	JR_VEC(struct jr_xstat_meta) stat_metas;   /* row 0: unknown */
	JR_VEC(struct jr_xevent_meta) event_metas; /* row 0: unknown */
	JR_VEC(uint64_t) event_ids;                /* ids of the rows of event_metas */
	struct jr_xids stat_rows, event_rows;
	uint8_t *stat_kinds; /* [stat_rows.n_dense] enum jr_xspace_stat by id */
	bool again;          /* of a device that an earlier plane has */
};

static inline uint32_t jr_xstat_kind(const struct jr_xplane *plane, uint64_t id)
{
	if (id < plane->stat_rows.n_dense)
		return plane->stat_kinds[id];
	uint32_t row = jr_map_get(&plane->stat_rows.sparse, id);
	return row == JR_NONE ? JR_N_XSTATS : plane->stat_metas.items[row].kind;
}

struct jr_xevent {
	uint32_t meta; /* row of event_metas */
	int64_t start_ns, end_ns;
	bool bad; /* its times are invalid */
};

/* State while an XSpace is read. */
struct jr_xreading {
	struct jr_xspace *x;
	const struct jr_limits *limits;
	struct jr_bytes in;
	JR_VEC(struct jr_xplane) planes;
	JR_VEC(struct jr_timeline_gpu_info) gpus;
	JR_VEC(struct jr_timeline_config) configs;
	JR_VEC(struct jr_xspace_label) labels;
	JR_VEC(struct jr_said) said;
	JR_VEC(struct jr_xspace_run) modules, ops;
	JR_VEC(struct jr_xspace_lane_event) lane_events;
	JR_VEC(struct jr_xspace_step) steps;
	JR_VEC(struct jr_xspace_program) programs;
	JR_VEC(struct jr_xspace_memory) memory;
	JR_VEC(uint32_t) scope_parents;
	JR_VEC(uint32_t) dense_scopes; /* row of a scope by its id; 0 = none, or in scope_rows */
	struct jr_map config_rows, label_rows, said_rows, scope_rows, brief_of;
	size_t gpu_room, call_room, range_room;
	int64_t total_ns;    /* sum of all durations; checked against int64 */
	int64_t total_bytes; /* sum of all copies, memsets and transfers */
};

/** Clean a text and return its id in x->rows.strings. A text beyond the limit is cut and
 * counted. */
uint32_t jr_xspace_text(struct jr_xreading *r, struct jr_bytes text);
/** Return the text of a statistic, stored or referred to; 0 = not a text. */
uint32_t jr_xspace_stat_text(
	struct jr_xreading *r, struct jr_xplane *plane, const struct jr_xstat *stat);
struct jr_bytes jr_xspace_stat_bytes(const struct jr_xplane *plane, const struct jr_xstat *stat);
/** Return a statistic of any type as an integer; 0 = not a number. */
int64_t jr_xspace_stat_i64(const struct jr_xplane *plane, const struct jr_xstat *stat);
/** Return the str of an event's name. */
uint32_t jr_xspace_event_text(struct jr_xreading *r, struct jr_xplane *plane, uint32_t meta);

/** Return the row of labels of (module, op, program, row of said). */
uint32_t jr_xspace_label_row(
	struct jr_xreading *r, uint32_t module, uint32_t op, int64_t program, uint32_t said);
/** Return the row of said with these statements. */
uint32_t jr_xspace_said_row(struct jr_xreading *r, const struct jr_said *said);
/** Return the row of said for the details that XLA adds to the annotation of an instruction, whose
 * name is `op`; 0: there are none. */
uint32_t jr_xspace_annotation(
	struct jr_xreading *r, struct jr_xplane *plane, uint32_t op, const struct jr_xstats *stats);
/** Cut chains of scopes that return to themselves. O(scopes). */
void jr_xspace_cut_cycles(uint32_t *parents, size_t n);
/** Return the row of scopes of a scope's id: 1 or higher. */
uint32_t jr_xspace_scope_row(struct jr_xreading *r, uint64_t id);

/** Count the events of a line that is not supported, under a name. */
enum jr_status jr_xspace_leave_unread(struct jr_xreading *reading, struct jr_bytes name,
	struct jr_xline *line, struct jr_error *err) JR_MUST_CHECK;
/** Read the header of a line and count its events, once. */
enum jr_status jr_xspace_line(
	const struct jr_xreading *r, struct jr_xline *line, struct jr_error *err) JR_MUST_CHECK;
/** Read the next event of a line; `more` is false at its end. `stats` gets its statistics in
 * JR_XSPACE_STATS; damage in other statistics goes unnoticed. */
enum jr_status jr_xspace_next(struct jr_xreading *r, const struct jr_xplane *plane,
	struct jr_xline *line, struct jr_xevent *event, struct jr_xstats *stats, bool *more,
	struct jr_error *err) JR_MUST_CHECK;
/** Return JR_EFORMAT: there is no valid field at the position of `wire`. */
enum jr_status jr_xspace_damaged(
	const struct jr_xreading *r, const struct jr_wire *wire, struct jr_error *err) JR_MUST_CHECK;
/** Read the statistics of a message, which are its fields `number`. */
enum jr_status jr_xspace_stats_of(const struct jr_xreading *r, const struct jr_xplane *plane,
	struct jr_bytes message, uint32_t number, struct jr_xstats *stats, struct jr_error *err)
	JR_MUST_CHECK;
/** Read one statistic if it is in JR_XSPACE_STATS. */
enum jr_status jr_xspace_stat_of(const struct jr_xreading *r, const struct jr_xplane *plane,
	struct jr_bytes message, struct jr_xstats *stats, struct jr_error *err) JR_MUST_CHECK;
/** Read any statistic and the id of its name; false: damaged. */
bool jr_xspace_any_stat(
	const struct jr_xreading *r, struct jr_bytes message, uint64_t *id, struct jr_xstat *stat);
/** Return the next statistic of a plane from a cursor over its `stats`; `more` is false at the
 * end. */
enum jr_status jr_xspace_next_stat(const struct jr_xreading *r, struct jr_wire *wire,
	struct jr_bytes *message, bool *more, struct jr_error *err) JR_MUST_CHECK;
/** Split a name such as "jit_f(17)": return the str of the name and set its number. A name without
 * a number leaves it unchanged. */
uint32_t jr_xspace_split_name(struct jr_xreading *r, struct jr_bytes name, int64_t *number);
/** Add a duration to the sum of all. @return JR_EFORMAT beyond int64 */
enum jr_status jr_xspace_add_time(
	struct jr_xreading *r, int64_t start_ns, int64_t end_ns, struct jr_error *err) JR_MUST_CHECK;

/** Index planes; read errors, warnings and host names. */
enum jr_status jr_xspace_read_top(struct jr_xreading *r, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_xspace_index_plane(
	struct jr_xreading *r, struct jr_bytes message, struct jr_error *err) JR_MUST_CHECK;
/** Make room for all rows, list threads, then read the planes. */
enum jr_status jr_xspace_read_planes(struct jr_xreading *r, struct jr_error *err) JR_MUST_CHECK;

/** Read one plane; `number` is the device's. Columns must have room. */
enum jr_status jr_xspace_read_gpu(struct jr_xreading *r, struct jr_xplane *plane, uint32_t number,
	struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_xspace_read_tpu(struct jr_xreading *r, struct jr_xplane *plane, uint32_t number,
	struct jr_error *err) JR_MUST_CHECK;
/** Return true for planes of a part of a TPU ("/device:TPU:0 SparseCore 1"), or of events without a
 * device ("/device:CUSTOM:Megascale Trace", "#Chip…"). Sets `core` to the name, and the TPU's
 * number. */
bool jr_xspace_is_lanes(struct jr_bytes plane, uint32_t *number, struct jr_bytes *core);
/** Read one such plane; `number`: JR_NONE = no device. */
enum jr_status jr_xspace_read_lanes(struct jr_xreading *r, struct jr_xplane *plane, uint32_t number,
	struct jr_bytes core, struct jr_error *err) JR_MUST_CHECK;
enum jr_status jr_xspace_read_host(
	struct jr_xreading *r, struct jr_xplane *plane, struct jr_error *err) JR_MUST_CHECK;
/** Return the row of rows.threads of a host line; threads must be sorted. */
uint32_t jr_xspace_thread(const struct jr_xspace *x, int64_t id);
/** Return true for lines that repeat the kernels of others. */
bool jr_xspace_is_derived(const struct jr_xline *line);
bool jr_xspace_begins_with(struct jr_bytes text, const char *prefix);

/* Kinds of values of a statistic: fields of XStat. */
enum {
	JR_XSTAT_FIELD_DOUBLE = 2,
	JR_XSTAT_FIELD_UNSIGNED = 3,
	JR_XSTAT_FIELD_SIGNED = 4,
	JR_XSTAT_FIELD_TEXT = 5,
	JR_XSTAT_FIELD_BYTES = 6,
	JR_XSTAT_FIELD_REF = 7
};

/** Leave out events that a line has twice, and return their number: on one thread nothing takes
 * place twice at once. Events without a length are marks, which may. O(n log n) */
uint64_t jr_xspace_drop_repeated(struct jr_buf *line);

#endif
