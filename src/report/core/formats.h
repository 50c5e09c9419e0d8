/*
 * formats.h - the writers, one file each; formats.def lists them.
 * Layer: report.
 */
#ifndef JR_REPORT_FORMATS_H
#define JR_REPORT_FORMATS_H

#include "report/core/doc.h"
#include "report/core/report.h"

#define JR_FORMAT(name, by_default, draws, files)                                                  \
	enum jr_status jr_write_##name(const struct jr_report_job *job, struct jr_error *err)          \
		JR_MUST_CHECK;
#include "report/core/formats.def"
#undef JR_FORMAT

#endif
