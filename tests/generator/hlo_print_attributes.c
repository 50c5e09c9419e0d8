/* Attributes of instructions, in the order in which XLA prints them. */
#include <string.h>

#include "base/cleanup.h"
#include "hlo_print.h"
#include "plant.h"

/* absl::CEscape */
void gen_hlo_put_escaped(struct jr_buf *out, const char *s, size_t n)
{
	static const char special[] = "\n\r\t\"'\\", letters[] = "nrt\"'\\";
	for (size_t i = 0; i < n; i++) {
		const char *at = s[i] ? strchr(special, s[i]) : NULL;
		if (at)
			jr_buf_printf(out, "\\%c", letters[at - special]);
		else if (s[i] < ' ' || s[i] == 0x7F)
			jr_buf_printf(out, "\\%03o", s[i] == GEN_NUL ? 0U : (unsigned char)s[i]);
		else
			jr_buf_putc(out, s[i]);
	}
}

void gen_hlo_put_quoted(struct jr_buf *out, const char *key, const char *s)
{
	jr_buf_printf(out, "%s\"", key);
	gen_hlo_put_escaped(out, s, strlen(s));
	jr_buf_putc(out, '"');
}

/* "{1,0}" */
void gen_hlo_put_numbers(
	struct jr_buf *out, const char *key, const int64_t *items, size_t n, const char *brackets)
{
	jr_buf_printf(out, "%s%c", key, brackets[0]);
	for (size_t i = 0; i < n; i++)
		jr_buf_printf(out, "%s%lld", i ? "," : "", (long long)items[i]);
	jr_buf_putc(out, brackets[1]);
}

bool gen_hlo_is(const Xla__HloInstructionProto *in, const char *opcode)
{
	return strcmp(in->opcode, opcode) == 0;
}

static void put_pairs(struct jr_buf *out, const Xla__Window *w, const char *key, int64_t usual,
	size_t low, size_t high)
{
	bool some = false;
	for (size_t i = 0; i < w->n_dimensions; i++) {
		const char *d = (const char *)w->dimensions[i];
		some |= *(const int64_t *)(d + low) != usual || *(const int64_t *)(d + high) != usual;
	}
	jr_buf_puts(out, some ? key : "");
	for (size_t i = 0; some && i < w->n_dimensions; i++) {
		const char *d = (const char *)w->dimensions[i];
		jr_buf_printf(out, "%s%lld", i ? "x" : "", (long long)*(const int64_t *)(d + low));
		if (low != high)
			jr_buf_printf(out, "_%lld", (long long)*(const int64_t *)(d + high));
	}
}

/* "{size=3x3 stride=2x2 pad=1_1x1_1}" */
static void put_window(struct jr_buf *out, const Xla__Window *w)
{
	static const struct {
		const char *key;
		int64_t usual;
		size_t low, high;
	} parts[] = {
#define PART(key, usual, a, b)                                                                     \
	{key, usual, offsetof(Xla__WindowDimension, a), offsetof(Xla__WindowDimension, b)}
		PART("size=", 0, size, size),
		PART(" stride=", 1, stride, stride),
		PART(" pad=", 0, padding_low, padding_high),
		PART(" lhs_dilate=", 1, base_dilation, base_dilation),
		PART(" rhs_dilate=", 1, window_dilation, window_dilation),
#undef PART
	};
	jr_buf_puts(out, ", window={");
	for (size_t i = 0; i < JR_COUNT_OF(parts); i++)
		put_pairs(out, w, parts[i].key, parts[i].usual, parts[i].low, parts[i].high);
	jr_buf_putc(out, '}');
}

/* One array of dim_labels: "b" and "f" at their dimensions, digits at spatial ones. */
static void put_labels(struct jr_buf *out, const char letters[2], const int64_t at[2],
	const int64_t *spatial, size_t n)
{
	for (int64_t i = 0; i < (int64_t)n + 2; i++) {
		char label = i == at[0] ? letters[0] : i == at[1] ? letters[1] : '?';
		for (size_t k = 0; k < n; k++)
			label = spatial[k] == i ? (char)('0' + k) : label;
		jr_buf_putc(out, label);
	}
}

static void put_convolution(struct jr_buf *out, const Xla__ConvolutionDimensionNumbers *c)
{
	const int64_t input[2] = {c->input_batch_dimension, c->input_feature_dimension};
	const int64_t kernel[2] = {
		c->kernel_input_feature_dimension, c->kernel_output_feature_dimension};
	const int64_t output[2] = {c->output_batch_dimension, c->output_feature_dimension};
	jr_buf_puts(out, ", dim_labels=");
	put_labels(out, "bf", input, c->input_spatial_dimensions, c->n_input_spatial_dimensions);
	jr_buf_putc(out, '_');
	put_labels(out, "io", kernel, c->kernel_spatial_dimensions, c->n_kernel_spatial_dimensions);
	jr_buf_puts(out, "->");
	put_labels(out, "bf", output, c->output_spatial_dimensions, c->n_output_spatial_dimensions);
}

