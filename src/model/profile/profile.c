#include "model/profile/profile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "base/text.h"

void jr_profile_init(struct jr_profile *profile, const struct jr_options *options)
{
	*profile = (struct jr_profile){.options = *options};
	jr_arena_init(&profile->arena, options->limits.memory_bytes);
	jr_intern_init(&profile->strings);
}

void jr_profile_done(struct jr_profile *profile)
{
	if (!profile)
		return;
	for (size_t i = 0; i < profile->n_hlo; i++) {
		jr_hlo_done(profile->hlo[i]);
		free(profile->hlo[i]);
	}
	for (size_t i = 0; i < profile->n_owned; i++)
		jr_arena_done(&profile->owned[i]);
	jr_intern_done(&profile->strings);
	jr_arena_done(&profile->arena);
	*profile = (struct jr_profile){0};
}

/* Only whole path components match: "/home/a" is not a prefix of "/home/abc". */
const char *jr_path_stripped(const struct jr_options *options, const char *path)
{
	const char *prefix = options->strip_prefix;
	size_t n = prefix ? strlen(prefix) : 0;
	if (n == 0 || strncmp(path, prefix, n) != 0 || (prefix[n - 1] != '/' && path[n] != '/'))
		return path;
	path += n;
	path += strspn(path, "/");
	return path;
}

/* The lists below are short: each append copies the array into the arena, doubling. */
static void *append(struct jr_arena *arena, void *items, size_t *n, size_t item_size)
{
	size_t count = (*n)++;
	if (count & (count - 1)) /* full only when the count is a power of two */
		return items;
	return jr_arena_copy(arena, items, count, count ? count : 1, item_size);
}

/* Messages about an input may quote its names verbatim, so they are cleaned. */
static char *told(struct jr_profile *p, const char *text)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf clean = {0};
	jr_text_clean(&clean, text, strlen(text));
	return jr_arena_strndup(&p->arena, clean.data ? clean.data : "", clean.size);
}

size_t jr_profile_processes(const struct jr_profile *p)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n_processes; i++)
		n += p->processes[i].first_session == i;
	return n;
}

void jr_profile_guess(struct jr_profile *p, const char *id, uint64_t count, const char *detail)
{
	size_t at = 0, end = p->n_guesses; /* sorted by id */
	if (!count)
		return;
	JR_SEARCH(at, end, middle, strcmp(p->guesses[middle].id, id) < 0);
	if (at < p->n_guesses && strcmp(p->guesses[at].id, id) == 0) {
		p->guesses[at].count += count;
		return;
	}
	p->guesses = append(&p->arena, p->guesses, &p->n_guesses, sizeof(*p->guesses));
	memmove(&p->guesses[at + 1], &p->guesses[at], (p->n_guesses - 1 - at) * sizeof(*p->guesses));
	p->guesses[at] = (struct jr_guess){
		.id = jr_arena_strdup(&p->arena, id), .count = count, .detail = told(p, detail)};
}

static void add_missing(struct jr_profile *p, const char *section, const char *reason, bool damaged)
{
	p->missing = append(&p->arena, p->missing, &p->n_missing, sizeof(*p->missing));
	p->missing[p->n_missing - 1] =
		(struct jr_missing){.section = jr_arena_strdup(&p->arena, section),
			.reason = told(p, reason),
			.damaged = damaged};
}

void jr_profile_missing(struct jr_profile *p, const char *section, const char *reason)
{
	add_missing(p, section, reason, false);
}

void jr_profile_damaged(struct jr_profile *p, const char *section, const char *reason)
{
	add_missing(p, section, reason, true);
}

void jr_profile_warn(struct jr_profile *p, const char *fmt, ...)
{
	char text[1024];
	va_list args;
	va_start(args, fmt);
	if (vsnprintf(text, sizeof(text), fmt, args) >= (int)sizeof(text))
		jr_text_end_cut(text, sizeof(text));
	va_end(args);
	p->warnings = append(&p->arena, p->warnings, &p->n_warnings, sizeof(*p->warnings));
	p->warnings[p->n_warnings - 1] = told(p, text);
}

double jr_profile_zero_ns(const struct jr_profile *p)
{
	double zero_ns = INFINITY;
	if (p->selected.any)
		return p->selected.zero_ns;
	for (size_t i = 0; i < p->modules.n; i++)
		zero_ns = fmin(zero_ns, jr_aligned_ns(p, p->modules.start_ns[i], p->modules.device[i]));
	for (size_t i = 0; i < p->gpu_ops.n && p->modules.n == 0; i++)
		zero_ns = fmin(zero_ns, jr_aligned_ns(p, p->gpu_ops.start_ns[i], p->gpu_ops.device[i]));
	return isinf(zero_ns) ? 0 : zero_ns;
}

uint32_t jr_profile_text(struct jr_profile *p, const char *s, size_t n)
{
	if (jr_text_is_clean(s, n))
		return jr_intern_put(&p->strings, s, n);
	JR_CLEANUP(jr_buf_done) struct jr_buf clean = {0};
	jr_text_clean(&clean, s, n);
	return jr_intern_put(&p->strings, clean.data, clean.size);
}

uint32_t jr_profile_device_set(struct jr_profile *p, uint64_t bits, struct jr_map *known)
{
	uint32_t device = jr_map_get(known, bits);
	if (device != JR_NONE || p->n_device_sets == JR_DEVICE_SETS || bits & JR_FAR_DEVICES)
		return device;
	struct jr_device_set *set = &p->device_sets[p->n_device_sets];
	device = JR_FIRST_DEVICE_SET + (uint32_t)p->n_device_sets++;
	jr_map_put(known, bits, device);
	set->devices = JR_ARENA_N(&p->arena, uint32_t, 64);
	for (; bits; bits &= bits - 1)
		set->devices[set->n++] = (uint32_t)__builtin_ctzll(bits);
	return device;
}

void jr_profile_setting(struct jr_profile *p, uint32_t process, uint32_t name, uint32_t value)
{
	p->settings = append(&p->arena, p->settings, &p->n_settings, sizeof(*p->settings));
	p->settings[p->n_settings - 1] =
		(struct jr_setting){.name = name, .value = value, .process = process};
}

void jr_profile_own_hlo(struct jr_profile *p, struct jr_hlo *hlo)
{
	p->hlo = append(&p->arena, p->hlo, &p->n_hlo, sizeof(*p->hlo));
	p->hlo[p->n_hlo - 1] = hlo;
}

void jr_profile_own_arena(struct jr_profile *p, struct jr_arena *arena)
{
	p->owned = append(&p->arena, p->owned, &p->n_owned, sizeof(*p->owned));
	p->owned[p->n_owned - 1] = *arena;
	jr_arena_init(arena, 0);
}
