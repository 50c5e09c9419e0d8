/* A push/pop trace of nsys stats without an archive. It contains only compilation. */
#include "base/file.h"
#include "formats/text/csv.h"
#include "model/sources/opening.h"

static void read_host_file(struct jr_source *s)
{
	struct jr_file_map map;
	struct jr_error *err = &s->host_error;
	enum jr_status status = jr_file_map(s->path, &map, err);
	if (status != JR_OK)
		return;
	jr_file_map_watch(&map, &s->shrank);
	status = jr_host_ranges_read(map.bytes, s->limits, &s->host, err);
	jr_file_unmap(&map);
	s->has_host = status == JR_OK;
	if (s->has_host)
		jr_source_count_bytes(s, s->host.size_bytes);
}

/* CSV, CSV in xz, or Parquet. For the compressed forms only the magic is checked; the content is
 * checked when it is read. */
static int probe(const struct jr_input_head *head)
{
	static const uint8_t xz_magic[] = {0xFD, '7', 'z', 'X', 'Z', 0};
	if (jr_input_begins(head, xz_magic, sizeof(xz_magic)))
		return 48;
	if (jr_input_begins(head, "PAR1", 4))
		return 32;
	struct jr_csv csv;
	enum jr_status status = jr_csv_open(&csv, head->bytes, "RangeId", head->limits, NULL);
	jr_csv_done(&csv);
	return status == JR_OK ? 56 : 0;
}

static enum jr_status open(struct jr_opening *o, struct jr_error *err)
{
	static const struct jr_source_type type = {
		.read_host = read_host_file, .nothing = "contains no push/pop trace"};
	(void)err; /* opened when it is read */
	struct jr_source *s = jr_opening_source(o);
	jr_source_begin(s, &type, o->row, o->stem, o->limits);
	s->path = o->path;
	s->host_bytes = o->input->size_bytes = jr_opening_file_bytes(o);
	return JR_OK;
}

const struct jr_input_ops jr_input_nvtx_csv = {
	.label = "nvtx-csv",
	.noun = "a push/pop trace",
	.help = "a CSV file from nsys stats --report nvtx_pushpop_trace, which covers only compilation",
	.suffixes = {".csv.xz", ".csv", ".parquet"},
	.probe = probe,
	.open = open,
	.read_host = jr_host_tell_file,
};
