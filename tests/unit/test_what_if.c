/* Expressions of --what-if, and what they change. */
#include "replay_case.h"

#include "analysis/schedule/what_if_terms.h"

/* Return the period with a change, ns. */
static double period_of(const struct jr_replay *r, const struct jr_change *change)
{
	return jr_replay_predict(r, change).period_ns;
}

static void check_refused(const char *text, const char *expected)
{
	struct jr_what_if what;
	struct jr_error err = {.message = ""};
	assert_int_equal(jr_what_if_parse(text, &what, &err), JR_EUSAGE);
	if (!strstr(err.message, expected))
		fail_msg("'%s' is not in '%s'", expected, err.message);
}

static struct jr_what_if parsed(const char *text)
{
	struct jr_what_if what;
	struct jr_error err = {.message = ""};
	if (jr_what_if_parse(text, &what, &err) != JR_OK)
		fail_msg("%s", err.message);
	return what;
}

static void check_read(
	const char *text, const char *name, enum jr_what_if_value value, double number)
{
	struct jr_what_if what = parsed(text);
	assert_int_equal(what.name_bytes, strlen(name));
	assert_true(what.name_bytes == 0 || memcmp(what.name, name, what.name_bytes) == 0);
	assert_int_equal(what.value, value);
	assert_true(what.number == number);
}

static UNIT(test_forms)
{
	check_read("thunk:add.1=0.5x", "add.1", JR_WHAT_IF_FACTOR, 0.5);
	check_read("thunk:add.1=0x", "add.1", JR_WHAT_IF_FACTOR, 0);
	check_read("thunk:a:b=c=roof", "a:b=c", JR_WHAT_IF_ROOF, 0);
	check_read("op:dot=2x", "dot", JR_WHAT_IF_FACTOR, 2);
	check_read("collective:all-gather=200GB/s", "all-gather", JR_WHAT_IF_RATE, 200e9);
	check_read("collective:all-gather=2x", "all-gather", JR_WHAT_IF_FACTOR, 2);
	check_read("device:2=median", "2", JR_WHAT_IF_WORD, 0);
	check_read("gaps=0", "", JR_WHAT_IF_WORD, 0);
	check_read("host=never-late", "", JR_WHAT_IF_WORD, 0);
	check_read("overlap=perfect", "", JR_WHAT_IF_WORD, 0);
	const char *form, *help;
	size_t n = 0;
	for (; jr_what_if_form(n, &form, &help); n++)
		assert_true(*form && *help);
	assert_int_equal(n, 7);
}

static UNIT(test_refused)
{
	static const char *const misfits[] = {"thunk:=0.5x", "thunk=0.5x", "thunk:a=", "thunk:a=x",
		"thunk:a=-1x", "thunk:a=1001x", "thunk:a=nanx", "thunk:a=infx", "thunk:a=5",
		"thunk:a=2GB/s", "thunk:a=0", "op:a=median", "collective:a=0x", "collective:a=1e-320x",
		"collective:a=0GB/s", "collective:a=-1GB/s", "collective:a=1e300GB/s", "collective:a=roof",
		"device:1=0.5x", "device=median", "gaps:a=0", "gaps:=0", "gaps=1", "gaps=", "host=late",
		"overlap:x=perfect"};
	for (size_t i = 0; i < JR_COUNT_OF(misfits); i++)
		check_refused(misfits[i], "not of the form ");
	check_refused("", "does not contain '='");
	check_refused("gaps", "'gaps': does not contain '=' (example: 'thunk:NAME=0.5x'). --what-if");
	check_refused("gap=0", "'gap' is not supported (did you mean 'gaps'?). --what-if list shows");
	check_refused("=", "'' is not supported. --what-if list");
	check_refused("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz:a=0x", ": 'zzz");
}

static const struct plan plan = {.n = 5,
	.n_devices = 2,
	.n_steps = 5,
	.even = true,
	.with_hlo = true,
	.sorts = {COMPUTE, START, COMPUTE, DONE, COMPUTE},
	.dur_ns = {100, 300, 200, 0, 50}};

static UNIT(test_names)
{
	static const struct {
		const char *text, *expected; /* NULL: accepted */
	} cases[] = {
		{"thunk:add.0=0x", NULL},
		{"op:add=0x", NULL},
		{"collective:all-reduce=2x", NULL},
		{"device:1=median", NULL},
		{"gaps=0", NULL},
		{"thunk:add.9=0x", "--what-if 'thunk:add.9=0x': no thunk 'add.9' in the profile; did you "
						   "mean 'add.0'?"},
		{"op:ad=0x", "no opcode or category 'ad' in the profile; did you mean 'add'?"},
		{"collective:all-reduc=2x",
			"no kind of collective 'all-reduc' in the profile; did you mean 'all-reduce'?"},
		{"device:2=median", "no device '2' in the profile; it contains 0 1"},
		{"op:convolution=0x", "no opcode or category 'convolution' in the profile; it contains "},
		{"thunk:zzzzzzzz=0x", "no thunk 'zzzzzzzz' in the profile"},
		{"device:01=median", "no device '01' in the profile"},
	};
	struct replay_case c;
	plan_run(&c, &plan, false, SIZE_MAX);
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct jr_what_if what = parsed(cases[i].text);
		struct jr_error err = {.message = ""};
		enum jr_status status = jr_what_if_check(&c.job.profile, &what, &err);
		assert_int_equal(status, cases[i].expected ? JR_EUSAGE : JR_OK);
		if (cases[i].expected && !strstr(err.message, cases[i].expected))
			fail_msg("'%s' is not in '%s'", cases[i].expected, err.message);
	}
	replay_done(&c);
}

