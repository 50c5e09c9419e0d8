#include "analysis/schedule/what_if_terms.h"
#include "analysis/schedule/replay_parts.h"

#include <math.h>
#include <string.h>

#include "analysis/shared/columns.h"
#include "analysis/roofline/roofline.h"
#include "base/suggest.h"

#define MOST_FACTOR 1000
#define MOST_RATE 1e15

/* True if an op, or a device, matches the name. */
typedef bool (*matches_fn)(const struct jr_profile *p, uint32_t row, const char *name, size_t n);

struct jr_what_if_kind {
	const char *word;
	const char *form, *help;
	unsigned values;    /* enum jr_what_if_value, combined by | */
	const char *own;    /* the word for JR_WHAT_IF_WORD */
	matches_fn matches; /* NULL: the kind has no name */
	const char *called; /* what the name is of: "thunk" */
	bool of_device;     /* matches rows of devices instead of ops */
	void (*flag)(struct jr_change *change);
};

/* --- matching --------------------------------------------------------------------------------- */

static bool same(const char *text, const char *name, size_t n)
{
	return strlen(text) == n && memcmp(text, name, n) == 0;
}

static bool is_thunk(const struct jr_profile *p, uint32_t op, const char *name, size_t n)
{
	return same(jr_str(p, p->ops[op].name), name, n);
}

static bool is_op(const struct jr_profile *p, uint32_t op, const char *name, size_t n)
{
	const char *category = jr_op_category(p, &p->ops[op]);
	return same(jr_str(p, p->ops[op].opcode), name, n) || (category && same(category, name, n));
}

static bool is_collective(const struct jr_profile *p, uint32_t op, const char *name, size_t n)
{
	return jr_is_rendezvous(p, &p->ops[op]) && same(jr_str(p, p->ops[op].collective), name, n);
}

static bool is_device(const struct jr_profile *p, uint32_t device, const char *name, size_t n)
{
	char number[JR_NUM_MAX];
	jr_num_i64(number, p->devices[device].global);
	return same(number, name, n);
}

static void close_gaps(struct jr_change *change)
{
	change->no_gaps = true;
}

static void hurry_host(struct jr_change *change)
{
	change->never_late = true;
}

static void overlap_all(struct jr_change *change)
{
	change->overlap = true;
}

static const struct jr_what_if_kind kinds[] = {
	{"thunk", "thunk:NAME=0.5x|roof",
		"executions of that thunk take this fraction of their time, or their roofline time",
		JR_WHAT_IF_FACTOR | JR_WHAT_IF_ROOF, NULL, is_thunk, "thunk", false, NULL},
	{"op", "op:NAME=0.5x|roof", "the same for all thunks of that opcode or category (dot, gemm)",
		JR_WHAT_IF_FACTOR | JR_WHAT_IF_ROOF, NULL, is_op, "opcode or category", false, NULL},
	{"collective", "collective:KIND=200GB/s|2x",
		"transfers of all collectives of that kind reach that bus bandwidth, or that multiple of "
		"their own",
		JR_WHAT_IF_RATE | JR_WHAT_IF_FACTOR, NULL, is_collective, "kind of collective", false,
		NULL},
	{"device", "device:N=median", "that device computes as fast as the median of the others",
		JR_WHAT_IF_WORD, "median", is_device, "device", true, NULL},
	{"gaps", "gaps=0", "no gaps between thunks inside modules", JR_WHAT_IF_WORD, "0", NULL, NULL,
		false, close_gaps},
	{"host", "host=never-late", "no idle time between modules", JR_WHAT_IF_WORD, "never-late", NULL,
		NULL, false, hurry_host},
	{"overlap", "overlap=perfect",
		"communication starts as soon as its operands are ready, and only operations that use its "
		"result wait for it",
		JR_WHAT_IF_WORD, "perfect", NULL, NULL, false, overlap_all},
};

bool jr_what_if_form(size_t row, const char **form, const char **help)
{
	if (row >= JR_COUNT_OF(kinds))
		return false;
	*form = kinds[row].form;
	*help = kinds[row].help;
	return true;
}

