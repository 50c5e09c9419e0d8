/* A folder or zip of XLA's dumps, and nothing that was measured: the plan of what will run. */
#include <string.h>

#include "model/kinds/kind_parts.h"
#include "model/profile/profile.h"
#include "model/sources/profile_root.h"

/* --- the source ------------------------------------------------------------------------------- */

/* A dump may have several of these for one program: a proto and a text, or one for each of several
 * targets. The first one by name counts, and so a proto. */
static bool is_new(const struct jr_source *s, const struct jr_dump *dump)
{
	const struct jr_dump *last = s->n_programs ? &s->programs[s->n_programs - 1] : NULL;
	return !last || last->number != dump->number || strcmp(last->module, dump->module) != 0;
}

/* List the optimized modules directly in the folder `subname`; names are sorted, so programs are,
 * too. */
static void list_programs(struct jr_source *s)
{
	size_t n = jr_archive_count(s->archive), folder = strlen(s->subname);
	s->programs = JR_ARENA_N(&s->arena, struct jr_dump, n + 1);
	for (size_t i = jr_archive_lower_bound(s->archive, s->subname); i < n; i++) {
		const char *name = jr_archive_at(s->archive, i)->name, *module;
		struct jr_dump dump = {.archive = s->archive, .member = i};
		size_t length;
		if (strncmp(name, s->subname, folder) != 0)
			break;
		if (strchr(name + folder, '/') || !jr_dump_parse_name(name + folder, strlen(name + folder),
											  &dump.number, &module, &length, &dump.is_text))
			continue;
		dump.module = jr_arena_strndup(&s->arena, module, length);
		if (is_new(s, &dump))
			s->programs[s->n_programs++] = dump;
	}
}

/* Everything is in the programs: the trace stays empty. */
static void read_trace(struct jr_source *s)
{
	const char *device = s->own; /* --device */
	list_programs(s);
	s->has_trace = true;
	jr_intern_init(&s->trace.strings);
	if (!device)
		return;
	struct jr_metadata *meta = &s->metadata;
	meta->gpus = JR_ARENA_NEW(&meta->arena, struct jr_gpu);
	meta->n_gpus = 1;
	meta->gpus[0] =
		(struct jr_gpu){.cuda_device = -1, .name = jr_intern_puts(&meta->strings, device)};
}

static bool knows_devices(const struct jr_source *s)
{
	return s->own != NULL;
}

/* They have no identity: dumps of several processes are often equal, which is not a mistake. */
static const struct jr_source_type type = {.read_trace = read_trace,
	.knows_devices = knows_devices,
	.tells = JR_TELLS_PLAN,
	.lists_programs = true};

/* --- opening ---------------------------------------------------------------------------------- */

/* Return the length of the folder of an optimized module, SIZE_MAX: another member. */
static size_t folder_of_dump(const char *name)
{
	size_t folder = jr_source_folder_size(name), length;
	const char *module;
	int64_t number;
	bool is_text;
	return jr_dump_parse_name(
			   name + folder, strlen(name + folder), &number, &module, &length, &is_text)
			   ? folder
			   : SIZE_MAX;
}

static enum jr_status open(struct jr_opening *o, struct jr_error *err)
{
	struct jr_archive *archive = *o->archive;
	(void)err;
	const char *before = NULL;
	for (size_t i = 0; i < jr_archive_count(archive); i++) {
		const char *name = jr_archive_at(archive, i)->name;
		size_t n = folder_of_dump(name);
		if (n == SIZE_MAX || (before && strlen(before) == n && memcmp(before, name, n) == 0))
			continue;
		before = jr_arena_strndup(o->arena, name, n);
		struct jr_source *s = jr_opening_source(o);
		const char *label =
			n ? jr_arena_printf(o->arena, "%s/%.*s", o->stem, (int)n - 1, name) : o->stem;
		jr_source_begin(s, &type, o->row, label, o->limits);
		s->subname = before;
		s->archive = archive;
		s->own = (void *)(uintptr_t)o->profile->options.device;
	}
	return JR_OK;
}

bool jr_dumps_within(const struct jr_archive *archive)
{
	return jr_profile_root_only(archive, folder_of_dump);
}

const struct jr_input_ops jr_input_hlo_dump = {
	.label = "xla-dump",
	.noun = "a folder of XLA dumps",
	.help = "a folder or .zip of the dumps of --xla_dump_to (best with --xla_dump_hlo_as_proto) "
			"without a profile: a plan of what XLA will run",
	.within = "module_*.after_optimizations.hlo.pb or .txt (of --xla_dump_to)",
	.open = open,
};
