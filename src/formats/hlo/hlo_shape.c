/* Array and tuple shapes: copied, measured, hashed and printed. */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "formats/hlo/hlo_parts.h"

/* Values of layout.memory_space; 5 is host memory (spec of the archive, section Analyses 1). */
#define NEAR_MEMORY_SPACE 1
#define HOST_MEMORY_SPACE 5

/* Names as XLA prints them; bits as they count in message sizes. */
static const struct {
	const char *name;
	uint8_t bits;
} element_types[] = {
	[XLA__PRIMITIVE_TYPE__PRED] = {"pred", 8},
	[XLA__PRIMITIVE_TYPE__S1] = {"s1", 1},
	[XLA__PRIMITIVE_TYPE__S2] = {"s2", 2},
	[XLA__PRIMITIVE_TYPE__S4] = {"s4", 4},
	[XLA__PRIMITIVE_TYPE__S8] = {"s8", 8},
	[XLA__PRIMITIVE_TYPE__S16] = {"s16", 16},
	[XLA__PRIMITIVE_TYPE__S32] = {"s32", 32},
	[XLA__PRIMITIVE_TYPE__S64] = {"s64", 64},
	[XLA__PRIMITIVE_TYPE__U1] = {"u1", 1},
	[XLA__PRIMITIVE_TYPE__U2] = {"u2", 2},
	[XLA__PRIMITIVE_TYPE__U4] = {"u4", 4},
	[XLA__PRIMITIVE_TYPE__U8] = {"u8", 8},
	[XLA__PRIMITIVE_TYPE__U16] = {"u16", 16},
	[XLA__PRIMITIVE_TYPE__U32] = {"u32", 32},
	[XLA__PRIMITIVE_TYPE__U64] = {"u64", 64},
	[XLA__PRIMITIVE_TYPE__F4E2M1FN] = {"f4e2m1fn", 4},
	[XLA__PRIMITIVE_TYPE__F8E3M4] = {"f8e3m4", 8},
	[XLA__PRIMITIVE_TYPE__F8E4M3] = {"f8e4m3", 8},
	[XLA__PRIMITIVE_TYPE__F8E4M3FN] = {"f8e4m3fn", 8},
	[XLA__PRIMITIVE_TYPE__F8E4M3FNUZ] = {"f8e4m3fnuz", 8},
	[XLA__PRIMITIVE_TYPE__F8E4M3B11FNUZ] = {"f8e4m3b11fnuz", 8},
	[XLA__PRIMITIVE_TYPE__F8E5M2] = {"f8e5m2", 8},
	[XLA__PRIMITIVE_TYPE__F8E5M2FNUZ] = {"f8e5m2fnuz", 8},
	[XLA__PRIMITIVE_TYPE__F8E8M0FNU] = {"f8e8m0fnu", 8},
	[XLA__PRIMITIVE_TYPE__F16] = {"f16", 16},
	[XLA__PRIMITIVE_TYPE__BF16] = {"bf16", 16},
	[XLA__PRIMITIVE_TYPE__F32] = {"f32", 32},
	[XLA__PRIMITIVE_TYPE__F64] = {"f64", 64},
	[XLA__PRIMITIVE_TYPE__C64] = {"c64", 64},
	[XLA__PRIMITIVE_TYPE__C128] = {"c128", 128},
	[XLA__PRIMITIVE_TYPE__TUPLE] = {"tuple", 0},
	[XLA__PRIMITIVE_TYPE__OPAQUE_TYPE] = {"opaque", 0},
	[XLA__PRIMITIVE_TYPE__TOKEN] = {"token", 0},
	[XLA__PRIMITIVE_TYPE__BUFFER] = {"b", 0},
};

