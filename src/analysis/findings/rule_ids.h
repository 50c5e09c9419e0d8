/*
 * rule_ids.h - ids of rules by their names, for whoever looks for what one of them found.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_RULE_IDS_H
#define JR_ANALYSIS_RULE_IDS_H

enum jr_rule_name {
#define JR_RULE(of, name, ...) JR_RULE_##name,
#include "analysis/findings/findings.def"
#undef JR_RULE
};

/* tests/lint/keys.py has the letters: an id is the name with dashes. */
#define JR_RULE(of, name, id, ...)                                                                 \
	_Static_assert(sizeof(id) == sizeof(#name), "the id of a rule is its name with dashes");
#include "analysis/findings/findings.def"
#undef JR_RULE

/** JR_RULE_no_kernels: "no-kernels". Static. */
static inline const char *jr_rule_id(enum jr_rule_name rule)
{
	static const char *const ids[] = {
#define JR_RULE(of, name, id, ...) id,
#include "analysis/findings/findings.def"
#undef JR_RULE
	};
	return ids[rule];
}

#endif
