/*
 * figure.h - the pictures of a document, drawn once for all writers.
 * Layer: report.
 */
#ifndef JR_REPORT_FIGURE_H
#define JR_REPORT_FIGURE_H

#include "report/core/doc.h"
#include "render/plot.h"

/** Draw every figure's scene and pack the trees, on at most `n_threads` threads. The pictures are
 * bare: title and caption are the page's. Cost: O(points + stacks), a few ms for the fonts. */
void jr_figures_draw(struct jr_doc *doc, size_t n_threads);
/** Free the scenes. Safe where nothing was drawn. */
void jr_figures_done(struct jr_doc *doc);

/** Draw a chart of any kind; `scene` is initialised here. Everything in it is a copy. O(rows).
 * @param width  px; 0: as wide as its kind is where there is room */
void jr_draw_chart(
	const struct jr_chart *chart, double width, struct jr_metrics *metrics, struct jr_scene *scene);
/** Of it, a chart of cells (JR_CHART_CELLS). */
void jr_draw_cells(
	const struct jr_chart *chart, double width, struct jr_metrics *metrics, struct jr_scene *scene);
/** And trends (JR_CHART_TREND). O(rows x trends). */
void jr_draw_trends(
	const struct jr_chart *chart, double width, struct jr_metrics *metrics, struct jr_scene *scene);

/** The plot of a chart of any other kind, of one trend: as many points as its table has rows.
 * Everything in it is in `arena`, or borrowed from the chart. O(rows). */
struct jr_plot jr_chart_plot(const struct jr_chart *chart, struct jr_arena *arena);

#endif
