/* Transfers that the host makes for TPUs: to other slices (DCN) and to callbacks. Each consists of
 * a send, send-done, recv and recv-done with one name; formats/README.md, section 8.3. */
#include <string.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "formats/hlo/hlo_text.h"
#include "model/xprofile/xprofile.h"

enum part { NO_PART, SEND, SEND_DONE, RECV, RECV_DONE };

/* The transfer part of an instruction by its statements; determined once each. */
struct said_part {
	enum part part;
	uint32_t row; /* row in lines of the transfer's name */
};

/* The current transfer on a device. */
struct under_way {
	int64_t begin_ns, sent_ns, stall_ns;
	bool begun;
};

struct transfers {
	const struct jr_xprofile *x;
	struct jr_profile *p;
	struct said_part *parts;             /* [n_said] */
	JR_VEC(struct jr_device_line) lines; /* texts are str of the profile */
	struct jr_map row_of_name;           /* (line << 32 | name) -> row */
	struct under_way *now;               /* [lines.n] of one device */
};

/* Return the value of KEY="..." or KEY=... in an instruction's text; empty = absent. */
static struct jr_bytes attribute(const char *text, const char *key)
{
	const char *at = strstr(text, key);
	if (!at)
		return (struct jr_bytes){0};
	at += strlen(key);
	at += *at == '"';
	return jr_bytes_of(at, strcspn(at, "\",} "));
}

static enum part part_of(struct jr_bytes opcode)
{
	static const char *const names[] = {
		[SEND] = "send", [SEND_DONE] = "send-done", [RECV] = "recv", [RECV_DONE] = "recv-done"};
	for (size_t i = SEND; i < JR_COUNT_OF(names); i++)
		if (strlen(names[i]) == opcode.size && memcmp(names[i], opcode.data, opcode.size) == 0)
			return (enum part)i;
	return NO_PART;
}

static uint32_t row_of(struct transfers *t, const char *text, struct jr_bytes name)
{
	bool dcn = strstr(text, "megascale") != NULL;
	struct jr_device_line line = {.process = (uint32_t)t->p->n_processes - 1,
		.core = jr_intern_puts(&t->p->strings, "TPU"),
		.line = jr_intern_puts(&t->p->strings, dcn ? "DCN transfers" : "host transfers"),
		.name = jr_intern_put(&t->p->strings, (const char *)name.data, name.size),
		.bytes = -1};
	uint32_t row = jr_map_get(&t->row_of_name, jr_key2(line.line, line.name));
	if (row == JR_NONE) {
		row = (uint32_t)t->lines.n;
		jr_map_put(&t->row_of_name, jr_key2(line.line, line.name), row);
		*jr_vec_add(&t->lines) = line;
	}
	return row;
}

static void look_at_texts(struct transfers *t)
{
	const struct jr_xspace *x = &t->x->file;
	for (size_t i = 1; i < x->n_said; i++) {
		struct jr_hlo_text hlo;
		const struct jr_intern *strings = &t->x->export.rows.strings;
		const char *text = jr_intern_str(strings, x->said[i].text);
		if (!jr_hlo_text_parse(text, jr_intern_len(strings, x->said[i].text), &hlo))
			continue;
		enum part part = part_of(hlo.opcode);
		struct jr_bytes name = attribute(text, "_xla_host_transfer_rendezvous=");
		if (part != NO_PART && name.size)
			t->parts[i] = (struct said_part){part, row_of(t, text, name)};
	}
}

/* Slack is the time from the end of the send to the start of the recv-done, when the device needs
 * the data. Stall is the time of all parts except the recv, which only starts to receive. */
static void take_run(struct transfers *t, const struct jr_xspace_run *run)
{
	const struct said_part *part = &t->parts[t->x->file.labels[run->label].said];
	int64_t dur_ns = run->end_ns - run->start_ns;
	if (part->part == NO_PART)
		return;
	struct under_way *now = &t->now[part->row];
	if (part->part == SEND) {
		*now = (struct under_way){
			.begin_ns = run->start_ns, .sent_ns = run->end_ns, .stall_ns = dur_ns, .begun = true};
	} else if (part->part == SEND_DONE) {
		now->stall_ns += dur_ns;
	} else if (part->part == RECV_DONE && now->begun) {
		struct jr_device_line *line = &t->lines.items[part->row];
		int64_t all_ns = run->end_ns - now->begin_ns, slack_ns = run->start_ns - now->sent_ns;
		now->begun = false;
		if (__builtin_add_overflow(line->total_ns, all_ns, &line->total_ns))
			line->total_ns = INT64_MAX;
		line->n++;
		line->max_ns = all_ns > line->max_ns ? all_ns : line->max_ns;
		line->slack_ns += slack_ns > 0 ? slack_ns : 0;
		line->stall_ns += now->stall_ns + dur_ns;
	}
}

size_t jr_xprofile_transfers(
	const struct jr_xprofile *x, struct jr_profile *p, struct jr_device_line **lines)
{
	struct transfers t = {.x = x, .p = p};
	JR_CLEANUP(jr_arena_done) struct jr_arena scratch = {0};
	t.parts = JR_ARENA_N(&scratch, struct said_part, x->file.n_said + 1);
	look_at_texts(&t);
	t.now = JR_ARENA_N(&scratch, struct under_way, t.lines.n + 1);
	for (size_t i = 0; t.lines.n && i < x->file.n_ops; i++) {
		if (i && x->file.ops[i].device != x->file.ops[i - 1].device)
			memset(t.now, 0, t.lines.n * sizeof(*t.now));
		take_run(&t, &x->file.ops[i]);
	}
	size_t n = 0;
	*lines = JR_ARENA_N(&p->arena, struct jr_device_line, t.lines.n + 1);
	for (size_t i = 0; i < t.lines.n; i++)
		if (t.lines.items[i].n) /* incomplete ones only send or only receive */
			(*lines)[n++] = t.lines.items[i];
	jr_vec_done(&t.lines);
	jr_map_done(&t.row_of_name);
	return n;
}
