#include "formats/text/secrets.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"

/* --- the environment -------------------------------------------------------------------------- */

bool jr_environment_allowed(const char *name, size_t n)
{
	static const char *const exact[] = {
		"XLA_FLAGS", "CUDA_VISIBLE_DEVICES", "SLURM_NNODES", "SLURM_NTASKS", "SLURM_PROCID"};
	static const char *const prefixes[] = {"JAX_", "NCCL_"};
	static const char *const secrets[] = {
		"TOKEN", "SECRET", "PASSW", "CREDENTIAL", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY"};
	for (size_t i = 0; i < JR_COUNT_OF(exact); i++)
		if (strlen(exact[i]) == n && memcmp(exact[i], name, n) == 0)
			return true;
	for (size_t i = 0; i < JR_COUNT_OF(secrets); i++)
		if (memmem(name, n, secrets[i], strlen(secrets[i])))
			return false;
	for (size_t i = 0; i < JR_COUNT_OF(prefixes); i++)
		if (n > strlen(prefixes[i]) && memcmp(prefixes[i], name, strlen(prefixes[i])) == 0)
			return true;
	return false;
}

void jr_environment_put_variable(struct jr_buf *out, const char *text, size_t n)
{
	const char *equals = memchr(text, '=', n);
	if (!equals || !jr_environment_allowed(text, (size_t)(equals - text)))
		return;
	if (out->size)
		jr_buf_putc(out, ';');
	jr_buf_add(out, text, (size_t)(equals + 1 - text));
	jr_secrets_hide(out, equals + 1, n - (size_t)(equals + 1 - text));
}

void jr_environment_put(struct jr_buf *out, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, ";");
		jr_environment_put_variable(out, text, n);
		text += n + (text[n] == ';');
	}
}

/* --- texts ------------------------------------------------------------------------------------ */

/* The rest of a text. */
struct rest {
	const char *at, *end;
};

static bool is_word(char c)
{
	return jr_is_letter(c) || jr_is_digit(c) || c == '_' || c == '-';
}

static bool ends_value(char c)
{
	return !c || strchr(" \t\r\n\"'`,;&|<>()", c);
}

static void skip_value(struct rest *r)
{
	while (r->at < r->end && !ends_value(*r->at))
		r->at++;
}

static bool begins(const struct rest *r, const char *with)
{
	size_t n = strlen(with);
	return (size_t)(r->end - r->at) >= n && memcmp(r->at, with, n) == 0;
}

/* Tokens of Hugging Face, GitHub, GitLab, AWS, OpenAI, Google, Slack, and JSON Web Tokens. */
static bool is_token(const struct rest *r, size_t n)
{
	static const char *const prefixes[] = {"hf_", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-",
		"AKIA", "ASIA", "sk-", "AIza", "ya29", "xoxb-", "xoxp-", "eyJ"};
	enum { LEAST = 16 };
	bool digit = false;
	for (size_t i = 0; i < n; i++)
		digit |= jr_is_digit(r->at[i]);
	for (size_t i = 0; n >= LEAST && digit && i < JR_COUNT_OF(prefixes); i++)
		if (begins(r, prefixes[i]))
			return true;
	return false;
}

static bool names_secret(const char *word, size_t n)
{
	static const char *const names[] = {"token", "secret", "password", "passwd", "credential",
		"credentials", "api_key", "api-key", "apikey", "access_key", "access-key", "private_key",
		"private-key", "secret_key", "secret-key", "authorization"};
	for (size_t i = 0; i < JR_COUNT_OF(names); i++) {
		size_t length = strlen(names[i]);
		if (n >= length && strncasecmp(word + n - length, names[i], length) == 0)
			return true;
	}
	return false;
}

bool jr_secrets_follow(const char *argument)
{
	return argument[0] == '-' && names_secret(argument, strlen(argument));
}

/* Append a separator and *** for the value after it, if there are both. is_option: a blank is a
 * separator, too. */
static void hide_value(struct jr_buf *out, struct rest *r, bool is_option)
{
	const char *value = r->at;
	if (r->end - value > 1 && strchr("\"'", *value) && (value[1] == ':' || value[1] == '='))
		value++; /* a name of JSON */
	bool separated = value < r->end && (*value == '=' || *value == ':');
	value += separated;
	while (value < r->end && (*value == ' ' || *value == '"' || *value == '\''))
		value++;
	if ((!separated && (!is_option || value == r->at)) || value == r->end || ends_value(*value) ||
		(!separated && *value == '-'))
		return;
	jr_buf_add(out, r->at, (size_t)(value - r->at));
	r->at = value;
	for (size_t i = 0; i < 2; i++) { /* Authorization: Bearer TOKEN */
		static const char *const schemes[] = {"Bearer ", "Basic "};
		if (begins(r, schemes[i])) {
			jr_buf_puts(out, schemes[i]);
			r->at += strlen(schemes[i]);
		}
	}
	jr_buf_puts(out, JR_SECRETS_HIDDEN);
	skip_value(r);
}

/* Append what follows "://" up to the path, without the user. */
static void hide_user(struct jr_buf *out, struct rest *r)
{
	const char *host = r->at;
	while (host < r->end && *host && !strchr("@/?# \t\"',;", *host))
		host++;
	if (host < r->end && *host == '@')
		jr_buf_puts(out, JR_SECRETS_HIDDEN);
	else
		jr_buf_add(out, r->at, (size_t)(host - r->at));
	r->at = host;
}

/* Append a word, and *** for it or for what it names. */
static void put_word(struct jr_buf *out, struct rest *r)
{
	size_t n = 0;
	while (r->at + n < r->end && is_word(r->at[n]))
		n++;
	const char *word = r->at;
	if (is_token(r, n)) {
		jr_buf_puts(out, JR_SECRETS_HIDDEN);
		skip_value(r);
		return;
	}
	jr_buf_add(out, word, n);
	r->at += n;
	bool bearer = n == 6 && memcmp(word, "Bearer", n) == 0;
	bool is_option = n > 2 && memcmp(word, "--", 2) == 0;
	if (bearer || names_secret(word, n))
		hide_value(out, r, bearer || is_option);
}

void jr_secrets_hide(struct jr_buf *out, const char *text, size_t n)
{
	struct rest r = {text, text + n};
	bool in_url = false;
	while (r.at < r.end) {
		if (begins(&r, "://")) {
			jr_buf_puts(out, "://");
			r.at += 3;
			hide_user(out, &r);
			in_url = true;
		} else if (in_url && *r.at == '?') {
			jr_buf_puts(out, "?" JR_SECRETS_HIDDEN);
			skip_value(&r);
			while (r.at < r.end && *r.at == '&') {
				r.at++;
				skip_value(&r);
			}
		} else if (is_word(*r.at)) {
			put_word(out, &r);
		} else {
			in_url = in_url && !ends_value(*r.at);
			jr_buf_putc(out, *r.at++);
		}
	}
}
