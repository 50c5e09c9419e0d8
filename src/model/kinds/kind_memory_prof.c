/* A device memory profile of jax.profiler.save_device_memory_profile(): what is in device memory at
 * one time. It contains no executions. */
#include <stdlib.h>

#include "base/file.h"
#include "formats/pprof/pprof.h"
#include "model/build/build.h"
#include "model/sources/opening.h"

static int probe(const struct jr_input_head *head)
{
	return jr_pprof_begins(head->bytes, head->limits) ? 56 : 0;
}

static void read_trace(struct jr_source *s)
{
	struct jr_pprof *pprof = s->own;
	struct jr_file_map map;
	if (jr_file_map(s->path, &map, &s->trace_error) != JR_OK)
		return;
	jr_file_map_watch(&map, &s->shrank);
	s->has_trace = jr_pprof_read(map.bytes, s->limits, pprof, &s->trace_error) == JR_OK;
	jr_source_count_bytes(s, map.bytes.size);
	jr_file_unmap(&map);
	jr_intern_init(&s->trace.strings); /* there are no executions */
}

static uint64_t identity(const struct jr_source *s, const struct jr_input *input)
{
	(void)s;
	return jr_hash(input->sha256, sizeof(input->sha256), 0);
}

static void thread_devices(
	struct jr_source *s, struct jr_build *build, uint32_t process, struct jr_thread_devices *out)
{
	(void)s;
	(void)build;
	(void)process;
	*out = (struct jr_thread_devices){.first = JR_NONE};
	jr_arena_init(&out->arena, 0);
}

static void hand_over(struct jr_source *s, struct jr_build *build)
{
	struct jr_profile *p = build->profile;
	struct jr_error err = {0};
	uint32_t process = (uint32_t)p->n_processes - 1;
	const char *name = p->n_inputs > 1 ? p->inputs[s->input].name : NULL;
	if (jr_live_add(build, s->own, process, name, &err) != JR_OK)
		jr_profile_damaged(p, "live_memory",
			name ? jr_arena_printf(&p->arena, "'%s': %s", name, err.message) : err.message);
}

static void done(struct jr_source *s)
{
	jr_pprof_done(s->own);
	free(s->own);
}

static const struct jr_source_type type = {.read_trace = read_trace,
	.identity = identity,
	.thread_devices = thread_devices,
	.hand_over = hand_over,
	.done = done,
	.tells = JR_TELLS_LIVE};

static enum jr_status open(struct jr_opening *o, struct jr_error *err)
{
	(void)err; /* opened when it is read */
	struct jr_source *s = jr_opening_source(o);
	jr_source_begin(s, &type, o->row, o->stem, o->limits);
	s->path = o->path;
	s->own = jr_calloc(1, sizeof(struct jr_pprof));
	s->trace_bytes = o->input->size_bytes = jr_opening_file_bytes(o);
	return JR_OK;
}

const struct jr_input_ops jr_input_memory_prof = {
	.label = "memory-profile",
	.noun = "a device memory profile",
	.help =
		"a device memory profile of jax.profiler.save_device_memory_profile(), which shows what "
		"is in device memory, by Python stack",
	.suffixes = {".prof"},
	.by_name = true,
	.probe = probe,
	.open = open,
};
