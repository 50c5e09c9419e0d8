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
	double begin, total; /* in the unit of the input; [begin, begin + total) */
};

/* All frames in drawing order: preorder, siblings by total. */
struct jr_flame_tree {
	struct jr_flame_frame *frames; /* [n], free() */
	size_t n, depth;
	double total;
};

struct jr_flame_tree jr_flame_order(const struct jr_flame *flame);
double jr_flame_ms(const struct jr_flame *flame, double value);
/** 1..4, from the name alone. */
unsigned jr_flame_tint(const char *name);

/* Parts of "FILE:LINE[:COLUMN][FUNCTION]". */
struct jr_flame_place {
	const char *function;
	size_t n_function;
	const char *place; /* basename:LINE */
	size_t n_place;
};
/** False where the name does not look like a frame; `out` is then untouched. */
bool jr_flame_split(const char *name, struct jr_flame_place *out);
/** Label of a frame for a room in px; replaces `out`, empty where nothing fits. */
void jr_flame_label(struct jr_metrics *metrics, const char *name, double room, struct jr_buf *out);

#endif
