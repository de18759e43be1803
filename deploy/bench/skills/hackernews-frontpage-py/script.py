"""Opens the front page of Hacker News, and prints its stories."""

from _lib.browse_sdk import skill
from parser import parse


@skill
def main(args, browse):
    browse.goto("https://news.ycombinator.com/", wait="domcontentloaded")
    stories = parse(browse.html())
    if not stories:
        raise ValueError("no story on the page: the site has changed, or refused the visit")
    return stories
