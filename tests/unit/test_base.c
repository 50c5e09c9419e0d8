/* The base layer: text, arenas, interning, readers, tasks. Also: test_num.c, test_file.c. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/intern.h"
#include "base/limits.h"
#include "base/reader.h"
#include "base/task.h"
#include "base/text.h"
#include "base/vec.h"
#include "random.h"

static void expect_clean(const char *in, size_t n, const char *expected)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	jr_text_clean(&out, in, n);
	assert_string_equal(out.data, expected);
	assert_int_equal(jr_text_is_clean(in, n), n == out.size && memcmp(in, out.data, n) == 0);
	assert_true(jr_text_is_clean(out.data, out.size));
}

#define EXPECT_CLEAN(in, expected) expect_clean(in, sizeof(in) - 1, expected)
#define BAD "\xEF\xBF\xBD"

static UNIT(clean_text)
{
	EXPECT_CLEAN("", "");
	EXPECT_CLEAN("plain ~", "plain ~");
	EXPECT_CLEAN("käse 漢字 😀", "käse 漢字 😀");
	EXPECT_CLEAN("a\nb\tc\0d\x1B[2J", "a␊b␉c␀d␛[2J");
	EXPECT_CLEAN("\x7F", "␡");
	EXPECT_CLEAN("\xC2\x9B", BAD); /* C1: CSI */
	EXPECT_CLEAN("a\xE2\x80\xAE"
				 "b",
		"a" BAD "b"); /* right-to-left override */
	EXPECT_CLEAN("a\xE2\x81\xA6"
				 "b",
		"a" BAD "b");				   /* isolate */
	EXPECT_CLEAN("\xE2\x80\xA8", BAD); /* line separator */
	EXPECT_CLEAN("\xEF\xBB\xBF"
				 "x",
		BAD "x");						   /* byte order mark */
	EXPECT_CLEAN("\xEF\xBF\xBE", BAD);	   /* U+FFFE */
	EXPECT_CLEAN("\xF0\x9F\xBF\xBF", BAD); /* U+1FFFF */
	EXPECT_CLEAN("\xC0\xAF", BAD BAD);	   /* overlong '/' */
	EXPECT_CLEAN("\xE0\x80\xAF", BAD BAD BAD);
	EXPECT_CLEAN("\xED\xA0\x80", BAD BAD BAD);		   /* a surrogate */
	EXPECT_CLEAN("\xF4\x90\x80\x80", BAD BAD BAD BAD); /* beyond U+10FFFF */
	EXPECT_CLEAN("\xFF\xFE", BAD BAD);
	EXPECT_CLEAN("ab\xE6\xBC", "ab" BAD BAD); /* cut short */
	EXPECT_CLEAN("\xE6\xBC"
				 "A",
		BAD BAD "A");
	EXPECT_CLEAN(BAD, BAD);
}

#define RTL_RUN(text) jr_text_rtl_run(text, strlen(text))

static UNIT(right_to_left)
{
	assert_int_equal(RTL_RUN(""), 0);
	assert_int_equal(RTL_RUN("a אב"), 0);
	assert_int_equal(RTL_RUN("אב"), 4);
	assert_int_equal(RTL_RUN("אב 12"), 4); /* the number is not carried along */
	assert_int_equal(RTL_RUN("אב/גד.py"), 9);
	assert_int_equal(RTL_RUN("אב”, “גד"), 4); /* nor the text between two of them */
	assert_int_equal(RTL_RUN("مرحبا x"), 10);
	assert_int_equal(RTL_RUN("𐤀"), 4);
	assert_int_equal(RTL_RUN("漢字"), 0);
	assert_int_equal(jr_text_rtl_run("אב", 3), 2); /* the second letter is cut */
}

static UNIT(clean_text_random)
{
	uint64_t seed = 3;
	for (int i = 0; i < 20000; i++) {
		char in[24];
		uint64_t words[3] = {next_random(&seed), next_random(&seed), next_random(&seed)};
		memcpy(in, words, sizeof(in));
		size_t n = next_random(&seed) % (sizeof(in) + 1);
		struct jr_buf once = {0}, twice = {0};
		jr_text_clean(&once, in, n);
		assert_true(jr_text_is_clean(once.data, once.size));
		jr_text_clean(&twice, once.data, once.size);
		assert_true(jr_bytes_eq(jr_buf_view(&once), jr_buf_view(&twice)));
		jr_buf_done(&once);
		jr_buf_done(&twice);
	}
}

