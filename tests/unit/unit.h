/*
 * unit.h - the frame of each unit test: cmocka after the headers that it needs, and the form of a
 * test. Tests list themselves before main() of all.c, which runs those of one file, by line.
 */
#ifndef JR_TESTS_UNIT_H
#define JR_TESTS_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct unit {
	const char *file;
	int line;
	struct CMUnitTest test; /* of a group: without a test, only its set-up and tear-down */
	struct unit *next;
};

void unit_list(struct unit *unit);

#define UNIT_LISTED(list, ...)                                                                     \
	__attribute__((constructor)) static void list(void)                                            \
	{                                                                                              \
		static struct unit unit = {__FILE__, __LINE__, {__VA_ARGS__, NULL}, NULL};                 \
		unit_list(&unit);                                                                          \
	}

/* A test with fixtures of cmocka's: static UNIT_WITH(name, set_up, tear_down) { ... } */
#define UNIT_WITH(name, set_up, tear_down)                                                         \
	void name(void **state);                                                                       \
	UNIT_LISTED(name##_listed, #name, name, set_up, tear_down)                                     \
	static void name(void **state __attribute__((unused)))

/* A test without a state of cmocka's: static UNIT(name) { ... } */
#define UNIT(name) UNIT_WITH(name, NULL, NULL)

/* What runs once before and after the tests of a file. */
#define UNIT_GROUP(set_up, tear_down) UNIT_LISTED(group_listed, NULL, NULL, set_up, tear_down)

#endif
