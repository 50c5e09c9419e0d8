/*
 * The packed tree, read by templates/flame_tree.js. One JSON object:
 *
 *	v      2
 *	unit   "bytes": values below are bytes, not ns; only then
 *	root   text of the root row
 *	total  whole ns
 *	up     1: root row at the bottom
 *	roles  class names, "" for those that no node has; the letters of `r` index them
 *	legend pairs [index in roles, meaning]
 *	hems   per class name with a hem: its dash class, 0 to 2
 *	p, q   distinct names in order of their bytes, front-coded: name i is the first p[i]
 *	       characters (all ASCII) of name i - 1, then q[i]
 *	t      one digit per name: tint
 *	w      indices of names of frames that only pass a call on
 *	n      per node in preorder: index of its name; -k: k frames that were left out, gathered
 *	u      per node: how many levels it is above a child of the node before it (0 = child)
 *	r      per node: one letter, index in roles counted A..Za..z
 *	s      per node: self value, whole ns
 *	b      per node: the same in the base; only in a comparison, whose nodes are sorted by the
 *	       sum of both
 *	e      per node whose s is not 0, in whole ns: -1, no part of s has a roofline; k >= 0, all of
 *	       s has one, and k ns are above it; [k, a, b], a ns of s have one, k ns are above it, and
 *	       b ns is the roofline time. Only if any node has a roofline
 *	l, h   names that have a link, by index, and their links; only if there are any
 *
 * Node totals are sums of s over subtrees. To make them exact to 1 ns, s is the difference of
 * rounded running sums, not the rounded value.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/order.h"
#include "render/flame_impl.h"

struct entry {
	size_t frame, end; /* of tree.frames: [frame, end) */
	bool gathered;     /* else a single frame */
};

struct pack {
	const struct jr_flame *flame;
	struct jr_flame_tree tree;
	struct jr_intern names;
	uint32_t *name_of; /* [tree.n] id in `names` */
	bool *kept;        /* [tree.n] */
	bool *used;        /* [names.n] a kept frame has this name */
	JR_VEC(struct entry) entries;
	uint32_t *rank_of; /* [names.n] position among the sorted */
	uint32_t *sorted;  /* [n_sorted] ids */
	size_t n_sorted, n_left_out;
	struct jr_buf *out;
};

static void put_number(struct jr_buf *out, int64_t v)
{
	char text[JR_NUM_MAX];
	jr_buf_add(out, text, jr_num_i64(text, v));
}

/* Append s[0..n), clean UTF-8, as a JSON string that cannot end a <script> element. */
static void put_string(struct jr_buf *out, const char *s, size_t n)
{
	jr_buf_putc(out, '"');
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		if (c == '"' || c == '\\')
			jr_buf_printf(out, "\\%c", c);
		else if (c < 0x20 || c == '<' || c == '>' || c == '&' || c == 0x7F)
			jr_buf_printf(out, "\\u%04x", c);
		else
			jr_buf_putc(out, (char)c);
	}
	jr_buf_putc(out, '"');
}

/* --- choose frames --------------------------------------------------------------------------- */

static void intern_names(struct pack *pack)
{
	struct jr_buf clean = {0};
	jr_intern_init(&pack->names);
	pack->name_of = jr_calloc(pack->tree.n + 1, sizeof(*pack->name_of));
	for (size_t i = 0; i < pack->tree.n; i++) {
		const char *name = pack->flame->nodes[pack->tree.frames[i].node].name;
		clean.size = 0;
		jr_flame_clean(name ? name : "", &clean);
		pack->name_of[i] = jr_intern_put(&pack->names, clean.data ? clean.data : "", clean.size);
	}
	jr_buf_done(&clean);
}

struct ranked {
	double total;
	size_t frame;
};

JR_ORDER(by_rank, struct ranked, JR_DOWN(total) JR_UP(frame))

/*
 * Keep the widest frames, until there are too many or their text is too long. A parent precedes its
 * children (its total is not less, and it comes first in order), so the kept frames are a tree.
 */
static void choose_frames(struct pack *pack)
{
	size_t n = pack->tree.n, bytes = 0, i = 0;
	struct ranked *ranked = jr_calloc(n + 1, sizeof(*ranked));
	pack->kept = jr_calloc(n + 1, sizeof(*pack->kept));
	pack->used = jr_calloc(pack->names.n, sizeof(*pack->used));
	for (size_t k = 0; k < n; k++)
		ranked[k] = (struct ranked){pack->tree.frames[k].total, k};
	if (n)
		qsort(ranked, n, sizeof(*ranked), by_rank);
	for (; i < n && i < JR_FLAME_MAX_PACKED; i++) {
		uint32_t name = pack->name_of[ranked[i].frame];
		bytes += 8 + (pack->used[name] ? 0 : 8 + jr_intern_len(&pack->names, name));
		if (bytes > JR_FLAME_MAX_BYTES)
			break;
		pack->used[name] = true;
		pack->kept[ranked[i].frame] = true;
	}
	pack->n_left_out = n - i;
	free(ranked);
}

