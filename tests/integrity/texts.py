"""Sentences of pages: shares above 100 % and times of 0 or below appear only with a reason.

Sentences are paragraphs, list items, tiles, captions, headings, and text in place of figures. Tables are
rows of numbers; positions on an axis, and deviations around a middle, may be 0 or below."""
import html, re

PROSE = re.compile(r'<(p|li|figcaption|desc|dd|dt|h\d)\b[^>]*>(.*?)</\1>|'
                   r'\b(?:aria-label|alt)="([^"]*)"', re.S)
PLACES = re.compile(r"[^;.]*? from \S+ \S+ to \S+ \S+?(?=[;.]( |$))|min .*?, max \S+ \S+|"
                    r"(?:Start|Ahead)[^;]*")
TIME = re.compile(r"(?<![\d.,:])(?:0(?:\.0+)?|[-−]\d[\d.,]*) (?:ns|µs|ms|s)\b(?! to\b)")
SHARE = re.compile(r"(?<![\d.,])([\d,]+(?:\.\d+)?) %")
REASON = re.compile(r"in doubt|[Aa]ll of it overlaps with compute")


def sentences(page):
    page = re.sub(r"<(style|script|table)\b.*?</\1>", "", page, flags=re.S)
    for m in PROSE.finditer(page):
        text = m[3] if m[3] is not None else re.sub(r"<[^>]*>", " ", m[2])
        yield re.sub(r"\s+", " ", html.unescape(text)).strip()


def impossible(page):
    """Yield impossible or empty statements of a page, each with the words around it."""
    for text in dict.fromkeys(PLACES.sub("", sentence) for sentence in sentences(page)):
        found = list(TIME.finditer(text)) + [m for m in SHARE.finditer(text)
                                             if float(m[1].replace(",", "")) > 100]
        for m in found:
            if not REASON.search(text):
                yield f"{m[0]}: …{text[max(0, m.start() - 60):m.end() + 60]}…"
