/* Devices that a collective spans: their number and their groups. */
#include <string.h>

#include "formats/hlo/hlo_parts.h"

#define MAX_GROUPED 65536  /* devices of a module that are numbered */
#define MAX_PARTITIONS 256 /* distinct ones per module; real modules have a handful */
#define MAX_DIMENSIONS 16  /* of an iota list */

/* --- group size ----------------------------------------------------------------------------- */

static uint32_t clamp_size(uint64_t n)
{
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static uint32_t largest_group(size_t n, Xla__ReplicaGroup *const *groups)
{
	size_t largest = 0;
	for (size_t i = 0; i < n; i++)
		if (groups[i]->n_replica_ids > largest)
			largest = groups[i]->n_replica_ids;
	return clamp_size(largest);
}

static uint32_t iota_size(const Xla__IotaReplicaGroupListProto *iota)
{
	if (!iota || iota->num_devices_per_group <= 0)
		return 0;
	return clamp_size((uint64_t)iota->num_devices_per_group);
}

/* Multiply the sizes of the axes that the group spans; a split axis counts with its part only. 0 if
 * an axis is not in the mesh or has no size. */
static uint32_t mesh_size(const Xla__MeshAxesReplicaGroupListProto *list)
{
	if (!list || !list->mesh)
		return 0;
	uint64_t product = 1;
	for (size_t i = 0; i < list->n_axes; i++) {
		const Xla__AxisRefProto *axis = list->axes[i];
		uint64_t index = (uint64_t)axis->mesh_axis_index;
		if (index >= list->mesh->n_axes)
			return 0;
		int64_t size =
			axis->sub_axis_info ? axis->sub_axis_info->size : list->mesh->axes[index]->size;
		if (size <= 0)
			return 0;
		if (__builtin_mul_overflow(product, (uint64_t)size, &product))
			product = UINT64_MAX;
	}
	return clamp_size(product);
}

/* --- partitions ----------------------------------------------------------------------------- */

/* Keep one array per distinct message: thousands of instructions share a list. */
static enum jr_status keep(struct jr_hlo_decoder *d, uint64_t hash, const uint32_t *group_of,
	uint64_t n, const struct jr_hlo_groups **out, struct jr_error *err)
{
	struct jr_hlo_groups *groups = NULL;
	if (group_of) {
		uint32_t *copy = jr_arena_array(&d->hlo->arena, n, sizeof(*copy), err);
		groups = copy ? jr_arena_array(&d->hlo->arena, 1, sizeof(*groups), err) : NULL;
		if (!groups)
			return JR_ELIMIT;
		memcpy(copy, group_of, n * sizeof(*copy));
		*groups = (struct jr_hlo_groups){(uint32_t)n, copy};
	}
	*jr_vec_add(&d->groups) = (struct jr_hlo_known_groups){hash, groups};
	*out = groups;
	return JR_OK;
}

/* Find a partition by its hash. False: it is new and must be kept. */
static bool find(struct jr_hlo_decoder *d, uint64_t hash, const struct jr_hlo_groups **out)
{
	for (size_t i = 0; i < d->groups.n; i++)
		if (d->groups.items[i].hash == hash) {
			*out = d->groups.items[i].groups;
			return true;
		}
	bool full = d->groups.n == MAX_PARTITIONS;
	d->hlo->n_unread_groups += full;
	return full;
}

/* Number the groups. False unless the lists contain each of 0 .. n - 1 once; group_of has n
 * entries. */
static bool number_lists(
	size_t n_groups, Xla__ReplicaGroup *const *groups, uint64_t n, uint32_t *group_of)
{
	for (uint64_t i = 0; i < n; i++)
		group_of[i] = JR_NONE;
	for (size_t g = 0; g < n_groups; g++)
		for (size_t i = 0; i < groups[g]->n_replica_ids; i++) {
			int64_t id = groups[g]->replica_ids[i];
			if (id < 0 || (uint64_t)id >= n || group_of[id] != JR_NONE)
				return false;
			group_of[id] = (uint32_t)g;
		}
	return true;
}

static enum jr_status of_lists(struct jr_hlo_decoder *d, size_t n_groups,
	Xla__ReplicaGroup *const *groups, const struct jr_hlo_groups **out, struct jr_error *err)
{
	uint64_t n = 0, hash = jr_hash("lists", 5, n_groups);
	for (size_t g = 0; g < n_groups; g++) {
		n += groups[g]->n_replica_ids;
		hash = jr_hash(groups[g]->replica_ids, groups[g]->n_replica_ids * sizeof(int64_t),
			hash + groups[g]->n_replica_ids);
	}
	if (n_groups < 2 || n > MAX_GROUPED || find(d, hash, out))
		return JR_OK;
	uint32_t *group_of;
	JR_TRY_ARRAY(group_of, &d->unpacker.memory, n + 1, err);
	return keep(
		d, hash, number_lists(n_groups, groups, n, group_of) ? group_of : NULL, n, out, err);
}

/* Set the dimensions of an iota list in iteration order, with the step of each through 0 .. n - 1.
 * False if the stated numbers are inconsistent. */
static bool iota_order(const Xla__IotaReplicaGroupListProto *iota, uint64_t n, uint64_t *sizes,
	uint64_t *steps, size_t *n_dimensions)
{
	uint64_t step = 1, step_of[MAX_DIMENSIONS] = {0};
	bool seen[MAX_DIMENSIONS] = {false};
	size_t r = iota->n_iota_reshape_dims;
	*n_dimensions = r ? r : 1;
	sizes[0] = n;
	steps[0] = 1;
	if (r > MAX_DIMENSIONS || (iota->n_iota_transpose_perm && iota->n_iota_transpose_perm != r))
		return false;
	for (size_t k = r; k-- > 0;) {
		if (iota->iota_reshape_dims[k] < 1 || iota->iota_reshape_dims[k] > MAX_GROUPED)
			return false;
		step_of[k] = step;
		step *= (uint64_t)iota->iota_reshape_dims[k];
		if (step > n)
			return false;
	}
	for (size_t k = 0; k < r; k++) {
		uint64_t from = iota->n_iota_transpose_perm ? (uint64_t)iota->iota_transpose_perm[k] : k;
		if (from >= r || seen[from])
			return false;
		seen[from] = true;
		sizes[k] = (uint64_t)iota->iota_reshape_dims[from];
		steps[k] = step_of[from];
	}
	return r == 0 || step == n;
}

/* [groups,devices]<=[dims]T(perm): reshape 0 .. n - 1 to dims, transpose, cut into groups. */
static bool number_iota(const Xla__IotaReplicaGroupListProto *iota, uint64_t n, uint32_t *group_of)
{
	uint64_t sizes[MAX_DIMENSIONS], steps[MAX_DIMENSIONS], at[MAX_DIMENSIONS] = {0}, id = 0;
	uint64_t per_group = (uint64_t)iota->num_devices_per_group;
	size_t n_dimensions;
	if (!iota_order(iota, n, sizes, steps, &n_dimensions))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		group_of[id] = (uint32_t)(i / per_group);
		for (size_t k = n_dimensions; k-- > 0;) { /* to the next id, last dimension first */
			id += steps[k];
			if (++at[k] < sizes[k])
				break;
			id -= steps[k] * sizes[k];
			at[k] = 0;
		}
	}
	return true;
}

