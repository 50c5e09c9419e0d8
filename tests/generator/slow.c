#include "slow.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "scenario.h"

enum where { DEVICE, PROCESS, LOCAL, TURNS };
enum what { COMPUTE, LINK, HOST, HOST_AHEAD, CLOCK, ONLY };

struct gen_slow_where {
	enum where kind;
	const char *name, *what;
};

static const struct gen_slow_where wheres[] = {
	{DEVICE, "device", "devices: device:3 or device:4-7"},
	{PROCESS, "process", "all devices of processes"},
	{LOCAL, "local", "devices by their number in the process"},
	{TURNS, "turns", "another device in each step: turns:0 is one at random"},
};

struct gen_slow_what {
	enum what kind;
	const char *unit, *what;
};

static const struct gen_slow_what whats[] = {
	{COMPUTE, "%", "kernels take so much longer; OP:20%: one of them"},
	{LINK, "x", "transfers in which they take part take so many times longer"},
	{HOST, "us", "the host waits for its devices ahead of a step, then takes so long"},
	{HOST_AHEAD, "us-ahead", "the host takes so much longer, without waiting"},
	{CLOCK, "us-clock", "their clocks are ahead"},
	{ONLY, "-only", "OP:1-only: that kernel runs in these steps only"},
};

static const char *const whens[][2] = {{"10-25", "in these steps; 10-: from there on"},
	{"/5", "in the last of every 5 steps; /5+0: in the first; 10-25/5: of these"},
	{"up", "more in each step, up to the amount in the last"}};

void gen_list_slow(void)
{
	puts("WHERE=[OP:]AMOUNT[@WHEN]");
	for (size_t i = 0; i < JR_COUNT_OF(wheres); i++)
		printf("%-12s%s\n", wheres[i].name, wheres[i].what);
	for (size_t i = 0; i < JR_COUNT_OF(whats); i++)
		printf("N%-11s%s\n", whats[i].unit, whats[i].what);
	for (size_t i = 0; i < JR_COUNT_OF(whens); i++)
		printf("@%-11s%s\n", whens[i][0], whens[i][1]);
}

static bool take_number(const char **at, int64_t *out)
{
	size_t n = strspn(*at, "0123456789");
	bool right = n && jr_parse_i64(*at, n, out);
	*at += n;
	return right;
}

/* "3", "3-7" or "3-" */
static bool take_span(const char **at, int64_t *first, int64_t *last)
{
	if (!take_number(at, first))
		return false;
	*last = *first;
	if (**at != '-')
		return true;
	++*at;
	*last = INT64_MAX;
	return !strspn(*at, "0123456789") || take_number(at, last);
}

static bool take_where(const char **at, struct gen_slow *slow)
{
	size_t n = strcspn(*at, ":=");
	for (size_t i = 0; i < JR_COUNT_OF(wheres); i++)
		if (strlen(wheres[i].name) == n && memcmp(wheres[i].name, *at, n) == 0)
			slow->where = &wheres[i];
	*at += n;
	if (!slow->where || **at != ':')
		return false;
	++*at;
	return take_span(at, &slow->first, &slow->last) && *(*at)++ == '=';
}

static bool take_what(const char **at, struct gen_slow *slow, struct jr_arena *arena)
{
	size_t n = strcspn(*at, "@"), op = 0;
	for (size_t i = 0; i < n; i++)
		op = (*at)[i] == ':' ? i : op;
	if (op)
		slow->op = jr_arena_strndup(arena, *at, op);
	const char *end = *at + n;
	*at += op + (op > 0);
	if (!take_number(at, &slow->amount) || slow->amount > 10000000)
		return false;
	for (size_t i = 0; i < JR_COUNT_OF(whats); i++)
		if (strlen(whats[i].unit) == (size_t)(end - *at) &&
			memcmp(whats[i].unit, *at, (size_t)(end - *at)) == 0)
			slow->what = &whats[i];
	*at = end;
	return slow->what;
}

static bool take_when(const char *at, struct gen_slow *slow)
{
	slow->to_step = INT64_MAX;
	if (!*at)
		return true;
	slow->rises = strcmp(++at, "up") == 0;
	if (slow->rises)
		return true;
	if (*at != '/' && !take_span(&at, &slow->from_step, &slow->to_step))
		return false;
	if (*at == '/') {
		at++;
		if (!take_number(&at, &slow->each) || slow->each < 1)
			return false;
		slow->rest = slow->each - 1;
	}
	if (*at == '+') {
		at++;
		if (!take_number(&at, &slow->rest))
			return false;
	}
	return !*at;
}

