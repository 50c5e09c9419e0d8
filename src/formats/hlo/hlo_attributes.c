/* Attributes of an instruction besides its operands: windows, dimension numbers, precisions. */

#include "formats/hlo/hlo_parts.h"

/* Longer texts are programs of other compilers (Mosaic, Triton), not a few settings. */
#define MAX_CONFIG 65536

bool jr_hlo_take_attribute(
	struct jr_hlo_decoder *d, const struct jr_wire_field *field, struct jr_bytes raw)
{
	switch (field->number) { /* proto/hlo.proto */
	case 43:                 /* backend_config: ignored unless JSON */
		if (field->type != JR_WIRE_BYTES || field->bytes.size == 0 ||
			field->bytes.size > MAX_CONFIG || field->bytes.data[0] != '{')
			return true;
		break;
	case 11: /* fusion_kind */
	case 14: /* dimensions */
	case 15: /* window */
	case 16: /* convolution_dimension_numbers */
	case 30: /* dot_dimension_numbers */
	case 31: /* fft_type */
	case 32: /* fft_length */
	case 50: /* feature_group_count */
	case 51: /* precision_config */
	case 58: /* batch_group_count */
	case 63: /* comparison_direction */ break;
	default: return false;
	}
	jr_buf_add(&d->attribute_bytes, raw.data, raw.size);
	return true;
}

static int64_t or_one(int64_t stated)
{
	return stated ? stated : 1;
}

static enum jr_status copy_list(struct jr_hlo_decoder *d, size_t n, const int64_t *from,
	const int64_t **to, uint32_t *n_to, struct jr_error *err)
{
	if (n > UINT32_MAX)
		return jr_fail(err, JR_ELIMIT, "too many numbers in a list (%zu)", n);
	*n_to = (uint32_t)n;
	return jr_hlo_ids(d, n, from, to, err);
}

static enum jr_status copy_window(struct jr_hlo_decoder *d, const Xla__Window *from,
	struct jr_hlo_attributes *to, struct jr_error *err)
{
	if (!from || from->n_dimensions == 0)
		return JR_OK;
	if (from->n_dimensions > UINT32_MAX)
		return jr_fail(err, JR_ELIMIT, "too many dimensions in a window (%zu)", from->n_dimensions);
	struct jr_hlo_window_dimension *window;
	JR_TRY_ARRAY(window, &d->hlo->arena, from->n_dimensions, err);
	for (size_t i = 0; i < from->n_dimensions; i++) {
		const Xla__WindowDimension *w = from->dimensions[i];
		window[i] = (struct jr_hlo_window_dimension){
			.size = w->size,
			.stride = or_one(w->stride),
			.padding_low = w->padding_low,
			.padding_high = w->padding_high,
			.window_dilation = or_one(w->window_dilation),
			.base_dilation = or_one(w->base_dilation),
		};
	}
	to->window = window;
	to->n_window = (uint32_t)from->n_dimensions;
	return JR_OK;
}

/* Treat lists of different lengths as absent: they are not dimension numbers. */
static enum jr_status copy_convolution(struct jr_hlo_decoder *d,
	const Xla__ConvolutionDimensionNumbers *from, struct jr_hlo_attributes *to,
	struct jr_error *err)
{
	if (!from || from->n_input_spatial_dimensions != from->n_kernel_spatial_dimensions ||
		from->n_input_spatial_dimensions != from->n_output_spatial_dimensions)
		return JR_OK;
	struct jr_hlo_convolution *c;
	JR_TRY_ARRAY(c, &d->hlo->arena, 1, err);
	*c = (struct jr_hlo_convolution){
		.input_batch = from->input_batch_dimension,
		.input_feature = from->input_feature_dimension,
		.kernel_input_feature = from->kernel_input_feature_dimension,
		.kernel_output_feature = from->kernel_output_feature_dimension,
		.output_batch = from->output_batch_dimension,
		.output_feature = from->output_feature_dimension,
	};
	size_t n = from->n_input_spatial_dimensions;
	JR_TRY(copy_list(d, n, from->input_spatial_dimensions, &c->input_spatial, &c->n_spatial, err));
	JR_TRY(jr_hlo_ids(d, n, from->kernel_spatial_dimensions, &c->kernel_spatial, err));
	JR_TRY(jr_hlo_ids(d, n, from->output_spatial_dimensions, &c->output_spatial, err));
	to->convolution = c;
	return JR_OK;
}

