#include <string.h>

#include "analysis/compile/compile_summary.h"
#include "base/cleanup.h"
#include "base/text.h"
#include "cli/core/confine.h"
#include "cli/core/nsys_report.h"
#include "model/inputs/load.h"

struct summary {
	const struct jr_request *request;
	struct jr_messages *msg;
	struct jr_buf *out;
};

static void tell_cut(
	const struct summary *s, const char *profile, const struct jr_host_ranges *ranges)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	const char *cut = jr_host_ranges_cut(ranges, &arena);
	if (cut)
		jr_say_warning(s->msg, "'%s': the push/pop trace %s%s%s", s->request->inputs.items[0],
			profile ? "of " : "", profile ? jr_arena_printf(&arena, "%s ", profile) : "", cut);
}

/* Print one process; a combined archive has several, each printed under its name. */
static void add_process(void *context, const char *profile, const struct jr_host_ranges *ranges)
{
	const struct summary *s = context;
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	tell_cut(s, profile, ranges);
	jr_compile_summary_text(ranges, s->request->passes, &text);
	if (profile && text.size) {
		jr_buf_puts(s->out, "Profile: ");
		jr_text_clean(s->out, profile, strlen(profile));
		jr_buf_putc(s->out, '\n');
	}
	jr_buf_add(s->out, text.data, text.size);
}

enum jr_status jr_cmd_summary(const struct jr_request *request, struct jr_messages *msg,
	struct jr_buf *out, struct jr_error *err)
{
	struct summary summary = {request, msg, out};
	jr_say_progress(msg, "reading", 0, 0);
	struct jr_exported exported;
	enum jr_status status = jr_confine_to_inputs(request, msg, NULL, &exported, err);
	if (status == JR_OK)
		status = jr_load_host_ranges(
			exported.paths[0], &request->analysis.limits, add_process, &summary, err);
	jr_exported_done(&exported);
	if (status == JR_OK && out->size == 0)
		jr_say_warning(msg, "'%s' contains no compilation", request->inputs.items[0]);
	return status;
}
