/* Memory that a container and a machine leave free, read from hand-made trees of /proc and /sys. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

#include "base/file.h"
#include "base/memory_room.h"

#define MIB (UINT64_C(1) << 20)

static int setup(void **state)
{
	char *root = strdup("/tmp/jaxreport-test-XXXXXX");
	if (!root || !mkdtemp(root))
		return -1;
	*state = root;
	return 0;
}

static int teardown(void **state)
{
	jr_remove_tree(*state);
	free(*state);
	return 0;
}

/* Write a file below the root, and create its parent folders. */
static void put(const char *root, const char *path, const char *text)
{
	char whole[8192];
	snprintf(whole, sizeof(whole), "%s%s", root, path);
	for (char *slash = whole + strlen(root); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		(void)mkdir(whole, 0755);
		*slash = '/';
	}
	FILE *f = fopen(whole, "wb");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void expect(const char *root, enum jr_memory_bound of, uint64_t limit_bytes)
{
	struct jr_memory_room room = jr_memory_room(root);
	assert_int_equal(room.of, of);
	assert_int_equal(room.limit_bytes, limit_bytes);
	if (of == JR_MEMORY_OPTION)
		assert_int_equal(room.bytes, UINT64_MAX);
	else
		assert_true(room.bytes < limit_bytes && room.bytes >= limit_bytes / 2);
}

static void expect_room(const char *root, uint64_t limit_bytes, uint64_t in_use, uint64_t bytes)
{
	struct jr_memory_room room = jr_memory_room(root);
	assert_int_equal(room.of, JR_MEMORY_CONTAINER);
	assert_int_equal(room.limit_bytes, limit_bytes);
	assert_int_equal(room.in_use_bytes, in_use);
	assert_int_equal(room.bytes, bytes);
}

static UNIT_WITH(test_nothing_is_there, setup, teardown)
{
	expect(*state, JR_MEMORY_OPTION, UINT64_MAX);
	expect("/dev/null", JR_MEMORY_OPTION, UINT64_MAX);
}

static UNIT_WITH(test_second_version, setup, teardown)
{
	put(*state, "/proc/meminfo", "MemFree: 1 kB\nMemTotal:       8388608 kB\nSwapTotal: 5 kB\n");
	expect(*state, JR_MEMORY_MACHINE, 8192 * MIB);
	put(*state, "/proc/self/cgroup", "0::/pods/job/run\n");
	put(*state, "/sys/fs/cgroup/pods/job/run/memory.max", "max\n");
	expect(*state, JR_MEMORY_MACHINE, 8192 * MIB);
	/* each group above limits it; the smallest limit counts */
	put(*state, "/sys/fs/cgroup/pods/job/memory.max", "1073741824\n");
	expect(*state, JR_MEMORY_CONTAINER, 1024 * MIB);
	put(*state, "/sys/fs/cgroup/pods/memory.max", "536870912\n");
	expect(*state, JR_MEMORY_CONTAINER, 512 * MIB);
	put(*state, "/sys/fs/cgroup/memory.max", "125829120");
	expect(*state, JR_MEMORY_CONTAINER, 120 * MIB);
	put(*state, "/sys/fs/cgroup/pods/job/run/memory.max", "104857600\n");
	expect(*state, JR_MEMORY_CONTAINER, 100 * MIB);
	/* a sibling group does not */
	put(*state, "/sys/fs/cgroup/pods/other/memory.max", "4096\n");
	expect(*state, JR_MEMORY_CONTAINER, 100 * MIB);
	/* a container sees its own group at the root, under any name that the host uses */
	put(*state, "/proc/self/cgroup", "0::/system/of-the-host\n");
	expect(*state, JR_MEMORY_CONTAINER, 120 * MIB);
	put(*state, "/proc/self/cgroup", "0::/../pods/other\n");
	expect(*state, JR_MEMORY_CONTAINER, 120 * MIB);
}

static UNIT_WITH(test_first_version, setup, teardown)
{
	put(*state, "/proc/meminfo", "MemTotal: 8388608 kB\n");
	put(*state, "/proc/self/cgroup",
		"9:name=systemd:/memory\n5:cpu,memory,pids:/docker/abc\n4:nomemory,memory2:/x\n0::/\n");
	put(*state, "/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "4096\n");
	put(*state, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	expect(*state, JR_MEMORY_MACHINE, 8192 * MIB);
	put(*state, "/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "209715200\n");
	expect(*state, JR_MEMORY_CONTAINER, 200 * MIB);
	put(*state, "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "104857600\n");
	expect(*state, JR_MEMORY_CONTAINER, 100 * MIB);
}

static UNIT_WITH(test_broken, setup, teardown)
{
	static const char *const broken[] = {"", "\n", "max", "-1\n", "0\n", "1e6\n", "12 34\n",
		" 12\n", "12 \n", "99999999999999999999\n", "0x1000\n", "\xff\xfe\n",
		"1111111111111111111111111111111111111111111111111111111111111111\n"};
	put(*state, "/proc/self/cgroup", "0::/a\n");
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		char text[128];
		put(*state, "/sys/fs/cgroup/a/memory.max", broken[i]);
		put(*state, "/sys/fs/cgroup/memory/memory.limit_in_bytes", broken[i]);
		snprintf(text, sizeof(text), "MemTotal: %s kB\n", broken[i]);
		put(*state, "/proc/meminfo", i == 6 || i == 7 || i == 8 ? "MemTotal:" : text);
		expect(*state, JR_MEMORY_OPTION, UINT64_MAX);
	}
	put(*state, "/proc/meminfo", "MemTotal: 9223372036854775807 kB\n");
	expect(*state, JR_MEMORY_OPTION, UINT64_MAX);
	/* invalid lines */
	static const char *const lines[] = {"", "\n", "0\n", "0:\n", "0::\n", "::\n", ":memory\n",
		"1:memory:\n", "1:,,memory,:\n", "no line end"};
	put(*state, "/sys/fs/cgroup/memory.max", "104857600\n");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		put(*state, "/proc/self/cgroup", lines[i]);
		expect(*state, JR_MEMORY_CONTAINER, 100 * MIB);
	}
}

static UNIT_WITH(test_enormous_lines, setup, teardown)
{
	enum { LONG = 200000 };
	char *text = malloc(LONG + 64);
	assert_non_null(text);
	put(*state, "/sys/fs/cgroup/memory.max", "104857600\n");
	put(*state, "/sys/fs/cgroup/a/memory.max", "52428800\n");
	/* a path that is too long, and the line after it */
	memset(text, '/', LONG);
	memcpy(text, "0::", 3);
	memcpy(text + 8000, "\n0::/a\n", sizeof("\n0::/a\n"));
	put(*state, "/proc/self/cgroup", text);
	expect(*state, JR_MEMORY_CONTAINER, 50 * MIB);
	/* longer than the part of the file that is read */
	memset(text, 'a', LONG);
	memcpy(text, "0::/", 4);
	memcpy(text + LONG, "\n", sizeof("\n"));
	put(*state, "/proc/self/cgroup", text);
	put(*state, "/proc/meminfo", text);
	expect(*state, JR_MEMORY_CONTAINER, 100 * MIB);
	free(text);
}

static UNIT_WITH(test_room, setup, teardown)
{
	static const uint64_t mib[][2] = {{8192, 7168}, {128, 112}, {120, 104}, {16, 8}, {2, 1}};
	put(*state, "/proc/self/cgroup", "0::/\n");
	for (size_t i = 0; i < sizeof(mib) / sizeof(mib[0]); i++) {
		char text[32];
		snprintf(text, sizeof(text), "%llu\n", (unsigned long long)(mib[i][0] * MIB));
		put(*state, "/sys/fs/cgroup/memory.max", text);
		assert_int_equal(jr_memory_room(*state).bytes, mib[i][1] * MIB);
	}
	/* the machine that runs the test has some */
	assert_true(jr_memory_room("").limit_bytes > MIB);
}

/* Memory used by other processes of a group is not available to this one; cached pages of files
 * are. */
static UNIT_WITH(test_in_use, setup, teardown)
{
	put(*state, "/proc/self/cgroup", "0::/job/a\n5:memory:/docker\n");
	put(*state, "/sys/fs/cgroup/job/memory.max", "1073741824\n");
	put(*state, "/sys/fs/cgroup/job/a/memory.max", "536870912\n");
	put(*state, "/sys/fs/cgroup/job/a/memory.current", "536870912\n");
	put(*state, "/sys/fs/cgroup/job/a/memory.stat", "file 400000000\nanon_thp 9\nfile_mapped 5\n");
	expect_room(*state, 512 * MIB, 0, 448 * MIB);
	put(*state, "/sys/fs/cgroup/job/a/memory.stat", "anon 33554432\nfile 9\nshmem 67108864\n");
	expect_room(*state, 512 * MIB, 96 * MIB, 364 * MIB);
	/* the group above has less left, although its limit is higher */
	put(*state, "/sys/fs/cgroup/job/memory.stat", "anon 1042284544\nshmem broken\n");
	expect_room(*state, 1024 * MIB, 994 * MIB, 15 * MIB);
	put(*state, "/sys/fs/cgroup/job/memory.stat", "anon 2147483648\n");
	expect_room(*state, 1024 * MIB, 1024 * MIB, 0);
	put(*state, "/sys/fs/cgroup/job/memory.stat", "");
	put(*state, "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "268435456\n");
	put(*state, "/sys/fs/cgroup/memory/docker/memory.stat",
		"rss 5\ntotal_rss 67108864\ntotal_cache 99999999\ntotal_shmem 67108864");
	expect_room(*state, 256 * MIB, 128 * MIB, 112 * MIB);
}
