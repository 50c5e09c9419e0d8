#include "model/build/build.h"

#include "base/spans.h"

static struct jr_span span_of(const struct jr_profile *p, size_t row)
{
	return (struct jr_span){jr_thunk_start_ns(p, row), jr_thunk_end_ns(p, row)};
}

/* analysis/README.md, section 1.9: hidden time is the union of the device's compute, clipped to the
 * communication thunk. Compute of all programs and executions counts. Thunks of a device are
 * adjacent in the table. Only compute that meets communication is collected. */
void jr_overlap_compute(struct jr_profile *profile)
{
	struct jr_thunks *t = &profile->thunks;
	t->communication = jr_row_set_new(t->n, &profile->arena);
	for (size_t i = 0; i < t->n; i++)
		if (jr_thunk_op(profile, i)->communication)
			jr_row_set_add(&t->communication, i);
	t->hidden_ns = JR_ARENA_N(&profile->arena, int64_t, t->communication.n + 1);
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	struct jr_span *compute = JR_ARENA_N(&scratch, struct jr_span, t->n + 1);
	struct jr_span *others = JR_ARENA_N(&scratch, struct jr_span, t->communication.n + 1);
	size_t at = 0; /* of the set, whose rows are in the order of the table */
	for (size_t begin = 0, end; begin < t->n; begin = end) {
		struct jr_spans spans = {.items = compute}, communication = {.items = others};
		for (end = begin;
			 end < t->n && jr_thunk_device(profile, end) == jr_thunk_device(profile, begin); end++)
			if (jr_thunk_op(profile, end)->communication)
				others[communication.n++] = span_of(profile, end);
		if (communication.n == 0)
			continue;
		jr_spans_unite(&communication, &scratch);
		for (size_t i = begin, near = 0; i < end; i++) {
			struct jr_span span = span_of(profile, i);
			if (!jr_thunk_op(profile, i)->communication &&
				jr_spans_meet(&communication, span.start_ns, span.end_ns, &near))
				compute[spans.n++] = span;
		}
		jr_spans_unite(&spans, &scratch);
		for (size_t i = begin, near = 0; i < end; i++)
			if (jr_thunk_op(profile, i)->communication)
				t->hidden_ns[at++] = jr_spans_within_near(
					&spans, jr_thunk_start_ns(profile, i), jr_thunk_end_ns(profile, i), &near);
	}
}
