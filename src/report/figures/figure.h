/*
 * figure.h - draw the figures of a document once for all writers.
 * Layer: report.
 */
#ifndef JR_REPORT_FIGURE_H
#define JR_REPORT_FIGURE_H

#include "report/core/doc.h"
#include "render/plot.h"

/** Draw every figure's scene and pack the trees, on at most `n_threads` threads. Scenes have no
 * title or caption; the page adds them. Cost: O(points + stacks), a few ms for the fonts. */
void jr_figures_draw(struct jr_doc *doc, size_t n_threads);
/** Free the scenes. Safe if nothing was drawn. */
void jr_figures_done(struct jr_doc *doc);

/** Draw a chart of any kind; `scene` is initialized here. Everything in it is a copy. O(rows).
 * @param width  px; 0: the default width of its kind */
void jr_draw_chart(
	const struct jr_chart *chart, double width, struct jr_metrics *metrics, struct jr_scene *scene);
/** Draw a chart of cells (JR_CHART_CELLS). */
void jr_draw_cells(
	const struct jr_chart *chart, double width, struct jr_metrics *metrics, struct jr_scene *scene);
/** Draw a heat map (JR_CHART_HEAT). */
void jr_draw_heat(
	const struct jr_chart *chart, double width, struct jr_metrics *metrics, struct jr_scene *scene);
/** Draw trends (JR_CHART_TREND). O(rows x trends). */
void jr_draw_trends(
	const struct jr_chart *chart, double width, struct jr_metrics *metrics, struct jr_scene *scene);

/** Return the plot of a chart of any other kind, or of one trend: it has one point per row of the
 * table. Everything in it is in `arena`, or borrowed from the chart. O(rows). */
struct jr_plot jr_chart_plot(const struct jr_chart *chart, struct jr_arena *arena);

#endif
