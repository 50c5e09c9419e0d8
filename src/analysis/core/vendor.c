#include "analysis/core/vendor.h"

#include <string.h>

#include "analysis/core/terms.h"
#include "base/buf.h"
#include "base/cleanup.h"

enum { N_VENDORS = JR_VENDOR_CPU + 1 };

/* Prefixes of device names; all other names count as NVIDIA's. */
static const char *const prefixes[N_VENDORS] = {
	[JR_VENDOR_AMD] = "AMD", [JR_VENDOR_TPU] = "TPU", [JR_VENDOR_CPU] = "CPU"};

/* All terms that depend on the platform. */
#define AMD_SMI "amd-smi metric --clock --power --temperature"
static const struct term {
	const char *mark; /* contains NVIDIA's term */
	const char *amd, *tpu, *cpu;
} terms[] = {
	{JR_GPU, "GPU", "TPU", "device"},
	{JR_GPU_WORK, "GPU work", "TPU work", "work"},
	{JR_CUDA, "HIP", "CUDA", "CUDA"},
	{JR_GRAPH, "HIP graph", "CUDA graph", "CUDA graph"},
	{JR_LIBRARIES, "HIP, hipBLASLt, MIOpen", "libtpu", "XLA"},
	{JR_EVENTS, "HIP calls, GPU operations and NVTX ranges", "TPU operations and host annotations",
		"operations and host annotations"},
	{JR_NCCL, "RCCL", "collectives", "collectives"},
	{JR_SM, "CU", "core", "core"},
	{JR_MULTIPROCESSOR, "compute unit", "core", "core"},
	{JR_TENSOR_CORE, "matrix core", "matrix unit", "matrix unit"},
	{JR_PROFILE_KERNEL, "rocprof-compute", "a profiler", "a profiler"},
	{JR_SHOW_CLOCKS, AMD_SMI, "see the device's monitoring", "see the device's monitoring"},
	{JR_SHOW_ALL_CLOCKS, AMD_SMI, "see the device's monitoring", "see the device's monitoring"},
	{JR_FUSED_ATTENTION, "the one in Transformer Engine, or one written with jax_triton",
		"splash attention in jax.experimental.pallas.ops.tpu", "one called with jax.ffi"},
	{JR_CAUSAL, "attn_mask_type='causal'", "a CausalMask", "a causal mask"},
	{JR_CUSTOM_KERNEL, "jax_triton", "Pallas", "jax.ffi"},
	{JR_FASTER_PRECISION, "tensorfloat32", "bfloat16", "tensorfloat32"},
};

