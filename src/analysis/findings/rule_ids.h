/*
 * rule_ids.h - ids of rules by name, for code that looks for the finding of a rule.
 * Layer: analysis.
 */
#ifndef JR_ANALYSIS_RULE_IDS_H
#define JR_ANALYSIS_RULE_IDS_H

enum jr_rule_name {
#define JR_RULE(of, name, ...) JR_RULE_##name,
#include "analysis/findings/findings.def"
#undef JR_RULE
};

/* An id is the name with dashes; tests/lint/keys.py checks the letters. */
#define JR_RULE(of, name, id, ...)                                                                 \
	_Static_assert(sizeof(id) == sizeof(#name), "the id of a rule is its name with dashes");
#include "analysis/findings/findings.def"
#undef JR_RULE

/** Return the id of a rule: JR_RULE_no_kernels gives "no-kernels". Static. */
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
