/*
 * compile_case.h - hand-made host ranges as CSV text, read and added to a profile.
 */
#ifndef JR_TESTS_COMPILE_CASE_H
#define JR_TESTS_COMPILE_CASE_H

#include <string.h>

#include "unit.h"

#include "base/cleanup.h"
#include "base/num.h"
#include "model/compile/compile.h"

struct case_range {
	int64_t id, parent; /* parent 0: top level */
	int64_t tid, start, end;
	const char *name;
};

#define CASE_HEADER                                                                                \
	"Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,NumChild,"  \
	"RangeId,ParentId,RangeStack,NameTree\n"

/* Put one row as nsys writes it; times in children are computed from all n rows. */
static inline void case_put_row(struct jr_buf *csv, const struct case_range *rows, size_t n,
	size_t i, int64_t pid)
{
	int64_t in_children = 0;
	char parent[JR_NUM_MAX] = "";
	for (size_t k = 0; k < n; k++)
		if (rows[k].parent == rows[i].id)
			in_children += rows[k].end - rows[k].start;
	if (rows[i].parent)
		jr_num_i64(parent, rows[i].parent);
	long long start = (long long)rows[i].start, end = (long long)rows[i].end;
	jr_buf_printf(csv, "%lld,%lld,%lld,%lld,%lld,\"%s\",%lld,%lld,0,0,%lld,%s,\":1\",\"x\"\n",
		start, end, end - start, (long long)in_children, end - start - (long long)in_children,
		rows[i].name, (long long)pid, (long long)rows[i].tid, (long long)rows[i].id, parent);
}

static inline struct jr_buf case_csv(const struct case_range *rows, size_t n)
{
	struct jr_buf csv = {0};
	jr_buf_puts(&csv, CASE_HEADER);
	for (size_t i = 0; i < n; i++)
		case_put_row(&csv, rows, n, i, 7);
	return csv;
}

static inline void case_add_text(struct jr_profile *p, uint32_t process, struct jr_bytes csv)
{
	struct jr_error err = {.message = ""};
	struct jr_host_ranges ranges;
	if (jr_host_ranges_read_csv(csv, &p->options.limits, &ranges, &err) != JR_OK ||
		jr_compile_add(p, process, &ranges, &err) != JR_OK)
		fail_msg("%s", err.message);
	jr_host_ranges_done(&ranges);
}

static inline void case_add(struct jr_profile *p, uint32_t process, const struct case_range *rows,
	size_t n)
{
	struct jr_buf csv = case_csv(rows, n);
	case_add_text(p, process, jr_buf_view(&csv));
	jr_buf_done(&csv);
}

static inline void case_init(struct jr_profile *p, bool autotuning_detail)
{
	struct jr_options options = jr_options_default();
	options.autotuning_detail = autotuning_detail;
	jr_profile_init(p, &options);
}

/* Return the row of the compile table with a range id, or JR_NONE. */
static inline uint32_t case_row(const struct jr_profile *p, int64_t range_id)
{
	for (uint32_t i = 0; i < p->compiles.n; i++)
		if (p->compiles.range_id[i] == range_id)
			return i;
	return JR_NONE;
}

/* Return the range id of the parent of a range, 0 = none, -1 = the range does not exist. */
static inline int64_t case_parent(const struct jr_profile *p, int64_t range_id)
{
	uint32_t row = case_row(p, range_id);
	if (row == JR_NONE)
		return -1;
	uint32_t parent = p->compiles.parent[row];
	return parent == JR_NONE ? 0 : p->compiles.range_id[parent];
}

static inline const char *case_name(const struct jr_profile *p, int64_t range_id)
{
	uint32_t row = case_row(p, range_id);
	return row == JR_NONE ? "(not there)" : jr_str(p, p->compiles.name[row]);
}

#define CASE_ADD(p, process, rows) case_add((p), (process), (rows), JR_COUNT_OF(rows))

#endif
