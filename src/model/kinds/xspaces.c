#include "model/kinds/xspaces.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "formats/xspace/xspace_compact.h"
#include "model/sources/oddities.h"

static struct jr_source_xspace *of(const struct jr_source *s)
{
	return s->own;
}

/* --- methods ---------------------------------------------------------------------------------- */

static enum jr_status open_bytes(struct jr_source *s, struct jr_bytes *out)
{
	struct jr_source_xspace *x = of(s);
	if (s->archive) {
		JR_TRY(jr_archive_content(s->archive, s->host_member, &x->content, &s->trace_error));
		*out = x->content.bytes;
	} else {
		JR_TRY(jr_file_map(s->path, &x->map, &s->trace_error));
		jr_file_map_watch(&x->map, &s->shrank);
		*out = x->map.bytes;
	}
	jr_source_count_bytes(s, out->size);
	return JR_OK;
}

static uint32_t put(struct jr_source *s, uint32_t text)
{
	const struct jr_intern *from = &of(s)->profile.export.rows.strings;
	return text ? jr_intern_put(
					  &s->metadata.strings, jr_intern_str(from, text), jr_intern_len(from, text))
				: 0;
}

/* Driver and CUDA versions are stored like those of other inputs; JAX versions become settings. */
static void take_about(struct jr_source *s)
{
	struct jr_metadata *meta = &s->metadata;
	const struct jr_xspace *x = &of(s)->profile.file;
	const struct jr_intern *strings = &of(s)->profile.export.rows.strings;
	static const char *const shown[] = {"jax_version", "jaxlib_version"};
	meta->hostname = put(s, x->hostname);
	meta->settings = JR_ARENA_N(&meta->arena, struct jr_setting_text, x->n_about + 1);
	for (size_t i = 0; i < x->n_about; i++) {
		const char *name = jr_intern_str(strings, x->about[i].name);
		if (strcmp(name, "cuda_driver_version") == 0)
			meta->driver = put(s, x->about[i].value);
		else if (strcmp(name, "cuda_runtime_version") == 0)
			meta->cuda = put(s, x->about[i].value);
		for (size_t k = 0; k < JR_COUNT_OF(shown); k++)
			if (strcmp(name, shown[k]) == 0)
				meta->settings[meta->n_settings++] =
					(struct jr_setting_text){put(s, x->about[i].name), put(s, x->about[i].value)};
	}
}

#define IDENTITY_BLOCKS 256
#define IDENTITY_BLOCK_BYTES ((size_t)4096)

/* Events of two recordings differ in all parts of the file, so a part of it identifies a large one.
 * Its pages are released after the events were read, so this comes before. */
static uint64_t identity_of(struct jr_bytes bytes)
{
	if (bytes.size <= IDENTITY_BLOCKS * IDENTITY_BLOCK_BYTES)
		return jr_hash(bytes.data, bytes.size, 0) | 1;
	size_t step = (bytes.size - IDENTITY_BLOCK_BYTES) / (IDENTITY_BLOCKS - 1);
	uint64_t hash = bytes.size;
	for (size_t i = 0; i < IDENTITY_BLOCKS; i++)
		hash = jr_hash(bytes.data + i * step, IDENTITY_BLOCK_BYTES, hash);
	return hash | 1;
}

void jr_xspaces_read_trace(struct jr_source *s)
{
	struct jr_source_xspace *x = of(s);
	struct jr_bytes bytes;
	struct jr_xspace file;
	if (open_bytes(s, &bytes) != JR_OK)
		return;
	x->identity = identity_of(bytes);
	if (x->variant->read(s, bytes, &file) != JR_OK)
		return;
	if (x->keeps_rows)
		jr_xspace_put(&x->kept, &file, s->limits);
	jr_xspaces_take(s, &file, true);
}

