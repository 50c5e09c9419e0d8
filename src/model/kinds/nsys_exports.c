#include "model/kinds/nsys_exports.h"

#include "model/export/export.h"
#include "model/export/export_hlo.h"

struct own {
	struct jr_ran *ran;
	size_t n_ran;
};

/* Programs are looked for on one thread and built on any. */
static enum jr_status build_program(
	struct jr_source *s, struct jr_dump *dump, struct jr_hlo *hlo, struct jr_error *err)
{
	struct own *own = s->own;
	if (!jr_export_hlo_has(s->export, dump->number, dump->module))
		return JR_ENOTFOUND;
	if (!own) {
		s->own = own = JR_ARENA_NEW(&s->arena, struct own);
		own->ran = jr_export_hlo_ran(&s->trace, &s->arena, &own->n_ran);
	}
	if (!hlo)
		return JR_OK;
	struct jr_export_hlo_gaps gaps = {0};
	enum jr_status status = jr_export_hlo_build(s->export, dump->number, dump->module, &s->trace,
		own->ran, own->n_ran, s->limits, hlo, &gaps, err);
	dump->n_ambiguous = gaps.n_ambiguous;
	dump->n_left_out = gaps.n_left_out;
	return status;
}

void jr_nsys_exports_add(struct jr_opening *o)
{
	static const struct jr_source_type type = {JR_TIMELINES_METHODS, .build_program = build_program,
		.tells = JR_TELLS_GPU_OPS | JR_TELLS_RANGES | JR_TELLS_PROFILER,
		.nothing = "contains no trace",
		.no_dumps = "the export has no strings of XLA about these programs, and so no HLO. Use "
					"--xla-dump with the folder from --xla_dump_to"};
	jr_export_hlo_begin(o->export);
	jr_timelines_add(o, &type);
}
