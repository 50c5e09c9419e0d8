#include "model/compile/compile_name.h"

#include <string.h>

#include "base/num.h"

static bool begins(struct jr_bytes name, const char *prefix)
{
	size_t n = strlen(prefix);
	return name.size >= n && memcmp(name.data, prefix, n) == 0;
}

static bool is(struct jr_bytes name, const char *text)
{
	return name.size == strlen(text) && begins(name, text);
}

/* "TSL:XlaPass:#..." and "XlaPass:#..." -> "XlaPass:#..."; *xla is false for other domains. */
static struct jr_bytes without_domain(const char *name, size_t n, bool *xla)
{
	static const char *const domains[] = {"TSL:", JR_COMPILE_TRACE_TOP, JR_COMPILE_TRACE};
	struct jr_bytes text = jr_bytes_of(name, n);
	*xla = true;
	for (size_t i = 0; i < sizeof(domains) / sizeof(*domains); i++)
		if (begins(text, domains[i]))
			return jr_bytes_of(name + strlen(domains[i]), n - strlen(domains[i]));
	*xla = begins(text, "Xla") || begins(text, "Thunk:");
	return text;
}

/* Return the offset of the first `what` in text[from..], or text.size. */
static size_t find(struct jr_bytes text, size_t from, const char *what)
{
	const uint8_t *at =
		from < text.size ? memmem(text.data + from, text.size - from, what, strlen(what)) : NULL;
	return at ? (size_t)(at - text.data) : text.size;
}

static size_t digits_from(struct jr_bytes text, size_t at)
{
	size_t n = 0;
	while (at + n < text.size && text.data[at + n] >= '0' && text.data[at + n] <= '9')
		n++;
	return n;
}

/* Return the end of an attribute value that starts at `at`: the next ',' or the last '#'. */
static size_t value_end(struct jr_bytes text, size_t at)
{
	while (at < text.size && text.data[at] != ',' && !(text.data[at] == '#' && at + 1 == text.size))
		at++;
	return at;
}

static int64_t program_number(struct jr_bytes text)
{
	static const char key[] = ",program_id=";
	int64_t number = -1;
	for (size_t at = 0; (at = find(text, at, key)) < text.size;) {
		at += sizeof(key) - 1;
		size_t n = digits_from(text, at);
		if (n && value_end(text, at) == at + n &&
			!jr_parse_i64((const char *)text.data + at, n, &number))
			number = -1;
	}
	return number;
}

struct jr_compile_name jr_compile_name_parse(const char *name, size_t n)
{
	bool xla;
	struct jr_bytes text = without_domain(name, n, &xla);
	struct jr_compile_name parsed = {.kind = JR_COMPILE_PHASE, .program_number = -1};
	struct jr_bytes whole = jr_bytes_of(name, n);
	bool is_top = begins(whole, JR_COMPILE_TRACE_TOP);
	if (begins(whole, JR_COMPILE_TRACE)) /* its names differ from NVTX ranges */
		return parsed;
	if (!xla)
		parsed.kind = JR_COMPILE_FOREIGN;
	else if (is_top || is(text, "XlaCompile") || begins(text, "XlaCompile:"))
		parsed.kind = JR_COMPILE_TOP;
	else if (begins(text, "XlaCompileBackend:"))
		parsed.kind = JR_COMPILE_BACKEND;
	else if (begins(text, "XlaAutotunerMeasurement") || is(text, "XlaAutotunerCompilation") ||
			 begins(text, "XlaAutotunerCompilation:"))
		parsed.kind = JR_COMPILE_AUTOTUNER;
	else if (begins(text, "XlaModule:") || begins(text, "Thunk:"))
		parsed.kind = JR_COMPILE_EXECUTION;
	if (parsed.kind == JR_COMPILE_TOP || parsed.kind == JR_COMPILE_BACKEND)
		parsed.program_number = program_number(text);
	return parsed;
}

struct jr_bytes jr_compile_name_in_file(const char *name, size_t n)
{
	static const char *const ours[] = {JR_COMPILE_TRACE_TOP, JR_COMPILE_TRACE};
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (begins(jr_bytes_of(name, n), ours[i]))
			return jr_bytes_of(name + strlen(ours[i]), n - strlen(ours[i]));
	return jr_bytes_of(name, n);
}

/*
 * Attributes have the form "NAME:#key=value,key=value#". A numeric program_id is dropped. A module
 * is dropped unless it is "split_module": this is not a program but the name that a parallel
 * backend gives its parts. Tables keep these parts separate, phases do not.
 */
static bool is_dropped(struct jr_bytes attribute)
{
	static const char program[] = "program_id=", module[] = "module=";
	if (begins(attribute, program)) {
		size_t n = digits_from(attribute, sizeof(program) - 1);
		return n && n + sizeof(program) - 1 == attribute.size;
	}
	return begins(attribute, module) && !is(attribute, "module=split_module");
}

void jr_compile_name_clean(const char *name, size_t n, struct jr_buf *out)
{
	bool xla;
	struct jr_bytes text = without_domain(name, n, &xla);
	size_t at = find(text, 0, ":#");
	if (begins(text, "XlaAutotunerMeasurement")) {
		jr_buf_puts(out, "XlaAutotunerMeasurement");
		return;
	}
	if (at == text.size || text.data[text.size - 1] != '#' || at + 2 >= text.size ||
		begins(text, "Thunk:")) {
		jr_buf_add(out, text.data, text.size);
		return;
	}
	jr_buf_add(out, text.data, at);
	const char *separator = ":#";
	for (at += 2; at < text.size;) {
		size_t end = value_end(text, at);
		struct jr_bytes attribute = {text.data + at, end - at};
		if (!is_dropped(attribute)) {
			jr_buf_puts(out, separator);
			jr_buf_add(out, attribute.data, attribute.size);
			separator = ",";
		}
		at = end + 1;
	}
	if (*separator == ',')
		jr_buf_putc(out, '#');
}

struct jr_bytes jr_compile_name_phase(const char *name, size_t n)
{
	bool xla;
	struct jr_bytes text = jr_compile_name_in_file(name, n);
	if (text.size < n) /* jax.profiler trace: parts are namespaces ("CpuCompiler::RunBackend") */
		return text;
	text = without_domain(name, n, &xla);
	const uint8_t *colon = n ? memchr(name, ':', n) : NULL;
	if (!xla && colon) { /* another domain */
		size_t skip = (size_t)(colon + 1 - (const uint8_t *)name);
		text = jr_bytes_of(name + skip, n - skip);
	}
	colon = text.size ? memchr(text.data, ':', text.size) : NULL;
	if (colon)
		text.size = (size_t)(colon - text.data);
	return is(text, "XlaPassPipeline") ? jr_bytes_of("XlaPass", 7) : text;
}
