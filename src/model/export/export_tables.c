/* Conversion of an export's rows to tables of the profile. Columns are reused; texts are interned
 * in the profile. */
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "base/text.h"
#include "model/archive/trace_parts.h"
#include "model/build/step_rows.h"
#include "model/build/faults.h"

/* Map from text ids of the export to ids of the profile, filled at first use. */
struct texts {
	const struct jr_intern *from;
	struct jr_intern *to;
	uint32_t *ids; /* JR_NONE = not yet */
};

static uint32_t text_of(struct texts *t, uint32_t id)
{
	if (t->ids[id] == JR_NONE)
		t->ids[id] = jr_intern_put(t->to, jr_intern_str(t->from, id), jr_intern_len(t->from, id));
	return t->ids[id];
}

/* "cudaLaunchKernel_v7000" -> "cudaLaunchKernel": the suffix is the version of the interface. */
static uint32_t call_name(struct texts *t, uint32_t id)
{
	if (t->ids[id] != JR_NONE)
		return t->ids[id];
	const char *name = jr_intern_str(t->from, id);
	size_t n = jr_intern_len(t->from, id), digits = n;
	while (digits && jr_is_digit(name[digits - 1]))
		digits--;
	if (digits < n && digits > 2 && name[digits - 1] == 'v' && name[digits - 2] == '_')
		n = digits - 2;
	return t->ids[id] = jr_intern_put(t->to, name, n);
}

static void to_durations(const int64_t *start_ns, int64_t *end_ns, size_t n)
{
	for (size_t i = 0; i < n; i++)
		end_ns[i] -= start_ns[i];
}

/* The columns of processes and correlations are no longer needed. They are reused for short names
 * and devices of the profile. @return the number of kernels without a name */
static size_t take_ops(struct jr_export *x, struct texts *texts, struct jr_gpu_ops *out)
{
	struct jr_timeline_gpu *gpu = &x->rows.gpu;
	size_t n_nameless = 0;
	for (size_t i = 0; i < gpu->n; i++) {
		bool nameless = gpu->kind[i] == JR_TIMELINE_KERNEL && !gpu->name[i];
		gpu->process[i] = text_of(texts, x->rows.short_name[gpu->name[i]]);
		gpu->name[i] =
			nameless ? jr_intern_puts(texts->to, JR_NO_NAME) : text_of(texts, gpu->name[i]);
		n_nameless += nameless;
		gpu->device[i] = x->devices[gpu->device[i]].row;
	}
	to_durations(gpu->start_ns, gpu->end_ns, gpu->n);
	*out = (struct jr_gpu_ops){.n = gpu->n,
		.kind = gpu->kind,
		.name = gpu->name,
		.brief = gpu->process,
		.device = gpu->device,
		.stream = gpu->stream,
		.start_ns = gpu->start_ns,
		.dur_ns = gpu->end_ns,
		.bytes = gpu->bytes,
		.config = gpu->config,
		.call = x->launch,
		.range = x->range};
	return n_nameless;
}

static size_t take_calls(struct jr_export *x, struct texts *texts, struct jr_api_calls *out)
{
	struct jr_timeline_calls *calls = &x->rows.calls;
	size_t n_nameless = 0;
	for (size_t i = 0; i < calls->n; i++) {
		n_nameless += !calls->name[i];
		calls->name[i] = calls->name[i] ? call_name(texts, calls->name[i])
										: jr_intern_puts(texts->to, JR_NO_NAME);
	}
	to_durations(calls->start_ns, calls->end_ns, calls->n);
	*out = (struct jr_api_calls){.n = calls->n,
		.name = calls->name,
		.thread = calls->thread,
		.start_ns = calls->start_ns,
		.dur_ns = calls->end_ns};
	return n_nameless;
}

static void take_devices(struct jr_profile *p, struct jr_export *x)
{
	JR_CLEANUP(jr_map_done) struct jr_map known = {0};
	size_t first = p->n_device_sets;
	for (size_t i = 0; i < x->rows.nvtx.n; i++)
		if (x->n_ops[i])
			x->device[i] = x->device[i] == JR_SEVERAL
							   ? jr_profile_device_set(p, x->device_bits[i], &known)
							   : x->devices[x->device[i]].row;
	for (struct jr_device_set *set = p->device_sets + first; first < p->n_device_sets;
		 first++, set++)
		for (size_t k = 0; k < set->n; k++)
			set->devices[k] = x->devices[set->devices[k]].row;
}

