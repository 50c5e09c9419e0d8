#include "formats/hlo_schema.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"

/* proto/hlo.proto, by the Makefile. */
extern const char jr_hlo_schema_text[];

/* Where xla_data.proto ends: what stands above has no message of modules in it. */
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
