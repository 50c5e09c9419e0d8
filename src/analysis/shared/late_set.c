#include "analysis/shared/late_set.h"
#include "analysis/core/say.h"

#include "analysis/core/device_name.h"
#include "analysis/core/terms.h"
#include "analysis/shared/steady.h"
#include "base/order.h"
#include "base/sort.h"

#define SUBJECT "%s delay%s the other%s%s%s"
#define WHO_ON_HOST "device %u"
#define WHO_BOTH "both " JR_GPU "s"
#define WHO_ALL "all %s " JR_GPU "s"
#define WHO_BRIEF "%s " JR_GPU "s"
#define WHO_SOME "%s of its %s " JR_GPU "s"
#define WHO_HOSTS "All " JR_GPU "s of %s hosts"
#define WHO_TOO_ONE " and device %u"
#define WHO_TOO " and %s others"
#define WHO_PLACE JR_GPU " %u of each host"
#define WHO_PLACES JR_GPU "s %u and %u of each host"

static struct jr_late_set new_set(struct jr_pass_context *ctx)
{
	size_t n = ctx->profile->n_devices;
	return (struct jr_late_set){.member = JR_ARENA_N(ctx->arena, uint8_t, n + 1),
		.devices = JR_ARENA_N(ctx->arena, uint32_t, n + 1)};
}

struct jr_late_set jr_late_set_of(struct jr_pass_context *ctx, uint32_t device)
{
	struct jr_late_set set = new_set(ctx);
	set.member[device] = 1;
	set.devices[set.n++] = set.worst = device;
	set.host = jr_device_host(ctx->profile, device);
	set.late = ctx->lateness->devices[device];
	return set;
}

/* Add the devices of the set's host that are late by less: what makes one late may affect all. */
static void add_of_host(struct jr_pass_context *ctx, struct jr_late_set *set)
{
	for (uint32_t d = 0; d < ctx->profile->n_devices; d++)
		if (jr_device_host(ctx->profile, d) == set->host && jr_late_matters(ctx->lateness, d))
			set->member[d] = 1;
}

struct jr_late_set jr_late_set_find(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	const struct jr_lateness *all = ctx->lateness;
	struct jr_late_set set = new_set(ctx);
	double most_ns = 0;
	size_t n_compared = 0;
	for (uint32_t d = 0; d < p->n_devices; d++) {
		n_compared += all->devices[d].n_steps > 0;
		if (!jr_late_matters(all, d) || !(all->devices[d].mean_ns > most_ns))
			continue;
		most_ns = all->devices[d].mean_ns;
		set.worst = d;
	}
	for (uint32_t d = 0; d < p->n_devices && most_ns > 0; d++) {
		if (!jr_late_matters(all, d) || all->devices[d].mean_ns < most_ns / 2)
			continue;
		set.host = set.n == 0 || set.host == jr_device_host(p, d) ? jr_device_host(p, d) : JR_NONE;
		set.member[d] = 1;
		set.n++;
	}
	if (set.n && set.host != JR_NONE && jr_devices_on_hosts(p))
		add_of_host(ctx, &set);
	set.n = 0;
	for (uint32_t d = 0; d < p->n_devices; d++)
		if (set.member[d])
			set.devices[set.n++] = d;
	if (set.n > n_compared / 2)
		set.n = 0;
	set.late = jr_lateness_of(all, set.devices, set.n, ctx->scratch);
	return set;
}

/* --- their name --- */

#define TITLE_CHARS 90
#define SAVING_CHARS 26 /* ": up to 1,234 ms per step" */
#define LEAST_HOST 12   /* characters of the name of a host, with quotation marks */

/* Count characters for people: bytes that begin one, without marks of terms. */
static size_t n_chars(const char *s)
{
	size_t n = 0;
	for (; *s; s++)
		n += ((unsigned char)*s & 0xC0) != 0x80 && (unsigned char)*s > 4;
	return n;
}

