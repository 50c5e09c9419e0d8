/*
 * hlo_schema.h - the schema of HLO dumps as XLA splits it into files: what archives carry in
 * protos/, so that others can read the dumps in them.
 * Layer: formats.  The text is proto/hlo.proto.
 */
#ifndef JR_FORMATS_HLO_SCHEMA_H
#define JR_FORMATS_HLO_SCHEMA_H

#include "base/buf.h"

#define JR_MEMBER_SCHEMA "protos/xla/service/hlo.proto"
#define JR_MEMBER_SCHEMA_DATA "protos/xla/xla_data.proto"

/* Fields of HloInstructionProto that XLA got one after the other. NVIDIA's loader asks by which of
 * them a collective tells its groups: it takes the newest that is declared, so that one must not be
 * declared unless dumps use it. */
enum jr_hlo_groups_field {
	JR_HLO_FIELD_DEVICE_LIST = 1, /* collective_device_list = 87 */
	JR_HLO_FIELD_IOTA = 2,        /* iota_collective_device_list = 92 */
	JR_HLO_FIELD_MESH = 4,        /* mesh_axes_replica_group_list = 93 */
};

/**
 * Append the texts of both files.
 *
 * @param used  bits of enum jr_hlo_groups_field: the only ones of these that are declared
 * @param data  xla/xla_data.proto: types that messages of modules are made of
 * @param hlo   xla/service/hlo.proto, which imports the other
 */
void jr_hlo_schema(unsigned used, struct jr_buf *data, struct jr_buf *hlo);
/** Which of these fields some instruction of a serialised xla.HloProto has; 0 where it is damaged.
 * O(size), nothing is copied. */
unsigned jr_hlo_schema_used(struct jr_bytes proto);

#endif
