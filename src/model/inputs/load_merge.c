#include "model/inputs/load.h"

#include <string.h>

#include "base/cleanup.h"
#include "model/inputs/input.h"
#include "model/build/company.h"
#include "model/build/sessions.h"
#include "model/sources/oddities.h"

const char *jr_merge_stem(struct jr_merge *m, const char *name)
{
	return jr_arena_strndup(m->arena, name, jr_input_stem_size(name, strlen(name)));
}

void jr_merge_failed(struct jr_merge *m, const struct jr_error *error)
{
	if (m->first_error.status == JR_OK)
		m->first_error = *error;
}

static uint32_t text_of(struct jr_profile *p, const struct jr_metadata *meta, uint32_t id)
{
	return id ? jr_intern_puts(&p->strings, jr_intern_str(&meta->strings, id)) : 0;
}

/* Return the name for messages: the input, and the process if the input has several. */
static const char *label_of(struct jr_merge *m, const struct jr_source *s)
{
	const char *name = m->profile->inputs[s->input].name;
	return s->subname && !s->type->lists_programs
			   ? jr_arena_printf(m->arena, "%s: %s", name, s->subname)
			   : name;
}

/* The reason names the input if there are several, and the process if the input has several. */
static void tell_damaged(
	struct jr_merge *m, const struct jr_source *s, const char *section, const struct jr_error *why)
{
	const char *reason = why->message;
	if (why->status == JR_OK)
		return;
	if (m->profile->n_inputs > 1)
		reason = jr_arena_printf(m->arena, "'%s': %s", label_of(m, s), reason);
	else if (s->subname && !s->type->lists_programs)
		reason = jr_arena_printf(m->arena, "%s: %s", s->subname, reason);
	jr_profile_damaged(m->profile, section, reason);
}

/* Return whether an earlier source has its trace, host and number of its process. A rank that
 * counted twice would seem to be two GPUs that never wait for each other. */
static bool was_merged(struct jr_merge *m, const struct jr_source *s)
{
	uint64_t trace = jr_source_identity(s, &m->profile->inputs[s->input]);
	if (!trace) /* of an export, only the first process is identified */
		return s->part && m->n_twice && m->input_twice == s->input;
	const char *host = jr_intern_str(&s->metadata.strings, s->metadata.hostname);
	uint64_t key =
		jr_hash(host, strlen(host), jr_key2(jr_metadata_process(&s->metadata), 0) ^ trace);
	uint32_t n = (uint32_t)m->build.sessions.n, before = jr_map_add(&m->merged, key, n);
	if (before == n)
		return false;
	m->input_twice = s->input;
	if (m->n_twice++ == 0) {
		m->twice[0] = m->build.sessions.items[before].label;
		m->twice[1] = label_of(m, s);
	}
	return true;
}

void jr_merge_tell_twice(struct jr_merge *m)
{
	if (m->n_twice)
		jr_profile_warn(m->profile,
			"'%s' and '%s' contain the same trace%s. It is read once; check that no other profile "
			"is missing",
			m->twice[0], m->twice[1], jr_company_more(m->n_twice, m->arena));
}

static uint32_t add_process(struct jr_merge *m, const struct jr_source *s)
{
	struct jr_profile *p = m->profile;
	const struct jr_metadata *meta = &s->metadata;
	uint32_t row = (uint32_t)p->n_processes++;
	p->processes[row] = (struct jr_process){.input = s->input,
		.name = jr_profile_text(p, s->name, strlen(s->name)),
		.layout = s->has_trace ? s->trace.layout : 0,
		.xla = s->has_trace ? s->trace.xla : 0,
		.hostname = text_of(p, meta, meta->hostname),
		.driver = text_of(p, meta, meta->driver),
		.cuda = text_of(p, meta, meta->cuda),
		.nsys = text_of(p, meta, meta->nsys),
		.cpu = text_of(p, meta, meta->cpu),
		.os = text_of(p, meta, meta->os),
		.wsl = meta->wsl,
		.bytes_read = s->bytes_read};
	for (size_t i = 0; i < meta->n_settings; i++)
		jr_profile_setting(p, row, text_of(p, meta, meta->settings[i].name),
			text_of(p, meta, meta->settings[i].value));
	return row;
}

