/* An archive of several processes, merged by nsys-jax-combine or `jaxreport combine`. */
#include "model/kinds/archives.h"
#include "model/kinds/kind_parts.h"

const struct jr_input_ops jr_input_nsys_jax_combine = {
	.label = "nsys-jax-combine",
	.noun = "an archive",
	.archive = true,
	.digested = &jr_digested_archive,
	.open = jr_archives_open,
	.read_host = jr_archives_read_host,
};
