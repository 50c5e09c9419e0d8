/*
 * doc.h - the report as a tree of sections and blocks, independent of output formats.
 * Layer: report.  Owner: the document's arena; tables, texts and trees are borrowed from the
 * results, which must outlive it.
 *
 * There are two views: people read `sections`; JSON, CSV and folded stacks are written from `data`,
 * the same items unformatted. Both refer to the same structs, so their numbers cannot differ.
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
	JR_BLOCK_TILES,    /* as.facts: headline values */
	JR_BLOCK_FACTS,    /* as.facts: named values */
	JR_BLOCK_FINDINGS, /* as.findings */
	JR_BLOCK_TABLE,    /* as.table */
	JR_BLOCK_FIGURE,   /* as.figure */
	JR_BLOCK_LISTING,  /* as.listing: source code with times */
	JR_BLOCK_LIST,     /* as.list */
	JR_BLOCK_TERMS,    /* as.terms: the glossary */
};

/* A named value. */
struct jr_fact {
	const char *title;
	const char *value;   /* with its unit */
	const char *note;    /* "± 3.1 ms, n = 20"; "" = none */
	const char *help;    /* its definition; NULL = none */
	const char *section; /* id of the section it comes from; NULL = here */
	bool code;           /* a text shown in monospace; may be long */
	bool words;          /* a text without units */
};

struct jr_doc_column {
	size_t index; /* in the table */
	const struct jr_column_spec *spec;
	struct jr_value_format format;
	/* Columns that a page shows in the same cell: "0.233 ± 0.002", "−0.99 (−1.50 … −0.40)"; NULL:
	 * none. An interval has both ends or none. */
	const struct jr_doc_column *spread, *low, *high;
	bool within;    /* such a column: a page has no own column for it */
	size_t n_blank; /* data rows before the first value; 0 if rows follow the data */
};

/* A table for people: its columns, rows and formats of values. */
struct jr_doc_table {
	const struct jr_table *table;
	const char *about; /* what a row is, as a sentence; NULL = none */
	const char *same;  /* a sentence of the values that all rows share; NULL = none */
	size_t n_columns;
	struct jr_doc_column *columns;
	size_t n_shown;   /* the first or chosen rows of the data, see jr_doc_row() */
	size_t rest;      /* and rows [rest, table->n_rows), always shown */
	const char *file; /* "data/thunks.csv"; NULL if not written or not possible */
	bool folded;      /* an earlier figure of its section shows the same, or it is for reference */
	const struct jr_doc *doc; /* document of the table */
};

/* Source code with times. Where line L is shown, its anchor is "src-NUMBER-L". */
struct jr_doc_listing {
	const struct jr_listing *listing;
	unsigned number;  /* from 1, in document order */
	size_t file_size; /* bytes of the file's name */
};
#define JR_ANCHOR_MAX 40

/* A figure. The scene is drawn once (figure.h) and shared by the writers. */
struct jr_figure {
	const char *name; /* figures/NAME.svg, html id fig-NAME */
	const char *title, *caption;
	const char *fallback;         /* the content of the figure in words and numbers */
	const char *source;           /* "data/NAME.csv" with its numbers, or NULL */
	struct jr_scene *scene;       /* NULL if no chosen format draws */
	struct jr_scene *narrow;      /* of a chart: drawn for phones; no tooltips; NULL: none */
	struct jr_buf *interactive;   /* packed data of a flamegraph, JSON text; NULL = still */
	const char *file;             /* "figures/NAME.interactive.svg" as a separate file, or NULL */
	size_t n_left_out;            /* frames of the tree that do not fit in `interactive` */
	const struct jr_chart *chart; /* its content: one of these two */
	const struct jr_tree *tree;
};

struct jr_list_entry {
	const char *term; /* emphasized before the text, or NULL */
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
	const char *section; /* section's title; equal for adjacent entries */
	const char *id;      /* id of that section */
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
	enum jr_section_group group; /* equal for adjacent sections */
	bool defined;                /* the glossary has its terms */
	JR_VEC(struct jr_block) blocks;
};

