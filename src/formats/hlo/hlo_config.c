/* backend_config of XLA's GPU compiler: xla.gpu.GpuBackendConfig as JSON. */
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/num.h"
#include "formats/hlo/hlo_parts.h"
#include "formats/text/json_parse.h"

#define MAX_DEPTH 32
#define MAX_TILE 65536
#define MAX_LIST 64 /* dimensions; arrays have fewer */

/* protobuf's JSON writes 64-bit integers as texts: ["1","2"]. */
static bool integer_of(const struct jr_json *v, int64_t *out)
{
	const char *text = jr_json_string(v);
	if (text)
		return jr_parse_i64(text, strlen(text), out);
	return jr_json_integer(v, 0, out);
}

/* Copy a list of integers into the module's arena; false if it is not such a list. */
static bool list_of(
	struct jr_hlo_decoder *d, const struct jr_json *v, const int64_t **out, uint32_t *n)
{
	if (!v || v->kind != JR_JSON_ARRAY || v->n > MAX_LIST)
		return false;
	int64_t values[MAX_LIST];
	uint32_t found = 0;
	for (const struct jr_json *item = v->first; item; item = item->next)
		if (!integer_of(item, &values[found++]))
			return false;
	*out = NULL;
	*n = found;
	if (found) {
		int64_t *copy = JR_ARENA_N(&d->hlo->arena, int64_t, found);
		memcpy(copy, values, found * sizeof(*copy));
		*out = copy;
	}
	return true;
}

/* Return the index of a text in `names`, or a number below n; `other` for anything else. */
static uint8_t number_of(const struct jr_json *v, const char *const *names, size_t n, uint8_t other)
{
	const char *text = jr_json_string(v);
	for (size_t i = 0; text && i < n; i++)
		if (strcmp(text, names[i]) == 0)
			return (uint8_t)i;
	int64_t number;
	return !text && jr_json_integer(v, 0, &number) && number >= 0 && (uint64_t)number < n
			   ? (uint8_t)number
			   : other;
}

/* xla.PrecisionConfig.Algorithm, by number. */
static const char *const algorithms[] = {"ALG_UNSET", "ALG_DOT_ANY_F8_ANY_F8_F32",
	"ALG_DOT_ANY_F8_ANY_F8_F32_FAST_ACCUM", "ALG_DOT_F16_F16_F16", "ALG_DOT_F16_F16_F32",
	"ALG_DOT_BF16_BF16_BF16", "ALG_DOT_BF16_BF16_F32", "ALG_DOT_BF16_BF16_F32_X3",
	"ALG_DOT_BF16_BF16_F32_X6", "ALG_DOT_TF32_TF32_F32", "ALG_DOT_TF32_TF32_F32_X3",
	"ALG_DOT_F32_F32_F32", "ALG_DOT_F64_F64_F64", "ALG_DOT_BF16_BF16_F32_X9"};

/* HLO text has these names in small letters, without "ALG_". */
uint8_t jr_hlo_algorithm(const char *name, size_t n)
{
	for (size_t i = 0; i < JR_COUNT_OF(algorithms); i++)
		if (strlen(algorithms[i]) == n + 4 && strncasecmp(algorithms[i] + 4, name, n) == 0)
			return (uint8_t)i;
	return UINT8_MAX;
}

static void read_precision(const struct jr_json *config, struct jr_hlo_attributes *to)
{
	static const char *const precisions[] = {"DEFAULT", "HIGH", "HIGHEST"};
	const struct jr_json *list = jr_json_member(config, "operand_precision");
	for (const struct jr_json *item = list ? list->first : NULL; item; item = item->next) {
		uint8_t precision = number_of(item, precisions, JR_COUNT_OF(precisions), JR_HLO_HIGHEST);
		to->precision = precision > to->precision ? precision : to->precision;
	}
	const struct jr_json *algorithm = jr_json_member(config, "algorithm");
	if (algorithm)
		to->algorithm = number_of(algorithm, algorithms, JR_COUNT_OF(algorithms), UINT8_MAX);
}