/* Siblings are sorted by total, so the frames that are left out are at the end of their run. */
static void list_entries(struct pack *pack)
{
	for (size_t i = 0; i < pack->tree.n;) {
		size_t end = pack->kept[i] ? i + 1 : jr_flame_run_end(&pack->tree, i);
		*jr_vec_add(&pack->entries) = (struct entry){i, end, !pack->kept[i]};
		i = end;
	}
}

static int by_name(const void *a, const void *b, void *names)
{
	return strcmp(
		jr_intern_str(names, *(const uint32_t *)a), jr_intern_str(names, *(const uint32_t *)b));
}

static void sort_names(struct pack *pack)
{
	pack->sorted = jr_calloc(pack->names.n + 1, sizeof(*pack->sorted));
	pack->rank_of = jr_calloc(pack->names.n + 1, sizeof(*pack->rank_of));
	for (size_t id = 0; id < pack->names.n; id++)
		if (pack->used[id])
			pack->sorted[pack->n_sorted++] = (uint32_t)id;
	if (pack->n_sorted)
		qsort_r(pack->sorted, pack->n_sorted, sizeof(*pack->sorted), by_name, &pack->names);
	for (size_t i = 0; i < pack->n_sorted; i++)
		pack->rank_of[pack->sorted[i]] = (uint32_t)i;
}

/* --- JSON ------------------------------------------------------------------------------------ */

static size_t common_ascii_prefix(const char *a, const char *b)
{
	size_t n = 0;
	while (a[n] && a[n] == b[n] && (unsigned char)a[n] < 0x80)
		n++;
	return n;
}

/* Put what follows the prefix of each name. Layers of a model repeat it, so it is written once: a
 * number is how many names before this one the same text was last used. */
static void put_rests(struct pack *pack)
{
	struct jr_intern rests;
	size_t *last = jr_calloc(pack->n_sorted + 1, sizeof(*last)); /* place + 1 by id of the rest */
	jr_intern_init(&rests);
	jr_buf_puts(pack->out, "],\"q\":[");
	for (size_t i = 0; i < pack->n_sorted; i++) {
		const char *name = jr_intern_str(&pack->names, pack->sorted[i]);
		const char *before = i ? jr_intern_str(&pack->names, pack->sorted[i - 1]) : "";
		const char *rest = name + common_ascii_prefix(before, name);
		size_t *place = &last[jr_intern_puts(&rests, rest)];
		jr_buf_puts(pack->out, i ? "," : "");
		if (*place)
			put_number(pack->out, (int64_t)(i + 1 - *place));
		else
			put_string(pack->out, rest, strlen(rest));
		*place = i + 1;
	}
	jr_intern_done(&rests);
	free(last);
}

static void put_names(struct pack *pack)
{
	struct jr_buf *out = pack->out;
	jr_buf_puts(out, ",\"p\":[");
	for (size_t i = 0; i < pack->n_sorted; i++) {
		const char *name = jr_intern_str(&pack->names, pack->sorted[i]);
		const char *before = i ? jr_intern_str(&pack->names, pack->sorted[i - 1]) : "";
		jr_buf_puts(out, i ? "," : "");
		put_number(out, (int64_t)common_ascii_prefix(before, name));
	}
	put_rests(pack);
	jr_buf_puts(out, "],\"t\":\"");
	for (size_t i = 0; i < pack->n_sorted; i++)
		jr_buf_putc(out, (char)('0' + jr_flame_tint(jr_intern_str(&pack->names, pack->sorted[i]))));
	jr_buf_putc(out, '"');
}

/* Put the links of names, in the order of names. */
static void put_links(struct pack *pack)
{
	const char **links = jr_calloc(pack->names.n + 1, sizeof(*links));
	size_t n = 0;
	for (size_t i = 0; i < pack->tree.n; i++) {
		const char *href =
			pack->flame->hrefs ? pack->flame->hrefs[pack->tree.frames[i].node] : NULL;
		if (!pack->kept[i])
			continue;
		const char **link = &links[pack->rank_of[pack->name_of[i]]];
		n += href && !*link;
		*link = href ? href : *link;
	}
	for (int part = 0; n && part < 2; part++) {
		const char *comma = "";
		jr_buf_puts(pack->out, part ? ",\"h\":[" : ",\"l\":[");
		for (size_t i = 0; i < pack->n_sorted; i++) {
			if (!links[i])
				continue;
			jr_buf_puts(pack->out, comma);
			comma = ",";
			if (part)
				put_string(pack->out, links[i], strlen(links[i]));
			else
				put_number(pack->out, (int64_t)i);
		}
		jr_buf_putc(pack->out, ']');
	}
	free((void *)links);
}