/* --- parsing ---------------------------------------------------------------------------------- */

static const struct jr_what_if_kind *find_kind(const char *word, size_t n)
{
	for (size_t i = 0; i < JR_COUNT_OF(kinds); i++)
		if (same(kinds[i].word, word, n))
			return &kinds[i];
	return NULL;
}

/* Parse a number that is followed by `unit`. */
static bool number_with(const char *value, const char *unit, double *out)
{
	size_t n = strlen(value), n_unit = strlen(unit);
	return n > n_unit && strcmp(value + n - n_unit, unit) == 0 &&
		   jr_parse_double(value, n - n_unit, out);
}

static bool read_value(const char *value, struct jr_what_if *out)
{
	unsigned values = out->kind->values;
	if (values & JR_WHAT_IF_WORD && strcmp(value, out->kind->own) == 0) {
		out->value = JR_WHAT_IF_WORD;
		return true;
	}
	if (values & JR_WHAT_IF_ROOF && strcmp(value, "roof") == 0) {
		out->value = JR_WHAT_IF_ROOF;
		return true;
	}
	if (values & JR_WHAT_IF_FACTOR && number_with(value, "x", &out->number)) {
		out->value = JR_WHAT_IF_FACTOR;
		bool divides = values & JR_WHAT_IF_RATE;
		return out->number <= MOST_FACTOR &&
			   (divides ? out->number >= 1.0 / MOST_FACTOR : out->number >= 0);
	}
	if (values & JR_WHAT_IF_RATE && number_with(value, "GB/s", &out->number)) {
		out->value = JR_WHAT_IF_RATE;
		out->number *= 1e9;
		return out->number > 0 && out->number <= MOST_RATE;
	}
	return false;
}

enum jr_status jr_what_if_parse(const char *text, struct jr_what_if *out, struct jr_error *err)
{
	const char *equals = strrchr(text, '='), *colon = strchr(text, ':');
	*out = (struct jr_what_if){.text = text};
	if (!equals)
		return jr_fail(err, JR_EUSAGE,
			"'%s': does not contain '=' (example: 'thunk:NAME=0.5x'). --what-if list shows all "
			"forms",
			text);
	size_t n = (size_t)((colon && colon < equals ? colon : equals) - text);
	out->kind = find_kind(text, n);
	if (!out->kind) {
		struct jr_nearest nearest = {0};
		char word[32] = "";
		memcpy(word, text, n < sizeof(word) ? n : sizeof(word) - 1);
		for (size_t i = 0; i < JR_COUNT_OF(kinds); i++)
			jr_nearest_offer(&nearest, word, kinds[i].word);
		return jr_fail(err, JR_EUSAGE,
			"'%s': '%s' is not supported%s%s%s. --what-if list shows all forms", text, word,
			nearest.best ? " (did you mean '" : "", nearest.best ? nearest.best : "",
			nearest.best ? "'?)" : "");
	}
	if (colon && colon < equals) {
		out->name = colon + 1;
		out->name_bytes = (size_t)(equals - out->name);
	}
	bool named = out->kind->matches != NULL;
	if (named != (out->name != NULL) || named != (out->name_bytes > 0) ||
		!read_value(equals + 1, out))
		return jr_fail(err, JR_EUSAGE, "'%s': not of the form %s", text, out->kind->form);
	return JR_OK;
}

/* --- names ------------------------------------------------------------------------------------ */

/* Return the name of a row of ops or of devices. `number` is the buffer for a device's name. */
static const char *name_of(const struct jr_profile *p, const struct jr_what_if_kind *kind,
	uint32_t row, char number[JR_NUM_MAX])
{
	if (kind->of_device) {
		jr_num_i64(number, p->devices[row].global);
		return number;
	}
	const struct jr_op *op = &p->ops[row];
	const char *category = kind->matches == is_op ? jr_op_category(p, op) : NULL;
	return category ? category
					: jr_str(p, kind->matches == is_thunk ? op->name
								: kind->matches == is_op  ? op->opcode
														  : op->collective);
}