/* Return the process of each thread, as rows of the profile. */
static uint32_t *take_threads(struct jr_profile *p, const struct jr_export *x)
{
	const struct jr_timeline *s = &x->rows;
	uint32_t *out = JR_ARENA_N(&p->arena, uint32_t, s->n_threads + 1);
	uint32_t first = (uint32_t)(p->n_processes - x->n_parts);
	for (size_t i = 0; i < s->n_threads; i++) {
		uint32_t part = 0; /* processes without a part count as the next one */
		while (part + 1 < x->n_parts && x->parts[part] < s->threads[i].process)
			part++;
		out[i] = first + part;
	}
	return out;
}

/* Return the thread that closed each range: only start/end ranges can be closed by another. */
static uint32_t *take_end_threads(const struct jr_timeline_nvtx *nvtx)
{
	uint32_t *out = nvtx->end_thread;
	if (!out)
		return nvtx->thread;
	for (size_t i = 0; i < nvtx->n; i++)
		if (nvtx->kind[i] != JR_TIMELINE_START_END || out[i] == JR_NONE)
			out[i] = nvtx->thread[i];
	return out;
}

static void take_ranges(struct jr_profile *p, struct jr_export *x, struct texts *texts,
	const uint32_t *scopes, struct jr_nvtx_ranges *out)
{
	struct jr_timeline_nvtx *nvtx = &x->rows.nvtx;
	take_devices(p, x);
	for (size_t i = 0; i < nvtx->n; i++) {
		nvtx->text[i] = text_of(texts, nvtx->text[i]);
		if (scopes[nvtx->scope[i]] != nvtx->scope[i]) /* else pages without scopes stay unused */
			nvtx->scope[i] = scopes[nvtx->scope[i]];
	}
	uint8_t *whole = nvtx->ending;
	if (!whole)
		whole = JR_ARENA_N(&x->arena, uint8_t, nvtx->n + 1);
	for (size_t i = 0; i < nvtx->n; i++)
		whole[i] = whole[i] == JR_TIMELINE_ENDS;
	to_durations(nvtx->start_ns, nvtx->end_ns, nvtx->n);
	to_durations(x->gpu_start_ns, x->gpu_end_ns, nvtx->n);
	*out = (struct jr_nvtx_ranges){.n = nvtx->n,
		.kind = nvtx->kind,
		.whole = whole,
		.name = nvtx->text,
		.scope = nvtx->scope,
		.thread = nvtx->thread,
		.end_thread = take_end_threads(nvtx),
		.start_ns = nvtx->start_ns,
		.dur_ns = nvtx->end_ns,
		.n_ops = x->n_ops,
		.gpu_start_ns = x->gpu_start_ns,
		.gpu_dur_ns = x->gpu_end_ns,
		.device = x->device};
}

static struct jr_kernel_config *take_configs(struct jr_export *x)
{
	struct jr_kernel_config *out =
		JR_ARENA_N(&x->arena, struct jr_kernel_config, x->rows.n_configs + 1);
	for (size_t i = 0; i < x->rows.n_configs; i++) {
		const struct jr_timeline_config *c = &x->rows.configs[i];
		out[i] = (struct jr_kernel_config){.registers = c->registers,
			.static_shared_bytes = c->static_shared_bytes,
			.dynamic_shared_bytes = c->dynamic_shared_bytes};
		memcpy(out[i].grid, c->grid, sizeof(out[i].grid));
		memcpy(out[i].block, c->block, sizeof(out[i].block));
	}
	return out;
}

/* --- small tables: copied --------------------------------------------------------------------- */

/* Domains and categories are identified by name only, because each process and export has its own
 * numbers. Returns rows of p->nvtx_scopes. */
static uint32_t *take_scopes(struct jr_profile *p, const struct jr_timeline *s, struct texts *texts,
	struct jr_arena *scratch)
{
	uint32_t *rows = JR_ARENA_N(scratch, uint32_t, s->n_scopes + 1);
	JR_CLEANUP(jr_map_done) struct jr_map known = {0};
	p->nvtx_scopes = JR_ARENA_COPY(&p->arena, p->nvtx_scopes, p->n_nvtx_scopes, s->n_scopes + 1);
	for (uint32_t i = 0; i < p->n_nvtx_scopes; i++)
		jr_map_put(&known, jr_key2(p->nvtx_scopes[i].domain, p->nvtx_scopes[i].category), i);
	for (size_t i = 0; i < s->n_scopes; i++) {
		const struct jr_timeline_scope *from = &s->scopes[i];
		char number[JR_NUM_MAX] = "";
		if (from->category && !from->category_name)
			jr_num_i64(number, from->category);
		struct jr_nvtx_scope scope = {.domain = text_of(texts, from->domain_name),
			.category = from->category_name ? text_of(texts, from->category_name)
											: jr_intern_puts(&p->strings, number)};
		uint64_t key = jr_key2(scope.domain, scope.category);
		rows[i] = jr_map_get(&known, key);
		if (rows[i] != JR_NONE)
			continue;
		rows[i] = (uint32_t)p->n_nvtx_scopes;
		jr_map_put(&known, key, rows[i]);
		p->nvtx_scopes[p->n_nvtx_scopes++] = scope;
	}
	return rows;
}

