#include "model/sources/oddities.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "model/digest/digests.h"
#include "model/sources/input_kind.h"

void jr_tell_archives(struct jr_profile *p, struct jr_archive *const *archives)
{
	for (size_t i = 0; i < p->n_inputs; i++) {
		if (archives[i] && jr_archive_rejected(archives[i]))
			jr_profile_guess(p, "members-left-out", jr_archive_rejected(archives[i]),
				"members of an archive are left out if their names lead out of it or occur twice");
		if (archives[i] && jr_archive_links(archives[i]))
			jr_profile_guess(p, "links-left-out", jr_archive_links(archives[i]),
				"symbolic links in an input folder are not followed. Replace them with the files, "
				"as `git annex unlock` does");
	}
}

void jr_tell_in_folder(struct jr_profile *p)
{
	jr_profile_guess(p, "profile-in-folder", 1,
		"inputs contain the files of the profile in a subfolder, which was read instead");
}

void jr_tell_host(struct jr_profile *p, struct jr_source *s, const char *label)
{
	const char *cut = jr_host_ranges_cut(&s->host, &s->arena);
	if (cut)
		jr_profile_missing(p, "rest of the push/pop trace",
			jr_arena_printf(&s->arena, "'%s': the push/pop trace %s", label, cut));
	jr_profile_guess(p, "odd-csv-rows", s->host.n_odd,
		"rows of a push/pop trace have names with quotes or line breaks, which nsys does not "
		"escape in CSV; they are read by the columns around them");
}

void jr_tell_no_dump(struct jr_profile *p, struct jr_source *s, const struct jr_dump *d)
{
	const char *no_dumps = s->dumps ? NULL : s->type->no_dumps;
	if (no_dumps && d == &s->programs[0])
		jr_profile_missing(p, "hlo", no_dumps);
	else if (!no_dumps)
		jr_profile_missing(p, "hlo",
			jr_arena_printf(&s->arena, "no HLO dump of program %" PRId64 " (%s) in '%s'", d->number,
				d->module, s->type->no_dumps ? p->options.xla_dump : s->name));
}

void jr_tell_texts(struct jr_profile *p, const struct jr_dump *d)
{
	if (d->in_texts)
		jr_profile_guess(p, "hlo-in-strings", 1,
			"programs have their HLO from the NVTX strings of the export, which list no memory. "
			"--xla-dump adds it, with a folder of --xla_dump_to and --xla_dump_hlo_as_proto");
	jr_profile_guess(p, "ambiguous-hlo", d->n_ambiguous,
		"instructions have several possible texts in the export, which stores equal strings "
		"once: what they compute is unknown");
	jr_profile_guess(p, "unreadable-hlo", d->n_left_out,
		"HLO texts of the export cannot be read, for example because they were cut: what "
		"these instructions compute is unknown");
}

/* Add to the part with this name; `p->unread` has room for one more. */
static void add_unread(struct jr_profile *p, enum jr_unread_kind kind, const char *text, uint64_t n)
{
	uint32_t name = jr_intern_puts(&p->strings, text);
	size_t at = 0;
	while (at < p->n_unread && !(p->unread[at].name == name && p->unread[at].kind == kind))
		at++;
	if (at == p->n_unread)
		p->unread[p->n_unread++] = (struct jr_unread){.name = name, .kind = (uint8_t)kind};
	if (__builtin_add_overflow(p->unread[at].n, n, &p->unread[at].n))
		p->unread[at].n = UINT64_MAX;
}

static void make_room(struct jr_profile *p, size_t n_more)
{
	p->unread = JR_ARENA_COPY(&p->arena, p->unread, p->n_unread, n_more + 1);
}

void jr_leave_unread(struct jr_profile *p, const struct jr_timeline *rows, enum jr_unread_kind kind)
{
	make_room(p, rows->n_unread);
	for (size_t i = 0; i < rows->n_unread; i++)
		add_unread(p, kind, jr_intern_str(&rows->strings, rows->unread[i].name), rows->unread[i].n);
}

/* Further members of nsys-jax archives that need no message: files for other tools, sources for
 * stacks, and the report from which the tables are made. */
