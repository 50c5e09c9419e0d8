/*
 * task.h - run independent tasks on a few threads.
 * Layer: base.
 */
#ifndef JR_BASE_TASK_H
#define JR_BASE_TASK_H

#include <stddef.h>

#include "base/cleanup.h"

/* The most threads that a run may have. */
#define JR_MAX_THREADS 256

/* Stack that each thread has, and the main one needs; sanitizers make frames larger. */
#define JR_STACK_BYTES ((size_t)(JR_SANITIZED ? 8 : 1) << 20)

typedef void (*jr_task_fn)(void *context, size_t index);

/**
 * Call fn(context, 0) ... fn(context, n_tasks - 1), each once, begun in that order (put the longest
 * first), on at most n_threads threads, the caller's among them. Returns when all are done. Where
 * no thread can be started the caller does the work alone.
 *
 * A task may call this again: its tasks are shared among the threads of the outermost call, which
 * so stay as many as that was given, and n_threads of the inner one says nothing.
 */
void jr_task_run(size_t n_threads, size_t n_tasks, jr_task_fn fn, void *context);

/** Processors available to this process: 1 to JR_MAX_THREADS. */
size_t jr_task_default_threads(void);

#endif
