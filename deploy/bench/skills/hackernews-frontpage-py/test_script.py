import json
import unittest
from pathlib import Path

from parser import parse

SKILLS = Path(__file__).resolve().parents[4] / "browser-skills"
FIXTURE = SKILLS / "hackernews-frontpage/fixtures/news.ycombinator.com-2026-11-21.html"


class Parser(unittest.TestCase):
    def test_it_reads_what_the_bundled_skill_reads(self):
        stories = parse(FIXTURE.read_text())
        self.assertEqual([story["rank"] for story in stories], list(range(1, 31)))
        titles = {story["title"]: story for story in stories}
        odd = titles['Fish & ships: what’s <really> in "harbour" logs']
        self.assertEqual(odd["url"], "https://logs.example/?a=1&b=2")
        self.assertEqual(sum(story["points"] is None for story in stories), 1)
        self.assertEqual(titles["Growing basil under a stairwell lamp"]["comments"], 0)
        json.dumps(stories)

    def test_a_page_of_something_else_has_no_stories(self):
        self.assertEqual(parse("<html><body>Sorry.</body></html>"), [])