void jr_xspaces_take(struct jr_source *s, struct jr_xspace *file, bool about)
{
	struct jr_source_xspace *x = of(s);
	file->rows.n_bad_rows += x->json.n_bad;
	file->rows.is_cut |= x->json.is_cut;
	if (jr_xprofile_of_file(file, s->limits, x->n_threads, &x->profile, &s->trace_error) != JR_OK)
		return;
	s->export = &x->profile.export;
	if (x->profile.method == JR_XMETHOD_DEVICE) /* instructions without GPU operations */
		s->tells &= ~(unsigned)JR_TELLS_GPU_OPS;
	if (x->profile.file.n_steps == 0)
		s->tells &= ~(unsigned)JR_TELLS_STEPS;
	if (about)
		take_about(s);
	s->pid =
		x->profile.export.rows.processes[0].pid > 0 ? x->profile.export.rows.processes[0].pid : -1;
	s->start_unix_ns = x->profile.file.start_unix_ns;
	s->has_trace = jr_xprofile_trace(&x->profile, s->limits, &s->trace, &s->trace_error) == JR_OK;
	jr_xprofile_forget(&x->profile);
}

bool jr_xspaces_knows_devices(const struct jr_source *s)
{
	return s->export && of(s)->profile.export.rows.n_gpus > 0;
}

void jr_xspaces_read_ranges(struct jr_source *s)
{
	if (!s->export)
		return;
	s->has_host = jr_export_compile_ranges(
					  &of(s)->profile.export, s->limits, &s->host, &s->host_error) == JR_OK;
	if (s->host_error.status == JR_ENOTFOUND) /* most programs are profiled after compilation */
		s->host_error = (struct jr_error){0};
}

uint64_t jr_xspaces_identity(const struct jr_source *s, const struct jr_input *input)
{
	(void)input;
	return of(s)->identity;
}

void jr_xspaces_add_devices(struct jr_source *s, struct jr_build *build, uint32_t process)
{
	jr_export_add_devices(&of(s)->profile.export, build, process);
}

void jr_xspaces_thread_devices(
	struct jr_source *s, struct jr_build *build, uint32_t process, struct jr_thread_devices *out)
{
	(void)build;
	(void)process;
	jr_export_thread_devices(&of(s)->profile.export, 0, out);
	jr_export_forget_order(&of(s)->profile.export);
}

/* Find a program by its id, in the programs of the file. */
bool jr_xspaces_find_program(struct jr_source *s, struct jr_dump *dump)
{
	const struct jr_xspace *x = &of(s)->profile.file;
	for (size_t i = 0; i < x->n_programs; i++) {
		if (jr_xprofile_number(x->programs[i].id) != dump->number || !x->programs[i].proto.size)
			continue;
		dump->proto = x->programs[i].proto;
		return true;
	}
	return false;
}

#define BESIDE ".hlo_proto.pb"

static bool ends_in_beside(const char *name)
{
	size_t n = strlen(name), tail = strlen(BESIDE);
	return n > tail && strcmp(name + n - tail, BESIDE) == 0;
}

/* Whether a name in the file's folder may be HLO. The folder may also contain unrelated files. */
static bool may_be_hlo(const char *path)
{
	static const char dumps[] = "dump/module_";
	bool below = strchr(path, '/') != NULL;
	return below ? strncmp(path, dumps, sizeof(dumps) - 1) == 0
				 : strcmp(path, "dump") == 0 || ends_in_beside(path);
}

static void open_beside(struct jr_source *s)
{
	const char *slash = strrchr(s->path, '/');
	const char *folder =
		slash ? jr_arena_strndup(&s->arena, s->path, (size_t)(slash + 1 - s->path)) : ".";
	struct jr_error *err = &of(s)->beside_error; /* reported if HLO is missing */
	if (jr_archive_open_some(folder, may_be_hlo, s->limits, &s->beside, err) != JR_OK)
		s->beside = NULL;
}

/* Find the file MODULE(ID).hlo_proto.pb that older viewers leave in the folder of a run. Report
 * numbers have 63 bits; the unsigned ids have 64. */
size_t jr_xspaces_find_beside(const struct jr_source *s, int64_t number, const char *module)
{
	const struct jr_archive *archive = s->archive ? s->archive : s->beside;
	if (!archive)
		return SIZE_MAX;
	const char *name = s->archive ? jr_archive_at(archive, s->host_member)->name : "";
	const uint64_t ids[] = {(uint64_t)number, (uint64_t)number | UINT64_C(1) << 63};
	size_t found = SIZE_MAX;
	for (size_t i = 0; i < JR_COUNT_OF(ids) && found == SIZE_MAX; i++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf path = {0};
		jr_buf_add(&path, name, jr_source_folder_size(name));
		jr_buf_printf(&path, "%s(%" PRIu64 ")" BESIDE, module, ids[i]);
		found = jr_archive_find(archive, path.data);
	}
	return found;
}

