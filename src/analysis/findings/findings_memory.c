/* Rules about device memory. */
#include "analysis/core/terms.h"
#include "analysis/findings/advice.h"
#include "analysis/memory/donation.h"
#include "analysis/memory/program_memory.h"
#include "analysis/memory/memory_tables.h"

/* --- texts ----------------------------------------------------------------------------------- */

#define PEAK_MEMORY_SUBJECT "Peak memory"
#define PEAK_MEMORY_TITLE " is %s of device memory"
#define PEAK_MEMORY_EVIDENCE_SIZES "It is %s of %s. %s"
#define PEAK_MEMORY_WHY                                                                            \
	JR_ON_GPU("JAX allocates 75 %% of the memory by default (%s); beyond that a step fails or XLA "\
	"begins to recompute.")                                                                        \
	JR_ON_TPU("A step that needs more memory than the device has fails, or XLA begins to "         \
	"recompute.")
#define PEAK_MEMORY_WHY_OUTPUTS "The largest part is results."
#define PEAK_MEMORY_WHY_CONSTANTS                                                                  \
	"The largest part is constants, arrays that the function closes over."
#define PEAK_MEMORY_ACTION_OUTPUTS "Return less, and shard the results (out_shardings)."
#define PEAK_MEMORY_ACTION_CONSTANTS                                                               \
	"Pass constants as arguments, which can be sharded and are stored once for all programs."
#define PEAK_MEMORY_EVIDENCE "XLA allocates it for %s:"
#define PEAK_MEMORY_EVIDENCE_LARGEST " The largest of %s buffer%s alive at its peak is %s (%s), %s."

#define DONATION_FRAC 0.05 /* share of the allocated memory from which donation is reported */

const char *jr_check_donatable(struct jr_check *c)
{
	const struct jr_hlo *hlo = c->step == JR_NONE ? NULL : c->ctx->profile->programs[c->step].hlo;
	struct jr_donation d = hlo ? jr_donation_of(hlo, c->ctx->scratch) : (struct jr_donation){0};
	struct jr_program_memory memory = jr_program_memory_of(hlo);
	bool worth =
		d.known && d.n_could &&
		(!memory.known || (double)d.could_bytes >= DONATION_FRAC * (double)memory.allocated_bytes);
	return worth ? jr_check_bytes(c, (double)d.could_bytes) : NULL;
}

static void add_memory_advice(struct jr_check *c, const struct jr_memory_use *use)
{
	size_t largest = jr_check_largest(use->part_bytes, JR_N_MEMORY_PARTS);
	const struct jr_about about = {.op = JR_NONE,
		.found = largest == JR_MEMORY_PARAMETERS    ? 1
				 : largest == JR_MEMORY_TEMPORARIES ? 2
													: 0,
		.word = jr_check_uses_memory(c, use, c->step) ? jr_check_donatable(c) : NULL};
	jr_check_why(c, PEAK_MEMORY_WHY, jr_flag_name(JR_FLAG_MEMORY_FRACTION, c->ctx->arena));
	if (largest == JR_MEMORY_OUTPUTS) {
		jr_check_why(c, PEAK_MEMORY_WHY_OUTPUTS);
		jr_check_do(c, PEAK_MEMORY_ACTION_OUTPUTS);
	} else if (largest == JR_MEMORY_CONSTANTS) {
		jr_check_why(c, PEAK_MEMORY_WHY_CONSTANTS);
		jr_check_do(c, PEAK_MEMORY_ACTION_CONSTANTS);
	}
	jr_advise(c, JR_ADVICE_MEMORY, &about);
}

static const char *memory_evidence(struct jr_check *c, const struct jr_memory_use *use)
{
	struct jr_buf text = {0};
	const struct jr_table *live = use->live;
	jr_buf_printf(&text, PEAK_MEMORY_EVIDENCE, jr_check_name(c, use->name));
	for (size_t k = 0; k < JR_N_MEMORY_PARTS; k++)
		jr_buf_printf(&text, "%s %s %s", k ? "," : "", jr_memory_part_name(k),
			jr_check_bytes(c, use->part_bytes[k]));
	jr_buf_putc(&text, '.');
	if (live && live->n_rows) {
		const char *name = jr_table_text(live, JR_KEY(JR_LIVE, instruction), 0);
		const char *class = jr_table_text(live, JR_KEY(JR_LIVE, class), 0);
		jr_buf_printf(&text, PEAK_MEMORY_EVIDENCE_LARGEST,
			jr_check_count(c, live->n_rows), live->n_rows == 1 ? "" : "s",
			*name ? jr_check_name(c, name) : "unnamed", class,
			jr_check_bytes(c, jr_table_number(live, JR_LIVE_bytes, 0)));
	}
	const char *copy = jr_arena_strndup(c->ctx->arena, text.data, text.size);
	jr_buf_done(&text);
	return copy;
}

void jr_rule_peak_memory(struct jr_check *c)
{
	uint64_t memory = jr_check_device_memory(c->ctx->profile);
	struct jr_memory_use use = jr_check_memory_use(c);
	if (!use.name || !memory)
		return;
	if (!jr_check_fires(c, use.allocated_bytes / (double)memory))
		return;
	jr_check_title(c, PEAK_MEMORY_SUBJECT, PEAK_MEMORY_TITLE, jr_check_percent(c, c->value));
	add_memory_advice(c, &use);
	jr_check_evidence(c, PEAK_MEMORY_EVIDENCE_SIZES,
		jr_check_bytes(c, use.allocated_bytes), jr_check_bytes(c, (double)memory),
		memory_evidence(c, &use));
}
