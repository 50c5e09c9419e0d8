/*
 * flame_impl.h - what flame.c and flame_pack.c share; for nobody else but their tests.
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
	size_t end;          /* frames [own index + 1, end) are below it */
	size_t n_folded;     /* > 0: this and the next n_folded - 1 frames are drawn as one band */
	double begin, total; /* in the unit of the input; [begin, begin + total) */
};

/*
 * What is folded: a run of frames below a root, each the only child (of any weight) of the one
 * before and without time of its own, of at least half of the root's time. Its last frame, where
 * the time divides, stays. templates/flame_tree.js has the same rule; where it shows wrappers, one
 * without time of its own at the end of a run is folded, too.
 */
#define JR_FLAME_MIN_FOLD 4 /* frames */

/* All frames in drawing order: preorder, siblings by total. */
struct jr_flame_tree {
	struct jr_flame_frame *frames; /* [n], free() */
	size_t n, depth;
	double total;
};

/* What frames of a comparison are as wide as; others have a value only in the "new run". */
enum jr_flame_weight {
	JR_FLAME_AFTER,
	JR_FLAME_BEFORE,
	JR_FLAME_CHANGE, /* sum of |change| of own values: of a frame and all below it */
	JR_FLAME_BOTH,   /* before + after */
};

/** A value as it counts: what is not finite or < 0 is 0. */
double jr_flame_value(double own);
struct jr_flame_tree jr_flame_order(const struct jr_flame *flame, enum jr_flame_weight weight);
/**
 * What the picture shows: the nodes but those that only pass a call on. Their own values go to the
 * nearest frame above that stays; where any is left out, frames of one name below one parent become
 * one. A root stays even so. templates/flame_tree.js has the same rule. O(n).
 *
 * @return [*n] the nodes, names borrowed from `flame`; to be freed with free()
 */
struct jr_flame_node *jr_flame_without_wrappers(const struct jr_flame *flame, size_t *n);
double jr_flame_ms(const struct jr_flame *flame, double value);
/** Sibling run of frame i: the frame behind the last of its siblings. */
size_t jr_flame_run_end(const struct jr_flame_tree *tree, size_t i);
enum jr_role jr_flame_role(
	const struct jr_flame *flame, const struct jr_flame_tree *tree, size_t i);
/** True where all stacks that are known begin with frame i: the band there is the trunk. */
bool jr_flame_is_trunk(const struct jr_flame *flame, const struct jr_flame_tree *tree, size_t i);

/** 1..4, from the function and the file's name, so that a function keeps its colour when lines
 * above it change; from the whole name where it is no frame. */
unsigned jr_flame_tint(const char *name);
/** How a frame is drawn: an area in its tint; what tells of no code is outlined. */
struct jr_style jr_flame_style(enum jr_role role, const char *name);

/* Parts of "FILE:LINE[:COLUMN][FUNCTION]". */
struct jr_flame_place {
	const char *function;
	size_t n_function;
	const char *place; /* basename:LINE */
	size_t n_place;
};
/** False where the name does not look like a frame; `out` is then untouched. */
bool jr_flame_split(const char *name, struct jr_flame_place *out);
#define JR_FLAME_MAX_NAME 600 /* bytes of a name that are shown */
/** Append foreign text made fit for every output and not too long. */
void jr_flame_clean(const char *name, struct jr_buf *out);
/** Append the function of a frame, or the name where it is none. */
void jr_flame_short(const char *name, struct jr_buf *out);
/** Append "NAME  basename:LINE" of a frame, or the name where it is none. */
void jr_flame_long(const char *name, struct jr_buf *out);
/** Label of a frame for a room in px; replaces `out`, empty where nothing fits. */
void jr_flame_label(struct jr_metrics *metrics, const char *name, double room, struct jr_buf *out);

#endif
