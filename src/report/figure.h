/*
 * figure.h - the pictures of a document, drawn once for all writers.
 * Layer: report.
 */
#ifndef JR_REPORT_FIGURE_H
#define JR_REPORT_FIGURE_H

#include "report/doc.h"
#include "render/plot.h"

/** Draw every figure's scene and pack the trees, on at most `n_threads` threads. The pictures are
 * bare: title and caption are the page's. Cost: O(points + stacks), a few ms for the fonts. */
void jr_figures_draw(struct jr_doc *doc, size_t n_threads);
/** Free the scenes. Safe where nothing was drawn. */
void jr_figures_done(struct jr_doc *doc);

/** Draw one chart; `scene` is initialised here. Everything in it is a copy.
 * @param width  px; 0: as wide as its kind is where there is room */
void jr_draw_chart(const struct jr_chart *chart, double width, struct jr_metrics *metrics,
	struct jr_scene *scene);
/** The same of a chart of cells (JR_CHART_CELLS). O(rows). */
void jr_draw_cells(
	const struct jr_chart *chart, double width, struct jr_metrics *metrics, struct jr_scene *scene);

#endif