static bool takes_steps(const struct jr_pass_context *ctx, size_t d)
{
	return ctx->windows->devices[d].program != JR_NONE;
}

static size_t count_devices(const struct jr_pass_context *ctx)
{
	size_t n = 0;
	for (size_t d = 0; d < ctx->profile->n_devices; d++)
		n += takes_steps(ctx, d);
	return n;
}

static size_t devices_of_host(struct jr_pass_context *ctx, uint32_t host)
{
	size_t n = 0;
	for (size_t d = 0; d < ctx->profile->n_devices; d++)
		n += jr_device_host(ctx->profile, d) == host && takes_steps(ctx, d);
	return n;
}

/* --- places on hosts --- */

#define MOST_PLACES 2 /* that a title lists */

/* Devices that have the same places on all hosts, such as those of one rail. */
struct places {
	uint32_t numbers[MOST_PLACES]; /* on a host, in order of the devices' numbers, from 0 */
	size_t n;
};

/* Return [n_devices] the place of each device on its host, or NULL if there are fewer than two
 * hosts, or if they have different numbers of devices. */
static const uint32_t *places_on_hosts(struct jr_pass_context *ctx)
{
	const struct jr_profile *p = ctx->profile;
	uint32_t *place = JR_ARENA_N(ctx->scratch, uint32_t, p->n_devices + 1), each = JR_NONE;
	JR_CLEANUP(jr_map_done) struct jr_map seen = {0};
	for (uint32_t d = 0; d < p->n_devices; d++) {
		uint32_t host = jr_device_host(p, d), n = jr_map_get(&seen, host);
		place[d] = n == JR_NONE ? 0 : n;
		jr_map_put(&seen, host, place[d] + 1);
	}
	bool equal = seen.n > 1 && jr_map_get(&seen, JR_NONE) == JR_NONE;
	for (uint32_t d = 0; d < p->n_devices && equal; d++) {
		uint32_t n = jr_map_get(&seen, jr_device_host(p, d));
		each = each == JR_NONE ? n : each;
		equal = n == each && takes_steps(ctx, d);
	}
	return equal ? place : NULL;
}

/* Find the places of a set that has the same few places on each host; n 0: it has not. */
static struct places find_places(struct jr_pass_context *ctx, const struct jr_late_set *set)
{
	const struct jr_profile *p = ctx->profile;
	const uint32_t *place = places_on_hosts(ctx);
	struct places found = {0};
	for (size_t i = 0; i < set->n && place; i++) {
		size_t k = 0;
		while (k < found.n && found.numbers[k] != place[set->devices[i]])
			k++;
		if (k == MOST_PLACES)
			return (struct places){0};
		found.n += k == found.n;
		found.numbers[k] = place[set->devices[i]];
	}
	for (size_t d = 0; d < p->n_devices; d++)
		for (size_t k = 0; k < found.n; k++)
			if (found.numbers[k] == place[d] && !set->member[d])
				return (struct places){0};
	return found;
}

/* "GPU 3 of each host" */
static const char *places_text(struct jr_pass_context *ctx, const struct places *places)
{
	if (places->n == 1)
		return jr_arena_printf(ctx->arena, WHO_PLACE, places->numbers[0]);
	return jr_arena_printf(ctx->arena, WHO_PLACES, places->numbers[0], places->numbers[1]);
}

#define MOST_NUMBERS 3 /* of devices that a title lists */

const char *jr_late_set_numbers(struct jr_pass_context *ctx, const struct jr_late_set *set)
{
	struct jr_arena *arena = ctx->arena;
	if (set->n > MOST_NUMBERS)
		return jr_arena_printf(arena, "%s of %s devices",
			jr_count_text(ctx->arena, (int64_t)set->n),
			jr_count_text(ctx->arena, (int64_t)count_devices(ctx)));
	const char *list = set->n == 1 ? "device " : "devices ";
	for (size_t i = 0; i < set->n; i++)
		list = jr_arena_printf(arena, "%s%s%u", list,
			i == 0            ? ""
			: i + 1 == set->n ? " and "
							  : ", ",
			ctx->profile->devices[set->devices[i]].global);
	return list;
}

