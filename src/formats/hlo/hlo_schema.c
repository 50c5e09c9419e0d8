#include "formats/hlo/hlo_schema.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "formats/hlo/wire.h"

/* The Makefile embeds proto/hlo.proto. */
extern const char jr_hlo_schema_text[];

/* First line after xla_data.proto: the text before it declares no messages of modules. */
#define FIRST_OF_MODULES "message HloInstructionProto {"

static bool is_left_out(const char *line, size_t n, unsigned used)
{
	static const struct {
		unsigned field;
		const char *declaration;
	} fields[] = {
		{JR_HLO_FIELD_DEVICE_LIST, " collective_device_list = 87;"},
		{JR_HLO_FIELD_IOTA, " iota_collective_device_list = 92;"},
		{JR_HLO_FIELD_MESH, " mesh_axes_replica_group_list = 93;"},
	};
	for (size_t i = 0; i < JR_COUNT_OF(fields); i++)
		if (!(used & fields[i].field) &&
			memmem(line, n, fields[i].declaration, strlen(fields[i].declaration)))
			return true;
	return false;
}

void jr_hlo_schema(unsigned used, struct jr_buf *data, struct jr_buf *hlo)
{
	const char *split = strstr(jr_hlo_schema_text, FIRST_OF_MODULES);
	jr_buf_add(data, jr_hlo_schema_text, (size_t)(split - jr_hlo_schema_text));
	jr_buf_puts(hlo, "syntax = \"proto3\";\n\npackage xla;\n\nimport \"xla/xla_data.proto\";\n\n");
	for (const char *line = split; *line;) {
		size_t n = strcspn(line, "\n") + 1;
		if (!is_left_out(line, n, used))
			jr_buf_add(hlo, line, n);
		line += n;
	}
}

/* Path: HloProto.hlo_module, HloModuleProto.computations, HloComputationProto.instructions. */
static const uint32_t way_down[] = {1, 3, 2};

static unsigned used_below(struct jr_bytes message, size_t level)
{
	struct jr_wire wire = jr_wire_of(message, message.data);
	struct jr_wire_field field;
	unsigned used = 0;
	while (jr_wire_more(&wire) && jr_wire_take(&wire, &field)) {
		if (field.type != JR_WIRE_BYTES)
			continue;
		if (level < JR_COUNT_OF(way_down)) {
			if (field.number == way_down[level])
				used |= used_below(field.bytes, level + 1);
			continue;
		}
		used |= field.number == 87   ? JR_HLO_FIELD_DEVICE_LIST
				: field.number == 92 ? JR_HLO_FIELD_IOTA
				: field.number == 93 ? JR_HLO_FIELD_MESH
									 : 0;
	}
	return used;
}

unsigned jr_hlo_schema_used(struct jr_bytes proto)
{
	return used_below(proto, 0);
}
