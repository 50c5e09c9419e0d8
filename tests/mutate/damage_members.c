/* Damage to the members of an archive: their presence, names and contents. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "mutate.h"

static struct member *any(struct rng *rng, struct members *m)
{
	return &m->list.items[rng_below(rng, m->list.n)];
}

/* Choose a member whose name contains `part`, so that important members are hit often. */
static struct member *any_with(struct rng *rng, struct members *m, const char *part)
{
	for (int tries = 0; tries < 60; tries++) {
		struct member *found = any(rng, m);
		if (strstr(found->name, part))
			return found;
	}
	return NULL;
}

static void drop(struct rng *rng, struct members *m)
{
	for (uint64_t k = 1 + rng_below(rng, 3); k && m->list.n > 1; k--) {
		struct member *gone = any(rng, m);
		free(gone->name);
		jr_buf_done(&gone->data);
		*gone = m->list.items[--m->list.n];
	}
}

static void rename_to(struct member *m, const char *name)
{
	char *copy = strdup(name);
	if (!copy)
		jr_oom();
	free(m->name);
	m->name = copy;
}

static void duplicate(struct rng *rng, struct members *m)
{
	size_t from = rng_below(rng, m->list.n);
	char *name = strdup(m->list.items[from].name);
	struct member *copy = members_add(m, name ? name : "");
	const struct member *original = &m->list.items[from];
	jr_buf_add(&copy->data, original->data.data ? original->data.data : "", original->data.size);
	if (rng_one_in(rng, 2) && *copy->name) /* another name of the same kind */
		copy->name[rng_below(rng, strlen(copy->name))] = (char)('0' + rng_below(rng, 10));
	free(name);
}

static void swap(struct rng *rng, struct members *m)
{
	struct member *a = any(rng, m), *b = any(rng, m);
	struct jr_buf data = a->data;
	a->data = b->data;
	b->data = data;
}

static void rename_one(struct rng *rng, struct members *m)
{
	static const char *const forms[] = {"../%s", "/%s", "%s/", "./%s", "a/../%s", "%s\\x", "C:\\%s",
		"//%s", "%s\n", "\xff%s", "../../../../../../tmp/%s", "dump/%s", "%s/../../%s", "", ".",
		"..", "/", "nvtx_gpu_proj_trace/%s"};
	struct member *x = any(rng, m);
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	if (rng_one_in(rng, 5)) {
		rng_text(rng, &name);
		jr_buf_putc(&name, '\0');
	} else {
		for (const char *f = forms[rng_below(rng, JR_COUNT_OF(forms))]; *f; f++) {
			if (*f == '%')
				jr_buf_puts(&name, x->name);
			else if (f[0] != 's' || f[-1] != '%')
				jr_buf_putc(&name, *f);
		}
		jr_buf_putc(&name, '\0');
	}
	rename_to(x, name.data);
}

static void empty(struct rng *rng, struct members *m)
{
	any(rng, m)->data.size = 0;
}

static void link_one(struct rng *rng, struct members *m)
{
	struct member *x = any(rng, m);
	x->link = true;
	x->data.size = 0;
	jr_buf_puts(&x->data, rng_one_in(rng, 2) ? "/etc/passwd" : "../../..");
}

static void bytes_packed(struct rng *rng, struct members *m)
{
	damage_bytes(rng, &any(rng, m)->data);
}

/* Damage the contents of a member and pack it again. */
static void inside(struct rng *rng, struct member *x, void (*damage)(struct rng *, struct jr_buf *))
{
	struct jr_buf content = {0};
	if (!x)
		return;
	content_open(x, &content);
	damage(rng, &content);
	content_close(x, &content);
	jr_buf_done(&content);
}

static void bytes_inside(struct rng *rng, struct members *m)
{
	inside(rng, any(rng, m), damage_bytes);
}

static void hlo(struct rng *rng, struct members *m)
{
	bool text = any_with(rng, m, "after_optimizations.txt");
	inside(rng,
		any_with(rng, m, text ? "after_optimizations.txt" : "after_optimizations.hlo.pb"),
		text && !rng_one_in(rng, 3) ? damage_hlo_text : damage_bytes);
}

static void csv(struct rng *rng, struct members *m)
{
	inside(rng, any_with(rng, m, ".csv"), damage_csv);
}

static void parquet_or_bytes(struct rng *rng, struct jr_buf *file)
{
	if (!damage_parquet(rng, file))
		damage_bytes(rng, file);
}

static void parquet(struct rng *rng, struct members *m)
{
	inside(rng, any_with(rng, m, ".parquet"), parquet_or_bytes);
}

static void trace(struct rng *rng, struct members *m)
{
	inside(rng, any_with(rng, m, "trace"), parquet_or_bytes);
}

const char *damage_hlo(struct rng *rng, struct members *m)
{
	hlo(rng, m);
	return "hlo";
}

const char *damage_members(struct rng *rng, struct members *m)
{
	static const struct {
		const char *name;
		void (*damage)(struct rng *rng, struct members *m);
	} ways[] = {{"drop", drop}, {"duplicate", duplicate}, {"swap", swap}, {"rename", rename_one},
		{"empty", empty}, {"link", link_one}, {"packed bytes", bytes_packed},
		{"bytes", bytes_inside}, {"hlo", hlo}, {"hlo", hlo}, {"csv", csv}, {"csv", csv},
		{"parquet", parquet}, {"trace", trace}, {"trace", trace}, {"trace", trace}};
	size_t which = (size_t)rng_below(rng, JR_COUNT_OF(ways));
	if (m->list.n)
		ways[which].damage(rng, m);
	return ways[which].name;
}