static void put_precision(struct jr_buf *out, const Xla__PrecisionConfig *p)
{
	static const char *const precisions[] = {"default", "high", "highest"};
	static const char *const algorithms[] = {NULL, "any_f8_any_f8_f32",
		"any_f8_any_f8_f32_fast_accum", "f16_f16_f16", "f16_f16_f32", "bf16_bf16_bf16",
		"bf16_bf16_f32", "bf16_bf16_f32_x3", "bf16_bf16_f32_x6", "tf32_tf32_f32",
		"tf32_tf32_f32_x3", "f32_f32_f32", "f64_f64_f64", "bf16_bf16_f32_x9"};
	bool some = false;
	for (size_t i = 0; i < p->n_operand_precision; i++)
		some |= p->operand_precision[i] != 0;
	for (size_t i = 0; some && i < p->n_operand_precision; i++)
		jr_buf_printf(out, "%s%s", i ? "," : ", operand_precision={",
			precisions[(size_t)p->operand_precision[i] % JR_COUNT_OF(precisions)]);
	jr_buf_puts(out, some ? "}" : "");
	if (p->algorithm > 0 && (size_t)p->algorithm < JR_COUNT_OF(algorithms))
		jr_buf_printf(out, ", algorithm=dot_%s", algorithms[p->algorithm]);
}

static void put_replica_groups(struct jr_buf *out, Xla__ReplicaGroup **groups, size_t n)
{
	jr_buf_putc(out, '{');
	for (size_t i = 0; i < n; i++)
		gen_hlo_put_numbers(
			out, i ? "," : "", groups[i]->replica_ids, groups[i]->n_replica_ids, "{}");
	jr_buf_putc(out, '}');
}

/* "[2,4]<=[8]", "[2,4]<=[4,2]T(1,0)" */
static void put_iota(struct jr_buf *out, const Xla__IotaReplicaGroupListProto *m)
{
	const int64_t sizes[2] = {m->num_replica_groups, m->num_devices_per_group};
	gen_hlo_put_numbers(out, "", sizes, 2, "[]");
	gen_hlo_put_numbers(out, "<=", m->iota_reshape_dims, m->n_iota_reshape_dims, "[]");
	bool moved = false;
	for (size_t i = 0; i < m->n_iota_transpose_perm; i++)
		moved |= m->iota_transpose_perm[i] != (int32_t)i;
	for (size_t i = 0; moved && i < m->n_iota_transpose_perm; i++)
		jr_buf_printf(out, "%s%d", i ? "," : "T(", m->iota_transpose_perm[i]);
	jr_buf_puts(out, moved ? ")" : "");
}

/* "mesh['data'=2,'fsdp'=4] {'data','fsdp'}" */
static void put_mesh(struct jr_buf *out, const Xla__MeshAxesReplicaGroupListProto *m)
{
	jr_buf_puts(out, "mesh[");
	for (size_t i = 0; m->mesh && i < m->mesh->n_axes; i++)
		jr_buf_printf(out, "%s'%s'=%lld", i ? "," : "", m->mesh->axes[i]->name,
			(long long)m->mesh->axes[i]->size);
	jr_buf_puts(out, "] {");
	for (size_t i = 0; i < m->n_axes; i++) {
		const Xla__AxisRefProto *a = m->axes[i];
		jr_buf_printf(out, "%s'%s'", i ? "," : "", m->mesh->axes[a->mesh_axis_index]->name);
		if (a->sub_axis_info)
			jr_buf_printf(out, ":(%lld)%lld", (long long)a->sub_axis_info->pre_size,
				(long long)a->sub_axis_info->size);
	}
	jr_buf_putc(out, '}');
}

static int64_t n_grouped(const Xla__HloInstructionProto *in,
	const Xla__IotaReplicaGroupListProto *iota, Xla__ReplicaGroup **groups, size_t n_groups)
{
	const Xla__MeshAxesReplicaGroupListProto *m = in->mesh_axes_replica_group_list;
	int64_t n = iota ? iota->num_replica_groups * iota->num_devices_per_group : m ? 1 : 0;
	for (size_t i = 0; !iota && m && i < m->mesh->n_axes; i++)
		n *= m->mesh->axes[i]->size;
	for (size_t i = 0; !iota && !m && i < n_groups; i++)
		n += (int64_t)groups[i]->n_replica_ids;
	return n;
}

/* From each device to the next one: proto/hlo.proto does not declare the pairs. */
static void put_ring(struct jr_buf *out, int64_t n)
{
	jr_buf_putc(out, '{');
	for (int64_t i = 0; i < n; i++)
		jr_buf_printf(out, "%s{%lld,%lld}", i ? "," : "", (long long)i, (long long)((i + 1) % n));
	jr_buf_putc(out, '}');
}

