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

/* A function that runs beside its caller, on a thread of its own. */
struct jr_task_beside;

/**
 * Start fn(context) on a further thread, for two halves of one task that wait for each other; the
 * threads of jr_task_run() must not. Returns NULL if the caller's jr_task_run() has one thread, the
 * caller is not in a task, or no thread can be started: the caller then does the work itself.
 */
struct jr_task_beside *jr_task_start(void (*fn)(void *context), void *context);
/** Wait until it returns, and free it. NULL-safe. */
void jr_task_join(struct jr_task_beside *beside);

/** Return the number of processors available to this process: 1 to JR_MAX_THREADS. */
size_t jr_task_default_threads(void);

#endif