/* List the first few different names, for an error if no similar name exists. Thunks are not
 * listed: they are too many and have their own table. */
static const char *list_names(
	const struct jr_profile *p, const struct jr_what_if_kind *kind, size_t n, char to[256])
{
	char number[JR_NUM_MAX];
	size_t n_listed = 0, end = 0;
	for (uint32_t row = 0; row < n && kind->matches != is_thunk; row++) {
		const char *name = name_of(p, kind, row, number);
		size_t bytes = strlen(name);
		bool is_new = bytes > 0;
		for (size_t at = 0; is_new && at < end; at += strlen(to + at) + 1)
			is_new = strcmp(to + at, name) != 0;
		if (!is_new)
			continue;
		if (n_listed == 8 || end + bytes + 1 > 256)
			break;
		memcpy(to + end, name, bytes + 1);
		end += bytes + 1;
		n_listed++;
	}
	for (size_t at = 0; at + 1 < end; at++)
		if (!to[at])
			to[at] = ' ';
	return end ? to : NULL;
}

enum jr_status jr_what_if_check(
	const struct jr_profile *profile, const struct jr_what_if *what, struct jr_error *err)
{
	const struct jr_what_if_kind *kind = what->kind;
	size_t n = kind->of_device ? profile->n_devices : profile->n_ops;
	struct jr_nearest nearest = {0};
	char name[128] = "", number[JR_NUM_MAX], names[256];
	if (!kind->matches)
		return JR_OK;
	for (uint32_t row = 0; row < n; row++)
		if (kind->matches(profile, row, what->name, what->name_bytes))
			return JR_OK;
	memcpy(name, what->name, what->name_bytes < sizeof(name) ? what->name_bytes : sizeof(name) - 1);
	for (uint32_t row = 0; !kind->of_device && row < n; row++) {
		jr_nearest_offer(&nearest, name, name_of(profile, kind, row, number));
		if (kind->matches == is_op)
			jr_nearest_offer(&nearest, name, jr_str(profile, profile->ops[row].opcode));
	}
	if (nearest.best)
		return jr_fail(err, JR_EUSAGE,
			"--what-if '%s': no %s '%s' in the profile; did you mean '%s'?", what->text,
			kind->called, name, nearest.best);
	const char *listed = list_names(profile, kind, n, names);
	return jr_fail(err, JR_EUSAGE, "--what-if '%s': no %s '%s' in the profile%s%s", what->text,
		kind->called, name, listed ? "; it contains " : "", listed ? listed : "");
}

/* --- changes ---------------------------------------------------------------------------------- */

static struct jr_op_change *ops_of(
	const struct jr_profile *p, struct jr_change *change, struct jr_arena *arena)
{
	struct jr_op_change *ops = jr_op_changes_new(p, arena);
	if (change->ops)
		memcpy(ops, change->ops, p->n_ops * sizeof(*ops));
	change->ops = ops;
	return ops;
}

static int64_t whole_ns(double ns)
{
	return ns < 0x1p53 ? llround(fmax(ns, 0)) : INT64_C(1) << 53;
}

size_t jr_change_to_roofs(const struct jr_pass_context *ctx, const uint8_t *wanted,
	struct jr_change *change, struct jr_arena *arena)
{
	struct jr_op_change *ops = ops_of(ctx->profile, change, arena);
	size_t n = 0;
	for (size_t i = 0; ctx->roofline && i < ctx->roofline->n; i++) {
		const struct jr_roofline_op *o = &ctx->roofline->ops[i];
		if (!wanted[o->op] || !o->has_roof)
			continue;
		int64_t roof_ns = (int64_t)(o->roof_ps / JR_PS_PER_NS);
		ops[o->op].most_ns = roof_ns < ops[o->op].most_ns ? roof_ns : ops[o->op].most_ns;
		n++;
	}
	return n;
}

