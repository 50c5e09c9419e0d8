/*
 * hlo_schema.h - the schema of HLO dumps, split into files as in XLA. Archives carry it in protos/,
 * so that other tools can read their dumps.
 * Layer: formats.  The text is proto/hlo.proto.
 */
#ifndef JR_FORMATS_HLO_SCHEMA_H
#define JR_FORMATS_HLO_SCHEMA_H

#include "base/buf.h"

#define JR_MEMBER_SCHEMA "protos/xla/service/hlo.proto"
#define JR_MEMBER_SCHEMA_DATA "protos/xla/xla_data.proto"

/* Fields of HloInstructionProto that XLA added one after the other. NVIDIA's loader takes the
 * groups of a collective from the newest field that is declared, so a field must not be declared
 * unless dumps use it. */
enum jr_hlo_groups_field {
	JR_HLO_FIELD_DEVICE_LIST = 1, /* collective_device_list = 87 */
	JR_HLO_FIELD_IOTA = 2,        /* iota_collective_device_list = 92 */
	JR_HLO_FIELD_MESH = 4,        /* mesh_axes_replica_group_list = 93 */
};

/**
 * Append the texts of both files.
 *
 * @param used  bits of enum jr_hlo_groups_field: declare only these of them
 * @param data  xla/xla_data.proto: types used by the messages of modules
 * @param hlo   xla/service/hlo.proto, which imports the other
 */
void jr_hlo_schema(unsigned used, struct jr_buf *data, struct jr_buf *hlo);
/** Return the bits of the fields above that some instruction of a serialized xla.HloProto uses; 0
 * if it is damaged. O(size), copies nothing. */
unsigned jr_hlo_schema_used(struct jr_bytes proto);

#endif