static void read_gemm(
	struct jr_hlo_decoder *d, const struct jr_json *config, struct jr_hlo_attributes *to)
{
	const struct jr_json *dot = jr_json_member(config, "dot_dimension_numbers");
	if (!dot)
		return;
	const struct jr_json *list = jr_json_member(dot, "lhs_contracting_dimensions");
	to->has_contracting = !list || list_of(d, list, &to->lhs_contracting, &to->n_contracting);
	read_precision(jr_json_member(config, "precision_config"), to);
}

static void read_attention(
	struct jr_hlo_decoder *d, const struct jr_json *config, struct jr_hlo_attributes *to)
{
	static const char *const masks[] = {"NO_MASK", "PADDING", "CAUSAL", "PADDING_CAUSAL"};
	const struct jr_json *mask = jr_json_member(config, "mask_type");
	const struct jr_json *causal = jr_json_member(config, "is_causal_mask");
	if (mask)
		to->mask = number_of(mask, masks, JR_COUNT_OF(masks), JR_HLO_OTHER_MASK);
	else if (causal && causal->kind == JR_JSON_TRUE)
		to->mask = JR_HLO_CAUSAL;
	const struct jr_json *window = jr_json_member(config, "sliding_window_length");
	if (window && !integer_of(window, &to->sliding_window))
		to->sliding_window = 0;
	if (!list_of(d, jr_json_at(config, "intermediate_tensor_shape.dimensions"), &to->scores,
			&to->n_scores))
		to->n_scores = 0;
}

/* A block size; 0 if invalid. */
static uint32_t tile_of(const struct jr_json *config, const char *name)
{
	const struct jr_json *v = jr_json_member(config, name);
	int64_t tile;
	return v && integer_of(v, &tile) && tile > 0 && tile <= MAX_TILE ? (uint32_t)tile : 0;
}

static void read_tiles(const struct jr_json *config, struct jr_hlo_attributes *to)
{
	to->tile_m = tile_of(config, "block_m");
	to->tile_n = tile_of(config, "block_n");
	to->tile_k = tile_of(config, "block_k");
}

static int64_t stated(const struct jr_json *estimate, const char *name)
{
	int64_t value;
	const struct jr_json *v = jr_json_member(estimate, name);
	return v && integer_of(v, &value) && value >= 0 ? value : -1;
}

static void read_estimate(const struct jr_json *estimate, struct jr_hlo_attributes *to)
{
	if (!estimate)
		return;
	to->stated_flops = stated(estimate, "flops");
	to->stated_bytes = stated(estimate, "bytes_accessed");
	to->stated_transcendentals = stated(estimate, "transcendentals");
}

enum jr_status jr_hlo_read_backend_config(struct jr_hlo_decoder *d, struct jr_bytes text,
	struct jr_hlo_attributes *to, struct jr_error *err)
{
	if (text.size == 0)
		return JR_OK;
	struct jr_limits limits = *d->limits;
	limits.depth = MAX_DEPTH;
	JR_CLEANUP(jr_json_done) struct jr_json_doc doc = {0};
	struct jr_error other;
	if (jr_json_parse(text, &limits, &doc, &other) != JR_OK)
		return JR_OK;
	const struct jr_json *fusion = jr_json_member(doc.root, "fusion_backend_config");
	const char *kind = jr_json_string(jr_json_member(fusion, "kind"));
	if (kind) {
		JR_TRY(jr_hlo_text_z(d, kind, &to->backend_kind, err));
	}
	read_tiles(jr_json_member(fusion, "triton_gemm_config"), to);
	const struct jr_json *gemm = jr_json_member(doc.root, "gemm_backend_config");
	read_gemm(d, gemm ? gemm : doc.root, to); /* older XLA does not wrap it */
	const struct jr_json *attention = jr_json_member(doc.root, "cudnn_fmha_backend_config");
	read_attention(d, attention ? attention : doc.root, to);
	read_estimate(jr_json_at(doc.root, "custom_call_config.cost_estimate"), to);
	const struct jr_json *trips = jr_json_at(doc.root, "known_trip_count.n");
	if (trips && (!integer_of(trips, &to->trip_count) || to->trip_count < 0))
		to->trip_count = -1;
	return JR_OK;
}