static bool is_expected(const char *name)
{
	static const char *const beginnings[] = {"dump/", "protos/", "sources/"};
	static const char *const endings[] = {".nsys-rep", ".ipynb", ".sh", "record.json"};
	for (size_t i = 0; i < JR_COUNT_OF(beginnings); i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	size_t n = strlen(name);
	for (size_t i = 0; i < JR_COUNT_OF(endings); i++) {
		size_t m = strlen(endings[i]);
		if (n >= m && strcmp(name + n - m, endings[i]) == 0)
			return true;
	}
	return false;
}

/* Each folder of an archive is one part; limit per archive. */
#define MOST_PARTS 64

void jr_leave_members(struct jr_profile *p, const struct jr_archive *archive)
{
	size_t n_parts = 0, size = 0;
	const char *last = "";
	make_room(p, MOST_PARTS);
	for (size_t i = 0; i < jr_archive_count(archive); i++) {
		const struct jr_archive_member *member = jr_archive_at(archive, i);
		bool known = jr_archive_was_read(archive, i) || is_expected(member->name);
		if (known || member->size_bytes == 0)
			continue;
		const char *slash = strchr(member->name, '/');
		size_t n = slash ? (size_t)(slash - member->name) + 1 : strlen(member->name);
		bool more_of_last = n == size && strncmp(last, member->name, n) == 0;
		if (!more_of_last && n_parts++ == MOST_PARTS)
			return;
		last = member->name;
		size = n;
		uint32_t text = jr_profile_text(p, member->name, n);
		add_unread(p, JR_UNREAD_BYTES, jr_str(p, text), member->size_bytes);
	}
}

/* Members that were left out when the digest was made. */
static void leave_digested(struct jr_profile *p, const struct jr_digest *digest)
{
	make_room(p, digest->n_unread);
	for (size_t i = 0; i < digest->n_unread; i++)
		add_unread(p, (enum jr_unread_kind)digest->unread[i].kind, digest->unread[i].name,
			digest->unread[i].n);
}

#define MOST_LISTED 12

/* "OSRT_API (12,345), SCHED_EVENTS (99) and 3 more", in file order. */
static const char *list_unread(struct jr_profile *p, enum jr_unread_kind kind, uint64_t *total)
{
	const char *text = "";
	size_t n = 0;
	*total = 0;
	for (size_t i = 0; i < p->n_unread; i++) {
		const struct jr_unread *part = &p->unread[i];
		char count[JR_NUM_MAX];
		if (part->kind != kind)
			continue;
		if (__builtin_add_overflow(*total, part->n, total))
			*total = UINT64_MAX;
		if (n++ >= MOST_LISTED)
			continue;
		if (kind == JR_UNREAD_BYTES)
			jr_num_bytes(count, (double)part->n);
		else
			jr_num_grouped_i64(count, part->n < INT64_MAX ? (int64_t)part->n : INT64_MAX);
		text = jr_arena_printf(
			&p->arena, "%s%s%s (%s)", text, *text ? ", " : "", jr_str(p, part->name), count);
	}
	return n <= MOST_LISTED ? text
							: jr_arena_printf(&p->arena, "%s and %zu more", text, n - MOST_LISTED);
}

void jr_tell_unread(struct jr_profile *p, struct jr_archive *const *archives)
{
	if (p->planned)
		return; /* the other files of a dump are of no use */
	static const struct {
		const char *id, *what;
	} kinds[] = {
		[JR_UNREAD_ROWS] = {"unread-tables",
			"rows were not read, because their tables are not supported"},
		[JR_UNREAD_EVENTS] = {"unread-events",
			"events were not read, because their planes and lines are not supported"},
		[JR_UNREAD_BYTES] = {"unread-members",
			"bytes were not read, because these members of archives are not supported"},
	};
	for (size_t i = 0; i < p->n_inputs; i++) {
		if (p->inputs[i].digest)
			leave_digested(p, p->inputs[i].digest);
		else if (archives[i] && !p->inputs[i].kind->lists_unread)
			jr_leave_members(p, archives[i]);
	}
	for (size_t kind = 0; kind < sizeof(kinds) / sizeof(*kinds); kind++) {
		uint64_t n;
		const char *parts = list_unread(p, (enum jr_unread_kind)kind, &n);
		if (n)
			jr_profile_guess(p, kinds[kind].id, n,
				jr_arena_printf(&p->arena, "%s: %s", kinds[kind].what, parts));
	}
}