static void copy_precision(const Xla__PrecisionConfig *from, struct jr_hlo_attributes *to)
{
	if (!from)
		return;
	for (size_t i = 0; i < from->n_operand_precision; i++)
		if (from->operand_precision[i] > to->precision)
			to->precision = from->operand_precision[i] < JR_HLO_HIGHEST
								? (uint8_t)from->operand_precision[i]
								: JR_HLO_HIGHEST;
	to->algorithm =
		from->algorithm >= 0 && from->algorithm < UINT8_MAX ? (uint8_t)from->algorithm : UINT8_MAX;
}

static enum jr_status copy_attributes(struct jr_hlo_decoder *d,
	const Xla__HloInstructionProto *from, struct jr_hlo_attributes *to, struct jr_error *err)
{
	JR_TRY(jr_hlo_text_z(d, from->fusion_kind, &to->fusion_kind, err));
	JR_TRY(jr_hlo_text_z(d, from->comparison_direction, &to->direction, err));
	JR_TRY(copy_list(
		d, from->n_dimensions, from->dimensions, &to->dimensions, &to->n_dimensions, err));
	JR_TRY(copy_list(
		d, from->n_fft_length, from->fft_length, &to->fft_length, &to->n_fft_length, err));
	to->fft_type =
		from->fft_type >= 0 && from->fft_type < UINT8_MAX ? (uint8_t)from->fft_type : UINT8_MAX;
	to->feature_group_count = or_one(from->feature_group_count);
	to->batch_group_count = or_one(from->batch_group_count);
	const Xla__DotDimensionNumbers *dot = from->dot_dimension_numbers;
	to->has_contracting = dot != NULL;
	if (dot)
		JR_TRY(copy_list(d, dot->n_lhs_contracting_dimensions, dot->lhs_contracting_dimensions,
			&to->lhs_contracting, &to->n_contracting, err));
	copy_precision(from->precision_config, to);
	JR_TRY(copy_window(d, from->window, to, err));
	return copy_convolution(d, from->convolution_dimension_numbers, to, err);
}

static bool is_nothing(const struct jr_hlo_attributes *a)
{
	return !*a->fusion_kind && !*a->backend_kind && !*a->direction && !a->n_dimensions &&
		   !a->has_contracting && !a->n_fft_length && !a->fft_type && !a->n_window &&
		   !a->convolution && !a->n_scores && !a->tile_m && !a->tile_n && !a->tile_k &&
		   !a->precision && !a->algorithm && a->feature_group_count == 1 &&
		   a->batch_group_count == 1 && a->stated_flops < 0 && a->stated_bytes < 0 &&
		   a->stated_transcendentals < 0 && a->trip_count < 0;
}

static enum jr_status decode_attributes(struct jr_hlo_decoder *d, struct jr_bytes message,
	const struct jr_hlo_attributes **out, struct jr_error *err)
{
	*out = NULL;
	d->unpacker.origin = message.data; /* separate memory: offsets in errors are within it */
	const Xla__HloInstructionProto *from =
		jr_unpack(&d->unpacker, &xla__hlo_instruction_proto__descriptor, message, err);
	d->unpacker.origin = d->origin;
	if (!from)
		return jr_context(err, err->status, "attributes of an instruction");
	struct jr_hlo_attributes read = {.fusion_kind = "",
		.backend_kind = "",
		.direction = "",
		.stated_flops = -1,
		.stated_bytes = -1,
		.stated_transcendentals = -1,
		.trip_count = -1};
	JR_TRY(copy_attributes(d, from, &read, err));
	struct jr_bytes config = {from->backend_config.data, from->backend_config.len};
	JR_TRY(jr_hlo_read_backend_config(d, config, &read, err));
	if (is_nothing(&read))
		return JR_OK;
	struct jr_hlo_attributes *kept;
	JR_TRY_ARRAY(kept, &d->hlo->arena, 1, err);
	*kept = read;
	*out = kept;
	return JR_OK;
}

enum jr_status jr_hlo_find_attributes(
	struct jr_hlo_decoder *d, const struct jr_hlo_attributes **out, struct jr_error *err)
{
	*out = NULL;
	struct jr_bytes message = jr_buf_view(&d->attribute_bytes);
	if (message.size == 0)
		return JR_OK;
	if (message.size > JR_HLO_KNOWN_BYTES)
		return decode_attributes(d, message, out, err);
	uint32_t id = jr_intern_put(&d->attribute_keys, (const char *)message.data, message.size);
	while (d->attributes.n <= id) { /* id 0 is the empty text */
		const struct jr_hlo_attributes *attributes = NULL;
		if (d->attributes.n)
			JR_TRY(decode_attributes(d, message, &attributes, err));
		*jr_vec_add(&d->attributes) = attributes;
	}
	*out = d->attributes.items[id];
	return JR_OK;
}
