/* The schema in two files: compare their declarations. */
#include <string.h>

#include "unit.h"

#include "formats/hlo/hlo_schema.h"

static UNIT(test_fields_by_use)
{
	static const struct {
		unsigned field;
		const char *declaration;
	} fields[] = {
		{JR_HLO_FIELD_DEVICE_LIST, "CollectiveDeviceListProto collective_device_list = 87;"},
		{JR_HLO_FIELD_IOTA, "IotaReplicaGroupListProto iota_collective_device_list = 92;"},
		{JR_HLO_FIELD_MESH, "MeshAxesReplicaGroupListProto mesh_axes_replica_group_list = 93;"},
	};
	for (unsigned used = 0; used < 8; used++) {
		struct jr_buf data = {0}, hlo = {0};
		jr_hlo_schema(used, &data, &hlo);
		for (size_t i = 0; i < 3; i++)
			assert_int_equal(
				strstr(hlo.data, fields[i].declaration) != NULL, (used & fields[i].field) != 0);
		assert_non_null(strstr(hlo.data, "\nimport \"xla/xla_data.proto\";\n"));
		assert_non_null(strstr(hlo.data, "\tint64 batch_group_count = 58;\n"));
		assert_null(strstr(hlo.data, "enum PrimitiveType {"));
		assert_non_null(strstr(data.data, "\nenum PrimitiveType {\n"));
		assert_null(strstr(data.data, "message HloInstructionProto"));
		jr_buf_done(&data);
		jr_buf_done(&hlo);
	}
}
