#include "report/core/spill.h"

#include "base/file.h"

/* Pieces cost a call to open the file; larger ones only take memory. */
#define PIECE_BYTES ((size_t)512 << 10)

static void write_out(struct jr_spill *spill)
{
	if (spill->status == JR_OK)
		spill->status = (spill->begun ? jr_outdir_append : jr_outdir_write)(
			spill->dir, spill->name, jr_buf_view(&spill->buf), spill->err);
	spill->begun = true;
	spill->buf.size = 0;
}

void jr_spill(struct jr_spill *spill)
{
	if (spill->buf.size > PIECE_BYTES)
		write_out(spill);
}

enum jr_status jr_spill_end(struct jr_spill *spill)
{
	if (!spill->begun || spill->buf.size)
		write_out(spill);
	jr_buf_done(&spill->buf);
	return spill->status;
}