static UNIT(text_width)
{
	assert_int_equal(jr_text_width("abc", 3), 3);
	assert_int_equal(jr_text_width("漢字", strlen("漢字")), 4);
	assert_int_equal(jr_text_width("e\xCC\x81", 3), 1);
	assert_int_equal(jr_text_width("µs", strlen("µs")), 2);
	assert_int_equal(jr_text_width("", 0), 0);
}

static UNIT(buffers)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf buf = {0};
	jr_buf_reserve(&buf, 0);
	assert_non_null(buf.data);
	for (int i = 0; i < 1000; i++) {
		jr_buf_printf(&buf, "%d,", i);
		jr_buf_putc(&buf, 'x');
		jr_buf_add(&buf, NULL, 0);
		assert_int_equal(buf.data[buf.size], '\0');
	}
	assert_int_equal(buf.size, 10 + 180 + 2700 + 2000);
	jr_buf_repeat(&buf, '-', 0);
	jr_buf_repeat(&buf, '-', 5000);
	assert_string_equal(buf.data + buf.size - 3, "---");
	assert_false(jr_bytes_eq(jr_buf_view(&buf), jr_bytes_of("", 0)));
	assert_true(jr_bytes_eq(jr_bytes_of(NULL, 0), jr_bytes_of("", 0)));
	jr_buf_done(NULL);
}

static UNIT(vectors)
{
	JR_VEC(uint64_t) vec = {0};
	for (uint64_t i = 0; i < 10000; i++)
		*jr_vec_add(&vec) = i * i;
	assert_int_equal(vec.n, 10000);
	for (uint64_t i = 0; i < 10000; i++)
		assert_true(vec.items[i] == i * i);
	jr_vec_done(&vec);
	assert_null(vec.items);
}

static UNIT(arena_blocks)
{
	struct jr_arena arena;
	jr_arena_init(&arena, 0);
	uint64_t seed = 4;
	unsigned char *blocks[2000];
	size_t sizes[2000];
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < JR_COUNT_OF(blocks); i++) {
			sizes[i] = i % 500 == 499 ? 3 << 20 : next_random(&seed) % 700;
			blocks[i] = jr_arena_alloc(&arena, sizes[i]);
			assert_int_equal((uintptr_t)blocks[i] % 16, 0);
			for (size_t k = 0; k < sizes[i]; k++)
				if (blocks[i][k] != 0)
					fail_msg("byte %zu of block %zu is not zero", k, i);
			memset(blocks[i], (int)(i & 0xFF), sizes[i]);
		}
		for (size_t i = 0; i < JR_COUNT_OF(blocks); i++)
			for (size_t k = 0; k < sizes[i]; k++)
				if (blocks[i][k] != (unsigned char)(i & 0xFF))
					fail_msg("block %zu was overwritten", i);
		jr_arena_clear(&arena);
	}
	assert_true(arena.used_bytes <= 4 << 20);
	jr_arena_done(&arena);
	jr_arena_done(&arena);
	jr_arena_done(NULL);
	assert_true(arena.used_bytes == 0);
}

/* Blocks of another arena keep their addresses and contents, and both arenas can go on. */
static UNIT(arena_takes)
{
	for (int first = 0; first < 2; first++) {
		struct jr_arena to, from;
		jr_arena_init(&to, 0);
		jr_arena_init(&from, 0);
		jr_arena_take(&to, &from);
		assert_null(to.head);
		char *own = first ? jr_arena_strdup(&to, "own") : NULL;
		uint64_t before = to.used_bytes;
		char *large = memset(jr_arena_alloc(&from, 1 << 20), 'x', 1 << 20);
		char *small = jr_arena_strdup(&from, "small");
		uint64_t moved = from.used_bytes;
		jr_arena_take(&to, &from);
		assert_int_equal(to.used_bytes, before + moved);
		assert_int_equal(from.used_bytes, 0);
		assert_string_equal(jr_arena_strdup(&from, "next"), "next");
		jr_arena_done(&from);
		assert_string_equal(jr_arena_strdup(&to, "after"), "after");
		assert_string_equal(small, "small");
		assert_true(large[0] == 'x' && large[(1 << 20) - 1] == 'x');
		assert_true(!own || strcmp(own, "own") == 0);
		jr_arena_done(&to);
	}
}

