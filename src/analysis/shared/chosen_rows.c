#include "analysis/shared/chosen_rows.h"

#include <math.h>

#include "analysis/core/statistics.h"
#include "analysis/shared/columns.h"
#include "base/order.h"
#include "base/sort.h"

#define MAX_OUTLIERS 7 /* with the other three, as many rows as the shortest format shows */
#define FAR 3.5        /* standard deviations */
#define NORMAL_MAD 1.4826

struct ranked {
	double value, distance;
	uint32_t row;
	const char *reason;
};

JR_ORDER(by_value, struct ranked, JR_DOWN(value) JR_UP(row))
JR_ORDER(by_distance, struct ranked, JR_DOWN(distance) JR_UP(row))
JR_ORDER(by_row, struct ranked, JR_UP(row))

/* Sort by value; return the number of rows that have one. */
static size_t rank(const struct jr_table *table, size_t value, struct ranked *rows)
{
	size_t n = 0;
	for (uint32_t row = 0; row < table->n_rows; row++) {
		double number = jr_table_number(table, value, row);
		if (isfinite(number))
			rows[n++] = (struct ranked){.value = number, .row = row};
	}
	jr_sort(rows, n, sizeof(*rows), by_value);
	return n;
}

static void mark_outliers(struct ranked *rows, size_t n, struct jr_arena *scratch)
{
	double *distances = JR_ARENA_N(scratch, double, n + 1), median = rows[(n - 1) / 2].value;
	for (size_t i = 0; i < n; i++)
		distances[i] = rows[i].distance = fabs(rows[i].value - median);
	jr_sort_doubles(distances, n);
	double far = FAR * NORMAL_MAD * jr_quantile(distances, n, 0.5);
	jr_sort(rows, n, sizeof(*rows), by_distance);
	for (size_t i = 0, marked = 0; i < n && marked < MAX_OUTLIERS; i++) {
		if (rows[i].reason || !(rows[i].distance > far))
			continue;
		rows[i].reason = "outlier";
		marked++;
	}
}

void jr_choose_rows(struct jr_table *table, size_t value, size_t reason, struct jr_arena *arena,
	struct jr_arena *scratch)
{
	if (table->n_rows <= JR_DEVICES_IN_FULL)
		return;
	struct ranked *rows = JR_ARENA_N(scratch, struct ranked, table->n_rows + 1);
	size_t n = rank(table, value, rows), n_chosen = 0;
	if (n < 3)
		return;
	rows[0].reason = "worst";
	rows[(n - 1) / 2].reason = "median";
	rows[n - 1].reason = "best";
	mark_outliers(rows, n, scratch);
	jr_sort(rows, n, sizeof(*rows), by_row);
	uint32_t *chosen = JR_ARENA_N(arena, uint32_t, 3 + MAX_OUTLIERS);
	for (size_t i = 0; i < n; i++) {
		if (!rows[i].reason)
			continue;
		chosen[n_chosen++] = rows[i].row;
		if (reason != SIZE_MAX)
			table->cells[reason].text[rows[i].row] = rows[i].reason;
	}
	table->chosen = chosen;
	table->n_rendered = n_chosen;
}
