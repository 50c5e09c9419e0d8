/*
 * vendor.h - whose devices a job ran on, and texts in the words that fit them.
 * Layer: analysis.
 *
 * Texts are written for GPUs of NVIDIA, with marks (terms.h) at words that another platform has
 * another one for, and around advice that cannot be followed there: no advice is better than that.
 */
#ifndef JR_ANALYSIS_VENDOR_H
#define JR_ANALYSIS_VENDOR_H

#include "analysis/core/result.h"
#include "model/profile/profile.h"

enum jr_vendor { JR_VENDOR_NVIDIA, JR_VENDOR_AMD, JR_VENDOR_TPU, JR_VENDOR_CPU };

/** Tell by the names of the devices; NVIDIA's where they have none, or differ; a CPU, whose words
 * fit any device, where a trace of jax.profiler saw no other. O(devices) */
enum jr_vendor jr_vendor_of(const struct jr_profile *profile);
/**
 * A text of ours with its marks (terms.h) replaced by what fits the vendor. Asked of the finished
 * text: what was printed into it is an input's, has no marks, and stays.
 *
 * @param text sentences; NULL stays NULL
 * @return `text` itself where it has no mark, else a text in `arena`; NULL where nothing is left
 */
const char *jr_vendor_words(enum jr_vendor vendor, const char *text, struct jr_arena *arena);

/** The same of advice; `of_jax`: the program is known to be of JAX, else what speaks of it is left
 * out. */
const char *jr_advice_words(
	enum jr_vendor vendor, bool of_jax, const char *text, struct jr_arena *arena);

/** The same of all that a section says, in place; cells of tables and nodes of trees are worded
 * where they are made. */
void jr_vendor_words_section(
	enum jr_vendor vendor, struct jr_section *section, struct jr_arena *arena);

#endif
