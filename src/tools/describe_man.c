#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "model/kinds/kinds.h"
#include "tools/describe_parts.h"

/* Print text for roff: the hyphens of options are minus signs, so that no line breaks there;
 * nothing is an escape or a request. */
static void roff(struct jr_buf *out, const char *text)
{
	bool minus = false;
	for (const char *s = text; *s; s++) {
		char before = s > text ? s[-1] : ' ';
		minus = *s == '-' && (minus || strchr(" '(`,", before) || s[1] == '-');
		if (*s == '\\')
			jr_buf_puts(out, "\\e");
		else if (*s == '`')
			jr_buf_puts(out, "\\(ga");
		else if (*s == '\'')
			jr_buf_puts(out, "\\(aq");
		else if (minus)
			jr_buf_puts(out, "\\-");
		else
			jr_buf_putc(out, *s);
	}
}

/* Print a paragraph in lines of at most WIDTH, none of which begins with a dot. */
static void paragraph(struct jr_buf *out, const char *text)
{
	enum { WIDTH = 78 };
	JR_CLEANUP(jr_buf_done) struct jr_buf safe = {0};
	roff(&safe, text);
	size_t column = 0;
	for (const char *s = safe.data ? safe.data : ""; *s;) {
		size_t n = strcspn(s, " ");
		if (column && column + 1 + n > WIDTH) {
			jr_buf_putc(out, '\n');
			column = 0;
		} else if (column) {
			jr_buf_putc(out, ' ');
			column++;
		}
		if (!column && *s == '.')
			jr_buf_puts(out, "\\&");
		jr_buf_add(out, s, n);
		column += n;
		s += n + strspn(s + n, " ");
	}
	jr_buf_putc(out, '\n');
}

/* Print "TERM" in bold, then its text. */
static void entry(struct jr_buf *out, const char *term, const char *text)
{
	jr_buf_puts(out, ".TP\n.B ");
	roff(out, term);
	jr_buf_putc(out, '\n');
	paragraph(out, text);
}

static void option_entry(struct jr_buf *out, const struct jr_option *o, const char *text)
{
	jr_buf_puts(out, ".TP\n");
	if (o->letter)
		jr_buf_printf(out, "\\fB\\-%c\\fR, ", o->letter);
	jr_buf_puts(out, "\\fB");
	for (const char *s = o->name; *s; s++)
		jr_buf_puts(out, *s == '-' ? "\\-" : (char[2]){*s, '\0'});
	jr_buf_puts(out, "\\fR");
	if (o->argument)
		jr_buf_printf(out, " \\fI%s\\fR", o->argument);
	jr_buf_putc(out, '\n');
	paragraph(out, text);
}

/* Print the options of each command. Options that an earlier command explains are only named. */
static void options(struct jr_buf *out)
{
	unsigned earlier = 0;
	for (const struct jr_command *c = jr_commands; c->name; c++) {
		jr_buf_printf(out, ".SS Options of %s\n", c->name);
		struct jr_buf known = {0};
		for (const struct jr_option *o = jr_option_table; o->name; o++)
			if ((o->commands & c->bit) && (o->commands & earlier) && o->kind != JR_BOUNDS)
				jr_buf_printf(&known, "%s%s", known.size ? ", " : "As above: ", o->name);
		if (known.size) {
			jr_buf_putc(&known, '.');
			paragraph(out, known.data);
		}
		jr_buf_done(&known);
		for (const struct jr_option *o = jr_option_table; o->name; o++)
			if ((o->commands & c->bit) && !(o->commands & earlier) && o->kind != JR_BOUNDS)
				option_entry(out, o, o->help);
		earlier |= c->bit;
	}
}

static void limits(struct jr_buf *out)
{
	struct jr_limits values = jr_limits_default();
	for (const struct jr_option *o = jr_option_table; o->name; o++) {
		if (o->kind != JR_BOUNDS)
			continue;
		uint64_t value;
		memcpy(&value, (const char *)&values + o->at, sizeof(value));
		JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
		jr_buf_printf(&text, "%s; default %" PRIu64, o->help, value);
		option_entry(out, o, text.data);
	}
}

