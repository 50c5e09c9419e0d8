/*
 * findings_words.h - words of findings: numbers, names, sentences and titles.
 * Layer: analysis, private to findings*.c.  All texts are in the result arena.
 */
#ifndef JR_ANALYSIS_FINDINGS_WORDS_H
#define JR_ANALYSIS_FINDINGS_WORDS_H

#include "analysis/core/flags.h"

struct jr_check;

/** Return "127.2 ms". */
const char *jr_check_time(struct jr_check *c, double ns);
/** Return the same for one step. */
const char *jr_check_step_time(struct jr_check *c, double ns);
/** Return "1,152". */
const char *jr_check_count(struct jr_check *c, size_t n);
/** Return "1.2 GB". */
const char *jr_check_bytes(struct jr_check *c, double bytes);
/** Return "12.3 %" for a fraction. */
const char *jr_check_percent(struct jr_check *c, double frac);
/** Return "24.50 ms" for `ns` on all GPUs of a program without XLA: the mean over GPUs. */
const char *jr_check_gpu_time(struct jr_check *c, double ns);
/** Return "24.50 ms of 299.3 ms on each of 2 GPUs (8.19 %)", the same with its share of their
 * wall. */
const char *jr_check_of_wall(struct jr_check *c, double ns);
/** Return "23.4 GB/s". */
const char *jr_check_rate(struct jr_check *c, double bytes_s);
/** Return a name from the input in typographic quotes, shortened to fit into a sentence. */
const char *jr_check_name(struct jr_check *c, const char *name);
/** Return "“fusion.3” (train.py:84)": an op and its source line. */
const char *jr_check_op(struct jr_check *c, uint32_t op);
/**
 * Return the text after "device": "2", or "2 on “node019”" if the devices belong to several hosts,
 * shortened like other names. O(devices).
 * @param device  row of devices
 */
const char *jr_check_device(struct jr_check *c, uint32_t device);
/** Return `text` if the program is known to use PyTorch, else "": only PyTorch users can follow it.
 * O(operations + ranges). */
const char *jr_check_if_pytorch(struct jr_check *c, const char *text);
/** Call jr_flags_advise() for this profile. */
const char *jr_check_advise(struct jr_check *c, const char *before,
	const struct jr_flag_advice *advice, size_t n, const char *after);
/** Call it for the listed struct jr_flag_advice. */
#define JR_ADVISE(c, before, after, ...)                                                           \
	jr_check_advise((c), (before), (const struct jr_flag_advice[]){__VA_ARGS__},                   \
		sizeof((const struct jr_flag_advice[]){__VA_ARGS__}) / sizeof(struct jr_flag_advice),      \
		(after))
/** Return a sentence for the evidence of a one-time cost: its share of a longer run. */
const char *jr_check_pays_back(struct jr_check *c);
/** Add sentences to a part of the finding's text: `*part` and `text`, joined with a blank. "" adds
 * nothing. */
void jr_check_add(struct jr_check *c, const char **part, const char *text);
/* Add sentences, printed as by printf(), to the cause of the finding, and to what to do. */
#define jr_check_why(c, ...)                                                                       \
	jr_check_add((c), &(c)->finding.why, jr_arena_printf((c)->ctx->arena, __VA_ARGS__))
#define jr_check_do(c, ...)                                                                        \
	jr_check_add((c), &(c)->finding.action, jr_arena_printf((c)->ctx->arena, __VA_ARGS__))
/** Set the title: `subject`, by which the headline names the finding, followed by `rest`: together
 * a sentence with what was measured, without its period. */
void jr_check_set_title(struct jr_check *c, const char *subject, const char *rest);
/* Set it, and the evidence, printed as by printf(). */
#define jr_check_title(c, subject, ...)                                                            \
	jr_check_set_title((c), (subject), jr_arena_printf((c)->ctx->arena, __VA_ARGS__))
#define jr_check_evidence(c, ...)                                                                  \
	((c)->finding.evidence = jr_arena_printf((c)->ctx->arena, __VA_ARGS__))
/** If a saving is known, make the title of the subject and the saving, "Gaps: up to 1.9 ms per
 * step": a title has one number. The sentence of the title then begins the evidence. */
void jr_check_entitle(struct jr_check *c);

#endif
