#include "formats/archive/archive_combine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/order.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/vec.h"
#include "formats/archive/archive_copy.h"

#define REPORT_SUFFIX ".nsys-rep"
/* All inputs together may have this many times the members of one. */
#define INPUTS_OF_MEMBERS 40

/* A member of an archive, with its name in the process's own archive. */
struct member {
	uint32_t name; /* id in planner.names */
	uint32_t part; /* of a combined archive; JR_NONE: belongs to all parts */
	size_t index;
	uint64_t position;
	bool report;
};

/* A member of a process, with the facts that distinguish versions. */
struct candidate {
	uint32_t name;
	uint32_t process;
	size_t input, member;
	uint64_t size_bytes;
	uint32_t crc32;
};

/* Comparison of the processes' members with one name. */
struct group {
	size_t first; /* candidate; SIZE_MAX = none yet */
	size_t n;
	bool differs;
};

struct planner {
	const struct jr_combine_input *inputs;
	const struct jr_combine_rules *rules;
	struct jr_intern names;
	JR_VEC(struct member) members; /* of the current input */
	JR_VEC(struct candidate) candidates;
	JR_VEC(const char *) processes;
};

/* --- members of each process ----------------------------------------------------------------- */

static bool is_report(const char *name, size_t n)
{
	size_t m = strlen(REPORT_SUFFIX);
	return n >= m && memcmp(name + n - m, REPORT_SUFFIX, m) == 0;
}

JR_ORDER(by_position, struct member, JR_UP(position))

/* Determine name and part of a member. `parts` has the names of a combined archive's parts as ids
 * 1, 2, ... */
static struct member classify(struct planner *p, const struct jr_intern *parts, const char *name)
{
	struct member m = {.part = JR_NONE};
	size_t n = strlen(name);
	const char *slash = parts ? strrchr(name, '/') : NULL;
	uint32_t id = slash ? jr_intern_find(parts, slash + 1, strlen(slash + 1)) : JR_NONE;
	if (id != JR_NONE && id > 0) {
		m.part = id - 1;
		n = (size_t)(slash - name);
	}
	m.report = is_report(name, n);
	if (parts && m.report && m.part == JR_NONE) {
		id = jr_intern_find(parts, name, n - strlen(REPORT_SUFFIX));
		m.part = id != JR_NONE && id > 0 ? id - 1 : 0;
	}
	m.name = jr_intern_put(&p->names, name, n);
	return m;
}

static void list_members(struct planner *p, const struct jr_combine_input *input)
{
	struct jr_intern parts;
	jr_intern_init(&parts);
	for (size_t i = 0; input->parts && i < input->n; i++)
		(void)jr_intern_puts(&parts, input->parts[i]);
	p->members.n = 0;
	for (size_t i = 0; i < jr_archive_count(input->archive); i++) {
		struct member m =
			classify(p, input->parts ? &parts : NULL, jr_archive_at(input->archive, i)->name);
		m.index = i;
		m.position = jr_archive_position(input->archive, i);
		*jr_vec_add(&p->members) = m;
	}
	jr_sort(p->members.items, p->members.n, sizeof(*p->members.items), by_position);
	jr_intern_done(&parts);
}

static bool keeps_report(const struct planner *p)
{
	size_t process = p->processes.n - 1;
	enum jr_keep_reports keep = p->rules->keep;
	return keep == JR_KEEP_ALL || (keep == JR_KEEP_FIRST && process == 0);
}

static enum jr_status add_candidate(
	struct planner *p, size_t input, const struct member *m, struct jr_error *err)
{
	struct jr_archive *archive = p->inputs[input].archive;
	struct candidate c = {
		.name = m->name,
		.process = (uint32_t)(p->processes.n - 1),
		.input = input,
		.member = m->index,
		.size_bytes = jr_archive_at(archive, m->index)->size_bytes,
	};
	uint64_t most = p->rules->limits->members;
	if (p->candidates.n / INPUTS_OF_MEMBERS >= most)
		return jr_fail(err, JR_ELIMIT,
			"the inputs contain more than %d times %" PRIu64 " members (--max-members)",
			INPUTS_OF_MEMBERS, most);
	JR_TRY(jr_archive_checksum(archive, m->index, &c.crc32, err));
	*jr_vec_add(&p->candidates) = c;
	return JR_OK;
}

