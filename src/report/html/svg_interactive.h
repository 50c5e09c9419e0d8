/*
 * svg_interactive.h - write a flamegraph as one self-contained file.
 * Layer: report.
 */
#ifndef JR_REPORT_SVG_INTERACTIVE_H
#define JR_REPORT_SVG_INTERACTIVE_H

#include "report/core/doc.h"

/**
 * Append an SVG document with the still figure of a drawn stack tree, its packed data, and the
 * script of the page. A viewer without scripts (an <img>, an editor) shows the still figure; a
 * browser makes it interactive. No external reference.
 *
 * @param figure  with scene and interactive
 */
void jr_svg_interactive(const struct jr_figure *figure, struct jr_buf *out);

#endif
