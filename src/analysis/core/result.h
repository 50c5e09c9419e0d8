/*
 * result.h - results of passes: scalars, tables, charts, stack trees, findings, paragraphs.
 * Layer: analysis.  Owner: the result arena.  Writers of all formats read exactly these, so a
 * number is computed once and described once (key, unit, definition).
 *
 * A pass fills one section; its items are written in the order in which they were added. Values are
 * kept in base units (ns, bytes, bytes/s, fractions) and are scaled only when they are written:
 *
 *   unit             kept as            JSON and CSV            people
 *   JR_UNIT_NS       ns                 ms                      ms (or the unit of the column)
 *   JR_UNIT_S        ns                 s                       s
 *   JR_UNIT_BYTES    bytes              bytes                   kB, MB, GB (1e9)
 *   JR_UNIT_BYTES_S  bytes/s            GB/s (1e9)              GB/s
 *   JR_UNIT_FRAC     fraction           fraction                %, pp for a change
 *   JR_UNIT_PERCENT  fraction           percent (x 100)         %: a share, or a relative change
 *   JR_UNIT_POINTS   fraction           points (x 100)          pp: the change of a share
 *   JR_UNIT_COUNT    number             number                  grouped digits
 *   JR_UNIT_HZ       Hz                 Hz                      GHz
 *   JR_UNIT_NONE     number or text     as is                   as is
 */
#ifndef JR_ANALYSIS_RESULT_H
#define JR_ANALYSIS_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum jr_unit {
	JR_UNIT_NONE,
	JR_UNIT_COUNT,
	JR_UNIT_NS,
	JR_UNIT_S,
	JR_UNIT_BYTES,
	JR_UNIT_BYTES_S,
	JR_UNIT_FRAC,
	JR_UNIT_PERCENT,
	JR_UNIT_POINTS,
	JR_UNIT_HZ,
};

/* Null of each type: TEXT NULL, I64 JR_NULL_I64, F64 NaN, BOOL JR_NULL_BOOL, ROWS NULL. */
enum jr_type { JR_TEXT, JR_I64, JR_F64, JR_BOOL, JR_ROWS };
#define JR_NULL_I64 INT64_MIN
#define JR_NULL_BOOL 2

enum {
	JR_COL_DATA_ONLY = 1,     /* JSON, CSV only: not in tables for people */
	JR_COL_RENDERED_ONLY = 2, /* tables for people only */
	JR_COL_BAR = 4,           /* draw the value as a bar if the format can */
	JR_COL_CODE = 8,          /* names of code: monospace, may be long */
	JR_COL_KEY = 16,          /* part of the row's key */
	JR_COL_SOURCE = 32,       /* "file:line" text, links to annotated source if available */
	JR_COL_CHANGE = 64,       /* a difference: shown with its sign, also if positive */
	JR_COL_WHOLE = 256,       /* text that must be read in full: never cut */
	JR_COL_KEPT = 512,        /* shown in each row even if all rows have the same value */
	JR_COL_BESIDE = 1024,     /* describes the measure: shown next to it, not after all numbers */
	/* The ± of the preceding column of the same unit, and the ends of an interval about such a
	 * column. A page shows them all in one cell. */
	JR_COL_SPREAD = 2048,
	JR_COL_LOW = 4096,
	JR_COL_HIGH = 8192,
	JR_COL_TIMELINE = 16384, /* names of slices: a page links them to its timeline */
	JR_COL_QUANTITY = 128,   /* text of a number with its unit: right-aligned as numbers are */
	/* One of several times that a reader compares along a row: parts of a whole, statistics of one
	 * quantity. All such columns of a table have the same unit. */
	JR_COL_LIKE = 32768,
	JR_COL_VITAL = 65536, /* a row is not understood without it: narrow formats keep it */
};

/* Static description of a column. `key` is the JSON key and CSV header; a dot nests it
 * ("source.file"). The unit is part of the key ("sum_ms"), never of `title`. */
struct jr_column_spec {
	const char *key;
	const char *title;
	const char *help; /* definition, one sentence without a period */
	enum jr_type type;
	enum jr_unit unit;
	unsigned flags;
};

struct jr_table;

union jr_cells {
	const char **text;
	int64_t *i64;
	double *f64;
	uint8_t *boolean;
	struct jr_table **rows; /* JR_ROWS: a nested table in each cell (JSON only) */
};