/* Add the members of one process: its own versions, and the shared members for which it has none.
 */
static enum jr_status add_process(
	struct planner *p, size_t input, uint32_t part, struct jr_map *own, struct jr_error *err)
{
	for (size_t i = 0; i < p->members.n; i++)
		if (p->members.items[i].part == part)
			jr_map_put(own, jr_key2(part, p->members.items[i].name), 1);
	for (size_t i = 0; i < p->members.n; i++) {
		const struct member *m = &p->members.items[i];
		bool mine = m->part == part ||
					(m->part == JR_NONE && jr_map_get(own, jr_key2(part, m->name)) == JR_NONE);
		if (mine && (!m->report || keeps_report(p)))
			JR_TRY(add_candidate(p, input, m, err));
	}
	return JR_OK;
}

static enum jr_status add_input(struct planner *p, size_t input, struct jr_error *err)
{
	const struct jr_combine_input *in = &p->inputs[input];
	JR_CLEANUP(jr_map_done) struct jr_map own = {0};
	enum jr_status status = JR_OK;
	list_members(p, in);
	for (size_t i = 0; i < in->n && status == JR_OK; i++) {
		*jr_vec_add(&p->processes) = in->names[i];
		status = add_process(p, input, (uint32_t)i, &own, err);
	}
	return status;
}

/* --- the plan -------------------------------------------------------------------------------- */

static struct group *group_candidates(const struct planner *p)
{
	struct group *groups = jr_calloc(p->names.n + 1, sizeof(*groups));
	for (size_t i = 0; i < p->names.n; i++)
		groups[i].first = SIZE_MAX;
	for (size_t i = 0; i < p->candidates.n; i++) {
		const struct candidate *c = &p->candidates.items[i];
		struct group *g = &groups[c->name];
		if (g->first == SIZE_MAX)
			g->first = i;
		const struct candidate *first = &p->candidates.items[g->first];
		g->n++;
		g->differs |= c->crc32 != first->crc32 || c->size_bytes != first->size_bytes;
	}
	for (const char *const *own = p->rules->own; *own; own++) {
		uint32_t name = jr_intern_find(&p->names, *own, strlen(*own));
		if (name != JR_NONE && groups[name].n && groups[name].n < p->processes.n)
			groups[name].differs = true;
	}
	return groups;
}

static enum jr_status check_distinct(
	const struct jr_combine_plan *plan, struct jr_intern *seen, struct jr_error *err)
{
	for (size_t i = 0; i < plan->n; i++) {
		size_t before = seen->n;
		(void)jr_intern_puts(seen, plan->items[i].name);
		if (seen->n > before)
			continue;
		struct jr_buf clean = {0};
		jr_text_clean(&clean, plan->items[i].name, strlen(plan->items[i].name));
		enum jr_status status =
			jr_fail(err, JR_EFORMAT, "two members would both be named '%s'", clean.data);
		jr_buf_done(&clean);
		return status;
	}
	return JR_OK;
}

static void list_items(
	const struct planner *p, const struct group *groups, struct jr_combine_plan *plan)
{
	plan->items = JR_ARENA_N(&plan->arena, struct jr_combine_item, p->candidates.n + 1);
	for (size_t i = 0; i < p->candidates.n; i++) {
		const struct candidate *c = &p->candidates.items[i];
		const struct group *g = &groups[c->name];
		if (!g->differs && g->first != i)
			continue;
		const char *name = jr_intern_str(&p->names, c->name);
		plan->items[plan->n++] = (struct jr_combine_item){
			.name = g->differs ? jr_arena_printf(
									 &plan->arena, "%s/%s", name, p->processes.items[c->process])
							   : jr_arena_strdup(&plan->arena, name),
			.input = c->input,
			.member = c->member,
			.crc32 = c->crc32,
		};
		plan->n_shared += !g->differs && g->n > 1;
		plan->n_split += g->differs;
		plan->total_bytes += jr_archive_at(p->inputs[c->input].archive, c->member)->packed_bytes;
	}
}