static void synopsis(struct jr_buf *out)
{
	for (const struct jr_command *c = jr_commands; c->name; c++) {
		jr_buf_puts(out, c == jr_commands ? ".B jaxreport\n" : ".br\n.B jaxreport\n");
		roff(out, c->usage);
		jr_buf_putc(out, '\n');
	}
}

static void commands(struct jr_buf *out)
{
	for (const struct jr_command *c = jr_commands; c->name; c++)
		entry(out, c->name, c->summary);
}

static void formats(struct jr_buf *out)
{
	for (const struct jr_report_format *f = jr_report_formats; f->name; f++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
		jr_buf_printf(
			&text, "%s%s", f->summary, f->by_default ? "" : "; only if --format names it");
		entry(out, f->name, text.data);
	}
}

static void metrics(struct jr_buf *out)
{
	for (const struct jr_metric *m = jr_metrics; m->name; m++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
		jr_buf_printf(&name, "%s%s", m->name, m->value ? "" : "(PROGRAM)");
		entry(out, name.data, m->help);
	}
}

static void exits(struct jr_buf *out)
{
#define JR_EXIT(name, status, commands, what) entry(out, #status, what);
	JR_EXITS
#undef JR_EXIT
}

static void inputs(struct jr_buf *out)
{
	for (const struct jr_input_ops *const *kind = jr_input_kinds; *kind; kind++) {
		if (!(*kind)->help)
			continue;
		JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
		jr_buf_printf(&text, "%s;", (*kind)->help);
		jr_buf_puts(out, ".IP \\(bu 3\n");
		paragraph(out, text.data);
	}
}

/* Return true if any kind after this one is listed. */
static bool more_help(const struct jr_input_ops *const *kind)
{
	while (*++kind)
		if ((*kind)->help)
			return true;
	return false;
}

void describe_substvars(struct jr_buf *out)
{
	enum { WIDTH = 76 };
	size_t column = 0;
	jr_buf_puts(out, "jaxreport:Inputs=");
	for (const struct jr_input_ops *const *kind = jr_input_kinds; *kind; kind++) {
		for (const char *s = (*kind)->help; s && *s;) {
			size_t n = strcspn(s, " ");
			bool wraps = column + 1 + n > WIDTH;
			const char *joint = !column ? "" : wraps ? "${Newline}" : " ";
			const char *comma = s[n] || !more_help(kind) ? "" : ";";
			jr_buf_printf(out, "%s%.*s%s", joint, (int)n, s, comma);
			column = wraps ? n : column + 1 + n;
			s += n + strspn(s + n, " ");
		}
	}
	jr_buf_putc(out, '\n');
}

static void title(struct jr_buf *out)
{
	jr_buf_puts(out, "\"" JR_RELEASED "\" \"jaxreport " JR_VERSION "\"");
}

void describe_man(struct jr_buf *out, const char *page)
{
	static const struct {
		const char *name;
		void (*write)(struct jr_buf *out);
	} parts[] = {
		{"@TITLE@", title},
		{"@SYNOPSIS@\n", synopsis},
		{"@COMMANDS@\n", commands},
		{"@OPTIONS@\n", options},
		{"@INPUTS@\n", inputs},
		{"@LIMITS@\n", limits},
		{"@FORMATS@\n", formats},
		{"@METRICS@\n", metrics},
		{"@EXITS@\n", exits},
	};
	while (*page) {
		size_t i = 0;
		while (i < JR_COUNT_OF(parts) && strncmp(page, parts[i].name, strlen(parts[i].name)) != 0)
			i++;
		if (i < JR_COUNT_OF(parts)) {
			parts[i].write(out);
			page += strlen(parts[i].name);
		} else {
			jr_buf_putc(out, *page++);
		}
	}
}
