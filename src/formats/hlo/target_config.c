#include "formats/hlo/target_config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/num.h"

#define MOST_LEVELS 16
#define MOST_CAPABILITY 99
#define MOST_CLOCK_GHZ 1000

/* Messages whose fields are read; others are skipped. */
enum message { OTHER, CONFIG, DEVICE_INFO, CAPABILITY };

struct text {
	const char *begin, *p, *end;
	struct jr_target_config config;
	int64_t major, minor;
	struct jr_error *err;
};

struct word {
	const char *s;
	size_t n;
};

static enum jr_status fault(struct text *t, const char *what)
{
	return jr_fail(
		t->err, JR_EFORMAT, "text of a message: %s at byte %zu", what, (size_t)(t->p - t->begin));
}

static void skip_space(struct text *t)
{
	while (t->p < t->end) {
		if (*t->p == '#') {
			const char *newline = memchr(t->p, '\n', (size_t)(t->end - t->p));
			t->p = newline ? newline : t->end;
		} else if (*t->p != ' ' && *t->p != '\t' && *t->p != '\n' && *t->p != '\r') {
			return;
		} else {
			t->p++;
		}
	}
}

/* Take `c` and the space after it. */
static bool take(struct text *t, char c)
{
	if (t->p == t->end || *t->p != c)
		return false;
	t->p++;
	skip_space(t);
	return true;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
		   c == '.' || c == '-' || c == '+';
}

/* Take a name, a number or the name of a value: letters, digits and "_.-+". */
static struct word take_word(struct text *t)
{
	struct word word = {t->p, 0};
	while (t->p < t->end && is_word(*t->p))
		t->p++;
	word.n = (size_t)(t->p - word.s);
	skip_space(t);
	return word;
}

static bool equals(struct word word, const char *text)
{
	return word.n == strlen(text) && memcmp(word.s, text, word.n) == 0;
}

/* Take "..." or '...' and return the text between the quotes as written. */
static enum jr_status take_quoted(struct text *t, struct word *out)
{
	char quote = *t->p++;
	out->s = t->p;
	for (; t->p < t->end && *t->p != quote && *t->p != '\n'; t->p++)
		if (*t->p == '\\' && t->end - t->p > 1)
			t->p++;
	if (t->p == t->end || *t->p != quote)
		return fault(t, "an open quote");
	out->n = (size_t)(t->p - out->s);
	t->p++;
	skip_space(t);
	return JR_OK;
}

static enum message message_of(enum message around, struct word name)
{
	if (around == CONFIG && equals(name, "gpu_device_info"))
		return DEVICE_INFO;
	return around == DEVICE_INFO && equals(name, "cuda_compute_capability") ? CAPABILITY : OTHER;
}

static uint64_t positive(struct word value)
{
	int64_t v;
	return jr_parse_i64(value.s, value.n, &v) && v > 0 ? (uint64_t)v : 0;
}

static uint64_t hz_of_ghz(struct word value)
{
	double ghz;
	bool good = jr_parse_double(value.s, value.n, &ghz) && ghz > 0 && ghz <= MOST_CLOCK_GHZ;
	return good ? (uint64_t)llround(ghz * 1e9) : 0;
}

static int64_t small(struct word value)
{
	int64_t v;
	return jr_parse_i64(value.s, value.n, &v) && v >= 0 && v <= MOST_CAPABILITY ? v : -1;
}

static void take_number(struct text *t, enum message message, struct word name, struct word value)
{
	if (message == CAPABILITY && equals(name, "major"))
		t->major = small(value);
	else if (message == CAPABILITY && equals(name, "minor"))
		t->minor = small(value);
	else if (message != DEVICE_INFO)
		return;
	else if (equals(name, "core_count"))
		t->config.sm_count = positive(value);
	else if (equals(name, "memory_bandwidth"))
		t->config.memory_bandwidth_bytes_s = positive(value);
	else if (equals(name, "clock_rate_ghz"))
		t->config.clock_hz = hz_of_ghz(value);
}

