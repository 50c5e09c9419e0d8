/* profile.speedscope.json: the stacks of the report, and one timeline per track of a device, in the
 * file format of speedscope.app. Weights are whole ns or bytes. */
#include <string.h>

#include "base/cleanup.h"
#include "report/core/formats.h"
#include "report/data/json.h"
#include "report/document/fold.h"
#include "report/trace/tracks.h"

struct scope {
	struct jr_buf frames, profiles;
	struct jr_arena arena;
	struct jr_intern names;    /* text -> frame; its ids begin with 1 */
	const char *left_out;      /* a sentence; NULL */
	size_t n_profiles, active; /* active: the one that is shown first */
};

static uint32_t frame_of(struct scope *s, const char *text)
{
	uint32_t known = (uint32_t)s->names.n,
			 id = jr_intern_puts(&s->names, *text ? text : "(no name)");
	if (id >= known) {
		jr_buf_puts(&s->frames, s->frames.size ? ",\n{\"name\":" : "\n{\"name\":");
		jr_json_text(&s->frames, *text ? text : "(no name)");
		jr_buf_putc(&s->frames, '}');
	}
	return id - 1;
}

static void begin_profile(
	struct scope *s, const char *type, const char *unit, const char *name, const char *more)
{
	jr_buf_printf(&s->profiles,
		"%s{\"type\":\"%s\",\"unit\":\"%s\",\"name\":", s->n_profiles++ ? ",\n" : "\n", type, unit);
	char *whole = jr_arena_printf(&s->arena, "%s%s", name, more);
	jr_json_text(&s->profiles, whole);
	jr_buf_puts(&s->profiles, ",\"startValue\":0,\"endValue\":");
}

/* Write the frames of a node from the outermost. */
static void put_stack(
	struct scope *s, const struct jr_tree *tree, const uint32_t *frames, size_t node)
{
	JR_VEC(uint32_t) up = {0};
	for (uint32_t at = (uint32_t)node; at != JR_NONE; at = tree->parent[at])
		*jr_vec_add(&up) = frames[at];
	jr_buf_putc(&s->profiles, '[');
	for (size_t i = up.n; i-- > 0;)
		jr_buf_printf(&s->profiles, "%u%s", up.items[i], i ? "," : "");
	jr_buf_putc(&s->profiles, ']');
	jr_vec_done(&up);
}

static void put_tree(
	struct scope *s, const struct jr_tree *tree, const double *self_ns, const char *more)
{
	const int64_t *ns = jr_fold_whole_ns(self_ns, tree->n, &s->arena);
	uint32_t *frames = JR_ARENA_N(&s->arena, uint32_t, tree->n + 1);
	int64_t sum = 0;
	for (size_t i = 0; i < tree->n; i++) {
		sum += ns[i];
		frames[i] = frame_of(s, tree->text[i]);
	}
	if (!sum)
		return;
	begin_profile(s, "sampled", tree->bytes ? "bytes" : "nanoseconds", tree->title, more);
	jr_buf_printf(&s->profiles, "%lld,\"samples\":[", (long long)sum);
	const char *between = "\n";
	for (size_t i = 0; i < tree->n; i++) {
		if (!ns[i])
			continue;
		jr_buf_puts(&s->profiles, between);
		put_stack(s, tree, frames, i);
		between = ",\n";
	}
	jr_buf_puts(&s->profiles, "],\"weights\":[");
	between = "";
	for (size_t i = 0; i < tree->n; i++) {
		if (!ns[i])
			continue;
		jr_buf_printf(&s->profiles, "%s%lld", between, (long long)ns[i]);
		between = ",";
	}
	jr_buf_puts(&s->profiles, "]}");
}

struct open_frame {
	uint32_t frame;
	int64_t end_ns;
};

static void put_event(
	struct scope *s, const char *between, char type, uint32_t frame, int64_t at_ns)
{
	jr_buf_printf(&s->profiles, "%s{\"type\":\"%c\",\"frame\":%u,\"at\":%lld}", between, type,
		frame, (long long)at_ns);
}