/* A large block keeps its first bytes, gives back the others, and its neighbors stay. */
static UNIT(arena_shrinks)
{
	enum { LARGE = 1 << 20, KEPT = 1000 };
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	char *small = jr_arena_strdup(&arena, "small");
	char *block = memset(jr_arena_alloc(&arena, LARGE), 'x', LARGE);
	char *other = memset(jr_arena_alloc(&arena, LARGE), 'y', LARGE);
	uint64_t before = arena.used_bytes;
	assert_ptr_equal(jr_arena_shrink(&arena, block, 2 * LARGE), block);
	block = jr_arena_shrink(&arena, block, KEPT);
	assert_in_range(before - arena.used_bytes, LARGE - KEPT - 64, LARGE - KEPT);
	for (size_t i = 0; i < KEPT; i++)
		assert_int_equal(block[i], 'x');
	assert_null(jr_arena_shrink(&arena, block, 0));
	assert_in_range(before - arena.used_bytes, LARGE, LARGE + 64);
	assert_int_equal(other[LARGE - 1], 'y');
	assert_ptr_equal(jr_arena_shrink(&arena, small, 0), small); /* is not alone in its chunk */
	assert_string_equal(small, "small");
	assert_null(jr_arena_shrink(&arena, NULL, 0));
}

/* A large block must not waste the remaining room, nor make all later chunks large. */
static UNIT(arena_large_block_keeps_room)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	jr_arena_alloc(&arena, 16);
	uint64_t before = arena.used_bytes;
	jr_arena_alloc(&arena, 8 << 20);
	jr_arena_alloc(&arena, 16);
	assert_true(arena.used_bytes - before < (8 << 20) + 4096);
}

static UNIT(arena_strings)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	assert_string_equal(jr_arena_strndup(&arena, "hello", 3), "hel");
	assert_string_equal(jr_arena_strndup(&arena, NULL, 0), "");
	assert_string_equal(jr_arena_strdup(&arena, "x"), "x");
	assert_string_equal(jr_arena_printf(&arena, "%s-%d", "a", 7), "a-7");
	char *longer = jr_arena_printf(&arena, "%5000d", 1);
	assert_int_equal(strlen(longer), 5000);
}

static UNIT(arena_limit)
{
	struct jr_arena arena;
	struct jr_error err = {0};
	jr_arena_init(&arena, 1 << 20);
	assert_non_null(jr_arena_array(&arena, 1000, 8, &err));
	assert_int_equal(err.status, JR_OK);
	assert_null(jr_arena_array(&arena, 1 << 20, 8, &err));
	assert_int_equal(err.status, JR_ELIMIT);
	assert_non_null(strstr(err.message, "--max-memory"));
	err = (struct jr_error){0};
	assert_null(jr_arena_array(&arena, UINT64_MAX / 4, 8, &err)); /* the product overflows */
	assert_int_equal(err.status, JR_ELIMIT);
	assert_null(jr_arena_array(&arena, UINT64_MAX, 1, &err));
	assert_non_null(jr_arena_array(&arena, 0, 8, &err));
	/* many arrays together hit it as well */
	size_t n = 0;
	while (jr_arena_array(&arena, 1024, 16, &err))
		if (++n > 100)
			fail_msg("no limit");
	assert_true(n >= 40);
	jr_arena_done(&arena);
}

