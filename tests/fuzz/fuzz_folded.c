/* Any bytes as folded stacks: rejected, or read as stacks of clean text with a time each. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "compare/run/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
		abort();
}

static size_t depth_of(const char *stack)
{
	size_t depth = 1;
	for (; *stack; stack++)
		depth += *stack == ';';
	return depth;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_limits limits = jr_limits_default();
	limits.rows = 1000;
	limits.depth = 40;
	limits.memory_bytes = 16 << 20;
	struct jr_arena arena;
	struct jr_run_stacks stacks = {0};
	struct jr_error err = {0};
	jr_arena_init(&arena, limits.memory_bytes);
	if (jr_run_stacks_read(jr_bytes_of(data, size), "a.folded", &limits, &arena, &stacks, &err) ==
		JR_OK) {
		require(stacks.n <= limits.rows);
		for (size_t i = 0; i < stacks.n; i++) {
			const struct jr_run_stack *s = &stacks.items[i];
			require(jr_text_is_clean(s->stack, strlen(s->stack)));
			require(depth_of(s->stack) <= limits.depth);
			require(s->self_ns >= 0 && s->self_ns < 1e18);
		}
	} else {
		require(err.message[0] && !strchr(err.message, '\n'));
	}
	jr_arena_done(&arena);
	return 0;
}
