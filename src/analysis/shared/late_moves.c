#include "analysis/shared/late_moves.h"

#include <inttypes.h>
#include <math.h>

#include "analysis/core/device_name.h"
#include "analysis/core/say.h"
#include "analysis/core/terms.h"
#include "base/order.h"
#include "base/sort.h"

#define SUBJECT_ONCE "The slow %s%s from %s to %s at step %" PRId64
#define SUBJECT_OFTEN "The slow %s%s %s times"

struct span {
	uint32_t since, until, device;
};

JR_ORDER(compare_spans, struct span, JR_UP(since) JR_UP(device))

/* Return the devices that are late in steps in a row. Sorted by the first of these steps. */
static struct span *spans_of(struct jr_pass_context *ctx, size_t *n)
{
	const struct jr_lateness *all = ctx->lateness;
	struct span *spans = JR_ARENA_N(ctx->scratch, struct span, ctx->profile->n_devices + 1);
	*n = 0;
	for (uint32_t d = 0; d < ctx->profile->n_devices; d++) {
		const struct jr_late *late = &all->devices[d];
		bool since = late->when == JR_LATE_SINCE;
		if ((since || late->when == JR_LATE_DURING) && jr_late_matters(all, d))
			spans[(*n)++] = (struct span){late->since, since ? UINT32_MAX : late->until, d};
	}
	jr_sort(spans, *n, sizeof(*spans), compare_spans);
	return spans;
}

static struct jr_late_set new_set(struct jr_pass_context *ctx)
{
	size_t n = ctx->profile->n_devices;
	return (struct jr_late_set){.member = JR_ARENA_N(ctx->arena, uint8_t, n + 1),
		.devices = JR_ARENA_N(ctx->arena, uint32_t, n + 1)};
}

static void add(struct jr_pass_context *ctx, struct jr_late_set *set, uint32_t d)
{
	const struct jr_late *all = ctx->lateness->devices;
	uint32_t host = jr_device_host(ctx->profile, d);
	set->host = set->n == 0 || set->host == host ? host : JR_NONE;
	set->worst = set->n == 0 || all[d].mean_ns > all[set->worst].mean_ns ? d : set->worst;
	set->member[d] = 1;
	set->devices[set->n++] = d;
}

/* Return the first span after those that overlap with span `i`, directly or through others. */
static size_t end_of_phase(const struct span *spans, size_t n, size_t i)
{
	uint32_t until = spans[i].until;
	size_t to = i;
	for (; to < n && spans[to].since <= until; to++)
		until = spans[to].until > until ? spans[to].until : until;
	return to;
}

/* A delay that moves more often is one of turns. Each phase has a set of all devices. */
#define MOST_PHASES 16

struct jr_late_moves jr_late_moves_find(struct jr_pass_context *ctx)
{
	size_t n = 0, n_phases = 0;
	const struct span *spans = spans_of(ctx, &n);
	for (size_t i = 0; i < n; i = end_of_phase(spans, n, i))
		n_phases++;
	if (n_phases < 2 || n_phases > MOST_PHASES)
		return (struct jr_late_moves){0};
	struct jr_late_moves moves = {.set = new_set(ctx)};
	moves.set.late.when = JR_LATE_SOMETIMES;
	struct jr_late_parts *phases = &moves.phases;
	struct jr_late *all = &moves.set.late;
	phases->items = JR_ARENA_N(ctx->arena, struct jr_late_set, n_phases);
	for (size_t i = 0, to; i < n; i = to, phases->n++) {
		struct jr_late_set *phase = &phases->items[phases->n];
		*phase = new_set(ctx);
		to = end_of_phase(spans, n, i);
		for (size_t k = i; k < to; k++) {
			add(ctx, phase, spans[k].device);
			add(ctx, &moves.set, spans[k].device);
		}
		phase->late = ctx->lateness->devices[phase->worst];
		all->mean_ns +=
			jr_lateness_of(ctx->lateness, phase->devices, phase->n, ctx->scratch).mean_ns;
		all->n_late += phase->late.n_late;
		all->n_steps = phase->late.n_steps;
	}
	return moves;
}

/* "“node017”" or "device 3" */
static const char *who(struct jr_pass_context *ctx, const struct jr_late_set *set, bool hosts)
{
	return hosts ? jr_quoted_within(jr_str(ctx->profile, set->host), 14, ctx->arena)
				 : jr_late_set_numbers(ctx, set);
}

const char *jr_late_moves_subject(struct jr_pass_context *ctx, const struct jr_late_moves *moves)
{
	const struct jr_late_parts *phases = &moves->phases;
	bool hosts = jr_devices_on_hosts(ctx->profile), one = true;
	for (size_t k = 0; k < phases->n; k++) {
		hosts &= phases->items[k].host != JR_NONE && phases->items[k].n > 1;
		one &= phases->items[k].n == 1;
	}
	const char *noun = hosts ? "host" : one ? "device" : "devices";
	const char *verb = hosts || one ? " changes" : " change";
	if (phases->n > 2)
		return jr_arena_printf(ctx->arena, SUBJECT_OFTEN, noun, verb,
			jr_count_text(ctx->arena, (int64_t)phases->n - 1));
	const struct jr_late_set *last = &phases->items[1];
	return jr_arena_printf(ctx->arena, SUBJECT_ONCE, noun, verb, who(ctx, &phases->items[0], hosts),
		who(ctx, last, hosts), jr_step_number(ctx->profile, ctx->windows, last->late.since));
}

/* --- turns --- */

struct late_step {
	uint32_t step, device;
	double lag_ns;
};

JR_ORDER(compare_steps, struct late_step, JR_UP(step) JR_DOWN(lag_ns) JR_UP(device))

struct jr_late_turns jr_late_turns_count(struct jr_pass_context *ctx)
{
	const struct jr_lateness *all = ctx->lateness;
	struct late_step *steps = JR_ARENA_N(ctx->scratch, struct late_step, all->n + 1);
	size_t *times = JR_ARENA_N(ctx->scratch, size_t, ctx->profile->n_devices + 1), n = 0;
	struct jr_late_turns out = {.most = JR_NONE};
	for (size_t i = 0; i < all->n; i++)
		if (isfinite(all->lags[i].lag_ns))
			steps[n++] =
				(struct late_step){all->lags[i].step, all->lags[i].device, all->lags[i].lag_ns};
	jr_sort(steps, n, sizeof(*steps), compare_steps);
	for (size_t i = 0; i < n; i++) {
		if (i && steps[i].step == steps[i - 1].step)
			continue;
		out.n_steps++;
		if (!(steps[i].lag_ns > all->bound_ns))
			continue;
		uint32_t d = steps[i].device;
		out.n_late++;
		out.n_devices += times[d]++ == 0;
		if (times[d] > out.n_most) {
			out.most = d;
			out.n_most = times[d];
		}
	}
	return out;
}