static void add_executions(struct jr_merge *m, struct jr_source *s, uint32_t process)
{
	struct jr_profile *p = m->profile;
	jr_trace_tell(&s->trace, p);
	struct jr_thread_devices threads;
	if (s->type->thread_devices)
		s->type->thread_devices(s, &m->build, process, &threads);
	else
		jr_devices_add(&m->build, process, &s->trace, &s->metadata, &threads);
	struct jr_local_program *local =
		JR_ARENA_N(&s->arena, struct jr_local_program, s->n_programs + 1);
	for (size_t i = 0; i < s->n_programs; i++) {
		struct jr_dump *d = &s->programs[i];
		local[i] = (struct jr_local_program){.number = d->number,
			.name = jr_profile_text(p, d->module, strlen(d->module)),
			.hlo = JR_TAKE(d->hlo)};
		jr_tell_texts(p, d);
		if (d->error.status == JR_OK && !jr_dump_found(d))
			jr_tell_no_dump(p, s, d);
	}
	jr_programs_add(&m->build, process, local, s->n_programs);
	jr_executions_add(&m->build, &s->trace, &threads, local, s->n_programs);
	jr_thread_devices_done(&threads);
}

/* Leave out an input that has nothing to report. */
static void leave_out(struct jr_merge *m, const struct jr_source *s)
{
	struct jr_profile *p = m->profile;
	struct jr_input *input = &p->inputs[s->input];
	const char *label = label_of(m, s);
	const struct jr_error *why =
		s->host_error.status != JR_OK &&
				(s->trace_error.status == JR_OK || s->trace_error.status == JR_ENOTFOUND)
			? &s->host_error
			: &s->trace_error;
	struct jr_error told = {0};
	JR_CLEANUP(jr_buf_done) struct jr_buf nothing = {0};
	if (s->type->nothing)
		jr_buf_puts(&nothing, s->type->nothing);
	else if (s->type->is_searched)
		jr_nothing_within(s->archive, s->subname, &nothing);
	if (why->status == JR_ENOTFOUND && nothing.size)
		(void)jr_fail(&told, why->status, "'%s' %s", label, nothing.data);
	else
		(void)jr_fail(&told, why->status, "'%s': %s", label, why->message);
	jr_merge_failed(m, &told);
	jr_profile_damaged(p, "input", told.message);
	if (!s->subname)
		input->failure = jr_arena_strdup(&p->arena, told.message);
}

/* The archive may still contain the report that nsys-jax used. */
static void tell_no_trace(struct jr_merge *m, const struct jr_source *s)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	jr_buf_puts(&text, s->trace_error.message);
	if (s->archive)
		jr_hint_within(s->archive, &text);
	jr_profile_missing(m->profile, "trace", jr_arena_strdup(m->arena, text.data));
}

void jr_merge_tell_damaged(struct jr_merge *m, struct jr_source *s)
{
	if (!s->has_trace && !s->has_host) {
		leave_out(m, s);
		return;
	}
	tell_damaged(m, s, "metadata", &s->metadata_error);
	for (size_t i = 0; s->has_trace && i < s->n_programs; i++)
		tell_damaged(m, s, "hlo", &s->programs[i].error);
	if (!s->has_trace && s->trace_error.status != JR_ENOTFOUND)
		tell_damaged(m, s, "trace", &s->trace_error);
	if (!s->has_host)
		tell_damaged(m, s, "compilation", &s->host_error);
	if (s->type->tell_damaged)
		s->type->tell_damaged(s, m->profile);
}

enum jr_status jr_merge_source(struct jr_merge *m, struct jr_source *s, struct jr_error *err)
{
	struct jr_profile *p = m->profile;
	if (s->type->whole && !s->has_trace) {
		if (err)
			*err = s->trace_error;
		return s->trace_error.status;
	}
	bool usable = s->has_trace || s->has_host;
	if (usable && was_merged(m, s))
		return JR_OK;
	jr_merge_tell_damaged(m, s);
	if (!usable)
		return JR_OK;
	m->n_usable++;
	m->n_plans += s->type->lists_programs;
	m->n_memory += s->tells == JR_TELLS_LIVE;
	p->tells |= s->tells;
	uint32_t process = add_process(m, s);
	jr_session_begin(&m->build, s, jr_merge_stem(m, m->profile->inputs[s->input].name));
	jr_session_identify(&m->build, label_of(m, s), jr_metadata_process(&s->metadata));
	if (s->type->add_devices)
		s->type->add_devices(s, &m->build, process);
	if (s->has_trace)
		add_executions(m, s, process);
	else if (s->trace_error.status == JR_ENOTFOUND)
		tell_no_trace(m, s);
	p->has_trace |= s->has_trace;
	if (s->has_host) {
		jr_tell_host(p, s, label_of(m, s));
		JR_TRY(jr_compile_add(p, process, &s->host, err));
	} else if (s->host_error.status == JR_OK && s->type->no_compilation) {
		jr_profile_missing(p, "compilation", s->type->no_compilation);
	}
	p->has_compiles = p->compiles.n > 0;
	if (s->type->hand_over)
		s->type->hand_over(s, &m->build);
	jr_session_end(&m->build);
	return JR_OK;
}
