/*
 * pack_parts.h - the parts of jr_pack(). Private to pack*.c.
 * Layer: record.
 */
#ifndef JR_RECORD_PACK_PARTS_H
#define JR_RECORD_PACK_PARTS_H

#include "formats/archive/zip_writer.h"
#include "model/export/export_ranges.h"
#include "model/sources/source.h"
#include "record/frame.h"
#include "record/pack.h"

/* A file that dumps name but the archive lacks. */
struct jr_left_out {
	const char *file, *why;
};

struct jr_packing {
	const struct jr_pack_job *job;
	struct jr_pack_told *told;
	struct jr_zip_writer zip;
	unsigned groups_fields; /* bits of enum jr_hlo_groups_field that any dump uses */
	struct jr_intern files; /* named by dumps; id 0 is none */
	JR_VEC(struct jr_left_out) left_out;
	uint64_t most_text_bytes;            /* per table */
	JR_VEC(const char *) dumps_left_out; /* not regular, not readable, or duplicate */
	JR_VEC(const char *) changed;        /* sources written after the run began */
	struct jr_arena arena;
};

/** Add a member and count it. */
enum jr_status jr_pack_member(struct jr_packing *packing, const char *name, struct jr_bytes content,
	bool deflate, struct jr_error *err) JR_MUST_CHECK;

/** Begin a member that is a table; its other settings come from the job. */
void jr_pack_frame(struct jr_packing *packing, struct jr_frame *frame,
	const struct jr_pq_put_column *columns, size_t n_index, const char *member);
/** End that member and count it. */
enum jr_status jr_pack_frame_end(
	struct jr_packing *packing, struct jr_frame *frame, struct jr_error *err) JR_MUST_CHECK;

/** Write trace.parquet, unless no range has GPU work, and the push/pop table, which may have no
 * rows. */
enum jr_status jr_pack_ranges(struct jr_packing *packing, struct jr_export_ranges *ranges,
	struct jr_error *err) JR_MUST_CHECK;
/** Write thread-, device- and system-metadata.parquet. */
enum jr_status jr_pack_metadata(
	struct jr_packing *packing, const struct jr_export *x, struct jr_error *err) JR_MUST_CHECK;
/** Write dump/, and collect the sources and schema fields that dumps name. */
enum jr_status jr_pack_dumps(struct jr_packing *packing, struct jr_error *err) JR_MUST_CHECK;
/** Write protos/ from job->protos_dir: xla/ and third_party/tsl/tsl/. JR_EIO; JR_ELIMIT more files
 * than XLA has. */
enum jr_status jr_pack_protos(struct jr_packing *packing, struct jr_error *err) JR_MUST_CHECK;
/** Write sources/; call it after jr_pack_dumps(). */
enum jr_status jr_pack_sources(struct jr_packing *packing, struct jr_error *err) JR_MUST_CHECK;

#endif