/* Open and close frames in order of time; slices of a track nest. */
static void put_track(struct scope *s, const struct jr_trace *t, const struct jr_trace_track *track)
{
	JR_VEC(struct open_frame) open = {0};
	int64_t end_ns = 0;
	for (size_t i = track->first; i < track->first + track->n; i++)
		if (t->slices[i].start_ns + t->slices[i].dur_ns > end_ns)
			end_ns = t->slices[i].start_ns + t->slices[i].dur_ns;
	begin_profile(s, "evented", "nanoseconds", t->groups[track->group].name,
		jr_arena_printf(&s->arena, ", %s", track->name));
	jr_buf_printf(&s->profiles, "%lld,\"events\":[", (long long)end_ns);
	const char *between = "\n";
	for (size_t i = track->first; i <= track->first + track->n; i++) {
		const struct jr_trace_slice *slice = i < track->first + track->n ? &t->slices[i] : NULL;
		while (open.n > (slice ? slice->depth : 0)) {
			struct open_frame top = open.items[--open.n];
			put_event(s, between, 'C', top.frame, top.end_ns);
			between = ",\n";
		}
		if (!slice)
			break;
		uint32_t frame = frame_of(s, t->names[slice->name]);
		put_event(s, between, 'O', frame, slice->start_ns);
		*jr_vec_add(&open) = (struct open_frame){frame, slice->start_ns + slice->dur_ns};
		between = ",\n";
	}
	jr_buf_puts(&s->profiles, "]}");
	jr_vec_done(&open);
}

static void put_all(struct scope *s, const struct jr_report_job *job)
{
	for (size_t k = 0; k < job->doc->data.n; k++) {
		const struct jr_section *section = job->doc->data.items[k];
		for (size_t i = 0; i < section->n; i++) {
			const struct jr_tree *tree =
				section->items[i].kind == JR_RESULT_TREE ? section->items[i].as.tree : NULL;
			if (!tree)
				continue;
			if (tree->base_self_ns)
				put_tree(s, tree, tree->base_self_ns, " (base)");
			if (strcmp(tree->name, "source_code") == 0)
				s->active = s->n_profiles;
			put_tree(s, tree, tree->self_ns, tree->base_self_ns ? " (new)" : "");
		}
	}
	const struct jr_trace *trace = jr_trace_build(job->profile, job->results, NULL, &s->arena);
	s->left_out = jr_trace_left_out(trace, &s->arena);
	for (size_t k = 0; k < trace->n_tracks; k++)
		if (trace->tracks[k].n && trace->tracks[k].group < job->profile->n_devices)
			put_track(s, trace, &trace->tracks[k]);
}

enum jr_status jr_write_speedscope(const struct jr_report_job *job, struct jr_error *err)
{
	struct scope s = {0};
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	jr_arena_init(&s.arena, 0);
	jr_intern_init(&s.names);
	put_all(&s, job);
	jr_buf_puts(
		&out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"name\":");
	jr_json_text(&out, s.left_out ? jr_arena_printf(&s.arena, "%s. %s", job->doc->title, s.left_out)
								  : job->doc->title);
	jr_buf_printf(&out, ",\"activeProfileIndex\":%zu,\"exporter\":\"jaxreport\",", s.active);
	jr_buf_puts(&out, "\"shared\":{\"frames\":[");
	jr_buf_add(&out, s.frames.size ? s.frames.data : "", s.frames.size);
	jr_buf_puts(&out, "]},\"profiles\":[");
	jr_buf_add(&out, s.profiles.size ? s.profiles.data : "", s.profiles.size);
	jr_buf_puts(&out, "]}\n");
	enum jr_status status =
		jr_outdir_write(job->out, "profile.speedscope.json", jr_buf_view(&out), err);
	jr_buf_done(&s.frames);
	jr_buf_done(&s.profiles);
	jr_intern_done(&s.names);
	jr_arena_done(&s.arena);
	return status;
}
