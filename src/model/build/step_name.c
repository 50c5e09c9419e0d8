#include "model/build/step_rows.h"

#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/text.h"

#define MOST_BYTES 128 /* longer texts are sentences or stacks */
#define MOST_NUMBERS 2
#define MOST_DIGITS 15

/* Whether a word has this name, ignoring case. With `ends`, a capitalized last part also counts:
 * "ProfilerStep", but not "microstep". */
static bool is_called(const char *word, size_t n, const char *name, bool ends)
{
	size_t length = strlen(name);
	if (n < length || strncasecmp(word + n - length, name, length) != 0)
		return false;
	return n == length || (ends && word[n - length] >= 'A' && word[n - length] <= 'Z');
}

static bool is_step_word(const char *word, size_t n)
{
	static const char *const words[] = {"step", "steps", "iteration", "iter", "train", "training"};
	for (size_t i = 0; i < JR_COUNT_OF(words); i++)
		if (is_called(word, n, words[i], true))
			return true;
	return false;
}

/* "micro step 3" and "sub-step 3" are parts of a step. */
static bool is_part_word(const char *word, size_t n)
{
	return (n >= 5 && strncasecmp(word, "micro", 5) == 0) ||
		   (n >= 3 && strncasecmp(word, "sub", 3) == 0);
}

struct parsed {
	size_t n_numbers, first_digit;
	int64_t numbers[MOST_NUMBERS];
	bool step_word[MOST_NUMBERS]; /* the word before the number names a step */
	bool any_word, of;            /* any word; "of" before the second number */
	char between;                 /* separator of two numbers without a word: ':' or '/'; else 0 */
};

/* Split a text into words and numbers. False if it cannot be the name of a step. */
static bool take_apart(const char *text, size_t n, struct parsed *out)
{
	bool step_word = false, word_since = false;
	for (size_t i = 0, end; i < n; i = end) {
		end = i + 1;
		if (jr_is_letter(text[i])) {
			while (end < n && jr_is_letter(text[end]))
				end++;
			if (is_part_word(text + i, end - i))
				return false;
			step_word = is_step_word(text + i, end - i);
			out->of = end - i == 2 && strncasecmp(text + i, "of", 2) == 0;
			word_since = out->any_word = true;
			continue;
		}
		if (!jr_is_digit(text[i])) {
			/* another language, an address or a path: not a step */
			if (!strchr(" _-#=:/,.()[]|", text[i]))
				return false;
			continue;
		}
		if (out->n_numbers == MOST_NUMBERS)
			return false;
		int64_t value = 0;
		for (end = i; end < n && jr_is_digit(text[end]); end++) {
			if (end - i == MOST_DIGITS)
				return false;
			value = value * 10 + (text[end] - '0');
		}
		if (out->n_numbers == 0)
			out->first_digit = i;
		else if (!word_since && end > 1)
			out->between = text[i - 1];
		out->step_word[out->n_numbers] = step_word;
		out->numbers[out->n_numbers++] = value;
		word_since = false;
	}
	return out->n_numbers > 0;
}

bool jr_step_name_parse(const char *text, size_t n, int64_t *number, size_t *n_name)
{
	struct parsed p = {0};
	/* XLA's own ranges end with '#': "Thunk:#hlo_op=step.1#" */
	if (n == 0 || n > MOST_BYTES || text[n - 1] == '#' || !take_apart(text, n, &p))
		return false;
	size_t last = p.n_numbers - 1;
	bool only_numbers = last == 1 && !p.any_word && p.between == ':';
	bool of_all = last == 1 && p.step_word[0] && (p.between == '/' || p.of);
	if (of_all)
		*number = p.numbers[0];
	else if (only_numbers || p.step_word[last])
		*number = p.numbers[last];
	else
		return false;
	*n_name = p.first_digit;
	while (*n_name && !jr_is_letter(text[*n_name - 1]))
		(*n_name)--;
	return true;
}
