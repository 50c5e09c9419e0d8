#include "report/chart_parts.h"

#include <math.h>

size_t jr_chart_n_parts(const struct jr_chart *chart)
{
	size_t n = 0;
	while (chart->parts && chart->parts[n])
		n++;
	return n;
}

double jr_chart_part(const struct jr_chart *chart, size_t part, size_t row)
{
	size_t c = jr_table_column(chart->table, chart->parts[part]);
	double v = c == SIZE_MAX ? 0 : jr_table_number(chart->table, c, row);
	return v > 0 && v < INFINITY ? v : 0;
}

double jr_chart_parts_sum(const struct jr_chart *chart, size_t row)
{
	double sum = 0;
	for (size_t part = 0; part < jr_chart_n_parts(chart); part++)
		sum += jr_chart_part(chart, part, row);
	return sum;
}

enum jr_role jr_chart_part_role(const struct jr_chart *chart, size_t part)
{
	enum jr_role role = chart->part_roles ? jr_role_find(chart->part_roles[part]) : JR_ROLE_NONE;
	return role == JR_ROLE_NONE ? jr_role_series((unsigned)part) : role;
}