/* --- parts of a set --- */

/* True if two devices of one set belong to one part of it. */
static bool same_part(struct jr_pass_context *ctx, uint32_t a, uint32_t b)
{
	const struct jr_late *x = &ctx->lateness->devices[a], *y = &ctx->lateness->devices[b];
	bool by_hosts = jr_devices_on_hosts(ctx->profile);
	if (by_hosts && jr_device_host(ctx->profile, a) != jr_device_host(ctx->profile, b))
		return false;
	/* a lag near the bound may be seen one step later */
	return x->when == JR_LATE_SINCE && y->when == JR_LATE_SINCE
			   ? x->since <= y->since + 1 && y->since <= x->since + 1
			   : (x->when == JR_LATE_SINCE) == (y->when == JR_LATE_SINCE);
}

static bool alike(const struct jr_late *a, const struct jr_late *b)
{
	return (a->when == JR_LATE_SINCE) == (b->when == JR_LATE_SINCE) && a->since == b->since;
}

JR_ORDER(compare_parts, struct jr_late_set, JR_DOWN(n) JR_UP(devices[0]))

struct jr_late_parts jr_late_set_parts(struct jr_pass_context *ctx, const struct jr_late_set *set)
{
	struct jr_late_parts parts = {
		.items = JR_ARENA_N(ctx->arena, struct jr_late_set, set->n + 1), .alike = true};
	for (size_t i = 0; i < set->n; i++) {
		uint32_t device = set->devices[i];
		size_t k = 0;
		while (k < parts.n && !same_part(ctx, parts.items[k].devices[0], device))
			k++;
		struct jr_late_set *part = &parts.items[k];
		if (k == parts.n) {
			*part = (struct jr_late_set){.devices = JR_ARENA_N(ctx->arena, uint32_t, set->n - i),
				.worst = device,
				.host = jr_device_host(ctx->profile, device)};
			parts.n++;
		}
		const struct jr_late *all = ctx->lateness->devices;
		part->devices[part->n++] = device;
		part->worst = all[device].mean_ns > all[part->worst].mean_ns ? device : part->worst;
	}
	for (size_t k = 0; k < parts.n; k++) {
		struct jr_late_set *part = &parts.items[k];
		part->late = jr_lateness_of(ctx->lateness, part->devices, part->n, ctx->scratch);
		parts.alike &= alike(&part->late, &parts.items[0].late);
	}
	jr_sort(parts.items, parts.n, sizeof(*parts.items), compare_parts);
	return parts;
}

/* "all 4 GPUs", of the host of the set */
static const char *who_on_host(struct jr_pass_context *ctx, const struct jr_late_set *set)
{
	size_t n = devices_of_host(ctx, set->host);
	if (set->n == 1)
		return jr_arena_printf(ctx->arena, WHO_ON_HOST, ctx->profile->devices[set->worst].global);
	if (set->n == n)
		return n == 2 ? WHO_BOTH
					  : jr_arena_printf(ctx->arena, WHO_ALL, jr_count_text(ctx->arena, (int64_t)n));
	return jr_arena_printf(ctx->arena, WHO_SOME, jr_count_text(ctx->arena, (int64_t)set->n),
		jr_count_text(ctx->arena, (int64_t)n));
}

#define MOST_PARTS 2 /* in one sentence */