/* Return the transfer time of a message at that bus bandwidth; -1: not known. */
static int64_t transfer_ns(const struct jr_op *op, double bus_bytes_s)
{
	if (!op->message_bytes || !(op->k > 0) || !(op->c > 0) || !(bus_bytes_s > 0))
		return -1;
	return whole_ns(op->c * op->k * (double)op->message_bytes / bus_bytes_s * 1e9);
}

/* Return a key that is equal for collectives of the same kind and group size whose messages have
 * the same power of two. */
static uint64_t like(const struct jr_op *op)
{
	uint64_t power = 0;
	while (power < 63 && op->message_bytes >> (power + 1))
		power++;
	return (uint64_t)op->collective << 32 ^ (uint64_t)op->group_size << 6 ^ power;
}

size_t jr_change_to_best_rates(
	const struct jr_pass_context *ctx, struct jr_change *change, struct jr_arena *arena)
{
	const struct jr_profile *p = ctx->profile;
	struct jr_op_change *ops = ops_of(p, change, arena);
	struct jr_map best_of = {0};
	size_t n = 0, n_best = 0;
	double *best = JR_ARENA_N(arena, double, p->n_ops + 1);
	for (size_t i = 0; i < ctx->instances->n; i++) {
		const struct jr_instance *in = &ctx->instances->items[i];
		uint64_t key = like(&p->ops[in->op]);
		uint32_t at = jr_map_get(&best_of, key);
		double bus_bytes_s = jr_instance_bus_bytes_s(p, in);
		if (!jr_is_rendezvous(p, &p->ops[in->op]) || !(bus_bytes_s > 0))
			continue;
		if (at == JR_NONE) {
			at = (uint32_t)n_best++;
			jr_map_put(&best_of, key, at);
		}
		best[at] = fmax(best[at], bus_bytes_s);
	}
	for (size_t i = 0; i < p->n_ops; i++) {
		uint32_t at =
			jr_is_rendezvous(p, &p->ops[i]) ? jr_map_get(&best_of, like(&p->ops[i])) : JR_NONE;
		int64_t ns = at == JR_NONE ? -1 : transfer_ns(&p->ops[i], best[at]);
		if (ns < 0 || ns >= ops[i].most_ns)
			continue;
		ops[i].most_ns = ns;
		n += jr_replay_runs(ctx->replay, p->ops[i].program);
	}
	jr_map_done(&best_of);
	return n;
}

/* Return why the matching thunks of the steps are not known, a clause; NULL: they are known. */
static const char *not_told(const struct jr_pass_context *ctx, const struct jr_what_if *what)
{
	const struct jr_profile *p = ctx->profile;
	for (size_t i = 0; i < p->n_ops; i++) {
		const struct jr_op *op = &p->ops[i];
		if (!jr_replay_runs(ctx->replay, op->program))
			continue;
		if (what->kind->matches == is_collective && jr_is_rendezvous(p, op) &&
			!*jr_str(p, op->collective))
			return "the kind of some collectives is unknown; --xla-dump would settle it";
		if (what->kind->matches == is_op && !*jr_str(p, op->opcode))
			return "the opcode of some thunks is unknown; --xla-dump would settle it";
	}
	return NULL;
}