struct jr_table_spec {
	const char *name; /* html id, "data/NAME.csv"; unique in a report */
	const char *json; /* dotted path in report.json; NULL: not in it */
	const char *title;
	const char *help; /* what a row is, the sort order, and what is left out */
	size_t n_columns;
	const struct jr_column_spec *columns;
	bool data_only;   /* CSV/JSON only, no table for people (series behind a chart) */
	bool looked_up;   /* folded on the page: for readers who look something up */
	const char *rest; /* what the rows that people do not see have in common; NULL: they are less */
};

struct jr_table {
	const struct jr_table_spec *spec;
	size_t n_rows;     /* all rows */
	size_t n_data;     /* rows of JSON and CSV: the first n_data; the rest are only for people */
	size_t n_rendered; /* tables for people may stop after this many rows and report how many
						  follow; rows from n_data on are always shown */
	const uint32_t *chosen; /* [n_rendered] the rows that people see, ascending, all below n_data;
							   NULL: the first ones. chosen_rows.h */
	union jr_cells *cells;  /* [n_columns] of [n_rows] each, initially all null */
};

struct jr_scalar {
	const char *key; /* dotted path in report.json; NULL: not in it */
	const char *title;
	const char *help;
	enum jr_unit unit;
	enum jr_type type; /* TEXT, I64, F64, BOOL */
	union {
		const char *text;
		int64_t i64;
		double f64;
		bool boolean;
	} value;
	double plus_minus; /* standard deviation, same unit; NaN = none */
	const char *note;  /* small print next to it, "in jit_step"; NULL: none */
	int64_t n;         /* number of values it is based on; JR_NULL_I64 = does not apply */
	bool change;       /* a difference: see JR_COL_CHANGE */
	bool tile;         /* a headline number */
	bool hidden;       /* JSON only */
};

enum jr_chart_kind {
	JR_CHART_SCATTER,
	JR_CHART_LINE, /* rows of a series in order of x */
	JR_CHART_STEP,
	JR_CHART_BARS,      /* horizontal: `y` = length, `x` = category text */
	JR_CHART_HISTOGRAM, /* of `x` */
	JR_CHART_BOX,       /* distribution of `y` by category text `x` */
	JR_CHART_DOTS,      /* each `y` by category text `x`, rows in order from top to bottom */
	JR_CHART_INTERVALS, /* a change `y` from `y_low` to `y_high` by category text `x` */
	JR_CHART_STACKED,   /* one bar per row, category `x`, parts = the columns in `parts` */
	JR_CHART_TREND, /* one above the other, with a shared `x`: `trends`, each a SCATTER with a line
					   through all points in row order */
	JR_CHART_LANES, /* one interval per row, from `x` to `x_end` in the lane of text `y`; color by
					   the role named in `series` */
	JR_CHART_CELLS, /* one cell per row, in row order, colored by the time `y`; `x` = number of its
					   subject, `series` = text of the group of adjacent rows */
	JR_CHART_HEAT, /* one cell per row, colored by the time `y`; rows with the same text of `series`
					  form a line, from the steps `x` to `x_end`, the same in each line */
};

/* One of the trends of a chart. */
struct jr_trend_row {
	const char *title;
	const char *note;           /* next to the title: its current state; NULL: none */
	const char *y;              /* column key */
	const char *y_low, *y_high; /* of an error bar; NULL: none */
	bool marked;                /* labeled with the names of `marked` */
	double height;              /* px; 0: the usual small height */
};

