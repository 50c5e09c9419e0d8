/*
 * The details that XLA adds to the annotations of instructions (TraceAnnotationLevel detailed). The
 * profiler stores each key of an annotation as a statistic of the kernels launched within it.
 * formats/README.md, section 8.2.
 */
#include <inttypes.h>

#include "base/cleanup.h"
#include "formats/xspace/xspace_parts.h"

static struct jr_bytes bytes_of(
	const struct jr_xplane *plane, const struct jr_xstats *stats, enum jr_xspace_stat stat)
{
	return jr_xstats_has(stats, stat) ? jr_xspace_stat_bytes(plane, &stats->of[stat])
									  : (struct jr_bytes){0};
}

/* Append a value. XLA writes ';' for ',' in all of them; one that was ';' before is lost. */
static void add_value(struct jr_buf *to, struct jr_bytes value)
{
	for (size_t i = 0; i < value.size; i++)
		jr_buf_add(to, value.data[i] == ';' ? "," : (const char *)value.data + i, 1);
}

/* Return the str of a text, and empty it. */
static uint32_t take(struct jr_xreading *r, struct jr_buf *text)
{
	uint32_t id = jr_xspace_text(r, jr_buf_view(text));
	text->size = 0;
	return id;
}

uint32_t jr_xspace_annotation(
	struct jr_xreading *r, struct jr_xplane *plane, uint32_t op, const struct jr_xstats *stats)
{
	struct jr_bytes name = bytes_of(plane, stats, JR_XSTAT_OP_NAME),
					file = bytes_of(plane, stats, JR_XSTAT_SOURCE_FILE),
					shape = bytes_of(plane, stats, JR_XSTAT_SHAPE),
					groups = bytes_of(plane, stats, JR_XSTAT_GROUPS);
	struct jr_said said = {.flops = -1, .bytes = -1, .read_bytes = -1, .written_bytes = -1};
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	if (!name.size && !file.size && !shape.size)
		return 0;
	if (name.size) {
		add_value(&text, name);
		jr_buf_puts(&text, ":"); /* as in tf_op, where the type follows */
		said.op_name = take(r, &text);
	}
	if (file.size) {
		int64_t line = jr_xstats_has(stats, JR_XSTAT_SOURCE_LINE)
						   ? jr_xspace_stat_i64(plane, &stats->of[JR_XSTAT_SOURCE_LINE])
						   : 0;
		add_value(&text, file);
		jr_buf_printf(&text, ":%" PRId64, line < 0 ? 0 : line);
		said.source = take(r, &text);
	}
	if (shape.size) { /* the type that it has in XLA's text; the opcode is not stated */
		jr_buf_printf(&text, "%s = ", jr_intern_str(&r->x->rows.strings, op));
		add_value(&text, shape);
		jr_buf_puts(&text, " ()");
		if (groups.size) {
			jr_buf_puts(&text, ", replica_groups=");
			add_value(&text, groups);
		}
		said.text = take(r, &text);
	}
	return jr_xspace_said_row(r, &said);
}
