#include "truth.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hlo_strings.h"
#include "memory.h"
#include "truth_frames.h"

static void totals(struct gen_truth *t)
{
	struct gen_json *j = &t->json;
	int64_t exposed = 0, hidden = 0;
	for (size_t i = 0; i < t->thunks.n; i++) {
		const struct gen_truth_thunk *x = &t->thunks.items[i];
		if (!x->steady || !t->programs[x->program].top || !gen_truth_op(t, x)->communication)
			continue;
		exposed += gen_truth_active(x);
		hidden += x->hidden_ns;
	}
	gen_json_open(j, "totals", '{');
	gen_json_ms(j, "thunks_active_ms", t->thunks_active_ns);
	gen_json_ms(j, "modules_active_ms", t->modules_active_ns);
	gen_json_ms(j, "modules_wall_ms", t->modules_wall_ns);
	/* sums; the first may be larger, because thunks run concurrently */
	int64_t idle_in = t->modules_active_ns - t->thunks_active_ns;
	gen_json_ms(j, "idle_in_modules_ms", idle_in > 0 ? idle_in : 0);
	gen_json_ms(j, "idle_between_modules_ms", t->modules_wall_ns - t->modules_active_ns);
	gen_json_ms(j, "communication_exposed_ms", exposed);
	gen_json_ms(j, "communication_hidden_ms", hidden);
	gen_truth_peaks(t);
	gen_json_close(j, '}');
}

static void of_programs(struct gen_truth *t)
{
	totals(t);
	gen_truth_ledger(t);
	gen_truth_tables(t);
	gen_truth_latency(t);
	gen_truth_communication(t);
	gen_truth_compilation(t);
	gen_truth_memory(t);
	gen_truth_work(t);
	gen_truth_stacks(t);
	if (t->sc->options.strings)
		gen_truth_strings(t->sc, &t->json);
	if (t->sc->options.numbered)
		gen_truth_steps(t);
}

static enum jr_status write_text(const struct jr_buf *text, const char *path, struct jr_error *err)
{
	FILE *f = fopen(path, "wb");
	if (!f)
		return jr_fail(err, JR_EIO, "cannot create '%s': %s", path, strerror(errno));
	bool ok = fwrite(text->data, 1, text->size, f) == text->size;
	ok &= fclose(f) == 0;
	return ok ? JR_OK : jr_fail(err, JR_EIO, "cannot write '%s': %s", path, strerror(errno));
}

enum jr_status gen_truth_write(struct gen_scenario *sc, const char *path, struct jr_error *err)
{
	struct gen_truth t = {.sc = sc};
	bool xla = sc->programs.n > 0;
	enum jr_status status = xla ? gen_truth_frames(&t, err) : JR_OK;
	if (status == JR_OK) {
		gen_json_open(&t.json, NULL, '{');
		gen_json_text(&t.json, "schema", "jaxreport.report/1");
		if (xla)
			of_programs(&t);
		else
			gen_truth_export(&t);
		if (sc->options.memory)
			gen_truth_live_memory(sc, &t.json);
		gen_json_close(&t.json, '}');
		status = write_text(&t.json.out, path, err);
	}
	jr_buf_done(&t.json.out);
	jr_vec_done(&t.modules);
	jr_vec_done(&t.thunks);
	return status;
}
