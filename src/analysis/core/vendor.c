#include "analysis/core/vendor.h"

#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"

struct word {
	const char *from, *to;
};

/* The longer ones first: the first that fits counts. */
static const struct word amd_words[] = {
	{"nvidia-smi -q -d PERFORMANCE,CLOCK,POWER", "rocm-smi --showclocks --showpower --showtemp"},
	{"nvidia-smi -q -d PERFORMANCE", "rocm-smi --showclocks --showpower --showtemp"},
	{"Nsight Compute (ncu)", "rocprof-compute"},
	{"CUDA graph", "HIP graph"},
	{"CUDA, cuBLAS, cuDNN", "HIP, hipBLASLt, MIOpen"},
	{"CUDA", "HIP"},
	{"NCCL", "RCCL"},
	{"jax.nn.dot_product_attention(implementation='cudnn') or a Pallas attention kernel",
		"a fused attention kernel (Pallas, Transformer Engine)"},
	{"jax.nn.dot_product_attention(q, k, v, implementation='cudnn')",
		"one written in Pallas, or that of Transformer Engine"},
	{"streaming multiprocessors", "compute units"},
	{"tensor cores", "matrix cores"},
	{"SMs", "CUs"},
	{NULL, NULL},
};
static const struct word tpu_words[] = {
	{": GPU_0_bfc is of the first GPU of a process", ""},
	{"command buffers (CUDA graphs)", "command buffers"},
	{"CUDA calls, GPU operations and NVTX ranges", "TPU operations and the host's annotations"},
	{"jax.nn.dot_product_attention(implementation='cudnn') or a Pallas attention kernel",
		"a Pallas attention kernel (splash attention)"},
	{"jax.nn.dot_product_attention(q, k, v, implementation='cudnn')",
		"splash attention of jax.experimental.pallas.ops.tpu"},
	{"They run beside the tensor cores, because",
		"They take several passes of the matrix units, because"},
	{"default_matmul_precision('tensorfloat32')", "default_matmul_precision('bfloat16')"},
	{"multiples of 64 or better 128", "multiples of 128 or better 256"},
	{"multiples of 8 or better 64", "multiples of 8 or better 128"},
	{"streaming multiprocessors", "cores"},
	{"tensor cores", "matrix units"},
	{"SMs", "Cores"},
	{"GPU", "TPU"},
	{NULL, NULL},
};
static const struct word cpu_words[] = {
	{": GPU_0_bfc is of the first GPU of a process", ""},
	{"GPU or TPU", "GPU or TPU"},
	{"CUDA calls, GPU operations and NVTX ranges", "operations and the host's annotations"},
	{"GPU work", "Work"},
	{"GPU", "device"},
	{NULL, NULL},
};

/* What a sentence of advice speaks of that such a device does not have. */
static const char *const amd_lacks[] = {
	"cuDNN", "cudnn", "cuBLAS", "cuda", "nsys", "Nsight", "compute capability", "NVLink",
	"Types, head size", NULL};
static const char *const tpu_lacks[] = {"cuDNN", "cudnn", "cuBLAS", "CUDA", "cuda", "nsys",
	"Nsight", "ncu", "--xla_gpu", "nvidia-smi", "NCCL", "NVLink", "Triton", "compute capability",
	"command buffer", "streams", "launched", "atomics", "Types, head size", NULL};

/* All that follows the platform: how its devices are called, the words for what they have, and what
 * they lack. A device of another name is NVIDIA's. */
static const struct platform {
	const char *prefix;
	const struct word *words; /* NULL: texts are written for it */
	const char *const *lacks;
} platforms[] = {
	[JR_VENDOR_NVIDIA] = {"", NULL, NULL},
	[JR_VENDOR_AMD] = {"AMD", amd_words, amd_lacks},
	[JR_VENDOR_TPU] = {"TPU", tpu_words, tpu_lacks},
	[JR_VENDOR_CPU] = {"CPU", cpu_words, tpu_lacks},
};

static enum jr_vendor of_name(const char *name)
{
	for (size_t i = 0; i < JR_COUNT_OF(platforms); i++)
		if (*platforms[i].prefix &&
			strncmp(name, platforms[i].prefix, strlen(platforms[i].prefix)) == 0)
			return (enum jr_vendor)i;
	return JR_VENDOR_NVIDIA;
}

enum jr_vendor jr_vendor_of(const struct jr_profile *p)
{
	enum jr_vendor vendor = JR_VENDOR_NVIDIA;
	if (p->n_devices == 0 && p->n_gpus_seen == 0 && (p->on_cpu || p->by_jax_profiler))
		return JR_VENDOR_CPU;
	for (size_t d = 0; d < p->n_devices; d++) {
		enum jr_vendor own = of_name(jr_str(p, p->devices[d].gpu_name));
		if (d && own != vendor)
			return JR_VENDOR_NVIDIA;
		vendor = own;
	}
	return vendor;
}

/* Names stand in quotes: what is in them is the program's, whatever words it is made of. Whether
 * text[0..n) goes on in quotes, where it came `quoted` to its first byte. */
static bool in_quotes(const char *text, size_t n, bool quoted)
{
	return n >= 3 && memcmp(text, "“", 3) == 0	 ? true
		: n >= 3 && memcmp(text, "”", 3) == 0 ? false
												 : quoted;
}

