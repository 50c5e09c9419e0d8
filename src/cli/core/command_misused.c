/* The error of a command that was called with an input that it does not take. */
#include "cli/core/commands.h"

enum jr_status jr_command_misused(enum jr_status status, struct jr_error *err)
{
	if (status != JR_EUSAGE)
		return status;
	err->child_status = JR_EXIT_USAGE;
	return JR_ECHILD;
}