const char *jr_late_parts_text(
	struct jr_pass_context *ctx, const struct jr_late_set *set, const struct jr_late_parts *parts)
{
	struct jr_arena *arena = ctx->arena;
	const char *text = "";
	size_t n = 0;
	if (parts->n == 1 || (parts->items[0].n == 1 && parts->alike))
		return jr_arena_printf(arena, "They are %s", jr_late_set_list(ctx, set));
	for (size_t k = 0; k < parts->n && k < MOST_PARTS; k++) {
		const struct jr_late_set *part = &parts->items[k];
		const char *when = jr_late_words(ctx->profile, ctx->windows, &part->late, arena);
		bool on_host = part->n > 1 && jr_devices_on_hosts(ctx->profile);
		text = jr_arena_printf(arena, "%s%s%s%s%s late %s", text, k ? "; " : "",
			on_host        ? jr_quoted(jr_str(ctx->profile, part->host), arena)
			: part->n == 1 ? jr_arena_printf(arena, "device %s",
								 jr_device_name(ctx->profile, part->worst, arena))
						   : jr_late_set_list(ctx, part),
			on_host ? jr_arena_printf(arena, " (%s)", who_on_host(ctx, part)) : "",
			part->n > 1 && !on_host ? " are" : " is", when ? when : "in a single step");
		n += part->n;
	}
	text = jr_arena_printf(arena, "%s%s", *text == 'd' ? "D" : "", text + (*text == 'd'));
	return n < set->n ? jr_arena_printf(arena, "%s; and %s more", text,
							jr_count_text(ctx->arena, (int64_t)set->n - n))
					  : text;
}

/* "2" if the set has all devices of two hosts; NULL: it has not, or only of one. */
static const char *whole_hosts(struct jr_pass_context *ctx, const struct jr_late_parts *parts)
{
	bool whole = parts->n > 1 && jr_devices_on_hosts(ctx->profile);
	for (size_t k = 0; k < parts->n && whole; k++) {
		const struct jr_late_set *part = &parts->items[k];
		whole = part->n > 1 && part->n == devices_of_host(ctx, part->host);
	}
	return whole ? jr_count_text(ctx->arena, (int64_t)parts->n) : NULL;
}

/* Who is late, not on one host alone. *one: the verb is in the singular. */
static const char *who_anywhere(struct jr_pass_context *ctx, const struct jr_late_set *set,
	const struct jr_late_parts *parts, bool *one)
{
	struct jr_arena *arena = ctx->arena;
	struct places places = set->n > 1 ? find_places(ctx, set) : (struct places){0};
	const char *hosts = whole_hosts(ctx, parts);
	*one = set->n == 1 || places.n == 1;
	if (places.n)
		return places_text(ctx, &places);
	if (hosts)
		return jr_arena_printf(arena, WHO_HOSTS, hosts);
	const char *numbers = jr_late_set_numbers(ctx, set);
	return set->n > MOST_NUMBERS ? numbers : jr_arena_printf(arena, "D%s", numbers + 1);
}

/* The part with most of the devices, if they are on one host and others are not; NULL: none. */
static const struct jr_late_set *main_part(
	struct jr_pass_context *ctx, const struct jr_late_set *set, const struct jr_late_parts *parts)
{
	const struct jr_late_set *part = &parts->items[0];
	return parts->n > 1 && set->host == JR_NONE && jr_devices_on_hosts(ctx->profile) &&
				   part->n > 1 && part->n > set->n / 2
			   ? part
			   : NULL;
}

/* " (all 4 GPUs, since step 3) and device 100"; brief: " (4 GPUs since step 3) and device 100" */
static const char *main_and_others(struct jr_pass_context *ctx, const struct jr_late_set *set,
	const struct jr_late_parts *parts, bool brief)
{
	const struct jr_late_set *part = &parts->items[0];
	struct jr_arena *arena = ctx->arena;
	bool since = !parts->alike && part->late.when == JR_LATE_SINCE;
	size_t n_more = set->n - part->n;
	return jr_arena_printf(arena, " (%s%s%s)%s",
		brief ? jr_arena_printf(arena, WHO_BRIEF, jr_count_text(ctx->arena, (int64_t)part->n))
			  : who_on_host(ctx, part),
		!since  ? ""
		: brief ? " "
				: ", ",
		since ? jr_late_words(ctx->profile, ctx->windows, &part->late, arena) : "",
		n_more == 1 ? jr_arena_printf(arena, WHO_TOO_ONE,
						  ctx->profile->devices[parts->items[1].devices[0]].global)
					: jr_arena_printf(arena, WHO_TOO, jr_count_text(ctx->arena, (int64_t)n_more)));
}