void gen_hlo_put_groups(struct jr_buf *out, const Xla__HloInstructionProto *in)
{
	const Xla__CollectiveDeviceListProto *list = in->collective_device_list;
	const Xla__IotaReplicaGroupListProto *iota = in->iota_collective_device_list;
	iota = iota || !list ? iota : list->iota_replica_group_list;
	Xla__ReplicaGroup **groups = list ? list->replica_groups : in->replica_groups;
	size_t n_groups = list ? list->n_replica_groups : in->n_replica_groups;
	if (!iota && !in->mesh_axes_replica_group_list && !n_groups)
		return;
	if (strncmp(in->opcode, "collective-permute", 18) == 0)
		put_ring(out, n_grouped(in, iota, groups, n_groups));
	else if (iota)
		put_iota(out, iota);
	else if (in->mesh_axes_replica_group_list)
		put_mesh(out, in->mesh_axes_replica_group_list);
	else
		put_replica_groups(out, groups, n_groups);
}

static void put_groups(struct jr_buf *out, const Xla__HloInstructionProto *in)
{
	static const char *const keys[] = {"replica_groups=", "source_target_pairs="};
	size_t before = out->size;
	bool permutes = strncmp(in->opcode, "collective-permute", 18) == 0;
	jr_buf_printf(out, ", channel_id=1, %s", keys[permutes]);
	size_t begin = out->size;
	gen_hlo_put_groups(out, in);
	if (out->size == begin)
		out->size = before;
}

static void put_fft(struct jr_buf *out, const Xla__HloInstructionProto *in)
{
	static const char *const types[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
	jr_buf_printf(out, ", fft_type=%s", types[(size_t)in->fft_type % JR_COUNT_OF(types)]);
	gen_hlo_put_numbers(out, ", fft_length=", in->fft_length, in->n_fft_length, "{}");
}

/* What an operation is, without the computations that it calls. */
void gen_hlo_put_attributes(struct jr_buf *out, const Xla__HloInstructionProto *in)
{
	put_groups(out, in);
	if (gen_hlo_is(in, "get-tuple-element"))
		jr_buf_printf(out, ", index=%lld", (long long)in->tuple_index);
	if (gen_hlo_is(in, "iota") && in->n_dimensions)
		jr_buf_printf(out, ", iota_dimension=%lld", (long long)in->dimensions[0]);
	else if (in->n_dimensions || gen_hlo_is(in, "broadcast"))
		gen_hlo_put_numbers(out, ", dimensions=", in->dimensions, in->n_dimensions, "{}");
	if (gen_hlo_is(in, "dynamic-slice") && in->shape)
		gen_hlo_put_numbers(
			out, ", dynamic_slice_sizes=", in->shape->dimensions, in->shape->n_dimensions, "{}");
	if (gen_hlo_is(in, "fft"))
		put_fft(out, in);
	if (in->window)
		put_window(out, in->window);
	if (in->convolution_dimension_numbers)
		put_convolution(out, in->convolution_dimension_numbers);
	if (in->feature_group_count > 1)
		jr_buf_printf(out, ", feature_group_count=%lld", (long long)in->feature_group_count);
	if (in->batch_group_count > 1)
		jr_buf_printf(out, ", batch_group_count=%lld", (long long)in->batch_group_count);
	if (in->dot_dimension_numbers)
		gen_hlo_put_numbers(out,
			", lhs_contracting_dims=", in->dot_dimension_numbers->lhs_contracting_dimensions,
			in->dot_dimension_numbers->n_lhs_contracting_dimensions, "{}");
	if (in->precision_config)
		put_precision(out, in->precision_config);
	if (*in->comparison_direction)
		jr_buf_printf(out, ", direction=%s", in->comparison_direction);
	if (*in->custom_call_target)
		gen_hlo_put_quoted(out, ", custom_call_target=", in->custom_call_target);
	if (*in->fusion_kind)
		jr_buf_printf(out, ", kind=%s", in->fusion_kind);
}

void gen_hlo_put_metadata(struct jr_buf *out, const Xla__OpMetadata *m)
{
	size_t before = out->size;
	const char *const open = ", metadata={";
	jr_buf_puts(out, open);
	size_t begin = out->size;
	if (*m->op_name)
		gen_hlo_put_quoted(out, " op_name=", m->op_name);
	if (m->stack_frame_id)
		jr_buf_printf(out, " stack_frame_id=%d", m->stack_frame_id);
	if (*m->source_file)
		gen_hlo_put_quoted(out, " source_file=", m->source_file);
	if (m->source_line)
		jr_buf_printf(out, " source_line=%d", m->source_line);
	if (*m->scheduling_name)
		gen_hlo_put_quoted(out, " scheduling_name=", m->scheduling_name);
	if (out->size == begin) {
		out->data[out->size = before] = '\0';
		return;
	}
	memmove(out->data + begin, out->data + begin + 1, out->size - begin - 1);
	out->data[out->size - 1] = '}';
}
