#include "model/kinds/kinds.h"

#define JR_INPUT(name) extern const struct jr_input_ops jr_input_##name;
#include "model/kinds/inputs.def"
#undef JR_INPUT

const struct jr_input_ops *const jr_input_kinds[] = {
#define JR_INPUT(name) &jr_input_##name,
#include "model/kinds/inputs.def"
#undef JR_INPUT
	NULL,
};
