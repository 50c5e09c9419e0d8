/*
 * plot_fixture.h - a drawn plot, and its dump as text.
 */
#ifndef JR_TESTS_PLOT_FIXTURE_H
#define JR_TESTS_PLOT_FIXTURE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "render/plot.h"
#include "render/scene.h"

struct fixture {
	struct jr_metrics *metrics;
	struct jr_scene scene;
	struct jr_buf dump;
};

static inline void draw(struct fixture *f, const struct jr_plot *plot)
{
	jr_scene_done(&f->scene);
	jr_plot_scene(plot, f->metrics, &f->scene);
	f->dump.size = 0;
	jr_scene_dump(&f->scene, &f->dump);
}

static inline bool says(const struct fixture *f, const char *text)
{
	return strstr(f->dump.data, text) != NULL;
}

static inline size_t occurrences(const struct fixture *f, const char *text)
{
	size_t n = 0;
	for (const char *at = f->dump.data; (at = strstr(at, text)) != NULL; at++)
		n++;
	return n;
}

static inline int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	f->metrics = jr_metrics_new();
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	struct fixture *f = *state;
	jr_scene_done(&f->scene);
	jr_buf_done(&f->dump);
	jr_metrics_free(f->metrics);
	free(f);
	return 0;
}

#endif
