/* The checks of developer builds, jr_..._assert(): each accepts valid data, and ends the program
 * if one part is invalid. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"
#include "fake_report.h"
#include "pass_case.h"
#include "render/scene.h"
#include "report/core/doc.h"

/* Return whether a call ends the process by an assertion; runs in a child. */
static bool aborts(void (*call)(const void *), const void *what)
{
	int status = 0;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
		signal(SIGABRT, SIG_DFL);
		(void)!freopen("/dev/null", "w", stderr);
		call(what);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void scene(const void *what)
{
	jr_scene_assert(what);
}

static UNIT(test_scenes)
{
	struct jr_scene sc;
	jr_scene_init(&sc, 100, 50);
	jr_scene_open(&sc, &(struct jr_group){.id = "a"});
	jr_scene_rect(&sc, 1, 2, 3, 4, jr_fill(JR_ROLE_COMPUTE));
	jr_scene_text(&sc, 5, 6, "text", NULL);
	assert_false(aborts(scene, &sc));
	jr_scene_close(&sc);
	assert_false(aborts(scene, &sc));
	sc.items.items[1].rect.width = -1;
	assert_true(aborts(scene, &sc));
	sc.items.items[1].rect.width = 1;
	sc.items.items[2].text.string = "\x1b[2J";
	assert_true(aborts(scene, &sc));
	sc.items.items[2].text.string = "text";
	sc.items.n--; /* the group is not closed, but says that it is */
	assert_true(aborts(scene, &sc));
	jr_scene_done(&sc);
}

static void profile(const void *what)
{
	jr_profile_assert(what);
}

static void results(const void *what)
{
	jr_results_assert(what);
}

/* Break each number, check, and restore it. */
#define BREAKS(assertion, whole, number, bad)                                                      \
	do {                                                                                           \
		__typeof__(number) good = (number);                                                        \
		assert_false(aborts(assertion, whole));                                                    \
		(number) = (bad);                                                                          \
		assert_true(aborts(assertion, whole));                                                     \
		(number) = good;                                                                           \
	} while (0)

static UNIT(test_profiles)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	struct job_rows rows = {.arena = &arena};
	for (int i = 0; i < 4; i++) {
		int64_t id = rows_add(&rows, 0, 100 * i, 100 * i + 50, 100,
			"XlaModule:#hlo_module=jit_f,program_id=7#");
		rows_add(&rows, id, 100 * i, 100 * i + 9, 100, THUNK("fusion.1"));
		rows_add(&rows, id, 100 * i + 9, 100 * i + 20, 100, THUNK("fusion.2"));
	}
	struct job_process process = rows_process(&rows, 1);
	struct pass_run run;
	passes_of(&run, NULL, &process);
	struct jr_profile *p = &run.job.profile;
	struct jr_process of_rows = {0};
	p->n_inputs = p->n_processes = 1;
	p->processes = &of_rows;
	assert_true(p->modules.n == 4 && p->thunks.n == 8);
	BREAKS(profile, p, p->modules.start_ns[0], INT64_MAX);
	BREAKS(profile, p, p->modules.n_thunks[0], 3);
	BREAKS(profile, p, p->thunks.op[1], (uint32_t)p->n_ops);
	BREAKS(profile, p, p->thunks.communication.bits[0], 2);
	BREAKS(profile, p, p->ops[0].n_origins, UINT32_MAX);
	BREAKS(results, &run.results, run.results.sections[0].pass, NULL);
	passes_done(&run);
	jr_vec_done(&rows);
}

static void document(const void *what)
{
	jr_doc_assert(what);
}

static UNIT(test_documents)
{
	struct fake f;
	struct jr_doc doc;
	fake_init(&f, 20, 20);
	jr_doc_compose(&doc, &f.profile, &f.results, true, true);
	BREAKS(results, &f.results, f.results.findings[0].id, NULL);
	BREAKS(document, &doc, doc.figures.n, doc.figures.n - 1);
	BREAKS(document, &doc, doc.tables.items[0]->n_shown, SIZE_MAX);
	BREAKS(document, &doc, doc.sections.items[1].id, doc.sections.items[0].id);
	/* the same items twice: two at one path */
	*jr_vec_add(&doc.data) = &f.results.sections[0];
	assert_true(aborts(document, &doc));
	doc.data.n--;
	jr_doc_done(&doc);
	fake_done(&f);
}