/* A chart of columns of a table; the points are its rows. */
struct jr_chart {
	const char *name; /* figures/NAME.svg, html id fig-NAME */
	const char *title;
	const char *caption; /* definition and n */
	enum jr_chart_kind kind;
	const struct jr_table *table;
	const char *x, *y;  /* column keys */
	const char *series; /* column key of a text that groups and colors rows; NULL = one series */
	const char *label;  /* column key of a point's tooltip title; NULL = none */
	const char *marked; /* column key of a bool: rows labeled next to their point; NULL = none.
						   CELLS, HEAT: column key of a text, the labels of cells */
	const char *frame;  /* SCATTER: column key of a bool: the axes cover the rows where it is true,
						   and other rows outside are marked at the edge; NULL = all. HEAT: column
						   key of a bool: the line is outlined from this cell on */
	const char *hollow; /* BARS, INTERVALS: column key of a bool: rows outlined because they are in
						   doubt; NULL */
	double band; /* INTERVALS, HEAT: values up to this are negligible, in units of `y`; 0: none */
	const char *weight; /* SCATTER: column key of a number: area of a point; NULL: all equal */
	/* SCATTER: lines over the points. The rows of one name form a line, in order of x; NULL =
	 * none. */
	const struct jr_table *lines;
	const char *line_name, *line_x, *line_y; /* their columns: texts, in units of the axes */
	bool faint;                 /* lines that are not data: thin, in the color of axes */
	double height;              /* SCATTER, LINE: px of the plot; 0: default */
	const char *y_low, *y_high; /* column keys of a band or error bar; NULL = none */
	/* STACKED: column keys; LANES: words for the legend; STEP: series that are stacked bands; BARS,
	 * SCATTER: texts of `series` that have colors of their own; CELLS, HEAT: one, for the color.
	 * NULL-terminated. */
	const char *const *parts;
	const char *const *part_roles; /* their color roles as in the palette, same order */
	const char *x_end;             /* LANES: column key of an interval's end */
	const char *inside;    /* LANES: column key of the text inside a wide interval; NULL = none */
	const char *lane_name; /* LANES: column key of a text: two adjacent lanes with the same text
							  share a row of that name; NULL: `y` names each. HEAT: column key of a
							  text: adjacent lines with the same text are a group */
	const char *lane_begin, *lane_end; /* LANES: keys of a lane's begin and end; NULL: the axis */
	const char *x_title, *y_title;     /* NULL: the column's title and unit */
	bool log_x, log_y;
	const char *x_name; /* TREND: key of a text below the number of a row; NULL: none */
	const struct jr_trend_row
		*trends; /* TREND: [n_trends], from top to bottom; `y` is the first's */
	size_t n_trends;
	const struct jr_table *marks; /* ticks on the x axis, one per row; NULL = none */
	const char *mark_x, *mark_height, *mark_label; /* columns: x, relative height, tooltip */
	const char *mark_title;                        /* in the legend */
};

/* Kinds of flamegraph frames; the kind determines the color. */
enum jr_frame_kind {
	JR_FRAME_ROOT,
	JR_FRAME_USER,
	JR_FRAME_LIBRARY,
	JR_FRAME_WRAPPER, /* of a library or a decorator: only forwards the call (frame_kind.h) */
	JR_FRAME_XLA,     /* op_name components, compile phases */
	JR_FRAME_COMMUNICATION,
	JR_FRAME_IDLE,
	JR_FRAME_UNKNOWN,
};

/* Part of a frame's own time: the kernels that have a roofline, their roofline time, and their time
 * above roofline. */
struct jr_roofed {
	double ns, roof_ns, lost_ns;
};

/* A weighted tree of stacks; node 0.. with parent < own index; siblings by text. A node's total is
 * its self time plus its children's totals. There may be several roots; their totals sum to
 * total_ns. */
struct jr_tree {
	const char *name; /* flamegraphs.NAME, data/NAME.folded, figures/NAME.svg */
	const char *title;
	const char *caption;
	size_t n;
	uint32_t *parent; /* JR_NONE = root */
	const char **text;
	uint8_t *kind; /* enum jr_frame_kind */
	double *self_ns, *total_ns;
	struct jr_roofed *roofed; /* [n]; NULL: nothing has a roofline */
	double total;             /* ns, all roots */
	bool bytes;               /* all weights are bytes, not ns */
	size_t n_stacks;          /* distinct stacks with weight */
	bool data_only;           /* for data files and report.json; not drawn */
	/* The same nodes in the baseline run of a comparison; NULL in a tree of one run. Frames that
	 * exist in only one of the runs weigh 0 in the other. */
	double *base_self_ns, *base_total_ns;
	double base_total;
};

/* A line of a listing, or a gap of lines left out. */
struct jr_listing_line {
	uint32_t number;   /* from 1; 0 = a gap */
	uint32_t n_hidden; /* of a gap: lines left out */
	const char *text;  /* sanitized; "" for a gap and if the text is not known */
	bool hot;          /* time was spent through this line; else it is context */
	double total_ns, self_ns, communication_ns; /* 0 if not hot */
	double working_ns;       /* part of self that is not waiting for another device */
	struct jr_roofed roofed; /* of working_ns */
	uint32_t kernels;
};

