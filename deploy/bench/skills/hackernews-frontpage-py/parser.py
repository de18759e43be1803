"""Reads the stories out of the HTML of the front page, as the bundled skill does."""

import re

SITE = "https://news.ycombinator.com/"
BLANK = r"[ \t\n\f\r]"
ROW = re.compile(r"<tr\b[^>]*>", re.I | re.A)
LINK = re.compile(r"<a\b[^>]*>(.*?)</a>", re.I | re.A | re.S)
SPAN = re.compile(r"<(/?)span\b[^>]*>", re.I | re.A)
ATTRIBUTE = re.compile(
    rf"""([^ \t\n\f\r"'<>/=]+){BLANK}*={BLANK}*(?:"([^"]*)"|'([^']*)'|([^ \t\n\f\r"'>]+))"""
)
ENTITY = re.compile(r"&(?:#x([0-9a-f]+)|#(\d+)|(\w+));", re.I | re.A)
ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'", "nbsp": "\u00a0"}


def parse(html):
    """The stories of a page, in its order."""
    starts = [row for row in ROW.finditer(html) if has_class(row[0], "athing")]
    ends = [row.start() for row in starts[1:]] + [len(html)]
    found = (
        story(attribute(row[0], "id") or "", html[row.end() : end])
        for row, end in zip(starts, ends)
    )
    return [one for one in found if one]


def story(id, block):
    """Reads a story; None for a row that is none, such as one that was hidden."""
    rank = leading_number(text_of(span(block, "rank")))
    link = LINK.search(span(block, "titleline") or "")
    if not link or not id or rank is None:
        return None
    score = span(block, "score")
    return {
        "rank": rank,
        "id": id,
        "title": text_of(link[1]),
        "url": absolute(attribute(link[0], "href") or ""),
        "points": None if score is None else leading_number(text_of(score)),
        "comments": None if score is None else comments(block, id),
    }


def leading_number(text):
    found = re.match(r"[0-9]+", text)
    return int(found[0]) if found else None


def comments(block, id):
    """The number in `43 comments`; a link that says `discuss` is 0."""
    for link in LINK.finditer(block):
        if attribute(link[0], "href") == f"item?id={id}":
            counted = re.fullmatch(r"([0-9]+) comments?", text_of(link[1]))
            if counted:
                return int(counted[1])
    return 0


def absolute(href):
    """The address as the page writes it, made whole."""
    if re.match(r"[a-z][a-z0-9+.-]*:", href, re.I):
        return href
    if href.startswith("//"):
        return f"https:{href}"
    return SITE + href.removeprefix("/")


# === HTML ===


def span(html, name):
    """What stands between the tags of the first span of this class."""
    start, depth = -1, 0
    for tag in SPAN.finditer(html):
        if start < 0:
            if not tag[1] and has_class(tag[0], name):
                start = tag.end()
        elif not tag[1]:
            depth += 1
        elif depth > 0:
            depth -= 1
        else:
            return html[start : tag.start()]
    return None


def has_class(tag, name):
    return name in re.split(f"{BLANK}+", attribute(tag, "class") or "")


def attribute(tag, name):
    """The value of an attribute, whatever its quotes and its place."""
    for found in ATTRIBUTE.finditer(tag):
        if found[1].lower() == name:
            value = next((part for part in found.groups()[1:] if part is not None), "")
            return decode_entities(value)
    return None


def text_of(html):
    """The text of some HTML: without tags, entities decoded, blanks folded."""
    text = decode_entities(re.sub(r"<[^>]*>", "", html or ""))
    return re.sub(r"^ | $", "", re.sub("[ \\t\\n\\f\\r\u00a0]+", " ", text))


def decode_entities(text):
    def decoded(entity):
        if entity[3]:
            return ENTITIES.get(entity[3], entity[0])
        code = int(entity[1], 16) if entity[1] else int(entity[2])
        is_character = 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
        return chr(code) if is_character else "\ufffd"

    return ENTITY.sub(decoded, text)
