"""Takes the headings out of HTML."""

import html
import re

HEADING = re.compile(r"<h[1-6]\b[^>]*>(.*?)</h[1-6]>", re.IGNORECASE | re.DOTALL)


def parse(page):
    headings = (text(inner) for inner in HEADING.findall(page))
    return [heading for heading in headings if heading]


def text(inner):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", inner)).split())
