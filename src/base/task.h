/*
 * task.h - run independent tasks on a few threads.
 * Layer: base.
 */
#ifndef JR_BASE_TASK_H
#define JR_BASE_TASK_H

#include <stddef.h>

typedef void (*jr_task_fn)(void *context, size_t index);

/**
 * Call fn(context, 0) ... fn(context, n_tasks - 1), each once, begun in that order (put the longest
 * first), on at most n_threads threads, the caller's among them. Returns when all are done. Where
 * no thread can be started the caller does the work alone.
 */
void jr_task_run(size_t n_threads, size_t n_tasks, jr_task_fn fn, void *context);

/** Processors available to this process (at least 1). */
size_t jr_task_default_threads(void);

#endif
