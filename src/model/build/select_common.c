/* What the steps of jr_profile_select() share: selected times, and lists of numbers in words. */
#include <inttypes.h>

#include "base/order.h"
#include "model/build/select.h"

bool jr_spans_contain(const struct jr_spans *spans, int64_t t_ns)
{
	size_t lo = 0, hi = spans->n;
	/* find the first that begins later */
	JR_SEARCH(lo, hi, mid, spans->items[mid].start_ns <= t_ns);
	return lo && t_ns < spans->items[lo - 1].end_ns;
}

bool jr_selects_device_time(const struct jr_selecting *s, uint32_t device, int64_t t_ns)
{
	return (!s->steps.devices || jr_spans_contain(&s->steps.devices[device], t_ns)) &&
		   (!s->time.devices || jr_spans_contain(&s->time.devices[device], t_ns));
}

bool jr_selects_host_time(const struct jr_selecting *s, uint32_t process, int64_t t_ns)
{
	process = s->p->processes[process].first_session;
	return (!s->steps.processes || jr_spans_contain(&s->steps.processes[process], t_ns)) &&
		   (!s->time.processes || jr_spans_contain(&s->time.processes[process], t_ns));
}

#define MOST_GROUPS 8

void jr_select_put_numbers(struct jr_buf *out, const int64_t *numbers, size_t n)
{
	size_t n_groups = 0;
	for (size_t i = 0, end; i < n; i = end) {
		end = i + 1;
		while (
			end < n && (numbers[end] == numbers[end - 1] + 1 || numbers[end] == numbers[end - 1]))
			end++;
		if (end < n && n_groups == MOST_GROUPS - 1) {
			jr_buf_printf(out, " and %zu more", n - i);
			return;
		}
		int64_t first = numbers[i], last = numbers[end - 1];
		if (last - first == 1) /* 0 and 1 are two groups */
			end = i + 1, last = first;
		jr_buf_puts(out, !n_groups++ ? "" : end == n ? " and " : ", ");
		jr_buf_printf(out, "%" PRId64, first);
		if (last > first)
			jr_buf_printf(out, " to %" PRId64, last);
	}
}