/* The names in hlo.h have the numbers of the wire format. */
#define SAME(name)                                                                                 \
	_Static_assert((int)JR_HLO_##name == (int)XLA__PRIMITIVE_TYPE__##name, #name " is another")
SAME(PRED);
SAME(S8);
SAME(U8);
SAME(F16);
SAME(F32);
SAME(F64);
SAME(TUPLE);
SAME(C64);
SAME(BF16);
SAME(TOKEN);
SAME(C128);
SAME(F8E5M2);
SAME(F8E4M3FN);
SAME(S4);
SAME(U4);
SAME(F8E4M3B11FNUZ);
SAME(F8E5M2FNUZ);
SAME(F8E4M3FNUZ);
SAME(F8E4M3);
SAME(F8E3M4);
SAME(F4E2M1FN);
SAME(F8E8M0FNU);
_Static_assert((int)JR_HLO_OPAQUE == (int)XLA__PRIMITIVE_TYPE__OPAQUE_TYPE, "OPAQUE is another");

unsigned jr_hlo_element_bits(unsigned element_type)
{
	return element_type < JR_COUNT_OF(element_types) ? element_types[element_type].bits : 0;
}

uint8_t jr_hlo_element_type(const char *name, size_t n)
{
	for (size_t i = 0; i < JR_COUNT_OF(element_types); i++)
		if (element_types[i].name && *element_types[i].name == *name &&
			strlen(element_types[i].name) == n && memcmp(element_types[i].name, name, n) == 0)
			return (uint8_t)i;
	return 0;
}

/* A layout is usable only if it is a list of valid dimension numbers. */
static bool usable_layout(const Xla__ShapeProto *from)
{
	const Xla__LayoutProto *layout = from->layout;
	if (!layout || from->n_dimensions == 0 || layout->n_minor_to_major != from->n_dimensions)
		return false;
	for (size_t i = 0; i < layout->n_minor_to_major; i++)
		if ((uint64_t)layout->minor_to_major[i] >= from->n_dimensions) /* negative ones too */
			return false;
	return true;
}

static enum jr_status copy_dimensions(const Xla__ShapeProto *from, struct jr_arena *arena,
	struct jr_hlo_shape *to, struct jr_error *err)
{
	size_t n = from->n_dimensions;
	bool layout = usable_layout(from);
	if (n > UINT32_MAX)
		return jr_fail(err, JR_ELIMIT, "too many dimensions in a shape (%zu)", n);
	if (n == 0)
		return JR_OK;
	int64_t *values;
	JR_TRY_ARRAY(values, arena, (uint64_t)n * (layout ? 2 : 1), err);
	/* A negative size means unknown (an unbounded dimension): no bytes. */
	for (size_t i = 0; i < n; i++) {
		values[i] = from->dimensions[i] > 0 ? from->dimensions[i] : 0;
		to->unbounded |= from->dimensions[i] < 0;
	}
	to->dimensions = values;
	to->n_dimensions = (uint32_t)n;
	if (layout) {
		memcpy(values + n, from->layout->minor_to_major, n * sizeof(*values));
		to->minor_to_major = values + n;
	}
	return JR_OK;
}

static uint64_t array_bytes(const struct jr_hlo_shape *shape)
{
	for (uint32_t i = 0; i < shape->n_dimensions; i++)
		if (shape->dimensions[i] == 0)
			return 0;
	uint64_t elements = 1;
	for (uint32_t i = 0; i < shape->n_dimensions; i++)
		if (__builtin_mul_overflow(elements, (uint64_t)shape->dimensions[i], &elements))
			return UINT64_MAX;
	/* elements * bits, rounded up to bytes; the product itself could overflow */
	uint64_t bits = jr_hlo_element_bits(shape->element_type);
	uint64_t bytes;
	if (__builtin_mul_overflow(elements / 8, bits, &bytes) ||
		__builtin_add_overflow(bytes, (elements % 8 * bits + 7) / 8, &bytes))
		return UINT64_MAX;
	return bytes;
}

/* Sum the elements with known sizes. */
static uint64_t tuple_bytes(const struct jr_hlo_shape *shape)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < shape->n_tuple; i++)
		if (__builtin_add_overflow(sum, shape->tuple[i].size_bytes, &sum))
			return UINT64_MAX;
	return sum;
}

uint64_t jr_hlo_shape_bytes(const struct jr_hlo_shape *shape)
{
	return shape->size_bytes;
}

