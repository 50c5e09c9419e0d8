/* An archive of several processes, merged by nsys-jax-combine or `jaxreport combine`. */
#include "model/kinds/archives.h"

const struct jr_input_ops jr_input_nsys_jax_combine = {
	.label = "nsys-jax-combine",
	.noun = "an archive",
	.archive = true,
	.open = jr_archives_open,
	.read_host = jr_archives_read_host,
};
