#include "model/archive/trace_parts.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/num.h"

struct view {
	const char *s;
	size_t n;
};

static bool starts(struct view v, const char *prefix)
{
	size_t n = strlen(prefix);
	return v.n >= n && memcmp(v.s, prefix, n) == 0;
}

static struct view skip(struct view v, size_t n)
{
	return (struct view){v.s + n, v.n - n};
}

/* Return the offset after the last occurrence of `key` that follows '#' or ',', or SIZE_MAX. */
static size_t find_last_value(struct view v, const char *key)
{
	size_t n = strlen(key);
	for (size_t i = v.n >= n ? v.n - n + 1 : 0; i-- > 1;)
		if (v.s[i] == key[0] && (v.s[i - 1] == '#' || v.s[i - 1] == ',') &&
			memcmp(v.s + i, key, n) == 0)
			return i + n;
	return SIZE_MAX;
}

/* Return the value from `at` to the next ',' or '#'. */
static struct view value_at(struct view v, size_t at)
{
	size_t end = at;
	while (end < v.n && v.s[end] != ',' && v.s[end] != '#')
		end++;
	return (struct view){v.s + at, end - at};
}

static int64_t number_of(struct view tail, const char *key)
{
	size_t at = find_last_value(tail, key);
	int64_t number;
	if (at == SIZE_MAX)
		return -1;
	struct view value = value_at(tail, at);
	return jr_parse_i64(value.s, value.n, &number) && number >= 0 ? number : -1;
}

static bool parse_thunk(struct view v, struct jr_range_name *out)
{
	size_t at = find_last_value(v, "hlo_op=");
	if (at == SIZE_MAX)
		return false;
	struct view op = value_at(v, at);
	out->kind = JR_RANGE_THUNK;
	out->op = op.s;
	out->op_len = op.n;
	/* The tail begins with the separator of the next key. */
	struct view tail = skip(v, at + op.n);
	out->unique_op_id = number_of(tail, "unique_hlo_op_id=");
	out->xla = out->unique_op_id >= 0 ? 2 : 1;
	return op.n > 0;
}

static bool parse_module(struct view v, struct jr_range_name *out)
{
	size_t at = find_last_value(v, "hlo_module=");
	if (at == SIZE_MAX)
		return false;
	struct view name = value_at(v, at);
	out->kind = JR_RANGE_MODULE;
	out->op = name.s;
	out->op_len = name.n;
	out->program_number = number_of(skip(v, at + name.n), "program_id=");
	return name.n > 0;
}

struct jr_range_name jr_range_name_parse(const char *text, size_t n)
{
	struct jr_range_name out = {.program_number = -1, .unique_op_id = -1};
	struct jr_range_name parsed = out;
	struct view v = {text, n};
	bool nccl_domain = starts(v, "NCCL:");
	if (starts(v, "TSL:"))
		v = skip(v, 4);
	else if (nccl_domain)
		v = skip(v, 5);
	if (nccl_domain || (v.n > 4 && starts(v, "nccl") && isupper((unsigned char)v.s[4]))) {
		out.kind = JR_RANGE_NCCL;
		return out;
	}
	if (starts(v, "Thunk:#") && parse_thunk(v, &parsed))
		return parsed;
	parsed = out;
	if (starts(v, "XlaModule:#") && parse_module(v, &parsed))
		return parsed;
	return out;
}

static bool take_number(struct view *v, const char *key, uint32_t *out)
{
	if (!starts(*v, key))
		return false;
	*v = skip(*v, strlen(key));
	size_t digits = 0;
	while (digits < v->n && isdigit((unsigned char)v->s[digits]))
		digits++;
	int64_t number;
	if (!jr_parse_i64(v->s, digits, &number) || number >= UINT32_MAX)
		return false;
	*out = (uint32_t)number;
	*v = skip(*v, digits);
	return true;
}

/* Whether the n bytes at s contain a word, ignoring case. The first character is a small letter;
 * comparing it here bounds the time of names of many kilobytes. */
static bool holds(const char *s, size_t n, const char *word)
{
	size_t m = strlen(word);
	for (size_t i = 0; i + m <= n; i++)
		if ((s[i] | 0x20) == word[0] && strncasecmp(s + i, word, m) == 0)
			return true;
	return false;
}

bool jr_is_communication_kernel(const char *name)
{
	static const char type[] = "void ";
	/* libraries by name; then custom kernels of vLLM, SGLang, TensorRT-LLM, PyTorch and XLA by
	 * operation */
	static const char *const words[] = {"nvshmem", "deep_ep::", "mscclpp", "msccl", "rccl",
		"cross_device_reduce", "allreduce", "all_reduce", "allgather", "all_gather",
		"reducescatter", "reduce_scatter", "alltoall", "all_to_all"};
	/* reductions in a block or warp send nothing; XLA names a fusion after its instructions */
	static const char *const not_words[] = {
		"block_all", "blockall", "warp_all", "warpall", "fusion"};
	static const char unnamed[] = "(anonymous namespace)::";
	if (strncmp(name, type, sizeof(type) - 1) == 0)
		name += sizeof(type) - 1;
	if (strncmp(name, unnamed, sizeof(unnamed) - 1) == 0)
		name += sizeof(unnamed) - 1;
	if (strncmp(name, "nccl", 4) == 0)
		return true;
	size_t n = strcspn(name, "<("); /* arguments contain type names */
	for (size_t i = 0; i < JR_COUNT_OF(not_words); i++)
		if (holds(name, n, not_words[i]))
			return false;
	for (size_t i = 0; i < JR_COUNT_OF(words); i++)
		if (holds(name, n, words[i]))
			return true;
	return false;
}

bool jr_device_name_parse(
	const char *text, size_t n, const char *prefix, struct jr_device_name *out)
{
	struct view v = {text, n};
	struct jr_device_name name;
	if (!starts(v, prefix))
		return false;
	v = skip(v, strlen(prefix));
	if (!take_number(&v, "global=", &name.global) || !take_number(&v, ",local=", &name.local) ||
		!take_number(&v, ",process=", &name.process))
		return false;
	if (!take_number(&v, ",slice=", &name.slice) && !take_number(&v, ",partition=", &name.slice))
		return false;
	if (v.n != 1 || v.s[0] != '#')
		return false;
	*out = name;
	return true;
}
