/* An SQLite export of Nsight Systems: one source for each process in it. */
#include "model/export/export_hlo.h"
#include "model/kinds/timelines.h"

static int probe(const struct jr_input_head *head)
{
	return jr_nsys_is_sqlite(head->bytes) ? 128 : 0;
}

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

static enum jr_status open(struct jr_opening *o, struct jr_error *err)
{
	static const struct jr_source_type type = {JR_TIMELINES_METHODS, .build_program = build_program,
		.tells = JR_TELLS_GPU_OPS | JR_TELLS_RANGES | JR_TELLS_PROFILER,
		.nothing = "contains no trace",
		.no_dumps = "the export has no strings of XLA about these programs, and so no HLO. Use "
					"--xla-dump with the folder from --xla_dump_to"};
	uint64_t size_bytes = jr_opening_file_bytes(o);
	o->input->size_bytes = size_bytes;
	o->progress(o->context, "reading the export", size_bytes, 0);
	enum jr_status status =
		jr_export_read(o->path, o->limits, o->profile->options.n_threads, o->export, err);
	if (status != JR_OK)
		return jr_context(err, status, "'%s'", o->input->name);
	jr_export_hlo_begin(o->export);
	o->progress(o->context, "reading the export", 0, size_bytes);
	jr_timelines_add(o, &type);
	return JR_OK;
}

static enum jr_status read_host(
	const char *path, const struct jr_host_listener *to, struct jr_error *err)
{
	struct jr_export export;
	enum jr_status status = jr_export_read(path, to->limits, 1, &export, err);
	return jr_timelines_tell_host(status, &export, path, to, err);
}

const struct jr_input_ops jr_input_nsys_sqlite = {
	.label = "nsys-sqlite",
	.noun = "an SQLite export",
	.help =
		"an SQLite export of Nsight Systems (nsys export --type sqlite), of any program that uses "
		"CUDA",
	.suffixes = {".sqlite", ".sqlite3", ".db"},
	.nsys_export = true,
	.unpack_first = true,
	.probe = probe,
	.open = open,
	.read_host = read_host,
};
