#include "formats/xspace/xspace.h"

#include "base/cleanup.h"
#include "base/text.h"
#include "formats/timeline_build.h"
#include "formats/xspace/xspace_parts.h"

/* A plane's name begins with "/", with these exceptions. In other protobufs a message (HloProto) or
 * any text is at this position. */
static bool is_plane_name(struct jr_bytes name)
{
	static const char *const others[] = {"Task Environment", "Host CPUs", "#Chip", "Syscalls"};
	for (size_t i = 0; i < JR_COUNT_OF(others); i++)
		if (jr_xspace_begins_with(name, others[i]))
			return true;
	return name.size > 1 && name.data[0] == '/';
}

bool jr_xspace_begins(struct jr_bytes head, uint64_t size_bytes)
{
	struct jr_reader r = jr_reader_of(head);
	uint64_t tag, length, number;
	if (!jr_reader_varint(&r, &tag) || !jr_reader_varint(&r, &length))
		return false;
	uint64_t left = size_bytes > r.pos ? size_bytes - r.pos : 0;
	if (tag == (2 << 3 | JR_WIRE_BYTES)) { /* an error; there are no planes */
		struct jr_bytes text;
		uint64_t shown = length < jr_reader_left(&r) ? length : jr_reader_left(&r);
		return length > 0 && length <= left && jr_reader_take(&r, shown, &text) &&
			   jr_text_is_clean((const char *)text.data, text.size);
	}
	if (tag != (1 << 3 | JR_WIRE_BYTES) || length > left || !jr_reader_varint(&r, &tag))
		return false;
	if (tag == (1 << 3 | JR_WIRE_VARINT) &&
		(!jr_reader_varint(&r, &number) || !jr_reader_varint(&r, &tag)))
		return false;
	struct jr_bytes name;
	return tag == (2 << 3 | JR_WIRE_BYTES) && jr_reader_varint(&r, &length) &&
		   jr_reader_take(&r, length, &name) && is_plane_name(name);
}

static void plane_done(struct jr_xplane *plane)
{
	jr_vec_done(&plane->lines);
	jr_vec_done(&plane->stat_metas);
	jr_vec_done(&plane->event_metas);
	jr_vec_done(&plane->event_ids);
	jr_map_done(&plane->stat_rows.sparse);
	jr_map_done(&plane->event_rows.sparse);
}

/* --- entry points ----------------------------------------------------------------------------- */

void jr_xspace_done(struct jr_xspace *x)
{
	if (!x)
		return;
	jr_arena_done(&x->placing);
	jr_timeline_done(&x->rows); /* its arena owns all other memory */
}

static void reading_done(struct jr_xreading *r)
{
	for (size_t i = 0; i < r->planes.n; i++)
		plane_done(&r->planes.items[i]);
	jr_vec_done(&r->planes);
	jr_vec_done(&r->gpus);
	jr_vec_done(&r->configs);
	jr_vec_done(&r->labels);
	jr_vec_done(&r->said);
	jr_vec_done(&r->modules);
	jr_vec_done(&r->ops);
	jr_vec_done(&r->lane_events);
	jr_vec_done(&r->steps);
	jr_vec_done(&r->programs);
	jr_vec_done(&r->memory);
	jr_vec_done(&r->scope_parents);
	jr_map_done(&r->config_rows);
	jr_map_done(&r->label_rows);
	jr_map_done(&r->said_rows);
	jr_map_done(&r->scope_rows);
	jr_vec_done(&r->dense_scopes);
	jr_map_done(&r->brief_of);
}

enum jr_status jr_xspace_read(
	struct jr_bytes in, const struct jr_limits *limits, struct jr_xspace *out, struct jr_error *err)
{
	struct jr_xspace x = {0};
	struct jr_xreading r = {.x = &x, .limits = limits, .in = in};
	jr_arena_init(&x.placing, limits->memory_bytes);
	jr_timeline_begin(&x.rows, limits);
	enum jr_status status = jr_xspace_read_top(&r, err);
	if (status == JR_OK)
		status = jr_xspace_read_planes(&r, err);
	reading_done(&r);
	if (status == JR_OK)
		*out = x;
	else
		jr_xspace_done(&x);
	return status;
}