/* Add those that are read now to those of a digest. */
struct jr_xspaces_beside jr_xspaces_count_beside(const struct jr_source *s)
{
	struct jr_xspaces_beside n = of(s)->beside;
	for (size_t i = 0; i < s->n_programs; i++) {
		const struct jr_dump *dump = &s->programs[i];
		if (dump->member == SIZE_MAX || dump->archive == s->dumps)
			continue;
		bool left = ends_in_beside(jr_archive_at(dump->archive, dump->member)->name);
		bool damaged = dump->error.status != JR_OK;
		n.n_read += left && !damaged;
		n.n_damaged += left && damaged;
		n.n_dumps += !left && !damaged && dump->archive == s->beside;
	}
	return n;
}

/* Report HLO from files beside the trace. Damaged files were not used, and each is reported. */
static void tell_beside(const struct jr_source *s, struct jr_profile *p)
{
	struct jr_xspaces_beside n = jr_xspaces_count_beside(s);
	uint64_t n_without = 0;
	for (size_t i = 0; i < s->n_programs; i++)
		n_without += !jr_dump_found(&s->programs[i]);
	jr_profile_guess(p, "hlo-beside", n.n_read,
		"programs have no HLO in the trace; it was read from the file MODULE(ID)" BESIDE
		" next to it, which a trace viewer wrote");
	jr_profile_guess(p, "damaged-hlo-beside", n.n_damaged,
		"programs have no HLO in the trace, and the file MODULE(ID)" BESIDE
		" next to it is damaged. They are reported without HLO");
	jr_profile_guess(p, "dumps-beside", n.n_dumps,
		"programs have no HLO in the trace; it was read from XLA's dumps in the folder "
		"\"dump\" next to it");
	if (n_without && of(s)->beside_error.status != JR_OK)
		jr_profile_missing(p, "hlo",
			jr_arena_printf(&p->arena, "could not search for HLO next to '%s': %s", s->name,
				of(s)->beside_error.message));
}

static void tell(const struct jr_xprofile *x, struct jr_profile *p)
{
	jr_profile_guess(p, "guessed-executions", x->n_guessed,
		"the file contains neither scopes nor the host's ranges of modules. Executions begin where "
		"another module runs, or where the instructions of a module begin again");
	jr_profile_guess(p, "merged-thunks", x->n_merged,
		"the file does not identify the executions of instructions. Consecutive kernels of "
		"one instruction on a stream count as one");
	jr_profile_guess(p, "unplaced-kernels", x->n_unplaced,
		"XLA kernels whose execution is not in the file (it began before the profile, or its "
		"launch was not recorded) do not belong to any module");
	jr_profile_guess(p, "graph-kernels", x->n_named,
		"kernels of CUDA graphs that were built before the profile do not identify their "
		"instruction. They were assigned by name, and for instructions with equal code in "
		"program order");
	jr_profile_guess(p, "command-buffers", x->n_unnamed,
		"kernels of CUDA graphs that were built before the profile do not identify their "
		"instruction, and neither do their names. They count as command_buffer. Profile with "
		"XLA_FLAGS=--xla_gpu_enable_command_buffer= to see each separately");
	jr_profile_guess(p, "divided-instructions", x->n_pieces,
		"an instruction that contains others, such as a loop, is shown only for the times "
		"between them. Each of these times counts as one execution");
	jr_profile_guess(p, "derived-lines", x->file.n_derived,
		"events of lines that trace viewers add are left out, because they repeat kernels of "
		"other lines");
	jr_profile_guess(p, "dropped-events", x->file.n_dropped,
		"the profiler reports that it dropped events. All totals are lower bounds");
}