static enum jr_vendor of_name(const char *name)
{
	for (size_t i = 0; i < N_VENDORS; i++)
		if (prefixes[i] && strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
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

/* --- marks ---------------------------------------------------------------------------------- */

/* The bytes of terms.h. */
enum { BEGIN_TERM = 1, END_TERM = 2, BEGIN_IF = 3, END_IF = 4 };

static bool holds(char condition, struct jr_words words, bool of_jax)
{
	enum jr_vendor vendor = words.vendor;
	switch (condition) {
	case JR_IF_NVIDIA: return vendor == JR_VENDOR_NVIDIA;
	case JR_IF_GPU: return vendor == JR_VENDOR_NVIDIA || vendor == JR_VENDOR_AMD;
	case JR_IF_TPU: return vendor == JR_VENDOR_TPU;
	case JR_UNLESS_TPU: return vendor != JR_VENDOR_TPU;
	case JR_IF_JAX: return of_jax;
	case JR_IF_PART: return words.of_part;
	case JR_UNLESS_PART: return !words.of_part;
	default: return !of_jax;
	}
}

static bool at_sentence(const struct jr_buf *out)
{
	return out->size == 0 || (out->size > 1 && memcmp(out->data + out->size - 2, ". ", 2) == 0);
}

/* Append the term for mark[0..n), which may begin a sentence. */
static void put_term(struct jr_buf *out, const char *mark, size_t n, enum jr_vendor vendor)
{
	const char *word = NULL;
	for (size_t i = 0; vendor != JR_VENDOR_NVIDIA && i < JR_COUNT_OF(terms); i++)
		if (strlen(terms[i].mark) == n && memcmp(terms[i].mark, mark, n) == 0)
			word = vendor == JR_VENDOR_AMD   ? terms[i].amd
				   : vendor == JR_VENDOR_TPU ? terms[i].tpu
											 : terms[i].cpu;
	bool raised = word && at_sentence(out) && mark[1] >= 'A' && mark[1] <= 'Z' && *word >= 'a';
	if (raised)
		jr_buf_putc(out, (char)(*word++ - 'a' + 'A'));
	if (word)
		jr_buf_puts(out, word);
	else
		jr_buf_add(out, mark + 1, n - 2);
}

static void put(struct jr_buf *out, const char *text, struct jr_words words, bool of_jax)
{
	size_t depth = 0, hidden = 0; /* of open conditions; of the first one that does not hold */
	bool joined = false;          /* text was left out here: keep only one blank */
	for (size_t n; *text; text += n) {
		n = 1;
		if (*text == BEGIN_IF && text[1]) {
			n = 2;
			hidden = !holds(text[1], words, of_jax) && !hidden ? depth + 1 : hidden;
			depth++;
		} else if (*text == END_IF) {
			joined |= hidden && hidden == depth;
			hidden = hidden == depth ? 0 : hidden;
			depth -= depth > 0;
		} else if (!hidden && *text == BEGIN_TERM) {
			n = strcspn(text, "\2");
			n += text[n] == END_TERM;
			put_term(out, text, n, words.vendor);
		} else if (!hidden &&
				   !(joined && *text == ' ' && (!out->size || out->data[out->size - 1] == ' '))) {
			jr_buf_putc(out, *text);
			joined = false;
		}
	}
	while (out->size && out->data[out->size - 1] == ' ')
		out->size--;
}

const char *jr_advice_words(
	struct jr_words words, bool of_jax, const char *text, struct jr_arena *arena)
{
	if (!text || !strpbrk(text, "\1\3"))
		return text;
	JR_CLEANUP(jr_buf_done) struct jr_buf out = {0};
	put(&out, text, words, of_jax);
	return out.size ? jr_arena_strndup(arena, out.data, out.size) : NULL;
}

const char *jr_vendor_words(struct jr_words words, const char *text, struct jr_arena *arena)
{
	return jr_advice_words(words, true, text, arena);
}

/* --- results -------------------------------------------------------------------------------- */

static void word_table(struct jr_words words, struct jr_table *table, struct jr_arena *arena)
{
	struct jr_table_spec *spec = JR_ARENA_NEW(arena, struct jr_table_spec);
	struct jr_column_spec *columns =
		JR_ARENA_N(arena, struct jr_column_spec, table->spec->n_columns + 1);
	*spec = *table->spec;
	spec->title = jr_vendor_words(words, spec->title, arena);
	spec->help = jr_vendor_words(words, spec->help, arena);
	for (size_t c = 0; c < spec->n_columns; c++) {
		columns[c] = spec->columns[c];
		columns[c].title = jr_vendor_words(words, columns[c].title, arena);
		columns[c].help = jr_vendor_words(words, columns[c].help, arena);
	}
	spec->columns = columns;
	table->spec = spec;
}

static void word_chart(struct jr_words words, struct jr_chart *chart, struct jr_arena *arena)
{
	chart->title = jr_vendor_words(words, chart->title, arena);
	chart->caption = jr_vendor_words(words, chart->caption, arena);
	chart->x_title = jr_vendor_words(words, chart->x_title, arena);
	chart->y_title = jr_vendor_words(words, chart->y_title, arena);
	chart->mark_title = jr_vendor_words(words, chart->mark_title, arena);
}

static void word_scalar(struct jr_words words, struct jr_scalar *scalar, struct jr_arena *arena)
{
	scalar->title = jr_vendor_words(words, scalar->title, arena);
	scalar->help = jr_vendor_words(words, scalar->help, arena);
	scalar->note = jr_vendor_words(words, scalar->note, arena);
}

void jr_vendor_words_section(
	struct jr_words words, struct jr_section *section, struct jr_arena *arena)
{
	section->unavailable = jr_vendor_words(words, section->unavailable, arena);
	for (size_t i = 0; i < section->n; i++) {
		struct jr_result_item *item = &section->items[i];
		switch (item->kind) {
		case JR_RESULT_TEXT: item->as.text = jr_vendor_words(words, item->as.text, arena); break;
		case JR_RESULT_SCALAR: word_scalar(words, item->as.scalar, arena); break;
		case JR_RESULT_TABLE: word_table(words, item->as.table, arena); break;
		case JR_RESULT_CHART: word_chart(words, item->as.chart, arena); break;
		case JR_RESULT_TREE:
			item->as.tree->title = jr_vendor_words(words, item->as.tree->title, arena);
			item->as.tree->caption = jr_vendor_words(words, item->as.tree->caption, arena);
			break;
		case JR_RESULT_ANSWER: /* its words are replaced by the verdict, which makes it */
		case JR_RESULT_LISTING: break;
		}
	}
}
