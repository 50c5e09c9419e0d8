/*
 * write_pushpop.c - the host's push/pop ranges (formats/README.md, section 1.2): CSV until 2025-01,
 * then Parquet.
 */
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "writers.h"

struct row {
	int64_t id;
	uint32_t index;
};

JR_ORDER(by_id, struct row, JR_UP(id))

/* RFC 4180: quoted if necessary. */
static void csv_text(struct jr_buf *out, const char *s)
{
	if (!s[strcspn(s, ",\"\r\n")]) {
		jr_buf_puts(out, s);
		return;
	}
	jr_buf_putc(out, '"');
	for (; *s; s++) {
		if (*s == '"')
			jr_buf_putc(out, '"');
		jr_buf_putc(out, *s);
	}
	jr_buf_putc(out, '"');
}

static void csv_row(
	struct gen_scenario *sc, uint32_t index, struct jr_buf *name, struct jr_buf *out)
{
	const struct gen_range *x = &sc->ranges.items[index];
	int64_t above[GEN_MAX_LEVELS];
	size_t n = gen_range_stack(sc, index, above);
	name->size = 0;
	jr_buf_repeat(name, '-', 2 * x->level);
	jr_buf_printf(name, "%s:%s", x->domain, x->name);
	jr_buf_printf(out, "%lld,%lld,%lld,%lld,%lld,", (long long)x->host_start_ns,
		(long long)(x->host_start_ns + x->host_dur_ns), (long long)x->host_dur_ns,
		(long long)x->child_ns, (long long)(x->host_dur_ns - x->child_ns));
	csv_text(out, name->data + 2 * (size_t)x->level);
	jr_buf_printf(out, ",%lld,%lld,%u,%u,%lld,", (long long)sc->processes.items[x->process].pid,
		(long long)x->tid, x->level, x->n_children, (long long)x->id);
	if (x->parent != GEN_NO_INDEX)
		jr_buf_printf(out, "%lld", (long long)sc->ranges.items[x->parent].id);
	jr_buf_putc(out, ',');
	for (size_t k = 0; k < n; k++)
		jr_buf_printf(out, ":%lld", (long long)sc->ranges.items[above[k]].id);
	jr_buf_putc(out, ',');
	csv_text(out, gen_planted(sc, GEN_FIELD_UNREAD, name->data));
	jr_buf_putc(out, '\n');
}

static void write_csv(
	struct gen_scenario *sc, const struct row *rows, size_t n, struct gen_archive *archive)
{
	struct jr_buf text = {0}, name = {0}, packed = {0};
	jr_buf_puts(&text, "Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,"
					   "TID,Lvl,NumChild,RangeId,ParentId,RangeStack,NameTree\n");
	for (size_t i = 0; i < n; i++)
		csv_row(sc, rows[i].index, &name, &text);
	gen_put_nuls(text.data, text.size);
	gen_xz(&packed, &text);
	gen_archive_add(archive, "report_nvtx_pushpop_trace.csv.xz", &packed, true);
	jr_buf_done(&text);
	jr_buf_done(&name);
}

enum {
	P_START,
	P_END,
	P_DURATION,
	P_CHILD,
	P_SELF,
	P_NAME,
	P_TID,
	P_CHILDREN,
	P_PARENT,
	P_STACK,
	P_ID,
	P_COUNT
};

static void write_parquet(struct gen_scenario *sc, const struct row *rows, size_t n,
	const struct jr_pq_put_options *options, struct gen_archive *archive)
{
	struct gen_column c[P_COUNT] = {{.name = "Start (ns)", .type = JR_PQ_PUT_INT64},
		{.name = "End (ns)", .type = JR_PQ_PUT_INT64},
		{.name = "Duration (ns)", .type = JR_PQ_PUT_INT64},
		{.name = "DurChild (ns)", .type = JR_PQ_PUT_INT64},
		{.name = "DurNonChild (ns)", .type = JR_PQ_PUT_INT64},
		{.name = "Name", .type = JR_PQ_PUT_TEXT}, {.name = "TID", .type = JR_PQ_PUT_INT64},
		{.name = "NumChild", .type = JR_PQ_PUT_INT64},
		{.name = "ParentId", .type = JR_PQ_PUT_DOUBLE},
		{.name = "RangeStack", .type = JR_PQ_PUT_TEXT},
		{.name = "RangeId", .type = JR_PQ_PUT_INT32}};
	struct jr_arena arena;
	struct jr_buf out = {0}, text = {0};
	int64_t above[GEN_MAX_LEVELS];
	jr_arena_init(&arena, 0);
	for (size_t i = 0; i < n; i++) {
		const struct gen_range *x = &sc->ranges.items[rows[i].index];
		gen_put_i64(&c[P_START], x->host_start_ns);
		gen_put_i64(&c[P_END], x->host_start_ns + x->host_dur_ns);
		gen_put_i64(&c[P_DURATION], x->host_dur_ns);
		gen_put_i64(&c[P_CHILD], x->child_ns);
		gen_put_i64(&c[P_SELF], x->host_dur_ns - x->child_ns);
		char *name = jr_arena_printf(&arena, "%s:%s", x->domain, x->name);
		size_t length = strlen(name);
		gen_put_nuls(name, length);
		gen_put_bytes(&c[P_NAME], jr_bytes_of(name, length));
		gen_put_i64(&c[P_TID], x->tid);
		gen_put_i64(&c[P_CHILDREN], x->n_children);
		gen_put_i64(&c[P_ID], x->id);
		if (x->parent == GEN_NO_INDEX)
			gen_put_null(&c[P_PARENT]);
		else
			gen_put_f64(&c[P_PARENT], (double)sc->ranges.items[x->parent].id);
		text.size = 0;
		size_t depth = gen_range_stack(sc, rows[i].index, above);
		for (size_t k = 0; k < depth; k++)
			jr_buf_printf(&text, ":%lld", (long long)sc->ranges.items[above[k]].id);
		const char *stack = jr_arena_strdup(&arena, text.data);
		gen_put_bytes(&c[P_STACK], gen_bytes(sc, gen_planted(sc, GEN_FIELD_UNREAD, stack)));
	}
	gen_table_write(&out, c, P_COUNT, 1, options);
	gen_archive_add(archive, "report_nvtx_pushpop_trace.parquet", &out, true);
	jr_buf_done(&text);
	jr_arena_done(&arena);
}

void gen_write_pushpop(struct gen_scenario *sc, uint32_t process,
	const struct gen_write_options *options, struct gen_archive *archive)
{
	JR_VEC(struct row) rows = {0};
	if (options->pushpop == GEN_PUSHPOP_NONE)
		return;
	for (uint32_t i = 0; i < sc->ranges.n; i++)
		if (sc->ranges.items[i].process == process)
			*jr_vec_add(&rows) = (struct row){sc->ranges.items[i].id, i};
	if (rows.n)
		qsort(rows.items, rows.n, sizeof(*rows.items), by_id);
	if (options->pushpop == GEN_PUSHPOP_CSV)
		write_csv(sc, rows.items, rows.n, archive);
	else
		write_parquet(sc, rows.items, rows.n, &options->parquet, archive);
	jr_vec_done(&rows);
}
