/*
 * unit.h - the frame of each unit test: cmocka after the headers that it needs, the form of a
 * test, and main().
 */
#ifndef JR_TESTS_UNIT_H
#define JR_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A test without a state of cmocka's: static UNIT(name) { ... } */
#define UNIT(name) void name(void **state __attribute__((unused)))

/* The main() that runs a list of cmocka_unit_test(name). */
#define UNIT_MAIN(...)                                                                             \
	int main(void)                                                                                 \
	{                                                                                              \
		const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
		return cmocka_run_group_tests(tests, NULL, NULL);                                          \
	}

#endif