enum jr_status gen_slow_parse(
	const char *text, struct gen_slow *slow, struct jr_arena *arena, struct jr_error *err)
{
	const char *at = text;
	*slow = (struct gen_slow){0};
	if (!take_where(&at, slow) || !take_what(&at, slow, arena) || !take_when(at, slow))
		return jr_fail(err, JR_EUSAGE, "--slow: '%s' is not of the form of --list-slow", text);
	return JR_OK;
}

/* FNV-1a hash of the step. */
static uint64_t by_turns(const struct gen_scenario *sc)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) + sc->options.seed;
	for (unsigned shift = 0; shift < 32; shift += 8)
		hash = (hash ^ ((sc->cause_turn >> shift) & 0xFF)) * UINT64_C(0x100000001b3);
	return (hash >> 20) % sc->devices.n;
}

static bool is_there(const struct gen_scenario *sc, const struct gen_slow *slow, uint32_t d)
{
	const struct gen_device *device = &sc->devices.items[d];
	int64_t number = slow->where->kind == DEVICE	? (int64_t)device->global
					 : slow->where->kind == PROCESS ? (int64_t)device->process
					 : slow->where->kind == LOCAL	? (int64_t)device->local
													: d != by_turns(sc);
	return number >= slow->first && number <= slow->last;
}

/* The amount for a device in this step; 0: none. */
static int64_t amount_of(
	const struct gen_scenario *sc, const struct gen_slow *slow, enum what kind, uint32_t d)
{
	int64_t step = sc->cause_turn, last = (int64_t)sc->options.n_steps + 1;
	if (slow->what->kind != kind || step < slow->from_step || step > slow->to_step ||
		(slow->each && step % slow->each != slow->rest) || !is_there(sc, slow, d))
		return 0;
	return slow->rises ? slow->amount * step / last : slow->amount;
}

static int64_t most(
	const struct gen_scenario *sc, const struct gen_op *op, enum what kind, uint32_t d)
{
	int64_t amount = 0;
	for (uint32_t i = 0; i < sc->options.n_slow; i++) {
		const struct gen_slow *slow = &sc->options.slow[i];
		int64_t own = slow->op && (!op || strcmp(op->name, slow->op) != 0)
						  ? 0
						  : amount_of(sc, slow, kind, d);
		amount = own > amount ? own : amount;
	}
	return amount;
}

int64_t gen_slow_compute(
	const struct gen_scenario *sc, const struct gen_op *op, uint32_t device, int64_t ns)
{
	return ns + ns * most(sc, op, COMPUTE, device) / 100;
}

bool gen_slow_runs(const struct gen_scenario *sc, const struct gen_op *op, uint32_t device)
{
	for (uint32_t i = 0; i < sc->options.n_slow; i++) {
		const struct gen_slow *slow = &sc->options.slow[i];
		if (slow->what->kind == ONLY && slow->op && strcmp(op->name, slow->op) == 0 &&
			!amount_of(sc, slow, ONLY, device))
			return false;
	}
	return true;
}

int64_t gen_slow_transfer(
	const struct gen_scenario *sc, const struct gen_op *op, uint32_t device, int64_t ns)
{
	int64_t times = most(sc, op, LINK, device);
	return times ? ns * times : ns;
}

void gen_slow_hosts(struct gen_scenario *sc)
{
	for (uint32_t d = 0; d < sc->devices.n; d++) {
		struct gen_process *process = &sc->processes.items[sc->devices.items[d].process];
		int64_t us = most(sc, NULL, HOST, d);
		if (us && sc->gpu_cursor_ns[d] + us * 1000 > process->host_ns)
			process->host_ns = sc->gpu_cursor_ns[d] + us * 1000;
		if (process->first_device == d)
			process->host_ns += most(sc, NULL, HOST_AHEAD, d) * 1000;
	}
}

void gen_slow_clocks(struct gen_scenario *sc)
{
	for (uint32_t d = 0; d < sc->devices.n; d++)
		sc->devices.items[d].offset_ns += most(sc, NULL, CLOCK, d) * 1000;
}
