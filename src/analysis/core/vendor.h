/*
 * vendor.h - whose devices a job ran on, and which words fit them.
 * Layer: analysis.
 *
 * Advice is written for the GPUs of NVIDIA. Of other devices the tools are named that they have,
 * and a sentence that speaks of what they do not have is left out: no advice is better than one
 * that cannot be followed.
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
 * A text of ours in words that fit the vendor. What stands in “ ” is an input's and stays.
 *
 * @param text  sentences; NULL stays NULL
 * @param whole false: sentences that do not fit are left out; true: the text is no advice, all of
 * it stays
 * @return `text` itself where nothing changes, else a text in `arena`; NULL where nothing is left
 */
const char *jr_vendor_words(
	enum jr_vendor vendor, const char *text, bool whole, struct jr_arena *arena);

/** Advice about a program that is not known to be of JAX: in words that any program of XLA bears.
 * Sentences that speak of JAX are left out. As above: NULL where nothing is left. */
const char *jr_words_without_jax(const char *text, struct jr_arena *arena);

/** The same of what a section's tables call their rows and columns, in place. */
void jr_vendor_name_tables(
	enum jr_vendor vendor, const struct jr_section *section, struct jr_arena *arena);

#endif
