#include "base/task.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* One call of jr_task_run(), on the stack of its caller. The caller removes it from the list when
 * it is done and no thread works on it any more. */
struct job {
	jr_task_fn fn;
	void *context;
	size_t n_tasks;
	atomic_size_t next;
	size_t n_helpers; /* threads that work on it, without the caller */
	struct job *older;
};

/* The threads of one outermost call. The lock protects fields that change. */
struct pool {
	size_t n_threads, n_started; /* n_threads includes the caller of the outermost call */
	pthread_t threads[JR_MAX_THREADS];
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct job *newest; /* innermost first, so that the threads that wait for it can go on */
	bool done;
};

/* The pool in which this thread works, so that tasks can start tasks without passing it on. */
static _Thread_local struct pool *current;

static bool has_tasks(const struct job *job)
{
	return atomic_load(&job->next) < job->n_tasks;
}

static void work_on(struct job *job)
{
	for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < job->n_tasks;)
		job->fn(job->context, i);
}

static struct job *find_work(const struct pool *pool)
{
	struct job *job = pool->newest;
	while (job && !has_tasks(job))
		job = job->older;
	return job;
}

static void help(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	while (!pool->done) {
		struct job *job = find_work(pool);
		if (!job) {
			pthread_cond_wait(&pool->changed, &pool->lock);
			continue;
		}
		job->n_helpers++;
		pthread_mutex_unlock(&pool->lock);
		work_on(job);
		pthread_mutex_lock(&pool->lock);
		if (--job->n_helpers == 0)
			pthread_cond_broadcast(&pool->changed);
	}
	pthread_mutex_unlock(&pool->lock);
}

/* What a thread runs. */
struct jr_task_beside {
	void (*fn)(void *context);
	void *context;
	pthread_t thread;
};

static void run_on_own_stack(void (*fn)(void *context), void *context)
{
	/* Signal handlers need a stack of their own if this thread's stack overflows. */
	_Alignas(16) char alternative[65536];
	const stack_t stack = {.ss_sp = alternative, .ss_size = sizeof(alternative)};
	const stack_t none = {.ss_flags = SS_DISABLE};
	sigaltstack(&stack, NULL);
	fn(context);
	sigaltstack(&none, NULL);
}

static void help_pool(void *pool)
{
	current = pool;
	help(pool);
}

static void *helper(void *pool)
{
	run_on_own_stack(help_pool, pool);
	return NULL;
}

static void *run_beside(void *arg)
{
	const struct jr_task_beside *beside = arg;
	run_on_own_stack(beside->fn, beside->context);
	return NULL;
}

static bool start_thread(pthread_t *thread, void *(*fn)(void *), void *arg)
{
	pthread_attr_t attr;
	if (pthread_attr_init(&attr) != 0)
		return false;
	(void)pthread_attr_setstacksize(&attr, JR_STACK_BYTES);
	int failed = pthread_create(thread, &attr, fn, arg);
	pthread_attr_destroy(&attr);
	return failed == 0;
}

/* Expects the lock. Start as many threads as the job has work for and the pool allows. */
static void start_helpers(struct pool *pool, size_t n_tasks)
{
	for (size_t n = 1; n < n_tasks && pool->n_started + 1 < pool->n_threads; n++) {
		if (!start_thread(&pool->threads[pool->n_started], helper, pool))
			break;
		pool->n_started++;
	}
}

static void run_in(struct pool *pool, struct job *job)
{
	pthread_mutex_lock(&pool->lock);
	job->older = pool->newest;
	pool->newest = job;
	start_helpers(pool, job->n_tasks);
	pthread_cond_broadcast(&pool->changed);
	pthread_mutex_unlock(&pool->lock);
	work_on(job);
	pthread_mutex_lock(&pool->lock);
	while (job->n_helpers)
		pthread_cond_wait(&pool->changed, &pool->lock);
	struct job **at = &pool->newest;
	while (*at != job)
		at = &(*at)->older;
	*at = job->older;
	pthread_mutex_unlock(&pool->lock);
}

static void run_in_new(size_t n_threads, struct job *job)
{
	struct pool pool = {.n_threads = n_threads};
	pthread_mutex_init(&pool.lock, NULL);
	pthread_cond_init(&pool.changed, NULL);
	current = &pool;
	run_in(&pool, job);
	current = NULL;
	pthread_mutex_lock(&pool.lock);
	pool.done = true;
	pthread_cond_broadcast(&pool.changed);
	pthread_mutex_unlock(&pool.lock);
	for (size_t i = 0; i < pool.n_started; i++)
		pthread_join(pool.threads[i], NULL);
	pthread_cond_destroy(&pool.changed);
	pthread_mutex_destroy(&pool.lock);
}

void jr_task_run(size_t n_threads, size_t n_tasks, jr_task_fn fn, void *context)
{
	struct job job = {.fn = fn, .context = context, .n_tasks = n_tasks};
	if (n_threads > JR_MAX_THREADS)
		n_threads = JR_MAX_THREADS;
	if (current)
		run_in(current, &job);
	else
		run_in_new(n_threads, &job);
}

struct jr_task_beside *jr_task_start(void (*fn)(void *context), void *context)
{
	if (!current || current->n_threads < 2)
		return NULL;
	struct jr_task_beside *beside = malloc(sizeof(*beside));
	if (!beside)
		return NULL;
	*beside = (struct jr_task_beside){.fn = fn, .context = context};
	if (start_thread(&beside->thread, run_beside, beside))
		return beside;
	free(beside);
	return NULL;
}

void jr_task_join(struct jr_task_beside *beside)
{
	if (beside)
		pthread_join(beside->thread, NULL);
	free(beside);
}

size_t jr_task_default_threads(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	int n = CPU_COUNT(&set);
	return n < 1 ? 1 : n > JR_MAX_THREADS ? JR_MAX_THREADS : (size_t)n;
}
