/*
 * doc.h - the report as a tree: sections of blocks, and nothing about how they are written.
 * Layer: report.  Owner: the document's arena; tables, texts and trees are borrowed from the
 * results, which must outlive it.
 *
 * Two views of one thing: people read `sections`; JSON, CSV and folded stacks are written from
 * `data`, the same items unformatted. Both hold the very same structs, so a figure cannot differ.
 */
#ifndef JR_REPORT_DOC_H
#define JR_REPORT_DOC_H

#include "analysis/core/pass.h"
#include "base/vec.h"
#include "model/profile/profile.h"
#include "report/core/value.h"

struct jr_scene;

enum jr_block_kind {
	JR_BLOCK_TEXT,     /* as.text: a paragraph */
	JR_BLOCK_HEADING,  /* as.text: a heading below the section's */
	JR_BLOCK_TILES,    /* as.facts: headline figures */
	JR_BLOCK_FACTS,    /* as.facts: named values */
	JR_BLOCK_FINDINGS, /* as.findings */
	JR_BLOCK_TABLE,    /* as.table */
	JR_BLOCK_FIGURE,   /* as.figure */
	JR_BLOCK_LISTING,  /* as.listing: source code with times */
	JR_BLOCK_LIST,     /* as.list */
	JR_BLOCK_TERMS,    /* as.terms: the glossary */
};

/* A value that stands alone. */
struct jr_fact {
	const char *title;
	const char *value;   /* with its unit */
	const char *note;    /* "± 3.1 ms, n = 20"; "" = none */
	const char *help;    /* its definition, NULL = none */
	const char *section; /* id of the section it comes from; NULL = here */
	bool code;           /* a text to be set in monospace, may be long */
	bool words;          /* a text: no word of it is a unit */
};

struct jr_doc_column {
	size_t index; /* of the table */
	const struct jr_column_spec *spec;
	struct jr_value_format format;
	/* What a page tells beside it in the same cell: "0.233 ± 0.002", "−0.99 (−1.50 … −0.40)"; NULL:
	 * nothing. Both ends of an interval or none. */
	const struct jr_doc_column *spread, *low, *high;
	bool within;    /* such a one: no column of its own on a page */
	size_t n_blank; /* data rows ahead of the first that has a value; 0 with rows behind the data */
};

/* A table for people: which columns, which rows, how their values read. */
struct jr_doc_table {
	const struct jr_table *table;
	const char *about; /* what a row is, as a sentence; NULL = not said */
	const char
		*same; /* what all rows have, as a sentence: these columns are left out; NULL = nothing */
	size_t n_columns;
	struct jr_doc_column *columns;
	size_t n_shown;   /* rows [0, n_shown) of the data, at least */
	size_t rest;      /* and rows [rest, table->n_rows), shown in any case */
	const char *file; /* "data/thunks.csv", or NULL where it is not written or cannot be */
	bool folded;      /* a figure ahead of it in its section shows the same, or it is looked up */
	const struct jr_doc *doc; /* that it is in */
};

/* Source code with times. Line L of it is the anchor "src-NUMBER-L" where it is shown. */
struct jr_doc_listing {
	const struct jr_listing *listing;
	unsigned number;  /* from 1, in the order of the document */
	size_t file_size; /* bytes of the file's name */
};
#define JR_ANCHOR_MAX 40

/* A picture. The scene is drawn once (figure.h) and shared by the writers. */
struct jr_figure {
	const char *name; /* figures/NAME.svg, html id fig-NAME */
	const char *title, *caption;
	const char *fallback;       /* what the picture shows, in words and numbers */
	const char *source;         /* "data/NAME.csv" with the numbers behind it, or NULL */
	struct jr_scene *scene;     /* NULL where no chosen format draws */
	struct jr_scene *narrow;    /* of a chart: the same for a telephone; no tooltips; NULL: none */
	struct jr_buf *interactive; /* packed data of a flamegraph, JSON text; NULL = still */
	const char *file;  /* "figures/NAME.interactive.svg", the same in its own file, or NULL */
	size_t n_left_out; /* frames of the tree that are too many for `interactive` */
	const struct jr_chart *chart; /* what it draws: one of these two */
	const struct jr_tree *tree;
};

struct jr_list_entry {
	const char *term; /* set apart ahead of the text, or NULL */
	const char *text;
};
struct jr_list {
	size_t n;
	struct jr_list_entry *entries;
};

struct jr_facts {
	size_t n;
	struct jr_fact *facts;
};

