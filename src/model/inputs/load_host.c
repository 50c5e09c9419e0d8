#include "model/inputs/load_host.h"

#include "base/file.h"
#include "formats/archive/foreign.h"
#include "model/inputs/input.h"
#include "model/inputs/nothing_within.h"
#include "model/kinds/kinds.h"

/* Read a file of unknown kind. If there is no hint about it, reading it as a trace gives the most
 * useful error. */
static enum jr_status read_unknown(
	const char *path, const struct jr_host_listener *to, struct jr_error *err)
{
	struct jr_file_map map;
	JR_TRY(jr_file_map(path, &map, err));
	const char *hint = map.bytes.size ? jr_foreign_hint(map.bytes) : jr_empty_hint(path);
	jr_file_unmap(&map);
	if (hint)
		return jr_fail(err, JR_EFORMAT, "'%s' %s", path, hint);
	return jr_host_tell_file(path, to, err);
}

enum jr_status jr_load_host_ranges(const char *path, const struct jr_limits *limits,
	jr_host_ranges_fn tell, void *context, struct jr_error *err)
{
	const struct jr_host_listener to = {limits, tell, context, jr_hint_within, jr_input_kinds};
	if (!jr_input_known(path, limits))
		return read_unknown(path, &to, err);
	const struct jr_input_ops *kind = jr_input_probe(path, limits);
	if (!kind->read_host)
		return jr_fail(err, JR_ENOTFOUND, "'%s' is %s, which does not contain compile ranges", path,
			kind->noun);
	return kind->read_host(path, &to, err);
}