static UNIT(interning)
{
	struct jr_intern in;
	jr_intern_init(&in);
	assert_int_equal(jr_intern_puts(&in, ""), 0);
	assert_int_equal(jr_intern_put(&in, NULL, 0), 0);
	assert_int_equal(jr_intern_find(&in, "absent", 6), JR_NONE);
	for (uint32_t i = 1; i < 20000; i++) {
		char name[32];
		int n = snprintf(name, sizeof(name), "fusion.%u", i);
		assert_int_equal(jr_intern_put(&in, name, (size_t)n), i);
	}
	for (uint32_t i = 1; i < 20000; i++) {
		char name[32];
		int n = snprintf(name, sizeof(name), "fusion.%u", i);
		assert_int_equal(jr_intern_find(&in, name, (size_t)n), i);
		assert_int_equal(jr_intern_put(&in, name, (size_t)n), i);
		assert_string_equal(jr_intern_str(&in, i), name);
		assert_int_equal(jr_intern_len(&in, i), n);
	}
	/* the length counts, not the first NUL, and a prefix is not taken for the whole */
	uint32_t a = jr_intern_put(&in, "a\0b", 3), b = jr_intern_put(&in, "a\0c", 3);
	assert_int_not_equal(a, b);
	assert_int_not_equal(a, jr_intern_put(&in, "a", 1));
	assert_int_equal(jr_intern_len(&in, a), 3);
	jr_intern_clear(&in);
	assert_int_equal(jr_intern_find(&in, "fusion.7", 8), JR_NONE);
	assert_int_equal(jr_intern_puts(&in, ""), 0);
	assert_int_equal(jr_intern_puts(&in, "fusion.9"), 1);
	assert_int_equal(jr_intern_puts(&in, "fusion.7"), 2);
	assert_string_equal(jr_intern_str(&in, 1), "fusion.9");
	jr_intern_done(&in);
	jr_intern_done(&in);
	jr_intern_done(NULL);
}

/* A foreign text becomes clean and short, and differs if the whole text differs. */
static UNIT(interning_of_foreign_texts)
{
	struct jr_intern in;
	jr_intern_init(&in);
	uint64_t n_cut = 0;
	static char text[3 * JR_NAME_BYTES];
	memset(text, 'x', sizeof(text));
	uint32_t whole = jr_intern_foreign(&in, text, JR_NAME_BYTES, JR_NAME_BYTES, &n_cut);
	assert_int_equal(jr_intern_len(&in, whole), JR_NAME_BYTES);
	assert_int_equal(n_cut, 0);
	uint32_t cut = jr_intern_foreign(&in, text, sizeof(text), JR_NAME_BYTES, &n_cut);
	assert_int_equal(jr_intern_foreign(&in, text, sizeof(text), JR_NAME_BYTES, &n_cut), cut);
	assert_int_equal(n_cut, 2);
	assert_in_range(jr_intern_len(&in, cut), JR_NAME_BYTES, JR_NAME_BYTES + 64);
	assert_non_null(strstr(jr_intern_str(&in, cut), "x… [196608 bytes, "));
	text[sizeof(text) - 1] = 'y';
	assert_int_not_equal(jr_intern_foreign(&in, text, sizeof(text), JR_NAME_BYTES, &n_cut), cut);
	assert_string_equal(
		jr_intern_str(&in, jr_intern_foreign(&in, "a\nb", 3, JR_NAME_BYTES, &n_cut)), "a␊b");
	assert_int_equal(jr_intern_foreign(&in, NULL, 0, JR_NAME_BYTES, &n_cut), 0);
	jr_intern_done(&in);
}

static UNIT(maps)
{
	JR_CLEANUP(jr_map_done) struct jr_map map = {0};
	assert_int_equal(jr_map_get(&map, 0), JR_NONE);
	for (uint32_t i = 0; i < 50000; i++)
		jr_map_put(&map, jr_key2(i % 7, i), i);
	jr_map_put(&map, UINT64_MAX, 5);
	jr_map_put(&map, UINT64_MAX, 6);
	assert_int_equal(map.n, 50001);
	for (uint32_t i = 0; i < 50000; i++) {
		assert_int_equal(jr_map_get(&map, jr_key2(i % 7, i)), i);
		assert_int_equal(jr_map_get(&map, jr_key2(i % 7 + 7, i)), JR_NONE);
	}
	assert_int_equal(jr_map_get(&map, UINT64_MAX), 6);
	jr_map_done(NULL);
}

/* As in intern.c, for an attacker who wants slow tables. */
static uint64_t known_mix(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)a * b;
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Make the i-th text that resets a hash with a known seed: 8 bytes, and 8 more that cancel their
 * effect. Return false if those are not printable. */
static bool colliding_text(unsigned i, char text[17])
{
	uint64_t word;
	for (int k = 0; k < 8; k++)
		text[k] = "0123456789abcdef"[i >> (28 - 4 * k) & 15];
	memcpy(&word, text, 8);
	word = known_mix(UINT64_C(0x9E3779B97F4A7C15) ^ 16 ^ word, UINT64_C(0xD6E8FEB86659FD93));
	memcpy(text + 8, &word, 8);
	for (int k = 8; k < 16; k++)
		if (text[k] < 0x20 || text[k] > 0x7E)
			return false;
	return true;
}

