/* Fuzz target: CSV rows; every byte of every field is touched. */
#include <stdlib.h>

#include "formats/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jr_limits limits = jr_limits_default();
	limits.string_bytes = 1000;
	struct jr_csv csv;
	struct jr_error err = {0};
	unsigned sum = 0;
	enum jr_status status = jr_csv_open(&csv, jr_bytes_of(data, size), "a", &limits, &err);
	bool more = status == JR_OK;
	if (more && jr_csv_find(&csv, "a") >= csv.n_columns)
		abort();
	for (uint64_t line = 0; more;) {
		status = jr_csv_next(&csv, &more, &err);
		if (!more)
			break;
		if (status != JR_OK || csv.line <= line)
			abort();
		line = csv.line;
		for (size_t i = 0; i < csv.n_columns; i++) {
			if (csv.fields[i].n > limits.string_bytes)
				abort();
			for (size_t k = 0; k < csv.fields[i].n; k++)
				sum += (unsigned char)csv.fields[i].s[k];
		}
	}
	if (status != JR_OK && !err.message[0])
		abort();
	jr_csv_done(&csv);
	return sum == 1; /* 0 but for what no input does: keeps the loop above */
}
