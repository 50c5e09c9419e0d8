#include "cli/core/confine.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/sandbox.h"
#include "base/vec.h"
#include "cli/core/emergency.h"
#include "compare/run/run_open.h"
#include "model/inputs/input.h"
#include "report/core/report.h"

/* Programs with line coverage write their counts at the end, next to their objects. */
#ifdef JR_COVERAGE
#define INSTRUMENTED 1
#else
#define INSTRUMENTED JR_SANITIZED
#endif

/* The rules of one command. */
struct policy {
	JR_VEC(struct jr_sandbox_rule) rules;
	struct jr_arena arena;
};

static void allow(struct policy *p, const char *path, unsigned may)
{
	if (path && *path)
		*jr_vec_add(&p->rules) = (struct jr_sandbox_rule){path, may};
}

/* Return the folder of a path. */
static const char *parent_of(struct policy *p, const char *path)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	while (n > 0 && path[n - 1] != '/')
		n--;
	return n ? jr_arena_strndup(&p->arena, path, n) : ".";
}

/* Allow writing a file, and making it if it does not exist. */
static void allow_change(struct policy *p, const char *path)
{
	if (path && *path)
		allow(p, access(path, F_OK) == 0 ? path : parent_of(p, path), JR_MAY_CHANGE);
}

/* Allow the files next to a database: its log, the index of that, its journal. */
static void allow_companions(struct policy *p, const char *path)
{
	static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
	for (size_t i = 0; i < JR_COUNT_OF(suffixes); i++)
		allow(p, jr_arena_printf(&p->arena, "%s%s", path, suffixes[i]), JR_MAY_READ);
}

/* Return true for output of jax.profiler: if one file is named, HLO may be in its folder. */
static bool has_company(const char *path, const struct jr_limits *limits)
{
	return jr_input_probe(path, limits)->has_company;
}

static void allow_inputs(
	struct policy *p, const struct jr_confinement *what, const struct jr_limits *limits)
{
	for (size_t i = 0; i < what->n_inputs; i++) {
		const char *path = what->inputs[i], *origin = what->origins ? what->origins[i] : NULL;
		allow(p, path, JR_MAY_READ);
		allow(p, origin, JR_MAY_READ);
		allow_companions(p, path);
		if (has_company(path, limits))
			allow(p, parent_of(p, path), JR_MAY_READ);
		if (jr_side_is_json(path)) /* an earlier report: its stacks are next to it */
			allow(p, jr_arena_printf(&p->arena, "%s/data", parent_of(p, path)), JR_MAY_READ);
		if (origin) { /* we remove the export and its folder */
			const char *folder = parent_of(p, path);
			allow(p, folder, JR_MAY_READ | JR_MAY_PLACE);
			allow(p, parent_of(p, folder), JR_MAY_PLACE);
		}
	}
}

static void allow_outputs(
	struct policy *p, const struct jr_request *r, const struct jr_confinement *what)
{
	if (what->staging) {
		allow(p, what->staging, JR_MAY_CHANGE | JR_NEEDED);
		allow(p, parent_of(p, what->staging), JR_MAY_PLACE | JR_NEEDED);
		allow(p, r->output, JR_MAY_READ); /* what it replaces is checked again */
	}
	if (r->github)
		allow_change(p, getenv("GITHUB_STEP_SUMMARY"));
	allow_change(p, r->store);
}

/* Allow what libraries read while they draw text: fonts, and their caches. */
static void allow_system(struct policy *p)
{
	static const char *const paths[] = {"/usr", "/lib", "/lib64", "/etc/fonts", "/etc/ld.so.cache",
		"/var/cache/fontconfig", "/opt/fonts", "/nix/store", "/dev/urandom"};
	static const char *const below_home[] = {
		".fonts", ".local/share/fonts", ".cache/fontconfig", ".config/fontconfig"};
	static const char *const variables[] = {"FONTCONFIG_FILE", "FONTCONFIG_PATH"};
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		allow(p, paths[i], JR_MAY_READ);
	const char *home = getenv("HOME");
	for (size_t i = 0; home && *home && i < sizeof(below_home) / sizeof(below_home[0]); i++)
		allow(p, jr_arena_printf(&p->arena, "%s/%s", home, below_home[i]), JR_MAY_READ);
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		allow(p, getenv(variables[i]), JR_MAY_READ);
}

