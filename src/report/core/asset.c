#include "report/core/asset.h"

#include <string.h>

#include "assets.h"

struct jr_bytes jr_asset(const char *name)
{
	for (size_t i = 0; i < jr_n_assets; i++)
		if (strcmp(jr_assets[i].name, name) == 0)
			return jr_bytes_of(jr_assets[i].data, jr_assets[i].size);
	return (struct jr_bytes){0};
}

void jr_asset_add(struct jr_buf *out, const char *name)
{
	struct jr_bytes bytes = jr_asset(name);
	jr_buf_add(out, bytes.data, bytes.size);
}

void jr_asset_add_flame(struct jr_buf *out)
{
	jr_asset_add(out, "view.js");
	jr_asset_add(out, "flame_tree.js");
	jr_asset_add(out, "flame_state.js");
	jr_asset_add(out, "flame_draw.js");
	jr_asset_add(out, "flame.js");
}
