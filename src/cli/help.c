#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/core/commands.h"
#include "report/core/report.h"

enum { COLUMNS = 80, INDENT = 28 };

/* Wrap `text` at COLUMNS, continue lines at column `indent`; `at` is the column of the cursor. */
static void wrap(struct jr_buf *out, const char *text, size_t at, size_t indent)
{
	while (*text) {
		size_t n = strcspn(text, " ");
		size_t width = jr_text_width(text, n);
		if (at > indent && at + 1 + width > COLUMNS) {
			jr_buf_putc(out, '\n');
			jr_buf_repeat(out, ' ', indent);
			at = indent;
		} else if (at > indent) {
			jr_buf_putc(out, ' ');
			at++;
		}
		jr_buf_add(out, text, n);
		at += width;
		text += n;
		text += strspn(text, " ");
	}
	jr_buf_putc(out, '\n');
}

/* Print "  NAME   text", with the text at column INDENT. */
static void row(struct jr_buf *out, const char *name, const char *text)
{
	jr_buf_printf(out, "  %s", name);
	size_t at = 2 + strlen(name);
	if (at + 1 >= INDENT) {
		jr_buf_putc(out, '\n');
		at = 0;
	}
	jr_buf_repeat(out, ' ', INDENT - at);
	wrap(out, text, INDENT, INDENT);
}

static void option_row(struct jr_buf *out, const struct jr_option *o)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
	if (o->letter)
		jr_buf_printf(&name, "-%c, ", o->letter);
	else
		jr_buf_puts(&name, "    ");
	jr_buf_puts(&name, o->name);
	if (o->argument)
		jr_buf_printf(&name, " %s", o->argument);
	row(out, name.data, o->help);
}

static void options(struct jr_buf *out, const char *title, unsigned bit)
{
	jr_buf_printf(out, "\n%s:\n", title);
	for (const struct jr_option *o = jr_option_table; o->name; o++)
		if ((o->commands & bit) && o->kind != JR_BOUNDS)
			option_row(out, o);
	jr_buf_puts(
		out, "\nLimits (an error shows which one was exceeded; N may end in K, M, G or T):\n");
	for (const struct jr_option *o = jr_option_table; o->name; o++)
		if ((o->commands & bit) && o->kind == JR_BOUNDS)
			option_row(out, o);
}

static void formats(struct jr_buf *out)
{
	jr_buf_puts(out, "\nFormats (* = written by default):\n");
	for (const struct jr_report_format *f = jr_report_formats; f->name; f++) {
		JR_CLEANUP(jr_buf_done) struct jr_buf name = {0};
		jr_buf_printf(&name, "%c %s", f->by_default ? '*' : ' ', f->name);
		row(out, name.data, f->summary);
	}
}

static const char gates_text[] =
	"\nGates: METRIC OP LIMIT; OP is < <= > or >=. A limit with a sign applies to the\n"
	"change from BASE to NEW: step.median<+2%, compile.total<+30s. A limit without a\n"
	"sign applies to the run itself: memory.peak<=38GB, step.median<130ms, busy>=90%.\n"
	"Units: ns us ms s, B kB MB GB TB KiB MiB GiB TiB, %. A gate on the change of a\n"
	"median or of the latency of a program, latency.p99(jit_decode)<+5%, fails only\n"
	"if its whole 95 % interval exceeds the limit.\n";

static void exits(struct jr_buf *out, unsigned bit)
{
	static const struct {
		unsigned commands;
		int status;
		const char *what;
	} rows[] = {
#define JR_EXIT(name, status, commands, what) {(commands), (status), (what)},
		JR_EXITS
#undef JR_EXIT
	};
	jr_buf_puts(out, "\nExit status:");
	size_t at = strlen("Exit status:");
	for (size_t i = 0; i < JR_COUNT_OF(rows); i++) {
		if (!(rows[i].commands & bit))
			continue;
		jr_buf_puts(out, i ? "," : "");
		size_t width = strlen(rows[i].what) + 4; /* " 4 " before, one character after */
		bool fits = at + width <= COLUMNS;
		jr_buf_printf(out, "%c%d %s", fits ? ' ' : '\n', rows[i].status, rows[i].what);
		at = fits ? at + width : width;
	}
	jr_buf_puts(out, ".\n");
}

