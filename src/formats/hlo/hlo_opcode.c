#include "formats/hlo/hlo_opcode.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/order.h"

enum jr_hlo_opcode jr_hlo_opcode_of(const char *name)
{
#define NAME(constant, text) text,
	static const char *const names[] = {JR_HLO_OPCODES(NAME)};
#undef NAME
	size_t low = 0, high = sizeof(names) / sizeof(names[0]);
	JR_SEARCH(low, high, middle, strcmp(names[middle], name) < 0);
	bool found = low < sizeof(names) / sizeof(names[0]) && strcmp(names[low], name) == 0;
	return found ? (enum jr_hlo_opcode)(low + 1) : JR_OP_OTHER;
}
