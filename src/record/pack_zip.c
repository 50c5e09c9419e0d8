/* Members of the archive, and members that are tables and are written in pieces. */
#include "record/pack_parts.h"

enum jr_status jr_pack_member(struct jr_packing *p, const char *name, struct jr_bytes content,
	bool deflate, struct jr_error *err)
{
	p->told->n_members++;
	return jr_zip_writer_add(&p->zip, name, content, deflate, err);
}

void jr_pack_frame(struct jr_packing *p, struct jr_frame *frame,
	const struct jr_pq_put_column *columns, size_t n_index, const char *member)
{
	const struct jr_frame_place place = {
		&p->zip, member, p->job->version, p->job->n_threads, p->most_text_bytes};
	jr_frame_begin(frame, columns, n_index, &place);
}

enum jr_status jr_pack_frame_end(struct jr_packing *p, struct jr_frame *frame, struct jr_error *err)
{
	p->told->n_members++;
	return jr_frame_end(frame, err);
}
