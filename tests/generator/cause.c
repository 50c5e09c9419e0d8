#include "cause.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "scenario.h"

enum kind {
	QUIET,
	SLOW_GPU,
	SLOW_KERNEL,
	SLOW_HOST,
	SLOW_FROM,
	SLOW_EVERY,
	LATE_HOST,
	INPUT,
	SMALL_PROGRAMS,
	RECOMPILATION,
	SMALL_COLLECTIVES,
	SLOW_LINK,
	SLOW_LINK_FROM,
	IMBALANCE,
	PAUSE,
	LOADING,
	ODD_SIZES,
	UNFUSED,
	WIDE_SOFTMAX,
	WIDER_LAYER,
	NO_REMAT,
	NO_F32,
};

struct gen_cause {
	enum kind kind;
	const char *name, *amount, *what;
};

static const struct gen_cause causes[] = {
	{QUIET, "quiet", "", "nothing: what the others are held against"},
	{SLOW_GPU, "slow-gpu", "PERCENT", "one device takes so much longer for each kernel"},
	{SLOW_KERNEL, "slow-kernel", "PERCENT", "... for the longest of them alone"},
	{SLOW_HOST, "slow-host", "PERCENT", "... all devices of its process, for each kernel"},
	{SLOW_FROM, "slow-from", "STEP", "... 20 percent longer, from that step on"},
	{SLOW_EVERY, "slow-every", "N", "... 20 percent longer, in the last of every N steps"},
	{LATE_HOST, "late-host", "US", "the host waits for each step, and so much longer"},
	{INPUT, "input", "US", "torch_ddp2: a batch takes the host so much longer"},
	{SMALL_PROGRAMS, "small-programs", "N", "so many run ahead of each step"},
	{RECOMPILATION, "recompilation", "N", "the step is compiled anew, N products tuned"},
	{SMALL_COLLECTIVES, "small-collectives", "N", "so many in each step"},
	{SLOW_LINK, "slow-link", "PERCENT", "one collective takes so much longer"},
	{SLOW_LINK_FROM, "slow-link-from", "STEP", "... 15 times longer, from that step on"},
	{IMBALANCE, "imbalance", "PERCENT", "by turns a device has so much more to compute"},
	{PAUSE, "pause", "US", "the host is away ahead of one step"},
	{LOADING, "library-loading", "MS", "the first compilation loads libraries so much longer"},
	{ODD_SIZES, "odd-sizes", "N", "kernels: products whose sizes do not fill tiles, N times each"},
	{UNFUSED, "unfused-attention", "N", "kernels: products with a softmax between them, N times"},
	{WIDE_SOFTMAX, "wide-softmax", "N", "... of one matrix each, so that it is no attention"},
	{WIDER_LAYER, "wider-layer", "N", "kernels: the first product has so many more columns"},
	{NO_REMAT, "no-remat", "", "kernels: nothing is recomputed"},
	{NO_F32, "no-f32", "", "kernels: the product in full float32 is in bfloat16"},
};

const struct gen_cause *gen_cause_find(const char *name, size_t n)
{
	for (size_t i = 0; i < JR_COUNT_OF(causes); i++)
		if (strlen(causes[i].name) == n && memcmp(causes[i].name, name, n) == 0)
			return &causes[i];
	return NULL;
}

void gen_list_causes(void)
{
	for (size_t i = 0; i < JR_COUNT_OF(causes); i++)
		printf("%s%s%-*s%s\n", causes[i].name, *causes[i].amount ? ":" : " ",
			(int)(26 - strlen(causes[i].name)), causes[i].amount, causes[i].what);
}

static bool is(const struct gen_scenario *sc, enum kind kind)
{
	return sc->options.cause && sc->options.cause->kind == kind;
}

bool gen_quiet(const struct gen_scenario *sc)
{
	return sc->options.cause;
}

void gen_cause_programs(struct gen_scenario *sc, bool multi_device)
{
	if (!is(sc, SMALL_PROGRAMS))
		return;
	struct gen_program *p = gen_program_new(sc, 31, "jit_convert_element_type");
	p->multi_device = multi_device;
	p->number_step = 1;
	gen_single(sc, p, (struct gen_site){"wrapped_convert", "convert_element_type", 0}, "convert",
		gen_shape1(GEN_F32, 1), GEN_OP_COMPUTE, 2000);
	gen_memory(sc, p, &(struct gen_memory){.no_heap = true});
	sc->cause_program = (uint32_t)sc->programs.n - 1;
}

#define FAST_LINKS 16 /* links are this factor faster than in the scenario */

/* No device of the table has such links. */
void gen_cause_device(struct gen_scenario *sc)
{
	if (!gen_quiet(sc))
		return;
	sc->gpu_name = "NVIDIA GH100 Prototype";
	sc->gpu_clock_hz = 1830000000;
}

/* Each depends on the one before it. The quiet job's links take 18 µs for a message
 * no length. */
void gen_cause_ops(struct gen_scenario *sc, struct gen_program *p, uint32_t frame)
{
	for (int64_t i = 0; is(sc, SMALL_COLLECTIVES) && i < sc->options.cause_amount; i++)
		gen_collective(sc, p,
			(struct gen_site){gen_text(sc, "all-reduce.%lld", (long long)i + 50),
				"clip/reduce_sum", frame},
			"all-reduce", gen_shape1(GEN_F32, 256), GEN_OP_SYNC, false, 18000 * FAST_LINKS);
}

