/* Names of the causes of gaps. */
#include "analysis/gpu/gaps.h"

const char *const jr_gap_causes[JR_N_GAP_CAUSES] = {
	"host-bound", "launch-bound", "device-bound", "unknown"};
