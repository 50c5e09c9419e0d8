#include "model/sources/input_kind.h"

#include <string.h>

#include "base/cleanup.h"

size_t jr_input_longest(const char *name, size_t size, const char *const *endings, size_t n)
{
	size_t most = 0;
	for (size_t i = 0; i < n && endings[i]; i++) {
		size_t length = strlen(endings[i]);
		if (length > most && size > length && memcmp(name + size - length, endings[i], length) == 0)
			most = length;
	}
	return most;
}

size_t jr_input_ending(const struct jr_input_ops *kind, const char *name, size_t size)
{
	return jr_input_longest(name, size, kind->suffixes, JR_COUNT_OF(kind->suffixes));
}

bool jr_input_named(const char *name, const struct jr_input_ops *kind)
{
	return jr_input_ending(kind, name, strlen(name)) > 0;
}

bool jr_input_begins(const struct jr_input_head *head, const void *magic, size_t n)
{
	return head->bytes.size >= n && memcmp(head->bytes.data, magic, n) == 0;
}
