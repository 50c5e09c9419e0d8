/* Paragraphs and sentences of the document tree. */
#include "report/core/doc.h"

#include <string.h>

#include "analysis/core/vendor.h"
#include "report/document/compose.h"

const char *jr_doc_words(struct jr_doc *doc, const char *text)
{
	struct jr_words words = {JR_VENDOR_NVIDIA, false};
	if (doc->profile)
		words = jr_words_of(doc->profile);
	return jr_vendor_words(words, text, &doc->arena);
}

const char *jr_doc_sentence(struct jr_doc *doc, const char *text)
{
	if (!text || !*text)
		return text;
	text = jr_doc_words(doc, text);
	size_t n = strlen(text), word = strcspn(text, " ,;:.");
	bool lower = text[0] >= 'a' && text[0] <= 'z';
	for (size_t i = 0; i < word && lower; i++)
		lower = text[i] >= 'a' && text[i] <= 'z';
	/* "collective:all-reduce=0.5x" is text to type, so it does not change. */
	if (text[word] == ':' && word + 1 < n && text[word + 1] != ' ')
		lower = false;
	const char *stop = strchr(".!?…:", text[n - 1]) ? "" : ".";
	if (!lower && !*stop)
		return text;
	char *out = jr_arena_printf(&doc->arena, "%s%s", text, stop);
	if (lower)
		out[0] = (char)(out[0] - 'a' + 'A');
	return out;
}
