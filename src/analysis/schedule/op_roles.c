#include "analysis/schedule/op_roles.h"

#include <string.h>

#include "analysis/schedule/launch_order.h"
#include "analysis/shared/columns.h"

const char *const jr_op_role_words[] = {"matrix products", "attention", "fusions",
	"copies and transposes", "communication, including waiting", "others", NULL};
const char *const jr_op_roles[] = {"gemm", "attention", "fusion", "copy", "wait", "unknown", NULL};

const char *jr_op_role(const struct jr_profile *p, const struct jr_op *op)
{
	static const struct {
		const char *category, *role;
	} roles[] = {{"gemm", "gemm"}, {"convolution", "gemm"}, {"dot", "gemm"},
		{"attention", "attention"}, {"fusion", "fusion"}, {"copy", "copy"}, {"transpose", "copy"}};
	if (op->communication)
		return jr_is_rendezvous(p, op) ? "wait" : "copy";
	/* Matrix products that XLA emits through Triton are fusions by opcode. */
	const char *category = strstr(jr_str(p, op->name), "gemm") ? "gemm" : jr_op_category(p, op);
	for (size_t i = 0; category && i < JR_COUNT_OF(roles); i++)
		if (strcmp(category, roles[i].category) == 0)
			return roles[i].role;
	return "unknown";
}

const char *jr_gpu_op_role(const struct jr_profile *p, size_t row, bool communicates)
{
	const struct jr_gpu_ops *t = &p->gpu_ops;
	if (t->kind[row] != JR_GPU_KERNEL)
		return t->kind[row] == JR_GPU_GRAPH ? "unknown" : "copy";
	if (communicates)
		return "wait";
	const char *name = jr_str(p, t->name[row]);
	return strstr(name, "gemm") || strstr(name, "Gemm") || strstr(name, "Cijk_")       ? "gemm"
		   : strstr(name, "attn") || strstr(name, "attention") || strstr(name, "fmha") ? "attention"
																					   : "unknown";
}
