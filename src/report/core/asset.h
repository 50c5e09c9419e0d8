/*
 * asset.h - the files of templates/ at the time of the build.
 * Layer: report.
 */
#ifndef JR_REPORT_ASSET_H
#define JR_REPORT_ASSET_H

#include "base/buf.h"

/** Return the bytes of templates/NAME; empty if there is no such file. */
struct jr_bytes jr_asset(const char *name);
/** Append the file. */
void jr_asset_add(struct jr_buf *out, const char *name);
/** Append the scripts of flamegraphs, each after the scripts that it needs. */
void jr_asset_add_flame(struct jr_buf *out);

#endif
