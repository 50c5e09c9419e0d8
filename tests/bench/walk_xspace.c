/*
 * walk_xspace.c - one pass over a trace of jax.profiler that reads each field of each event and
 * keeps nothing: a lower bound for reading such a file.
 * usage: walk-xspace FILE; prints the number of events and the sum of all numbers.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/file.h"
#include "formats/hlo/wire.h"

enum { PLANES = 1, LINES = 3, EVENTS = 4, STATS = 4 };

/* Nested fields to walk: planes of a space, then lines, events and statistics. */
static const uint32_t within[] = {PLANES, LINES, EVENTS, STATS};
enum { DEPTH = sizeof(within) / sizeof(within[0]), EVENT = 3 };

static uint64_t n_events, sum;

static bool walk(struct jr_bytes message, size_t depth)
{
	struct jr_wire wire = jr_wire_of(message, message.data);
	n_events += depth == EVENT;
	while (jr_wire_more(&wire)) {
		struct jr_wire_field f;
		if (!jr_wire_take(&wire, &f))
			return false;
		if (f.type == JR_WIRE_VARINT)
			sum += f.value;
		else if (depth < DEPTH && f.type == JR_WIRE_BYTES && f.number == within[depth] &&
				 !walk(f.bytes, depth + 1))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	struct jr_error err = {.message = ""};
	struct jr_file_map map;
	if (argc != 2 || jr_file_map(argv[1], &map, &err) != JR_OK) {
		fprintf(stderr, "walk-xspace: %s\n", argc == 2 ? err.message : "usage: walk-xspace FILE");
		return 2;
	}
	bool whole = walk(map.bytes, 0);
	printf("%" PRIu64 " %" PRIu64 "\n", n_events, sum);
	jr_file_unmap(&map);
	return whole ? 0 : 1;
}
