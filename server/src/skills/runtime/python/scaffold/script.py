"""Opens the front page, and prints its headings."""

from _lib.browse_sdk import skill
from parser import parse


@skill
def main(args, browse):
    browse.goto("{page}", wait="domcontentloaded")
    headings = parse(browse.html())
    if not headings:
        raise RuntimeError("no heading on the page: the site has changed")
    return headings
