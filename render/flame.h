/*
 * flame.h - flamegraph of a weighted tree: the static chart, and the packed tree for the script.
 * Layer: render.  Everything in a jr_flame is borrowed for the duration of a call.
 *
 * The chart is an icicle (root row at the top, callees below) unless `upwards`; it is complete
 * without a script. The scripts of flamegraphs (templates/README.md; once per page, at its end)
 * find the packed tree in the page and add search, zoom and keyboard control. templates/flame.css
 * styles their controls with the properties of jr_palette_css(). A page combines them like this:
 *
 *	<figure>
 *	  jr_scene_svg_inline(&scene, "flame-source", out)
 *	  <script type="application/json" class="jr-flame-data" data-figure="flame-source">
 *	    jr_flame_pack(&flame, out)
 *	  </script>
 *	</figure>
 */
#ifndef JR_RENDER_FLAME_H
#define JR_RENDER_FLAME_H

#include <stdint.h>

#include "render/plot.h"

/* A frame. In an array of nodes, parents come before their children. */
struct jr_flame_node {
	uint32_t parent;   /* index, below the node's own; JR_NONE: a root */
	const char *name;  /* whole text of the frame: "/opt/a.py:12[f]", "[GPU active]", an op_name */
	enum jr_role role; /* NONE: UNKNOWN */
	double self;       /* own value without children; not finite or < 0 counts as 0 */
	bool wrapper;      /* only passes a call on: not drawn, but the script can show it */
	double base;       /* comparison: own value in the base; `self` is the value in the new run */
	/* Parts of `self`: time that has a roofline, its roofline time, and the time above roofline. */
	double roofed, roof, lost;
};

enum jr_flame_unit { JR_FLAME_NS, JR_FLAME_MS, JR_FLAME_BYTES };

struct jr_flame {
	const char *id;          /* of the figure, unique in the page */
	const char *title;       /* NULL: none */
	const char *subtitle;    /* NULL: none */
	const char *caption;     /* NULL: none */
	bool bare;               /* the page shows title, subtitle and caption (see jr_plot.bare) */
	const char *root_name;   /* name of the root row; NULL: "all" */
	enum jr_flame_unit unit; /* unit of `self` */
	bool diff;  /* a comparison: colored by change (flame_diff.h); roles are for the script */
	bool roofs; /* nodes have roofline times: the script can color by them */
	const struct jr_flame_node *nodes;
	size_t n_nodes; /* < 2^31 */
	/* [n_nodes] "#fragment" with more about a frame, the same for equal names; NULL, or NULL
	 * entries: none. Only the script offers it: in the static chart a click is for zooming. */
	const char *const *hrefs;
	bool upwards;                 /* root row at the bottom */
	double width;                 /* px; 0: 1200 */
	const struct jr_part *legend; /* meaning of the roles in use, in this order; may be empty */
	size_t n_legend;
};

#define JR_FLAME_ROW 17.0          /* px from row to row; a frame is one px less */
#define JR_FLAME_MIN 1.0           /* px: narrower siblings are gathered into one box */
#define JR_FLAME_MAX_PACKED 20000  /* frames in a packed tree ... */
#define JR_FLAME_MAX_BYTES 1000000 /* ... and approximate limit on its bytes */

/**
 * Draw a flamegraph. The total of a node is its self plus its children's totals, so rows below a
 * frame are never wider than it. Wrappers are left out; their time stays with their callers.
 * Siblings are sorted by total (descending), then name, then index. Frames narrower than
 * JR_FLAME_MIN are gathered into one box "… n frames" after their wider siblings. It includes all
 * frames below them, so that all widths add up. A long run of frames in which the time does not
 * divide is folded into one box, "… 26 frames that all stacks share", whose tooltip lists them
 * (rule: flame_impl.h). A frame FILE:LINE[:COLUMN][FUNCTION] is labeled "FUNCTION  basename:LINE",
 * or if that is too long "FUNCTION" ("basename:LINE" for a __call__ or <lambda>). Any other name
 * that does not fit keeps its end after the last "/" that leaves room. Tooltips: whole text, time
 * or bytes, % of everything. Empty trees and trees of total 0 say "no data". O(n log n); no
 * recursion.
 *
 * A comparison is drawn twice, with the color scale above. First, frames are as wide as their time
 * in the new run (in the base if the new run has none). Below, they are as wide as their change,
 * including frames that only the base has. Tooltips: before, after, change as time and %. The
 * script offers all three widths.
 */
void jr_flame_scene(const struct jr_flame *flame, struct jr_metrics *metrics, struct jr_scene *out);

/**
 * Append the nodes as one line of JSON, safe inside <script> (no <, >, & in it): about 8 bytes per
 * node, plus the distinct names, front-coded. Values are whole ns or bytes, rounded so that they
 * still add up: no total is off by more than 1 and children never exceed parents. Format: see
 * flame_pack.c.
 *
 * @return number of frames that exceed the limits above: those with the smallest totals, gathered
 *         into one "… n frames" per parent, so that totals do not change. 0 = all frames are
 *         included
 */
size_t jr_flame_pack(const struct jr_flame *flame, struct jr_buf *out);

#endif