struct jr_term {
	const char *name;
	const char *definition;
	const char *section; /* title of the section it belongs to: the same for those in a row */
	const char *id;      /* and its id */
};
struct jr_terms {
	size_t n;
	struct jr_term *terms;
};

struct jr_findings {
	size_t n;
	const struct jr_finding *findings;
};

struct jr_block {
	enum jr_block_kind kind;
	union {
		const char *text;
		struct jr_facts facts;
		struct jr_findings findings;
		struct jr_doc_table *table;
		struct jr_figure *figure;
		struct jr_doc_listing *listing;
		struct jr_list list;
		struct jr_terms terms;
	} as;
};

struct jr_doc_section {
	const char *id; /* html id, link target */
	const char *title;
	const char *summary;         /* one sentence, or NULL */
	enum jr_section_group group; /* the same for those in a row */
	bool defined;                /* the glossary has terms of it */
	JR_VEC(struct jr_block) blocks;
};

struct jr_doc {
	struct jr_arena arena;
	const char *title;    /* what was profiled: the input's name */
	const char *subtitle; /* on what: devices, processes */
	const char *headline; /* the answer, as a sentence without its full stop; NULL: there is none */
	const char *lede;     /* what goes with it, sentences; NULL: nothing */
	const char *caveats;  /* what puts the figures in doubt, sentences; NULL: nothing */
	const char *group_titles[JR_N_GROUPS];
	JR_VEC(struct jr_doc_section) sections;
	JR_VEC(const struct jr_section *) data;   /* sections as given, for machines, in report order */
	JR_VEC(struct jr_figure *) figures;       /* of all sections, in order */
	JR_VEC(struct jr_doc_table *) tables;     /* of all sections, in order */
	JR_VEC(struct jr_doc_listing *) listings; /* of all sections, in order */
	const struct jr_results *results;
	const struct jr_profile *profile;
	bool csv, svg; /* these files are written too, so pages may name them */
};

/** Rows of a table for people; row i of jr_doc_rows() is table row jr_doc_row(). */
static inline size_t jr_doc_rows(const struct jr_doc_table *t, size_t limit)
{
	size_t first = t->n_shown < limit ? t->n_shown : limit;
	return first + (t->table->n_rows - t->rest);
}

/** Table row of the i-th row shown, where at most `limit` data rows are. */
static inline size_t jr_doc_row(const struct jr_doc_table *t, size_t limit, size_t i)
{
	size_t first = t->n_shown < limit ? t->n_shown : limit;
	return i < first ? i : t->rest + (i - first);
}

/** True of a column without a value in the rows shown, where at most `limit` data rows are. */
static inline bool jr_doc_blank(const struct jr_doc_column *c, size_t limit)
{
	return c->n_blank && c->n_blank >= limit;
}

/**
 * Where the document shows a line of source.
 * @param frame   "FILE:LINE", or a stack frame "FILE:LINE[:COLUMN][FUNCTION]"
 * @param anchor  out: "src-3-84"
 * @return false where it does not
 */
bool jr_doc_line_anchor(const struct jr_doc *doc, const char *frame, char anchor[JR_ANCHOR_MAX]);

/**
 * Results as a document. Cannot fail; draws nothing yet (figure.h does).
 *
 * @param doc  out, jr_doc_done() it. Sections in order: overview, one a pass by its group,
 *             provenance, notes, glossary. A pass that is new appears without this knowing of it.
 * @param csv, svg  these files are written beside the others
 */
void jr_doc_compose(struct jr_doc *doc, const struct jr_profile *profile,
	const struct jr_results *results, bool csv, bool svg);
void jr_doc_done(struct jr_doc *doc);
/** Assert what this header says: one item per JSON path and file, lists that have what sections
 * have. For where JR_CHECKED is set. O(items and columns). doc_assert.c */
void jr_doc_assert(const struct jr_doc *doc);

/** What a profile says of itself (inputs, devices, provenance, warm-up, counts), as if passes had
 * made it: items of three sections, in `arena`. What a pass has made already is left out; a profile
 * of no input says nothing. */
void jr_doc_about(const struct jr_profile *profile, const struct jr_results *results,
	struct jr_arena *arena, struct jr_section *overview, struct jr_section *provenance,
	struct jr_section *notes);

/** What report.json ends with: tables "findings", "guesses", "unavailable" and "warnings", the last
 * of which has one column without a key. In `arena`. */
void jr_doc_lists(const struct jr_profile *profile, const struct jr_results *results,
	struct jr_arena *arena, struct jr_section *out);

#endif
