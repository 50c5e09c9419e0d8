#include "model/digest/rank_tables.h"

#include "formats/compact/compact_columns.h"

#define STRINGS JR_COMPACT_BOUND(BOUND_STRINGS)
#define NAMES JR_COMPACT_BOUND(BOUND_NAMES)
#define ROWS JR_COMPACT_BOUND(BOUND_ROWS)

#define TEXT(field) FIELD(field, PLAIN, BELOW, STRINGS)

/* --- trace ----------------------------------------------------------------------------------- */

#define T struct jr_trace
static const struct jr_compact_column trace[] = {FIELD(layout, PLAIN, BELOW, 'C' + 1),
	FIELD(xla, PLAIN, BELOW, 3), FLAG(has_tid), NUMBER(n_ranges), NUMBER(n_unreadable),
	NUMBER(n_recovered), NUMBER(n_duplicates), NUMBER(n_adopted), NUMBER(n_dangling),
	NUMBER(n_reparented)};
ROWS_TABLE(jr_compact_trace, "the trace", trace);

static const struct jr_compact_column trace_rows[] = {ARRAY(name, PLAIN, BELOW, NAMES, false),
	ARRAY(start_ns, START, TIME, 0, false), ARRAY(end_ns, END, TIME, 0, false),
	ARRAY(launch_ns, STEP, TIME_OR_MAX, 0, true), ARRAY(parent, STEP, BELOW_OR_NONE, ROWS, false),
	ARRAY(parent_lost, PLAIN, FLAG, 0, true), ARRAY(range_id, STEP, ANY, 0, false),
	ARRAY(pid, STEP, ANY, 0, false), ARRAY(tid, STEP, ANY, 0, false),
	ARRAY(n_gpu_ops, STEP, ANY, 0, true)};
ARRAYS_TABLE(jr_compact_trace_rows, "the ranges of the trace", trace_rows);
#undef T

#define T struct jr_trace_name
static const struct jr_compact_column trace_names[] = {FIELD(kind, PLAIN, BELOW, JR_RANGE_NCCL + 1),
	FIELD(text, STEP, BELOW, STRINGS), FIELD(op, STEP, BELOW, STRINGS), NUMBER(program_number)};
ROWS_TABLE(jr_compact_trace_names, "the names of the trace", trace_names);
#undef T

/* --- metadata -------------------------------------------------------------------------------- */

#define T struct jr_metadata
static const struct jr_compact_column metadata[] = {FLAG(gpus_of_target), FLAG(wsl), TEXT(hostname),
	TEXT(driver), TEXT(cuda), TEXT(nsys), TEXT(cpu), TEXT(os)};
ROWS_TABLE(jr_compact_metadata, "the metadata", metadata);
#undef T

#define T struct jr_launcher
static const struct jr_compact_column launchers[] = {NUMBER(pid), NUMBER(tid),
	NUMBER(device.global), NUMBER(device.local), NUMBER(device.process), NUMBER(device.slice)};
ROWS_TABLE(jr_compact_launchers, "the threads", launchers);
#undef T

#define T struct jr_gpu
static const struct jr_compact_column gpus[] = {NUMBER(cuda_device), FLAG(named), FLAG(misnamed),
	NUMBER(device.global), NUMBER(device.local), NUMBER(device.process), NUMBER(device.slice),
	TEXT(name), NUMBER(memory_bandwidth_bytes_s), NUMBER(sm_count), NUMBER(clock_hz),
	NUMBER(memory_bytes), NUMBER(compute_capability)};
ROWS_TABLE(jr_compact_gpus, "the devices", gpus);
#undef T

#define T struct jr_setting_text
static const struct jr_compact_column settings[] = {TEXT(name), TEXT(value)};
ROWS_TABLE(jr_compact_settings, "the settings", settings);
#undef T

/* --- host ranges ----------------------------------------------------------------------------- */

#define T struct jr_host_ranges
static const struct jr_compact_column host[] = {
	NUMBER(size_bytes), NUMBER(n_odd), NUMBER(cut_line), NUMBER(n_bereft), NUMBER(n_executions)};
ROWS_TABLE(jr_compact_host, "the host ranges", host);

static const struct jr_compact_column host_rows[] = {ARRAY(name, PLAIN, BELOW, STRINGS, false),
	ARRAY(start_ns, START, TIME, 0, false), ARRAY(end_ns, END, TIME, 0, false),
	ARRAY(child_ns, PLAIN, ANY, 0, false), ARRAY(self_ns, REST, ANY, 0, false),
	ARRAY(pid, STEP, ANY, 0, false), ARRAY(tid, STEP, ANY, 0, false),
	ARRAY(range_id, STEP, ANY, 0, false), ARRAY(parent_id, STEP, ANY, 0, false)};
ARRAYS_TABLE(jr_compact_host_rows, "the host ranges", host_rows);
#undef T

/* --- the rank -------------------------------------------------------------------------------- */

#define T struct jr_digest_rank
static const struct jr_compact_column rank[] = {
	FLAG(has_trace), FLAG(has_host), NUMBER(pid), NUMBER(bytes_read), NUMBER(identity)};
ROWS_TABLE(jr_compact_rank, "the rank", rank);
#undef T

#define T struct jr_digest_program
static const struct jr_compact_column programs[] = {
	FIELD(number, STEP, ANY, 0), FLAG(is_text), FLAG(is_found)};
ROWS_TABLE(jr_compact_rank_programs, "the programs", programs);
#undef T