/* Examples for -h; those of the program itself have no command. */
static const struct {
	unsigned commands;
	const char *call, *what;
} examples[] = {
	{JR_FOR_REPORT, "jaxreport out.zip -o report", "a report, report/index.html"},
	{JR_FOR_REPORT, "jaxreport rank*.zip -o report --open", "of all ranks; open the page"},
	{JR_FOR_REPORT, "jaxreport out.zip --gate 'step.median<130ms'", "fail if steps take longer"},
	{JR_FOR_COMPARE, "jaxreport compare old.zip new.zip", "print the verdict"},
	{JR_FOR_COMPARE, "jaxreport compare old.zip new.zip -o diff", "write a page"},
	{JR_FOR_COMPARE, "jaxreport compare old.zip new.zip --gate 'step.median<+2%'",
		"fail if 2 % slower"},
	{JR_FOR_ADD, "jaxreport history add runs.jsonl out.zip --commit abc123", "add a run"},
	{JR_FOR_SHOW, "jaxreport history show runs.jsonl -o trend", "write a page of the trend"},
	{JR_FOR_COMBINE, "jaxreport combine -o job.zip rank0.zip rank1.zip", "merge two ranks"},
	{JR_FOR_DIGEST, "jaxreport digest rank0.zip -o rank0.jrd", "a small input of reports"},
	{JR_FOR_RECORD, "jaxreport record -o out.zip python train.py", "run and record a program"},
	{JR_FOR_QUERY, "jaxreport query out.zip --list-tables", "print tables and columns"},
	{JR_FOR_QUERY, "jaxreport query out.zip 'SELECT * FROM device'", "print rows"},
	{JR_FOR_SUMMARY, "jaxreport summary out.zip", "print the compilation of each module"},
};

/* Names of a command's own options, without limits. */
static void option_names(struct jr_buf *out, unsigned bit)
{
	JR_CLEANUP(jr_buf_done) struct jr_buf names = {0};
	for (const struct jr_option *o = jr_option_table; o->name; o++)
		if ((o->commands & bit) && o->kind != JR_BOUNDS)
			jr_buf_printf(&names, "%s%s", names.size ? " " : "", o->name);
	jr_buf_puts(out, "\nOptions: ");
	wrap(out, names.data, strlen("Options: "), strlen("Options: "));
}

void jr_help_write_usage(struct jr_buf *out, const struct jr_command *command)
{
	const struct jr_command *shown = command ? command : jr_command_default();
	jr_buf_printf(out, "usage: jaxreport %s\n       %s.\n\n", shown->usage, shown->summary);
	for (size_t i = 0; i < JR_COUNT_OF(examples); i++)
		if (examples[i].commands == shown->bit)
			jr_buf_printf(out, "  %-52s %s\n", examples[i].call, examples[i].what);
	if (!command) {
		jr_buf_puts(out, "\nCommands:\n");
		for (const struct jr_command *c = jr_commands; c->name; c++)
			row(out, c->name, c->summary);
		jr_buf_puts(out,
			"\n'jaxreport --help' lists all options, 'jaxreport COMMAND -h' those of a "
			"command.\n");
		return;
	}
	option_names(out, shown->bit);
	jr_buf_printf(out, "\n'jaxreport %s --help' explains them.\n", shown->name);
}

void jr_help_write(struct jr_buf *out, const struct jr_command *command)
{
	const struct jr_command *shown = command ? command : jr_command_default();
	if (command) {
		jr_buf_printf(out, "usage: jaxreport %s\n\n", command->usage);
		jr_buf_printf(out, "jaxreport %s - %s\n", command->name, command->summary);
	} else {
		const char *lead = "usage:";
		for (const struct jr_command *c = jr_commands; c->name; c++, lead = "      ")
			jr_buf_printf(out, "%s jaxreport %s\n", lead, c->usage);
		jr_buf_puts(out,
			"\nReports where a JAX program on GPUs or TPUs spends its time.\n"
			"INPUT is a .zip from nsys-jax, or a folder with the same files; the output of\n"
			"jax.profiler (LOGDIR, or a .xplane.pb in it); an export of Nsight Systems\n"
			"(SQLite, or a folder of Parquet tables), or a .nsys-rep if nsys is on PATH; or\n"
			"a CSV file from `nsys stats --report nvtx_pushpop_trace`. Several inputs are\n"
			"read as one job. @FILE stands for the inputs listed in FILE, one per line.\n"
			"\nCommands:\n");
		for (const struct jr_command *c = jr_commands; c->name; c++)
			row(out, c->name, c->summary);
	}
	options(out, command ? "Options" : "Options of report", shown->bit);
	if (shown->bit & (JR_FOR_REPORT | JR_FOR_COMPARE | JR_FOR_SHOW))
		formats(out);
	if (shown->bit & (JR_FOR_REPORT | JR_FOR_COMPARE))
		jr_buf_puts(out, gates_text);
	exits(out, shown->bit);
}

void jr_help_write_group(struct jr_buf *out, const char *group)
{
	size_t n = strlen(group);
	const char *between = "";
	for (const struct jr_command *c = jr_commands; c->name; c++) {
		if (strncmp(c->name, group, n) != 0 || c->name[n] != ' ')
			continue;
		jr_buf_puts(out, between);
		jr_help_write(out, c);
		between = "\n";
	}
}

void jr_limits_write(struct jr_buf *out, const struct jr_limits *limits)
{
	for (const struct jr_option *o = jr_option_table; o->name; o++) {
		if (o->kind != JR_BOUNDS)
			continue;
		uint64_t value;
		memcpy(&value, (const char *)limits + o->at, sizeof(value));
		jr_buf_printf(out, "%-18s %11" PRIu64 "  %s\n", o->name, value, o->help);
	}
}
