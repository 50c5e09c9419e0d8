/* Names of ranges, and look-up of the threads of an export. */
#include "base/order.h"
#include "model/export/export.h"

/* Threads are sorted by id; its upper bits are the process. */
static size_t first_thread_from(const struct jr_timeline *s, uint64_t process)
{
	size_t lo = 0, hi = s->n_threads;
	JR_SEARCH(lo, hi, mid, s->threads[mid].process < process);
	return lo;
}

struct jr_slice jr_export_threads_of(const struct jr_export *x, uint32_t process)
{
	return (struct jr_slice){
		first_thread_from(&x->rows, process), first_thread_from(&x->rows, (uint64_t)process + 1)};
}

struct jr_slice jr_export_ranges_of(const struct jr_export *x, size_t part)
{
	if (part == SIZE_MAX)
		return (struct jr_slice){0, x->n_order};
	struct jr_slice threads = jr_export_threads_of(x, x->parts[part]);
	return (struct jr_slice){x->first_of_thread[threads.begin], x->first_of_thread[threads.end]};
}

uint32_t jr_export_put_name(const struct jr_export *x, uint32_t row, struct jr_map *seen,
	struct jr_intern *strings, struct jr_buf *joined)
{
	const struct jr_timeline_nvtx *t = &x->rows.nvtx;
	return jr_export_put_text(x, t->scope[row], t->text[row], seen, strings, joined);
}

uint32_t jr_export_put_text(const struct jr_export *x, uint32_t scope, uint32_t text,
	struct jr_map *seen, struct jr_intern *strings, struct jr_buf *joined)
{
	const struct jr_timeline *s = &x->rows;
	uint32_t domain = s->scopes[scope].domain_name;
	uint64_t key = jr_key2(domain, text);
	uint32_t id = jr_map_get(seen, key);
	if (id != JR_NONE)
		return id;
	joined->size = 0;
	if (domain) {
		jr_buf_add(joined, jr_intern_str(&s->strings, domain), jr_intern_len(&s->strings, domain));
		jr_buf_putc(joined, ':');
	}
	jr_buf_add(joined, jr_intern_str(&s->strings, text), jr_intern_len(&s->strings, text));
	id = jr_intern_put(strings, joined->data ? joined->data : "", joined->size);
	jr_map_put(seen, key, id);
	return id;
}
