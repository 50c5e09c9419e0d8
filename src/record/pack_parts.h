/*
 * pack_parts.h - what jr_pack() consists of. Private to pack*.c.
 * Layer: record.
 */
#ifndef JR_RECORD_PACK_PARTS_H
#define JR_RECORD_PACK_PARTS_H

#include "formats/archive/zip_writer.h"
#include "model/export/export_ranges.h"
#include "model/sources/source.h"
#include "record/frame.h"
#include "record/pack.h"

/* A file that dumps name and the archive is without. */
struct jr_left_out {
	const char *file, *why;
};

struct jr_packing {
	const struct jr_pack_job *job;
	struct jr_pack_told *told;
	struct jr_zip_writer zip;
	unsigned groups_fields; /* enum jr_hlo_groups_field: used by some dump */
	struct jr_intern files; /* that dumps name; id 0 is none */
	JR_VEC(struct jr_left_out) left_out;
	uint64_t most_text_bytes;            /* of a table */
	JR_VEC(const char *) dumps_left_out; /* no regular files, not readable, or there twice */
	JR_VEC(const char *) changed;        /* sources that were written when the run had begun */
	struct jr_arena arena;
};

/** Add a member; counted. */
enum jr_status jr_pack_member(struct jr_packing *packing, const char *name, struct jr_bytes content,
	bool deflate, struct jr_error *err) JR_MUST_CHECK;

/** A member that is a table; what else it wants is of the job. */
void jr_pack_frame(struct jr_packing *packing, struct jr_frame *frame,
	const struct jr_pq_put_column *columns, size_t n_index, const char *member);
/** It is whole; counted. */
enum jr_status jr_pack_frame_end(
	struct jr_packing *packing, struct jr_frame *frame, struct jr_error *err) JR_MUST_CHECK;

/** trace.parquet, unless no range has GPU work, and the push/pop table, which may be of no row. */
enum jr_status jr_pack_ranges(struct jr_packing *packing, struct jr_export_ranges *ranges,
	struct jr_error *err) JR_MUST_CHECK;
/** thread-, device- and system-metadata.parquet. */
enum jr_status jr_pack_metadata(
	struct jr_packing *packing, const struct jr_export *x, struct jr_error *err) JR_MUST_CHECK;
/** dump/, and what dumps say of sources and of the schema's fields. */
enum jr_status jr_pack_dumps(struct jr_packing *packing, struct jr_error *err) JR_MUST_CHECK;
/** protos/ of job->protos_dir: xla/ and third_party/tsl/tsl/. JR_EIO; JR_ELIMIT beyond what XLA
 * has. */
enum jr_status jr_pack_protos(struct jr_packing *packing, struct jr_error *err) JR_MUST_CHECK;
/** sources/, after the dumps. */
enum jr_status jr_pack_sources(struct jr_packing *packing, struct jr_error *err) JR_MUST_CHECK;

#endif
