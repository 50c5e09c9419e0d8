#include "analysis/core/pass.h"
#include "cli/core/commands.h"
#include "cli/core/confine.h"
#include "cli/core/nsys_report.h"
#include "cli/core/unread.h"

/* Load and analyze the inputs as `report` does, then answer. */
static enum jr_status answer(const struct jr_request *r, struct jr_messages *msg,
	struct jr_exported *exported, struct jr_profile *profile, struct jr_buf *out,
	struct jr_error *err)
{
	const struct jr_unread_words words = {.input = r->inputs.n == 1 ? r->inputs.items[0] : NULL,
		.ending = "; the tables do not include it"};
	JR_TRY(jr_confine_to_inputs(r, msg, NULL, exported, err));
	JR_TRY(jr_unread_load(r, msg, exported, &words, profile, err));
	struct jr_arena arena;
	struct jr_results results = {0};
	struct jr_query query = r->query;
	query.raw = r->analysis.csv_raw;
	jr_say_progress(msg, "analyzing", 0, 0);
	jr_arena_init(&arena, r->analysis.limits.memory_bytes);
	jr_passes_run(profile, &arena, &results);
	enum jr_status status =
		jr_command_misused(jr_report_query(profile, &results, &query, out, err), err);
	jr_arena_done(&arena);
	jr_say_progress_end(msg);
	return status == JR_OK ? jr_unread_tell(msg, profile, &words, err) : status;
}

enum jr_status jr_cmd_query(const struct jr_request *request, struct jr_messages *msg,
	struct jr_buf *out, struct jr_error *err)
{
	struct jr_exported exported;
	struct jr_profile profile;
	jr_profile_init(&profile, &request->analysis);
	enum jr_status status = answer(request, msg, &exported, &profile, out, err);
	jr_exported_done(&exported);
	jr_profile_done(&profile);
	return status;
}
