/* Words of findings: numbers, names and titles. */
#include "analysis/findings/findings.h"

#include <string.h>

#include "analysis/core/device_name.h"
#include "analysis/core/program_kind.h"
#include "analysis/core/say.h"
#include "analysis/core/terms.h"

/* --- numbers and names ------------------------------------------------------------------------ */

const char *jr_check_time(struct jr_check *c, double ns)
{
	return jr_say_brief(c->ctx->arena, ns);
}

const char *jr_check_step_time(struct jr_check *c, double ns)
{
	return jr_check_time(c, c->n_steps > 0 ? ns / c->n_steps : ns);
}

const char *jr_check_gpu_time(struct jr_check *c, double ns)
{
	return jr_check_time(c, jr_ratio(ns, (double)c->n_gpus));
}

const char *jr_check_count(struct jr_check *c, size_t n)
{
	return jr_count_text(c->ctx->arena, (int64_t)n);
}

const char *jr_check_bytes(struct jr_check *c, double bytes)
{
	return jr_bytes_text(c->ctx->arena, bytes);
}

const char *jr_check_percent(struct jr_check *c, double frac)
{
	return jr_say_percent(c->ctx->arena, frac);
}

const char *jr_check_of_wall(struct jr_check *c, double ns)
{
	const struct jr_table *ledger = jr_results_table(c->ctx->results, "gpu_ledger");
	const char *each = ledger ? jr_say_per_gpu(ledger) : "";
	return jr_arena_printf(c->ctx->arena, "%s of %s%s (%s)", jr_check_gpu_time(c, ns),
		jr_check_gpu_time(c, c->wall_ns), each, jr_check_percent(c, jr_ratio(ns, c->wall_ns)));
}

const char *jr_check_rate(struct jr_check *c, double bytes_s)
{
	return jr_arena_printf(
		c->ctx->arena, "%s GB/s", jr_digits_text(c->ctx->arena, bytes_s / 1e9, 3));
}

const char *jr_check_name(struct jr_check *c, const char *name)
{
	return jr_quoted(name, c->ctx->arena);
}

#define FILE_BYTES 72

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* Return " of “jit_decode”" if another program runs an op with the same name and line, else "". */
static const char *program_of(struct jr_check *c, uint32_t op_row)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_op *op = &p->ops[op_row];
	uint32_t program = p->programs[op->program].name;
	for (uint32_t i = 0; i < p->n_ops; i++)
		if (p->ops[i].name == op->name && p->ops[i].source_line == op->source_line &&
			p->ops[i].source_file == op->source_file &&
			p->programs[p->ops[i].program].name != program &&
			c->ctx->steady->ops[i].active_ns > 0)
			return jr_arena_printf(c->ctx->arena, " of %s", jr_check_name(c, jr_str(p, program)));
	return "";
}

const char *jr_check_op(struct jr_check *c, uint32_t op_row)
{
	const struct jr_profile *p = c->ctx->profile;
	const struct jr_op *op = &p->ops[op_row];
	const char *name = jr_check_name(c, jr_str(p, op->name));
	const char *path = jr_str(p, op->source_file), *file = base_name(path);
	if (!c->finding.thunk) {
		c->finding.thunk = jr_str(p, op->name);
		if (*path && op->source_line > 0)
			c->finding.source = jr_arena_printf(c->ctx->arena, "%s:%d", path, op->source_line);
	}
	name = jr_arena_printf(c->ctx->arena, "%s%s", name, program_of(c, op_row));
	if (*file && op->source_line > 0 && strlen(file) <= FILE_BYTES)
		return jr_arena_printf(c->ctx->arena, "%s (%s:%d)", name, file, op->source_line);
	return name;
}

const char *jr_check_device(struct jr_check *c, uint32_t device)
{
	return jr_device_name(c->ctx->profile, device, c->ctx->arena);
}

const char *jr_check_if_pytorch(struct jr_check *c, const char *text)
{
	return jr_program_kind_of(c->ctx->profile, c->ctx->scratch).pytorch ? text : "";
}

const char *jr_check_advise(struct jr_check *c, const char *before,
	const struct jr_flag_advice *advice, size_t n, const char *after)
{
	return jr_flags_advise(c->ctx->profile, before, advice, n, after, c->ctx->arena);
}

/* --- cause and advice ------------------------------------------------------------------------- */

