/*
 * task.h - run independent tasks on a few threads.
 * Layer: base.
 */
#ifndef JR_BASE_TASK_H
#define JR_BASE_TASK_H

#include <stddef.h>

#include "base/cleanup.h"

/* Maximum number of threads of a run. */
#define JR_MAX_THREADS 256

/* Stack of each thread, and what the main thread needs; sanitizers make frames larger. */
#define JR_STACK_BYTES ((size_t)(JR_SANITIZED ? 8 : 1) << 20)

typedef void (*jr_task_fn)(void *context, size_t index);

/**
 * Call fn(context, 0) ... fn(context, n_tasks - 1), each once, started in that order (put the
 * longest first). Runs on at most n_threads threads, including the caller's. Returns when all are
 * done. If no thread can be started, the caller does all the work.
 *
 * A task may call this again. The threads of the outermost call share the new tasks; their number
 * does not change, and the inner n_threads is ignored.
 */
void jr_task_run(size_t n_threads, size_t n_tasks, jr_task_fn fn, void *context);

/** Return the number of processors available to this process: 1 to JR_MAX_THREADS. */
size_t jr_task_default_threads(void);

#endif
