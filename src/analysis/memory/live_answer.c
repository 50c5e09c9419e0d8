#include "analysis/memory/memory_parts.h"

#include <string.h>

#include "analysis/core/say.h"
#include "analysis/memory/memory_tables.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static const char *counted(struct jr_arena *arena, int64_t n, const char *noun)
{
	return jr_arena_printf(arena, "%s %s%s", jr_count_text(arena, n), noun, n == 1 ? "" : "s");
}

/* Return what else a device memory profile contains: "18 buffers are live. 531 executables take
 * 3.45 MB." */
static const char *live_lede(struct jr_pass_context *ctx, const struct jr_table *lines)
{
	struct jr_arena *arena = ctx->arena;
	const struct jr_table *kinds = jr_results_table(ctx->results, "live_kinds");
	const char *function = lines->n_rows ? lines->cells[JR_LIVE_LINES_function].text[0] : NULL;
	const char *text = function ? jr_arena_printf(arena, "That line is in %s. ", function) : "";
	for (size_t i = 0; i < kinds->n_rows; i++) {
		const char *kind = kinds->cells[JR_LIVE_KINDS_kind].text[i];
		int64_t bytes = kinds->cells[JR_LIVE_KINDS_bytes].i64[i],
				n = kinds->cells[JR_LIVE_KINDS_objects].i64[i];
		bool bound =
			ctx->profile->live.is_partial || kinds->cells[JR_LIVE_KINDS_unknown].i64[i] > 0;
		text = jr_arena_printf(arena, "%s%s%s %s %s%s", text, i ? ", " : "",
			counted(arena, n, *kind == '[' ? "other object" : kind), n == 1 ? "takes" : "take",
			bound && bytes != JR_NULL_I64 ? "at least " : "",
			bytes == JR_NULL_I64 ? "an unknown size" : jr_bytes_text(arena, (double)bytes));
	}
	return jr_arena_printf(arena, "%s.", text);
}

static struct jr_answer answer_of(struct jr_pass_context *ctx, const struct jr_table *lines)
{
	struct jr_arena *arena = ctx->arena;
	const struct jr_scalar *bytes = jr_results_scalar(ctx->results, "live_memory.live_bytes");
	const struct jr_table *devices = jr_results_table(ctx->results, "live_devices");
	struct jr_answer out = {.lede = live_lede(ctx, lines)};
	if (!devices->n_rows) {
		out.headline = "No buffer is in device memory";
		return out;
	}
	if (bytes->value.i64 == JR_NULL_I64) {
		out.headline = "The size of no live buffer is known";
		return out;
	}
	out.headline = jr_arena_printf(arena, "%s%s live on %s", bytes->note ? "At least " : "",
		jr_bytes_text(arena, (double)bytes->value.i64),
		counted(arena, (int64_t)devices->n_rows, "device"));
	if (bytes->value.i64 == 0)
		return out;
	out.headline = jr_arena_printf(arena, "%s. Largest source line: %s, %s (%s)", out.headline,
		base_name(lines->cells[JR_LIVE_LINES_source].text[0]),
		jr_bytes_text(arena, jr_table_number(lines, JR_LIVE_LINES_bytes, 0)),
		jr_say_percent(arena, lines->cells[JR_LIVE_LINES_percent].f64[0]));
	return out;
}

bool jr_live_answer(struct jr_pass_context *ctx, struct jr_answer *out)
{
	const struct jr_table *lines = jr_results_table(ctx->results, "live_lines");
	if (ctx->profile->tells != JR_TELLS_LIVE)
		return false;
	*out = lines ? answer_of(ctx, lines)
				 : (struct jr_answer){"The device memory profile contains no object", NULL};
	return true;
}
