/*
 * flame.h - flamegraph of a weighted tree: the still picture, and the packed tree for the script.
 * Layer: render.  Everything in a jr_flame is borrowed for the length of a call.
 *
 * The picture is an icicle (root row at the top, callees below) unless `upwards`; it is complete
 * without any script. The scripts of flamegraphs (templates/README.md; once per page, at its end)
 * find the packed tree in the page and add search, zoom and keyboard; their controls are styled
 * by templates/flame.css over the properties of jr_palette_css(). A page puts them together so:
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

/* A frame. Nodes stand in an array in which parents come before their children. */
struct jr_flame_node {
	uint32_t parent;   /* index, below the node's own; JR_NONE: a root */
	const char *name;  /* whole frame text: "/opt/a.py:12[f]", "[GPU active]", an op_name */
	enum jr_role role; /* NONE: UNKNOWN */
	double self;       /* own value without children; what is not finite or < 0 counts as 0 */
	bool wrapper;      /* only passes a call on: left out, but the script can show it */
	double base;       /* of a comparison: own value in the base, as `self` is in the new run */
	/* Of `self`: what has a roof, what it would take there, and what it takes beyond it. */
	double roofed, roof, lost;
};

enum jr_flame_unit { JR_FLAME_NS, JR_FLAME_MS };

struct jr_flame {
	const char *id;        /* of the figure, unique in the page */
	const char *title;     /* NULL: none */
	const char *subtitle;  /* NULL: none */
	const char *caption;   /* NULL: none */
	bool bare;             /* title, subtitle and caption are left to the page (see jr_plot.bare) */
	const char *root_name; /* of the row over everything; NULL: "all" */
	enum jr_flame_unit unit; /* of `self` */
	bool diff; /* a comparison: coloured by what changed (flame_diff.h), roles are for the script */
	bool roofs; /* nodes say what has a roof: the script offers to colour by it */
	const struct jr_flame_node *nodes;
	size_t n_nodes; /* < 2^31 */
	/* [n_nodes] "#fragment" with more about a frame, the same for equal names; NULL, or NULL
	 * entries: none. Only the script offers it: in the picture a click is for zooming. */
	const char *const *hrefs;
	bool upwards;                 /* root row at the bottom */
	double width;                 /* px; 0: 1200 */
	const struct jr_part *legend; /* what the roles in use mean, in this order; may be empty */
	size_t n_legend;
};

#define JR_FLAME_ROW 17.0          /* px from row to row; a frame is one less */
#define JR_FLAME_MIN 1.0           /* px: narrower siblings are gathered into one box */
#define JR_FLAME_MAX_PACKED 20000  /* frames in a packed tree ... */
#define JR_FLAME_MAX_BYTES 1000000 /* ... and about so many bytes */

/**
 * Draw. A node's total is its self plus its children's totals, so rows below a frame are never
 * wider than it. Wrappers are left out, their time stays with their callers. Siblings stand by
 * total (descending), then name, then index. Frames narrower than
 * JR_FLAME_MIN are gathered, one box "… n frames" after their wider siblings, counting all frames
 * below them too: nothing is left out of the widths. A long run of frames in which no time is
 * divided is folded into one box, "… 26 frames that all stacks share", whose tooltip lists them
 * (the rule: flame_impl.h). A frame FILE:LINE[:COLUMN][FUNCTION] is labelled
 * "FUNCTION  basename:LINE", then "FUNCTION" ("basename:LINE" for a __call__ or <lambda>); any
 * other that does not fit keeps its end behind the last "/" that leaves room. Tooltips: whole
 * text, ms, % of everything.
 * Empty trees and trees of total 0 say "no data". O(n log n); recursion free.
 *
 * A comparison is drawn twice, the scale of its colours above: as wide as the new run's time (the
 * base's where the new run has none), and below as wide as what changed, where frames are that only
 * the base has. Tooltips: before, after, change in ms and %. The script offers all three widths.
 */
void jr_flame_scene(const struct jr_flame *flame, struct jr_metrics *metrics, struct jr_scene *out);

/**
 * Append the nodes as one line of JSON, safe inside <script> (no <, >, & in it), about 8 bytes a
 * node and the distinct names, front-coded. Values are whole ns, rounded so that they still add up:
 * no total is off by more than 1 ns and children never exceed parents. Format: see flame_pack.c.
 *
 * @return frames that did not fit the limits above: those of the smallest totals, gathered into one
 *         "… n frames" a parent, so that totals stay what they are. 0 = all are in it
 */
size_t jr_flame_pack(const struct jr_flame *flame, struct jr_buf *out);

#endif
