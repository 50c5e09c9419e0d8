/*
 * export_case.h - hand-made Nsight exports, read and analyzed.
 */
#ifndef JR_TESTS_EXPORT_CASE_H
#define JR_TESTS_EXPORT_CASE_H

#include "nsys_build.h"
#include "pass_case.h"

#include <unistd.h>

#include "model/inputs/load.h"

/* Rows of one process, pid 9, unless another one is given. */
#define TID(tid) NSYS_TID(9, tid)
#define PUSHED(start, end, tid, text) PUSHED_IN(start, end, tid, text, "NULL")
#define PUSHED_IN(start, end, tid, text, domain) EVENT("59", start, end, tid, text, domain)
#define EVENT(type, start, end, tid, text, domain)                                                 \
	"INSERT INTO NVTX_EVENTS VALUES (" #start ", " #end ", " type ", NULL, '" text "', " TID(tid)  \
	", NULL, " domain ");"
#define CALL(start, end, tid, id)                                                                  \
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" #start ", " #end ", " TID(tid) ", " #id     \
	", 1);"
#define KERNEL(start, end, device, id) KERNEL_OF(start, end, device, id, "2")
#define KERNEL_OF(start, end, device, id, name)                                                    \
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" #start ", " #end ", " #device ", 7, " #id    \
	", " NSYS_PID(9) ", " name ", " name ", NULL);"
#define BEGIN                                                                                      \
	NSYS_TABLES "INSERT INTO StringIds VALUES (0, ''), (1, 'cudaLaunchKernel_v7000'), "           \
				"(2, 'gemm'), (3, 'ncclDevKernel_AllReduce'), (4, 'cudaProfilerStart_v4000'), "    \
				"(5, 'cuProfilerStop');"

/* Load and analyze the exports as files, at most two. */
static inline void run_exports(struct pass_run *run, const char *const *sqls, size_t n)
{
	char names[2][32];
	const char *paths[2];
	struct jr_options options = jr_options_default();
	struct jr_error err = {.message = ""};
	for (size_t i = 0; i < n; i++) {
		snprintf(names[i], sizeof(names[i]), "/tmp/jr-export-XXXXXX");
		paths[i] = names[i];
		int fd = mkstemp(names[i]);
		assert_true(fd >= 0);
		close(fd);
		sqlite3 *db = nsys_open(paths[i]);
		nsys_sql(db, sqls[i]);
		sqlite3_close(db);
	}
	options.n_threads = 2;
	*run = (struct pass_run){.results = {0}};
	jr_profile_init(&run->job.profile, &options);
	enum jr_status status = jr_load(paths, n, NULL, &run->job.profile, &err);
	for (size_t i = 0; i < n; i++)
		(void)unlink(paths[i]);
	if (status != JR_OK)
		fail_msg("%s", err.message);
	jr_arena_init(&run->arena, 0);
	jr_passes_run(&run->job.profile, &run->arena, &run->results);
	check_results(&run->results);
}

static inline void run_export(struct pass_run *run, const char *sql)
{
	run_exports(run, &sql, 1);
}

#endif