static struct jr_profiler_sum *take_sums(struct jr_profile *p, struct jr_profiler_sum *known,
	size_t *n, const struct jr_timeline_sum *sums, size_t n_sums, uint32_t input,
	struct texts *texts)
{
	struct jr_profiler_sum *all = JR_ARENA_COPY(&p->arena, known, *n, n_sums + 1);
	for (size_t i = 0; i < n_sums; i++)
		all[(*n)++] = (struct jr_profiler_sum){
			input, text_of(texts, sums[i].name), sums[i].count, sums[i].total_ns, sums[i].max_ns};
	return all;
}

static void take_messages(
	struct jr_profile *p, const struct jr_timeline *s, uint32_t input, struct texts *texts)
{
	p->messages = JR_ARENA_COPY(&p->arena, p->messages, p->n_messages, s->n_messages + 1);
	for (size_t i = 0; i < s->n_messages; i++) {
		const struct jr_timeline_message *m = &s->messages[i];
		p->messages[p->n_messages++] = (struct jr_profiler_message){input, m->t_ns, m->count,
			m->severity, text_of(texts, m->source), text_of(texts, m->text)};
	}
}

static uint32_t value_of(
	const struct jr_timeline_pair *pairs, size_t n, const char *name, struct texts *texts)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(jr_intern_str(texts->from, pairs[i].name), name) == 0)
			return text_of(texts, pairs[i].value);
	return 0;
}

static uint64_t count_calls(
	const struct jr_export_rows *rows, const struct jr_profile *p, const char *name)
{
	uint32_t id = jr_intern_find(&p->strings, name, strlen(name));
	uint64_t n = 0;
	for (size_t i = 0; i < rows->calls.n && id != JR_NONE; i++)
		n += rows->calls.name[i] == id;
	return n;
}

static void take_capture(struct jr_profile *p, const struct jr_export *x, uint32_t input,
	const struct jr_export_rows *rows, struct texts *texts)
{
	const struct jr_timeline *s = &x->rows;
	p->captures = JR_ARENA_COPY(&p->arena, p->captures, p->n_captures, 2);
	p->captures[p->n_captures++] = (struct jr_capture){.input = input,
		.session_ns = s->session_ns,
		.cuda_traced = jr_export_cuda_traced(s),
		.first_ns = x->first_ns,
		.last_ns = x->last_ns,
		.start_trigger = value_of(s->captured, s->n_captured, "START_TRIGGER", texts),
		.stop_trigger = value_of(s->captured, s->n_captured, "STOP_TRIGGER", texts),
		.schema = value_of(s->exported, s->n_exported, "EXPORT_SCHEMA_VERSION", texts),
		.n_starts =
			count_calls(rows, p, "cudaProfilerStart") + count_calls(rows, p, "cuProfilerStart"),
		.n_stops =
			count_calls(rows, p, "cudaProfilerStop") + count_calls(rows, p, "cuProfilerStop")};
}

/* A copy moves at least a byte, so a size of 0 is not known. */
static uint64_t count_sizeless(const struct jr_timeline_gpu *gpu)
{
	uint64_t n = 0;
	for (size_t i = 0; i < gpu->n; i++)
		n += gpu->bytes[i] == 0 &&
			 (gpu->kind[i] == JR_TIMELINE_MEMCPY || gpu->kind[i] == JR_TIMELINE_MEMSET);
	return n;
}

