/* Damage to a digest below the checksums of its parts. */
#include <string.h>

#include "base/cleanup.h"
#include "base/reader.h"
#include "formats/archive/xz.h"
#include "model/digest/digests.h"
#include "mutate.h"

/* Append a part, damaged or as it is. */
static bool put_part(struct rng *rng, struct jr_bytes part, bool damaged, struct jr_buf *out)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf bytes = {0};
	const struct jr_limits limits = jr_limits_default();
	if (jr_xz_decode(part, &limits, &bytes, NULL) != JR_OK)
		return false;
	if (damaged && bytes.size)
		damage_bytes(rng, &bytes);
	jr_digest_put_part(jr_buf_view(&bytes), (struct jr_bytes){0}, out);
	return true;
}

bool damage_digest(struct rng *rng, struct jr_buf *file)
{
	const char *end = memchr(file->data, '\n', file->size);
	struct jr_reader in = {jr_buf_view(file), (size_t)(end - file->data) + 1};
	struct jr_buf out = {0};
	bool whole = true;
	jr_buf_add(&out, file->data, in.pos);
	while (whole && jr_reader_left(&in) > 0) {
		uint64_t size;
		struct jr_bytes part;
		whole = jr_reader_u64le(&in, &size) && jr_reader_take(&in, size, &part) &&
				put_part(rng, part, rng_one_in(rng, 2), &out);
	}
	if (!whole) {
		jr_buf_done(&out);
		return false;
	}
	jr_buf_done(file);
	*file = out;
	return true;
}
