/*
 * svg_interactive.h - a flamegraph as one file that needs nothing else.
 * Layer: report.
 */
#ifndef JR_REPORT_SVG_INTERACTIVE_H
#define JR_REPORT_SVG_INTERACTIVE_H

#include "report/core/doc.h"

/**
 * Append an SVG document with the still picture of a drawn stack tree, its packed data, and the
 * script of the page: what opens it without scripts (an <img>, an editor) shows the picture, a
 * browser makes it the flamegraph of the page. No external reference.
 *
 * @param figure  with scene and interactive
 */
void jr_svg_interactive(const struct jr_figure *figure, struct jr_buf *out);

#endif
