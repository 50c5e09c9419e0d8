/* Append the signals that are blocked and ignored in this process to a file, in the form of
 * /proc/PID/status. usage: state FILE */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	uint64_t blocked = 0, ignored = 0;
	sigset_t mask;
	struct sigaction action;
	FILE *file = argc > 1 ? fopen(argv[1], "a") : stdout;
	if (!file || sigprocmask(SIG_BLOCK, NULL, &mask) != 0)
		return 1;
	for (int n = 1; n < 32; n++) {
		if (sigismember(&mask, n) == 1)
			blocked |= UINT64_C(1) << (n - 1);
		if (sigaction(n, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
			ignored |= UINT64_C(1) << (n - 1);
	}
	fprintf(file, "blocked %08llx ignored %08llx\n", (unsigned long long)blocked,
		(unsigned long long)ignored);
	return fclose(file) != 0;
}
