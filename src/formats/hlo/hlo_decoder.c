/* Services of the decoder for all readers of HLO messages: texts, ids, memory, counts. */
#include "formats/hlo/hlo_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

enum jr_status jr_hlo_text(
	struct jr_hlo_decoder *d, struct jr_bytes raw, const char **out, struct jr_error *err)
{
	const char *s = (const char *)raw.data;
	size_t n = raw.size;
	*out = "";
	if (n == 0)
		return JR_OK;
	if (n > d->limits->string_bytes || n > UINT32_MAX / 4)
		return jr_fail(err, JR_ELIMIT, "text of %zu bytes, limit %" PRIu64 " (--max-string-bytes)",
			n, d->limits->string_bytes);
	if (!jr_text_is_clean(s, n)) {
		d->clean.size = 0;
		jr_text_clean(&d->clean, s, n);
		s = d->clean.data;
		n = d->clean.size;
	}
	*out = jr_intern_str(d->strings, jr_intern_put(d->strings, s, n));
	return JR_OK;
}

enum jr_status jr_hlo_text_z(
	struct jr_hlo_decoder *d, const char *raw, const char **out, struct jr_error *err)
{
	return jr_hlo_text(d, jr_unpacked_text(raw, &d->raw), out, err);
}

enum jr_status jr_hlo_ids(struct jr_hlo_decoder *d, size_t n, const int64_t *ids,
	const int64_t **out, struct jr_error *err)
{
	*out = NULL;
	if (n == 0)
		return JR_OK;
	int64_t *copy;
	JR_TRY_ARRAY(copy, &d->hlo->arena, n, err);
	memcpy(copy, ids, n * sizeof(*copy));
	*out = copy;
	return JR_OK;
}

static uint64_t intern_bytes(const struct jr_intern *in)
{
	/* the table's entries take 16 bytes */
	return in->arena.used_bytes + in->capacity * 16 + in->n_slots * sizeof(*in->slots);
}

enum jr_status jr_hlo_check_memory(const struct jr_hlo_decoder *d, struct jr_error *err)
{
	uint64_t used = d->hlo->arena.used_bytes + intern_bytes(d->strings) +
					intern_bytes(&d->shape_keys) + intern_bytes(&d->metadata_keys) +
					intern_bytes(&d->attribute_keys) + d->attribute_bytes.capacity +
					d->unpacker.memory.used_bytes;
	if (used > d->limits->memory_bytes)
		return jr_fail(err, JR_ELIMIT,
			"module takes more than %" PRIu64 " bytes of memory (--max-memory)",
			d->limits->memory_bytes);
	return JR_OK;
}

enum jr_status jr_hlo_count_fields(struct jr_bytes message, const uint8_t *origin, uint32_t number,
	uint64_t *n, struct jr_error *err)
{
	struct jr_wire wire = jr_wire_of(message, origin);
	while (jr_wire_more(&wire)) {
		struct jr_wire_field field;
		JR_TRY(jr_wire_next(&wire, &field, err));
		*n += field.number == number && field.type == JR_WIRE_BYTES;
	}
	return JR_OK;
}