/* Hot regions of a source file, with the GPU time of each line. */
struct jr_listing {
	const char *file;
	const char *tree; /* name of the tree whose frames these lines are; NULL = none */
	bool library;
	const char *note;  /* why there is no text, or its source; NULL = no note */
	double total_ns;   /* of all stacks through the file, each once */
	double self_ns;    /* of all stacks that end in it */
	double whole_ns;   /* the whole that shares refer to */
	double hottest_ns; /* largest working time of a line in any listing: end of the heat scale */
	size_t n;
	const struct jr_listing_line *lines; /* by number */
};

enum jr_severity { JR_INFO, JR_NOTICE, JR_WARNING };

/* Cause of the time of a finding. */
enum jr_cause {
	JR_CAUSE_HOST,   /* the host had not yet launched the next work */
	JR_CAUSE_LAUNCH, /* launching takes as long as running */
	JR_CAUSE_COMPUTE,
	JR_CAUSE_TRANSFER, /* collectives, copies */
	JR_CAUSE_WAITING,  /* for another device */
	JR_CAUSE_MEMORY,
	JR_CAUSE_COMPILATION,
	JR_CAUSE_DRIFT,       /* in a history: many changes, each too small to detect */
	JR_CAUSE_MEASUREMENT, /* no saving: reliability of the numbers */
	JR_N_CAUSES
};

struct jr_change;

/* Something worth doing or knowing. Findings are ranked by recoverable time (jr_finding_before()).
 * JR_NULL_I64 = unknown or does not apply. A saving never exceeds the part of the time breakdown
 * that it comes from. */
struct jr_finding {
	const char *id;
	enum jr_severity severity;
	int64_t recoverable_ns;      /* device time, over the whole steady wall of all devices */
	int64_t step_recoverable_ns; /* the same for one step on one device */
	int64_t step_without_ns;     /* length of one step after this saving */
	const char *title;
	const char *why, *action; /* sentences: the cause, and what to do; not both NULL or "" */
	const char *evidence;
	const char
		*also; /* what findings with the same cause measured, sentences; NULL: there are none */
	const char *section; /* name of the pass with the details */
	enum jr_cause cause;
	uint32_t op; /* row of ops that contains all of its time; JR_NONE = several, or none */
	bool of_constant_input; /* the op's time comes from indices that are all equal */
	const char *part_of;    /* id of the finding that has the same cause and covers this one, too;
							   NULL: independent */
	/* The change that the replay applies to remove it; NULL: not defined. */
	const struct jr_change *change;
	bool predicted; /* the saving is predicted by the replay; else it is a bound */
	/* The least saving per step. It is below step_recoverable_ns if the replay can only give an
	 * interval, and equal to it if the replay gives a number. JR_NULL_I64 if it is not
	 * predicted. */
	int64_t step_least_ns;
	const char *unpredicted; /* why the replay cannot predict the saving, a clause; NULL: it can, or
								there is nothing to replay */
	size_t n_gpus;       /* if steps are not known: number of devices in recoverable_ns; 0 = one */
	const char *subject; /* start of its title; a headline names the finding by it */
	/* What was measured, a sentence without its period, with which the evidence begins; the title
	 * is then its subject and the saving. NULL: no saving is known, so the title is that sentence.
	 */
	const char *measured;
	/* The op that its texts name first: name, and FILE:LINE or NULL. NULL: none. A page links them.
	 */
	const char *thunk, *source;
	const char *about; /* thunk or devices that have all of its time; NULL: several, or unknown */
	/* Number of occurrences if it does not occur in each step. recoverable_ns is then its total
	 * cost, and there is no cost per step. 0: each step has it. */
	size_t times;
	/* Saving in each step since the one in its subject; the steps before have none. 0: it is about
	 * all steps. */
	int64_t since_ns;
	int64_t error_ns; /* error of the prediction of a step; 0 for a bound */
	bool planned;     /* of a plan: times are roofline times of one execution, not measured */
};

/* The first statement of a report. */
struct jr_answer {
	const char *headline; /* a sentence without its period */
	const char *lede;     /* sentences that follow it; NULL: none */
};

enum jr_result_kind {
	JR_RESULT_ANSWER,
	JR_RESULT_TEXT,
	JR_RESULT_SCALAR,
	JR_RESULT_TABLE,
	JR_RESULT_CHART,
	JR_RESULT_TREE,
	JR_RESULT_LISTING,
};