/* Put the names of frames that only pass a call on. */
static void put_wrappers(struct pack *pack)
{
	const char *comma = "";
	bool *said = jr_calloc(pack->names.n + 1, sizeof(*said));
	jr_buf_puts(pack->out, ",\"w\":[");
	for (size_t i = 0; i < pack->entries.n; i++) {
		const struct entry *entry = &pack->entries.items[i];
		uint32_t name = pack->name_of[entry->frame];
		if (entry->gathered || said[name] ||
			!pack->flame->nodes[pack->tree.frames[entry->frame].node].wrapper)
			continue;
		said[name] = true;
		jr_buf_puts(pack->out, comma);
		put_number(pack->out, pack->rank_of[name]);
		comma = ",";
	}
	jr_buf_putc(pack->out, ']');
	free(said);
}

static void put_roles(struct pack *pack)
{
	bool used[JR_N_ROLES] = {[JR_ROLE_NONE] = true, [JR_ROLE_UNKNOWN] = true};
	for (size_t i = 0; i < pack->flame->n_nodes; i++)
		used[pack->flame->nodes[i].role] = true;
	jr_buf_puts(pack->out, ",\"roles\":[");
	for (enum jr_role role = JR_ROLE_NONE; role < JR_N_ROLES; role++) {
		const char *name = used[role] ? jr_role_name(role ? role : JR_ROLE_UNKNOWN) : "";
		jr_buf_puts(pack->out, role ? "," : "");
		put_string(pack->out, name, strlen(name));
	}
	jr_buf_puts(pack->out, "],\"legend\":[");
	for (size_t i = 0; i < pack->flame->n_legend; i++) {
		const struct jr_part *part = &pack->flame->legend[i];
		jr_buf_printf(pack->out, "%s[%d,", i ? "," : "", (int)part->role);
		put_string(pack->out, part->name, strlen(part->name));
		jr_buf_putc(pack->out, ']');
	}
	jr_buf_puts(pack->out, "],\"hems\":{");
	for (enum jr_role role = JR_ROLE_NONE, any = JR_ROLE_NONE; role < JR_N_ROLES; role++) {
		struct jr_style hem = jr_hem(role);
		if (!hem.stroke)
			continue;
		jr_buf_printf(pack->out, "%s\"%s\":%d", any ? "," : "", jr_role_name(role), (int)hem.dash);
		any = role;
	}
	jr_buf_puts(pack->out, "},\"r\":\"");
	for (size_t i = 0; i < pack->entries.n; i++) {
		const struct entry *entry = &pack->entries.items[i];
		const struct jr_flame_node *node =
			&pack->flame->nodes[pack->tree.frames[entry->frame].node];
		unsigned role = entry->gathered ? JR_ROLE_UNKNOWN : node->role;
		jr_buf_putc(pack->out, (char)(role < 26 ? 'A' + role : 'a' + role - 26));
	}
	jr_buf_putc(pack->out, '"');
}

static void put_shape(struct pack *pack)
{
	struct jr_buf *out = pack->out;
	jr_buf_puts(out, ",\"n\":[");
	for (size_t i = 0; i < pack->entries.n; i++) {
		const struct entry *entry = &pack->entries.items[i];
		jr_buf_puts(out, i ? "," : "");
		put_number(out, entry->gathered ? -(int64_t)(entry->end - entry->frame)
										: (int64_t)pack->rank_of[pack->name_of[entry->frame]]);
	}
	jr_buf_puts(out, "],\"u\":[");
	size_t child = 0; /* depth of a child of the node before */
	for (size_t i = 0; i < pack->entries.n; i++) {
		size_t depth = pack->tree.frames[pack->entries.items[i].frame].depth;
		jr_buf_puts(out, i ? "," : "");
		put_number(out, (int64_t)(child - depth));
		child = depth + 1;
	}
	jr_buf_putc(out, ']');
}

/* Factor from the unit of the tree to whole ns or bytes. */
static double to_whole(const struct jr_flame *flame)
{
	return flame->unit == JR_FLAME_MS ? 1e6 : 1;
}

