#include "change.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "scenario.h"

enum kind { THUNK, COLLECTIVE, DEVICE, GAPS, OVERLAP };

struct gen_change_kind {
	enum kind kind;
	const char *name, *value; /* value: the only value allowed; NULL: a factor, as in "0.5x" */
	bool named;               /* a name follows after a colon */
	const char *form, *what;
};

static const struct gen_change_kind kinds[] = {
	{THUNK, "thunk", NULL, true, "thunk:NAME=0.5x",
		"a thunk takes half its time, or moves its data in it"},
	{COLLECTIVE, "collective", NULL, true, "collective:KIND=2x",
		"collectives of a kind at twice the bandwidth"},
	{DEVICE, "device", "median", true, "device:N=median", "the slow device as fast as the others"},
	{GAPS, "gaps", "0", false, "gaps=0", "no time between the kernels of a module's stream"},
	{OVERLAP, "overlap", "perfect", false, "overlap=perfect",
		"what is moved is moved as soon as it is there, in the order of the program"},
};

void gen_list_changes(void)
{
	for (size_t i = 0; i < JR_COUNT_OF(kinds); i++)
		printf("%-20s%s\n", kinds[i].form, kinds[i].what);
}

static const struct gen_change_kind *find(const char *name, size_t n)
{
	for (size_t i = 0; i < JR_COUNT_OF(kinds); i++)
		if (strlen(kinds[i].name) == n && memcmp(kinds[i].name, name, n) == 0)
			return &kinds[i];
	return NULL;
}

static bool take_factor(const char *value, int64_t *ppm)
{
	size_t n = strlen(value);
	double factor;
	if (!n || value[n - 1] != 'x' || !jr_parse_double(value, n - 1, &factor) || factor < 0.001 ||
		factor > 1000)
		return false;
	*ppm = (int64_t)(factor * 1000000 + 0.5);
	return true;
}

enum jr_status gen_change_parse(const char *text, struct gen_change *change, struct jr_error *err)
{
	const char *equals = strrchr(text, '=');
	size_t n_name = strcspn(text, ":="), n = equals ? (size_t)(equals - text) : 0;
	*change = (struct gen_change){.kind = find(text, n_name), .device = GEN_NO_INDEX};
	if (!change->kind || !equals || change->kind->named != (n > n_name))
		return jr_fail(err, JR_EUSAGE, "--change: no such kind: '%s'; see --list-changes", text);
	bool right = change->kind->value ? strcmp(equals + 1, change->kind->value) == 0
									 : take_factor(equals + 1, &change->factor_ppm);
	int64_t device = GEN_NO_INDEX;
	if (change->kind->kind == DEVICE)
		right = right && jr_parse_i64(text + n_name + 1, n - n_name - 1, &device) && device >= 0 &&
				device < GEN_MAX_DEVICES;
	if (!right)
		return jr_fail(
			err, JR_EUSAGE, "--change: '%s' is not of the form %s", text, change->kind->form);
	change->device = (uint32_t)device;
	if (change->kind->named)
		change->name = text + n_name + 1;
	change->n_name = change->kind->named ? n - n_name - 1 : 0;
	return JR_OK;
}

static bool is_named(const struct gen_change *c, const char *name)
{
	return strlen(name) == c->n_name && memcmp(name, c->name, c->n_name) == 0;
}

static bool is_of(const struct gen_change *c, const struct gen_op *op)
{
	if (op->kind == GEN_OP_DONE || op->kind == GEN_OP_LOOP || op->kind == GEN_OP_LOOP_END)
		return false;
	return (c->kind->kind == THUNK && is_named(c, op->name)) ||
		   (c->kind->kind == COLLECTIVE && op->communication && is_named(c, op->collective));
}

static bool is_there(const struct gen_scenario *sc, const struct gen_change *c)
{
	if (c->kind->kind == DEVICE)
		return c->device < sc->devices.n;
	bool found = !c->kind->named && sc->programs.n;
	for (size_t i = 0; i < sc->programs.n && !found; i++)
		for (size_t k = 0; k < sc->programs.items[i]->ops.n && !found; k++)
			found = is_of(c, &sc->programs.items[i]->ops.items[k]);
	return found;
}

enum jr_status gen_change_check(const struct gen_scenario *sc, struct jr_error *err)
{
	for (uint32_t i = 0; i < sc->options.n_changes; i++) {
		const struct gen_change *c = &sc->options.changes[i];
		if (!is_there(sc, c))
			return jr_fail(err, JR_EUSAGE, "--change %s: the job has no such thing as '%.*s'",
				c->kind->name, (int)c->n_name, c->kind->named ? c->name : "");
	}
	return JR_OK;
}

int64_t gen_change_length(const struct gen_scenario *sc, const struct gen_op *op, int64_t ns)
{
	for (uint32_t i = 0; i < sc->options.n_changes; i++) {
		const struct gen_change *c = &sc->options.changes[i];
		if (!is_of(c, op))
			continue;
		ns = c->kind->kind == THUNK ? ns * c->factor_ppm / 1000000 : ns * 1000000 / c->factor_ppm;
	}
	return ns;
}

static bool has(const struct gen_scenario *sc, enum kind kind, uint32_t device)
{
	for (uint32_t i = 0; i < sc->options.n_changes; i++)
		if (sc->options.changes[i].kind->kind == kind && sc->options.changes[i].device == device)
			return true;
	return false;
}

bool gen_change_device(const struct gen_scenario *sc, uint32_t device)
{
	return has(sc, DEVICE, device);
}

int64_t gen_change_gap(const struct gen_scenario *sc, int64_t ns)
{
	return has(sc, GAPS, GEN_NO_INDEX) ? 0 : ns;
}

bool gen_change_overlap(const struct gen_scenario *sc)
{
	return has(sc, OVERLAP, GEN_NO_INDEX);
}