void jr_xspaces_tell_damaged(struct jr_source *s, struct jr_profile *p)
{
	const struct jr_source_xspace *x = of(s);
	uint64_t n = x->profile.file.n_cut_bytes;
	if (n)
		jr_profile_damaged(p, "rest of the trace",
			jr_arena_printf(&s->arena,
				"the trace of '%s' is cut short or damaged: its last plane (a device or the host) "
				"is incomplete, %" PRIu64 " bytes",
				s->name, n));
	else if (x->json.is_cut)
		jr_profile_damaged(p, "rest of the trace",
			jr_arena_printf(&s->arena,
				"the trace of '%s' is cut short: everything after its first %" PRIu64
				" events is missing",
				s->name, x->json.n_events));
}

/* By allocator, then time. The other keys make the order of equal times deterministic. */
JR_ORDER(compare_memory, struct jr_xspace_memory,
	JR_UP(allocator) JR_UP(t_ns) JR_UP(gave_back) JR_UP(in_use_bytes))

static void *wider(struct jr_profile *p, const void *column, size_t n, size_t room, size_t size)
{
	void *wide = jr_arena_alloc(&p->arena, room * size);
	jr_copy(wide, column, n * size);
	return wide;
}

/* Grow the columns for the rows of this file. The room doubles each time. */
static void make_room(struct jr_profile *p, size_t more)
{
	struct jr_allocator_events *t = &p->allocator_events;
	if (t->n + more <= t->room)
		return;
	t->room = t->n + more > 2 * t->room ? t->n + more : 2 * t->room;
	t->process = wider(p, t->process, t->n, t->room, sizeof(*t->process));
	t->allocator = wider(p, t->allocator, t->n, t->room, sizeof(*t->allocator));
	t->t_ns = wider(p, t->t_ns, t->n, t->room, sizeof(*t->t_ns));
	t->in_use_bytes = wider(p, t->in_use_bytes, t->n, t->room, sizeof(*t->in_use_bytes));
	t->peak_bytes = wider(p, t->peak_bytes, t->n, t->room, sizeof(*t->peak_bytes));
	t->gave_back = wider(p, t->gave_back, t->n, t->room, sizeof(*t->gave_back));
}

static void hand_over_memory(struct jr_source *s, struct jr_profile *p)
{
	const struct jr_xspace *x = &of(s)->profile.file;
	const struct jr_intern *strings = &of(s)->profile.export.rows.strings;
	struct jr_allocator_events *t = &p->allocator_events;
	if (x->n_memory == 0)
		return;
	qsort(x->memory, x->n_memory, sizeof(*x->memory), compare_memory);
	make_room(p, x->n_memory);
	for (size_t k = 0; k < x->n_memory; k++) {
		const struct jr_xspace_memory *m = &x->memory[k];
		size_t i = t->n++;
		t->process[i] = (uint32_t)p->n_processes - 1; /* the process being merged */
		t->allocator[i] = jr_intern_puts(&p->strings, jr_intern_str(strings, m->allocator));
		t->t_ns[i] = m->t_ns;
		t->in_use_bytes[i] = (int64_t)m->in_use_bytes; /* fits int64, see xspace_host.c */
		t->peak_bytes[i] = (int64_t)m->peak_bytes;
		t->gave_back[i] = m->gave_back;
	}
}

/* Return whether the name of any range contains one of n words. */
static bool any_named(const struct jr_timeline *rows, const char *const *words, size_t n)
{
	for (uint32_t id = 0; id < rows->strings.n; id++)
		for (size_t i = 0; i < n; i++)
			if (strstr(jr_intern_str(&rows->strings, id), words[i]))
				return true;
	return false;
}

static void tell_ranges_of_xla(const struct jr_timeline *rows, struct jr_profile *p)
{
	static const char *const cpu[] = {"CpuClient::", "CpuCompiler::", "CpuExecutable::"};
	static const char *const no_graphs[] = {"CommandBuffer disabled when profiling"};
	p->on_cpu |= any_named(rows, cpu, JR_COUNT_OF(cpu));
	p->graphs_off |= any_named(rows, no_graphs, JR_COUNT_OF(no_graphs));
}