void jr_check_add(struct jr_check *c, const char **part, const char *text)
{
	if (*text)
		*part = *part ? jr_arena_printf(c->ctx->arena, "%s %s", *part, text) : text;
}

/* --- titles ----------------------------------------------------------------------------------- */

const char *jr_check_pays_back(struct jr_check *c)
{
	const struct jr_finding *f = &c->finding;
	double once_ns = (double)f->recoverable_ns / (double)(f->n_gpus ? f->n_gpus : 1);
	double steps = jr_ratio(once_ns, jr_check_step_ns(c));
	if (!(steps > 0))
		return "";
	char number[JR_NUM_MAX];
	jr_num_significant(number, steps, 3);
	return jr_arena_printf(c->ctx->arena,
		f->times == 1 ? " This happens once and takes as long as %s steps, which matters little in "
						"a much longer run."
					  : " Together they take as long as %s steps, which matters little in a much "
						"longer run, unless it happens again.",
		number);
}

#define LESS 0.95 /* share of a time that is worth mention */
#define MORE 0.05 /* a time larger by less is not worth another number */

void jr_check_set_title(struct jr_check *c, const char *subject, const char *rest)
{
	c->finding.subject = subject;
	c->finding.title = jr_arena_printf(c->ctx->arena, "%s%s", subject, rest);
}

/* The saving as a title states it: the only number there. NULL: unknown, or none. */
static const char *saving_text(struct jr_check *c)
{
	const struct jr_finding *f = &c->finding;
	struct jr_arena *arena = c->ctx->arena;
	if (f->recoverable_ns == JR_NULL_I64 || !jr_finding_saves(f))
		return NULL;
	double all_ns = (double)f->recoverable_ns / (double)(f->n_gpus ? f->n_gpus : 1);
	if (f->planned)
		return jr_arena_printf(arena, "up to %s at the roofline",
			jr_say_brief(arena, (double)f->step_recoverable_ns));
	if (f->times)
		return jr_arena_printf(arena, "up to %s %s", jr_say_brief(arena, all_ns),
			f->n_gpus > 1 ? "per device" : "in all");
	if (f->step_recoverable_ns == JR_NULL_I64 || f->step_without_ns == JR_NULL_I64)
		return jr_arena_printf(arena, "up to %s %s", jr_say_brief(arena, all_ns),
			f->n_gpus > 1 ? "per " JR_GPU : "in all");
	int64_t step_ns = f->since_ns ? f->since_ns : f->step_recoverable_ns;
	return jr_arena_printf(arena, "up to %s per step", jr_say_brief(arena, (double)step_ns));
}

/* A saving refers to the step, which waits for the device with the largest need. Measured times
 * are means over devices, so the largest one is named beside them. */
static const char *measured_text(struct jr_check *c)
{
	const struct jr_finding *f = &c->finding;
	if (jr_check_typical_share(c) < LESS)
		return jr_arena_printf(c->ctx->arena,
			"%s, but less in the median step, which the saving is about", f->title);
	bool per_step = c->devices && f->step_recoverable_ns != JR_NULL_I64;
	size_t most = per_step && c->claim_ns && jr_check_devices(c) > 1
					  ? jr_check_largest(c->claim_ns, c->ctx->profile->n_devices)
					  : SIZE_MAX;
	if (most == SIZE_MAX || f->cause == JR_CAUSE_WAITING ||
		(double)f->step_recoverable_ns <= (1 + MORE) * c->named_ns)
		return f->title;
	if (c->claim_ns[most] < (double)f->step_recoverable_ns)
		return f->predicted ? jr_arena_printf(c->ctx->arena,
								  "%s. Removing this shortens the step by more than this time, "
								  "because other devices wait less",
								  f->title)
							: f->title;
	return jr_arena_printf(c->ctx->arena, "%s, %s on device %s", f->title,
		jr_check_time(c, c->claim_ns[most]), jr_check_device(c, (uint32_t)most));
}

void jr_check_entitle(struct jr_check *c)
{
	struct jr_finding *f = &c->finding;
	const char *saving = f->subject ? saving_text(c) : NULL;
	if (!saving)
		return;
	f->measured = measured_text(c);
	f->evidence = jr_arena_printf(c->ctx->arena, "%s.%s%s", f->measured, f->evidence ? " " : "",
		f->evidence ? f->evidence : "");
	f->title = jr_arena_printf(c->ctx->arena, "%s: %s", f->subject, saving);
}