/* Return the longest run of slots in use, which a search may have to walk. */
static size_t longest_run(const void *slots, size_t n_slots, const void *empty, size_t width)
{
	size_t run = 0;
	size_t longest = 0;
	for (size_t i = 0; i < n_slots; i++) {
		run = memcmp((const char *)slots + i * width, empty, width) == 0 ? 0 : run + 1;
		if (run > longest)
			longest = run;
	}
	return longest;
}

/* Texts with one hash, and keys for neighboring slots, from everything that can be known
 * beforehand: tables do not become lists. By chance, a half-full table has a run of k slots with
 * probability 0.82^k: one of 500 never occurs. */
static UNIT(tables_made_to_collide)
{
	enum { TEXTS = 2000, KEYS = 100000, LONG = 500 };
	struct jr_intern in;
	JR_CLEANUP(jr_map_done) struct jr_map map = {0};
	const uint64_t no_text = 0;
	const uint32_t no_value = JR_NONE;
	uint64_t first = 0;
	jr_intern_init(&in);
	for (unsigned i = 0; in.n <= TEXTS; i++) {
		char text[17];
		if (!colliding_text(i, text))
			continue;
		if (in.n == 1)
			first = jr_hash(text, 16, 0);
		assert_true(jr_hash(text, 16, 0) == first); /* otherwise this tests nothing */
		jr_intern_put(&in, text, 16);
	}
	assert_in_range(longest_run(in.slots, in.n_slots, &no_text, sizeof(no_text)), 2, LONG);
	jr_intern_done(&in);
	for (uint32_t i = 1; i <= KEYS; i++) /* multiples of a Fibonacci number */
		jr_map_put(&map, ((uint64_t)i * 832040 << 20) ^ UINT64_C(0x2545F4914F6CDD1D), i);
	assert_in_range(longest_run(map.values, map.n_slots, &no_value, sizeof(no_value)), 2, LONG);
}

static UNIT(reader_bounds)
{
	static const uint8_t data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
	struct jr_reader r = jr_reader_of(jr_bytes_of(data, sizeof(data)));
	uint8_t u8;
	uint32_t u32;
	uint64_t u64;
	struct jr_bytes view;
	assert_true(jr_reader_u64le(&r, &u64) && u64 == UINT64_C(0x0807060504030201));
	assert_false(jr_reader_u32le(&r, &u32));
	assert_false(jr_reader_u64le(&r, &u64));
	assert_false(jr_reader_take(&r, 2, &view));
	assert_false(jr_reader_take(&r, UINT64_MAX, &view));
	assert_int_equal(r.pos, 8);
	assert_true(jr_reader_u8(&r, &u8) && u8 == 9);
	assert_false(jr_reader_u8(&r, &u8));
	assert_true(jr_reader_take(&r, 0, &view) && view.size == 0);
	r = jr_reader_of(jr_bytes_of(data, 4));
	assert_true(jr_reader_u32le(&r, &u32) && u32 == 0x04030201);
	r = jr_reader_of(jr_bytes_of(NULL, 0));
	assert_true(jr_reader_take(&r, 0, &view));
	assert_false(jr_reader_u8(&r, &u8));
	assert_false(jr_reader_varint(&r, &u64));
}

static void expect_varint(const char *bytes, size_t n, bool good, uint64_t expected)
{
	struct jr_reader r = jr_reader_of(jr_bytes_of(bytes, n));
	uint64_t v = 42;
	assert_int_equal(jr_reader_varint(&r, &v), good);
	assert_true(v == (good ? expected : 42));
	assert_int_equal(r.pos, good ? n : 0);
}