enum jr_status jr_combine_plan(const struct jr_combine_input *inputs, size_t n,
	const struct jr_combine_rules *rules, struct jr_combine_plan *plan, struct jr_error *err)
{
	*plan = (struct jr_combine_plan){0};
	jr_arena_init(&plan->arena, 0);
	struct planner p = {.inputs = inputs, .rules = rules};
	jr_intern_init(&p.names);
	enum jr_status status = JR_OK;
	for (size_t i = 0; i < n && status == JR_OK; i++)
		status = add_input(&p, i, err);
	if (status == JR_OK) {
		struct group *groups = group_candidates(&p);
		list_items(&p, groups, plan);
		free(groups);
		struct jr_intern seen;
		jr_intern_init(&seen);
		status = check_distinct(plan, &seen, err);
		jr_intern_done(&seen);
	}
	jr_vec_done(&p.members);
	jr_vec_done(&p.candidates);
	jr_vec_done(&p.processes);
	jr_intern_done(&p.names);
	return status;
}

void jr_combine_plan_done(struct jr_combine_plan *plan)
{
	jr_arena_done(&plan->arena);
	*plan = (struct jr_combine_plan){0};
}

/* --- writing --------------------------------------------------------------------------------- */

struct writing {
	struct jr_zip_writer zip;
	void (*step)(void *context, uint64_t done_bytes, uint64_t total_bytes);
	void *context;
	struct jr_zip_entry entry; /* current; its header is written before its first byte */
	bool begun;
	uint64_t done_bytes, total_bytes;
};

static enum jr_status begin_entry(struct writing *w, struct jr_error *err)
{
	if (w->begun)
		return JR_OK;
	w->begun = true;
	return jr_zip_writer_entry(&w->zip, &w->entry, err);
}

static enum jr_status on_piece(void *context, const void *bytes, size_t n, struct jr_error *err)
{
	struct writing *w = context;
	JR_TRY(begin_entry(w, err));
	JR_TRY(jr_zip_writer_data(&w->zip, bytes, n, err));
	w->done_bytes += n;
	if (w->step)
		w->step(w->context, w->done_bytes, w->total_bytes);
	return JR_OK;
}

static enum jr_status write_item(struct writing *w, struct jr_archive *archive,
	const struct jr_combine_item *item, struct jr_error *err)
{
	jr_archive_describe(archive, item->member, item->crc32, &w->entry);
	w->entry.name = item->name;
	w->begun = false;
	JR_TRY(jr_archive_copy(archive, item->member, item->crc32, on_piece, w, err));
	return begin_entry(w, err); /* for an empty entry */
}

enum jr_status jr_combine_write(const struct jr_combine_plan *plan,
	const struct jr_combine_input *inputs, struct jr_outfile *file,
	void (*step)(void *context, uint64_t done_bytes, uint64_t total_bytes), void *context,
	struct jr_error *err)
{
	struct writing w = {.step = step, .context = context, .total_bytes = plan->total_bytes};
	jr_zip_writer_init(&w.zip, file);
	enum jr_status status = JR_OK;
	for (size_t i = 0; i < plan->n && status == JR_OK; i++)
		status = write_item(&w, inputs[plan->items[i].input].archive, &plan->items[i], err);
	if (status == JR_OK)
		status = jr_zip_writer_finish(&w.zip, err);
	jr_zip_writer_done(&w.zip);
	return status;
}
