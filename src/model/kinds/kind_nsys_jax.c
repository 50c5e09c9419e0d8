/* The zip archive of one process that nsys-jax writes, or a zip of jax.profiler files. */
#include "model/kinds/archives.h"
#include "model/kinds/kind_parts.h"

static int probe(const struct jr_input_head *head)
{
	return jr_input_begins(head, "PK\3\4", 4) || jr_input_begins(head, "PK\5\6", 4) ? 32 : 0;
}

const struct jr_input_ops jr_input_nsys_jax = {
	.label = "nsys-jax",
	.noun = "an archive",
	.help = "a .zip archive of nsys-jax or nsys-jax-combine, or of a log of jax.profiler",
	.suffixes = {".zip"},
	.within = "nvtx_gpu_proj_trace/trace.parquet or a compile trace (of nsys-jax)",
	.archive = true,
	.digested = &jr_digested_archive,
	.unpack_first = true,
	.combined = &jr_input_nsys_jax_combine,
	.probe = probe,
	.open = jr_archives_open,
	.read_host = jr_archives_read_host,
};
