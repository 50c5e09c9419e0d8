#include "analysis/compile_summary.h"
#include "cli/commands.h"
#include "cli/nsys_report.h"
#include "model/load_host.h"

enum jr_status jr_cmd_summary(const struct jr_request *request, struct jr_messages *msg,
	struct jr_buf *out, struct jr_error *err)
{
	struct jr_host_ranges ranges;
	jr_say_progress(msg, "reading", 0, 0);
	struct jr_exported exported;
	enum jr_status status = jr_nsys_reports_export(request, msg, &exported, err);
	if (status == JR_OK)
		status = jr_load_host_ranges(exported.paths[0], &request->analysis.limits, &ranges, err);
	jr_exported_done(&exported);
	if (status != JR_OK)
		return status;
	jr_compile_summary_text(&ranges, request->passes, out);
	if (out->size == 0)
		jr_say_warning(msg, "no compilation in '%s'", request->inputs.items[0]);
	jr_host_ranges_done(&ranges);
	return JR_OK;
}