static void tell_oddities(struct jr_profile *p, const struct jr_export *x)
{
	const struct jr_timeline *s = &x->rows;
	p->n_rows += s->nvtx.n + s->calls.n + s->gpu.n + s->n_bad_rows;
	p->n_rows_lost += s->n_bad_rows;
	jr_profile_guess(p, "open-ranges", x->n_open,
		"NVTX ranges that were still open at the end of the profile are assumed to end there; "
		"their durations are not part of any mean");
	jr_profile_guess(p, "same-correlation-ids", x->n_same_ids,
		"CUDA calls have the correlation ID of an earlier call that had ended; GPU operations "
		"with that ID were linked to the earliest call");
	jr_profile_guess(p, "unlinked-operations", x->n_unlinked,
		s->calls.n == 0 ? "the calls that launched GPU operations are not in the input; the "
						  "operations have no launch latency and count for no host range"
						: "GPU operations were launched before the profile began, or the record of "
						  "their launch was lost; they have no launch latency and count for no "
						  "host range. The check for kernels without a launch record counts only "
						  "those between kernels that have one");
	jr_profile_guess(p, "unlinkable-records", x->n_unlinkable_all,
		"GPU operations and calls do not state their correlation ID or thread, so which call "
		"launched which operation is unknown; they have no launch latency, count for no host "
		"range, and are not checked for lost records");
	jr_profile_guess(p, "sizes-missing", count_sizeless(&s->gpu),
		"copies and memsets do not state their size; sums of bytes and bandwidths leave them out");
	jr_profile_guess(p, "gpus-by-number", x->n_same_numbers,
		"several processes used a GPU with the same number, and the export does not contain "
		"which GPU each process saw (TARGET_INFO_CUDA_DEVICE); they count as one GPU");
	for (size_t d = 0; d < x->n_devices; d++)
		if (x->devices[d].number == JR_NONE)
			jr_profile_guess(p, "gpu-unknown", 1,
				"GPU operations of the export do not state their GPU (deviceId), so the work of "
				"several GPUs may count as that of one");
	jr_profile_guess(p, "deep-ranges", x->n_too_deep,
		"NVTX ranges nested deeper than --max-depth have no projection of their own");
	jr_profile_guess(p, "bad-rows", s->n_bad_rows,
		"rows of the export with invalid times (not integers, ending before they start, or "
		"more than 146 years from 0) or sizes (below 0, or too large) are left out");
	jr_profile_guess(p, "other-texts", s->n_other_texts,
		"texts of an export have the ID of another text in table StringIds. The first text of an "
		"ID counts, so names of kernels, calls and ranges may be wrong");
	jr_profile_guess(p, "long-texts", s->n_long_texts,
		"names of more than 65,536 bytes, and other texts longer than --max-string-bytes, are "
		"cut");
	jr_profile_guess(p, "export-rows-left-out", s->n_rows_left_out,
		"rows of tables that are usually small are left out above a limit (4096 profiler "
		"messages, one million names and settings)");
}

void jr_export_hand_over(struct jr_export *x, struct jr_build *build, uint32_t input)
{
	struct jr_profile *p = build->profile;
	struct jr_timeline *s = &x->rows;
	struct jr_arena scratch;
	jr_arena_init(&scratch, 0);
	struct texts texts = {.from = &s->strings, .to = &p->strings};
	struct texts calls = texts;
	texts.ids = JR_ARENA_N(&scratch, uint32_t, s->strings.n + 1);
	calls.ids = JR_ARENA_N(&scratch, uint32_t, s->strings.n + 1);
	memset(texts.ids, 0xFF, s->strings.n * sizeof(*texts.ids));
	memset(calls.ids, 0xFF, s->strings.n * sizeof(*calls.ids));
	x->place = jr_arena_shrink(&x->arena, x->place, 0);
	tell_oddities(p, x);
	jr_faults_hand_over(x, p, input, (uint32_t)(p->n_processes - x->n_parts));
	struct jr_export_rows *rows = jr_vec_add(&build->exports);
	*rows = (struct jr_export_rows){.n_threads = s->n_threads,
		.thread_process = take_threads(p, x),
		.n_configs = s->n_configs,
		.configs = take_configs(x)};
	jr_export_hand_over_steps(x, p);
	size_t n_nameless = take_ops(x, &texts, &rows->ops);
	n_nameless += take_calls(x, &calls, &rows->calls);
	jr_profile_guess(p, "names-missing", n_nameless,
		"kernels and calls whose names the profile does not contain are shown as '" JR_NO_NAME
		"', as if they were the same one. In an export, names are in table StringIds");
	take_ranges(p, x, &texts, take_scopes(p, s, &texts, &scratch), &rows->ranges);
	p->waits = take_sums(p, p->waits, &p->n_waits, s->waits, s->n_waits, input, &texts);
	p->overheads =
		take_sums(p, p->overheads, &p->n_overheads, s->overheads, s->n_overheads, input, &texts);
	take_messages(p, s, input, &texts);
	take_capture(p, x, input, rows, &texts);
	struct jr_arena *arenas[] = {
		&x->arena, &s->arena, &s->columns[0], &s->columns[1], &s->columns[2]};
	for (size_t i = 0; i < JR_COUNT_OF(arenas); i++) {
		rows->arenas[i] = *arenas[i];
		jr_arena_init(arenas[i], 0);
	}
	jr_arena_done(&scratch);
	jr_export_done(x);
}