/* If it is too long for a title, "now and then" and "all" are left out, and then the host's name is
 * cut. */
const char *jr_late_set_subject(struct jr_pass_context *ctx, const struct jr_late_set *set)
{
	struct jr_arena *arena = ctx->arena;
	const struct jr_profile *p = ctx->profile;
	struct jr_late_parts parts = jr_late_set_parts(ctx, set);
	const struct jr_late_set *most = main_part(ctx, set, &parts);
	uint32_t host = most ? most->host : set->host;
	bool two = count_devices(ctx) == 2, one = !most;
	bool by_host =
		host != JR_NONE && devices_of_host(ctx, host) && (set->n > 1 || jr_devices_on_hosts(p));
	const char *when = parts.alike || set->host != JR_NONE
						   ? jr_late_words(p, ctx->windows, &set->late, arena)
						   : NULL;
	const char *who = most      ? main_and_others(ctx, set, &parts, false)
					  : by_host ? jr_arena_printf(arena, " (%s)", who_on_host(ctx, set))
								: who_anywhere(ctx, set, &parts, &one);
	const char *rest = NULL;
	for (int brief = 0; brief < 2; brief++) {
		if (brief && when && set->late.grows && set->late.when == JR_LATE_ALWAYS)
			when = "increasingly";
		else if (brief && when && set->late.when == JR_LATE_SOMETIMES)
			when = jr_arena_printf(arena, "in %s of %s steps",
				jr_count_text(ctx->arena, (int64_t)set->late.n_late),
				jr_count_text(ctx->arena, (int64_t)set->late.n_steps));
		if (brief && most)
			who = main_and_others(ctx, set, &parts, true);
		rest = jr_arena_printf(arena, SUBJECT, who, one ? "s" : "", two ? " device" : "s",
			when ? " " : "", when ? when : "");
		if (!by_host || n_chars(rest) + SAVING_CHARS + LEAST_HOST <= TITLE_CHARS)
			break;
	}
	if (!by_host)
		return rest;
	size_t used = n_chars(rest) + SAVING_CHARS;
	size_t room = used + LEAST_HOST < TITLE_CHARS ? TITLE_CHARS - used : LEAST_HOST;
	return jr_arena_printf(arena, "%s%s", jr_quoted_within(jr_str(p, host), room - 3, arena), rest);
}

const char *jr_late_set_list(struct jr_pass_context *ctx, const struct jr_late_set *set)
{
	enum { MOST = 4 };
	struct jr_arena *arena = ctx->arena;
	size_t n = set->n <= MOST ? set->n : MOST - 1;
	const char *list = set->n == 1 ? "device " : "devices ";
	for (size_t i = 0; i < n; i++)
		list = jr_arena_printf(arena, "%s%s%s", list,
			i == 0                      ? ""
			: i + 1 == n && n == set->n ? " and "
										: ", ",
			set->host == JR_NONE
				? jr_device_name(ctx->profile, set->devices[i], arena)
				: jr_arena_printf(arena, "%u", ctx->profile->devices[set->devices[i]].global));
	return n < set->n ? jr_arena_printf(arena, "%s and %zu more", list, set->n - n) : list;
}

uint32_t jr_late_set_group_op(const struct jr_pass_context *ctx, const struct jr_late_set *set)
{
	const struct jr_profile *p = ctx->profile;
	const uint32_t *before = NULL;
	for (uint32_t i = 0; i < p->n_ops; i++) {
		const uint32_t *group = p->ops[i].device_group;
		if (!group || group == before || !ctx->steady->programs[p->ops[i].program].top)
			continue;
		before = group;
		bool is_one = true;
		for (size_t d = 0; d < p->n_devices && is_one; d++)
			is_one = (group[d] == group[set->devices[0]]) == set->member[d];
		if (is_one)
			return i;
	}
	return JR_NONE;
}