static const char *change_ops(const struct jr_pass_context *ctx, const struct jr_what_if *what,
	struct jr_change *change, struct jr_arena *arena)
{
	const struct jr_profile *p = ctx->profile;
	uint8_t *wanted = JR_ARENA_N(arena, uint8_t, p->n_ops + 1);
	size_t n = 0, n_known = 0;
	for (uint32_t i = 0; i < p->n_ops; i++)
		wanted[i] = jr_replay_runs(ctx->replay, p->ops[i].program) &&
					what->kind->matches(p, i, what->name, what->name_bytes);
	const char *hidden = not_told(ctx, what);
	if (hidden)
		return hidden;
	for (size_t i = 0; i < p->n_ops; i++)
		n += wanted[i];
	if (n == 0)
		return "not every step runs it, so it is not in the replayed steps";
	if (what->value == JR_WHAT_IF_ROOF)
		return jr_change_to_roofs(ctx, wanted, change, arena) == n
				   ? NULL
				   : "the roofline time is not known for all of it; --xla-dump may settle it";
	struct jr_op_change *ops = ops_of(p, change, arena);
	for (size_t i = 0; i < p->n_ops; i++) {
		if (!wanted[i])
			continue;
		if (what->value == JR_WHAT_IF_FACTOR)
			ops[i].scale *= what->kind->matches == is_collective ? 1 / what->number : what->number;
		else
			ops[i].exact_ns = transfer_ns(&p->ops[i], what->number);
		n_known += what->value == JR_WHAT_IF_FACTOR || ops[i].exact_ns >= 0;
	}
	return n_known == n ? NULL : "its number of bytes is unknown; --xla-dump may settle it";
}

const char *jr_what_if_apply(const struct jr_pass_context *ctx, const struct jr_what_if *what,
	struct jr_change *change, struct jr_arena *arena)
{
	const struct jr_profile *p = ctx->profile;
	if (what->kind->flag) {
		what->kind->flag(change);
		if (!change->overlap || ctx->replay->order.scheduled)
			return NULL;
		change->overlap = false;
		return "which operations use a result is unknown without the program's schedule; "
			   "--xla-dump would settle it";
	}
	if (!what->kind->of_device)
		return change_ops(ctx, what, change, arena);
	uint8_t *as_median = JR_ARENA_N(arena, uint8_t, p->n_devices + 1);
	if (change->as_median)
		memcpy(as_median, change->as_median, p->n_devices);
	for (uint32_t d = 0; d < p->n_devices; d++)
		as_median[d] |= is_device(p, d, what->name, what->name_bytes);
	change->as_median = as_median;
	for (size_t d = 0; d < ctx->replay->n_devices; d++)
		if (is_device(p, ctx->replay->devices[d], what->name, what->name_bytes))
			return ctx->replay->n_devices > 1 ? NULL : "there is no other device";
	return "it does not run the program of the steps";
}

void jr_change_merge(const struct jr_profile *p, const struct jr_change *more,
	struct jr_change *into, struct jr_arena *arena)
{
	into->no_gaps |= more->no_gaps;
	into->never_late |= more->never_late;
	into->overlap |= more->overlap;
	if (more->ops) {
		struct jr_op_change *ops = ops_of(p, into, arena);
		for (size_t i = 0; i < p->n_ops; i++) {
			double scale = more->ops[i].scale; /* 1: none */
			if (scale != 1 && (scale < ops[i].scale || ops[i].scale == 1))
				ops[i].scale = scale;
			if (more->ops[i].most_ns < ops[i].most_ns)
				ops[i].most_ns = more->ops[i].most_ns;
			if (more->ops[i].exact_ns >= 0)
				ops[i].exact_ns = more->ops[i].exact_ns;
		}
	}
	if (more->as_median) {
		uint8_t *as_median = JR_ARENA_N(arena, uint8_t, p->n_devices + 1);
		for (size_t d = 0; d < p->n_devices; d++)
			as_median[d] = more->as_median[d] | (into->as_median ? into->as_median[d] : 0);
		into->as_median = as_median;
	}
	if (more->between_less_ns) {
		int64_t *less_ns = JR_ARENA_N(arena, int64_t, p->n_devices + 1);
		for (size_t d = 0; d < p->n_devices; d++) {
			int64_t own_ns = into->between_less_ns ? into->between_less_ns[d] : 0;
			less_ns[d] = own_ns + more->between_less_ns[d];
		}
		into->between_less_ns = less_ns;
	}
	if (more->less_programs) {
		uint8_t *programs = JR_ARENA_N(arena, uint8_t, p->n_programs + 1);
		for (size_t i = 0; i < p->n_programs; i++)
			programs[i] =
				more->less_programs[i] | (into->less_programs ? into->less_programs[i] : 0);
		into->less_programs = programs;
	}
}
