/*
 * Any bytes as HLO text: a whole module, and fragments. These are separated by lines "=": a
 * module's common frames after "@", computations after "}", otherwise an instruction, with stacks
 * after "|".
 */
#include "formats/hlo/hlo_parse.h"
#include "tests/fuzz/hlo_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_result(enum jr_status status, struct jr_hlo *hlo, const struct jr_error *err)
{
	if (status != JR_OK) {
		require(status == err->status && err->message[0] != '\0');
		return;
	}
	require(hlo->is_text && hlo->n_buffers == 0 && hlo->n_allocations == 0);
	check_hlo(hlo);
	jr_hlo_done(hlo);
}

static void add(struct jr_hlo_builder *b, const uint8_t *data, size_t size)
{
	uint64_t before = jr_hlo_builder_left_out(b);
	bool ok = true;
	if (size && *data == '@') {
		jr_hlo_builder_set_prefix(b, jr_bytes_of(data + 1, size - 1));
	} else if (size && *data == '}') {
		ok = jr_hlo_builder_add_computations(b, jr_bytes_of(data + 1, size - 1));
	} else {
		const uint8_t *stacks = size ? memchr(data, '|', size) : NULL;
		size_t n = stacks ? (size_t)(stacks - data) : size;
		ok = jr_hlo_builder_add_instruction(b, jr_bytes_of(data, n),
			stacks ? jr_bytes_of(stacks + 1, size - n - 1) : jr_bytes_of("", 0));
	}
	require(jr_hlo_builder_left_out(b) == before + !ok);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_limits limits = jr_limits_default();
	limits.memory_bytes = 64 << 20;
	struct jr_error err = {.message = ""};
	struct jr_hlo hlo;
	enum jr_status status = jr_hlo_decode_text(jr_bytes_of(data, size), &limits, &hlo, &err);
	check_result(status, &hlo, &err);
	struct jr_hlo_builder *b = jr_hlo_builder_new("m", 1, &limits);
	for (size_t at = 0; at < size;) {
		const uint8_t *end = memmem(data + at, size - at, "\n=\n", 3);
		size_t n = end ? (size_t)(end - data) - at : size - at;
		add(b, data + at, n);
		at += n + 3;
	}
	status = jr_hlo_builder_finish(b, &hlo, &err);
	check_result(status, &hlo, &err);
	jr_hlo_builder_free(b);
	return 0;
}