/* Return the period with those texts, at most three. Set why the last one changes nothing; NULL:
 * it does. */
static double asked(const struct replay_case *c, const char *const *texts, const char **why)
{
	struct jr_change change = {0};
	for (size_t i = 0; texts[i]; i++) {
		struct jr_what_if what = parsed(texts[i]);
		*why = jr_what_if_apply(&c->ctx, &what, &change, c->ctx.arena);
	}
	return period_of(c->replay, &change);
}

static UNIT(test_changes)
{
	/* 3 + 100, 3 + 300 parallel to 3 + 200, 3 + 50, 7 after, 100 between: 566 */
	static const struct {
		const char *texts[4];
		double period_ns;
		const char *why;
	} cases[] = {
		{{"thunk:add.0=0.5x"}, 516, NULL},
		{{"thunk:add.2=0x"}, 566, NULL}, /* not waited for */
		{{"thunk:add.2=2x"}, 666, NULL}, /* 400 and a gap before it instead of 303 */
		{{"op:add=0x"}, 416, NULL},
		{{"collective:all-reduce=2x"}, 466, NULL}, /* 150 are less than the overlapped work */
		{{"collective:all-reduce=200GB/s"}, 566,
			"its number of bytes is unknown; --xla-dump may settle it"},
		{{"host=never-late"}, 466, NULL},
		{{"gaps=0"}, 557, NULL},
		{{"overlap=perfect"}, 566, NULL},
		{{"device:1=median"}, 566, NULL},
		{{"thunk:add.0=roof"}, 566,
			"the roofline time is not known for all of it; --xla-dump may settle it"},
		{{"thunk:add.0=0.5x", "thunk:add.0=0.5x"}, 491, NULL},
		{{"thunk:add.0=0.5x", "gaps=0", "host=never-late"}, 407, NULL},
	};
	struct replay_case c;
	plan_run(&c, &plan, false, SIZE_MAX);
	assert_true(c.replay->period_ns == 566);
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		const char *why = NULL;
		double ns = asked(&c, cases[i].texts, &why);
		if (ns != cases[i].period_ns)
			fail_msg("%s: %g ns, must be %g", cases[i].texts[0], ns, cases[i].period_ns);
		if (cases[i].why)
			assert_string_equal(why, cases[i].why);
		else
			assert_null(why);
	}
	replay_done(&c);
}

/* Without a schedule it is unknown what could begin earlier. */
static UNIT(test_overlap_needs_a_schedule)
{
	struct plan without = plan;
	without.with_hlo = false;
	struct replay_case c;
	plan_run(&c, &without, false, SIZE_MAX);
	const char *why = NULL;
	assert_true(asked(&c, (const char *const[]){"overlap=perfect", NULL}, &why) == 566);
	assert_string_equal(why, "which operations use a result is unknown without the program's "
		"schedule; --xla-dump would settle it");
	replay_done(&c);
}

/* Merging nothing leaves a change unchanged, also one that slows down; of two changes the
 * stronger stays. */
static UNIT(test_merge)
{
	struct replay_case c;
	plan_run(&c, &plan, false, SIZE_MAX);
	const struct jr_profile *p = &c.job.profile;
	static const double factors[] = {0, 0.25, 1, 3};
	for (size_t i = 0; i < JR_COUNT_OF(factors); i++)
		for (int first = 0; first < 2; first++) {
			struct jr_op_change *ops = jr_op_changes_new(p, &c.arena);
			const struct jr_change none = {.ops = jr_op_changes_new(p, &c.arena)};
			const struct jr_change one = {.ops = ops};
			struct jr_change both = {0};
			ops[0].scale = factors[i];
			jr_change_merge(p, first ? &one : &none, &both, &c.arena);
			jr_change_merge(p, first ? &none : &one, &both, &c.arena);
			assert_true(both.ops[0].scale == factors[i]);
			assert_true(period_of(c.replay, &both) == period_of(c.replay, &one));
		}
	struct jr_change all = {.no_gaps = true};
	uint8_t as_median[] = {0, 1};
	int64_t less_ns[] = {10, 20};
	jr_change_merge(
		p, &(struct jr_change){.never_late = true, .as_median = as_median}, &all, &c.arena);
	jr_change_merge(p, &(struct jr_change){.between_less_ns = less_ns}, &all, &c.arena);
	jr_change_merge(p, &(struct jr_change){.between_less_ns = less_ns}, &all, &c.arena);
	assert_true(all.no_gaps && all.never_late && !all.overlap);
	assert_true(!all.as_median[0] && all.as_median[1]);
	assert_true(all.between_less_ns[0] == 20 && all.between_less_ns[1] == 40);
	replay_done(&c);
}
