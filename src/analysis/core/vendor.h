/*
 * vendor.h - vendor of a job's devices, and texts in that vendor's terms.
 * Layer: analysis.
 *
 * Texts are written for GPUs of NVIDIA. Marks (terms.h) enclose words that differ on another
 * platform, and advice that does not apply there. Such advice is left out.
 */
#ifndef JR_ANALYSIS_VENDOR_H
#define JR_ANALYSIS_VENDOR_H

#include "analysis/core/result.h"
#include "model/profile/profile.h"

enum jr_vendor { JR_VENDOR_NVIDIA, JR_VENDOR_AMD, JR_VENDOR_TPU, JR_VENDOR_CPU };

/* What the words of a text depend on. */
struct jr_words {
	enum jr_vendor vendor;
	bool of_part; /* the report is about a selection (struct jr_selected) */
};

/** Determine the vendor from the device names. NVIDIA if devices have no names or their names
 * differ. CPU if a trace of jax.profiler contains no other device; the CPU's terms fit any device.
 * O(devices) */
enum jr_vendor jr_vendor_of(const struct jr_profile *profile);
static inline struct jr_words jr_words_of(const struct jr_profile *profile)
{
	return (struct jr_words){jr_vendor_of(profile), profile->selected.any};
}
/**
 * Replace the marks (terms.h) in one of our texts by the vendor's terms. Call it on the finished
 * text: parts that were printed into it come from inputs, do not contain marks, and stay unchanged.
 *
 * @param text sentences; NULL stays NULL
 * @return `text` itself if it has no mark, else a text in `arena`; NULL if nothing remains
 */
const char *jr_vendor_words(struct jr_words words, const char *text, struct jr_arena *arena);

/** Replace the marks in advice. `of_jax`: the program is known to use JAX; else text about JAX is
 * left out. */
const char *jr_advice_words(
	struct jr_words words, bool of_jax, const char *text, struct jr_arena *arena);

/** Replace the marks in all texts of a section, in place. Cells of tables and nodes of trees get
 * their terms where they are made. */
void jr_vendor_words_section(
	struct jr_words words, struct jr_section *section, struct jr_arena *arena);

#endif
