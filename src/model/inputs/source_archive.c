/* A process of an archive or folder of nsys-jax. */
#include "base/cleanup.h"
#include "formats/archive/archive_copy.h"
#include "formats/parquet/parquet.h"
#include "model/build/build.h"
#include "model/inputs/source.h"

/* By its first bytes before all of it is unpacked, for which there may be no memory. */
static enum jr_status read_parquet(
	struct jr_source *s, size_t member, struct jr_content *out, struct jr_error *err)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf head = {0};
	JR_TRY(jr_archive_head(s->archive, member, JR_PARQUET_HEAD_BYTES, &head, err));
	JR_TRY(
		jr_parquet_begins(jr_buf_view(&head), jr_archive_at(s->archive, member)->size_bytes, err));
	return jr_source_read_member(s, member, out, err);
}

typedef enum jr_status (*metadata_fn)(
	struct jr_metadata *, struct jr_bytes, const struct jr_limits *, struct jr_error *);

static void read_metadata(struct jr_source *s, const char *path, metadata_fn reader)
{
	size_t member = jr_source_locate(s, path);
	if (member == SIZE_MAX)
		return;
	JR_CLEANUP(jr_content_done) struct jr_content file = {0};
	struct jr_error err = {0};
	enum jr_status status = read_parquet(s, member, &file, &err);
	if (status == JR_OK)
		status = reader(&s->metadata, file.bytes, s->limits, &err);
	if (status != JR_OK && s->metadata_error.status == JR_OK) {
		(void)jr_context(&err, status, "%s", path);
		s->metadata_error = err;
	}
}

static void read_trace(struct jr_source *s)
{
	size_t member = jr_source_locate(s, JR_MEMBER_TRACE);
	if (member == SIZE_MAX) {
		(void)jr_fail(&s->trace_error, JR_ENOTFOUND, "'%s' holds no " JR_MEMBER_TRACE "%s", s->name,
			s->archive && jr_archive_link_of(s->archive, JR_MEMBER_TRACE)
				? ": in its place is a link, which is not followed"
				: "");
		return;
	}
	JR_CLEANUP(jr_content_done) struct jr_content file = {0};
	enum jr_status status = read_parquet(s, member, &file, &s->trace_error);
	if (status == JR_OK)
		status = jr_trace_read(file.bytes, s->limits, &s->trace, &s->trace_error);
	if (status != JR_OK)
		(void)jr_context(&s->trace_error, status, "%s", JR_MEMBER_TRACE);
	s->has_trace = status == JR_OK;
	if (s->has_trace && s->trace.n)
		s->pid = s->trace.pid[0];
}

static void read_archive_trace(struct jr_source *s)
{
	read_metadata(s, JR_MEMBER_THREADS, jr_metadata_read_threads);
	read_metadata(s, JR_MEMBER_DEVICES, jr_metadata_read_devices);
	read_metadata(s, JR_MEMBER_SYSTEM, jr_metadata_read_system);
	read_trace(s);
	s->host_member = jr_source_locate(s, JR_MEMBER_HOST_PARQUET);
	if (s->host_member == SIZE_MAX)
		s->host_member = jr_source_locate(s, JR_MEMBER_HOST_CSV);
	s->host_bytes = jr_source_packed_bytes(s->archive, s->host_member);
}

static void read_archive_host(struct jr_source *s)
{
	if (s->host_member == SIZE_MAX)
		return;
	JR_CLEANUP(jr_content_done) struct jr_content file = {0};
	struct jr_error *err = &s->host_error;
	enum jr_status status = jr_source_read_member(s, s->host_member, &file, err);
	if (status == JR_OK)
		status = jr_host_ranges_read(file.bytes, s->limits, &s->host, err);
	if (status != JR_OK)
		jr_source_damaged_member(err, status, s->archive, s->host_member);
	s->has_host = status == JR_OK;
}

/* Archives from before July 2024 have no metadata of devices. */
static bool knows_devices(const struct jr_source *s)
{
	return s->metadata.n_gpus > 0;
}

/* By checksum and size of the trace. */
static uint64_t identity(const struct jr_source *s, const struct jr_input *input)
{
	(void)input;
	size_t member = jr_source_locate(s, JR_MEMBER_TRACE);
	uint32_t crc32;
	if (member == SIZE_MAX || jr_archive_checksum(s->archive, member, &crc32, NULL) != JR_OK)
		return 0;
	return jr_key2(crc32, (uint32_t)jr_archive_at(s->archive, member)->size_bytes);
}

static void thread_devices(
	struct jr_source *s, struct jr_build *build, uint32_t process, struct jr_thread_devices *out)
{
	jr_devices_add(build, process, &s->trace, &s->metadata, out);
}

void jr_source_init(struct jr_source *s, uint32_t input, const char *name, const char *subname,
	struct jr_archive *archive, const struct jr_limits *limits)
{
	static const struct jr_source_type type = {.read_trace = read_archive_trace,
		.knows_devices = knows_devices,
		.read_host = read_archive_host,
		.identity = identity,
		.thread_devices = thread_devices,
		.no_compilation = "the input holds no " JR_MEMBER_HOST_CSV " or .parquet"};
	jr_source_begin(s, &type, input, name, limits);
	s->subname = subname;
	s->archive = archive;
}