static void tell(struct jr_messages *msg, const struct jr_sandbox *in_force)
{
	if (in_force->landlock)
		jr_say_verbose(msg, "sandbox: Landlock %d restricts file access", in_force->landlock);
	else
		jr_say_verbose(
			msg, "sandbox: file access is not restricted (Landlock: %s)", in_force->no_landlock);
	if (in_force->seccomp)
		jr_say_verbose(msg, "sandbox: seccomp restricts system calls");
	else
		jr_say_verbose(
			msg, "sandbox: system calls are not restricted (seccomp: %s)", in_force->no_seccomp);
}

/* Load fonts while their caches may be written. If they cannot be written, fontconfig prints a line
 * per folder of fonts on stderr; these lines do not matter to the user. */
static void load_fonts(const struct jr_request *r)
{
	if (!r->output || !(r->command->bit & (JR_FOR_REPORT | JR_FOR_COMPARE | JR_FOR_SHOW)))
		return;
	jr_emergency_mute_others();
	jr_report_load_fonts(r->formats.items, r->formats.n);
	jr_emergency_hear_others();
}

/* Limit memory to --max-memory, or its default if the container or the machine has no less. The
 * limits of the readers stay the same in any case, so that the report is the same on every machine
 * that can make it. */
static void bound_memory(const struct jr_request *r)
{
	uint64_t bytes = r->analysis.limits.memory_bytes;
	struct jr_memory_room room = {JR_MEMORY_OPTION, bytes, 0, bytes};
	if (!r->memory_given) {
		struct jr_memory_room here = jr_memory_room("");
		room = here.bytes < bytes ? here : room;
	}
	jr_emergency_bound_memory(&room, r->analysis.n_threads);
}

void jr_confine(
	const struct jr_request *request, const struct jr_confinement *what, struct jr_messages *msg)
{
	load_fonts(request);
	/* A machine can configure a module that computes SHA-256, as for FIPS. It must be loaded now,
	 * because no code can be loaded later. */
	(void)OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, NULL);
	bound_memory(request);
	if (INSTRUMENTED || request->no_sandbox) {
		jr_say_verbose(
			msg, "sandbox: off (%s)", INSTRUMENTED ? "built with a sanitizer" : "--no-sandbox");
		return;
	}
	struct policy p = {0};
	struct jr_sandbox in_force;
	jr_arena_init(&p.arena, 0);
	allow_inputs(&p, what, &request->analysis.limits);
	allow(&p, request->analysis.xla_dump, JR_MAY_READ);
	allow(&p, request->analysis.memory_profile, JR_MAY_READ);
	allow(&p, request->analysis.sources_dir, JR_MAY_READ);
	for (size_t i = 0; i < what->n_folders; i++)
		allow(&p, what->folders[i], JR_MAY_READ);
	allow_outputs(&p, request, what);
	allow_system(&p);
	jr_sandbox_enter(p.rules.items, p.rules.n, &in_force);
	tell(msg, &in_force);
	jr_vec_done(&p.rules);
	jr_arena_done(&p.arena);
}

enum jr_status jr_confine_to_inputs(const struct jr_request *request, struct jr_messages *msg,
	const char *staging, struct jr_exported *exported, struct jr_error *err)
{
	JR_TRY(jr_nsys_reports_export(request, msg, exported, err));
	const struct jr_confinement what = {.inputs = exported->paths,
		.n_inputs = request->inputs.n,
		.origins = exported->origins,
		.staging = staging};
	jr_confine(request, &what, msg);
	return JR_OK;
}
