#include "base/task.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#define MAX_THREADS 64

struct pool {
	jr_task_fn fn;
	void *context;
	size_t n_tasks;
	atomic_size_t next;
};

static void *work(void *arg)
{
	struct pool *pool = arg;
	for (;;) {
		size_t i = atomic_fetch_add(&pool->next, 1);
		if (i >= pool->n_tasks)
			return NULL;
		pool->fn(pool->context, i);
	}
}

void jr_task_run(size_t n_threads, size_t n_tasks, jr_task_fn fn, void *context)
{
	struct pool pool = {.fn = fn, .context = context, .n_tasks = n_tasks};
	pthread_t threads[MAX_THREADS];
	size_t wanted = n_threads < n_tasks ? n_threads : n_tasks;
	size_t n = 0;
	if (wanted > MAX_THREADS)
		wanted = MAX_THREADS;
	while (n + 1 < wanted && pthread_create(&threads[n], NULL, work, &pool) == 0)
		n++;
	(void)work(&pool);
	while (n)
		pthread_join(threads[--n], NULL);
}

size_t jr_task_default_threads(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	int n = CPU_COUNT(&set);
	return n > 0 ? (size_t)n : 1;
}
