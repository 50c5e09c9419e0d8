/* Any bytes as a device memory profile: rejected, or samples whose every reference can be followed;
 * and from them the objects of a profile. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "formats/pprof/pprof.h"
#include "model/build/build.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static void check_rows(const struct jr_pprof *p)
{
	for (size_t i = 0; i < p->n_samples; i++) {
		const struct jr_pprof_sample *s = &p->samples[i];
		require(s->kind < p->strings.n && s->device < p->strings.n && s->count >= 0);
		require(s->first_stacked + s->n_stacked <= p->n_stacked);
	}
	for (size_t i = 0; i < p->n_stacked; i++)
		require(p->stacked[i] == JR_NONE || p->stacked[i] < p->n_locations);
	for (size_t i = 0; i < p->n_locations; i++)
		require((uint64_t)p->locations[i].first_line + p->locations[i].n_lines <= p->n_lines);
	for (size_t i = 0; i < p->n_lines; i++)
		require(p->lines[i].function < p->strings.n && p->lines[i].file < p->strings.n &&
				p->lines[i].line >= 0);
	for (uint32_t id = 0; id < p->strings.n; id++)
		require(jr_text_is_clean(jr_intern_str(&p->strings, id), jr_intern_len(&p->strings, id)));
}

/* Frames are no deeper than the limit, and no object is lost. */
static void check_objects(const struct jr_pprof *p, const struct jr_limits *limits)
{
	struct jr_options options = jr_options_default();
	struct jr_profile profile;
	struct jr_build build = {.profile = &profile};
	struct jr_error err = {0};
	options.limits = *limits;
	jr_profile_init(&profile, &options);
	enum jr_status status = jr_live_add(&build, p, JR_NONE, "a", &err);
	require(status == JR_OK || err.message[0]);
	jr_live_freeze(&build);
	require(status != JR_OK || profile.live.is_partial || profile.live.n == p->n_samples);
	require(profile.live.n <= p->n_samples);
	require(p->stopped.status == JR_OK || profile.live.is_partial);
	for (size_t i = 0; i < profile.n_frames; i++)
		require(profile.frames[i].depth < limits->depth);
	for (size_t i = 0; i < profile.n_missing; i++)
		require(!strchr(profile.missing[i].reason, '\n'));
	if (JR_CHECKED)
		jr_profile_assert(&profile);
	jr_build_done(&build);
	jr_profile_done(&profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_limits limits = jr_limits_default();
	struct jr_pprof pprof;
	struct jr_error err = {0};
	limits.rows = 100000;
	limits.depth = 20;
	limits.string_bytes = 4096;
	limits.memory_bytes = UINT64_C(64) << 20;
	(void)jr_pprof_begins(jr_bytes_of(data, size < 64 ? size : 64), &limits);
	enum jr_status status = jr_pprof_read(jr_bytes_of(data, size), &limits, &pprof, &err);
	if (status != JR_OK) {
		require(status == err.status && err.message[0] && !strchr(err.message, '\n'));
		return 0;
	}
	check_rows(&pprof);
	check_objects(&pprof, &limits);
	jr_pprof_done(&pprof);
	return 0;
}