/* Where a sentence ends: behind its stop and the blank, ahead of a capital. */
static size_t sentence(const char *text)
{
	size_t n = strlen(text);
	bool quoted = false;
	for (size_t i = 0; i < n; i++) {
		quoted = in_quotes(text + i, n - i, quoted);
		if (!quoted && text[i] == '.' && text[i + 1] == ' ' && text[i + 2] >= 'A' &&
			text[i + 2] <= 'Z')
			return i + 2;
	}
	return n;
}

static bool begins_with(const char *text, size_t n, const char *word)
{
	return n >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

static bool speaks_of(const char *text, size_t n, const char *const *words)
{
	bool quoted = false;
	for (size_t i = 0; i < n; i++) {
		quoted = in_quotes(text + i, n - i, quoted);
		for (const char *const *word = words; !quoted && *word; word++)
			if (begins_with(text + i, n - i, *word))
				return true;
	}
	return false;
}

static bool of_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

/* A whole word, or its plural: "GPU" is in "GPUs", not in "HGPU" or "GPU_MEMORY". */
static const struct word *word_at(const struct word *words, const char *text, size_t at, size_t n)
{
	for (; words->from; words++) {
		size_t length = strlen(words->from), end = at + length;
		if (!begins_with(text + at, n - at, words->from))
			continue;
		if (at && of_word(*words->from) && of_word(text[at - 1]))
			continue;
		end += end < n && text[end] == 's';
		if (end == n || !of_word(text[end]) || !of_word(text[at + length - 1]))
			return words;
	}
	return NULL;
}

static void translate(struct jr_buf *out, const char *text, size_t n, const struct word *words)
{
	bool quoted = false;
	for (size_t i = 0; i < n;) {
		quoted = in_quotes(text + i, n - i, quoted);
		const struct word *word = quoted ? NULL : word_at(words, text, i, n);
		if (word) {
			jr_buf_puts(out, word->to);
			i += strlen(word->from);
		} else {
			jr_buf_putc(out, text[i++]);
		}
	}
}

static const char *fitting(const char *text, const struct word *words, const char *const *lacks,
	bool whole, struct jr_arena *arena)
{
	if (!text || !*text || !words)
		return text;
	JR_CLEANUP(jr_buf_done) struct jr_buf all = {0};
	for (size_t at = 0, n; text[at]; at += n) {
		n = sentence(text + at);
		JR_CLEANUP(jr_buf_done) struct jr_buf one = {0};
		translate(&one, text + at, n, words);
		bool capital = text[at] >= 'A' && text[at] <= 'Z';
		if (capital && one.size && one.data[0] >= 'a' && one.data[0] <= 'z')
			one.data[0] = (char)(one.data[0] - 'a' + 'A');
		if (one.size && (whole || !speaks_of(one.data, one.size, lacks)))
			jr_buf_add(&all, one.data, one.size);
	}
	while (all.size && all.data[all.size - 1] == ' ')
		all.size--;
	return all.size ? jr_arena_strndup(arena, all.data, all.size) : NULL;
}

const char *jr_vendor_words(
	enum jr_vendor vendor, const char *text, bool whole, struct jr_arena *arena)
{
	return fitting(text, platforms[vendor].words, platforms[vendor].lacks, whole, arena);
}

const char *jr_words_without_jax(const char *text, struct jr_arena *arena)
{
	static const struct word words[] = {
		{" (jax.profiler.TraceAnnotation)", ""},
		{"see whether jax.devices() lists one", "see which devices the program finds"},
		{"see whether jax.devices() lists it", "see whether the program finds it"},
		{": jax.config.update(\"jax_log_compiles\", True) names them", ""},
		{"between start_trace and stop_trace", "while the trace is taken"},
		{"before start_trace", "before the trace begins"},
		{" (block_until_ready)", ""},
		{" (np.asarray, block_until_ready)", ""},
		{" with jax.lax.scan or fori_loop", ", in a loop that XLA compiles"},
		{" (jax.jit(donate_argnums=...))", ""},
		{": call jax.device_put one step ahead", ", one step ahead"},
		{NULL, NULL},
	};
	static const char *const lacks[] = {"jax", "jnp", "jit", "lax.", "np.", NULL};
	return fitting(text, words, lacks, false, arena);
}

static void name_table(enum jr_vendor vendor, struct jr_table *table, struct jr_arena *arena)
{
	struct jr_table_spec *spec = JR_ARENA_NEW(arena, struct jr_table_spec);
	struct jr_column_spec *columns =
		JR_ARENA_N(arena, struct jr_column_spec, table->spec->n_columns + 1);
	*spec = *table->spec;
	spec->title = jr_vendor_words(vendor, spec->title, true, arena);
	spec->help = jr_vendor_words(vendor, spec->help, true, arena);
	for (size_t c = 0; c < spec->n_columns; c++) {
		columns[c] = spec->columns[c];
		columns[c].title = jr_vendor_words(vendor, columns[c].title, true, arena);
		columns[c].help = jr_vendor_words(vendor, columns[c].help, true, arena);
	}
	spec->columns = columns;
	table->spec = spec;
}

void jr_vendor_name_tables(
	enum jr_vendor vendor, const struct jr_section *section, struct jr_arena *arena)
{
	if (!platforms[vendor].words)
		return;
	for (size_t i = 0; i < section->n; i++)
		if (section->items[i].kind == JR_RESULT_TABLE)
			name_table(vendor, section->items[i].as.table, arena);
}