/* Copy a shape. The unpacker bounds the depth of the recursion. */
enum jr_status jr_hlo_copy_shape(const Xla__ShapeProto *from, struct jr_arena *arena,
	struct jr_hlo_shape *to, struct jr_error *err)
{
	int type = (int)from->element_type;
	*to = (struct jr_hlo_shape){
		.element_type = type > 0 && type <= UINT8_MAX ? (uint8_t)type : 0,
		.host_memory = from->layout && from->layout->memory_space == HOST_MEMORY_SPACE,
		.near_memory = from->layout && from->layout->memory_space == NEAR_MEMORY_SPACE,
	};
	JR_TRY(copy_dimensions(from, arena, to, err));
	if (from->n_tuple_shapes == 0) {
		to->size_bytes = array_bytes(to);
		return JR_OK;
	}
	if (from->n_tuple_shapes > UINT32_MAX)
		return jr_fail(err, JR_ELIMIT, "too many shapes in a tuple (%zu)", from->n_tuple_shapes);
	struct jr_hlo_shape *tuple;
	JR_TRY_ARRAY(tuple, arena, from->n_tuple_shapes, err);
	for (size_t i = 0; i < from->n_tuple_shapes; i++)
		JR_TRY(jr_hlo_copy_shape(from->tuple_shapes[i], arena, &tuple[i], err));
	to->tuple = tuple;
	to->n_tuple = (uint32_t)from->n_tuple_shapes;
	to->size_bytes = tuple_bytes(to);
	return JR_OK;
}

uint64_t jr_hlo_shape_hash(const struct jr_hlo_shape *shape, uint64_t seed)
{
	uint64_t head[4] = {shape->element_type, (uint64_t)shape->near_memory << 1 | shape->host_memory,
		shape->n_dimensions, (uint64_t)shape->n_tuple << 1 | (shape->minor_to_major ? 1 : 0)};
	uint64_t hash = jr_hash(head, sizeof(head), seed);
	if (shape->n_dimensions)
		hash = jr_hash(shape->dimensions, shape->n_dimensions * sizeof(int64_t), hash);
	if (shape->minor_to_major)
		hash = jr_hash(shape->minor_to_major, shape->n_dimensions * sizeof(int64_t), hash);
	for (uint32_t i = 0; i < shape->n_tuple; i++)
		hash = jr_hlo_shape_hash(&shape->tuple[i], hash);
	return hash;
}

/* Lists stop after this number of bytes and state the number of further elements. */
#define TEXT_ENOUGH 400

static void put_number(struct jr_buf *out, int64_t value)
{
	char text[JR_NUM_MAX];
	jr_buf_add(out, text, jr_num_i64(text, value));
}

static void put_list(struct jr_buf *out, char open, const int64_t *values, uint32_t n, char close)
{
	jr_buf_putc(out, open);
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			jr_buf_putc(out, ',');
		if (out->size > TEXT_ENOUGH) {
			jr_buf_printf(out, " %" PRIu32 " more", n - i);
			break;
		}
		put_number(out, values[i]);
	}
	jr_buf_putc(out, close);
}

static void put_shape(struct jr_buf *out, const struct jr_hlo_shape *shape)
{
	const char *name = shape->element_type < JR_COUNT_OF(element_types)
						   ? element_types[shape->element_type].name
						   : NULL;
	if (shape->element_type == XLA__PRIMITIVE_TYPE__TUPLE || shape->n_tuple) {
		if (shape->element_type != XLA__PRIMITIVE_TYPE__TUPLE && name)
			jr_buf_puts(out, name);
		jr_buf_putc(out, '(');
		for (uint32_t i = 0; i < shape->n_tuple; i++) {
			if (i)
				jr_buf_puts(out, ", ");
			if (out->size > TEXT_ENOUGH) {
				jr_buf_printf(out, "%" PRIu32 " more", shape->n_tuple - i);
				break;
			}
			put_shape(out, &shape->tuple[i]);
		}
		jr_buf_putc(out, ')');
		return;
	}
	if (name)
		jr_buf_puts(out, name);
	else
		jr_buf_printf(out, "type%u", (unsigned)shape->element_type);
	put_list(out, '[', shape->dimensions, shape->n_dimensions, ']');
	if (shape->minor_to_major)
		put_list(out, '{', shape->minor_to_major, shape->n_dimensions, '}');
}

const char *jr_hlo_shape_text(const struct jr_hlo_shape *shape, struct jr_arena *arena)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	put_shape(&text, shape);
	return jr_arena_strndup(arena, text.data, text.size);
}
