#include "analysis/memory/program_memory.h"
#include "analysis/memory/memory_tables.h"

const char *const jr_memory_classes[] = {
	"parameter", "output", "constant", "temporary", "several", "unused", NULL};
const char *const jr_memory_class_roles[] = {
	"series-5", "series-3", "series-4", "series-1", "unknown", "idle-inside", NULL};
const char *const jr_memory_part_keys[JR_N_MEMORY_PARTS + 1] = {
	JR_KEY(JR_PROGRAM_MEMORY, parameter_bytes), JR_KEY(JR_PROGRAM_MEMORY, output_bytes),
	JR_KEY(JR_PROGRAM_MEMORY, constant_bytes), JR_KEY(JR_PROGRAM_MEMORY, temporary_bytes), NULL};

const char *jr_memory_part_name(enum jr_memory_part part)
{
	static const char *const names[JR_N_MEMORY_PARTS] = {
		"parameters", "outputs", "constants", "temporaries"};
	return names[part];
}

int64_t jr_memory_add(int64_t a, uint64_t b)
{
	int64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

enum jr_memory_part jr_memory_part_of(const struct jr_hlo_allocation *allocation)
{
	if (allocation->thread_local || allocation->host)
		return JR_N_MEMORY_PARTS;
	return allocation->parameter  ? JR_MEMORY_PARAMETERS
		   : allocation->live_out ? JR_MEMORY_OUTPUTS
		   : allocation->constant ? JR_MEMORY_CONSTANTS
								  : JR_MEMORY_TEMPORARIES;
}

const char *jr_memory_class(const struct jr_hlo_allocation *allocation)
{
	enum jr_memory_part part = jr_memory_part_of(allocation);
	if (part == JR_N_MEMORY_PARTS)
		return allocation->thread_local ? "thread-local" : "host";
	return jr_memory_classes[part];
}

struct jr_program_memory jr_program_memory_of(const struct jr_hlo *hlo)
{
	struct jr_program_memory m = {.known = hlo && hlo->n_allocations};
	for (uint32_t i = 0; m.known && i < hlo->n_allocations; i++) {
		const struct jr_hlo_allocation *a = &hlo->allocations[i];
		enum jr_memory_part part = jr_memory_part_of(a);
		if (part == JR_N_MEMORY_PARTS) {
			if (a->host && !a->thread_local)
				m.host_bytes = jr_memory_add(m.host_bytes, a->size_bytes);
			continue;
		}
		m.allocated_bytes = jr_memory_add(m.allocated_bytes, a->size_bytes);
		m.part_bytes[part] = jr_memory_add(m.part_bytes[part], a->size_bytes);
		if (a->parameter && a->live_out)
			m.donated_bytes = jr_memory_add(m.donated_bytes, a->size_bytes);
	}
	return m;
}
