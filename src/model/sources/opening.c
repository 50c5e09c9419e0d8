#include "model/sources/opening.h"

#include <sys/stat.h>

#include "base/file.h"

struct jr_source *jr_opening_source(struct jr_opening *o)
{
	return jr_vec_add(&o->sources->list);
}

uint64_t jr_opening_file_bytes(const struct jr_opening *o)
{
	struct stat st;
	return stat(o->named, &st) == 0 && st.st_size > 0 ? (uint64_t)st.st_size : 0;
}

/* --run chooses among runs, so it is an error if there are none. */
enum jr_status jr_opening_no_runs(const struct jr_opening *o, struct jr_error *err)
{
	const char *run = o->profile->options.run;
	if (!run)
		return JR_OK;
	return jr_fail(err, JR_EUSAGE,
		"'%s' is %s, which contains no runs of jax.profiler for --run. Use the folder that "
		"contains run '%s' as input, or omit --run.",
		o->input->name, o->input->kind->noun, run);
}

void jr_host_tell(
	const struct jr_host_listener *to, const char *profile, struct jr_host_ranges *ranges)
{
	to->tell(to->context, profile, ranges);
	jr_host_ranges_done(ranges);
}

enum jr_status jr_host_tell_bytes(const struct jr_host_listener *to, const char *profile,
	struct jr_bytes bytes, struct jr_error *err)
{
	struct jr_host_ranges ranges;
	JR_TRY(jr_host_ranges_read(bytes, to->limits, &ranges, err));
	jr_host_tell(to, profile, &ranges);
	return JR_OK;
}

enum jr_status jr_host_tell_file(
	const char *path, const struct jr_host_listener *to, struct jr_error *err)
{
	JR_CLEANUP(jr_file_unmap) struct jr_file_map map = {0};
	JR_TRY(jr_file_map(path, &map, err));
	enum jr_status status = jr_host_tell_bytes(to, NULL, map.bytes, err);
	return status == JR_OK ? JR_OK : jr_context(err, status, "'%s'", path);
}
