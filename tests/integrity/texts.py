"""Sentences of pages: shares above 100 % and times of 0 or below appear only with a reason.

Sentences are paragraphs, list items, tiles, captions, headings, and text in place of figures. Tables are
rows of numbers; positions on an axis, and deviations around a middle, may be 0 or below. Shares in these rows are
from 0 to 100 %, and parts of a step are not below 0."""
import html, re

PROSE = re.compile(r'<(p|li|figcaption|desc|dd|dt|h\d)\b[^>]*>(.*?)</\1>|'
                   r'\b(?:aria-label|alt)="([^"]*)"', re.S)
PLACES = re.compile(r"[^;.]*? from \S+ \S+ to \S+ \S+?(?=[;.]( |$))|min .*?, max \S+ \S+|"
                    r"(?:Start|Ahead)[^;]*|± \S+ \S+")
TIME = re.compile(r"(?<![\d.,:])(?:0(?:\.0+)?|[-−]\d[\d.,]*) (?:ns|µs|ms|s)\b(?! to\b)")
SHARE = re.compile(r"(?<![\d.,])([-−]?[\d,]+(?:\.\d+)?) %")
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
                                             if not 0 <= float(m[1].replace(",", "").replace("−", "-")) <= 100]
        for m in found:
            if not REASON.search(text):
                yield f"{m[0]}: …{text[max(0, m.start() - 60):m.end() + 60]}…"


def impossible_values(value, path=""):
    """Yield shares outside of 0 to 100 % and parts of a step below 0, each with its path in report.json."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from impossible_values(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for item in value:
            yield from impossible_values(item, path)
    elif isinstance(value, (int, float)):
        share = path.split(".")[-1] == "percent" and not -1e-9 <= value <= 100 + 1e-9
        part = "ledger" in path and path.endswith("_ms") and value < 0
        if share or part:
            yield f"{path} is {value}"
