#include "record/ranks.h"

#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/num.h"

/* Variables that launchers set; those that describe the process itself come first: Slurm, Open MPI,
 * MPICH and its like, PMIx, PALS, jax.distributed's own, torchrun and its like. */
static const char *const RANKS[] = {"SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
	"PALS_RANKID", "JAX_PROCESS_ID", "RANK", NULL};
static const char *const LOCALS[] = {
	"SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "LOCAL_RANK", NULL};
static const char *const SIZES[] = {
	"SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "JAX_NUM_PROCESSES", "WORLD_SIZE", NULL};

static int64_t first_of(const char *const *names, jr_getenv *get, void *context, const char **which)
{
	for (; *names; names++) {
		const char *text = get(context, *names);
		int64_t v;
		if (!text || !jr_parse_i64(text, strlen(text), &v) || v < 0)
			continue;
		if (which)
			*which = *names;
		return v;
	}
	return -1;
}

void jr_rank_find(jr_getenv *get, void *context, struct jr_rank *out)
{
	*out = (struct jr_rank){0};
	out->rank = first_of(RANKS, get, context, &out->variable);
	out->local = first_of(LOCALS, get, context, NULL);
	out->n_ranks = first_of(SIZES, get, context, NULL);
}

bool jr_name_differs(const char *pattern)
{
	for (const char *s = pattern; (s = strchr(s, '%')) != NULL; s += 2) {
		if (s[1] == 'p' || s[1] == 'q')
			return true;
		if (!s[1])
			break;
	}
	return false;
}

/* Put the value of "%q{VAR}" at s. */
static enum jr_status put_variable(
	const char **s, const struct jr_name_values *values, struct jr_buf *out, struct jr_error *err)
{
	size_t n = (*s)[2] == '{' ? strcspn(*s + 3, "}") : 0;
	char name[128];
	if (!n || (*s)[3 + n] != '}' || n >= sizeof(name))
		return jr_fail(err, JR_EUSAGE, "'%.40s' is not a %%q{VARIABLE}", *s);
	memcpy(name, *s + 3, n);
	name[n] = 0;
	const char *value = values->get(values->context, name);
	if (!value || !*value)
		return jr_fail(err, JR_EUSAGE, "%%q{%s}: the variable %s is not set", name, name);
	jr_buf_puts(out, value);
	*s += 4 + n;
	return JR_OK;
}

static bool ends_with(const char *s, size_t n, const char *end)
{
	size_t m = strlen(end);
	return n > m && memcmp(s + n - m, end, m) == 0;
}

static enum jr_status put_name(const char *pattern, const struct jr_name_values *values,
	int64_t number, struct jr_buf *out, bool *has_number, struct jr_error *err)
{
	for (const char *s = pattern; *s;) {
		if (*s != '%') {
			jr_buf_putc(out, *s++);
			continue;
		}
		switch (s[1]) {
		case 'q': JR_TRY(put_variable(&s, values, out, err)); continue;
		case 'h': jr_buf_puts(out, values->host); break;
		case 'p': jr_buf_printf(out, "%lld", (long long)values->pid); break;
		case 'n':
			*has_number = true;
			jr_buf_printf(out, "%lld", (long long)number);
			break;
		case '%': jr_buf_putc(out, '%'); break;
		default:
			return jr_fail(err, JR_EUSAGE,
				"'%.40s': a percent sign must be followed by q{VARIABLE}, h, p, n or %%", s);
		}
		s += 2;
	}
	if (ends_with(out->data, out->size, ".zip"))
		out->size -= 4;
	else if (ends_with(out->data, out->size, ".nsys-rep"))
		out->size -= 9;
	jr_buf_puts(out, ".zip");
	return JR_OK;
}

enum jr_status jr_name_expand(const char *pattern, const struct jr_name_values *values,
	struct jr_arena *arena, const char **out, struct jr_error *err)
{
	enum { MOST = 100000 };
	if (!*pattern)
		return jr_fail(err, JR_EUSAGE, "--output requires the name of a file");
	for (int64_t number = 1; number <= MOST; number++) {
		struct jr_buf name = {0};
		bool has_number = false;
		struct stat st;
		enum jr_status status = put_name(pattern, values, number, &name, &has_number, err);
		if (status == JR_OK)
			*out = jr_arena_strndup(arena, name.data, name.size);
		jr_buf_done(&name);
		if (status != JR_OK || !has_number || lstat(*out, &st) != 0)
			return status;
	}
	return jr_fail(err, JR_EUSAGE, "%%n: all names up to %d are taken", MOST);
}

enum jr_status jr_rank_matches(
	const char *rule, const struct jr_rank *rank, bool *out, struct jr_error *err)
{
	bool local = strncmp(rule, "local=", 6) == 0;
	if (!local && strncmp(rule, "rank=", 5) != 0)
		return jr_fail(err, JR_EUSAGE, "--if expects rank=N,... or local=N,..., not '%s'", rule);
	int64_t mine = local ? rank->local : rank->rank;
	*out = false;
	for (const char *s = rule + (local ? 6 : 5);;) {
		size_t n = strcspn(s, ",");
		int64_t v;
		if (!jr_parse_i64(s, n, &v) || v < 0)
			return jr_fail(
				err, JR_EUSAGE, "--if expects rank=N,... or local=N,..., not '%s'", rule);
		*out |= v == mine;
		if (!s[n])
			break;
		s += n + 1;
	}
	if (mine < 0)
		return jr_fail(err, JR_EUSAGE,
			"--if %s: cannot determine the %s of this process, because no launcher sets it", rule,
			local ? "local rank" : "rank");
	return JR_OK;
}