static enum jr_status of_iota(struct jr_hlo_decoder *d, const Xla__IotaReplicaGroupListProto *iota,
	const struct jr_hlo_groups **out, struct jr_error *err)
{
	uint64_t n_groups = (uint64_t)iota->num_replica_groups;
	uint64_t per_group = (uint64_t)iota->num_devices_per_group;
	if (n_groups < 2 || n_groups > MAX_GROUPED || per_group < 1 || per_group > MAX_GROUPED ||
		n_groups * per_group > MAX_GROUPED)
		return JR_OK;
	uint64_t n = n_groups * per_group;
	uint64_t hash = jr_hash(iota->iota_reshape_dims,
		iota->n_iota_reshape_dims * sizeof(*iota->iota_reshape_dims), jr_hash("iota", 4, n_groups));
	hash = jr_hash(iota->iota_transpose_perm,
		iota->n_iota_transpose_perm * sizeof(*iota->iota_transpose_perm), hash + per_group);
	if (find(d, hash, out))
		return JR_OK;
	uint32_t *group_of;
	JR_TRY_ARRAY(group_of, &d->unpacker.memory, n, err);
	return keep(d, hash, number_iota(iota, n, group_of) ? group_of : NULL, n, out, err);
}

/* --- entry point ---------------------------------------------------------------------------- */

enum jr_status jr_hlo_set_groups(struct jr_hlo_decoder *d, const Xla__HloInstructionProto *from,
	struct jr_hlo_instruction *to, struct jr_error *err)
{
	const Xla__CollectiveDeviceListProto *list = from->collective_device_list;
	const Xla__IotaReplicaGroupListProto *iotas[] = {
		[JR_HLO_GROUP_DEVICE_LIST_IOTA] = list ? list->iota_replica_group_list : NULL,
		[JR_HLO_GROUP_IOTA] = from->iota_collective_device_list,
	};
	const uint32_t sizes[] = {
		[JR_HLO_GROUP_NONE] = 0,
		[JR_HLO_GROUP_REPLICA_GROUPS] = largest_group(from->n_replica_groups, from->replica_groups),
		[JR_HLO_GROUP_DEVICE_LIST] =
			list ? largest_group(list->n_replica_groups, list->replica_groups) : 0,
		[JR_HLO_GROUP_DEVICE_LIST_IOTA] = iota_size(iotas[JR_HLO_GROUP_DEVICE_LIST_IOTA]),
		[JR_HLO_GROUP_IOTA] = iota_size(iotas[JR_HLO_GROUP_IOTA]),
		[JR_HLO_GROUP_MESH_AXES] = mesh_size(from->mesh_axes_replica_group_list),
	};
	uint8_t source = JR_HLO_GROUP_REPLICA_GROUPS;
	while (source <= JR_HLO_GROUP_MESH_AXES && !sizes[source])
		source++;
	if (source > JR_HLO_GROUP_MESH_AXES)
		return JR_OK;
	to->group_size = sizes[source];
	to->group_size_from = source;
	switch (source) {
	case JR_HLO_GROUP_REPLICA_GROUPS:
		return of_lists(d, from->n_replica_groups, from->replica_groups, &to->groups, err);
	case JR_HLO_GROUP_DEVICE_LIST:
		return of_lists(d, list->n_replica_groups, list->replica_groups, &to->groups, err);
	case JR_HLO_GROUP_MESH_AXES: return JR_OK;
	default: return of_iota(d, iotas[source], &to->groups, err);
	}
}