/* Put one value per entry. `values` [entries.n]: out, the values. */
static int64_t put_values(struct pack *pack, const char *key, bool base, int64_t *values)
{
	struct jr_buf *out = pack->out;
	double sum = 0, to_ns = to_whole(pack->flame);
	int64_t before = 0;
	jr_buf_printf(out, ",\"%s\":[", key);
	for (size_t i = 0; i < pack->entries.n; i++) {
		const struct entry *entry = &pack->entries.items[i];
		for (size_t k = entry->frame; k < entry->end; k++) {
			const struct jr_flame_node *node = &pack->flame->nodes[pack->tree.frames[k].node];
			sum += jr_flame_value(base ? node->base : node->self) * to_ns;
		}
		/* 2^53: the largest integer that a script counts exactly. */
		int64_t upto = (int64_t)llround(fmin(sum, 9007199254740992.0));
		jr_buf_puts(out, i ? "," : "");
		values[i] = upto - before;
		put_number(out, values[i]);
		before = upto;
	}
	jr_buf_putc(out, ']');
	return before;
}

/* Sum the roofline values of an entry's frames, in ns. */
static struct jr_flame_node roofed_of(const struct pack *pack, const struct entry *entry)
{
	double to_ns = to_whole(pack->flame);
	struct jr_flame_node sum = {.self = 0};
	for (size_t k = entry->frame; k < entry->end; k++) {
		const struct jr_flame_node *node = &pack->flame->nodes[pack->tree.frames[k].node];
		sum.self += jr_flame_value(node->self) * to_ns;
		sum.roofed += jr_flame_value(node->roofed) * to_ns;
		sum.roof += jr_flame_value(node->roof) * to_ns;
		sum.lost += jr_flame_value(node->lost) * to_ns;
	}
	return sum;
}

static int64_t whole_ns(double ns)
{
	return (int64_t)llround(fmin(ns, 9007199254740992.0));
}

/* Put "e". `self` [entries.n]: the values of "s". */
static void put_roofs(struct pack *pack, const int64_t *self)
{
	struct jr_buf *out = pack->out;
	const char *comma = "";
	jr_buf_puts(out, ",\"e\":[");
	for (size_t i = 0; i < pack->entries.n; i++) {
		if (self[i] == 0)
			continue;
		struct jr_flame_node sum = roofed_of(pack, &pack->entries.items[i]);
		/* Sums in another order differ in their last bits. */
		bool all = fabs(sum.roofed - sum.self) < 0.01,
			 plain = all && fabs(sum.roof + sum.lost - sum.self) < 0.01;
		jr_buf_puts(out, comma);
		comma = ",";
		if (!(sum.roofed > 0)) {
			jr_buf_puts(out, "-1");
			continue;
		}
		jr_buf_puts(out, plain ? "" : "[");
		put_number(out, whole_ns(sum.lost));
		if (plain)
			continue;
		jr_buf_putc(out, ',');
		put_number(out, whole_ns(sum.roofed));
		jr_buf_putc(out, ',');
		put_number(out, whole_ns(sum.roof));
		jr_buf_putc(out, ']');
	}
	jr_buf_putc(out, ']');
}

size_t jr_flame_pack(const struct jr_flame *flame, struct jr_buf *out)
{
	struct pack pack = {.flame = flame, .out = out};
	struct jr_buf root = {0};
	pack.tree = jr_flame_order(flame, flame->diff ? JR_FLAME_BOTH : JR_FLAME_AFTER);
	jr_flame_clean(flame->root_name ? flame->root_name : "all", &root);
	intern_names(&pack);
	choose_frames(&pack);
	list_entries(&pack);
	sort_names(&pack);
	jr_buf_puts(out, "{\"v\":2,\"root\":");
	put_string(out, root.data ? root.data : "", root.size);
	if (flame->unit == JR_FLAME_BYTES)
		jr_buf_puts(out, ",\"unit\":\"bytes\"");
	jr_buf_printf(out, ",\"up\":%d", flame->upwards ? 1 : 0);
	put_roles(&pack);
	put_names(&pack);
	put_wrappers(&pack);
	put_shape(&pack);
	put_links(&pack);
	int64_t *values = jr_calloc(pack.entries.n + 1, sizeof(*values));
	int64_t total = put_values(&pack, "s", false, values);
	if (flame->roofs)
		put_roofs(&pack, values);
	if (flame->diff)
		(void)put_values(&pack, "b", true, values);
	free(values);
	jr_buf_puts(out, ",\"total\":");
	put_number(out, total);
	jr_buf_putc(out, '}');
	jr_buf_done(&root);
	jr_intern_done(&pack.names);
	jr_vec_done(&pack.entries);
	free(pack.name_of);
	free(pack.kept);
	free(pack.used);
	free(pack.rank_of);
	free(pack.sorted);
	free(pack.tree.frames);
	return pack.n_left_out;
}
