#include "report/core/deflate.h"

#include <assert.h>
#include <zlib.h>

#define LEVEL 6 /* of a timeline, 9 makes 4 % less and takes six times as long */

void jr_deflate(struct jr_buf *out, struct jr_bytes bytes)
{
	uLongf size = compressBound(bytes.size);
	jr_buf_reserve(out, size);
	int code = compress2((Bytef *)out->data + out->size, &size, bytes.data, bytes.size, LEVEL);
	if (code == Z_MEM_ERROR)
		jr_oom();
	assert(code == Z_OK); /* the room is the stated bound */
	out->size += size;
	jr_buf_reserve(out, 1);
	out->data[out->size] = 0;
}