struct jr_doc {
	struct jr_arena arena;
	const char *title;    /* name of the input */
	const char *subtitle; /* hardware: devices, processes */
	const char *headline; /* the answer, without a full stop; NULL: none */
	const char *gates;    /* outcome of the gates, a sentence; NULL: there are none */
	enum jr_gates_tone { JR_GATES_PASS, JR_GATES_UNCLEAR, JR_GATES_FAIL } gates_tone;
	const char *lede;    /* sentences that follow the headline and the gates; NULL: none */
	const char *caveats; /* doubts about the data, sentences; NULL: none */
	const char *group_titles[JR_N_GROUPS];
	JR_VEC(struct jr_doc_section) sections;
	JR_VEC(const struct jr_section *) data;   /* sections for machines, in report order */
	JR_VEC(struct jr_figure *) figures;       /* of all sections, in order */
	JR_VEC(struct jr_doc_table *) tables;     /* of all sections, in order */
	JR_VEC(struct jr_doc_listing *) listings; /* of all sections, in order */
	const struct jr_results *results;
	const struct jr_profile *profile;
	struct jr_buf slices; /* of the page's timeline, packed; empty: not packed, or none */
	bool csv, svg;        /* these files are written, so pages may link them */
};

/** Return the mark of the gates' outcome, with which a headline begins where only text can stand
 * out: in Markdown and mail. */
static inline const char *jr_doc_gates_mark(const struct jr_doc *doc)
{
	return doc->gates_tone == JR_GATES_FAIL ? "❌" : doc->gates_tone == JR_GATES_PASS ? "✅" : "❔";
}

/** Return the title of the section with this id; NULL: none, or no id. */
static inline const char *jr_doc_section_title(const struct jr_doc *doc, const char *id)
{
	for (size_t i = 0; id && i < doc->sections.n; i++)
		if (strcmp(doc->sections.items[i].id, id) == 0)
			return doc->sections.items[i].title;
	return NULL;
}

/** Return the number of rows shown to people; row i of them is table row jr_doc_row(). */
static inline size_t jr_doc_rows(const struct jr_doc_table *t, size_t limit)
{
	size_t first = t->n_shown < limit ? t->n_shown : limit;
	return first + (t->table->n_rows - t->rest);
}

/** Return the table row of the i-th row shown, with at most `limit` data rows. */
static inline size_t jr_doc_row(const struct jr_doc_table *t, size_t limit, size_t i)
{
	size_t first = t->n_shown < limit ? t->n_shown : limit;
	if (i >= first)
		return t->rest + (i - first);
	return t->table->chosen ? t->table->chosen[i] : i;
}

/** Return whether a column has no value in the rows shown, with at most `limit` data rows. */
static inline bool jr_doc_blank(const struct jr_doc_column *c, size_t limit)
{
	return c->n_blank && c->n_blank >= limit;
}

/**
 * Find the anchor of a line of source in the document.
 * @param frame   "FILE:LINE", or a stack frame "FILE:LINE[:COLUMN][FUNCTION]"
 * @param anchor  out: "src-3-84"
 * @return false if the document does not show the line
 */
bool jr_doc_line_anchor(const struct jr_doc *doc, const char *frame, char anchor[JR_ANCHOR_MAX]);

/**
 * Convert results to a document. Cannot fail; draws nothing yet (figure.h does).
 *
 * @param doc  out, jr_doc_done() it. Sections in order: overview, one per pass by its group,
 *             provenance, notes, glossary. A new pass appears without a change here.
 * @param csv, svg  these files are also written
 */
void jr_doc_compose(struct jr_doc *doc, const struct jr_profile *profile,
	const struct jr_results *results, bool csv, bool svg);
void jr_doc_done(struct jr_doc *doc);
/** Assert the promises of this header: one item per JSON path and file; lists that match the
 * sections. Used if JR_CHECKED is set. O(items and columns). doc_assert.c */
void jr_doc_assert(const struct jr_doc *doc);

/** Describe the profile (inputs, devices, provenance, warm-up, counts) by items of three sections,
 * like those of passes, in `arena`. Items that a pass has made are left out. A profile without
 * inputs adds nothing. */
void jr_doc_about(const struct jr_profile *profile, const struct jr_results *results,
	struct jr_arena *arena, struct jr_section *overview, struct jr_section *provenance,
	struct jr_section *notes);

/** Make the tables at the end of report.json: "findings", "guesses", "unavailable" and "warnings";
 * the last one has one column without a key. In `arena`. */
void jr_doc_lists(const struct jr_profile *profile, const struct jr_results *results,
	struct jr_arena *arena, struct jr_section *out);

#endif
