/*
 * flame_impl.h - shared by flame.c and flame_pack.c; private to them and their tests.
 * Layer: render.
 */
#ifndef JR_RENDER_FLAME_IMPL_H
#define JR_RENDER_FLAME_IMPL_H

#include "render/flame.h"

struct sibling {
	double total;
	const char *name;
	size_t index;
};

struct jr_flame_frame {
	size_t node;         /* index in flame->nodes */
	size_t depth;        /* roots: 0 */
	size_t end;          /* frames [own index + 1, end) are its descendants */
	size_t n_folded;     /* > 0: this and the next n_folded - 1 frames are drawn as one band */
	double begin, total; /* in the input's unit; [begin, begin + total) */
};

/*
 * Rule of folding. A run of frames below a root is folded if each frame is the only child (of any
 * weight) of the one before and has no time of its own. The run must have at least half of the
 * root's time. Its last frame, where the time divides, stays. templates/flame_tree.js has the same
 * rule. If it shows wrappers, it also folds a wrapper without time of its own at the end of a run.
 */
#define JR_FLAME_MIN_FOLD 4 /* frames */

/* All frames in drawing order: preorder, siblings by total. */
struct jr_flame_tree {
	struct jr_flame_frame *frames; /* [n], free() */
	size_t n, depth;
	double total;
};

/* The width of frames in a comparison. Other flamegraphs only have values in the "new run". */
enum jr_flame_weight {
	JR_FLAME_AFTER,
	JR_FLAME_BEFORE,
	JR_FLAME_CHANGE, /* sum of |change| of own values: of a frame and its descendants */
	JR_FLAME_BOTH,   /* before + after */
};

/** Return a value as it counts: values that are not finite or < 0 are 0. */
double jr_flame_value(double own);
struct jr_flame_tree jr_flame_order(const struct jr_flame *flame, enum jr_flame_weight weight);
/**
 * Return the nodes to draw: all but those that only pass a call on. Their own values go to the
 * nearest frame above that stays. If any is left out, frames with the same name and parent are
 * merged. A root always stays. templates/flame_tree.js has the same rule. O(n).
 *
 * @return [*n] the nodes, names borrowed from `flame`; release them with free()
 */
struct jr_flame_node *jr_flame_without_wrappers(const struct jr_flame *flame, size_t *n);
/** Append a value with its unit: "13.04 s", "338.2 kB". */
void jr_flame_put_value(struct jr_buf *out, const struct jr_flame *flame, double value);
/** Return the frame after the last sibling of frame i and its descendants. */
size_t jr_flame_run_end(const struct jr_flame_tree *tree, size_t i);
enum jr_role jr_flame_role(
	const struct jr_flame *flame, const struct jr_flame_tree *tree, size_t i);
/** Return true if all known stacks begin with frame i: the band there is the trunk. */
bool jr_flame_is_trunk(const struct jr_flame *flame, const struct jr_flame_tree *tree, size_t i);

/** Return a tint, 1..4, from the function and the file's name, so that a function keeps its color
 * when lines above it change. If the name is not a frame, the whole name counts. */
unsigned jr_flame_tint(const char *name);
/** Return the style of a frame: an area in its tint; frames without code are outlined. */
struct jr_style jr_flame_style(enum jr_role role, const char *name);

/* Parts of "FILE:LINE[:COLUMN][FUNCTION]". */
struct jr_flame_place {
	const char *function;
	size_t n_function;
	const char *place; /* basename:LINE */
	size_t n_place;
};
/** Split a name; false if it does not look like a frame, `out` is then unchanged. */
bool jr_flame_split(const char *name, struct jr_flame_place *out);
#define JR_FLAME_MAX_NAME 600 /* longest shown name in bytes */
/** Append foreign text, cleaned for every output and cut to JR_FLAME_MAX_NAME. */
void jr_flame_clean(const char *name, struct jr_buf *out);
/** Append the function of a frame, or the name if it is not a frame. */
void jr_flame_short(const char *name, struct jr_buf *out);
/** Append "NAME  basename:LINE" of a frame, or the name if it is not a frame. */
void jr_flame_long(const char *name, struct jr_buf *out);
/** Make the label of a frame that fits `room` px; replaces `out`, empty if nothing fits. */
void jr_flame_label(struct jr_metrics *metrics, const char *name, double room, struct jr_buf *out);

#endif