void jr_xspaces_hand_over(struct jr_source *s, struct jr_build *build)
{
	struct jr_profile *p = build->profile;
	hand_over_memory(s, p);
	jr_xprofile_hand_over_steps(&of(s)->profile, p);
	jr_xprofile_hand_over_lanes(&of(s)->profile, p);
	tell(&of(s)->profile, p);
	if (of(s)->variant->tell)
		of(s)->variant->tell(of(s), p);
	tell_beside(s, p);
	p->by_jax_profiler = true;
	tell_ranges_of_xla(&of(s)->profile.export.rows, p);
	p->n_dropped_events += of(s)->profile.file.n_dropped;
	p->n_gpus_seen += of(s)->profile.file.n_gpus_seen;
	jr_leave_unread(p, &of(s)->profile.export.rows, JR_UNREAD_EVENTS);
	jr_export_hand_over(&of(s)->profile.export, build, s->input);
}

void jr_xspaces_done(struct jr_source *s)
{
	struct jr_source_xspace *x = of(s);
	if (!x)
		return;
	jr_xprofile_done(&x->profile);
	jr_content_done(&x->content);
	jr_buf_done(&x->kept);
	jr_archive_close(s->beside);
	if (x->map.bytes.data)
		jr_file_unmap(&x->map);
	free(x);
}

struct jr_source_xspace *jr_xspaces_own(
	struct jr_source *s, const struct jr_xspaces_variant *variant, size_t n_threads)
{
	struct jr_source_xspace *x = s->own = jr_calloc(1, sizeof(*x));
	x->variant = variant;
	x->n_threads = n_threads;
	return x;
}

/* Add one XSpace file: `member` of an archive or folder, or (SIZE_MAX) the named file. HLO for a
 * named file is searched in its folder, as if the folder had been named. */
static void add(struct jr_opening *o, const char *name, size_t member, uint64_t size_bytes)
{
	const struct jr_xspaces_variant *variant = o->input->kind->own;
	struct jr_source *s = jr_opening_source(o);
	jr_source_begin(s, &variant->type, o->row, name, o->limits);
	s->archive = *o->archive;
	s->host_member = member;
	s->path = *o->archive ? NULL : o->path;
	s->trace_bytes = s->host_bytes = size_bytes;
	jr_xspaces_own(s, variant, o->profile->options.n_threads)->keeps_rows = o->keeps_rows;
	if (s->path)
		open_beside(s);
}

enum jr_status jr_xspaces_open(struct jr_opening *o, struct jr_error *err)
{
	if (access(o->path, R_OK) != 0)
		return jr_fail_to_open(err, o->path, errno);
	o->input->size_bytes = jr_opening_file_bytes(o);
	add(o, o->stem, SIZE_MAX, o->input->size_bytes);
	return JR_OK;
}

void jr_xspaces_open_member(struct jr_opening *o, size_t member)
{
	const struct jr_archive_member *m = jr_archive_at(*o->archive, member);
	struct jr_bytes last = jr_file_name(m->name);
	uint32_t text = jr_profile_text(o->profile, (const char *)last.data, last.size);
	const char *name = jr_str(o->profile, text);
	size_t n = strlen(name);
	n -= jr_input_ending(o->input->kind, name, n);
	add(o, jr_arena_strndup(o->arena, name, n), member, m->packed_bytes);
}

enum jr_status jr_xspaces_read_host(
	const char *path, const struct jr_host_listener *to, struct jr_error *err)
{
	struct jr_file_map map;
	struct jr_xspace_json json = {0};
	struct jr_xprofile profile;
	struct jr_host_ranges ranges;
	JR_TRY(jr_file_map(path, &map, err));
	struct jr_bytes bytes = map.bytes;
	enum jr_status status = JR_OK;
	if (jr_xspace_json_begins(bytes, to->limits)) {
		status = jr_xspace_json_read(bytes, to->limits, &json, err);
		bytes = jr_buf_view(&json.xspace);
	}
	if (status == JR_OK)
		status = jr_xprofile_read(bytes, NULL, to->limits, 1, &profile, err);
	if (status == JR_OK) {
		status = jr_export_compile_ranges(&profile.export, to->limits, &ranges, err);
		jr_xprofile_done(&profile);
	}
	jr_xspace_json_done(&json);
	jr_file_unmap(&map);
	if (status == JR_ENOTFOUND)
		return jr_fail(err, status,
			"'%s' contains no compilation. Start the trace before the program compiles", path);
	if (status != JR_OK)
		return jr_context(err, status, "'%s'", path);
	jr_host_tell(to, NULL, &ranges);
	return JR_OK;
}
