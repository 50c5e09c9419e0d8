#include "model/oddities.h"

#include <inttypes.h>

void jr_tell_archives(struct jr_profile *p, struct jr_archive *const *archives)
{
	for (size_t i = 0; i < p->n_inputs; i++) {
		if (archives[i] && jr_archive_rejected(archives[i]))
			jr_profile_guess(p, "members-left-out", jr_archive_rejected(archives[i]),
				"members of an archive whose names lead out of it or stand twice are left out");
		if (archives[i] && jr_archive_links(archives[i]))
			jr_profile_guess(p, "links-left-out", jr_archive_links(archives[i]),
				"symbolic links in an input folder are not followed: put the files themselves "
				"there, as `git annex unlock` does");
	}
}

void jr_tell_host(struct jr_profile *p, struct jr_source *s, const char *label)
{
	const char *cut = jr_host_ranges_cut(&s->host, &s->arena);
	if (cut)
		jr_profile_missing(p, "rest of the push/pop trace",
			jr_arena_printf(&s->arena, "'%s': the push/pop trace %s", label, cut));
	if (s->host.n_odd)
		jr_profile_guess(p, "odd-csv-rows", s->host.n_odd,
			"rows of a push/pop trace whose names hold quotes or line breaks, which nsys does not "
			"mark in CSV, are read by the columns around them");
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