void gen_cause_before_step(struct gen_scenario *sc, uint32_t step, uint64_t n, uint64_t n_steps)
{
	int64_t amount = sc->options.cause_amount;
	bool once = n == n_steps / 2 + 2; /* not one of the first steps */
	sc->cause_turn = (uint32_t)n;
	for (size_t i = 0; i < sc->processes.n; i++)
		sc->processes.items[i].host_ns += sc->options.host_ns;
	gen_slow_hosts(sc);
	if (is(sc, LATE_HOST))
		gen_wait_for_gpu(sc, amount * 1000);
	if ((is(sc, PAUSE) || is(sc, RECOMPILATION)) && once)
		gen_wait_for_gpu(sc, is(sc, PAUSE) ? amount * 1000 : 0);
	if (is(sc, RECOMPILATION) && once)
		gen_compile(sc, step, (uint32_t)amount, true);
	for (int64_t i = 0; is(sc, SMALL_PROGRAMS) && i < amount; i++)
		gen_run(sc, sc->cause_program, false);
}

/* FNV-1a hash of an instruction's name and the seed: -100 to 100. */
static int64_t length_permille(const struct gen_scenario *sc, const struct gen_op *op)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325) + sc->options.seed * UINT64_C(0x9e3779b97f4a7c15);
	for (const char *s = op->name; *s; s++)
		hash = (hash ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
	return (int64_t)(hash >> 32) % 201 - 100;
}

static const struct gen_op *longest(const struct gen_program *p)
{
	const struct gen_op *most = &p->ops.items[0];
	for (size_t i = 1; i < p->ops.n; i++)
		if (p->ops.items[i].kind == GEN_OP_COMPUTE && p->ops.items[i].base_ns > most->base_ns)
			most = &p->ops.items[i];
	return most;
}

#define HOST_PERCENT 20

/* Percent by which all devices of one process are slower in this step. */
static int64_t host_percent(const struct gen_scenario *sc, uint32_t device)
{
	const struct gen_device *devices = sc->devices.items;
	int64_t amount = sc->options.cause_amount, turn = sc->cause_turn;
	if (sc->options.straggler >= sc->devices.n ||
		devices[device].process != devices[sc->options.straggler].process)
		return 0;
	if (is(sc, SLOW_HOST))
		return amount;
	bool slow = (is(sc, SLOW_FROM) && turn >= amount) ||
				(is(sc, SLOW_EVERY) && amount && turn % amount == amount - 1);
	return slow ? HOST_PERCENT : 0;
}

int64_t gen_cause_compute(const struct gen_scenario *sc, const struct gen_program *p,
	const struct gen_op *op, uint32_t device, int64_t ns)
{
	if (!gen_quiet(sc))
		return ns;
	ns += ns * length_permille(sc, op) / 1000;
	bool slow = device == sc->options.straggler &&
		(is(sc, SLOW_GPU) || (is(sc, SLOW_KERNEL) && op == longest(p)));
	slow |= is(sc, IMBALANCE) && sc->cause_turn % sc->devices.n == device;
	if (gen_change_device(sc, device))
		return ns;
	return ns + ns * (slow ? sc->options.cause_amount : host_percent(sc, device)) / 100;
}

/* The first collective that compute cannot overlap, else the first one. */
static const struct gen_op *slow_collective(const struct gen_program *p)
{
	const struct gen_op *found = NULL;
	for (size_t i = 0; i < p->ops.n; i++) {
		const struct gen_op *op = &p->ops.items[i];
		if (op->communication && !gen_is_copy(op) && op->kind != GEN_OP_DONE &&
			(!found || (op->kind == GEN_OP_SYNC && found->kind != GEN_OP_SYNC)))
			found = op;
	}
	return found;
}

#define LINK_PERCENT 1400

int64_t gen_cause_transfer(const struct gen_scenario *sc, const struct gen_program *p,
	const struct gen_op *op)
{
	if (!gen_quiet(sc))
		return op->base_ns;
	int64_t amount = sc->options.cause_amount, percent = is(sc, SLOW_LINK) ? amount : 0;
	if (is(sc, SLOW_LINK_FROM) && amount > 0 && sc->cause_turn >= amount)
		percent = LINK_PERCENT;
	const struct gen_op *slow = slow_collective(p);
	if (!slow || op != slow)
		percent = 0;
	return op->base_ns / FAST_LINKS * (100 + percent) / 100;
}

int64_t gen_cause_loading(const struct gen_scenario *sc, int64_t ns)
{
	return is(sc, LOADING) ? ns + sc->options.cause_amount * 1000000 : ns;
}

int64_t gen_cause_load(const struct gen_scenario *sc, int64_t ns)
{
	return gen_quiet(sc) ? ns / 9 + (is(sc, INPUT) ? sc->options.cause_amount * 1000 : 0) : ns;
}

int64_t gen_cause_odd_sizes(const struct gen_scenario *sc)
{
	return is(sc, ODD_SIZES) ? sc->options.cause_amount : 0;
}

int64_t gen_cause_wider(const struct gen_scenario *sc)
{
	return is(sc, WIDER_LAYER) ? sc->options.cause_amount : 0;
}

bool gen_cause_no_remat(const struct gen_scenario *sc)
{
	return is(sc, NO_REMAT);
}

bool gen_cause_no_f32(const struct gen_scenario *sc)
{
	return is(sc, NO_F32);
}

int64_t gen_cause_softmax(const struct gen_scenario *sc, bool *attention)
{
	*attention = is(sc, UNFUSED);
	return is(sc, UNFUSED) || is(sc, WIDE_SOFTMAX) ? sc->options.cause_amount : 0;
}