static void take_name(struct text *t, struct word value)
{
	size_t n = value.n < sizeof(t->config.name) - 1 ? value.n : sizeof(t->config.name) - 1;
	memcpy(t->config.name, value.s, n);
	t->config.name[n] = '\0';
}

static enum jr_status fields(struct text *t, enum message message, char end, unsigned level);

static enum jr_status one_value(
	struct text *t, enum message message, struct word name, unsigned level)
{
	if (t->p < t->end && (*t->p == '"' || *t->p == '\'')) {
		bool is_name = message == CONFIG && equals(name, "device_description_str");
		do { /* adjacent texts form one; of a name, only the last is kept */
			struct word value = {0};
			JR_TRY(take_quoted(t, &value));
			if (is_name)
				take_name(t, value);
		} while (t->p < t->end && (*t->p == '"' || *t->p == '\''));
		return JR_OK;
	}
	if (take(t, '{'))
		return fields(t, message_of(message, name), '}', level + 1);
	if (take(t, '<'))
		return fields(t, message_of(message, name), '>', level + 1);
	struct word value = take_word(t);
	if (!value.n)
		return fault(t, "no value");
	take_number(t, message, name, value);
	return JR_OK;
}

static enum jr_status values(struct text *t, enum message message, struct word name, unsigned level)
{
	if (!take(t, '['))
		return one_value(t, message, name, level);
	if (take(t, ']'))
		return JR_OK;
	do
		JR_TRY(one_value(t, message, name, level));
	while (take(t, ','));
	return take(t, ']') ? JR_OK : fault(t, "an open list");
}

static enum jr_status field(struct text *t, enum message message, unsigned level)
{
	struct word name;
	if (take(t, '[')) { /* an extension or a message of any type: "[a.b/c.d]" */
		while (t->p < t->end && (is_word(*t->p) || *t->p == '/'))
			t->p++;
		skip_space(t);
		name = (struct word){t->p, 0};
		if (!take(t, ']'))
			return fault(t, "an open name");
	} else {
		name = take_word(t);
		if (!name.n)
			return fault(t, "no name");
	}
	bool colon = take(t, ':');
	if (!colon && (t->p == t->end || (*t->p != '{' && *t->p != '<')))
		return fault(t, "neither ':' nor a message");
	JR_TRY(values(t, message, name, level));
	if (!take(t, ','))
		(void)take(t, ';');
	return JR_OK;
}

/* Read fields up to `end`; in the outermost message (0) to the end of the text. */
static enum jr_status fields(struct text *t, enum message message, char end, unsigned level)
{
	if (level > MOST_LEVELS)
		return jr_fail(t->err, JR_ELIMIT, "messages nested deeper than %d", MOST_LEVELS);
	if (message == CAPABILITY)
		t->major = t->minor = 0;
	while (end ? !take(t, end) : t->p < t->end) {
		if (t->p == t->end)
			return fault(t, "an open message");
		JR_TRY(field(t, message, level));
	}
	return JR_OK;
}

enum jr_status jr_target_config_read(
	struct jr_bytes in, struct jr_target_config *out, struct jr_error *err)
{
	if (in.size > JR_TARGET_CONFIG_MOST_BYTES)
		return jr_fail(
			err, JR_ELIMIT, "longer than %" PRIu64 " bytes", JR_TARGET_CONFIG_MOST_BYTES);
	const char *begin = (const char *)in.data;
	struct text t = {.begin = begin, .p = begin, .end = begin + in.size, .err = err};
	if (in.size) {
		skip_space(&t);
		JR_TRY(fields(&t, CONFIG, 0, 0));
	}
	if (t.major > 0 && t.minor >= 0 && t.minor < 10)
		t.config.compute_capability = (uint32_t)(10 * t.major + t.minor);
	*out = t.config;
	return JR_OK;
}
