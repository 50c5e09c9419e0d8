/* A folder with the files of an archive or of jax.profiler. */
#include "model/kinds/archives.h"
#include "model/kinds/kind_parts.h"

static int probe(const struct jr_input_head *head)
{
	return head->folder ? 1 : 0;
}

const struct jr_input_ops jr_input_directory = {
	.label = "directory",
	.noun = "a folder",
	.help = "a folder with the same files as such an archive",
	.archive = true,
	.digested = &jr_digested_archive,
	.combined = &jr_input_nsys_jax_combine,
	.probe = probe,
	.open = jr_archives_open,
	.read_host = jr_archives_read_host,
};