struct jr_result_item {
	enum jr_result_kind kind;
	union {
		struct jr_answer *answer;
		const char *text; /* a paragraph */
		struct jr_scalar *scalar;
		struct jr_table *table;
		struct jr_chart *chart;
		struct jr_tree *tree;
		struct jr_listing *listing;
	} as;
};

struct jr_instances;
struct jr_pass;

struct jr_section {
	const struct jr_pass *pass;
	const char *unavailable; /* NULL, or why there is no result: "not available, because ..." */
	bool aside;              /* not available: only listed, without its own section */
	size_t n, capacity;
	struct jr_result_item *items;
	int64_t wall_ns; /* time the pass took; only for -v, never in a report */
};

struct jr_results {
	struct jr_arena *arena;
	/* Names of the results if they are not of a profile (a comparison); else NULL. */
	const char *schema, *title, *subtitle;
	const char *headline; /* the result in a few words; NULL: only the title */
	size_t n_sections;
	struct jr_section *sections; /* in report order */
	size_t n_findings, findings_capacity;
	struct jr_finding *findings; /* by jr_finding_before(), after the run */
	/* Upper bound of what all findings together could save per step, with each cause counted once,
	 * and the step time that would remain. JR_NULL_I64: nothing, or not known. */
	int64_t together_step_ns, together_without_ns;
	bool together_predicted;   /* by the replay; else a bound */
	int64_t together_least_ns; /* the least of together_step_ns; see step_least_ns of a finding */
	int64_t replay_wall_ns;    /* time to build the replay; only for -v, never in a report */
	/* What passes found and writers show again, in `arena`; NULL: the results are not of a profile.
	 */
	const struct jr_instances *instances;
};

/** Assert what this header promises about items: existing columns, totals that are sums, sanitized
 * texts, sorted findings. Call it only if JR_CHECKED is set. O(bytes of all). result_assert.c */
void jr_results_assert(const struct jr_results *results);
/** Return the name of a cause: "waiting". */
const char *jr_cause_name(enum jr_cause cause);

/** Create a table, all cells null, n_data = n_rendered = n_rows. It is not yet in a section. */
struct jr_table *jr_table_new(
	struct jr_arena *arena, const struct jr_table_spec *spec, size_t n_rows);
/** Reorder all rows: row i becomes old row order[i]. */
void jr_table_permute(struct jr_table *table, const uint32_t *order, struct jr_arena *scratch);
/** Return the column index of a key, or SIZE_MAX. */
size_t jr_table_column(const struct jr_table *table, const char *key);
/** Return any numeric cell as a double in base units; NaN for null or text. */
double jr_table_number(const struct jr_table *table, size_t column, size_t row);
/** Return the text of a cell by its column's key; "" if it is null, or if the table does not have
 * such a column or it has another type. Borrowed from the table. */
const char *jr_table_text(const struct jr_table *table, const char *key, size_t row);

/* Add to the section, in order. Pointers are borrowed from the result arena; texts are formatted
 * into it. */
void jr_section_text(struct jr_section *s, struct jr_arena *arena, const char *fmt, ...)
	JR_PRINTF(3, 4);
/** Copy *answer into the section. A report begins with its first answer. */
void jr_section_answer(
	struct jr_section *s, struct jr_arena *arena, const struct jr_answer *answer);
/** Return headline and lede as one text. In `arena`. */
const char *jr_answer_text(struct jr_arena *arena, const struct jr_answer *answer);
/** Copy *scalar into the section; return the copy. */
struct jr_scalar *jr_section_scalar(
	struct jr_section *s, struct jr_arena *arena, const struct jr_scalar *scalar);
void jr_section_table(struct jr_section *s, struct jr_arena *arena, struct jr_table *table);
/** Copy *chart into the section. */
void jr_section_chart(struct jr_section *s, struct jr_arena *arena, const struct jr_chart *chart);
void jr_section_tree(struct jr_section *s, struct jr_arena *arena, struct jr_tree *tree);
void jr_section_listing(struct jr_section *s, struct jr_arena *arena, struct jr_listing *listing);

/** Return the first section item of that kind and name (table, tree) or key (scalar), or NULL. */
const struct jr_table *jr_results_table(const struct jr_results *r, const char *name);
const struct jr_scalar *jr_results_scalar(const struct jr_results *r, const char *key);
const struct jr_tree *jr_results_tree(const struct jr_results *r, const char *name);
/** Return the first answer, with which a report begins; NULL: there is none. */
const struct jr_answer *jr_results_answer(const struct jr_results *r);

#endif
