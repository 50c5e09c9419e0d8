#include "analysis/compile/compile_summary.h"

#include "base/num.h"
#include "base/text.h"

static void put_name(struct jr_buf *out, const struct jr_intern *names, uint32_t name)
{
	jr_text_clean(out, jr_intern_str(names, name), jr_intern_len(names, name));
}

static void put_module(struct jr_buf *out, const struct jr_intern *names,
	const struct jr_compile_module *module, const struct jr_compile_phase *phases)
{
	jr_buf_puts(out, "Compilation: ");
	put_name(out, names, module->name);
	jr_buf_puts(out, ": ");
	char text[JR_NUM_MAX];
	jr_num_python(text, (double)module->total_ns / 1e9, 0);
	jr_buf_printf(out, "%s\n", text);
	double total_s = (double)module->total_ns / 1e9, shares = 0;
	for (uint32_t i = 0; i < module->n_phases && module->total_ns > 0; i++) {
		const struct jr_compile_phase *phase = &phases[module->first_phase + i];
		double self_s = (double)phase->self_ns / 1e9, share = self_s / total_s;
		shares += share;
		if (!(shares < JR_COMPILE_SUMMARY_SHARE))
			break;
		jr_buf_putc(out, ' ');
		put_name(out, names, phase->name);
		jr_num_grouped(text, share * 100, 2);
		jr_buf_printf(out, " %s%% ", text);
		jr_num_python(text, self_s, 4);
		jr_buf_printf(out, "%s\n", text);
	}
}

void jr_compile_modules_text(const struct jr_compile_module *modules, size_t n_modules,
	const struct jr_compile_phase *phases, const struct jr_intern *names, struct jr_buf *out)
{
	for (size_t i = 0; i < n_modules; i++)
		put_module(out, names, &modules[i], phases);
}

void jr_compile_summary_text(const struct jr_host_ranges *ranges, bool passes, struct jr_buf *out)
{
	struct jr_compile_summary summary;
	if (jr_compile_summarize(ranges, passes, &summary, NULL) != JR_OK)
		return;
	jr_compile_modules_text(
		summary.modules, summary.n_modules, summary.phases, &summary.names, out);
	jr_compile_summary_done(&summary);
}
