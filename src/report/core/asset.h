/*
 * asset.h - the files of templates/, as they were when the program was built.
 * Layer: report.
 */
#ifndef JR_REPORT_ASSET_H
#define JR_REPORT_ASSET_H

#include "base/buf.h"

/** Bytes of templates/NAME; empty where there is none. */
struct jr_bytes jr_asset(const char *name);
/** Append them. */
void jr_asset_add(struct jr_buf *out, const char *name);
/** Append the scripts of flamegraphs, each behind those that it takes. */
void jr_asset_add_flame(struct jr_buf *out);

#endif
