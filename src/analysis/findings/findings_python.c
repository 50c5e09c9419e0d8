/* Python activity while a device waited: frames, in traces that have them, during the gaps. */
#include <stdlib.h>
#include <string.h>

#include "analysis/findings/findings.h"
#include "base/cleanup.h"
#include "base/order.h"
#include "base/vec.h"

/* A Python frame: "$train.py:12 step", "$builtins next". */
struct frame {
	int64_t start_ns, end_ns;
	uint32_t name;
	bool input; /* gets or moves a batch */
};

struct share {
	uint32_t name;
	int64_t ns;
};

struct sweep {
	const struct jr_check *c;
	struct frame *frames; /* sorted by start, outer frames first */
	size_t n;
	struct jr_module_gap *gaps; /* of one device, sorted by time */
	size_t n_gaps, at;          /* at: the first gap that has not ended */
	JR_VEC(struct share) shares;
	struct jr_map by_name;
	int64_t input_ns;
	size_t n_input; /* number of open input frames */
};

/* Return the function's name in a frame's text. */
static const char *function_of(const char *text)
{
	const char *blank = strrchr(text, ' ');
	return blank ? blank + 1 : text;
}

/* True for functions that get or move the next batch, by their names in loaders and JAX. */
static bool gets_input(const char *text)
{
	static const char *const names[] = {"next", "__next__", "device_put", "batched_device_put",
		"_next_data", "get_next", "make_array_from_process_local_data",
		"make_array_from_single_device_arrays", "shard_args"};
	const char *function = function_of(text);
	for (size_t i = 0; i < JR_COUNT_OF(names); i++)
		if (strcmp(function, names[i]) == 0)
			return true;
	return false;
}

JR_ORDER(compare_frames, struct frame, JR_UP(start_ns) JR_DOWN(end_ns) JR_UP(name))

static void list_frames(struct sweep *s)
{
	const struct jr_profile *p = s->c->ctx->profile;
	const struct jr_nvtx_ranges *t = &p->nvtx_ranges;
	s->frames = JR_ARENA_N(s->c->ctx->scratch, struct frame, t->n + 1);
	for (size_t i = 0; i < t->n; i++) {
		const char *text = jr_str(p, t->name[i]);
		if (text[0] != '$' || t->dur_ns[i] == 0)
			continue;
		s->frames[s->n++] = (struct frame){
			t->start_ns[i], t->start_ns[i] + t->dur_ns[i], t->name[i], gets_input(text)};
	}
	if (s->n)
		qsort(s->frames, s->n, sizeof(*s->frames), compare_frames);
}

static void add_share(struct sweep *s, uint32_t name, int64_t ns)
{
	uint32_t row = jr_map_add(&s->by_name, name, (uint32_t)s->shares.n);
	if (row == s->shares.n)
		*jr_vec_add(&s->shares) = (struct share){name, 0};
	s->shares.items[row].ns += ns;
}

/* Add the gaps from t0 to t1, in which `name` is the innermost frame. t0 must follow the previous
 * segment. */
static void tell_segment(struct sweep *s, uint32_t name, int64_t t0, int64_t t1)
{
	while (s->at < s->n_gaps && s->gaps[s->at].end_ns <= t0)
		s->at++;
	for (size_t i = s->at; i < s->n_gaps && s->gaps[i].begin_ns < t1; i++) {
		int64_t from = s->gaps[i].begin_ns > t0 ? s->gaps[i].begin_ns : t0;
		int64_t to = s->gaps[i].end_ns < t1 ? s->gaps[i].end_ns : t1;
		if (to <= from)
			continue;
		add_share(s, name, to - from);
		s->input_ns += s->n_input ? to - from : 0;
	}
}

/* Frames of one thread nest; frames of other threads are treated as if they did. */
static void walk(struct sweep *s)
{
	uint32_t *stack = JR_ARENA_N(s->c->ctx->scratch, uint32_t, s->n + 1);
	size_t depth = 0;
	int64_t told = s->n ? s->frames[0].start_ns : 0;
	for (size_t i = 0; i <= s->n; i++) {
		int64_t until = i < s->n ? s->frames[i].start_ns : INT64_MAX;
		while (depth && s->frames[stack[depth - 1]].end_ns <= until) {
			const struct frame *top = &s->frames[stack[--depth]];
			if (top->end_ns > told)
				tell_segment(s, top->name, told, top->end_ns);
			told = top->end_ns > told ? top->end_ns : told;
			s->n_input -= top->input;
		}
		if (i == s->n)
			break;
		if (depth && until > told)
			tell_segment(s, s->frames[stack[depth - 1]].name, told, until);
		told = until > told ? until : told;
		s->n_input += s->frames[i].input;
		stack[depth++] = (uint32_t)i;
	}
}

/* Return "“next_batch” (loader.py:40)", or "“next”" if there is no file. */
static const char *frame_text(struct jr_check *c, const char *text)
{
	const char *name = jr_check_name(c, function_of(text));
	const char *blank = strrchr(text, ' ');
	if (!blank || !memchr(text, ':', (size_t)(blank - text)))
		return name;
	return jr_arena_printf(c->ctx->arena, "%s (%.*s)", name, (int)(blank - text - 1), text + 1);
}

/* Take the gaps of the device that waits the most. */
static void take_gaps(struct sweep *s, const struct jr_module_gaps *gaps)
{
	int64_t most_ns = 0;
	for (size_t i = 0; i < gaps->n;) {
		size_t end = i;
		int64_t sum_ns = 0;
		for (; end < gaps->n && gaps->items[end].device == gaps->items[i].device; end++)
			sum_ns += gaps->items[end].end_ns - gaps->items[end].begin_ns;
		if (sum_ns > most_ns) {
			most_ns = sum_ns;
			s->gaps = gaps->items + i;
			s->n_gaps = end - i;
		}
		i = end;
	}
}

const char *jr_check_python_in_gaps(struct jr_check *c, bool *is_input)
{
	const struct jr_profile *p = c->ctx->profile;
	struct sweep s = {.c = c};
	const char *text = NULL;
	*is_input = false;
	if (!p->by_jax_profiler || p->n_processes != 1) /* frames do not state their process */
		return NULL;
	struct jr_module_gaps gaps = jr_check_gaps(c, c->ctx->windows);
	take_gaps(&s, &gaps);
	list_frames(&s);
	walk(&s);
	int64_t gap_ns = 0;
	for (size_t i = 0; i < s.n_gaps; i++)
		gap_ns += s.gaps[i].end_ns - s.gaps[i].begin_ns;
	const struct share *most = NULL;
	for (size_t i = 0; i < s.shares.n; i++)
		if (!most || s.shares.items[i].ns > most->ns)
			most = &s.shares.items[i];
	if (most && gap_ns > 0) {
		*is_input = s.input_ns * 2 > gap_ns;
		text = jr_arena_printf(c->ctx->arena, "For %s of this time Python was in %s%s%s%s.",
			jr_check_percent(c, (double)most->ns / (double)gap_ns),
			frame_text(c, jr_str(p, most->name)), *is_input ? ", for " : "",
			*is_input ? jr_check_percent(c, (double)s.input_ns / (double)gap_ns) : "",
			*is_input ? " in functions that get or move the next batch" : "");
	}
	jr_map_done(&s.by_name);
	jr_vec_done(&s.shares);
	return text;
}
