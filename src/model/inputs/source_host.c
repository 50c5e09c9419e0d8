/* A push/pop trace alone. */
#include "base/file.h"
#include "model/inputs/source.h"

static void read_no_trace(struct jr_source *s)
{
	(void)s; /* a push/pop trace tells of the host only */
}

static void read_host_file(struct jr_source *s)
{
	struct jr_file_map map;
	struct jr_error *err = &s->host_error;
	enum jr_status status = jr_file_map(s->path, &map, err);
	if (status != JR_OK)
		return;
	status = jr_host_ranges_read(map.bytes, s->limits, &s->host, err);
	jr_file_unmap(&map);
	s->has_host = status == JR_OK;
	if (s->has_host)
		jr_source_count_bytes(s, s->host.size_bytes);
}

static bool knows_devices(const struct jr_source *s)
{
	(void)s; /* nor of GPUs: there is nothing to describe */
	return true;
}

static uint64_t identity(const struct jr_source *s, const struct jr_input *input)
{
	(void)s;
	(void)input;
	return 0;
}

void jr_source_init_host(struct jr_source *s, uint32_t input, const char *name, const char *path,
	uint64_t size_bytes, const struct jr_limits *limits)
{
	static const struct jr_source_type type = {.read_trace = read_no_trace,
		.knows_devices = knows_devices,
		.read_host = read_host_file,
		.identity = identity,
		.nothing = "holds no push/pop trace"};
	jr_source_begin(s, &type, input, name, limits);
	s->path = path;
	s->host_bytes = size_bytes;
}
