/*
 * json_reader.h - a strict JSON reader with only the functions that tests need: validity, and the
 * value at a path.
 * Test code; static functions only.
 */
#ifndef JR_TESTS_JSON_READER_H
#define JR_TESTS_JSON_READER_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *json_blank(const char *p)
{
	return p + strspn(p, " \n\r\t");
}

/* Skip one item at p and return the position after it, or NULL if p is not such an item. */
static const char *json_skip(const char *p, int depth);

static const char *json_skip_string(const char *p)
{
	if (*p++ != '"')
		return NULL;
	for (; *p != '"'; p++) {
		if ((unsigned char)*p < 0x20)
			return NULL; /* also at the end */
		if (*p != '\\')
			continue;
		p++;
		if (*p == 'u') {
			if (strspn(p + 1, "0123456789abcdefABCDEF") < 4)
				return NULL;
			p += 4;
		} else if (!*p || !strchr("\"\\/bfnrt", *p)) {
			return NULL;
		}
	}
	return p + 1;
}

static const char *json_skip_number(const char *p)
{
	p += *p == '-';
	size_t whole = strspn(p, "0123456789");
	if (!whole || (whole > 1 && *p == '0'))
		return NULL;
	p += whole;
	if (*p == '.') {
		size_t fraction = strspn(p + 1, "0123456789");
		if (!fraction)
			return NULL;
		p += 1 + fraction;
	}
	if (*p == 'e' || *p == 'E') {
		p += 1 + (p[1] == '+' || p[1] == '-');
		size_t exponent = strspn(p, "0123456789");
		if (!exponent)
			return NULL;
		p += exponent;
	}
	return p;
}

static const char *json_skip_members(const char *p, int depth, char end)
{
	p = json_blank(p + 1);
	if (*p == end)
		return p + 1;
	for (;;) {
		if (end == '}') {
			p = json_skip_string(p);
			p = p ? json_blank(p) : NULL;
			if (!p || *p != ':')
				return NULL;
			p = json_blank(p + 1);
		}
		p = json_skip(p, depth + 1);
		p = p ? json_blank(p) : NULL;
		if (!p || (*p != ',' && *p != end))
			return NULL;
		if (*p++ == end)
			return p;
		p = json_blank(p);
	}
}

static const char *json_skip(const char *p, int depth)
{
	static const char *const words[] = {"true", "false", "null"};
	if (depth > 60)
		return NULL;
	for (size_t i = 0; i < 3; i++)
		if (strncmp(p, words[i], strlen(words[i])) == 0)
			return p + strlen(words[i]);
	switch (*p) {
	case '{': return json_skip_members(p, depth, '}');
	case '[': return json_skip_members(p, depth, ']');
	case '"': return json_skip_string(p);
	default: return json_skip_number(p);
	}
}

static bool json_valid(const char *text)
{
	const char *end = json_skip(json_blank(text), 0);
	return end && !*json_blank(end);
}

/* Return the value at "key.key[3].key" of valid JSON, or NULL. */
static const char *json_at(const char *p, const char *path)
{
	p = json_blank(p);
	while (*path) {
		if (*path == '[') {
			long index = strtol(path + 1, NULL, 10);
			path = strchr(path, ']') + 1;
			if (*p != '[')
				return NULL;
			for (p = json_blank(p + 1); index > 0 && *p != ']'; index--)
				for (p = json_blank(json_skip(p, 0)); *p == ',';)
					p = json_blank(p + 1);
			if (*p == ']')
				return NULL;
			continue;
		}
		path += *path == '.';
		size_t n = strcspn(path, ".[");
		if (*p != '{')
			return NULL;
		for (p = json_blank(p + 1); *p == '"';) {
			bool found = strncmp(p + 1, path, n) == 0 && p[n + 1] == '"';
			p = json_blank(json_blank(json_skip_string(p)) + 1);
			if (found)
				break;
			p = json_blank(json_skip(p, 0));
			p = *p == ',' ? json_blank(p + 1) : p;
		}
		if (*p == '}')
			return NULL;
		path += n;
	}
	return p;
}

/* Return true if the value at the path is written exactly like this. */
static bool json_is(const char *text, const char *path, const char *want)
{
	const char *p = json_at(text, path);
	const char *end = p ? json_skip(p, 0) : NULL;
	return end && (size_t)(end - p) == strlen(want) && memcmp(p, want, strlen(want)) == 0;
}

#endif