static UNIT(reader_varints)
{
	expect_varint("\x00", 1, true, 0);
	expect_varint("\x7F", 1, true, 127);
	expect_varint("\x80\x01", 2, true, 128);
	expect_varint("\xAC\x02", 2, true, 300);
	expect_varint("\x80\x80\x00", 3, true, 0); /* longer than necessary, but legal */
	expect_varint("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 10, true, UINT64_MAX);
	expect_varint("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02", 10, false, 0);
	expect_varint("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 11, false, 0);
	expect_varint("\x80\x80", 2, false, 0);
	expect_varint("", 0, false, 0);
	assert_true(jr_zigzag(0) == 0 && jr_zigzag(1) == -1 && jr_zigzag(2) == 1);
	assert_true(jr_zigzag(UINT64_MAX) == INT64_MIN && jr_zigzag(UINT64_MAX - 1) == INT64_MAX);
}

struct tally {
	atomic_uint runs[1000];
	atomic_size_t begun;
};

static void count_task(void *context, size_t index)
{
	struct tally *tally = context;
	atomic_fetch_add(&tally->runs[index], 1);
	atomic_fetch_add(&tally->begun, 1);
}

static UNIT(tasks_run_once)
{
	static const size_t threads[] = {0, 1, 2, 7, 1000};
	for (size_t t = 0; t < JR_COUNT_OF(threads); t++) {
		struct tally *tally = calloc(1, sizeof(*tally));
		assert_non_null(tally);
		jr_task_run(threads[t], 1000, count_task, tally);
		for (size_t i = 0; i < 1000; i++)
			assert_int_equal(atomic_load(&tally->runs[i]), 1);
		jr_task_run(threads[t], 0, count_task, tally);
		assert_int_equal(atomic_load(&tally->begun), 1000);
		free(tally);
	}
	assert_true(jr_task_default_threads() >= 1);
}

/* Tasks that start their own tasks, three levels deep. */
struct threads_seen {
	size_t n_threads;
	pthread_mutex_t lock;
	pid_t ids[64];
	size_t n, n_runs;
};

static void see_thread(void *context, size_t index)
{
	(void)index;
	struct threads_seen *seen = context;
	pthread_mutex_lock(&seen->lock);
	size_t i = 0;
	while (i < seen->n && seen->ids[i] != gettid())
		i++;
	if (i == seen->n && i < JR_COUNT_OF(seen->ids))
		seen->ids[seen->n++] = gettid();
	seen->n_runs++;
	pthread_mutex_unlock(&seen->lock);
	usleep(200);
}

static void inner_tasks(void *context, size_t index)
{
	struct threads_seen *seen = context;
	see_thread(seen, index);
	jr_task_run(seen->n_threads, 20, see_thread, seen);
}

static void outer_tasks(void *context, size_t index)
{
	struct threads_seen *seen = context;
	see_thread(seen, index);
	jr_task_run(seen->n_threads, 3, inner_tasks, seen);
}

static UNIT(tasks_of_tasks_share_the_threads)
{
	for (size_t n = 1; n <= 8; n++) {
		struct threads_seen seen = {.n_threads = n, .lock = PTHREAD_MUTEX_INITIALIZER};
		jr_task_run(n, 4, outer_tasks, &seen);
		assert_int_equal(seen.n_runs, 4 * (1 + 3 * (1 + 20)));
		assert_true(seen.n <= n);
	}
	/* one task with all the work does not keep the others idle */
	struct threads_seen seen = {.n_threads = 4, .lock = PTHREAD_MUTEX_INITIALIZER};
	jr_task_run(4, 1, outer_tasks, &seen);
	assert_true(seen.n > 1 && seen.n <= 4);
}

static jmp_buf no_memory;
static size_t lacking;

static void on_no_memory(size_t wanted, bool can_go_on)
{
	lacking = wanted;
	if (!can_go_on)
		longjmp(no_memory, 1);
}

/* A product of which only the lower half would be used. */
static UNIT(products_of_arenas_are_checked)
{
	JR_CLEANUP(jr_arena_done) struct jr_arena arena = {0};
	jr_oom_set_hook(on_no_memory);
	lacking = 0;
	if (setjmp(no_memory) == 0) {
		volatile size_t n = SIZE_MAX / sizeof(uint64_t) + 2;
		(void)JR_ARENA_N(&arena, uint64_t, n);
		fail();
	}
	assert_true(lacking == SIZE_MAX);
	struct jr_error err = {0};
	assert_int_equal(jr_no_room(&err, 12), JR_ELIMIT);
	assert_int_equal(lacking, 12); /* the hook was called and returned */
	jr_oom_set_hook(NULL);
	assert_null(jr_arena_array(&arena, SIZE_MAX / sizeof(uint64_t) + 2, sizeof(uint64_t), &err));
	assert_int_equal(err.status, JR_ELIMIT);
}

/* If memory for a size from the input is missing, the program does not end. */
static UNIT(room_that_there_is_not)
{
	struct jr_arena arena;
	JR_CLEANUP(jr_buf_done) struct jr_buf buf = {0};
	struct jr_error err = {0};
	jr_arena_init(&arena, 0);
	assert_null(jr_arena_array(&arena, UINT64_C(1) << 60, 2, &err));
	assert_int_equal(err.status, JR_ELIMIT);
	assert_non_null(strstr(err.message, "(--max-memory)"));
	assert_int_equal(jr_buf_room(&buf, UINT64_C(1) << 60, &err), JR_ELIMIT);
	assert_int_equal(jr_buf_room(&buf, UINT64_MAX, &err), JR_ELIMIT);
	assert_int_equal(jr_buf_room(&buf, 100, &err), JR_OK);
	jr_arena_done(&arena);
}

static UNIT(errors)
{
	struct jr_error err = {0};
	assert_int_equal(jr_fail(&err, JR_EFORMAT, "byte %d", 7), JR_EFORMAT);
	assert_string_equal(err.message, "byte 7");
	assert_int_equal(jr_context(&err, JR_EFORMAT, "reading '%s'", "x"), JR_EFORMAT);
	assert_string_equal(err.message, "reading 'x': byte 7");
	/* its own message may be an argument */
	assert_int_equal(jr_fail(&err, JR_EIO, "again: %s", err.message), JR_EIO);
	assert_string_equal(err.message, "again: reading 'x': byte 7");
	assert_int_equal(err.status, JR_EIO);
	(void)jr_fail(&err, JR_EIO, "member 'a/b' of 'x.zip' is damaged");
	(void)jr_context(&err, JR_EIO, "a/b");
	assert_string_equal(err.message, "member 'a/b' of 'x.zip' is damaged");
	(void)jr_context(&err, JR_EIO, "b");
	assert_string_equal(err.message, "b: member 'a/b' of 'x.zip' is damaged");
	char *longer = malloc(5000);
	assert_non_null(longer);
	memset(longer, 'a', 4999);
	longer[4999] = '\0';
	/* of a long name the middle is left out: the reason is behind it */
	jr_fail(&err, JR_EIO, "%s: too long", longer);
	assert_int_equal(strlen(err.message), sizeof(err.message) - 1);
	assert_string_equal(err.message + sizeof(err.message) - 12, "a: too long");
	jr_context(&err, JR_EIO, "%s", longer);
	assert_int_equal(strlen(err.message), sizeof(err.message) - 1);
	assert_non_null(strstr(err.message, "aa…aa"));
	assert_string_equal(err.message + sizeof(err.message) - 12, "a: too long");
	/* even longer */
	jr_fail(&err, JR_EIO, "%s%s", longer, longer);
	assert_string_equal(err.message + sizeof(err.message) - 6, "aa…");
	/* text is cut between letters, at any limit */
	for (size_t before = 0; before < 4; before++) {
		memset(longer, 'a', 4999);
		for (size_t i = before; i + 4 < 4999; i += 4)
			memcpy(longer + i, "\U0001F600", 4);
		jr_fail(&err, JR_EIO, "%s", longer);
		size_t n = strlen(err.message);
		assert_true(jr_text_is_clean(err.message, n));
		assert_non_null(strstr(err.message, "\U0001F600…\U0001F600"));
	}
	free(longer);
	assert_int_equal(jr_fail(NULL, JR_ELIMIT, "unheard"), JR_ELIMIT);
	assert_int_equal(jr_context(NULL, JR_ELIMIT, "unheard"), JR_ELIMIT);
}

static UNIT(limits)
{
	struct jr_limits lim = jr_limits_default();
	lim.entry_bytes = 1 << 30;
	lim.ratio = 100;
	assert_true(jr_limits_unpacked(&lim, 0) == 1 << 20);
	assert_true(jr_limits_unpacked(&lim, 1 << 20) == 100 << 20);
	assert_true(jr_limits_unpacked(&lim, UINT64_MAX) == 1 << 30);
	lim.entry_bytes = 1000;
	assert_true(jr_limits_unpacked(&lim, 0) == 1000);
	lim.ratio = 0;
	lim.entry_bytes = 1 << 30;
	assert_true(jr_limits_unpacked(&lim, 1 << 25) == 1 << 20);
}
