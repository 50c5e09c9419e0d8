/* What viewers of timelines show beside slices. */
#include <math.h>
#include <string.h>

#include "analysis/roofline/roofline_columns.h"
#include "base/num.h"
#include "report/trace/tracks.h"

static const char *text_or_null(const struct jr_profile *p, uint32_t id)
{
	return id && *jr_str(p, id) ? jr_str(p, id) : NULL;
}

struct jr_trace_op *jr_trace_ops(
	const struct jr_profile *p, const struct jr_results *results, struct jr_arena *arena)
{
	const struct jr_table *t = jr_results_table(results, "roofline_thunks");
	struct jr_map rows = {0}; /* (number of the program, name) -> row of the table */
	struct jr_trace_op *ops = JR_ARENA_N(arena, struct jr_trace_op, p->n_ops + 1);
	for (size_t row = 0; t && row < t->n_rows; row++) {
		const char *name = t->cells[JR_ROOFLINE_name].text[row],
				   *number = t->cells[JR_ROOFLINE_program_id].text[row];
		uint32_t id = name ? jr_intern_find(&p->strings, name, strlen(name)) : JR_NONE;
		int64_t program;
		if (id != JR_NONE && number && jr_parse_i64(number, strlen(number), &program))
			jr_map_put(&rows, (uint64_t)program << 32 | id, (uint32_t)row);
	}
	for (size_t i = 0; i < p->n_ops; i++) {
		const struct jr_op *op = &p->ops[i];
		const struct jr_hlo *hlo = p->programs[op->program].hlo;
		const char *file = text_or_null(p, op->source_file);
		struct jr_trace_op *o = &ops[i];
		*o = (struct jr_trace_op){.opcode = text_or_null(p, op->opcode),
			.op_name = text_or_null(p, op->op_name),
			.flops = JR_NULL_I64,
			.bytes = JR_NULL_I64,
			.of_roofline = NAN};
		if (file)
			o->source =
				op->source_line > 0 ? jr_arena_printf(arena, "%s:%d", file, op->source_line) : file;
		if (hlo && op->instruction != JR_NONE)
			o->shape = jr_hlo_shape_text(hlo->instructions[op->instruction].shape, arena);
		uint32_t row =
			jr_map_get(&rows, (uint64_t)p->programs[op->program].number << 32 | op->name);
		if (!t || row == JR_NONE)
			continue;
		o->flops = t->cells[JR_ROOFLINE_flops].i64[row];
		int64_t read = t->cells[JR_ROOFLINE_bytes_read].i64[row],
				written = t->cells[JR_ROOFLINE_bytes_written].i64[row];
		if (read != JR_NULL_I64 && written != JR_NULL_I64)
			o->bytes = read + written;
		o->of_roofline = t->cells[JR_ROOFLINE_efficiency].f64[row];
	}
	jr_map_done(&rows);
	return ops;
}

const char *jr_trace_left_out(const struct jr_trace *trace, struct jr_arena *arena)
{
	char n[JR_NUM_MAX], least[JR_NUM_MAX];
	if (!trace->n_left_out)
		return NULL;
	jr_num_grouped_i64(n, (int64_t)trace->n_left_out);
	jr_num_time_brief(least, (double)trace->least_ns);
	return jr_arena_printf(arena,
		"%s slices are left out: those shorter than %s, and those that overlap with too many "
		"others.%s",
		n, least, trace->n_flows ? " So the numbers of kernels in flight are not known." : "");
}
