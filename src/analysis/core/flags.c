#include "analysis/core/flags.h"

#include <assert.h>
#include <string.h>

#include "analysis/core/vendor.h"
#include "model/archive/metadata.h"

enum of { XLA, ENVIRONMENT };
enum on { ALL, GPUS, NVIDIA };

static const struct {
	const char *name, *until, *by_default;
	enum of of;
	enum on on;
} flags[JR_N_FLAGS] = {
#define JR_FLAG(id, name, of, on, since, until, by_default, source)                                \
	{name, until, by_default, of, on},
#include "analysis/core/flags.def"
};

const char *jr_flag_name(enum jr_flag flag, struct jr_arena *arena)
{
	return jr_arena_printf(arena, "%s%s", flags[flag].of == XLA ? "--" : "", flags[flag].name);
}

const char *jr_flag_text(enum jr_flag flag, const char *value, struct jr_arena *arena)
{
	return jr_arena_printf(arena, "%s=%s", jr_flag_name(flag, arena), value);
}

/* Return the value that `text` of n bytes sets: "" for "--name=", "true" for "--name", or NULL. */
static const char *word_value(const char *text, size_t n, const char *name, struct jr_arena *arena)
{
	size_t n_name = strlen(name);
	if (n < 2 + n_name || memcmp(text, "--", 2) != 0 || memcmp(text + 2, name, n_name) != 0)
		return NULL;
	text += 2 + n_name;
	n -= 2 + n_name;
	if (n == 0)
		return "true";
	return *text == '=' ? jr_arena_strndup(arena, text + 1, n - 1) : NULL;
}

static const char blanks[] = " \t\r\n";

/* Take the next word from `*text`, without its quotes; quoted blanks are part of it. XLA parses
 * flags the same way. */
static const char *take_word(const char **text, struct jr_arena *arena)
{
	const char *end = *text;
	char quote = 0;
	for (; *end && (quote || !strchr(blanks, *end)); end++)
		quote = quote ? *end == quote ? 0 : quote : *end == '"' || *end == '\'' ? *end : 0;
	char *word = jr_arena_strndup(arena, *text, (size_t)(end - *text));
	size_t n = 0;
	for (quote = 0; *text < end; (*text)++) {
		bool opens = !quote && (**text == '"' || **text == '\'');
		if (opens || (quote && **text == quote))
			quote = opens ? **text : 0;
		else
			word[n++] = **text;
	}
	word[n] = '\0';
	return word;
}

/* Return the value in the last word of `text` that sets the flag, or NULL. Some launchers quote the
 * whole variable; its words are then inside the quotes. */
static const char *words_value(const char *text, const char *name, struct jr_arena *arena)
{
	const char *value = NULL;
	for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
		const char *word = take_word(&text, arena);
		bool several = strstr(word, " --") != NULL;
		const char *own =
			several ? words_value(word, name, arena) : word_value(word, strlen(word), name, arena);
		value = own ? own : value;
	}
	return value;
}

const char *jr_flag_value(
	const struct jr_profile *profile, enum jr_flag flag, struct jr_arena *arena)
{
	const char *name = flags[flag].name, *value = NULL;
	const char *variable = flags[flag].of == XLA ? "XLA_FLAGS" : name;
	for (size_t i = 0; i < profile->n_settings; i++) {
		if (strcmp(jr_str(profile, profile->settings[i].name), variable) != 0)
			continue;
		const char *text = jr_str(profile, profile->settings[i].value);
		const char *own = flags[flag].of == XLA ? words_value(text, name, arena) : text;
		value = own ? own : value;
	}
	return value;
}

bool jr_flag_on(const struct jr_profile *profile, enum jr_flag flag, struct jr_arena *arena)
{
	const char *value = jr_flag_value(profile, flag, arena);
	return value && strcmp(value, "false") != 0 && strcmp(value, "0") != 0;
}

/* Only environment variables that a report may show are read at all. */
static bool is_known(const struct jr_profile *profile, enum jr_flag flag)
{
	const char *name = flags[flag].name;
	return profile->n_settings && (flags[flag].of == XLA || jr_metadata_shows(name));
}

static bool has_effect(const struct jr_profile *profile, enum on on)
{
	enum jr_vendor vendor = jr_vendor_of(profile);
	return on == ALL || vendor == JR_VENDOR_NVIDIA || (on == GPUS && vendor == JR_VENDOR_AMD);
}

static bool worth_setting(
	const struct jr_profile *profile, const struct jr_flag_advice *advice, struct jr_arena *arena)
{
	const char *by_default = flags[advice->flag].by_default;
	assert(!*flags[advice->flag].until);
	return has_effect(profile, flags[advice->flag].on) &&
		   (!by_default || strcmp(by_default, advice->value) != 0) &&
		   !jr_flag_value(profile, advice->flag, arena);
}

const char *jr_flags_advise(const struct jr_profile *profile, const char *before,
	const struct jr_flag_advice *advice, size_t n, const char *after, struct jr_arena *arena)
{
	const char *text = NULL;
	bool known = true;
	for (size_t i = 0; i < n; i++) {
		if (!worth_setting(profile, &advice[i], arena))
			continue;
		known = known && is_known(profile, advice[i].flag);
		text = jr_arena_printf(arena, "%s%s%s%s%s", text ? text : before,
			!text              ? ""
			: advice[i].before ? ", or "
							   : ", ",
			advice[i].before ? advice[i].before : "",
			jr_flag_text(advice[i].flag, advice[i].value, arena),
			advice[i].after ? advice[i].after : "");
	}
	if (!text)
		return "";
	return jr_arena_printf(arena, "%s%s%s", text, known ? "" : JR_FLAGS_UNKNOWN, after);
}
